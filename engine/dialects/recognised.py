"""Recognition of foreign logs: the ruleset of a log, or a description of an unknown log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.diagnostics.suggestions import counted, did_you_mean
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.foreign_log import CONVERTED, ForeignLog
from rulespec.engine.dialects.moves_alone import readable, reads
from rulespec.engine.notation.text_formats import NAMES
from rulespec.engine.words.asked import Decisions
from rulespec.typed import nodes as typed

_TITLES = ("title", "game", "game_name", "variant", "Variant", "Game", "GameType", "GM")
"""Fields in which systems record the name of the game."""
_MAX_TYPES = 5
_MAX_DEPTH = 3
_MAX_INNER = 50
"""Maximum number of fields of an object in which a log is looked for."""


def dialect_of(log: ForeignLog, files: Iterable[Path], dialect_id: str | None, report: Report) -> Dialect:
    """The dialect with the given id; by default, the first that recognises the log and can read its moves if they are
    text.

    Args:
        log: the log as recorded.
        files: the files of dialects.
        dialect_id: the id; None means to recognise the log.
        report: the report that receives warnings about invalid dialects.

    Raises:
        DiagnosticsError: RS615 if there is no such dialect, RS616 if none recognises the log, RS612 if the log is a
            text without tags in which no word is a move.
    """
    if dialect_id is not None:
        names = set[str]()
        for file in files:
            if file.stem == dialect_id:
                return read_dialect(file)
            names.add(file.stem)
        known = f"the dialects are {', '.join(f'`{name}`' for name in sorted(names))}" if names else ""
        hint = did_you_mean(dialect_id, sorted(names)) or known
        raise failure("RS615", f"there is no dialect `{dialect_id[:80]}`", None, hint)
    moves = [move.text for move in log.game.moves] if log.game is not None else []
    fitting, close, likely, seen = list[Dialect](), list[Dialect](), list[Dialect](), list[Path]()
    for file in files:
        seen.append(file)
        try:
            dialect = read_dialect(file, whole=False)
            if dialect.format != log.format or not dialect.begins(log.entries[0]):
                continue
            knows = dialect.automatic and dialect.knows(log.entries[0])
            whole = read_dialect(file) if knows or moves else dialect
        except DiagnosticsError as error:  # an invalid dialect must not affect other logs
            d = error.diagnostics[0]
            report.warning(d.code, f"a dialect is skipped: {d.message}", d.span, help=d.help)
            continue
        fits = not moves or not whole.text_path or reads(whole, moves)
        if knows and fits:
            return whole
        (fitting if knows else likely if moves and fits else close).append(whole)
    if fitting:  # its first unreadable move becomes the divergence
        best = max(fitting, key=lambda dialect: readable(dialect, moves))
        if moves and log.game is not None and not log.game.tags and not readable(best, moves):
            message = f"this log is not JSON, but text with words such as {shown(moves[0])}, which no notation can read"
            raise failure("RS612", message, _start(log), CONVERTED)
        return best
    raise not_known(log, likely or close, seen)


def rules_for(dialect: Dialect, log: ForeignLog) -> str:
    """The ruleset reference that a dialect gives for a log.

    Raises:
        DiagnosticsError: RS621 if the dialect has no ruleset for it.
    """
    result = dialect.ruleset_for(log.entries[0])
    if result is None:
        message = f"`{dialect.id}` has no ruleset for this log"
        help_ = f"name the ruleset with --rules; the dialect chooses it by {dialect.wanted()}"
        raise failure("RS621", message, _start(log), help_)
    return result


def check_game(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> None:
    """Checks that a log belongs to the game of a ruleset.

    Raises:
        DiagnosticsError: RS883 if the ruleset has none of the recorded decisions.
    """
    if ruleset.ref in dialect.rulesets or not dialect.decisions:
        return
    if not dialect.decisions.keys().isdisjoint(Decisions(ruleset).paths()):
        return
    refs = " or ".join(f"`{ref}`" for ref in dict.fromkeys(dialect.rulesets))
    message = f"{shown(log.file)} is a log of {refs}, not of `{ruleset.ref}`: {kind_of(log)}, from {dialect.title}"
    raise failure("RS883", message, _start(log), f"replay it under its own rules: `rulespec replay {log.file}`")


def not_known(log: ForeignLog, close: Sequence[Dialect], files: Iterable[Path]) -> DiagnosticsError:
    """The error for an unrecognised log; it states the kind of log and the requirements of the closest dialect.

    Args:
        log: the log.
        close: the dialects that can read the log's form, but not its first entry.
        files: the files of all dialects, including dialects of other forms.
    """
    first = log.entries[0]
    moves = [move.text for move in log.game.moves] if log.game is not None else []
    best = min(close, key=lambda each: (-readable(each, moves), *_distance(each, first)), default=None)
    accepted = best.start.get("when", {}).keys() - best.unfit(first).keys() if best is not None else frozenset()
    message = f"no dialect reads this kind of log: it is {kind_of(log, accepted)}"
    hint = _around(log, files) if log.game is None else ""
    if not hint and best is not None:
        hint = f"`{best.id}` reads only logs with {best.wanted(unfit := best.unfit(first))}; here {_values(unfit)}"
    hint = hint or "name its dialect with --dialect ID, or write one, as the guide to other people's logs shows"
    return failure("RS616", message, _start(log), hint)


def _values(fields: Mapping[str, Any]) -> str:
    """The values of fields, for messages."""
    return ", ".join(
        f"{path} is {'missing' if value is None else shown(value if isinstance(value, str) else str(value))}"
        for path, value in fields.items()
    )


def _around(log: ForeignLog, files: Iterable[Path]) -> str:
    """The way out for a log of a dialect with a different frame: wrapped in objects, or without its first entry."""
    first, every = log.entries[0], list[Dialect]()
    for file in files:
        with suppress(DiagnosticsError):  # an invalid dialect has been reported
            every.append(read_dialect(file, whole=False))
    for path, inner in _inner(first, "", _MAX_DEPTH) if len(log.entries) == 1 else ():
        entries = inner if isinstance(inner, list) else [inner]
        if entries and (dialect := next((d for d in every if d.automatic and _is_of(d, entries[0])), None)):
            what = "object" if dialect.shape.list else "list of entries"
            inside = f"under {shown(path)}" if isinstance(inner, list) or dialect.shape.list else "in this object"
            return f"`{dialect.id}` reads a file that contains only the {what} {inside}"
    types = Counter(t for e in log.entries if isinstance(e, dict) and isinstance(t := e.get("type"), str))
    for dialect in every if len(log.entries) > 1 else ():
        own = {form.type for forms in dialect.decisions.values() for form in forms}
        if sum(n for type_, n in types.items() if type_ in own) * 2 > len(log.entries) and not dialect.begins(first):
            begin = f"a first entry of the type {shown(dialect.start_type)}"
            if dialect.shape.list:
                begin = f"an object around the entries, which are under {shown(dialect.shape.list)}"
            return f"its entries are like those of `{dialect.id}`, whose logs have {begin}: export the whole log"
    return ""


def _is_of(dialect: Dialect, first: Any) -> bool:
    return dialect.format == "json" and bool(dialect.start_type or dialect.start.get("when")) and dialect.knows(first)


def _inner(value: Any, at: str, depth: int) -> Iterator[tuple[str, Any]]:
    """The objects and lists in an object, each with its path; outer levels come first."""
    fields = islice(value.items(), _MAX_INNER) if isinstance(value, dict) else ()
    inside = [(f"{at}{key}", each) for key, each in fields]
    yield from inside
    for path, each in inside if depth > 1 else ():
        yield from _inner(each, f"{path}.", depth - 1)


def _distance(dialect: Dialect, first: Any) -> tuple[int, int, int]:
    """The distance of a first entry from a dialect: the numbers of unfit fields that name a game, and of all unfit
    fields, and a penalty for missing ones.

    The penalty is 2 for each unfit field that the entry lacks, and 1 for each that it could have omitted.
    """
    unfit, when = dialect.unfit(first), dialect.start.get("when", {})
    optional = {path for path, wanted in when.items() if None in (wanted if isinstance(wanted, list) else [wanted])}
    penalty = sum(2 if value is None else path in optional for path, value in unfit.items())
    return len(unfit.keys() & {*_TITLES}), len(unfit), penalty


def kind_of(log: ForeignLog, accepted: Collection[str] = ()) -> str:
    """A description of a log for messages: its form, the recorded name of the game, and the types of its entries.

    `accepted` are fields to leave out: they say nothing about the game, since a dialect accepts their values.
    """
    first = log.entries[0]
    if log.game is not None:
        kind = f"{NAMES[log.format]} with {counted(len(log.game.moves), 'move')}"
    elif len(log.entries) > 1:
        kind = f"a list of {_entries(log.entries)}{_types(log.entries)}"
    else:
        path, entries = _within(*_longest(first, "", _MAX_DEPTH))
        kind = f"an object with {_entries(entries)} under {shown(path)}{_types(entries)}" if path else "a single object"
    return kind + next(
        (
            f" of the game {shown(game)} ({shown(path)})"
            for path, game in _titles(first, "", _MAX_DEPTH)
            if path not in accepted
        ),
        "",
    )


def _titles(value: Any, at: str, depth: int) -> Iterator[tuple[str, str]]:
    """The names of games in an object, each with its path; outer levels come first."""
    if not isinstance(value, dict) or not depth:
        return
    yield from ((f"{at}{key}", value[key]) for key in _TITLES if isinstance(value.get(key), str))
    for key, each in value.items():
        yield from _titles(each, f"{at}{key}.", depth - 1)


def _within(path: str, entries: list[Any]) -> tuple[str, list[Any]]:
    """The elements of per-phase lists, if the entries are phases without types; otherwise the entries."""
    phases = [each for each in entries if isinstance(each, dict)]
    keys = {key for each in phases for key, value in each.items() if isinstance(value, list)}
    if len(keys) != 1 or any("type" in each for each in phases):
        return path, entries
    (key,) = keys
    return f"{path}.*.{key}", [element for each in phases for element in each.get(key) or ()]


def _entries(entries: Sequence[Any]) -> str:
    return f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"


def _types(entries: Sequence[Any]) -> str:
    """A phrase with the most frequent types of entries; "" if they have none."""
    types = Counter(t for e in entries if isinstance(e, dict) and isinstance(t := e.get("type"), str))
    if not types:
        return ""
    names = ", ".join(shown(name) for name, _ in types.most_common(_MAX_TYPES))
    return f" of the types {names}{', …' if len(types) > _MAX_TYPES else ''}"


def _longest(value: Any, path: str, depth: int) -> tuple[str, list[Any]]:
    """The longest list in an object, with its path, or ""; lists of typed entries take precedence."""
    results: list[tuple[str, list[Any]]] = [("", [])]
    for key, each in value.items() if isinstance(value, dict) and depth else ():
        at = f"{path}.{key}" if path else key
        results.append((at, each) if isinstance(each, list) else _longest(each, at, depth - 1))
    return max(results, key=lambda result: (any("type" in e for e in result[1] if isinstance(e, dict)), len(result[1])))


def _start(log: ForeignLog) -> Span:
    return Span(log.file, 1, 1, 1, 2)


def mostly_ignored(log: ForeignLog, ignored: int, ref: str) -> list[Diagnostic]:
    """The warning about a log with mostly illegal entries; empty for other logs."""
    if ignored * 2 <= len(log.entries):
        return []
    message = f"most of this log is illegal under these rules: {ignored} of {len(log.entries)} entries"
    help_ = f"replay it with --rules {ref}, which ignores none of them and explains the first"
    return [Diagnostic("RS623", Severity.WARNING, message, Span(log.file, 1, 1, 1, 2), help=help_)]
