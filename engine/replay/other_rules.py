"""Comparison of a log's rules with those of its replay, by hash."""

from __future__ import annotations

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.engine.logs.native import LogHeader, NativeLog
from rulespec.typed import nodes as typed
from rulespec.typed.meaning import of_other_version


def warn_of_other_rules(log: NativeLog, ruleset: typed.Ruleset, report: Report) -> None:
    """Warns if a ruleset differs in meaning from a log's rules (RS618), or may do so (RS647)."""
    header, place = log.header, Span(log.file, 1, 1, 1, 2)
    if header.ruleset_hash == ruleset.hash:
        return
    if header.ruleset_hash and not of_other_version(header.ruleset_hash):
        hashes = f"{header.ruleset_hash[:8]}, now {ruleset.hash[:8]}"
        message = f"this log was made under rules other than those of `{ruleset.ref}` ({hashes})"
        help_ = f"the log may diverge where the rules have changed; {_how_to_compare(header, ruleset)}"
        report.warning("RS618", message, place, help=help_)
    elif not header.ruleset_hash and not header.sources_hash:
        help_ = "a log rewritten with `--out` has the hashes of its rules"
        report.warning("RS647", "this log does not name the rules it was made under", place, help=help_)
    elif header.sources_hash != ruleset.sources_hash:
        message = "this log was made by another version of Rulespec, and its rules cannot be compared with these"
        report.warning("RS647", message, place, help=_how_to_compare(header, ruleset))


def _how_to_compare(header: LogHeader, ruleset: typed.Ruleset) -> str:
    """A sentence with the command that lists the differences."""
    old = header.ruleset if header.ruleset != ruleset.ref else "OLD"
    where = "" if old != "OLD" else ", where OLD is the folder of the rules as they were"
    return f"`rulespec diff {old} {ruleset.reference}` lists the differences{where}"
