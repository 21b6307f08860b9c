"""Observations and masks: what a seat sees, all of it, and nothing else."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from cases import small
from folders import RULESETS
from learners import play_on, tables, walked
from parlour import PARLOUR
from secret_games import DECIDED, SECRETIVE, played, sabotaged, twins
from shipped import NAMES

from rulespec.engine.game.game import Game
from rulespec.guests.action_game import NOBODY, Contract, Play, contract
from rulespec.guests.batch import Batch
from rulespec.guests.observations import Observations
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")
Shown = tuple[object, ...]


def shown(table: Contract, game: Game, seat: int, *, memory: bool = True) -> list[Shown]:
    """All that a seat is given at a position, and word by word if it decides: numbers, masks, forced words, texts."""
    play, results = Play(table, game.copy()), []
    while True:
        own = play.seat == seat
        now: Shown = (play.observation(seat).tobytes(), play.seen(seat), play.seat)
        results.append((*now, play.memory(seat) if memory else "", play.mask.tobytes() if own else b""))
        if not own or play.take(play.actions[-1]):
            return results


@pytest.mark.parametrize("ref", DECIDED)
@pytest.mark.sampled(2)
def test_games_that_look_the_same_are_told_the_same(ref: str) -> None:
    pairs = twins(ref, range(4), 10)
    assert pairs
    for game, twin, seat in pairs[:3]:
        for form in ("words", None):
            table, number = Contract(game, form), game.seats.index(seat)
            assert shown(table, game, number) == shown(table, twin, number)


def differing(ref: str) -> int:
    """Compares positions with sabotaged ones, for each seat; the number of the differing ones."""
    changed = 0
    for seed, moves in ((0, 20), (1, 45), (2, 30)):
        game, other = played(ref, seed, moves), played(ref, seed + 7, moves + 9)
        table = Contract(game, "words")
        for number, seat in enumerate(game.seats):
            twin = sabotaged(game, seat, other)
            changed += twin.omniscient.numbers.cells != game.omniscient.numbers.cells
            mine = sabotaged(game, seat, game)
            assert shown(table, twin, number, memory=False) == shown(table, mine, number, memory=False)
    return changed


SMALL = ["kuhn_poker", "leduc_poker", "liars_dice"]
HIDING = [*SMALL, *(pytest.param(name, marks=pytest.mark.proof) for name in SECRETIVE if name not in DECIDED)]


@pytest.mark.parametrize("ref", HIDING)
@pytest.mark.sampled(1)
def test_a_sabotaged_position_is_told_the_same(ref: str) -> None:
    assert differing(ref) > 1


def test_an_observation_without_masks_of_cells_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = Observations._encoded
    monkeypatch.setattr(Observations, "_encoded", lambda self, rows, hidden: encoded(self, rows, np.zeros_like(hidden)))
    with pytest.raises(AssertionError):
        differing("kuhn_poker")


def differences(table: Contract, steps: int) -> int:
    """Compares which observations differ with which views do; the number of views."""
    by_numbers: dict[object, str] = {}
    by_text: dict[str, object] = {}
    for play in walked(table, 1, steps):
        for seat in range(len(table.game.seats)):
            seen = play.seen(seat) | {"options": 0, "seat": seat, "decides": play.seat}
            text, numbers = json.dumps(seen), play.observation(seat).tobytes()
            assert by_numbers.setdefault(numbers, text) == text
            assert by_text.setdefault(text, numbers) == numbers
    return len(by_text)


@pytest.mark.parametrize("name", ["leduc_poker", "ludo"])
def test_an_observation_says_all_that_is_seen(name: str) -> None:
    for table in tables(name, every=False):
        assert differences(table, 20) > 10


def test_tokens_orders_sets_and_rounds_are_in_observations(tmp_path: Path) -> None:
    table = Contract(Game(small(tmp_path / "small", PARLOUR), ["A", "B", "C"]))
    assert differences(table, 40) > 50


def test_an_open_plan_is_in_the_observations_of_its_seat_alone() -> None:
    """Others are shown what was before it, and nothing of what was withdrawn."""
    ruleset = load_ruleset(str(RULESETS / "paddocks"))
    for form in ("options", "words"):
        table, begun, withdrawn = contract(ruleset, form=form), 0, 0
        for play in walked(table, 2, 150):
            planner, other, later = play.seat, 1 - play.seat, play.copy()
            play_on(later, random.Random(begun))
            last = "" if later.is_over or later.words else later.game.history[-1].name
            if last in ("", "done"):
                continue
            before, after = (
                (each.observation(other).tobytes(), each.seen(other), each.memory(other), each.seen(None))
                for each in (play, later)
            )
            assert before == after
            assert play.observation(planner).tobytes() != later.observation(planner).tobytes()
            begun += 1
            withdrawn += last == "withdraw"
        assert begun > 40 and withdrawn > 5


WIDE = """
--- rules/play.rules
procedure play():
    repeat at most 60:
        decide turn by first(player):
            option add(d in dot where not (d in dots)):
                set dots to dots | {d}
                add d to line
            option give(d in dot or none):
                set last to d
    end game
--- kinds.yaml
kinds:
  dot: {entities: {DOTS}}
  player: {state: {cash: {account: money}}}
state:
  dots: {type: set dot}
  line: {type: order dot}
  last: {type: dot?}
"""


def test_sets_and_orders_of_more_than_64_members_are_in_observations(tmp_path: Path) -> None:
    dots = ", ".join(f"d{number}: {{}}" for number in range(70))
    game = Game(small(tmp_path / "small", WIDE.replace("DOTS", dots)), ["A"])
    table = Contract(game)
    assert differences(table, 60) > 50
    batch = Batch(table, 2, seed=1)
    plays = [table.play() for _ in range(2)]
    for step in range(30):
        actions = [play.actions[(7 * step + 40 * number) % len(play.actions)] for number, play in enumerate(plays)]
        batch.step(actions)
        for play, action, seen in zip(plays, actions, batch.observations(), strict=True):
            play.take(action)
            assert np.array_equal(play.observation(0), seen)


def test_each_number_has_a_name_and_bounds() -> None:
    for name in ("kuhn_poker", "connect_four"):
        (table,) = tables(name, every=False)
        sight = table.sight
        assert len(set(sight.names)) == sight.size == len(sight.low) == len(sight.high)
        for play in walked(table, 3, 30):
            seen = play.observation(0)
            assert (sight.low <= seen).all() and (seen <= sight.high).all()
            named = {sight.names[at] for at in np.flatnonzero(seen)}
            assert "looks 0" in named and f"looks {1}" not in named
            assert play.seat == NOBODY or f"decides {play.seat}" in named or "decides 3" in named or play.seat < 0


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_an_observation_of_every_table_says_all_that_is_seen(name: str) -> None:
    for table in tables(name):
        assert differences(table, 200) > 10
