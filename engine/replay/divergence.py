"""Divergence of a log from its rules."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Refusal
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.native import LogEntry, entry_json
from rulespec.engine.logs.recorded import nearest
from rulespec.records import Brief


class Divergence(Brief, Struct, frozen=True):
    """The first illegal entry of a log.

    Attributes:
        index: the number of legal decisions before it.
        foreign_index: the entry number in a foreign log; None for a native log.
        action: the illegal decision or entry.
        refusal: the reason why it is illegal.
        nearest: the most similar legal options.
        line: the line number in a native log; None for a foreign log.
        known_fault: the title of the known fault of the recording system that explains it, or None.
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
        """The readable place in the log: line or entry."""
        return f"line {self.line:,}" if self.line is not None else f"entry {self.foreign_index:,}"

    @property
    def seen_line(self) -> int | None:
        """The line number in a seat's log, which lacks undone decisions; None for a foreign log."""
        return None if self.line is None else self.index + 2

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --format json`."""
        return {
            "index": self.index,
            "foreign_index": self.foreign_index,
            "action": self.action,
            "reason": self.refusal.reason,
            "rule": list(self.refusal.rules),
            "values": self.refusal.values,
            "nearest": list(self.nearest),
            **({"known_fault": self.known_fault} if self.known_fault is not None else {}),
        }


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
