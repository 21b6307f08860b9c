"""Batch replays of recorded games: legality and positions agree with `replay_native`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

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
from rulespec.engine.game.option import RulesetFaultError, TakenBack
from rulespec.engine.logs.native import LogEntry, LogHeader, NativeLog, read_log
from rulespec.engine.logs.recorded import RecordedDecision
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay.replay import replay_native
from rulespec.engine.search import memory, wasm_replay
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.recorded_rows import Codes, Replayed
from rulespec.engine.search.search import Search
from rulespec.engine.search.walk import NOBODY
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.wasm import layout
from rulespec.load import load_ruleset

LOGS = sorted(
    p for end in ("jsonl", "jsonl.gz") for p in GAMES.rglob(f"logs/**/*.{end}") if "playimperial" not in str(p)
)


def same(result: Replayed, other: Replayed) -> None:
    assert result.decisions.tolist() == other.decisions.tolist()
    assert np.array_equal(result.rows, other.rows)
    assert result.hashes.tolist() == other.hashes.tolist()


def played(game: Game, seed: int, most: int) -> Game:
    """A random game with a limited number of decisions."""
    draws = Draws(seed)
    while not game.is_over and game.ply < most:
        option = choose(game, draws)
        if option is None:
            break
        game.apply(option)
    return game


def disturbed(codes: Codes, rng: random.Random) -> Iterator[Codes]:
    """Codes that have been tampered with."""
    for _ in range(6):
        result = codes.copy()
        at, column = rng.randrange(len(result)), rng.randrange(result.shape[1])
        result[at, column] = rng.choice([-1, 0, 1, 2, 5, 63, 64, 1 << 40, -(1 << 62), int(result[at, column]) + 1])
        yield result
    yield np.concatenate([codes[: len(codes) // 2], codes[len(codes) // 2 + 1 :]])
    yield codes[::-1]
    yield np.concatenate([codes, codes])
    yield codes[:0]


@pytest.mark.parametrize("path", LOGS, ids=[str(p.relative_to(GAMES)) for p in LOGS])
@pytest.mark.sampled(1)
def test_shipped_logs_come_to_the_same_end(path: Path) -> None:
    log = read_log(path)
    plain = replay_native(log, load_ruleset(log.header.ruleset))
    search = open_search(Game(plain.game.ruleset, ["?" + name for name in log.header.seats], log.header.settings))
    result = search.replay([search.codes(log.entries, tuple(log.header.seats))], hashes=True)
    assert search.backend == "wasm"
    assert result.decisions.tolist() == [plain.game.ply]
    assert search.game(result.rows[0]).omniscient.numbers.cells == plain.game.omniscient.numbers.cells
    assert [f"{each:016x}" for each in result.hashes[-1:].tolist()] == [plain.game.hash]
    assert (search.deciders(result.rows)[0] == NOBODY) == plain.game.is_over


@pytest.mark.parametrize("folder", EVERY, ids=[f.name for f in EVERY])
@pytest.mark.sampled(1)
def test_random_games_and_what_is_made_of_them_are_legal_as_far_as_in_python(folder: Path) -> None:
    ruleset, rng = load_ruleset(str(folder)), random.Random(1)
    start = Game(ruleset, [f"P{i}" for i in range(ruleset.players[1])])
    fast, plain = open_search(start), Search(start)
    games = [played(start.copy(), seed, 70) for seed in range(3)]
    codes = [fast.codes(game.history) for game in games]
    every = [*codes, *(one for of in codes if len(of) for one in disturbed(of, rng))]
    result = fast.replay(every, hashes=True)
    assert result.decisions[:3].tolist() == [game.ply for game in games]
    assert [fast.game(row).hash for row in result.rows[:3]] == [game.hash for game in games]
    same(result, plain.replay(every, hashes=True))
    assert fast.replay(every).decisions.tolist() == result.decisions.tolist()


@pytest.mark.proof  # 0.2 s
@pytest.mark.parametrize("ref", ["tutorial", "tetrarchia"])
@pytest.mark.sampled(1)
def test_hostile_logs_are_legal_as_far_as_a_replay_says(ref: str) -> None:
    ruleset, rng = load_ruleset(ref), random.Random(3)
    names = [f"P{i}" for i in range(ruleset.players[1])]
    start = Game(ruleset, names)
    search = open_search(start)
    entries = [LogEntry(o.decision, o.by, str(o), 1) for o in played(start.copy(), 4, 60).history]
    wrong = ["", "x", "(", "9" * 40, "card(none)", entries[-1].option, entries[5].option + ")", "\ud800", "pass"]
    for _ in range(25):
        at = rng.randrange(len(entries))
        one = entries[at]
        other = rng.choice(
            [
                LogEntry(one.decision, one.by, rng.choice(wrong), 1),
                LogEntry(one.decision, rng.choice([*names, None, "nobody"]), one.option, 1),
                LogEntry(rng.choice(["x", entries[0].decision]), one.by, one.option, 1),
            ]
        )
        log = [*entries[:at], other, *entries[at + 1 :]]
        plain = replay_native(NativeLog("log", LogHeader.of(start), log, ""), ruleset)
        result = search.replay([search.codes(log)])
        assert result.decisions.tolist() == [plain.game.ply]
        assert search.game(result.rows[0]).hash == plain.game.hash


FAULTY = """
procedure play():
    for p in player:
        decide act by p:
            option wrong(k in 0 .. 3):
                set n to n + 7 / (k - 2)
            option right:
                set m to m + 1
"""


def test_a_decision_at_which_the_rules_are_at_fault_is_not_legal() -> None:
    game = Game(with_rules(FAULTY), ["ann", "bob"])
    fast, plain = open_search(game), Search(game)
    right, wrong = RecordedDecision("act", "ann", "wrong(3)"), RecordedDecision("act", "bob", "wrong(2)")
    codes = fast.codes([right, wrong])
    result = fast.replay([codes, codes[1:], codes[:1]], hashes=True)
    assert result.decisions.tolist() == [1, 0, 1]
    same(result, plain.replay([codes, codes[1:], codes[:1]], hashes=True))


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=max(1, EXAMPLES // 4))
@given(text=programs(), seed=st.integers(0, 999), towns=st.sampled_from([0, *map(towns_of, SIZES)]))
@pytest.mark.proof
def test_random_programs_replay_as_in_python(text: str, seed: int, towns: int) -> None:
    try:
        start = Game(with_rules(text, towns), ["ann", "bob"])
        game = played(start.copy(), seed, 12)
    except (DiagnosticsError, RulesetFaultError):
        assume(False)
    fast, plain = open_search(start), Search(start)
    codes = fast.codes(game.history)
    every = [codes, *(disturbed(codes, random.Random(seed)) if len(codes) else ())]
    result = fast.replay(every, hashes=True)
    assert result.decisions[0] == game.ply
    same(result, plain.replay(every, hashes=True))


LONG = """
procedure play():
    repeat at most 8:
        for p in player:
            decide act by p:
                option long(t in town):
                    repeat at most 60:
                        repeat at most 60:
                            set n to n + 1
                            set m to n % 7
                    set n to t.tax
                option short(k in 1 .. 9):
                    set n to n + k
"""
"""Rules with a decision that changes more cells than a short wasm journal can hold."""


def test_decisions_that_only_python_can_take_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm_replay, "_FEW", 1)
    monkeypatch.setattr(layout, "JOURNAL_ENTRIES", 3_000)
    judged: list[int] = []
    judge = wasm_replay.WasmReplay._judge

    def noted(self: wasm_replay.WasmReplay, n: int) -> bool:
        judged.append(n)
        return judge(self, n)

    monkeypatch.setattr(wasm_replay.WasmReplay, "_judge", noted)
    game = Game(with_rules(LONG), ["ann", "bob"])
    fast, plain = open_search(game), Search(game)
    taken = game.copy()
    for number in (-1, 0, -1, 0, -1):
        taken.apply(taken.legal_options[number])
    codes = fast.codes(taken.history)
    assert {option.name for option in taken.history} == {"long", "short"}
    result = fast.replay([codes, codes[:1]], hashes=True)
    assert result.decisions.tolist() == [5, 1]
    assert judged == [0, 0]
    same(result, plain.replay([codes, codes[:1]], hashes=True))
    rows = plain.rows([game]).repeat(4, axis=0)
    one, other = (search.playouts(rows, 2, cap=2, hashes=True) for search in (fast, plain))
    assert one.hashes.tolist() == other.hashes.tolist()
    assert one.decisions.tolist() == [2] * 4


@pytest.mark.proof
def test_what_finds_no_room_at_once_goes_in_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "OUT_BYTES", 4_000)
    start = Game(load_ruleset("tutorial"), ["A", "B"])
    games = [played(start.copy(), seed, 500) for seed in range(5)]
    search = open_search(start)
    codes = [search.codes(game.history) for game in games]
    result = search.replay(codes * 20, hashes=True)
    assert result.decisions.tolist() == [game.ply for game in games] * 20
    assert len(result.hashes) == result.decisions.sum() > memory.OUT_BYTES
    assert [f"{result.hashes[n - 1]:016x}" for n in result.decisions.cumsum()[:5].tolist()] == [g.hash for g in games]


@pytest.mark.proof
def test_games_go_on_from_a_position() -> None:
    start = Game(load_ruleset("tutorial"), ["A", "B"])
    game = played(start.copy(), 1, 30)
    search = open_search(start)
    codes = search.codes(game.history)
    half: NDArray[np.int64] = search.replay([codes[:11]]).rows[0]
    for one in (search, Search(start)):
        assert np.array_equal(one.replay([codes[11:]], start=half).rows, one.replay([codes]).rows)


def test_what_is_no_record_of_decisions_is_told() -> None:
    start = Game(load_ruleset("nim"), ["A", "B"])
    for search in (open_search(start), Search(start)):
        with pytest.raises(ValueError, match="takes decisions back"):
            search.codes([TakenBack(1)])
        with pytest.raises(ValueError, match="has no name"):
            search.codes([RecordedDecision("", "A", "take(1)")])
        with pytest.raises(ValueError, match="2 seats, not 3"):
            search.codes([], ["A", "B", "C"])
        with pytest.raises(ValueError, match="columns"):
            search.replay([np.zeros((2, 1), np.int64)])
        assert search.replay([]).rows.shape == (0, search.columns)
        assert search.replay([search.codes([])]).decisions.tolist() == [0]
