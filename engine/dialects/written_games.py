"""Export of a game as PGN, in the notation of its ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rulespec.diagnostics.report import failure
from rulespec.documents.folders import visible
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.notated import Notated
from rulespec.engine.dialects.text_variations import VariationTexts, written_variations
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option
from rulespec.engine.logs.notes import GLYPHS, RESULT, TAGS, UNREAD, LogNotes, Notes
from rulespec.engine.logs.variations import SideLine
from rulespec.engine.notation.pgn import RESULTS, is_word, pgn_text
from rulespec.engine.notation.text_moves import MAX_TAG, TextGame, TextMove
from rulespec.typed import nodes as typed

UNKNOWN = "?"
"""The value of an unknown tag."""
_FIRST = ("Event", "Site", "Date", "Round")
"""The mandatory tags of a game, which precede the names of the players."""


def text_dialect(ruleset: typed.Ruleset) -> Dialect:
    """The dialect used to write games of a ruleset as PGN.

    Raises:
        DiagnosticsError: RS889 if the ruleset has no such dialect.
    """
    for folder in ruleset.folders:
        for path in sorted(visible(Path(folder) / "dialects", "*.yaml")):
            dialect = read_dialect(path)
            if dialect.format == "pgn" and dialect.notation is not None and isinstance(dialect.start["seats"], list):
                return dialect
    message = f"`{ruleset.ref}` has no text notation for moves"
    help_ = "define it with `notation.yaml` and a dialect with `format: pgn`"
    raise failure("RS889", message, None, f"{help_}; for a log with embedded rules, name the rules: --rules REF")


def as_pgn(
    game: Game, dialect: Dialect, notes: LogNotes, places: Sequence[int], variations: Mapping[int, Sequence[SideLine]]
) -> str:
    """The PGN text of a game, up to the end of its log.

    Args:
        game: the game at its end.
        dialect: the dialect for writing; see `text_dialect`.
        notes: the notes of the log.
        places: for each decision of the game, the number of its line or entry in the log.
        variations: ply → variations from the position at that ply; each is written after the move that it replaces.

    Raises:
        DiagnosticsError: RS888 if the notation has no text for a move, or if the text contains a space.
    """
    assert dialect.notation is not None
    replayed = restarted(game)
    notated, moves, options = Notated(replayed, dialect.notation), list[TextMove](), list[Option]()
    texts, others = VariationTexts(replayed, dialect.notation), list[str]()
    before = -1
    for option, place in zip(game.history, places, strict=True):
        others += written_variations(texts, variations.get(replayed.ply, ()))
        if text := notated.write(option):
            if not is_word(text):
                message = f"`{text}`, the text of `{option}`, has a space or a character reserved in PGN"
                raise failure(
                    "RS888", message, dialect.notation.spans.get("decisions"), "give it another text under `print`"
                )
            moves.append(_move(text, notes.moves.get(place, {}) if place != before else {}, others))
            options.append(option)
            others, before = [], place
        replayed.apply(option)
    if moves:  # continuations after the last move replace no move
        moves[-1].comments += tuple(written_variations(texts, variations.get(replayed.ply, ())))
    result = _result(game, dialect, notes)
    tags = _tags(game, dialect, notes.header, result)
    start = _move("", {k: v for k, v in notes.header.items() if k in ("remark", UNREAD)}, ())
    return pgn_text(TextGame(tags, start, moves, result), dict(_numbers(options, game.seats[0])))


def _numbers(options: Sequence[Option], first: str) -> Iterator[tuple[int, int]]:
    """The numbered moves, each with its number: those that begin a turn of the first seat, dice excluded."""
    number, last, begins = 0, "", 0
    for at, option in enumerate(options):
        if option.by is None:
            continue  # chance belongs to the move after it
        if not number or (option.by == first != last):
            number += 1
            yield begins, number
        last, begins = option.by, at + 1


def _move(text: str, notes: Notes, variations: Sequence[str]) -> TextMove:
    remark, glyphs, unread = notes.get("remark", ""), notes.get(GLYPHS), notes.get(UNREAD)
    others = unread if isinstance(unread, list) else []
    return TextMove(
        text,
        tuple(g for g in glyphs if type(g) is int and 0 <= g < 1000) if isinstance(glyphs, list) else (),
        tuple(line for line in str(remark).splitlines() if line),
        (*variations, *(v for v in others if isinstance(v, str) and v[:1] == "(")),
    )


def _tags(game: Game, dialect: Dialect, notes: Notes, result: str) -> dict[str, str]:
    """The tags of a game: the mandatory ones, the others from its log, and those of its dialect."""
    own = notes.get(TAGS)
    others: Mapping[str, Any] = own if isinstance(own, dict) else {}
    known = {"Event": str(notes.get("event", UNKNOWN)), "Date": str(notes.get("date", "????.??.??"))[:10]}
    known["Date"] = known["Date"].replace("-", ".")
    tags = {name: str(others.get(name, known.get(name, UNKNOWN))) for name in _FIRST}
    tags |= dict(zip(dialect.start["seats"], game.names.values(), strict=False))
    if dialect.result is not None and dialect.result.winners:
        tags[dialect.result.winners] = result
    for name, wanted in dialect.start.get("when", {}).items():
        first = wanted[0] if isinstance(wanted, list) else wanted
        if isinstance(first, str):
            tags[name] = first
    return tags | {k: str(v)[:MAX_TAG] for k, v in others.items() if k not in tags and k.isidentifier() and k.isascii()}


def _result(game: Game, dialect: Dialect, notes: LogNotes) -> str:
    """The result that terminates the move text: from the end of the game, or from its log."""
    actual, recorded = game.result, dialect.result
    note = notes.header.get(RESULT)
    noted = note.get("winners") if isinstance(note, dict) else None
    winners = actual.winners if actual is not None else noted
    if recorded is not None and isinstance(winners, list | tuple):
        numbers = {game.seats.index(seat) + 1 for seat in winners if seat in game.seats}
        return next((text for text, won in recorded.won.items() if {*won} == numbers), "*")
    tags = notes.header.get(TAGS)
    said = tags.get(recorded.winners) if recorded is not None and isinstance(tags, dict) else None
    return said if said in RESULTS else "*"
