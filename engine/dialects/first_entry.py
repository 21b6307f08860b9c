"""Seats and settings of a game, as the first entry of a foreign log names them."""

from __future__ import annotations

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.paths import MISSING, follow
from rulespec.typed import nodes as typed


def seats_and_settings(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> tuple[list[str], dict[str, str]]:
    """The seats and the settings that the first entry of a log names.

    Raises:
        DiagnosticsError: RS620 if it does not name them as the dialect expects.
    """
    report = Report()
    first = Span(log.file, 1, 1, 1, 2)
    payload = follow(log.entries[0], dialect.payload_path)
    seats = follow(payload, dialect.start["seats"])
    if not isinstance(seats, list) or not all(isinstance(s, str | int) for s in seats):
        report.error("RS620", f"the first entry has no list of players at `{dialect.start['seats']}`", first)
        report.raise_if_errors()
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
    return [str(s) for s in seats], texts
