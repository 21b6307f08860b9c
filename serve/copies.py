"""Copies for trying out moves: unsaved tables at which one person plays all seats."""

from __future__ import annotations

import asyncio
import secrets
import time

from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.game.option import IllegalOptionError, RulesetFaultError
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.logs.sealed import pending
from rulespec.engine.logs.variations import KeptLine
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.engine.table.table import Table
from rulespec.serve.hall import ALONE, SPECTATOR, Hall
from rulespec.serve.live import CopyOrigin, Live
from rulespec.serve.past_process import PastGame, alike, go_on
from rulespec.serve.stored_rows import LogChain

_AT_ONCE = 40
"""The number of decisions replayed without a pause for other tasks."""


async def fork(hall: Hall, live: Live, viewer: str | None, line: KeptLine | None = None) -> str:
    """The key of a new copy, which replaces the viewer's previous copy.

    If the game has hidden information, the copy is never the real game, but another one that looks the same to the
    seat.

    Args:
        hall: the hall.
        live: the table.
        viewer: the viewer who requests the copy.
        line: a line of moves to play in the copy, up to the first illegal move.

    Raises:
        NotFoundError: if no such game is found.
    """
    if live.table.alone:
        raise NotFoundError("this is already a copy")
    async with live.lock:
        game, past = as_shown(live.table.game, viewer).copy(), live.past(viewer)
    decisions = past.decisions
    if game.omniscient.secretive or pending(game):
        if viewer is None:
            raise NotFoundError("spectators cannot copy a game with secrets")
        decisions = await hall.ask(alike, past, viewer, secrets.randbits(62))
        game = Game(live.rules.ruleset, past.names, past.settings)
        game.omniscient.numbers.begin()
        for first in range(0, len(decisions), _AT_ONCE):
            go_on(game, decisions[first : first + _AT_ONCE])
            await asyncio.sleep(0)
    if line is not None:
        _play(game, line)
    seats = {seat: Seat("person", name if name != seat else "") for seat, name in game.names.items()}
    id_ = f"{live.id} {viewer or SPECTATOR}"
    table = Table(live.rules.words, game, Unlogged(seats, secrets.randbits(62)), hall.bots, alone=True)
    copy = Live(id_, live.rules, table, LogChain(id_), time.time())
    copy.origin = CopyOrigin(live.id, viewer, decisions)
    return hall.open_copy(copy, ALONE)


def _play(game: Game, line: KeptLine) -> None:
    """Plays a line from its branching point up to the first illegal move."""
    while game.ply > line.at:
        game.undo()
    for decision, by, text in line.moves if game.ply == line.at else ():
        try:
            game.apply(game.parse(text, by or None, decision))
        except (ValueError, IllegalOptionError, RulesetFaultError):
            return


def tried(copy: Live) -> KeptLine:
    """The moves made in a copy since it branched off."""
    origin = copy.origin
    assert origin is not None
    before = [(each.by or "", each.text) for each in origin.decisions]
    steps = [step.option for step in copy.table.game.omniscient.numbers.steps]
    moves = [(option.decision, option.by or "", str(option)) for option in steps]
    at = next(
        (n for n, (a, b) in enumerate(zip(before, moves, strict=False)) if a != b[1:]), min(len(before), len(moves))
    )
    return KeptLine(at, tuple(moves[at:]))


def past_of(copy: Live) -> PastGame:
    """The past of a copy, for use by a task in another process."""
    return PastGame.of(copy.id, copy.rules.bundle, copy.table.game)
