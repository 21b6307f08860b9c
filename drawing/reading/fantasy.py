"""Worlds from Azgaar's generator: the cells in the full JSON export, merged into adjacent provinces."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import isfinite

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.drawing.outlines import area
from rulespec.drawing.reading.contexts import Layer, Part
from rulespec.drawing.reading.element_names import MAX_NAME, slug
from rulespec.drawing.reading.paints import colour_of
from rulespec.drawing.reading.shapes import Shape
from rulespec.drawing.reading.sketch import MAX_SHAPES, Notes, Sketch
from rulespec.drawing.svg import Point

MAX_CELLS = 100_000
_MAX_CORNERS = 200
_FAR = 1e6
_LAND = 20  # the least height of land
_PROVINCES, _STATES = "provinces", "states"


class _Cell(Struct):
    """A cell: its corners, its neighbours, its height, and its province and state."""

    v: list[int]
    c: list[int] = []
    h: float = 0
    state: int = 0
    province: int = 0


class _Vertex(Struct):
    p: list[float]


class _Part(Struct):
    """A province or a state."""

    i: int = -1
    name: str = ""
    color: str | int | None = None
    removed: bool = False


class _Pack(Struct):
    cells: list[_Cell]
    vertices: list[_Vertex]
    provinces: list[_Part | int] = []
    states: list[_Part | int] = []


class _World(Struct):
    pack: _Pack


def is_fantasy(data: bytes) -> bool:
    """Whether a file may be a world from Azgaar's generator."""
    return b'"pack"' in data and b'"vertices"' in data


def read_fantasy(data: bytes, file: str, part: Part) -> Sketch:
    """The provinces of a world, or its states if it has no provinces.

    Raises:
        DiagnosticsError: RS561 if the file is unreadable, RS562 if it has neither provinces nor states, RS904 if it
            lacks a name in `part`.
        DecodeError: if it is not JSON of this form.
    """
    pack = msgspec.json.decode(data, type=_World).pack
    if len(pack.cells) > MAX_CELLS:
        reason = f"this drawing cannot be read: it has more than {MAX_CELLS:,} cells"
        raise _refused(file, "RS561", reason, "make the world with fewer points")
    if not _is_sound(pack):
        raise _refused(file, "RS561", "this drawing cannot be read: a cell has a missing corner", "export it again")
    chosen, without = part.named()
    kind = _kind(pack, chosen, file)
    of_kind = pack.states if kind == _STATES else pack.provinces
    parts = {each.i: each for each in of_kind if isinstance(each, _Part) and each.i > 0 and not each.removed}
    known = {slug(each.name) for each in parts.values()}
    for name in sorted(without - known):
        raise _refused(
            file, "RS904", f"--not names `{name[:60]}`, but no region has that name", "check the names in the file"
        )
    of = [_owner(cell, kind) for cell in pack.cells]
    of = [number if number in parts and slug(parts[number].name) not in without else 0 for number in of]
    numbers = sorted({*of} - {0})
    notes = Notes()
    rest = sum(not number and cell.h >= _LAND for number, cell in zip(of, pack.cells, strict=True))
    if rest:
        notes.left_out[f"cells of land that belong to no {kind[:-1]}"] = [1] * rest
    if kind == _PROVINCES:
        notes.hidden = [(Layer("", _STATES, 1), sum(isinstance(each, _Part) and each.i > 0 for each in pack.states))]
    if not numbers:
        raise _refused(file, "RS562", "this world has no provinces and no states", "add some in the generator")
    if len(numbers) > MAX_SHAPES:
        reason = f"this drawing cannot be read: it has more than {MAX_SHAPES} {kind}"
        raise _refused(file, "RS561", reason, f"choose --layer {_STATES}, or make fewer of them in the generator")
    return _sketch(pack, of, parts, numbers, kind[:-1], Sketch([], [], None, file, notes))


def _refused(file: str, code: str, message: str, help_: str) -> DiagnosticsError:
    return failure(code, message, Span(file, 1, 1, 1, 2), help=help_)


def _kind(pack: _Pack, chosen: Collection[str], file: str) -> str:
    """The kind of regions to import: the chosen one, or provinces unless the world has none."""
    for name in sorted({*chosen} - {_PROVINCES, _STATES}):
        message = f"--layer names `{name[:60]}`, but a world has only `{_PROVINCES}` and `{_STATES}`"
        raise _refused(file, "RS904", message, f"write --layer {_PROVINCES} or --layer {_STATES}")
    if _STATES in chosen or (_PROVINCES not in chosen and not any(cell.province for cell in pack.cells)):
        return _STATES
    return _PROVINCES


def _sketch(
    pack: _Pack, of: list[int], parts: dict[int, _Part], numbers: list[int], kind: str, empty: Sketch
) -> Sketch:
    """The sketch of the parts with the given numbers; `of` maps each cell to its part."""
    at = {number: i for i, number in enumerate(numbers)}
    touching = {
        (min(a, b), max(a, b))
        for number, cell in zip(of, pack.cells, strict=True)
        for other in cell.c
        if (a := at.get(number)) is not None and (b := at.get(of[other])) is not None and a != b
    }
    shapes = [
        Shape(
            " ".join(parts[number].name.split())[:MAX_NAME] or f"{kind}{number}",
            _rings(pack, [cell for cell, owner in zip(pack.cells, of, strict=True) if owner == number]),
            1,
            own=parts[number].name.strip() != "",
            fill=colour_of(str(parts[number].color or "")),
            label=True,
        )
        for number in numbers
    ]
    return replace(empty, shapes=shapes, texts=[""] * len(shapes), touching=touching)


def _owner(cell: _Cell, kind: str) -> int:
    """The number of the province or state that owns a cell; 0 for water."""
    return 0 if cell.h < _LAND else cell.state if kind == _STATES else cell.province


def _is_sound(pack: _Pack) -> bool:
    """Whether all corners and neighbours of cells exist, and all coordinates are numbers."""
    corners, cells = len(pack.vertices), len(pack.cells)
    return all(
        len(cell.v) <= _MAX_CORNERS
        and len(cell.c) <= _MAX_CORNERS
        and all(0 <= v < corners for v in cell.v)
        and all(0 <= c < cells for c in cell.c)
        for cell in pack.cells
    ) and all(len(v.p) == 2 and all(isfinite(n) and abs(n) <= _FAR for n in v.p) for v in pack.vertices)


def _rings(pack: _Pack, cells: Iterable[_Cell]) -> list[list[Point]]:
    """The outlines of merged cells: edges of only one cell, joined end to end."""

    def place(v: int) -> Point:
        return pack.vertices[v].p[0], pack.vertices[v].p[1]

    edges: dict[tuple[int, int], None] = {}
    for cell in cells:
        corners = cell.v if area([place(v) for v in cell.v] or [(0, 0)]) >= 0 else cell.v[::-1]
        for p, q in zip(corners, [*corners[1:], *corners[:1]], strict=True):
            if (q, p) in edges:
                del edges[q, p]
            elif p != q:
                edges[p, q] = None
    following: dict[int, list[int]] = {}
    for p, q in edges:
        following.setdefault(p, []).append(q)
    results = []
    for first in [*following]:
        while following.get(first):
            ring, at = [first], following[first].pop()
            while at != first and following.get(at):
                ring.append(at)
                at = following[at].pop()
            if len(ring) > 2 and at == first:
                results.append([place(v) for v in ring])
    return results or [[place(v) for v in cell.v] for cell in cells][:1]
