"""Blocks of a program, written as the body of a Python function.

Within a function, branches that join become `if … else`, and loops over sets become `for`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Loop, begun
from rulespec.engine.python.expressions import ExpressionWriter
from rulespec.engine.python.features import EmissionPlan
from rulespec.engine.python.instructions import InstructionWriter, spilled, variable
from rulespec.engine.python.slices import sliced

_NAME = re.compile(r"\w+")
_MAX_DEPTH = 24
_MAX_LOOPS = 8
_MAX_CHAIN = 150
_FEW_STEPS = 100_000
"""The step limit up to which the surrounding code charges a loop or procedure in advance, at its bound."""
_RARE_STEPS = 500
"""The step limit above which a branch in a loop counts its own steps; otherwise each iteration would pay for it."""
_LONG_STEPS = 20_000
"""The same limit for all other branches."""
_FIRST_LOOP_SLOT = 100_000
"""The first of the slots for loop variables over sets, which no expression uses."""


class _OpenLoop(Struct):
    """A loop whose body is being written.

    Attributes:
        head: the block that decides whether to iterate.
        loop: the loop.
        slot: the slot whose variable `v…` holds the current member.
        mask: the set of the loop; `m…`, with the remaining members, if it does not start at the first member.
    """

    head: int
    loop: Loop
    slot: int
    mask: str


class BlockWriter:
    """A writer of the body of one function.

    Args:
        writer: the writer of expressions.
        plan: the plan of the program, which counts the written blocks.
        head: the first block of the function.
        variables: the cells held in Python variables.
        own: the cells among these that are stored when the game has to wait.
        at_once: whether the function is a procedure that neither waits nor ends the game.

    Attributes:
        needed: the blocks that need functions because this function jumps to them.
        steps: the maximum steps of the code so far, excluding code that counts its own steps.
    """

    def __init__(
        self,
        writer: ExpressionWriter,
        plan: EmissionPlan,
        head: int,
        variables: frozenset[int],
        own: Sequence[int],
        *,
        at_once: bool = False,
    ) -> None:
        self.w = writer
        self.p = writer.p
        self.plan = plan
        self.i = InstructionWriter(writer, plan, variables, own)
        self.needed: list[int] = []
        self.steps = 0
        self._head = head
        self._own = own
        self._at_once = at_once
        self._again = False
        """Whether the function jumps back to its head."""
        self._chain = 0
        """The number of blocks written so far."""
        self._inside: list[_OpenLoop] = []
        self._opened: set[int] = set()
        """The blocks that enclose the current position; a block is never generated inside itself."""

    def body(self, parameters: Collection[str]) -> list[str]:
        """The lines of the function body; `parameters` are the variables passed as parameters."""
        self.i.zero = set(self.plan.zero_at.get(self._head, ()))
        body, _ = self._region(self._head, -1, 0)
        if self._again:
            body = ["while True:", *("    " + line for line in [*counted(self.steps), *body])]
            self.steps = 1
        used = set(_NAME.findall("\n".join(body))) if self._own else set()
        fresh = [v for v in map(variable, self._own) if v in used and v not in parameters]
        return [f"{' = '.join(fresh)} = 0", *body] if fresh else body

    # --- from block to block ---------------------------------------------------------------

    def _region(self, number: int, stop: int, depth: int) -> tuple[list[str], bool]:
        """The lines from a block up to `stop`, and whether control may reach `stop`."""
        self._opened.add(number)
        self._chain += 1
        self.plan.written += 1
        self.steps += self.plan.costs.block(number)
        self.i.zero |= self.plan.zero_at.get(number, frozenset())
        loop = self.plan.loops.get(number)
        if loop is not None and len(self._inside) < _MAX_LOOPS and not self._again:
            result = self._for(number, loop, stop, depth)
        else:
            result = self._block(number, stop, depth)
        self._opened.discard(number)
        return result

    def _may_begin(self, head: int, stop: int, depth: int) -> bool:
        """Whether to write the loop that starts at a block's target inline."""
        fits = head in self.plan.loops and len(self._inside) < _MAX_LOOPS and self._fits(depth)
        return fits and head != stop and head not in self._opened

    def _block(self, number: int, stop: int, depth: int) -> tuple[list[str], bool]:
        place = self.p.blocks[number]
        exit_ = place.exit
        body = place.body
        source = None
        if isinstance(exit_, ir.Goto) and self._may_begin(exit_.block, stop, depth):
            body, source = begun(body, self.plan.loops[exit_.block])
        out = [line for i in body for line in self.i.instruction(i, returns=isinstance(exit_, ir.Return))]
        if source is not None and isinstance(exit_, ir.Goto):
            self._chain += 1
            self.steps += self.plan.costs.block(exit_.block)
            lines, falls = self._for(exit_.block, self.plan.loops[exit_.block], stop, depth, self.i.bound(source))
            return [*out, *lines], falls
        if isinstance(exit_, ir.Enter):
            return self._then([*out, *self._called(exit_)], exit_.after, stop, depth)
        if isinstance(exit_, ir.Goto):
            return self._then(out, exit_.block, stop, depth)
        if isinstance(exit_, ir.Branch):
            test = self.i.x(exit_.condition)
            return self._ways(out, [(f"if {test}:", exit_.yes), ("else:", exit_.no)], number, stop, depth)
        if isinstance(exit_, ir.Switch):
            out.append(f"c = {self.i.x(exit_.value)}")
            cases: dict[int, list[int]] = {}
            for case, block in exit_.cases:
                cases.setdefault(block, []).append(case)
            texts = {block: [f"{case:d}" for case in listed] for block, listed in cases.items()}
            ways = [(f"c in ({', '.join(v)}):" if len(v) > 1 else f"c == {v[0]}:", block) for block, v in texts.items()]
            ways = [(f"{'elif' if i else 'if'} {test}", block) for i, (test, block) in enumerate(ways)]
            return self._ways(out, [*ways, ("else:" if ways else "if True:", exit_.other)], number, stop, depth)
        if isinstance(exit_, ir.Return):
            return [*out, *returned(exit_, self._own, at_once=self._at_once)], False
        if isinstance(exit_, ir.Ask):
            return [*out, *self._stopped(), f"s[0] = {number:d}", "return -1"], False
        if isinstance(exit_, ir.End):
            winners = self.i.x(exit_.winners) if exit_.winners is not None else "-1"
            out += [f"n = {winners}", *self._stopped(), *self.i.note(ir.ENDING), *self.i.note(ir.WINNERS)]
            out += [f"s[0] = {number:d}", f"s[1] = {exit_.ending + 1:d}", "s[2] = n"]
            return [*out, "return -1"], False
        return [*out, "return -1"], False  # unreachable after a jump

    def _called(self, e: ir.Enter) -> list[str]:
        """A call; if the procedure may wait or continue elsewhere, so may its caller."""
        procedure = self.plan.procedures.get(e.block)
        self.steps += self.plan.charged.get(e.block, 1)
        noted = "0" if e.usual else f"{e.after:d}"
        if procedure is None:
            self.needed += [e.block, e.after]
            out = [] if e.usual else [*self.i.note(e.back), f"s[{e.back:d}] = {noted}"]
            out += [*self._at_hand(self.plan.flow.firsts[e.block]), f"c = b{e.block:d}(s, u)"]
        else:
            back = [noted] if procedure.waits and procedure.back is not None else []
            args = [self.i.x(ir.Cell(at, ir.Const(0), 1)) for at in procedure.params]
            call = f"p{e.block:d}({', '.join(['s', 'u', *back, *args])})"
            # The procedure reads the parameters that it shares with its caller from cells, unless all use variables.
            out = self._at_hand([at for at in procedure.params if at not in self.plan.variables])
            if not procedure.waits:
                return [*out, call]
            self.needed.append(e.after)
            out.append(f"c = {call}")
        return [*out, f"if c != {e.after:d}:", *("    " + line for line in (*self._stopped(), "return c"))]

    def _at_hand(self, cells: Iterable[int]) -> list[str]:
        """The lines that store the current members of loops in those of their cells that a called function reads."""
        members = self.i.members
        return [f"{self.i.cell(at)} = v{members[at]:d}" for at in cells if at in members]

    def _then(self, out: list[str], target: int, stop: int, depth: int) -> tuple[list[str], bool]:
        more, falls = self._jump(target, stop, depth)
        return [*out, *more], falls

    def _ways(
        self, out: list[str], ways: list[tuple[str, int]], number: int, stop: int, depth: int
    ) -> tuple[list[str], bool]:
        """Branches, and the code after their join."""
        meet = self.plan.meets.get(number, -1)
        if meet in self._opened or (meet >= 0 and meet != stop and not self._fits(depth)):
            meet = -1
        inner = stop if meet < 0 else meet
        falls = False
        zero, steps = self.i.zero, self.steps
        after: list[set[int]] = []
        most = steps
        for i, (test, target) in enumerate(ways):
            last = i == len(ways) - 1 and not falls  # earlier branches do not fall through, so no `else` is needed
            before = set(self.i.noted)
            self.i.zero, self.steps = set(zero), steps
            lines, may = self._jump(target, inner, depth + (not last))
            again = not last if self._inside else self._head in self.plan.repeated
            if self.steps - steps > (_RARE_STEPS if again else _LONG_STEPS):
                lines = [*counted(self.steps - steps), *lines]
                self.steps = steps
            most = max(most, self.steps)
            self.i.noted = before
            after += [self.i.zero] if may else []
            falls = falls or may
            out = [*out, *lines] if last else [*out, test, *("    " + line for line in lines or ["pass"])]
        self.i.zero = set.intersection(*after) if after else set()
        self.steps = most
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
            if target == innermost.loop.after:
                return [*self._stored(innermost), "break"], False
        elif target == self._head:
            self._again = True
            return ["continue"], False
        if target not in self._opened and self._fits(depth):
            return self._region(target, stop, depth)
        self.needed.append(target)
        return [*self._stopped(), f"return {target}"], False

    def _fits(self, depth: int) -> bool:
        return depth < _MAX_DEPTH and self._chain < _MAX_CHAIN and self.plan.may_repeat()

    # --- loops over sets -------------------------------------------------------------------

    def _for(
        self, head: int, loop: Loop, stop: int, depth: int, source: ir.Expr | None = None
    ) -> tuple[list[str], bool]:
        """A loop over the rest of its set; with `source`, a loop from the start over that set."""
        slot = _FIRST_LOOP_SLOT + len(self._inside)
        self._opened.add(head)
        member, mask = f"v{slot:d}", f"m{slot:d}"
        fresh = source is not None and loop.rest in self.i.zero
        out = [*([] if fresh else self.i.note(loop.rest)), *self.i.note(loop.at)]
        self.i.zero = set(self.plan.zero_at.get(head, ()))  # holds in every iteration
        begun = ir.Cell(loop.rest, ir.Const(0), 1) if source is None else source
        cyclic = loop.start != ir.Const(0)
        within = None if cyclic else self._within(loop)
        last = member
        if isinstance(begun, ir.Const) and not cyclic:
            mask, members = f"{begun.value:d}", self.w.members_of(begun)
            last = f"{begun.value.bit_length() - 1:d}" if begun.value else member
        else:
            out.append(f"{mask} = {self.i.x(begun)}")
            members = f"around[{mask}, {self.i.x(loop.start)}]" if cyclic else f"bits[{mask}]"
            last = f"{mask}.bit_length() - 1 if {mask} else {member}" if within is not None else member
        if within is not None:
            chosen = self.i.bound(within)
            members = self.w.members_of(chosen) if begun == loop.over else f"bits[{mask} & {self.w.x(chosen)}]"
        ended = [f"{self.i.cell(loop.rest)} = 0"] if not fresh else []
        ended = [*ended, f"{self.i.cell(loop.at)} = {last}"] if self._in_cells(loop) else []
        whole = sliced(self.plan, loop, begun, self.i.x) if self.w.features.slices else None
        if whole is not None:
            self.steps += self.plan.costs.members(begun) * self._tested(head, loop)
            out += [*whole, *ended]
        else:
            noted = set(self.i.noted)
            opened = _OpenLoop(head, loop, slot, mask)
            self._inside.append(opened)
            self.i.members[loop.at] = slot
            before, self.steps = self.steps, self.plan.costs.block(head)
            body, _ = self._loop_body(loop, head, depth + 1)
            del self.i.members[loop.at]
            self._inside.pop()
            self.i.noted = noted
            if cyclic:
                body = [f"{mask} ^= 1 << {member}", *body]
            out += [f"{member} = {self.i.cell(loop.at)}"] if ended else []
            rounds = self.plan.costs.members(begun)
            if not few(rounds * self.steps):
                body = [*counted(self.steps), *body]
                self.steps = rounds = 0
                if within is not None:  # the rules test the condition of all others, too
                    before += self.plan.costs.members(loop.over) * self._tested(head, loop)
            self.steps = before + rounds * self.steps
            out += [f"for {member} in {members}:", *("    " + line for line in body)]
            out += ["else:", *("    " + line for line in ended)] if ended else []
        self.i.zero = set(self.plan.zero_at.get(loop.after, ()))
        result = self._then(out, loop.after, stop, depth)
        self._opened.discard(head)
        return result

    def _tested(self, head: int, loop: Loop) -> int:
        """The maximum steps of a loop's iteration up to its condition."""
        return self.plan.costs.block(head) + self.plan.costs.block(loop.body)

    def _within(self, loop: Loop) -> ir.Expr | None:
        """The members for which a loop's condition may hold, if known without testing each."""
        test = self.p.blocks[loop.body].exit
        return test.within if isinstance(test, ir.Branch) else None

    def _loop_body(self, loop: Loop, head: int, depth: int) -> tuple[list[str], bool]:
        """The block after a loop's head, without the two instructions that take the next member."""
        block = self.p.blocks[loop.body]
        whole = block.body
        block.body = whole[2:]
        try:
            lines, falls = self._region(loop.body, head, depth)
        finally:
            block.body = whole
        return lines or ["pass"], falls

    def _in_cells(self, loop: Loop) -> bool:
        """Whether a loop's position may be read from its cells."""
        return loop.at not in self.i.variables or loop.at in self._own

    def _stored(self, o: _OpenLoop) -> list[str]:
        """The lines that store a loop's position in its cells."""
        if not self._in_cells(o.loop):
            return []
        left = f"{o.mask} & (-2 << v{o.slot:d})" if o.loop.start == ir.Const(0) else o.mask
        lines = [f"{self.i.cell(o.loop.rest)} = {left}", f"{self.i.cell(o.loop.at)} = v{o.slot:d}"]
        return [*self.i.note(o.loop.rest), *lines]

    def _stopped(self) -> list[str]:
        """The lines that store everything needed to resume into cells."""
        loops = [line for o in self._inside for line in self._stored(o)]
        return [*loops, *spilled([at for at in self._own if at not in self.i.zero])]


def counted(steps: int) -> list[str]:
    """The lines that count steps."""
    return [f"left[0] -= {steps}", "if left[0] < left[1]: look(u)"]


def few(steps: int) -> bool:
    """Whether steps are few enough to be charged by the surrounding code."""
    return steps <= _FEW_STEPS


def returned(e: ir.Return, own: Sequence[int], *, at_once: bool = False) -> list[str]:
    """The lines that end a procedure with its return target; an `at_once` procedure simply returns to its caller."""
    if at_once:
        return ["return"]
    if e.cell in own:
        return [f"return {variable(e.cell)} or {e.usual:d}"]
    return [
        f"c = s[{e.cell:d}]",
        "if c:",
        f"    u += {e.cell:d}, c",
        f"    s[{e.cell:d}] = 0",
        f"return c or {e.usual:d}",
    ]
