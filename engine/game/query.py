"""Queries: expressions from outside the rules, such as those of scenarios, evaluated in a state."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.measured import Gauge, Measuring, gauges
from rulespec.engine.game.option import Labels
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import Layout, type_name
from rulespec.engine.lower.lowering import lower_rules
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.columns import form_of
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.evaluator import Evaluator, evaluate
from rulespec.engine.program.execution import Execution
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.program.traversal import Facts, changed, free, highest
from rulespec.records import Brief
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import BOOL, INT, BagOf, Ent, Maybe, Num, Order, PathOf, SetOf, Type, or_none

if TYPE_CHECKING:  # lazily: most tables need no typed expressions
    from rulespec.check.expressions.checker import ExpressionChecker
    from rulespec.check.scope import Env
    from rulespec.engine.python.code_memo import Fragments

_FILE = "<expression>"
Value = Callable[[list[int], Sequence[int]], int]
"""A function that returns the value of an expression for a state and an option's arguments."""
_Slotted = Callable[[State, State], int]
"""A function that returns the value of an expression for a state and slots."""
_GENERATED_AFTER = 10
"""Break-even: the number of times that a measure is read before a function is generated for it."""
_MAX_UNCOUNTED = 20_000
"""The maximum steps of such a function."""
_MEMO_LIMIT = 64
_QUERY_LIMIT = 2_000


class Query(Brief, Struct, frozen=True):
    """A compiled expression over the parameters of an option.

    Attributes:
        type: the name of the expression's type.
        value: the function that evaluates the expression.
        slots: the numbers of the parameters that the expression depends on.
        constant: whether the expression depends only on these parameters, and so not on the state.
        typed: the type, with the unit.
        lowered: the expression in `Queries.program`, with the parameters in its first slots.
    """

    type: str
    value: Value
    slots: frozenset[int]
    constant: bool
    typed: Type
    lowered: ir.Expr


class _Shared(Brief, Struct):
    """The state shared by tables with the same ruleset, number of seats and settings.

    The reference to `ruleset` keeps its id from being reused. `queries` is keyed by text, parameters and named seats.
    `fragments` generates the functions of measures that are read often; `generated` is their number.
    """

    ruleset: typed.Ruleset
    lowering: ExpressionLowering
    facts: Facts
    meter: Evaluator
    queries: dict[tuple[object, ...], Query] = {}
    gauges: tuple[Gauge, ...] | None = None
    fragments: Fragments | None = None
    generated: int = 0


_memo: dict[tuple[object, ...], _Shared] = {}
"""Cache keyed by the id of the ruleset, the number of seats, and the settings."""


class Queries:
    """A compiler and evaluator of expressions over the states of one game.

    Args:
        ruleset: the ruleset.
        seats: the ids of the seats.
        settings: the values of all settings.
        lowering: the lowering to whose program the expressions are added; by default, they get a separate program.
    """

    def __init__(
        self,
        ruleset: typed.Ruleset,
        seats: Sequence[str],
        settings: Mapping[str, str],
        lowering: ExpressionLowering | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.settings = settings
        self._shared: _Shared | None = None
        if lowering is not None:
            self._shared = _Shared(ruleset, lowering, Facts(lowering.p), Evaluator(lowering.p))
        self._measuring: Measuring | None = None

    @property
    def _key(self) -> tuple[object, ...]:
        return id(self.ruleset), len(self.seats), tuple(sorted(self.settings.items()))

    @property
    def _own(self) -> _Shared:
        if self._shared is None:
            self._shared = _memo.get(self._key) or self._compiled(whole=bool(self.ruleset.rules.suppositions))
        return self._shared

    def _compiled(self, *, whole: bool) -> _Shared:
        """The shared state of tables like this one; `whole` lowers the procedures too, as `once` needs them."""
        program = ir.Program(len(self.seats))
        lowering = ExpressionLowering(
            Layout(self.ruleset.declarations, len(self.seats), program), self.settings, program
        )
        if whole:
            lower_rules(self.ruleset, lowering)
        else:
            lowering.functions(self.ruleset.rules.definitions)
        if len(_memo) >= _MEMO_LIMIT:
            _memo.clear()
        result = _Shared(self.ruleset, lowering, Facts(program), Evaluator(program))
        self._shared = _memo[self._key] = result
        return result

    @property
    def _lower(self) -> ExpressionLowering:
        """The lowering into the queries' program, over the game's cells."""
        return self._own.lowering

    @property
    def program(self) -> ir.Program:
        """The program that contains the queries' expressions and fault sites."""
        return self._lower.p

    def _lowered(self, e: typed.Expr, scope: Scope | None = None) -> ir.Expr:
        if not self._lower.p.blocks and any(type(part) is typed.Once for part in expressions(e)):
            self._compiled(whole=True)
        lowered = self._lower.expr(e, scope or Scope())
        self._lower.p.slots = self._lower.most_slots
        return lowered

    def _evaluate(self, e: ir.Expr, state: list[int]) -> int:
        evaluator = Evaluator(self._lower.p, MAX_STEPS)
        try:
            return evaluator.evaluate(e, state, [0] * (self._lower.most_slots + 1))
        except ProgramFaultError:
            if evaluator.left < 0:
                raise ProgramFaultError(-1, f"the expression takes more than {MAX_STEPS:,} steps") from None
            raise

    @property
    def meter(self) -> Execution:
        """The step counter of queries and measures; see `Budget.spend`."""
        return self._own.meter

    def expression(self, text: str, want: Type | None = None) -> typed.Expr:
        """The typed form of an expression, of type `want` if given. Raises DiagnosticsError if the expression is
        incorrect.
        """
        report = Report()
        checker, env = _checker(self, report)
        expr = checker.infer(_parsed(text), env, want)
        if want is not None:
            expr = checker.expect(expr, want, "the value")
        return _quiet(expr, report)

    def value(self, text: str, state: list[int]) -> tuple[str, int]:
        """The type and value of an expression.

        Raises:
            DiagnosticsError: if the expression is not correct.
            ProgramFaultError: if it has no value, such as a division by zero.
        """
        expr = self.expression(text)
        return type_name(expr.type), self._evaluate(self._lowered(expr), state)

    def measuring(self, labels: Labels) -> Measuring:
        """The evaluator of measures for this game's states."""
        if self._measuring is None:
            own = self._own
            if own.gauges is None:
                own.gauges = gauges(self.ruleset.declarations.measures.values(), partial(_gauged, self))
            self._measuring = Measuring(own.gauges, labels, self.program.slots + 1, own.meter)
        return self._measuring

    def function(self, e: typed.Expr, scope: Scope) -> Callable[[State, State], int]:
        """A function that evaluates an expression of the ruleset, given a state and slots."""
        lowered = self._lowered(e, scope)
        return partial(self._own.meter.evaluate, lowered)

    def projection(self, text: str, params: Sequence[tuple[str, str | Type]]) -> Query:
        """A compiled expression over the parameters of an option.

        Args:
            text: the expression.
            params: names and types of the parameters; type names are those of `ir.Param`, without units.

        Raises:
            DiagnosticsError: if the expression is not correct.
        """
        words = _words(text)
        named = tuple((number, seat) for number, seat in enumerate(self.seats) if seat in words)
        key = (text, tuple(params), named)
        queries = self._own.queries
        if key not in queries:
            if len(queries) >= _QUERY_LIMIT:
                queries.clear()
            queries[key] = self._projection(text, params)
        return queries[key]

    def _projection(self, text: str, params: Sequence[tuple[str, str | Type]]) -> Query:
        report = Report()
        types = [type_of(type_) if isinstance(type_, str) else type_ for _, type_ in params]
        variables = [
            typed.Var(name, type_, Span(_FILE, 1, 1, 1, 2)) for (name, _), type_ in zip(params, types, strict=True)
        ]
        checker, env = _checker(self, report, variables)
        scope = Scope()
        for slot, var in enumerate(variables):
            scope = scope.in_slot(var, slot)
        expr = _quiet(checker.infer(parse_expr(text, _FILE, cached=True), env), report)
        lowered = self._lowered(expr, scope)
        slots, constant = free(lowered), not self._own.facts.reads_state(lowered)
        value = self._function(lowered, len(params))
        if constant and len(slots) == 1 and not isinstance(types[min(slots)], Num | Maybe):
            value = _memoized(value, min(slots))
        return Query(type_name(expr.type), value, slots, constant, expr.type, lowered)

    def _function(self, e: ir.Expr, params: int) -> Value:
        """A function that evaluates a lowered expression, given a state and arguments for its first slots."""
        evaluate, room = self._own.meter.evaluate, [0] * (highest(e) + 1 - params)
        return lambda state, args: evaluate(e, state, [*args, *room])

    def why_broken(self, condition: typed.Expr, state: list[int], show: Callable[[str, int], str]) -> str:
        """The entities for which a condition of the rules fails, with the values involved.

        Raises:
            ProgramFaultError: if a part of the condition has no value.
        """
        from rulespec.engine.game.witness import Witness
        from rulespec.engine.lower.conditions import text_at

        def evaluated(e: ir.Expr, slots: list[int]) -> int:
            self._lower.p.slots = self._lower.most_slots
            return evaluate(self._lower.p, e, state, [*slots, *[0] * (self._lower.most_slots + 1)])

        def text(e: typed.Expr) -> str:
            return text_at(e.span, self.ruleset.sources.get(e.span.file, "").split("\n"))

        return Witness(self._lower, evaluated, show, text).of(condition)

    def assign(self, target: str, value: str, state: list[int], supplies: Sequence[str] = ()) -> dict[int, int]:
        """The changes made by an assignment, as cell → new value; see `Omniscient.set_value`."""
        place = self.expression(target)
        report = Report()
        if not isinstance(place, typed.Field | typed.PieceCount):
            report.error("RS801", f"`{target}` is neither state nor an account nor a place of pieces", None)
            report.raise_if_errors()
        assert isinstance(place, typed.Field | typed.PieceCount)
        wanted = INT if isinstance(place, typed.PieceCount) else place.decl.type
        amount = self._evaluate(self._lowered(self.expression(value, wanted)), state)
        if isinstance(place, typed.PieceCount) and amount < 0:
            report.error("RS802", f"the number of pieces cannot be {amount}", None)
            report.raise_if_errors()
        at = self._address(place, state)
        written = {at: amount}
        source = self._source(place, state)
        fixed = [at, *(self._address(self.expression(supply), state) for supply in supplies)]
        if source is not None and source not in fixed:
            written[source] = state[source] - amount + state[at]
            if written[source] < 0 and isinstance(place, typed.PieceCount):
                _report_missing(report, target, amount, next(iter(place.piece.places)))
        report.raise_if_errors()
        return written

    def _address(self, place: typed.Expr, state: list[int]) -> int:
        cell = self._lowered(place)
        assert isinstance(cell, ir.Cell)
        return cell.base + self._evaluate(cell.index, state)

    def _source(self, place: typed.Field | typed.PieceCount, state: list[int]) -> int | None:
        """The cell from which a scenario takes the pieces or money that it puts in a place."""
        if isinstance(place, typed.PieceCount):
            first = next(iter(place.piece.places.values()))
            if first.index:
                return None
            return self._address(typed.PieceCount(INT, place.span, place.piece, place.ids, first, None), state)
        if place.decl.account:
            for field in self.ruleset.declarations.fields.values():
                if field.account and field.unlimited and field.type == place.decl.type:
                    return self._lower.layout.field_at[field]
        return None

    def call(self, text: str, state: list[int]) -> tuple[str, list[int]]:
        """The procedure and the argument values of a call such as `turn(red)`."""
        tree = _parsed(text)
        report = Report()
        procedures = self.ruleset.rules.procedures
        name = tree.name if isinstance(tree, ast.Ref) else ""
        args: tuple[ast.Expr, ...] = ()
        if isinstance(tree, ast.CallExpr):
            name, args = tree.name.text, tree.args
        procedure = procedures.get(name)
        if procedure is None:
            help_ = did_you_mean(name, procedures)
            report.error("RS803", f"`{text}` does not call a procedure of the ruleset", None, help=help_)
        elif len(args) != len(procedure.params):
            takes = ", ".join(f"{p.name}: {p.type}" for p in procedure.params)
            number = len(procedure.params)
            message = (
                f"`{text}` has the wrong number of arguments: "
                f"`{name}` takes {number or 'no'} argument{'s' * (number != 1)}"
            )
            report.error("RS803", message, None, help=f"call it as it is declared: `procedure {name}({takes})`")
        report.raise_if_errors()
        assert procedure is not None
        values = []
        for arg, param in zip(args, procedure.params, strict=True):
            checker, env = _checker(self, report)
            expr = checker.check(arg, env, param.type, f"`{param.name}`")
            report.raise_if_errors()
            values.append(self._evaluate(self._lowered(expr), state))
        return name, values


def _checker(queries: Queries, report: Report, variables: Sequence[typed.Var] = ()) -> tuple[ExpressionChecker, Env]:
    """An expression checker, and the scope of the variables that expressions may use."""
    from rulespec.check.expressions.checker import ExpressionChecker
    from rulespec.check.scope import Env

    env, ruleset = Env(), queries.ruleset
    for var in variables:
        env = env.bind(var)
    return ExpressionChecker(ruleset.declarations, ruleset.rules, report, queries.seats), env


def _report_missing(report: Report, target: str, amount: int, first: str) -> None:
    """Reports that the first place of a pile has too few pieces for a place of the same pile."""
    message = f"`{target}` cannot have {amount} pieces: too few are left in `{first}`, the first place"
    match = re.match(r"\w+(\[[^\]]*\])?", target)
    supply = f"{match[0] if match is not None else target}.{first}"
    help_ = f"also set `{supply}` to the number of pieces left there; then none are taken from it"
    report.error("RS802", message, None, help=help_)


_FORMS: dict[str, Callable[[str], Type]] = {"set": SetOf, "order": Order, "bag": BagOf, "path": PathOf}


def type_of(name: str) -> Type:
    """The type with the given name, as in `ir.Param` and `CellName`, where numbers have no unit."""
    form, kind = form_of(name)
    if form:
        return _FORMS[form](kind)
    type_ = name.removesuffix("?")
    result: Type = INT if type_ == "int" else BOOL if type_ == "bool" else Ent(type_)
    return result if type_ == name else or_none(result)


@lru_cache(maxsize=_QUERY_LIMIT)
def _parsed(text: str) -> ast.Expr:
    return parse_expr(text, _FILE)


@lru_cache(maxsize=_QUERY_LIMIT)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text))


def _quiet(e: typed.Expr, report: Report) -> typed.Expr:
    """The expression itself; raises if its typing reported errors, or if `once` in it runs a procedure that asks."""
    report.raise_if_errors()
    if suppositions := [part for part in expressions(e) if type(part) is typed.Once]:
        from rulespec.check.recursion import refuse_loud

        refuse_loud(suppositions, report)
        report.raise_if_errors()
    return e


def _memoized(value: Value, slot: int) -> Value:
    """A memoised version of a function that depends only on one argument, an entity of a kind."""
    known: dict[int, int] = {}

    def evaluate(state: list[int], args: Sequence[int]) -> int:
        number = args[slot]
        if number not in known:
            known[number] = value(state, args)
        return known[number]

    return evaluate


def _gauged(queries: Queries, e: typed.Expr, scope: Scope) -> tuple[_Slotted, _Slotted]:
    """The functions of a measure, with sums over all entities of a kind vectorised, since measures are read often."""
    from rulespec.engine.passes.narrow import summed  # lazily: most tables are not measured

    def at_once(part: ir.Expr) -> ir.Expr:
        part = changed(part, at_once)
        return summed(part, facts) if isinstance(part, ir.Fold) else part

    lowered, own = queries._lowered(e, scope), queries._own
    facts = own.facts
    lowered = at_once(lowered)
    value = partial(own.meter.evaluate, lowered)
    return value, _OftenRead(own, lowered, value)


class _OftenRead:
    """The value of an expression, given a state and slots: once it has been read often, by a generated function."""

    def __init__(self, own: _Shared, e: ir.Expr, value: _Slotted) -> None:
        self._own, self._e, self._value = own, e, value
        self._read = 0

    def __call__(self, state: State, slots: State) -> int:
        self._read += 1
        if self._read == _GENERATED_AFTER:
            self._value = self._generated() or self._value
        return self._value(state, slots)

    def _generated(self) -> _Slotted | None:
        """The generated function; None if it needs all rules, or could take long, as it counts no steps."""
        from rulespec.engine.python.code_memo import Fragments, code_memo  # lazily: most measures are read seldom

        own, e = self._own, self._e
        program = own.lowering.p
        fragments = own.fragments = own.fragments or Fragments(program, {}, code_memo(own.ruleset.ref))
        if not fragments.can_write([e]) or Costs(program).of(e) > _MAX_UNCOUNTED:
            return None
        own.generated += 1
        name, body = f"value{own.generated:d}", [f"return +({fragments.x(e)})"]
        try:
            function = fragments.function(name, ["s", "v0"], body, [e])
        except (RecursionError, SyntaxError, MemoryError):  # Python's own limits
            own.fragments = None  # some functions recorded as defined may not be
            return None

        def value(state: State, slots: State) -> int:
            result: int = function(state, slots[0])
            return result

        return value
