"""Application of overlays in stages, so that independent modules compose in any order.

The stages are: facts; removed, replaced and added rules; wraps; extensions; changes. In each stage, the overlays are
applied in the order of the reference, each after the overlays that it includes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean, nearest
from rulespec.documents.yaml_nodes import Mapping
from rulespec.overlays.conflicts import (
    OverlayEdit,
    Touched,
    check_extensions,
    check_rules,
    option_edit,
    report_conflict,
)
from rulespec.overlays.extension import Extender, Extension, Repeated, decisions
from rulespec.overlays.fact_edits import apply_facts
from rulespec.overlays.overlay import Displaced, Key, Overlay, Source, called, families, key_of, noun_of
from rulespec.overlays.selection import options_in
from rulespec.syntax import ast

_LISTED = 12
"""Names that a line lists."""


def lay_over(source: Source, overlays: Sequence[Overlay], report: Report) -> None:
    """Applies all edits of overlays, in stages.

    Reports conflicts of two overlays (RS505), and inapplicable edits (RS503 … RS515). After a conflict, nothing is
    applied, since no author intended the resulting rules.
    """
    touched, conflicts = Touched(overlays), Report()
    touched.check(conflicts)
    check_rules(overlays, conflicts)
    check_extensions(overlays, conflicts)
    report.extend(conflicts.diagnostics)
    if not conflicts.ok:
        return
    stages = _Stages(source, overlays, report)
    for number, overlay in enumerate(overlays):
        apply_facts(source, overlay, partial(touched.shared, number), report)
    for number in range(len(overlays)):
        stages.rules(number)
    for number in range(len(overlays)):
        stages.wraps(number)
    stages.report_missing()
    stages.extensions()
    if any(type(item) is ast.Change for overlay in overlays for item in overlay.rules):
        from rulespec.overlays.rule_edits import carry_out

        carry_out(source, overlays, stages.before, report)


def lay_rules(source: Source, rules: tuple[ast.Item, ...], report: Report) -> None:
    """Applies the rules of an extending ruleset to those of its base."""
    lay_over(source, [Overlay("", "", Mapping({}, source.root.span), rules)], report)


class _Stages:
    """The stages that change rules."""

    def __init__(self, source: Source, overlays: Sequence[Overlay], report: Report) -> None:
        self._source = source
        self._overlays = overlays
        self._report = report
        self._families = families(overlays)
        self.before = source.as_it_is()
        self._gone: dict[Key, list[tuple[int, ast.Item]]] = {}
        """The overlays that replace or remove each rule, with the item that does so."""
        self._missing: list[tuple[str, ast.Name]] = []

    def rules(self, number: int) -> None:
        """Removes, then replaces, then adds the rules of one overlay."""
        rules = [i for i in self._overlays[number].rules if not isinstance(i, ast.PARTS) and i.modifier != "wrap"]
        for item in rules:
            if isinstance(item, ast.Remove):
                self._remove(item, number)
        for item in rules:
            if item.modifier == "replace":
                self._replace(item, number)
        for item in rules:
            if item.modifier != "replace" and not isinstance(item, ast.Remove):
                self._add(item, number)

    def _add(self, item: ast.Item, number: int) -> None:
        key = key_of(item)
        old = self._source.items.get(key)
        if old is None:
            self._source.items[key] = item
            return
        notes = [Label(old.name.span, "first defined here")]
        help_ = f"write `replace {key[0]} …` to replace it" if self._overlays[number].within else ""
        message = f"{called(key)} already exists"
        self._report.error("RS223", message, item.name.span, notes=notes, help=help_)

    def _replace(self, item: ast.Item, number: int) -> None:
        key = key_of(item)
        first = next((i for n, i in self._gone.get(key, ()) if n == number), None)
        if first is not None:
            notes = [Label(first.name.span, "first edited here")]
            twice = "both removed and replaced" if isinstance(first, ast.Remove) else "replaced twice"
            message = f"{called(key)} is {twice}"
            self._report.error("RS223", message, item.name.span, notes=notes, help="keep only one of the two edits")
        elif key in self._source.items:
            self._check_signature(item, self._source.items[key])
            self._displace(key, item, number, "replaced")
            self._source.items[key] = item
        else:
            self._missing.append((key[0], item.name))

    def _remove(self, item: ast.Remove, number: int) -> None:
        key = key_of(item)
        if key in self._source.items:
            self._displace(key, item, number, "removed")
            self._source.removed[f"rules.{item.name.text}"] = item.name.span
            del self._source.items[key]
        elif not any(isinstance(i, ast.Remove) and not self._related(n, number) for n, i in self._gone.get(key, ())):
            self._missing.append((item.kind, item.name))

    def _displace(self, key: Key, item: ast.Item, number: int, done: str) -> None:
        """Records a rule about to be replaced or removed, and drops the rules that it wraps."""
        source = self._source
        self._gone.setdefault(key, []).append((number, item))
        self._note_displaced(key, source.items[key], item.name.span, number, done)
        inner = source.originals.pop(key, None)
        while inner is not None:
            del source.items[key[0], inner]
            inner = source.originals.pop((key[0], inner), None)

    def _note_displaced(self, key: Key, old: ast.Item, span: Span, number: int, done: str) -> None:
        by = self._overlays[number].within
        self._source.displaced.append(Displaced(called(key), done, old, by, span, self.before))

    def _related(self, one: int, other: int) -> bool:
        return bool(self._families[one] >> other & 1)

    def wraps(self, number: int) -> None:
        """Applies the wraps of one overlay."""
        for item in self._overlays[number].rules:
            if item.modifier == "wrap":
                self._wrap(item, number)

    def _wrap(self, item: ast.Item, number: int) -> None:
        source, key = self._source, key_of(item)
        over = next((n for n in self._gone.get(key, ()) if n[0] > number and self._related(n[0], number)), None)
        if over is not None:  # a related overlay has changed it already
            done = "removed" if isinstance(over[1], ast.Remove) else "replaced"
            self._note_displaced(key, item, over[1].name.span, over[0], done)
            return
        old = source.items.get(key)
        if old is None:
            self._missing.append((key[0], item.name))
            return
        if not isinstance(item, ast.Def | ast.Procedure):
            self._report.error(
                "RS229", f"only a definition or a procedure can be wrapped, not {called(key)}", item.name.span
            )
            return
        self._check_signature(item, old)
        depth, at = 1, key
        while at in source.originals:
            depth, at = depth + 1, (key[0], source.originals[at])
        inner = f"{item.name.text} (original)" if depth == 1 else f"{item.name.text} (original {depth})"
        source.items[key[0], inner] = old
        if key in source.originals:  # the old rule is itself a wrapper
            source.originals[key[0], inner] = source.originals[key]
        source.originals[key] = inner
        source.items[key] = item

    def _check_signature(self, item: ast.Item, old: ast.Item) -> None:
        if _signature(item) != _signature(old):
            what = "its parameters" if getattr(old, "result", None) is None else "its parameters and its type"
            notes = [Label(old.name.span, "the original rule")]
            self._report.error("RS511", f"`{item.name.text}` must keep {what}", item.name.span, notes=notes)

    def report_missing(self) -> None:
        """Reports changes of missing rules, after all rules are known, for better suggestions."""
        for kind, name in self._missing:
            known = {n: item.name.span for (k, n), item in self._source.items.items() if k == kind}
            hint, notes = nearest(name.text, known)
            self._report.error("RS509", f"there is no {noun_of(kind)} `{name.text}`", name.span, notes=notes, help=hint)

    def extensions(self) -> None:
        """Applies `extend`: adds options to the decisions that still exist at this stage."""
        source = self._source
        all_ = [Extension(n, i) for n, o in enumerate(self._overlays) for i in o.rules if isinstance(i, ast.Extend)]
        if not all_:
            return
        source.repeated = source.repeated or Repeated(self._report)
        extender = Extender(all_, source.repeated)
        for key, item in list(source.items.items()):
            if isinstance(item, ast.Procedure):
                source.items[key] = replace(item, body=extender.block(item.body))
            elif isinstance(item, ast.OptionGroup):
                source.items[key] = replace(item, options=extender.options(item.options))
        owners = {file: number for number, overlay in enumerate(self._overlays) for file in overlay.files}
        for own, extension, option in extender.twice:
            owner = owners.get(own.name.span.file)
            if owner is not None and not self._related(owner, extension.overlay):
                name = extension.item.name.text
                one = OverlayEdit(
                    self._overlays[owner].within, own.name.span, f"option `{own.name.text}` of `decide {name}`"
                )
                two = option_edit(self._overlays[extension.overlay], extension.item, option)
                report_conflict(one, two, f"add an option `{own.name.text}` to the decision `{name}`", self._report)
        for extension in all_:
            if extension.item.name.text not in extender.known:
                self._no_decision(extension, extender)

    def _no_decision(self, extension: Extension, extender: Extender) -> None:
        name, by = extension.item.name, self._overlays[extension.overlay].within
        for change in self._source.displaced:
            if name.text in decisions(change.item):
                who = f"`{change.by}` has" if change.by and change.by != by else "it has" if by else "this ruleset has"
                self._report.error(
                    "RS515",
                    f"`{by}` extends `{name.text}`, which is no longer used once {who} {change.done} {change.what}",
                    name.span,
                    notes=[Label(change.span, f"{change.done} here")],
                    help="use only one of the two edits, or extend the decision that replaces it",
                )
                return
        options = [(of.text, option.name.text) for i in self._source.items.values() for of, option in options_in(i)]
        owners = sorted({of for of, option in options if option == name.text})
        hint = (
            did_you_mean(name.text, extender.known)
            or f"name a decision of the ruleset: {_named(sorted(extender.known))}"
        )
        if owners:
            hint = f"extend its decision: `{name.text}` is an option of {_named(owners)}"
        if name.text in extender.drawn:
            hint = "replace it with a `chance` or a `decide`: a `roll` or a `choose` has only one option"
        self._report.error("RS509", f"there is no decision `{name.text}`", name.span, help=hint)


def _named(names: Sequence[str]) -> str:
    """Some names in a line; the last ones are left out where there are many."""
    return ", ".join(f"`{name}`" for name in names[:_LISTED]) + (", …" if len(names) > _LISTED else "")


def _signature(rule: ast.Item) -> list[tuple[str, str]]:
    types = [p.type for p in rule.params] if isinstance(rule, ast.Def | ast.Procedure | ast.Guard) else []
    types += [rule.result] if isinstance(rule, ast.Def | ast.Procedure) and rule.result is not None else []
    return [(t.form, t.name.text) for t in types]
