"""Meanings of operators on numbers, in small Python: the same functions are compiled to WebAssembly.

Small Python is the language of `engine/wasm/small_python.py`: whole numbers, `if`, `while`, assignments to one name.
Numbers of rules fit into 64 bits; `//` and `%` are for numbers from 0 on.
"""

from rulespec.types import MAX_NUMBER


def flip(a: int) -> int:
    """None, which is the least of numbers, as the greatest, and the other way round; any other number unchanged."""
    if a > MAX_NUMBER or a < -MAX_NUMBER:
        return -a
    return a
