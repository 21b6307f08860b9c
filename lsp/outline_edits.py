"""Edits of a map's outlines as data: points move, appear and disappear in all outlines that share them.

Each edit changes only the affected numbers in the outline files.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.folders import visible
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import get
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.drawing.drawing_file import read_files
from rulespec.drawing.outline_changes import Changed, OutlineError, Part, drawn, followed, inserted, moved, removed
from rulespec.drawing.outlines import MAX_NUMBER, Dot, Frame, Ring
from rulespec.drawing.style import fits_sheet
from rulespec.lsp.map_edits import Edited
from rulespec.lsp.map_files import MAP, REGIONS, MapEditError, MapFiles
from rulespec.lsp.outline_files import SECTIONS, OutlineFiles, parts_in
from rulespec.ruleset_files import MAX_YAML, drawing_files

MAX_DRAWN = 1_000
"""The maximum number of points of a new ring."""
_Number = Annotated[int, Meta(ge=-MAX_NUMBER, le=MAX_NUMBER)]
_Place = tuple[_Number, _Number]
_Name = Annotated[str, Meta(max_length=64)]
_Reach = Annotated[int, Meta(ge=0, le=1000)]


class _Edit(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op"):
    pass


class MovePoint(_Edit, frozen=True, tag="move_point"):
    """Moves a point in all outlines that share it.

    Attributes:
        at: the point.
        to: its new place.
        snap: the distance within which it snaps to another point, otherwise to an edge, otherwise to a side of the
            frame.
    """

    at: _Place
    to: _Place
    snap: _Reach = 0


class InsertPoint(_Edit, frozen=True, tag="insert_point"):
    """Inserts a point into an edge, in all outlines that contain the edge; `edge` contains the edge's ends."""

    edge: tuple[_Place, _Place]
    to: _Place


class RemovePoint(_Edit, frozen=True, tag="remove_point"):
    """Removes a point from all outlines that contain it."""

    at: _Place


class DetachPoint(_Edit, frozen=True, tag="detach_point"):
    """Moves a point of one region only, so that other outlines are unchanged."""

    region: _Name
    at: _Place
    to: _Place
    snap: _Reach = 0


class DrawOutline(_Edit, frozen=True, tag="draw_outline"):
    """Draws an outline for a region; if the region has one, adds a ring to it: an island or a hole."""

    region: _Name
    points: Annotated[tuple[_Place, ...], Meta(max_length=MAX_DRAWN)]
    snap: _Reach = 0


class FollowBorder(_Edit, frozen=True, tag="follow_border"):
    """Makes a region follow the points of another region between two shared points."""

    region: _Name
    other: _Name
    begin: _Place
    end: _Place


class RemoveOutline(_Edit, frozen=True, tag="remove_outline"):
    """Removes a region's outline."""

    region: _Name


class SetFrame(_Edit, frozen=True, tag="set_frame"):
    """Changes the extent of the board; `frame` is left, top, width and height."""

    frame: tuple[_Number, _Number, _Number, _Number]


OutlineEdit = (
    MovePoint | InsertPoint | RemovePoint | DetachPoint | DrawOutline | FollowBorder | RemoveOutline | SetFrame
)
"""An edit; `msgspec.convert({"op": "move_point", "at": [1, 2], "to": [3, 4]}, OutlineEdit)` converts a message."""


class OutlineBoard(Struct, frozen=True):
    """The outlines of a board for display.

    Attributes:
        frame: left, top, width, height; None if there is none.
        outlines: maps a region to its rings.
        scenery: maps a part of the scenery to its rings.
        fixed: the regions whose outlines come from a base and therefore cannot be edited.
    """

    frame: tuple[float, float, float, float] | None
    outlines: dict[str, list[Ring]]
    scenery: dict[str, list[Ring]]
    fixed: list[str]


class _Base(Struct, frozen=True):
    """The outlines in the drawing files of bases."""

    frame: Frame | None
    parts: dict[Part, list[Ring]]


class OutlineEdits:
    """Edits of a map's outlines, applied to the texts of its files; nothing is written to disk.

    Args:
        map_: the files of the map.
    """

    def __init__(self, map_: MapFiles) -> None:
        self._map = map_
        self._rings: dict[str, list[Ring]] = {}
        self._overlays: dict[Path, tuple[str, dict[Part, list[Ring]]]] = {}

    def board(self) -> OutlineBoard:
        """The readable outlines of the board."""
        files = OutlineFiles(self._map, self._rings)
        self._rings = files.rings
        parts = self._base.parts | files.parts
        frame = files.frame or self._base.frame
        outlines, scenery = ({n: rings for (s, n), rings in parts.items() if s == each} for each in SECTIONS)
        fixed = sorted(name for section, name in self._base.parts.keys() - files.parts.keys() if section == "outlines")
        box = None if frame is None else (frame.left, frame.top, frame.width, frame.height)
        return OutlineBoard(box, outlines, scenery, fixed)

    def edit(self, edit: OutlineEdit) -> Edited:
        """The texts of the files after an edit.

        Raises:
            MapEditError: if the edit is impossible; the text gives the reason.
            DiagnosticsError: if a file is unreadable, or formatted in a way that a program cannot change.
        """
        files = OutlineFiles(self._map, self._rings)
        self._rings = files.rings
        match edit:
            case SetFrame():
                if not fits_sheet(*edit.frame[2:]):
                    raise MapEditError("the frame is empty, or too long and narrow")
                files.put_frame(edit.frame)
            case RemoveOutline():
                self._own(files, edit.region)
                files.remove(("outlines", edit.region))
            case _:
                if files.unreadable:
                    (_, name), why = next(iter(files.unreadable.items()))
                    raise MapEditError(
                        f"the outline of `{name}` cannot be read, so its shared points are unknown: {why}"
                    )
                for part, rings in self._changed(files, edit).items():
                    if part in self._base.parts and part not in files.parts:
                        raise MapEditError(
                            f"`{part[1]}` of the base shares the point, and outlines of the base cannot change: "
                            "detach the point of your region, or draw the region of the base in your own files"
                        )
                    files.put(part, rings)
        match edit:
            case MovePoint() | RemovePoint():
                return Edited(files.texts(), tuple(self._in_overlays({edit.at})))
            case InsertPoint():
                return Edited(files.texts(), tuple(self._in_overlays({*edit.edge})))
            case _:
                return Edited(files.texts())

    def _in_overlays(self, dots: set[Dot]) -> Iterator[str]:
        """Remarks on overlays with an outline that keeps some of the changed points."""
        for path in sorted(visible(self._map.folder, "variants/drawing/*.yaml")):
            if path not in self._map.own:
                continue
            raw = self._map.raw(path)
            if path not in self._overlays or self._overlays[path][0] != raw:
                tree = parse_yaml(raw.removeprefix("\ufeff"), display(path), MAX_YAML)
                readings = parts_in(get(tree, "drawing", "boards", self._map.kind()), {})
                self._overlays[path] = raw, {part: rings for part, _, rings in readings if isinstance(rings, list)}
            for (_, name), rings in self._overlays[path][1].items():
                if any(dots <= {*ring} for ring in rings):
                    yield f"{display(path)}: the outline of `{name}` has the same point, and stays as it is"

    def _changed(self, files: OutlineFiles, edit: OutlineEdit) -> Changed:
        """The outlines changed by an edit."""
        outlines, frame = self._base.parts | files.parts, files.frame or self._base.frame
        try:
            match edit:
                case MovePoint():
                    return moved(outlines, frame, edit.at, edit.to, edit.snap)
                case DetachPoint():
                    return moved(outlines, frame, edit.at, edit.to, edit.snap, self._own(files, edit.region))
                case InsertPoint():
                    return inserted(outlines, frame, (min(edit.edge), max(edit.edge)), edit.to)
                case RemovePoint():
                    return removed(outlines, frame, edit.at)
                case FollowBorder():
                    part, other = self._own(files, edit.region), ("outlines", edit.other)
                    if other not in outlines:
                        raise MapEditError(f"`{edit.other}` has no outline")
                    return followed(outlines, part, other, edit.begin, edit.end)
                case DrawOutline():
                    return drawn(outlines, frame, self._drawable(edit.region), edit.points, edit.snap)
                case _:
                    raise AssertionError(edit)
        except OutlineError as error:
            raise MapEditError(str(error)) from None

    def _own(self, files: OutlineFiles, region: str) -> Part:
        """The outline of a region, which must be in the folder's own files."""
        part = ("outlines", region)
        if part in files.parts or part in files.unreadable:
            return part
        if part in self._base.parts:
            raise MapEditError(f"`{region}` is a region of the base: its outline cannot change")
        hint = did_you_mean(region, [name for section, name in files.parts if section == "outlines"])
        raise MapEditError(f"`{region}` has no outline" + (f"; {hint}" if hint else ""))

    def _drawable(self, region: str) -> Part:
        """The outline of a region of the map, possibly still empty."""
        if ("outlines", region) in self._base.parts and region not in self._map.keys(MAP, REGIONS):
            raise MapEditError(f"`{region}` is a region of the base: its outline cannot change")
        self._map.region(region)
        return ("outlines", region)

    @cached_property
    def _base(self) -> _Base:
        """The outlines of bases, which edits leave unchanged."""
        checked, _ = self._map.checked()
        if checked is None:
            raise MapEditError("the ruleset as a whole cannot be read: fix that first")
        below = [each for each in drawing_files(checked.ruleset.titled) if each[0].resolve() != self._map.folder]
        kind = checked.declarations.kinds.get(self._map.kind())
        style = read_files(checked.declarations, below, Report(), self._map.files) if below else None
        board = style.boards.get(self._map.kind()) if style is not None else None
        if board is None or kind is None or not board.outlines:
            return _Base(None, {})
        parts: dict[Part, list[Ring]] = {
            ("outlines", kind.entities[number].name): outline.rings for number, outline in board.outlines.items()
        }
        # A base's scenery only shares points; its names are irrelevant.
        parts |= {("scenery", f"{number} of the base"): part.rings for number, part in enumerate(board.scenery)}
        return _Base(board.frame, parts)
