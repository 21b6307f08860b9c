"""Runs rulesets: games, legal options, logs, replay, simulation."""

from engine.game import Game
from engine.option import Decision, Fault, IllegalOption, Option, Refusal, Result

__all__ = ["Decision", "Fault", "Game", "IllegalOption", "Option", "Refusal", "Result"]
