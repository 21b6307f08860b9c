"""Secrecy in a program: the public counts of private pieces, and a taint analysis of private values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow, meets
from rulespec.engine.program.traversal import parts, span, walk


class Reads:
    """The cells that expressions of a program may read.

    Args:
        p: the program as first lowered; expressions introduced by passes read the same cells, or sets derived from
            them.
    """

    def __init__(self, p: ir.Program) -> None:
        self._p = p
        self._of_functions: dict[int, frozenset[int]] = {}

    def of(self, e: ir.Expr) -> frozenset[int]:
        """The cells that an expression may read."""
        results: set[int] = set()
        for part in self._parts(e):
            if isinstance(part, ir.Cell):
                results.update(span(part))
            elif isinstance(part, ir.Call):
                results |= self._of_function(part.function)
            elif isinstance(part, ir.Suppose):  # it runs rules, which may read anything
                results.update(range(len(self._p.cells)))
        return frozenset(results)

    def _parts(self, e: ir.Expr) -> Iterator[ir.Expr]:
        """The parts of an expression that it may read, with itself."""
        return walk(e)

    def _of_function(self, number: int) -> frozenset[int]:
        if number not in self._of_functions:
            f = self._p.functions[number]
            self._of_functions[number] = self._of_all([*(value for _, value in f.lets), f.body])
        return self._of_functions[number]

    def _of_all(self, expressions: Iterable[ir.Expr]) -> frozenset[int]:
        return frozenset().union(*map(self.of, expressions))


class Taint:
    """The taint analysis of a program: cells that depend on private cells, or on hidden choices.

    A variable depends on the values assigned to it, and on the branches that control its assignment: if a branch reads
    a private value, every assignment made before its paths join depends on that value. Public state is never tainted,
    whatever was assigned to it, since everybody sees it. Simultaneous choices are disclosed before the rules use them.
    The tokens in a public place are public as well, although the places of other tokens are hidden.

    Attributes:
        cells: private cells, and the variables that may hold values derived from them.
    """

    def __init__(self, p: ir.Program) -> None:
        self.p = p
        self._reads = _Telling(p)
        self.cells = {at for secret in p.secrets for at in secret.cells}
        self.cells |= {q.cell for d in p.decisions for c in d.choices for q in c.params if q.private}
        if self.cells:
            self._spread()
        self.cells |= {at for d in p.decisions for at in d.held}

    @property
    def notes(self) -> list[int]:
        """The tainted variables of the rules, without the cells that are declared private."""
        private = {at for secret in self.p.secrets for at in secret.cells}
        return sorted(at for at in self.cells - private if self.p.cells[at].group == "rules")

    def _spread(self) -> None:
        """Adds variables up to a fixed point."""
        stores = [(b, i) for b, block in enumerate(self.p.blocks) for i in block.body if isinstance(i, ir.Store)]
        stores = [(b, i) for b, i in stores if self.p.cells[i.target.base].group == "rules"]
        ways = _Ways(self.p)
        branches = [
            b for b, block in enumerate(self.p.blocks) if isinstance(block.exit, ir.Branch | ir.Switch | ir.Ask)
        ]
        under: set[int] = set()
        grown = True
        while grown:
            grown = False
            for b in [b for b in branches if self._goes_by_it(self.p.blocks[b].exit)]:
                branches.remove(b)
                under |= ways.until_they_meet(b)
                grown = True
            for b, i in stores:
                note = b in under or self.told_by(i.value) or self.told_by(i.target.index)
                if note and not self.cells.issuperset(span(i.target)):
                    self.cells.update(span(i.target))
                    grown = True

    def _goes_by_it(self, exit_: ir.Exit | None) -> bool:
        """Whether the exit taken from a block depends on tainted cells."""
        if isinstance(exit_, ir.Branch):
            return self.told_by(exit_.condition)
        if isinstance(exit_, ir.Switch):
            return self.told_by(exit_.value)
        if not isinstance(exit_, ir.Ask) or exit_.otherwise is None:
            return False  # the option taken is visible
        return any(self.told_by(e) for c in self.p.decisions[exit_.decision].choices for e in choice_expressions(c))

    def told_by(self, e: ir.Expr) -> bool:
        """Whether the value of an expression may reveal tainted cells."""
        return bool(self.cells) and not self.cells.isdisjoint(self._reads.of(e))


class _Telling(Reads):
    """The cells that an expression may reveal: without tokens of which it tells only what all see."""

    def __init__(self, p: ir.Program) -> None:
        super().__init__(p)
        self._places = {secret.cells: secret for secret in p.secrets if secret.within}

    def _parts(self, e: ir.Expr) -> Iterator[ir.Expr]:
        if isinstance(e, ir.Op) and e.op in ("==", "!="):
            for token, place in (e.args, e.args[::-1]):
                if isinstance(token, ir.Cell) and self._is_open(token, place):
                    yield from self._parts(token.index)
                    yield from self._parts(place)
                    return
        if isinstance(e, ir.Row) and isinstance(e.index, ir.Cell) and self._is_same_for_all_hidden(e, e.index):
            yield from self._parts(e.index.index)
            return
        yield e
        for part in parts(e):
            yield from self._parts(part)

    def _is_same_for_all_hidden(self, row: ir.Row, token: ir.Cell) -> bool:
        """Whether a table of places has the same value for all private places of a token."""
        secret, array = self._places.get(span(token)), self._p.arrays[row.array]
        return secret is not None and len({array[place] for place in secret.within}) == 1

    def _is_open(self, token: ir.Cell, place: ir.Expr) -> bool:
        """Whether an expression is a public place for a token."""
        secret = self._places.get(span(token))
        if secret is None:
            return False
        if isinstance(place, ir.Op) and place.op == "+" and isinstance(place.args[0], ir.Const):
            return place.args[0].value in secret.open_spots  # the place of an entity
        return isinstance(place, ir.Const) and place.value not in secret.within


class _Ways(Flow):
    """A control flow graph whose edges include decisions."""

    def __init__(self, p: ir.Program) -> None:
        super().__init__(p)
        self._meets: dict[int, int] | None = None
        self._first = {first: self._reached([first]) for first in self.firsts}

    def successors(self, block: int) -> list[int]:
        """The successors of a block within its procedure."""
        exit_ = self.p.blocks[block].exit
        if not isinstance(exit_, ir.Ask):
            return super().successors(block)
        results = [c.block for c in self.p.decisions[exit_.decision].choices]
        return list(dict.fromkeys([*results, *([exit_.otherwise] if exit_.otherwise is not None else [])]))

    def until_they_meet(self, block: int) -> set[int]:
        """The blocks between a branch and its join, including called procedures."""
        if self._meets is None:
            self._meets = meets(self)
        own = self._reached(self.successors(block), self._meets.get(block))
        todo = [*own]
        while todo:
            exit_ = self.p.blocks[todo.pop()].exit
            if isinstance(exit_, ir.Enter) and exit_.block not in own:
                called = self._first[exit_.block]
                todo += called - own
                own |= called
        return own

    def _reached(self, starts: list[int], end: int | None = None) -> set[int]:
        results: set[int] = set()
        todo = list(starts)
        while todo:
            block = todo.pop()
            if block != end and block not in results:
                results.add(block)
                todo += self.successors(block)
        return results


def choice_expressions(c: ir.Choice) -> list[ir.Expr]:
    """The expressions that determine whether an option is legal, and for whom."""
    results = [e for e in (c.by, c.weight) if e is not None]
    for param in c.params:
        results += param.domain
        results += [param.where.expr] if param.where is not None else []
    for condition in c.requires:
        results += [*(value for _, value in condition.lets), condition.expr]
    return results


class Count(NamedTuple):
    """A public count over a group of cells.

    Attributes:
        secret: the declaration that makes the cells private.
        cells: the cells; for an order, its single cell.
        place: the number of the place whose tokens are counted; -1 if the sum of the cells or the length of the order
            is public.
    """

    secret: ir.Secret
    cells: Sequence[int]
    place: int


def counts_of(program: ir.Program) -> Iterator[Count]:
    """The public counts of private places and private orders."""
    for secret in program.secrets:
        cell = program.cells[secret.cells.start]
        if secret.places:
            yield from (Count(secret, secret.cells, place) for place in secret.places)
        elif secret.counted and cell.group == "pieces":
            yield from (Count(secret, cells, -1) for cells in _alike(secret))
        elif secret.counted and cell.type.startswith("order "):
            yield from (Count(secret, [at], -1) for at in secret.cells)


def _alike(secret: ir.Secret) -> Iterator[list[int]]:
    """The groups of piles that share a count."""
    strides = [prod(secret.sizes[i + 1 :]) for i in range(len(secret.sizes))]
    apart = [range(size) if i not in secret.alike else range(1) for i, size in enumerate(secret.sizes)]
    alike = [range(size) if i in secret.alike else range(1) for i, size in enumerate(secret.sizes)]
    offsets = [sum(n * s for n, s in zip(ids, strides, strict=True)) for ids in product(*alike)]
    for ids in product(*apart):
        first = secret.cells.start + sum(n * s for n, s in zip(ids, strides, strict=True))
        yield [first + offset for offset in offsets]
