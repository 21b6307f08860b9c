"""Meanings of operators on numbers, written in small Python so that the same functions can be compiled to WebAssembly.

`engine/wasm/small_python.py` defines small Python: integers, `if`, `while`, and assignments to one name. The numbers of
rules fit into 64 bits; the operands of `//` and `%` must be nonnegative.
"""

from rulespec.types import MAX_NUMBER


def flip(a: int) -> int:
    """A number, unchanged, except that the code for none is negated: it becomes the greatest value instead of the
    least, or vice versa.
    """
    if a > MAX_NUMBER or a < -MAX_NUMBER:
        return -a
    return a
