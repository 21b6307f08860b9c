"""Lowering of statements to blocks."""

from __future__ import annotations

from typing import NamedTuple

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.capacities import checks
from rulespec.engine.lower.decisions import DecisionLowering
from rulespec.engine.lower.drafts import Drafts, LoweredDraft
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.options import OptionLowering
from rulespec.engine.lower.procedures import Procedures, fill_table
from rulespec.engine.lower.scope import Scope
from rulespec.engine.lower.tokens import put, stored
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, cell, op
from rulespec.typed import nodes as typed
from rulespec.types import Maybe


class _Loop(NamedTuple):
    """A loop: its targets for `leave` and `continue`, the number of enclosing options, and whether it is over turns."""

    leave: int
    next: int
    options: int
    turns: bool


class StatementLowering:
    """The lowering of statements.

    Args:
        builder: the builder of blocks and cells.
        options: the lowering of options.
        procedures: the callable procedures.
        player_kind: the kind of the players.

    Attributes:
        procedure: the enclosing procedure.
        exit: the exit block of the procedure.
    """

    procedure: typed.Procedure

    def __init__(
        self, builder: BlockBuilder, options: OptionLowering, procedures: Procedures, player_kind: str
    ) -> None:
        self.b = builder
        self.x = builder.x
        self.procedures = procedures
        self.decisions = DecisionLowering(builder, options, player_kind, self.block)
        self.drafts = Drafts(builder)
        self.exit = 0
        self._draft: LoweredDraft | None = None
        self._loops: list[_Loop] = []

    def block(self, block: typed.Block, scope: Scope) -> None:
        """Lowers statements in order."""
        for s in block:
            scope = self._stmt(s, scope)

    def _stmt(self, s: typed.Stmt, scope: Scope) -> Scope:
        """Lowers a statement; returns the scope of the following ones."""
        if self.x.marks is not None:
            self.x.marks.statement(s, self.b.open_block, scope)
        x = self.x
        if isinstance(s, typed.Let):
            at = self.b.local(s.var.name, type_name(s.var.type))
            self.b.store_checked(at, x.expr(s.value, scope), s.var.type, s.span)
            self._take(s.value)
            return scope.in_cell(s.var, at)
        if isinstance(s, typed.LetTable):
            fill_table(self.b, s, scope)
        elif isinstance(s, typed.Assign):
            self._assign(s, scope)
        elif isinstance(s, typed.Transfer):
            self._transfer(s, scope)
        elif isinstance(s, typed.Put):
            put(self.b, s, scope)
        elif isinstance(s, typed.CallProcedure):
            self._call(s, scope)
            return scope if s.then is None else self._stmt(s.then, scope)
        elif isinstance(s, typed.Return):
            assert self.procedure.result is not None
            value = x.argument(s.value, self.procedure.result, scope)
            self.b.store_checked(x.results[self.procedure], value, self.procedure.result, s.span)
            self._take(s.value)
            self._jump("return")
        elif isinstance(s, typed.EndGame):
            winners = x.expr(s.winners, scope) if s.winners is not None else None
            self.b.exit(ir.End(self.b.ending(s.ending), winners))
            self.b.open_block = self.b.block()
        elif isinstance(s, typed.Jump):
            self._jump(s.word)
        elif isinstance(s, typed.If):
            self._if(s, scope)
        elif isinstance(s, typed.Match):
            self._match(s, scope)
        elif isinstance(s, typed.For):
            self._for(s, scope)
        elif isinstance(s, typed.Repeat):
            self._repeat(s, scope)
        elif isinstance(s, typed.Decide):
            return self.decisions.decide(s, scope)
        else:
            assert isinstance(s, typed.Remark)
        return scope

    def _jump(self, word: str) -> None:
        if word == "return":  # all cells of the procedure are cleared there
            target, outside = self.exit, len(self.decisions.taken)
        elif word == "ask again":
            target, outside = self.decisions.taken[-1][0], len(self.decisions.taken) - 1
        elif word == "withdraw":
            assert self._draft is not None
            target, outside = self._draft.back, len(self.decisions.taken) - 1
        else:
            loop = next(each for each in reversed(self._loops) if each.turns or word != "pass turn")
            target, outside = (loop.leave if word == "leave" else loop.next), loop.options
        for _, choice in self.decisions.taken[outside:]:
            self.b.clear_arguments(choice)
        self.b.goto(target)
        self.b.open_block = self.b.block()

    def _assign(self, s: typed.Assign, scope: Scope) -> None:
        target = self.x.expr(s.target, scope)
        assert isinstance(target, ir.Cell)
        value = self.x.argument(s.value, s.target.type, scope)
        if isinstance(s.target, typed.Field) and s.target.decl.low is not None:
            low, high = s.target.decl.low, s.target.decl.high
            site = self.x.site(s.span, f"`{s.target.decl.name}` must stay between {low} and {high}")
            self.b.emit(ir.Store(target, value, low, high, site, isinstance(s.value.type, Maybe)))
        else:
            self.b.store_checked(target, value, s.target.type, s.span)
        self._take(s.value)

    def _take(self, value: typed.Expr) -> None:
        """Clears the cell of a procedure's value after it is read."""
        if isinstance(value, typed.Result):
            self.b.store(self.x.results[value.procedure], FALSE)

    def _transfer(self, s: typed.Transfer, scope: Scope) -> None:
        source, target = self.x.expr(s.source, scope), self.x.expr(s.target, scope)
        assert isinstance(source, ir.Cell)
        assert isinstance(target, ir.Cell)
        unlimited = isinstance(s.source, typed.Field) and s.source.decl.unlimited
        what = "paid" if isinstance(s.source, typed.Field) else "moved"
        site = self.x.site(s.span, f"the amount {what} must be between 0 and the amount available")
        amount = self.x.expr(s.amount, scope)
        if isinstance(s.target, typed.PieceCount) and s.target.place in self.x.layout.d.bounds:
            target = cell(target.base, stored(self.b, target.index, "int", "place"), target.size)
        self.b.emit(ir.Transfer(source, target, amount, unlimited, site))
        for result in checks(self.x, s.target, target, s.span, scope):
            self.b.emit(result)

    def _call(self, s: typed.CallProcedure, scope: Scope) -> None:
        after = self.b.block()
        params, deep = self.procedures.params[s.procedure], self.procedures.deep
        within = deep.within(self.procedure, s.procedure)
        targets = params
        if within:
            deep.check(self.procedure, s.procedure, s.span)
            targets = deep.targets(self.procedure, s.procedure, params)
        for arg, var in zip(s.args, s.procedure.params, strict=True):
            value = self.x.argument(arg, var.type, scope)
            if var in params:
                self.b.store_checked(targets[var], value, var.type, arg.span)
            else:
                assert isinstance(value, ir.Cell)
                params[var] = value.base
        if within:
            deep.begin(self.procedure, s.procedure, params, after)
        self.b.exit(self.procedures.enter(s.procedure, after))
        self.b.open_block = after

    def _if(self, s: typed.If, scope: Scope) -> None:
        after = self.b.block()
        for condition, body in s.branches:
            if condition is None:
                self.block(body, scope)
                self.b.goto(after)
                self.b.open_block = after
                return
            test = self.x.expr(condition, scope)
            yes, no = self.b.block(), self.b.block()
            if isinstance(test, ir.Const):
                self.b.goto(yes if test.value else no)
            else:
                self.b.exit(ir.Branch(test, yes, no))
            self.b.open_block = yes
            self.block(body, scope)
            self.b.goto(after)
            self.b.open_block = no
        self.b.goto(after)
        self.b.open_block = after

    def _match(self, s: typed.Match, scope: Scope) -> None:
        after, other = self.b.block(), self.b.block()
        start = self.b.open_block
        cases: list[tuple[int, int]] = []
        for values, body in s.cases:
            block = self.b.block()
            cases += [(v, block) for v in values]
            self.b.open_block = block
            self.block(body, scope)
            self.b.goto(after)
        self.b.open_block = other
        self.block(s.other or (), scope)
        self.b.goto(after)
        self.b.open_block = start
        self.b.exit(ir.Switch(self.x.expr(s.subject, scope), tuple(cases), other))
        self.b.open_block = after

    def _for(self, s: typed.For, scope: Scope) -> None:
        head, after, inner = self.b.loop_over(s.binder, scope)
        self._loop(s.body, inner, head, after)
        self.b.goto(head)
        self.b.open_block = after

    def _repeat(self, s: typed.Repeat, scope: Scope) -> None:
        if s.word == "draft":
            self._plan(s, scope)
            return
        head, after = self.b.block(), self.b.block()
        if s.limit is not None:
            left = self.b.local("left", "int")
            self.b.store(left, self.x.expr(s.limit, scope))
            body = self.b.block()
            self.b.goto(head)
            self.b.p.blocks[head].exit = ir.Branch(op(">", cell(left), FALSE), body, after)
            self.b.open_block = body
            self.b.store(left, op("-", cell(left), TRUE))
        else:
            self.b.goto(head)
            self.b.open_block = head
        self._loop(s.body, scope, head, after, turns=s.head > 0)
        self.b.goto(head)
        self.b.open_block = after

    def _plan(self, s: typed.Repeat, scope: Scope) -> None:
        """Lowers a draft: a loop around its decision."""
        (decide,) = s.body
        assert isinstance(decide, typed.Decide) and decide.draft is not None
        self._draft = draft = self.drafts.begin(s.span)
        self._loop(s.body, scope.in_cell(decide.draft, draft.begun), draft.head, draft.over)
        self.b.goto(draft.head)
        self.drafts.end(draft)
        self._draft = None

    def _loop(self, body: typed.Block, scope: Scope, head: int, after: int, *, turns: bool = False) -> None:
        """Lowers the body of a loop."""
        if self.x.marks is not None:
            self.x.marks.loop(body, self.b.open_block, head, after)
        self._loops.append(_Loop(after, head, len(self.decisions.taken), turns))
        self.block(body, scope)
        self._loops.pop()
