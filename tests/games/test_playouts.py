"""Random games hold the invariants, and every decision can be taken back.

RULESPEC_PLAYOUTS says how many games; `make proof` plays a thousand.
"""

from __future__ import annotations

import os
import random
from functools import cache
from typing import Any

import pytest
from folders import ROOT
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from proofs import examples

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

PLAYOUTS = int(os.environ.get("RULESPEC_PLAYOUTS", "20"))
CAP = 5_000
PLAYED = ["games/imperial", "games/imperial+playimperial"]

cached = cache(load_ruleset)


def seats(players: int) -> list[str]:
    return [f"P{i + 1}" for i in range(players)]


def choose(game: Game, rng: random.Random) -> Option:
    """One of the decider's own options; now and then what somebody else may do meanwhile."""
    options = list(every_option(game))
    own = [o for o in options if not o.interrupt]
    return rng.choice(options if rng.random() < 0.02 else own or options)


def play(game: Game, rng: random.Random, cap: int = CAP) -> None:
    while not game.is_over and game.ply < cap:
        game.apply(choose(game, rng))
        assert game.omniscient.broken_invariants() == [], game.history[-5:]


@pytest.mark.parametrize("ref", PLAYED)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.sampled(1)
def test_random_games_end_with_all_invariants_held(ref: str, players: int) -> None:
    ruleset = cached(ref)
    # The recorded site knows no way to go on if nobody buys anything in its auction: both set-ups are tried.
    for number in range(max(1, PLAYOUTS // 10)):
        rng = random.Random(f"{ref} {players} {number}")
        set_up = rng.choice(["standard", "experienced"])
        game = Game(ruleset, seats(players), {"set_up": set_up})
        play(game, rng)
        assert game.is_over or game.ply == CAP


def test_undo_restores_every_state() -> None:
    for players in (2, 6, 4)[: examples(2, 3)]:
        rng = random.Random(players)
        game = Game(cached(PLAYED[0]), seats(players))
        hashes = []
        while not game.is_over and game.ply < CAP:
            hashes.append(game.hash)
            game.apply(choose(game, rng))
        end, history = game.hash, game.history
        for before in reversed(hashes):
            game.undo()
            assert game.hash == before
        for option in history:
            game.apply(option)
        assert game.hash == end


class Decisions(RuleBasedStateMachine):
    """Hypothesis takes decisions, takes them back, and goes on in clones."""

    ref = PLAYED[0]
    game: Game
    twin: Game
    trail: list[str]

    @initialize(
        players=st.integers(2, 6), gifts=st.sampled_from(["windows", "government_only", "off"]), seed=st.integers(0, 9)
    )
    def begin(self, players: int, gifts: str, seed: int) -> None:
        ruleset: typed.Ruleset = cached(self.ref)
        self.game = Game(ruleset, seats(players), {"gifts": gifts})
        self.twin = Game(ruleset, seats(players), {"gifts": gifts}, "interpreter")
        self.trail = []
        rng = random.Random(seed)
        for _ in range(rng.randrange(0, 120)):
            self.take(rng.random())

    def take(self, number: float) -> None:
        options = list(every_option(self.game))
        if options:
            self.trail.append(self.game.hash)
            option = options[int(number * len(options))]
            self.game.apply(option)
            self.twin.apply(option)

    @precondition(lambda self: not self.game.is_over)
    @rule(number=st.floats(0, 1, exclude_max=True))
    def decide(self, number: float) -> None:
        self.take(number)

    @precondition(lambda self: self.trail)
    @rule()
    def take_back(self) -> None:
        self.game.undo()
        self.twin.undo()
        assert self.game.hash == self.trail.pop()

    @rule(number=st.floats(0, 1, exclude_max=True))
    def look_ahead_in_a_clone(self, number: float) -> None:
        before = self.game.hash
        clone = self.game.copy()
        options = list(every_option(clone))
        if options:
            clone.apply(options[int(number * len(options))])
        assert self.game.hash == before

    @invariant()
    def everything_holds(self) -> None:
        if hasattr(self, "game"):
            assert self.game.omniscient.broken_invariants() == []
            assert self.game.hash == self.twin.hash
            assert self.game.is_over or any(True for _ in every_option(self.game))


Decisions.TestCase.settings = settings(
    max_examples=examples(3, 8), stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestDecisions = Decisions.TestCase


def test_cash_is_hidden_from_other_players_if_the_table_wants_it() -> None:
    for hide, shown in (("true", None), ("false", 2)):
        game = Game(cached(PLAYED[0]), seats(2), {"hide_cash": hide})
        while game.decision is not None and game.decision.by is None:
            game.apply(next(every_option(game)))
        cash = state_json(game, viewer="P1")["entities"]["player"]
        assert (cash["P1"]["cash"], cash["P2"]["cash"]) == (2, shown)


def test_the_readmes_example_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = text.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"__name__": "example"}
    random.seed(1)
    exec(compile(example, "README.md", "exec"), names)  # noqa: S102 - our own text
    assert names["game"].is_over
