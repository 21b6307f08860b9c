"""Which arguments an option can have that looks like a record, found from the record and not by trying them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any

from rulespec.engine.dialects.dialect import MISSING
from rulespec.engine.dialects.projection import Field, Form, Projections, by_reader
from rulespec.engine.game.query import Value
from rulespec.engine.program.faults import ProgramFaultError

MAX_TESTED = 60
"""Arguments that are worth trying one by one: where there may be more, listing what is legal is no slower."""

_MAX_KEPT = 2_000
"""Fields read backwards that are kept for the next log."""

Args = tuple[int, ...]
Inverse = Callable[[Any], Sequence[int]]
"""What a record has in a field → the values of one argument, ascending, with which the option has the same there."""


class Narrowing:
    """What the fields of a form say of an option's arguments.

    A field that depends on one argument and on nothing else is read backwards; `fixed` fields depend on no argument,
    and the `rest` has to be worked out for each guess.
    """

    def __init__(self, form: Form, projections: Projections) -> None:
        self.form = form
        self.projection = form.projection
        self.projections = projections
        self._fixed: list[Field] = []
        self._rest: list[Field] = []
        said: list[list[tuple[Field, Inverse]]] = [[] for _ in form.params]
        for f in form.fields:
            slot = min(f.slots, default=-1)
            name, type_ = form.params[slot] if f.slots else ("", "")
            if not f.slots:
                self._fixed.append(f)
            elif len(f.slots) > 1 or not f.still or (type_ == "int" and f.text != name):
                self._rest.append(f)
            else:
                said[slot].append((f, _number if type_ == "int" else self._inverse(f, slot)))
        sizes = [-1 if type_ == "int" else len(projections.foreign(type_)) for _, type_ in form.params]
        self._columns = list(zip(sizes, said, strict=True))
        self._by = by_reader(form.projection.by) if form.projection.by and not form.projection.list else None

    def is_by(self, payload: Any, seat: str | None) -> bool:
        """Whether an entry says that who acts is this seat."""
        return self._by is None or self._by(payload, seat)

    def looks(self, args: Args, record: Any, state: list[int]) -> bool:
        """Whether an option with these arguments looks like the record."""
        return self.projections.equal(args, self.form, record, state)

    def guesses(self, record: Any, state: list[int]) -> Sequence[Args] | None:
        """The arguments with which all but the `rest` is as in the record, ascending; None if they are too many."""
        if self._fixed and not self.projections.same(self._fixed, (), record, state):
            return ()
        columns: list[Sequence[int]] = []
        guesses = 1
        for size, said in self._columns:
            column: Sequence[int] | None = None
            for f, inverse in said:
                found = f.read(record)
                if f.optional and (found is MISSING or found is None):
                    continue
                fitting = inverse(found)
                column = fitting if column is None else [value for value in column if value in fitting]
            if column is None:
                if size < 0:
                    return None
                column = range(size)
            if not column:
                return ()
            columns.append(column)
            guesses *= len(column)
        return tuple(product(*columns)) if guesses <= MAX_TESTED else None

    def fits(self, args: Args, record: Any, state: list[int]) -> bool:
        """Whether an option with guessed arguments looks like the record."""
        if self._rest and not self.projections.same(self._rest, args, record, state):
            return False
        return self.form.when is None or self.projections.holds(self.form, args, state)

    def _inverse(self, f: Field, slot: int) -> Inverse:
        """A field that depends on one entity, read backwards."""
        name, kind = self.form.params[slot]
        foreign = self.projections.foreign
        if f.text == name:
            return partial(_by_name, _numbered(foreign(kind)))
        names = foreign(f.type.removeprefix("set "))
        fitting = _fitting(f.value, f.type, names, slot, len(self.form.params), len(foreign(kind)))
        if f.type == "bool":
            return lambda found: fitting.get(found, ()) if isinstance(found, bool) else ()
        if f.type == "int":
            return lambda found: fitting.get(found, ()) if isinstance(found, int | float) else ()
        return partial(_by_name, fitting)


@lru_cache(maxsize=_MAX_KEPT)
def _numbered(names: tuple[str, ...]) -> dict[str, list[int]]:
    """The entities of a kind by their foreign names, of which several may have the same."""
    numbers: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        numbers.setdefault(name, []).append(number)
    return numbers


@lru_cache(maxsize=_MAX_KEPT)
def _fitting(
    value: Value, type_: str, names: tuple[str, ...], slot: int, params: int, entities: int
) -> dict[Any, list[int]]:
    """What a record may have in a field that depends on one entity → the entities with which it has."""
    fitting: dict[Any, list[int]] = {}
    args = [0] * params
    for entity in range(entities):
        args[slot] = entity
        try:
            for key in _keys(type_, value([], args), names):
                fitting.setdefault(key, []).append(entity)
        except (ProgramFaultError, IndexError):
            continue
    return fitting


def _keys(type_: str, value: int, names: tuple[str, ...]) -> set[Any]:
    """What a record may have in a field of this value."""
    if type_ == "bool":
        return {bool(value)}
    if type_ == "int":
        return {value}
    if not type_.startswith("set "):
        return {None if value < 0 else names[value]}
    return {names[i] for i in range(value.bit_length()) if value >> i & 1}


def _number(found: Any) -> Sequence[int]:
    """The number that a field is; JSON may write a whole one as a fraction, or say true for 1."""
    if isinstance(found, int) or (isinstance(found, float) and found.is_integer()):
        return (int(found),)
    return ()


def _by_name(fitting: Mapping[Any, Sequence[int]], found: Any) -> Sequence[int]:
    if type(found) is int:  # names that are numbers may stand there as numbers
        found = str(found)
    return fitting.get(found, ()) if found is None or isinstance(found, str) else ()
