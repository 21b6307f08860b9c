"""Divergence of a log from its rules."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rulespec.engine.game.option import Refusal
from rulespec.records import Brief


class Divergence(Brief, Struct, frozen=True):
    """The place of a log's first illegal entry.

    Attributes:
        index: the number of legal decisions before it.
        foreign_index: the number of the entry of a foreign log; None for a native log.
        action: the decision or the entry there.
        refusal: the reason.
        nearest: the legal options most like it.
        line: the line of a native log; None for a foreign log.
        known_fault: the known fault of the system that recorded a foreign log, if it is one.
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
        """The place in the log, for people: the line, or the entry."""
        return f"line {self.line:,}" if self.line is not None else f"entry {self.foreign_index:,}"

    @property
    def seen_line(self) -> int | None:
        """The line of a native log as seats have it: without decisions that were taken back. None for a foreign log."""
        return None if self.line is None else self.index + 2

    def to_json(self) -> dict[str, Any]:
        """The object that `replay --format json` prints."""
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
