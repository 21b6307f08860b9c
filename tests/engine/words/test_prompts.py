"""Prompts with what they are about: `who wins the tie in Mainz`, wherever a decision is asked."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import small
from shipped import loaded

from rulespec.drawing.board import board
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.seating import seat_names
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.pages.endings import ending

PROMPTS = [
    ("shadow_of_the_emperor", None, "investiture", "choose who becomes elector", " of "),
    ("shadow_of_the_emperor", "es", "investiture", "elegir quién será elector", " de "),
    ("imperial", None, "production", "produce", " in "),
    ("imperial", "de", "production", "produzieren", " in "),
    ("tetrarchia", None, "first_threat", "dice of the first threats", " in "),
    ("ludo", None, "move", "move a pawn", " by "),
]


def asked(ref: str, decision: str) -> Game:
    """A random game in which a decision is asked."""
    ruleset, _ = loaded(ref)
    for seed in range(20):
        game, choose = Game(ruleset, seat_names(ruleset.players[1], ruleset.seats)), random.Random(seed)
        while game.ply < 150 and game.decision is not None:
            if game.decision.name == decision:
                return game
            game.apply(choose.choice(list(game.legal_options)))
    raise AssertionError(f"no {decision} in 20 games")


@pytest.mark.parametrize("ref, language, decision, plain, before", PROMPTS)
@pytest.mark.sampled(1)
def test_a_prompt_says_what_it_is_about(ref: str, language: str | None, decision: str, plain: str, before: str) -> None:
    game = asked(ref, decision)
    words = Words(game.ruleset, language)
    assert game.decision is not None and words.decision(decision) == plain
    prompt = Narrator(words, game).decision(game.decision)
    assert prompt.startswith(plain + before) and len(prompt) > len(plain + before)
    assert prompt in board(game.ruleset, game, words).description
    assert any(prompt in text for _, text in ending(game, OMNISCIENT, words))


def test_a_picture_for_a_seat_has_the_plain_prompt() -> None:
    game = asked("shadow_of_the_emperor", "investiture")
    assert ": choose who becomes elector, " in board(game.ruleset, game.view("A")).description


def test_a_question_names_the_places_that_it_is_about() -> None:
    game = asked("imperial", "production")
    assert game.decision is not None
    narrator = Narrator(Words(game.ruleset), game)
    ((kind, number),) = narrator.places(game.decision)
    assert kind == "region" and narrator.decision(game.decision).endswith(f" in {narrator.entity(kind, number)}")
    acting = narrator.acting(game.decision)
    assert acting is not None and narrator.entity(*acting) == narrator.actor(game.decision)


def test_an_option_names_the_places_that_are_none_of_its_arguments() -> None:
    """A man of backgammon goes from a point to another, though its option has the die."""
    game = asked("backgammon", "first_move")
    narrator, names = Narrator(Words(game.ruleset), game), game.omniscient.labels.names["point"]
    for option in game.legal_options:
        goals = [names[number] for kind, number in narrator.places(option) if kind == "point"]
        assert len(goals) == 1 and narrator.option(option).partition("/")[2].split()[0] == goals[0].removeprefix("p")


CARGO = """
procedure play():
    let goods = {g in good}
    decide ship by first(player):
        option ship(a in good, b in choose 0 .. 1 of (goods), c in choose 0 .. 1 of (goods)):
            set seen to b
        option load(b in choose 0 .. 1 of goods):
            set seen to b
    end game as over

scoring p in player:
    score 1
--- game.yaml
id: cargo
title: Cargo
version: "1.0"
players: {kind: player, min: 1, max: 2}
start: play
--- kinds.yaml
kinds:
  good: {entities: {oil: {}, tin: {}}}
  player: {}
state: {seen: {type: set good}}
"""


def test_an_option_without_a_text_leaves_out_what_is_empty(tmp_path: Path) -> None:
    game = Game(small(tmp_path, CARGO), ["Ann"])
    narrator = Narrator(Words(game.ruleset), game)
    texts = {str(option): narrator.option(option) for option in game.legal_options}
    assert texts["ship(oil, {}, {})"] == "ship: oil" and texts["ship(oil, {}, {tin})"] == "ship: oil, tin"
    assert texts["load({})"] == "load: none"
