"""Meanings of operators on numbers, in small Python: the same functions are compiled to WebAssembly.

`engine/wasm/small_python.py` defines small Python: integers, `if`, `while`, assignments to one name. Numbers of rules
fit into 64 bits; `//` and `%` are for nonnegative numbers.
"""

from rulespec.types import MAX_NUMBER


def flip(a: int) -> int:
    """None, the least number, becomes the greatest, and vice versa; any other number is unchanged."""
    if a > MAX_NUMBER or a < -MAX_NUMBER:
        return -a
    return a
