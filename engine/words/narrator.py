"""Words about a position of a game: its options, decisions and entities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.events import HIDDEN, Event
from rulespec.engine.game.game import Game
from rulespec.engine.game.notation import argument, split_option
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Decision, Option
from rulespec.engine.game.query import Queries, Query
from rulespec.engine.game.secrets import PUBLIC, HiddenError
from rulespec.engine.game.views import SeenOption
from rulespec.engine.program import ir
from rulespec.engine.program.budget import BudgetUse, SpentError
from rulespec.engine.program.cells import State
from rulespec.engine.program.evaluator import evaluate
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.words.asked import ACTOR, DECIDER
from rulespec.engine.words.template import Filled, Template, fill, holes
from rulespec.engine.words.titles import TitleText
from rulespec.engine.words.words import Words
from rulespec.language.bags import counts
from rulespec.language.orders import in_order
from rulespec.language.paths import stops
from rulespec.types import BagOf, Ent, Maybe, Num, Order, PathOf, SetOf, Type, may_be_none, never_none, none_of, or_none

_MAX_DEPTH = 4
"""The maximum nesting of entity texts."""
_MAX_SHOWN = 2_000
"""The maximum length of an assembled text, in characters."""
_T = TypeVar("_T")
Taken = Option | SeenOption | Event
"""An option of the game, an option seen by a seat, or a decision seen by a seat."""


class Value(Struct, frozen=True):
    """A value for a hole; its number is None if the value is hidden."""

    name: str
    type: Type
    number: int | None


class _NothingError(Exception):
    """The error for reading a value that is none."""


class Narrator:
    """Words for a game's current position, limited to a seat's view.

    Args:
        words: the words of the game's ruleset.
        game: the game.
        seat: the listener (None for the public); by default, an omniscient one.
    """

    def __init__(self, words: Words, game: Game, seat: str | None = OMNISCIENT) -> None:
        self.words = words
        self.game = game
        self.seat = seat
        self._labels = game.omniscient.labels
        self._queries = Queries(game.ruleset, game.seats, game.settings)
        self.past: State | None = None
        """The cells of an earlier position, during the naming of its entities."""
        self._state: State = []
        self._stamp = -1
        self._memo: tuple[int, State | None, dict[tuple[object, ...], Any]] = -1, None, {}
        self._known_queries: dict[tuple[str, tuple[tuple[str, Type], ...]], tuple[Query, bool]] = {}

    # --- decisions and options -----------------------------------------------------------------

    def decision(self, decision: Decision) -> str:
        """The text that names the open decision."""
        self.words.begin()
        text = self.words.text("decisions", decision.name)
        if text is not None:
            with suppress(SpentError):
                return self._filled(text, self._who(decision.name, decision.by))
        return self.words.decision(decision.name)

    def option(self, option: Taken) -> str:
        """The text of an option of the open decision, without its actor, such as `moves to oak, pays 2 pence`."""
        self.words.begin()
        if isinstance(option, Event) and option.option is None:
            return self.words.word("has_chosen")
        name, arguments = self._read(option)
        with suppress(SpentError):
            return self._sentence(option, name, arguments)
        return _shown(option)

    def choice(self, option: Option) -> str:
        """The text of an option's button, such as `Move to oak (2 pence)`; if there is none, the text from `option`."""
        self.words.begin()
        name, arguments = self._read(option)
        if self.words.offered(option.decision, name) is not None:
            with suppress(SpentError):
                return self._sentence(option, name, arguments, "choices")
        return self.option(option)

    def _sentence(self, option: Taken, name: str, arguments: list[Value], section: str = "options") -> str:
        """The words for an option, from its text or from its arguments."""
        if self.words.names == "id":
            return _shown(option)
        text = self.words.text(section, f"{option.decision}.{name}")
        if text is not None:
            return self._filled(text, [*self._who(option.decision, option.by), *arguments])
        stated = [a for a in arguments if a.number != 0 or not isinstance(a.type, SetOf | Order | BagOf | PathOf)]
        shown = ", ".join(self.show(a.type, a.number) for a in stated or arguments[:1])
        if len(arguments) > 1 and all(argument.number is None for argument in arguments):
            shown = self.words.hidden()
        title = self.words.decision(name)
        return f"{title}: {shown}" if shown else title

    def places(self, of: Taken | Decision) -> list[tuple[str, int]]:
        """The entities in the text of a decision or an option, as kinds and numbers.

        The arguments of an option are excluded; what remains is, for instance, the target of a piece.
        """
        self.words.begin()
        arguments: list[Value] = []
        if isinstance(of, Decision):
            decision, text = of.name, self.words.text("decisions", of.name)
        elif isinstance(of, Event) and of.option is None:
            return []
        else:
            name, arguments = self._read(of)
            decision, text = of.decision, self.words.text("options", f"{of.decision}.{name}")
        own = {argument.name for argument in arguments}
        asked = [hole.text for hole in holes(text.other) if hole.text not in own] if text is not None else []
        if text is not None and asked:
            with suppress(SpentError):
                return self._entities(asked, [*self._who(decision, of.by), *arguments], text)
        return []

    def _entities(self, expressions: Sequence[str], values: list[Value], text: TitleText) -> list[tuple[str, int]]:
        """The distinct entities that are values of expressions, except none and hidden ones."""
        use = BudgetUse(f"the text `{text.name}`", text.node.span)
        params = tuple((name, type_) for name, type_ in {value.name: value.type for value in values}.items())
        results: dict[tuple[str, int], None] = {}
        for expression in expressions:
            if expression in (DECIDER, ACTOR) or not isinstance(self._query(expression, params)[0].typed, Ent):
                continue
            with suppress(_NothingError):
                query, number = self._value(expression, values, use)
                if isinstance(query.typed, Ent) and number is not None and number >= 0:
                    results[query.typed.kind, number] = None
        return list(results)

    def named(self, option: Taken) -> frozenset[str]:
        """The entities among the visible arguments of an option, as `kind.name`."""
        if isinstance(option, Event) and option.option is None:
            return frozenset()
        results: set[str] = set()
        for value in self._read(option)[1]:
            type_, number = value.type, value.number
            if number is None or number < 0 or not isinstance(type_, Ent | SetOf | Order | BagOf | PathOf):
                continue
            members = [number] if isinstance(type_, Ent) else self._members(type_, number)
            results |= {self._path(type_.kind, member) for member in members}
        return frozenset(results)

    def ways(self, option: Taken) -> list[tuple[str, list[int]]]:
        """The visible paths among the arguments of an option, each as the kind and the numbers of its stops."""
        if isinstance(option, Event) and option.option is None:
            return []
        paths = [
            (each.type, each.number) for each in self._read(option)[1] if isinstance(each.type, PathOf) and each.number
        ]
        return [(type_.kind, [*self._members(type_, number)]) for type_, number in paths]

    def move(self, option: Taken) -> str:
        """A sentence for an option, with its actor."""
        note = self.option(option)
        if isinstance(option, Event) and option.option is None:
            return f"{self.subject(option)} {note}"
        text = self.words.text("options", f"{option.decision}.{_shown(option).partition('(')[0]}")
        if text is not None and (option.by is None or _names_who(text)):
            return note
        subject = self.subject(option)
        return f"{subject} {note}" if text is not None else f"{subject}: {note}"

    def event(self, text: TitleText, values: list[Value]) -> str | None:
        """A sentence about an automatic event, with its holes filled; None if ids are displayed."""
        self.words.begin()
        with suppress(SpentError):
            return self._filled(text, values)
        return None

    def subject(self, option: Taken | Decision) -> str:
        """The actor of an option or a decision: the seat, preceded by the entity on whose behalf the seat acts."""
        self.words.begin()
        if option.by is None:
            return self.words.word("chance")
        actor = self.actor(option)
        seat = self.name(option.by)
        return seat if actor is None or actor == seat else f"{actor} ({seat})"

    def name(self, seat: str) -> str:
        """The displayed name of a seat; its id if ids are displayed."""
        return self.words.seat(seat, self.game.shown_names)

    def actor(self, option: Taken | Decision) -> str | None:
        """The title of the entity on whose behalf the seat acts; None if it acts for itself.

        A seat that acts out of turn acts for itself.
        """
        result = self._acting(option)
        return None if result is None or result.number is None else self.show(result.type, result.number)

    def acting(self, option: Taken | Decision) -> tuple[str, int] | None:
        """The entity on whose behalf the seat acts, as kind and number; None if it acts for itself."""
        result = self._acting(option)
        if result is None or result.number is None or not isinstance(result.type, Ent):
            return None
        return (
            None
            if result.type.kind == self.game.ruleset.declarations.player_kind
            else (result.type.kind, result.number)
        )

    def _acting(self, option: Taken | Decision) -> Value | None:
        decision = option.name if isinstance(option, Decision) else option.decision
        if not isinstance(option, Decision) and self._is_interrupt(option):
            return None
        return self._actor(decision, option.by)

    def _is_interrupt(self, option: Taken) -> bool:
        name = _shown(option).partition("(")[0]
        options = self.words.decisions.options[option.decision]
        return name in options and options[name].by is not None

    def _actor(self, decision: str, by: str | None) -> Value | None:
        said = self.words.own.actors.get(decision)
        if said is None or by is None:
            return None
        try:
            use = BudgetUse(f"the actor of `{decision}`", said.span)
            query, number = self._value(said.text, [self._by(by), *self._known(decision)], use)
        except (_NothingError, SpentError):
            return None
        if number is not None and number < 0:
            return None
        return Value(ACTOR, or_none(query.typed), number)

    def _by(self, by: str | None) -> Value:
        kind = self.game.ruleset.declarations.player_kind
        return Value(DECIDER, or_none(Ent(kind)), -1 if by is None else self.game.seats.index(by))

    def _known(self, decision: str) -> list[Value]:
        """The variables known at the open decision."""
        position = self.game.omniscient.numbers
        program, asked = position.program, position.asked
        if asked < 0 or program.decisions[asked].name != decision:
            return []
        return [Value(name, type_, self._cell(e)) for name, (type_, e) in program.known[asked].items()]

    def _cell(self, e: ir.Expr) -> int | None:
        try:
            program = self.game.omniscient.program
            return evaluate(program, e, self.state, [0] * (program.slots + 1))
        except (HiddenError, ProgramFaultError):
            return None

    def _who(self, decision: str, by: str | None) -> list[Value]:
        """The rule variables known at a decision, its decider and its actor."""
        return self._memoized(("who", decision, by), lambda: self._who_now(decision, by))

    def _who_now(self, decision: str, by: str | None) -> list[Value]:
        seat, known = self._by(by), self._known(decision)
        actor = self._actor(decision, by)
        return [*known, seat, actor if actor is not None else Value(ACTOR, seat.type, seat.number)]

    def _read(self, option: Taken) -> tuple[str, list[Value]]:
        """The name of an option and its arguments; hidden arguments have no number."""
        name, texts = split_option(_shown(option))
        params = self.words.decisions.options[option.decision][name].params
        numbers: Sequence[int | None]
        if isinstance(option, Option):
            numbers = option.args
        else:
            pairs = zip(self._labels.params(option.decision, name), texts, strict=True)
            numbers = [None if x == HIDDEN else argument(self._labels, n, type_, x) for (n, type_), x in pairs]
        return name, [Value(p.var.name, p.var.type, number) for p, number in zip(params, numbers, strict=True)]

    # --- entities and values -------------------------------------------------------------------

    def entity(self, kind: str, number: int, depth: int = 0) -> str:
        """The text of an entity if its kind has one, otherwise its title."""
        return self._entity(kind, number, depth).text

    def names_whole(self, kind: str, number: int) -> bool:
        """Whether the text of an entity names nothing hidden."""
        return not self._entity(kind, number, 0).hidden

    def _entity(self, kind: str, number: int, depth: int) -> Filled:
        text = self.words.text("each", kind)
        if text is None or depth >= _MAX_DEPTH or ("entities", self._path(kind, number)) in self.words.own.texts:
            return Filled(self.words.title(kind, number, self.game.shown_names))
        with suppress(SpentError):
            values = [Value(kind, Ent(kind), number)]
            return self._memoized(("entity", kind, number, depth), lambda: self._filling(text, values, depth + 1))
        return Filled(self.words.title(kind, number, self.game.shown_names))

    def _memoized(self, key: tuple[object, ...], make: Callable[[], _T]) -> _T:
        """A result that depends on the current position, cached until that changes, as options have much in common."""
        stamp, (at, past, memo) = self.game.omniscient.numbers.stamp, self._memo
        if at != stamp or past is not self.past:
            memo = {}
            self._memo = stamp, self.past, memo
        if key not in memo:
            memo[key] = make()
        result: _T = memo[key]
        return result

    def _path(self, kind: str, number: int) -> str:
        return f"{kind}.{self._labels.names[kind][number]}"

    def show(self, type_: Type, number: int | None, depth: int = 0) -> str:
        """A value in words; a number of None stands for a hidden value."""
        return self._show(type_, number, depth).text

    def _show(self, type_: Type, number: int | None, depth: int) -> Filled:
        words = self.words
        if number is None:
            return Filled(words.hidden(type_), nothing=True, hidden=True)
        if isinstance(type_, Num | Maybe):
            none = isinstance(type_, Maybe) and number == NO_NUMBER
            return Filled(words.word("none") if none else words.amount(number, type_.unit), none or not number)
        if isinstance(type_, SetOf | Order | BagOf | PathOf):
            return self._several(type_, number, depth)
        if isinstance(type_, Ent):
            none = number < 0
            return Filled(words.word("none"), nothing=True) if none else self._entity(type_.kind, number, depth)
        return Filled(words.word("yes" if number else "no"), not number)

    def _several(self, type_: SetOf | Order | BagOf | PathOf, number: int, depth: int) -> Filled:
        if not number:
            return Filled(self.words.word("none"), nothing=True)
        if isinstance(type_, BagOf):
            lots = [(self.entity(type_.kind, entity, depth), many) for entity, many in counts(number)]
            return Filled(", ".join(name if many == 1 else f"{many} {name}" for name, many in lots))
        return Filled(", ".join(self.entity(type_.kind, each, depth) for each in self._members(type_, number)))

    def _members(self, type_: SetOf | Order | BagOf | PathOf, number: int) -> Sequence[int]:
        """The distinct entities of a set or bag, or the entities of an order or path in its order."""
        if isinstance(type_, BagOf):
            return [entity for entity, _ in counts(number)]
        if isinstance(type_, PathOf):
            return stops(number, len(self._labels.names[type_.kind]))
        if isinstance(type_, Order):
            return in_order(number, len(self._labels.names[type_.kind]).bit_length())
        return [i for i in range(number.bit_length()) if number >> i & 1]

    # --- texts ---------------------------------------------------------------------------------

    def _filled(self, text: TitleText, values: list[Value]) -> str:
        """A text with its holes filled from values and from the state."""
        return self._filling(text, values).text

    def _filling(self, text: TitleText, values: list[Value], depth: int = 0) -> Filled:
        """A filled text, and whether it names something hidden."""
        known = {value.name: value for value in values}
        use = BudgetUse(f"the text `{text.name}`", text.node.span)

        def filled(hole: str) -> Filled:
            if hole in known:
                return self._show(known[hole].type, known[hole].number, depth)
            try:
                query, number = self._value(hole, values, use)
            except _NothingError:
                return Filled(self.words.word("none"), nothing=True)
            return self._show(query.typed, number, depth)

        result = fill(self._form(text, values, use), filled)
        return result if len(result.text) <= _MAX_SHOWN else Filled(result.text[:_MAX_SHOWN], hidden=result.hidden)

    def _form(self, text: TitleText, values: list[Value], use: BudgetUse) -> Template:
        """The singular or plural form of a text, by the value of its number."""
        if text.one is None or not text.count:
            return text.other
        with suppress(_NothingError):
            return text.one if self._value(text.count, values, use)[1] == 1 else text.other
        return text.other

    def _value(self, expression: str, values: list[Value], use: BudgetUse) -> tuple[Query, int | None]:
        """An expression and its value; None if it depends on hidden cells.

        Raises:
            _NothingError: if a value that it reads is none, or it has no value.
            SpentError: if the step budget is exhausted; from then on, ids are shown.
        """
        known = {value.name: value for value in values}.values()
        numbers = [v.number for v in known]
        query, is_solid = self._query(expression, tuple((v.name, v.type) for v in known))
        read = [(numbers[slot], value.type) for slot, value in enumerate(known) if slot in query.slots]
        if any(number is None for number, _ in read):
            return query, None
        if is_solid and any(number == none_of(type_) for number, type_ in read if may_be_none(type_)):
            raise _NothingError
        try:
            args = [number or 0 for number in numbers]
            return query, self.words.budget.spend(self._queries.meter, use, lambda: query.value(self.state, args))
        except HiddenError:
            return query, None
        except ProgramFaultError:
            raise _NothingError from None
        except SpentError:
            self.words.stop_telling()
            raise

    def _query(self, expression: str, params: tuple[tuple[str, Type], ...]) -> tuple[Query, bool]:
        """A query over variables, and whether it requires all that it reads not to be none."""
        key = (expression, params)
        if key not in self._known_queries:
            try:
                results = self._queries.projection(expression, params), False
            except DiagnosticsError:
                results = self._queries.projection(expression, [(n, never_none(t)) for n, t in params]), True
            self._known_queries[key] = results
        return self._known_queries[key]

    @property
    def state(self) -> State:
        """The cells of the current position; hidden cells cannot be read."""
        if self.past is not None:
            return self.past
        position = self.game.omniscient.numbers
        if self.seat == OMNISCIENT or not self.game.omniscient.secretive:
            return position.state
        if self._stamp != position.stamp:
            viewer = PUBLIC if self.seat is None else self.game.seats.index(self.seat)
            self._state, self._stamp = self.game.omniscient.visibility.guarded(position.state, viewer), position.stamp
        return self._state


def _shown(option: Taken) -> str:
    """An option as ids; "" if hidden."""
    return option.option or "" if isinstance(option, Event) else str(option)


def _names_who(text: TitleText) -> bool:
    return any(hole.text in (DECIDER, ACTOR) for hole in holes(text.other))
