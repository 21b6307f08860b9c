"""The words of the code: values, functions and modules are named by nouns, and docstrings begin with one."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from folders import ROOT

FOLDERS = ("rulespec", "engine", "cli", "lsp", "drawing", "pages", "serve", "guests", "tests")
PARTICIPLES = ("told", "kept", "made", "found", "given", "anew", "here", "once")
OPENINGS = ("What", "Who", "How")
PHRASES = (r"\banew\b", r"\bas far as\b", r"\b(?:is|are|was|were|be) told\b(?! apart)")
FORMS = [form for word in PARTICIPLES for form in (word, word.capitalize(), word.upper())]
MAYBE = [
    *(re.compile(rf"{form}(?<![A-Za-z0-9]{form})_*\s*(?:[-+*/%&|^@<>=:,)\]}}([]|in\b)") for form in FORMS),
    *(re.compile(rf"{opening}(?<=[\"'\s]{opening})\s") for opening in OPENINGS),
    *(re.compile(phrase) for phrase in ("anew", "as far as", "[se] told")),
]
"""One of them is in each text with such a word. Most modules have none, and need no tree; a literal first is quick."""
OF_THE_LANGUAGE = {"Once", "Told", "once", "told"}
"""Nodes and rules of the grammar that are called like the words of the language."""
GRAMMAR = ("rulespec/syntax/ast.py", "rulespec/syntax/expression_builder.py", "rulespec/typed/nodes.py")


def modules() -> dict[str, Path]:
    paths = [p for folder in FOLDERS for p in (ROOT / folder).rglob("*.py") if "__pycache__" not in p.parts]
    return {str(p.relative_to(ROOT)): p for p in paths}


def bound(node: ast.AST) -> str:
    """The name that a node gives to a value, a function or a class; "" if it gives none."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
    return ""


def identifiers(file: str, nodes: list[ast.AST]) -> int:
    names = [name for node in nodes if (name := bound(node))]
    language = OF_THE_LANGUAGE if file in GRAMMAR else set()
    named = [name for name in names if name not in language and name.strip("_").lower() in PARTICIPLES]
    return len(named) + (Path(file).stem in PARTICIPLES)


def walked(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree; `ast.walk` takes twice as long."""
    results = [tree]
    for node in results:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                results += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                results.append(value)
    return results


def docstrings(nodes: list[ast.AST]) -> list[str]:
    parts = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [doc for node in nodes if isinstance(node, parts) and (doc := ast.get_docstring(node))]


def is_suspect(text: str) -> bool:
    """Whether a text may have such a word."""
    return any(pattern.search(text) for pattern in MAYBE)


def measured() -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {"identifiers": Counter(), "openings": Counter(), "phrases": Counter()}
    for file, path in modules().items():
        text = path.read_text("utf-8")
        if not is_suspect(text) and path.stem not in PARTICIPLES:
            continue
        nodes = walked(ast.parse(text))
        docs = docstrings(nodes)
        counts["identifiers"][file] = identifiers(file, nodes)
        counts["openings"][file] = sum(doc.split(maxsplit=1)[0] in OPENINGS for doc in docs)
        counts["phrases"][file] = sum(len(re.findall(phrase, doc)) for doc in docs for phrase in PHRASES)
    return {kind: {file: n for file, n in sorted(of.items()) if n} for kind, of in counts.items()}


def test_there_are_no_words_of_habit() -> None:
    assert measured() == {"identifiers": {}, "openings": {}, "phrases": {}}


@pytest.mark.parametrize(
    "text", ["_made_ = 1", "for a, Told in b: pass", "with a as here:", "[kept, a] = b", "made += 1"]
)
def test_a_text_with_such_a_word_is_looked_into(text: str) -> None:
    assert is_suspect(text) and not is_suspect("rules tell what they made of it here")


@pytest.mark.parametrize(
    "text, count",
    [("found = 1", 1), ("def f(told): pass", 1), ("class Kept: pass", 1), ("x.here = 2", 1), ("results = here", 0)],
)
def test_names_that_are_no_nouns_are_counted(text: str, count: int) -> None:
    assert identifiers("engine/some.py", list(ast.walk(ast.parse(text)))) == count


# --- clocks -----------------------------------------------------------------------------------------------------------

CLOCKED = {
    "tests/support/deadlines.py": "the deadline of what is waited for",
    "tests/engine/verify/test_play_check.py": "clocks that jump, of which nothing that is played may depend",
}
"""The test modules that name a clock, each with the reason."""
CLOCKS = r"\b(?:process_time|perf_counter|monotonic|thread_time|time_ns|time\.time|time\.clock_gettime)\b"
WAITS = r"\btime\.sleep\(|\bimport sleep\b|\btimeout=\d"


def test_no_test_reads_a_clock_or_waits_for_seconds_of_its_own() -> None:
    texts = {file: path.read_text("utf-8") for file, path in modules().items() if file.startswith("tests/")}
    clocked = {file for file, text in texts.items() if re.search(f"{CLOCKS}|{WAITS}", text)}
    assert clocked - {"tests/test_vocabulary.py"} == CLOCKED.keys(), "see `until` and `soon` in tests/support"


@pytest.mark.parametrize("line", ["begun = monotonic()", "from time import sleep", "recv(timeout=15)", "time.time()"])
def test_a_clock_is_noticed(line: str) -> None:
    assert re.search(f"{CLOCKS}|{WAITS}", line)
