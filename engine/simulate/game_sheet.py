"""The format for results of simulated games: header, rows and columns."""

from __future__ import annotations

from functools import cache
from typing import Any

from msgspec import ValidationError, convert

from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.details import Details
from rulespec.engine.simulate.game_plans import MISTAKES, GamePlan, Mistake, Outcome
from rulespec.engine.simulate.result_rows import VERSION, ResultSheet, quoted

KEY = "rulespec_results"
_MAX = 2**63


class GameSheet(ResultSheet[Outcome]):
    """The format for the results of a plan."""

    key = KEY
    maps = ("scores", "roles")

    def __init__(self, plan: GamePlan) -> None:
        self.plan = plan

    def header(self) -> dict[str, Any]:
        """See `ResultSheet`."""
        return header(self.plan)

    def row(self, result: Outcome) -> dict[str, Any]:
        """See `ResultSheet`."""
        return result.to_json()

    def read(self, data: object, number: int) -> Outcome:
        """See `ResultSheet`."""
        return outcome_of(data, self.plan, number)

    def schema(self) -> Any:
        """See `ResultSheet`."""
        return schema(self.plan.details)

    def of_kind(self, columns: Any) -> bool:
        """See `ResultSheet`."""
        return any(columns.equals(schema(details)) for details in (False, True))


def header(plan: GamePlan) -> dict[str, Any]:
    """The header of the results of a plan."""
    return {
        KEY: VERSION,
        "ruleset": plan.ruleset,
        "ruleset_hash": plan.ruleset_hash,
        "sources_hash": plan.sources_hash,
        "players": list(plan.players),
        "random": plan.random,
        "seed": plan.seed,
        "cap": plan.cap,
        "settings": plan.settings,
        **({"bots": list(plan.bots)} if plan.bots else {}),
        **({"rotated": True} if plan.rotated else {}),
        **({"details": True} if plan.details else {}),
        **({"repeated": plan.repeated} if plan.repeated > 1 else {}),
    }


def outcome_of(data: object, plan: GamePlan, number: int) -> Outcome:
    """The outcome in the row of game `number` of the plan.

    Raises:
        ValueError: if the data is not that game's row; the message gives the reason.
    """
    seats = plan.seats(number)
    if not isinstance(data, dict) or list(data) != _columns(plan):
        raise ValueError("unexpected columns in a row of results")
    match data:
        case {
            "game": int(game),
            "players": int(players),
            "decisions": int(decisions),
            "ended": str() | None as ended,
            "winners": list(winners),
            "scores": dict(scores),
            "failure": failure,
        } if all(type(n) is int and -_MAX <= n < _MAX for n in (game, players, decisions, *scores.values())):
            pass
        case _:
            raise ValueError("a row of results has a value of the wrong type")
    if game != number or players != len(seats):
        raise ValueError(f"expected game {number:,} of the plan, found game {game:,} for {players} players")
    if not all(isinstance(winner, str) for winner in winners) or not {*winners, *scores} <= set(seats):
        raise ValueError("unknown seat name")
    if not 0 <= decisions <= plan.cap:
        raise ValueError("the number of decisions is out of range")
    try:
        details = convert(data, Details) if plan.details else None
    except ValidationError:
        raise ValueError("a row of results has a value of the wrong type") from None
    return Outcome(game, players, decisions, ended, tuple(winners), scores, _mistake(failure), details)


def _columns(plan: GamePlan) -> list[str]:
    columns = [name for name in Outcome.__dataclass_fields__ if name != "details"]
    return [*columns, *Details.__struct_fields__] if plan.details else columns


def _mistake(data: object) -> Mistake | None:
    if data is None:
        return None
    names = list(Mistake.__dataclass_fields__)
    if not isinstance(data, dict) or list(data) != names or not all(isinstance(v, str) for v in data.values()):
        raise ValueError("a failure has unexpected entries")
    if data["kind"] not in MISTAKES:
        raise ValueError(f"a failure must be one of {', '.join(MISTAKES)}, not {quoted(data['kind'])}")
    return Mistake(**data)


@cache
def schema(details: bool = False) -> Any:
    """The columns of a part as a `pyarrow.Schema`; they match the keys of a JSON line.

    Raises:
        SaveError: if pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise SaveError("Parquet needs pyarrow: pip install 'rulespec[parquet]'") from None
    use = {"option": pa.string(), "seat": pa.string(), "times": pa.int64(), "first": pa.int64()}
    point = {"decision": pa.int64(), "measure": pa.string(), "entity": pa.string(), "value": pa.int64()}
    lead = {"by": pa.string(), "changes": pa.int64(), "taken": pa.int64(), "widest": pa.int64()}
    more = {
        "moves": pa.string(),
        "roles": pa.map_(pa.string(), pa.string()),
        "uses": pa.list_(pa.struct(use)),
        "trail": pa.string(),
        "lead": pa.struct(lead),
        "course": pa.list_(pa.struct(point)),
    }
    return pa.schema(
        {
            "game": pa.int64(),
            "players": pa.int32(),
            "decisions": pa.int64(),
            "ended": pa.string(),
            "winners": pa.list_(pa.string()),
            "scores": pa.map_(pa.string(), pa.int64()),
            "failure": pa.struct({name: pa.string() for name in ("kind", "detail", "code", "place")}),
            **(more if details else {}),
        }
    )
