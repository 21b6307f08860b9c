"""Runs rulesets: games, legal options, logs, replay, simulation."""

from engine.game import Decision, Fault, Game, IllegalOption, Option, Refusal, Result

__all__ = ["Decision", "Fault", "Game", "IllegalOption", "Option", "Refusal", "Result"]
