"""Seats and settings of a game, as the first entry of a foreign log names them."""

from __future__ import annotations

from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import Report
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.paths import MISSING, follow
from rulespec.engine.game.names import comparable
from rulespec.typed import nodes as typed


def seats_and_settings(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> tuple[list[str], dict[str, str]]:
    """The seats and the settings that the first entry of a log names: the names of people as they stand there.

    Raises:
        DiagnosticsError: RS620 if it does not name them as the dialect expects, RS650 if two seats have the same name.
    """
    report = Report()
    first = Span(log.file, 1, 1, 1, 2)
    payload = follow(log.entries[0], dialect.payload_path)
    seats = follow(follow(log.first, dialect.payload_path), dialect.start["seats"])
    if not isinstance(seats, list) or not all(isinstance(s, str | int) for s in seats):
        report.error("RS620", f"the first entry has no list of players at `{dialect.start['seats']}`", first)
        report.raise_if_errors()
    names = [str(seat) for seat in seats]
    if len(set(map(comparable, names))) < len(names):
        help_ = "entries name seats: give each seat a name of its own in the log"
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
            known = ", ".join(spec["values"])
            report.error("RS621", f"`{spec['path']}` is {key!r}, and `{dialect.id}` knows {known}", first)
            continue
        settings[name] = spec["values"][key]
    report.raise_if_errors()
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in settings.items()}
    return names, texts


def _twice(names: list[str]) -> str:
    """The first name that is there twice."""
    alike = [comparable(name) for name in names]
    return next(shown(name) for number, name in enumerate(names) if alike[number] in alike[:number])
