"""Whether a syntax tree is that of its text: each name, number and text at its place, and nothing left out or moved.

For trees that come from the disk, and may be anybody's. A tree is gone through in the order in which it is written. Its
names, numbers, texts and words have to be those of the text, one after the other; between them are only words and signs
that belong there. Brackets close where they have to, operators bind as the grammar says, and what is in a block is
indented alike. That takes a fraction of the time of parsing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulespec.syntax import ast
from rulespec.syntax.origin import Origin
from rulespec.syntax.reading import OtherTreeError, Reading
from rulespec.syntax.shapes import HEADS, SHAPES
from rulespec.syntax.written_expressions import EXPRESSIONS, text_as_written


def as_written(tree: Any, text: str, origin: Origin) -> bool:
    """Whether a tree is that of a text that begins at `origin`."""
    try:
        reading = Reading(text, origin, _SPECIAL)
        if type(tree) is tuple:
            reading.block(tree, 0)
        else:
            reading.visit(tree)
        return reading.is_whole()
    except (OtherTreeError, IndexError, KeyError, AttributeError, TypeError, ValueError):
        return False


def _if(r: Reading, node: ast.If) -> None:
    column, begin = r.column(node), r.start(node)
    at = begin - r.text.rfind("\n", 0, begin)
    if at != column:
        raise OtherTreeError
    for number, (condition, body) in enumerate(node.branches):
        before = r.start(body) if condition is None else r.start(condition)
        r.keyword("else" if condition is None else "elif" if number else "if", before, column)
        if condition is not None:
            r.visit(condition)
        r.block(body, column)


def _match(r: Reading, node: ast.Match) -> None:
    column = r.column(node)
    r.word(r.start(node), "match")
    r.visit(node.subject)
    inner = 0
    for values, body in node.cases:
        inner = inner or r.column(values)
        r.keyword("case", r.start(values), inner)
        for value in values:
            r.visit(value)
        r.block(body, inner)
    if node.other is not None:
        r.keyword("else", r.start(node.other), inner)
        r.block(node.other, inner)
    if inner <= column:
        raise OtherTreeError


def _jump(r: Reading, node: ast.Jump) -> None:
    for word in node.word.split(" "):
        at = r.start(node) if r.at <= r.start(node) else r.text.index(word, r.at)
        r.word(at, word)


def _rearrange(r: Reading, node: ast.Rearrange) -> None:
    r.word(r.start(node), node.word)
    if node.member is not None:
        r.visit(node.member)
        r.between("to" if node.word == "add" else "from", r.start(node.target))
    r.visit(node.target)


def _decide(r: Reading, node: ast.Decide) -> None:
    r.word(r.start(node), "chance" if node.form == "chance" else "decide")
    r.visit(node.name)
    if node.each is not None:
        r.word(r.text.index("together", r.at), "together")
    for part in (node.by, node.each):
        if part is not None:
            r.between("by", r.start(part))
            r.visit(part)
    text_as_written(r, node.doc)
    r.block(node.options, r.column(node))
    if node.otherwise is not None:
        r.visit(node.otherwise)


def _draw(r: Reading, node: ast.Draw) -> None:
    r.word(r.start(node), "roll" if node.by is None else "choose")
    r.visit(node.name)
    r.arguments(node.params)
    r.steps(node, (("by", "by", ""), ("weight", "weight", "")))


def _option_param(r: Reading, node: ast.OptionParam) -> None:
    r.steps(node, (("name", "", ""), ("low", "in", ""), ("high", "..", "")))
    if node.none:
        at = r.text.index("none", r.at)
        if r.text[r.at : at].strip(") \n") != "or":
            raise OtherTreeError
        r.word(at, "none")
    r.steps(node, (("where", "where", ""), ("reason", "", ""), ("private", "", "")))


def _option(r: Reading, node: ast.OptionDef) -> None:
    r.word(r.start(node), "option")
    r.visit(node.name)
    if node.params:
        r.arguments(node.params)
    r.steps(node, (("by", "by", ""), ("weight", "weight", ""), ("doc", "", "")))
    r.block(node.body, r.column(node))


def _shared(r: Reading, node: ast.Shared) -> None:
    r.word(r.start(node), "with" if node.params else "when")
    for param in node.params:
        r.visit(param)
    if node.condition is not None and node.params:
        r.between("when", r.start(node.condition))
    r.steps(node, (("condition", "", ""), ("reason", "", "")))
    r.block(node.options, r.column(node))


def _item(r: Reading, node: Any) -> None:
    if node.modifier:
        r.word(r.start(node), node.modifier)
    word = HEADS[type(node)]
    at = r.start(node) if not node.modifier else r.text.index(word, r.at)
    if r.text[r.at : at].strip() and node.modifier:
        raise OtherTreeError
    r.word(at, word)
    r.steps(node, SHAPES[type(node)])


def _remove(r: Reading, node: ast.Remove) -> None:
    r.word(r.start(node), "remove")
    r.word(r.text.index(node.kind, r.at), node.kind)
    r.visit(node.name)
    if node.doc.text:
        raise OtherTreeError


def _change(r: Reading, node: ast.Change) -> None:
    r.word(r.start(node), "change")
    r.word(r.text.index(node.kind, r.at), node.kind)
    r.visit(node.name)
    if node.of is not None:
        r.between("of", r.start(node.of))
        r.visit(node.of)
    text_as_written(r, node.doc)
    r.block(node.edits, r.column(node))


def _edit(r: Reading, node: ast.Edit) -> None:
    if node.word == "add":
        r.visit(node.body[0])
        return
    r.word(r.start(node), node.word)
    r.visit(node.at)
    if node.word == "replace":
        r.between("with", r.start(node.value or node.body))
    if node.value is not None:
        r.visit(node.value)
    elif node.body:
        beside = node.word == "replace" and ":" not in r.text[r.at : r.start(node.body)]
        if beside and (len(node.body) != 1 or type(node.body[0]) is ast.CallStmt):
            raise OtherTreeError
        if beside:
            r.visit(node.body[0])
        else:
            r.block(node.body, r.column(node))


def _tiebreak(r: Reading, node: ast.Tiebreak) -> None:
    r.between("tiebreak", r.start(node))
    r.steps(node, (("name", "for", ""), ("source", "in", ""), ("key", "by", ""), ("value", "", "")))


def _end(r: Reading, node: ast.EndGame) -> None:
    r.word(r.start(node), "end")
    r.word(r.text.index("game", r.at), "game")
    r.steps(node, (("ending", "as", ""),))
    if node.winners is not None:
        r.between("won", r.start(node.winners))
        r.steps(node, (("winners", "by", ""),))


def _repeat(r: Reading, node: ast.Repeat) -> None:
    r.word(r.start(node), "repeat")
    if node.limit is not None:
        r.between("at", r.start(node.limit))
        r.steps(node, (("limit", "most", ""),))
    r.block(node.body, r.column(node))


def _any_of(r: Reading, node: ast.AnyOf) -> None:
    r.word(r.start(node), "any")
    r.steps(node, (("source", "of", ""), ("lead", "lead", "")))


_SPECIAL: dict[type, Callable[[Reading, Any], None]] = {
    **EXPRESSIONS,
    ast.If: _if,
    ast.Match: _match,
    ast.Jump: _jump,
    ast.EndGame: _end,
    ast.Repeat: _repeat,
    ast.Rearrange: _rearrange,
    ast.Decide: _decide,
    ast.Draw: _draw,
    ast.OptionParam: _option_param,
    ast.OptionDef: _option,
    ast.Shared: _shared,
    ast.Def: _item,
    ast.Procedure: _item,
    ast.Guard: _item,
    ast.Invariant: _item,
    ast.Scoring: _item,
    ast.OptionGroup: _item,
    ast.Extend: _item,
    ast.Remove: _remove,
    ast.Change: _change,
    ast.Edit: _edit,
    ast.Tiebreak: _tiebreak,
    ast.AnyOf: _any_of,
}
