"""Information flow of private values through the rules, into variables, conditions, questions and state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from rulespec.check.context import Context
from rulespec.check.lints.keys import Key
from rulespec.check.lints.known_facts import Known
from rulespec.check.lints.labels import NOTHING, Label, ReadLabels, elsewhere, lasts
from rulespec.check.lints.reasons import Reasons
from rulespec.check.lints.tellings import Tellings
from rulespec.check.lints.viewers import outsider, pairs
from rulespec.check.lints.wholes import all_of_place, emptied, one_of_all, reads, within_place
from rulespec.check.lints.writes import ChangeLeaks
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import head_expressions, may_be_hidden, private_params, secrecies, walk
from rulespec.types import SetOf


class _Out(NamedTuple):
    """The labels of the conditions for leaving a block: its loop, or its procedure."""

    loop: Label = NOTHING
    rule: Label = NOTHING


class SecretFlow:
    """Propagation of private values through the rules to a fixed point, followed by a pass that reports leaks."""

    def __init__(self, c: Context, reasons: Reasons) -> None:
        self.rules = c.rules
        assigned = [s.target for p in c.rules.procedures.values() for s in walk(p.body) if isinstance(s, typed.Assign)]
        loose = [target.var for target in assigned if isinstance(target, typed.Local)]
        self.labels = ReadLabels(reasons, loose, c.declarations.kinds.values())
        self.tellings = Tellings(c, reasons)
        seen = [e for secrecy in secrecies(c.declarations, c.rules) for e in (secrecy.to, secrecy.open)]
        seen += [p.private.to for p in private_params(c.rules) if p.private is not None]
        self.known = Known(c.rules, c.start, self.labels.loose, (e for e in seen if e is not None))
        self.labels.known = self.known
        self.entered: dict[typed.Procedure, Label] = {}
        self.results: dict[typed.Procedure, Label] = {}
        self.procedure = next(iter(c.rules.procedures.values()))
        self.shuffles = {
            p.span for p in private_params(c.rules) if p.private is not None and p.private.like is not None
        }
        self.changes = ChangeLeaks(c, self.labels, self.tellings)
        self._grown = True
        self._whole: set[Span] = set()  # moves that together empty a place

    def check(self) -> None:
        """Propagates labels to a fixed point, then reports leaks."""
        while self._grown:
            self._grown = self.known.grown = False
            self._run()
            self._grown |= self.known.grown
        self.tellings.heard = True
        self._run()

    def _run(self) -> None:
        for procedure in self.rules.procedures.values():
            self.procedure = procedure
            self.known.enter(procedure)
            self.block(procedure.body, self.entered.get(procedure, NOTHING))

    # --- what is known ------------------------------------------------------------------------

    def _note(self, var: typed.Var, label: Label, at: Span | None) -> None:
        """Adds a label to a variable."""
        label = self.labels.noted(label, at)
        before = self.labels.of_vars.get(var, NOTHING)
        if not label <= before:
            self.labels.of_vars[var] = before | label
            self._grown = True

    def _hold(self, table: typed.FieldDecl, label: Label, at: Span) -> None:
        """Adds a label to a local table."""
        label = self.labels.noted(label, at)
        before = self.labels.of_tables.get(table, NOTHING)
        if not label <= before:
            self.labels.of_tables[table] = before | label
            self._grown = True

    def _named(self, var: typed.Var, value: typed.Expr) -> None:
        key = self.labels.key(value)
        if var not in self.labels.loose and lasts(self.labels.loose, key):
            self.labels.same[var] = key

    def _causes(self, e: typed.Expr, bound: typed.Var | None = None) -> Label:
        """The label of control flow that depends on an expression."""
        label = self.labels.of(e)
        return self.labels.noted(label if bound is None else elsewhere(label, {}, {bound}), e.span)

    # --- statements ---------------------------------------------------------------------------

    def block(self, block: typed.Block, under: Label) -> _Out:
        """Propagates labels through a block under the given conditions."""
        out = _Out()
        for s in block:
            result = self.statement(s, under)
            out = _Out(out.loop | result.loop, out.rule | result.rule)
            under |= result.loop | result.rule
        return out

    def statement(self, s: typed.Stmt, under: Label) -> _Out:
        """Propagates labels through a statement."""
        if s.span in self.shuffles:  # only viewers of the order see its next member
            if isinstance(s, typed.Repeat):
                self.tellings.asked(s.span, under)
            self.known.forget(self.known.changed_in((s,)))
            return _Out()
        of = self.labels.of
        if isinstance(s, typed.Let):
            self.known.forget((), [s.var])
            self._named(s.var, s.value)
            self._note(s.var, of(s.value), s.value.span)
            self.known.name(s.var, self.labels.key(s.value))
            if s.var not in self.labels.loose and (present := self.labels.presence(s.value)) is not None:
                self.labels.of_presence[s.var] = self.labels.noted(present, s.value.span)
        elif isinstance(s, typed.LetTable):
            self._hold(s.table, elsewhere(of(s.value), {}, {s.key}) | under, s.value.span)
        elif isinstance(s, typed.Assign):
            self._assign(s, of(s.value), under)
        elif isinstance(s, typed.Transfer):
            self.changes.transfer(s.source, s.target, s.amount, under, whole=s.span in self._whole)
            self.known.forget(self.known.changed_in((s,)))
        elif isinstance(s, typed.Put):
            self.changes.put(s, under)
            self.known.forget(self.known.changed_in((s,)))
        elif isinstance(s, typed.CallProcedure):
            self._call(s, under)
        elif isinstance(s, typed.Return):
            self._return(of(s.value), s.value.span, under)
            self.known.current = None
            return _Out(rule=under)
        elif isinstance(s, typed.Jump):
            return self._jump(s, under)
        elif isinstance(s, typed.Decide):
            return self._decide(s, under)
        else:
            return self._control(s, under)
        return _Out()

    def _jump(self, s: typed.Jump, under: Label) -> _Out:
        self.known.current = None
        if s.word == "return":
            return _Out(rule=under)
        if s.word == "ask again":
            self.tellings.asked(s.span, under)
            return _Out()
        if s.word == "pass turn":  # out of all loops within the turn
            return _Out(loop=under, rule=under)
        return _Out(loop=under) if s.word in ("leave", "continue") else _Out()

    def _control(self, s: typed.Stmt, under: Label) -> _Out:
        if isinstance(s, typed.If):
            return self._branches(s, under)
        if isinstance(s, typed.Match):
            under |= self._causes(s.subject)
            subject = self.labels.key(s.subject)
            values: list[Key] = [("lit", s.subject.type, at[0]) if len(at) == 1 else None for at, _ in s.cases]
            supposed: list[Key] = [("op", "==", subject, value) if subject and value else None for value in values]
            return self._ways([s.other or (), *(body for _, body in s.cases)], under, [None, *supposed])
        if isinstance(s, typed.For):
            members = self._members(s.binder)
            if moves := emptied(s):
                self._whole |= {move.span for move in moves}
                members = NOTHING
            return self._loop(s.body, under | members, [s.binder.var])
        if isinstance(s, typed.Repeat):
            result = self._causes(s.limit) if s.limit is not None else NOTHING
            return self._loop(s.body, under | result, [])
        self.known.current = None  # the end of the game
        return _Out()

    def _branches(self, s: typed.If, under: Label) -> _Out:
        out, ends = _Out(), []
        for condition, body in s.branches:
            key = self.labels.key(condition) if condition is not None else None
            if condition is not None:
                under |= self._causes(condition)
            other = self.known.copy()
            self.known.suppose(key, truth=True)
            out = _both(out, self.block(body, under))
            ends.append(self.known.current)
            self.known.current = other
            self.known.suppose(key, truth=False)
        if s.branches[-1][0] is not None:
            ends.append(self.known.current)
        self.known.meet(ends)
        return out

    def _ways(self, bodies: Sequence[typed.Block], under: Label, supposed: Iterable[Key] = ()) -> _Out:
        """Propagates labels through alternative blocks, each with the facts of its branch."""
        out, ends, before = _Out(), [], self.known.copy()
        for body, holds in zip_longest(bodies, supposed):
            self.known.meet([before])
            self.known.suppose(holds, truth=True)
            out = _both(out, self.block(body, under))
            ends.append(self.known.current)
        self.known.meet(ends)
        return out

    def _members(self, b: typed.Binder) -> Label:
        """The label of the number and the order of a binder's members.

        The label of their identity is added to the variable, and to nothing else if all members of the kind are
        iterated in order.
        """
        causes = NOTHING
        for e in (b.source, b.start, b.where, *b.keys):
            if e is not None:
                causes |= self._causes(e, b.var)
        self._note(b.var, causes, b.var.span)
        place = all_of_place(b)
        self.changes.chosen(b.var, within_place(b) or self.changes.place_of(b.source))
        if b.start is not None or not all(map(_is_own_order, b.keys)):
            return causes
        number = self.labels.of_tokens(place) if place is not None else None
        if number is None:
            number = self.labels.of_number(b.source) if b.where is None else causes
        return self.labels.noted(number, b.source.span)

    def _loop(self, body: typed.Block, under: Label, variables: Iterable[typed.Var]) -> _Out:
        """Propagates labels through a loop; facts changed in its body are unknown before and after each iteration."""
        self.known.forget(self.known.changed_in(body), variables)
        before = self.known.copy()
        out = self.block(body, under)
        while not out.loop | out.rule <= under:
            under |= out.loop | out.rule
            self.known.meet([before])
            out = self.block(body, under)
        self.known.current = before
        return _Out(rule=out.rule)

    def _call(self, s: typed.CallProcedure, under: Label) -> None:
        callee = s.procedure
        params: dict[Key, Key] = {
            ("var", param): self.labels.key(arg) for param, arg in zip(callee.params, s.args, strict=True)
        }
        args: dict[Key, Key] = {key: param for param, key in reversed(params.items()) if key is not None}
        for param, arg in zip(callee.params, s.args, strict=True):
            self._note(param, elsewhere(self.labels.of(arg), args), arg.span)
        entered = elsewhere(under, args)
        before = self.entered.get(callee, NOTHING)
        if not entered <= before:
            self.entered[callee] = before | entered
            self._grown = True
        self.known.call(callee, [self.labels.key(arg) for arg in s.args])
        source = elsewhere(self.results.get(callee, NOTHING), params)
        if isinstance(s.then, typed.Let):
            self.known.forget((), [s.then.var])
            self._note(s.then.var, source, s.span)
        elif isinstance(s.then, typed.Assign):
            self._assign(s.then, source, under)
        elif isinstance(s.then, typed.Return):
            self._return(source, s.span, under)

    def _return(self, label: Label, at: Span, under: Label) -> None:
        label = self.labels.noted(label | under, at)
        before = self.results.get(self.procedure, NOTHING)
        if not label <= before:
            self.results[self.procedure] = before | label
            self._grown = True

    def _assign(self, s: typed.Assign, label: Label, under: Label) -> None:
        if isinstance(s.target, typed.Local):
            self._note(s.target.var, label | under, s.value.span)
        elif s.target.decl.local and s.target.decl.private is None:
            assert s.target.owner is not None
            self._hold(s.target.decl, label | under | self.labels.of(s.target.owner), s.value.span)
        else:
            self.changes.assign(s, s.target, label, under)
            owner = self.labels.key(s.target)
            self.known.assign(s.target, owner, self.labels.key(s.value))

    # --- decisions ----------------------------------------------------------------------------

    def _decide(self, s: typed.Decide, under: Label) -> _Out:
        bodies = [option.body for option in s.options]
        chosen = [p.var for option in s.options for p in option.params] + ([s.each.var] if s.each is not None else [])
        self.known.forget(self.known.changed_in((s,)), chosen)  # an option may have changed state before `ask again`
        by = under
        for e in (s.by, s.lead):
            if e is not None:
                by |= self._causes(e)
        if s.each is not None:
            by |= self._members(s.each)
        who = self.labels.actor(s.by) if s.by is not None else ("var", s.each.var) if s.each is not None else None
        if s.by is not None and isinstance(s.by.type, SetOf):
            who = None
        legal = NOTHING
        for option in s.options:
            legal |= self._option(s, option, who, under)
        self.tellings.asked(s.span, by | legal if s.otherwise is not None else by)
        return self._ways([*bodies, *([s.otherwise.body] if s.otherwise is not None else [])], under)

    def _option(self, s: typed.Decide, option: typed.OptionDef, who: Key, under: Label) -> Label:
        """The label of an option's legality, which the option reveals to the decider."""
        legal = NOTHING
        self.tellings.apart.clear()
        if option.by is not None:
            who = self.labels.actor(option.by)
            legal |= self._offered(option, option.by, who)
        needed = {p.var: e for p in option.params if (e := one_of_all(option, p)) is not None}
        for p in option.params:
            self._differ(("var", p.var), outsider(p.low, self.labels.key))
            self._differences(p.where)
            self.changes.chosen(p.var, within_place(typed.Binder(p.var, p.low, "", None, p.where)))
            chosen = NOTHING
            for e in (*p.domain, *([p.where] if p.where is not None else [])):
                label = self.labels.of(e)
                chosen |= label
                causes = self._offered(option, e, who, asked=s.form != "chance")
                legal |= causes if p.var not in needed else NOTHING
            if p.several is not None and self.labels.key(p.several[0]) == self.labels.key(p.several[1]) is not None:
                self.labels.of_sizes[p.var] = self.labels.of(p.several[0]) | self.labels.of_number(p.low)
            if may_be_hidden(p) and p.private is not None:  # a public order is shuffled openly
                self._note(p.var, frozenset([self.labels.argument(p.var, p.private, who)]), None)
            else:
                self.changes.drawn[p.var] = chosen
        for part in option.head:
            causes = self._part(option, part, who, under)
            legal |= causes if not reads(head_expressions([part]), needed) else NOTHING
        for e in needed.values():
            legal |= self.labels.noted(self.labels.of_any(e), e.span)
        return legal

    def _part(self, option: typed.OptionDef, part: typed.HeadPart, who: Key, under: Label) -> Label:
        if isinstance(part, typed.Let):
            self._named(part.var, part.value)
            self._note(part.var, self.labels.of(part.value), part.value.span)
            return NOTHING
        if isinstance(part, typed.Requirement):
            legal = self._offered(option, part.condition, who)
            self._differences(part.condition)  # later conditions are asked only if this one holds
            return legal
        if isinstance(part, typed.Cost):
            self.changes.transfer(part.source, part.target, part.amount, under)
            return self._offered(option, part.amount, who) | self._offered(option, part.source, who)
        params = part.guard.params
        for param, arg in zip(params, part.args, strict=True):
            self.labels.same[param] = self.labels.key(arg)  # it is read at the same time
            self._note(param, self.labels.of(arg), arg.span)
        legal = NOTHING
        for inner in part.guard.head:
            legal |= self._part(option, inner, who, under)
        return legal

    def _differences(self, condition: typed.Expr | None) -> None:
        """Records the players whom a condition of an option makes different."""
        for one, other in pairs(condition, "!="):
            self._differ(self.labels.key(one), self.labels.key(other))

    def _differ(self, one: Key, other: Key) -> None:
        """Records that two players are different, if neither may become another one."""
        if lasts(self.labels.loose, one) and lasts(self.labels.loose, other):
            self.tellings.apart.add(frozenset([one, other]))

    def _offered(self, option: typed.OptionDef, e: typed.Expr, who: Key, *, asked: bool = True) -> Label:
        """Reports a leak to the seat that is offered the option; chance learns nothing."""
        if asked:
            self.tellings.offered(option, self.labels.of(e), e.span, who)
        return self._causes(e)


def _is_own_order(key: typed.Expr) -> bool:
    """Whether a sort key is the position in the order being iterated."""
    return isinstance(key, typed.Op) and key.op == "place"


def _both(a: _Out, b: _Out) -> _Out:
    return _Out(a.loop | b.loop, a.rule | b.rule)
