"""Wasm compared with generated Python, on the same random games and positions, and the time until wasm is ready."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count

from msgspec.structs import replace

from bench.figures import Bench, Figure, Target
from bench.pairs import Sample, Slice, alternate, timed
from bench.play import played, playouts
from bench.sections.loading import RULESETS
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.seating import check_settings, seat_names
from rulespec.engine.logs.native import LogEntry, LogHeader, NativeLog
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.machine import Machine
from rulespec.engine.python import backend
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.code_memo import CodeMemo
from rulespec.engine.replay.replay import replay_native
from rulespec.engine.search.open_search import open_search
from rulespec.engine.simulate.checked_playouts import CAP, INTERRUPT_RATE, choose, play_out
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.wasm import play_in_wasm
from rulespec.engine.verify.perft import perft
from rulespec.engine.verify.wasm_perft import wasm_perft
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.playouts import WasmGames
from rulespec.engine.wasm.program import WasmProgram
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

_BATCH = 64
_MIDDLE = 200
"""The number of decisions before the position whose options are counted."""
_NODES = 20_000
_LOGS, _LONG = 4, 1_000
"""The number of replayed logs, and the maximum number of decisions in each."""
_PLAYERS = 4


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of random games with and without invariants, perft, preparation, threads, and the gallery's chess."""
    for ref in RULESETS[:1] if bench.quick else RULESETS:
        ruleset = load_ruleset(ref)
        if ruleset.players[1] < _PLAYERS:
            continue
        python = timed(playouts(ruleset, _PLAYERS, []), bench.seconds)
        yield _beside(bench, f"{ref}, playouts", _games(bench, ruleset, checked=False), python, 40)
        yield _hashed(bench, f"{ref}, playouts with the hash of each position", ruleset)
        watched = timed(_watched(ruleset), bench.seconds)
        yield _beside(bench, f"{ref}, as `simulate` does", _games(bench, ruleset, checked=True), watched, 25)
        yield _perft(bench, f"{ref}, perft with hashes", ruleset)
        yield _ready(bench, f"{ref}, ready", ruleset)
        yield _replayed(bench, f"{ref}, decisions of logs", ruleset)
        yield _threads(bench, f"{ref}, two threads", ruleset)
    chess = load_ruleset("chess")
    yield bench.beside_chess("chess, playouts", _games(bench, chess, checked=False, players=2), "decisions")


def _beside(bench: Bench, name: str, wasm: Slice, python: Slice, bound: float) -> Figure:
    fast, slow = alternate([wasm, python], bench.runs, turns=bench.turns)
    target = Target(bound, at_least=True)
    return bench.figure(name, fast, slow, unit="decisions", beside="generated Python", target=target)


def _games(bench: Bench, ruleset: typed.Ruleset, *, checked: bool, players: int = _PLAYERS) -> Slice:
    games = WasmGames(_wasm(ruleset, players), INTERRUPT_RATE, checked=checked)
    batches = (range(first, first + _BATCH) for first in count(0, _BATCH))

    def work() -> int:
        return sum(one.decisions for one in games.play(1, next(batches), CAP))

    return timed(work, bench.seconds)


def _hashed(bench: Bench, name: str, ruleset: typed.Ruleset) -> Figure:
    """Decisions of random games per second, each followed by the hash of the position."""
    game, seeds = Game(ruleset, seat_names(_PLAYERS, ruleset.seats)), count()
    search = open_search(game, interrupts=True, backend="wasm")
    rows = search.rows([game]).repeat(_BATCH, axis=0)

    def plain() -> int:
        one, draws = game.copy(), Draws(next(seeds))
        while not one.is_over and one.ply < CAP:
            option = choose(one, draws)
            assert option is not None
            one.apply(option)
            assert one.hash
        return one.ply

    fast = timed(lambda: int(search.playouts(rows, next(seeds), hashes=True).decisions.sum()), bench.seconds)
    return _beside(bench, name, fast, timed(plain, bench.seconds), 40)


def _replayed(bench: Bench, name: str, ruleset: typed.Ruleset) -> Figure:
    """Decisions of preloaded logs per second, each tested and played."""
    games = [played(ruleset, _PLAYERS, seed, most=_LONG) for seed in range(_LOGS)]
    log = NativeLog("log", LogHeader.of(games[0]), [], "")
    logs = [replace(log, entries=[LogEntry(o.decision, o.by, str(o), 1) for o in game.history]) for game in games]
    search = open_search(games[0], backend="wasm")
    codes = [search.codes(one.entries) for one in logs]
    assert search.replay(codes).decisions.tolist() == [game.ply for game in games]
    fast = timed(lambda: int(search.replay(codes).decisions.sum()), bench.seconds)
    slow = timed(lambda: sum(replay_native(one, ruleset, backend="python").game.ply for one in logs), bench.seconds)
    return _beside(bench, name, fast, slow, 20)


def _wasm(ruleset: typed.Ruleset, players: int) -> WasmProgram:
    return wasm_program(ruleset, players, check_settings(ruleset, {}))


def _watched(ruleset: typed.Ruleset) -> Callable[[], int]:
    numbers = count()
    return lambda: play_out(Game(ruleset, seat_names(_PLAYERS, ruleset.seats)), 1, next(numbers)).decisions


def _perft(bench: Bench, name: str, ruleset: typed.Ruleset) -> Figure:
    """Perft nodes per second: options listed, played, hashed and undone."""
    game, draws = Game(ruleset, seat_names(_PLAYERS, ruleset.seats)), Draws(1)
    for _ in range(_MIDDLE):
        option = choose(game, draws)
        assert option is not None
        game.apply(option)

    def in_wasm() -> int:
        result = wasm_perft(game, 6, limit=50 * _NODES)
        assert result is not None
        return result.nodes

    slices = [timed(in_wasm, bench.seconds), timed(lambda: perft(game, 6, limit=_NODES).nodes, bench.seconds)]
    fast, slow = alternate(slices, bench.runs)
    return bench.figure(name, fast, slow, unit="nodes", beside="generated Python", target=Target(40, at_least=True))


def _ready(bench: Bench, name: str, ruleset: typed.Ruleset) -> Figure:
    """The time from a program to the options of the first decision, without caches."""
    program = lower(ruleset, _PLAYERS, check_settings(ruleset, {}))
    asked = program.asked()

    def once(make: Callable[[], Machine]) -> Slice:
        def work() -> int:
            backend._memo = CodeMemo()
            machine = make()
            state = machine.start()
            machine.run(state, program.main)
            assert list(machine.own(state, asked[state[ir.PC]]))
            return 1

        return timed(work, bench.seconds)

    def python() -> PythonBackend:
        return PythonBackend(program)

    slices = [once(lambda: WasmBackend(WasmProgram(program), python)), once(python)]
    fast, slow = alternate(slices, bench.runs)
    return bench.figure(name, fast, slow, unit="s", beside="generated Python", target=Target(1.3, at_least=False))


def _threads(bench: Bench, name: str, ruleset: typed.Ruleset) -> Figure:
    """The same games in two threads and in one, in wall-clock time."""
    plan = GamePlan.of(ruleset.ref, ruleset, [_PLAYERS], 1, backend="wasm")
    games = range(4 * 128 if bench.quick else 16 * 128)

    def slice_(jobs: int) -> Slice:
        def work() -> Sample:
            begun = time.perf_counter()
            decisions = sum(one.decisions for one in play_in_wasm(plan, ruleset, games, jobs))
            return Sample(decisions, time.perf_counter() - begun)

        return work

    two, one = alternate([slice_(2), slice_(1)], min(bench.runs, 3))
    return bench.figure(name, two, one, unit="decisions", beside="one thread", target=Target(1.85, at_least=True))
