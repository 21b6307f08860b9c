"""Drawing of maps in a separate process, so that edits need not wait for pictures."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.drawing_file import read_files
from rulespec.lsp.files import EditorFiles
from rulespec.serve.edit.picture import Drawn, Picture
from rulespec.typed import nodes as typed

_EDITORS = 8
"""The number of editors whose last picture the process caches."""


class ToDraw(Struct, frozen=True):
    """A request to draw a map.

    Attributes:
        editor: the id of its editor, whose last picture serves as cache.
        declarations: the declarations of the ruleset, possibly with mistakes.
        files: folder and name of each possible drawing file, lowest first.
        kind: the kind of the regions.
        title: the title of the game.
    """

    editor: str
    declarations: typed.Declarations
    files: tuple[tuple[Path, str], ...]
    kind: str
    title: str


def packed(map_: ToDraw) -> bytes:
    """A map serialised for the drawing process, independent of later edits."""
    return pickle.dumps(map_, pickle.HIGHEST_PROTOCOL)


_pictures: OrderedDict[str, tuple[Picture, EditorFiles]] = OrderedDict()


def draw(data: bytes) -> tuple[Drawn | None, tuple[Diagnostic, ...]]:
    """The picture of a map, or None if it cannot be drawn, and its faults; runs in the drawing process."""
    map_: ToDraw = pickle.loads(data)
    picture, source = _pictures.setdefault(map_.editor, (Picture(), EditorFiles()))
    _pictures.move_to_end(map_.editor)
    if len(_pictures) > _EDITORS:
        _pictures.popitem(last=False)
    report = Report()
    try:
        style = read_files(map_.declarations, [*map_.files], report, source)
        result = picture.drawn(map_.declarations, style, map_.kind, map_.title)
    except DiagnosticsError as error:
        return None, (*report.diagnostics, *error.diagnostics)
    return result, report.diagnostics
