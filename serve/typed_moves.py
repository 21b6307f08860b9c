"""Moves typed at a table, in the notation of its ruleset."""

from __future__ import annotations

import asyncio
from difflib import get_close_matches
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.notated import Notated
from rulespec.engine.dialects.notation_file import Notation, notation_for
from rulespec.engine.game.game import Game
from rulespec.engine.table.messages import STALE, Message, MessageRefusal
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live

MAX_TYPED = 100
"""The maximum length of a typed move in characters."""
MAX_COMPARED = 120
"""The maximum number of options compared with typed text that matches none."""
_CLOSE = 0.4
"""The minimum similarity of a suggestion, as in difflib; low, because moves are short."""
_AT_ONCE = 10
"""The number of texts generated before other tasks get a turn."""


class TypedMove(Struct, frozen=True, forbid_unknown_fields=True):
    """A move typed as text.

    Attributes:
        text: the text of the move.
        serial: the serial number of the viewer's last frame.
        seat: in a copy, the seat that moves.
    """

    do: Literal["type"]
    text: str
    serial: int = 0
    seat: str = ""


def read_typed(data: object) -> TypedMove | None:
    """The typed move in plain data; None for other messages."""
    try:
        return msgspec.convert(data, TypedMove)
    except msgspec.ValidationError:
        return None


def notation_at(live: Live) -> Notation | None:
    """The notation at a table; None for a game with secrets, which interpreting the text could reveal."""
    if live.table.game.omniscient.secretive:
        return None
    try:
        return notation_for(live.rules.ruleset)
    except DiagnosticsError:  # an invalid notation: moves are made by clicks
        return None


async def take_typed(hall: Hall, live: Live, viewer: str | None, typed: TypedMove) -> dict[str, Any]:
    """Plays the option that a typed text denotes, and returns the answer to the message."""
    notation = notation_at(live)
    if viewer is None or notation is None or len(typed.text) > MAX_TYPED or not typed.text.isprintable():
        return _refused(MessageRefusal("no move can be typed here"))
    if live.table.alone and typed.seat != viewer:
        return _refused(STALE)
    async with live.lock:
        game = live.table.game.copy()
    decision = game.decision
    if decision is None or decision.by != viewer:
        return _refused(MessageRefusal("it is not your turn"))
    notated = Notated(game, notation)
    options = notated.read(typed.text)
    if len(options) == 1:
        message = Message("take", typed.serial, str(options[0]))
        refusal = await hall.hear(live, viewer, message)
        return {"typed": typed.text} if refusal is None else _refused(refusal)
    if options:
        texts = " or ".join(f"`{notated.write(option)}`" for option in options[:2])
        return _refused(MessageRefusal(f"{shown(typed.text)} could mean {texts}"))
    near = get_close_matches(typed.text.strip(), await _texts(notated, game), 2, _CLOSE)
    hint = f": did you mean {' or '.join(f'`{text}`' for text in near)}?" if near else ""
    return _refused(MessageRefusal(f"{shown(typed.text)} is not one of your moves{hint}"))


async def _texts(notated: Notated, game: Game) -> list[str]:
    """The texts of a position's first options."""
    results = []
    for number, option in enumerate(islice(game.legal_options, MAX_COMPARED)):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
        try:
            results.append(notated.write(option))
        except DiagnosticsError:
            continue
    return [text for text in results if text]


def _refused(refusal: MessageRefusal) -> dict[str, Any]:
    return {"refused": refusal.to_json()}
