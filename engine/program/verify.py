"""Verification of programs: for example, that indices are in range, and that slots are bound before use. Tests run it
after each pass.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from math import prod

from rulespec.engine.program import ir
from rulespec.engine.program.traversal import Binding, binds, inside, parts, walk
from rulespec.language.operators import OPERATORS

_FOLDS = {"count", "sum", "min", "max", "any", "all", "first", "set", "union"}
_WITH_BODY = {"sum", "min", "max", "all", "union"}
_LOGIC = {"and", "or", "??", "?number"}
_NONE: frozenset[int] = frozenset()


def verify(p: ir.Program, cells: int | None = None) -> list[str]:
    """The violations of the rules for well-formed programs (see `ir`); empty for a program that can be run.

    Args:
        p: the program.
        cells: the number of cells of a state; by default, the program's own number.
    """
    check = _Check(p, len(p.cells) if cells is None else cells)
    check.program()
    return check.breaks


class _Check:
    """The check of one program; `where` is the current part, `slots` the highest slot allowed there."""

    def __init__(self, p: ir.Program, cells: int) -> None:
        self.p = p
        self.cells = cells
        self.breaks: list[str] = []
        self.where = ""
        self.slots = sys.maxsize
        self.firsts = dict(p.entries.values())

    def must(self, holds: bool, what: str) -> None:
        """Records a violation unless a condition holds."""
        if not holds:
            self.breaks.append(f"{self.where}: {what}")

    def index(self, at: int, of: Sequence[object], what: str) -> bool:
        """Whether an index is in range; records a violation otherwise."""
        self.must(0 <= at < len(of), f"no {what} {at}")
        return 0 <= at < len(of)

    def cell(self, *places: int) -> None:
        for at in places:
            self.must(0 <= at < self.cells, f"no cell {at}")

    def block(self, *places: int) -> None:
        for at in places:
            if self.index(at, self.p.blocks, "block"):
                self.must(self.p.blocks[at].exit is not None, f"block {at} has no exit")

    def site(self, at: int) -> None:
        self.index(at, self.p.sites, "site")

    # --- expressions -----------------------------------------------------------------------

    def all_of(self, exprs: Iterable[ir.Expr | None], bound: frozenset[int] = _NONE) -> None:
        for e in exprs:
            if e is not None:
                self.expr(e, bound)

    def expr(self, e: ir.Expr, bound: frozenset[int] = _NONE) -> None:
        """Checks an expression, given the slots bound around it."""
        if isinstance(e, ir.Local):
            self.must(e.slot in bound, f"slot {e.slot} is not bound")
        elif isinstance(e, ir.Op | ir.Logic):
            self._operator(e)
        elif isinstance(e, Binding):
            self._binding(e)
            known = bound.union(binds(e))
            inner = {id(part) for part in inside(e)}
            for part in parts(e):
                self.expr(part, known if id(part) in inner else bound)
            return
        elif isinstance(e, ir.Call):
            if self.index(e.function, self.p.functions, "function"):
                params = self.p.functions[e.function].params
                self.must(len(e.args) == params, f"function {e.function} takes {params} arguments")
        elif isinstance(e, ir.Suppose):
            self.must(self.firsts.get(e.block) == (e.back, *e.params), f"block {e.block} begins no such procedure")
            self.must(len(e.args) == len(e.params), "as many arguments as parameters")
            self.site(e.site)
        else:
            self._leaf(e)
        self.all_of(parts(e), bound)

    def _leaf(self, e: ir.Expr) -> None:
        """Checks a read of cells, arrays or tables."""
        if isinstance(e, ir.Const):
            self.must(type(e.value) is int, f"{e.value!r} is no number")
        elif isinstance(e, ir.Cell):
            self.must(e.size > 0, "a cell of none")
            self.cell(e.base, e.base + e.size - 1)
            if isinstance(e.index, ir.Const):  # a holders' set for none precedes the first one
                low = 0 if e.base < len(self.p.cells) else -1
                self.must(low <= e.index.value < e.size, "a cell beyond its size")
        elif isinstance(e, ir.Row):
            known = self.index(e.array, self.p.arrays, "array")
            if known and isinstance(e.index, ir.Const) and e.index.value != -1:  # none, in a branch not yet folded
                self.index(e.index.value, self.p.arrays[e.array], "row")
        elif isinstance(e, ir.Lookup):
            self.index(e.table, self.p.tables, "table")
            self.site(e.site)
        elif isinstance(e, ir.Positive | ir.Total):
            self.must(e.count > 0 < e.stride, "neighbours of none")
            self.cell(e.base, e.base + (e.count - 1) * e.stride)
        elif isinstance(e, ir.Inverse | ir.Held):
            self.index(e.array, self.p.arrays, "array")
            if isinstance(e, ir.Held):
                self.cell(e.base, e.base + e.count - 1)

    def _operator(self, e: ir.Op | ir.Logic) -> None:
        count = len(e.args)
        if isinstance(e, ir.Logic):
            self.must(e.op in _LOGIC, f"no operator {e.op}")
            self.must(count == 2 if e.op.startswith("?") else count > 0, f"{e.op} of {count}")
            return
        if e.op not in OPERATORS:
            self.must(False, f"no operator {e.op}")
            return
        self.must(OPERATORS[e.op].takes(count), f"{e.op} of {count}")
        if OPERATORS[e.op].fault is not None:
            self.site(e.site)

    def _binding(self, e: Binding) -> None:
        self.must(all(0 <= slot <= self.slots for slot in binds(e)), f"more slots than {self.slots}")
        if isinstance(e, ir.Fold):
            self.must(e.op in _FOLDS, f"no fold {e.op}")
            self.must(e.body is not None or e.op not in _WITH_BODY, f"{e.op} without a body")
            self.must((e.default is not None) == (e.op in ("min", "max")), f"default of {e.op}")
            self.must(e.start is None or e.op == "first", f"{e.op} from a start")
        elif isinstance(e, ir.Ranked):
            self.must(e.op in ("first", "best", "order"), f"no ranking {e.op}")
            self.must(bool(e.keys) or e.op == "order", f"{e.op} without keys")
            self.must(e.op != "order" or e.bits > 0, "an order without bits")
        elif isinstance(e, ir.Spread):
            self.must((e.limit is None) != (e.until is None), "either a limit or an end")
            self.must((e.default is None) == (e.until is None), "a default with an end")
            self.site(e.below)
            if e.limit is None:
                self.site(e.above)
        elif isinstance(e, ir.PathSearch):
            self.must(len(e.of_stops) == len(e.uses), "for each use whether it is one of stops")
            self.must(e.size > 0, "a path of none")
            self.must(e.finds in ("", "trail", "longest"), f"no search {e.finds}")
            self.must((e.reachable is None) == (e.finds != "trail"), "a trail with all that can be reached")
            self.must((e.worth is None) == (e.default is None) == (e.finds != "longest"), "a worth, and a default")
            self.must(e.where is None or e.worth is not None, "a condition on paths without a worth")
            if e.finds:
                self.site(e.site)

    # --- blocks ----------------------------------------------------------------------------

    def instruction(self, i: ir.Instruction) -> None:
        """Checks an instruction."""
        if isinstance(i, ir.Clear):
            self.must(i.size > 0, "nothing is cleared")
            self.cell(i.base, i.base + i.size - 1)
        elif isinstance(i, ir.Store):
            self.all_of([i.target, i.value])
            self.must(i.low is None or i.high is None or i.low <= i.high, f"bounds {i.low} to {i.high}")
            if i.low is not None or i.high is not None:
                self.site(i.site)
        elif isinstance(i, ir.Transfer):
            self.all_of([i.source, i.target, i.amount])
            self.site(i.site)
        elif isinstance(i, ir.Check):
            self.expr(i.condition)
            self.site(i.site)

    def exit(self, e: ir.Exit) -> None:
        """Checks the exit of a block."""
        if isinstance(e, ir.Goto):
            self.block(e.block)
        elif isinstance(e, ir.Branch):
            self.all_of([e.condition, e.within])
            self.block(e.yes, e.no)
        elif isinstance(e, ir.Switch):
            self.expr(e.value)
            self.block(*(block for _, block in e.cases), e.other)
            self.must(len({case for case, _ in e.cases}) == len(e.cases), "a case twice")
        elif isinstance(e, ir.Enter):
            self.block(e.block, e.after)
            self.must(self.firsts.get(e.block, (-1,))[0] == e.back, f"block {e.block} does not return by cell {e.back}")
        elif isinstance(e, ir.Return):
            self.cell(e.cell)
            self.block(e.usual)
        elif isinstance(e, ir.Ask):
            self.index(e.decision, self.p.decisions, "decision")
            self.block(*([] if e.otherwise is None else [e.otherwise]))
        elif isinstance(e, ir.End):
            self.index(e.ending, self.p.endings, "ending")
            self.all_of([e.winners])

    # --- options and programs --------------------------------------------------------------

    def condition(self, c: ir.Condition, bound: frozenset[int]) -> frozenset[int]:
        """Checks a condition; returns the slots bound after it."""
        for slot, value in c.lets:
            self.expr(value, bound)
            bound |= {slot}
        self.expr(c.expr, bound)
        return bound

    def choice(self, c: ir.Choice) -> None:
        """Checks an option."""
        bound = _NONE
        for q in c.params:
            self.must(q.slot not in bound, f"slot {q.slot} of two parameters")
            self.cell(q.cell)
            self.all_of(q.domain, bound)
            self.must((q.high is not None) == (q.type in ("int", "int?")), f"a domain of {q.type}")
            chosen = q.type.startswith(("set ", "bag "))
            self.must((q.several is not None) == chosen, f"a domain of {q.type}")
            self.must((q.walk is not None) == q.type.startswith("path "), f"a domain of {q.type}")
            bound |= {q.slot}
            if q.where is not None:
                self.condition(q.where, bound)
            self.must(0 <= q.slot <= self.slots, f"more slots than {self.slots}")
        self.all_of([c.by, c.weight, *(q.to for q in c.params)], bound)
        for required in c.requires:
            bound = self.condition(required, bound)
        self.block(c.block)

    def decision(self, d: ir.Decision) -> None:
        """Checks a decision."""
        self.all_of([d.by, d.among, d.all])
        self.cell(*d.held)
        self.block(d.block)
        for c in d.choices:
            self.where = f"option {d.name}.{c.name}"
            self.choice(c)

    def function(self, number: int, f: ir.Function) -> None:
        """Checks a definition, which must not call itself, directly or indirectly."""
        bound = frozenset(range(f.params))
        for slot, value in f.lets:
            self.expr(value, bound)
            bound |= {slot}
        self.all_of([f.steps, f.body], bound)
        todo, seen = [number], set[int]()
        while todo:
            called = self.p.functions[todo.pop()]
            calls = [e for whole in (*(v for _, v in called.lets), called.body) for e in walk(whole)]
            new = {e.function for e in calls if isinstance(e, ir.Call) and e.function < len(self.p.functions)} - seen
            seen |= new
            todo += new
        self.must(number not in seen, "it is recursive")

    def program(self) -> None:
        """Checks the whole program."""
        p = self.p
        self.where = "program"
        self.block(p.main, *self.firsts)
        self.cell(*(at for cells in self.firsts.values() for at in cells), *p.declared)
        self.must(len(p.start) == len(p.cells), "a start for each cell")
        self.must(all(0 <= at < len(p.sites) for at in p.members), "names at a site")
        for array in (*p.tokens.values(), *p.few.values()):
            self.index(array, p.arrays, "array")
        for number, f in enumerate(p.functions):
            self.where = f"function {number}"
            self.function(number, f)
        self.slots = p.slots  # definitions have separate slots
        for number, block in enumerate(p.blocks):
            self.where = f"block {number}"
            for i in block.body:
                self.instruction(i)
            if block.exit is not None:
                self.exit(block.exit)
        for d in p.decisions:
            self.where = f"decision {d.name}"
            self.decision(d)
        for v in p.invariants:
            self.where = f"invariant {v.name}"
            self.must(v.each is None or v.each[1] > 0, "members to test")
            self.condition(v.condition, _NONE if v.each is None else frozenset({v.each[0]}))
        self.where = "scoring"
        if p.scoring is not None:
            self.expr(p.scoring.score, frozenset({0}))
            for t in p.scoring.tiebreaks:
                self.all_of([t.source, t.key, t.value], frozenset({0, t.slot}))
        for secret in p.secrets:
            self.where = f"secret {secret.cells}"
            self.cell(*secret.cells)
            self.must(prod(secret.sizes) == len(secret.cells), "a cell for each tuple")
            self.all_of([secret.to, secret.open], frozenset(range(len(secret.sizes))))
        for kind, alike in p.alike.items():
            self.where = f"tokens {kind}"
            self.cell(*alike.fields, *alike.named, *(at for cells in alike.live.values() for at in cells))
            self.block(*alike.live)
