"""Check of a dialect's expressions and names without a log, by compiling it for games of its rulesets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from rulespec import cache
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import files_in
from rulespec.documents.text_files import read_text
from rulespec.engine.dialects.dialect import Dialect
from rulespec.references import find_ruleset, parts_of
from rulespec.ruleset_files import MAX_FILES
from rulespec.typed import nodes as typed

_ROOMS = (*cache.LANGUAGE, "engine/dialects", "engine/game", "engine/lower", "engine/program")
_TRUTH = msgspec.json.Decoder(bool)
_ANY_NUMBER = 1
"""A number in the place of those that the first entry of a log has."""


def wrong_expressions(dialect: Dialect, ruleset: typed.Ruleset) -> list[Diagnostic]:
    """The distinct errors in the expressions (RS622) and names (RS635) of a dialect; empty if there are none.

    Args:
        dialect: the dialect.
        ruleset: a sound ruleset. Expressions are compiled for those rulesets of the dialect that are this one, alone or
            with overlays.
    """
    # Overlays enter by size and modification time: loading them would double the time of a warm validation.
    stamps = [_stamp(path) for folder in ruleset.folders for path in _overlay_files(folder)]
    text = read_text(Path(dialect.file), dialect.file)
    key = cache.key("dialect expressions", ruleset.sources_hash, text, *stamps, rooms=_ROOMS)
    if cache.read(key, _TRUTH) is True:
        return []
    from rulespec.engine.dialects.wrong_names import wrong_names  # lazily: the cache knows most dialects

    own = list(own_rules(dialect, ruleset))
    results = list(dict.fromkeys(d for rules in own for d in _wrong_in(dialect, rules)))
    results += wrong_names(dialect, own)
    if not results:
        cache.write(key, True)
    return results


def own_rules(dialect: Dialect, ruleset: typed.Ruleset) -> Iterator[typed.Ruleset]:
    """The rulesets of a dialect that consist of a given ruleset, alone or with overlays; also the given ruleset, if it
    extends one of them.
    """
    from rulespec.load import load_ruleset  # lazily: the cache knows most dialects

    for ref in dialect.rulesets:
        base, *overlays = parts_of(ref)
        if base != ruleset.id:
            if dialect.is_of_extended(ruleset):
                yield ruleset
            continue
        if not overlays:
            yield ruleset
            continue
        with suppress(DiagnosticsError):  # another validation reports it
            folder = find_ruleset(base, beside=Path(dialect.file).resolve().parent.parent)
            yield load_ruleset("+".join([str(folder), *overlays]))


def _overlay_files(folder: Path) -> list[str]:
    return sorted(path for end in (".yaml", ".rules") for path in files_in(f"{folder}/variants", end, MAX_FILES))


def _stamp(path: str) -> str:
    try:
        status = os.stat(path)  # noqa: PTH116 - many
    except OSError:  # a link to nothing
        return path
    return f"{path}\0{status.st_size}\0{status.st_mtime_ns}"


def _wrong_in(dialect: Dialect, ruleset: typed.Ruleset) -> list[Diagnostic]:
    # Lazily: the cache knows most dialects.
    from rulespec.engine.dialects.first_entry import cut_at
    from rulespec.engine.dialects.known import known
    from rulespec.engine.dialects.projection import Projections
    from rulespec.engine.dialects.take_back import TakeBack
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.seating import seat_names

    game = Game(ruleset, seat_names(ruleset.players[0], ruleset.seats))
    values = dict.fromkeys(dialect.values, _ANY_NUMBER)
    results: list[Diagnostic] = []
    for compiled in (
        lambda: cut_at(dialect, game),
        lambda: Projections(game, dialect, own=True, values=values),
        lambda: TakeBack(game, dialect, own=True, known=known(game, dialect, values)),
    ):
        try:
            compiled()
        except DiagnosticsError as error:
            results += error.diagnostics
    return results
