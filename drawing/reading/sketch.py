"""A drawing as a sketch of a map: candidate regions with names, and notes on unsupported parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.diagnostics.report import Report, failure
from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.outlines import area, extent
from rulespec.drawing.reading.contexts import Layer, NamedGroup, Part
from rulespec.drawing.reading.element_names import is_numbered, is_of_a_program, quoted, slug
from rulespec.drawing.reading.layers import LayerProposal, proposals
from rulespec.drawing.reading.names_beside import has_own_name, name_by_parents, name_by_plates, number_marks
from rulespec.drawing.reading.outlined_texts import outlined_texts
from rulespec.drawing.reading.placed_texts import PlacedTexts, place_texts
from rulespec.drawing.reading.shape_parts import parted, plain_rings
from rulespec.drawing.reading.shapes import Content, PlacedShape, Shape, read_content
from rulespec.drawing.reading.styles import styles_of
from rulespec.drawing.reading.svg_tree import Document, read_tree, refused
from rulespec.drawing.reading.texts import DrawnText, rounds
from rulespec.drawing.svg import Box, Point

MAX_SHAPES = 400
MAX_NAMELESS = 1_000
_MAX_PIECES = 4_000
"""The maximum numbers of named shapes, and of unnamed shapes that may contain a text."""
_NAMELESS = "shapes without a name"
_LINES = "lines, which have no area"
_OPEN = "lines without a fill, such as rivers"
_HOLLOW = "shapes without a fill, where others have one"
_MARKERS = "small copies by `use`, such as marks of towns"
_NUMBERS = "boxes around numbers, one in each region"
_BEYOND = "shapes beyond the page"
_UNSEEN = "shapes with neither a fill nor a line"
_ABBREVIATED = 3  # letters of a label that may abbreviate a longer text
_LAYERS = 3  # least number of layers with one shape each that form a map
_AGAIN, _SMALL = 3, 0.1
"""The number of copies that makes a shape a mark, and its maximum size relative to other shapes."""
_FILLS = 3  # colours of a group listed in a message
_MOST_LINES = 12
_AREAS = 2  # shapes that nobody sees, if they are the map
_SHOWN = 60


class Notes(Struct):
    """The notes taken while reading a drawing.

    `left_out`: type of skipped element → its lines.
    `hidden`: hidden groups, each with its number of shapes.
    `ornaments`: groups and shapes skipped because of their names, such as a legend.
    `loose`: texts outside shapes; `beside`: texts in a shape that has a different name, with that name; `outlined`:
    texts drawn as outlines; `led`, `joined`: as in `PlacedTexts`; `plated`: names in boxes inside their shapes;
    `grouped`: names next to their shapes, each in a group with its shape; `titled`: titles that differ from the names
    of their shapes, with those names.
    `pictured`: whether it is a raster picture, whose regions are numbered.
    `faults`: the line of each element with an unreadable part, and that part.
    `areas`: the lines of the invisible shapes that form the map if there are no visible ones.
    `parted`: the shapes that were split into several parts, each with the number of parts.
    """

    left_out: dict[str, list[int]] = field(default_factory=dict)
    hidden: list[tuple[Layer, int]] = field(default_factory=list)
    ornaments: list[Layer] = field(default_factory=list)
    loose: list[DrawnText] = field(default_factory=list)
    beside: list[tuple[DrawnText, str]] = field(default_factory=list)
    outlined: list[DrawnText] = field(default_factory=list)
    led: list[DrawnText] = field(default_factory=list)
    joined: list[DrawnText] = field(default_factory=list)
    plated: list[DrawnText] = field(default_factory=list)
    grouped: list[DrawnText] = field(default_factory=list)
    titled: list[tuple[DrawnText, str]] = field(default_factory=list)
    proposals: list[LayerProposal] = field(default_factory=list)
    pictured: bool = False
    faults: list[tuple[int, str]] = field(default_factory=list)
    areas: list[int] = field(default_factory=list)
    parted: list[tuple[Shape, int]] = field(default_factory=list)


class Sketch(Struct, frozen=True):
    """The content of a drawing: shapes from bottom to top, the text in each ("" for none), and the frame, if it has
    one.

    `touching` contains the pairs of neighbouring shapes, if the drawing lists them.
    """

    shapes: list[Shape]
    texts: list[str]
    box: Box | None
    file: str = ""
    notes: Notes = field(default_factory=Notes)
    touching: set[tuple[int, int]] | None = None


def read_sketch(path: Path, report: Report | None = None, part: Part | None = None) -> Sketch:
    """The named shapes of a drawing; unnamed shapes in a named group form one shape.

    A text inside a shape is an alternative name for the shape, or its only name if it has no other.

    Args:
        path: the file.
        report: receives warnings about unsupported style sheets (RS850).
        part: the part of the drawing that is the map; by default, everything visible.

    Raises:
        DiagnosticsError: RS561 if the file is unreadable, RS562 if it has no named shapes, RS563 if a shape has a
            number out of range, RS904 if the drawing lacks a name in `part`.
    """
    document, part = read_tree(path), part or Part()
    styles = styles_of(document)
    content = read_content(document, part, styles)
    _check_part(document, content, "--layer", part.layers)
    if report is not None:
        styles.warn(document, report)
    result = _sketch(document, content, part)
    _check_part(document, content, "--not", part.without)
    return result


def _check_part(document: Document, content: Content, flag: str, names: Sequence[str]) -> None:
    """Refuses names that occur nowhere in the drawing."""
    known = {slug(name): name for layer in content.notes.layers for name in (layer.label, layer.id) if name}
    shapes = {slug(layer.name) for piece in content.pieces for layer in piece.shape.layers}
    there = {*known} if flag == "--layer" else {*known, *shapes, *map(slug, content.notes.parted)}
    report = Report()
    for name in names:
        if slug(name) not in there:
            listed = ", ".join(f"`{MISLEADING.sub(' ', each)[:_SHOWN]}`" for each in [*known.values()][:12])
            help_ = f"name one of its groups: {listed}" if listed else f"omit {flag}, or name the groups of the drawing"
            message = f"{flag} names `{name[:_SHOWN]}`, but the drawing has no part with that name"
            report.error("RS904", message, document.place(1), help=help_)
    report.raise_if_errors()


def _sketch(document: Document, content: Content, part: Part) -> Sketch:
    notes = Notes(content.notes.left_out, _hidden(content), content.notes.ornaments, faults=content.notes.faults)
    pieces = _without_unseen([piece for piece in content.pieces if _is_in(piece.shape, part)], notes)
    pieces = _without_beyond(pieces, content, part, notes)
    pieces = _bounded(_without_markers(_without_hollow(pieces, notes), notes), notes, document.file)
    pieces, notes.outlined = outlined_texts(pieces, content.texts.all)
    pieces, notes.parted = parted(_named_by_groups(pieces), content.texts.all)
    texts = place_texts(
        [*content.texts.all, *notes.outlined],
        [piece.shape.outlines for piece in pieces],
        {i for i, piece in enumerate(pieces) if not piece.shape.filled},
        {i for i, piece in enumerate(pieces) if not piece.shape.evenodd},
        content.leads,
    )
    notes.grouped = name_by_parents(pieces, [*content.texts.all, *notes.outlined], texts)
    marks = number_marks(pieces, texts)
    notes.left_out |= {_NUMBERS: [pieces[i].shape.line for i in sorted(marks)]} if marks else {}
    pieces = [piece for i, piece in enumerate(pieces) if i not in marks]
    texts.names = [text for i, text in enumerate(texts.names) if i not in marks]
    notes.plated = name_by_plates(pieces, texts)
    results, said = _without_texts(*_named(_merged(pieces, texts.names), texts, notes), content, part)
    there = [piece.shape for piece in content.pieces]
    there = [shape for shape in there if not shape.unseen or any(layer.hidden for layer in shape.layers)]
    notes.proposals = proposals(there, results, content.box, part)
    if not results:
        raise _no_shapes(document, notes)
    if len(results) > MAX_SHAPES:
        help_ = "keep only the outlines of regions"
        if notes.proposals:
            help_ = f"choose the part with the map: {' or '.join(each.flag for each in notes.proposals)}"
        raise refused(document.file, results[MAX_SHAPES].line, f"it has more than {MAX_SHAPES} shapes", help_)
    return Sketch(results, said, content.box, document.file, notes)


def _named(
    shapes: Sequence[tuple[Shape, DrawnText | None]], texts: PlacedTexts, notes: Notes
) -> tuple[list[Shape], list[str]]:
    """The shapes named by their author or by a text, and the texts that are titles."""
    results, said = [], []
    used: dict[str, DrawnText] = {}
    layers = _single_layers(shapes)
    for number, (shape, text) in enumerate(shapes):
        if text is None and (layer := layers.get(number)) is not None:
            shape = replace(shape, name=layer.label, own=True, label=True)
        lettered = text is not None and any(map(str.isalpha, text.words))
        by_text = text is not None and (not shape.own or (lettered and is_numbered(shape.name) and not shape.label))
        name = text.words if text is not None and by_text else shape.name
        if not name:
            notes.left_out.setdefault(_NAMELESS, []).append(shape.line)
            continue
        is_title = by_text or (lettered and not (shape.label and len(name) > _ABBREVIATED))
        if text is not None and lettered and not is_title and slug(text.words) != slug(name):
            notes.beside.append((text, name))
        elif text is not None and lettered and not by_text and _is_unlike(text.words, name):
            notes.titled.append((text, name))
        results.append(replace(shape, name=name, by_text=by_text))
        said.append(text.words if text is not None and is_title else "")
        used |= {text.words: text} if text is not None and is_title else {}
    notes.loose = texts.loose
    notes.beside += [(text, name.words) for text, name in texts.beside]
    notes.led = [text for text in texts.led if any(text.words in words for words in used)]
    notes.joined = [text for text in texts.joined if text.words in used]
    return results, said


def _is_unlike(words: str, name: str) -> bool:
    """Whether a text is another name than that of its shape, which is no code for it."""
    one, other = slug(words), slug(name)
    return len(other) > _ABBREVIATED and not any(map(str.isdigit, other)) and one not in other and other not in one


def _without_texts(shapes: list[Shape], said: list[str], content: Content, part: Part) -> tuple[list[Shape], list[str]]:
    """Drops the shapes named by a text that the author excludes; also returns the texts that are titles."""
    _, without = part.named()
    parted = {i for i, shape in enumerate(shapes) if shape.by_text and slug(shape.name) in without}
    content.notes.parted += [shapes[i].name for i in sorted(parted)]
    rest = [i for i in range(len(shapes)) if i not in parted]
    return [shapes[i] for i in rest], [said[i] for i in rest]


def _single_layers(shapes: Sequence[tuple[Shape, DrawnText | None]]) -> dict[int, Layer]:
    """Layers with a label and a single shape that no author named, by the index of this shape.

    Some maps have one layer per region; but one or two such layers may be a coast or a sea.
    """
    counts = Counter(layer for shape, _ in shapes for layer in shape.layers)
    results = {}
    for number, (shape, _) in enumerate(shapes):
        labelled = [layer for layer in shape.layers if layer.label]
        if labelled and counts[labelled[-1]] == 1 and not shape.own:
            results[number] = labelled[-1]
    return results if len(results) >= _LAYERS else {}


def _without_unseen(pieces: list[PlacedShape], notes: Notes) -> list[PlacedShape]:
    """Drops invisible shapes; an invisible shape names the unnamed shape with the same outline.

    So do the areas for the pointer of a page of the web, which over a picture are the map themselves.
    """
    areas = {
        i
        for i, piece in enumerate(pieces)
        if piece.shape.unseen and not any(layer.hidden for layer in piece.shape.layers)
    }
    own = [i for i in areas if pieces[i].shape.own or has_own_name(pieces[i].group)]
    if len(own) >= _AREAS and len(pieces) - len(areas) <= 1:
        notes.areas = [pieces[i].shape.line for i in sorted(areas)]
        return [
            PlacedShape(replace(piece.shape, unseen=False), piece.group) if i in areas else piece
            for i, piece in enumerate(pieces)
        ]
    names: dict[tuple[tuple[Point, ...], ...], Shape] = {}
    for piece in pieces:
        if piece.shape.unseen and (piece.shape.own or has_own_name(piece.group)):
            names.setdefault(_key(piece.shape), piece.shape if piece.shape.own else _called(piece))
    results = []
    for piece in pieces:
        shape, pair = piece.shape, names.get(_key(piece.shape))
        if shape.unseen and not any(layer.hidden for layer in shape.layers):
            notes.left_out.setdefault(_UNSEEN, []).append(shape.line)
        elif pair is not None and not shape.own and not shape.unseen:
            named = replace(shape, name=pair.name, own=True, label=pair.label)
            results.append(PlacedShape(named, piece.group))
        elif not shape.unseen:
            results.append(piece)
    return results


def _without_beyond(pieces: list[PlacedShape], content: Content, part: Part, notes: Notes) -> list[PlacedShape]:
    """Drops the shapes beyond the page, unless they are the majority, or a layer is chosen."""
    if content.sheet is None or part.layers:
        return pieces
    left, top, right, bottom = content.sheet
    beyond = set()
    for i, piece in enumerate(pieces):
        a, b, c, d = extent(p for line in piece.shape.outlines for p in line)
        if a >= right or b >= bottom or c <= left or d <= top:
            beyond.add(i)
    if not beyond or 2 * len(beyond) > len(pieces):
        return pieces
    notes.left_out.setdefault(_BEYOND, []).extend(pieces[i].shape.line for i in sorted(beyond))
    return [piece for i, piece in enumerate(pieces) if i not in beyond]


def _named_by_groups(pieces: Sequence[PlacedShape]) -> list[PlacedShape]:
    """Gives a group's author-given name to its shapes that have no better name."""
    counts = Counter(piece.group for piece in pieces)
    return [
        PlacedShape(replace(_called(piece), own=True), piece.group)
        if piece.shape.name and not piece.shape.own and counts[piece.group] == 1 and has_own_name(piece.group)
        else piece
        for piece in pieces
    ]


def _called(piece: PlacedShape) -> Shape:
    """A shape under its group's name."""
    group = piece.group
    return piece.shape if group is None else replace(piece.shape, name=group.name, label=group.label)


def _no_shapes(document: Document, notes: Notes) -> Exception:
    """The error for a drawing without named shapes (RS562)."""
    lines = len(notes.left_out.get(_LINES, ())) + len(notes.left_out.get(_OPEN, ()))
    help_ = "give each region's outline an `id`, a label in Inkscape, or a text in it"
    message = "no shape in this drawing has a name"
    if lines >= _MOST_LINES:
        message = f"this drawing has {lines} lines, but no region outline"
        help_ = "regions bounded only by lines are not read: draw the outline of each region as one closed shape"
    elif notes.proposals or notes.hidden:
        flags = [each.flag for each in notes.proposals] or [f"--layer {quoted(notes.hidden[0][0].name)}"]
        help_ = f"if a hidden part of it is the map, choose that part: {' or '.join(flags)}"
    elif any(element.tag == "image" for element in document.elements()):
        help_ = "a picture in a drawing cannot be read: give the picture itself, as `--map board.png`"
    line = 1
    if notes.faults:
        line, fault = min(notes.faults)
        message += f"; one has an error: {fault}"
    return failure("RS562", message, document.place(line), help=help_)


def _hidden(content: Content) -> list[tuple[Layer, int]]:
    """The outermost hidden groups with shapes, and their numbers of shapes."""
    counts: Counter[Layer] = Counter()
    for piece in content.pieces:
        hidden = [layer for layer in piece.shape.layers if layer.hidden]
        if hidden and (piece.shape.hidden or piece.shape.unseen):
            counts[hidden[0]] += 1
    return [*counts.items()]


def _is_in(shape: Shape, part: Part) -> bool:
    """Whether a shape is in the part of the drawing to import."""
    chosen, _ = part.named()
    if chosen:
        return any(layer.is_called(chosen) for layer in shape.layers)
    return not shape.hidden


def _without_hollow(pieces: list[PlacedShape], notes: Notes) -> list[PlacedShape]:
    """Drops lines that end nowhere, and unfilled shapes if others are filled."""
    closed = [piece for piece in pieces if not piece.shape.curve]
    for piece in pieces:
        if piece.shape.curve:
            notes.left_out.setdefault(_OPEN, []).append(piece.shape.line)
    filled = [piece for piece in closed if piece.shape.filled]
    if 2 * len(filled) < len(closed) or not filled:
        return closed
    beside = {(piece.group, _key(piece.shape)) for piece in filled if piece.group is not None}
    results = []
    for piece in closed:
        if piece.shape.filled or piece.shape.label:
            results.append(piece)
        elif (piece.group, _key(piece.shape)) not in beside:  # otherwise, it is the outline of that shape
            notes.left_out.setdefault(_HOLLOW, []).append(piece.shape.line)
    return results


def _without_markers(pieces: list[PlacedShape], notes: Notes) -> list[PlacedShape]:
    """Drops small shapes that `use` repeats many times, if the others form a map."""
    markers = [piece for piece in pieces if piece.shape.copies >= _AGAIN and not piece.shape.label]
    others = [piece for piece in pieces if piece.shape.copies < _AGAIN]
    sizes = [sum(abs(area(line)) for piece in some for line in piece.shape.outlines) for some in (markers, others)]
    if not markers or len(others) < _AGAIN or sizes[0] > _SMALL * sizes[1]:
        return pieces
    notes.left_out.setdefault(_MARKERS, []).extend(piece.shape.line for piece in markers)
    return [piece for piece in pieces if piece.shape.copies < _AGAIN or piece.shape.label]


def _key(shape: Shape) -> tuple[tuple[Point, ...], ...]:
    """The outlines of a shape in a comparable form."""
    return tuple(map(tuple, shape.outlines))


def _bounded(pieces: list[PlacedShape], notes: Notes, file: str) -> list[PlacedShape]:
    """Drops the unnamed shapes outside named groups beyond a limit."""
    results, nameless = [], 0
    for piece in pieces:
        alone = not piece.shape.name and piece.group is None
        nameless += alone
        if not alone or nameless <= MAX_NAMELESS:
            results.append(piece)
        else:
            notes.left_out.setdefault(_NAMELESS, []).append(piece.shape.line)
    if len(results) > _MAX_PIECES:
        help_ = "keep only the outlines of regions, or choose them with --layer"
        raise refused(file, results[_MAX_PIECES].shape.line, f"it has more than {_MAX_PIECES:,} shapes", help_)
    return results


def _merged(pieces: Sequence[PlacedShape], texts: Sequence[DrawnText | None]) -> list[tuple[Shape, DrawnText | None]]:
    """The shapes with their texts; unnamed shapes in a named group are united if they form one region."""
    parts: dict[NamedGroup, list[int]] = {}
    named: set[NamedGroup] = set()
    for i, piece in enumerate(pieces):
        if piece.group is not None and not piece.shape.name:
            parts.setdefault(piece.group, []).append(i)
        elif piece.group is not None:
            named.update(_above(piece.group))
    for group in parts:
        if group.around is not None:
            named.update(_above(group.around))
    results: dict[int, tuple[Shape, DrawnText | None]] = {}
    single = {i for i, piece in enumerate(pieces) if piece.shape.name or piece.group is None}
    for group, numbers in parts.items():
        words = {text.words for i in numbers if (text := texts[i]) is not None and any(map(str.isalpha, text.words))}
        if group in named or len(words) > 1:
            single.update(numbers)
            continue
        own = [text for i in numbers if (text := texts[i]) is not None]
        shape = _united(group, [pieces[i].shape for i in numbers])
        results[numbers[-1]] = shape, max(own, key=lambda text: text.size, default=None)
    results |= {i: (pieces[i].shape, texts[i]) for i in single}
    return [results[i] for i in sorted(results)]


def _above(group: NamedGroup) -> Iterable[NamedGroup]:
    """A group and its ancestors."""
    each: NamedGroup | None = group
    while each is not None:
        yield each
        each = each.around


def _united(group: NamedGroup, parts: Sequence[Shape]) -> Shape:
    """The shape of a group; parts with different colours leave it without a colour."""
    filled = _without_marks([part for part in parts if part.filled]) or parts
    plain = [part.fill for part in filled if not part.fill.startswith("url(")]  # without patterns drawn over a colour
    fills = [*dict.fromkeys(plain or [part.fill for part in filled])][:_FILLS]
    fill = " and ".join(fill or "none" for fill in fills) if len(fills) > 1 else fills[0]
    outlines: list[list[Point]] = []
    for part in filled:
        outlines += [line for line in plain_rings(part) if line not in outlines]
    return Shape(
        name=group.name,
        outlines=outlines,
        line=group.line,
        own=group.label or not is_of_a_program(group.name),
        fill=fill,
        label=group.label,
        filled=any(part.filled for part in parts),
        layers=parts[0].layers,
    )


def _without_marks(parts: Sequence[Shape]) -> list[Shape]:
    """The parts of a region without small ones of another colour on the largest, such as the dot of a town."""
    sizes = [sum(abs(area(line)) for line in part.outlines) for part in parts]
    largest = max(range(len(parts)), key=lambda i: sizes[i], default=0)
    ground = parts[largest] if parts else None
    return [
        part
        for i, part in enumerate(parts)
        if ground is None
        or i <= largest
        or part.fill == ground.fill
        or sizes[i] > _SMALL * sizes[largest]
        or not rounds(ground.outlines, *part.outlines[0][0])
    ]
