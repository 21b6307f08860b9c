"""Meanings of operators on numbers, in small Python: the same functions are compiled to WebAssembly.

`engine/wasm/small_python.py` defines small Python: integers, `if`, `while`, assignments to one name. The numbers of
rules fit into 64 bits; the operands of `//` and `%` must be nonnegative.
"""

from rulespec.types import MAX_NUMBER


def flip(a: int) -> int:
    """The number; the least one, which encodes none, is negated to become the greatest, and vice versa."""
    if a > MAX_NUMBER or a < -MAX_NUMBER:
        return -a
    return a
