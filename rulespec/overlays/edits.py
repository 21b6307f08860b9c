"""Edits of one overlay: resolution and validation of the targets of each `change`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report, failure
from rulespec.diagnostics.suggestions import did_you_mean, nearest
from rulespec.overlays.extension import Repeated, size
from rulespec.overlays.overlay import Key, Overlay, Source, called, key_of, noun_of
from rulespec.overlays.selection import (
    Action,
    depth,
    edited,
    in_order,
    nodes,
    options_in,
    ordered,
    place,
    reasons,
    removes_option,
    selected,
    takes_in_order,
)
from rulespec.records import Brief
from rulespec.syntax import ast
from rulespec.syntax.choice_nodes import same
from rulespec.syntax.parser import MAX_LEVELS
from rulespec.syntax.printed import printed
from rulespec.syntax.shared import members

Items = dict[Key, ast.Item]
Root = ast.Item | ast.OptionDef

_REST = {"replace": " with …", "before": ": …", "after": ": …"}
"""The text after the selection in messages, for each edit."""
_LISTED = 20
"""Maximum number of places listed in a message."""


class Hit(Brief, Struct, frozen=True, eq=False):
    """A node touched by an edit: the rule, the node, its place, the edit, and the number of the edit's overlay."""

    key: Key
    node: Any
    span: Span
    edit: ast.Edit
    overlay: int


class Run:
    """A run of one overlay's edits, in the order of its `change` items.

    Args:
        items: the rules, which are modified.
        overlay: the overlay.
        number: its number.
        source: the rules before any edit, with records of displaced rules.
        visible: whether a node within a rule is visible to the overlay.
        report: receives the diagnostics.
        repeated: the counter of inserted nodes; None if they have already been counted.
    """

    def __init__(
        self,
        items: Items,
        overlay: Overlay,
        number: int,
        source: Source,
        visible: Callable[[Span, Struct], bool],
        report: Report,
        repeated: Repeated | None,
    ) -> None:
        self._items = items
        self._overlay = overlay
        self._number = number
        self._source = source
        self._visible = visible
        self._report = report
        self._repeated = repeated

    def run(self) -> list[Hit]:
        """Applies the edits; returns the nodes of the original rules that they touch.

        Raises:
            DiagnosticsError: RS108 or RS135 if the result is too large.
        """
        changes = [item for item in self._overlay.rules if isinstance(item, ast.Change)]
        return [hit for item in changes for hit in self._change(item)]

    def _change(self, item: ast.Change) -> list[Hit]:
        roots = list(self._roots(item))
        if not roots:
            self._missing(item)
            return []
        self._leads_to(item, roots[0][1])
        hits: list[Hit] = []
        for edit in item.edits:
            errors = self._report.errors
            results = [hit for key, root in roots for hit in self._hits(edit, key, root)]
            if results:
                hits += results
            elif self._report.errors == errors:
                self._selects_nothing(edit, item, [root for _, root in roots])
        actions: dict[Key, dict[int, Action]] = {}
        for hit in hits:
            self._act(hit, actions.setdefault(hit.key, {}))
        for key, by_node in actions.items():
            self._items[key] = edited(self._items[key], by_node)
            if depth(self._items[key]) > MAX_LEVELS:
                raise failure(
                    "RS135", f"{called(key)} is nested too deep after this change", item.name.span, "reduce the nesting"
                )
        if any(removes_option(edit) for edit in item.edits):
            self._leaves_options(item)
        return hits

    def _leaves_options(self, item: ast.Change) -> None:
        """Reports a decision that loses its last option; a group may be empty."""
        empty = {i.name.text for i in self._items.values() if isinstance(i, ast.OptionGroup) and not i.options}
        for rule in self._items.values():
            for decide in nodes(rule):
                if isinstance(decide, ast.Decide) and not any(
                    isinstance(o, ast.OptionDef) or o.text not in empty for o in members(decide.options)
                ):
                    help_ = "keep one option, add another with `extend decision`, or replace the decision's rule"
                    message = f"the decision `{decide.name.text}` would have no option left"
                    notes = [Label(decide.name.span, "the decision")]
                    self._report.error("RS350", message, item.name.span, notes=notes, help=help_)
                    return

    def _leads_to(self, item: ast.Change, root: Root) -> None:
        """Records the declarations denoted by the names in a `change`."""
        self._source.over[item.name.span] = root.name.span
        if item.of is not None:
            pairs = (pair for rule in self._items.values() for pair in options_in(rule))
            self._source.over[item.of.span] = next(of.span for of, option in pairs if option is root)

    def _roots(self, item: ast.Change) -> Iterator[tuple[Key, Root]]:
        """The rule named by a `change`, without its wrappers, or all options that it names."""
        if item.of is None:
            key = _key(item)
            while key in self._source.originals:
                key = key[0], self._source.originals[key]
            if key in self._items:
                yield key, self._items[key]
            return
        for key, rule in self._items.items():
            for of, option in options_in(rule):
                if of.text == item.of.text and option.name.text == item.name.text:
                    yield key, option

    def _hits(self, edit: ast.Edit, key: Key, root: Root) -> Iterator[Hit]:
        """The nodes touched by an edit in a rule or an option; reports an edit that is not applicable."""
        if removes_option(edit):
            yield Hit(key, root, root.span, edit, self._number)
            return
        if edit.at is None:
            if not isinstance(root, ast.OptionDef | ast.Guard):
                help_ = "name the option: `change option … of …:`"
                self._report.error("RS518", "only options and guards have a head", edit.span, help=help_)
                return
            head = root.head if isinstance(root, ast.Guard) else root.body
            self._changes_nothing(edit, [s for s in head if same(s, edit.body[0])])
            yield Hit(key, root, root.name.span, edit, self._number)
            return
        if isinstance(edit.at, ast.Binder):
            for binder in in_order(edit.at.name.text, root, partial(self._visible, root.span)):
                self._changes_nothing(edit, [binder] if same(ordered(binder, edit.at), binder) else [])
                yield Hit(key, binder, binder.span, edit, self._number)
            return
        results = selected(edit.at, root, partial(self._visible, root.span))
        fitting = [node for node in results if _refusal(edit, node) is None]
        if results and not fitting:
            message, help_ = _refusal(edit, results[0]) or ("", "")
            notes = [Label(place(results[0]), "selected here")]
            self._report.error("RS518", message, edit.span, notes=notes, help=help_)
        elif isinstance(edit.at, ast.Text) and len(fitting) > 1:
            self._report.error(
                "RS517",
                f"`{edit.at.text}` occurs in {len(fitting)} places in `{root.name.text}`",
                edit.at.span,
                notes=[Label(place(node), _shown(node)) for node in fitting[:_LISTED]],
                help=f"select the intended one: `{edit.word} {_shown(fitting[0])}{_REST.get(edit.word, '')}`",
            )
        else:
            new: tuple[ast.Expr | ast.Stmt, ...] = edit.body if edit.value is None else (edit.value,)
            self._changes_nothing(edit, [node for node in fitting if same((node,), new)])
            yield from (Hit(key, node, place(node), edit, self._number) for node in fitting)

    def _changes_nothing(self, edit: ast.Edit, there: list[Any]) -> None:
        """Reports an edit without effect."""
        if there:
            notes = [Label(place(there[0]), "this already exists")]
            self._report.error("RS504", "this edit changes nothing", edit.span, notes=notes)

    def _act(self, hit: Hit, actions: dict[int, Action]) -> None:
        """Records the effect of an edit on a node."""
        edit, node = hit.edit, hit.node
        if self._repeated is not None:
            self._repeated.add(size((edit.value, edit.body)), "this edit", edit.span)
        action = actions.setdefault(id(node), Action())
        if isinstance(edit.at, ast.Binder):
            action.order = edit.at
        elif edit.word == "add":
            action.head += edit.body
        elif edit.word == "before":
            action.before += edit.body
        elif edit.word == "after":
            action.after += edit.body
        elif action.instead is not None or action.value is not None:
            help_ = "make both changes in one edit: `replace … with …`"
            self._report.error("RS518", "another edit also changes this place", edit.span, help=help_)
        elif isinstance(node, ast.Expr):
            action.value = edit.value
        elif isinstance(edit.value, ast.CallExpr):
            action.instead = (ast.CallStmt(edit.value.span, edit.value.name, edit.value.args),)
        else:
            action.instead = edit.body

    def _selects_nothing(self, edit: ast.Edit, item: ast.Change, roots: list[Root]) -> None:
        """Reports an edit that selects nothing."""
        at = edit.at
        assert at is not None
        if not isinstance(at, ast.Binder):
            selector = at
            if self._reports_change(item, lambda old: bool(selected(selector, old, lambda _: True))):
                return
        if isinstance(at, ast.Binder):
            loops = {n.binder.name.text for root in roots for n in nodes(root) if takes_in_order(n)}
            help_ = (
                f"name the variable of a loop: {_names(sorted(loops))}"
                if loops
                else "name the rule that contains the loop"
            )
            message = f"{_what(item)} has no ordered loop over `{at.name.text}`"
            self._report.error("RS351", message, at.name.span, help=help_)
            return
        if isinstance(at, ast.Text):
            known = {text: span for root in roots for text, span in reasons(root).items()}
            hint, notes = nearest(at.text, known)
            message = f"{_what(item)} has no condition with the reason `{at.text}`"
            other = f"write one of its reasons: {_names(known)}" if known else "copy the statement from the rule"
            help_ = hint or other
            self._report.error("RS516", message, at.span, notes=notes, help=help_)
            return
        what = "statement" if isinstance(at, ast.Stmt) else "expression"
        texts = {_shown(node) for root in roots for node in nodes(root) if isinstance(node, (*ast.NAMED, ast.CallStmt))}
        help_ = did_you_mean(_shown(at), texts)
        if isinstance(at, ast.Binary) and any(isinstance(node, ast.Ref) and node.name.isupper() for node in nodes(at)):
            help_ = "put the rule id in quotes"
        help_ = help_ or "copy it from the rule; its reason may be omitted"
        self._report.error("RS516", f"{_what(item)} has no such {what}", at.span, help=help_)

    def _missing(self, item: ast.Change) -> None:
        """Reports the missing rule or option of a `change`."""
        if self._reports_change(item, lambda _: True):
            return
        if item.of is None:
            known = {n: i.name.span for (kind, n), i in self._items.items() if kind == item.kind}
            hint, notes = nearest(item.name.text, known)
            message = f"there is no {noun_of(item.kind)} `{item.name.text}`"
            self._report.error("RS509", message, item.name.span, notes=notes, help=hint)
            return
        options = [pair for rule in self._items.values() for pair in options_in(rule)]
        within = {option.name.text: option.name.span for of, option in options if of.text == item.of.text}
        others = sorted({of.text for of, option in options if option.name.text == item.name.text})
        elsewhere = f"name its decision: `{item.name.text}` is an option of {_names(others)}" if others else ""
        if within:
            hint, notes = nearest(item.name.text, within)
            message = f"`{item.of.text}` has no option `{item.name.text}`"
            help_ = elsewhere or hint or f"name one of its options: {_names(within)}"
            self._report.error("RS509", message, item.name.span, notes=notes, help=help_)
        else:
            hint, notes = nearest(item.of.text, {of.text: of.span for of, _ in options})
            message = f"no decision or group with options is called `{item.of.text}`"
            self._report.error("RS509", message, item.of.span, notes=notes, help=elsewhere or hint)

    def _reports_change(self, item: ast.Change, fits: Callable[[Root], bool]) -> bool:
        """Reports a target inside a replaced or removed rule (RS519), if there is one."""
        for change in self._source.displaced:
            old = change.item
            if not isinstance(old, ast.Item) or not any(fits(root) for root in _named(item, old)):
                continue
            by = self._overlay.within
            who = f"`{change.by}` has" if change.by and change.by != by else "it has" if by else "this ruleset has"
            self._report.error(
                "RS519",
                f"`{by}` changes a part that is missing from {_what(item)} once {who} {change.done} {change.what}",
                item.name.span,
                notes=[Label(change.span, f"{change.done} here")],
                help="use only one of the two edits, or change the replacement",
            )
            return True
        return False


def _named(item: ast.Change, rule: ast.Item) -> list[Root]:
    """The parts of a rule named by a `change`."""
    if item.of is None:
        return [rule] if not isinstance(rule, ast.Extend) and key_of(rule) == _key(item) else []
    return [o for of, o in options_in(rule) if of.text == item.of.text and o.name.text == item.name.text]


def _key(item: ast.Change) -> Key:
    """The key of the rule named by a `change`."""
    return item.kind, "" if item.kind == "scoring" else item.name.text


def _refusal(edit: ast.Edit, node: Any) -> tuple[str, str] | None:
    """The reason why an edit is not applicable to a node, with the way out; or None."""
    if isinstance(node, ast.OptionParam | ast.Shared):
        if edit.word in ("before", "after"):
            message = "nothing can be inserted before or after the condition of an argument or of several options"
            return message, "add another condition on its own line: `require …`"
        if edit.word == "remove" or (len(edit.body) == 1 and isinstance(edit.body[0], ast.Require)):
            return None
        return "a condition can only be replaced with a single `require`", f"write `{_required(edit)}`"
    if isinstance(node, ast.Expr):
        if edit.word != "replace":
            return "this is an expression, so it can only be replaced", f"write `replace {_shown(node)} with …`"
        help_ = f"write an expression after `with`, or select the statement that contains `{_shown(node)}`"
        return None if edit.value is not None else ("an expression can only be replaced with an expression", help_)
    if edit.word == "replace" and edit.value is not None and not isinstance(edit.value, ast.CallExpr):
        help_ = "write a statement after `with`, or select the expression in it that changes"
        help_ = f"write `{_required(edit)}`" if isinstance(node, ast.Require) else help_
        return "a statement can only be replaced with statements", help_
    return None


def _required(edit: ast.Edit) -> str:
    """The end of an edit that gives a condition in place of another."""
    return f'with require {_shown(edit.value) if edit.value is not None else "…"} "the reason"'


def _what(item: ast.Change) -> str:
    """The subject of a `change` in a message."""
    if item.of is not None:
        return f"the option `{item.name.text}` of `{item.of.text}`"
    return called(_key(item))


def _shown(node: Any) -> str:
    """The text of a node on one line."""
    if isinstance(node, ast.OptionParam | ast.Shared):
        return f'"{node.reason.text}"'
    try:
        return printed(node)
    except KeyError:
        return "…"


def _names(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in list(names)[:_LISTED])
