"""Blocks of a program as Python functions.

A block becomes a function if something else than the one before it may lead there. Within a function, branches that
meet again are written as `if … else`, and loops over sets as `for`. What a cell holds before it is written is kept in
the journal `u`, so that a decision can be taken back.

A procedure that is called is a function `p7` with Python's own variables. If it has to wait for a decision, it puts
them into their cells, as do those that have called it, and goes on from there in the functions of its blocks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from rulespec.engine.program import ir
from rulespec.engine.program.builder import MAX_NUMBER, op
from rulespec.engine.program.control_flow import Flow, Loop, begun, loops, meets
from rulespec.engine.program.procedures import Procedure, procedures, zeros
from rulespec.engine.program.traversal import changed, meet, span, walk
from rulespec.engine.python.expressions import ExpressionWriter

_NAME = re.compile(r"\w+")
_MAX_DEPTH = 24
_MAX_LOOPS = 8
_MAX_CHAIN = 150
_MAX_TIMES = 5
"""How often a block is written on average: functions that begin at each of many blocks in a row share what follows."""
_MAX_VARIABLES = 100
"""A procedure that has more keeps them in their cells: each place where it may wait names them all."""
_FEW_ROUNDS = 200
_MANY = 1 << 12
"""A set with more members than this has bits is written as a whole."""
_FIRST_LOOP_SLOT = 100_000
"""Variables of loops over sets are slots that no expression uses."""
_FIRST_VARIABLE_SLOT = 200_000
"""So are those of procedures, by their cells."""


@dataclass(slots=True)
class _Open:
    """A loop that is being written. The member it is at is in the variable `v…`; `mask` is the set it goes over.

    In a loop that does not begin with the first member, `m…` is what is left of the set. `inner` is how often, at most,
    the small loops inside go round each time.
    """

    head: int
    loop: Loop
    slot: int
    mask: str
    inner: int = 0


class BlockWriter:
    """Writes the functions `b0`, `b1`, … into the module of an expression writer.

    `kept` are the arrays of cells of which sets are kept in cells.
    """

    def __init__(self, writer: ExpressionWriter, kept: Collection[range] = ()) -> None:
        self.w = writer
        self.kept = kept
        self.p = writer.p
        self.flow = Flow(self.p)
        self.loops = loops(self.p) if "loops" in writer.passes else {}
        self.meets = meets(self.flow) if "meet" in writer.passes else {}
        self.done: set[int] = set()
        self._head = -1
        self._again = False
        self._chain = 0
        self._inside: list[_Open] = []
        self._opened: set[int] = set()
        self._needed: list[int] = []
        self._noted: set[int] = set()
        own = procedures(self.flow) if "variables" in writer.passes else {}
        own = {first: procedure for first, procedure in own.items() if len(procedure.cells) <= _MAX_VARIABLES}
        self._read = {at for first, cells in self.flow.firsts.items() if first not in own for at in cells}
        """Cells that functions read which know cells only."""
        for first, procedure in own.items():
            own[first] = replace(procedure, cells=tuple([at for at in procedure.cells if at not in self._read]))
        self.procedures = own
        self._of_block = {block: procedure for procedure in own.values() for block in procedure.blocks}
        self._all_variables = frozenset(at for procedure in own.values() for at in procedure.cells)
        self._variables: frozenset[int] = frozenset()
        self._written = 0
        self._most_written = _MAX_TIMES * len(self.p.blocks)
        self._zero_at: dict[int, frozenset[int]] = {}
        for first, procedure in own.items():
            self._zero_at |= zeros(self.flow, first, procedure)
        self._arguments = self.p.arguments()
        self._at_once = False
        self._own: Sequence[int] = ()
        """Cells that stand in Python's variables, and are filled when the game has to wait."""
        self._zero: set[int] = set()
        """The cells and variables that are known to be zero at the place that is being written."""

    def write(self) -> None:
        """Writes a function for every block at which running may begin."""
        todo = [self.p.main]
        for first, procedure in [*self.procedures.items()]:
            self._procedure(first, procedure)
            todo += self._needed
        todo += [first for first in self.flow.firsts if first not in self.procedures]
        for d in self.p.decisions:
            todo += [d.block, *(c.block for c in d.choices)]
        at_once = {b for procedure in self.procedures.values() if not procedure.waits for b in procedure.blocks}
        calls = [block.exit for b, block in enumerate(self.p.blocks) if b not in at_once]
        todo += [e.behind for e in calls if isinstance(e, ir.Enter)]
        while todo:
            head = todo.pop()
            if head not in self.done:
                self.done.add(head)
                self._function(head)
                todo += self._needed

    def _procedure(self, first: int, procedure: Procedure) -> None:
        """Writes a procedure for those who call it, and for those who know it by its cells."""
        self._variables = self._all_variables
        cells = procedure.given() if procedure.waits else procedure.params
        known = [_variable(at) for at in cells]
        self._own = procedure.cells if procedure.waits else ()
        self._at_once = not procedure.waits
        body = self._body_of(first, known)
        if self._needed and not procedure.waits:  # it does not fit into a single function
            self.procedures[first] = replace(procedure, waits=True)
            self._procedure(first, self.procedures[first])
            return
        self.w.function(f"p{first}", ["s", "u", *known], body)
        self.done.add(first)
        lines = [f"{v} = s[{at}]" for v, at in zip(known, cells, strict=True)]
        for at in cells:
            lines += [f"u += {at}, s[{at}]", f"s[{at}] = 0"] if at in procedure.cells else []
        called = f"p{first}({', '.join(['s', 'u', *known])})"
        self._at_once, self._own = False, ()
        exits = (self.p.blocks[block].exit for block in procedure.blocks)
        left = [line for e in exits if isinstance(e, ir.Return) for line in self._returned(e)]
        lines += [f"return {called}"] if procedure.waits else [called, *left]
        self.w.function(f"b{first}", ["s", "u"], lines)

    def _function(self, head: int) -> None:
        """Writes what begins with a block for those who go on there: what its procedure has kept is in its cells.

        The others, which are zero, and the arguments of an option are Python's variables here, too.
        """
        here = self._of_block.get(head)
        given = self._arguments.get(head, ())
        args = tuple([at for at in given if at not in self._read])
        self._own, self._variables = args, self._all_variables.union(args)
        if here is not None:
            zero = self._zero_at[head].difference(here.rows)
            self._own = (*args, *(at for at in here.cells if at in zero and at not in args))
            self._variables = self._all_variables.difference(here.cells, here.params).union(self._own)
        names = [_variable(at) for at in given]
        body = [*_spilled([at for at in given if at not in args]), *self._body_of(head, names)]
        self.w.function(f"b{head}", ["s", "u", *names], body)

    def _body_of(self, head: int, given: Collection[str]) -> list[str]:
        self._head, self._again, self._chain, self._needed = head, False, 0, []
        self._noted = {ir.PC}
        self._zero = set(self._zero_at.get(head, ()))
        body, _ = self._region(head, -1, 0)
        if self._again:
            body = ["while True:", *("    " + line for line in body)]
            body[1:1] = ["    left[0] -= 1", "    if left[0] < left[1]: look(u)"]
        used = set(_NAME.findall("\n".join(body)))
        fresh = [v for v in map(_variable, self._own) if v in used and v not in given]
        return [f"{' = '.join(fresh)} = 0", *body] if fresh else body

    # --- from block to block ---------------------------------------------------------------

    def _region(self, number: int, stop: int, depth: int) -> tuple[list[str], bool]:
        """The lines of a block and of what follows, up to `stop`; and whether they may come to `stop`."""
        self._opened.add(number)
        self._chain += 1
        self._written += 1
        self._zero |= self._zero_at.get(number, frozenset())
        loop = self.loops.get(number)
        if loop is not None and len(self._inside) < _MAX_LOOPS and not self._again:
            found = self._for(number, loop, stop, depth)
        else:
            found = self._block(number, stop, depth)
        self._opened.discard(number)
        return found

    def _may_begin(self, head: int, stop: int, depth: int) -> bool:
        """Whether the loop that a block leads to is written right behind it."""
        fits = head in self.loops and len(self._inside) < _MAX_LOOPS and self._fits(depth)
        return fits and head != stop and head not in self._opened

    def _block(self, number: int, stop: int, depth: int) -> tuple[list[str], bool]:
        here = self.p.blocks[number]
        exit_ = here.exit
        body = here.body
        source = None
        if isinstance(exit_, ir.Goto) and self._may_begin(exit_.block, stop, depth):
            body, source = begun(body, self.loops[exit_.block])
        out = [line for i in body for line in self._instruction(i, returns=isinstance(exit_, ir.Return))]
        if source is not None and isinstance(exit_, ir.Goto):
            self._chain += 1
            lines, falls = self._for(exit_.block, self.loops[exit_.block], stop, depth, self._bound(source))
            return [*out, *lines], falls
        if isinstance(exit_, ir.Enter):
            return self._then([*out, *self._called(exit_)], exit_.behind, stop, depth)
        if isinstance(exit_, ir.Goto):
            return self._then(out, exit_.block, stop, depth)
        if isinstance(exit_, ir.Branch):
            test = self.x(exit_.condition)
            return self._ways(out, [(f"if {test}:", exit_.yes), ("else:", exit_.no)], number, stop, depth)
        if isinstance(exit_, ir.Switch):
            out.append(f"c = {self.x(exit_.value)}")
            cases: dict[int, list[int]] = {}
            for case, block in exit_.cases:
                cases.setdefault(block, []).append(case)
            ways = [(f"c in {tuple(v)}:" if len(v) > 1 else f"c == {v[0]}:", block) for block, v in cases.items()]
            ways = [(f"{'elif' if i else 'if'} {test}", block) for i, (test, block) in enumerate(ways)]
            return self._ways(out, [*ways, ("else:" if ways else "if True:", exit_.other)], number, stop, depth)
        if isinstance(exit_, ir.Return):
            return [*out, *self._returned(exit_)], False
        if isinstance(exit_, ir.Ask):
            return [*out, *self._stopped(), f"s[0] = {number}", "return -1"], False
        if isinstance(exit_, ir.End):
            winners = self.x(exit_.winners) if exit_.winners is not None else "-1"
            out += [f"n = {winners}", *self._stopped(), *self._note(ir.ENDING), *self._note(ir.WINNERS)]
            out += [f"s[0] = {number}", f"s[1] = {exit_.ending + 1}", "s[2] = n"]
            return [*out, "return -1"], False
        return [*out, "return -1"], False  # behind a jump: nothing leads here

    def _called(self, e: ir.Enter) -> list[str]:
        """A call; if the procedure has to wait, or goes on elsewhere, so does the one that has called it."""
        procedure = self.procedures.get(e.block)
        noted = "0" if e.usual else str(e.behind)
        if procedure is None:
            self._needed += [e.block, e.behind]
            out = [] if e.usual else [*self._note(e.back), f"s[{e.back}] = {noted}"]
            at_hand = {o.loop.at: f"v{o.slot}" for o in self._inside}
            out += [f"{self._cell(at)} = {at_hand[at]}" for at in self.flow.firsts[e.block] if at in at_hand]
            out.append(f"c = b{e.block}(s, u)")
        else:
            back = [noted] if procedure.waits and procedure.back is not None else []
            args = [self.x(ir.Cell(at, ir.Const(0), 1)) for at in procedure.params]
            call = f"p{e.block}({', '.join(['s', 'u', *back, *args])})"
            if not procedure.waits:
                return [call]
            self._needed.append(e.behind)
            out = [f"c = {call}"]
        return [*out, f"if c != {e.behind}:", *("    " + line for line in (*self._stopped(), "return c"))]

    def _returned(self, e: ir.Return) -> list[str]:
        """The end of a procedure: says where to go on, unless it is done at once."""
        if self._at_once:
            return ["return"]
        if e.cell in self._own:
            return [f"return {_variable(e.cell)} or {e.usual}"]
        return [f"c = s[{e.cell}]", "if c:", f"    u += {e.cell}, c", f"    s[{e.cell}] = 0", f"return c or {e.usual}"]

    def _then(self, out: list[str], target: int, stop: int, depth: int) -> tuple[list[str], bool]:
        more, falls = self._jump(target, stop, depth)
        return [*out, *more], falls

    def _ways(
        self, out: list[str], ways: list[tuple[str, int]], number: int, stop: int, depth: int
    ) -> tuple[list[str], bool]:
        """Branches, and what comes where they meet again."""
        meet = self.meets.get(number, -1)
        if meet in self._opened or (meet >= 0 and meet != stop and not self._fits(depth)):
            meet = -1
        inner = stop if meet < 0 else meet
        falls = False
        zero = self._zero
        behind: list[set[int]] = []
        for i, (test, target) in enumerate(ways):
            last = i == len(ways) - 1 and not falls  # what comes before does not come here: no `else` is needed
            before = set(self._noted)
            self._zero = set(zero)
            lines, may = self._jump(target, inner, depth + (not last))
            self._noted = before
            behind += [self._zero] if may else []
            falls = falls or may
            out = [*out, *lines] if last else [*out, test, *("    " + line for line in lines or ["pass"])]
        self._zero = set.intersection(*behind) if behind else set()
        if meet < 0 or meet == stop or not falls:
            return out, falls and (meet < 0 or meet == stop)
        return self._then(out, meet, stop, depth)

    def _jump(self, target: int, stop: int, depth: int) -> tuple[list[str], bool]:
        if target == stop:
            return [], True
        if self._inside:
            innermost = self._inside[-1]
            if target == innermost.head:
                return ["continue"], False
            if target == innermost.loop.behind:
                return [*self._keep(innermost), "break"], False
        elif target == self._head:
            self._again = True
            return ["continue"], False
        if target not in self._opened and self._fits(depth):
            return self._region(target, stop, depth)
        self._needed.append(target)
        return [*self._stopped(), f"return {target}"], False

    def _fits(self, depth: int) -> bool:
        return depth < _MAX_DEPTH and self._chain < _MAX_CHAIN and self._written < self._most_written

    # --- loops over sets -------------------------------------------------------------------

    def _for(
        self, head: int, loop: Loop, stop: int, depth: int, source: ir.Expr | None = None
    ) -> tuple[list[str], bool]:
        """A loop from the set that is left of it on; or from its beginning, over `source`."""
        slot = _FIRST_LOOP_SLOT + len(self._inside)
        self._opened.add(head)
        member, mask = f"v{slot}", f"m{slot}"
        fresh = source is not None and loop.rest in self._zero
        out = [*([] if fresh else self._note(loop.rest)), *self._note(loop.at)]
        self._zero = set(self._zero_at.get(head, ()))  # what holds each time
        begun = ir.Cell(loop.rest, ir.Const(0), 1) if source is None else source
        cyclic = loop.start != ir.Const(0)
        within = None if cyclic else self._within(loop)
        last = member
        if isinstance(begun, ir.Const) and not cyclic:
            mask, members = str(begun.value), self.w.members_of(begun)
            last = str(begun.value.bit_length() - 1) if begun.value else member
        else:
            out.append(f"{mask} = {self.x(begun)}")
            members = f"around[{mask}, {self.x(loop.start)}]" if cyclic else f"bits[{mask}]"
            last = f"{mask}.bit_length() - 1 if {mask} else {member}" if within is not None else member
        if within is not None:
            chosen = self._bound(within)
            members = self.w.members_of(chosen) if begun == loop.over else f"bits[{mask} & {self.w.x(chosen)}]"
        ended = [f"{self._cell(loop.rest)} = 0"] if not fresh else []
        ended = [*ended, f"{self._cell(loop.at)} = {last}"] if self._is_kept(loop) else []
        whole = self._slices(loop, begun)
        if whole is not None:
            out += [*whole, *ended]
        else:
            noted = set(self._noted)
            opened = _Open(head, loop, slot, mask)
            self._inside.append(opened)
            body, _ = self._body(loop, head, depth + 1)
            self._inside.pop()
            self._noted = noted
            if cyclic:
                body = [f"{mask} ^= 1 << {member}", *body]
            out += [f"{member} = {self._cell(loop.at)}"] if ended else []
            out += self._counted(opened)
            out += [f"for {member} in {members}:", *("    " + line for line in body)]
            out += ["else:", *("    " + line for line in ended)] if ended else []
        self._zero = set(self._zero_at.get(loop.behind, ()))
        found = self._then(out, loop.behind, stop, depth)
        self._opened.discard(head)
        return found

    def _within(self, loop: Loop) -> ir.Expr | None:
        """The members that come into question, if that is known before they are asked."""
        test = self.p.blocks[loop.body].exit
        return test.within if isinstance(test, ir.Branch) else None

    def _counted(self, o: _Open) -> list[str]:
        """Counts how often a loop goes round; that of a small loop in another one is counted with the other one."""
        if not o.mask.isdigit():
            times = f"({o.mask}).bit_count()" + (f" * {1 + o.inner}" if o.inner else "")
            return [f"left[0] -= {times}", "if left[0] < left[1]: look(u)"]
        rounds = int(o.mask).bit_count() * (1 + o.inner)
        if self._inside and rounds <= _FEW_ROUNDS:
            self._inside[-1].inner += rounds
            return []
        return [f"left[0] -= {rounds}", "if left[0] < left[1]: look(u)"]

    def _slices(self, loop: Loop, source: ir.Expr) -> list[str] | None:
        """A loop that only puts numbers into the cells of neighbours, as assignments to those that have others."""
        if "slices" not in self.w.passes or not isinstance(source, ir.Const):
            return None
        if source.value & (source.value + 1) or source.value < _MANY:
            return None
        block = self.p.blocks[loop.body]
        if not isinstance(block.exit, ir.Goto) or self.loops.get(block.exit.block) != loop or loop.start != ir.Const(0):
            return None
        member = ir.Cell(loop.at, ir.Const(0), 1)
        count = source.value.bit_length()
        before, tests, columns = [], [], []
        values: dict[int, str] = {}
        stores = [i for i in block.body[2:] if isinstance(i, ir.Store) and i.target.index == member]
        if len(stores) < len(block.body) - 2:
            return None
        written = [(i.target.base, i.target.base + count) for i in stores]
        for k, i in enumerate(stores):
            values[i.target.base] = f"t{k}"
            if isinstance(i.value, ir.Const):
                if i.low is not None and i.high is not None and not i.low <= i.value.value <= i.high:
                    return None
                values[i.target.base] = f"[{i.value.value}] * {count}"
                continue
            first = _neighbours(i.value, member, written)
            if first is None or i.low is None or i.high is None:
                return None
            before.append(f"t{k} = s[(p := {self.x(first)}):p + {count}]")
            pieces = isinstance(i.value, ir.Cell) and self.p.cells[i.value.base].group == "pieces"  # never below zero
            tests += [f"min(t{k}) < {i.low}"] if i.low > 0 or not pieces else []
            tests.append(f"max(t{k}) > {i.high}")
            columns.append(f"(t{k}, {i.low}, {i.high}, {i.site})")
        if tests:
            before.append(f"if {' or '.join(tests)}: check_all({', '.join(columns)})")
        return [*before, *_assigned(values, count)]

    def _body(self, loop: Loop, head: int, depth: int) -> tuple[list[str], bool]:
        """The block behind a loop's head, without the two instructions that take the next member."""
        block = self.p.blocks[loop.body]
        whole = block.body
        block.body = whole[2:]
        try:
            lines, falls = self._region(loop.body, head, depth)
        finally:
            block.body = whole
        return lines or ["pass"], falls

    def _is_kept(self, loop: Loop) -> bool:
        """Whether somebody may ask for a loop's place."""
        return loop.at not in self._variables or loop.at in self._own

    def _keep(self, o: _Open) -> list[str]:
        """What puts a loop's place into its cells."""
        if not self._is_kept(o.loop):
            return []
        left = f"{o.mask} & (-2 << v{o.slot})" if o.loop.start == ir.Const(0) else o.mask
        kept = [f"{self._cell(o.loop.rest)} = {left}", f"{self._cell(o.loop.at)} = v{o.slot}"]
        return [*self._note(o.loop.rest), *kept]

    def _stopped(self) -> list[str]:
        """What puts everything into its cells that is needed to go on."""
        kept = [line for o in self._inside for line in self._keep(o)]
        return [*kept, *_spilled([at for at in self._own if at not in self._zero])]

    # --- instructions ----------------------------------------------------------------------

    def x(self, e: ir.Expr) -> str:
        """An expression, which may read the members that loops are at, and variables."""
        return self.w.x(self._bound(e))

    def _bound(self, e: ir.Expr) -> ir.Expr:
        if not self._inside and not self._variables:
            return e
        if isinstance(e, ir.Cell) and isinstance(e.index, ir.Const):
            at = e.base + e.index.value
            other = ir.Local(_FIRST_VARIABLE_SLOT + at) if at in self._variables else e
            return next((ir.Local(o.slot) for o in self._inside if o.loop.at == at), other)
        return changed(e, self._bound)

    def _address(self, c: ir.Cell) -> str:
        return self.w.address(ir.Cell(c.base, self._bound(c.index), c.size))

    def _note(self, at: int) -> list[str]:
        """What keeps the value of a cell before it is written for the first time."""
        if at in self._noted or at in self._variables:
            return []
        self._noted.add(at)
        return [f"u += {self._held(at)}"]

    def _held(self, at: int) -> str:
        """A cell and what it holds, for the journal."""
        return f"{at}, 0" if at in self._zero else f"{at}, s[{at}]"

    def _cell(self, at: int) -> str:
        """A cell to be written, or the variable that stands for it."""
        self._zero.discard(at)
        return _variable(at) if at in self._variables else f"s[{at}]"

    def _place(self, c: ir.Cell, name: str) -> tuple[list[str], str]:
        """Where to write: lines that find the place and keep what is there, and the place."""
        at = self._address(c)
        if not at.isdigit():
            self._zero.difference_update([zero for zero in self._zero if zero in span(c)])
            return [f"{name} = {at}", f"u += {name}, s[{name}]"], f"s[{name}]"
        return self._note(int(at)), self._cell(int(at))

    def _kept_sets(self, c: ir.Cell, at: str, crossed: str) -> list[str]:
        """What brings the sets up to date that a cell has come into or gone out of."""
        if not any(meet(span(c), array) for array in self.kept):
            return []
        return [f"if {crossed}:", f"    for k, w in K[{at[2:-1]}]:", "        u += k, s[k]", "        s[k] ^= w"]

    def _instruction(self, i: ir.Instruction, *, returns: bool) -> list[str]:
        if isinstance(i, ir.Store):
            value = self._bound(i.value)
            known = value.value if isinstance(value, ir.Const) else None
            checked = i.low is not None and i.high is not None and not (known is not None and i.low <= known <= i.high)
            where, at = self._place(i.target, "a")
            new = self.w.number(value)
            first = []
            if checked or (known is None and (at == "s[a]" or self.w.facts.may_fault(i.target))):
                first = [f"n = {new}", f"if not {i.low} <= n <= {i.high}: outside(n, {i.site})"][: 1 + checked]
                new = "n"
            if at == "s[a]":  # often what is there already, such as a mark that is gone
                return [*first, where[0], f"if s[a] != {new}:", f"    {where[1]}", f"    s[a] = {new}"]
            return [*first, *where, f"{at} = {new}"]
        if isinstance(i, ir.Transfer):
            noted = set(self._noted)
            from_, source = self._place(i.source, "a")
            to, target = self._place(i.target, "b")
            amount = self.w.number(self._bound(i.amount))
            over = f"n > {MAX_NUMBER}" if i.unlimited else f"n > {source}"
            fault = f"if n < 0 or {over}: too_much(n, {source}, {i.site})"
            less = [f"{source} -= n", *self._kept_sets(i.source, source, f"-n < {source} <= 0")]
            more = [f"{target} += n", *self._kept_sets(i.target, target, f"0 < {target} <= n")]
            lines = [*from_, *to, fault, *less, *more]
            if amount.isdigit() or self.w.facts.may_fault(i.source) or self.w.facts.may_fault(i.target):
                return [f"n = {amount}", *lines]
            self._noted = noted
            return [f"n = {amount}", "if n:", *("    " + line for line in lines)]
        assert isinstance(i, ir.Clear)
        filled = [at for at in range(i.base, i.base + i.size) if at not in self._zero]
        cells = [at for at in filled if at not in self._variables]
        held = [self._held(at) for at in cells if at not in self._noted]
        self._noted.update(cells)
        self._zero.update(filled)
        out = [f"u += {', '.join(held)}"] if held else []
        out += [f"{_place(run)} = {'0' if len(run) == 1 else f'(0,) * {len(run)}'}" for run in _runs(cells)]
        if not returns:  # else nobody reads its variables any more
            out += [f"{_variable(at)} = 0" for at in filled if at in self._own]
        return out


def _assigned(values: dict[int, str], count: int) -> list[str]:
    """Assigns numbers to `count` cells behind each of some, where they have others; to neighbours at once."""
    out: list[str] = []
    for run in _runs([at for base in sorted(values) for at in range(base, base + count)]):
        first, end = run.start, run.stop
        cells = f"s[{first}:{end}]"
        parts = [values[base] for base in run if base in values]
        if all(part.startswith("[0]") for part in parts):
            others, new = cells, "0"
        else:
            out.append(f"w = {' + '.join(parts)}")
            others, new = f"map(ne, {cells}, w)", f"w[k - {first}]"
        out += [f"for k in compress(range({first}, {end}), {others}):", "    u += k, s[k]", f"    s[k] = {new}"]
    return out


def _variable(at: int) -> str:
    """The Python variable that stands for a cell."""
    return f"v{_FIRST_VARIABLE_SLOT + at}"


def _spilled(cells: Sequence[int]) -> list[str]:
    """What puts variables into their cells, which are zero."""
    if not cells:
        return []
    values = [f"{_place(run)} = {', '.join(map(_variable, run))}" for run in _runs(cells)]
    return [f"u += {', '.join(f'{at}, 0' for at in cells)}", *values]


def _runs(cells: Sequence[int]) -> list[range]:
    """Cells, in their order, by neighbours."""
    runs: list[range] = []
    for at in cells:
        if runs and at == runs[-1].stop:
            runs[-1] = range(runs[-1].start, at + 1)
        else:
            runs.append(range(at, at + 1))
    return runs


def _place(run: range) -> str:
    return f"s[{run.start}]" if len(run) == 1 else f"s[{run.start}:{run.stop}]"


def _neighbours(value: ir.Expr, member: ir.Cell, written: list[tuple[int, int]]) -> ir.Expr | None:
    """The address of the first of the neighbouring cells that a loop reads one by one.

    None if it reads something else, or what it writes itself.
    """
    if not isinstance(value, ir.Cell):
        return None
    rest = _less(value.index, member)
    if rest is None:
        return None
    for read in walk(ir.Cell(value.base, rest, value.size)):
        if isinstance(read, ir.Call | ir.Positive | ir.Total):
            return None
        if isinstance(read, ir.Cell):
            first = read.base + (read.index.value if isinstance(read.index, ir.Const) else 0)
            if any(first < end and start < read.base + read.size for start, end in written):
                return None
    return op("+", ir.Const(value.base), rest)


def _less(sum_: ir.Expr, part: ir.Expr) -> ir.Expr | None:
    """A sum without one of its parts, which must be in it once."""
    if sum_ == part:
        return ir.Const(0)
    if isinstance(sum_, ir.Op) and sum_.op == "+":
        for one, other in (sum_.args, sum_.args[::-1]):
            if part not in walk(other) and (rest := _less(one, part)) is not None:
                return op("+", rest, other)
    return None
