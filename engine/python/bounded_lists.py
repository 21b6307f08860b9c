"""Lists of options with a step bound: generated code counts upper bounds by set size.

If the bound may be exceeded, a machine that counts exactly continues after the options listed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from rulespec.engine.program.limits import MAX_LISTED
from rulespec.engine.program.machine import Listed

UNBOUNDED = 1 << 60
"""Steps that may be taken while nothing counts them."""


class DoubtfulError(Exception):
    """The bound on steps may be exceeded: they must be counted exactly."""


def doubtful() -> None:
    """Ends a listing that may take too many steps."""
    raise DoubtfulError


def after(listed: int, options: Iterator[Listed], done: Callable[[], None]) -> Iterator[Listed]:
    """The options after the first `listed` ones; `done` is called after the last."""
    yield from islice(options, listed, None)
    done()


def within_bound(
    options: Iterator[Listed], left: list[int], exactly: Callable[[int], Iterator[Listed]]
) -> Iterator[Listed]:
    """Options from functions that count the remaining steps in `left`, as evaluation between two options does.

    Args:
        options: as generated code lists them.
        left: the first number is that of the steps that may still be taken; free for other uses between two options.
        exactly: gives the options after a number of them, by a machine that counts exactly.
    """
    steps, listed = MAX_LISTED, 0
    while True:
        left[0] = steps
        try:
            option = next(options, None)
        except (DoubtfulError, RecursionError):
            yield from exactly(listed)
            return
        finally:
            steps, left[0] = left[0], UNBOUNDED
        if option is None:
            return
        listed += 1
        yield option
