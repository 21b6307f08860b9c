"""Mutants of typed rules: one node replaced by another of the same type, so that no check is needed.

Changes that the checker would refuse are omitted: those that remove the test for none before a use, and those that
allow a loop without a decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from bench.mutate_forms import Change, of_expression, of_statement
from bench.typed_tree import (
    Edits,
    Root,
    Seen,
    Step,
    is_withdrawal,
    nodes,
    planted,
    relied_on,
    roots,
    settled,
    walk,
)
from rulespec.check.loops import endless_loops
from rulespec.check.scope import Path, path_of
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk as statements
from rulespec.types import ANY, BOOL, INT, NO_NUMBER, Maybe, Num, Type

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_PAIRS = (("and", "or"), ("+", "-"), ("min", "max"), ("from", "after"))
OTHER_WORD = {**dict(_PAIRS), **{second: first for first, second in _PAIRS}}


@dataclass(slots=True)
class Mutant:
    """A change at one place in the rules files.

    An option group included by several decisions occurs once in the files, but several times in the typed rules:
        `edits` has all occurrences. `anchors` are the places at which coverage counts the changed code.
    """

    operator: str
    span: Span
    before: str
    after: str
    edits: Edits = ()
    anchors: frozenset[tuple[str, int]] = frozenset()

    @property
    def root(self) -> Root:
        """The changed rule; for an option group, the first rule that includes it."""
        return self.edits[0][0]

    def __str__(self) -> str:
        return f"{self.span}: {self.operator}: `{_short(self.before)}` → `{_short(self.after)}`"


@dataclass
class Mutator:
    """A generator of the mutants of a ruleset's rules."""

    ruleset: typed.Ruleset
    relied: frozenset[Path] = field(default_factory=frozenset)
    """The paths that the current rule uses on the assumption that they are not none."""
    assigned: dict[int, range] = field(default_factory=dict)
    """The ranges of fields, by the `id` of an assigned value; the checker refuses numbers outside them."""
    around: list[tuple[tuple[Step, ...], Span]] = field(default_factory=list)
    """The statements around a node; a node with the same span as one of these is implicit, as in `shuffle`."""

    def mutants(self, files: frozenset[str] | None = None) -> list[Mutant]:
        """All mutants in source order; with `files`, only those in these files, and those of calls to procedures
        defined there.

        Such a call outside the files calls a rule that the files replace or wrap, such as a hook.
        """
        results: dict[tuple[Span, str, str], Mutant] = {}
        rules = self.ruleset.rules
        calls = frozenset(s.span for s in _calls(rules) if files is not None and s.procedure.span.file in files)
        for root in roots(rules):
            self.relied, self.around = relied_on(rules, root), []
            for seen in walk(rules, root):
                for operator, span, path, new, text in self._at(seen):
                    if files is not None and span.file not in files and span not in calls:
                        continue
                    mutant = results.setdefault((span, operator, text), Mutant(operator, span, self.source(span), text))
                    mutant.edits = (*mutant.edits, (root, path, new))
                    mutant.anchors |= {(seen.anchor.file, seen.anchor.line)}
        rest = [m for m in results.values() if m.operator not in _FLOW or self._ends(m)]
        return sorted(rest, key=lambda m: (m.span.file, m.span.line, m.span.column, m.operator, m.after))

    def source(self, span: Span) -> str:
        """The source text of a span, on one line."""
        lines = self.ruleset.sources[span.file].split("\n")[span.line - 1 : span.end_line]
        if span.line == span.end_line:
            return lines[0][span.column - 1 : span.end_column - 1].strip()
        lines = [lines[0][span.column - 1 :], *lines[1:-1], lines[-1][: span.end_column - 1]]
        return " ".join(line.strip() for line in lines).strip()

    def _ends(self, mutant: Mutant) -> bool:
        """Whether the checker accepts the mutant's loops."""
        with planted(self.ruleset, mutant.edits, "") as ruleset:
            return not any(endless_loops(ruleset.rules))

    # --- by the kind of node -----------------------------------------------------------------

    def _at(self, seen: Seen) -> Iterator[tuple[str, Span, tuple[Step, ...], Any, str]]:
        node = seen.node
        if isinstance(node, tuple):
            yield from self._block(seen)
            return
        if isinstance(node, typed.Assign) and isinstance(node.target, typed.Field):
            low, high = node.target.decl.low, node.target.decl.high
            if low is not None and high is not None:
                self.assigned[id(node.value)] = range(low, high + 1)
        if isinstance(node, typed.Expr):
            changes = iter(()) if self._unwritten(seen.path, node.span) else self._expression(node)
        elif isinstance(node, typed.Stmt):
            self.around.append((seen.path, node.span))
            changes = self._statement(node)
        else:
            changes = self._part(node)
        for operator, new, text in changes:
            yield operator, self._span(node), seen.path, new, text

    def _unwritten(self, path: tuple[Step, ...], span: Span) -> bool:
        """Whether a node is implicit: it has the same span as an enclosing statement."""
        while self.around and self.around[-1][0] != path[: len(self.around[-1][0])]:
            self.around.pop()
        return any(span == place for _, place in self.around)

    @staticmethod
    def _span(node: Any) -> Span:
        if isinstance(node, typed.Binder):
            end = [node.source, *(x for x in (node.start, node.where) if x is not None), *node.keys][-1]
            return node.var.span.to(end.span)
        span: Span = node.span if not isinstance(node, typed.Tiebreak) else node.value.span
        return span

    def _expression(self, e: typed.Expr) -> Iterator[Change]:
        if isinstance(e, typed.Lit):
            yield from self._constant(e)
        elif isinstance(e, typed.Op):
            yield from self._op(e)
        elif isinstance(e, typed.Choice):
            then, other = self.source(e.then.span), self.source(e.other.span)
            if self._free(e.condition):
                yield from self._negated(e, "condition", e.condition)
                text = f"{other} if {self.source(e.condition.span)} else {then}"
                yield "branches swapped", replace(e, then=e.other, other=e.then), text
        elif isinstance(e, typed.Each):
            yield from self._each(e)
        elif isinstance(e, typed.Field | typed.Fact | typed.PieceCount):
            for name, new in self._instead(e):
                yield "another name", new, f"… {name}"
        elif isinstance(e, typed.Once):
            yield "once dropped", e.value, self.source(e.value.span)
            yield from self._arguments(e)
        elif isinstance(e, typed.Call | typed.TrackOp):
            yield from self._arguments(e)
        elif isinstance(e, typed.BoardOp) and e.op == "ray" and len(e.args) > 2:
            ends = ", ".join(self.source(a.span) for a in e.args[:2])
            yield "until dropped", replace(e, args=e.args[:2]), f"ray({ends})"
        elif isinstance(e, typed.Ways) and e.op == "cheapest" and self._free(e.bound):
            yield from self._negated(e, "bound", e.bound)
        yield from of_expression(e, self.source)

    def _constant(self, e: typed.Lit) -> Iterator[Change]:
        if isinstance(e.type, Num | Maybe) and e.value != NO_NUMBER:
            unit = f" {e.type.unit}" if e.type.unit not in ("", ANY) else ""
            for value in (e.value + 1, e.value - 1):
                if id(e) not in self.assigned or value in self.assigned[id(e)]:
                    yield "constant", replace(e, value=value), f"{value}{unit}"
        elif e.type == BOOL:
            yield "constant", replace(e, value=1 - e.value), "false" if e.value else "true"

    def _op(self, e: typed.Op) -> Iterator[Change]:
        if any(a.span == e.span for a in e.args):
            return  # an implicit operator: the test of a place of tokens, or of their owner
        texts = [self.source(a.span) for a in e.args]
        if e.op in COMPARISONS and self._free(e):
            other = COMPARISONS[e.op]
            yield "comparison", replace(e, op=other), f"{texts[0]} {other} {texts[1]}"
        elif e.op in ("and", "or") and self._free(e):
            yield "and/or", replace(e, op=OTHER_WORD[e.op]), f"{texts[0]} {OTHER_WORD[e.op]} {texts[1]}"
            for at, arg in enumerate(e.args):
                yield "condition dropped", e.args[1 - at], texts[1 - at]
                if not self._is_logic(arg):
                    negated = [f"not ({t})" if i == at else t for i, t in enumerate(texts)]
                    new = replace(e, args=tuple(_not(a) if i == at else a for i, a in enumerate(e.args)))
                    yield "condition negated", new, f" {e.op} ".join(negated)
        elif e.op in ("+", "-") and isinstance(e.type, Num):
            yield "arithmetic", replace(e, op=OTHER_WORD[e.op]), f"{texts[0]} {OTHER_WORD[e.op]} {texts[1]}"
            if e.op == "-":
                yield "arguments swapped", replace(e, args=e.args[::-1]), f"{texts[1]} - {texts[0]}"
        elif e.op in ("min", "max") and len(e.args) > 1:
            yield "min/max", replace(e, op=OTHER_WORD[e.op]), f"{OTHER_WORD[e.op]}({', '.join(texts)})"

    @staticmethod
    def _is_logic(e: typed.Expr) -> bool:
        """Whether another mutant already negates the condition."""
        return isinstance(e, typed.Op) and e.op in ("and", "or", "==", "!=")

    def _each(self, e: typed.Each) -> Iterator[Change]:
        b, head = e.binder, self.source(self._span(e.binder))
        if e.op in ("min", "max"):
            yield "min/max", replace(e, op=OTHER_WORD[e.op]), f"{OTHER_WORD[e.op]}(… for {head})"
        elif e.op == "any" and b.where is not None:
            new = replace(e, op="all", binder=replace(b, where=None), body=b.where)
            yield "any/all", new, f"all({self.source(b.var.span.to(b.source.span))}: {self.source(b.where.span)})"
        elif e.op == "all" and e.body is not None:
            where = e.body if b.where is None else typed.Op(BOOL, e.body.span, "and", (b.where, e.body))
            yield "any/all", replace(e, op="any", binder=replace(b, where=where), body=None), f"any({head} and …)"

    def _arguments(
        self, e: typed.Call | typed.Once | typed.TrackOp | typed.CallProcedure | typed.Needs
    ) -> Iterator[Change]:
        texts = [self.source(a.span) for a in e.args]
        for i in range(len(e.args)):
            for j in range(i + 1, len(e.args)):
                if e.args[i].type == e.args[j].type and texts[i] != texts[j]:
                    args, names = list(e.args), list(texts)
                    args[i], args[j], names[i], names[j] = args[j], args[i], names[j], names[i]
                    yield "arguments swapped", replace(e, args=tuple(args)), f"({', '.join(names)})"

    def _statement(self, s: typed.Stmt) -> Iterator[Change]:
        yield from of_statement(s, self.source)
        if isinstance(s, typed.Transfer):
            new = replace(s, source=s.target, target=s.source)
            yield "source and target swapped", new, f"from {self.source(s.target.span)} to {self.source(s.source.span)}"
        elif isinstance(s, typed.Put) and isinstance(s.place, typed.PlaceValue):
            first = next(iter(s.kind.places.values()))
            if s.place.place is not first:
                yield "another place", replace(s, place=replace(s.place, place=first, index=None)), f"to {first.name}"
        elif isinstance(s, typed.CallProcedure):
            yield from self._arguments(s)
        elif isinstance(s, typed.If):
            yield from self._if(s)
        elif isinstance(s, typed.Decide) and len(s.options) > 1:
            for at, option in enumerate(s.options):
                if is_withdrawal(option):
                    continue
                yield "option dropped", replace(s, options=_without(s.options, at)), f"without option {option.name}"

    def _if(self, s: typed.If) -> Iterator[Change]:
        for at, (condition, body) in enumerate(s.branches):
            if condition is None:
                if at and all(self._free(c) for c, _ in s.branches if c is not None) and not _returns(body):
                    yield "else dropped", replace(s, branches=s.branches[:-1]), "without else"
            elif self._free(condition) and not self._is_equality(condition):
                branches = (*s.branches[:at], (_not(condition), body), *s.branches[at + 1 :])
                yield "condition negated", replace(s, branches=branches), f"not ({self.source(condition.span)})"

    @staticmethod
    def _is_equality(e: typed.Expr) -> bool:
        return isinstance(e, typed.Op) and e.op in ("==", "!=")

    def _part(self, node: Any) -> Iterator[Change]:
        if isinstance(node, typed.Binder):
            if node.order in OTHER_WORD:
                new = replace(node, order=OTHER_WORD[node.order])
                yield "order", new, f"{self.source(node.var.span.to(node.source.span))} {new.order} …"
                yield "order", replace(node, order="", start=None), self.source(node.var.span.to(node.source.span))
            yield from self._where(node)
            yield from self._keys(node)
        elif isinstance(node, typed.OptionParam):
            yield from self._where(node)
            if node.several is not None:
                least, most = node.several
                more = typed.Op(INT, most.span, "+", (most, typed.Lit(INT, most.span, 1)))
                yield "one more chosen", replace(node, several=(least, more)), f"choose … {self.source(most.span)} + 1"
        elif isinstance(node, typed.OptionDef):
            yield from self._head(node)
        elif isinstance(node, typed.Requirement) and self._free(node.condition):
            yield from self._negated(node, "condition", node.condition)
        elif isinstance(node, typed.Cost) and node.target is not None:
            text = f"from {self.source(node.target.span)} to {self.source(node.source.span)}"
            yield "source and target swapped", replace(node, source=node.target, target=node.source), text
        elif isinstance(node, typed.Needs):
            yield from self._arguments(node)

    def _head(self, node: typed.OptionDef) -> Iterator[Change]:
        """An option without its weight, or without one of its requirements."""
        if node.weight is not None:
            yield "weight dropped", replace(node, weight=None), f"without weight {self.source(node.weight.span)}"
        for at, part in enumerate(node.head):
            if isinstance(part, typed.Let) or (isinstance(part, typed.Requirement) and not self._free(part.condition)):
                continue
            word = {typed.Requirement: "require", typed.Cost: "cost", typed.Needs: "needs"}[type(part)]
            text = f"without {word} {self.source(part.span)}"
            yield f"{word} dropped", replace(node, head=_without(node.head, at)), text

    def _keys(self, node: typed.Binder) -> Iterator[Change]:
        for at, key in enumerate(node.keys):
            text = self.source(key.span)
            turned = typed.Op(key.type if isinstance(key.type, Num) else INT, key.span, "neg", (key,))
            yield "key turned", replace(node, keys=(*node.keys[:at], turned, *node.keys[at + 1 :])), f"by -({text})"
            if len(node.keys) > 1:
                yield "key dropped", replace(node, keys=_without(node.keys, at)), f"without key {text}"

    def _where(self, node: typed.Binder | typed.OptionParam) -> Iterator[Change]:
        if isinstance(node, typed.Binder) and node.where is not None and node.where.span == node.source.span:
            return  # the implicit test of tokens in a place
        if node.where is not None and self._free(node.where):
            yield "where dropped", replace(node, where=None), f"without where {self.source(node.where.span)}"
            yield from self._negated(node, "where", node.where)

    def _negated(self, owner: Any, name: str, condition: typed.Expr) -> Iterator[Change]:
        if not self._is_equality(condition):
            new = replace(owner, **{name: _not(condition)})
            yield "condition negated", new, f"not ({self.source(condition.span)})"

    def _block(self, seen: Seen) -> Iterator[tuple[str, Span, tuple[Step, ...], Any, str]]:
        for at, s in enumerate(seen.node):
            if self._unwritten(seen.path, s.span) or (at and s.span == seen.node[at - 1].span) or _is_idle(s):
                continue
            rest = tuple(other for other in seen.node if other.span != s.span)
            made = {other.var for other in seen.node if other.span == s.span and isinstance(other, typed.Let)}
            if any(isinstance(node, typed.Local) and node.var in made for node in nodes(rest)):
                continue  # `turns` declares variables outside its loop
            if len(rest) < len(seen.node) - 1 or (not _makes(s) and self._may_go(s, seen.guards)):
                yield "statement dropped", s.span, seen.path, rest, ""

    def _may_go(self, s: typed.Stmt, guards: frozenset[Path]) -> bool:
        """Whether a statement can be removed without losing a test for none before a use."""
        if isinstance(s, typed.Jump | typed.EndGame) and guards & self.relied:
            return False
        for node in nodes(s):
            if isinstance(node, typed.Expr) and not self._free(node):
                return False
            if isinstance(node, typed.Assign) and path_of(node.target) in self.relied:
                return False
        return True

    def _free(self, condition: typed.Expr) -> bool:
        """Whether no use relies on a condition's test for none."""
        return not settled(condition) & self.relied

    # --- other names -------------------------------------------------------------------------

    def _instead(self, e: typed.Field | typed.Fact | typed.PieceCount) -> Iterator[tuple[str, typed.Expr]]:
        """The next field, account, fact or place of the same kind and type."""
        if isinstance(e, typed.PieceCount):
            places = [p for p in e.piece.places.values() if p.index == e.place.index]
            if len(places) > 1:
                place = places[(places.index(e.place) + 1) % len(places)]
                yield place.name, replace(e, place=place)
            return
        path = path_of(e)
        if e.type != e.decl.type or any(path is not None and known[: len(path)] == path for known in self.relied):
            return
        if isinstance(e, typed.Fact):
            assert not isinstance(e.owner.type, Num)
            facts = [f for f in self._facts(e.owner.type).values() if f.type == e.decl.type]
            if len(facts) > 1:
                fact = facts[(facts.index(e.decl) + 1) % len(facts)]
                yield fact.name, replace(e, decl=fact)
            return
        if e.decl.local:  # another table may be out of scope
            return
        d = self.ruleset.declarations
        decls = d.kinds[e.decl.kind].state if e.decl.kind else d.fields
        alike = [f for f in decls.values() if f.type == e.decl.type and f.account == e.decl.account]
        if len(alike) > 1:
            decl = alike[(alike.index(e.decl) + 1) % len(alike)]
            if not any(decl.name in known for known in self.relied):
                yield decl.name, replace(e, decl=decl)

    def _facts(self, owner: Type) -> dict[str, typed.FactDecl]:
        kind = getattr(owner, "kind", "")
        return self.ruleset.kinds[kind].facts


_SHOWN = 100
_FLOW = frozenset(["statement dropped", "option dropped", "else dropped", "condition negated", "comparison"])
"""The operators that might create a loop without a decision."""


def _makes(s: typed.Stmt) -> bool:
    """Whether a statement declares a variable or returns a value, so that its removal leaves a use undefined."""
    result = s.then if isinstance(s, typed.CallProcedure) else s
    if isinstance(result, typed.Let | typed.LetTable) or (isinstance(s, typed.Decide) and s.draws):
        return True
    return _returns(s)


def _returns(part: Any) -> bool:
    return any(isinstance(node, typed.Return) for node in nodes(part))


def _calls(rules: typed.Rules) -> Iterator[typed.CallProcedure]:
    for procedure in rules.procedures.values():
        for s in statements(procedure.body):
            if isinstance(s, typed.CallProcedure):
                yield s


def _is_idle(s: typed.Stmt) -> bool:
    """Whether a statement calls an empty hook, and so has no effect."""
    return isinstance(s, typed.CallProcedure) and s.procedure.result is None and not s.procedure.body


def _not(e: typed.Expr) -> typed.Expr:
    return e.args[0] if isinstance(e, typed.Op) and e.op == "not" else typed.Op(BOOL, e.span, "not", (e,))


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 2] + " …"


def _without(items: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return items[:at] + items[at + 1 :]
