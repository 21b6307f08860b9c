"""`trail` and `longest`, compared with exhaustive searches, on all machines."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from cases import small
from folders import RULESETS
from machines_alike import MACHINES, Length, Table, beside_the_interpreter, needs_wasm
from worlds import IDLE, WORLD, Play, lines

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.load import load_ruleset

ROADS = load_ruleset(str(RULESETS / "roads"))
TOLL = {"a": 1, "b": 2, "c": 0, "d": 3, "e": 1, "f": 2}
VALUES = lines(
    """
    trail(x from {oak} to y in x.near once y within 1)                            → {oak, elm}
    trail(x from {oak} to y in x.near once y within 2)                            → {oak, elm, ash}
    trail(x from {oak, fir} to y in x.near once y within 9)                       → {oak, elm, ash, fir}
    trail(x from {} & town to y in town once y within 9)                          → {}
    trail(x from {oak} to y in x.near where y != ash once y within 9)             → {oak, elm}
    trail(x from {oak} to y in x.near once y counts y.tax within 5)               → {oak, elm}
    trail(x from {oak} to y in x.near once y counts y.tax within 4)               → {oak}
    trail(x from {oak} to y in town once x within 1)                              → {oak, elm, ash, fir}
    trail(x from {ash} to y in town once x.twin within 1)                         → {oak, elm, ash, fir}
    trail(x from {fir} to y in town once {fir, y} within 9)                       → {fir}
    count(trail(x from {oak} to y in x.near once y within few + 1))               → 2
    longest(way in path(x from {oak} to y in x.near within 9) worth count(way), else 0)          → 3
    longest(way in path(x from {oak} to y in x.near within 9) worth -count(way), else 0)         → -2
    longest(way in path(x from {oak} to y in x.near within 9) worth sum(t.tax for t in way), else 0) → 15
    longest(way in path(x from {ash} to y in x.near within 9) worth count(way), else -5)         → -5
    longest(way in path(x from {ash} to y in x.near within 9) worth count(way))                  → none
    longest(way in path(x from {oak} to y in x.near within 9) where elm == last(way) worth count(way), else 0) → 2
    longest(way in path(x from {oak} to y in x.near within 9 until none) worth -count(way), else 0) → -3
    longest(way in path(x from {oak} to y in town where y != first(way) within 2) worth last(way).tax, else 0) → 9
    longest(way in path(x from {fir} to y in x.near within 9) worth sum(y.tax for x to y in way), else 0) → 81
    longest(way in path(x from {oak} to y in x.near within 9) worth toll, else 0)                → 2
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    assert play(IDLE + WORLD).omniscient.value(text) == value
    if value not in ("{}", "none"):
        assert play(f"invariant i:\n    ({text}) == {value}\n{IDLE}{WORLD}").omniscient.broken_invariants() == []


# --- beside searches that try out every way ---------------------------------------------------


def ways(
    starts: Sequence[str],
    onward: Callable[[list[str]], list[str]],
    uses: Callable[[str, str], set[str]],
    within: int,
    count: Callable[[str], int] = lambda _: 1,
) -> Iterator[tuple[list[str], bool]]:
    """All paths, including single stops, and whether each can be extended."""
    todo = [([start], uses("", start), within) for start in starts]
    while todo:
        way, used, left = todo.pop()
        on = [y for y in onward(way) if not uses(way[-1], y) & used and count(y) <= left]
        yield way, bool(on)
        todo += [([*way, y], used | uses(way[-1], y), left - count(y)) for y in on]


class Measured:
    """A position of the ruleset `roads` as graph data."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.houses = {c: self.value(f"{c}.house") for c in TOLL}
        ends = [f"{p}{q}" for p in TOLL for q in TOLL if p < q]
        self.owners = {road: self.value(f"road.{road}.owner") for road in ends}

    def value(self, text: str) -> str:
        return self.game.omniscient.value(text)

    def members(self, text: str) -> set[str]:
        return set(self.value(text).strip("{}").replace(" ", "").split(",")) - {""}

    def roads(self, p: str, c: str) -> list[str]:
        return [d for d in TOLL if c != d and self.owners["".join(sorted(c + d))] == p]

    def open(self, p: str, c: str) -> bool:
        return self.houses[c] in ("none", p)

    def expected(self, p: str) -> dict[str, object]:
        """A builder's longest road, best route, and reachable set of a trail."""

        def road(x: str, y: str) -> set[str]:
            return {"".join(sorted(x + y))} if x else set()

        def onward(way: list[str]) -> list[str]:
            return self.roads(p, way[-1]) if len(way) == 1 or self.open(p, way[-1]) else []

        homes = [c for c in TOLL if self.houses[c] == p]
        longest = max(len(way) - 1 for way, _ in ways(list(TOLL), onward, road, 12))
        routes = ways(list(TOLL), lambda way: self.roads(p, way[-1]), lambda x, y: {y}, 6, TOLL.__getitem__)
        whole = [way for way, more in routes if len(way) > 1 and not more and {*way} & {*homes}]
        worth = [sum(map(TOLL.__getitem__, way)) - len(way) for way in whole]

        def by(way: list[str]) -> list[str]:
            return [y for y in self.roads(p, way[-1]) if self.open(p, way[-1])]

        net = [way[-1] for way, _ in ways(homes, by, lambda x, y: {y} | road(x, y), 3)]
        return {"road": longest, "route": max(worth, default=-9), "net": {*net}}

    def seen(self) -> set[str]:
        """The runs of a train without repeated track."""
        onward = {run: sorted(self.members(f"run.{run}.onward")) for run in RUNS}
        return {way[-1] for way, _ in ways(["out0"], lambda way: onward[way[-1]], lambda x, y: {y[-1]}, 9)}


RUNS = [f"{way}{n}" for n in range(6) for way in ("out", "back")]


def compared(backend: Backend, seed: int, plies: int) -> tuple[int, int]:
    """Compares a random game move by move; returns the positions where a flood reaches more than a trail, by form."""
    rng = random.Random(seed)
    game = Game(ROADS, ["A", "B"], backend=backend)
    nets = trains = 0
    for _ in range(plies):
        if game.decision is None:
            break
        builder = game.decision.by
        options = list(game.legal_options)
        name = rng.choice(sorted({option.name for option in options} - {"rest"}))
        game.apply(rng.choice([option for option in options if option.name == name]))
        measured = Measured(game)
        expected = measured.expected(str(builder))
        assert int(measured.value(f"{builder}.road")) == expected["road"]
        assert int(measured.value(f"{builder}.route")) == expected["route"]
        assert measured.members(f"{builder}.net") == expected["net"]
        seen = measured.members("seen")
        assert seen == measured.seen()
        nets += measured.members(f"{builder}.plain") > measured.members(f"{builder}.net")
        trains += measured.members("flood") > seen
    return nets, trains


@pytest.mark.parametrize("backend", ["python", pytest.param("wasm", marks=needs_wasm)])
def test_searches_find_what_trying_every_way_finds(backend: Backend) -> None:
    assert all(compared(backend, 5, 40))


@pytest.mark.proof
@pytest.mark.parametrize("backend", ["interpreter", "python", pytest.param("wasm", marks=needs_wasm)])
def test_searches_find_what_trying_every_way_finds_in_many_games(backend: Backend) -> None:
    for seed in range(20):
        compared(backend, seed, 120)


@pytest.mark.parametrize("machine", MACHINES)
def test_whole_games_are_the_same(machine: str) -> None:
    beside_the_interpreter(machine, Table(ROADS, 3), Length(20, 5), random.Random(machine))


# --- many ways --------------------------------------------------------------------------------

MANY = """
procedure play():
    set n to NUMBER
    decide move by first(player):
        option stay(k in 0 .. SOME): pass
    end game
--- kinds.yaml
kinds:
  town: {facts: {near: set town}, entities: {TOWNS}}
  player: {}
state: {n: {type: int}, towns: {type: set town}}
"""
ALL_WAYS = "longest(way in path(x from {t0} to y in town where x != y once y within 5) worth count(way), else 0)"


def many(number: str, some: str = "0", size: int = 36) -> str:
    """Rules on towns in rows of six, each connected to its neighbours in its own row and the adjacent ones."""
    text = MANY.replace("NUMBER", number).replace("SOME", some)
    beside = {n: [m for m in range(size) if abs(m % 6 - n % 6) + abs(m // 6 - n // 6) == 1] for n in range(size)}
    towns = [f"t{n}: {{near: [{', '.join(f't{m}' for m in of)}]}}" for n, of in beside.items()]
    return text.replace("TOWNS", ", ".join(towns))


def test_too_many_beginnings_are_a_fault_at_their_place(play: Play) -> None:
    with pytest.raises(RulesetFaultError, match="`longest` would try more than 10,000 beginnings of paths") as caught:
        _ = play(many(ALL_WAYS)).decision
    assert caught.value.diagnostic.code == "RS703"
    assert ":3:" in str(caught.value)
    assert play(many(ALL_WAYS, size=8)).omniscient.value("n") == "6"  # 1 + 7 + 42 + 210 + 840 + 2,520 beginnings
    with pytest.raises(RulesetFaultError, match="`longest` would try more than"):
        list(play(many("0", ALL_WAYS)).legal_options)


def test_a_trail_ends_with_the_last_stop_that_can_be_reached(play: Play) -> None:
    """A grid has millions of paths, but an early one covers all stops."""
    trail = "count(trail(x from {t0} to y in x.near once y within 63))"
    assert play(many(trail)).omniscient.value("n") == "36"
    with pytest.raises(RulesetFaultError, match="`trail` would try more than 10,000 beginnings of paths"):
        _ = play(many(trail.replace("within 63", "counts (99 if y == t35 else 1) within 63"))).decision


@pytest.mark.parametrize("size", [70, pytest.param(300, marks=pytest.mark.proof)])
@pytest.mark.parametrize("machine", MACHINES)
def test_kinds_of_more_words_are_the_same(tmp_path: Path, machine: str, size: int) -> None:
    best = "longest(way in path(x from {t9, t60} to y in x.near once y within 4) worth sum(t.index for t in way))"
    text = many("count(trail(x from {t60, t0} to y in x.near once y within 5))", f"({best} ?? 0) % 9", size)
    beside_the_interpreter(machine, Table(small(tmp_path / "small", text), 2), Length(2), random.Random(1))


DEAR = """
procedure play():
    decide trip by first(player):
        option ride(t in {oak, fir}):
            cost longest(way in path(x from {oak} to y in x.near within 2) worth count(way), else 0) from n
        option walk(s in choose 1 .. 2 of trail(x from {oak} to y in x.near once y within 2)):
            set n to count(s)
"""


@pytest.mark.parametrize("backend", ["interpreter", "python", pytest.param("wasm", marks=needs_wasm)])
def test_a_cost_that_is_searched_for_is_the_same_on_all_machines(tmp_path: Path, backend: Backend) -> None:
    """The slots of a search are reused after it, like those of names in conditions."""
    game = Game(small(tmp_path / "small", DEAR + WORLD), ["ann", "bob"], backend=backend)
    assert [str(option) for option in game.legal_options][-1] == "walk({elm, ash})"
    assert [str(option) for option in game.legal_options if option.name == "ride"] == []


def test_steps_of_searches_are_counted(play: Play) -> None:
    """A small search takes few steps, below the static bound, so the limit of a decision is not reached."""
    small = "longest(way in path(x from {y} to z in town where z == x once z within 5) worth count(way), else 0)"
    whole = f"sum(sum({small} for y in town) for u in town where u.index < 4)"
    game = play(many("0", whole))
    assert len(list(game.legal_options)) == 1
