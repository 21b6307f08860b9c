"""The written form of syntax trees: the words that begin nodes, and their parts in the order of the text."""

from __future__ import annotations

from typing import Any

from rulespec.syntax import ast

Step = tuple[str, str, str]
"""A field; a word before it; "args" if it is in brackets behind a name, "block" if in lines of its own."""

PRECEDENCE = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<=", ">=", "<", ">", "in", "not in"), 4),
    "|": 5,
    "??": 5,
    "&": 6,
    **dict.fromkeys("+-", 7),
    **dict.fromkeys("*/%", 8),
}
"""Precedence of binary operators."""
ATOM, COMPARED = 10, 4
"""Precedence of names and calls, and of comparisons."""
_UNARY = {"not": 3, "-": 9}


def precedence(node: Any) -> int:
    """The precedence of an expression beside an operator."""
    kind = type(node)
    if kind is ast.Binary:
        return PRECEDENCE[node.op]
    if kind is ast.Unary:
        return _UNARY.get(node.op, COMPARED)
    return -1 if kind is ast.Once else 0 if kind is ast.Choice else ATOM


HEADS: dict[type, str] = {
    ast.Let: "let",
    ast.Assign: "set",
    ast.Pay: "pay",
    ast.Move: "move",
    ast.Put: "move",
    ast.Require: "require",
    ast.Return: "return",
    ast.Cost: "cost",
    ast.Needs: "needs",
    ast.For: "for",
    ast.Privacy: "private",
    ast.Otherwise: "otherwise",
    ast.Def: "def",
    ast.Procedure: "procedure",
    ast.Guard: "guard",
    ast.Invariant: "invariant",
    ast.Scoring: "scoring",
    ast.OptionGroup: "options",
    ast.Extend: "extend",
}
"""The word with which a node begins."""

SHAPES: dict[type, tuple[Step, ...]] = {
    ast.Once: (("value", "", ""), ("name", "once", ""), ("args", "", "args")),
    ast.Reach: (("name", "", ""), ("start", "from", ""), ("step", ":", "")),
    ast.Ways: (("name", "", ""), ("start", "from", ""), ("near", "to", ""), ("cost", "costs", "")),
    ast.Ray: (("space", "", ""), ("direction", ",", ""), ("stops", "until", "")),
    ast.Told: (("value", "", ""), ("reason", "", "")),
    ast.Let: (("name", "", ""), ("value", "=", "")),
    ast.Assign: (("target", "", ""), ("value", "to", "")),
    ast.Pay: (("amount", "", ""), ("source", "from", ""), ("target", "to", "")),
    ast.Move: (("amount", "", ""), ("pile", "of", ""), ("source", "from", ""), ("target", "to", "")),
    ast.Put: (("token", "", ""), ("place", "to", "")),
    ast.CallStmt: (("name", "", ""), ("args", "", "args")),
    ast.Require: (("condition", "", ""), ("reason", "", "")),
    ast.Return: (("value", "", ""),),
    ast.Cost: (
        ("amount", "", ""),
        ("pile", "of", ""),
        ("source", "from", ""),
        ("target", "to", ""),
        ("reason", "", ""),
    ),
    ast.Needs: (("name", "", ""), ("args", "", "args")),
    ast.For: (("binder", "", ""), ("body", "", "block")),
    ast.Privacy: (("to", "to", ""),),
    ast.Otherwise: (("body", "", "block"),),
    ast.Param: (("name", "", ""), ("type", ":", "")),
    ast.Def: (
        ("name", "", ""),
        ("params", "", "args"),
        ("result", "->", ""),
        ("doc", "", ""),
        ("lets", "", ""),
        ("body", "", ""),
    ),
    ast.Procedure: (
        ("name", "", ""),
        ("params", "", "args"),
        ("result", "->", ""),
        ("doc", "", ""),
        ("body", "", "block"),
    ),
    ast.Guard: (("name", "", ""), ("params", "", "args"), ("doc", "", ""), ("head", "", "block")),
    ast.Invariant: (("name", "", ""), ("doc", "", ""), ("condition", "", "")),
    ast.Scoring: (
        ("var", "", ""),
        ("name", "in", ""),
        ("doc", "", ""),
        ("score", "score", ""),
        ("tiebreaks", "", ""),
    ),
    ast.OptionGroup: (("name", "", ""), ("doc", "", ""), ("options", "", "block")),
    ast.Extend: (("name", "decision", ""), ("doc", "", ""), ("options", "", "block")),
}
"""The parts of a node, as they are written; of others `as_written.py` knows."""

NOT_WORDS = frozenset(["and", "else", "if", "in", "is", "once", "or", '""'])
"""Words that stand between the parts of a node, and are never names; and texts without content."""
