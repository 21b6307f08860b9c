"""Loops that may never end: unbounded loops that can iterate without a decision."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rulespec.check.context import Context
from rulespec.check.set_sizes import finds
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk
from rulespec.types import BAD

_TURNS = "put a `decide`, `pass turn` or `leave` on every path through the turn, or bound the turns: `… at most n:`"


def check_loops(c: Context) -> None:
    """Reports all loops that may never end."""
    for loop in endless_loops(c.rules):
        c.report.error(
            "RS402",
            "this loop can repeat without a decision, and would then never end",
            loop.span,
            help=_TURNS
            if loop.head
            else "bound the loop, `repeat at most …:`, or put a `decide` or `leave` on every path through it",
        )


def endless_loops(rules: typed.Rules) -> Iterator[typed.Repeat]:
    """The unbounded `repeat:` loops that may iterate without asking for a decision."""
    asks: dict[typed.Procedure, bool] = {}

    def always_asks(p: typed.Procedure) -> bool:
        if p not in asks:
            asks[p] = False  # recursion is reported elsewhere
            asks[p] = not _quiet(p.body, always_asks) & {"next", "return"}
        return asks[p]

    for p in rules.procedures.values():
        for s in walk(p.body):
            if isinstance(s, typed.Repeat) and s.limit is None and _quiet_turn(s, always_asks) & {"next", "continue"}:
                yield s


def _quiet(block: typed.Block, always_asks: Callable[[typed.Procedure], bool]) -> set[str]:
    """The exits of a block reachable without a decision: next (its end), leave, continue, return."""
    out: set[str] = set()
    for s in block:
        if isinstance(s, typed.Jump):
            return out if s.word == "ask again" else out | {s.word}
        if isinstance(s, typed.Return):
            return out | {"return"}
        if isinstance(s, typed.EndGame):
            return out
        if isinstance(s, typed.Decide) and s.form != "together" and s.otherwise is None:
            return out
        if isinstance(s, typed.CallProcedure) and always_asks(s.procedure):
            return out
        if isinstance(s, typed.CallProcedure) and isinstance(s.then, typed.Return):
            return out | {"return"}
        ways: set[str] = {"next"}
        if isinstance(s, typed.If):
            ways = set().union(*(_quiet(b, always_asks) for _, b in s.branches))
            if s.branches[-1][0] is not None:
                ways |= {"next"}
        elif isinstance(s, typed.Match):
            ways = set().union(*(_quiet(b, always_asks) for _, b in s.cases), _quiet(s.other or (), always_asks))
        elif isinstance(s, typed.Decide) and s.otherwise is not None:
            ways = _quiet(s.otherwise.body, always_asks)  # without a legal option, nobody is asked
        elif isinstance(s, typed.For | typed.Repeat):
            inner = _quiet_turn(s, always_asks)
            ways = inner & {"return", "pass turn"}
            unbounded = isinstance(s, typed.Repeat) and s.limit is None
            if "leave" in inner or (not unbounded and (inner - {"return", "pass turn"} or not _goes_round(s))):
                ways |= {"next"}
        out |= ways - {"next"}
        if "next" not in ways:
            return out
    return out | {"next"}


def _quiet_turn(s: typed.For | typed.Repeat, always_asks: Callable[[typed.Procedure], bool]) -> set[str]:
    """The exits of a loop's body, as in `_quiet`; `turns` exit when all have passed, or nobody has a turn."""
    if isinstance(s, typed.For) or not s.head:
        return _quiet(s.body, always_asks)
    inner = _quiet(s.body[s.head :], always_asks)
    return inner - {"pass turn"} | {"leave"} if "pass turn" in inner or not s.asks else inner


def _goes_round(s: typed.For | typed.Repeat) -> bool:
    """Whether a loop is known to run at least once."""
    if isinstance(s, typed.For):
        return finds(s.binder) or s.binder.var.type == BAD  # an invalid set is reported elsewhere
    return isinstance(s.limit, typed.Lit) and s.limit.value > 0
