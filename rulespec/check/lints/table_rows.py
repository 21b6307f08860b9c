"""Missing or misplaced rows of tables."""

from __future__ import annotations

from itertools import pairwise

from rulespec.check.context import Context
from rulespec.check.lints.listing import listed
from rulespec.documents.yaml_nodes import Mapping, Scalar, entries, get
from rulespec.typed import nodes as typed
from rulespec.types import Num


def check_table_rows(c: Context) -> None:
    """Warns of numeric rows with a gap or out of order, and of a single row without the inner rows of the others."""
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
            message = f"`{place.text}` has no row for {listed(names)} in the table `{table.name}`, unlike the others"
            c.report.warning("RS233", message, place.span, help="add the row, or remove it from the others as well")


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
        c.report.warning("RS233", message, after.span, help="add the missing row")
