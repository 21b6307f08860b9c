"""Views of a table, one for each viewer, at a confirmed position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from rulespec.engine.game.drafted import planned
from rulespec.engine.game.game import as_shown, own_options, seen_cells
from rulespec.engine.game.named_state import counts
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Decision, Option, RulesetFaultError
from rulespec.engine.table.played_game import PlayedGame
from rulespec.engine.table.seats import Back, Request, Seat, Undone
from rulespec.engine.table.table_sight import TAIL, TableSight, Tail, packed, packed_cells
from rulespec.engine.table.taking_back import known
from rulespec.engine.table.telling import said, seen_moves, was_open, ways_of
from rulespec.engine.table.time_limits import TableClock
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

MAX_OPTIONS = 1_000
"""The maximum number of options sent to a viewer."""


class TableStanding(Struct, frozen=True):
    """The state of a table from which all viewers' views are computed.

    Attributes:
        played: the game in play.
        seats: the seats by id.
        asked: the seats for which the table waits.
        since: person → the time of the open question.
        request: the open undo request.
        clock: the clock as displayed.
        reveals: whether everything is revealed after the game.
        fault: whether the rules have faulted.
        backs: the last undos.
        undone: the decisions that can be redone.
        free: seat → the number of most recent decisions that it can undo without consent.
    """

    played: PlayedGame
    seats: Mapping[str, Seat]
    asked: tuple[str, ...]
    since: Mapping[str, float]
    request: Request | None
    clock: TableClock
    reveals: bool
    fault: bool
    backs: Sequence[Back] = ()
    undone: Undone | None = None
    free: Callable[[str], int] = lambda _: 0

    def eyes(self, viewer: str | None) -> str | None:
        """The seat whose view a viewer gets; `OMNISCIENT` if the viewer sees everything, because the game is over and
        revealed.
        """
        return OMNISCIENT if self.reveals and self.played.game.is_over else viewer

    def shown_to(self, viewer: str | None) -> TableStanding:
        """The state of the table that a viewer may see, without another seat's open plan."""
        game = as_shown(self.played.game, self.eyes(viewer))
        if game is self.played.game:
            return self
        return replace(self, played=PlayedGame(game), request=None, undone=None, free=lambda _: 0)


class Viewing:
    """The viewers of a table, with the parts already sent to each.

    Args:
        words: the words of the ruleset.
    """

    def __init__(self, words: Words) -> None:
        self.words = words
        self._sights: dict[str | None, TableSight] = {}
        self._public: dict[str, Any] = {}
        self._change = 0

    def change(self) -> None:
        """Marks the position as changed."""
        self._change += 1
        self._public = {}

    def sight(self, viewer: str | None, of: TableStanding) -> TableSight:
        """The current view of a viewer."""
        sight = self._sights.setdefault(viewer, TableSight())
        if sight.change != self._change:
            sight.begin()
            self._look(viewer, sight, of.shown_to(viewer))
            sight.change = self._change
        return sight

    def _look(self, viewer: str | None, sight: TableSight, of: TableStanding) -> None:
        """Updates a viewer's view to the current position."""
        game, early, request = of.played.game, of.played.early, of.request
        narrator = Narrator(self.words, game, viewer)
        try:
            options = _options(viewer, narrator, of)
            asked = _question(viewer, narrator, of)
        except RulesetFaultError:
            options, asked = [], None
        chosen = _choice(viewer, of) if viewer is not None else None
        begun = game.ply - len(early.taken)
        asks = request and (request.by, request.decisions)
        sight.may(packed((begun, asked and asked["decision"], options, chosen, asks)))
        own: dict[str, Any] = {"asked": asked, "options": options, "chosen": chosen}
        own |= {"undo": _undo(self.words, viewer, of), **_free(viewer, of)}
        for name, value in own.items():
            sight.part(name, packed(value))
        for name, data in self._common(of).items():
            sight.part(name, data)
        eyes = of.eyes(viewer)
        sight.cells(self._of_all("cells", eyes, of, lambda who: packed_cells(seen_cells(game, who))))
        sight.moves(game.ply, self._tail(eyes, sight, of))

    def _common(self, of: TableStanding) -> dict[str, bytes]:
        """The parts common to all viewers, packed once."""
        name = f"common {of.played.game.ply}"
        if name not in self._public:
            parts = {
                "seats": _seats(of),
                "ready": of.played.early.chosen,
                "result": self._result(of),
                "fault": of.fault,
                "deadline": of.clock.deadline,
                "due": of.clock.due,
                "left": of.clock.left,
                "paused": of.clock.paused,
                "reveals": of.reveals,
                "backs": [said(to_builtins(back)) for back in of.backs if back.at <= of.played.game.ply],
            }
            if (all_ := of.played.game.omniscient).secretive:
                parts["counts"] = counts(all_.program, all_.labels, all_.numbers.state)
            self._public[name] = {part: packed(value) for part, value in parts.items()}
        common: dict[str, bytes] = self._public[name]
        return common

    def _of_all(self, name: str, viewer: str | None, of: TableStanding, make: Callable[[str | None], Any]) -> Any:
        """Parts that are equal for all viewers if nothing is hidden, and then made only once."""
        game = of.played.game
        if game.omniscient.secretive or planned(game.omniscient.numbers):
            return make(viewer)
        return self._shared(f"{name} {game.ply}", lambda: make(None))

    def _tail(self, viewer: str | None, sight: TableSight, of: TableStanding) -> tuple[Tail, ...]:
        """The latest moves; those already sent to the viewer are narrated again only if a seat has got another name."""
        steps = of.played.game.omniscient.numbers.steps
        first = max(0, len(steps) - TAIL)
        names = tuple(of.played.game.shown_names.values())
        is_known = first >= sight.first and viewer != OMNISCIENT and names == sight.names
        old, sight.names = sight.tail[first - sight.first :] if is_known else (), names
        count = 0
        for one, step in zip(old, steps[first:], strict=False):
            if one.step is not step or not one.whole:
                break
            count += 1
        if first + count == len(steps):
            return old[:count]
        return (*old[:count], *self._moves(viewer, first + count, of))

    def _moves(self, viewer: str | None, first: int, of: TableStanding) -> list[Tail]:
        """The moves from a number on, shared by all viewers if nothing was hidden meanwhile."""
        game = of.played.game

        def new(who: str | None) -> list[Tail]:
            moves = seen_moves(self.words, game, who, first)
            steps = game.omniscient.numbers.steps[first:]
            return [Tail(step, packed(move.to_json()), move.whole) for step, move in zip(steps, moves, strict=True)]

        if viewer != OMNISCIENT:
            if of.played.early.taken or not self._shared(f"open {first} {game.ply}", lambda: was_open(game, first)):
                return new(viewer)
            viewer = None
        moves: list[Tail] = self._shared(f"moves {first} {game.ply}", lambda: new(viewer))
        return moves

    def _shared(self, name: str, make: Callable[[], Any]) -> Any:
        """A part that is equal for all viewers of the position, made only once."""
        if name not in self._public:
            self._public[name] = make()
        return self._public[name]

    def _result(self, of: TableStanding) -> dict[str, Any] | None:
        result = of.played.game.result
        if result is None:
            return None
        return {
            "ending": self.words.ending(result.ending),
            "winners": list(result.winners),
            "scores": dict(result.scores),
        }


def _options(viewer: str | None, narrator: Narrator, of: TableStanding) -> list[dict[str, Any]]:
    if viewer is None or of.fault or of.seats[viewer].kind != "person":
        return []
    own = [] if viewer in of.played.early.chosen else list(own_options(of.played.game, viewer))
    others = [option for option in of.played.game.interrupts if option.by == viewer]
    return [*_seen(own, narrator), *_seen(others, None)][:MAX_OPTIONS]


def _choice(viewer: str, of: TableStanding) -> str | None:
    """The choice of a seat in the open round."""
    if viewer in of.played.early.choices:
        return str(of.played.early.choices[viewer][0])
    return next((str(step.option) for step in of.played.early.taken if step.option.by == viewer), None)


def _question(viewer: str | None, narrator: Narrator, of: TableStanding) -> dict[str, Any] | None:
    decision = of.played.game.decision
    if decision is None:
        return None
    if decision.together:
        decision = replace(decision, by=viewer if viewer in of.asked else None)
    data = {
        "decision": decision.name,
        "text": narrator.decision(decision),
        "waiting": {seat: round(of.since.get(seat, 0)) for seat in of.asked},
    }
    more = {
        "who": narrator.subject(decision) if decision.by is not None else "",
        "actor": _acting(narrator, decision),
        "about": _places(narrator, narrator.places(decision)),
        "doc": decision.doc,
        "together": decision.together,
        "chance": of.played.game.decision is not None and of.played.game.decision.by is None,
    }
    return data | said(more)


def _acting(narrator: Narrator, decision: Decision) -> str:
    """The entity that the decider acts for, as `kind.name`; "" for deciders who act for themselves."""
    of = narrator.acting(decision)
    return "" if of is None else _places(narrator, [of])[0]


def _places(narrator: Narrator, of: Iterable[tuple[str, int]]) -> list[str]:
    names = narrator.game.omniscient.labels.names
    return [f"{kind}.{names[kind][number]}" for kind, number in of]


def _seats(of: TableStanding) -> list[dict[str, Any]]:
    names = of.played.game.shown_names
    return [
        {"id": seat, "name": names[seat], "kind": one.kind, "bot": one.bot, "stand_in": one.stand_in}
        for seat, one in of.seats.items()
    ]


def _undo(words: Words, viewer: str | None, of: TableStanding) -> dict[str, Any] | None:
    request = of.request
    if request is None:
        return None
    shown = {"by": request.by, "decisions": request.decisions, "agreed": list(request.agreed)}
    return shown | known(words, of.played.game, viewer, request)


def _free(viewer: str | None, of: TableStanding) -> dict[str, int]:
    """The numbers of latest decisions that a viewer may undo freely, and may redo."""
    if viewer is None or of.seats[viewer].kind != "person":
        return {"free": 0, "redo": 0}
    options = of.undone.options if of.undone is not None and of.undone.by == viewer else ()
    return {"free": of.free(viewer), "redo": len(options)}


def _seen(options: Iterable[Option], narrator: Narrator | None) -> Iterator[dict[str, Any]]:
    """Options for a page; without a narrator, they have no words."""
    for option in options:
        more = {
            "words": "" if narrator is None else narrator.choice(option),
            "arguments": [{"kind": kind, "id": id_} for kind, id_ in option.parts],
            "named": [] if narrator is None else _places(narrator, narrator.places(option)),
            "ways": [] if narrator is None else [list(way) for way in ways_of(narrator, option)],
            "out_of_turn": option.interrupt,
        }
        yield {"text": str(option), "name": option.name, **said(more)}
