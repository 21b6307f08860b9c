"""Results of random games, written as they are played, a row for each, so that a stopped run can continue."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from msgspec import ValidationError, convert

from rulespec.diagnostics.diagnostic import Diagnostic, Span, shown
from rulespec.documents.carried_over import new_header
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.program.draws import GENERATOR
from rulespec.engine.simulate.details import Details
from rulespec.engine.simulate.plan import MISTAKES, Mistake, Outcome, Plan

VERSION = 1

_MAX = 2**63


class Results(ABC):
    """Results of one plan, open in one program at a time; a context manager that closes them.

    Args:
        path: the file or folder.
        plan: the plan of the games.

    Attributes:
        warnings: a torn last line, after `recorded` has read it.

    Raises:
        SaveError: if they cannot be written, or another program has them open.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.warnings: list[Diagnostic] = []

    @abstractmethod
    def recorded(self) -> Iterator[Outcome]:
        """The recorded games, from number 0 on without a gap; read all of them before more are added.

        Raises:
            SaveError: if they are of another plan.
            DiagnosticsError: RS601, RS602, RS604, RS605 or RS607 if they are damaged, or no results.
        """

    @abstractmethod
    def add(self, outcome: Outcome) -> None:
        """Adds the next game.

        Raises:
            SaveError: if that fails. Earlier games stay saved.
        """

    @abstractmethod
    def close(self) -> None:
        """Writes the rest, and closes the results; if they are empty, they are removed."""

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


# --- the format ------------------------------------------------------------------------------


def header(plan: Plan) -> dict[str, Any]:
    """The header of the results of a plan."""
    return {
        "rulespec_results": VERSION,
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


def check_header(data: bytes, name: str, plan: Plan) -> None:
    """Checks that a header is that of a plan.

    Raises:
        SaveError: if it is that of another plan.
        DiagnosticsError: RS605 if it has another version, RS607 if it is no header, RS653 if its games were drawn by
            another generator.
    """
    place = Span(name, 1, 1, 1, 2)
    try:
        result = json.loads(data)
    except (ValueError, RecursionError):
        result = None
    if not isinstance(result, dict) or "rulespec_results" not in result:
        fail("RS607", "these are no results of games: there is no `rulespec_results`", place, help="name another file")
    wanted = header(plan)
    result = new_header(result, wanted)
    version = result["rulespec_results"]
    if not _same(version, VERSION):
        message = f"the results have version {_quoted(version)}; this program continues version {VERSION}"
        fail("RS605", message, place, help="name another file, or update rulespec")
    if not _same(result.get("random"), GENERATOR):
        _drawn_otherwise(result, place)
    keys = [key for key in [*wanted, *result] if key != "sources_hash"]  # games of other words are the same games
    differing = [k for k in keys if k not in result or k not in wanted or not _same(result[k], wanted[k])]
    if differing:
        texts = [
            f"{shown(k)} is {_quoted(result.get(k))}, not {_quoted(wanted.get(k))}" for k in dict.fromkeys(differing)
        ]
        raise SaveError(f"{name} holds other games: {', '.join(texts[:5])}. Name another file, or delete this one")


def _drawn_otherwise(header: dict[str, Any], place: Span) -> NoReturn:
    """Reports that results were drawn by another generator: Python's own, if their header names none."""
    by = f"by {_quoted(header['random'])}" if "random" in header else "by Python's MT19937, as before Rulespec named it"
    message = f"the games were drawn {by}, and are drawn by {_quoted(GENERATOR)} now: a seed gives other games"
    help_ = "the rows stay valid, but their games cannot be played again or continued here: name another file"
    fail("RS653", message, place, help=help_)


def _same(a: object, b: object) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)  # in Python, True == 1


def _quoted(value: object) -> str:
    return shown(json.dumps(value))


def outcome_of(data: object, plan: Plan, number: int) -> Outcome:
    """The outcome in a row, for game `number` of the plan.

    Raises:
        ValueError: if it is none; the message says why.
    """
    seats = plan.seats(number)
    if not isinstance(data, dict) or list(data) != _columns(plan):
        raise ValueError("a row of results has other entries")
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
            raise ValueError("a row of results has a value of another type")
    if game != number or players != len(seats):
        raise ValueError(f"this is not game {number:,} of the plan")
    if not all(isinstance(winner, str) for winner in winners) or not {*winners, *scores} <= set(seats):
        raise ValueError("a name is that of no seat")
    if not 0 <= decisions <= plan.cap:
        raise ValueError("the number of decisions is out of range")
    try:
        details = convert(data, Details) if plan.details else None
    except ValidationError:
        raise ValueError("a row of results has a value of another type") from None
    return Outcome(game, players, decisions, ended, tuple(winners), scores, _mistake(failure), details)


def _columns(plan: Plan) -> list[str]:
    columns = [name for name in Outcome.__dataclass_fields__ if name != "details"]
    return [*columns, *Details.__struct_fields__] if plan.details else columns


def _mistake(data: object) -> Mistake | None:
    if data is None:
        return None
    names = list(Mistake.__dataclass_fields__)
    if not isinstance(data, dict) or list(data) != names or not all(isinstance(v, str) for v in data.values()):
        raise ValueError("a failure has other entries")
    if data["kind"] not in MISTAKES:
        raise ValueError(f"a failure is one of {', '.join(MISTAKES)}, and not {_quoted(data['kind'])}")
    return Mistake(**data)
