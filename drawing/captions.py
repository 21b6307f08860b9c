"""Board captions: a heading, and a key to the letters and numbers on a board."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, ground
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.panel_boards import lettered_heads, pair_width
from rulespec.drawing.plan import HEAD, Sheet
from rulespec.drawing.regular_boards import heading
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Point
from rulespec.drawing.text_width import shortened, text_width
from rulespec.types import Bool, Ent, Maybe, Num, Order, SetOf

SIZE = 12.0
_SHEET = 1000.0
"""The width of a board of pairs that is below other boards."""
_FEW = 8
"""The maximum number of entities whose letters are explained."""
_LINE = 16.0
_FAINT = "#4a525a"


def caption(sheet: Sheet, boards: Sequence[BoardStyle], title: str, corner: Point, width: float) -> tuple[str, float]:
    """The caption above a board and its nested boards, as SVG with its height; without a title, only the colour key."""
    parts, tall, board = [], 0.0, boards[0]
    if title:
        parts.append(heading(shortened(title, 13, width, bold=True), corner))
        lines = _lines(list(notes(sheet, boards)), width)
        for i, line in enumerate(lines):
            y = corner[1] + HEAD + _LINE * (i + 0.4)
            parts.append(svg.words(line, corner[0], y, SIZE, anchor="start", fill=_FAINT))
        tall = HEAD + 2 + _LINE * len(lines) + (4 if lines else 0)
    if board.tints:
        looks = {sheet.words.field(board.kind, name): Look(tone) for name, tone in board.tints.items()}
        parts.append(_colours(looks, "", (corner[0], corner[1] + tall + 7)))
        tall += _LINE + 6
    for name in board.fill:
        if looks := _fills(sheet, board, name):
            parts.append(_colours(looks, sheet.words.field(board.kind, name), (corner[0], corner[1] + tall + 7)))
            tall += _LINE + 6
    return "".join(parts), tall


def _fills(sheet: Sheet, board: BoardStyle, name: str) -> dict[str, Look]:
    """The entities that colour places, by title; empty if there are too many to list."""
    numbers = range(len(sheet.names(board.kind)))
    entities = dict.fromkeys(of for i in numbers if (of := sheet.fact(board.kind, name, i)) is not None)
    return {sheet.titles(kind)[i]: sheet.look(kind, i) for kind, i in entities} if len(entities) <= _FEW else {}


def _colours(looks: Mapping[str, Look], title: str, at: Point) -> str:
    """The colours of places, with their meanings; `title` is their common subject."""
    x, y = at
    parts = [_entry(svg.words(f"{title}:", x, y, SIZE, anchor="start", fill=_FAINT))] if title else []
    x += text_width(f"{title}: ", SIZE) + 4 if title else 0
    for name, look in looks.items():
        box: svg.Values = {"x": x, "y": y - 7, "width": 14, "height": 14, "fill": ground(look.colour), "stroke": INK}
        parts.append(_entry(svg.element("rect", **box) + svg.words(name, x + 18, y, SIZE, anchor="start", fill=_FAINT)))
        x += 18 + text_width(name, SIZE) + 12
    return "".join(parts)


def _entry(drawn: str) -> str:
    """An entry of a key, which pages show below a board in letters of their own size."""
    return svg.group([drawn], class_="legend")


def _lines(notes: list[str], width: float) -> list[str]:
    """Notes packed into as few lines as possible; no note is broken."""
    lines: list[str] = []
    for note in notes:
        longer = f"{lines[-1]} · {note}" if lines else note
        if lines and text_width(longer, SIZE) <= width:
            lines[-1] = longer
        else:
            lines.append(shortened(note, SIZE, width))
    return lines


def notes(sheet: Sheet, boards: Sequence[BoardStyle]) -> Iterator[str]:
    """Notes on the kinds of content shown on a board; notes on nested boards begin with the title of their kind."""
    yield from _notes(sheet, boards[0])
    for board in boards[1:]:
        yield from (f"{sheet.words.kind(board.kind)}: {note}" for note in _notes(sheet, board))


def _notes(sheet: Sheet, board: BoardStyle) -> Iterator[str]:
    """The kinds of content shown in the places of a board: facts, fields and entities."""
    d, words, kind = sheet.d, sheet.words, sheet.d.kinds[board.kind]
    numbers = sheet.words.word("drawn_numbers")
    numbered = [name for name in board.facts if name in kind.facts and not isinstance(kind.facts[name].type, Bool)]
    if names := [words.field(board.kind, name) for name in numbered]:
        yield f"{numbers}: {', '.join(names)}" if board.form != "row" else ", ".join(names)
    for name in board.fields:
        code, field = sheet.style.codes.get((board.kind, name), ""), kind.state.get(name)
        if field is None or words.internal(board.kind, name):
            continue
        title = words.field(board.kind, name)
        if code:
            yield f"{code}: {title}" if code != title else title
        elif isinstance(field.type, Ent | SetOf | Order):
            yield title if field.type.kind in board.plain else _with_letters(sheet, title, field.type.kind)
        elif isinstance(field.type, Bool | Num | Maybe):
            yield f"{numbers}: {title}"
    if board.form == "pairs" and len(kind.product) == 2:
        across = kind.product[1]
        if lettered_heads(sheet, across, pair_width(sheet, board, _SHEET)):
            yield from _letters(sheet, across)
    if board.tiles is not None and not board.tiles.ends and (of := kind.state.get(board.tiles.field)) is not None:
        assert isinstance(of.type, Ent)
        if board.tiles.letters:
            yield _with_letters(sheet, words.field(board.kind, board.tiles.field), of.type.kind)
        first, *others = (words.field(of.type.kind, name) for name in board.tiles.lines)
        if others and isinstance(d.kinds[of.type.kind].facts[board.tiles.lines[0]].type, SetOf):
            yield f"{words.word('drawn_lines')}: {first}"
            yield f"{words.word('dashed_lines')}: {', '.join(others)}"
    for side in board.sides:
        owner, _, name = side.partition(".")
        yield f"{words.word('drawn_lines')}: {words.kind(owner)} {words.field(owner, name)}"
    for owner, name in sheet.style.markers:
        field = (d.kinds[owner].state if owner else d.fields).get(name)
        if field is not None and isinstance(field.type, Ent) and field.type.kind == board.kind:
            code, title = sheet.style.codes.get((owner, name), ""), words.field(owner, name)
            yield (f"{code}: {title}" if code != title else title) if code else f"{words.kind(owner)}: {title}"


def _with_letters(sheet: Sheet, title: str, kind: str) -> str:
    """A field that names entities, with a key to their letters if they are few; seats have a key elsewhere."""
    names = sheet.titles(kind)
    if len(names) > _FEW or sheet.d.kinds[kind].is_player or kind in sheet.d.boards:
        return title
    return f"{title}: " + ", ".join(_letters(sheet, kind))


def _letters(sheet: Sheet, kind: str) -> Iterator[str]:
    """The entities of a kind, each preceded by its letter."""
    for i, name in enumerate(sheet.titles(kind)):
        yield f"{sheet.look(kind, i).letter} {name}"
