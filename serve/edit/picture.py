"""The picture of a map during editing, drawn in a separate process: a region stays in place when others change."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from itertools import product
from math import dist
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.drawing.drawing_file import read_files
from rulespec.drawing.graph_layout import laid_out
from rulespec.drawing.map_board import map_plan
from rulespec.drawing.map_ground import Ground, GroundInputs, ground_inputs, laid_out_ground, spots_plan
from rulespec.drawing.map_links import links_of, pairs_of
from rulespec.drawing.outlines import Frame
from rulespec.drawing.picture_words import PlainWords
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import Names
from rulespec.drawing.style import BoardStyle, Style
from rulespec.drawing.svg import Point
from rulespec.lsp.files import EditorFiles
from rulespec.records import Brief
from rulespec.typed import nodes as typed

_CORNER = (18.0, 18.0)
_EMPTY = Frame(0, 0, 1000, 700)
"""The frame of a map whose regions have no place."""
_ROOM = 0.12
"""The margin around the outermost places, relative to their extent."""
_LEAST, _MOST = 0.55, 1.0
"""The minimum and maximum height of a frame, relative to its width."""
_COLUMNS, _ROWS = 9, 7
"""The grid of candidates for a free place."""


class Drawn(Brief, Struct, frozen=True):
    """A picture of a map.

    Attributes:
        size: width and height of the sheet.
        items: its items by id, in order.
        spots: maps a region to its place on the sheet.
        frame: the visible part of the map, in its own units.
        scale: points on the sheet per unit of the frame.
        places: maps a region to its place in units of the frame, or to the place of its name if its outline declares
            one.
        free: an empty place, in units of the frame.
        loose: the regions that have no place in any file, with the places where they are displayed.
        corner: the corner of the map on the sheet.
    """

    size: Point
    items: dict[str, SceneItem]
    spots: dict[str, Point]
    frame: Frame
    scale: float
    places: dict[str, Point]
    free: Point
    loose: dict[str, Point]
    corner: Point = _CORNER


class Picture:
    """A series of pictures of a map, which retain the frame and layout as long as possible."""

    def __init__(self) -> None:
        self._frame: Frame | None = None
        self._loose: dict[str, Point] = {}
        self._inputs: GroundInputs | None = None
        self._ground: Ground | None = None

    def drawn(self, d: typed.Declarations, style: Style, kind: str, title: str) -> Drawn:
        """The picture of a map.

        Args:
            d: the declarations, possibly with mistakes.
            style: the style of the map.
            kind: the kind of the regions.
            title: the title of the game.

        Raises:
            DiagnosticsError: RS55x if the map cannot be drawn.
        """
        words = PlainWords(d, title)
        sheet = Sheet(d, style, lambda each: words.titles(each, {}), Names(d, ()), words)
        board = style.boards.get(kind)
        names = sheet.names(kind) if kind in d.kinds else ()
        if board is None or not names:
            frame = self._frame or (board.frame if board is not None else None) or _EMPTY
            return _drawn(Plan((1000.0, 1000.0 * frame.height / frame.width)), {}, (frame, {}, {}))
        places = self._places(sheet, board, names)
        frame = board.frame or self._framed(places)
        at = {names.index(name): point for name, point in places.items()}
        board = replace(board, form="areas" if board.form == "nodes" else board.form, positions=at, frame=frame)
        plan, scale = self._plan(sheet, board)
        loose = {name: self._loose[name] for name in names if name in self._loose}
        placed = {name: frame.placed(point, scale) for name, point in places.items()}
        spots = {name: (x + _CORNER[0], y + _CORNER[1]) for name, (x, y) in placed.items()}
        return _drawn(plan, spots, (frame, places, loose))

    def _plan(self, sheet: Sheet, board: BoardStyle) -> tuple[Plan, float]:
        """The plan of a board, and its scale; the layout is reused while its inputs are unchanged."""
        inputs = ground_inputs(sheet, board)
        if self._ground is None or inputs != self._inputs:
            self._ground, self._inputs = laid_out_ground(inputs), inputs
        plan = map_plan(sheet, board, _CORNER, self._ground)
        guests = (each for each in inputs.guests if each.form == "spots")
        for each in guests:
            plan.items += spots_plan(sheet, board, each, _CORNER, plan.size[0]).items
        assert board.frame is not None
        return plan, self._ground.size[0] / board.frame.width

    def _places(self, sheet: Sheet, board: BoardStyle, names: Sequence[str]) -> dict[str, Point]:
        """The places of regions: declared, or given by an outline, or else the last displayed."""
        own = {names[i]: point for i, point in board.positions.items()}
        for i, outline in board.outlines.items():
            if outline.label is not None:
                own[names[i]] = outline.label
            else:
                own.setdefault(names[i], outline.pieces or _middle(outline.rings[0]))
        left = [name for name in names if name not in own]
        self._loose = {name: self._loose[name] for name in left if name in self._loose}
        if len(left) > 1 and not own and not self._loose:
            self._loose = _spread(sheet, board, names)
        for name in left:
            if name not in self._loose:
                frame = board.frame or self._frame or _framed(own)
                self._loose[name] = _free(frame, [*own.values(), *self._loose.values()])
        return {name: own.get(name) or self._loose[name] for name in names}

    def _framed(self, places: Mapping[str, Point]) -> Frame:
        """A frame for a map without one: the first that contains all places."""
        if self._frame is None or not all(map(self._frame.holds, places.values())):
            self._frame = _framed(places)
        return self._frame


_Shown = tuple[Frame, Mapping[str, Point], dict[str, Point]]


def _drawn(plan: Plan, spots: dict[str, Point], shown: _Shown) -> Drawn:
    frame, places, loose = shown
    size = (plan.size[0] + 2 * _CORNER[0], plan.size[1] + 2 * _CORNER[1])
    items = {item.id: item for item in plan.items}
    free = _free(frame, list(places.values()))
    return Drawn(size, items, spots, frame, plan.size[0] / frame.width, dict(places), free, loose)


def _framed(places: Mapping[str, Point]) -> Frame:
    if len(places) < 2:
        (x, y) = next(iter(places.values()), (500.0, 350.0))
        return _EMPTY if _EMPTY.holds((x, y)) else Frame(round(x) - 500, round(y) - 350, 1000, 700)
    xs, ys = zip(*places.values(), strict=True)
    wide, tall = max(max(xs) - min(xs), 1.0), max(max(ys) - min(ys), 1.0)
    width = max(wide, tall * (1 + 2 * _ROOM) / _MOST) * (1 + 2 * _ROOM)
    height = max(tall * (1 + 2 * _ROOM), width * _LEAST)
    left, top = (min(xs) + max(xs) - width) / 2, (min(ys) + max(ys) - height) / 2
    return Frame(round(left), round(top), round(width) + 1, round(height) + 1)


def _free(frame: Frame, places: Sequence[Point]) -> Point:
    """The point of a grid farthest from all places; the centre if there are none."""
    raster = [
        (frame.left + frame.width * (x + 0.5) / _COLUMNS, frame.top + frame.height * (y + 0.5) / _ROWS)
        for y, x in product(range(_ROWS), range(_COLUMNS))
    ]
    middle = (frame.left + frame.width / 2, frame.top + frame.height / 2)

    def worth(point: Point) -> tuple[float, float]:
        near = min((dist(point, other) for other in places), default=0.0)
        return round(near), -dist(point, middle)

    x, y = max(raster, key=worth)
    return round(x), round(y)


def _middle(ring: Sequence[tuple[int, int]]) -> Point:
    xs, ys = zip(*ring, strict=True)
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def _spread(sheet: Sheet, board: BoardStyle, names: Sequence[str]) -> dict[str, Point]:
    """The places for a map without any in its files, laid out by links inside the frame."""
    frame = board.frame or _EMPTY
    points = laid_out(len(names), sorted(pairs_of(board, links_of(sheet, board))), {})
    xs, ys = [x for x, _ in points.values()], [y for _, y in points.values()]
    wide, tall = max(max(xs) - min(xs), 1e-9), max(max(ys) - min(ys), 1e-9)
    room = 1 - 2 * _ROOM
    return {
        names[i]: (
            round(frame.left + frame.width * (_ROOM + room * (x - min(xs)) / wide)),
            round(frame.top + frame.height * (_ROOM + room * (y - min(ys)) / tall)),
        )
        for i, (x, y) in points.items()
    }


_EDITORS = 8
"""The number of editors whose last picture the process caches."""


class ToDraw(Struct, frozen=True):
    """A request to draw a map.

    Attributes:
        editor: the id of its editor, whose last picture serves as a cache.
        declarations: the declarations of the ruleset, possibly with mistakes.
        files: the folder and name of each possible drawing file, lowest layer first.
        kind: the kind of the regions.
        title: the title of the game.
    """

    editor: str
    declarations: typed.Declarations
    files: tuple[tuple[Path, str], ...]
    kind: str
    title: str


def packed(map_: ToDraw) -> bytes:
    """A map serialised for the drawing process, so that later edits do not affect it."""
    return pickle.dumps(map_, pickle.HIGHEST_PROTOCOL)


_pictures: OrderedDict[str, tuple[Picture, EditorFiles]] = OrderedDict()


def draw(data: bytes) -> tuple[Drawn | None, tuple[Diagnostic, ...]]:
    """The picture of a map (None if it cannot be drawn), and its faults; runs in the drawing process."""
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
