"""Signature help in rules, and hover on ids of rules, with a file that is broken at the place."""

from __future__ import annotations

from typing import Any

import pytest
from editor import Editor
from folders import GAMES

from rulespec.language.builtins import BUILTINS

FACTORY = "rules/factory.rules"


def help_after(editor: Editor, typed: str) -> Any:
    """The signature help after some text at the end of the rules of factories."""
    text = (GAMES / "imperial" / FACTORY).read_text("utf-8") + f"\nprocedure own(n: nation):\n    {typed}"
    editor.change(FACTORY, text)
    last = text.rpartition("\n")[2]
    position = {"line": text.count("\n"), "character": len(last)}
    document = {"uri": editor.path(FACTORY).as_uri()}
    return editor.ask("textDocument/signatureHelp", {"textDocument": document, "position": position})


@pytest.mark.proof  # 1.5 s
def test_a_call_shows_its_parameters_and_an_id_its_rule() -> None:
    with Editor(GAMES / "imperial") as editor:
        editor.open(FACTORY)
        for typed, active in (
            ("factory_action(", 0),
            ("factory_action(n, ", 1),
            ("factory_action(\n        n, max(1, 2),", 2),
        ):
            result = help_after(editor, typed)
            [shown] = result["signatures"]
            assert shown["label"] == "procedure factory_action(n: nation, g: player)"
            assert [p["label"] for p in shown["parameters"]] == ["n: nation", "g: player"]
            assert shown["documentation"] == "IMP-FAC-01: one factory, or none."
            assert result["activeParameter"] == active
        [inner] = help_after(editor, "factory_action(n, works(")["signatures"]
        assert inner["label"] == "def works(r: region) -> bool"
        builtin = help_after(editor, "let most = max(1, n.power, 3")
        assert builtin["signatures"][0]["label"] == BUILTINS["max"].signature == "max(a, …)"
        assert (builtin["signatures"][0]["documentation"], builtin["activeParameter"]) == (BUILTINS["max"].help, 1)
        [option] = help_after(editor, "option build(")["signatures"]
        assert (option["label"], option["documentation"][:10]) == ("option build(site: region)", "IMP-COM-03")
        for nothing in ("factory_action(n, n)", 'require true "factory_action("', "unknown("):
            assert help_after(editor, nothing) is None

        at = editor.at(FACTORY, "IMP-FAC-01", 3)
        hover = editor.ask("textDocument/hover", at)
        assert hover["contents"]["value"].startswith("**IMP-FAC-01** · ")
        assert hover["range"]["end"]["character"] - hover["range"]["start"]["character"] == len("IMP-FAC-01")
        assert editor.place(editor.ask("textDocument/definition", at)) == ("rules.yaml", "IMP-FAC-01")
        tables = (GAMES / "imperial" / "tables.yaml").read_text("utf-8")
        editor.open("tables.yaml", tables + "# IMP-FAC-02, and IMP-FAC-99\n")
        assert (
            "IMP-FAC-02"
            in editor.ask("textDocument/hover", editor.at("tables.yaml", "IMP-FAC-02, and"))["contents"]["value"]
        )
        assert editor.ask("textDocument/hover", editor.at("tables.yaml", "IMP-FAC-99")) is None
