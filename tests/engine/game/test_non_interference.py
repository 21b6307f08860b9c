"""Non-interference: equal views give equal output, and a leak in any outlet is detected."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import twins
from cases import small
from twins import differences, observed, outlets, positions, refused
from worlds import WORLD

from rulespec.engine.game import events, views, visibility
from rulespec.engine.game import game as game_module
from rulespec.engine.game.game import Game
from rulespec.engine.game.named_state import named_state
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.refusal import refused as refusal
from rulespec.engine.game.round import Round
from rulespec.engine.search.twins import determinize
from rulespec.load import load_ruleset

SECRETS = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(g in good private to p)
        set p.secret to g.index
    decide bidding together by p in player:
        option bid(k in 1 .. 2 private):
            set p.secret to p.secret + k
        option stay: pass
    decide last by first(player):
        option beat(q in player where q != first(player)):
            require q.secret < first(player).secret
            set n to 1
        option rest: pass
        option tell(q in player) by q:
            require q.secret > 1         "S-01: not enough"
            set m to q.secret
    end game won by {p in player where p.secret > 2}
"""
EXPRESSIONS = ["sum(p.secret for p in player)", "first(player).secret", "n + m", "true or B.secret == 1", "B.secret"]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Game]:
    ruleset = small(tmp_path_factory.mktemp("views") / "small", SECRETS + WORLD)
    return lambda: Game(ruleset, ["A", "B"])


kuhn = cache(lambda: load_ruleset("kuhn_poker"))


def poker() -> Game:
    return Game(kuhn(), ["A", "B"])


POKER_EXPRESSIONS = ["A.card", "B.card", "pot", "count(p in player where p.card == king)", "A.card == B.card"]


@pytest.mark.proof
def test_what_looks_the_same_is_told_the_same(make: Callable[[], Game]) -> None:
    result, alike = differences(make, EXPRESSIONS)
    assert result == [] and alike > 200


IMPLICIT = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(g in good private to p)
        set p.secret to g.index
    let k = 0
    let b = next(first(player))
    {body}
    decide last by first(player):
        option beat:
            require k == 1       "I-01"
            require n == 5       "I-02"
            set n to k
        option rest: pass
procedure marked(s: int) -> int:
    if s > 0:
        return 1
    return 0
"""
BODIES = {
    "a branch": "if b.secret > 0:\n        set k to 1",
    "a switch": "match corn if b.secret > 0 else salt:\n        case corn: set k to 1\n        case salt: pass",
    "a loop": "for p in player where p.secret > 0 and p == b:\n        set k to 1",
    "a bound": "repeat at most b.secret:\n        set k to 1",
    "what is left": "for t in town:\n        if b.secret > 0:\n            leave\n        set k to t.index",
    "what returns": "set k to marked(b.secret)",
}


@pytest.mark.parametrize("body", BODIES)
def test_a_variable_that_is_set_if_a_secret_is_so_is_not_told(body: str, tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", IMPLICIT.format(body=BODIES[body]) + WORLD)
    seen: dict[tuple[str, str], set[str]] = {}
    for game in positions(Game(ruleset, ["A", "B"])):
        if game.decision is not None and game.decision.name == "last":
            seen.setdefault(("A", game.view("A").memory), set()).add(refused(game, "A", "beat"))
    assert {len(reasons) for reasons in seen.values()} == {1} and len(seen) == 2


@pytest.mark.proof  # 1.1 s
def test_hands_that_look_the_same_are_told_the_same() -> None:
    result, alike = differences(poker, POKER_EXPRESSIONS)
    assert result == [] and alike > 50


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("seat", ["A", "B", None])
def test_memories_are_the_same_exactly_where_all_that_was_seen_is(make: Callable[[], Game], seat: str | None) -> None:
    by_memory: dict[str, tuple[str, ...]] = {}
    by_sight: dict[tuple[str, ...], str] = {}
    for game in positions(make()):
        seen, memory = observed(game, seat), game.view(seat).memory
        assert by_memory.setdefault(memory, seen) == seen
        assert by_sight.setdefault(seen, memory) == memory


# --- sabotage: each outlet, made to tell more than the view, is found


def _shown(self: Any, step: Any, *, shown: bool) -> events.Event:
    return events.Event(step.option.decision, step.option.by, str(step.option))


def _early(self: Any, step: Any, *, shown: bool) -> events.Event:
    return _event(self, step, shown=True)


_event = events.Events._event
_view_of = game_module.view_of


def _with(**change: Callable[[Game], Any]) -> Callable[..., Any]:
    """A view with the value of a field replaced by one computed from the position."""
    from msgspec.structs import replace

    return lambda game, seat, since=0: replace(
        _view_of(game, seat, since), **{name: of(game) for name, of in change.items()}
    )


def _whole(game: Game) -> tuple[events.Event, ...]:
    return tuple(events.Event(o.decision, o.by, str(o)) for o in game.history)


def _all(program: Any, labels: Any, state: Any, unseen: Any, *, null: bool) -> dict[str, Any]:
    return named_state(program, labels, state, (), null=null)


def _legal_only(self: Game, text: str, by: str | None = None, decision: str = "") -> Option:
    """Reads only legal options, as if legality were public."""
    option = _parse(self, text, by, decision)
    if not self.is_legal(option):
        raise ValueError(f"`{text}` is not legal")
    return option


def _the_game_itself(game: Game, *args: Any) -> Game:
    return game.copy()


def named_state_of(game: Game) -> dict[str, Any]:
    return named_state(
        game.omniscient.numbers.program, game.omniscient.labels, game.omniscient.numbers.state, (), null=False
    )


_parse = Game.parse
SABOTAGE: dict[str, tuple[Any, str, Any, str]] = {
    "the whole state": (views, "named_state", _all, "Game.view"),
    "no masks": (visibility.Visibility, "unseen", lambda self, state, seat: {}, "Game.view"),
    "the hash of the position": (game_module, "view_of", _with(hash=lambda g: g.hash), "Game.view"),
    "the table's history": (game_module, "view_of", _with(history=_whole), "log"),
    "arguments in events": (events.Events, "_event", _shown, "log"),
    "choices of an open round": (events.Events, "_event", _early, "Game.view"),
    "the options of others": (
        game_module,
        "view_of",
        _with(options=lambda g: tuple(map(str, g.legal_options))),
        "Game.view",
    ),
    "interrupts of others": (
        game_module,
        "view_of",
        _with(interrupts=lambda g: tuple(map(str, g.interrupts))),
        "Game.view",
    ),
    "full refusals": (game_module, "guarded_refusal", lambda *args: refusal(str(list(args[-1]))), "Game.why_not"),
    "refusals of others": (Game, "_own", lambda self, option, seat: True, "Game.why_not"),
    "values of what is hidden": (visibility, "GuardedState", lambda state, unseen: list(state), "Game.value"),
    "options read only where they are legal": (Game, "parse", _legal_only, "Game.parse"),
    "the very game as one that looks the same": (twins, "determinize", _the_game_itself, "Game.determinize"),
    "all that happened as what was learned": (
        twins,
        "learned",
        lambda g, *_: tuple(map(str, g.history)),
        "learned",
    ),
    "the whole state for pages": (twins, "seen_state", lambda g, _: named_state_of(g), "seen_state"),
    "the options of who is asked": (twins, "own_options", lambda g, _: list(g.legal_options), "Round"),
    "seats that need not be asked, by what is private": (
        Round,
        "forced",
        property(lambda self: tuple(s for s in self.asked if "(1)" in str(self.game.history))),
        "Round",
    ),
    "a memory that depends on the position": (game_module, "view_of", _with(memory=lambda g: g.hash), "log"),
}
"""Leaks to detect: place, name, replacement, and an outlet that shows the leak."""


@pytest.fixture(scope="module")
def honest(make: Callable[[], Game]) -> dict[str | None, list[tuple[str, ...]]]:
    """Each seat's view at each position, in the order of the tree."""
    seats = (*make().seats, None)
    return {seat: [observed(game, seat) for game in positions(make())] for seat in seats}


@pytest.mark.parametrize("leak", SABOTAGE)
@pytest.mark.sampled(1)
def test_a_leak_is_found(
    leak: str,
    make: Callable[[], Game],
    honest: dict[str | None, list[tuple[str, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where, name, other, outlet = SABOTAGE[leak]
    monkeypatch.setattr(where, name, other)
    assert outlet in told_differently(make, honest)


def told_differently(make: Callable[[], Game], honest: dict[str | None, list[tuple[str, ...]]]) -> Iterator[str]:
    """The outlets that differ between equal views, as they are found."""
    texts = ["beat(B)", "tell(A)", "tell(B)", "rest", "bid(2)"]
    for seat, observations_ in honest.items():
        seen: dict[tuple[str, ...], Any] = {}
        for position, outputs in zip(positions(make()), observations_, strict=True):
            now = outlets(position, seat, texts, EXPRESSIONS)
            first = seen.setdefault(outputs, now)
            yield from (outlet for outlet in now if first[outlet] != now[outlet])


# --- games that look the same


@pytest.mark.proof  # 0.6 s
def test_a_determinized_game_looks_the_same(make: Callable[[], Game]) -> None:
    rng = random.Random(4)
    others = 0
    for game in [g.copy() for g in positions(make())][::3]:
        for seat in game.seats:
            twin = determinize(game, seat, rng)
            assert twin.view(seat) == game.view(seat)
            others += twin.history != game.history
    assert others > 40


@pytest.mark.proof
def test_twins_are_determinized_alike(make: Callable[[], Game]) -> None:
    seen: dict[str, list[Any]] = {}
    for game in positions(make()):
        memory = game.view("A").memory
        if len(seen.setdefault(memory, [])) < 2:
            seen[memory].append(determinize(game, "A", random.Random(1)).history)
    assert all(len({tuple(map(str, h)) for h in result}) == 1 for result in seen.values())
    assert any(len(result) > 1 for result in seen.values())


def test_every_hand_that_looks_the_same_comes() -> None:
    game = Game(kuhn(), ["A", "B"])
    for text in ("deal(queen)", "deal(king)", "leave_it"):
        game.apply(game.parse(text))
    rng = random.Random(1)
    hands = {str(determinize(game, "A", rng).history[1]) for _ in range(40)}
    assert hands == {"deal(jack)", "deal(king)"}


FAULTY = """
--- rules/play.rules
procedure play():
    for p in player:
        roll deal(k in 0 .. 2 private to p)
        set p.secret to k
    decide bidding together by p in player:
        option bid(k in 1 .. 2):
            require 4 / first(player).secret >= k
            pass
    end game
"""


def test_where_the_rules_would_be_at_fault_no_game_looks_the_same(tmp_path: Path) -> None:
    """The game continues, so A was not dealt 0, as otherwise nobody could have been asked."""
    game = Game(small(tmp_path / "small", FAULTY + WORLD), ["A", "B"])
    for text in ("deal(1)", "deal(2)", "bid(2)"):
        game.apply(game.parse(text))
    rng = random.Random(1)
    dealt = {str(determinize(game, "B", rng).history[0]) for _ in range(30)}
    assert dealt == {"deal(1)", "deal(2)"}


def test_a_view_where_the_rules_are_at_fault_says_so(tmp_path: Path) -> None:
    game = Game(small(tmp_path / "small", FAULTY + WORLD), ["A", "B"])
    for text in ("deal(0)", "deal(2)"):
        game.apply(game.parse(text))
    for seat in ("A", "B"):
        with pytest.raises(RulesetFaultError, match="divi"):
            game.view(seat)
