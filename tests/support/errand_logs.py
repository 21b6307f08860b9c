"""Logs of a small game with a hidden choice, the errands: their lines, random games, and refusals of invalid ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from folders import ROOT

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader, parse_log
from rulespec.typed.nodes import Ruleset

ERRANDS = str(ROOT / "tests" / "rulesets" / "errands")
HEADER = '{"rulespec_log": 1, "ruleset": "errands", "ruleset_hash": "", "seats": ["Ann", "Bob"], "settings": {}}\n'
OPENING = '{"decision": "opening", "by": null, "option": "opens(Ann)"}\n'
MOOD = '{"decision": "mood", "by": "Ann", "option": "calm"}\n'


def playout(ruleset: Ruleset, seed: int, decisions: int = 1000) -> Game:
    game, dice = Game(ruleset, ["Ann", "Bob the Second", "Zoë"], {"market": "open"}), random.Random(seed)
    while not game.is_over and game.ply < decisions:
        game.apply(dice.choice(list(every_option(game))))
    return game


def written(path: Path, game: Game) -> Path:
    with LogWriter(path, LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
    return path


def refusal(text: str) -> Diagnostic:
    with pytest.raises(DiagnosticsError) as error:
        parse_log(text, "game.jsonl")
    assert len(error.value.diagnostics) == 1
    return error.value.diagnostics[0]
