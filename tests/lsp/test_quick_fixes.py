"""Quick fixes: what `validate --fix` puts right, the editor offers, in files of the ruleset at hand."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import invoke
from editor import Editor
from folders import GAMES

FACTORY = "rules/factory.rules"


def offered(editor: Editor, name: str) -> list[Any]:
    """The quick fixes for a whole document."""
    document = {"uri": editor.path(name).as_uri()}
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 100_000, "character": 0}}
    results: list[Any] = editor.ask(
        "textDocument/codeAction", {"textDocument": document, "range": everything, "context": {"diagnostics": []}}
    )
    return results


def applied(editor: Editor, action: Any) -> dict[str, str]:
    """The files that a quick fix changes, with their new texts."""
    result = {}
    for uri, edits in action["edit"]["changes"].items():
        path = Path(uri.removeprefix("file://"))
        lines = editor.texts.get(path, path.read_text("utf-8")).split("\n")
        [edit] = edits
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["line"] == end["line"]
        line = lines[start["line"]]
        lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
        result[str(path.relative_to(editor.folder))] = "\n".join(lines)
    return result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(GAMES / "imperial", tmp_path / "games" / "imperial", ignore=shutil.ignore_patterns("logs"))
    return tmp_path / "games" / "imperial"


@pytest.mark.parametrize(
    "name, right, wrong",
    [
        (FACTORY, "require not occupied(site)", "require not ocupied(site)"),  # a definition
        (FACTORY, "pay factory_cost from", "pay factory_cots from"),  # a constant
        ("rules/rondel.rules", "n.treasury", "n.treasry"),  # a field
        ("variants/cheap_factories.yaml", "constants.factory_cost", "constants.factory_cots"),  # a path of an overlay
        ("map.yaml", "terrain: land", "terrain: lnad"),  # an entity in YAML
    ],
)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_what_fix_puts_right_the_editor_offers(folder: Path, name: str, right: str, wrong: str) -> None:
    text = (folder / name).read_text("utf-8")
    if right not in text:
        right, wrong = "treasury", "treasry"
    start = text.index(right)
    broken = text[:start] + wrong + text[start + len(right) :]
    with Editor(folder) as editor:
        assert editor.open(name, broken) != []
        results = [applied(editor, action) for action in offered(editor, name)]
    (folder / name).write_text(broken, "utf-8")
    ref = f"{folder}+{Path(name).stem}" if name.startswith("variants/") else str(folder)
    invoke("validate", ref, "--fix", "--yes")
    by_command = (folder / name).read_text("utf-8")
    assert by_command == text
    assert {name: text} in results


@pytest.mark.proof
def test_a_fix_in_somebody_elses_file_is_not_offered(folder: Path, tmp_path: Path) -> None:
    rules = folder / FACTORY
    rules.write_text(rules.read_text("utf-8").replace("not occupied(site)", "not ocupied(site)"), "utf-8")
    (tmp_path / "mine.yaml").write_text('id: mine\ntitle: Mine\nfor: imperial\nversion: "1.0"\n')
    with Editor(tmp_path) as editor:
        editor.open("mine.yaml")
        assert offered(editor, "mine.yaml") == []


def test_where_two_names_are_near_both_are_offered_and_where_none_is_nothing(folder: Path) -> None:
    name = "rules/end.rules"
    text = (folder / name).read_text(
        "utf-8"
    ) + "\ndef own(n: nation) -> bool: any(r in region where count(%s(n, r)) > 0)\n"
    with Editor(folder) as editor:
        [problem] = editor.open(name, text % "foxces")
        assert problem["message"].endswith("did you mean `forces` or `foes`?")
        actions = offered(editor, name)
        assert [action["title"] for action in actions] == ["write `forces`", "write `foes`"]
        assert [applied(editor, action) for action in actions] == [{name: text % "forces"}, {name: text % "foes"}]
        assert {action["diagnostics"][0]["message"] for action in actions} == {problem["message"]}
        assert editor.change(name, text % "zzzzzz") != []
        assert offered(editor, name) == []
