"""Growth of the cost of a wasm decision with the number of regions, beyond the capacity of one and of two words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from bench.big_maps import write_big_map
from bench.figures import Bench, Figure, Target
from bench.pairs import Slice, alternate, timed
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.seating import check_settings
from rulespec.engine.simulate.checked_playouts import CAP, INTERRUPT_RATE
from rulespec.engine.wasm.playouts import WasmGames
from rulespec.load import load_ruleset

_PLAYERS, _GAMES = 4, 64
_FULL = 64
"""The number of regions whose sets just fit into one word."""
_MOST = {66: 1.3, 108: 2.0, 200: 3.0}
"""Number of regions → the maximum slowdown of a decision relative to `_FULL`."""


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of Imperial on maps with more regions than fit into one word, played in the same way as by `simulate`."""
    sizes = [_FULL, *list(_MOST)[: 1 if bench.quick else None]]
    samples = alternate([_games(bench, size) for size in sizes], bench.runs, turns=bench.turns)
    for size, result in zip(sizes[1:], samples[1:], strict=True):
        target = Target(_MOST[size], at_least=False)
        name = f"{size} regions beside {_FULL}: each wasm decision"
        yield bench.figure(name, result, samples[0], unit="µs", beside=f"{_FULL} regions", target=target)


def _games(bench: Bench, regions: int) -> Slice:
    """Decisions of random games on a map with the given number of regions."""
    ruleset = load_ruleset(str(write_big_map(4, bench.folder / "regions", regions)))
    wasm = wasm_program(ruleset, _PLAYERS, check_settings(ruleset, {}))
    games = WasmGames(wasm, INTERRUPT_RATE)
    batches = (range(first, first + _GAMES) for first in count(0, _GAMES))

    def work() -> int:
        return sum(one.decisions for one in games.play(1, next(batches), CAP))

    return timed(work, bench.seconds)
