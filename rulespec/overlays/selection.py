"""Selection and replacement of parts of rules: the nodes that a `change` selects, and the rule after its edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.language.builtins import BUILTINS
from rulespec.records import Brief
from rulespec.rule_ids import cited
from rulespec.syntax import ast
from rulespec.syntax.choice_nodes import same
from rulespec.syntax.shared import members

_REASONED = (ast.Require, ast.Cost, ast.OptionParam, ast.Shared)
_LEAVES = (Span, ast.Name, ast.Text, ast.TypeRef)

Visible = Callable[[Struct], bool]
"""A function that tells whether a node, with all its children, is visible to an overlay."""


class Action(Brief, Struct, eq=False):
    """The effect of edits on one node.

    Attributes:
        instead: the statements that replace the node if it is a statement, or the `require` that replaces a condition.
        value: the expression that replaces the node if it is an expression.
        before: the statements inserted before it.
        after: the statements inserted after it.
        head: the statements added to the head of an option or guard.
        order: the new order of a loop, with its variable.
    """

    instead: tuple[ast.Stmt, ...] | None = None
    value: ast.Expr | None = None
    before: tuple[ast.Stmt, ...] = ()
    after: tuple[ast.Stmt, ...] = ()
    head: tuple[ast.Stmt, ...] = ()
    order: ast.Binder | None = None


def removes_option(edit: ast.Edit) -> bool:
    """Whether an edit removes an entire option."""
    return edit.at is None and edit.word == "remove"


def options_in(item: ast.Item) -> Iterator[tuple[ast.Name, ast.OptionDef]]:
    """The options in a rule, each with the name of its decision or group."""
    for node in nodes(item):
        if isinstance(node, ast.Decide | ast.OptionGroup):
            for option in members(node.options):
                if isinstance(option, ast.OptionDef):
                    yield node.name, option


def nodes(tree: object, visible: Visible = lambda _: True) -> Iterator[Any]:
    """The visible nodes of a syntax tree, in source order."""
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += reversed(node)
        elif isinstance(node, Struct) and not isinstance(node, _LEAVES) and visible(node):
            yield node
            todo += [getattr(node, name) for name in reversed(node.__struct_fields__)]


def selected(at: ast.Stmt | ast.Expr | ast.Text, root: ast.Item | ast.OptionDef, visible: Visible) -> list[Any]:
    """The nodes of a rule or an option that match a selection."""
    return [node for node in nodes(root, visible) if _means(at, node)]


def in_order(variable: str, root: ast.Item | ast.OptionDef, visible: Visible) -> list[ast.Binder]:
    """The binders that iterate over a variable in order, in `for`, `turns` and `first`."""
    loops = (node.binder for node in nodes(root, visible) if takes_in_order(node))
    return [binder for binder in loops if binder.name.text == variable]


def takes_in_order(node: Any) -> bool:
    """Whether a node iterates in order: a loop, or a function whose result depends on the order of the members."""
    function = BUILTINS.get(node.op) if isinstance(node, ast.Each) else None
    return isinstance(node, ast.For | ast.Turns) or (function is not None and bool(function.of_order))


def ordered(binder: ast.Binder, order: ast.Binder) -> ast.Binder:
    """The binder with another order: `from` or `after` an entity, or by keys (the sort is stable)."""
    if order.keys:
        return replace(binder, keys=order.keys)
    return replace(binder, order=order.order, start=order.start, keys=())


def _means(at: ast.Stmt | ast.Expr | ast.Text, node: Any) -> bool:
    if isinstance(at, ast.Text):
        return isinstance(node, _REASONED) and _condition(node) and _has_reason(at.text, node.reason.text)
    if isinstance(at, ast.CallExpr) and isinstance(node, ast.CallStmt):
        return same((at.name, at.args), (node.name, node.args))
    if type(at) is not type(node):
        return False
    if isinstance(node, ast.Require | ast.Cost) and isinstance(at, type(node)) and not at.reason.text:
        return same(replace(at, reason=node.reason), node)
    return same(at, node)


def _condition(node: Any) -> bool:
    """Whether the reason of a node belongs to a condition."""
    if isinstance(node, ast.OptionParam):
        return node.where is not None
    return not isinstance(node, ast.Shared) or node.condition is not None


def _has_reason(text: str, reason: str) -> bool:
    return bool(text) and (text in (reason, reason.partition(":")[0]) or text in cited(reason))


def reasons(root: ast.Item | ast.OptionDef) -> dict[str, Span]:
    """The ids cited by reasons in a rule or an option, with their places; the whole text of a reason without ids."""
    results: dict[str, Span] = {}
    for node in nodes(root):
        if isinstance(node, _REASONED) and _condition(node) and node.reason.text:
            for text in cited(node.reason.text) or (node.reason.text,):
                results.setdefault(text, node.reason.span)
    return results


def place(node: Any) -> Span:
    """The place of a selected node."""
    span: Span = node.reason.span if isinstance(node, ast.OptionParam | ast.Shared) else node.span
    return span


def edited(item: ast.Item, actions: dict[int, Action]) -> ast.Item:
    """The rule after edits; `actions` are keyed by the `id()` of nodes."""
    result: ast.Item = _edited(item, actions)
    return result


def _edited(node: Any, actions: dict[int, Action]) -> Any:
    if isinstance(node, tuple):
        return _block(node, actions)
    if not isinstance(node, Struct) or isinstance(node, _LEAVES):
        return node
    action = actions.get(id(node))
    if action is not None and action.value is not None:
        return action.value
    changed: dict[str, Any] = {}
    for name in node.__struct_fields__:
        part = getattr(node, name)
        new = _edited(part, actions)
        if new is not part:
            emptied = new == () and name in ("body", "other") and not isinstance(node, ast.Draw)
            changed[name] = (ast.Jump(part[0].span, "pass"),) if emptied else new
    result = replace(node, **changed) if changed else node
    if action is not None and action.order is not None:
        assert isinstance(result, ast.Binder)
        return ordered(result, action.order)
    return result if action is None else _acted(result, action)


def _block(block: tuple[Any, ...], actions: dict[int, Action]) -> tuple[Any, ...]:
    """A tuple of nodes after edits; the same object if nothing changes."""
    results: list[Any] = []
    for part in block:
        action = actions.get(id(part)) if isinstance(part, ast.Stmt | ast.OptionDef) else None
        if action is None or (isinstance(part, ast.OptionDef) and action.instead is None):
            new = _edited(part, actions)
            if new is part or not isinstance(new, ast.Shared) or new.options:
                results.append(new)
            continue
        results += action.before
        results += (_edited(part, actions),) if action.instead is None else action.instead
        results += action.after
    if len(results) == len(block) and all(a is b for a, b in zip(results, block, strict=True)):
        return block
    return tuple(results)


def _acted(node: Any, action: Action) -> Any:
    """An option, a guard or a condition after an edit."""
    if isinstance(node, ast.Guard):
        return replace(node, head=(*node.head, *action.head))
    if isinstance(node, ast.OptionDef):
        at = next((n for n, s in enumerate(node.body) if not isinstance(s, ast.HEAD_PARTS)), len(node.body))
        return replace(node, body=(*node.body[:at], *action.head, *node.body[at:]))
    if action.instead is None or not isinstance(node, ast.OptionParam | ast.Shared):
        return node
    new = action.instead[0] if action.instead else None
    condition, reason = (new.condition, new.reason) if isinstance(new, ast.Require) else (None, None)
    reason = reason or replace(node.reason, text="")
    name = "where" if isinstance(node, ast.OptionParam) else "condition"
    return replace(node, **{name: condition, "reason": reason})


def depth(tree: object) -> int:
    """The depth of a syntax tree, counting nodes and tuples."""
    deepest, todo = 0, [(tree, 1)]
    while todo:
        node, level = todo.pop()
        deepest = max(deepest, level)
        if isinstance(node, tuple):
            todo += [(part, level + 1) for part in node]
        elif isinstance(node, Struct) and not isinstance(node, _LEAVES):
            todo += [(getattr(node, name), level + 1) for name in node.__struct_fields__]
    return deepest
