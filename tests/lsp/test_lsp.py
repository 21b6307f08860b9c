"""The language server over its real protocol: messages on its input and output, in one test those of a process."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor import Editor, Json, ProcessEditor
from folders import ROOT

from rulespec.diagnostics.report import Report
from rulespec.language.builtins import BUILTINS
from rulespec.load import load_ruleset
from rulespec.lsp.complete import WORDS
from rulespec.lsp.files import EditorFiles
from rulespec.syntax.parser import parse_rules


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped games without recorded games, in a temporary folder."""
    target = tmp_path_factory.mktemp("lsp") / "games"
    shutil.copytree(ROOT / "games", target, ignore=shutil.ignore_patterns("logs"))
    return target


@pytest.fixture(scope="module")
def session(games: Path) -> Iterator[Editor]:
    with Editor(games / "imperial") as opened:
        yield opened


@pytest.fixture
def editor(session: Editor) -> Iterator[Editor]:
    """An editor session shared by all tests; each starts without open documents."""
    yield session
    session.close_all()


def codes(diagnostics: list[Json]) -> list[str]:
    return [d["code"] for d in diagnostics]


# --- diagnostics ------------------------------------------------------------------------------------------------------

FACTORY = "rules/factory.rules"


def test_the_server_starts_without_the_machines_of_games() -> None:
    code = "import sys, rulespec.lsp.server; print([m for m in sys.modules if m.startswith('rulespec.engine.')])"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'rulespec.engine.dialects.dialect'" in imported  # the files used by the server's checks
    assert "rulespec.engine.why" not in imported and "rulespec.engine.program.interpreter" not in imported


def test_a_typo_is_told_with_its_place_and_a_way_out_and_goes_when_it_is_mended(editor: Editor) -> None:
    assert editor.open(FACTORY) == []
    [result] = editor.replace(FACTORY, "require not occupied(site)", "require not ocupied(site)")
    assert (result["code"], result["severity"], result["source"]) == ("RS221", 1, "rulespec")
    assert result["message"] == "no definition is called `ocupied`\ndid you mean `occupied`?"
    assert result["range"] == {"start": {"line": 9, "character": 24}, "end": {"line": 9, "character": 31}}
    assert editor.replace(FACTORY, "ocupied", "occupied") == []


def test_incremental_changes_are_followed(editor: Editor) -> None:
    editor.open(FACTORY)
    at = editor.at(FACTORY, "occupied(site)")
    start = at["position"]
    change = {"range": {"start": start, "end": {**start, "character": start["character"] + 1}}, "text": ""}
    assert codes(editor.edit(FACTORY, change)) == ["RS221"]


def test_a_mistake_in_yaml_and_what_follows_from_it_elsewhere_is_told(editor: Editor) -> None:
    editor.open("tables.yaml")
    editor.replace("tables.yaml", "factory_cost:", "factory_price:")
    assert codes(editor.diagnostics(FACTORY)) == ["RS221", "RS221"]
    editor.replace("tables.yaml", "factory_price:", "factory_cost:")
    assert editor.diagnostics(FACTORY) == []


def test_while_a_file_is_not_valid_the_mistakes_in_others_stay(editor: Editor) -> None:
    editor.open(FACTORY)
    editor.open("rules/battle.rules")
    editor.replace("rules/battle.rules", "let standing = strength(n, mine, r)", "let standing = might(n, mine, r)")
    assert codes(editor.replace(FACTORY, "require not occupied(site)", "require not (")) == ["RS131"]
    editor.received.clear()
    editor.replace(FACTORY, "require not (", "require not ((")
    assert "RS221" in codes(editor.diagnostics("rules/battle.rules"))


def test_columns_are_counted_as_the_editor_counts(editor: Editor) -> None:
    editor.open("rules/end.rules")
    [result] = editor.change("rules/end.rules", 'procedure play():\n    "\U0001f3b2" oops\n')
    assert result["code"] == "RS131"
    assert result["range"]["start"] == {"line": 1, "character": 9}  # the die counts as two


def test_files_beside_the_rules_are_checked_against_their_schema(editor: Editor) -> None:
    name = "scenarios/c_factory.yaml"
    assert editor.open(name) == []
    assert "RS211" in codes(editor.replace(name, "scenarios:\n", "scenarioz: 1\nscenarios:\n"))


def test_closing_a_document_brings_the_file_back(editor: Editor) -> None:
    editor.open(FACTORY)
    assert editor.replace(FACTORY, "not occupied(site)", "not ocupied(site)")
    editor.tell("textDocument/didClose", {"textDocument": {"uri": editor.path(FACTORY).as_uri()}})
    del editor.versions[editor.path(FACTORY)]
    assert editor.diagnostics(FACTORY) == []


@pytest.mark.proof  # 0.7 s
def test_an_overlay_of_ones_own_is_checked_over_the_ruleset_it_is_for(games: Path, tmp_path: Path) -> None:
    (tmp_path / "cheap.yaml").write_text('id: cheap\ntitle: C\nfor: imperial\nversion: "1"\nchanges:\n', "utf-8")
    with ProcessEditor(tmp_path) as editor:
        text = (tmp_path / "cheap.yaml").read_text("utf-8")
        [result] = editor.open("cheap.yaml", text + "  constants.factory_kost: 4 money\n")
        assert result["code"] == "RS503" and "factory_cost" in result["message"]


def test_every_change_is_answered(editor: Editor) -> None:
    """Every change gets an answer; bench/language_server.py measures the speed."""
    editor.open("rules/manoeuvre.rules")
    text = editor.texts[editor.path("rules/manoeuvre.rules")]
    for number in range(3):
        result = editor.change("rules/manoeuvre.rules", text + f"\ndef more{number}() -> int:\n    nothing\n")
        assert codes(result) == ["RS221"]


# --- meanings and definitions -----------------------------------------------------------------------------------------


def hover(editor: Editor, name: str, word: str, offset: int = 0) -> str:
    result = editor.ask("textDocument/hover", editor.at(name, word, offset))
    text: str = result["contents"]["value"] if result else ""
    return text


def test_hover_tells_type_docstring_and_rule_ids(editor: Editor) -> None:
    editor.open(FACTORY)
    text = hover(editor, FACTORY, "works(r")
    assert text == "```rulespec\ndef works(r: region) -> bool\n```\n\nIMP-TAX-02, IMP-PRO-02: an unoccupied factory."
    assert hover(editor, FACTORY, "factory_action").startswith("```rulespec\nprocedure factory_action(n: nation, g: pl")
    assert "site: region" in hover(editor, FACTORY, "site.city")
    assert "account nation.treasury: money" in hover(editor, FACTORY, "treasury")
    assert "constant factory_cost: money = 5" in hover(editor, FACTORY, "factory_cost")
    assert "options gifts" in hover(editor, FACTORY, "include gifts", 9)
    assert hover(editor, FACTORY, "# Factory") == ""


def test_hover_and_completion_say_what_a_builtin_does(editor: Editor) -> None:
    editor.open("rules/battle.rules")
    text = hover(editor, "rules/battle.rules", "count(foes(n, r)) > 0")
    assert text == f"```rulespec\ncount(s)\n```\n\n{BUILTINS['count'].help}"
    editor.open(FACTORY)
    items = completion(editor, FACTORY, "m")
    assert {name: items[name]["detail"] for name in BUILTINS} == {name: f.signature for name, f in BUILTINS.items()}


def test_hover_tells_what_yaml_declares(editor: Editor) -> None:
    editor.open("kinds.yaml")
    assert "state nation.power: points 0..25\n```\n\nIMP-SET-03" in hover(editor, "kinds.yaml", "power:")
    assert "kind nation" in hover(editor, "kinds.yaml", "nation:")
    assert "German Empire" in hover(editor, "kinds.yaml", "germany:")
    assert "fact nation.army_pieces: int" in hover(editor, "kinds.yaml", "army_pieces: 10")
    assert "unit money" in hover(editor, "kinds.yaml", "{account: money}", 10)


def definition(editor: Editor, name: str, word: str, offset: int = 0) -> tuple[str, str]:
    result = editor.ask("textDocument/definition", editor.at(name, word, offset))
    assert result is not None
    return editor.place(result)


def test_definitions_are_found_across_rules_and_yaml(editor: Editor) -> None:
    editor.open(FACTORY)
    assert definition(editor, FACTORY, "occupied(site)") == ("rules/occupation.rules", "occupied")
    assert definition(editor, FACTORY, "factory_cost") == ("tables.yaml", "factory_cost")
    assert definition(editor, FACTORY, "treasury") == ("kinds.yaml", "treasury")
    assert definition(editor, FACTORY, "city is some") == ("map.yaml", "city")
    assert definition(editor, FACTORY, "include gifts", 9) == ("rules/gifts.rules", "gifts")
    assert definition(editor, FACTORY, "site.city") == (FACTORY, "site")
    assert definition(editor, FACTORY, "at[site]") == ("kinds.yaml", "at")
    editor.open("setup.yaml")
    assert definition(editor, "setup.yaml", "army.supply", 5) == ("kinds.yaml", "supply")
    assert definition(editor, "setup.yaml", "vienna") == ("map.yaml", "vienna")


@pytest.mark.proof  # 0.4 s
def test_an_overlay_leads_to_what_it_replaces_and_changes(editor: Editor) -> None:
    first = "variants/first_edition.rules"
    editor.open(first)
    assert definition(editor, first, "replace procedure settle_flags", 18) == ("rules/flags.rules", "settle_flags")
    assert definition(editor, first, "wrap def conquests", 9)[1] == "conquests"
    assert definition(editor, first, "original(m)")[0].startswith("rules/")
    assert definition(editor, first, "remove procedure settle_swiss_banks", 18)[1] == "settle_swiss_banks"
    editor.open("variants/cheap_factories.yaml")
    result = definition(editor, "variants/cheap_factories.yaml", "constants.factory_cost", 12)
    assert result == ("tables.yaml", "factory_cost")


# --- completion -------------------------------------------------------------------------------------------------------


def completion(editor: Editor, name: str, typed: str) -> dict[str, Json]:
    """The completions after a text typed into a new line of `factory_action`, where the text stays."""
    mark = "            require site.city is some"
    original = editor.path(name).read_text("utf-8")
    editor.change(name, original.replace(mark, f"            require {typed}\n{mark}", 1))
    result = editor.ask("textDocument/completion", editor.at(name, f"require {typed}\n", 8 + len(typed)))
    return {item["label"]: item for item in result}


def test_behind_a_dot_come_the_members_of_the_type(editor: Editor) -> None:
    editor.open(FACTORY)
    members = completion(editor, FACTORY, "n.")
    assert {"treasury", "power", "government", "army_pieces", "index"} <= set(members)
    assert "vienna" not in members and "let" not in members
    assert members["treasury"]["detail"] == "account nation.treasury: money"
    assert {"cash", "swiss_bank"} <= set(completion(editor, FACTORY, "n.government."))
    assert {"home", "terrain", "land"} <= set(completion(editor, FACTORY, "site."))
    assert set(completion(editor, FACTORY, "army[n].")) == {"supply", "at", "guest", "moving"}
    assert set(completion(editor, FACTORY, "rondel.")) == {"steps", "ahead"}
    assert {"off", "windows"} <= set(completion(editor, FACTORY, "gifts."))
    assert {"value", "interest"} <= set(completion(editor, FACTORY, "bond[n, d].denomination."))


@pytest.mark.proof
def test_what_waits_is_known_to_the_editor(editor: Editor) -> None:
    text = (editor.folder / FACTORY).read_text("utf-8")
    added = "procedure lucky(n: nation) -> bool:\n    roll luck(points_of in 1 .. 6)\n    return points_of > n.index\n"
    caller = "procedure chance_of(n: nation):\n    let has_luck = lucky(n)\n    if has_luck: end game\n"
    assert codes(editor.open(FACTORY, f"{text}\n{added}\n{caller}")) == ["RS405"]
    assert hover(editor, FACTORY, "= lucky(n)", 2).startswith("```rulespec\nprocedure lucky(n: nation) -> bool")
    assert "points_of: int" in hover(editor, FACTORY, "return points_of", 8)
    assert "has_luck: bool" in hover(editor, FACTORY, "if has_luck", 4)
    assert definition(editor, FACTORY, "= lucky(n)", 2) == (FACTORY, "lucky")
    assert definition(editor, FACTORY, "return points_of", 8) == (FACTORY, "points_of")
    assert "return number > n.index" in renamed(editor, FACTORY, "points_of in", "number")[FACTORY]
    assert "let has_luck = happy(n)" in renamed(editor, FACTORY, "lucky(n)", "happy")[FACTORY]


def test_elsewhere_come_all_names_that_mean_something_there(editor: Editor) -> None:
    editor.open(FACTORY)
    names = completion(editor, FACTORY, "occ")
    assert {"site", "n", "g", "occupied", "factory_cost", "nation", "vienna", "require", "money"} <= set(names)
    assert names["occupied"]["detail"] == "def occupied(r: region) -> bool"
    assert not completion(editor, FACTORY, 'n == n "why n.')


# --- renaming, formatting ---------------------------------------------------------------------------------------------


def renamed(editor: Editor, name: str, word: str, new: str, offset: int = 0) -> dict[str, str]:
    """The files changed by a renaming, with their new texts."""
    edit = editor.ask("textDocument/rename", {**editor.at(name, word, offset), "newName": new})
    result = {}
    for uri, edits in (edit or {"changes": {}})["changes"].items():
        path = Path(uri.removeprefix("file://"))
        lines = editor.texts.get(path, path.read_text("utf-8")).split("\n")
        for e in sorted(edits, key=lambda e: list(e["range"]["start"].values()), reverse=True):
            start, end = e["range"]["start"], e["range"]["end"]
            line = lines[start["line"]]
            lines[start["line"]] = line[: start["character"]] + e["newText"] + line[end["character"] :]
        result[str(path.relative_to(editor.folder))] = "\n".join(lines)
    return result


@pytest.mark.proof
def test_a_definition_is_renamed_in_all_files_and_overlays_and_they_stay_sound(games: Path, tmp_path: Path) -> None:
    shutil.copytree(games / "imperial", tmp_path / "imperial")
    with Editor(tmp_path / "imperial") as editor:
        editor.open(FACTORY)
        files = renamed(editor, FACTORY, "works(r", "is_working")
        assert {FACTORY, "rules/taxation.rules", "variants/playimperial_rules.rules"} <= set(files)
        for name, text in files.items():
            assert "works(" not in text
            editor.path(name).write_text(text, "utf-8")
    for overlay in ("", "+first_edition", "+playimperial"):
        load_ruleset(f"{tmp_path}/imperial{overlay}", Report())


@pytest.mark.proof
def test_what_yaml_declares_is_renamed_in_overlays_too(editor: Editor) -> None:
    editor.open("tables.yaml")
    files = renamed(editor, "tables.yaml", "factory_cost", "price_of_a_factory")
    assert "constants.price_of_a_factory:" in files["variants/cheap_factories.yaml"]
    assert "pay price_of_a_factory from" in files[FACTORY]


@pytest.mark.proof  # 1.4 s
def test_a_renaming_tells_of_scenarios_that_hold_the_name(editor: Editor) -> None:
    editor.open(FACTORY)
    renamed(editor, FACTORY, "works(r", "is_working")
    note = editor.wait(lambda m: m.get("method") == "window/showMessage")
    message = note["params"]["message"]
    assert message.startswith("`works` also occurs in scenarios/") and message.endswith(": check these files")
    assert "scenarios/faq.yaml" in message


def test_a_local_is_renamed_in_its_own_rule_only(editor: Editor) -> None:
    editor.open(FACTORY)
    assert editor.ask("textDocument/prepareRename", editor.at(FACTORY, "site in"))["placeholder"] == "site"
    files = renamed(editor, FACTORY, "site in", "place")
    assert set(files) == {FACTORY} and not re.search(r"\bsite\b", files[FACTORY])


@pytest.mark.parametrize(
    "word, new, why",
    [
        ("works(r", "occupied", "would not be valid"),
        ("works(r", "Works!", "is not a name"),
        ("works(r", "if", "would not be valid"),
        ("site in", "n", "would not be valid"),
        ("# Factory", "x", "there is no name"),
    ],
)
@pytest.mark.sampled(2)
def test_a_renaming_that_would_break_something_is_refused_and_told_why(
    editor: Editor, word: str, new: str, why: str
) -> None:
    editor.open(FACTORY)
    assert renamed(editor, FACTORY, word, new) == {}
    note = editor.wait(lambda m: m.get("method") == "window/showMessage")
    assert note["params"]["message"].startswith("not renamed: ") and why in note["params"]["message"]


def test_a_rules_file_is_formatted(editor: Editor) -> None:
    original = editor.path(FACTORY).read_text("utf-8")
    editor.open(FACTORY, original.replace("        ", "     "))
    document = {"textDocument": {"uri": editor.path(FACTORY).as_uri()}}
    options = {"tabSize": 4, "insertSpaces": True}
    [edit] = editor.ask("textDocument/formatting", {**document, "options": options})
    assert edit["newText"] == original


# --- what must not harm -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("", "\0", "(" * 200_000, "def " * 50_000, "a: [" * 1000),
        pytest.param("procedure p():\n" * 5_000, marks=pytest.mark.proof),
    ],
)
@pytest.mark.sampled(1)
def test_any_text_is_answered(editor: Editor, text: str) -> None:
    for name in (FACTORY, "kinds.yaml", "game.yaml", "scenarios/faq.yaml", "variants/pd.yaml"):
        editor.open(name, text)
        editor.ask("textDocument/hover", {**editor.at(name, "")})
        editor.ask("textDocument/completion", {**editor.at(name, "")})
        editor.ask("textDocument/definition", {**editor.at(name, "")})


def test_a_document_that_is_saved_nowhere_is_left_alone(editor: Editor) -> None:
    document = {"uri": "untitled:Untitled-1", "languageId": "rulespec", "version": 1, "text": "def f("}
    editor.tell("textDocument/didOpen", {"textDocument": document})
    at = {"textDocument": {"uri": "untitled:Untitled-1"}, "position": {"line": 0, "character": 5}}
    assert editor.ask("textDocument/hover", at) is None
    assert editor.open(FACTORY) == []


def test_the_server_needs_no_option_and_says_what_it_can_do(editor: Editor) -> None:
    wanted = ("hover", "definition", "rename", "documentFormatting", "completion", "codeAction")
    assert all(editor.capabilities[f"{w}Provider"] for w in wanted)


# --- repeated parsing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((ROOT / "games").rglob("*.rules")), ids=lambda p: f"{p.parent.name}/{p.name}")
@pytest.mark.sampled(30)
def test_a_file_that_is_parsed_item_by_item_is_the_same_as_parsed_at_once(path: Path) -> None:
    text, files = path.read_text("utf-8"), EditorFiles()
    for version in (text, text.replace("n: nation", "m: nation"), "# one line more\n" + text):
        assert files.rules(version, "this.rules") == parse_rules(version, "this.rules")
    assert files.broken == {}


def test_a_line_within_brackets_is_no_item() -> None:
    text, files = "def f() -> int:\n    min(\na,\nb)\n\ndef g() -> int: 1\n", EditorFiles()
    assert files.rules(text, "this.rules") == parse_rules(text, "this.rules")
    files.rules(text.replace("b)", "b"), "this.rules")
    assert [d.code for d in files.broken["this.rules"]] == ["RS131"]


# --- the words of the language ----------------------------------------------------------------------------------------

GRAMMAR = json.loads((ROOT / "editors" / "textmate" / "rulespec.tmLanguage.json").read_text("utf-8"))


def patterns(node: Json) -> Iterator[str]:
    """All regular expressions in the TextMate grammar."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key in ("match", "begin", "end"):
            yield value
        else:
            yield from patterns(value)


def language() -> set[str]:
    """The words of the language, taken from its grammar."""
    text = (ROOT / "rulespec" / "syntax" / "grammar.lark").read_text("utf-8")
    words = re.findall(r'"([a-z]+)"', text)
    words += [w for choice in re.findall(r"/\(([a-z|]+)\)", text) for w in choice.split("|")]
    return set(words)


def test_completion_offers_every_word_of_the_language() -> None:
    assert language() <= set(WORDS)


def test_the_textmate_grammar_knows_every_word_of_the_language() -> None:
    known = " ".join(re.compile(p).pattern for p in patterns(GRAMMAR))
    assert language() <= set(re.findall(r"[a-z]+", known))
    assert GRAMMAR["scopeName"] == "source.rulespec" and GRAMMAR["fileTypes"] == ["rules"]
    included = [p["include"].removeprefix("#") for p in GRAMMAR["patterns"]]
    assert set(included) == set(GRAMMAR["repository"])
