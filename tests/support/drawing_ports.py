"""A position drawn by Python and by the page's script, side by side."""

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


def assert_ports_agree(board: Board, state: dict[str, Any], folder: Path) -> None:
    """Both draw the same items of a state."""
    if shutil.which("node") is None:
        pytest.skip("needs node")
    script = """
        const [drawing, plan, state] = process.argv.slice(1), { makeDrawing } = require(drawing);
        console.log(JSON.stringify([...makeDrawing(JSON.parse(plan))(JSON.parse(state))]));
    """
    command = ["node", "-e", script, str(ROOT / "pages" / "draw.js"), json.dumps(plan(board)), json.dumps(state)]
    answer = subprocess.run(command, check=True, capture_output=True, cwd=folder, timeout=DEADLINE)
    assert json.loads(answer.stdout) == [{"id": i.id, "layer": i.layer, "svg": i.svg} for i in board.items(state)]
