"""Agreement of search in wasm with search in Python: options, their results, hashes, random games."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from proofs import proofs_but

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

import numpy as np
from agreement import EVERY, EXAMPLES
from folders import GAMES
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from programs import programs, with_rules
from programs_wide import SIZES, towns_of

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.program.draws import Draws
from rulespec.engine.search import memory, wasm_search, wasm_walk
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.payoffs import Ends, Expanded
from rulespec.engine.search.search import PythonWalk, Search
from rulespec.engine.search.uct import uct
from rulespec.engine.search.walk import NOBODY, Walk
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.load import load_ruleset


def spread(game: Game, seed: int, number: int, apart: int) -> list[Game]:
    """Positions of a random game at a fixed interval of decisions."""
    draws, result = Draws(seed), [game.copy()]
    while len(result) < number:
        for _ in range(apart):
            option = None if game.is_over else choose(game, draws)
            if option is not None:
                game.apply(option)
        result.append(game.copy())
    return result


def both(game: Game, *, interrupts: bool = True) -> tuple[Search, Search]:
    return open_search(game, interrupts=interrupts), Search(game, interrupts=interrupts)


def same(result: Expanded | Ends, other: Expanded | Ends) -> None:
    assert all(np.array_equal(one, two) for one, two in zip(result, other, strict=True))


@pytest.mark.parametrize("folder", EVERY, ids=[f.name for f in EVERY])
@pytest.mark.sampled(2)
def test_wasm_search_finds_what_python_finds(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    games = spread(Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])]), 3, 4, 9)
    fast, plain = both(games[0])
    rows = fast.rows(games)
    counts = fast.counts(rows)
    assert fast.backend == "wasm"
    assert counts.tolist() == plain.counts(rows).tolist()
    assert fast.deciders(rows).tolist() == plain.deciders(rows).tolist()
    assert [f"{each:016x}" for each in fast.hashes(rows).tolist()] == [game.hash for game in games]
    some = rows[counts > 0]
    last = counts[counts > 0] - 1
    assert (fast.apply(some, last) == plain.apply(some, last)).all()
    some = rows[counts <= 60]
    same(fast.expand(some), plain.expand(some))
    same(fast.playouts(rows, 2**63 + 1, cap=60, hashes=True), plain.playouts(rows, 2**63 + 1, cap=60, hashes=True))


@pytest.mark.parametrize(
    "folder", proofs_but(EVERY, *(f for f in EVERY if "imperial" not in f.name)), ids=[f.name for f in EVERY]
)
@pytest.mark.sampled(4)
def test_wasm_walks_go_where_walks_in_python_go(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    game = Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])])
    fast, plain = both(game)
    start = plain.rows([game])[0]
    walks = [fast.walk(start), plain.walk(start)]
    rng = random.Random(1)
    for _ in range(40):
        assert walks[0].count == walks[1].count
        assert walks[0].decider == walks[1].decider
        assert walks[0].hash == walks[1].hash
        assert np.array_equal(walks[0].row, walks[1].row)
        count = walks[0].count
        if not count or rng.random() < 0.2:
            for walk in walks:
                try:
                    walk.undo()
                except IndexError:
                    assert np.array_equal(walk.row, start)
        elif rng.random() < 0.05:
            assert walks[0].playout(-1, 7, 30) == walks[1].playout(-1, 7, 30)
            assert np.array_equal(walks[0].row, start)
        else:
            if walks[1].decider == -1:
                assert walks[0].weights() == walks[1].weights()
            number = rng.randrange(count)
            for walk in walks:
                walk.take(number)


@pytest.mark.proof  # 0.6 s
@pytest.mark.parametrize("ref", ["nim", "tutorial", "tetrarchia"])
def test_threads_play_the_same_games(ref: str) -> None:
    ruleset = load_ruleset(ref)
    fast, plain = both(game := Game(ruleset, [f"P{i}" for i in range(ruleset.players[0])]))
    rows = fast.rows([game]).repeat(150, axis=0)
    one = fast.playouts(rows, 1)
    assert one.ended.all()
    same(one, fast.playouts(rows, 1, jobs=3))
    values, payoffs, signal = one.values[:10], one.payoffs[:10], one.signal[:10]
    first = Ends(one.ended[:10], one.decisions[:10], one.winners[:10], one.scores[:10], values, payoffs, signal)
    same(first, plain.playouts(rows[:10], 1))


def test_hashes_of_playouts_that_find_no_room_at_once_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "OUT_BYTES", 800)
    ruleset = load_ruleset("nim")
    fast, plain = both(game := Game(ruleset, ["A", "B"]))
    rows = fast.rows([game]).repeat(100, axis=0)
    result = fast.playouts(rows, 1, hashes=True)
    same(result, plain.playouts(rows, 1, hashes=True))
    assert len(result.hashes) == result.decisions.sum() > 200
    for search in (fast, plain):
        assert len(search.playouts(rows[:2], 1).hashes) == len(search.playouts(rows[:0], 1, hashes=True).hashes) == 0


def test_a_playout_from_the_start_has_the_result_of_the_game() -> None:
    ruleset = load_ruleset("imperial")
    game, draws = Game(ruleset, ["A", "B", "C"]), Draws(5)
    ends = open_search(game).playouts(open_search(game).rows([game]), 5)
    while not game.is_over:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    result = game.result
    assert result is not None
    assert [name for name, won in zip(game.seats, ends.winners[0], strict=True) if won] == result.winners
    assert dict(zip(game.seats, ends.scores[0].tolist(), strict=True)) == result.scores
    assert (ends.ended.tolist(), ends.decisions.tolist()) == ([True], [game.ply])


FAULTY = """
procedure play():
    for p in player:
        decide act by p:
            option wrong(k in 0 .. 3):
                set n to n + 7 / (k - 2)
            option right:
                set m to m + 1
"""


def test_what_only_python_can_tell_it_tells() -> None:
    game = Game(with_rules(FAULTY), ["ann", "bob"])
    fast, plain = both(game)
    rows = fast.rows([game, game])
    assert fast.counts(rows).tolist() == [5, 5]
    said = []
    for search in (fast, plain):
        with pytest.raises(RulesetFaultError) as applied:
            search.apply(rows, [4, 2])
        with pytest.raises(RulesetFaultError) as expanded:
            search.expand(rows)
        said += [str(applied.value), str(expanded.value)]
    assert len(set(said)) == 1
    walk = fast.walk(rows[0])
    walk.take(4)
    after = walk.row
    with pytest.raises(RulesetFaultError):
        walk.take(2)
    assert np.array_equal(walk.row, after)
    walk.undo()
    assert np.array_equal(walk.row, rows[0])


SUPPOSING = """
procedure play():
    decide act by first(player):
        option begin:
            set n to 1
    decide act by first(player):
        option risky:
            require (n == 5) once spoil()
            set n to 9
        option other:
            set m to m + 1
procedure spoil():
    set n to 4
    set m to 7 / (n - 4)
"""


@pytest.mark.parametrize("ask", [lambda walk: walk.count, lambda walk: walk.weights(), lambda walk: walk.take(0)])
def test_what_is_supposed_in_vain_is_taken_back(ask: Callable[[Walk], object]) -> None:
    """A fault in a list of options, inside a hypothetical evaluation."""
    fast = WasmSearch(game := Game(with_rules(SUPPOSING), ["ann", "bob"]))
    walk = fast.walk(fast.rows([game])[0])
    walk.take(0)
    before = walk.row
    with pytest.raises(RulesetFaultError, match="divides by zero"):
        ask(walk)
    assert np.array_equal(walk.row, before)


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=max(1, EXAMPLES // 4))
@given(text=programs(), seed=st.integers(0, 999), towns=st.sampled_from([0, *map(towns_of, SIZES)]))
@pytest.mark.proof
def test_rows_of_sets_of_any_size_are_read(text: str, seed: int, towns: int) -> None:
    """With 60 more towns there are 64, which use the last bit of a word; 61 more need another word."""
    try:
        games = spread(Game(with_rules(text, towns), ["ann", "bob"]), seed, 3, 2)
    except (DiagnosticsError, RulesetFaultError):
        assume(False)
    fast, plain = both(games[0])
    rows = fast.rows(games)
    assert [search.game(row).omniscient.numbers.cells for search in (fast,) for row in rows] == [
        g.omniscient.numbers.cells for g in games
    ]
    assert fast.hashes(rows).tolist() == [int(game.hash, 16) for game in games]
    for method in ("counts", "expand"):
        answers: list[object] = []
        for search in (fast, plain):
            try:
                result = getattr(search, method)(rows)
                answers.append([np.asarray(one).tolist() for one in result])
            except RulesetFaultError as fault:
                answers.append(str(fault))
        assert answers[0] == answers[1] or answers[1] == _fault_of_deciders(plain, rows)


def _fault_of_deciders(search: Search, rows: NDArray[np.int64]) -> str:
    """Python determines the decider in advance, for its options; wasm only on request."""
    try:
        search.deciders(rows)
    except RulesetFaultError as fault:
        return str(fault)
    return ""


def test_more_comes_out_than_finds_room_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_ruleset(str(GAMES / "gallery/chess"))
    monkeypatch.setattr(memory, "OUT_BYTES", 0)
    game = Game(ruleset, ["White", "Black"])
    fast, plain = both(game)
    rows = fast.expand(fast.rows([game])).rows
    same(fast.expand(rows[:3]), plain.expand(rows[:3]))


def test_the_names_of_options_are_those_of_games() -> None:
    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    search = open_search(game)
    after = search.expand(search.rows([game]))
    options = search.options(game)
    assert len(options) == len(after.rows)
    for option, row in zip(options, after.rows, strict=True):
        twin = game.copy()
        twin.apply(option)
        assert search.game(row).hash == twin.hash
        assert search.game(row).decision == twin.decision


def test_without_wasmtime_python_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise NoWasmtimeError("this needs wasmtime")

    monkeypatch.setattr(wasm_search, "wasm_program", missing)
    game = Game(load_ruleset("nim"), ["A", "B"])
    search = open_search(game)
    assert search.backend == "python"
    assert search.playouts(search.rows([game, game]), 1).ended.all()
    with pytest.raises(NoWasmtimeError):
        open_search(game, backend="wasm")


def test_with_room_for_one_memory_one_thread_plays_and_python_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game(load_ruleset("nim"), ["A", "B"])
    search, plain = open_search(game, backend="wasm"), open_search(game, backend="python")
    rows = search.rows([game] * 9)

    def full(*_: object) -> None:
        raise NoWasmtimeError("wasmtime cannot run here")

    for module in (wasm_search, wasm_walk):
        monkeypatch.setattr(module, "SearchMemory", full)
    assert search.playouts(rows, 1, jobs=4).scores.tolist() == plain.playouts(rows, 1).scores.tolist()
    walk = search.walk(rows[0])
    assert isinstance(walk, PythonWalk)
    assert walk.count == plain.walk(rows[0]).count


def test_what_does_not_fit_is_told() -> None:
    game = Game(load_ruleset("nim"), ["A", "B"])
    for search in both(game):
        rows = search.rows([game])
        with pytest.raises(ValueError, match="columns"):
            search.counts(rows[:, 1:])
        with pytest.raises(ValueError, match="needs one number for each of"):
            search.apply(rows, [0, 1])
        with pytest.raises(IndexError, match="there is no option 99"):
            search.apply(rows, [99])
        with pytest.raises(IndexError, match="there is no option 99"):
            search.walk(rows[0]).take(99)
        with pytest.raises(IndexError):
            search.walk(rows[0]).undo()
        with pytest.raises(TypeError, match="integer"):
            search.playouts(rows, "x")  # type: ignore[arg-type]
        assert search.rows([]).shape == (0, search.columns)
        assert len(search.expand(search.rows([])).rows) == 0
        assert len(search.playouts(search.rows([]), 1).ended) == 0


def test_a_game_that_is_over_has_no_options() -> None:
    game, rng = Game(load_ruleset("nim"), ["A", "B"]), random.Random(1)
    while not game.is_over:
        game.apply(rng.choice(game.legal_options))
    for search in both(game):
        rows = search.rows([game])
        assert (search.deciders(rows).tolist(), search.counts(rows).tolist()) == ([NOBODY], [0])
        assert len(search.expand(rows).rows) == 0
        assert search.playouts(rows, 1).ended.tolist() == [True]


@pytest.mark.parametrize("backend", ["wasm", "python"])
@pytest.mark.sampled(1)
def test_uct_takes_what_wins(backend: str) -> None:
    game = Game(load_ruleset("connect_four"), ["red", "yellow"])
    for cell in ("d1", "c1", "d2", "c2", "d3"):
        game.apply(game.parse(f"drop({cell})"))
    search = open_search(game, backend="wasm" if backend == "wasm" else "python")
    result = uct(search, search.rows([game])[0], 150, 1)
    assert result == uct(Search(game), search.rows([game])[0], 150, 1)
    best = max(range(len(result)), key=lambda k: result[k].visits)
    assert str(search.options(game)[best]) == "drop(d4)"
    assert sum(one.visits for one in result) == 150
