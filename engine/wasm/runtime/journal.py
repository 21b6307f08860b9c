"""The journal: every change of the state, for undo."""

from rulespec.engine.wasm.runtime.intrinsics import exported, load, store, trap
from rulespec.engine.wasm.runtime.program import JOURNAL_END
from rulespec.engine.wasm.runtime.registers import IDLE_SIZE, JOURNAL, REWRITTEN


@exported
def put(at: int, value: int) -> None:
    """Writes a number into the state."""
    old = load(at)
    if old != value:
        top = load(JOURNAL)
        if top >= JOURNAL_END:
            trap()
        store(top, at)
        store(top + 8, old)
        store(top + 16, value)
        store(JOURNAL, top + 24)
        store(at, value)


@exported
def undo(mark: int) -> None:
    """Undoes all changes after a mark."""
    top = load(JOURNAL)
    if top > mark:
        store(REWRITTEN, -1)
    while top > mark:
        top = top - 24
        store(load(top), load(top + 8))
    store(JOURNAL, mark)
    store(IDLE_SIZE, 0)
