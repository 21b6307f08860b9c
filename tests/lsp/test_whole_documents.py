"""Folding, names by what they are, and the search for names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from editor import Editor
from folders import RULESETS

from rulespec.cli.main import run
from rulespec.lsp.coverage_lenses import RECORD
from rulespec.lsp.overviews import FoldedLines, folds

PLAY = "rules/play.rules"


@pytest.fixture
def nim(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RULESETS / "nim", tmp_path / "nim"))


def words(editor: Editor, name: str) -> list[tuple[str, str, list[str]]]:
    """The names of a document, each with its type and its modifiers, as the server says them."""
    legend = editor.capabilities["semanticTokensProvider"]["legend"]
    document = {"textDocument": {"uri": editor.path(name).as_uri()}}
    data = editor.ask("textDocument/semanticTokens/full", document)["data"]
    lines = editor.texts[editor.path(name)].split("\n")
    results, line, column = [], 0, 0
    for i in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[i : i + 5]
        line, column = line + down, right + (column if not down else 0)
        named = [m for bit, m in enumerate(legend["tokenModifiers"]) if modifiers >> bit & 1]
        results.append((lines[line][column : column + length], legend["tokenTypes"][kind], named))
    return results


def searched(editor: Editor, query: str) -> list[Any]:
    results = editor.ask("workspace/symbol", {"query": query})
    return [(result["name"], Path(result["location"]["uri"]).name) for result in results]


def test_names_are_known_searched_and_folded_also_while_a_file_is_broken(nim: Path) -> None:
    with Editor(nim) as editor:
        editor.open(PLAY)
        known = words(editor, PLAY)
        assert known[0] == ("play", "method", ["declaration"])
        assert ("turn", "method", []) in known and ("turn", "method", ["declaration"]) in known
        assert ("most", "variable", ["readonly"]) in known and ("stone", "struct", []) in known
        assert ("heap", "property", []) in known and ("player", "class", []) in known
        assert ("turn", "play.rules") in searched(editor, "turn")
        assert ("stone", "kinds.yaml") in searched(editor, "STN")
        assert ("most", "tables.yaml") in searched(editor, "") and searched(editor, "xyzzy") == []
        document = {"textDocument": {"uri": editor.path(PLAY).as_uri()}}
        listed = editor.ask("textDocument/foldingRange", document)
        assert {(fold["startLine"], fold["endLine"]) for fold in listed} >= {(0, 4), (2, 4), (3, 4)}
        editor.change(PLAY, editor.texts[editor.path(PLAY)] + "\nprocedure (\n")
        assert words(editor, PLAY) == known
        editor.open("kinds.yaml")
        assert ("stone", "struct", ["declaration"]) in words(editor, "kinds.yaml")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        ("a:\n  b\n", [(0, 1, False)]),
        ("a:\n  b:\n    c\n\n\nd\n", [(1, 2, False), (0, 2, False)]),
        ("# one\n# two\na\n", [(0, 1, True)]),
        ("# one\na:\n  # x\n  # y\n  b\n", [(2, 3, True), (1, 4, False)]),
        ("\t\n \n", []),
        ("a\nb\n", []),
    ],
)
def test_folds_of_a_text(text: str, expected: list[tuple[int, int, bool]]) -> None:
    assert list(folds(text.split("\n"))) == [FoldedLines(*each) for each in expected]


def lenses(editor: Editor, name: str) -> list[tuple[int, str]]:
    """The lenses of a document: lines from 1, and texts without their dates."""
    document = {"textDocument": {"uri": editor.path(name).as_uri()}}
    listed = editor.ask("textDocument/codeLens", document)
    return [(lens["range"]["start"]["line"] + 1, lens["command"]["title"].partition(" · ")[0]) for lens in listed]


def test_lenses_count_what_tests_ran_while_lines_move(nim: Path) -> None:
    assert run(["coverage", str(nim), "--playouts", "2", "--format", "json", "--out", str(nim / RECORD)]) == 0
    units = json.loads((nim / RECORD).read_text("utf-8"))["units"]
    takes = next(unit for unit in units if unit["kind"] == "option")
    count = takes["outcomes"]["legal"]["count"]
    with Editor(nim) as editor:
        editor.open(PLAY)
        listed = lenses(editor, PLAY)
        assert (takes["line"], f"run {count} times by 2 tests") in [
            (line, text.partition(",")[0]) for line, text in listed
        ]
        editor.change(PLAY, "# a remark\n\n" + editor.texts[editor.path(PLAY)])
        assert lenses(editor, PLAY) == [(line + 2, text) for line, text in listed]
        for broken in (b"{", b"[" * 100_000, b'{"units": 3, "missing": []}', b"\xff"):
            (nim / RECORD).write_bytes(broken)
            assert lenses(editor, PLAY) == []
        (nim / RECORD).unlink()
        assert lenses(editor, PLAY) == []


SCENARIOS = """\
scenarios:
  - id: own.01
    title: Own
    when: ["A: take(1)"]
    then: {illegal: ["take(9)", "take("], values: {"stone.heap + 1": 10}}
"""


def test_a_scenario_tells_why(nim: Path) -> None:
    name = "scenarios/own.yaml"
    (nim / name).parent.mkdir(exist_ok=True)
    (nim / name).write_text("scenarios: []\n", "utf-8")
    with Editor(nim) as editor:
        editor.open(name)
        editor.change(name, SCENARIOS)

        def hover(text: str) -> str:
            answer = editor.ask("textDocument/hover", editor.at(name, text, 1))
            return answer["contents"]["value"] if answer else ""

        assert hover("A: take(1)").startswith("```text\ntake(1): legal")
        assert "NIM-03" in hover('"take(9)"')
        assert hover('"take("') == hover("own.01") == ""
        assert "stone.heap + 1" in hover('"stone.heap') and "?" not in hover('"stone.heap')
        editor.change(name, SCENARIOS.replace("take(1)", "take(8)"))
        assert "refused" in hover("A: take(8)") and hover('"take(9)"') == ""  # the scenario does not get there
        editor.change(name, SCENARIOS.replace("scenarios:", "scenarios: ["))
        assert hover("A: take(1)") == ""
