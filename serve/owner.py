"""The owner of a server: listing, creating and deleting tables, renewing links, and removing players."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.table.seats import Seat
from rulespec.engine.table.time_limits import TimeLimits, checked_limits
from rulespec.errors import RulespecError
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.offers import Offers

MAX_TABLES = 2_000
"""The maximum number of tables of a server."""
MAX_DEADLINE = 366 * 86_400
"""The maximum time per decision in seconds."""


class OwnerOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """An order from the owner.

    Attributes:
        do: the action: create a table; list the choices for one; renew the link of a role; remove a seat's player; let
            a bot play; set the time per decision, the game clock, the undo rules, the reveal after the end, or bots'
            opinions in copies; get the log; delete the table.
        game: the table.
        role: the role whose link is renewed: `seat:A`, or `spectator`.
        seat: the seat.
        bot: the name of the seat's bot.
        rules: the reference of a new table's rules, or of the rules whose choices are listed.
        overlays: the chosen overlays on that ruleset.
        players: the number of players.
        bots: the number of trailing seats that bots play.
        settings: the settings of the table.
        seconds: the time per decision, or the time after which absent players need not consent to an undo; 0 means
            unlimited.
        limits: time limits other than the time per decision.
        pauses: whether the clock is stopped.
        answers: whether a bot's decision counts as seen for undo.
        reveals: whether everything is revealed after the game.
        opinions: whether bots give opinions in copies during the game.
    """

    do: Literal[
        "new", "offer", "renew", "remove", "bot", "deadline", "clock", "undo", "reveal", "opinions", "log", "delete"
    ]
    game: str = ""
    role: str = ""
    seat: str = ""
    bot: str = ""
    rules: str = ""
    overlays: list[str] = []
    players: int = 0
    bots: int = 0
    settings: dict[str, str] = {}
    seconds: int = 0
    limits: TimeLimits = TimeLimits()
    pauses: bool = False
    answers: bool = False
    reveals: bool = False
    opinions: bool = False


class OwnerDesk:
    """A handler of orders from the owner.

    Args:
        hall: the tables.
    """

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self._offers = Offers(hall)

    def hello(self) -> dict[str, Any]:
        """The data for the owner's page, except for the tables: offers, bots and faults."""
        return {"offers": self._offers.listed(), "bots": list(self.hall.bots), "faults": self.hall.faults}

    async def hear(self, data: object) -> dict[str, Any]:
        """The answer to an order."""
        try:
            order = msgspec.convert(data, OwnerOrder)
        except msgspec.ValidationError:
            return _refused("this request is malformed")
        try:
            return await self._obey(order)
        except KeyError:
            return _refused("there is no such table or seat")
        except SaveError as error:
            return _refused(f"not carried out, because it could not be saved: {error}")
        except RulespecError as error:
            return _refused(str(error))

    async def _obey(self, order: OwnerOrder) -> dict[str, Any]:
        hall = self.hall
        match order.do:
            case "new":
                return await self._new(order)
            case "offer":
                return {"offer": await self._offers.details(order.rules)}
            case "renew":
                live = hall.table(order.game)
                return {"keys": {"game": live.id, "keys": {order.role: await hall.renew(live.id, order.role)}}}
            case "remove":
                live = hall.table(order.game)
                role = f"seat:{order.seat}"
                if order.seat not in live.table.seats:
                    raise KeyError(order.seat)
                key = await hall.renew(live.id, role)
                live.table.aside.lines.pop(order.seat, None)  # the next player is another person
                await hall.set_seat(live.id, order.seat, lambda _: Seat())
                return {"keys": {"game": live.id, "keys": {role: key}}}
            case "bot":
                if order.bot not in hall.bots:
                    return self._other_bots()
                await hall.set_seat(order.game, order.seat, lambda seat: seat.handed_to(order.bot))
            case "deadline":
                await hall.change(order.game, lambda table: table.set_deadline(_bounded(order.seconds)))
            case "clock":
                if fault := checked_limits(order.limits):
                    return _refused(fault)
                await hall.change(order.game, lambda table: table.set_limits(order.limits, pauses=order.pauses))
            case "undo":
                seconds = _bounded(order.seconds)
                await hall.change(order.game, lambda table: table.set_undo(seconds, order.answers))
            case "opinions":
                await hall.change(order.game, lambda table: table.allow_opinions(order.opinions))
            case "reveal":
                refusal = await hall.set_reveals(order.game, order.reveals)
                if refusal is not None:
                    return {"refused": refusal.to_json()}
            case "log":
                return {"log": await hall.log(hall.table(order.game), None, owner=True), "game": order.game}
            case "delete":
                await hall.delete(order.game)
        return {"done": order.do}

    async def _new(self, order: OwnerOrder) -> dict[str, Any]:
        hall = self.hall
        if len(hall.games) >= MAX_TABLES:
            return _refused(f"there are already {MAX_TABLES} tables")
        if order.bot and order.bot not in hall.bots:
            return self._other_bots()
        rules = await self._offers.rules(order.rules, order.overlays)
        seats = seat_names(max(0, min(order.players, 100)), rules.ruleset.seats)
        game = Game(rules.ruleset, seats, order.settings)
        game.omniscient.numbers.begin()
        last = seats[max(0, len(seats) - max(0, order.bots)) :] if order.bots > 0 else ()
        live, keys = await hall.new(rules, game, dict.fromkeys(last, order.bot or hall.bots[0]), 0, order.reveals)
        return {"keys": {"game": live.id, "keys": keys}}

    def _other_bots(self) -> dict[str, Any]:
        return _refused(f"there is no such bot; the bots are {', '.join(self.hall.bots)}")


def listed(hall: Hall) -> list[dict[str, Any]]:
    """The tables as they are listed for the owner."""
    return [
        {
            "id": live.id,
            "game": live.rules.words.game,
            "rules": live.rules.ruleset.ref,
            "begun": round(live.begun),
            "decisions": live.table.game.ply,
            "over": live.table.game.is_over,
            "deadline": live.table.aside.deadline,
            "limits": msgspec.to_builtins(live.table.aside.limits),
            "paused": bool(live.table.aside.paused),
            "absent": live.table.aside.absent,
            "answers": live.table.aside.answers,
            "opinions": live.table.aside.opinions,
            "secretive": live.table.game.omniscient.secretive,
            "reveals": live.table.reveals,
            "seats": _seats(live),
        }
        for live in hall.games.values()
        if not live.table.alone
    ]


def _seats(live: Live) -> list[dict[str, Any]]:
    present, asked = live.present, live.table.asked()
    return [
        {"id": seat, "name": of.name, "kind": of.kind, "bot": of.bot, "here": seat in present, "asked": seat in asked}
        for seat, of in live.table.seats.items()
    ]


def _bounded(seconds: int) -> int:
    return max(0, min(seconds, MAX_DEADLINE))


def _refused(text: str) -> dict[str, Any]:
    return {"refused": {"text": text, "values": {}, "stale": False}}
