"""Features of the generated source: switches for them, and the facts about a program on which they depend."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.passes.occupancy import Occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow, loops, meets
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.procedures import procedures, zeros
from rulespec.engine.program.rounds import repeated


class Features(Struct, frozen=True, kw_only=True):
    """Features of the generated source, all of which are on by default; tests and benchmarks switch some off.

    The features do not affect the meaning of the source. `msgspec.structs.replace(features, memo=False)` switches one
    off.
    """

    memo: bool = True
    """Whether the values of definitions and loops that depend only on their arguments are memoised."""
    hoist: bool = True
    """Whether loop-invariant expressions are evaluated once per loop."""
    set_loops: bool = True
    """Whether statement loops over sets are written as `for` loops."""
    slices: bool = True
    """Whether slice assignments replace loops that only write numbers to adjacent cells."""
    variables: bool = True
    """Whether the variables of active procedures are in Python variables instead of cells."""
    occupancy: bool = True
    """Whether occupancy sets are maintained in cells of the state; see `passes.occupancy`."""


ALL_FEATURES = Features()
NO_FEATURES = Features(**dict.fromkeys(Features.__struct_fields__, False))


_MAX_TIMES = 5
"""The maximum average number of copies of a block: functions that start at successive blocks share later ones."""
_MAX_VARIABLES = 100
"""The number of variables beyond which a procedure keeps them in cells, as each waiting point lists them all."""


class EmissionPlan:
    """Facts about a program, shared by its block writers.

    Attributes:
        flow: the control flow.
        loops: the loops that may become `for` loops, by loop head.
        meets: for each block, the block where all paths from it join.
        procedures: the procedures that become functions with variables, by first block.
        of_block: block of such a procedure → the procedure.
        variables: the cells held in variables by these procedures.
        read: the cells read by functions without access to these variables.
        zero_at: block → the cells that are zero at its start.
        repeated: the blocks that may run again before the game waits.
        arguments: first block of an option → the cells of its arguments.
        occupied: the arrays of cells whose sets of positive cells are maintained.
        holders: the arrays of cells for which the set of cells with each value is maintained.
        costs: the maximum steps of each block, as the interpreter counts them in the original program.
        charged: first block of a procedure that counts no steps → its steps, which its callers count.
        written: the number of blocks written so far, including duplicates.
    """

    def __init__(self, p: ir.Program, features: Features, occupancy: Occupancy, costs: Costs) -> None:
        self.p = p
        self.costs = costs
        self.charged: dict[int, int] = {}
        self.occupied = [f.array for f in occupancy.families.values()]
        self.holders = [range(base, base + count) for base, count, _ in occupancy.holdings]
        self.flow = Flow(p)
        self.loops = loops(p) if features.set_loops else {}
        self.meets = meets(self.flow)
        results = procedures(self.flow) if features.variables or p.frames else {}
        self.read = {at for each in results.values() if each.deep for at in each.cells}
        results = {
            first: each
            for first, each in results.items()
            if features.variables and not each.deep and len({*each.cells} - p.rows) <= _MAX_VARIABLES
        }
        self.read |= {at for first, cells in self.flow.firsts.items() if first not in results for at in cells}
        self.read |= p.rows
        for first, procedure in results.items():
            results[first] = replace(procedure, cells=tuple([at for at in procedure.cells if at not in self.read]))
        self.procedures = results
        self.of_block = {block: procedure for procedure in results.values() for block in procedure.blocks}
        self.variables = frozenset(at for procedure in results.values() for at in procedure.cells)
        self.zero_at: dict[int, frozenset[int]] = {}
        for first, procedure in results.items():
            self.zero_at |= zeros(self.flow, first, procedure)
        self.repeated = repeated(self.flow, {first for first, each in results.items() if each.waits})
        self.arguments = p.arguments()
        self.written = 0
        self._most_written = _MAX_TIMES * len(p.blocks)

    def may_repeat(self) -> bool:
        """Whether a block may be written again rather than called."""
        return self.written < self._most_written
