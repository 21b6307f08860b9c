"""The moves of one game as text: conversion of options to texts, and of texts to the legal options that they denote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.report import failure
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.forms import Form
from rulespec.engine.dialects.matching import Matcher, Pattern
from rulespec.engine.dialects.notation_file import Notation, Printed, literal
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.dialects.several_names import is_several, written
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.query import Query
from rulespec.engine.notation.templates import Characters, Template
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import NO_NUMBER

_MEMO_SIZE = 20
Condition = Callable[[Sequence[int]], bool]
"""A predicate on the cells of a position."""


class _Printing(Struct, frozen=True):
    """A printed form of an option, compiled for a game."""

    printed: Printed
    form: Form
    also: tuple[tuple[str, Query], ...]


class Notated:
    """A reader and writer of move texts in one game.

    Args:
        game: the game, at any position.
        notation: the notation of the ruleset.

    Raises:
        DiagnosticsError: RS622 if an expression of the notation is wrong.
    """

    def __init__(self, game: Game, notation: Notation) -> None:
        self._game, self._notation = game, notation
        self._projections = Projections(game, as_dialect(notation), True)
        self._matcher = Matcher(game, as_dialect(notation), self._projections)
        self._after = [(a, self._condition(a.when) if a.when else None) for a in notation.after]
        self._printings: dict[str, list[_Printing]] = {}

    def _condition(self, text: str) -> Condition:
        """A predicate on positions, compiled if possible because it is tested after each move."""
        from rulespec.engine.python.code_memo import Fragments, code_memo  # lazily: reading a game prints nothing

        query, codes = self._projections.query(text), code_memo(self._game.ruleset.ref)
        fragments = Fragments(self._projections.program, {}, codes)
        if not fragments.can_write([query.lowered]):
            return lambda cells: bool(query.value(list(cells), ()))
        holds = fragments.function("holds", ["s"], [f"return {fragments.x(query.lowered)}"], [query.lowered])
        return lambda cells: bool(holds(cells))

    def read(self, text: str) -> list[Option]:
        """The legal options of the open decision that a text denotes; may be empty."""
        move, forms = self._notation.grammar.read(text.strip()), self._matcher.decision_forms()
        results: list[Option] = []
        if move is None or forms is None:
            return results
        for candidate in forms.of_type(move.type):
            patterns = [Pattern(form, move.fields) for form in candidate.forms]
            results += [option for option, _ in self._matcher.matches(candidate.choice, patterns, move.fields)]
        return results

    def write(self, option: Option) -> str:
        """The text for a legal option of the open decision; "" if the notation has no text for it.

        Raises:
            DiagnosticsError: RS888 if the notation gives only ambiguous texts for the option.
        """
        name = f"{option.decision}.{option.name}"
        if not self._notation.printed.get(name):
            return ""
        text = ""
        for printing in self._printed(option, name):
            fields = self._fields(printing, option)
            for template in printing.printed.templates if fields is not None else ():
                text = self._filled(template, printing.printed.projection.type, fields or {})
                if self.read(text) == [option]:
                    return text + self._suffix(option)
        message = f"{self._notation.title} has no unambiguous text for `{option}`, which it would write as `{text}`"
        span = self._notation.spans.get(name)
        raise failure("RS888", message, span, "add a longer text to `print`, and to `moves`")

    def _printed(self, option: Option, name: str) -> Sequence[_Printing]:
        if name not in self._printings:
            forms = self._projections.forms[option.decision, option.name]
            by_projection = {id(form.projection): form for form in forms}
            self._printings[name] = [
                _Printing(printed, form, self._also(printed, form, option.decision))
                for printed in self._notation.printed[name]
                if (form := by_projection.get(id(printed.projection))) is not None
            ]
        return self._printings[name]

    def _also(self, printed: Printed, form: Form, decision: str) -> tuple[tuple[str, Query], ...]:
        return tuple((name, self._projections.query(text, decision, form.params)) for name, text in printed.also)

    def _fields(self, printing: _Printing, option: Option) -> Mapping[str, Any] | None:
        """Field → value for an option in a form; None if the form does not apply."""
        state, args = self._game.omniscient.numbers.state, option.args
        if not self._projections.holds(printing.form, args, state):
            return None
        try:
            fields = {f.path: self._plain(f.type, f.value(state, args)) for f in printing.form.fields}
            return fields | {name: self._plain(q.type, q.value(state, args)) for name, q in printing.also}
        except (ProgramFaultError, IndexError):
            return None

    def _plain(self, type_: str, value: int) -> Any:
        """The value of a field as used by the parts of a notation."""
        if type_ == "bool":
            return bool(value)
        if type_ in ("int", "int?"):
            return None if value == NO_NUMBER else value
        if is_several(type_):
            return written(type_, value, self._projections.foreign(type_.partition(" ")[2]))
        names = self._projections.foreign(type_.removesuffix("?"))
        return names[value] if 0 <= value < len(names) else None

    def _filled(self, template: Template, type_: str, fields: Mapping[str, Any]) -> str:
        """A template filled with the texts of fields."""
        grammar, parts = self._notation.grammar, []
        for element in template:
            if isinstance(element, Characters):
                parts.append(literal(element))
            else:
                part = element.part if element.part != element.field else grammar.part_of(type_, element.field)
                parts.append(grammar.text(part, fields.get(element.field)))
        return "".join(parts)

    def _suffix(self, option: Option) -> str:
        """The suffix of a move, which depends on the resulting position."""
        if not self._after:
            return ""
        game = self._game
        game.apply(option)
        try:
            cells, result = game.omniscient.numbers.looked_up, game.result
            for after, holds in self._after:
                if after.ending and (result is None or result.ending != after.ending):
                    continue
                if holds is None or holds(cells):
                    return after.text
        except ProgramFaultError:
            return ""
        finally:
            game.undo()
        return ""


@lru_cache(maxsize=_MEMO_SIZE)
def as_dialect(notation: Notation) -> Dialect:
    """A dialect equivalent to a notation, whose entries are the fields of move texts."""
    return Dialect(
        id="notation",
        title=notation.title,
        rules="",
        file=notation.file,
        automatic=False,
        type_path="type",
        payload_path="",
        start={},
        names=notation.names,
        ignore=frozenset(),
        ends=frozenset(),
        ignores_illegal=False,
        accepts=frozenset(),
        undo=None,
        decisions=notation.decisions,
        spans=notation.spans,
        notation=notation,
    )
