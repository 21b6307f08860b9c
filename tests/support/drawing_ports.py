"""Comparison of a position drawn by Python with the same one drawn by the page's script."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE
from folders import ROOT

from rulespec.drawing.board import Board
from rulespec.drawing.drawing_plan import plan
from rulespec.drawing.scene import SceneItem

PORT = """
const bare = (parts) => parts.map((part) => (typeof part === "string" ? part : part.slice(0, 3)));
const shownBy = ({ items, tables }) => ({
  items: items.map(({ id, layer, svg }) => ({ id, layer, svg })),
  rows: tables.flatMap((rows) => rows.map((row) => row.map(bare))),
});
"""
"""A JavaScript function that converts the output of `draw.js` to the form of `by_python`."""


def by_python(board: Board, state: dict[str, Any], further: list[SceneItem] | None = None) -> dict[str, Any]:
    """The items of a state without tables, which are rows of cells."""
    shown = [item for item in (*board.items(state), *(further or ())) if item.layer != "tables"]
    rows = [
        [[part if isinstance(part, str) else list(part) for part in cell] for cell in row]
        for row in board.text_rows(state)
    ]
    return {"items": [{"id": i.id, "layer": i.layer, "svg": i.svg} for i in shown], "rows": rows}


def assert_ports_agree(board: Board, state: dict[str, Any], folder: Path) -> None:
    """Asserts that Python and the script draw the same items of a state."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    script = f"""
        {PORT}
        const {{ makeDrawing }} = require(process.argv[1]);
        const [plan, state] = JSON.parse(require("fs").readFileSync(0, "utf8"));
        console.log(JSON.stringify(shownBy(makeDrawing(plan)(state))));
    """
    command, data = ["node", "-e", script, str(ROOT / "pages" / "draw.js")], json.dumps([plan(board), state]).encode()
    answer = subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=DEADLINE, input=data)
    assert json.loads(answer.stdout) == by_python(board, state)
