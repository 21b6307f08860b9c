"""Tokens declared `alike`, which differ only in their place and state."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import one
from rulespec.language.builtins import BUILTINS, ENTITY
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, secrecies, tables_of
from rulespec.types import Ent, Order, SetOf, Type


def check_alike(c: Context) -> None:
    """Reports uses of `alike` that have no effect, values and places that belong to individual tokens declared `alike`,
    and rules that tell these tokens apart.
    """
    kinds = {name: kind for name, kind in c.declarations.kinds.items() if kind.alike is not None}
    for kind in kinds.values():
        if kind.number < 2:
            message = f"`alike` has no effect: `{kind.name}` has no `number` of at least 2"
            help_ = "add `number: …` with the number of tokens, or remove `alike`: named tokens are individuals"
            c.report.error("RS282", message, kind.alike, notes=[Label(kind.span, "the kind")], help=help_)
    if kinds:
        _refuse_belongings(c, kinds)
        _refuse_questions(c, kinds)


def _refuse_belongings(c: Context, kinds: dict[str, typed.Kind]) -> None:
    tables = [(t.kind, t.span, f"`{t.name}` has a value for each `{t.kind}`") for t in tables_of(c.rules)]
    for name, span, what in [*_belongings(c.declarations), *tables]:
        if (kind := kinds.get(name)) is not None and kind.alike is not None:
            message = f"{what}, which would distinguish tokens that are alike"
            help_ = f"declare it as state of `{name}`, or remove `alike` from `{name}`"
            c.report.error("RS283", message, span, notes=[Label(kind.alike, "declared alike here")], help=help_)


def _belongings(d: typed.Declarations) -> Iterator[tuple[str, Span, str]]:
    """Ties between entities other than state: the tied kind, the place of the tie, and a text for messages."""
    for kind in d.kinds.values():
        for part in kind.product:
            yield part, kind.span, f"`{kind.name}` is made of `{part}`"
        for place in kind.places.values():
            yield place.index, place.span, f"`{kind.name}.{place.name}` is a place of each `{place.index}`"
        if not kind.implicit:
            for fact in kind.facts.values():
                if fact.name not in kind.product:
                    yield _kind_in(fact.type), fact.span, f"`{fact.name}` is a fact about {one(_kind_in(fact.type))}"
    for piece in d.pieces.values():
        for owner in piece.each:
            yield owner, piece.span, f"each `{owner}` has piles of `{piece.name}`"
        for place in piece.places.values():
            yield place.index, place.span, f"`{piece.name}.{place.name}` is a place of each `{place.index}`"
    for table in d.tables.values():
        for key in table.keys:
            yield _kind_in(key), table.key_span, f"`{table.name}` has a row for each `{_kind_in(key)}`"
        yield _kind_in(table.value), table.value_span, f"`{table.name}` names one `{_kind_in(table.value)}`"


def _kind_in(type_: Type) -> str:
    return type_.kind if isinstance(type_, Ent | SetOf | Order) else ""


_ASKING = {"index", *(f.operator for f in BUILTINS.values() if any(each.takes == ENTITY for each in f.parameters))}
"""Operators whose value depends on the identity of an entity."""


def _refuse_questions(c: Context, kinds: dict[str, typed.Kind]) -> None:
    results = [e for group in c.expressions_by_rule for e in group]
    for secrecy in secrecies(c.declarations, c.rules):
        results += [x for e in (secrecy.to, secrecy.open) if e is not None for x in expressions(e)]
    for e in results:
        asked = e.args[0].type if isinstance(e, typed.Op) and e.op in _ASKING else None
        if isinstance(e, typed.Lit) and e.value >= 0:
            asked = e.type
        kind = kinds.get(asked.kind) if isinstance(asked, Ent) else None
        if kind is not None and kind.alike is not None:
            message = f"this depends on which `{kind.name}` it is, but these tokens are alike"
            help_ = "test the place and the state of the tokens instead, or remove `alike`"
            c.report.error("RS284", message, e.span, notes=[Label(kind.alike, "declared alike here")], help=help_)
