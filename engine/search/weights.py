"""The weights of cells for hashes of positions and digests of views, in a module's memory."""

from __future__ import annotations

from rulespec.engine.game.position_hash import PRIME, weights
from rulespec.engine.wasm.engine import Instance
from rulespec.engine.wasm.layout import words
from rulespec.engine.wasm.program import WasmProgram


def write_weights(wasm: WasmProgram, instance: Instance) -> None:
    """Writes the weights of the cells into a module's memory."""
    memory = wasm.compiled.memory
    weight = weights(len(wasm.p.cells), memory.cells)
    results = [0 if memory.widths.cells[at] else weight[at] for at in range(memory.cells)]
    for at in memory.ranks:
        results += [(weight[at] << 64 * word) % PRIME for word in range(memory.words)]
    content = words(results)
    instance.memory[memory.weights : memory.weights + len(content)] = content


def write_sight_weights(wasm: WasmProgram, instance: Instance) -> None:
    """Writes the weights of visible cells into a module's memory."""
    memory = wasm.compiled.memory
    at, content = memory.constants["SIGHT_WEIGHTS"], words(memory.sight_weights)
    instance.memory[at : at + len(content)] = content
