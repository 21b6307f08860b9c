"""Judgements of many logs: the logs of a folder, and the tally of how they come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs.samples import ENDINGS, is_log_name
from rulespec.engine.replay.judge import Judgement

MAX_LOGS = 1_000
"""Logs of one folder."""


def logs_in(folder: Path) -> list[Path]:
    """The logs in a folder, by name; not those in folders below.

    Raises:
        DiagnosticsError: RS601 if the folder cannot be read or holds no log, RS602 if there are more than `MAX_LOGS`.
    """
    try:
        results = sorted(p for p in folder.iterdir() if is_log_name(p.name) and not p.is_dir())
    except OSError as error:
        message = f"`{folder}` cannot be read: {error.strerror}"
        raise DiagnosticsError([Diagnostic("RS601", Severity.ERROR, message, None)]) from None
    if not results:
        help_ = f"logs are files ending in {', '.join(ENDINGS)}"
        raise DiagnosticsError([Diagnostic("RS601", Severity.ERROR, f"`{folder}` holds no log", None, help=help_)])
    if len(results) > MAX_LOGS:
        message = f"`{folder}` holds {len(results):,} logs; at most {MAX_LOGS:,} are judged at a time"
        raise DiagnosticsError(
            [Diagnostic("RS602", Severity.ERROR, message, None, help="put them into several folders")]
        )
    return results


class Tally:
    """Totals of the judgements of many games."""

    def __init__(self) -> None:
        self.legal = self.illegal = self.unreadable = 0
        self.winners: Counter[str] = Counter()
        self.broken: Counter[tuple[tuple[str, ...], str]] = Counter()

    def add(self, judgement: Judgement | None) -> None:
        """Counts a judgement; None for a log that cannot be judged."""
        if judgement is None:
            self.unreadable += 1
        elif judgement.difference is not None:
            self.illegal += 1
            refusal = judgement.difference.refusal
            self.broken[refusal.rules, refusal.reason] += 1
        else:
            self.legal += 1
            self.winners[judgement.winners or ""] += 1

    def reasons(self) -> Iterable[tuple[tuple[str, ...], str, int]]:
        """Rule ids, text of the reason, and number of games that break it first; the most frequent first."""
        ranked = sorted(self.broken.items(), key=lambda item: (-item[1], item[0]))
        return [(rules, reason, count) for (rules, reason), count in ranked]

    def to_json(self) -> dict[str, Any]:
        """As plain data; see under.schema.json."""
        return {
            "logs": self.legal + self.illegal + self.unreadable,
            "legal": self.legal,
            "illegal": self.illegal,
            "unreadable": self.unreadable,
            "winners": {key: self.winners[key] for key in ("same", "other", "open")},
            "broken": [{"rule": list(rules), "reason": text, "logs": n} for rules, text, n in self.reasons()],
        }
