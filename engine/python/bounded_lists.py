"""Option lists with a step limit; generated code counts upper bounds by set size.

If the limit may be exceeded, a machine that counts exactly continues after the options listed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from rulespec.engine.program.limits import MAX_LISTED
from rulespec.engine.program.machine import Listed

UNBOUNDED = 1 << 60
"""The step budget where no steps are counted."""


class DoubtfulError(Exception):
    """A listing that may exceed the step limit, so that exact counting is needed."""


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
    """Options from functions that deduct their steps from `left`, which evaluation between two options also uses.

    Args:
        options: the options listed by generated code.
        left: the step budget, as its first number; it is free for other uses between two options.
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
