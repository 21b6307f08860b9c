"""The typed rules as one tree: traversal with paths, and replacement of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from rulespec.check.scope import Path, known_if, path_of
from rulespec.diagnostics.diagnostic import Span
from rulespec.typed import nodes as typed
from rulespec.types import Ent

NODES = (
    *(typed.Expr, typed.Stmt, typed.Binder, typed.OptionParam, typed.Requirement, typed.OptionDef),
    *(typed.Cost, typed.Needs, typed.Otherwise, typed.Tiebreak, typed.Scoring),
)
Step = str | int


@dataclass(frozen=True, slots=True)
class Root:
    """A rule: a `definition`, a `procedure`, a `guard` or the `scoring`, and its span."""

    kind: str
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Seen:
    """A node of a rule.

    `path` is its path from the root, `anchor` the place at which coverage counts it, and `guards` the values tested for
    none by enclosing `if` statements.
    """

    root: Root
    path: tuple[Step, ...]
    node: Any
    anchor: Span
    guards: frozenset[Path]


Edits = tuple[tuple[Root, tuple[Step, ...], Any], ...]
"""Replacements of nodes, each as root, path and new node."""


def roots(rules: typed.Rules) -> list[Root]:
    """All rules except invariants, since these are tests of the other rules."""
    results = [Root("definition", d.name, d.span) for d in rules.definitions.values()]
    results += [Root("procedure", p.name, p.span) for p in rules.procedures.values()]
    results += [Root("guard", g.name, g.span) for g in rules.guards.values()]
    if rules.scoring is not None:
        results.append(Root("scoring", "scoring", rules.scoring.span))
    return results


def read(rules: typed.Rules, root: Root) -> Any:
    """The content of a rule, as nodes and tuples of nodes."""
    if root.kind == "definition":
        definition = rules.definitions[root.name]
        return (definition.lets, definition.body)
    if root.kind == "guard":
        return rules.guards[root.name].head
    return rules.procedures[root.name].body if root.kind == "procedure" else rules.scoring


def write(rules: typed.Rules, root: Root, held: Any) -> None:
    """Replaces the content of a rule, for all its callers."""
    if root.kind == "definition":
        rules.definitions[root.name].lets, rules.definitions[root.name].body = held
    elif root.kind == "procedure":
        rules.procedures[root.name].body = held
    elif root.kind == "guard":
        rules.guards[root.name].head = held
    else:
        rules.scoring = held


def put(held: Any, path: tuple[Step, ...], new: Any) -> Any:
    """A copy of nodes with the node at a path replaced."""
    if not path:
        return new
    step, *rest = path
    if isinstance(step, int):
        return (*held[:step], put(held[step], tuple(rest), new), *held[step + 1 :])
    return replace(held, **{step: put(getattr(held, step), tuple(rest), new)})


@contextmanager
def planted(ruleset: typed.Ruleset, edits: Edits, name: str) -> Iterator[typed.Ruleset]:
    """A context manager that replaces nodes of a ruleset, and restores the ruleset afterwards."""
    rules = ruleset.rules
    before = [(root, read(rules, root)) for root in dict.fromkeys(root for root, _, _ in edits)]
    try:
        for root, path, new in reversed(edits):  # in reverse, so that earlier paths stay valid
            write(rules, root, put(read(rules, root), path, new))
        yield replace(ruleset, hash=f"{ruleset.hash} {name}")
    finally:
        for root, held in before:
            write(rules, root, held)


def walk(rules: typed.Rules, root: Root) -> Iterator[Seen]:
    """All nodes of a rule, including its blocks, which are tuples of statements."""
    yield from _walk(root, (), read(rules, root), root.span, frozenset())


def nodes(part: Any) -> Iterator[Any]:
    """All nodes in a part of a rule."""
    if isinstance(part, NODES):
        yield part
        part = tuple(getattr(part, name) for name in part.__struct_fields__)
    if isinstance(part, tuple):
        for each in part:
            yield from nodes(each)


def _walk(root: Root, path: tuple[Step, ...], part: Any, anchor: Span, guards: frozenset[Path]) -> Iterator[Seen]:
    if isinstance(part, tuple):
        if part and all(isinstance(each, typed.Stmt) for each in part):
            yield Seen(root, path, part, anchor, guards)
        for at, each in enumerate(part):
            inner, where = guards, _where_of_turns(each)
            if where is not None:
                yield from _walk(root, (*path, at, *_WHERE), where, where.span, guards)
            if where is not None or _is_of_turns(each) or is_withdrawal(each):
                continue
            if isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], tuple):  # a branch of an `if`
                inner = guards | _asked(part[: at + 1])
            yield from _walk(root, (*path, at), each, anchor, inner)
    elif isinstance(part, NODES):
        if isinstance(part, typed.Stmt) and path[-2:-1] != ("head",):  # coverage counts a head with its decision
            anchor = anchor_of(part)
        elif root.kind == "guard" and isinstance(part, typed.Requirement | typed.Cost):
            anchor = part.span
        yield Seen(root, path, part, anchor, guards)
        for name in part.__struct_fields__:
            yield from _walk(root, (*path, name), getattr(part, name), anchor, guards)


_WHERE: tuple[Step, ...] = ("branches", 0, 0, "args", 0)


def is_withdrawal(part: Any) -> bool:
    """Whether an option is the implicit one that withdraws a draft."""
    if not isinstance(part, typed.OptionDef) or not part.body:
        return False
    return isinstance(part.body[0], typed.Jump) and part.body[0].word == "withdraw"


def _is_of_turns(part: Any) -> bool:
    """Whether a statement is an implicit one that passes the turn."""
    if isinstance(part, typed.If):
        body = part.branches[0][1]
        return bool(body) and isinstance(body[0], typed.Jump) and body[0].span == part.span
    if isinstance(part, typed.Let):
        return " " in part.var.name or _is_op(part.value, "previous", part.span)
    if not isinstance(part, typed.Assign) or not isinstance(part.target, typed.Local):
        return False
    return " " in part.target.var.name or _is_op(part.value, "??", part.span)


def _is_op(value: typed.Expr, op: str, at: Span) -> bool:
    """Whether a value is an operation with the same span as its statement."""
    return isinstance(value, typed.Op) and value.op == op and value.span == at


def _where_of_turns(part: Any) -> typed.Expr | None:
    """The `where` of `turns`, taken from the implicit statement that skips a turn."""
    if not isinstance(part, typed.If) or len(part.branches) > 1:
        return None
    condition, body = part.branches[0]
    jumps = bool(body) and isinstance(body[-1], typed.Jump) and body[-1].word == "pass turn"
    no_file = jumps and body[0].span == part.span and isinstance(condition, typed.Op) and condition.op == "not"
    return condition.args[0] if no_file and isinstance(condition, typed.Op) else None


def _asked(branches: tuple[Any, ...]) -> frozenset[Path]:
    return frozenset().union(*(settled(c) for c, _ in branches if isinstance(c, typed.Expr)))


def anchor_of(s: typed.Stmt) -> Span:
    """The place at which coverage counts a statement."""
    if isinstance(s, typed.If):
        condition = s.branches[0][0]
        return condition.span if condition is not None else s.span
    if isinstance(s, typed.Match):
        return s.subject.span
    if isinstance(s, typed.For):
        return s.binder.var.span
    if isinstance(s, typed.Repeat) and s.limit is not None:
        return s.limit.span
    return s.span


# --- what has been checked for none ----------------------------------------------------------


def settled(condition: typed.Expr) -> frozenset[Path]:
    """The values that a condition proves not to be none, if it is true or if it is false."""
    return known_if(condition, True) | known_if(condition, False)


def relied_on(rules: typed.Rules, root: Root) -> frozenset[Path]:
    """The values of a rule that may be none, but are used on the assumption that they are not."""
    results = set()
    for e in nodes(read(rules, root)):
        if isinstance(e, typed.Local | typed.Field | typed.Fact) and isinstance(e.type, Ent) and not e.type.optional:
            declared = e.var.type if isinstance(e, typed.Local) else e.decl.type
            if isinstance(declared, Ent) and declared.optional and (path := path_of(e)) is not None:
                results.add(path)
    return frozenset(results)
