"""Divergence of a log from its rules: an illegal decision, rules with a different hash, or a different end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Refusal
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.end_line import OtherEnd, other_end
from rulespec.engine.logs.log_lines import place_in
from rulespec.engine.logs.native import LogEntry, LogHeader, NativeLog, entry_json
from rulespec.engine.logs.recorded import nearest
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.typed.meaning import of_other_version

if TYPE_CHECKING:  # most logs are native, and need no dialect
    from rulespec.engine.dialects.importer import Stop


class Divergence(Brief, Struct, frozen=True):
    """The first illegal entry of a log.

    Attributes:
        index: the number of legal decisions before it.
        foreign_index: the entry number in a foreign log; None for a native log.
        action: the illegal decision or entry.
        refusal: the reason why it is illegal.
        nearest: the most similar legal options.
        line: the line number in a native log, or in a text of moves, such as PGN; None in other foreign logs.
        known_fault: the title of the recording system's known fault that explains the entry; None if none does.
    """

    index: int
    foreign_index: int | None
    action: Any
    refusal: Refusal
    nearest: tuple[str, ...]
    line: int | None = None
    known_fault: str | None = None

    @property
    def place(self) -> str:
        """The place in the log in words: the entry, the line or both; if neither is known, the number of decisions."""
        parts = [("entry", self.foreign_index), ("line", self.line)]
        known = [f"{name} {number:,}" for name, number in parts if number is not None]
        return ", ".join(known) or f"decision {self.index:,}"

    @property
    def seen_line(self) -> int | None:
        """The line number in a seat's log, which omits undone decisions; None for a foreign log."""
        return None if self.line is None or self.foreign_index is not None else self.index + 2

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --format json`."""
        return {
            "index": self.index,
            "foreign_index": self.foreign_index,
            **({"line": self.line} if self.line is not None and self.foreign_index is not None else {}),
            "action": self.action,
            "reason": self.refusal.reason,
            "rule": list(self.refusal.rules),
            "values": self.refusal.values,
            "nearest": list(self.nearest),
            **({"known_fault": self.known_fault} if self.known_fault is not None else {}),
        }


def of_entry(stop: Stop, line: int | None, known_fault: str | None) -> Divergence:
    """The divergence of a foreign log at an illegal entry, with its line and the known fault behind it, if any."""
    return Divergence(stop.ply, stop.foreign_index, stop.action, stop.refusal, stop.nearest, line, known_fault)


def of_line(game: Game, refusal: Refusal, entry: LogEntry) -> Divergence:
    """The divergence of a native log at an illegal line."""
    action: dict[str, Any] = {"decision": entry.decision, "by": entry.by, "option": entry.option}
    if entry.back is not None:
        action = entry_json(entry.back)
    return Divergence(game.ply, None, action, refusal, nearest(game, entry.option), entry.line)


def of_unread(game: Game, wrong: Diagnostic) -> Divergence:
    """The divergence of a leniently parsed log at a malformed line."""
    line = wrong.span.line if wrong.span is not None else None
    return Divergence(game.ply, None, "", refused(wrong.message), (), line)


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
        help_ = "rewrite the log with `--out`, which adds the hashes of its rules"
        report.warning("RS647", "this log does not name the rules it was made under", place, help=help_)
    elif header.sources_hash != ruleset.sources_hash:
        message = "this log was made by another version of Rulespec, and its rules cannot be compared with these"
        report.warning("RS647", message, place, help=_how_to_compare(header, ruleset))


def _how_to_compare(header: LogHeader, ruleset: typed.Ruleset) -> str:
    """The advice to list the differences, with the command."""
    old = header.ruleset if header.ruleset != ruleset.ref else "OLD"
    where = "" if old != "OLD" else ", where OLD is the folder of the rules as they were"
    return f"list the differences with `rulespec diff {old} {ruleset.reference}`{where}"


def check_end(game: Game, log: NativeLog, entries: int, report: Report) -> OtherEnd | None:
    """The discrepancy between a game and the end line of its log; None if they agree, or if there is no end line after
    `entries` entries.

    A discrepancy is also reported (RS643).
    """
    recorded = log.end
    if recorded is None or recorded.entries != entries or (other := other_end(game, recorded)) is None:
        return None
    header = log.header
    result = f"Rulespec {header.rulespec}, language {header.language}" if header.rulespec else "another program"
    message = f"the replay ends differently from its log: {other}"
    help_ = (
        f"the log was written by {result}; if its rules have been corrected since, record the new end with `--out FILE`"
    )
    place = place_in(log.file, recorded.line, log.text.split("\n")[recorded.line - 1], "end")
    report.error("RS643", message, place, help=help_)
    return other
