"""Parts of a shape that are separate regions: tracing programs write a whole picture as one path."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rulespec.drawing.outlines import area, extent
from rulespec.drawing.reading.names_beside import has_own_name
from rulespec.drawing.reading.shapes import PlacedShape, Shape
from rulespec.drawing.reading.texts import DrawnText, rounds
from rulespec.drawing.svg import Box, Point

_LEAST, _MOST = 3, 1_000  # parts with a text, and lines of a shape
_SHARE = 0.5  # of the texts of a drawing: as many name parts of the shape
_INK = 0.35  # greatest area of lines, relative to the areas between them
_SAMPLES = 5  # points of an outline sampled to find its filled side
_MAX_PLAIN, _MAX_TESTS = 10_000_000, 3_000_000

Line = list[Point]


def plain_rings(shape: Shape) -> list[Line]:
    """The outlines of a shape under the even-odd rule.

    For the nonzero rule, inner rings that wind in the same direction are dropped; self-crossing rings are unchanged.
    """
    rings = shape.outlines
    if shape.evenodd or len(rings) < 2 or _SAMPLES * sum(map(len, rings)) * len(rings) > _MAX_PLAIN:
        return rings
    results = []
    for i, ring in enumerate(rings):
        others, turn = [*rings[:i], *rings[i + 1 :]], 1 if area(ring) > 0 else -1
        # A point may be on another outline or in a sliver: the majority of several decides.
        samples = ring[:: max(len(ring) // _SAMPLES, 1)][:_SAMPLES]
        around = [rounds(others, x + 1e-9, y + 1e-9) for x, y in samples]
        bounding = sum((outside == 0) != (outside + turn == 0) for outside in around)
        if 2 * bounding > len(samples):
            results.append(ring)
    return results


def parted(
    pieces: Sequence[PlacedShape], texts: Sequence[DrawnText]
) -> tuple[list[PlacedShape], list[tuple[Shape, int]]]:
    """The shapes of a drawing, with one of them split into its parts if most names are in different parts of that
    shape.

    The parts are the areas that the shape fills or, if it consists of lines between areas, the areas between the lines.

    Returns:
        The shapes and, if a shape was split, that shape with the number of its parts.
    """
    lettered = [text for text in texts if any(map(str.isalpha, text.words))]
    budget = _MAX_TESTS
    for i, piece in enumerate(pieces):
        shape = piece.shape
        if not _LEAST <= len(shape.outlines) <= _MOST or not shape.filled or shape.own or has_own_name(piece.group):
            continue
        box = Box(extent(p for line in shape.outlines for p in line))
        within = [text for text in lettered if box.meets(Box((*text.at, *text.at)))]
        if len(within) < max(_LEAST, _SHARE * len(lettered)):
            continue
        budget -= (len(shape.outlines) + len(within)) * sum(map(len, shape.outlines))
        if budget >= 0 and (parts := _parts(shape, within, len(lettered))):
            more = [PlacedShape(part, None) for part in parts]
            return [*pieces[:i], *more, *pieces[i + 1 :]], [(shape, len(parts))]
    return [*pieces], []


def _parts(shape: Shape, texts: Sequence[DrawnText], all_: int) -> list[Shape]:
    """The parts of a shape, if those with texts are at least half as many as all texts, `all_`; otherwise none."""
    rings = plain_rings(shape)
    boxes = [extent(ring) for ring in rings]

    def around(at: Point) -> list[int]:
        """The numbers of the rings that enclose a point."""
        return [
            i
            for i, (left, top, right, bottom) in enumerate(boxes)
            if left <= at[0] <= right and top <= at[1] <= bottom and rounds([rings[i]], *at) != 0
        ]

    outer = [{*around(ring[0])} - {i} for i, ring in enumerate(rings)]
    named: dict[int, set[str]] = {}
    for text in texts:
        if inner := around(text.at):
            named.setdefault(max(inner, key=lambda i: len(outer[i])), set()).add(text.words)
    between = sum(len(outer[i]) % 2 for i in named)
    is_between = 2 * between > len(named)
    chosen = [i for i in range(len(rings)) if len(outer[i]) % 2 == is_between]
    if len(named) < max(_LEAST, _SHARE * all_) or not {*named} <= {*chosen}:
        return []
    sizes = [abs(area(ring)) for ring in rings]
    open_ = sum(sizes[i] for i in chosen)
    if is_between and sum(sizes) - 2 * open_ > _INK * open_:  # what it fills: all its outlines less its holes
        return []
    results = []
    for i in chosen:
        inside = [k for k, each in enumerate(outer) if i in each and len(each) == len(outer[i]) + 1]
        outlines = [rings[i], *(rings[k] for k in inside)]
        results.append(replace(shape, name="", own=False, label=False, outlines=outlines, evenodd=True))
    return [replace(part, fill="") for part in results] if is_between else results
