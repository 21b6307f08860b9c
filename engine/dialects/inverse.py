"""The inverse of a form, which maps the fields of a record to the arguments of matching options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import product
from typing import Any

from msgspec import Struct

from rulespec.engine.dialects.forms import ComparedField, Form
from rulespec.engine.dialects.json_paths import MISSING
from rulespec.engine.dialects.projection import Projections, by_reader
from rulespec.engine.dialects.several_names import is_several, one_each, these
from rulespec.engine.game.query import Value
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.ir import none_of
from rulespec.engine.program.limits import NO_NUMBER

MAX_TESTED = 60
"""Maximum number of argument tuples tested one by one; beyond it, listing the legal options is no slower."""

_MEMO_SIZE = 2_000
"""Maximum number of inverse fields in memory."""

Args = tuple[int, ...]
Inverse = Callable[[Any], Sequence[int]]
"""A function that maps the value of a field to the values of one argument that produce it, in the order of options."""


class SortedFields(Struct):
    """The fields of a form, grouped by dependency.

    `inverted` lists, for each argument, the fields that depend on it alone; `fixed` fields depend on no argument, and
    the `rest` are evaluated for each guess.
    """

    fixed: list[ComparedField]
    inverted: list[list[ComparedField]]
    rest: list[ComparedField]


def sorted_fields(form: Form) -> SortedFields:
    """The fields of a form, grouped by dependency."""
    result = SortedFields([], [[] for _ in form.params], [])
    for f in form.fields:
        slot = min(f.slots, default=-1)
        name, type_ = form.params[slot] if f.slots else ("", "")
        is_number = type_ in ("int", "int?")
        if not f.slots:
            result.fixed.append(f)
        elif len(f.slots) > 1 or not f.constant or ((is_number or is_several(type_)) and f.text != name):
            result.rest.append(f)
        else:
            result.inverted[slot].append(f)
    return result


class FormInverse:
    """The inverse of one form: finds the arguments with which an option matches a record; see `SortedFields`."""

    def __init__(self, form: Form, projections: Projections) -> None:
        self.form = form
        self.projection = form.projection
        self.projections = projections
        fields = sorted_fields(form)
        self._fixed, self._rest = fields.fixed, fields.rest
        for slot, (_, type_) in enumerate(form.params):
            if is_several(type_) and not one_each(projections.foreign(type_.partition(" ")[2])):
                self._rest = [*self._rest, *fields.inverted[slot]]
                fields.inverted[slot] = []
        inverses = [[(f, self._inverse(f, slot)) for f in result] for slot, result in enumerate(fields.inverted)]
        values = [projections.values(type_) for _, type_ in form.params]
        self._columns = [_column(*column) for column in zip(values, inverses, strict=True)]
        self._by = by_reader(form.projection.by) if form.projection.by and not form.projection.list else None

    def is_by(self, payload: Any, seat: str | None) -> bool:
        """Whether an entry names the seat as its actor, or names no actor."""
        return self._by is None or self._by(payload, None if seat is None else self.projections.names[seat])

    def looks_like(self, args: Args, record: Any, state: list[int]) -> bool:
        """Whether an option with these arguments matches the record."""
        return self.projections.equal(args, self.form, record, state)

    def guesses(self, record: Any, state: list[int]) -> Sequence[Args] | None:
        """The argument lists, in order, for which all fields except the `rest` match; None if there are too many."""
        if self._fixed and not self.projections.same(self._fixed, (), record, state):
            return ()
        if len(self._columns) == 1:  # the case of most options
            only = self._columns[0](record)
            return [(value,) for value in only] if only is not None and len(only) <= MAX_TESTED else None
        columns: list[Sequence[int]] = []
        guesses = 1
        for read in self._columns:
            column = read(record)
            if not column:
                return column if column is None else ()
            columns.append(column)
            guesses *= len(column)
        return tuple(product(*columns)) if guesses <= MAX_TESTED else None

    def fits(self, args: Args, record: Any, state: list[int]) -> bool:
        """Whether an option with guessed arguments matches the record."""
        if self._rest and not self.projections.same(self._rest, args, record, state):
            return False
        return self.form.when is None or self.projections.holds(self.form, args, state)

    def _inverse(self, f: ComparedField, slot: int) -> Inverse:
        """The inverse of a field that depends on one argument."""
        type_ = self.form.params[slot][1]
        if type_ in ("int", "int?"):
            return partial(_number, type_)
        if is_several(type_):
            names = self.projections.foreign(type_.partition(" ")[2])
            return lambda field: () if (value := these(type_, field, names)) is None else (value,)
        fitting = inverse_table(self.form, slot, f, self.projections)
        if f.text != self.form.params[slot][0]:
            if f.type == "bool":
                return lambda value: fitting.get(value, ()) if isinstance(value, bool) else ()
            if f.type in ("int", "int?"):
                return lambda value: fitting.get(value, ()) if value is None or isinstance(value, int | float) else ()
            if f.type.startswith("set "):
                return lambda v: self._whole(f, slot, v) if isinstance(v, list) else _by_name(fitting, v)
        return partial(_by_name, fitting)

    def _whole(self, f: ComparedField, slot: int, value: list[Any]) -> Sequence[int]:
        """The entities for which a field is the set named by a list."""
        every = self.projections.values(self.form.params[slot][1]) or ()
        args = [0] * len(self.form.params)
        result = []
        for args[slot] in every:
            with suppress(ProgramFaultError, IndexError):
                if self.projections.is_value(f.type, value, f.value([], args)):
                    result.append(args[slot])
        return result


def inverse_table(form: Form, slot: int, f: ComparedField, projections: Projections) -> Mapping[Any, Sequence[int]]:
    """A table from each recorded value of a field to the entities for which the field has this value."""
    name, kind = form.params[slot]
    if f.text == name:
        return _numbered(projections.foreign(kind.removesuffix("?")), kind.endswith("?"))
    names = projections.foreign(f.type.removeprefix("set "))
    values = tuple(projections.values(kind) or ())
    return _fitting(f.value, f.type, names, slot, len(form.params), values)


def _column(
    values: Sequence[int] | None, inverses: Sequence[tuple[ComparedField, Inverse]]
) -> Callable[[Any], Sequence[int] | None]:
    """A function from a record to the values of one argument that match all its fields; None if too many to try."""
    if not inverses:
        return lambda record: values
    if len(inverses) == 1 and not inverses[0][0].optional:
        ((field, inverse),) = inverses
        read = field.read
        return lambda record: inverse(read(record))

    def fitting_all(record: Any) -> Sequence[int] | None:
        column: Sequence[int] | None = None
        for f, inverse in inverses:
            result = f.read(record)
            if f.optional and (result is MISSING or result is None):
                continue
            fitting = inverse(result)
            column = fitting if column is None else [value for value in column if value in fitting]
        return values if column is None else column

    return fitting_all


@lru_cache(maxsize=_MEMO_SIZE)
def _numbered(names: tuple[str, ...], none: bool) -> dict[str | None, list[int]]:
    """Foreign name → entities of a kind with that name; `none` adds None → -1."""
    numbers: dict[str | None, list[int]] = {}
    for number, name in enumerate(names):
        numbers.setdefault(name, []).append(number)
    return numbers | {None: [-1]} if none else numbers


@lru_cache(maxsize=_MEMO_SIZE)
def _fitting(
    value: Value, type_: str, names: tuple[str, ...], slot: int, params: int, entities: tuple[int, ...]
) -> dict[Any, list[int]]:
    """Recorded value of a field → entities for which the field has that value."""
    fitting: dict[Any, list[int]] = {}
    args = [0] * params
    for entity in entities:
        args[slot] = entity
        try:
            for key in _keys(type_, value([], args), names):
                fitting.setdefault(key, []).append(entity)
        except (ProgramFaultError, IndexError):
            continue
    return fitting


def _keys(type_: str, value: int, names: tuple[str, ...]) -> set[Any]:
    """The recorded values that denote a value of a type."""
    if type_ == "bool":
        return {bool(value)}
    if type_ in ("int", "int?"):
        return {None if value == NO_NUMBER else value}
    if not type_.startswith("set "):
        return {None if value < 0 else names[value]}
    return {names[i] for i in range(value.bit_length()) if value >> i & 1}


def _number(type_: str, value: Any) -> Sequence[int]:
    """The integer denoted by a recorded value, as JSON may write 1 as 1.0 or true."""
    if value is None and (none := none_of(type_)) is not None:
        return (none,)
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return (int(value),)
    return ()


def _by_name(fitting: Mapping[Any, Sequence[int]], value: Any) -> Sequence[int]:
    if type(value) is int:  # a name such as 7 may be written as a number
        value = str(value)
    return fitting.get(value, ()) if value is None or isinstance(value, str) else ()
