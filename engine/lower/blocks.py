"""Builder of a program's blocks."""

from __future__ import annotations

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.ranges import NUMBERS, within
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, cell, op
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.typed import nodes as typed
from rulespec.types import Num, Order, Type


class BlockBuilder:
    """A builder that adds blocks, instructions and the cells of variables to a program.

    Attributes:
        open_block: the block under construction.
        owner: the procedure that owns the variables to be added.
    """

    def __init__(self, x: ExpressionLowering) -> None:
        self.x = x
        self.p = x.p
        self.layout = x.layout
        self.open_block = 0
        self.owner = ""

    def block(self) -> int:
        """Adds a block; returns its number."""
        self.p.blocks.append(ir.Block())
        return len(self.p.blocks) - 1

    def local(self, name: str, type_: str) -> int:
        """Adds the cell of a variable; returns its number."""
        return self.layout.add(ir.CellName("rules", self.owner, name, type_))

    def emit(self, instruction: ir.Instruction) -> None:
        """Adds an instruction to the open block."""
        if self.x.marks is not None:
            self.x.marks.emitted(instruction)
        self.p.blocks[self.open_block].body.append(instruction)

    def store(self, at: int, value: ir.Expr) -> None:
        """Adds an assignment that cannot fault."""
        self.emit(ir.Store(cell(at), value, None, None, 0))

    def store_checked(self, target: int | ir.Cell, value: ir.Expr, type_: Type, span: Span) -> None:
        """Adds an assignment to a variable or state field, with a check if the number may be too large."""
        at = cell(target) if isinstance(target, int) else target
        if isinstance(type_, Num) and not within(self.x.ranges.of(value), NUMBERS):
            site = self.x.site(span, "a number in the state would have more than 15 digits")
            self.emit(ir.Store(at, value, -MAX_NUMBER, MAX_NUMBER, site))
        else:
            self.emit(ir.Store(at, value, None, None, 0))

    def exit(self, exit_: ir.Exit) -> None:
        """Ends the open block, unless it has already ended."""
        if self.p.blocks[self.open_block].exit is None:
            self.p.blocks[self.open_block].exit = exit_

    def goto(self, block: int) -> None:
        """Ends the open block with a jump, unless it has already ended."""
        self.exit(ir.Goto(block))

    def ending(self, name: str) -> int:
        """The number of an ending, which is added if it is new."""
        if name not in self.p.endings:
            self.p.endings.append(name)
        return self.p.endings.index(name)

    def clear_arguments(self, choice: ir.Choice) -> None:
        """Adds code that clears an option's arguments: a position must not depend on the moves that led to it."""
        if choice.params:
            self.emit(ir.Clear(choice.params[0].cell, len(choice.params)))

    def loop_over(self, b: typed.Binder, scope: Scope) -> tuple[int, int, Scope]:
        """Starts a loop over a set.

        Returns:
            The loop head, the block after the loop, and the scope of the body.
        """
        if b.keys:
            return self._loop_in_order(b, scope)
        rest = self.local("rest", f"set {type_name(b.var.type)}")
        at = self.local(b.var.name, type_name(b.var.type))
        self.store(rest, self.x.expr(b.source, scope))
        start: ir.Expr = FALSE
        first = self.x.start(b, scope)
        if first is not None:
            begin = self.local("start", type_name(b.var.type))
            self.store(begin, first)
            start = cell(begin)
        head, body, after = self.block(), self.block(), self.block()
        self.goto(head)
        self.p.blocks[head].exit = ir.Branch(op("!=", cell(rest), FALSE), body, after)
        self.open_block = body
        self.store(at, op("pick", cell(rest), start))
        self.store(rest, op("diff", cell(rest), op("bit", cell(at))))
        return head, after, self._fitting(b, scope.in_cell(b.var, at), head)

    def _loop_in_order(self, b: typed.Binder, scope: Scope) -> tuple[int, int, Scope]:
        """Starts a loop over an order, or over a set sorted by keys, with the remaining members in a cell."""
        kind = type_name(b.var.type)
        rest, at = self.local("rest", f"order {kind}"), self.local(b.var.name, kind)
        bits = self.x.bits(kind)
        whole = isinstance(b.source.type, Order)
        self.store(rest, self.x.expr(b.source, scope) if whole else self.x.ranked("order", b, scope))
        head, body, after = self.block(), self.block(), self.block()
        self.goto(head)
        self.p.blocks[head].exit = ir.Branch(op("!=", cell(rest), FALSE), body, after)
        self.open_block = body
        self.store(at, op("front", cell(rest), bits))
        self.store(rest, op("behind", cell(rest), bits))
        inner = self._fitting(b, scope.in_cell(b.var, at), head)
        return head, after, inner

    def _fitting(self, b: typed.Binder, inner: Scope, head: int) -> Scope:
        """Adds the test of a loop's `where`, which skips to the next member; returns the scope of the body."""
        if b.where is not None:
            test = self.x.expr(b.where, inner)
            fitting = self.block()
            settled = isinstance(test, ir.Const)
            self.exit(_settled(test, fitting, head) if settled else ir.Branch(test, fitting, head))
            self.open_block = fitting
        return inner


def _settled(test: ir.Expr, yes: int, no: int) -> ir.Exit:
    assert isinstance(test, ir.Const)
    return ir.Goto(yes if test.value else no)
