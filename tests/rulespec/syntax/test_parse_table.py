"""The files of the parser's tables: written beside the grammar, and read only if they come from it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from folders import ROOT
from lark_parser import stored

from rulespec.syntax import parse_table
from rulespec.syntax.lexer import Blocks

FILES = ("automaton.json", "grammar.json")
READ = """\
import json, sys
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.syntax.parser import parse_expr
tree = str(parse_expr("a + b * (c - 1)", "x.rules"))
lark = "lark" in sys.modules  # needed only to build tables, and to tell what is wrong with a text
from rulespec.syntax import parse_table
built = []
build = parse_table.build
parse_table.build = lambda postlex: built.append(1) or build(postlex)
try:
    parse_expr("a + )", "x.rules")
except DiagnosticsError as error:
    print(json.dumps([tree, str(error), lark, bool(built)]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The grammar's folder in a copy of the package without tables."""
    ignored = shutil.ignore_patterns("__pycache__", *FILES)
    shutil.copytree(ROOT / "rulespec", tmp_path / "rulespec", symlinks=True, ignore=ignored)
    return tmp_path / "rulespec" / "syntax"


def python(folder: Path, *words: str) -> str:
    return subprocess.run(
        [sys.executable, *words], cwd=folder.parents[1], env={}, capture_output=True, text=True, check=True
    ).stdout


def read(folder: Path) -> tuple[list[str], list[bool]]:
    """A tree and a diagnostic; whether tables were built for the one and for the other."""
    tree, diagnostic, *built = json.loads(python(folder, "-c", READ))
    return [tree, diagnostic], built


@pytest.mark.proof
def test_tables_are_read_from_files_of_this_grammar_only(folder: Path) -> None:
    results, built = read(folder)
    assert built == [True, True]
    python(folder, "-m", "rulespec.syntax.parse_table")
    assert read(folder) == (results, [False, False])
    for file, without in zip(FILES, ([True, False], [False, True]), strict=True):
        content = (folder / file).read_bytes()
        (folder / file).write_bytes(content[: len(content) // 2])
        assert read(folder) == (results, without)
        (folder / file).write_bytes(content)
    grammar = folder / "grammar.lark"
    grammar.write_text(grammar.read_text("utf-8") + "\n// changed\n", "utf-8")
    assert read(folder) == (results, [True, True])


@pytest.mark.proof
def test_two_builds_write_the_same_bytes(folder: Path) -> None:
    written = []
    for _ in range(2):
        python(folder, "-m", "rulespec.syntax.parse_table")
        written.append([(folder / file).read_bytes() for file in FILES])
    assert written[0] == written[1]


@pytest.mark.proof  # 1.2 s; `test_automaton.py` compares the tables
def test_a_grammar_built_again_parses_alike() -> None:
    assert parse_table.is_current()
    fresh = parse_table.build(Blocks())
    text = "procedure p(n: town):\n    if n.tax > 1 and n in {x in town where x.tax > 2}:\n        return\n"
    assert fresh.parse(text, start="rules") == stored().parse(text, start="rules")
