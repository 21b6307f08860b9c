"""The rows of a corpus: plain data about each log, independent of the machine that replayed it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert, to_builtins

from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.replay.judge import Judgement
from rulespec.engine.replay.other_result import OtherResult
from rulespec.engine.simulate.game_plans import place_in
from rulespec.engine.simulate.result_rows import VERSION, ResultSheet

DESCRIPTION = "rulespec_rulesets"
"""The metadata entry of a part that has the titles, units and measures of its rulesets."""


class RowColumn(NamedTuple):
    """The description of a column: its title, and the unit of its numbers."""

    title: str
    unit: str = ""

    @property
    def metadata(self) -> dict[str, str]:
        """The column's metadata in a Parquet file."""
        return {"title": self.title, **({"unit": self.unit} if self.unit else {})}


COLUMNS = {
    "game": RowColumn("number of the log"),
    "log": RowColumn("log of the game"),
    "sha256": RowColumn("hash of the bytes of the log"),
    "verdict": RowColumn("legal, diverges, other_end or unreadable"),
    "error": RowColumn("why it cannot be read"),
    "system": RowColumn("system that recorded a foreign log"),
    "ruleset": RowColumn("rules of the game"),
    "ruleset_hash": RowColumn("hash of the meaning of the rules"),
    "players": RowColumn("number of players", "players"),
    "settings": RowColumn("settings of the table"),
    "decisions": RowColumn("legal decisions", "decisions"),
    "ended": RowColumn("ending; empty if the game goes on"),
    "winners": RowColumn("seats that won"),
    "scores": RowColumn("points by seat", "points"),
    "end_hash": RowColumn("hash of the last position"),
    "ignored": RowColumn("entries that the other system ignored", "entries"),
    "passed": RowColumn("entries that show known faults of the other system", "entries"),
    "cause": RowColumn("first decision that the rules refuse"),
    "measures": RowColumn("measures of the game, in units of the ruleset"),
    "under": RowColumn("game under other rules"),
    "other_result": RowColumn("recorded result, if the replay has none or a different one"),
}
"""The columns of a log's row."""


class FirstRefusal(Struct, frozen=True):
    """The first decision that the rules refuse.

    Attributes:
        index: the number of legal decisions before the refused one.
        place: the line or entry in the log.
        reason: the reason given by the rules, with seat ids.
        rules: the ids of the rules that the reason cites.
        written: the place of the reason in the rules; empty if there is none.
    """

    index: int
    place: str
    reason: str
    rules: tuple[str, ...]
    written: str


class Reading(Struct, frozen=True):
    """The value of a measure after N decisions, for an entity or ("") for the game."""

    decision: int
    measure: str
    entity: str
    value: int


class Under(Struct, frozen=True):
    """A game under other rules; see `Judgement`.

    Attributes:
        error: the reason why the game cannot be judged, or "".
        ruleset: the other rules.
        ruleset_hash: the hash of the rules' meaning.
        legal: the number of decisions that are still legal.
        forced: the number of decisions inserted because only one option lets the log continue.
        answers: the number of inserted answers for which there were several options.
        skipped: the number of recorded decisions that these rules do not ask for.
        cause: the first refused decision.
        winners_are: `same`, `other` or `open`; None if a decision is refused.
        unchanged: whether all decisions are still legal and lead to the same end.
        ended: the ending.
        winners: the winning seats.
        scores: the points by seat.
    """

    error: str = ""
    ruleset: str = ""
    ruleset_hash: str = ""
    legal: int = 0
    forced: int = 0
    answers: int = 0
    skipped: int = 0
    cause: FirstRefusal | None = None
    winners_are: str | None = None
    unchanged: bool = False
    ended: str | None = None
    winners: tuple[str, ...] = ()
    scores: Mapping[str, int] = {}


class LogRow(Struct, frozen=True, forbid_unknown_fields=True):
    """The row of a replayed log. Seats have default ids, as in `simulate`; players' names are not copied from the log.

    Attributes:
        game: the number of the log.
        log: the name of the log.
        sha256: the hash of the log's bytes.
        verdict: `legal`, `diverges`, `other_end` (the log records a different end), `broken` or `unreadable`.
        error: the reason why the log is unreadable, or "".
        system: the recording system of a foreign log; "" for a native one.
        ruleset: the rules.
        ruleset_hash: the hash of the rules' meaning.
        players: the number of seats.
        settings: all settings.
        decisions: the number of legal decisions.
        ended: the ending; None if the game is unfinished or stops early.
        winners: the seats that won.
        scores: the points by seat.
        end_hash: the hash of the last position.
        ignored: the number of entries ignored by the other system.
        passed: the number of entries with known faults of that system, which the replay tolerated.
        cause: the first decision refused by the rules.
        measures: the measures of the last position and, if requested, of earlier ones.
        under: the game under other rules; None if no other rules were given, or if the game is illegal under its own.
        other_result: the recorded result; None if the log records none, or the same result as the replay.
    """

    game: int
    log: str
    sha256: str
    verdict: str
    error: str = ""
    system: str = ""
    ruleset: str = ""
    ruleset_hash: str = ""
    players: int = 0
    settings: Mapping[str, str] = {}
    decisions: int = 0
    ended: str | None = None
    winners: tuple[str, ...] = ()
    scores: Mapping[str, int] = {}
    end_hash: str = ""
    ignored: int = 0
    passed: int = 0
    cause: FirstRefusal | None = None
    measures: tuple[Reading, ...] = ()
    under: Under | None = None
    other_result: OtherResult | None = None

    def to_json(self) -> dict[str, Any]:
        """The row as plain data; see corpus.schema.json."""
        result: dict[str, Any] = to_builtins(self)
        return result


class RowSheet(ResultSheet[LogRow]):
    """The format of the rows for replayed logs.

    Args:
        header: the inputs that determine the rows.
        words: a function that returns the title, units and measures of each ruleset, for the metadata of a part.
    """

    key = "rulespec_rows"
    maps = ("settings", "scores")

    def __init__(
        self, header: Mapping[str, Any], words: Callable[[Mapping[str, str]], Mapping[str, Any]] | None = None
    ) -> None:
        self._header = {self.key: VERSION, **header}
        self._words = words

    def described(self, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
        """See `ResultSheet`."""
        rulesets = {row["ruleset"]: row["ruleset_hash"] for row in rows if row["ruleset"]}
        return {} if self._words is None else {DESCRIPTION: json.dumps(self._words(rulesets))}

    def header(self) -> dict[str, Any]:
        """See `ResultSheet`."""
        return self._header

    def row(self, result: LogRow) -> dict[str, Any]:
        """See `ResultSheet`."""
        return result.to_json()

    def read(self, data: object, number: int) -> LogRow:
        """See `ResultSheet`."""
        for name in ("under", "other_result"):
            if isinstance(data, dict) and isinstance(of := data.get(name), dict):
                data = data | {name: of | {"scores": dict(of.get("scores") or ())}}  # Parquet has lists of pairs
        try:
            row = convert(data, LogRow)
        except (ValidationError, TypeError, ValueError):
            raise ValueError("a row has unexpected columns, or a value of the wrong type") from None
        if row.game != number:
            raise ValueError(f"expected log {number:,}")
        return row

    def schema(self) -> Any:
        """See `ResultSheet`."""
        return _schema()


def readings(
    measures: Mapping[str, Mapping[str, int | None]], decision: int, ids: Mapping[str, str]
) -> tuple[Reading, ...]:
    """Measures sampled after N decisions; `ids` maps seat names to ids."""
    return tuple(
        Reading(decision, name, ids.get(entity, entity), value)
        for name, of in measures.items()
        for entity, value in of.items()
        if value is not None
    )


def under_of(judged: Judgement, say: Callable[[str], str] = str, ids: Mapping[str, str] | None = None) -> Under:
    """The part of a row that records a judgement.

    Args:
        judged: the judgement.
        say: a function that removes players' names from a reason.
        ids: seat name → seat id, if these differ.
    """
    ids = {seat: seat for seat in judged.names} if ids is None else ids
    other, outcome, ruleset = judged.difference, judged.outcome, judged.under
    cause = None
    if other is not None:
        written, place = place_in(ruleset, other.refusal.span), f"decision {other.index + 1:,}"
        cause = FirstRefusal(other.index, place, say(other.refusal.reason), other.refusal.rules, written)
    return Under(
        "",
        ruleset.ref,
        ruleset.hash,
        judged.legal,
        judged.forced,
        len(judged.answers),
        judged.skipped,
        cause,
        judged.winners,
        judged.unchanged,
        outcome.ended,
        tuple(ids[seat] for seat in outcome.winners),
        {ids[seat]: points for seat, points in outcome.scores.items()},
    )


@cache
def _schema() -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise SaveError("Parquet needs pyarrow: pip install 'rulespec[parquet]'") from None
    text, number, texts = pa.string(), pa.int64(), pa.list_(pa.string())
    scores = pa.map_(text, number)
    cause = pa.struct({"index": number, "place": text, "reason": text, "rules": texts, "written": text})
    under = {
        **dict.fromkeys(("error", "ruleset", "ruleset_hash"), text),
        **dict.fromkeys(("legal", "forced", "answers", "skipped"), number),
        "cause": cause,
        "winners_are": text,
        "unchanged": pa.bool_(),
        "ended": text,
        "winners": texts,
        "scores": scores,
    }
    reading = {"decision": number, "measure": text, "entity": text, "value": number}
    types = {
        "game": number,
        **dict.fromkeys(("log", "sha256", "verdict", "error", "system", "ruleset", "ruleset_hash"), text),
        "players": pa.int32(),
        "settings": pa.map_(text, text),
        "decisions": number,
        "ended": text,
        "winners": texts,
        "scores": scores,
        "end_hash": text,
        "ignored": number,
        "passed": number,
        "cause": cause,
        "measures": pa.list_(pa.struct(reading)),
        "under": pa.struct(under),
        "other_result": pa.struct({"winners": texts, "scores": scores, "reason": text, "differs": texts}),
    }
    return pa.schema([pa.field(name, type_, metadata=COLUMNS[name].metadata) for name, type_ in types.items()])
