"""Incremental tests of invariants: after a decision, only members whose test may read a changed cell are tested again.

Most invariants constrain every entity of a kind, and a decision changes few of them. An invariant `all x in SET: …`
over a constant set is therefore tested per member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from math import gcd
from typing import NamedTuple

from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.domains import members
from rulespec.engine.program.traversal import Binding, binds, highest, parts

MAX_LOOKED = 200_000
"""The maximum number of expressions searched for cells plus cells found, beyond which all members are tested."""


def split(p: ir.Program) -> ir.Program:
    """The program, with invariants split so that they can be tested for individual members."""
    return replace(p, invariants=[_split(v) for v in p.invariants])


def _split(v: ir.Invariant) -> ir.Invariant:
    e = v.condition.expr
    if not isinstance(e, ir.Fold) or e.op != "all" or not isinstance(e.source, ir.Const) or not e.source.value:
        return v
    asked = highest(e) + 1
    some = replace(e, source=ir.Local(asked))
    return replace(v, condition=replace(v.condition, expr=some), each=(asked, e.source.value))


class _Sum(NamedTuple):
    """A bound on a number: `times` the tested member + `plus` + a multiple of `step` from 0 to `most`.

    Without `most`, it may be any multiple, including negative ones.
    """

    times: int
    plus: int
    step: int
    most: int | None


_UNKNOWN = _Sum(0, 0, 1, None)


class _Reads(NamedTuple):
    """A read of a cell from `base` to `base + size - 1`, with the bound on its index."""

    base: int
    size: int
    at: _Sum

    def of(self, member: int) -> range:
        """The cells that a member's test may read."""
        times, plus, step, most = self.at
        cells = range(self.base, self.base + self.size)
        first = times * member + plus
        if most is None:
            return cells[first % step :: step]
        return cells[first : first + most + 1 : step or 1] if first >= 0 and first + most < self.size else cells


class Invariants:
    """The invariants of a program, as functions.

    Args:
        p: the program, with or without split invariants.
        holds: for each invariant, a function of the state and a set of members that returns whether the invariant holds
            for them.

    Attributes:
        members: index of an invariant → all members for which it is tested.
    """

    def __init__(self, p: ir.Program, holds: Sequence[Callable[[State, int], int]]) -> None:
        self._p = p
        self.holds = holds
        self.members = {number: _asked(v) for number, v in enumerate(p.invariants)}

    def broken(self, state: State, since: Sequence[Journal] | None) -> list[int]:
        """The indices of the broken invariants; if `since` is given, tests only those that may read a cell changed in
        these journals.
        """
        asked = self.members
        if since is not None:
            readers, always = self.readers
            asked = always.copy()
            for journal in since:
                for at, before in zip(journal[::2], journal[1::2], strict=True):
                    if state[at] != before:  # an equal value has not changed since
                        for number, mask in readers.get(at, ()):
                            asked[number] = asked.get(number, 0) | mask
        return sorted(number for number, mask in asked.items() if not self.holds[number](state, mask))

    @cached_property
    def readers(self) -> tuple[dict[int, list[tuple[int, int]]], dict[int, int]]:
        """For each cell, the invariants that may read it, with the members concerned; and the invariants that are
        always tested.
        """
        readers: dict[int, list[tuple[int, int]]] = {}
        always: dict[int, int] = {}
        left = MAX_LOOKED
        for number, v in enumerate(self._p.invariants):
            read: set[_Reads] = set()
            for e, known in islice(_walk(self._p, v), max(left, 0)):
                left = 0 if isinstance(e, ir.Suppose) else left - 1  # its procedure may read anything
                if isinstance(e, ir.Cell):
                    read.add(_Reads(e.base, e.size, _sum(e.index, known)))
            whole = self.members[number]
            left -= whole.bit_count() * len(read)
            spans = [(reads.of(member), 1 << member) for member in members(whole, 0) for reads in read if left > 0]
            left -= sum(len(cells) for cells, _ in spans)
            if left <= 0:
                always[number] = whole
                continue
            results: dict[int, int] = {}
            for cells, bit in spans:
                for at in cells:
                    results[at] = results.get(at, 0) | bit
            for at, mask in results.items():
                readers.setdefault(at, []).append((number, mask))
        return readers, always


def _asked(v: ir.Invariant) -> int:
    """The members to test; a single representative if the invariant is not split."""
    return 1 if v.each is None else v.each[1]


def _walk(p: ir.Program, v: ir.Invariant) -> Iterator[tuple[ir.Expr, dict[int, _Sum]]]:
    """The expressions of an invariant, including those of definitions, each with the bounds on its slots."""
    called: set[tuple[int, tuple[_Sum, ...]]] = set()
    each = None if v.each is None else v.condition.expr
    todo: list[tuple[ir.Expr, dict[int, _Sum]]] = [(v.condition.expr, {})]
    while todo:
        e, known = todo.pop()
        yield e, known
        if isinstance(e, Binding):
            member = _Sum(1, 0, 0, 0) if e is each else _member(e)
            known = known | dict.fromkeys(binds(e), member)
        todo += [(part, known) for part in parts(e)]
        if isinstance(e, ir.Call):
            args = tuple(_sum(a, known) for a in e.args)
            if (e.function, args) not in called:
                called.add((e.function, args))
                f, inner = p.functions[e.function], dict(enumerate(args))
                for slot, value in f.lets:
                    todo.append((value, inner.copy()))
                    inner[slot] = _sum(value, inner)
                todo.append((f.body, inner))


def _member(e: Binding) -> _Sum:
    """The bound on the members of a loop."""
    if isinstance(e, ir.Fold | ir.Ranked) and isinstance(e.source, ir.Const) and e.source.value > 0:
        first = (e.source.value & -e.source.value).bit_length() - 1
        return _Sum(0, first, 1, e.source.value.bit_length() - 1 - first)
    return _UNKNOWN


def _sum(e: ir.Expr, known: dict[int, _Sum]) -> _Sum:
    """The bound on a number."""
    if isinstance(e, ir.Const):
        return _Sum(0, e.value, 0, 0)
    if isinstance(e, ir.Local):
        return known.get(e.slot, _UNKNOWN)
    if isinstance(e, ir.Op) and e.op == "+":
        a, b = (_sum(part, known) for part in e.args)
        most = None if a.most is None or b.most is None else a.most + b.most
        return _Sum(a.times + b.times, a.plus + b.plus, gcd(a.step, b.step), most)
    if isinstance(e, ir.Op) and e.op == "*" and isinstance(e.args[1], ir.Const) and e.args[1].value > 0:
        a, by = _sum(e.args[0], known), e.args[1].value
        return _Sum(a.times * by, a.plus * by, a.step * by, None if a.most is None else a.most * by)
    return _UNKNOWN
