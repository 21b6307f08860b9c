"""Look-ups in tables whose key may have no row."""

from __future__ import annotations

from itertools import product

from msgspec import Struct

from rulespec.check.context import Context
from rulespec.check.lints.listing import listed
from rulespec.diagnostics.diagnostic import Label
from rulespec.typed import nodes as typed
from rulespec.typed.traversal import definition_expressions, parts
from rulespec.types import Ent

_MAX_KEYS = 2_000  # combinations of keys that are tried for one look-up
_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">=", "in"])


def check_lookups(c: Context) -> None:
    """Warns of look-ups whose key may have no row, and notes their tables.

    A rule that compares what the key depends on may guard the look-up: it is left alone.
    """
    d = c.declarations
    for group in c.expressions_by_rule:
        compared: dict[str, set[object]] = {}
        for e in group:
            known = _keys(e, d) if isinstance(e, typed.TableRow) else None
            if known is None or not isinstance(e, typed.TableRow):
                continue
            missing = [keys for keys in product(*known.tried) if keys not in e.table.rows]
            if missing and known.of and e.table.name not in compared:
                compared[e.table.name] = _compared(group, e.table)
            if not missing or known.of & compared.get(e.table.name, set()):
                continue
            c.unsafe_tables.add(e.table.name)
            shown = listed([_row(d, e.table, keys) for keys in missing])
            notes = [Label(e.table.span, "declared here")]
            help_ = "add the row, or guard the look-up with a condition"
            message = f"the table `{e.table.name}` has no row for {shown}"
            c.report.warning("RS235", message, e.span, notes=notes, help=help_)


class _Range(Struct):
    """Least and greatest value of a number, and the state it depends on."""

    low: int
    high: int
    of: set[object]


def _range(e: typed.Expr, d: typed.Declarations) -> _Range | None:
    """Range of a number as far as declarations tell; None if they do not."""
    if isinstance(e, typed.Lit):
        return _Range(e.value, e.value, set())
    if isinstance(e, typed.Seats):
        return _Range(d.min_players, d.max_players, {"players"})
    if isinstance(e, typed.Field) and e.decl.low is not None and e.decl.high is not None:
        return _Range(e.decl.low, e.decl.high, {e.decl})
    if isinstance(e, typed.Op) and e.op in ("+", "-", "min", "max") and len(e.args) == 2:
        a, b = (_range(x, d) for x in e.args)
        if a is None or b is None:
            return None
        of = a.of | b.of
        if e.op == "+":
            return _Range(a.low + b.low, a.high + b.high, of)
        if e.op == "-":
            return _Range(a.low - b.high, a.high - b.low, of)
        pick = min if e.op == "min" else max
        return _Range(pick(a.low, b.low), pick(a.high, b.high), of)
    return None


class _Keys(Struct):
    """Values that each key of a look-up may have, and the state they depend on."""

    tried: list[range]
    of: set[object]


def _keys(e: typed.TableRow, d: typed.Declarations) -> _Keys | None:
    """Keys of a look-up; None if they are unknown or too many."""
    tried: list[range] = []
    of: set[object] = set()
    total = 1
    for key, type_ in zip(e.keys, e.table.keys, strict=True):
        if isinstance(key, typed.Lit) or not isinstance(type_, Ent):
            found = _range(key, d)
            if found is None:
                return None
            tried.append(range(found.low, found.high + 1))
            of |= found.of
        else:
            tried.append(range(len(d.kinds[type_.kind].entities)))
        total *= len(tried[-1])
    return _Keys(tried, of) if total <= _MAX_KEYS else None


def _row(d: typed.Declarations, table: typed.TableDecl, keys: tuple[int, ...]) -> str:
    names = [
        d.kinds[t.kind].entities[k].name if isinstance(t, Ent) else str(k)
        for t, k in zip(table.keys, keys, strict=True)
    ]
    return ", ".join(names)


def _compared(group: list[typed.Expr], table: typed.TableDecl) -> set[object]:
    """State that a rule, or a definition it calls, compares with something; keys of the table do not count."""
    found: set[object] = set()
    known: set[typed.Definition] = set()
    stack: list[typed.Expr] = [e for e in group if _compares(e)]
    while stack:
        e = stack.pop()
        if isinstance(e, typed.Field):
            found.add(e.decl)
        elif isinstance(e, typed.Seats):
            found.add("players")
        elif isinstance(e, typed.Call) and e.definition not in known:
            known.add(e.definition)
            stack += definition_expressions(e.definition)
        if not (isinstance(e, typed.TableRow) and e.table is table):
            stack += parts(e)
    return found


def _compares(e: typed.Expr) -> bool:
    return isinstance(e, typed.Call) or (isinstance(e, typed.Op) and e.op in _COMPARISONS)
