"""Recorded situations: a file of positions of a ruleset, each with its shared state and its options.

The first line is a header. Each further line is a situation: the start of a table, or the result of an option in an
earlier situation. States are stored by name, so that they can be restored after rule changes: the whole state at the
start of a table, then the fields changed by each option.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.logs.log_text import read_log_text
from rulespec.typed import nodes as typed

VERSION = 1
NAME = "situations.jsonl.gz"
FOLDER = "tests"
MAX_BYTES = 16_000_000
"""The maximum size of the file in bytes, packed and unpacked."""
MAX_SITUATIONS = 100_000
MAX_LISTED = 200
"""The maximum number of options in a situation; beyond it, their number and a digest are recorded."""
MAX_SEATS = 64
_AGAIN = "record it again with `rulespec explore REF --record`"
Plain = int | bool | str | None | list[str]


class Header(Struct, frozen=True):
    """The first line: the format version, and the rules under which the situations were recorded."""

    rulespec_situations: int
    ruleset: str
    ruleset_hash: str
    situations: int


class RecordedSituation(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A position and its options.

    Attributes:
        after: the number of the previous situation; -1 for the start of a table.
        take: the option taken there.
        seat: the seat that took it; None if chance did.
        set: the changed fields, each as its number in the table and its value.
        asked: the name of the open decision; "" when the game is over.
        by: the deciding seat; None if chance decides.
        options: the legal options, each with its seat if that is not the deciding seat.
        more: a digest of the options, if there are too many to list.
        ended: the ending, the winners and the points by seat, if the game is over.
        players: at the start of a table, the number of seats.
        settings: at the start of a table, all settings.
        cells: at the start of a table, the names of the fields.
        state: at the start of a table, the values of the fields.
    """

    after: int = -1
    take: str = ""
    seat: str | None = None
    set: list[tuple[int, Plain]] = []
    asked: str = ""
    by: str | None = None
    options: list[str] = []
    more: str = ""
    ended: list[Any] = []
    players: int = 0
    settings: dict[str, str] = {}
    cells: list[tuple[str, str, str, str, str]] = []
    state: list[Plain] = []


class Options(Struct, frozen=True):
    """The options of a position, in the form used by recorded situations."""

    texts: list[str]
    digest: str


def options_of(game: Game) -> Options:
    """The options of a position, sorted.

    Raises:
        RulesetFaultError: if the rules fault.
    """
    decision = game.decision
    by = decision.by if decision is not None else None
    texts = sorted(str(o) if o.by == by and not o.interrupt else f"{o.by}: {o}" for o in every_option(game))
    if len(texts) <= MAX_LISTED:
        return Options(texts, "")
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    return Options([], f"{len(texts)} options, {digest}")


def ended(game: Game) -> list[Any]:
    """The end of a game, in the form used by recorded situations; empty before the end."""
    result = game.result
    return [] if result is None else [result.ending, list(result.winners), dict(result.scores)]


def place_of(ruleset: typed.Ruleset) -> Path:
    """The file for the recorded situations of a ruleset; for a reference with overlays, it is in a folder named after
    them.
    """
    folder = ruleset.folders[0] / FOLDER
    return folder / "+".join(ruleset.overlays) / NAME if ruleset.overlays else folder / NAME


def written(ruleset: typed.Ruleset, situations: Sequence[RecordedSituation]) -> str:
    """The text of a situation file."""
    header = Header(VERSION, ruleset.ref, ruleset.hash, len(situations))
    lines: Iterable[Struct] = (header, *situations)
    return "".join(msgspec.json.encode(line).decode() + "\n" for line in lines)


def read_situations(path: Path, display: str) -> list[RecordedSituation]:
    """The situations of a file.

    Raises:
        DiagnosticsError: RS601 or RS602 if the file cannot be read; RS584 if it does not contain situations; RS605 if
            it has a different version.
    """
    text, whole = read_log_text(path, display, MAX_BYTES)
    lines = text.splitlines()
    try:
        header = msgspec.json.decode(lines[0] if lines else "", type=Header)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise _no_situations(display, 1, "it has no header") from None
    if header.rulespec_situations != VERSION:
        raise failure("RS605", f"{shown(display)} has an unsupported format version", Span(display, 1, 1, 1, 2), _AGAIN)
    if header.situations > MAX_SITUATIONS:
        raise _no_situations(display, 1, f"its header announces more than {MAX_SITUATIONS:,}")
    if not whole:
        raise _no_situations(display, len(lines), "the file is incomplete")
    if len(lines) - 1 != header.situations:
        message = f"its header announces {header.situations:,} situations, but the file has {len(lines) - 1:,}"
        raise _no_situations(display, len(lines), message)
    results: list[RecordedSituation] = []
    decoder = msgspec.json.Decoder(RecordedSituation)
    for number, line in enumerate(lines[1:]):
        try:
            situation = decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise _no_situations(display, number + 2, "this is not a situation") from None
        if wrong := _wrong(situation, number):
            raise _no_situations(display, number + 2, wrong)
        results.append(situation)
    return results


def _wrong(situation: RecordedSituation, number: int) -> str:
    """The fault of a situation; "" if it is sound."""
    if not -1 <= situation.after < number:
        return "the situation before it is missing"
    if situation.after < 0 and not (
        0 < situation.players <= MAX_SEATS and len(situation.cells) == len(situation.state)
    ):
        return "the start of a table needs players, and a value for each field"
    return ""


def _no_situations(display: str, line: int, why: str) -> DiagnosticsError:
    return failure("RS584", f"these are not recorded situations: {why}", Span(display, line, 1, line, 2), _AGAIN)
