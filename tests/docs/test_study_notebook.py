"""The notebook of the documentation: its cells run from top to bottom, and show what they say."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from folders import ROOT

from rulespec.engine.game.game import Game

NOTEBOOK = ROOT / "docs" / "tutorials" / "study_a_game.ipynb"


def code_cells() -> list[str]:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def shown(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell; returns the value of its last line, which a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - the project's own cells
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 - the same


@pytest.mark.proof  # 1.4 s
def test_a_notebook_shows_a_board_a_table_and_a_plot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {}
    values = [shown(source, names) for source in code_cells()]
    boards = [value for value in values if isinstance(value, Game)]
    assert [board.ply for board in boards] == [50]
    assert (boards[0]._repr_svg_() or "").startswith("<svg")
    assert len(names["frame"]["move"]) == len(names["replay"].moves) + 1
    [axes] = names["figure"].axes
    assert len(axes.lines) == 6 and all(len(line.get_xdata()) == 113 for line in axes.lines)
    out = capsys.readouterr().out
    assert "Imperial, 112 decisions" in out and "113 rows" in out


def test_a_notebook_has_no_results_in_it() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if "outputs" in cell)
