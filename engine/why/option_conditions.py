"""Traces of an option's conditions, in order, up to the first one that fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rulespec.engine.game.option import Labels
from rulespec.engine.game.refusal import path_reason, with_arguments
from rulespec.engine.game.secrets import HiddenError
from rulespec.engine.lower.layout import type_name
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.domains import Several, ways_of
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.why.reason_nodes import ReasonNode
from rulespec.engine.why.tracer import At, Tracer
from rulespec.language.bags import counts
from rulespec.language.paths import Break, PathForm, broken
from rulespec.typed import nodes as typed


class _Paid(Struct, frozen=True):
    """An affordable cost: its amount, the source cell, and the trace of the amount."""

    amount: int
    cell: int
    node: ReasonNode


class OptionTrace:
    """A tracer of the conditions of one option.

    Args:
        tracer: the tracer of expressions.
        option: the option.
        choice: the lowered option.
        at: the environment of the option.
    """

    def __init__(self, tracer: Tracer, option: typed.OptionDef, choice: ir.Choice, at: At) -> None:
        self.t = tracer
        self.option = option
        self.choice = choice
        self._at = at
        self._because: list[ReasonNode] = []
        self._paid: list[_Paid] = []

    def conditions(self, args: Sequence[int]) -> Iterator[ReasonNode]:
        """The conditions for given arguments, up to the first one that fails or depends on hidden information.

        With fewer arguments than parameters, the last condition is the domain of the next parameter.
        """
        for node in self._conditions(args):
            yield node
            if node.value is not True:
                return

    def _conditions(self, args: Sequence[int]) -> Iterator[ReasonNode]:
        for param, lowered, arg in zip(self.option.params, self.choice.params, args, strict=False):
            yield self._domain(param, lowered, arg)
            self._at = self.t.bind(self._at, param.var, arg)
            if param.where is not None and arg != lowered.none:
                node = self.t.node(param.where, self._at)
                node.reason = param.reason or node.text
                yield node
        if len(args) < len(self.option.params):
            yield self._empty(self.option.params[len(args)])
            return
        yield from self._head(self.option.head, self._at)
        if self.option.weight is not None:
            weight = self.t.node(self.option.weight, self._at)
            positive = isinstance(weight.value, int) and weight.value > 0
            node = ReasonNode(
                "weight", weight.text, "bool", weight.span, because=[weight], reason="chance never takes this"
            )
            yield self._known(node, positive)

    def _known(self, node: ReasonNode, value: bool) -> ReasonNode:
        """A condition with its value filled in, unless it read a hidden cell."""
        if not self.t.hidden:
            node.value = value
        return node

    def _domain(self, param: typed.OptionParam, lowered: ir.Param, arg: int) -> ReasonNode:
        """The condition that an argument is in the domain of its parameter."""
        shown = self.t.labels.show(lowered.type, arg)
        name = f"{param.var.name} = {shown}"
        node = ReasonNode("domain", lowered.text, "bool", param.span, name=name)
        within = "is not" if lowered.several is not None else "is not in"
        node.reason = param.reason or f"`{shown}` {within} {lowered.text}"
        if arg == lowered.none:
            node.value = True
            return node
        if lowered.walk is not None:
            return self._path(param, lowered, node, arg)
        if not self.t.add(node.because, param.domain, self._at):
            return node
        low, high = node.because[0].number, node.because[-1].number
        if lowered.several is not None:
            least = node.because[1].number
            return self._known(node, arg in Several(low, least, high, bag=lowered.is_bag))
        fits = low <= arg <= high if param.high is not None else arg >= 0 and bool(low >> arg & 1)
        return self._known(node, fits)

    def _path(self, param: typed.OptionParam, lowered: ir.Param, node: ReasonNode, arg: int) -> ReasonNode:
        """The condition that an argument is a valid path, explained by its first invalid step, if any."""
        assert lowered.walk is not None and isinstance(param.low, typed.PathDomain)
        try:
            place = broken(self._ways(lowered.walk), arg)
        except HiddenError:
            self.t.hidden = True
            return node
        if place is None:
            return self._known(node, value=True)
        node.reason = path_reason(self.t.labels, lowered, place)
        node.because = self._broken(param.low, place)
        return self._known(node, value=False)

    def _broken(self, paths: typed.PathDomain, place: Break) -> list[ReasonNode]:
        """The traces of the path expressions that refuse a step, with the stops of the step."""
        if place.part in ("from", "steps"):
            return [self.t.node(paths.start, self._at)] if place.part == "from" else []
        near = paths.near
        at = self.t.bind(self.t.bind(self._at, paths.so_far, place.way.path), paths.var, place.way.at)
        if place.part in ("to", "until"):
            nodes = [self._of_step(near.source, at, paths.var)]
            leads = not self.t.hidden and place.to >= 0 and bool(nodes[0].number >> place.to & 1)
            if leads and near.where is not None:
                nodes.append(self._of_step(near.where, self.t.bind(at, near.var, place.to), paths.var, near.var))
            return nodes
        at = self.t.bind(at, near.var, place.to)
        if place.part == "once":
            use = paths.uses[place.use]
            source = use.args[0] if isinstance(use, typed.Op) and use.op == "any of" else use
            return [self._of_step(source, at, paths.var, near.var)]
        return [self._of_step(paths.cost, at, paths.var, near.var), self.t.node(paths.within, self._at)]

    def _of_step(self, e: typed.Expr, at: At, *stops: typed.Var) -> ReasonNode:
        """The trace of a path expression for the given stops, which appear in its name."""
        node = self.t.node(e, at)
        shown = zip(stops, at.slots[-len(stops) :], strict=True)
        node.name = ", ".join(f"{var.name} = {self.t.labels.show(type_name(var.type), stop)}" for var, stop in shown)
        return node

    def _ways(self, walk: ir.PathSearch) -> PathForm:
        """The paths in a parameter's domain."""
        slots = [*self._at.slots, *[0] * (walk.slot + 5 + len(walk.uses) - len(self._at.slots))]
        return ways_of(walk, slots, lambda e: self.t.evaluate(e, At(self._at.scope, tuple(slots))))

    def _empty(self, param: typed.OptionParam) -> ReasonNode:
        """The failed condition that a parameter has a possible value."""
        text = self.t.text(param.low if param.several is None else param)
        node = ReasonNode("domain", text, "bool", param.span, name=param.var.name)
        none = f"there is no `{param.var.name}` in {text}"
        node.reason = none if param.several is None else f"there are not {text}"
        if not isinstance(param.low, typed.PathDomain):
            self.t.add(node.because, param.domain, self._at)
        return self._known(node, value=False)

    # --- heads -------------------------------------------------------------------------------

    def _head(self, head: Sequence[typed.HeadPart], at: At) -> Iterator[ReasonNode]:
        """The conditions of a head; bound values are evaluated and displayed with the next condition."""
        waiting: list[typed.Let] = []
        for part in head:
            if isinstance(part, typed.Let):
                waiting.append(part)
                continue
            for let in waiting:
                at = self._name(let.var, let.value, at, at)
            waiting.clear()
            if self.t.hidden:
                yield self._with_names(ReasonNode("require", self.t.text(part), "bool", part.span), part)
                return
            if isinstance(part, typed.Needs):
                yield from self._needs(part, at)
            elif isinstance(part, typed.Cost):
                yield self._with_names(self._cost(part, at), part)
            else:
                yield self._with_names(self.t.node(part.condition, at), part)

    def _needs(self, part: typed.Needs, at: At) -> Iterator[ReasonNode]:
        """The conditions of a guard."""
        inner = At()
        for var, arg in zip(part.guard.params, part.args, strict=True):
            inner = self._name(var, arg, at, inner)
        if self.t.hidden:
            yield self._with_names(ReasonNode("require", self.t.text(part), "bool", part.span), part)
            return
        yield from self._head(part.guard.head, inner)

    def _name(self, var: typed.Var, value: typed.Expr, at: At, inner: At) -> At:
        """The environment `inner` extended by a bound value, which is displayed with the next condition."""
        if self.t.hidden:
            return inner
        node, place = self.t.named(var, value, at, inner)
        self._because.append(node)
        return place

    def _with_names(self, node: ReasonNode, part: typed.HeadPart) -> ReasonNode:
        node.because, self._because = [*self._because, *node.because], []
        node.reason = (part.reason if isinstance(part, typed.Requirement | typed.Cost) else "") or node.text
        return node

    def _cost(self, cost: typed.Cost, at: At) -> ReasonNode:
        """The condition that a cost is affordable, together with earlier costs from the same place."""
        node = ReasonNode("cost", self.t.text(cost), "bool", cost.span)
        if cost.each is not None:
            return self._bag(cost, cost.each, at, node)
        try:
            paid = self._amount(cost, at, node)
        except HiddenError:
            self.t.hidden = True
            return node
        if paid is None:
            return node
        decl = cost.source.decl if isinstance(cost.source, typed.Field) else None
        earlier = [each for each in self._paid if each.cell == paid.cell]
        if decl is not None and decl.unlimited:
            return self._known(node, paid.amount >= 0)
        if not self.t.add(node.because, [cost.source], at):
            return node
        node.because[:0] = [each.node for each in earlier]
        self._paid.append(paid)
        least = 0 if decl is None or decl.low is None else decl.low
        due = paid.amount + sum(each.amount for each in earlier)
        return self._known(node, paid.amount >= 0 and due <= node.because[-1].number - least)

    def _bag(self, cost: typed.Cost, each: typed.Var, at: At, node: ReasonNode) -> ReasonNode:
        """The condition that a bag of pieces is available, entity by entity."""
        assert isinstance(cost.amount, typed.Op)
        bag = self.t.node(cost.amount.args[0], at)
        node.because.append(bag)
        fits = True
        for entity, _ in counts(bag.number) if not self.t.hidden else ():
            place = self.t.bind(at, each, entity)
            try:
                paid = self._amount(cost, place, ReasonNode("cost", "", "bool", cost.span))
            except HiddenError:
                self.t.hidden = True
                return node
            if paid is None or not self.t.add(node.because, [cost.source], place):
                return node
            due = paid.amount + sum(before.amount for before in self._paid if before.cell == paid.cell)
            fits = fits and due <= node.because[-1].number
            self._paid.append(_Paid(paid.amount, paid.cell, bag))
        return self._known(node, fits)

    def _amount(self, cost: typed.Cost, at: At, node: ReasonNode) -> _Paid | None:
        """The amount of a cost, its source cell and trace; None if they are hidden."""
        amount = self.t.node(cost.amount, at)
        node.because.append(amount)
        source = self.t.lowered(cost.source, at.scope)
        assert isinstance(source, ir.Cell)
        if self.t.hidden:
            return None
        return _Paid(amount.number, source.base + self.t.evaluate(source.index, at), amount)


def listed_instead(
    program: ir.Program, labels: Labels, option: tuple[int, int, tuple[int, ...]], state: State
) -> Iterator[ReasonNode]:
    """The condition that the given option (decision, choice, arguments) is listed itself, rather than one that differs
    only in tokens that are alike.
    """
    decision, choice, args = option
    lowered = program.decisions[decision].choices[choice]
    node = ReasonNode("alike", "the tokens are alike", "bool", lowered.span)
    try:
        instead = Interpreter(program).standing(state, decision, choice, args)
    except HiddenError:
        yield node
        return
    node.value = instead is None
    if instead is not None:
        node.name = with_arguments(labels, lowered, instead)
        node.reason = f"`{node.name}` is listed instead: the tokens are alike"
    yield node
