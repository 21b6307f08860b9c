"""Syntax trees as flat JSON values, and back.

A packed tree has `spans` (relative to the start of the text), `names`, `texts` and `numbers`, the names of its `nodes`,
and `steps` of a stack machine. A step >= 0 pushes one of the constants and those values; -1, n replaces the top n
entries by a tuple; -2, -3, … replaces as many entries as a node has fields by that node.

Packed trees lie on the disk, so they may be anybody's. Each step is checked against the types of the node's fields and
against what only the grammar says (`well_formed.py`): what could not have been parsed is no packed tree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import astuple

from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.origin import Origin
from rulespec.syntax.well_formed import WELL_FORMED

MAX_LEVELS = 180
"""Depth of a tree (long chains of operators nest without brackets); later passes recurse over it."""

_Place = Annotated[int, Meta(ge=1, le=100_000_000)]
_Name = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_]*\Z")]
_Text = Annotated[str, Meta(pattern=r"^[^\n]*\Z")]
_Number = Annotated[int, Meta(ge=0, lt=10**15)]

_CONSTANTS = (None, False, True)
_NODES = {node.__name__: node for node in ast.NODES}
_NAMED = {(ast.Name, "text"), (ast.Ref, "name")}
"""The fields that hold a name; other texts are words of the grammar, or written in quotes."""


class Packed(Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A packed tree; see above."""

    spans: list[tuple[_Place, _Place, _Place, _Place]]
    names: list[_Name]
    texts: list[_Text]
    numbers: list[_Number]
    nodes: list[str]
    steps: list[int]


def pack(tree: Any, origin: Origin) -> Packed:
    """The tree of a text that begins at `origin`, for JSON."""
    spans: dict[Span, int] = {}
    tables: dict[str, dict[Any, int]] = {"names": {}, "texts": {}, "numbers": {}}
    table_of: dict[str | int, str] = {}
    nodes: dict[str, int] = {}
    order = _steps(tree)
    for step in order:
        if type(step) is Span:
            spans.setdefault(step, len(spans))
        elif (type(step) is str or type(step) is int) and step not in table_of:
            name = table_of[step] = _table_of(step)
            tables[name][step] = len(tables[name])
    begins = {"names": len(_CONSTANTS) + len(spans)}
    begins["texts"] = begins["names"] + len(tables["names"])
    begins["numbers"] = begins["texts"] + len(tables["texts"])
    steps: list[int] = []
    for step in order:
        if type(step) is Span:
            steps.append(len(_CONSTANTS) + spans[step])
        elif type(step) is _Tuple:
            steps += (-1, step.size)
        elif isinstance(step, type):
            steps.append(-2 - nodes.setdefault(step.__name__, len(nodes)))
        elif type(step) is str or type(step) is int:
            name = table_of[step]
            steps.append(begins[name] + tables[name][step])
        else:
            steps.append(_CONSTANTS.index(step))
    results = [origin.relative(span) for span in spans]
    names, texts, numbers = (list(table) for table in tables.values())
    return Packed(results, names, texts, numbers, list(nodes), steps)


def _table_of(value: str | int) -> str:
    if type(value) is int:
        return "numbers"
    assert type(value) is str
    return "names" if value.isascii() and value.isidentifier() and value[0] != "_" else "texts"


def unpack(packed: Packed, origin: Origin, kind: int, *, checked: bool = True) -> Any:
    """The tree of packed data.

    Args:
        packed: the data.
        origin: where the text begins whose tree it is.
        kind: what the tree has to be; one of `ROOTS`.
        checked: whether each step is checked; if not, the data must be what `pack` has made.

    Returns:
        The tree; None if the data is no packed tree of this kind.
    """
    try:
        nodes = [_NODES[name] for name in packed.nodes]
        places = origin.all_at(packed.spans)
        values = [*_CONSTANTS, *places, *packed.names, *packed.texts, *packed.numbers]
        if not checked:
            return _built(packed.steps, values, nodes)
        kinds = [_NONE, _BOOL, _BOOL, *[_SPAN] * len(places), *[_NAME] * len(packed.names)]
        kinds += [_TEXT] * len(packed.texts) + [_INT] * len(packed.numbers)
        return _run(packed.steps, values, kinds, nodes, kind)
    except (IndexError, KeyError, StopIteration, ValueError):
        return None


def _built(all_steps: list[int], leaves: list[Any], nodes: list[type[Struct]]) -> Any:
    """The tree that steps end with, none of which is checked."""
    makers = [(node, -len(node.__struct_fields__)) for node in nodes]
    stack: list[Any] = []
    push = stack.append
    steps = iter(all_steps)
    for step in steps:
        if step >= 0:
            push(leaves[step])
        elif step == -1:
            first = len(stack) - next(steps)
            value = tuple(stack[first:])
            del stack[first:]
            push(value)
        else:
            make, first = makers[-2 - step]
            parts = stack[first:]
            del stack[first:]
            push(make(*parts))
    return stack[0]


def _run(all_steps: list[int], leaves: list[Any], leaf_kinds: list[int], nodes: list[type[Struct]], kind: int) -> Any:
    """Runs the steps; ValueError and others if they do not end with one tree of this kind."""
    sizes = [len(node.__struct_fields__) for node in nodes]
    rules = [_RULES.setdefault(node, {}) for node in nodes]
    stack: list[Any] = []
    kinds: list[int] = []  # of what is on the stack
    depths: list[int] = []  # of the nodes and tuples on the stack
    steps = iter(all_steps)
    for step in steps:
        if step >= 0:
            stack.append(leaves[step])
            kinds.append(leaf_kinds[step])
            continue
        make: Callable[..., Any] | None = None
        if step == -1:
            first = len(stack) - next(steps)
            if not 0 <= first <= len(stack):
                raise ValueError
            rule = _tuple_rule(tuple(kinds[first:]))
        else:
            make = nodes[-2 - step]
            first = len(stack) - sizes[-2 - step]
            of = tuple(kinds[first:])
            rule = rules[-2 - step].get(of) or _rule(make, of)
        result, inner, check = rule
        if inner == 0:
            depths.append(1)
        elif inner == 1:
            depths[-1] += 1
        else:
            depths[-inner:] = [max(depths[-inner:]) + 1]
        parts = stack[first:]
        del stack[first:], kinds[first:]
        value = tuple(parts) if make is None else make(*parts)
        if depths[-1] > MAX_LEVELS or (check is not None and not check(value)):
            raise ValueError
        stack.append(value)
        kinds.append(result)
    (tree,) = stack
    if kinds[0] & ~kind:
        raise ValueError
    return tree


# --- kinds ------------------------------------------------------------------------------------------------------------

_TUPLE_BITS = 24
(_NONE, _BOOL, _INT, _TEXT, _NAME, _SPAN, _EXPR, _STMT, _LET, _ITEM) = (1 << i for i in range(10))
_TUPLE = 1 << _TUPLE_BITS - 1
"""A kind is a bit; that of a tuple has the kinds of its members further left. So a value fits if it has no other bit
than the field."""
_OWN = (
    *(ast.Name, ast.Text, ast.Binder, ast.TypeRef, ast.OptionParam, ast.OptionDef, ast.AnyOf, ast.Shared),
    *(ast.Param, ast.Tiebreak, ast.Otherwise),
    *(ast.Privacy, ast.Edit),
)
_KINDS = {node: 1 << 10 + i for i, node in enumerate(_OWN)}
_BASES: dict[type[Struct], int] = {ast.Expr: _EXPR, ast.Stmt: _STMT, ast.Item: _ITEM}
_NAMES = {
    **{node.__name__: kind for node, kind in _KINDS.items()},
    "None": _NONE,
    "bool": _BOOL,
    "int": _INT,
    "str": _NAME | _TEXT,
    "Span": _SPAN,
    "Expr": _EXPR,
    "Stmt": _STMT | _LET,
    "Let": _LET,
    "Item": _ITEM,
}
_NAMES["Member"] = _NAMES["OptionDef"] | _NAMES["Name"] | _NAMES["Shared"]


def _accepted(annotation: str) -> int:
    """The kinds that fit an annotation of a field."""
    result, depth, word = 0, 0, ""
    for character in annotation + "|":
        if character in "[|],":
            kind = 0 if word in ("", "...") else _TUPLE if word == "tuple" else _NAMES[word]
            result |= kind << depth * _TUPLE_BITS
            word = ""
            depth += (character == "[") - (character == "]")
        elif character != " ":
            word += character
    return result


ROOTS = {"rules": _accepted("tuple[Item, ...]"), "expr": _EXPR, "type": _accepted("TypeRef")}
"""The kinds of whole trees, by the rule of the grammar that begins them."""


@cache
def _fields(node: type[Struct]) -> tuple[tuple[int, ...], int]:
    """The kinds that fit the fields of a node, and the kind of the node itself."""
    written: dict[str, str] = {}
    for cls in node.__mro__:
        written = {**vars(cls).get("__annotations__", {}), **written}
    names = node.__struct_fields__
    fits = tuple([_NAME if (node, name) in _NAMED else _accepted(written[name]) for name in names])
    if node is ast.Let:
        return fits, _LET
    return fits, next((kind for base, kind in _BASES.items() if issubclass(node, base)), 0) or _KINDS[node]


_Rule = tuple[int, int, Callable[[Any], bool] | None]
"""Rule for a node: its kind, how many of the parts are nodes or tuples, a further check of it."""

_RULES: dict[type[Struct], dict[tuple[int, ...], _Rule]] = {}
"""The rules that were asked for: the same few come again and again."""


def _rule(node: type[Struct], kinds: tuple[int, ...]) -> _Rule:
    """The rule for a node with fields of these kinds; ValueError if they do not fit."""
    if node in _BASES:
        raise ValueError
    fits, kind = _fields(node)
    if any(has & ~may for has, may in zip(kinds, fits, strict=True)):
        raise ValueError
    rule = _RULES[node][kinds] = (kind, _inner(kinds), WELL_FORMED.get(node))
    return rule


@cache
def _tuple_rule(kinds: tuple[int, ...]) -> _Rule:
    inside = 0
    for kind in kinds:
        inside |= kind
    return inside << _TUPLE_BITS | _TUPLE, _inner(kinds), None


def _inner(kinds: tuple[int, ...]) -> int:
    return sum(kind > _SPAN for kind in kinds)


class _Tuple(Struct):
    size: int


def _steps(tree: Any) -> list[Any]:
    """A tree in postorder: spans and values; after its parts the class of a node or the size of a tuple."""
    steps: list[Any] = []
    parts = [tree]
    while parts:  # from the last to the first
        part = parts.pop()
        if type(part) is tuple:
            steps.append(_Tuple(len(part)))
            parts += part
        elif type(part) in ast.NODES:
            steps.append(type(part))
            parts += astuple(part)
        else:
            steps.append(part)
    steps.reverse()
    return steps
