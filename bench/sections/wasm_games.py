"""Games of the gallery in wasm, compared with C, python-chess and OpenSpiel; decisions driven by Python; search."""

from __future__ import annotations

import importlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from bench.figures import Bench, Figure, Target
from bench.in_c import NoCompilerError, limit
from bench.pairs import Sample, Slice, alternate, timed
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, wasm_program
from rulespec.engine.game.seating import check_settings, seat_names
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.uct import uct
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.engine.wasm.playouts import WasmGames
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

_BATCH = 64
_IN_C = {"nim": 64, "connect_four": 64, "chess": 8}
"""Games with a C implementation → the number of games per wasm call."""
_DRIVEN = (("imperial", 4), ("tetrarchia", 3), ("chess", 2))
_PLIES, _TREE, _CAP = 300, 50, 100


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of random games per second, compared with other programs, and of bots' work, compared with Python."""
    for ref, batch in _IN_C.items():
        yield from _beside_c(bench, ref, batch)
    chess = load_ruleset("chess")
    for task in ("playouts", "playouts_bare"):
        yield bench.beside_chess("chess, random games", _moves(bench, chess, 8), "decisions", task)
    if (spiel := _spiel()) is not None:
        yield from _beside_spiel(bench, spiel, chess, "chess")
        yield from _beside_spiel(bench, spiel, load_ruleset("backgammon"), "backgammon")
    for ref, players in _DRIVEN:
        ruleset = load_ruleset(ref)
        slices = [timed(_driven(ruleset, players, backend), bench.seconds) for backend in ("wasm", "python")]
        fast, slow = alternate(slices, bench.runs, turns=bench.turns)
        name, target = f"{ref}, options as objects, one taken", Target(2, at_least=True)
        yield bench.figure(name, fast, slow, unit="decisions", beside="generated Python", target=target)
        yield _tree(bench, ref, ruleset, players)


def _spiel() -> Any:
    """The module OpenSpiel; None if it is not installed."""
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        return None


def _beside_c(bench: Bench, ref: str, batch: int) -> Iterator[Figure]:
    """Decisions of random games compared with the same game in C; skipped with a message if it cannot be compiled."""
    try:
        with limit(ref, bench.seconds, bench.folder) as in_c:
            ours = _moves(bench, load_ruleset(ref), batch)
            fast, theirs = alternate([ours, in_c], bench.runs, turns=bench.turns)
    except NoCompilerError as error:
        print(f"{ref} in C is left out: {error}", file=sys.stderr)
        return
    yield bench.figure(f"{ref}, random games", fast, theirs, unit="decisions", beside="by hand in C")


def _moves(bench: Bench, ruleset: typed.Ruleset, batch: int) -> Slice:
    """Decisions of random games, played in batches of `batch` per call."""
    games = _games(ruleset)
    return timed(lambda: sum(one.decisions for one in games(batch)), bench.seconds)


def _games(ruleset: typed.Ruleset) -> Callable[[int], list[Any]]:
    """A function that plays further random games in wasm, without options out of turn."""
    settings = check_settings(ruleset, {})
    games = WasmGames(wasm_program(ruleset, ruleset.players[0], settings), 0, checked=False)
    first = 0

    def further(number: int) -> list[Any]:
        nonlocal first
        first += number
        return list(games.play(1, range(first - number, first), CAP))

    return further


def _beside_spiel(bench: Bench, spiel: Any, ruleset: typed.Ruleset, name: str) -> Iterator[Figure]:
    """Whole games per second, since one OpenSpiel action may correspond to several decisions here."""
    game, rng, games = spiel.load_game(name), random.Random(1), _games(ruleset)

    def python_loop() -> int:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, odds)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
        return 1

    bots = [spiel.make_uniform_random_bot(player, 1) for player in range(2)]

    def whole() -> int:
        spiel.evaluate_bots(game.new_initial_state(), bots, rng.randrange(1 << 30))
        return 1

    def in_wasm() -> int:
        return sum(one.how == "over" for one in games(_BATCH if name != "chess" else 8))

    ours = timed(in_wasm, bench.seconds)
    for beside, theirs, target in (
        ("OpenSpiel, its loop in Python", python_loop, Target(1, at_least=True)),
        ("OpenSpiel, all in C++", whole, None),
    ):
        fast, other = alternate([ours, timed(theirs, bench.seconds)], bench.runs, turns=bench.turns)
        yield bench.figure(f"{name}, random games", fast, other, unit="games", beside=beside, target=target)


def _driven(ruleset: typed.Ruleset, players: int, backend: Backend) -> Callable[[], int]:
    rng = random.Random(1)

    def work() -> int:
        game = Game(ruleset, seat_names(players, ruleset.seats), None, backend)
        while not game.is_over and game.ply < _PLIES:
            options = list(game.legal_options)
            game.apply(options[int(rng.random() * len(options))])
        return game.ply

    return work


def _tree(bench: Bench, ref: str, ruleset: typed.Ruleset, players: int) -> Figure:
    """Steps of a plain UCT search from the start of a game, each with a random game of limited length."""
    game, seeds = Game(ruleset, seat_names(players, ruleset.seats)), count()

    def slice_(backend: Backend) -> Slice:
        search = open_search(game, backend="wasm" if backend == "wasm" else "python")
        row = search.rows([game])[0]

        def work() -> Sample:
            begun = time.process_time()
            uct(search, row, _TREE, next(seeds), cap=_CAP)
            return Sample(_TREE, time.process_time() - begun)

        return work

    fast, slow = alternate([slice_("wasm"), slice_("python")], min(bench.runs, 3))
    return bench.figure(f"{ref}, UCT, random games of {_CAP}", fast, slow, unit="steps", beside="generated Python")
