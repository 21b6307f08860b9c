"""The projections of a dialect in one game: from options to records, and from entries to matching options."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.forms import ComparedField, Form, Params
from rulespec.engine.dialects.json_paths import MISSING, follow, path_reader
from rulespec.engine.dialects.known import known
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.several_names import MAX_ITEMS, is_name, is_several, is_these, one_each, these
from rulespec.engine.game.game import Game
from rulespec.engine.game.query import Queries, Query
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.program import ir
from rulespec.engine.program.budget import BudgetUse
from rulespec.engine.program.evaluator import evaluate
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.program.traversal import Binding, walk
from rulespec.typed.seat_kinds import entity_names
from rulespec.types import Type

NO_VALUES: Mapping[str, int] = {}
MAX_GUESSES = 20_000
"""Maximum number of argument tuples tried to find the option denoted by an entry."""


def items(payload: Any, path: str, part: bool = False) -> list[Any]:
    """The elements of a list shared by several decisions; empty if there is no list.

    If `part` is set, the value at the path is the only element, if there is one.
    """
    result = follow(payload, path)
    if part:
        return [] if result is MISSING or result is None else [result]
    return result if isinstance(result, list) and len(result) <= MAX_ITEMS else []


def _names(text: str, params: Sequence[ir.Param]) -> set[str]:
    """The parameters that an expression names."""
    words = set(re.findall(r"\w+", text))
    return {param.name for param in params if param.name in words}


@lru_cache(maxsize=1_000)
def by_reader(path: str) -> Callable[[Any, str | None], bool]:
    """A predicate that tests whether the field at a path names a seat; a path that ends in `?` denotes an optional
    field.
    """
    read, optional = path_reader(path.removesuffix("?")), path.endswith("?")

    def is_by(payload: Any, name: str | None) -> bool:
        result = read(payload)
        if optional and (result is MISSING or result is None):
            return True
        return name is not None and is_name(result, name)

    return is_by


def with_values(text: str, values: Mapping[str, int]) -> str:
    """An expression with the values of the first entry substituted for their names."""
    for name, value in values.items():
        text = re.sub(rf"(?<![\w.]){name}(?!\w)", f"({value:d})", text)
    return text


class Variables:
    """The variables of the rules that are known at an open decision, for expressions of a dialect.

    Attributes:
        used: whether an expression has used a variable, so that the compiled form applies only to this game.
    """

    def __init__(self, game: Game) -> None:
        self._position = game.omniscient.numbers
        self._program = game.omniscient.program
        self.used = False

    @cached_property
    def _known(self) -> Mapping[str, Mapping[str, Type]]:
        """For each decision, the variables that are known wherever the rules ask it."""
        results: dict[str, dict[str, Type]] = {}
        for number, decision in enumerate(self._program.decisions):
            own = {name: type_ for name, (type_, _) in self._program.known.get(number, {}).items()}
            before = results.setdefault(decision.name, own)
            results[decision.name] = {name: t for name, t in before.items() if own.get(name) == t}
        return results

    def projection(self, queries: Queries, text: str, decision: str, params: Params) -> Query:
        """An expression over the parameters of an option, and over the variables known at its decision.

        Raises:
            DiagnosticsError: if the expression is incorrect.
        """
        try:
            return queries.projection(text, params)
        except DiagnosticsError:
            names, words = {name for name, _ in params}, set(re.findall(r"\w+", text))
            known = [(n, t) for n, t in self._known.get(decision, {}).items() if n in words and n not in names]
            if not known:
                raise
            with suppress(DiagnosticsError):
                return self._with(known, queries.projection(text, [*params, *known]), len(params))
            raise

    def _with(self, known: Sequence[tuple[str, Type]], query: Query, params: int) -> Query:
        """An expression over parameters and variables, converted to one over parameters and the position."""
        slots = frozenset(slot for slot in query.slots if slot < params)
        self.used = True
        read = [name for name, _ in known]

        def value(state: list[int], args: Sequence[int]) -> int:
            own = [*args, *[0] * (params - len(args))]
            return query.value(state, [*own, *(self._value(name, state) for name in read)])

        return replace(query, value=value, slots=slots, constant=False)

    def _value(self, name: str, state: list[int]) -> int:
        _, e = self._program.known[self._position.asked][name]
        return evaluate(self._program, e, state, [0] * (self._program.slots + 1))


class Projections:
    """The forms of a game's options in a dialect; options that are not in the ruleset are skipped.

    Args:
        game: the game.
        dialect: the dialect.
        own: whether the rules are the dialect's own, in which case all its expressions must compile.
        values: the named integers from the first entry, for use in expressions.

    Raises:
        DiagnosticsError: RS622 if an expression of the dialect is wrong.
    """

    def __init__(self, game: Game, dialect: Dialect, own: bool, values: Mapping[str, int] = NO_VALUES) -> None:
        self.game = game
        self.dialect = dialect
        self.header_values = values
        self.by_decision: dict[str, list[Form]] = {}
        self.shared: dict[str | None, dict[str, tuple[int, bool]]] = {}
        """Entry type → path of a list shared by several decisions → number of its first element, and whether the path
        is that of a single value, which is the only element."""
        self.tried = 0
        """The number of argument tuples tried to find the options denoted by entries."""
        self.names = {seat: comparable(name) for seat, name in game.names.items()}
        """Seat → name in the log."""
        self._names: dict[str, tuple[str, ...]] = {}
        self._queries = Queries(game.ruleset, game.seats, game.settings)
        self._equals: dict[str, Callable[[Any, int], bool]] = {}
        self.variables = Variables(game)
        self.known = known(game, dialect, values)
        """The cached knowledge of the dialect for this game."""
        forms = self.known.forms
        if forms is None:
            report = Report()
            forms = self._compiled(report)
            if own:
                report.raise_if_errors()
            if not report.diagnostics and not self.variables.used:
                self.known.forms = forms
        self.forms = forms
        for (decision, _), result in forms.items():
            self.by_decision.setdefault(decision, []).extend(result)
            for p in (form.projection for form in result):
                if p.item:
                    paths = self.shared.setdefault(p.type, {})
                    paths.setdefault(p.item, (len(paths) * MAX_ITEMS, p.part))

    def _compiled(self, report: Report) -> Mapping[tuple[str, str], list[Form]]:
        """The forms of all options of the program."""
        results: dict[tuple[str, str], list[Form]] = {}
        for d in self.game.omniscient.program.decisions:
            for c in d.choices:
                if (d.name, c.name) not in results:
                    forms = self.dialect.decisions.get(f"{d.name}.{c.name}", ())
                    results[d.name, c.name] = [self._compile(p, d.name, c, report) for p in forms]
        return results

    def _compile(self, projection: Projection, decision: str, choice: ir.Choice, report: Report) -> Form:
        form = Form(projection, tuple((p.name, p.type) for p in choice.params))
        name = f"{decision}.{choice.name}"

        use = BudgetUse(f"`{name}` of the dialect `{self.dialect.id}`", self.dialect.spans.get(name))

        def compiled(text: str) -> Query | None:
            text = with_values(text, self.header_values)
            try:
                query = self.variables.projection(self._queries, text, decision, form.params)
                if any(isinstance(e, ir.Call | Binding) for e in walk(query.lowered)):
                    return replace(query, value=self.known.counted(query.value, self._queries.meter, use))
                return query
            except DiagnosticsError as error:
                for e in error.diagnostics:
                    where = f"`{name}` of the dialect `{self.dialect.id}`: {e.message}"
                    report.error("RS622", where, self.dialect.spans.get(name), help=e.help)
            return None

        for path, text, optional in projection.match:
            if (result := compiled(text)) is not None:
                form.fields.append(
                    ComparedField(
                        path,
                        path_reader(path),
                        text,
                        result.type,
                        result.value,
                        optional,
                        result.slots,
                        result.constant,
                        result.lowered,
                    )
                )
        if projection.when and (result := compiled(projection.when)) is not None:
            if result.type != "bool":
                where = f"`{name}` of the dialect `{self.dialect.id}`: `when` must be true or false"
                report.error("RS622", where, self.dialect.spans.get(name))
            else:
                form.when, form.condition = result.value, result.lowered
        return form

    def query(self, text: str, decision: str = "", params: Params = ()) -> Query:
        """A compiled expression of the dialect over the parameters of an option.

        Raises:
            DiagnosticsError: RS622 if the expression is wrong.
        """
        try:
            return self.variables.projection(self._queries, text, decision, params)
        except DiagnosticsError as error:
            first, report = error.diagnostics[0], Report()
            message = f"`{text}` of {self.dialect.title}: {first.message}"
            report.error("RS622", message, self.dialect.spans.get("decisions"), help=first.help)
            raise DiagnosticsError(report.diagnostics) from None

    def is_by(self, payload: Any, path: str, seat: str | None) -> bool:
        """Whether the field at `path` names a seat; True for an empty path."""
        return not path or by_reader(path)(payload, None if seat is None else self.names[seat])

    def shown(self, seat: str | None) -> str:
        """The name of a seat for messages."""
        return "chance" if seat is None else self.game.shown_names[seat]

    # --- options to records ----------------------------------------------------

    def equal(self, args: Sequence[int], form: Form, record: Any, state: list[int]) -> bool:
        """Whether an option with these arguments matches a record."""
        return self.same(form.fields, args, record, state) and self.holds(form, args, state)

    def holds(self, form: Form, args: Sequence[int], state: list[int]) -> bool:
        """Whether the form's condition `when` holds for an option with these arguments."""
        try:
            return form.when is None or bool(form.when(state, args))
        except (ProgramFaultError, IndexError):
            return False

    def same(self, fields: Sequence[ComparedField], args: Sequence[int], record: Any, state: list[int]) -> bool:
        """Whether the given fields of a record match an option with these arguments."""
        for f in fields:
            result = f.read(record)
            if f.optional and (result is MISSING or result is None):
                continue
            try:
                if not self.is_value(f.type, result, f.value(state, args)):
                    return False
            except (ProgramFaultError, IndexError):
                return False
        return True

    def is_value(self, type_: str, field: Any, value: int) -> bool:
        """Whether a field of a record denotes a given value of a type."""
        equal = self._equals.get(type_)
        if equal is None:
            equal = self._equals[type_] = self._equal(type_)
        return equal(field, value)

    def _equal(self, type_: str) -> Callable[[Any, int], bool]:
        """A predicate for whether a recorded value denotes a value of a type."""
        if type_ == "bool":
            return lambda field, value: field is bool(value)
        if type_ in ("int", "int?"):
            return lambda field, value: field is None if value == NO_NUMBER else bool(value == field)
        if is_several(type_):
            return is_these(type_, self.foreign(type_.partition(" ")[2]))
        names = self.foreign(type_)
        return lambda field, value: field is None if value < 0 else is_name(field, names[value])

    @property
    def program(self) -> ir.Program:
        """The program that contains the compiled expressions."""
        return self._queries.program

    def values(self, type_: str) -> Sequence[int] | None:
        """All values of a parameter type, given as in `ir.Param`, in option order.

        None for numbers, sets, bags and paths.
        """
        if type_ in ("int", "int?") or is_several(type_):
            return None
        entities = range(len(self.foreign(type_.removesuffix("?"))))
        return (*entities, -1) if type_.endswith("?") else entities

    def foreign(self, kind: str) -> tuple[str, ...]:
        """The foreign names of all entities of a kind."""
        if kind not in self._names:
            kinds = self.game.ruleset.kinds
            seats = tuple(self.names.values())
            names = entity_names(kinds, kind, seats) if kind in kinds else ()  # `{}` alone is of no kind
            self._names[kind] = tuple(self.dialect.foreign(kind, name) for name in names)
        return self._names[kind]

    # --- entries to options ----------------------------------------------------------

    def meant(self, choice: ir.Choice, form: Form, record: Any, state: list[int]) -> Iterator[tuple[int, ...]]:
        """Arguments, legal or not, with which an option matches a record; the search is bounded."""
        results: list[Sequence[int]] = []
        for i, param in enumerate(choice.params):
            values = self._values(param, form, record)
            # Most fields depend on one argument alone.
            alone = [f for f in form.fields if _names(f.text, choice.params) == {param.name}]
            self.tried += len(values)
            args = [0] * len(choice.params)
            fitting = []
            for value in values:
                args[i] = value
                if self.same(alone, args, record, state):
                    fitting.append(value)
            results.append(fitting)
        total = 1
        for values in results:
            total *= len(values)
        for n in range(min(total, MAX_GUESSES)):
            self.tried += 1
            guess = []
            for values in reversed(results):
                n, digit = divmod(n, len(values))
                guess.append(values[digit])
            guess.reverse()
            if self.equal(guess, form, record, state):
                yield tuple(guess)

    def _values(self, param: ir.Param, form: Form, record: Any) -> Sequence[int]:
        """Possible values of an argument."""
        if (values := self.values(param.type)) is not None:
            return values
        for f in form.fields:
            number = follow(record, f.path)
            if f.text == param.name and type(number) is int and abs(number) < 10**15:
                return [number]
            if f.text == param.name and number is None and param.none is not None:
                return [param.none]
            if f.text == param.name and is_several(param.type):
                names = self.foreign(param.type.partition(" ")[2])
                result = these(param.type, number, names) if one_each(names) else None
                return () if result is None else [result]
        return () if is_several(param.type) else range(100)

    def unknown(self, decision: str, kind: Any, payload: Any) -> str:
        """The reason for rejecting an entry that names something unknown to the game; "" if it does not."""
        for form in self.by_decision.get(decision, ()):
            if form.projection.type != kind:
                continue
            p = form.projection
            records = items(payload, p.item, p.part) if p.item else [payload]
            for f in form.fields:
                for result in (follow(record, f.path) for record in records):
                    if f.type in self.game.omniscient.labels.names and isinstance(result, str):
                        known = self.foreign(f.type)
                        if result not in known:
                            hint = did_you_mean(result, known)
                            return f"there is no {f.type} {shown(result)}" + (f"; {hint}" if hint else "")
        return ""
