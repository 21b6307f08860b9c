"""The legal options that a record of a foreign log can stand for, in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct

from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.inverse import Args, FormInverse
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option


class Pattern(Struct, frozen=True, gc=False):
    """A form that an option may be recorded in, with what would be the record.

    `item` is the number of the record in the list that several decisions share; -1 if it is in none.
    """

    form: FormInverse
    record: Any
    item: int = -1


class DecisionForms:
    """What a decision of the program is to a dialect.

    `silent` are the numbers of the choices that the dialect does not know, `automatic` of those that the other system
    takes by itself, both in the order in which options are listed; `checkpoints` those to before which an undo goes
    back. `lists` are the lists of the first entry that may answer the decision, and `types` the types of its entries.
    """

    def __init__(self, game: Game, dialect: Dialect, projections: Projections, number: int) -> None:
        decision = game.program.decisions[number]
        self.name = decision.name
        listed = sorted(range(len(decision.choices)), key=lambda k: decision.choices[k].by is not None)
        forms = {k: projections.forms[decision.name, decision.choices[k].name] for k in listed}
        self._projections = projections
        self._forms = forms
        self._of_type: dict[str | None, list[tuple[int, list[FormInverse]]]] = {}
        self.silent = [k for k in listed if not forms[k]]
        self.automatic = [k for k in listed if any(form.projection.automatic for form in forms[k])]
        marks = dialect.undo.checkpoints if dialect.undo is not None else frozenset()
        self.checkpoints = frozenset(k for k in listed if f"{decision.name}.{decision.choices[k].name}" in marks)
        # Decisions of one name may be asked for in several places.
        every = projections.by_decision.get(decision.name, [])
        self.lists = frozenset(form.projection.list for form in every) - {""}
        self.types = frozenset(form.projection.type for form in every)
        self.is_automatic = any(form.projection.automatic for form in every)

    def forms(self, type_: str | None) -> list[tuple[int, list[FormInverse]]]:
        """The choices that a list of the first entry or an entry of this type may stand for, each with such forms."""
        kind = type_ if type_ in self.types else None
        if kind not in self._of_type:
            self._of_type[kind] = []
            for k, forms in self._forms.items():
                chosen = [form for form in forms if form.projection.list or form.projection.type == kind]
                if chosen:
                    self._of_type[kind].append((k, [FormInverse(form, self._projections) for form in chosen]))
        return self._of_type[kind]


class Matcher:
    """Finds the options of a game that records can stand for."""

    def __init__(self, game: Game, dialect: Dialect, projections: Projections) -> None:
        self.game = game
        self.dialect = dialect
        self.projections = projections
        self._questions: dict[int, DecisionForms] = {}

    def question(self) -> DecisionForms | None:
        """The open decision; None if the game is over."""
        number = self.game.asked
        if number < 0:
            return None
        if number not in self._questions:
            self._questions[number] = DecisionForms(self.game, self.dialect, self.projections, number)
        return self._questions[number]

    def read(self, choice: int, readings: Sequence[Pattern], payload: Any) -> Iterator[tuple[Option, Pattern]]:
        """The legal options of one choice that look like a record, each with the first reading that it fits.

        Args:
            choice: the number of the choice, in the open decision.
            readings: what to look for; those that come first are preferred.
            payload: what the entry says besides, such as who acts.
        """
        game = self.game
        if not readings:
            return
        guesses = self._guesses(readings)
        if guesses is None:
            for option in self.legal((choice,)):
                for reading in readings:
                    form = reading.form
                    if form.looks(option.args, reading.record, game.live) and form.is_by(payload, option.by):
                        yield option, reading
                        break
            return
        for args, of in guesses:
            found = game.legal(choice, args)
            if found is not None:
                for reading in of:
                    form = reading.form
                    if form.fits(args, reading.record, game.live) and form.is_by(payload, found.by):
                        yield found, reading
                        break

    def _guesses(self, readings: Sequence[Pattern]) -> Sequence[tuple[Args, Sequence[Pattern]]] | None:
        """The arguments with which options may look like records, ascending; None if that can be said of too few."""
        state = self.game.live
        if len(readings) == 1:
            guesses = readings[0].form.guesses(readings[0].record, state)
            return guesses if guesses is None else [(args, readings) for args in guesses]
        found: dict[Args, list[Pattern]] = {}
        for reading in readings:
            guesses = reading.form.guesses(reading.record, state)
            if guesses is None:
                return None
            for args in guesses:
                found.setdefault(args, []).append(reading)
        return sorted(found.items(), key=lambda guess: guess[0])

    def legal(self, choices: Collection[int]) -> Iterator[Option]:
        """The legal options of some choices of the open decision, one by one, in the order in which they are listed."""
        game = self.game
        params = game.program.decisions[game.asked].choices
        if any(params[k].params for k in choices):
            yield from game.options_of(choices)
            return
        for k in choices:
            option = game.legal(k, ())
            if option is not None:
                yield option
