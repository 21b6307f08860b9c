"""Table rows that are missing, misplaced, or possibly missing in a lookup."""

from __future__ import annotations

from itertools import pairwise, product

from msgspec import Struct

from rulespec.check.context import Context
from rulespec.check.ranges import Ranges
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import listed
from rulespec.documents.yaml_nodes import Mapping, Scalar, entries, get
from rulespec.language.operators import COMPARISONS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions, parts
from rulespec.types import Ent, Num

_MAX_KEYS = 2_000  # maximum number of key combinations tried for one lookup


def check_missing_keys(c: Context) -> None:
    """Warns of lookups in which the key may be missing, with a note on the table.

    Skips lookups in rules that also compare the state used in the key, because the comparison may guard the lookup.
    """
    d = c.declarations
    for group in c.expressions_by_rule:
        compared: dict[str, set[object]] = {}
        for e in group:
            known = _keys(e, d, c.ranges) if isinstance(e, typed.TableRow) else None
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
            help_ = "add the row, or put the lookup under a condition that excludes this key"
            message = f"the table `{e.table.name}` has no row for {shown}, but its key may have this value"
            c.report.warning("RS235", message, e.span, notes=notes, help=help_)


class _Keys(Struct):
    """The possible values of each key of a lookup, and the state that they depend on."""

    tried: list[range]
    of: set[object]


def _keys(e: typed.TableRow, d: typed.Declarations, ranges: Ranges) -> _Keys | None:
    """The possible keys of a lookup; None if unknown or too many."""
    tried: list[range] = []
    of: set[object] = set()
    total = 1
    for key, type_ in zip(e.keys, e.table.keys, strict=True):
        if isinstance(key, typed.Lit) or not isinstance(type_, Ent):
            result = ranges.of(key)
            named = any(isinstance(part, typed.Local | typed.Call) for part in expressions(key))
            if result.low is None or result.high is None or named:  # a comparison may guard a named value
                return None
            tried.append(range(result.low, result.high + 1))
            of |= result.of
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
    """The state compared by a rule or a definition that it calls; keys of the table do not count."""
    results: set[object] = set()
    known: set[typed.Definition] = set()
    stack: list[typed.Expr] = [e for e in group if _compares(e)]
    while stack:
        e = stack.pop()
        if isinstance(e, typed.Field):
            results.add(e.decl)
        elif isinstance(e, typed.Seats):
            results.add("players")
        elif isinstance(e, typed.SettingValue):
            results.add(e.setting)
        elif isinstance(e, typed.Call) and e.definition not in known:
            known.add(e.definition)
            stack += definition_expressions(e.definition)
        if not (isinstance(e, typed.TableRow) and e.table is table):
            stack += parts(e)
    return results


def _compares(e: typed.Expr) -> bool:
    return isinstance(e, typed.Call) or (isinstance(e, typed.Op) and e.op in (*COMPARISONS, "in"))


def check_table_rows(c: Context) -> None:
    """Warns of numeric rows that have gaps or are out of order, and of rows that lack inner rows most others have."""
    for table in c.declarations.tables.values():
        rows = get(c.source.root, "tables", table.name, "rows")
        if isinstance(rows, Mapping):
            _rows(c, table, rows, 0)


def _rows(c: Context, table: typed.TableDecl, rows: Mapping, depth: int) -> None:
    if isinstance(table.keys[depth], Num):
        _numbers(c, table, rows)
    if depth + 1 == len(table.keys):
        return
    inner = [(place, node) for _, place, node in entries(rows) if isinstance(node, Mapping)]
    for _, node in inner:
        _rows(c, table, node, depth + 1)
    if table.name in c.unsafe_tables or not isinstance(table.keys[depth + 1], Num):
        return
    sets = [frozenset(node.entries) for _, node in inner]
    usual = max(sets, key=sets.count, default=frozenset())
    if 2 * sets.count(usual) <= len(sets):
        return
    for (place, _), result in zip(inner, sets, strict=True):
        if result < usual:
            names = sorted(usual - result, key=int)
            message = (
                f"`{place.text}` has no row for {listed(names)} in the table `{table.name}`, unlike the other entries"
            )
            c.report.warning(
                "RS233", message, place.span, help="add the missing rows, or remove them from the other entries as well"
            )


def _numbers(c: Context, table: typed.TableDecl, rows: Mapping) -> None:
    """Checks numeric rows. Overlays append rows, so order is checked only within a file."""
    before: dict[str, Scalar] = {}
    seen: dict[int, Scalar] = {}
    for key, place, _ in entries(rows):
        last = before.get(place.span.file)
        if last is not None and int(last.text) > int(key):
            message = f"the rows of `{table.name}` are out of order: {key} comes after {last.text}"
            c.report.warning("RS234", message, place.span, help="order them from low to high")
        seen[int(key)] = before[place.span.file] = place
    numbers = sorted(seen)
    steps = {b - a for a, b in pairwise(numbers)}
    left_out = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    # Sparse or evenly spaced numbers are intended; one missing number among many is an oversight.
    if len(steps) > 1 and 3 * left_out <= len(numbers) and table.name not in c.unsafe_tables:
        missing = [n for a, b in pairwise(numbers) for n in range(a + 1, b)]
        after = seen[next(n for n in numbers if n > missing[0])]
        message = f"the rows of `{table.name}` skip {listed([str(n) for n in missing])}"
        c.report.warning("RS233", message, after.span, help="add a row for each missing number")
