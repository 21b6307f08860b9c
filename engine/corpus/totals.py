"""Totals of the rows of a corpus: verdicts, causes, endings and measures, in bounded memory."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import Struct

from rulespec.engine.corpus.rows import Cause, Row
from rulespec.engine.simulate.intervals import Sample

MAX_CAUSES = 10_000
"""Causes that are told apart; the other logs count as those of one more."""
_Key = tuple[str, tuple[str, ...], str]


class Group(Struct):
    """Logs with one cause.

    Attributes:
        cause: that of the first of them.
        log: its name.
        logs: how many they are.
    """

    cause: Cause
    log: str
    logs: int = 0


class Measured(Struct):
    """A measure at the end of games, of all seats or other entities: least, mean, most."""

    least: int
    most: int
    sample: Sample

    def to_json(self) -> dict[str, Any]:
        """As plain data; see corpus.schema.json."""
        mean = self.sample.mean
        return {
            "values": self.sample.games,
            "least": self.least,
            "mean": None if mean is None else round(mean, 2),
            "most": self.most,
        }


class Causes:
    """Causes with the number of their logs: the same rules and the same line of them are one cause."""

    def __init__(self) -> None:
        self._groups: dict[_Key, Group] = {}

    def add(self, cause: Cause, log: str) -> None:
        """Counts a log."""
        key = (cause.written, cause.rules, "" if cause.written or cause.rules else cause.reason)
        if key not in self._groups and len(self._groups) >= MAX_CAUSES:
            cause, key = Cause(0, "", "another reason", (), ""), ("", (), "")
        self._groups.setdefault(key, Group(cause, log)).logs += 1

    def most(self) -> list[Group]:
        """The causes, the most frequent first."""
        return sorted(self._groups.values(), key=lambda group: -group.logs)

    def to_json(self) -> list[dict[str, Any]]:
        """As plain data; see corpus.schema.json."""
        return [
            {
                "logs": group.logs,
                "rules": list(group.cause.rules),
                "reason": group.cause.reason,
                "written": group.cause.written,
                "log": group.log,
                "place": group.cause.place,
            }
            for group in self.most()
        ]


class RowTotals:
    """Totals of rows.

    Attributes:
        verdicts: the number of logs of each verdict.
        causes: why logs diverge.
        endings: the endings of legal games; "" of those that go on.
        decisions: the number of all legal decisions.
        judged: games under the other rules: legal, illegal, not judged, with the same, other or no winners.
        under: why games are not legal under the other rules.
        changed: whether a game under other rules is another one.
    """

    def __init__(self) -> None:
        self.verdicts = Counter[str]()
        self.causes = Causes()
        self.endings = Counter[str]()
        self.decisions = 0
        self.judged = Counter[str]()
        self.under = Causes()
        self.changed = False
        self._measures: dict[str, Measured] = {}

    def add(self, row: Row) -> None:
        """Counts a row."""
        self.verdicts[row.verdict] += 1
        self.decisions += row.decisions
        if row.cause is not None:
            self.causes.add(row.cause, row.log)
        if row.verdict in ("legal", "other_end"):
            self.endings[row.ended or ""] += 1
        if row.ended is not None:
            for reading in row.measures:
                if reading.decision == row.decisions:
                    self._measure(reading.measure, reading.value)
        if row.under is not None:
            self.changed |= not row.under.unchanged
            judged = "not judged" if row.under.error else "legal" if row.under.cause is None else "not legal"
            self.judged[judged] += 1
            if row.under.cause is not None:
                self.under.add(row.under.cause, row.log)
            elif row.under.winners_are is not None:
                self.judged[f"{row.under.winners_are} winners"] += 1

    def _measure(self, name: str, value: int) -> None:
        measured = self._measures.setdefault(name, Measured(value, value, Sample()))
        measured.least, measured.most = min(measured.least, value), max(measured.most, value)
        measured.sample.add(value)

    @property
    def measures(self) -> dict[str, Measured]:
        """The measures of games that have ended, by name."""
        return dict(sorted(self._measures.items()))

    def to_json(self) -> dict[str, Any]:
        """As plain data; see corpus.schema.json."""
        return {
            "logs": self.verdicts.total(),
            "decisions": self.decisions,
            "verdicts": dict(sorted(self.verdicts.items())),
            "endings": dict(sorted(self.endings.items())),
            "causes": self.causes.to_json(),
            "measures": {name: measured.to_json() for name, measured in self.measures.items()},
            "judged": dict(sorted(self.judged.items())),
            "causes_under": self.under.to_json(),
        }
