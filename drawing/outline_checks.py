"""Checks of outlines: each must be readable, and together they must tile the board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil

import msgspec

from rulespec import cache
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, integer, text
from rulespec.documents.yaml_nodes import Sequence as Items
from rulespec.drawing.corners import beside
from rulespec.drawing.crossings import first_crossing
from rulespec.drawing.outlines import MAX_POINTS, Dot, Frame, Ring, Stroke, holds, rings_of, shared, strokes
from rulespec.drawing.style import MAX_ASPECT, BoardStyle, fits_sheet
from rulespec.typed import nodes as typed

OVERLAP = 0.01
"""The share of an area that another one may cover without a warning."""
NEAR = 1.0
"""Edges alongside each other at up to twice this distance should be one edge."""
ALONG = 12
"""The minimum length of a shared border, in multiples of that distance; a shorter one is a corner."""
STRIP = 5
"""The maximum width of a gap at the frame that counts as a mistake, if the gap is three times as long."""
MAX_CROSSINGS = 200_000
_MAX_LOOPS = 100
_TRUTH = msgspec.json.Decoder(bool)
Spans = dict[tuple[str, str], Span]
"""Kind and name of a region → the location of its outline."""


def check_outlines(board: Node, report: Report) -> None:
    """Reports unreadable outlines of a board, and a frame whose proportions do not fit on a sheet."""
    frame = get(board, "frame")
    if isinstance(frame, Items) and not fits_sheet(*(integer(n, 0) for n in frame.items[2:4])):
        message = f"the frame is empty, or more than {MAX_ASPECT:.0f} times as long as wide"
        report.error("RS558", message, frame.span, help="write the frame as [left, top, width, height]")
    points = 0
    for section in ("outlines", "scenery"):
        for name, place, how in entries(get(board, section)):
            data = get(how, "outline")
            if not isinstance(data, Scalar):
                continue
            try:
                before, points = points, points + sum(map(len, rings_of(text(data))))
                if before <= MAX_POINTS < points:
                    raise ValueError(f"the outlines of a board have more than {MAX_POINTS:,} points in total")
            except ValueError as error:
                help_ = "write rings such as `M10 10l40 0 0 30z`; `rulespec new --map x.svg` makes them from a drawing"
                report.error("RS558", f"the outline of `{name}` cannot be read: {error}", place.span, help=help_)


def outline_spans(drawing: Node) -> Spans:
    """The locations of outlines in a drawing file."""
    return {
        (kind, name): place.span
        for kind, _, board in entries(get(drawing, "boards"))
        for name, place, _ in entries(get(board, "outlines"))
    }


def check_fit(d: typed.Declarations, board: BoardStyle, spans: Spans, report: Report) -> None:
    """Warns of outlines that do not fit together, except those in lower files.

    Outlines that fit together are recorded in the cache.
    """
    own = sorted(name for kind, name in spans if kind == board.kind)
    if not own or board.frame is None:
        return
    entities = d.kinds[board.kind].entities
    inputs = [entity.name for entity in entities], own, board.outlines, board.scenery, board.frame
    key = cache.key("outlines fit", msgspec.json.encode(inputs).decode(), rooms=("drawing",))
    if cache.read(key, _TRUTH) is True:
        return
    before = len(report.diagnostics)
    _Fit(entities, board, spans, report).check(board.frame)
    if len(report.diagnostics) == before:
        cache.write(key, True)


class _Fit:
    def __init__(self, entities: Sequence[typed.Entity], board: BoardStyle, spans: Spans, report: Report) -> None:
        self.kind, self.spans = board.kind, spans
        self.names = [entity.name for entity in entities]
        self.places = {i: spans.get((board.kind, entity.name), entity.span) for i, entity in enumerate(entities)}
        self.regions = [board.outlines[i].rings if i in board.outlines else [] for i in range(len(entities))]
        self.all = [*self.regions, *(part.rings for part in board.scenery)]
        self.report = report
        self.warned: set[int] = set()
        """The regions already reported, since each is named only once."""

    def check(self, frame: Frame) -> None:
        owners = shared(self.all)
        for i, rings in enumerate(self.regions):
            if not rings and (self.kind, self.names[i]) not in self.spans:
                help_ = "give it an outline; until then it is a square at its position"
                self.report.warning("RS565", f"`{self.names[i]}` has no outline", self.places[i], help=help_)
            elif not all(frame.holds(dot) for ring in rings for dot in ring):
                help_ = "move its points, or enlarge the `frame`"
                message = f"`{self.names[i]}` extends beyond the frame"
                self.report.warning("RS566", message, self.places[i], help=help_)
        self._crossings()
        open_ = {
            edge: sides
            for edge, sides in owners.items()
            if len(sides) != 2 and not (sides[1:] == [] and frame.side(*edge))
        }
        if not open_:  # the outlines tile the board: each edge is a border or part of the frame
            return
        self._overlaps()
        alone = {edge: sides[0] for edge, sides in open_.items() if len(sides) == 1}
        self._beside(alone)
        self._before_the_frame(alone, frame)
        if all(self.regions):  # otherwise, the hole is a missing area
            self._holes(alone, frame)

    def _crossings(self) -> None:
        """Warns of outlines that cross themselves, and thus overlap others even if each edge is a border."""
        for i, rings in enumerate(self.regions):
            pair = _crossing(tuple(map(tuple, rings))) if (self.kind, self.names[i]) in self.spans else None
            if pair is not None:
                self.warned.add(i)
                (x, y), _ = pair[1]
                message = f"the outline of `{self.names[i]}` crosses itself near {x},{y}"
                help_ = "move a point so that its edges meet only at their ends"
                self.report.warning("RS559", message, self.places[i], help=help_)

    def _before_the_frame(self, alone: Mapping[Stroke, int], frame: Frame) -> None:
        """Warns of regions that end in a line shortly before the frame."""
        for edge, i in alone.items():
            if i < len(self.names) and i not in self.warned and _is_before(frame, edge):
                self.warned.add(i)
                message = f"a strip between `{self.names[i]}` and the frame belongs to no region"
                help_ = f"move the points of `{self.names[i]}` along the strip onto the frame"
                self.report.warning("RS560", message, self.places[i], help=help_)

    def _overlaps(self) -> None:
        sizes, pairs = overlaps(self.all)
        for (a, b), size in sorted(pairs.items(), key=lambda item: -item[1]):
            small, large = (a, b) if sizes[a] <= sizes[b] else (b, a)
            if small >= len(self.names):
                small, large = large, small
            if size <= OVERLAP * min(sizes[a], sizes[b]) or small >= len(self.names) or small in self.warned:
                continue
            self.warned |= {small, large}
            share = round(100 * size / max(sizes[small], 1))
            other = self._called(large)
            message = f"{share} % of `{self.names[small]}` overlaps {other}"
            help_ = "give both the same points along their common border"
            notes = [Label(self.places[large], "the other outline")] if large < len(self.names) else []
            self.report.warning("RS559", message, self.places[small], notes=notes, help=help_)

    def _called(self, number: int) -> str:
        return f"`{self.names[number]}`" if number < len(self.names) else "the scenery"

    def _beside(self, alone: Mapping[Stroke, int]) -> None:
        """Warns of regions that run alongside their neighbours without sharing points, the worst first."""
        lines: list[list[list[Dot]]] = [[] for _ in self.all]
        for edge, side in alone.items():
            lines[side].append([*edge])
        near: dict[int, list[int]] = {}
        for a, b in sorted(beside(lines, NEAR, ALONG)):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
        for i in sorted(range(len(self.names)), key=lambda i: -len(near.get(i, ()))):
            others = [k for k in near.get(i, ()) if k not in self.warned]
            if i in self.warned or not others:
                continue
            self.warned |= {i, *others}
            message = f"`{self.names[i]}` runs alongside {self._called(others[0])} without sharing its points"
            notes = [Label(self.places[others[0]], "the other outline")] if others[0] < len(self.names) else []
            help_ = "give both the same points along their border"
            self.report.warning("RS560", message, self.places[i], notes=notes, help=help_)

    def _holes(self, alone: Mapping[Stroke, int], frame: Frame) -> None:
        """Warns of holes: parts of the board that belong to no area."""
        for loop in loops_of(alone):
            around = sorted({alone[edge] for edge in loop} & set(range(len(self.names))))
            if around and self.warned.isdisjoint(around) and self._enclosed(loop, frame):
                self.warned.add(around[0])
                message = f"an area inside the board, beside `{self.names[around[0]]}`, belongs to no region"
                help_ = "give it to a region, or draw it under `scenery`"
                self.report.warning("RS560", message, self.places[around[0]], help=help_)

    def _enclosed(self, loop: Sequence[Stroke], frame: Frame) -> bool:
        """Whether the area enclosed by edges belongs to the board: an area is left of their leftmost point."""
        x, y = min(dot for edge in loop for dot in edge)
        return x > frame.left and any(holds(rings, x - 0.5, y + 0.25) for rings in self.all)


@lru_cache(maxsize=4096)  # most outlines are unchanged between two readings of a board
def _crossing(rings: tuple[tuple[Dot, ...], ...]) -> tuple[Stroke, Stroke] | None:
    """Two edges of an outline that cross by more than rounding explains."""
    return first_crossing([*strokes(list(ring) for ring in rings)], NEAR)


def _is_before(frame: Frame, edge: Stroke) -> bool:
    """Whether an edge runs along a side of the frame, slightly inside."""
    (px, py), (qx, qy) = edge
    across, down = abs(qx - px), abs(qy - py)
    beside = max(px, qx) - frame.left, frame.left + frame.width - min(px, qx)
    above = max(py, qy) - frame.top, frame.top + frame.height - min(py, qy)
    return (min(beside) <= STRIP and down >= 3 * STRIP) or (min(above) <= STRIP and across >= 3 * STRIP)


def loops_of(edges: Mapping[Stroke, int]) -> Iterator[list[Stroke]]:
    """The closed chains of edges, at most `_MAX_LOOPS` of them."""
    at: dict[Dot, list[Stroke]] = {}
    for edge in edges:
        for dot in edge:
            at.setdefault(dot, []).append(edge)
    seen: set[Stroke] = set()
    count = 0
    for first in edges:
        if first in seen or count >= _MAX_LOOPS:
            continue
        count += 1
        todo, loop = [first], []
        seen.add(first)
        while todo:
            edge = todo.pop()
            loop.append(edge)
            more = [e for dot in edge for e in at[dot] if e not in seen]
            seen.update(more)
            todo += more
        if all(len(at[dot]) > 1 for edge in loop for dot in edge):
            yield loop


def overlaps(
    areas: Sequence[Sequence[Ring]], crossings: int = MAX_CROSSINGS
) -> tuple[list[float], dict[tuple[int, int], float]]:
    """The area of each outline, and the overlap of each pair, measured along scan lines.

    `crossings` is the approximate number of times that scan lines cross outlines; it determines the density of the
    lines.
    """
    edges = [
        (min(p, q, key=lambda dot: dot[1]), max(p, q, key=lambda dot: dot[1]), i)
        for i, rings in enumerate(areas)
        for ring in rings
        for p, q in zip(ring, [*ring[1:], ring[0]], strict=True)
        if p[1] != q[1]
    ]
    step = max(1, ceil(sum(q[1] - p[1] for p, q, _ in edges) / crossings))
    rows: dict[int, list[tuple[int, float]]] = {}
    for (px, py), (qx, qy), i in edges:
        slope = (qx - px) / (qy - py)
        # Scan lines have fractional coordinates, so that none hits a point.
        for row in range(-((0 - py) // step), -((0 - qy) // step)):
            y = row * step + 0.5
            rows.setdefault(row, []).append((i, px + (y - py) * slope))
    sizes, pairs = [0.0] * len(areas), dict[tuple[int, int], float]()
    for line in rows.values():
        for (start, end, i), last in _ordered(line):
            sizes[i] += (end - start) * step
            if last is not None and last[2] != i and last[1] > start:
                pair = (min(i, last[2]), max(i, last[2]))
                pairs[pair] = pairs.get(pair, 0) + (min(end, last[1]) - start) * step
    return sizes, pairs


_Part = tuple[float, float, int]
"""An interval of an area on a scan line, and the area's number."""


def _ordered(crossings: list[tuple[int, float]]) -> Iterator[tuple[_Part, _Part | None]]:
    """The intervals on a scan line from left to right, each with the earlier one that reaches farthest."""
    parts: list[_Part] = []
    crossings.sort()
    for (i, start), (k, end) in zip(crossings[::2], crossings[1::2], strict=False):
        if i == k:
            parts.append((start, end, i))
    far: _Part | None = None
    for part in sorted(parts):
        yield part, far
        if far is None or part[1] > far[1]:
            far = part
