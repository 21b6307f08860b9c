"""The source of finders: generated Python that maps an entry directly to its option.

As in `engine/python`, only numbers enter the source; names, paths and tables are arguments of the factory function. A
finder leaves an entry undecided if it is malformed, or if rules may fault; `matching` then tries the forms one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from rulespec.engine.dialects.forms import ComparedField, Form
from rulespec.engine.dialects.inverse import MAX_TESTED, inverse_table, sorted_fields
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.dialects.several_names import MAX_ITEMS, is_several
from rulespec.engine.program import ir
from rulespec.engine.program.limits import NO_NUMBER

Table = Callable[[Projections], Any]
"""A function that builds a lookup table for a finder from the names in one game."""


class UnwrittenError(Exception):
    """Raised for a form that no finder supports."""


class _Guess(Struct):
    """Generated names for one form: the flag of a possible match, the argument columns, and the remaining tests."""

    form: Form
    may_fit: str
    columns: list[str]
    rest: list[str]
    by: str


class FinderSource:
    """A generator of the finder source for entries of one type at one decision.

    In the source, `e` is the payload, `m` the matched elements of its list, `s` the state, and `k` the number of
    options to skip; `b` is an element of the list, `v0` an argument, `x0` the value at a path, `c0` a column of values.

    Args:
        x: a function that returns the source of an expression.
        projections: the forms of the options in the dialect.

    Attributes:
        lines: the source.
        tables: the texts and tables `t0`, `t1` and so on; None for those in `by_seat`.
        by_seat: the numbers and builders of the tables with names of seats, which differ between games.
        uses: the expressions in the lines.
    """

    def __init__(self, x: Callable[[ir.Expr], str], projections: Projections) -> None:
        self.lines: list[str] = []
        self.tables: list[Any] = []
        self.by_seat: list[tuple[int, Table]] = []
        self.uses: list[ir.Expr] = []
        self._x = x
        self._projections = projections
        self._reads: dict[tuple[str, str, bool], str] = {}
        self._variables = 0
        self._choices: list[int] = []

    def source(self) -> list[str]:
        """The body of the factory function, which returns the finder."""
        head = [f"test{number:d}, who{number:d} = legal[{number:d}], actors[{number:d}]" for number in self._choices]
        head += ["def find(e, m, s, k):", "    try:"]
        body = [f"        {line}" for line in self.lines]
        return [*head, *body, "        return None", "    except unsure:", "        return 0", "return find"]

    def params(self) -> list[str]:
        """The parameters of the factory function."""
        return ["legal", "decider", "actors", "seats", *(f"t{i:d}" for i in range(len(self.tables)))]

    def choice(self, number: int, choice: ir.Choice, forms: Sequence[Form]) -> None:
        """Emits the code that finds the options of one choice.

        Raises:
            UnwrittenError: if one of the forms is not supported.
        """
        if any(form.projection.list for form in forms) or any(is_several(param.type) for param in choice.params):
            raise UnwrittenError
        self._choices.append(number)
        if any(form.projection.item for form in forms):
            self._elements(number, choice, forms)
            return
        guesses = [self._guess(form, "e") for form in forms]
        for i, guess in enumerate(guesses):
            for other in guesses[i + 1 :]:  # merging their options into one order is not supported
                self.lines.append(f"if {guess.may_fit} and {other.may_fit}: undecided()")
        args = f"({''.join(f'v{i:d}, ' for i in range(len(choice.params)))})"
        for guess in guesses:
            pad = self._loops(guess, "")
            self._argument(number, choice, args, pad, guess, "-1")

    def _elements(self, number: int, choice: ir.Choice, forms: Sequence[Form]) -> None:
        """Emits the search for the options of a choice that match elements of a list."""
        if len(forms) > 1:
            raise UnwrittenError
        (form,) = forms
        listed = self._read(form.projection.item, "e", optional=False)
        self.lines.append(f"if {listed}.__class__ is not list or len({listed}) > {MAX_ITEMS:d}: undecided()")
        args = f"({''.join(f'v{i:d}, ' for i in range(len(choice.params)))})"
        result = self._new("y")
        self.lines += [f"{result} = {{}}", f"for i, b in enumerate({listed}):", "    if i in m: continue"]
        before, self.lines = self.lines, []
        guess = self._guess(form, "b")
        pad = self._loops(guess, "")
        self.lines.append(f"{pad}{result}.setdefault({args}, i)")
        before += [f"    {line}" for line in self.lines]
        self.lines = before
        if guess.rest:
            raise UnwrittenError
        self.lines.append(f"for a in sorted({result}):")
        self._argument(number, choice, "a", "    ", guess, f"{result}[a]")

    def _loops(self, guess: _Guess, pad: str) -> str:
        """Emits loops over the columns of a guess; returns the indentation of their body."""
        self.lines.append(f"{pad}if {guess.may_fit}:")
        for slot, column in enumerate(guess.columns):
            pad += "    "
            self.lines.append(f"{pad}for v{slot:d} in {column}:")
        return pad + "    "

    def _argument(self, number: int, choice: ir.Choice, args: str, pad: str, guess: _Guess, item: str) -> None:
        """Emits the tests of guessed arguments, legality first, and the result."""
        one_by_one = "*a" if args == "a" else args[1:-1]
        tests = [f"test{number:d}(s, {one_by_one})", *guess.rest]
        who = "decider(s)" if choice.by is None else f"who{number:d}(s, {one_by_one})"
        self.lines += [f"{pad}if {' and '.join(tests)}:", f"{pad}    u = {who}"]
        if guess.by:
            pad += "    "
            self.lines.append(f"{pad}if {guess.by}:")
        self.lines += [f"{pad}    if not k: return {number:d}, {args}, u, {item}", f"{pad}    k -= 1"]

    # --- forms ---------------------------------------------------------------------------------

    def _guess(self, form: Form, record: str) -> _Guess:
        """Emits the code that reads a form's fields from a record."""
        before = dict(self._reads)
        fields = sorted_fields(form)
        conditions = [self._same(f, record) for f in fields.fixed]
        if form.projection.closes:
            listed = self._read(form.projection.closes, "e", optional=False)
            conditions.append(f"{listed}.__class__ is list and len(m) >= len({listed})")
        columns = [self._column(form, slot, result, record) for slot, result in enumerate(fields.inverted)]
        may_fit = self._new("n")
        self.lines.append(f"{may_fit} = {' and '.join([*conditions, *columns]) or '1'}")
        if columns:
            count = " * ".join(f"len({column})" for column in columns)
            self.lines.append(f"if {may_fit} and {count} > {MAX_TESTED:d}: undecided()")
        rest = [self._same(f, record) for f in fields.rest]
        if form.condition is not None:
            self.uses.append(form.condition)
            rest.append(self._x(form.condition))
        by = self._by(form.projection.by) if form.projection.by else ""
        if record == "b":  # separate for each element
            self._reads = before
        return _Guess(form, may_fit, columns, rest, by)

    def _by(self, path: str) -> str:
        """The condition that an entry names `u` as the acting seat."""
        optional = path.endswith("?")
        result = self._read(path.removesuffix("?"), "e", optional=optional)
        same = f"((seats[u] if u >= 0 else undecided()) == {result} or is_number({result}))"
        return f"({result} is None or {same})" if optional else same

    def _same(self, f: ComparedField, record: str) -> str:
        """The condition that a field of a record equals the value of its expression."""
        result = self._read(f.path, record, optional=f.optional)
        self.uses.append(f.lowered)
        value, kind = self._x(f.lowered), f.type
        if kind == "bool":
            same = f"({result} is bool({value}))"
        elif kind in ("int", "int?"):
            same = f"({result} == w if (w := {value}) != {NO_NUMBER:d} else {result} is None)"
        elif kind.startswith("order "):
            raise UnwrittenError
        elif kind.startswith("set "):
            sets = self._table(lambda projections: _sets(projections.foreign(kind[4:])), kind[4:])
            same = f"({sets}.get({result}, 0) & {value} or is_number({result}))"
        else:
            names = self._table(lambda projections: projections.foreign(kind), kind)
            same = f"(({names}[w] if (w := {value}) >= 0 else None) == {result} or is_number({result}))"
        return f"({result} is None or {same})" if f.optional else same

    def _column(self, form: Form, slot: int, fields: Sequence[ComparedField], record: str) -> str:
        """Emits the values of one argument that satisfy all fields depending on it alone."""
        type_ = form.params[slot][1]
        every = ""
        if type_ not in ("int", "int?"):
            every = self._table(lambda projections: projections.values(type_), type_)
        elif len(fields) != 1 or fields[0].optional:
            raise UnwrittenError
        column = ""
        for f in fields:
            result = self._read(f.path, record, optional=f.optional)
            fitting = self._fitting(form, slot, f, result)
            if column:
                both = self._new("c")
                self.lines.append(f"{both} = {fitting}")
                fitting = f"[v for v in {column} if v in {both}]"
            if f.optional:
                fitting = f"{column or every} if {result} is None else {fitting}"
            name = self._new("c")
            self.lines.append(f"{name} = {fitting}")
            column = name
        return column or every

    def _fitting(self, form: Form, slot: int, f: ComparedField, value: str) -> str:
        """The source of the argument's values for which a field equals a recorded value."""
        if form.params[slot][1] in ("int", "int?"):
            self.lines.append(f"if {value}.__class__ is not int: undecided()")
            return f"({value},)"
        kinds = (form.params[slot][1], f.type.removeprefix("set "))
        table = self._table(lambda projections: inverse_table(form, slot, f, projections), *kinds)
        if f.type in ("int", "int?"):
            return f"{table}.get({value}, ())"
        if f.type == "bool":
            return f"({table}.get({value}, ()) if {value}.__class__ is bool else ())"
        return f"{table}[{value}]"  # an unknown name: undecided

    # --- names in the source ---------------------------------------------------------------------

    def _read(self, path: str, record: str, *, optional: bool) -> str:
        """The variable that holds the value at a path of a record."""
        if not path:
            return record
        if result := self._reads.get((record, path, optional)):
            return result
        keys = path.split(".")
        if any(key == "*" or key.isdigit() for key in keys) or (record != "e" and keys[0] == "value"):
            raise UnwrittenError
        result = self._reads[record, path, optional] = self._new("x")
        texts = [self._constant(key) for key in keys]
        if optional:  # a missing step means a missing value
            self.lines.append(f"{result} = {record}.get({texts[0]})")
            self.lines += [f"{result} = None if {result} is None else {result}.get({text})" for text in texts[1:]]
        else:
            self.lines.append(f"{result} = {record}{''.join(f'[{text}]' for text in texts)}")
        return result

    def _table(self, table: Table, *types: str) -> str:
        """The name of a new table, which contains names of the given types."""
        kinds = self._projections.game.ruleset.kinds
        if any((kind := kinds.get(type_.removesuffix("?"))) is not None and kind.by_seat for type_ in types):
            self.by_seat.append((len(self.tables), table))
            return self._constant(None)
        return self._constant(table(self._projections))

    def _constant(self, value: Any) -> str:
        """The name of a new value shared by all entries."""
        self.tables.append(value)
        return f"t{len(self.tables) - 1:d}"

    def _new(self, letter: str) -> str:
        """A new variable name."""
        self._variables += 1
        return f"{letter}{self._variables:d}"


@lru_cache
def _sets(names: tuple[str, ...]) -> dict[str, int]:
    """Foreign name → set of the entities with that name."""
    sets: dict[str, int] = {}
    for number, name in enumerate(names):
        sets[name] = sets.get(name, 0) | 1 << number
    return sets
