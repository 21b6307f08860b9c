"""Recognition of foreign logs: the rules that a log is for, or the kind of log, if nothing reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.words.asked import Decisions
from rulespec.typed import nodes as typed

_TITLES = ("title", "game", "variant", "Variant", "Game")
"""Fields of a log by which systems name the game."""
_MAX_TYPES = 5
_MAX_DEPTH = 3


def rules_for(dialect: Dialect, log: ForeignLog) -> str:
    """The ruleset reference that a dialect names for a log.

    Raises:
        DiagnosticsError: RS621 if it names none.
    """
    result = dialect.ruleset_for(log.entries[0])
    if result is None:
        message, help_ = f"`{dialect.id}` knows no ruleset for this log", f"it knows {dialect.wanted()}"
        raise failure("RS621", message, _start(log), help_)
    return result


def check_game(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> None:
    """Checks that a log is of the game that it is to be read under.

    Raises:
        DiagnosticsError: RS883 if the ruleset has none of the decisions that the log records.
    """
    if ruleset.ref in dialect.rulesets or not dialect.decisions:
        return
    if not dialect.decisions.keys().isdisjoint(Decisions(ruleset).paths()):
        return
    refs = " or ".join(f"`{ref}`" for ref in dict.fromkeys(dialect.rulesets))
    message = f"{shown(log.file)} is {kind_of(log)}: {dialect.title}, a log of {refs} and not of `{ruleset.ref}`"
    raise failure("RS883", message, _start(log), f"`rulespec replay {log.file}` reads it")


def not_known(log: ForeignLog, close: Sequence[Dialect]) -> DiagnosticsError:
    """The error for a log that no dialect reads: it names the kind of log, and the needs of a dialect that is close."""
    message = f"no dialect knows this kind of log: it is {kind_of(log)}"
    hint = "name its dialect: --dialect ID; the guide to other people's logs shows how one is written"
    if close:
        hint = f"`{close[0].id}` reads logs whose first entry says {close[0].wanted()}"
    return failure("RS616", message, _start(log), hint)


def kind_of(log: ForeignLog) -> str:
    """The kind of a log, for messages: its form, the game that it names, and the types of its entries."""
    first = log.entries[0]
    if log.game is not None:
        kind = f"a PGN, moves of a game as text ({len(log.game.moves):,} moves)"
    elif len(log.entries) > 1:
        kind = f"a list of {len(log.entries):,} entries{_types(log.entries)}"
    else:
        path, entries = _longest(first, "", _MAX_DEPTH)
        kind = (
            f"an object with {len(entries):,} entries under {shown(path)}{_types(entries)}"
            if path
            else "a single object"
        )
    game = next((f" of the game {shown(first[k])} (`{k}`)" for k in _TITLES if isinstance(first.get(k), str)), "")
    return kind + game


def _types(entries: Sequence[Any]) -> str:
    """The most frequent types of entries, in brackets; empty if they have none."""
    types = Counter(t for e in entries if isinstance(e, dict) and isinstance(t := e.get("type"), str))
    if not types:
        return ""
    names = ", ".join(shown(name) for name, _ in types.most_common(_MAX_TYPES))
    return f" of the types {names}{', …' if len(types) > _MAX_TYPES else ''}"


def _longest(value: Any, path: str, depth: int) -> tuple[str, list[Any]]:
    """The longest list in an object, with its path; "" if there is none."""
    results: list[tuple[str, list[Any]]] = [("", [])]
    for key, each in value.items() if isinstance(value, dict) and depth else ():
        at = f"{path}.{key}" if path else key
        results.append((at, each) if isinstance(each, list) else _longest(each, at, depth - 1))
    return max(results, key=lambda result: len(result[1]))


def _start(log: ForeignLog) -> Span:
    return Span(log.file, 1, 1, 1, 2)


def mostly_ignored(log: ForeignLog, ignored: int, ref: str) -> list[Diagnostic]:
    """The warning of a log most of whose entries are not legal; none for other logs."""
    if ignored * 2 <= len(log.entries):
        return []
    message = f"most of this log is not legal here: {ignored} of {len(log.entries)} entries"
    help_ = f"with --rules {ref} none is ignored, and the first is explained"
    return [Diagnostic("RS623", Severity.WARNING, message, Span(log.file, 1, 1, 1, 2), help=help_)]
