"""Tracing of expressions: the value of each part, down to facts and state, in source order.

Evaluation stops at the first hidden part, so a trace depends only on visible information.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from rulespec.engine.game.named_state import owner_of, place_of
from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import HiddenError
from rulespec.engine.lower.conditions import text_at
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.cells import Journal, State, restore
from rulespec.engine.program.domains import members
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.limits import MAX_VALUE_STEPS
from rulespec.engine.why.reason_nodes import ReasonNode
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import parts
from rulespec.types import SetOf

MAX_NODES = 5_000
"""Maximum number of nodes in a trace; beyond it, expressions become leaves with their values."""
MAX_DEPTH = 60
"""Maximum depth of a trace."""


class At(Struct, frozen=True):
    """The environment of an expression: the variables in scope, and the values of slots."""

    scope: Scope = Scope()
    slots: tuple[int, ...] = ()


class Values:
    """An evaluator of a ruleset's expressions in one state, with access to their source texts.

    Args:
        lowering: the lowering, which adds the parts of expressions to its program.
        labels: the names of values.
        sources: file → the source text of its expressions.
        state: the cells; a hidden cell in a `GuardedState` ends the trace.

    Attributes:
        hidden: whether a hidden cell was read, which ends evaluation.
    """

    def __init__(
        self, lowering: ExpressionLowering, labels: Labels, sources: Mapping[str, str], state: State, steps: int = 0
    ) -> None:
        self.x = lowering
        self.labels = labels
        self.hidden = False
        self._sources = sources
        self._lines: dict[str, list[str]] = {}
        self._state = state
        self._left = MAX_NODES
        self._depth = 0
        self._machine = Evaluator(lowering.p, steps or MAX_VALUE_STEPS)
        self._lowered: dict[tuple[int, int], tuple[ir.Expr, Scope]] = {}
        self._inner: dict[tuple[int, int], tuple[Scope, Scope]] = {}

    # --- values ------------------------------------------------------------------------------

    def number(self, e: typed.Expr, at: At) -> int:
        """The value of an expression as a number.

        Raises:
            HiddenError: if the value depends on a hidden cell.
        """
        return self.evaluate(self.lowered(e, at.scope), at)

    def lowered(self, e: typed.Expr, scope: Scope) -> ir.Expr:
        """The lowered expression, memoised."""
        key = id(e), id(scope)
        if key not in self._lowered:
            self._lowered[key] = self.x.expr(e, scope), scope
        return self._lowered[key][0]

    def evaluate(self, e: ir.Expr, at: At) -> int:
        """The value of a lowered expression."""
        self.x.p.slots = self.x.most_slots
        return self._machine.evaluate(e, self._state, [*at.slots, *[0] * (self.x.most_slots + 1 - len(at.slots))])

    def bind(self, at: At, var: typed.Var, value: int) -> At:
        """The environment extended by a variable in the next free slot."""
        key = id(var), id(at.scope)
        if key not in self._inner:
            self._inner[key] = at.scope.in_slot(var, self.x.slot(at.scope)), at.scope
        scope = self._inner[key][0]
        slots = [*at.slots[: at.scope.slots], *[0] * (at.scope.slots - len(at.slots)), value]
        return At(scope, tuple(slots))

    def shown(self, type_: str, value: int) -> Any:
        """A value as plain data, for display and JSON."""
        return [] if type_.endswith(" *") else self.labels.plain(type_, value)

    def text(self, e: typed.Expr | typed.Stmt | typed.HeadPart | typed.OptionParam) -> str:
        """The source text of a part of the rules, joined into one line."""
        file = e.span.file
        if file not in self._lines:
            self._lines[file] = self._sources.get(file, "").split("\n")
        return " ".join(text_at(e.span, self._lines[file]).split())


class Tracer(Values):
    """A tracer of a ruleset's expressions in one state; the arguments are those of `Values`."""

    def node(self, e: typed.Expr, at: At) -> ReasonNode:
        """The trace of an expression."""
        result = ReasonNode("value", self.text(e), type_name(e.type), e.span)
        if self.hidden:
            return result
        self._left -= 1
        self._depth += 1
        if self._left > 0 and self._depth < MAX_DEPTH:
            _FORMS.get(type(e), Tracer._plain)(self, e, at, result)
        else:
            self._close(e, at, result)
        self._depth -= 1
        return result

    def _close(
        self, e: typed.Expr, at: At, node: ReasonNode, known: Sequence[tuple[typed.Expr, ReasonNode]] = ()
    ) -> None:
        """Fills in the value of a node; `known` parts are not evaluated again."""
        if self.hidden:
            return
        try:
            if known:
                scope = at.scope
                for part, its in known:
                    scope = scope.with_source(part, ir.Const(its.number))
                self._fill(node, self.evaluate(self.x.expr(e, scope), at))
            else:
                self._fill(node, self.number(e, at))
        except HiddenError:
            self.hidden = True

    def _fill(self, node: ReasonNode, number: int) -> None:
        node.number, node.value = number, self.shown(node.type, number)

    def add(self, nodes: list[ReasonNode], es: Iterable[typed.Expr], at: At) -> bool:
        """Adds the traces of expressions to `nodes`; returns False if a hidden cell was read."""
        for e in es:
            if self.hidden:
                return False
            nodes.append(self.node(e, at))
        return not self.hidden

    def _plain(self, e: typed.Expr, at: At, node: ReasonNode) -> None:
        node.op = _NAMES.get(type(e), "value")
        of = (
            [e.start]
            if isinstance(e, typed.Reach | typed.Ways)
            else [e.path]
            if isinstance(e, typed.Along)
            else [e.paths.start]
            if isinstance(e, typed.PathQuery)
            else [e.source]
            if isinstance(e, typed.OverSubsets)
            else parts(e)
        )
        nodes = node.parts if isinstance(e, typed.TrackOp | typed.BoardOp) else node.because
        if self.add(nodes, of, at):
            self._close(e, at, node, [*zip(of, nodes, strict=True)])

    def _state_of(self, e: typed.Field | typed.PieceCount, at: At, node: ReasonNode) -> None:
        """Traces a read of state, with the name of its cell."""
        node.op = "pieces" if isinstance(e, typed.PieceCount) else "state"
        if not self.add(node.because, parts(e), at):
            return
        scope = at.scope
        for part, its in zip(parts(e), node.because, strict=True):
            scope = scope.with_source(part, ir.Const(its.number))
        try:
            cell = self.x.expr(e, scope)
            if isinstance(cell, ir.Cell):
                node.name = cell_name(self.labels, self.x.p.cells[cell.base + self.evaluate(cell.index, at)])
            self._fill(node, self.evaluate(cell, at))
        except HiddenError:
            self.hidden = True

    def _op(self, e: typed.Op, at: At, node: ReasonNode) -> None:
        node.op = e.op
        if e.op in ("and", "or", "not"):
            self._logic(e, at, node)
        elif e.op == "??":
            if self.add(node.parts, e.args[:1], at) and node.parts[0].value is None:
                self.add(node.parts, e.args[1:], at)
            self._close(e, at, node)
        else:
            if e.op == "some":  # also for `is none`, whose text belongs to `not`
                node.text = f"{self.text(e.args[0])} is some"
            if self.add(node.parts, e.args, at):
                self._close(e, at, node, [*zip(e.args, node.parts, strict=True)])

    def _logic(self, e: typed.Op, at: At, node: ReasonNode) -> None:
        stop = {"and": False, "or": True}.get(e.op)
        for part in e.args:
            node.parts.append(self.node(part, at))
            if self.hidden:
                return
            if node.parts[-1].value is stop:
                self._fill(node, int(stop))
                return
        self._fill(node, int(not node.parts[0].value if e.op == "not" else e.op == "and"))

    def _choice(self, e: typed.Choice, at: At, node: ReasonNode) -> None:
        node.op = "if"
        if self.add(node.because, [e.condition], at):
            self.add(node.parts, [e.then if node.because[0].value else e.other], at)
            self._as_part(node)

    def _some(self, e: typed.IfSome, at: At, node: ReasonNode) -> None:
        """Traces a conditional on an optional value, with the branch taken."""
        node.op = "if"
        because, inner = self.named(e.var, e.value, at, at)
        node.because.append(because)
        self.add(node.parts, [e.then if because.value is not None else e.other], inner)
        self._as_part(node)

    def _cases(self, e: typed.Cases, at: At, node: ReasonNode) -> None:
        node.op = "if"
        if not self.add(node.because, [e.subject], at):
            return
        subject = node.because[0].number
        value = next((value for indices, value in e.cases if subject in indices), e.other)
        self.add(node.parts, [value] if value is not None else [], at)
        self._as_part(node)

    def _as_part(self, node: ReasonNode) -> None:
        if not self.hidden:
            node.value, node.number = node.parts[0].value, node.parts[0].number

    def _call(self, e: typed.Call, at: At, node: ReasonNode) -> None:
        node.op, place = "call", At()
        assert e.definition.body is not None
        for param, arg in zip(e.definition.params, e.args, strict=True):
            bound = self.named(param, arg, at, place)
            node.because.append(bound[0])
            if self.hidden:
                return
            place = bound[1]
        for var, value in e.definition.lets:
            bound = self.named(var, value, place, place)
            node.because.append(bound[0])
            if self.hidden:
                return
            place = bound[1]
        self.add(node.parts, [e.definition.body], place)
        self._as_part(node)

    def named(self, var: typed.Var, value: typed.Expr, at: At, inner: At) -> tuple[ReasonNode, At]:
        """The trace of a bound value, and the environment `inner` extended by its variable."""
        node = self.node(value, at)
        node.name = var.name if node.op in ("literal", "name", "state", "fact") else node.name or var.name
        if self.hidden:
            return node, inner
        return node, self.bind(inner, var, node.number)

    def _after_call(self, e: typed.Once, at: At, node: ReasonNode) -> None:
        """Traces a value after a hypothetical call, in the state after the call."""
        node.op = "once"
        if not self.add(node.because, e.args, at):
            return
        supposed = self.lowered(e, at.scope)
        assert isinstance(supposed, ir.Suppose)
        journal: Journal = []
        args = [self.evaluate(arg, at) for arg in supposed.args]
        try:
            self._machine.carry_out(supposed, args, self._state, journal)
            self.add(node.parts, [e.value], at)
        except HiddenError:
            self.hidden = True
        finally:
            restore(self._state, journal)
        if node.parts:
            self._as_part(node)

    # --- sets --------------------------------------------------------------------------------

    def _each(self, e: typed.Each, at: At, node: ReasonNode) -> None:
        """Traces an operation over a set, with one part per member up to the one that ends it."""
        b, node.op = e.binder, e.op
        if not self.add(node.because, [b.source, *([b.start] if b.start is not None else [])], at):
            return
        start = self.x.start(b, at.scope)
        first = self.evaluate(start, at) if start is not None else 0
        for member in members(node.because[0].number, first) if isinstance(b.source.type, SetOf) else ():
            part = self._member(e, self.bind(at, b.var, member))
            node.parts.append(part)
            if self.hidden:
                return
            if _ends(e, part):
                break
        if e.op in ("all", "any") and isinstance(b.source.type, SetOf):
            ended = bool(node.parts) and node.parts[-1].value is (e.op == "any")
            self._fill(node, int((e.op == "any") is ended))
        elif e.op in ("count", "sum") and isinstance(b.source.type, SetOf):
            self._fill(node, sum(part.number for part in node.parts))
        else:
            self._close(e, at, node, [(b.source, node.because[0])])

    def _member(self, e: typed.Each, at: At) -> ReasonNode:
        """The part for one member of a set."""
        where, rest = e.binder.where, [*e.binder.keys, *([e.body] if e.body is not None else [])]
        name = f"{e.binder.var.name} = {self.labels.show(type_name(e.binder.var.type), at.slots[-1])}"
        whole = {"any": where, "all": e.body if where is None else None}.get(e.op)
        if whole is not None:
            part = self.node(whole, at)
            part.name = f"{name}: {part.name}" if part.name else name
            return part
        part = ReasonNode("implies" if e.op == "all" else "member", self.text(e), "bool", None, name=name)
        fits = where is None or (self.add(part.parts, [where], at) and part.parts[0].value is True)
        if fits:
            self.add(part.parts, rest, at)
        if not self.hidden:
            values = part.parts[where is not None :]
            part.value = _of_member(e.op, fits, [each.value for each in values])
            part.number = (values[-1].number if values else 1) if fits else 0
        return part


def _of_member(op: str, fits: bool, values: Sequence[Any]) -> Any:
    """The value of a member's part: its truth, or its contribution to a result such as a sum; None if excluded."""
    if op == "all":
        return not fits or bool(values[-1])
    if not fits:
        return None if op not in ("count", "any") else False
    return values[-1] if values else True


def _ends(e: typed.Each, part: ReasonNode) -> bool:
    """Whether a member's part ends the operation."""
    if e.op in ("all", "any"):
        return part.value is (e.op == "any")
    fits = e.binder.where is None or part.parts[0].value is True
    return e.op == "first" and not e.binder.keys and fits


def cell_name(labels: Labels, cell: ir.CellName) -> str:
    """The readable name of a cell, such as `cash` (of the game), `player.bob.cash` or `hold[bob].hand`."""
    if cell.group in ("game", "rules"):
        return cell.name if cell.index < 0 else f"{cell.name}[{labels.show(cell.index_kind, cell.index)}]"
    owner = owner_of(labels, cell)
    if cell.group == "pieces":
        pile = cell.name if owner == "-" else f"{cell.name}[{owner}]"
        return f"{pile}.{place_of(labels, cell)}"
    return f"{cell.group}.{owner}.{cell.name}"


_NAMES: dict[type[typed.Expr], str] = {
    typed.Lit: "literal",
    typed.Seats: "seats",
    typed.SettingValue: "setting",
    typed.Local: "name",
    typed.Result: "result",
    typed.Fact: "fact",
    typed.TableRow: "table",
    typed.KindSet: "kind",
    typed.TrackOp: "track",
    typed.BoardOp: "board",
    typed.LinkBetween: "link",
    typed.PlaceValue: "place",
    typed.Room: "room",
    typed.RoomTogether: "room",
    typed.Reach: "reach",
    typed.Ways: "cheapest",
    typed.PathQuery: "search",
    typed.OverSubsets: "subsets",
    typed.ProductEntity: "entity",
}
_FORMS: dict[type[typed.Expr], Callable[[Tracer, Any, At, ReasonNode], None]] = {
    typed.Field: Tracer._state_of,
    typed.PieceCount: Tracer._state_of,
    typed.Op: Tracer._op,
    typed.Choice: Tracer._choice,
    typed.IfSome: Tracer._some,
    typed.Cases: Tracer._cases,
    typed.Call: Tracer._call,
    typed.Once: Tracer._after_call,
    typed.Each: Tracer._each,
}
