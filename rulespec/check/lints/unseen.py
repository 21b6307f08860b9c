"""Ineffective `told` disclosures: the value influences a change, but the disclosed cells stay hidden."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label as Note
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions, parts, statement_expressions, walk
from rulespec.types import Num

_CHANGES = (typed.Assign, typed.Transfer, typed.Put, typed.CallProcedure, typed.Return)
"""The statements whose expressions all determine a change or are passed on."""
_OF_SETS = frozenset(("??", "first", "front", "the", "members"))
"""Operators whose value is an operand or a member of one, in addition to operators from numbers to numbers."""


def check_unseen(c: Context) -> None:
    """Warns of a `told` around private state if nobody new gets to see that state.

    A disclosed value becomes visible if it is stored, paid, moved, passed on or bound to a variable, or if `open` makes
    its cells public.
    """
    if not c.rules.told:
        return
    values: dict[Span, typed.Expr] = {}
    visible: set[Span] = set()
    for e, is_value in _valued(c):
        if e.span in c.rules.told:
            values[e.span] = e
            if is_value:
                visible.add(e.span)
    idle = {d.span for d in c.report.diagnostics if d.code == "RS348"}  # disclose nothing, seen or unseen
    for span, e in values.items():
        sources = [*_secrets(e)]
        if span in visible | idle or not sources or any(secrecy.open is not None for _, secrecy in sources):
            continue
        name, secrecy = sources[0]
        message = f"the rules disclose a consequence of `{name}`, but no seat ever sees it"
        stored = "store the value in visible state, `set x to a if told(…) else b`"
        alone = (
            "if nothing but the outcome is to be seen, list the line under `told:` in `rules.yaml` instead of `told(…)`"
        )
        help_ = f"declare when `{name}` becomes public, `private: {{open: …}}`, or {stored}; {alone}"
        c.report.warning("RS740", message, span, notes=[Note(secrecy.span, "declared private here")], help=help_)


def _valued(c: Context) -> Iterator[tuple[typed.Expr, bool]]:
    """The expressions of the rules, each with whether its own value is stored or passed on."""
    visited: set[tuple[typed.Definition, bool, bool]] = set()

    def of(e: typed.Expr, is_value: bool, changes: bool) -> Iterator[tuple[typed.Expr, bool]]:
        yield e, is_value or changes
        if isinstance(e, typed.Call) and (e.definition, is_value, changes) not in visited:
            visited.add((e.definition, is_value, changes))
            for part in definition_expressions(e.definition):
                yield from of(part, is_value, changes)
        for part in parts(e):
            yield from of(part, is_value and _is_handed_on(e, part), changes)

    for procedure in c.rules.procedures.values():
        for s in walk(procedure.body):
            direct = isinstance(s, typed.Let | typed.LetTable | typed.For | typed.Decide)
            for e in statement_expressions(s):
                source = not isinstance(s, typed.For) or e is s.binder.source
                yield from of(e, direct and source, isinstance(s, _CHANGES))


def _is_handed_on(e: typed.Expr, part: typed.Expr) -> bool:
    """Whether the value of an expression is the value of a part, or is computed from it."""
    if isinstance(e, typed.Op):
        return e.op in _OF_SETS or all(isinstance(x.type, Num) for x in (e, *e.args))
    if isinstance(e, typed.Choice):
        return part is not e.condition
    if isinstance(e, typed.IfSome | typed.Cases):
        return part is not (e.value if isinstance(e, typed.IfSome) else e.subject)
    return isinstance(e, typed.Field | typed.Fact | typed.Call)


def _secrets(e: typed.Expr) -> Iterator[tuple[str, typed.Secrecy]]:
    """The private state read by a value, by name."""
    queue: list[typed.Expr] = [e]
    known: set[typed.Definition] = set()
    while queue:
        for part in expressions(queue.pop()):
            if isinstance(part, typed.Field) and part.decl.private is not None:
                yield part.decl.name, part.decl.private
            elif isinstance(part, typed.PieceCount) and part.place.private is not None:
                yield part.place.name, part.place.private
            elif isinstance(part, typed.Call) and part.definition not in known:
                known.add(part.definition)
                queue += definition_expressions(part.definition)
