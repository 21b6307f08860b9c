"""The notes in a foreign log: the players' remarks, which have no effect on the game.

People named in a chat may not know that it is stored, so their names are removed unless consent is given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import date
from typing import Any

from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.json_paths import follow
from rulespec.engine.game.game import Game
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.logs.notes import GLYPHS, MAX_EVENT, MAX_REMARK, TAGS, UNREAD, LogNotes, Notes
from rulespec.engine.logs.variations import MAX_GLYPH, MAX_GLYPHS
from rulespec.engine.notation.text_moves import TextGame, TextMove

LEFT_OUT = "…"
"""The replacement for a removed name."""
_NAMES = ("name", "nick", "user", "login")
"""Substrings of keys that hold names."""


def said_in(dialect: Dialect, log: ForeignLog, entries: Entries, game: Game, *, named: bool) -> LogNotes:
    """The notes in a log.

    Args:
        dialect: the dialect of the log.
        log: the log.
        entries: the entries of the log.
        game: the game of the log, with the names of the players.
        named: whether to leave names in the remarks.
    """
    if log.game is not None:
        moves = {number: notes for number, move in enumerate(log.game.moves, 1) if (notes := _of_move(move))}
        return LogNotes(_of_tags(log.game, dialect), moves)
    if dialect.remarks is None:
        return LogNotes()
    said = {n: _remark(entries.payloads[n], dialect) for n, t in enumerate(entries.types) if t == dialect.remarks.type}
    who = {comparable(name): seat for seat, name in game.names.items()}
    people = {*who, *_beside_seats(dialect, log)}
    return LogNotes({}, {}, _named(said, who) if named else _nameless(said, people))


def _beside_seats(dialect: Dialect, log: ForeignLog) -> Iterator[str]:
    """Names of players recorded next to the ids that a log uses for them."""
    path = dialect.start["seats"]
    around = path.rpartition(".*.")[0] if isinstance(path, str) else ""
    people = follow(dialect.header(log.entries[0]), around) if around else ()
    for person in people if isinstance(people, list) else ():
        for key, text in person.items() if isinstance(person, dict) else ():
            if isinstance(text, str) and any(word in key.lower() for word in _NAMES):
                yield comparable(text)


def _remark(payload: Any, dialect: Dialect) -> tuple[str, str]:
    """The text of a remark and its author, each "" if missing."""
    assert dialect.remarks is not None
    text, by = (follow(payload, p) if p else "" for p in (dialect.remarks.text, dialect.remarks.by))
    return (text if isinstance(text, str) else ""), (str(by) if type(by) in (str, int) else "")


def _named(said: dict[int, tuple[str, str]], who: dict[str, str]) -> dict[int, Notes]:
    """Remarks, each with its author: a seat, or the name of another person."""
    return {
        n: {"remark": text[:MAX_REMARK], **({"by": who.get(comparable(by), by)[:MAX_EVENT]} if by else {})}
        for n, (text, by) in said.items()
        if text
    }


def _nameless(said: dict[int, tuple[str, str]], who: Collection[str]) -> dict[int, Notes]:
    """Remarks without authors, and with the names of players and authors removed from the texts."""
    names = sorted({*who, *(comparable(by) for _, by in said.values())} - {""}, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE) if names else None
    texts = {n: text if pattern is None else pattern.sub(LEFT_OUT, comparable(text)) for n, (text, _) in said.items()}
    return {n: {"remark": text[:MAX_REMARK]} for n, text in texts.items() if text}


def _of_tags(game: TextGame, dialect: Dialect) -> Notes:
    """The notes from the tags of a game, without the players' names, which belong to the seats."""
    seats = dialect.start["seats"]
    tags = {name: text for name, text in game.tags.items() if name not in seats}
    notes: dict[str, Any] = {TAGS: tags} if tags else {}
    if tags.get("Event", "?").strip("? "):
        notes["event"] = tags["Event"][:MAX_EVENT]
    if _is_day(day := tags.get("Date", "").replace(".", "-")):
        notes["date"] = day
    return notes | {key: value for key, value in _of_move(game.start).items() if key != GLYPHS}


def _is_day(text: str) -> bool:
    try:
        return len(text) == len("2026-11-25") and bool(date.fromisoformat(text))
    except ValueError:
        return False


def _of_move(move: TextMove) -> dict[str, Any]:
    """The notes on a move."""
    notes: dict[str, Any] = {}
    if move.comments:
        notes["remark"] = "\n".join(move.comments)[:MAX_REMARK]
    if glyphs := [glyph for glyph in move.glyphs if glyph <= MAX_GLYPH]:
        notes[GLYPHS] = glyphs[:MAX_GLYPHS]
    if move.variations:
        notes[UNREAD] = list(move.variations)
    return notes
