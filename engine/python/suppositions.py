"""Evaluation of an expression after a hypothetical call, with rollback.

A generated function runs the procedure with a separate journal, so the state is never copied. Every evaluation restores
the state, even after a fault or an interrupt; nothing else runs in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulespec.engine.program import ir
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_ONCE_STEPS
from rulespec.engine.program.traversal import free
from rulespec.engine.python.expressions import IN_DOUBT, ExpressionWriter
from rulespec.engine.python.functions import FunctionWriter


def write_suppositions(writer: ExpressionWriter, functions: FunctionWriter, written: int = 0) -> int:
    """Writes the functions for all hypothetical calls, including nested ones.

    Args:
        writer: the writer of expressions.
        functions: the functions of the procedures.
        written: the number of functions already written.

    Returns:
        The number of functions written so far.
    """
    while written < len(writer.supposed):
        for e, name in [*writer.supposed.items()][written:]:
            written += 1
            value = writer.returned(e.body)
            body = [
                "u = []",
                "try:",
                *("    " + line for line in _run(e, writer, functions)),
                *("    " + line for line in value),
                "finally:",
                "    try:",
                "        restore(s, u)",
                "    except BaseException:",
                "        restore(s, u)",
                "        raise",
            ]
            writer.function(name, ["s", *(f"v{i:d}" for i in sorted(free(e)))], body)
    return written


def _run(e: ir.Suppose, writer: ExpressionWriter, functions: FunctionWriter) -> list[str]:
    """The lines that run the procedure.

    Its steps are charged by the surrounding code, at their bound. If the bound is too coarse, they are counted during
    the run, by set size, and by the interpreter if they may exceed the limit.
    """
    values = [f"x{i:d} = {writer.number(a)}" for i, a in enumerate(e.args)]  # before the procedure has its own budget
    args = ", ".join(f"x{i:d}" for i in range(len(e.args)))
    params = "".join(f"{cell:d}, " for cell in e.params)
    exact = f"carry_out(s, u, {e.block:d}, {e.back:d}, ({params}), ({args}{',' if args else ''}), {e.site:d})"
    spent = [f"left[0] -= {MAX_ONCE_STEPS:d}", IN_DOUBT] if e.counted else []
    if not functions.runs_at_once(e.block):
        return [*values, *spent, exact]
    run = f"p{e.block:d}({', '.join(['s', 'u', *([args] if args else [])])})"
    if not e.counted and functions.plan.costs.whole.procedure(e.block) <= MAX_ONCE_STEPS:
        return [*values, run]
    most = MAX_ONCE_STEPS - functions.plan.charged.get(e.block, 1)
    done = [f"before -= {MAX_ONCE_STEPS:d} - left[0]"] if e.counted else []
    # a fault counts only if the step limit cannot have been exceeded before
    faulty = [
        "except ProgramFaultError:",
        *("    " + line for line in done),
        "    if before < 0: doubtful()",
        "    raise",
    ]
    return [
        *values,
        "before, look_at = left",
        f"left[0], left[1] = {most:d}, 0",
        "try:",
        "    if left[0] < 0: doubtful()",
        f"    {run}",
        *("    " + line for line in done),
        "except DoubtfulError:",
        "    restore(s, u)",
        "    u.clear()",
        *([f"    before -= {MAX_ONCE_STEPS:d}", "    if before < 0: raise"] if e.counted else []),
        f"    {exact}",
        *(faulty if e.counted else []),
        "finally:",
        "    left[0], left[1] = before, look_at",
        *([IN_DOUBT] if e.counted else []),
    ]


def carrying_out(p: ir.Program, occupied: Callable[[State, Iterable[int]], Journal]) -> Callable[..., None]:
    """A function that runs a procedure hypothetically and counts the same steps as the interpreter."""

    def carry_out(
        state: State,
        journal: Journal,
        block: int,
        back: int,
        params: tuple[int, ...],
        args: tuple[int, ...],
        site: int,
    ) -> None:
        supposed = ir.Suppose(block, back, params, (), ir.Const(0), site)
        try:
            Interpreter(p).carry_out(supposed, args, state, journal)
        finally:
            journal += occupied(state, dict.fromkeys(journal[::2]))

    return carry_out
