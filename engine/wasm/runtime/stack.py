"""Multi-word sets on the stack: functions that work for any number of words; see `sources.stack_source`."""

from rulespec.engine.wasm.runtime.intrinsics import load, trap
from rulespec.engine.wasm.runtime.program import WORDS


def from_start(start: int, first: int) -> int:
    """The mask of the members from `start` on, in the word that begins with `first`."""
    if start <= first:
        return -1
    if start >= first + 64:
        return 0
    return -1 << start - first


def row_fits(a: int, words: int) -> None:
    """Traps if a row has members beyond `words` words."""
    while words < WORDS:
        if load(a + 8 * words) != 0:
            trap()
        words = words + 1
