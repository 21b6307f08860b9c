"""Details of a game: initial roles, used options, and measures over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar
from zlib import crc32

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.measured import Measures
from rulespec.engine.game.option import Option
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.leading import MOST as LEADS
from rulespec.engine.simulate.leading import Lead, Standings, lead_of, standings
from rulespec.typed import nodes as typed
from rulespec.types import Ent

if TYPE_CHECKING:
    from rulespec.engine.simulate.checked_playouts import Decide

FEW = 12
"""The size of a kind up to which an option's uses are counted by argument."""
POINTS = 16
"""The number of points in a course at which every second one is dropped."""
_STRIDE = 8
_LETTERS = ascii_letters + digits + "+"
_NOBODY = "--"
T = TypeVar("T")


class OptionUse(Struct, frozen=True):
    """The use of an option by a seat.

    Attributes:
        option: the decision and the option, such as `market.buy`, or `market.buy(fish)` if it has a single argument
            with few values.
        seat: the seat.
        times: the number of uses.
        first: the number of the decision in which it was first used, from 0.
    """

    option: str
    seat: str
    times: int
    first: int


class MeasurePoint(Struct, frozen=True):
    """A measure after N decisions, of an entity or of the game ("")."""

    decision: int
    measure: str
    entity: str
    value: int | None


class Details(Struct, frozen=True):
    """Details of a game.

    Attributes:
        moves: a digest of all decisions.
        roles: entity → the seat that holds it at the first decision by a player, for entities with a field whose value
            is a seat.
        uses: the options that players used.
        trail: four letters per decision: two for its digest, and two for the index of its option and seat among the
            uses without an argument, or `--` for chance.
        lead: the lead over time; None if the game has no leader.
        course: the measures after the set-up, at intervals, and at the end of a finished game.
    """

    moves: str
    roles: dict[str, str]
    uses: tuple[OptionUse, ...]
    trail: str
    lead: Lead | None
    course: tuple[MeasurePoint, ...]

    def end(self, decisions: int) -> dict[tuple[str, str], int]:
        """The measures after N decisions, by measure and entity; empty if nothing was measured at that point."""
        course = (p for p in self.course if p.decision == decisions)
        return {(p.measure, p.entity): p.value for p in course if p.value is not None}

    def taken(self, ply: int) -> tuple[str, str] | None:
        """The option and the seat of a decision; None for a chance decision and after the end of the game."""
        letters = self.trail[4 * ply + 2 : 4 * ply + 4]
        if letters in ("", _NOBODY):
            return None
        high, low = map(_LETTERS.index, letters)
        use = [use for use in self.uses if "(" not in use.option][high * len(_LETTERS) + low]
        return use.option, use.seat


def parted(one: Details, other: Details) -> int | None:
    """The index of the first decision at which two games differ or the shorter one ends; None if they are equal."""
    if one.trail == other.trail:
        return None
    least = min(len(one.trail), len(other.trail)) // 4
    differ = (ply for ply in range(least) if one.trail[4 * ply : 4 * ply + 2] != other.trail[4 * ply : 4 * ply + 2])
    return next(differ, None if len(one.trail) == len(other.trail) else least)


class GameMeasures(Protocol):
    """The protocol for deferred measurement of positions; most noted positions are dropped before they are measured."""

    def noted(self, game: Game) -> Any:
        """A note on a position, with which it can be measured later."""

    def measures(self, notes: list[Any]) -> list[Measures]:
        """The measures of noted positions."""


class OneByOne:
    """A protocol implementation that measures each position separately."""

    def noted(self, game: Game) -> Callable[[], Measures]:
        """A function that measures the position when it is called."""
        return game.omniscient.measured()

    def measures(self, notes: list[Callable[[], Measures]]) -> list[Measures]:
        """The measures of noted positions."""
        return [note() for note in notes]


class Described(Struct, frozen=True):
    """A decision as `Details` records it: the line for the digest, and the names under which its use is counted."""

    line: bytes
    names: tuple[str, ...]
    by: str | None


def described(option: Option) -> Described:
    """A decision as `Details` records it."""
    line = f"{option.decision} {option.by} {option}\n".encode()
    if option.by is None:
        return Described(line, (), None)
    name = f"{option.decision}.{option.name}"
    params = option.kind.labels.params(option.decision, option.name)
    few = len(params) == 1 and len(option.kind.labels.names.get(params[0][1], range(FEW + 1))) <= FEW
    return Described(line, (name, *([f"{name}({next(iter(option.arguments.values()))})"] if few else [])), option.by)


def _letters(number: int) -> str:
    """A number as two letters."""
    high, low = divmod(number % len(_LETTERS) ** 2, len(_LETTERS))
    return _LETTERS[high] + _LETTERS[low]


class UsedMoves:
    """The decisions of a game, summarised as their digest and the options used."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=12)
        self._uses: dict[tuple[str, str], tuple[int, int]] = {}
        self._trail: list[tuple[str, tuple[str, str | None]]] = []

    def add(self, ply: int, move: Described) -> None:
        """Adds a decision, with its number in the game."""
        self._digest.update(move.line)
        self._trail.append((_letters(crc32(move.line)), (move.names[0] if move.names else "", move.by)))
        if move.by is not None:
            for name in move.names:
                times, first = self._uses.get((name, move.by), (0, ply))
                self._uses[name, move.by] = times + 1, first

    @property
    def digest(self) -> str:
        """The digest of all decisions."""
        return self._digest.hexdigest()

    @property
    def trail(self) -> str:
        """The trail of the decisions; see `Details`."""
        whole = [use for use in sorted(self._uses) if "(" not in use[0]]
        letters: dict[tuple[str, str | None], str] = {use: _letters(place) for place, use in enumerate(whole)}
        return "".join([digest + letters.get(of, _NOBODY) for digest, of in self._trail])

    @property
    def uses(self) -> tuple[OptionUse, ...]:
        """The uses of options by players."""
        return tuple([OptionUse(option, seat, *numbers) for (option, seat), numbers in sorted(self._uses.items())])


class Plies(Generic[T]):
    """Notes on positions at regular intervals; the interval doubles as the game gets longer.

    Args:
        most: the number of notes at which every second note is dropped.
        stride: the initial distance in decisions.

    Attributes:
        notes: number of decisions → note.
    """

    def __init__(self, most: int = POINTS, stride: int = _STRIDE) -> None:
        self.notes: dict[int, T] = {}
        self._most, self._stride = most, stride

    def wants(self, ply: int) -> bool:
        """Whether to measure after `ply` decisions; always True on the first call."""
        return not self.notes or ply % self._stride == 0

    def add(self, ply: int, note: T) -> None:
        """Adds a note; if there are too many, drops every second one and doubles the interval."""
        self.notes[ply] = note
        if len(self.notes) >= self._most:
            self._stride *= 2
            for each in list(self.notes)[1::2]:
                del self.notes[each]


def details_of(
    moves: UsedMoves, roles: Mapping[str, str], course: Mapping[int, Measures], lead: Lead | None = None
) -> Details:
    """The details of a game; `course` maps decision counts to measures."""
    points = (
        MeasurePoint(ply, name, entity, value)
        for ply, measures in course.items()
        for name, of in measures.items()
        for entity, value in of.items()
    )
    return Details(moves.digest, dict(roles), moves.uses, moves.trail, lead, tuple(points))


Leading = Callable[[Game], Standings | None]
"""A function that returns the standings of a game."""


class Watch:
    """A recorder of the details of a game in progress.

    Args:
        measuring: the measurement of positions.
        leading: a function that returns the standings of a game.
    """

    def __init__(self, measuring: GameMeasures | None = None, leading: Leading = standings) -> None:
        self._measuring = measuring or OneByOne()
        self._leading = leading
        self._standings: Standings | None = None
        self._leads = Plies[Sequence[int]](LEADS, 1)
        self._moves = UsedMoves()
        self._roles: dict[str, str] | None = None
        self._course = Plies[Any]()
        """The positions to measure at the end, when most have been dropped."""

    def around(self, decide: Decide) -> Decide:
        """A wrapper of `decide` that records its decisions."""

        def watched(game: Game, draws: Draws) -> Option | None:
            self._before(game)
            option = decide(game, draws)
            if option is not None:
                self._moves.add(game.ply, described(option))
            return option

        return watched

    def details(self, game: Game) -> Details:
        """The details of the finished game."""
        notes = self._course.notes
        if game.is_over:
            notes[game.ply] = self._measuring.noted(game)
        measured = self._measuring.measures(list(notes.values()))
        course = dict(zip(notes, measured, strict=True))
        return details_of(self._moves, self._roles or {}, course, self._lead(game))

    def _lead(self, game: Game) -> Lead | None:
        """The lead over the course of the finished game."""
        if self._standings is None or not self._leads.notes:
            return None
        if game.is_over:
            self._leads.notes[game.ply] = self._standings.of(game)
        return lead_of(game, self._standings.by, self._standings.slack, self._leads.notes)

    def _before(self, game: Game) -> None:
        decision = game.decision
        if self._roles is None and decision is not None and decision.by is not None:
            self._roles = dict(roles(game))
            self._standings = self._leading(game)
        if self._roles is not None and self._standings is not None and self._leads.wants(game.ply):
            self._leads.add(game.ply, self._standings.of(game))
        if self._roles is not None and self._course.wants(game.ply):
            self._course.add(game.ply, self._measuring.noted(game))


def roles(game: Game) -> Iterator[tuple[str, str]]:
    """Pairs of an entity and the seat that holds it. If several fields hold seats, the name of the entity includes the
    field.
    """
    within, held = game.omniscient, holdings(game.ruleset)
    for kind, field in held:
        cells = within.fields.cells(f"{kind.name}.{field.name}")
        for name, cell in zip(within.labels.names[kind.name], cells, strict=False):
            seat = within.numbers.state[cell]
            if 0 <= seat < len(game.seats):
                yield name if len(held) == 1 else f"{name}.{field.name}", game.seats[seat]


def holdings(ruleset: typed.Ruleset) -> list[tuple[typed.Kind, typed.FieldDecl]]:
    """The fields whose values are seats, each with the kind of its entities."""
    declarations = ruleset.declarations
    return [
        (kind, field)
        for kind in declarations.kinds.values()
        if not kind.is_player
        for field in kind.state.values()
        if isinstance(field.type, Ent) and field.type.kind == declarations.player_kind
    ]
