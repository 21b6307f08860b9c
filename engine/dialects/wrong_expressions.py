"""Check of a dialect's expressions and names without a log, by compiling the dialect for games of its rulesets."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from rulespec import cache
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import did_you_mean
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
_STYLES = frozenset({"case", "remove"})
"""Keys beside the names of entities, which say how all other entities are written."""


def wrong_expressions(dialect: Dialect, ruleset: typed.Ruleset) -> list[Diagnostic]:
    """The distinct errors in the expressions (RS622) and names (RS635) of a dialect; empty if there are none.

    Args:
        dialect: the dialect.
        ruleset: a sound ruleset. Expressions are compiled for those rulesets of the dialect that consist of this one,
            alone or with overlays.
    """
    # Overlays enter by size and modification time: loading them would double the time of a warm validation.
    stamps = [_stamp(path) for folder in ruleset.folders for path in _overlay_files(folder)]
    text = read_text(Path(dialect.file), dialect.file)
    key = cache.key("dialect expressions", ruleset.sources_hash, text, *stamps, rooms=_ROOMS)
    if cache.read(key, _TRUTH) is True:
        return []
    own = list(own_rules(dialect, ruleset))
    results = list(dict.fromkeys(d for rules in own for d in _wrong_in(dialect, rules)))
    results += _wrong_names(dialect, own)
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


def _wrong_names(dialect: Dialect, rulesets: Sequence[typed.Ruleset]) -> Iterator[Diagnostic]:
    """The diagnostics for translated names that none of a dialect's rulesets has (RS635).

    If the dialect serves more rulesets than those given, nothing is checked, because a name may be theirs.
    """
    if len(rulesets) < len(dialect.rulesets):
        return
    from rulespec.engine.words.asked import Decisions  # lazily: the cache knows most dialects

    def missing(what: str, name: str, known: Collection[str], place: str) -> Diagnostic:
        message = f"no ruleset of the dialect `{dialect.id}` has the {what} `{name}`"
        help_ = did_you_mean(name, sorted(known)) or "remove it, or name an existing one"
        return Diagnostic("RS635", Severity.ERROR, message, dialect.spans.get(place), help=help_)

    kinds: dict[str, set[str]] = {}
    for ruleset in rulesets:
        for kind in ruleset.declarations.kinds.values():
            kinds.setdefault(kind.name, set()).update(entity.name for entity in kind.entities)
    for kind_name, table in dialect.names.items():
        if kind_name not in kinds:
            yield missing("kind", kind_name, kinds, "names")
            continue
        for name in table:
            if name not in kinds[kind_name] and name not in _STYLES:
                yield missing(kind_name, name, kinds[kind_name], "names")
    result = dialect.result
    if result is not None and result.endings:
        endings = {ending for ruleset in rulesets for ending in Decisions(ruleset).endings}
        for name in result.endings.values():
            if name not in endings:
                yield missing("ending", name, endings, "result")
