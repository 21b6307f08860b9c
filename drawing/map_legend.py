"""The legend of a map: owners, symbols, line types, and areas outside all regions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour
from rulespec.drawing.colours import ground as grounded
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.hatching import hatched
from rulespec.drawing.map_ground import Ground, arrow, spot_boxes, spot_look
from rulespec.drawing.map_links import arrow_over
from rulespec.drawing.place_looks import BRIM, RANKS, badge, badges_of, fill_of
from rulespec.drawing.plan import Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.style import BoardStyle, LinkStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width

_SIZE, _ROW, _SAMPLE, _GAP = 12.0, 20.0, 28.0, 22.0
_TOP = 14.0
_EXPLAINED = ("owners", "inner", "free", "waters", "walls")
"""The border ranks that need an explanation."""

Sample = Callable[[Point], str]
"""A function that draws an explained symbol, with the middle of its left side at a point."""


def legend(
    sheet: Sheet, board: BoardStyle, layout: Ground, drawn: Set[str], corner: Point
) -> tuple[list[SceneItem], float]:
    """The items of a legend under a map, and its height.

    Args:
        sheet: the data of the picture.
        board: the map.
        layout: the layout of the map.
        drawn: the ids of the drawn items.
        corner: its top left corner on the picture.
    """
    width = layout.size[0]
    x, row = 0.0, 0
    parts = []
    for sample, text in _entries(sheet, board, layout, drawn):
        shown = shortened(text, _SIZE, width - _SAMPLE)
        wide = _SAMPLE + text_width(shown, _SIZE)
        if x and x + wide > width:
            x, row = 0.0, row + 1
        at = (corner[0] + x, corner[1] + layout.size[1] + _TOP + _ROW * (row + 0.5))
        line = svg.words(shown, at[0] + _SAMPLE, at[1], _SIZE, anchor="start", fill=INK)
        parts.append(svg.group([sample(at), line], class_="legend"))
        x += wide + _GAP
    if not parts:
        return [], 0.0
    return [SceneItem(f"legend.{board.kind}", "names", "".join(parts))], _TOP + _ROW * (row + 1)


def _entries(sheet: Sheet, board: BoardStyle, layout: Ground, drawn: Set[str]) -> Iterator[tuple[Sample, str]]:
    """Samples, and the words beside them."""
    yield from _owners(sheet, board, len(layout.positions))
    word = sheet.words.word
    for rank in _EXPLAINED:
        if f"{rank}.{board.kind}" in drawn:
            yield _border(rank), word("wall") if rank == "walls" else word(f"border_{rank}")
    for name, style in board.links.items():
        own = (link for link in layout.links if link.kind == name)
        for dashed in sorted({link.dashed for link in own if _line_of(sheet, board, link.a, link.b, name) in drawn}):
            yield _link(style, dashed), _link_title(sheet, name, style, dashed)
    names = sheet.names(board.kind)
    for fact in board.across:
        if any(f"across.{fact}.{name}" in drawn for name in names):
            yield _towards, sheet.words.field(board.kind, fact)
    for each in sheet.style.boards.values():
        if each.inside == board.kind and not each.roomy and spot_boxes(board, each, layout.size[0]):
            yield _symbol(sheet, spot_look(sheet, each.kind, 0)), word_of(sheet, each)
    if board.seams:
        yield (lambda at: svg.words("\N{UPWARDS ARROW}", at[0] + 10, at[1], 12)), word("over_edge")
    if board.form == "nodes":
        return
    if tones := list(dict.fromkeys(part.colour for part in board.scenery if part.colour != "water")):
        yield _swatches(tones), word("not_in_play")


def word_of(sheet: Sheet, board: BoardStyle) -> str:
    """The title for the places of a board."""
    return sheet.words.board(board.kind, board.title) or sheet.words.kind(board.kind)


def _towards(at: Point) -> str:
    """A sample of the mark over a border."""
    line = [(at[0] + 11, at[1] - 7), (at[0] + 11, at[1]), (at[0] + 11, at[1] + 7)]
    border = svg.element("path", d=svg.path(line), fill="none", stroke=BRIM)
    return border + arrow(arrow_over(line, lambda x, _: x > line[0][0]))


def _line_of(sheet: Sheet, board: BoardStyle, a: int, b: int, kind: str) -> str:
    names = sheet.names(board.kind)
    return f"link.{kind}.{names[a]}.{names[b]}"


def _link_title(sheet: Sheet, name: str, style: LinkStyle, dashed: bool) -> str:
    title = sheet.words.kind(name)
    if isinstance(style.dashed, str) and dashed:
        return f"{title}: {sheet.words.field(name, style.dashed)}"
    return title


def _owners(sheet: Sheet, board: BoardStyle, count: int) -> Iterator[tuple[Sample, str]]:
    """Owners in their kind's order, then symbols beside names."""
    owners, symbols = dict[tuple[str, int], Sample](), dict[tuple[str, int], Sample]()
    for i in range(count):
        look, owner = fill_of(sheet, board, i)
        lines = "none" if board.outlines else look.hatch
        for name in board.fill[:-1] if board.form == "areas" else board.fill:
            of = sheet.fact(board.kind, name, i)
            if of is not None:
                owners.setdefault(of, _swatch(look.colour, owner.letter if owner is not None else "", lines))
                break
        for (shown, _), name in zip(badges_of(sheet, board, i), board.badges, strict=False):
            of = sheet.fact(board.kind, name, i)
            if of is not None:
                symbols.setdefault(of, _symbol(sheet, shown))
    for (kind, number), sample in (*sorted(owners.items()), *sorted(symbols.items())):
        yield sample, sheet.titles(kind)[number]


def _symbol(sheet: Sheet, look: Look) -> Sample:
    return lambda at: badge(sheet, look, "", (at[0] + 14, at[1]))


def _swatch(tone: str, letter: str = "", lines: str = "none") -> Sample:
    def drawn(at: Point) -> str:
        (x, y), (half, room) = at, (11, 5)
        box = {"x": x, "y": y - 7, "width": 2 * half, "height": 14, "rx": 2}
        outline = [(x, y - 7), (x + 2 * half, y - 7), (x + 2 * half, y + 7), (x, y + 7)]
        clear = Box((x + half - room, y - room, x + half + room, y + room) if letter else (x, y, x, y))
        mark = svg.words(letter, x + half, y, 9, bold=True) if letter else ""
        return (
            svg.element("rect", **box, fill=grounded(tone), stroke=BRIM) + hatched([outline], lines, tone, clear) + mark
        )

    return drawn


def _swatches(tones: list[str]) -> Sample:
    """Adjacent colours with one meaning."""
    wide = 22 / len(tones)

    def drawn(at: Point) -> str:
        box = {"y": at[1] - 7, "width": wide, "height": 14}
        return "".join(
            svg.element("rect", x=at[0] + wide * i, **box, fill=grounded(tone), stroke=BRIM)
            for i, tone in enumerate(tones)
        )

    return drawn


def _border(rank: str) -> Sample:
    def drawn(at: Point) -> str:
        line = svg.path([at, (at[0] + 22, at[1])])
        return "".join(svg.element("path", d=line, fill="none", **look) for look in RANKS[rank])

    return drawn


def _link(style: LinkStyle, dashed: bool) -> Sample:
    def drawn(at: Point) -> str:
        look: svg.Values = {"stroke": colour(style.colour), "stroke_width": 2.4, "stroke_linecap": "round"}
        line = svg.path([at, (at[0] + 22, at[1])])
        return svg.element("path", d=line, **look, stroke_dasharray="5 5" if dashed else None)

    return drawn
