"""Details of a game: who began with what, which options were used, how the measures went."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.measures import Measures
from rulespec.engine.game.option import Option, OptionKind
from rulespec.engine.program.draws import Draws
from rulespec.types import Ent

if TYPE_CHECKING:
    from rulespec.engine.simulate.playouts import Decide

FEW = 12
"""Entities of a kind up to which each argument of an option is counted by itself."""
POINTS = 16
"""The most points of a course; with as many, every second one is left out."""
_STRIDE = 8


class Use(Struct, frozen=True):
    """The use of an option by a seat.

    Attributes:
        option: its decision and name, `market.buy`; with its argument, `market.buy(fish)`, if it has one of few.
        seat: the seat.
        times: how often.
        first: the number of the decision that was the first of them, from 0 on.
    """

    option: str
    seat: str
    times: int
    first: int


class Point(Struct, frozen=True):
    """A measure after so many decisions: of an entity, or of the game ("")."""

    decision: int
    measure: str
    entity: str
    value: int | None


class Details(Struct, frozen=True):
    """Details of a game.

    Attributes:
        moves: a digest of all decisions.
        roles: by entity, the seat that held it when a player decided first: each field whose type is a player.
        uses: the options that players used.
        course: the measures after the set-up, now and then, and at the end if the game has ended.
    """

    moves: str
    roles: dict[str, str]
    uses: tuple[Use, ...]
    course: tuple[Point, ...]

    def end(self, decisions: int) -> dict[tuple[str, str], int]:
        """The measures after so many decisions, by measure and entity; empty if they were not taken then."""
        course = (p for p in self.course if p.decision == decisions)
        return {(p.measure, p.entity): p.value for p in course if p.value is not None}


class Watch:
    """Notes the details of a game while it is played."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=12)
        self._roles: dict[str, str] | None = None
        self._uses: dict[tuple[str, str], tuple[int, int]] = {}
        self._course: dict[int, Callable[[], Measures]] = {}
        """By decision the measures, which are worked out at the end: most are left out by then."""
        self._stride = _STRIDE
        self._small: dict[tuple[str, str], bool] = {}

    def around(self, decide: Decide) -> Decide:
        """A function that decides, watched."""

        def watched(game: Game, draws: Draws) -> Option | None:
            self._before(game)
            option = decide(game, draws)
            if option is not None:
                self._note(game.ply, option)
            return option

        return watched

    def details(self, game: Game) -> Details:
        """The details of the game, which has been played."""
        if game.is_over:
            self._course[game.ply] = game.omniscient.measured()
        uses = (Use(option, seat, *numbers) for (option, seat), numbers in sorted(self._uses.items()))
        course = (
            Point(ply, name, entity, value)
            for ply, measures in self._course.items()
            for name, of in measures().items()
            for entity, value in of.items()
        )
        return Details(self._digest.hexdigest(), self._roles or {}, tuple(uses), tuple(course))

    def _before(self, game: Game) -> None:
        decision = game.decision
        if self._roles is None and decision is not None and decision.by is not None:
            self._roles = dict(roles(game))
            self._course[game.ply] = game.omniscient.measured()
        elif self._roles is not None and game.ply % self._stride == 0:
            self._course[game.ply] = game.omniscient.measured()
            if len(self._course) >= POINTS:
                self._stride *= 2
                for ply in list(self._course)[1::2]:
                    del self._course[ply]

    def _note(self, ply: int, option: Option) -> None:
        self._digest.update(f"{option.decision} {option.by} {option}\n".encode())
        if option.by is None:
            return
        name = f"{option.decision}.{option.name}"
        for text in (name, f"{name}({next(iter(option.arguments.values()))})" if self._has_few(option.kind) else ""):
            if text:
                times, first = self._uses.get((text, option.by), (0, ply))
                self._uses[text, option.by] = times + 1, first

    def _has_few(self, kind: OptionKind) -> bool:
        key = kind.decision, kind.name
        if key not in self._small:
            params = kind.labels.params(*key)
            self._small[key] = len(params) == 1 and len(kind.labels.names.get(params[0][1], range(FEW + 1))) <= FEW
        return self._small[key]


def roles(game: Game) -> Iterator[tuple[str, str]]:
    """Each entity that a seat holds now, with the seat; named with the field if there are several such fields."""
    declarations, within = game.ruleset.declarations, game.omniscient
    held = [
        (kind, field)
        for kind in declarations.kinds.values()
        if not kind.is_player
        for field in kind.state.values()
        if isinstance(field.type, Ent) and field.type.kind == declarations.player_kind
    ]
    for kind, field in held:
        cells = within.fields.cells(f"{kind.name}.{field.name}")
        for name, cell in zip(within.labels.names[kind.name], cells, strict=False):
            seat = within.numbers.state[cell]
            if 0 <= seat < len(game.seats):
                yield name if len(held) == 1 else f"{name}.{field.name}", game.seats[seat]
