"""Step limits of generated code: lists of options are bounded, and long values are evaluated by the interpreter.

If the limit may be exceeded, a machine that counts exactly continues after the options listed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from rulespec.engine.program.cells import State
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.long_values import LongValues
from rulespec.engine.program.machine import Listed

UNBOUNDED = 1 << 60
"""The step budget that applies while no steps are counted."""


class DoubtfulError(Exception):
    """Raised if listing options may exceed the step limit, so that steps must be counted exactly."""


def doubtful() -> None:
    """Aborts a listing that may take too many steps."""
    raise DoubtfulError


def after(listed: int, options: Iterator[Listed], done: Callable[[], None]) -> Iterator[Listed]:
    """The options after the first `listed` ones; `done` is called after the last."""
    yield from islice(options, listed, None)
    done()


def leave_to_interpreter(
    long: LongValues,
    interpreter: Interpreter,
    who: list[Callable[[State], int] | None],
    tests: list[list[Callable[..., bool]]],
    by: list[list[Any]],
    holds: list[Callable[[State, int], object]],
) -> None:
    """Replaces the functions of long values with calls of the interpreter.

    Args:
        long: the values that may take too long.
        interpreter: the interpreter.
        who: for each decision, the function for the decider.
        tests: for each decision and choice, the function that tests whether an option with given arguments is legal.
        by: for each decision and choice, the function for the seat of an interrupt.
        holds: for each invariant, the function that tests some members; the interpreter tests all.
    """
    for decision in long.deciders:
        who[decision] = partial(interpreter.decider, decision=decision)
    for decision, choice in long.tests:
        tests[decision][choice] = _of_arguments(interpreter.allows, decision, choice)
    for decision, choice in long.actors:
        by[decision][choice] = _of_arguments(interpreter.actor, decision, choice)
    for invariant in long.invariants:
        holds[invariant] = _of_members(interpreter, invariant)


def _of_arguments(asked: Callable[..., Any], decision: int, choice: int) -> Callable[..., Any]:
    return lambda state, *args: asked(state, decision, choice, args)


def _of_members(interpreter: Interpreter, invariant: int) -> Callable[[State, int], bool]:
    return lambda state, _: interpreter.keeps(state, invariant)
