"""Foreign logs: entries recorded by other programs, in a JSON array, or in lists within a JSON object."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Span, shown
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.dialects.moves_alone import is_position, needed_tags, not_read, one_word, writers
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.logs.log_text import fail
from rulespec.engine.notation.text_formats import document_of, format_of, read_games
from rulespec.engine.notation.text_moves import TextGame, TextMove
from rulespec.records import Brief

CONVERTED = "the guide to other people's logs shows how to convert sentences and tables to JSON"
MAX_ACTIONS = 50_000
MAX_BRACKETS = 400_000
"""Maximum number of lists and objects in a foreign log, since parsed values are many times larger than their text."""


class ForeignLog(Brief, Struct):
    """A foreign log, with its entries and the name of its file.

    All strings are normalised to NFC, the form in which names are compared; `written` is the first entry as recorded.

    Attributes:
        parents: for each entry, the object around its list (with the next outer object as its field `^`); None if there
            is no such object. Empty if the log itself is the list of entries.
        inner: the indices of nested entries.
        format: the file format: `json`, `pgn` or `sgf`.
        game: the game of a file in PGN or SGF.
        lines: the line numbers in the file of the first entry and of each move of such a game.
    """

    file: str
    entries: list[Any] = []
    written: Any = None
    parents: list[Any] = []
    inner: frozenset[int] = frozenset()
    format: str = "json"
    game: TextGame | None = None
    lines: tuple[int, ...] = ()

    @property
    def first(self) -> Any:
        """The raw first entry of the log."""
        return self.entries[0] if self.written is None else self.written


def parse_foreign(text: str, file: str, dialects: Iterable[Path] = (), skipped: int = 0) -> ForeignLog:
    """The parsed form of a foreign log: a JSON array of objects, or of strings that contain objects.

    A single JSON object becomes one entry, in which the dialect later locates the actual entries (`shaped`).
    `dialects` are the dialect files whose notations are used to recognise bare lists of moves. `skipped` is the number
    of lines before the text in its file.

    Raises:
        DiagnosticsError: RS61x for any other text, or for a log that is too long; RS369 for a bare list of moves.
    """
    start = Span(file, 1, 1, 1, 2)
    if not text.strip():
        fail("RS612", "the log is empty", start, help="check that this is the right file")
    if kind := format_of(text, file):
        return _of_text(text, file, kind, skipped)
    if text.count("{") + text.count("[") > MAX_BRACKETS:
        fail("RS614", f"the log has more than {MAX_BRACKETS:,} lists and objects", start)
    try:
        value = _read_json(text)
    except json.JSONDecodeError as error:
        _no_json(text, file, error, dialects)
    except (RecursionError, ValueError):
        fail("RS612", "this log is nested too deep to be read as JSON", start)
    if type(value) is int:
        _no_json(text, file, json.JSONDecodeError("", text, 0), dialects)
    entries = [value] if isinstance(value, dict) else value
    if not isinstance(entries, list) or not entries or not value:
        fail("RS613", "a log must be JSON: an array of entries, or an object that contains them", start)
    if len(entries) > MAX_ACTIONS:
        fail("RS614", f"the log has more than {MAX_ACTIONS:,} entries", start)
    for number, entry in enumerate(entries):
        if isinstance(entry, str):
            try:
                entries[number] = _read_json(entry)
            except (ValueError, RecursionError):
                fail("RS612", f"entry {number} is a string that does not contain JSON", start)
        if not isinstance(entries[number], dict):
            fail("RS613", f"entry {number} is not an object", start)
    if text.isascii() and "\\u" not in text:
        return ForeignLog(file, entries)
    try:
        return ForeignLog(file, [_normal(entry) for entry in entries], entries[0])
    except RecursionError:
        fail("RS612", "this log is nested too deep to be read as JSON", start)


def _of_text(text: str, file: str, kind: str, skipped: int) -> ForeignLog:
    """The log of the only game in a PGN or SGF file; RS887 if there are several games."""
    games = read_games(text, file)
    game = next(games, None)
    start = Span(file, 1, 1, 1, 2)
    if game is None:
        fail("RS612", "the log is empty", start, help="check that this is the right file")
    if next(games, None) is not None:
        help_ = f"name one, such as `{file}#1`; `replay`, also with `--out`, reads all of them"
        fail("RS887", "this file contains several games", start, help=help_)
    document = document_of(game, kind)
    lines = tuple(line + skipped for line in (1, *game.lines(text)))
    game.warnings = tuple(_lower(warning, skipped) for warning in game.warnings)
    return ForeignLog(file, [_normal(document)], document, format=kind, game=game, lines=lines)


def _lower(warning: Diagnostic, skipped: int) -> Diagnostic:
    """A warning with its place moved down by a number of lines."""
    span = warning.span
    if span is None:
        return warning
    return replace(warning, span=replace(span, line=span.line + skipped, end_line=span.end_line + skipped))


def _no_json(text: str, file: str, error: json.JSONDecodeError, dialects: Iterable[Path]) -> NoReturn:
    """Raises the diagnostic for a text that is not JSON."""
    start, first = Span(file, 1, 1, 1, 2), text.lstrip().partition("\n")[0]
    if first[:1] == "{" and error.msg == "Extra data":
        help_ = 'begin a native log with {"rulespec_log": 2, …}; write a foreign one as a JSON array, or as one object'
        fail("RS613", "this log does not begin with a header", start, help=help_)
    if first[:1] in ("{", "["):
        span = Span(file, error.lineno, error.colno, error.lineno, error.colno + 1)
        fail("RS612", f"this log is not JSON: {error.msg}", span, help="check that the log is complete")
    dialects = [*dialects]
    parted = one_word(text)
    refs = writers(text, dialects) or writers(parted, dialects)
    if refs:
        by = " or ".join(f"`{ref}`" for ref in refs)
        name = Path(file).with_suffix(".pgn").name
        help_ = f"rename it to {name}, and run `rulespec replay {name}`"
        if parted and not writers(text, dialects):
            help_ = f"write a space between moves, {help_}"
        if all(tags := [needed_tags(dialect) for dialect in refs.values()]):
            help_ = f"write `{tags[0]}` before the moves, {help_}"
        if is_position(text):
            help_ = f"remove the words before its moves, {help_}"
        fail(
            "RS369",
            f"{shown(file)} contains moves in the notation of {by}, without tags or move numbers",
            start,
            help=help_,
        )
    if (known := not_read(text, dialects)) is not None:
        fail("RS612", f"this log is not JSON, but {known[0]}", start, help=known[1])
    way = "give a log in JSON (a native one has an object on each line)"
    help_ = f"{way}, or moves as text with their numbers (PGN); {CONVERTED}"
    fail("RS612", f"this log is not JSON, but text that begins with {shown(first[:40].rstrip())}", start, help=help_)


def shaped(log: ForeignLog, dialect: Dialect, ends: Mapping[str, Collection[str]] = {}) -> ForeignLog:
    """A log with the entries located by its dialect, in order.

    Args:
        log: the log as recorded.
        dialect: its dialect.
        ends: for each path of lists that are obtained by splitting another list, the names at which to split.

    Raises:
        DiagnosticsError: RS613 if the list of entries is missing, RS614 if there are too many.
    """
    shape, log = dialect.shape, without_marks(log, dialect)
    if not shape.list and not shape.inside:
        return log
    start = Span(log.file, 1, 1, 1, 2)
    entries, parents, inner = [log.entries[0]], [None], set[int]()
    pairs: Iterator[tuple[Any, Any]] = iter((entry, None) for entry in log.entries[1:])
    if shape.list:
        pairs = _listed(log.entries[0], shape.list.split("."), None)
    for entry, parent in pairs:
        if entry is None:
            help_ = "remove it, or check that the log is complete"
            fail("RS613", f"entry {len(entries)} is null", start, help=help_)
        if entry is MISSING:
            fail(
                "RS613",
                f"there is no list of entries at {shown(shape.list)}",
                start,
                help="check that the log is complete",
            )
        around = [(entry, parent)]
        while around:
            value, outer = around.pop()
            if value is not entry:
                inner.add(len(entries))
            entries.append(value)
            parents.append(outer)
            if len(entries) > MAX_ACTIONS:
                fail("RS614", f"the log has more than {MAX_ACTIONS:,} entries", start)
            for path in reversed(shape.inside):
                within = follow(value, path)
                if not isinstance(within, list) and path in ends:
                    within = pieces(follow(value, shape.cut[path].source), ends[path])
                around += [(each, value) for each in reversed(within)] if isinstance(within, list) else []
    if len(entries) == 1 and shape.list and not _has_list(log.entries[0], shape.list.split(".")):
        help_ = "name the list as the log does, or check that the log is complete"
        fail("RS613", f"no part of the log has a list of entries at {shown(shape.list)}", start, help=help_)
    return replace(log, entries=entries, parents=parents, inner=frozenset(inner))


def without_marks(log: ForeignLog, dialect: Dialect) -> ForeignLog:
    """A log without the words that its dialect's notation skips; comments on a skipped word are added to the previous
    move.
    """
    marks = dialect.notation.marks if dialect.notation is not None else frozenset()
    game = log.game
    if game is None or not any(move.text in marks for move in game.moves):
        return log
    start, moves, standing = replace(game.start), list[TextMove](), list[int]()
    for number, move in enumerate(game.moves):
        if move.text not in marks:
            moves.append(replace(move))
            standing.append(number)
        else:
            last = moves[-1] if moves else start
            last.comments, last.glyphs = last.comments + move.comments, last.glyphs + move.glyphs
            last.variations += move.variations
    first, lines = log.entries[0], log.lines
    document = {**first, "moves": [first["moves"][number] for number in standing]}
    game = replace(game, start=start, moves=moves, offsets=[game.offsets[number] for number in standing])
    lines = (*lines[:1], *(lines[number + 1] for number in standing))
    return replace(log, entries=[document], written=document, game=game, lines=lines)


def pieces(names: Any, ends: Collection[str]) -> list[list[Any]]:
    """Splits a list into pieces. A piece ends at a name in `ends`, and the next piece begins with the same name.

    A name that occurs twice in a row counts once.
    """
    results: list[list[Any]] = []
    piece: list[Any] = []
    for name in names if isinstance(names, list) else ():
        if piece and name == piece[-1]:
            continue
        piece.append(name)
        if len(piece) > 1 and isinstance(name, str) and name in ends:
            results.append(piece)
            piece = [name]
    return [*results, piece] if len(piece) > 1 else results


def _listed(value: Any, keys: list[str], parent: Any) -> Iterator[tuple[Any, Any]]:
    """The entries at a path, each with the object around its list; MISSING if there is no list at all.

    A text counts as the list of its words. `*` matches every element of a list, or every value of an object, whose key
    becomes the field `key` of the object around the list.
    """
    at = keys.index("*") if "*" in keys else len(keys)
    for key in keys[:at]:
        value = value.get(key, MISSING) if isinstance(value, dict) else MISSING
    if at == len(keys) and isinstance(value, str):
        value = value.split()
    if not isinstance(value, list) and (at == len(keys) or not isinstance(value, dict)):
        if parent is None:  # a phase may have none
            yield MISSING, None
        return
    if at == len(keys):
        yield from ((entry, parent) for entry in value)
        return
    outer = {} if parent is None else {"^": parent}
    rest = keys[at + 1 :]
    pairs: list[tuple[Any, Any]] = [*value.items()] if isinstance(value, dict) else [(None, each) for each in value]
    for key, each in pairs:
        own: dict[str, Any] = {} if key is None else {"key": key}
        if key is None and isinstance(each, dict):
            own = {name: field for name, field in each.items() if [name] != rest[:1]}
        if isinstance(each, list) and not rest:
            yield from ((entry, {**own, **outer}) for entry in each)
        elif rest:
            yield from _listed(each, rest, {**own, **outer})
        else:
            yield each, {**own, **outer}


def _has_list(value: Any, keys: list[str]) -> bool:
    """Whether there is a list at a path, even an empty one; True if an element that `*` matches is missing."""
    if not keys:
        return True
    key, *rest = keys
    if key == "*":
        parts = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
        return not parts or any(_has_list(part, rest) for part in parts)
    return isinstance(value, dict) and key in value and _has_list(value[key], rest)


def _normal(value: Any) -> Any:
    """A value of an entry with all texts in NFC."""
    if isinstance(value, str):
        return comparable(value)
    if isinstance(value, list):
        return [_normal(item) for item in value]
    return {comparable(key): _normal(item) for key, item in value.items()} if isinstance(value, dict) else value


def _read_json(text: str) -> Any:
    """The value of a JSON text: msgspec is several times faster but stricter, so `json` is the fallback."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return json.loads(text)
