"""Long values: evaluated by the interpreter, which counts steps, instead of by generated functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.journal import State
from rulespec.engine.program.long_values import LongValues


def leave_to_interpreter(
    long: LongValues,
    interpreter: Interpreter,
    who: list[Callable[[State], int] | None],
    tests: list[list[Callable[..., bool]]],
    by: list[list[Any]],
    holds: list[Callable[[State, int], object]],
) -> None:
    """Replaces the functions of long values with the interpreter.

    Args:
        long: the values that may take too long.
        interpreter: the interpreter.
        who: for each decision, the function for the decider.
        tests: for each decision and choice, whether an option with given arguments is legal.
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
