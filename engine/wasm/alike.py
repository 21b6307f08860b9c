"""Listing of interchangeable tokens: only the first token with a legal option is listed (see `program.alike`).

Before options are listed, a function finds the first token of each token's class. It starts with one class per owner,
then splits the classes by each array of values in turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, product

from rulespec.engine.program import ir
from rulespec.engine.program.alike import kind_of, secrets_of
from rulespec.engine.program.columns import form_of
from rulespec.engine.program.liveness import Frames
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.wasm_format import I64

_NOTHING = -2
"""The marker of a cell that concerns no token."""


class AlikeEmitter:
    """An emitter of the code that lists only one token of each class.

    Args:
        x: the emitter of expressions.
    """

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        self._names = {kind: f"alike{number}" for number, kind in enumerate(x.p.alike)}
        self._secrets = secrets_of(x.p)
        self._firsts: dict[str, int] = {}
        self._done: dict[tuple[str, int], int] = {}
        self._marks: dict[int, int] = {}
        self._stamps: dict[int, int] = {}

    def write(self) -> None:
        """For each kind, writes a function that takes a block and a seat (-1 for all) and finds the first token of each
        class.
        """
        memory, p = self.x.memory, self.x.p
        frames = Frames(p)
        returns = frames.returns if p.alike else {}
        self._saved = frames.saved if p.alike else {}
        self._write_depths()
        ways = [returns.get(block) for block in range(len(p.blocks))] if p.alike else []
        memory.constants["RETURNS"] = memory.numbers([memory.address(w.cell) if w else 0 for w in ways])
        memory.constants["USUAL"] = memory.numbers([w.usual if w else 0 for w in ways])
        for kind, alike in p.alike.items():
            row = self._laid_out(kind, alike)
            code = self.x.begin(2)
            code.const(row)
            code.call("alike_begin")
            if self._secrets[kind]:
                seats = code.local()
                code.const((1 << p.seats) - 1)
                code.const(1)
                code.get(1)
                code.do("shl")
                code.get(1)
                code.const(0)
                code.do("lt_s", "select")
                code.set(seats)
                for secret in self._secrets[kind]:
                    self._unseen(kind, secret, row, seats)
            code.const(row)
            code.get(0)
            code.call("alike_end")
            code.module.define(self._names[kind], code, 2)

    def _write_depths(self) -> None:
        """Writes the return targets of each frame of procedures that may call themselves."""
        memory, p = self.x.memory, self.x.p
        counters = {frame.depth: memory.room(8) for frame in p.frames.values()}
        cells = [memory.address(depth) for depth in counters]
        pairs = zip(counters.values(), cells, strict=True)
        memory.constants["DEPTHS"] = memory.numbers([len(counters), *chain.from_iterable(pairs)])
        records = [0] * len(p.blocks)
        backs = {first: cells[0] for first, cells in p.entries.values()}
        for first, frame in p.frames.items():
            record = memory.numbers([counters[frame.depth], memory.address(frame.rows[backs[first]])])
            for block in frame.afters:
                records[block] = record
        memory.constants["SAVED_CALLS"] = memory.numbers(records)

    def _laid_out(self, kind: str, alike: ir.Alike) -> int:
        """The address of a kind's descriptor, which the fixed functions read."""
        memory, size = self.x.memory, self.x.p.sizes[kind]
        words = memory.words
        firsts, spare, alone, members = (memory.room(8 * size) for _ in range(4))
        self._firsts[kind] = firsts
        notes = {block: not alike.revealed.isdisjoint(cells) for block, cells in alike.live.items()}
        live = [
            self._lists(block, cells, notes[block]) if (cells := alike.live.get(block)) else 0
            for block in range(len(self.x.p.blocks))
        ]
        fields = [(memory.address(at), words if self.x.widths.cells[at] else 1) for at in alike.fields]
        return memory.numbers(
            [
                *(size, alike.number, firsts, spare, alone, members, memory.numbers(live), size.bit_length()),
                self._list(alike.named, revealed=False),
                memory.numbers([len(fields), *(x for field in fields for x in field)]),
            ]
        )

    def _lists(self, block: int, cells: tuple[int, ...], revealed: bool) -> int:
        """The address of a list of a block's cells, or of their addresses if its procedure has frames."""
        frame = self._saved.get(block)
        if frame is None:
            return self._list(cells, revealed)
        rows = [tuple([frame.rows[at] + k if at in frame.rows else at for at in cells]) for k in range(frame.size)]
        return self.x.memory.numbers([self._list(row, revealed) for row in rows])

    def _list(self, cells: tuple[int, ...], revealed: bool) -> int:
        """The address of a list of cells that hold a token, or a set or order of tokens."""
        flat = [int(revealed), len(cells)]
        for at in cells:
            form = form_of(self.x.p.cells[at].type)[0]
            wide = self.x.widths.cells[at]
            flat += [{"set": 1, "order": 3}[form] + wide if form in ("set", "order") else 0, self.x.memory.address(at)]
        return self.x.memory.numbers(flat)

    def _unseen(self, kind: str, secret: ir.Secret, row: int, seats: int) -> None:
        """Marks the cells of a secret that are hidden from some of the seats."""
        x, code, alike = self.x, self.x.code, self.x.p.alike[kind]
        tokens = {first + token: token for first in alike.fields for token in range(x.p.sizes[kind])}
        tells = [-1 if at in alike.named else tokens.get(at, _NOTHING) for at in secret.cells]
        tells = [what for what, _ in zip(tells, product(*map(range, secret.sizes)), strict=False)]
        with code.scope(), ExitStack() as loops:
            at = code.local()
            code.const(x.memory.numbers(tells))
            code.set(at)
            x.slots = {slot: loops.enter_context(self._each(size)) for slot, size in enumerate(secret.sizes)}
            x.value(secret.to)
            code.get(seats)
            code.do("and")
            code.get(seats)
            code.do("ne")
            if secret.open is not None:
                x.truth(secret.open)
                code.do("i32.eqz", "i32.and")
            code.if_()
            code.const(row)
            code.get(at)
            code.do("wrap")
            code.load()
            code.call("alike_unseen")
            code.end()
            code.get(at)
            code.const(8)
            code.do("add")
            code.set(at)
        x.slots = {}

    @contextmanager
    def _each(self, size: int) -> Iterator[int]:
        """A loop over the numbers below a positive `size`; returns the local with the number."""
        code = self.x.code
        local = code.local()
        code.const(0)
        code.set(local)
        again = code.loop()
        yield local
        code.get(local)
        code.const(1)
        code.do("add")
        code.tee(local)
        code.const(size)
        code.do("lt_s")
        code.br_if(again)
        code.end()

    # --- in a list of options --------------------------------------------------------------

    def find(self, number: int, d: ir.Decision, *, interrupts: bool) -> None:
        """Emits calls that find the first token of each class needed for the decider's options or, with `interrupts`,
        for those of other seats.
        """
        code = self.x.code
        chosen = [c for c in d.choices if (c.by is not None) == interrupts]
        for kind in sorted({kind_of(q) for c in chosen for q in c.params if q.alike}):
            code.const(d.block)
            if interrupts or d.among is not None or not self._secrets[kind]:
                code.const(-1)
            else:
                code.const(number)
                code.call("who")
            code.call(self._names[kind])

    def begin(self, c: ir.Choice, depth: int) -> None:
        """Emits code that clears the marks of listed tokens, before the loop over a parameter's values."""
        code = self.x.code
        if not c.params[depth].alike:
            return
        register = self.x.memory.constants["STAMP"]
        stamp = self._stamps[depth] = code.local()
        code.at(register)
        code.const(1)
        code.do("add")
        code.set(stamp)
        code.const32(0)
        code.get(stamp)
        code.store(register)

    def unless_listed(self, c: ir.Choice, depth: int, again: int) -> None:
        """Skips a value if a token of the same class has been listed."""
        x, code, q = self.x, self.x.code, c.params[depth]
        if not q.alike:
            return
        kind = kind_of(q)
        size, value = x.p.sizes[kind], x.slots[q.slot]
        earlier = [x.slots[other.slot] for other in c.params[:depth] if kind_of(other) == kind]
        mark = self._marks[depth] = code.local()
        code.get(value)
        code.const(0)
        code.do("lt_s")
        code.if_(I64)
        code.const(2 * size)
        code.else_()
        code.const32(0)
        for other in earlier:
            code.get(value)
            code.get(other)
            code.do("eq", "i32.or")
        code.if_(I64)
        code.get(value)
        code.const(size)
        code.do("add")
        code.else_()
        code.get(value)
        code.do("wrap")
        code.const32(3)
        code.do("i32.shl")
        code.load(self._firsts[kind])
        code.end()
        code.end()
        code.const(3)
        code.do("shl")
        code.const(self._room(kind, depth))
        code.do("add")
        code.tee(mark)
        code.do("wrap")
        code.load()
        code.get(self._stamps[depth])
        code.do("eq")
        code.br_if(again)

    def listed(self, c: ir.Choice) -> None:
        """Marks the tokens of a listed option, so that the other tokens of their classes are skipped."""
        code = self.x.code
        for depth, q in enumerate(c.params):
            if q.alike:
                code.get(self._marks[depth])
                code.do("wrap")
                code.get(self._stamps[depth])
                code.store()

    def _room(self, kind: str, depth: int) -> int:
        """The address of the stamps of listed tokens: one for each first token, each earlier argument, and none."""
        if (kind, depth) not in self._done:
            self._done[kind, depth] = self.x.memory.room(8 * (2 * self.x.p.sizes[kind] + 1))
        return self._done[kind, depth]
