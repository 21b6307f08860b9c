"""Built-in functions and operators are named by their records, and by few other modules, each with its reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import ROOT

from rulespec.check.expressions.builtins import _ARGUMENTS
from rulespec.language import arithmetic
from rulespec.language.builtins import BUILTINS, PLACE
from rulespec.language.operators import OPERATORS
from rulespec.syntax.keywords import WORDS

FOLDERS = ("rulespec", "engine", "lsp", "cli", "serve", "guests", "drawing", "pages", "fuzz")
NAMES = {*BUILTINS, *OPERATORS}
OF_GRAMMAR = {"not", "in"}
"""Operators that are words of the grammar."""
WORDED = {name for name in NAMES if name.isalpha()} - OF_GRAMMAR
QUOTED = re.compile(rf"""["'](?:{"|".join(sorted(WORDED))})["']""")
"""In each module that names one, which is a sixth of them."""

BINDERS = "loops over members are forms of their own that are called `count`, `min`, `max`, `first` or `the`, too"
ORDERS = "orders are changed by the statements `add`, `take` and `move`, which are these operators"
SETS = "sets have words in wasm, and which of them an operator needs is a fact of wasm"
OTHERS = "the same word is a key of something else"
NAMED = {
    "drawing/guess.py": "the state of a token that says where it is",
    "rulespec/check/lints/tellings.py": "the state of a token that says where it is",
    "rulespec/check/steps.py": "the arguments of a minimum are bounds of it",
    "lsp/brought_kinds.py": "keys of game.yaml",
    "engine/python/expressions.py": "the table of a generator",
    "engine/wasm/operators.py": "the table of a generator",
    "engine/wasm/bags.py": "the table of a generator",
    "engine/wasm/paths.py": "the table of a generator",
    "rulespec/syntax/keywords.py": "the words of the grammar",
    "rulespec/syntax/printed.py": BINDERS,
    "rulespec/check/expressions/context.py": BINDERS,
    "rulespec/check/expressions/paths.py": BINDERS,
    "rulespec/check/expressions/sets.py": BINDERS,
    "rulespec/check/expressions/subsets.py": BINDERS,
    "rulespec/check/ranges.py": BINDERS,
    "rulespec/check/set_sizes.py": f"{BINDERS}; {ORDERS}",
    "rulespec/check/statements/assignments.py": BINDERS,
    "engine/game/witness.py": BINDERS,
    "engine/lower/derived_operators.py": BINDERS,
    "engine/lower/ranges.py": BINDERS,
    "engine/passes/equations.py": BINDERS,
    "engine/program/evaluator.py": BINDERS,
    "engine/program/verify.py": BINDERS,
    "engine/wasm/loops.py": BINDERS,
    "engine/wasm/ranked.py": BINDERS,
    "engine/why/tracer.py": BINDERS,
    "rulespec/check/lints/writes.py": ORDERS,
    "rulespec/check/lints/labels.py": ORDERS,
    "engine/program/cost.py": "the bits of a member bound an order",
    "engine/wasm/sights.py": SETS,
    "engine/wasm/widths.py": SETS,
    "engine/wasm/wide_sets.py": SETS,
    "engine/lower/expressions.py": "operators of rules that are others in programs",
    "engine/passes/fold_constants.py": "it replaces certain operators by others",
    "engine/passes/narrow.py": "it replaces certain operators by others",
    "engine/passes/rewrite.py": "it replaces certain operators by others",
    "engine/program/builder.py": "it leaves certain operators out where they change nothing",
    "engine/wasm/spread.py": "it finds searches from one member by the operator that makes their start",
    "engine/program/control_flow.py": "it finds loops over sets by the operator that begins each turn",
    "engine/coverage/items.py": "the words of statements that are made of an operator on orders",
    "rulespec/check/lints/unseen.py": "values that are in a set",
    "rulespec/check/lints/viewers.py": "all players but one are a difference of sets",
    "rulespec/check/lints/secret_flow.py": "members are told apart by their places in an order",
    "engine/lower/tokens.py": OTHERS,
    "engine/words/exported_texts.py": OTHERS,
    "cli/games.py": OTHERS,
    "drawing/drawing_names.py": OTHERS,
    "drawing/drawn_tokens.py": OTHERS,
    "drawing/reading/selectors.py": OTHERS,
    "drawing/undrawn.py": OTHERS,
}
"""Modules where a name of an operator or a function is compared, or is in a table; and why there."""


def named(path: Path) -> set[str]:
    """The names of operators and functions that a module compares with one, or has in a table of several."""
    text = path.read_text("utf-8")
    results: set[str] = set()
    if not QUOTED.search(text):
        return results
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare):
            compared = {name for side in (node.left, *node.comparators) for name in texts(side) if name in WORDED}
            if compared and re.search(r"\.op\b|\bname\b|\.text\b|\bword\b", ast.unparse(node)):
                results |= compared
        elif isinstance(node, ast.MatchValue):
            results |= {name for name in texts(node.value) if name in WORDED}
        elif isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            several = {name for part in parts if isinstance(part, ast.Constant) for name in texts(part)} & NAMES
            if len(several) > 1 and several & WORDED:
                results |= several
    return results


def texts(node: ast.expr) -> Iterator[str]:
    """The texts in an expression that is one, or that lists some."""
    for part in node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def modules() -> Iterator[Path]:
    for folder in FOLDERS:
        yield from (p for p in (ROOT / folder).rglob("*.py") if p.parent != ROOT / "rulespec" / "language")


def test_no_other_module_says_what_an_operator_is() -> None:
    results = {str(path.relative_to(ROOT)): names for path in modules() if (names := named(path))}
    assert {path: names for path, names in results.items() if path not in NAMED} == {}
    assert {path for path in NAMED if (ROOT / path).exists()} <= results.keys()


@pytest.mark.parametrize(
    "text, names",
    [
        ("a = e.op == 'abs'", {"abs"}),
        ("a = name in ('min', 'max')", {"min", "max"}),
        ("A = {'min': 1, 'max': 2}", {"min", "max"}),
        ("A = frozenset(['+', 'abs'])", {"+", "abs"}),
        ("a = op('abs', b)", set()),
        ("A = {'min': 1, 'most': 2}", set()),
        ("a = sign in ('+', '-')", set()),
    ],
)
def test_a_name_is_seen(text: str, names: set[str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(text, "utf-8")
    assert named(tmp_path / "a.py") == names


def test_what_a_parameter_takes_is_known() -> None:
    assert {each.takes for f in BUILTINS.values() for each in f.parameters} <= {*_ARGUMENTS, PLACE}


def test_a_function_that_is_an_operator_takes_as_many_arguments() -> None:
    """But for those that are another operator in programs."""
    for f in BUILTINS.values():
        if f.name == f.operator and f.name in OPERATORS and f.name != "next":
            assert OPERATORS[f.operator].takes(max(2, len(f.parameters)) if f.any_number else len(f.parameters)), f.name


def test_reserved_functions_are_words_of_the_language() -> None:
    assert {name for name, f in BUILTINS.items() if f.reserved} == WORDS & BUILTINS.keys()


def test_a_meaning_in_small_python_has_the_name_of_its_operator() -> None:
    for name, each in OPERATORS.items():
        if getattr(each.meaning, "__module__", "") == arithmetic.__name__:
            assert each.meaning.__name__ == name
