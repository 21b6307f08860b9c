"""The generated functions: one per possible entry block, one per procedure.

A block becomes a function, such as `b3`, if it can be reached other than from the previous block. A called procedure
becomes a function, such as `p7`, with Python variables. If it has to wait for a decision, it and its callers store
these variables in their cells, and the functions of its blocks continue from there.
"""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.engine.passes.occupancy import Occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.procedures import CompiledProcedure
from rulespec.engine.python.blocks import BlockWriter, counted, few, returned
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import EmissionPlan
from rulespec.engine.python.instructions import spilled, variable


class FunctionWriter:
    """A writer of the functions `b0`, `b1`, … and `p0`, … into the module of an expression writer.

    Args:
        writer: the writer of expressions.
        occupancy: the maintained sets.
        costs: the costs of the original program.

    Attributes:
        done: the blocks with functions, each with the maximum steps of one call, excluding code that counts its own
            steps.
    """

    def __init__(self, writer: ExpressionWriter, occupancy: Occupancy, costs: Costs) -> None:
        self.w = writer
        self.p = writer.p
        self.plan = EmissionPlan(writer.p, writer.features, occupancy, costs)
        self.done: dict[int, int] = {}
        self._at_once: dict[int, bool] = {}

    def write(self) -> None:
        """Writes a function for every possible entry block."""
        todo = [self.p.main]
        procedures = self.plan.procedures
        for first, procedure in [*procedures.items()]:
            todo += self._procedure(first, procedure)
        todo += [first for first in self.plan.flow.firsts if first not in procedures]
        for d in self.p.decisions:
            todo += [d.block, *(c.block for c in d.choices)]
        asks = (block.exit for block in self.p.blocks)
        todo += [e.otherwise for e in asks if isinstance(e, ir.Ask) and e.otherwise is not None]
        at_once = {b for procedure in procedures.values() if not procedure.waits for b in procedure.blocks}
        calls = [block.exit for b, block in enumerate(self.p.blocks) if b not in at_once]
        todo += [e.after for e in calls if isinstance(e, ir.Enter)]
        while todo:
            head = todo.pop()
            if head not in self.done:
                todo += self.block(head)

    def runs_at_once(self, first: int) -> bool:
        """Whether a procedure has a function that runs the whole procedure without waiting."""
        if first not in self._at_once:
            procedure = self.plan.procedures.get(first)
            alone = procedure is not None and not procedure.waits
            exits = [self.p.blocks[block].exit for block in procedure.blocks] if procedure and alone else []
            self._at_once[first] = alone and all(self.runs_at_once(e.block) for e in exits if isinstance(e, ir.Enter))
        return self._at_once[first]

    def _procedure(self, first: int, procedure: CompiledProcedure) -> list[int]:
        """Writes a procedure in both forms: for its callers, and for entry by cells.

        Returns:
            The blocks that need functions because the procedure jumps there.
        """
        cells = procedure.parameters() if procedure.waits else procedure.params
        known = [variable(at) for at in cells]
        own = procedure.cells if procedure.waits else ()
        writer = BlockWriter(self.w, self.plan, first, self.plan.variables, own, at_once=not procedure.waits)
        body = writer.body(known)
        if writer.needed and not procedure.waits:  # it does not fit into a single function
            self.plan.procedures[first] = replace(procedure, waits=True)
            return self._procedure(first, self.plan.procedures[first])
        if few(writer.steps):
            self.plan.charged[first] = writer.steps
        else:
            body = [*counted(writer.steps), *body]
        self.w.function(f"p{first:d}", ["s", "u", *known], body)
        self.done[first] = self.plan.charged.get(first, 1)
        lines = [f"{v} = s[{at:d}]" for v, at in zip(known, cells, strict=True)]
        for at in cells:
            lines += [f"u += {at:d}, s[{at:d}]", f"s[{at:d}] = 0"] if at in procedure.cells else []
        called = f"p{first:d}({', '.join(['s', 'u', *known])})"
        exits = (self.p.blocks[block].exit for block in procedure.blocks)
        left = [line for e in exits if isinstance(e, ir.Return) for line in returned(e, ())]
        lines += [f"return {called}"] if procedure.waits else [called, *left]
        self.w.function(f"b{first:d}", ["s", "u"], lines)
        return writer.needed

    def block(self, head: int) -> list[int]:
        """Writes the code for resuming at a block, with the procedure's variables in cells.

        Only variables known to be zero, and the arguments of an option, remain Python variables.

        Returns:
            The blocks that need functions because the code jumps to them.
        """
        self.done[head] = 0
        plan = self.plan
        place = plan.of_block.get(head)
        source = plan.arguments.get(head, ())
        args = tuple([at for at in source if at not in plan.read])
        own, variables = args, plan.variables.union(args)
        if place is not None:
            zero = plan.zero_at[head].difference(place.rows)
            own = (*args, *(at for at in place.cells if at in zero and at not in args))
            variables = plan.variables.difference(place.cells, place.params).union(own)
        names = [variable(at) for at in source]
        writer = BlockWriter(self.w, plan, head, variables, own)
        body = [*spilled([at for at in source if at not in args]), *writer.body(names)]
        if head in plan.flow.firsts:  # its callers do not know its steps
            body = [*counted(writer.steps), *body]
        else:
            self.done[head] = writer.steps
        self.w.function(f"b{head:d}", ["s", "u", *names], body)
        return writer.needed
