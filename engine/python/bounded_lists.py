"""Option lists with a step limit: generated code counts upper bounds by set size.

If the limit may be exceeded, an exactly counting machine continues after the options listed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from rulespec.engine.program.limits import MAX_LISTED
from rulespec.engine.program.machine import Listed

UNBOUNDED = 1 << 60
"""Steps that may be taken while nothing counts them."""


class DoubtfulError(Exception):
    """The step limit may be exceeded: exact counting is needed."""


def doubtful() -> None:
    """Aborts a listing that may take too many steps."""
    raise DoubtfulError


def after(listed: int, options: Iterator[Listed], done: Callable[[], None]) -> Iterator[Listed]:
    """The options after the first `listed` ones; `done` is called after the last."""
    yield from islice(options, listed, None)
    done()


def within_bound(
    options: Iterator[Listed], left: list[int], exactly: Callable[[int], Iterator[Listed]]
) -> Iterator[Listed]:
    """Options from functions that count down the remaining steps in `left`, as does evaluation between two options.

    Args:
        options: the options listed by generated code.
        left: its first number is the remaining steps; between two options it is free for other uses.
        exactly: returns the options after a given number of them, from an exactly counting machine.
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
