"""From a typed ruleset to a program, for a number of seats and a choice of options.

Every field, account, pile and local gets its cell; procedures become basic blocks; options of the ruleset become
constants, and what they switch off is gone.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.expressions import ExpressionLowering, Layout, Scope, type_name
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, MAX_NUMBER, TRUE, cell, op
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import walk
from rulespec.types import Num, Type


def lower(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> ir.Program:
    """The program of a ruleset.

    Args:
        ruleset: as the checker made it.
        seats: number of players, within the ruleset's range.
        settings: every option of the ruleset with its value, as text.
    """
    return Lowering(ruleset, seats, settings).run()


class _Loop:
    """Where `leave` and `again` lead in a loop, and how many options it is within."""

    def __init__(self, leave: int, again: int, options: int) -> None:
        self.leave = leave
        self.again = again
        self.options = options


class Lowering:
    """One lowering, with what it knows on the way; coverage watches it."""

    def __init__(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> None:
        self.ruleset = ruleset
        self.p = ir.Program(seats)
        self.layout = Layout(ruleset.declarations, seats, self.p)
        self.x = ExpressionLowering(self.layout, settings, self.p)
        self.here = 0
        self.exit = 0
        self.first: dict[typed.Procedure, int] = {}
        self.ret: dict[typed.Procedure, int] = {}
        self.lent: set[typed.Var] = set()  # parameters that are variables of the place that calls
        self.usual: dict[typed.Procedure, int] = {}  # where each goes on after its first call
        self.param: dict[typed.Procedure, dict[typed.Var, int]] = {}  # its own, and those it is lent
        self.loops: list[_Loop] = []
        self.taken: list[tuple[int, ir.Choice]] = []  # the options we are within, and the blocks that ask for them
        self.owner = ""
        self._lines: dict[str, list[str]] = {}  # of each file of the source

    # --- the whole -------------------------------------------------------------------------

    def run(self) -> ir.Program:
        """The whole program."""
        rules = self.ruleset.rules
        self.x.functions(rules.definitions)
        self.p.main, end = self._block(), self._block()
        assert end == ir.END
        self.p.blocks[end].exit = ir.End(self._ending("end"), None)
        order, self.lent = _calls(rules)
        for procedure in order:
            self.owner = procedure.name
            self.first[procedure] = self._block()
            self.ret[procedure] = self._local("return", "int")
            own = [v for v in procedure.params if v not in self.lent]
            self.param[procedure] = {v: self._local(v.name, type_name(v.type)) for v in own}
        self.p.blocks[self.p.main].exit = self._call_of(rules.procedures[self.ruleset.start], end)
        exits = {procedure: self._procedure(procedure) for procedure in order}
        for procedure, block in exits.items():
            self.p.blocks[block].exit = ir.Return(self.ret[procedure], self.usual.get(procedure, end))
        for procedure in rules.procedures.values():
            params = [self.param[procedure][v] for v in procedure.params]
            self.p.entries[procedure.name] = (self.first[procedure], (self.ret[procedure], *params))
        for invariant in rules.invariants.values():
            reason = invariant.doc or invariant.name
            condition = self._condition(invariant.condition, reason, invariant.span, Scope())
            self.p.invariants.append(ir.Invariant(invariant.name, condition))
        if rules.scoring is not None:
            self.p.scoring = self._scoring(rules.scoring)
        self.layout.fill_start(self.x)
        self.p.slots = self.x.most_slots
        return self.p

    def _call_of(self, procedure: typed.Procedure, behind: int) -> ir.Enter:
        usual = self.usual.setdefault(procedure, behind) == behind
        return ir.Enter(self.first[procedure], behind, self.ret[procedure], usual)

    def _procedure(self, procedure: typed.Procedure) -> int:
        """Lowers a procedure; gives the block through which it is left."""
        self.owner = procedure.name
        scope = Scope()
        self.exit = self._block()
        first_local = len(self.p.cells)
        params = self.param[procedure]
        own = [at for v, at in params.items() if v not in self.lent]
        for var in procedure.params:
            if var not in params:  # what calls it is switched off
                params[var] = self._local(var.name, type_name(var.type))
            scope = scope.in_cell(var, params[var])
        self.here = self.first[procedure]
        self._stmts(procedure.body, scope)
        self._goto(self.exit)
        leaving = self.p.blocks[self.exit]
        if own:
            leaving.body.append(ir.Clear(own[0], len(own)))
        if len(self.p.cells) > first_local:
            leaving.body.append(ir.Clear(first_local, len(self.p.cells) - first_local))
        return self.exit

    def _scoring(self, scoring: typed.Scoring) -> ir.Scoring:
        scope = Scope().in_slot(scoring.var, 0)
        breaks = []
        for t in scoring.tiebreaks:
            if t.var is None or t.source is None or t.key is None:
                breaks.append(ir.Tiebreak(1, None, None, self.x.expr(t.value, scope)))
                continue
            inner = scope.in_slot(t.var, 1)
            source, key, value = self.x.expr(t.source, scope), self.x.expr(t.key, inner), self.x.expr(t.value, inner)
            breaks.append(ir.Tiebreak(1, source, key, value))
        return ir.Scoring(self.x.expr(scoring.score, scope), tuple(breaks))

    # --- blocks and cells ------------------------------------------------------------------

    def _block(self) -> int:
        self.p.blocks.append(ir.Block())
        return len(self.p.blocks) - 1

    def _local(self, name: str, type_: str) -> int:
        return self.layout.add(ir.CellName("rules", self.owner, name, type_))

    def _emit(self, instruction: ir.Instruction) -> None:
        self.p.blocks[self.here].body.append(instruction)

    def _store(self, at: int, value: ir.Expr) -> None:
        self._emit(ir.Store(cell(at), value, None, None, 0))

    def _store_checked(self, target: int | ir.Cell, value: ir.Expr, type_: Type, span: Span) -> None:
        """Assigns a variable or state; a number that may grow is kept within what the state may hold."""
        at = cell(target) if isinstance(target, int) else target
        if isinstance(type_, Num) and _may_grow(value):
            site = self.x.site(span, "numbers in the state have at most 15 digits")
            self._emit(ir.Store(at, value, -MAX_NUMBER, MAX_NUMBER, site))
        else:
            self._emit(ir.Store(at, value, None, None, 0))

    def _exit(self, exit_: ir.Exit) -> None:
        if self.p.blocks[self.here].exit is None:
            self.p.blocks[self.here].exit = exit_

    def _goto(self, block: int) -> None:
        self._exit(ir.Goto(block))

    def _ending(self, name: str) -> int:
        if name not in self.p.endings:
            self.p.endings.append(name)
        return self.p.endings.index(name)

    # --- statements ------------------------------------------------------------------------

    def _stmts(self, block: typed.Block, scope: Scope) -> Scope:
        outer = scope
        for s in block:
            scope = self._stmt(s, scope)
        return outer

    def _stmt(self, s: typed.Stmt, scope: Scope) -> Scope:
        x = self.x
        if isinstance(s, typed.Let):
            at = self._local(s.var.name, type_name(s.var.type))
            self._store_checked(at, x.expr(s.value, scope), s.var.type, s.span)
            return scope.in_cell(s.var, at)
        if isinstance(s, typed.Assign):
            self._assign(s, scope)
        elif isinstance(s, typed.Transfer):
            self._transfer(s, scope)
        elif isinstance(s, typed.CallProcedure):
            self._call(s, scope)
        elif isinstance(s, typed.EndGame):
            winners = x.expr(s.winners, scope) if s.winners is not None else None
            self._exit(ir.End(self._ending(s.ending), winners))
            self.here = self._block()
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
        else:
            assert isinstance(s, typed.Decide)
            if s.form == "together":
                self._together(s, scope)
            else:
                self._decide(s, scope)
        return scope

    def _jump(self, word: str) -> None:
        if word == "return":  # all cells of the procedure are cleared there
            target, kept = self.exit, len(self.taken)
        elif word == "again decide":
            target, kept = self.taken[-1][0], len(self.taken) - 1
        else:
            loop = self.loops[-1]
            target, kept = (loop.leave if word == "leave" else loop.again), loop.options
        for _, choice in self.taken[kept:]:
            self._clear_arguments(choice)
        self._goto(target)
        self.here = self._block()

    def _clear_arguments(self, choice: ir.Choice) -> None:
        """Nothing is left of an option that has been carried out: positions do not differ by the way that led there."""
        if choice.params:
            self._emit(ir.Clear(choice.params[0].cell, len(choice.params)))

    def _assign(self, s: typed.Assign, scope: Scope) -> None:
        target = self.x.expr(s.target, scope)
        assert isinstance(target, ir.Cell)
        value = self.x.expr(s.value, scope)
        if isinstance(s.target, typed.Field) and s.target.decl.low is not None:
            low, high = s.target.decl.low, s.target.decl.high
            site = self.x.site(s.span, f"`{s.target.decl.name}` must stay between {low} and {high}")
            self._emit(ir.Store(target, value, low, high, site))
        else:
            self._store_checked(target, value, s.target.type, s.span)

    def _transfer(self, s: typed.Transfer, scope: Scope) -> None:
        source, target = self.x.expr(s.source, scope), self.x.expr(s.target, scope)
        assert isinstance(source, ir.Cell)
        assert isinstance(target, ir.Cell)
        unlimited = isinstance(s.source, typed.Field) and s.source.decl.unlimited
        what = "paid" if isinstance(s.source, typed.Field) else "moved"
        site = self.x.site(s.span, f"no more can be {what} than there is, and never less than nothing")
        self._emit(ir.Transfer(source, target, self.x.expr(s.amount, scope), unlimited, site))

    def _call(self, s: typed.CallProcedure, scope: Scope) -> None:
        behind = self._block()
        params = self.param[s.procedure]
        for arg, var in zip(s.args, s.procedure.params, strict=True):
            value = self.x.expr(arg, scope)
            if var in params:
                self._store_checked(params[var], value, var.type, arg.span)
            else:
                assert isinstance(value, ir.Cell)
                params[var] = value.base
        self._exit(self._call_of(s.procedure, behind))
        self.here = behind

    def _if(self, s: typed.If, scope: Scope) -> None:
        behind = self._block()
        for condition, body in s.branches:
            if condition is None:
                self._stmts(body, scope)
                self._goto(behind)
                self.here = behind
                return
            test = self.x.expr(condition, scope)
            yes, no = self._block(), self._block()
            if isinstance(test, ir.Const):
                self._goto(yes if test.value else no)
            else:
                self._exit(ir.Branch(test, yes, no))
            self.here = yes
            self._stmts(body, scope)
            self._goto(behind)
            self.here = no
        self._goto(behind)
        self.here = behind

    def _match(self, s: typed.Match, scope: Scope) -> None:
        behind, other = self._block(), self._block()
        start = self.here
        cases: list[tuple[int, int]] = []
        for values, body in s.cases:
            block = self._block()
            cases += [(v, block) for v in values]
            self.here = block
            self._stmts(body, scope)
            self._goto(behind)
        self.here = other
        self._stmts(s.other or (), scope)
        self._goto(behind)
        self.here = start
        self._exit(ir.Switch(self.x.expr(s.subject, scope), tuple(cases), other))
        self.here = behind

    def _loop_over(self, b: typed.Binder, scope: Scope) -> tuple[int, int, Scope]:
        """Opens a loop over a set: gives the block that goes on, the block behind, and the scope of the body."""
        rest = self._local("rest", f"set {type_name(b.var.type)}")
        at = self._local(b.var.name, type_name(b.var.type))
        self._store(rest, self.x.expr(b.source, scope))
        start: ir.Expr = FALSE
        if b.start is not None:
            begin = self._local("start", type_name(b.var.type))
            first = self.x.expr(b.start, scope)
            if b.order == "after":
                first = op("next", first, ir.Const(self.layout.size(type_name(b.var.type))))
            self._store(begin, first)
            start = cell(begin)
        head, body, behind = self._block(), self._block(), self._block()
        self._goto(head)
        self.p.blocks[head].exit = ir.Branch(op("!=", cell(rest), FALSE), body, behind)
        self.here = body
        self._store(at, op("pick", cell(rest), start))
        self._store(rest, op("diff", cell(rest), op("bit", cell(at))))
        inner = scope.in_cell(b.var, at)
        if b.where is not None:
            test = self.x.expr(b.where, inner)
            fitting = self._block()
            settled = isinstance(test, ir.Const)
            self._exit(_settled(test, fitting, head) if settled else ir.Branch(test, fitting, head))
            self.here = fitting
        return head, behind, inner

    def _for(self, s: typed.For, scope: Scope) -> None:
        head, behind, inner = self._loop_over(s.binder, scope)
        self.loops.append(_Loop(behind, head, len(self.taken)))
        self._stmts(s.body, inner)
        self.loops.pop()
        self._goto(head)
        self.here = behind

    def _repeat(self, s: typed.Repeat, scope: Scope) -> None:
        head, behind = self._block(), self._block()
        if s.limit is not None:
            left = self._local("left", "int")
            self._store(left, self.x.expr(s.limit, scope))
            body = self._block()
            self._goto(head)
            self.p.blocks[head].exit = ir.Branch(op(">", cell(left), FALSE), body, behind)
            self.here = body
            self._store(left, op("-", cell(left), TRUE))
        else:
            self._goto(head)
            self.here = head
        self.loops.append(_Loop(behind, head, len(self.taken)))
        self._stmts(s.body, scope)
        self.loops.pop()
        self._goto(head)
        self.here = behind

    # --- decisions -------------------------------------------------------------------------

    def _condition(self, e: typed.Expr, reason: str, span: Span, scope: Scope) -> ir.Condition:
        text = self._source(e.span)
        shown = [
            ir.Shown(self._source(part.span), type_name(part.type), self.x.expr(part, scope))
            for part in _atoms(e)
            if not isinstance(part, typed.Lit)
        ]
        return ir.Condition(self.x.expr(e, scope), reason or text, text, tuple(shown), span)

    def _source(self, span: Span) -> str:
        """The text at a place of the source, on one line."""
        if span.file not in self._lines:
            self._lines[span.file] = self.ruleset.sources.get(span.file, "").split("\n")
        lines = self._lines[span.file][span.line - 1 : span.end_line]
        if not lines:
            return ""
        if span.line == span.end_line:
            return lines[0][span.column - 1 : span.end_column - 1].strip()
        parts = [lines[0][span.column - 1 :], *lines[1:-1], lines[-1][: span.end_column - 1]]
        return " ".join(p.strip() for p in parts)

    def _params(self, option: typed.OptionDef, scope: Scope) -> tuple[tuple[ir.Param, ...], Scope, Scope]:
        """The parameters, the scope of the conditions (parameters in slots) and that of the body (in cells)."""
        params = []
        conditions, body = scope, scope
        for p in option.params:
            slot = self.x.slot(conditions)
            low = self.x.expr(p.low, conditions)
            high = self.x.expr(p.high, conditions) if p.high is not None else None
            inner = conditions.in_slot(p.var, slot)
            where = None
            if p.where is not None:
                where = self._condition(p.where, p.reason, p.where.span, inner)
            at = self._local(f"{option.name}.{p.var.name}", type_name(p.var.type))
            text = self._source(p.span)
            params.append(
                ir.Param(p.var.name, type_name(p.var.type), slot, at, low, high, where, p.reason, text, p.span)
            )
            conditions = inner
            body = body.in_cell(p.var, at)
        return tuple(params), conditions, body

    def _choice(self, option: typed.OptionDef, scope: Scope) -> tuple[ir.Choice, Scope]:
        params, conditions, body = self._params(option, scope)
        by = self.x.expr(option.by, conditions) if option.by is not None else None
        weight = self.x.expr(option.weight, conditions) if option.weight is not None else None
        requires = tuple(self._condition(r.condition, r.reason, r.span, conditions) for r in option.requires)
        return ir.Choice(option.name, params, by, weight, requires, self._block(), option.doc, option.span), body

    def _switched_off(self, choice: ir.Choice) -> bool:
        """Whether the ruleset's options make a choice impossible for good."""
        return any(r.expr == FALSE for r in choice.requires)

    def _decide(self, s: typed.Decide, scope: Scope) -> None:
        ask, behind = self._block(), self._block()
        self._goto(ask)
        by = self.x.expr(s.by, scope) if s.by is not None else None
        choices = []
        for option in s.options:
            choice, body = self._choice(option, scope)
            choices.append(choice)
            self.here = choice.block
            self.taken.append((ask, choice))
            if not self._switched_off(choice):
                self._stmts(option.body, body)
                self._clear_arguments(choice)
            self.taken.pop()
            self._goto(behind)
        self._ask(s, ask, by, choices)
        self.here = behind

    def _ask(self, s: typed.Decide, block: int, by: ir.Expr | None, choices: list[ir.Choice]) -> None:
        number = len(self.p.decisions)
        together = s.form == "together"
        self.p.decisions.append(ir.Decision(s.name, s.doc, by, together, tuple(choices), block, s.span))
        self.p.blocks[block].exit = ir.Ask(number)

    def _together(self, s: typed.Decide, scope: Scope) -> None:
        """Everybody is asked first; what was chosen is kept in cells; then the bodies are carried out in turn."""
        assert s.each is not None
        seats = self.p.seats
        most = max((len(o.params) for o in s.options), default=0)
        kept = [self._local(f"chosen {seat}.{i}", "int") for seat in range(seats) for i in range(most + 1)]
        asked = self._local("asked", f"set {self.ruleset.declarations.player_kind}")
        members = typed.Each(s.each.source.type, s.span, "set", s.each, None, None)
        plain = typed.Each(members.type, s.span, "set", _unordered(s.each), None, None)
        self._store(asked, self.x.expr(plain, scope))

        def kept_at(var: typed.Var, inner: Scope, i: int) -> ir.Cell:
            who = self.x.expr(typed.Local(var.type, s.span, var), inner)
            return cell(kept[0], op("+", op("*", who, ir.Const(most + 1)), ir.Const(i)), len(kept))

        again = typed.Binder(s.each.var, s.each.source, s.each.order, s.each.start, None)
        head, behind, inner = self._loop_over(again, scope.with_source(s.each.source, cell(asked)))
        ask = self._block()
        self._goto(ask)
        choices, bodies = [], []
        for number, option in enumerate(s.options):
            choice, body = self._choice(option, inner)
            choices.append(choice)
            bodies.append(body)
            self.here = choice.block
            self._emit(ir.Store(kept_at(s.each.var, inner, 0), ir.Const(number + 1), None, None, 0))
            for i, param in enumerate(choice.params):
                self._emit(ir.Store(kept_at(s.each.var, inner, i + 1), cell(param.cell), None, None, 0))
                self._store(param.cell, FALSE)
            self._goto(head)
        who = self.x.expr(typed.Local(s.each.var.type, s.span, s.each.var), inner)
        self._ask(s, ask, who, choices)
        self.here = behind
        head, behind, inner = self._loop_over(again, scope.with_source(s.each.source, cell(asked)))
        start = self.here
        cases = []
        for number, (option, choice) in enumerate(zip(s.options, choices, strict=True)):
            self.here = self._block()
            cases.append((number + 1, self.here))
            body = inner
            for i, (param, p) in enumerate(zip(choice.params, option.params, strict=True)):
                self._store(param.cell, kept_at(s.each.var, inner, i + 1))
                self._emit(ir.Store(kept_at(s.each.var, inner, i + 1), FALSE, None, None, 0))
                body = body.in_cell(p.var, param.cell)
            self._emit(ir.Store(kept_at(s.each.var, inner, 0), FALSE, None, None, 0))
            self._stmts(option.body, body)
            self._clear_arguments(choice)
            self._goto(head)
        self.here = start
        self._exit(ir.Switch(kept_at(s.each.var, inner, 0), tuple(cases), head))
        self.here = behind


def _calls(rules: typed.Rules) -> tuple[list[typed.Procedure], set[typed.Var]]:
    """The procedures, each behind those that call it; and the parameters that need no cells.

    Those are of procedures called from a single place, which hands over a variable as it is: it does not change before
    the procedure comes back, so its cell serves both.
    """
    sites: dict[typed.Procedure, list[typed.CallProcedure]] = {p: [] for p in rules.procedures.values()}
    found: dict[typed.Procedure, None] = {}

    def visit(p: typed.Procedure) -> None:
        if p in found:
            return
        calls = [s for s in walk(p.body) if isinstance(s, typed.CallProcedure)]
        for s in calls:  # procedures do not call one another in a circle
            sites[s.procedure].append(s)
            visit(s.procedure)
        found[p] = None

    for p in sites:
        visit(p)
    lent: set[typed.Var] = set()
    for p, calls in sites.items():
        args = calls[0].args if len(calls) == 1 else ()
        known: set[typed.Var] = set()
        for var, arg in zip(p.params, args, strict=False):
            if isinstance(arg, typed.Local) and arg.var not in known:
                known.add(arg.var)
                lent.add(var)
    return list(found)[::-1], lent


def _may_grow(e: ir.Expr) -> bool:
    """Whether a number may be much larger than those it is made of."""
    if isinstance(e, ir.Op):
        if e.op == "*" or (e.op in ("+", "-") and not any(isinstance(a, ir.Const) for a in e.args)):
            return True
        return e.op not in ("/", "%", "count") and any(_may_grow(a) for a in e.args)
    if isinstance(e, ir.If):
        return _may_grow(e.then) or _may_grow(e.other)
    if isinstance(e, ir.Fold):
        return e.op == "sum" or (e.op in ("min", "max") and any(_may_grow(x) for x in (e.body, e.default) if x))
    return isinstance(e, ir.Call)


def _unordered(b: typed.Binder) -> typed.Binder:
    return typed.Binder(b.var, b.source, "", None, b.where)


def _settled(test: ir.Expr, yes: int, no: int) -> ir.Exit:
    assert isinstance(test, ir.Const)
    return ir.Goto(yes if test.value else no)


def _atoms(e: typed.Expr) -> list[typed.Expr]:
    """The parts of a condition whose values tell why it failed."""
    if isinstance(e, typed.Op):
        if e.op in ("and", "or", "not"):
            return [a for arg in e.args for a in _atoms(arg)]
        if e.op in ("==", "!=", "<", "<=", ">", ">=", "in", "some"):
            return list(e.args)
    return [e]
