"""`change`: edits of selected parts of rules, applied to syntax trees.

Selections of all overlays refer to the rules after replacements, wraps and extensions; nodes inserted by an overlay are
visible only to its family. Edits are applied in the order of overlay ids. Edits therefore commute, except for two edits
of the same place, which conflict (RS505).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.overlays.conflicts import OverlayEdit, report_conflict
from rulespec.overlays.edits import Hit, Items, Run
from rulespec.overlays.extension import Repeated
from rulespec.overlays.overlay import ChangedPlace, Displaced, Key, Overlay, Source, called, families
from rulespec.overlays.selection import removes_option
from rulespec.syntax import ast
from rulespec.syntax.choice_nodes import same


def carry_out(source: Source, overlays: Sequence[Overlay], before: Source, report: Report) -> None:
    """Applies the `change` items of overlays, unless one of them is inapplicable or conflicts with another.

    Args:
        source: the rules, which are modified.
        overlays: the overlays.
        before: the source without the overlays.
        report: receives the diagnostics.
    """
    changes = _Changes(source, overlays)
    if changes.order:
        changes.check(report)
        if report.ok:
            changes.carry_out(before)


class _Changes:
    """The edits of all overlays of a reference."""

    def __init__(self, source: Source, overlays: Sequence[Overlay]) -> None:
        self._source = source
        self._overlays = overlays
        self._families = families(overlays)
        self._owners = {file: number for number, overlay in enumerate(overlays) for file in overlay.files}
        self.order = self._in_order()
        self._hits: list[Hit] = []

    def _in_order(self) -> list[int]:
        """The overlays that change parts of rules, ordered by id, but in their own order within a family."""
        waiting = [n for n, o in enumerate(self._overlays) if any(isinstance(i, ast.Change) for i in o.rules)]
        results: list[int] = []
        while waiting:
            ready = [n for n in waiting if not any(m < n and self._related(m, n) for m in waiting)]
            results.append(min(ready, key=lambda n: (self._overlays[n].id, n)))
            waiting.remove(results[-1])
        return results

    def _related(self, one: int, other: int) -> bool:
        return bool(self._families[one] >> other & 1)

    def check(self, report: Report) -> None:
        """Reports edits that are inapplicable or conflict."""
        repeated = self._source.repeated = self._source.repeated or Repeated(report)
        for at, number in enumerate(self.order):
            items = self._after([n for n in self.order[:at] if self._related(n, number)])
            self._hits += self._run(items, number, report, repeated).run()
        self._check_conflicts(report)

    def carry_out(self, before: Source) -> None:
        """Applies the edits; records changed rules, and removed parts, which may leave declarations unused."""
        source = self._source
        source.items = self._after(self.order)
        for hit in self._hits:
            by = self._overlays[hit.overlay].within
            source.changed.append(ChangedPlace(hit.key, by, hit.edit, hit.node))
            if hit.edit.word in ("remove", "replace"):
                source.displaced.append(Displaced(called(hit.key), "changed", hit.node, by, hit.edit.span, before))

    def _after(self, numbers: Sequence[int]) -> Items:
        """The rules after the edits of some overlays, which must be applicable."""
        items = dict(self._source.items)
        for number in numbers:
            self._run(items, number, Report(), None).run()
        return items

    def _run(self, items: Items, number: int, report: Report, repeated: Repeated | None) -> Run:
        return Run(
            items, self._overlays[number], number, self._source, partial(self._visible, number), report, repeated
        )

    def _visible(self, number: int, root: Span, node: Struct) -> bool:
        """Whether a node is visible to an overlay: additions by an unrelated overlay are not."""
        span = getattr(node, "span", None)
        if span is None or span.file == root.file:
            return True
        owner = self._owners.get(span.file)
        return owner is None or self._related(owner, number)

    def _check_conflicts(self, report: Report) -> None:
        """Reports different edits of one place by two overlays (RS505)."""
        places: dict[tuple[Key, str], list[Hit]] = {}
        reported: set[tuple[Span, Span]] = set()
        for hit in self._hits:
            before = places.setdefault((hit.key, hit.span.file), [])
            number = hit.overlay
            other = next((h for h in before if not self._related(h.overlay, number) and _conflict(h, hit)), None)
            if other is not None and (other.edit.span, hit.edit.span) not in reported:
                reported.add((other.edit.span, hit.edit.span))
                first, last = sorted((other, hit), key=lambda h: h.overlay)
                what = f"change one place of {called(hit.key)}"
                report_conflict(self._edit(first), self._edit(last), what, report)
            before.append(hit)

    def _edit(self, hit: Hit) -> OverlayEdit:
        return OverlayEdit(self._overlays[hit.overlay].within, hit.edit.span, f"`{hit.edit.word} …`")


def _conflict(one: Hit, other: Hit) -> bool:
    """Whether two edits of one rule are incompatible."""
    words = {one.edit.word, other.edit.word}
    if (gone := (removes_option(one.edit), removes_option(other.edit))) != (False, False):
        return gone != (True, True) and (_contains(one.span, other.span) or _contains(other.span, one.span))
    if "add" in words or words <= {"before", "after"}:
        return False
    if words & {"before", "after"}:
        return one.span == other.span
    if not (_contains(one.span, other.span) or _contains(other.span, one.span)):
        return False
    return one.span != other.span or not same(one.edit, other.edit)


def _contains(outer: Span, inner: Span) -> bool:
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
