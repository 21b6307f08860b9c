"""Set-up from a foreign log: the seats and settings in its first entry, and the names at which its lists are split."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.query import Queries
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.log_text import fail
from rulespec.engine.lower.layout import type_name
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.typed import nodes as typed

_NUMBER = re.compile(r"-?[0-9]{1,15}")
_MAX_VALUES = 10
"""Maximum number of accepted values in a message."""


def seats_and_settings(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> tuple[list[str], dict[str, str]]:
    """The seats and settings in the first entry of a log, with players' names unchanged.

    Raises:
        DiagnosticsError: RS620 if they do not fit the dialect, RS650 if two seats have the same name.
    """
    report = Report()
    first = Span(log.file, 1, 1, 1, 2)
    payload, path = dialect.header(log.entries[0]), dialect.start["seats"]
    if isinstance(path, list):
        names = _one_by_one(dialect.header(log.first), path, ruleset)
    else:
        seats = follow(dialect.header(log.first), path)
        if not isinstance(seats, list) or not all(isinstance(s, str | int) for s in seats):
            help_ = "check that the log is complete: the dialect reads the players from there"
            report.error("RS620", f"the first entry has no list of players at `{path}`", first, help=help_)
            report.raise_if_errors()
        names = [str(seat) for seat in seats]
    if len(set(map(comparable, names))) < len(names):
        help_ = "give each seat a different name in the log, because entries refer to seats by name"
        report.error("RS650", f"two seats have the same name: {_twice(names)}", first, help=help_)
    settings = {}
    for name, spec in dialect.start.get("settings", {}).items():
        if name not in ruleset.settings:
            continue  # a dialect serves several rulesets
        if not isinstance(spec, dict):
            settings[name] = spec
            continue
        value = follow(payload, spec["path"])
        key = spec.get("missing") if value in (MISSING, None) else str(value)
        if key not in spec["values"]:
            known = ", ".join([*spec["values"]][:_MAX_VALUES]) + (", …" if len(spec["values"]) > _MAX_VALUES else "")
            message = f"`{spec['path']}` is {key!r}, but `{dialect.id}` accepts only {known}"
            report.error("RS621", message, first, help="a game with another value is played under other rules")
            continue
        settings[name] = spec["values"][key]
    report.raise_if_errors()
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in settings.items()}
    return names, texts


def optional_rules(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> list[Diagnostic]:
    """The warning about optional rules that a game was played with, but that its ruleset lacks."""
    spec = dialect.start.get("optional_rules")
    chosen = follow(dialect.header(log.entries[0]), spec["path"]) if spec is not None else []
    names = [str(name) for name in chosen] if isinstance(chosen, list) else []
    missing = [shown(name) for name in dict.fromkeys(names) if name not in spec.get("unchanged", {})] if spec else []
    if not missing:
        return []
    more = ", …" if len(missing) > _MAX_VALUES else ""
    rules = f"the optional rule{'s' if len(missing) > 1 else ''} {', '.join(missing[:_MAX_VALUES])}{more}"
    help_ = "if all moves are legal, these rules changed nothing; otherwise write an overlay of them, and give --rules"
    message = f"this game was played with {rules}, which `{ruleset.ref}` does not have"
    return [Diagnostic("RS633", Severity.WARNING, message, Span(log.file, 1, 1, 1, 2), help=help_)]


def by_seat(dialect: Dialect, names: list[str], ruleset: typed.Ruleset) -> list[str] | dict[str, str]:
    """The names of the players: a mapping from seat ids if the dialect lists seats one by one, otherwise the given
    list.
    """
    if isinstance(dialect.start["seats"], list):
        return dict(zip(seat_names(len(names), ruleset.seats), names, strict=True))
    return names


def values_of(dialect: Dialect, log: ForeignLog) -> dict[str, int]:
    """The named integers from the first entry, for use in expressions.

    Raises:
        DiagnosticsError: RS620 if a number is missing.
    """
    payload, results = dialect.header(log.entries[0]), {}
    for name, path in dialect.values.items():
        value = follow(payload, path)
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = int(value)
        if type(value) is not int or abs(value) > MAX_NUMBER:
            message = f"the first entry has no whole number at `{path}`, which `{dialect.id}` reads as `{name}`"
            fail(
                "RS620",
                message,
                Span(log.file, 1, 1, 1, 2),
                help="check that this is a log of that dialect, or name another with --dialect",
            )
        results[name] = value
    return results


def _one_by_one(payload: object, paths: list[str], ruleset: typed.Ruleset) -> list[str]:
    """Names at individual paths; seats without a name get their id, which also follows duplicate names."""
    own = seat_names(len(paths), ruleset.seats)
    values = [follow(payload, path) for path in paths]
    names = [str(value) if isinstance(value, str | int) else "" for value in values]
    names = [own[n] if name.strip() in ("", "?") else name for n, name in enumerate(names)]
    alike = [comparable(name) for name in names]
    return [f"{name} ({own[n]})" if alike.count(alike[n]) > 1 else name for n, name in enumerate(names)]


def _twice(names: list[str]) -> str:
    """The first repeated name."""
    alike = [comparable(name) for name in names]
    return next(shown(name) for number, name in enumerate(names) if alike[number] in alike[:number])


def cut_at(dialect: Dialect, game: Game) -> Mapping[str, frozenset[str]]:
    """For each path of lists that a dialect obtains by splitting another list, the foreign names at which to split.

    Args:
        dialect: the dialect.
        game: a game that has not begun.

    Raises:
        DiagnosticsError: RS622 if an expression of the dialect is wrong, or is not a set of entities.
    """
    report, results = Report(), dict[str, frozenset[str]]()
    queries = Queries(game.ruleset, game.seats, game.settings)
    for path, cut in dialect.shape.cut.items():
        where, span = f"`cut` of the dialect `{dialect.id}`", dialect.spans.get(f"cut.{path}")
        try:
            kind = type_name(queries.expression(cut.at).type)
            if kind.startswith("set "):
                names = game.omniscient.value(cut.at).strip("{}").split(", ")
                results[path] = frozenset(dialect.foreign(kind.removeprefix("set "), name) for name in names)
            else:
                report.error("RS622", f"{where}: `{cut.at}` is {kind}, not a set of entities", span)
        except RulesetFaultError as fault:
            report.error("RS622", f"{where}: {fault}", span)
        except DiagnosticsError as error:
            for e in error.diagnostics:
                report.error("RS622", f"{where}: {e.message}", span, help=e.help)
    report.raise_if_errors()
    return results
