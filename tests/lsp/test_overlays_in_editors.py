"""Several overlays that wrap one procedure, in an editor."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write
from editor import Editor

WRAP = "wrap procedure turn(p: player):\n    original(p)\n    set n to n + 1\n"
OVERLAY = 'id: {0}\ntitle: O\nfor: small\nversion: "1"\n'


@pytest.mark.proof  # 0.8 s
def test_a_hook_is_found_and_renamed_through_all_that_wrap_it(tmp_path: Path) -> None:
    rules = (
        "procedure play():\n    for p in player:\n        turn(p)\n    end game\nhook procedure turn(p: player): pass\n"
    )
    files = {"game.yaml": f"{GAME}overlays: [a, b, both]\n", "kinds.yaml": "state: {n: {type: int}}\n"}
    files |= {f"variants/{name}.yaml": OVERLAY.format(name) for name in ("a", "b")}
    files |= {f"variants/{name}.rules": WRAP for name in ("a", "b", "both")}
    files |= {"rules/play.rules": rules, "variants/both.yaml": OVERLAY.format("both") + "includes: [a, b]\n"}
    with Editor(write(tmp_path / "small", files)) as editor:
        assert [d["code"] for d in editor.open("variants/both.rules") if d["severity"] == 1] == []
        result = editor.ask("textDocument/definition", editor.at("variants/both.rules", "original(p)", 0))
        assert editor.place(result) == ("variants/b.rules", "turn")
        at = editor.at("variants/both.rules", "procedure turn", 11)
        result = editor.ask("textDocument/definition", at)
        assert editor.place(result) == ("variants/b.rules", "turn")
        editor.open("rules/play.rules")
        changed = editor.ask("textDocument/rename", {**editor.at("rules/play.rules", "turn(p)", 1), "newName": "go"})
        paths = {uri.rpartition("small/")[2] for uri in changed["changes"]}
        assert paths == {"rules/play.rules", *(f"variants/{name}.rules" for name in ("a", "b", "both"))}


@pytest.mark.proof
def test_a_setting_is_found_and_renamed_in_an_overlay_that_sets_it(tmp_path: Path) -> None:
    rules = "procedure play():\n    if bonus == high:\n        set n to 1\n    end game\n"
    setting = "settings: {bonus: {values: [low, high], default: low}}\n"
    files = {"game.yaml": f"{GAME}overlays: [rich, quoted]\n{setting}", "kinds.yaml": "state: {n: {type: int}}\n"}
    files |= {"rules/play.rules": rules, "variants/rich.yaml": OVERLAY.format("rich") + "settings: {bonus: high}\n"}
    files["variants/quoted.yaml"] = OVERLAY.format("quoted") + 'settings: {"bonus": high}\n'
    with Editor(write(tmp_path / "small", files)) as editor:
        assert [d["code"] for d in editor.open("variants/rich.yaml") if d["severity"] == 1] == []
        result = editor.ask("textDocument/definition", editor.at("variants/rich.yaml", "bonus: high", 2))
        assert editor.place(result) == ("game.yaml", "bonus")
        editor.open("game.yaml")
        changed = editor.ask("textDocument/rename", {**editor.at("game.yaml", "bonus", 1), "newName": "gift"})
        edits = {uri.rpartition("small/")[2]: len(result) for uri, result in changed["changes"].items()}
    assert edits == {"game.yaml": 1, "rules/play.rules": 1, "variants/rich.yaml": 1, "variants/quoted.yaml": 1}


def test_a_changed_option_is_found_and_shown_with_its_overlays(tmp_path: Path) -> None:
    rules = (
        "procedure play():\n    for p in player:\n        turn(p)\n    end game\n"
        "procedure turn(p: player):\n    decide act by p:\n        option go:\n"
        '            require n < 3 "SMA-01: enough"\n            set n to n + 1\n'
        "        option wait:\n            pass\n"
    )
    files = {"game.yaml": f"{GAME}overlays: [a, b, both]\n", "kinds.yaml": "state: {n: {type: int}}\n"}
    files |= {f"variants/{name}.yaml": OVERLAY.format(name) for name in ("a", "b")}
    files["variants/a.rules"] = 'change option go of act: require n != 1 "HSE-01: not one"\n'
    files["variants/b.rules"] = (
        'change option go of act: remove "SMA-01"\n\nchange procedure turn: replace n + 1 with n + 2\n'
    )
    files |= {"rules/play.rules": rules, "variants/both.yaml": OVERLAY.format("both") + "includes: [a, b]\n"}
    with Editor(write(tmp_path / "small", files)) as editor:
        assert [d["code"] for d in editor.open("variants/b.rules") if d["severity"] == 1] == []
        for text, offset, name in (("option go", 8, "go"), ("of act", 4, "act")):
            result = editor.ask("textDocument/definition", editor.at("variants/b.rules", text, offset))
            assert editor.place(result) == ("rules/play.rules", name)
        hover = editor.ask("textDocument/hover", editor.at("variants/b.rules", "option go", 8))["contents"]["value"]
        assert hover == (
            "```rulespec\noption go:\n    set n to n + 2  # b\n"
            'b removes: require n < 3 "SMA-01: enough"\nb replaces: set n to n + 1\n```'
        )
        editor.open("variants/a.rules")
        hover = editor.ask("textDocument/hover", editor.at("variants/a.rules", "option go", 8))["contents"]["value"]
        assert '    require n != 1 "HSE-01: not one"  # a\n' in hover
        editor.open("rules/play.rules")
        changed = editor.ask("textDocument/rename", {**editor.at("rules/play.rules", "turn(p)", 1), "newName": "go_on"})
        paths = {uri.rpartition("small/")[2] for uri in changed["changes"]}
        assert paths == {"rules/play.rules", "variants/b.rules"}
