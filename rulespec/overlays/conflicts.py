"""Conflicts: incompatible edits by two overlays of one reference, in whichever order they are applied.

Overlays included by the same overlay form a family; their edits never conflict, because the including overlay decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import bits
from rulespec.overlays.fact_edits import FactEdit, fact_edits, same
from rulespec.overlays.overlay import Key, Overlay, called, families, key_of
from rulespec.records import Brief
from rulespec.syntax import ast
from rulespec.syntax.shared import members

_INCLUDE_BOTH = "use only one of the two, or write a third overlay that includes both and resolves the conflict"


class OverlayEdit(Brief, Struct, frozen=True):
    """An edit of an overlay, with its place and text."""

    by: str
    span: Span
    written: str


def report_conflict(
    one: OverlayEdit, other: OverlayEdit, what: str, report: Report, help_: str = _INCLUDE_BOTH
) -> None:
    """Reports that two overlays make the same edit, at the later edit (RS505); `what` is the message's predicate."""
    report.error(
        "RS505",
        f"the overlays `{one.by}` and `{other.by}` both {what}",
        other.span,
        label=other.written,
        notes=[Label(one.span, f"in `{one.by}`: {one.written}")],
        help=help_,
    )


class Touched:
    """The fact paths that the overlays of a reference touch."""

    def __init__(self, overlays: Sequence[Overlay]) -> None:
        self._overlays = overlays
        self._families = families(overlays)
        self._at: dict[str, dict[int, FactEdit]] = {}
        self._below: dict[str, dict[int, FactEdit]] = {}
        self._masks: dict[str, int] = {}
        """The overlays that touch each path, or a path below it, as a bit mask."""

    def shared(self, number: int, path: str) -> bool:
        """Whether overlays of other families touch a path or a path below it."""
        return bool(self._masks.get(path, 0) & ~self._families[number])

    def check(self, report: Report) -> None:
        """Reports unequal edits of two overlays: leaves that both touch, or that one touches while the other removes
        their parent.
        """
        for number, overlay in enumerate(self._overlays):
            for edit in fact_edits(overlay):
                self._check(number, edit, report)

    def _check(self, number: int, edit: FactEdit, report: Report) -> None:
        parts = edit.path.split(".")
        above = [".".join(parts[:n]) for n in range(1, len(parts))]
        for place in (edit.path, *above):
            if self._masks.get(place, 0) & ~self._families[number]:
                result = self._at.get(place, {})
                if place == edit.path:
                    result = self._below.get(place, {}) | {n: e for n, e in result.items() if not _agree(e, edit)}
                other = next((n for n in reversed(result) if not self._families[number] >> n & 1), None)
                if other is not None:
                    one, two = self._edit(other, result[other]), self._edit(number, edit)
                    longer = max(result[other].path, edit.path, key=len)
                    report_conflict(one, two, f"change `{longer}`", report)
                    break
        self._at.setdefault(edit.path, {}).setdefault(number, edit)
        for place in above:
            self._below.setdefault(place, {}).setdefault(number, edit)
        for place in (edit.path, *above):
            self._masks[place] = self._masks.get(place, 0) | 1 << number

    def _edit(self, number: int, edit: FactEdit) -> OverlayEdit:
        return OverlayEdit(self._overlays[number].within, edit.span, edit.written)


def _agree(one: FactEdit, other: FactEdit) -> bool:
    if one.value is None or other.value is None:
        return one.value is other.value
    return same(one.value, other.value)


def check_rules(overlays: Sequence[Overlay], report: Report) -> None:
    """Reports rules that two overlays add, replace or remove, or that one removes and another wraps.

    Removing the same rule twice is not a conflict.
    """
    related = families(overlays)
    results: dict[tuple[Key, int], list[tuple[str, ast.Item]]] = {}
    masks: dict[tuple[Key, str], int] = {}
    for number, overlay in enumerate(overlays):
        for item in overlay.rules:
            if isinstance(item, ast.PARTS):
                continue
            key, does = key_of(item), _does(item)
            others = 0
            for what in _CONFLICTING[does]:
                others |= masks.get((key, what), 0)
            if others := others & ~related[number]:
                other = next(bits(others))
                before = next(i for d, i in results[key, other] if d in _CONFLICTING[does])
                one = OverlayEdit(overlays[other].within, before.name.span, _written(before))
                report_conflict(
                    one, OverlayEdit(overlay.within, item.name.span, _written(item)), f"change {called(key)}", report
                )
            results.setdefault((key, number), []).append((does, item))
            masks[key, does] = masks.get((key, does), 0) | 1 << number


_CONFLICTING = {
    "": ("", "replace", "remove"),
    "replace": ("", "replace", "remove"),
    "remove": ("", "replace", "wrap"),
    "wrap": ("remove",),
}
"""The changes of a rule that conflict with each change; "" adds the rule."""


def _does(item: ast.Item) -> str:
    if isinstance(item, ast.Remove):
        return "remove"
    return item.modifier if item.modifier in _CONFLICTING else ""


def _written(item: ast.Item) -> str:
    kind, name = key_of(item)
    return f"`{' '.join(word for word in (_does(item), kind, name) if word)}`"


def check_extensions(overlays: Sequence[Overlay], report: Report) -> None:
    """Reports equally named options, and option groups, that two overlays add to decisions with the same name."""
    related = families(overlays)
    results: dict[tuple[str, str, bool], dict[int, OverlayEdit]] = {}
    for number, overlay in enumerate(overlays):
        for item in overlay.rules:
            if not isinstance(item, ast.Extend):
                continue
            for option in members(item.options):
                edit = option_edit(overlay, item, option)
                name, group = option_name(option).text, isinstance(option, ast.Name)
                before = results.setdefault((item.name.text, name, group), {})
                other = next((n for n in before if not related[number] >> n & 1), None)
                if other is not None:
                    what = f"add {'the group' if group else 'an option'} `{name}` to the decision `{item.name.text}`"
                    report_conflict(before[other], edit, what, report, "" if group else _RENAME)
                before.setdefault(number, edit)


_RENAME = "rename one of the two options, or write a third overlay that includes one overlay and resolves the conflict"


def option_name(option: ast.OptionDef | ast.Name) -> ast.Name:
    """The name of an option or of an included group."""
    return option if isinstance(option, ast.Name) else option.name


def option_edit(overlay: Overlay, extension: ast.Extend, option: ast.OptionDef | ast.Name) -> OverlayEdit:
    """The edit that adds an option to a decision."""
    name = option_name(option)
    word = "include" if isinstance(option, ast.Name) else "option"
    return OverlayEdit(overlay.within, name.span, f"`extend decision {extension.name.text}`, {word} `{name.text}`")
