"""Arithmetic within bounds, and look-ups."""

from rulespec.engine.program.limits import MAX_NUMBER, MAX_VALUES
from rulespec.engine.wasm.runtime.intrinsics import divided, load, store, trap
from rulespec.engine.wasm.runtime.registers import LEFT


def fit(a: int) -> int:
    """A number, checked against the bounds."""
    if a > MAX_NUMBER or a < -MAX_NUMBER:
        trap()
    return a


def product(a: int, b: int) -> int:
    """A product, checked against the bounds."""
    about = float(a) * float(b)
    if about > 2000000000000000.0 or 0.0 - about > 2000000000000000.0:
        trap()
    return fit(a * b)


def added(a: int, b: int) -> int:
    """A sum; traps if it exceeds 64 bits."""
    c = a + b
    if ((a ^ c) & (b ^ c)) < 0:
        trap()
    return c


def floor_divided(a: int, b: int) -> int:
    """A quotient, rounded down; traps for a divisor of zero."""
    if b == 0:
        trap()
    q = divided(a, b)
    if q * b != a and (a ^ b) < 0:
        q = q - 1
    return q


def remainder(a: int, b: int) -> int:
    """The remainder of `floor_divided`, with the sign of the divisor."""
    return a - floor_divided(a, b) * b


def find(table: int, count: int, width: int, keys: int) -> int:  # noqa: RET503 - `trap` never returns
    """The value of the row with these keys, in a table sorted by keys; traps if there is none."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) >> 1
        row = table + 8 * (width + 1) * middle
        k = 0
        while k < width and load(row + 8 * k) == load(keys + 8 * k):
            k = k + 1
        if k == width:
            return load(row + 8 * width)
        if load(row + 8 * k) < load(keys + 8 * k):
            low = middle + 1
        else:
            high = middle
    trap()


def values(low: int, high: int) -> int:
    """The number of integers in a range."""
    if high - low >= MAX_VALUES:
        trap()
    return 0 if high < low else high - low + 1


def charge(steps: int) -> None:
    """Counts steps; traps if the budget is exceeded."""
    left = load(LEFT) - steps
    if left < 0:
        trap()
    store(LEFT, left)
