"""Totals of the rows of a corpus: verdicts, causes, endings and measures, in bounded memory."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from rulespec.engine.corpus.log_rows import FirstRefusal, LogRow, Reading, Under
from rulespec.engine.simulate.confidence import Sample

if TYPE_CHECKING:
    from rulespec.engine.corpus.stores import StoreAnswer

MAX_CAUSES = 10_000
"""The maximum number of distinct causes; logs with further causes are counted under a common one."""
_Key = tuple[str, tuple[str, ...], str]


class CauseGroup(Struct):
    """The logs that diverge for the same cause.

    Attributes:
        cause: the cause in the first log.
        log: the name of the first log.
        logs: the number of logs.
    """

    cause: FirstRefusal
    log: str
    logs: int = 0


class Measured(Struct):
    """The minimum, mean and maximum of a measure at the end of games, over all seats or other entities."""

    least: int
    most: int
    sample: Sample

    def to_json(self) -> dict[str, Any]:
        """The measure as plain data; see corpus.schema.json."""
        mean = self.sample.mean
        return {
            "values": self.sample.games,
            "least": self.least,
            "mean": None if mean is None else round(mean, 2),
            "most": self.most,
        }


class CauseTotals:
    """The causes of divergence, each with its log count; refusals by the same rules and line share a cause."""

    def __init__(self) -> None:
        self._groups: dict[_Key, CauseGroup] = {}

    def add(self, cause: FirstRefusal, log: str) -> None:
        """Counts a log."""
        key = (cause.written, cause.rules, "" if cause.written or cause.rules else cause.reason)
        if key not in self._groups and len(self._groups) >= MAX_CAUSES:
            cause, key = FirstRefusal(0, "", "another reason", (), ""), ("", (), "")
        self._groups.setdefault(key, CauseGroup(cause, log)).logs += 1

    def most(self) -> list[CauseGroup]:
        """The causes, most frequent first."""
        return sorted(self._groups.values(), key=lambda group: -group.logs)

    def to_json(self) -> list[dict[str, Any]]:
        """The causes as plain data; see corpus.schema.json."""
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


class Measures:
    """Measures of many games, separated by ruleset, since the same name may mean different things."""

    def __init__(self) -> None:
        self._measured: dict[tuple[str, str], Measured] = {}

    def add(self, reading: Reading, ruleset: str) -> None:
        """Adds the value of a measure from a game under a ruleset."""
        value = reading.value
        measured = self._measured.setdefault((ruleset, reading.measure), Measured(value, value, Sample()))
        measured.least, measured.most = min(measured.least, value), max(measured.most, value)
        measured.sample.add(value)

    @property
    def by_name(self) -> dict[str, Measured]:
        """The measures by name, sorted; if there are several rulesets, the names have the form `RULESET: MEASURE`."""
        alone = len({ruleset for ruleset, _ in self._measured}) < 2
        return {name if alone else f"{ruleset}: {name}": of for (ruleset, name), of in sorted(self._measured.items())}


class Failing:
    """The logs that are not legal up to their recorded end, in bounded memory.

    Attributes:
        logs: the verdict, name and reason of the first of these logs.
        number: the total number of these logs.
    """

    EXAMPLES = 1_000

    def __init__(self) -> None:
        self.logs: list[tuple[str, str, str]] = []
        self.number = 0

    def add(self, verdict: str, log: str, why: str) -> None:
        """Counts a log, unless it is legal."""
        if verdict == "legal":
            return
        self.number += 1
        if len(self.logs) < self.EXAMPLES:
            self.logs.append((verdict, log, why))


class Judged:
    """The totals of games judged under other rules.

    Attributes:
        judged: result → number of games; the results are `legal`, `not legal`, `not judged`, `same winners`,
            `other winners` and `open winners`.
        under: the causes of refusals.
        changed: whether the outcome of any game differs.
    """

    def __init__(self) -> None:
        self.judged = Counter[str]()
        self.under = CauseTotals()
        self.changed = False

    def _judge(self, under: Under, log: str) -> None:
        """Counts a game."""
        self.changed |= not under.unchanged
        self.judged["not judged" if under.error else "legal" if under.cause is None else "not legal"] += 1
        if under.cause is not None:
            self.under.add(under.cause, log)
        elif under.winners_are is not None:
            self.judged[f"{under.winners_are} winners"] += 1


class CodeTotals(Judged):
    """The totals of the answers from a store.

    Attributes:
        games: the number of games.
        decisions: the number of legal decisions.
        sound: the number of games whose replay reaches their recorded end.
        unread: the number of logs that could not be read on import.
        unsound: the names of the first games whose replay fails.
        endings: the number of games with each ending; "" for unfinished games.
    """

    EXAMPLES = 1_000

    def __init__(self) -> None:
        super().__init__()
        self.games = self.decisions = self.sound = self.unread = 0
        self.unsound: list[str] = []
        self.endings = Counter[str]()
        self._measures = Measures()

    def add(self, answer: StoreAnswer) -> None:
        """Counts a game."""
        self.games += 1
        self.decisions += answer.decisions
        self.sound += answer.sound
        if not answer.game.table:
            self.unread += 1
            return
        if not answer.sound and len(self.unsound) < self.EXAMPLES:
            self.unsound.append(answer.game.log)
        self.endings[answer.game.ended or ""] += 1
        if answer.game.ended is not None:
            for reading in answer.measures:
                self._measures.add(reading, answer.ruleset)
        if answer.under is not None:
            self._judge(answer.under, answer.game.log)

    @property
    def measures(self) -> dict[str, Measured]:
        """The measures of finished games, by name."""
        return self._measures.by_name

    def to_json(self) -> dict[str, Any]:
        """The totals as plain data."""
        return {
            "games": self.games,
            "decisions": self.decisions,
            "sound": self.sound,
            "unread": self.unread,
            "unsound": self.unsound,
            "endings": dict(sorted(self.endings.items())),
            "measures": {name: measured.to_json() for name, measured in self.measures.items()},
            "judged": dict(sorted(self.judged.items())),
            "causes_under": self.under.to_json(),
        }


class RowTotals(Judged):
    """Totals over the rows of logs.

    Attributes:
        verdicts: the number of logs of each verdict.
        causes: the reasons for divergence.
        endings: the number of legal games with each ending; "" for unfinished ones.
        decisions: the number of legal decisions.
        failing: the logs that are not legal up to their recorded end.
    """

    def __init__(self) -> None:
        super().__init__()
        self.failing = Failing()
        self.verdicts = Counter[str]()
        self.causes = CauseTotals()
        self.endings = Counter[str]()
        self.decisions = 0
        self._measures = Measures()

    def add(self, row: LogRow) -> None:
        """Counts a row."""
        self.verdicts[row.verdict] += 1
        why = row.error or (f"{row.cause.place}: {row.cause.reason}" if row.cause is not None else "")
        why = why or (str(row.other_result) if row.other_result is not None else "")
        self.failing.add(row.verdict, row.log, why)
        self.decisions += row.decisions
        if row.cause is not None:
            self.causes.add(row.cause, row.log)
        if row.verdict in ("legal", "other_end"):
            self.endings[row.ended or ""] += 1
        if row.ended is not None:
            for reading in row.measures:
                if reading.decision == row.decisions:
                    self._measures.add(reading, row.ruleset)
        if row.under is not None:
            self._judge(row.under, row.log)

    @property
    def measures(self) -> dict[str, Measured]:
        """The measures of finished games, by name."""
        return self._measures.by_name

    def to_json(self) -> dict[str, Any]:
        """The totals as plain data; see corpus.schema.json."""
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
