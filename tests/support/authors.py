"""An author's session with the tools of `rulespec mcp --folder`, from an empty folder to a sound ruleset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from docs_pages import blocks

_GAME = """id: nim
title: Nim
version: "0.1"
players: {kind: player, min: 2, max: 2}
units: []
start: play
"""


class Ask(Protocol):
    """Calls a tool, and returns its answer, which must not be an error."""

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]: ...


def session(folder: Path, asked: Ask) -> None:
    """The tutorial done with tools: the game on its page, including the mistake made on the way."""
    assert asked("files") == {"all": 0, "files": []}
    assert asked("validate")["exit"] != 0
    asked("write", file="game.yaml", old="", new=_GAME)
    steps = [each for each in blocks("docs/tutorials/from_nothing.md") if each.name.startswith("nim/")]
    seen: list[int] = []
    for step in steps[: [each.name for each in steps].index("nim/scenarios/start.yaml") + 1]:
        file = step.name.removeprefix("nim/")
        old = asked("read", file=file)["text"] if (folder / file).exists() else ""
        asked("write", file=file, old=old, new=step.body)
        if file == "rules/play.rules":
            answer = asked("validate")
            seen.append(answer["exit"])
            if answer["exit"]:
                assert "RS225" in json.dumps(answer)
                assert "place" in asked("explain", code="RS225")["text"]
    assert seen == [1, 0]
    assert asked("test")["exit"] == 0
    assert asked("draw")["exit"] == 0 and (folder / "board.svg").is_file()
    (checked,) = asked("validate")["result"]["rulesets"]
    assert checked["sound"] and not checked["diagnostics"]
