"""Renaming: a thing is identified by its declaration; its whole ruleset is updated, and no other files change."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import invoke
from editor import Editor
from folders import GAMES, RULESETS

from rulespec.diagnostics.report import Report
from rulespec.drawing.board import board
from rulespec.drawing.scene import to_svg
from rulespec.engine.words.words import Words
from rulespec.fixes import fixed
from rulespec.load import load_ruleset
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import NameIndex
from rulespec.lsp.project import check, reference
from rulespec.lsp.rename import RenameError, Renaming, rename


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shipped games without recorded games, found by their ids; the current folder is beside them."""
    target = tmp_path / "games"
    shutil.copytree(GAMES, target, ignore=shutil.ignore_patterns("logs", "perft"))
    monkeypatch.chdir(tmp_path)
    return target


def renaming(path: Path, word: str, new: str, number: int = 0) -> Renaming:
    """The renaming of a word in a file, at one of its occurrences."""
    files = EditorFiles()
    ref = reference(path, files)
    assert ref is not None
    checked, _ = check(ref, files)
    assert checked is not None
    text = path.read_text("utf-8")
    start = list(re.finditer(rf"\b{word}\b", text))[number].start()
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    file = next(file for file in checked.texts if Path(file).resolve() == path.resolve())
    return rename(NameIndex(checked), (file, line, column), new, files)


def renamed(path: Path, word: str, new: str, number: int = 0) -> set[str]:
    """Renames a word in a file; returns the names of the changed files, relative to the folder of rulesets."""
    edits = renaming(path, word, new, number).edits
    texts = {edit.span.file: Path(edit.span.file).read_text("utf-8") for edit in edits}
    for file, text in fixed(texts, edits).items():
        Path(file).write_text(text, "utf-8")
    return {str(Path(file).resolve()) for file in texts}


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def has(folder: Path, word: str) -> list[str]:
    """The files in a folder that contain a word outside comments."""
    texts = {p: re.sub(r"#.*", "", p.read_text("utf-8")) for p in folder.rglob("*") if p.suffix in (".yaml", ".rules")}
    return [p.name for p, text in texts.items() if re.search(rf"\b{word}\b", text)]


@pytest.fixture
def mine(games: Path) -> Path:
    """A map as written by `new`, with a picture and words; `beside` is an unrelated, similar one."""
    assert invoke("new", "mine", "--from", "imperial", "--map", "london,paris,sea1", "--to", games)[0] == 0
    folder = games / "mine"
    map_ = yaml.safe_load((folder / "map.yaml").read_text("utf-8"))
    assert set(map_["map"]["regions"]) == {"london", "paris", "sea1"}
    drawing: dict[str, Any] = {"boards": {"region": {"positions": {"london": [7, 8], "paris": [1, 2], "sea1": [3, 4]}}}}
    (folder / "drawing.yaml").write_text(yaml.safe_dump({"drawing": drawing}), "utf-8")
    shape = {"boards": {"region": {"outlines": {"london": {"outline": "M0 0l9 0 0 9z"}}}}}
    (folder / "outlines.yaml").write_text(yaml.safe_dump({"drawing": shape}), "utf-8")
    for language in ("titles.de", "titles.fr"):
        (folder / f"{language}.yaml").write_text("entities:\n  region:\n    london: Londinium\n", "utf-8")
    shutil.copytree(folder, games / "beside")
    return folder


# --- nobody else's files ----------------------------------------------------------------------------------------------


@pytest.mark.proof
def test_a_region_of_ones_own_map_is_another_one_than_that_of_the_base(mine: Path) -> None:
    others = {p: data for p, data in contents(mine.parent).items() if not p.is_relative_to(mine)}
    errors = invoke("validate", mine)[1].count("error[")
    changed = renamed(mine / "map.yaml", "london", "camelot")
    files = {"map.yaml", "drawing.yaml", "outlines.yaml", "titles.de.yaml", "titles.fr.yaml"}
    assert {Path(file).name for file in changed} == files
    assert has(mine, "london") == []
    assert {p: data for p, data in contents(mine.parent).items() if not p.is_relative_to(mine)} == others
    assert invoke("validate", mine)[1].count("error[") == errors
    drawing = yaml.safe_load((mine / "drawing.yaml").read_text("utf-8"))["drawing"]
    assert drawing["boards"]["region"]["positions"]["camelot"] == [7, 8]
    for language in ("de", "fr"):
        titles = yaml.safe_load((mine / f"titles.{language}.yaml").read_text("utf-8"))
        assert titles["entities"]["region"] == {"camelot": "Londinium"}


@pytest.mark.proof
def test_a_region_of_a_shipped_map_is_another_one_than_that_of_a_map_that_extends_it(games: Path) -> None:
    result = renaming(games / "imperial" / "map.yaml", "berlin", "spandau", 5)
    assert all((games / "imperial").resolve() in Path(e.span.file).resolve().parents for e in result.edits)
    result = renaming(games / "imperial_2030" / "map.yaml", "berlin", "spandau")
    assert {e.span.file for e in result.edits} and all("imperial_2030" in e.span.file for e in result.edits)


@pytest.mark.parametrize(
    "file, word, number, declared",
    [
        ("imperial_2030/kinds.yaml", "army_pieces", 0, "imperial/kinds.yaml"),
        ("tutorial/kinds.yaml", "nation", 0, "imperial/kinds.yaml"),
        ("tutorial/setup.yaml", "supply", 0, "imperial/kinds.yaml"),
        ("tutorial/tables.yaml", "factory_pieces", 0, "imperial/tables.yaml"),
    ],
)
@pytest.mark.sampled(1)
def test_what_a_base_declares_keeps_its_name(games: Path, file: str, word: str, number: int, declared: str) -> None:
    with pytest.raises(RenameError) as error:
        renaming(games / file, word, "other", number)
    assert f"`{word}` is declared in" in str(error.value) and declared in str(error.value)
    assert str(error.value).count(". ") == 0


@pytest.mark.proof
def test_an_overlay_of_ones_own_renames_what_it_adds_and_nothing_of_its_base(games: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        'id: mine\ntitle: Mine\nfor: imperial\nversion: "1.0"\nadd:\n  constants.max_factories: 3\n'
        "changes:\n  constants.factory_cost: 4 money\n"
    )
    (tmp_path / "mine.rules").write_text("def fits(n: int) -> bool:\n    n < max_factories\n")
    before = contents(games)
    assert {Path(f).name for f in renamed(tmp_path / "mine.yaml", "max_factories", "highest")} == {
        "mine.yaml",
        "mine.rules",
    }
    assert "constants.highest: 3" in (tmp_path / "mine.yaml").read_text()
    assert "n < highest" in (tmp_path / "mine.rules").read_text()
    assert {Path(f).name for f in renamed(tmp_path / "mine.rules", "fits", "is_small")} == {"mine.rules"}
    with pytest.raises(RenameError, match="`factory_cost` is declared in"):
        renaming(tmp_path / "mine.yaml", "factory_cost", "price")
    assert contents(games) == before


# --- all of one's own -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref, file, word, number, new, files",
    [
        ("tutorial", "map.yaml", "marsh", 0, "fen", "drawing map start titles.de"),
        ("tutorial", "kinds.yaml", "reed", 0, "rush", "details drawing kinds map start tables titles.de"),
        ("tetrarchia", "map.yaml", "syria", 0, "palmyra", "outlines map"),
        ("tetrarchia", "game.yaml", "initial_armies", 0, "first_armies", ""),
        ("shadow_of_the_emperor", "kinds.yaml", "hall", 0, "great_hall", ""),
        ("chess", "kinds.yaml", "bishop", 0, "runner", ""),
        ("leduc_poker", "kinds.yaml", "queen_of_hearts", 0, "lady", ""),
    ],
)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_everything_inside_follows(
    games: Path, ref: str, file: str, word: str, number: int, new: str, files: str
) -> None:
    folder = next(path.parent for path in games.rglob("game.yaml") if path.parent.name == ref)
    ruleset = load_ruleset(str(folder))
    picture, warnings = to_svg(board(ruleset, None)), Report()
    load_ruleset(str(folder), warnings)
    tests = invoke("test", folder, "--backend", "python")[1].rpartition(" · ")[0]
    changed = {Path(f).name.removesuffix(".yaml") for f in renamed(folder / file, word, new, number)}
    assert changed >= set(files.split())
    after, now = load_ruleset(str(folder)), Report()
    load_ruleset(str(folder), now)
    assert [d.code for d in now.diagnostics] == [d.code for d in warnings.diagnostics]
    assert invoke("test", folder, "--backend", "python")[1].rpartition(" · ")[0] == tests
    drawn = to_svg(board(after, None))
    assert len(re.findall("<path|<circle|<rect", drawn)) == len(re.findall("<path|<circle|<rect", picture))


@pytest.mark.proof
def test_position_and_title_stay(games: Path) -> None:
    before = Words(load_ruleset(str(games / "tutorial")), "de")
    renamed(games / "tutorial" / "map.yaml", "marsh", "fen")
    after = Words(load_ruleset(str(games / "tutorial")), "de")
    assert before.titles("region", ("A", "B")) == after.titles("region", ("A", "B"))
    assert "fen: [58, 86]" in (games / "tutorial" / "drawing.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    "file, word, new",
    [
        ("rules/factory.rules", "works", "is_working"),  # a definition
        ("tables.yaml", "import_limit", "most_imports"),  # a constant, changed by overlays by its path
        ("kinds.yaml", "swiss_bank", "bank_of_basel"),  # a field, named in scenarios with other seats
        ("game.yaml", "forced_stop", "forced"),  # a setting
        ("map.yaml", "port", "harbour"),  # a fact, removed by an overlay for some entities
    ],
)
@pytest.mark.proof
def test_overlays_follow_and_stay_sound(games: Path, file: str, word: str, new: str) -> None:
    folder = games / "imperial"
    text, number = (folder / file).read_text("utf-8"), 0
    number = next(i for i, m in enumerate(re.finditer(rf"\b{word}\b", text)) if _is_code(text, m.start()))
    renamed(folder / file, word, new, number)
    for overlay in ("", "+first_edition", "+five_nations", "+playimperial"):
        load_ruleset(f"{folder}{overlay}")
    tests = invoke("test", folder, "--backend", "python", "--only", "R.1")
    assert tests[0] == 0, tests


def _is_code(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return "#" not in line and "doc" not in line


@pytest.mark.proof
def test_questions_follow_what_they_ask(games: Path) -> None:
    """The measure and the entity named by a question are renamed, and so are titles."""
    imperial = games / "imperial"
    measures = imperial / "measures.yaml"
    with measures.open("a", encoding="utf-8") as file:
        file.write(
            "questions:\n  money: {asks: treasury, of: italy, matters: 5}\n  most: {asks: cash, of: most, matters: 5}\n"
        )
    with (imperial / "titles.yaml").open("a", encoding="utf-8") as file:
        file.write("measures: {treasury: gold}\n")
    assert renamed(imperial / "kinds.yaml", "italy", "sardinia") >= {str(measures)}
    assert "{asks: treasury, of: sardinia, matters: 5}" in measures.read_text("utf-8")
    changed = renamed(measures, "treasury", "coffers")
    assert changed >= {str(measures), str(imperial / "titles.yaml")}
    text = measures.read_text("utf-8")
    assert "  coffers: {of: nation, value: nation.treasury}" in text and "{asks: coffers, of: sardinia" in text
    assert "measures: {coffers: gold}" in (imperial / "titles.yaml").read_text("utf-8")
    report = Report()
    load_ruleset(str(imperial), report)
    assert report.diagnostics == ()


@pytest.mark.proof
def test_the_name_in_foreign_logs_stays(games: Path) -> None:
    result = renaming(games / "imperial" / "map.yaml", "berlin", "spandau", 5)
    [entry] = [e for e in result.edits if e.span.file.endswith("dialects/playimperial.yaml")]
    assert entry.text == 'spandau: "berlin", '
    texts = {e.span.file: Path(e.span.file).read_text("utf-8") for e in result.edits}
    for file, text in fixed(texts, result.edits).items():
        Path(file).write_text(text, "utf-8")
    log = GAMES / "imperial/logs/playimperial/c002-standard-4p.json"
    assert invoke("replay", log, "--rules", f"{games}/imperial+playimperial")[0] == 0


@pytest.mark.proof  # 0.7 s
def test_recorded_games_are_left_as_they_are_and_that_is_said(games: Path) -> None:
    shutil.copytree(GAMES / "tutorial" / "logs", games / "tutorial" / "logs")
    result = renaming(games / "tutorial" / "map.yaml", "marsh", "fen")
    assert not any("logs" in e.span.file for e in result.edits)
    assert any("recorded games in logs/ are not changed" in remark for remark in result.remarks)


@pytest.mark.proof
def test_a_name_in_quotes_and_one_in_folded_text_are_found(games: Path) -> None:
    folder = games / "tutorial"
    text = (folder / "map.yaml").read_text("utf-8")
    (folder / "map.yaml").write_text(
        text.replace("    marsh: {", '    "marsh": {').replace("marsh, isle]", "'marsh', isle]")
    )
    with (folder / "scenarios" / "start.yaml").open("a") as file:
        file.write(
            "\n  - id: tutorial.99\n    title: Folded\n    then:\n      values:\n"
            "        ? >-\n          count(r in region where r == marsh\n          or r == region.marsh)\n        : 1\n"
        )
    renamed(folder / "map.yaml", "marsh", "fen")
    assert has(folder, "marsh") == []
    assert invoke("test", folder, "--backend", "python", "--only", "tutorial.")[0] == 0


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize(
    "file, word, number, new, why",
    [
        ("map.yaml", "marsh", 0, "isle", "would not be valid"),
        ("map.yaml", "marsh", 0, "Marsh", "is not a name"),
        ("map.yaml", "marsh", 0, "no", "would not be valid"),
        ("kinds.yaml", "reed_9", 0, "other", "is composed of other names"),
    ],
)
def test_a_renaming_that_cannot_be_is_refused(
    games: Path, file: str, word: str, number: int, new: str, why: str
) -> None:
    with pytest.raises(RenameError, match=why):
        renaming(games / "tutorial" / file, word, new, number)


@pytest.mark.proof  # 0.3 s
def test_decisions_and_options_keep_their_names_as_recorded_games_have_them(games: Path) -> None:
    with pytest.raises(RenameError, match="`march` is a decision or an option, which recorded games name"):
        renaming(games / "imperial/rules/armies.rules", "march", "walk", _number(games / "imperial/rules/armies.rules"))


def _number(path: Path) -> int:
    text = path.read_text("utf-8")
    return next(
        i for i, m in enumerate(re.finditer(r"\bmarch\b", text)) if "option " in text[m.start() - 9 : m.start()]
    )


@pytest.mark.proof  # 0.6 s
def test_the_server_tells_why_and_what_stays(mine: Path) -> None:
    with Editor(mine) as editor:
        editor.open("map.yaml")
        edit = editor.ask("textDocument/rename", {**editor.at("map.yaml", "london"), "newName": "camelot"})
        changed = {uri.rpartition("/")[2]: uri for uri in edit["changes"]}
        assert set(changed) == {"map.yaml", "drawing.yaml", "outlines.yaml", "titles.de.yaml", "titles.fr.yaml"}
        assert all(uri.startswith(mine.as_uri()) for uri in changed.values())


def test_names_of_paths_that_are_searched_are_renamed(tmp_path: Path) -> None:
    """A path, and the stops of its steps, are renamed only within their own search."""
    shutil.copytree(RULESETS / "roads", tmp_path / "roads")
    rules = tmp_path / "roads" / "rules" / "main.rules"
    before = rules.read_text("utf-8")
    for word, new, number in (("way", "course", before[: before.index("longest(")].count("way")), ("y", "goal", 0)):
        assert renamed(rules, word, new, number) == {str(rules.resolve())}
    text = rules.read_text("utf-8")
    assert "goal in roads_from(p, x) where count(course) == 1 or open_to(p, x)" in text
    assert "once between(x, goal) within 12)" in text and "worth count(course) - 1, else 0" in text
    assert text.count("course") == 3 and text.count("goal") == 2 and "worth tolls(way) - count(way)" in text
    load_ruleset(str(tmp_path / "roads"))
