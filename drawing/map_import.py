"""A map from the shapes of a drawing: names, positions, and which regions touch."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.beside import beside
from rulespec.drawing.outline_checks import overlaps
from rulespec.drawing.outlines import Frame, Ring, area, centre, data_of, net
from rulespec.drawing.outlines import extent as extent_of
from rulespec.drawing.snapping import snapped
from rulespec.drawing.style import fits_sheet
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.svg_shapes import Shape, Sketch
from rulespec.syntax.words import NO_VALUES

EXTENT = 1000
"""The longer side of the frame of a map."""
_NEAR = 0.012  # how far apart, by the extent of the drawing, outlines may be that touch
_ALONG = 8  # squares of that size on which outlines must be near one another: two corners that meet are no border
_PAGE = 0.9  # points of a drawing that its page holds, if it is the frame of the map
_LINES = 20_000
_LONGEST = 50  # characters of a name
_GROUND, _SEEN, _ALL = 0.5, 0.03, 0.9
"""A shape that takes up so much of the frame, and is seen as little as that, is the background; so is one without a
name of its author's that takes up nearly all."""
_LETTERS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


class Name(Struct, frozen=True):
    """The name of a region as its label gives it.

    `stem`: what the letters of the label give; `sure`: they are all in it, and no other label gives it;
    `partial`: some of them are not in it.
    """

    text: str = ""
    stem: str = ""
    sure: bool = True
    partial: bool = False


class Imported(Struct, frozen=True):
    """A region: its name, its title, where it is (None: not known), and the regions that it touches.

    `outline`: its path data, "" if it has none; `fill`: its colour, `label`: its text, and `line`, all in the drawing;
    `origin`: how it came to its name.
    """

    name: str
    title: str
    position: tuple[int, int] | None
    touches: tuple[str, ...]
    outline: str = ""
    fill: str = ""
    line: int = 0
    label: str = ""
    origin: Name = Name()


class Drawn(Struct, frozen=True):
    """The map of a drawing: its regions, its frame, the shapes that are its background, and its file.

    `by_text`: the regions that would be the background if there were no text in them.
    """

    regions: list[Imported]
    frame: tuple[int, int, int, int] | None = None
    background: list[Shape] = []
    file: str = ""
    by_text: list[Imported] = []


def regions_of(sketch: Sketch) -> Drawn:
    """The regions that the shapes of a drawing stand for, in units of a map."""
    box = _box_of(sketch)
    extent = max(box[2] - box[0], box[3] - box[1], 1e-9)
    scale = EXTENT / extent

    def moved(line: Sequence[Point]) -> list[Point]:
        return [((x - box[0]) * scale, (y - box[1]) * scale) for x, y in line]

    outlines = [[moved(line) for line in shape.outlines] for shape in sketch.shapes]
    rings = snapped(outlines)
    frame = (0, 0, max(round((box[2] - box[0]) * scale), 1), max(round((box[3] - box[1]) * scale), 1))
    ground = [i for i in range(len(rings)) if any(rings) and _is_ground(sketch, i, outlines[i], rings[i], frame)]
    rest = [i for i in range(len(rings)) if i not in ground]
    named = dict(zip(rest, _names([sketch.shapes[i].name for i in rest]), strict=True))
    names = {i: name.text for i, name in named.items()}
    touching = _touching([rings[i] for i in rest], [outlines[i] for i in rest])
    results = []
    for number, i in enumerate(rest):
        shape, name = sketch.shapes[i], names[i]
        x, y = centre(max(outlines[i], key=lambda line: abs(area(line))))
        near = sorted(names[rest[k]] for pair in touching if number in pair for k in pair if k != number)
        label = _label(sketch.texts[i] or shape.name)
        at, data = (round(x), round(y)), data_of(rings[i])
        region = Imported(name, _title(label, name), at, tuple(near), data, shape.fill, shape.line, label, named[i])
        results.append(region)
    page = frame[2] * frame[3]
    by_text = [
        region
        for i, region in zip(rest, results, strict=True)
        if _fills_page(sketch, i, outlines[i], page) and sketch.texts[i]
    ]
    fits = fits_sheet(frame[2], frame[3])
    return Drawn(results, frame if fits else None, [sketch.shapes[i] for i in ground], sketch.file, by_text)


def _box_of(sketch: Sketch) -> Box:
    """The frame of a drawing: its page if that holds it, else what its shapes take up."""
    points = [p for shape in sketch.shapes for line in shape.outlines for p in line]
    page = sketch.box
    if page is not None and page[0] < page[2] and page[1] < page[3]:
        inside = sum(page[0] - 1 <= x <= page[2] + 1 and page[1] - 1 <= y <= page[3] + 1 for x, y in points)
        if inside >= _PAGE * len(points) and fits_sheet(page[2] - page[0], page[3] - page[1]):
            return page
    return extent_of(points)


def _is_ground(
    sketch: Sketch, i: int, outline: Sequence[Sequence[Point]], rings: Sequence[Ring], frame: tuple[int, int, int, int]
) -> bool:
    """Whether a shape is a background."""
    size, page = max(abs(area(line)) for line in outline), frame[2] * frame[3]
    if _fills_page(sketch, i, outline, page) and not sketch.texts[i]:
        return True
    return size >= _GROUND * page and overlaps([rings], _LINES)[0][0] <= _SEEN * size


def _fills_page(sketch: Sketch, i: int, outline: Sequence[Sequence[Point]], page: float) -> bool:
    """Whether a shape without a name of its author's takes up nearly all, below others."""
    size = max(abs(area(line)) for line in outline)
    return size >= _ALL * page and not sketch.shapes[i].own and i < len(sketch.shapes) - 1


def _touching(rings: list[list[Ring]], outlines: list[list[list[Point]]]) -> set[tuple[int, int]]:
    """The pairs of outlines that have edges in common, or, where most have none, run beside one another."""
    touching = net(rings, [], Frame(0, 0, EXTENT, EXTENT), 1).touching()
    if 2 * len({i for pair in touching for i in pair}) > len(rings):
        return touching
    return beside([[[*line, line[0]] for line in lines] for lines in outlines], EXTENT * _NEAR, _ALONG)


def _label(text: str) -> str:
    """A label as a title is written.

    An `id` has no blanks, so its underscores stand for them. What no text may have in it is left out.
    """
    label = " ".join(MISLEADING.sub(" ", text).split())
    return label if " " in label else label.replace("_", " ").strip()


def _title(label: str, name: str) -> str:
    """The part of a label that the name of its region does not say; "" if there is none."""
    return "" if label in ("", name, name.replace("_", " ")) else label


def _names(labels: Sequence[str]) -> list[Name]:
    """Names of entities from labels, each once, none of them a word of the language.

    A label has its name for itself if all its letters are in it, and no other label has as much right to it.
    """
    stems, whole = [], []
    for label in labels:
        plain = _plain(label)
        stem = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
        whole.append(0 < len(stem) <= _LONGEST and all(c.isascii() for c in plain if c.isalnum()))
        stem = stem[:_LONGEST] or "region"
        stems.append(f"{stem}_" if stem in NO_VALUES else stem)
    counts = Counter(stem for stem, all_ in zip(stems, whole, strict=True) if all_)
    sure = [all_ and counts[stem] == 1 for stem, all_ in zip(stems, whole, strict=True)]
    taken = {stem for stem, own in zip(stems, sure, strict=True) if own}
    results, numbers = [], dict[str, int]()
    for stem, own, all_ in zip(stems, sure, whole, strict=True):
        name = stem
        while not own and name in taken:
            numbers[stem] = numbers.get(stem, 1) + 1
            name = f"{stem}_{numbers[stem]}"
        taken.add(name)
        results.append(Name(name, stem, own, not all_))
    return results


def _plain(label: str) -> str:
    """A label in small letters without accents."""
    parted = unicodedata.normalize("NFKD", label.casefold().translate(_LETTERS))
    return "".join(c for c in parted if not unicodedata.combining(c))
