"""The context of lowering: the variables in scope, a hook that relates lowered code to the rules, and an evaluator of
start values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.engine.program import ir
from rulespec.engine.program.builder import cell
from rulespec.engine.program.cells import State
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_START_STEPS
from rulespec.typed import nodes as typed


class Scope(Struct, frozen=True):
    """The variables in scope, each in a slot or a cell.

    Attributes:
        where: variable → slot, cell or constant.
        slots: the number of slots in use.
        sources: id of a typed expression → lowered expression that replaces it.
    """

    where: dict[typed.Var, ir.Expr] = {}
    slots: int = 0
    sources: dict[int, ir.Expr] = {}

    def in_slot(self, var: typed.Var, slot: int) -> Scope:
        """A copy of this scope with a variable in a slot."""
        return replace(self, where={**self.where, var: ir.Local(slot)}, slots=max(self.slots, slot + 1))

    def after(self, slot: int) -> Scope:
        """A copy of this scope in which the slots up to `slot` are in use, without a variable for them."""
        return replace(self, slots=slot + 1)

    def in_cell(self, var: typed.Var, at: int) -> Scope:
        """A copy of this scope with a variable in a cell."""
        return replace(self, where={**self.where, var: cell(at)})

    def with_source(self, expr: typed.Expr, value: ir.Expr) -> Scope:
        """A copy of this scope in which an expression has a given lowered form."""
        return replace(self, sources={**self.sources, id(expr): value})


class Marks:
    """The base class of the hooks that lowering notifies. By default, its methods do nothing."""

    def expression(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The replacement for a lowered expression: the same object, or a marked expression with the same value."""
        return lowered

    def statement(self, s: typed.Stmt, block: int, scope: Scope) -> None:
        """Called before a statement is lowered into a block, with its scope."""

    def emitted(self, instruction: ir.Instruction) -> None:
        """Called for each instruction of the current statement."""

    def payment(self, cost: typed.Cost, instructions: Sequence[ir.Instruction], scope: Scope) -> None:
        """Called before the instructions that pay a cost are added."""

    def decision(self, s: typed.Decide, number: int, scope: Scope) -> None:
        """Called when a statement's decision gets its number."""

    def loop(self, body: typed.Block, block: int, again: int, leave: int) -> None:
        """Called before the body of a loop is lowered into a block; `again` is the loop head, `leave` the exit."""

    def otherwise(self, s: typed.Otherwise, block: int) -> None:
        """Called before the body of `otherwise` is lowered into a block."""

    def definition(self, definition: typed.Definition, function: int) -> None:
        """Called when a definition gets its function number."""


WorkedOut = Callable[[ir.Expr, State, Span], int]
"""A function that evaluates an expression in a state; the span is the place of the expression."""


def working_out(p: ir.Program) -> WorkedOut:
    """A function that evaluates start values and capacities of a program.

    The function raises `ProgramFaultError` for an expression without a value, and `DiagnosticsError` (RS415) after
    `MAX_START_STEPS` steps in total.
    """
    evaluator = Evaluator(p, MAX_START_STEPS)

    def worked_out(e: ir.Expr, state: State, span: Span) -> int:
        try:
            return evaluator.evaluate(e, state, [0] * (p.slots + 1))
        except ProgramFaultError:
            if evaluator.left >= 0:
                raise
            message = f"start values and capacities take more than {MAX_START_STEPS:,} steps; the limit is reached here"
            help_ = "simplify this expression: a loop takes one step per member of its set"
            raise failure("RS415", message, span, help_) from None

    return worked_out
