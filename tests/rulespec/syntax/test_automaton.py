"""The automaton reads what Lark reads, and makes the same trees with the same places."""

from __future__ import annotations

import random
import string
from typing import Any

import pytest
from folders import shipped_files
from lark import Token as LarkToken
from lark import Transformer_NonRecursive, Tree
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError
from lark_parser import plain_lark

from fuzz.grammar import Writer
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.syntax import parse_table
from rulespec.syntax.automaton import Token, UnfitError
from rulespec.syntax.origin import Origin
from rulespec.syntax.tree import _automaton, tables

NAMES = ("a", "town", "tax", "from_", "order", "def", "best", "minimum")


class _ByLark(Transformer_NonRecursive):  # type: ignore[type-arg]
    """Lark's own way from its tree to another, with the methods that the automaton calls."""

    def _call_userfunc(self, tree: Tree[Any], new_children: Any = None) -> Any:
        _, builder = _automaton()
        meta: Any = tree.meta
        place = None if meta.empty else (meta.line, meta.column, meta.end_line, meta.end_column)
        return getattr(builder, tree.data)(builder.origin.span_of(place), new_children)

    def _call_userfunc_token(self, token: LarkToken) -> Token:
        own = Token(token)
        assert token.line and token.column and token.end_line and token.end_column
        own.type, own.place = token.type, (token.line, token.column, token.end_line, token.end_column)
        return own


def _outcomes(text: str, start: str, origin: Origin) -> tuple[object, object]:
    """The results of the automaton and of Lark for a text; the refusal, if there is one."""
    reader, builder = _automaton()
    builder.origin = origin
    try:
        ours: object = reader.parse(text, start, origin)
    except UnfitError:
        ours = "unfit"
    except DiagnosticsError as error:
        ours = error.diagnostics
    try:
        theirs: object = _ByLark().transform(plain_lark().parse(text, start=start))
    except (UnexpectedInput, DedentError):
        theirs = "unfit"
    except DiagnosticsError as error:
        theirs = error.diagnostics
    if theirs == "unfit" and ours != "unfit":  # it stops where a node cannot be made; Lark is asked about the rest
        assert isinstance(ours, tuple)
        return theirs, theirs
    return ours, theirs


@pytest.mark.proof  # 1.0 s
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.proof)])
def test_shipped_rules_are_read_as_lark_reads_them(step: int) -> None:
    files = shipped_files("**/*.rules")
    assert len(files) > 30
    for file in files[::step]:
        ours, theirs = _outcomes(file.read_text("utf-8") + "\n", "rules", Origin(file.name))
        assert ours == theirs, file
        assert ours != "unfit", file


@pytest.mark.parametrize("start", parse_table.STARTS)
@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.proof)])
@pytest.mark.sampled(1)
def test_texts_made_from_the_grammar_are_read_as_lark_reads_them(start: str, count: int) -> None:
    rng = random.Random(start)
    writer = Writer(rng, NAMES)
    for number in range(count):
        text = writer.text(start, rng.randint(3, 14))
        origin = Origin("x.rules") if number % 2 else Origin("x.yaml", 7, 12)
        ours, theirs = _outcomes(text, start, origin)
        assert ours == theirs, text


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.proof)])
def test_damaged_texts_are_refused_where_lark_refuses_them(step: int) -> None:
    rng = random.Random(5)
    texts = [(file.read_text("utf-8") + "\n", "rules") for file in shipped_files("**/*.rules")[::step]]
    texts = [(text[:1500], start) for text, start in texts]
    writer = Writer(rng, NAMES)
    texts += [(writer.text("expr", 9), "expr") for _ in range(60 // step)]
    fit = 0
    for text, start in texts:
        for _ in range(4):
            at = rng.randrange(len(text))
            put = rng.choice(["", " ", "\n", "\n    ", "  ", "from ", "def ", *rng.choices(string.printable, k=4)])
            damaged = text[:at] + put + text[at + rng.randint(0, 3) :]
            ours, theirs = _outcomes(damaged, start, Origin("x.rules"))
            assert ours == theirs, damaged
            fit += ours != "unfit"
    assert fit > 30 // step


@pytest.mark.parametrize(
    "text, start",
    [
        ("order + best + ray + the + min + repeat_ + defx", "expr"),  # words only where something follows them
        ("the (x in s) + best(x in s by x) + min(1, 2) + ray(a, b)", "expr"),
        ("(((a)) + (b.c[d]))", "expr"),
        ("let", "expr"),
        ('"open', "expr"),
        ("", "expr"),
        ("", "rules"),
        ("\n\n", "rules"),
        (")", "expr"),
        ("order town", "type"),
        ("set set", "type"),
        ("procedure def():\n    pass\n", "rules"),
        ("procedure p():\n    let from = 1\n    move 1 from from to to\n", "rules"),
        ("procedure p():\n  if (a\n== b):\n     pass\n  pass\n", "rules"),
        ("procedure p():\n    if a:\n        pass\n      pass\n", "rules"),
        ("remove def x\nremovedef x\n", "rules"),
    ],
)
def test_odd_texts_are_read_as_lark_reads_them(text: str, start: str) -> None:
    ours, theirs = _outcomes(text, start, Origin("x.rules"))
    assert ours == theirs


def test_a_mistake_of_the_text_comes_before_one_of_its_parts() -> None:
    from rulespec.syntax.parser import parse_expr

    with pytest.raises(DiagnosticsError, match="RS131"):
        parse_expr("1234567890123456 + )", "x.rules")
    with pytest.raises(DiagnosticsError, match="RS134"):
        parse_expr("1234567890123456 + 1", "x.rules")


def test_the_tables_are_those_of_the_grammar() -> None:
    assert tables() == parse_table.automaton_tables(), "run `python -m rulespec.syntax.parse_table`"


def test_every_rule_has_a_method_that_makes_its_node() -> None:
    _, builder = _automaton()
    for rule in tables().rules:
        if rule.method and not (rule.alone and len(rule.parts) == 1):
            assert callable(getattr(builder, rule.method, None)), rule
