"""Matching of foreign log entries to the legal options, in list order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.finders import Finder, Finders
from rulespec.engine.dialects.forms import ListedForms, is_silent
from rulespec.engine.dialects.inverse import Args, FormInverse
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import legal_option, options_of
from rulespec.engine.game.option import Option

MAX_COMPARED = 3_000_000
"""Maximum number of legal options listed per log, for entries whose forms cannot be inverted."""


class Pattern(Struct, frozen=True, gc=False):
    """A form and a record, to be matched to options.

    `item` is the index of the record in a list shared by several decisions; -1 otherwise.
    """

    form: FormInverse
    record: Any
    item: int = -1


class Candidate(Struct, frozen=True):
    """A choice that an entry may denote.

    Attributes:
        choice: the number of the choice.
        forms: the forms of the choice in which the entry may record it.
        plain: the form, if it is the only one and its records are whole entries; otherwise None.
    """

    choice: int
    forms: list[FormInverse]
    plain: FormInverse | None


class DecisionForms:
    """The forms of the open decision of a game.

    Attributes:
        of: the forms of the decision in the dialect.
        kinds: the kinds of its options.
        ordered: the choices taken by standing orders, with their forms.
        is_plain: whether only entries answer the decision, rather than lists in the first entry or automatic options.
        finders: entry type → its finder, for types met so far; None for a type without a finder.
    """

    def __init__(self, game: Game, of: ListedForms, projections: Projections, finders: Finders) -> None:
        self.of = of
        self.kinds = game.omniscient.option_kinds
        self.finders: dict[str | None, Finder | None] = {}
        self._finders = finders
        self._projections = projections
        self._of_type: dict[str | None, list[Candidate]] = {}
        self.ordered = [(k, FormInverse(form, projections)) for k, form in of.ordered]
        self.is_plain = not of.is_automatic and not of.lists and not self.ordered

    def finder(self, type_: str | None) -> Finder | None:
        """The finder for entries of a type; None if there is none, or if it is not compiled yet."""
        if type_ in self.finders:
            return self.finders[type_]
        if type_ is None or type_ not in self.of.types:
            return None
        result, settled = self._finders.finder(self.of.number, type_, self.of.forms)
        if settled:
            self.finders[type_] = result
        return result

    def of_type(self, type_: str | None) -> list[Candidate]:
        """The choices that an entry of this type, or a list in the first entry, may denote, with their forms."""
        kind = type_ if type_ in self.of.types else None
        if kind not in self._of_type:
            self._of_type[kind] = []
            for k, forms in self.of.forms.items():
                chosen = [f for f in forms if f.projection.list or (f.projection.type == kind and not is_silent(f))]
                if chosen:
                    inverses = [FormInverse(form, self._projections) for form in chosen]
                    plain = inverses[0] if len(inverses) == 1 and _is_plain(chosen[0].projection) else None
                    self._of_type[kind].append(Candidate(k, inverses, plain))
        return self._of_type[kind]


def _is_plain(projection: Projection) -> bool:
    """Whether records of a form are whole entries."""
    return not (projection.list or projection.item or projection.closes)


class Matcher:
    """A matcher of foreign records to the legal options of a game."""

    def __init__(self, game: Game, dialect: Dialect, projections: Projections) -> None:
        self.game = game
        self.dialect = dialect
        self.projections = projections
        self.compared = 0
        self._finders = Finders(game, projections)
        self._decisions: dict[int, DecisionForms] = {}
        self.plain: dict[int, DecisionForms] = {}
        """Decision number → forms, for the plain decisions met so far."""

    def decision_forms(self) -> DecisionForms | None:
        """The forms of the open decision; None if the game is over."""
        number = self.game.omniscient.numbers.asked
        if number < 0:
            return None
        if number not in self._decisions:
            forms = DecisionForms(self.game, self._listed(number), self.projections, self._finders)
            self._decisions[number] = forms
            if forms.is_plain:
                self.plain[number] = forms
        return self._decisions[number]

    def _listed(self, number: int) -> ListedForms:
        """The forms of a decision; later games reuse them unless they depend on this game."""
        projections = self.projections
        memo = projections.known.listed if projections.forms is projections.known.forms else {}
        if number not in memo:
            decision, undo = self.game.omniscient.program.decisions[number], self.dialect.undo
            marks = (undo.checkpoints if undo is not None else None) or frozenset()
            memo[number] = ListedForms(number, decision, projections.forms, marks)
        return memo[number]

    def plain_forms(self) -> DecisionForms | None:
        """The forms of the open decision; None if they are not plain, or the game is over."""
        forms = self.decision_forms()
        return forms if forms is not None and forms.is_plain else None

    def matches(self, choice: int, patterns: Sequence[Pattern], payload: Any) -> Iterator[tuple[Option, Pattern]]:
        """The legal options of one choice that match a pattern, each with its first matching pattern.

        Args:
            choice: the number of the choice, in the open decision.
            patterns: the patterns, in order of preference.
            payload: the payload of the entry, which may name the acting seat.
        """
        game = self.game
        if not patterns:
            return
        guesses = self._guesses(patterns)
        if guesses is None:
            for option in self.legal((choice,)):
                for pattern in patterns:
                    form = pattern.form
                    if form.looks_like(option.args, pattern.record, game.omniscient.numbers.state) and form.is_by(
                        payload, option.by
                    ):
                        yield option, pattern
                        break
            return
        for args, of in guesses:
            result = legal_option(game, choice, args)
            if result is not None:
                for pattern in of:
                    form = pattern.form
                    if form.fits(args, pattern.record, game.omniscient.numbers.state) and form.is_by(
                        payload, result.by
                    ):
                        yield result, pattern
                        break

    def _guesses(self, patterns: Sequence[Pattern]) -> Sequence[tuple[Args, Sequence[Pattern]]] | None:
        """The arguments that may match, in ascending order, each with its patterns; None if there are too many."""
        state = self.game.omniscient.numbers.state
        if len(patterns) == 1:
            guesses = patterns[0].form.guesses(patterns[0].record, state)
            return guesses if guesses is None else [(args, patterns) for args in guesses]
        results: dict[Args, list[Pattern]] = {}
        for pattern in patterns:
            guesses = pattern.form.guesses(pattern.record, state)
            if guesses is None:
                return None
            for args in guesses:
                results.setdefault(args, []).append(pattern)
        return sorted(results.items(), key=lambda guess: guess[0])

    def by_text(self, forms: DecisionForms, type_: str | None, fields: Any) -> Option | None:
        """The legal option denoted by a move's text; None if there is none, or more than one."""
        options = [
            option
            for answer in forms.of_type(type_)
            for option, _ in self.matches(answer.choice, [Pattern(form, fields) for form in answer.forms], fields)
        ]
        return options[0] if len(options) == 1 else None

    def by_itself(self, forms: DecisionForms) -> Iterator[Option]:
        """The legal options that the other system takes automatically, because the conditions of their forms hold."""
        for option in self.legal(forms.of.automatic):
            state = self.game.omniscient.numbers.state
            if any(self.projections.holds(form, option.args, state) for form in forms.of.by_itself[option.kind.choice]):
                yield option

    def by_order(self, forms: DecisionForms, orders: Sequence[tuple[str, Any]]) -> Iterator[Option]:
        """The legal options that the other system takes by standing order.

        Args:
            forms: the forms of the open decision.
            orders: the types and payloads of the entries of the standing orders.
        """
        for choice, form in forms.ordered:
            order = form.projection.order
            for type_, payload in orders:
                if order is not None and type_ == order.type:
                    for option, _ in self.matches(choice, [Pattern(form, payload)], payload):
                        yield option

    def legal(self, choices: Collection[int]) -> Iterator[Option]:
        """Lazily lists the legal options of some choices of the open decision, in list order.

        Raises:
            DiagnosticsError: RS614 if more than `MAX_COMPARED` have been listed for this log.
        """
        game = self.game
        decision = game.omniscient.asked
        if decision is not None and any(decision.choices[k].params for k in choices):
            for option in options_of(game, choices):
                self.compared += 1
                if self.compared > MAX_COMPARED:
                    message = f"reading this log would compare more than {MAX_COMPARED:,} legal options"
                    help_ = "name more arguments of the option in the dialect, so that each entry leads to its option"
                    raise DiagnosticsError([Diagnostic("RS614", Severity.ERROR, message, None, help=help_)])
                yield option
            return
        for k in choices:
            result = legal_option(game, k, ())
            if result is not None:
                yield result
