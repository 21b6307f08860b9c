"""The drawing files of a ruleset: reading, merging, and checks of the names in them.

A ruleset's file is next to its `game.yaml`; an overlay's file is `variants/drawing/NAME.yaml`. No game depends on these
files, and they are not part of the ruleset's hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import get, to_plain
from rulespec.drawing.drawing_names import check_names
from rulespec.drawing.outline_checks import Spans, check_fit, outline_spans
from rulespec.drawing.style import BoardStyle, Style, style_of
from rulespec.ruleset_files import DRAWING, Files, RulesetReader, drawing_files, files_at
from rulespec.typed import nodes as typed

_GEOGRAPHY = ("dots", "frame", "positions", "projection", "outlines", "scenery", "seams")
"""The sections of a board that concern the places of one specific map."""


def read_drawing(ruleset: typed.Ruleset, report: Report | None = None) -> Style:
    """The style of a ruleset, read from its drawing files.

    Args:
        ruleset: the ruleset.
        report: receives the errors and warnings in the files; without a report, errors are raised.

    Raises:
        DiagnosticsError: RS2xx, RS55x: errors in the files.
    """
    result = Report() if report is None else report
    files = list(drawing_files(ruleset.titled))
    style = read_files(ruleset.declarations, files, result, files_at(ruleset.place))
    if report is None:
        result.raise_if_errors()
    return style


def read_files(
    d: typed.Declarations, files: list[tuple[Path, str]], report: Report, source: Files | None = None
) -> Style:
    """The style of a ruleset, read from its drawing files, either through `source` or, if it is None, from disk.

    Names in the topmost file are checked; unknown names in lower files are ignored.
    """
    reader = RulesetReader(report, source or Files())
    there = [(folder, name) for folder, name in files if reader.files.place.present(folder / name)]
    data: dict[str, Any] = {}
    spans: Spans = {}
    for folder, name in there:
        node = reader.yaml(folder, name, "drawing")
        drawing = get(node, "drawing")
        if drawing is not None:
            if folder == files[-1][0] and (name == files[-1][1] or files[-1][1] == DRAWING):
                check_names(d, drawing, report)
                spans |= outline_spans(drawing)
            below = files[: files.index((folder, name)) + 1]
            places = {reader.files.place.display(each / DRAWING).removesuffix(DRAWING) for each, _ in below}
            data = laid_over(data, _of_this_map(d, to_plain(drawing), tuple(places)))
    style = style_of(d, _known(d, data))
    for board in style.boards.values():
        if board.form in ("areas", "nodes"):
            _check_positions(d, board, report)
            check_fit(d, board, spans, report)
    return style


def _of_this_map(d: typed.Declarations, data: dict[str, Any], folders: tuple[str, ...]) -> dict[str, Any]:
    """The data of a file, without positions on boards whose places all come from another map.

    `folders`: the folders of its ruleset and of the rulesets that it extends.
    """
    boards = {
        kind: {key: value for key, value in board.items() if key not in _GEOGRAPHY}
        if kind in d.kinds and not any(e.span.file.startswith(folders) for e in d.kinds[kind].entities)
        else board
        for kind, board in data.get("boards", {}).items()
    }
    return data | {"boards": boards} if boards else data


def _check_positions(d: typed.Declarations, board: BoardStyle, report: Report) -> None:
    """Warns of places drawn on top of one another."""
    at: dict[tuple[float, float], int] = {}
    entities = d.kinds[board.kind].entities
    for i, point in sorted(board.positions.items()):
        if (other := at.setdefault(point, i)) != i:
            message = f"`{entities[i].name}` has the same position as `{entities[other].name}`"
            notes = [Label(entities[other].span, f"`{entities[other].name}` is defined here")]
            report.warning("RS555", message, entities[i].span, notes=notes, help="move one of the two places")


def laid_over(low: Any, high: Any) -> Any:
    """The data of a drawing file laid over that of a lower one: mappings are merged, everything else is replaced."""
    if isinstance(low, dict) and isinstance(high, dict):
        return low | {key: laid_over(low.get(key), value) for key, value in high.items()}
    return high


def _known(d: typed.Declarations, data: dict[str, Any]) -> dict[str, Any]:
    """The data without unknown names, so that readers need no checks."""
    boards = {k: _board(d.kinds[k], b) for k, b in data.get("boards", {}).items() if k in d.kinds}
    tables = {k: v for k, v in data.get("tables", {}).items() if k == "game" or k in d.kinds}
    result = data | {"boards": boards}
    if "tables" in data:
        result["tables"] = {k: [c for c in v if _column(d, k, c)] for k, v in tables.items()}
    for name in ("markers", "scales"):
        if name in data:
            result[name] = [f for f in data[name] if f.rpartition(".")[0] in ("", *d.kinds)]
    return result


def _column(d: typed.Declarations, kind: str, name: str) -> bool:
    pile, dot, place = name.partition(".")
    decl = d.pieces.get(pile) or d.kinds.get(pile)
    fields = d.fields if kind == "game" else d.kinds[kind].state
    return not dot or (decl is not None and place in decl.places) or pile in fields


def _board(kind: typed.Kind, data: Mapping[str, Any]) -> dict[str, Any]:
    positions = {name: at for name, at in data.get("positions", {}).items() if name in kind.index}
    outlines = {name: how for name, how in data.get("outlines", {}).items() if name in kind.index}
    dots = [name for name in data.get("dots", []) if name in kind.index]
    seams = [seam for seam in data.get("seams", []) if all(name in kind.index for name in seam)]
    return {**data, "positions": positions, "outlines": outlines, "seams": seams, "dots": dots}
