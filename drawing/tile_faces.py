"""Tile faces: track between sides and stops, slots, numbers and a letter, drawn around the centre of the cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import cos, hypot, pi, sin

from msgspec import Struct

from rulespec.documents.yaml_nodes import bits
from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.plan import Sheet, TileFace
from rulespec.drawing.style import TileStyle
from rulespec.drawing.svg import Point
from rulespec.drawing.text_width import text_width
from rulespec.types import Ent, SetOf

_BED, _TRACK = 8.0, 4.5
"""The widths of a tile's line, and of its white edge."""
_SLOT, _SMALL_SLOT, _TOWN = 0.27, 0.24, 0.115
"""Radii relative to the cell: of a slot, of one of many slots in a stop, and of a stop without slots."""
_MANY = 4
NUMBER = 12.5
_PAD = 2.0
"""The horizontal padding of a number in a box."""
_LOW = 0.44
"""The distance from the centre of a cell to figures below its stops, relative to its size."""
_APART = 0.4
"""The distance of a stop from the centre of its cell, relative to the sum of the sides that its lines lead to."""
_NEAR = 0.33
"""The least distance between two stops, relative to the cell."""
_ALONG = (0.5, 0.3, 0.7, 0.2, 0.8)
"""The positions of a stop along its line, best first."""
_CORNER = 0.72
_FREE = 0.4
_BETWEEN = 0.85
"""Distances relative to the cell: of a corner number from the centre, its least distance from a stop, and of a letter
between two sides from the centre, relative to them."""
Line = tuple[int, int]
"""The ends of a line: side numbers from 0, and stops below zero, the first being -1."""


class CellShape(Struct, frozen=True):
    """The shape of a board's cells, relative to the centre of a cell.

    Attributes:
        sides: the midpoint of each side, in rotation order.
        size: the distance from the centre to a corner.
        corners: the corners, in order of preference for placing a number.
    """

    sides: tuple[Point, ...]
    size: float
    corners: tuple[Point, ...] = ()


def hex_shape(size: float, *, flat: bool) -> CellShape:
    """A hex with a flat or pointed top; its sides run clockwise, starting at the bottom or the lower left."""
    first, far = (pi / 2 if flat else pi * 2 / 3), size * 3**0.5 / 2
    sides = tuple((far * cos(first + i * pi / 3), far * sin(first + i * pi / 3)) for i in range(6))
    out = (0, 3, 1, 2, 5, 4) if flat else (5, 4, 0, 3, 1, 2)  # positions in sixths of a turn, counted from the right
    turn = 0 if flat else pi / 6
    corners = tuple((size * cos(turn + k * pi / 3), size * sin(turn + k * pi / 3)) for k in out)
    return CellShape(sides, size, corners)


def outline_of(shape: CellShape, at: Point) -> str:
    """The path data of a hex around a point."""
    ring = sorted(range(6), key=lambda k: _angle(shape.corners[k]))
    return svg.path([(at[0] + shape.corners[k][0], at[1] + shape.corners[k][1]) for k in ring], closed=True)


def _angle(at: Point) -> float:
    far = hypot(*at)
    turn = at[0] / far
    return turn - 1 if at[1] < 0 else 1 - turn  # increases around the circle like an angle


def faces_of(sheet: Sheet, style: TileStyle, kind: str, shape: CellShape) -> tuple[TileFace, ...]:
    """The faces of all tiles of a kind; empty if a name that the drawing uses is missing."""
    if not (ends := kind_of_ends(sheet, style, kind)):
        return ()
    known = end_numbers(sheet, style, ends)
    read = _lines if style.ends else _joined
    tiles = range(len(sheet.names(kind)))
    return tuple([_face(sheet, style, (kind, tile), read(sheet, style, (kind, tile), known), shape) for tile in tiles])


def kind_of_ends(sheet: Sheet, style: TileStyle, kind: str) -> str:
    """The kind of the line ends of tiles; "" if a name that the drawing uses is missing."""
    facts = sheet.d.kinds[kind].facts
    lines = facts[style.lines[0]].type if style.lines and style.lines[0] in facts else None
    if not style.ends:
        return lines.kind if isinstance(lines, Ent | SetOf) else ""
    ends = [sheet.d.kinds[lines.kind].facts.get(name) for name in style.ends] if isinstance(lines, SetOf) else []
    first = ends[0] if ends else None
    return first.type.kind if first is not None and isinstance(first.type, Ent) else ""


def _lines(sheet: Sheet, style: TileStyle, of: tuple[str, int], known: Sequence[int]) -> list[list[Line]]:
    """The lines of a tile that are entities with two ends, as one track."""
    lines = sheet.d.kinds[of[0]].facts[style.lines[0]]
    assert isinstance(lines.type, SetOf)
    facts = sheet.d.kinds[lines.type.kind].facts
    ends = [facts[name] for name in style.ends if name in facts]
    results = []
    for line in bits(lines.values[of[1]]):
        first, *second = (known[at] if (at := end.values[line]) >= 0 else -1 for end in ends)
        results.append((first, second[0] if second else -1))
    return [results]


def _joined(sheet: Sheet, style: TileStyle, of: tuple[str, int], known: Sequence[int]) -> list[list[Line]]:
    """The tracks of a tile whose facts name the sides that they join: a line from side to side for two sides, otherwise
    one from each side to the centre, and always to a city.
    """
    kind, number = of
    facts = sheet.d.kinds[kind].facts
    single: list[int] = []
    tracks = []
    for fact in (facts[name] for name in style.lines if name in facts):
        value = fact.values[number]
        if isinstance(fact.type, SetOf):
            tracks.append([known[side] for side in bits(value)])
        elif value >= 0:
            single.append(known[value])
    is_city = style.city in facts and facts[style.city].values[number] > 0
    return [
        [(sides[0], sides[1])] if len(sides) == 2 and not is_city else [(side, -1) for side in sides]
        for sides in (tracks or [single])
    ]


def end_numbers(sheet: Sheet, style: TileStyle, kind: str) -> list[int]:
    """The numbers of the line ends, by entity number: sides from 0 on, stops below zero; see `Line`."""
    if not style.around:
        return list(range(len(sheet.names(kind))))
    names = sheet.names(kind)
    stops = iter(range(-1, -len(names) - 1, -1))
    return [style.around.index(name) if name in style.around else next(stops) for name in names]


def _face(sheet: Sheet, style: TileStyle, of: tuple[str, int], tracks: list[list[Line]], shape: CellShape) -> TileFace:
    kind, number = of
    facts = sheet.d.kinds[kind].facts

    def value(name: str) -> int:
        return facts[name].values[number] if name in facts else 0

    fills = (sheet.fact(kind, name, number) for name in style.fill)
    fill = next((ground(sheet.look(*each).colour) for each in fills if each is not None), "")
    label = sheet.fact(kind, style.label, number) if style.label in facts else None
    shown = _Shown(
        stops=value(style.stops) if style.stops else int(value(style.city) > 0),
        slots=value(style.slots) if style.slots else int(value(style.city) > 0),
        figures=[(str(value(name)), tone) for name, tone in style.numbers.items() if value(name) > 0],
        number=str(value(style.number)) if value(style.number) > 0 else "",
        label=sheet.look(*label).letter if label is not None else "",
        letter=sheet.look(*of).letter if style.letters else "",
    )
    turns = range(len(shape.sides) if style.turn else 1)
    turned = [
        _turned(shown, [[_line(line, turn, len(shape.sides)) for line in lines] for lines in tracks], shape)
        for turn in turns
    ]
    fill = fill or ("" if style.printed else colour("stone"))
    drawn, texts, stops = zip(*turned, strict=True)
    return TileFace(sheet.titles(kind)[number], fill, drawn if len(set(drawn)) > 1 else drawn[:1], texts, stops)


class _Shown(Struct, frozen=True):
    """The contents of a tile: the number of stops, slots in each, figures with their colours, number, and letters."""

    stops: int
    slots: int
    figures: list[tuple[str, str]]
    number: str
    label: str
    letter: str


def _line(line: Line, turn: int, sides: int) -> Line:
    first, last = ((end + turn) % sides if end >= 0 else end for end in line)
    return first, last


Text = tuple[str, float, float, int]
"""A text on a tile: x and y of its centre, and 1 if it is above lines."""


def _turned(
    shown: _Shown, tracks: list[list[Line]], shape: CellShape
) -> tuple[str, tuple[Text, ...], tuple[tuple[float, ...], ...]]:
    """A rotated tile: SVG relative to its cell's centre, texts, and the radius and slot centres of each stop."""
    at = _stops(shown, [line for lines in tracks for line in lines], shape)
    parts: list[str] = []
    for number, lines in reversed([*enumerate(tracks)]):  # the first one lies above the others
        look = _LOOKS[min(number, len(_LOOKS) - 1)]
        parts += _track(lines, at, shape, look, whole=shown.slots == 0 and shown.stops > 0)
    several = len(shown.figures) > 1
    stops = []
    for x, y in at[: shown.stops]:
        share = _TOWN if not shown.slots else _SLOT if shown.slots < _MANY else _SMALL_SLOT
        radius = round(share * shape.size, 1)
        slots = [(x + a * radius, y + b * radius) for a, b in _SLOTS.get(min(shown.slots, 6), _SLOTS[6])]
        stops.append((radius, *(round(part, 1) for slot in slots for part in slot)))
        if shown.slots:
            parts += _city(slots, radius)
        elif not several:
            parts.append(svg.element("circle", cx=x, cy=y, r=radius, fill=INK, stroke="#ffffff", stroke_width=2))
    texts = list(_texts(shown, at[: shown.stops], shape))
    if several:
        boxes = list(_boxes(shown.figures, shape.size * _LOW if shown.slots else 0.0))
        parts += [box for box, _ in boxes]
        texts += [text for _, text in boxes]
    return "".join(parts), tuple(texts), tuple(stops)


def _texts(shown: _Shown, stops: Sequence[Point], shape: CellShape) -> Iterator[Text]:
    """The number and the letter of a tile, in corners or below its centre."""
    texts = [text for text in (shown.figures[0][0] if len(shown.figures) == 1 else shown.number, shown.label) if text]
    if shape.corners:
        for text, (x, y) in zip(texts, _corners(stops, shape), strict=False):
            yield text, round(x, 1), round(y, 1), 1
    elif texts:
        low = max(y for _, y in shape.sides) - 2
        yield texts[0], 0.0, round(max(NUMBER + 7, low), 1), 1
    if shown.letter:
        yield shown.letter, *_between(shape), 1


def _between(shape: CellShape) -> Point:
    """A point at the lower left of a cell, between two sides, where no line leads."""
    sides = sorted(shape.sides, key=lambda side: side[0] - side[1])[:2]
    x, y = sides[0][0] + sides[1][0], sides[0][1] + sides[1][1]
    far = min(hypot(*side) for side in sides) * _BETWEEN / (hypot(x, y) or 1)
    return round(x * far, 1), round(y * far, 1)


_SLOTS: dict[int, tuple[Point, ...]] = {
    0: ((0, 0),),
    1: ((0, 0),),
    2: ((-1, 0), (1, 0)),
    3: ((0, -1.15), (-1, 0.58), (1, 0.58)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    6: ((-2, -1), (0, -1), (2, -1), (-2, 1), (0, 1), (2, 1)),
}
"""The number of a stop's slots → their positions relative to its centre, in radii."""


def _city(slots: list[Point], radius: float) -> Iterator[str]:
    """Slots on a common background."""
    xs, ys = zip(*slots, strict=True)
    if len(slots) > 1:
        box = {"x": min(xs) - radius, "y": min(ys) - radius, "rx": radius}
        size = {"width": max(xs) - min(xs) + 2 * radius, "height": max(ys) - min(ys) + 2 * radius}
        yield svg.element("rect", **box, **size, fill="#ffffff", stroke=INK)
    for x, y in slots:
        yield svg.element("circle", cx=x, cy=y, r=radius, fill="#ffffff", stroke=INK)


def _stops(shown: _Shown, lines: Sequence[Line], shape: CellShape) -> list[Point]:
    """The centres of a tile's stops: in its centre, or apart along their lines."""
    most = max([shown.stops, *(-end for line in lines for end in line if end < 0)])
    if most <= 1 and shown.slots:
        return [(0.0, 0.0)]
    results: list[Point] = []
    for stop in range(most):
        sides = [shape.sides[first] for first, last in lines if last == -1 - stop]
        apart = _APART * sum(x for x, _ in sides), _APART * sum(y for _, y in sides)
        if len(sides) == 2:
            on_line = [_on_curve(sides[0], sides[1], t) for t in _ALONG]
            tries = [apart, *on_line[1:]] if shown.slots else on_line
            results.append(next((t for t in tries if _room(t, results) >= _NEAR * shape.size), tries[0]))
        elif sides and most > 1:
            results.append(apart)
        else:
            results.append(((stop - (most - 1) / 2) * 2.4 * _SLOT * shape.size, 0.0))
    return results


def _on_curve(a: Point, b: Point, t: float) -> Point:
    """A point on the curve between two sides, by way of the centre."""
    return a[0] * (1 - t) ** 2 + b[0] * t * t, a[1] * (1 - t) ** 2 + b[1] * t * t


def _room(at: Point, others: Sequence[Point]) -> float:
    return min((hypot(at[0] - x, at[1] - y) for x, y in others), default=1e9)


_LOOKS: tuple[tuple[str, str | None], ...] = ((INK, None), (colour("blue"), "7 4"), (colour("brown"), "3 4"))
"""The colour and the dashes of a tile's tracks."""


def _track(
    lines: Sequence[Line], at: Sequence[Point], shape: CellShape, look: tuple[str, str | None], *, whole: bool
) -> Iterator[str]:
    """The lines of a track; with `whole`, two lines to the same stop become one curve."""
    curves = []
    for first, last in (line for line in lines if line[1] >= 0):
        curves.append(_curve(shape.sides[first], shape.sides[last]))
    for stop, middle in enumerate(at):
        sides = [shape.sides[first] for first, last in lines if last == -1 - stop]
        if whole and len(sides) == 2:
            curves.append(_curve(*sides))
        else:
            curves += [f"M{_point(side)}L{_point(middle)}" for side in sides]
    if curves:
        for (tone, dashes), wide in ((("#ffffff", None), _BED), (look, _TRACK)):
            data = "".join(curves)
            yield svg.element("path", d=data, stroke=tone, stroke_width=wide, fill="none", stroke_dasharray=dashes)


def _curve(a: Point, b: Point) -> str:
    return f"M{_point(a)}Q0 0 {_point(b)}"


def _point(at: Point) -> str:
    return f"{svg.number(round(at[0], 1))} {svg.number(round(at[1], 1))}"


def _corners(stops: Sequence[Point], shape: CellShape) -> list[Point]:
    """The corners for texts, those with enough room first."""
    places = [(x * _CORNER, y * _CORNER) for x, y in shape.corners]
    return sorted(places, key=lambda place: _room(place, stops) < _FREE * shape.size)


def _boxes(figures: list[tuple[str, str]], y: float) -> Iterator[tuple[str, Text]]:
    """Figures side by side in coloured boxes: the SVG and the text of each."""
    widths = [text_width(text, NUMBER, bold=True) + 2 * _PAD for text, _ in figures]
    x = -sum(widths) / 2
    for (text, tone), wide in zip(figures, widths, strict=True):
        box = {"x": x, "y": y - 9, "width": wide, "height": 18}
        yield (
            svg.element("rect", **box, fill=ground(tone), stroke=INK, stroke_width=0.8),
            (text, round(x + wide / 2, 1), round(y, 1), 0),
        )
        x += wide
