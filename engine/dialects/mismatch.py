"""Mismatches between an entry and the legal options: the option it denotes, and the rule that refuses it.

If an entry may denote several options, the explanation is for the one that violates the fewest conditions, so that the
reason concerns something in the entry. If it resembles no option, legal or not, the reason names its first field that
matches no legal option.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice, takewhile
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import shown
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.forms import ComparedField, Form
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.dialects.notation_file import Notation
from rulespec.engine.dialects.projection import Projections, items
from rulespec.engine.dialects.several_names import is_several, written
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option, numbered_option
from rulespec.engine.game.option import Decision, Option, Refusal
from rulespec.engine.game.refusal import conditions_held, refused
from rulespec.engine.notation.pgn import NULL_MOVES
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.program.traversal import Facts
from rulespec.rule_ids import cited

MAX_COMPARED = 2_000
"""Maximum number of legal options compared with an entry."""
_MAX_PASSED = 20
"""Maximum number of unrecorded options before an entry in which its decision is looked for."""
MAX_VALUES = 5
"""Maximum number of field values shown in a reason."""


class _Candidate(Struct, frozen=True):
    """A form with the entry's type, and its choice at the open decision."""

    number: int
    choice: ir.Choice
    form: Form


class _Meant(Struct, frozen=True):
    """An option that an entry may denote, the refusal of it, and its rank among the candidates.

    Attributes:
        accepted: whether it is refused by a rule unknown to the other system, which therefore accepted it.
        sense: minus the number of conditions that fail in every position, a sign of wrong guesses for arguments that
            the entry lacks.
        held: minus the number of failed conditions, and the number of conditions before the first failure.
    """

    option: Option
    refusal: Refusal
    legal: bool
    accepted: bool
    sense: int
    held: tuple[int, int]


class _Unlike(Struct, frozen=True):
    """The first field of a record that no legal option of a form shares.

    Attributes:
        before: the paths of the preceding fields.
        path: the path of the field.
        actual: the value of the field in the record.
        values: the values of the field in legal options that share the preceding fields.
    """

    before: tuple[str, ...]
    path: str
    actual: Any
    values: tuple[str, ...]


class Explainer:
    """Explanations of entries that match no legal option at the open decision of a game."""

    def __init__(self, game: Game, dialect: Dialect, projections: Projections) -> None:
        self.game = game
        self.dialect = dialect
        self.projections = projections
        self._facts = Facts(game.omniscient.program)

    def explain(
        self, entry: Any, matched: frozenset[int], read: tuple[str, Any] | None = None
    ) -> tuple[Option | None, Refusal]:
        """The option that an entry denotes, if known, and the reason why the entry is illegal.

        Args:
            entry: the entry; None at the end of the log.
            read: the type and payload as read, if they differ from the recorded ones.
            matched: the matched elements of the entry's list.
        """
        decision = self.game.decision
        if decision is None:
            return None, refused("the game is over")
        kind, payload = read or (follow(entry, self.dialect.type_path), follow(entry, self.dialect.payload_path))
        candidates = self._candidates(decision, kind)
        if not candidates:
            return None, self._other_decision(decision, kind, payload, matched)
        if unlike := self._not_a_list(candidates, payload) or self._other_seat(decision, candidates, payload):
            return None, refused(unlike)
        return self._explained(decision, candidates, payload, matched)

    def _explained(
        self, decision: Decision, candidates: list[_Candidate], payload: Any, matched: frozenset[int]
    ) -> tuple[Option | None, Refusal]:
        fitting: tuple[Option | None, Refusal] = None, refused("the entries that follow do not match it")
        for record, path in self._records(candidates, payload, matched):
            own = [c for c in candidates if bool(c.form.projection.item) == bool(path)]
            if not own:
                listed = candidates[0].form.projection.item
                return None, refused(f"no element of `{listed}` is left for {self._asked(decision)}")
            meant = [m for c in own if (m := self._meant(c, payload, record)) is not None]
            if not meant:
                unknown = self.projections.unknown(decision.name, own[0].form.projection.type, payload)
                return None, refused(unknown or self._unlike(decision, own, record, path))
            best = max(meant, key=lambda m: (m.accepted, m.held, m.sense))
            if not best.legal:
                return best.option, best.refusal
            fitting = best.option, best.refusal
            if self.dialect.notation is not None:
                fitting = best.option, refused(self._several(decision, own, record))
        return fitting

    def _records(self, candidates: list[_Candidate], payload: Any, matched: frozenset[int]) -> list[tuple[Any, str]]:
        """The records in an entry, each with its path: the unmatched elements of its lists, or the entry itself."""
        results: list[tuple[Any, str]] = []
        for type_, path in dict.fromkeys((c.form.projection.type, c.form.projection.item) for c in candidates):
            first, part = self.projections.shared[type_][path] if path else (0, False)
            for i, item in enumerate(items(payload, path, part) if path else ()):
                if first + i not in matched:
                    results.append((item, f"{path}." if part else f"{path}.{i}."))
        return results or [(payload, "")]

    def _candidates(self, decision: Decision, kind: Any) -> list[_Candidate]:
        """The forms of the open decision with an entry's type."""
        asked = self.game.omniscient.asked
        return [
            _Candidate(k, c, form)
            for k, c in enumerate(asked.choices if asked is not None else ())
            for form in self.projections.forms.get((decision.name, c.name), ())
            if form.projection.type == kind and not form.projection.list and form.projection.order is None
        ]

    # --- entries for another decision, or for another seat ------------------------------------------

    def _other_decision(self, decision: Decision, kind: Any, payload: Any, matched: frozenset[int]) -> Refusal:
        """The refusal of an entry of a type that the open decision lacks."""
        asked = self._asked(decision)
        notation = self.dialect.notation
        if notation is not None and isinstance(kind, str) and not any(kind == r.type for r in notation.grammar.rules):
            return refused(_no_move(kind, notation))
        if kind is MISSING:
            return refused(f"the entry has no type, and the open decision is {asked}")
        if why := _passed_over(self.game, self.dialect, self.projections, kind, payload):
            return refused(f"{why}; now the open decision is {asked}")
        shared = self.projections.shared.get(kind, {}) if isinstance(kind, str) and matched else {}
        for path, (first, part) in shared.items():
            whole = len(items(payload, path, part))
            done = sum(first <= number < first + whole for number in matched)
            if part or (done == whole and len(shared) > 1):
                continue
            text = f"only {done} of the {whole} elements of `{path}` match: then {asked} is open"
            return self._with_rule(text)
        is_named = any(form.type == kind for forms in self.dialect.decisions.values() for form in forms)
        unnamed = "" if is_named else f": no option in the dialect `{self.dialect.id}` has this type"
        return refused(f"the open decision is {asked}, not {shown(str(kind))}{unnamed}")

    def _with_rule(self, text: str) -> Refusal:
        """A reason, extended by the reason of the procedure that took the last decision."""
        last, program = self.game.omniscient.numbers.last, self.game.omniscient.program
        if last is None:
            return refused(text)
        at = next(d.span for d in program.decisions if d.name == last.decision)
        before = [
            procedure
            for procedure in self.game.ruleset.rules.procedures.values()
            if procedure.span.file == at.file and procedure.span.line <= at.line
        ]
        note = max(before, key=lambda procedure: procedure.span.line, default=None)
        if note is None or not note.doc:
            return refused(text)
        return Refusal(f"{text} ({note.doc})", cited(note.doc), "", {}, note.span)

    def _other_seat(self, decision: Decision, candidates: list[_Candidate], payload: Any) -> str:
        """The reason why the entry is not the decider's; "" if it may be."""
        for c in candidates:
            if c.choice.by is not None or self.projections.is_by(payload, c.form.projection.by, decision.by):
                return ""
        path = candidates[0].form.projection.by.removesuffix("?")
        who = self.projections.shown(decision.by)
        return f"{_holds(path, follow(payload, path))}, but it is for {who} to decide `{decision.name}`"

    def _not_a_list(self, candidates: list[_Candidate], payload: Any) -> str:
        """The reason why a list shared by several decisions is invalid; "" if it is valid."""
        for p in (c.form.projection for c in candidates):
            path = "" if p.part else p.item or p.closes
            if path and not isinstance(result := follow(payload, path), list):
                return f"{_holds(path, result)}, but must be a list"
        return ""

    # --- options that the entry may denote --------------------------------------------------------

    def _meant(self, c: _Candidate, payload: Any, record: Any) -> _Meant | None:
        """The best option, legal or not, that matches the fields of a record."""
        game, position = self.game, self.game.omniscient.numbers
        results: list[_Meant] = []
        for args in self.projections.meant(c.choice, c.form, record, list(position.cells)):
            who = position.actor(c.number, args)
            option = numbered_option(game, c.number, args, game.seats[who] if who >= 0 else None)
            refusal = game.why_not(option)
            held = list(conditions_held(position.value, c.choice, args, position.program.slots + 1))
            failed = [condition for holds, condition in held if not holds]
            first = next((i for i, (holds, _) in enumerate(held) if not holds), len(held))
            results.append(
                _Meant(
                    option,
                    refusal or self._not_theirs(c.form, option, payload),
                    refusal is None and self.projections.is_by(payload, c.form.projection.by, option.by),
                    refusal is not None and bool(self.dialect.accepts.intersection(refusal.rules)),
                    -sum(not self._facts.reads_state(condition) for condition in failed),
                    (-len(failed), first),
                )
            )
        return max(results, key=lambda m: (m.accepted, m.legal, m.sense, m.held), default=None)

    def _not_theirs(self, form: Form, option: Option, payload: Any) -> Refusal:
        """The reason why an entry does not denote a legal option: another seat, or a mismatch with later entries."""
        path = form.projection.by
        if self.projections.is_by(payload, path, option.by):
            return refused("the entries that follow do not match it")
        path = path.removesuffix("?")
        who = self.projections.shown(option.by)
        return refused(f"{_holds(path, follow(payload, path))}, but it is for {who} to do this")

    # --- fields ----------------------------------------------------------------------------------------

    def _unlike(self, decision: Decision, candidates: list[_Candidate], record: Any, place: str) -> str:
        """The reason why a record matches no option: its first field that no legal option shares."""
        state = list(self.game.omniscient.numbers.cells)
        legal = list(islice(every_option(self.game), MAX_COMPARED))
        self.projections.tried += len(legal)
        unlike = [self._first_unlike(c, legal, record, state) for c in candidates]
        result = max((u for u in unlike if u is not None), key=lambda u: len(u.before), default=None)
        if result is None:
            return f"no legal option of {self._asked(decision)} has these fields"
        values = dict.fromkeys(v for u in unlike if u is not None and u.path == result.path for v in u.values)
        path = place + result.path
        text = f"no legal option of {self._asked(decision)} "
        if result.actual is MISSING:
            text = f"the entry has no field `{path}`, which every legal option of {self._asked(decision)} needs"
        else:
            text += f"has {_value(result.actual)} as `{path}`"
        if values:
            same = f"with the same {' and '.join(f'`{name}`' for name in result.before)} " if result.before else ""
            more = ", …" if len(values) > MAX_VALUES else ""
            text += f"; {same}it is {', '.join(list(values)[:MAX_VALUES])}{more}"
        if isinstance(result.actual, str) and _value(result.actual) in values:
            text += ". The log has a text there, and the rules a number: `action: {numbers: texts}` reads it as one"
        return text

    def _first_unlike(self, c: _Candidate, legal: list[Option], record: Any, state: list[int]) -> _Unlike | None:
        """The first field of a record that no legal option of the form shares; None if all are shared."""
        like = [option for option in legal if option.kind.choice == c.number]
        before: list[str] = []
        for f in c.form.fields:
            fitting = [option for option in like if self.projections.same([f], option.args, record, state)]
            if like and not fitting:
                values = dict.fromkeys(value for option in like for value in self._values(f, option, state))
                return _Unlike(tuple(before), f.path, f.read(record), tuple(values))
            like = fitting
            before.append(f.path)
        return None

    def _several(self, decision: Decision, candidates: list[_Candidate], record: Any) -> str:
        """The reason against an ambiguous move text: the legal options that it denotes."""
        state = list(self.game.omniscient.numbers.cells)
        same = [
            str(option)
            for option in islice(every_option(self.game), MAX_COMPARED)
            if any(
                option.kind.choice == c.number and self.projections.equal(option.args, c.form, record, state)
                for c in candidates
            )
        ]
        return f"the text could mean several legal options of {self._asked(decision)}: {', '.join(same[:MAX_VALUES])}"

    def _asked(self, decision: Decision) -> str:
        return f"`{decision.name}` of {self.projections.shown(decision.by)}"

    def _values(self, f: ComparedField, option: Option, state: list[int]) -> list[str]:
        """The values of a field that match an option, as texts for messages."""
        try:
            value = f.value(state, option.args)
        except (ProgramFaultError, IndexError):
            return []
        if f.type == "int?" and value == NO_NUMBER:
            return [_value(None)]
        if f.type in ("int", "int?", "bool"):
            return [_value(bool(value) if f.type == "bool" else value)]
        if is_several(f.type):
            names = self.projections.foreign(f.type.partition(" ")[2])
            named = written(f.type, value, names)
            return [_value(name) for name in named] if f.type.startswith("set ") else [_value(named)]
        names = self.projections.foreign(f.type)
        return [_value(None if value < 0 else names[value])]


def _holds(path: str, value: Any) -> str:
    return f"`{path}` is missing" if value is MISSING else f"`{path}` is {_value(value)}"


def _value(value: Any) -> str:
    """A value of a log as text for messages."""
    return shown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _passed_over(game: Game, dialect: Dialect, projections: Projections, kind: Any, payload: Any) -> str:
    """Why an entry does not match its decision, which got an option that the other system does not record.

    Returns:
        "" if none of the unrecorded options just before was taken at a decision with the entry's type.
    """

    def is_silent(option: Option) -> bool:
        return option.by is not None and not projections.forms.get((option.decision, option.name), ())

    taken = [*islice(takewhile(is_silent, reversed(game.history)), _MAX_PASSED)]
    decisions = {decision for (decision, _), of in projections.forms.items() if any(map(_is_of(kind), of))}
    number = next((n for n, option in enumerate(taken, 1) if option.decision in decisions), 0)
    if not number:
        return ""
    earlier = game.copy()
    for _ in range(number):
        earlier.undo()
    own = Projections(earlier, dialect, False, projections.header_values)
    reason = Explainer(earlier, dialect, own).explain(None, frozenset(), (kind, payload))[1].reason
    option = taken[number - 1]
    return f"it does not match `{option.decision}`, which got the unrecorded `{option}`: {reason}"


def _is_of(kind: Any) -> Callable[[Form], bool]:
    """A function that tells whether a form belongs to entries of a type."""
    return lambda f: f.projection.type == kind and not f.projection.list and f.projection.order is None


def _no_move(text: str, notation: Notation) -> str:
    """The reason why a text is not a move, with a similar one that differs in upper or lower case."""
    if text in NULL_MOVES:
        return f"{shown(text)} is a null move, with which an analysis lets a player pass: no rule allows it"
    others = (text.lower(), text.capitalize(), text[:1].lower() + text[1:], text[:1].upper() + text[1:])
    other = next((each for each in others if each != text and notation.reads(each)), "")
    return f"{shown(text)} is not a move in {notation.title}" + (f": write {shown(other)}" if other else "")
