"""Lowering of decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.heads import Begun
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.options import OptionLowering
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, cell, op
from rulespec.typed import nodes as typed
from rulespec.types import BagOf, PathOf, SetOf


class _Turn(NamedTuple):
    """A simultaneous decision.

    Attributes:
        decision: the statement.
        again: the loop over the asked seats.
        scope: the scope around that loop.
        first: the first of the cells that hold the choices.
        width: the number of these cells per seat.
        size: the total number of these cells.
        columns: for each option, the indices of its arguments among a seat's cells.
        asked: the cell with the set of asked seats.
    """

    decision: typed.Decide
    again: typed.Binder
    scope: Scope
    first: int
    width: int
    size: int
    columns: list[list[int]]
    asked: int

    @property
    def var(self) -> typed.Var:
        """The variable for the current seat."""
        return self.again.var


class DecisionLowering:
    """The lowering of decisions.

    Args:
        builder: the builder of blocks and cells.
        options: the lowering of options.
        player_kind: the kind of the players.
        body: a function that lowers the statements of an option.

    Attributes:
        taken: the enclosing options, each with the block of its decision.
    """

    def __init__(
        self,
        builder: BlockBuilder,
        options: OptionLowering,
        player_kind: str,
        body: Callable[[typed.Block, Scope], object],
    ) -> None:
        self.b = builder
        self.options = options
        self.player_kind = player_kind
        self.taken: list[tuple[int, ir.Choice]] = []
        self._body = body

    def decide(self, s: typed.Decide, scope: Scope) -> Scope:
        """Lowers a decision with its consequences; returns the scope for the following statements."""
        if s.draws:
            return self._draw(s, scope)
        if s.form == "together":
            self._together(s, scope)
        else:
            self._alone(s, scope)
        return scope

    def _draw(self, s: typed.Decide, scope: Scope) -> Scope:
        """Lowers a draw, whose option has the following code as its body, so its arguments stay valid there."""
        ask = self.b.block()
        by, among = self._deciders(s, scope)
        choice, begun = self.options.choice(s.options[0], scope, representatives=s.by is not None)
        self.b.clear_arguments(choice)  # in a loop, they are left from the previous iteration
        self.b.goto(ask)
        self._ask(s, ask, by, [choice], scope, among)
        self.b.open_block = choice.block
        return begun.scope

    def _alone(self, s: typed.Decide, scope: Scope) -> None:
        ask, after = self.b.block(), self.b.block()
        self.b.goto(ask)
        by, among = self._deciders(s, scope)
        choices = []
        for option in s.options:
            choice, begun = self.options.choice(option, scope, representatives=s.by is not None)
            choices.append(choice)
            self.b.open_block = choice.block
            self.taken.append((ask, choice))
            if not _switched_off(choice):
                if s.draft is not None:
                    self.b.store(_cell_of(s.draft, scope), TRUE)
                self._name(begun)
                self._pay(begun)
                self._body(option.body, begun.scope)
                self.b.clear_arguments(choice)
            self.taken.pop()
            self.b.goto(after)
        self._ask(s, ask, by, choices, scope, among)
        if s.otherwise is not None:
            self._otherwise(s.otherwise, ask, after, scope)
        self.b.open_block = after

    def _otherwise(self, s: typed.Otherwise, ask: int, after: int, scope: Scope) -> None:
        """Lowers the body of `otherwise`, which runs if no option is legal."""
        exit_ = self.b.p.blocks[ask].exit
        assert isinstance(exit_, ir.Ask)
        self.b.open_block = self.b.block()
        self.b.p.blocks[ask].exit = replace(exit_, otherwise=self.b.open_block)
        if self.b.x.marks is not None:
            self.b.x.marks.otherwise(s, self.b.open_block)
        self._body(s.body, scope)
        self.b.goto(after)

    def _name(self, begun: Begun) -> None:
        """Adds assignments of the values bound in an option's head to their cells."""
        for named in begun.named:
            self.b.store_checked(named.cell, named.value, named.type, named.span)

    def _pay(self, begun: Begun) -> None:
        for payment in begun.payments:
            self.b.emit(payment)

    def _deciders(self, s: typed.Decide, scope: Scope) -> tuple[ir.Expr | None, ir.Expr | None]:
        """The deciding seat (None for chance), and the set of seats any of which may decide, or None."""
        if s.by is None:
            return None, None
        by = self.b.x.expr(s.by, scope)
        if not isinstance(s.by.type, SetOf):
            return by, None
        if s.lead is None:
            lead, note, span = op("one", op("pick", by, FALSE)), "nobody may take this decision", s.by.span
        else:
            lead, span = op("&", op("bit", self.b.x.expr(s.lead, scope)), by), s.lead.span
            note = "the lead must be one of the players who may decide"
        site = self.b.x.site(span, note)
        self.b.p.members[site] = tuple(self.b.layout.titles(self.player_kind))
        return op("the", lead, site=site), by

    def _ask(
        self,
        s: typed.Decide,
        block: int,
        by: ir.Expr | None,
        choices: list[ir.Choice],
        scope: Scope,
        among: ir.Expr | None = None,
        held: tuple[int, ...] = (),
        all_: ir.Expr | None = None,
    ) -> None:
        number = len(self.b.p.decisions)
        if self.b.x.marks is not None:
            self.b.x.marks.decision(s, number, scope)
        self.b.p.known[number] = {var.name: (var.type, e) for var, e in scope.where.items()}
        plan = 0 if s.draft is None else _cell_of(s.draft, scope)
        self.b.p.decisions.append(
            ir.Decision(s.name, s.doc, by, held, tuple(choices), block, s.span, among, all_, draft=plan)
        )
        self.b.p.blocks[block].exit = ir.Ask(number)

    def _together(self, s: typed.Decide, scope: Scope) -> None:
        """Lowers a round: all seats are asked, with their choices held in cells; then the bodies run in turn."""
        assert s.each is not None
        seats = self.b.p.seats
        types, columns = _columns(s.options)
        held = [self.b.local(f"chosen {seat}.{i}", type_) for seat in range(seats) for i, type_ in enumerate(types)]
        asked = self.b.local("asked", f"set {self.player_kind}")
        members = typed.Each(s.each.source.type, s.span, "set", s.each, None, None)
        plain = typed.Each(members.type, s.span, "set", _unordered(s.each), None, None)
        self.b.store(asked, self.b.x.expr(plain, scope))
        again = typed.Binder(s.each.var, s.each.source, s.each.order, s.each.start, None)
        turn = _Turn(
            s, again, scope.with_source(s.each.source, cell(asked)), held[0], len(types), len(held), columns, asked
        )
        choices = self._ask_all(turn)
        self._carry_out_all(turn, choices)

    def _ask_all(self, turn: _Turn) -> list[tuple[ir.Choice, list[int]]]:
        """Lowers the loop that asks each seat.

        Returns:
            The choices, each with the first cell of every value bound in its head.
        """
        s = turn.decision
        head, after, inner = self.b.loop_over(turn.again, turn.scope)
        ask = self.b.block()
        self.b.goto(ask)
        choices: list[tuple[ir.Choice, list[int]]] = []
        for number, option in enumerate(s.options):
            choice, begun = self.options.choice(option, inner, later=True)
            self.b.open_block = choice.block
            self.b.emit(ir.Store(self._held(turn, inner, 0), ir.Const(number + 1), None, None, 0))
            self._name(begun)
            named = self._named(turn, begun)
            choices.append((choice, named))
            for first, name in zip(named, begun.named, strict=True):
                self.b.emit(ir.Store(self._held_name(turn, inner, first), cell(name.cell), None, None, 0))
                self.b.store(name.cell, FALSE)
            for i, param in zip(turn.columns[number], choice.params, strict=True):
                self.b.emit(ir.Store(self._held(turn, inner, i), cell(param.cell), None, None, 0))
                self.b.store(param.cell, FALSE)
            self.b.goto(head)
        who = self.b.x.expr(typed.Local(turn.var.type, s.span, turn.var), inner)
        held = tuple(range(turn.first, turn.first + turn.size, turn.width))
        self._ask(s, ask, who, [choice for choice, _ in choices], inner, held=held, all_=cell(turn.asked))
        self.b.open_block = after
        return choices

    def _named(self, turn: _Turn, begun: Begun) -> list[int]:
        """For each value bound in a head, the first of its cells, one per seat."""
        firsts = []
        for i, name in enumerate(begun.named):
            cells = [self.b.local(f"named {seat}.{i}", type_name(name.type)) for seat in range(self.b.p.seats)]
            firsts.append(cells[0])
        return firsts

    def _held_name(self, turn: _Turn, inner: Scope, first: int) -> ir.Cell:
        """The cell with a value bound by the current seat, given the first seat's cell."""
        who = self.b.x.expr(typed.Local(turn.var.type, turn.decision.span, turn.var), inner)
        return cell(first, who, self.b.p.seats)

    def _carry_out_all(self, turn: _Turn, choices: list[tuple[ir.Choice, list[int]]]) -> None:
        head, after, inner = self.b.loop_over(turn.again, turn.scope)
        start = self.b.open_block
        cases = []
        for number, (option, (choice, named)) in enumerate(zip(turn.decision.options, choices, strict=True)):
            self.b.open_block = self.b.block()
            cases.append((number + 1, self.b.open_block))
            body = inner
            for i, param, p in zip(turn.columns[number], choice.params, option.params, strict=True):
                self.b.store(param.cell, self._held(turn, inner, i))
                self.b.emit(ir.Store(self._held(turn, inner, i), FALSE, None, None, 0))
                body = body.in_cell(p.var, param.cell)
            self.b.emit(ir.Store(self._held(turn, inner, 0), FALSE, None, None, 0))
            begun = self.options.begun(option, body, later=True)
            for first, name in zip(named, begun.named, strict=True):
                self.b.store(name.cell, self._held_name(turn, inner, first))
                self.b.emit(ir.Store(self._held_name(turn, inner, first), FALSE, None, None, 0))
            self._pay(begun)
            self._body(option.body, begun.scope)
            self.b.clear_arguments(choice)
            self.b.goto(head)
        self.b.open_block = start
        self.b.exit(ir.Switch(self._held(turn, inner, 0), tuple(cases), head))
        self.b.open_block = after

    def _held(self, turn: _Turn, inner: Scope, i: int) -> ir.Cell:
        """A cell with part `i` of the current seat's choice: the option's number plus 1, then its arguments."""
        who = self.b.x.expr(typed.Local(turn.var.type, turn.decision.span, turn.var), inner)
        return cell(turn.first, op("+", op("*", who, ir.Const(turn.width)), ir.Const(i)), turn.size)


def _columns(options: Sequence[typed.OptionDef]) -> tuple[list[str], list[list[int]]]:
    """The types of the cells for a seat's choice, and for each option, the indices of its arguments among them.

    Sets, bags and paths do not share cells with other values, which must not have as many bits.
    """
    types, results = ["int"], []
    for option in options:
        own: list[int] = []
        for p in option.params:
            type_ = type_name(p.var.type) if isinstance(p.var.type, SetOf | BagOf | PathOf) else "int"
            free = [at for at, known in enumerate(types) if at and known == type_ and at not in own]
            if not free:
                free = [len(types)]
                types.append(type_)
            own.append(free[0])
        results.append(own)
    return types, results


def _cell_of(var: typed.Var, scope: Scope) -> int:
    """The cell of a variable."""
    at = scope.where[var]
    assert isinstance(at, ir.Cell)
    return at.base


def _switched_off(choice: ir.Choice) -> bool:
    """Whether the settings make a choice permanently illegal."""
    return any(r.expr == FALSE for r in choice.requires)


def _unordered(b: typed.Binder) -> typed.Binder:
    return typed.Binder(b.var, b.source, "", None, b.where)
