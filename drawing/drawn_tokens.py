"""Pieces, tokens and markers in the slots of their places, drawn as large as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing import svg
from rulespec.drawing.cards import hidden_text, number_on
from rulespec.drawing.colours import BACK, INK, colour, ink_on
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.plan import Manner, Sheet
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import Entity, Pile
from rulespec.drawing.stands import Stand
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width
from rulespec.records import Brief

LARGEST = 46.0
_SMALLEST = 5.0
_PER_SLOT = 60  # tokens drawn per slot; a number stands for the rest
_CARD = 0.78  # width of a card relative to its height
_LINES, _LEAST, _MOST = 4, 6.5, 26.0  # lines on a card, and the least and the greatest font size
_LINE = 1.15  # line height relative to the font size
_CORNER, _UNDER = 12.0, 13.0  # font size of the corner letter, and the height reserved for it
_NUMBER = 26.0  # font size of the number on a back
_MARK = 0.3  # height of an owner's letter beside another text


class Standing(Struct, frozen=True):
    """The arrangement of tokens in a slot: maximum size, `Manner`, stack limit, and stands on an area; see `Plan`."""

    largest: float = LARGEST
    manner: Manner | Literal[""] = ""
    stack: int = 0
    stands: tuple[Stand, ...] = ()


class DrawnToken(Brief, Struct, frozen=True):
    """A token in a place: a symbol with a text.

    Attributes:
        id: the id of the item.
        symbol: a shape.
        fill: its colour.
        text: the text on it, which also helps people who cannot tell colours apart.
        title: its description in words.
        mark: the small letter of its owner, if the text is something else and owners cannot be told apart in grey.
        entity: the entity of the token.
        count: the number of pieces, if each of them is drawn.
        each: the text of a single piece or card.
        letter: for a card, the text in its corner.
        back: whether it is hidden, so that a card shows its back.
    """

    id: str
    symbol: str
    fill: str
    text: str
    title: str
    mark: str = ""
    entity: Entity | None = None
    count: int = 1
    each: str = ""
    letter: str = ""
    back: bool = False

    @property
    def one(self) -> str:
        """The text of a single piece."""
        return self.text if self.count == 1 else self.each


def pile_token(sheet: Sheet, pile: Pile, key: str, place: str, title: str) -> DrawnToken:
    """The token of a pile: its owner's letter and, if there are several pieces, their number.

    Args:
        sheet: the source of its look.
        pile: the pieces.
        key: the part of the id that identifies the place.
        place: the title of the place.
        title: the title of the pieces.
    """
    style = sheet.style.pieces[pile.type]
    looks = [sheet.look(*of) for of in _named(sheet, pile)]
    by_state = (s for field, value, s in style.states if _is(pile.fields.get(field), value))
    symbol = next(by_state, "") or style.symbols.get(pile.place)
    symbol = symbol or next((look.symbol for look in looks if look.symbol), style.symbol)
    fill = style.colour or (looks[0].colour if looks else "white")
    owner = "".join(look.letter for look in looks)
    many = str(pile.count) if pile.count > 1 else ""
    each = ""
    if style.text == "owner":
        text, each = owner + many, owner
    elif (number := number_on(sheet, pile.type, pile.token)) is not None:
        text = str(number)
    elif style.text in pile.fields:
        value = pile.fields[style.text]
        text = str(value) if isinstance(value, int) else str(value)[:2]
    else:
        text = many if style.text in ("count", "title") else ""
    # The first owner gives the colour; if that is ambiguous in grey, a letter names the owner too.
    alike = bool(looks) and not style.colour and not style.plain and looks[0].hatch != "none"
    mark = looks[0].letter if alike and style.text != "owner" else ""
    owners = ".".join(sheet.names_of(owner) for owner in pile.owners)
    id_ = ".".join(part for part in ("piece", key, pile.type, pile.place, pile.token or owners) if part)
    count = f"{pile.count} " if not pile.token else ""
    note = ", ".join(f"{k} {v}" for k, v in pile.fields.items() if v not in (None, False, 0))
    title = f"{place}: {count}{title}" + (f" ({note})" if note else "")
    entity = (pile.type, sheet.known.number(pile.type, pile.token)) if pile.token else None
    return DrawnToken(id_, symbol, fill, text, title, mark, entity, pile.count, each)


def _named(sheet: Sheet, pile: Pile) -> Sequence[Entity]:
    """The entities whose letters are on a pile: its owners; for an ownerless token its parts, if there are several
    tokens and no number tells them apart.
    """
    plain = not pile.token or len(sheet.names(pile.type)) == 1
    if pile.owners or plain or number_on(sheet, pile.type, pile.token) is not None:
        return pile.owners
    return sheet.parts(pile.type, sheet.known.number(pile.type, pile.token))


def unseen_token(sheet: Sheet, pile: Pile, key: str, place: str) -> DrawnToken:
    """The token for pieces whose number is the only public information; for `key` and `place`, see `pile_token`."""
    symbol = sheet.style.pieces[pile.type].symbol
    owners = ".".join(sheet.names_of(owner) for owner in pile.owners)
    id_ = ".".join(part for part in ("unseen", key, pile.type, pile.place, owners) if part)
    title = f"{place}: {hidden_text(sheet, pile.count)}"
    return DrawnToken(id_, symbol, BACK, str(pile.count), title, count=pile.count, back=True)


def card_token(token: DrawnToken, text: str, look: Look) -> DrawnToken:
    """A token as a card in a hand: its text, with the owner's letter in the corner."""
    return replace(token, fill=look.colour, each=text, letter=look.letter)


def _is(state: Any, value: str) -> bool:
    """Whether a token's field has a value; an empty value means any."""
    return state == value if value else state not in (None, False, 0)


def owned_token(sheet: Sheet, pile: Pile, key: str, index: str, title: str) -> DrawnToken:
    """The token for a piece shown with its owner: the disc of its place's entity, or a plain symbol."""
    owners = ".".join(sheet.names_of(owner) for owner in pile.owners)
    id_ = f"piece.{key}.{pile.type}.{pile.place}.{owners}"
    if index:
        look = sheet.look(index, pile.index)
        return DrawnToken(f"{id_}.{pile.index}", "circle", look.colour, look.letter, title)
    first = sheet.look(*sheet.parts(*pile.owners[0])[0])
    return DrawnToken(id_, sheet.style.pieces[pile.type].symbol, first.colour, "", title)


def marker_token(
    sheet: Sheet, of: Entity | None, field: str, key: str, title: str, plain: frozenset[str] = frozenset()
) -> DrawnToken:
    """The token for a field whose value is a place: a field of the entity `of`, or of the game if `of` is None.

    `plain` kinds have no letter.
    """
    if of is None:
        return DrawnToken(f"marker.{key}.{field}", "ring", "white", "", title)
    look = sheet.look(*of)
    letter = "" if of[0] in plain else look.letter
    return DrawnToken(f"ring.{key}.{sheet.names_of(of)}.{field}", "circle", look.colour, letter, title)


def drawn(sheet: Sheet, tokens: Sequence[DrawnToken], slot: Box, how: Standing) -> Iterator[SceneItem]:
    """The items of all tokens in a slot."""
    shown = list(tokens[:_PER_SLOT])
    if how.manner == "cards":
        yield from _cards(sheet, shown, slot)
    elif how.manner == "spread":
        yield from _spread(sheet, shown, slot, how.largest)
    elif how.manner:
        yield from _columns(sheet, shown, slot, how)
    elif how.stands:
        yield from _in_area(sheet, tokens, how.stands)
    else:
        for token, (x, y, size) in zip(shown, _squares(len(shown), slot, how.largest), strict=True):
            yield _item(sheet, token, _symbol(sheet, token, token.text, (x, y), size), _around((x, y), size))


def token_at(sheet: Sheet, token: DrawnToken, at: Point, size: float) -> SceneItem:
    """The item of a token, centred at a point."""
    return _item(sheet, token, _symbol(sheet, token, token.text, at, size), _around(at, size))


def _in_area(sheet: Sheet, tokens: Sequence[DrawnToken], stands: Sequence[Stand]) -> Iterator[SceneItem]:
    """Tokens inside an area; if room runs out, the last ones are outside with a line, or one pile with a number."""
    stand = next((stand for stand in stands if stand.room >= len(tokens)), stands[-1])
    single = tokens if len(tokens) <= stand.room else tokens[: stand.room - 1]
    size, places = stand.size - 1, [*stand.spots, *(at for at, _ in stand.lines)]
    for i, (token, at) in enumerate(zip(single, places, strict=False)):
        line = _line(at, stand.lines[i - len(stand.spots)][1]) if i >= len(stand.spots) else ""
        yield _item(sheet, token, line + _symbol(sheet, token, token.text, at, size), _around(at, size))
    if rest := tokens[len(single) :]:
        title = "; ".join(token.title for token in rest)
        pile = DrawnToken(f"{rest[0].id}.pile", "card", "white", f"+{len(rest)}", title, entity=rest[0].entity)
        yield _item(sheet, pile, _symbol(sheet, pile, pile.text, places[-1], size), _around(places[-1], size))


def _line(at: Point, end: Point) -> str:
    """A line from a piece outside an area to a point inside."""
    under: svg.Values = {"stroke": "#ffffff", "stroke_width": 3}
    over: svg.Values = {"stroke": INK, "stroke_width": 1.2}
    lines = (svg.element("path", d=svg.path([at, end]), fill="none", **look) for look in (under, over))
    return "".join(lines) + svg.element("circle", cx=end[0], cy=end[1], r=2.2, fill=INK)


def _squares(count: int, slot: Box, largest: float) -> Iterator[tuple[float, float, float]]:
    """The middles of tokens in rows, and their size."""
    size, columns = _grid(count, slot, largest)
    width, rows = slot[2] - slot[0], -(-count // columns)
    top = (slot[1] + slot[3]) / 2 - rows * size / 2
    for i in range(count):
        row = i // columns
        place = min(columns, count - row * columns)
        yield slot[0] + (width - place * size) / 2 + (i % columns + 0.5) * size, top + (row + 0.5) * size, size - 1


def _spread(sheet: Sheet, tokens: Sequence[DrawnToken], slot: Box, largest: float) -> Iterator[SceneItem]:
    """Pieces drawn one by one, each at its own position."""
    counts = [min(token.count, _PER_SLOT) for token in tokens]
    squares = _squares(sum(counts), slot, largest)
    for token, count in zip(tokens, counts, strict=True):
        parts = [_symbol(sheet, token, token.one, (x, y), size) for x, y, size in islice(squares, count)]
        yield _item(sheet, token, "".join(parts), slot)


def _columns(sheet: Sheet, tokens: Sequence[DrawnToken], slot: Box, how: Standing) -> Iterator[SceneItem]:
    """A column of pieces per token, from the edge of the slot; the last piece of a long column has the count."""
    left, top, right, bottom = slot
    wide = (right - left) / max(len(tokens), 1)
    size = min(wide, (bottom - top) / how.stack, how.largest)
    for k, token in enumerate(tokens):
        x, count = left + (k + 0.5) * wide, min(token.count, how.stack)
        parts = []
        for i in range(count):
            far = (i + 0.5) * size
            y = top + far if how.manner == "down" else bottom - far
            text = str(token.count) if i == how.stack - 1 and token.count > how.stack else token.one
            parts.append(_symbol(sheet, token, text, (x, y), size - 1))
        yield _item(sheet, token, "".join(parts), Box((x - size / 2, top, x + size / 2, bottom)))


def _cards(sheet: Sheet, tokens: Sequence[DrawnToken], slot: Box) -> Iterator[SceneItem]:
    """Cards in a row, overlapping if there is too little room, with corners visible."""
    left, top, right, bottom = slot
    tall = bottom - top
    wide = tall * _CARD
    counts = [min(token.count, _PER_SLOT) if token.back else 1 for token in tokens]
    step = min(wide + 4, (right - left - wide) / max(sum(counts) - 1, 1))
    first = 0
    for token, count in zip(tokens, counts, strict=True):
        x, first = left + first * step, first + count
        box, ink = Box((x, top, x + (count - 1) * step + wide, bottom)), ink_on(token.fill)
        if token.back:
            yield _item(sheet, token, _backs(token, box, (wide, step), count), box)
            continue
        at: svg.Values = {"x": x, "y": top, "width": wide, "height": tall, "rx": 4}
        parts = [svg.element("rect", **at, fill=colour(token.fill), stroke=INK, stroke_width=0.8)]
        is_covered = step < wide and first < sum(counts)
        for i, text in enumerate(_beside(token, step) if is_covered else [token.letter] * bool(token.letter)):
            parts.append(svg.words(text, x + 4, top + 9 + i * _UNDER, _CORNER, bold=True, anchor="start", fill=ink))
        if not is_covered:
            under = top + (_UNDER if token.letter else 2)
            parts += _on_card(token.each, Box((x + 2, under, x + wide - 2, bottom - 2)), ink)
        yield _item(sheet, token, "".join(parts), box)


def _beside(token: DrawnToken, step: float) -> list[str]:
    """The lines on the visible edge of a covered card: its words if they fit, else its letter and count."""
    words = token.each.split()
    if all(text_width(word, _CORNER, bold=True) <= step - 5 for word in words):
        return words[:_LINES]
    return [part for part in (token.letter, f"x{token.count}" if token.count > 1 else "") if part]


def _backs(token: DrawnToken, box: Box, sizes: tuple[float, float], count: int) -> str:
    """Backs of cards, each offset by a step, with their number on the last one."""
    (left, top, right, bottom), (wide, step) = box, sizes
    parts = []
    for i in range(count):
        x = left + i * step
        at: svg.Values = {"x": x, "y": top, "width": wide, "height": bottom - top, "rx": 4}
        within: svg.Values = {"x": x + 3.5, "y": top + 3.5, "width": wide - 7, "height": bottom - top - 7, "rx": 2}
        parts.append(svg.element("rect", **at, fill=token.fill, stroke="#ffffff", stroke_width=0.8))
        parts.append(svg.element("rect", **within, fill="none", stroke="#ffffff", stroke_width=0.8))
    middle = right - wide / 2, (top + bottom) / 2
    return "".join(parts) + svg.words(token.text, *middle, _NUMBER, bold=True, fill="#ffffff")


def _on_card(text: str, room: Box, ink: str) -> Iterator[str]:
    """A text on a card, one word per line, as large as the longest word and the number of words allow."""
    left, top, right, bottom = room
    width, x, y = right - left, (left + right) / 2, (top + bottom) / 2
    lines = [part for word in text.split(" ") if word for part in _broken(word, width)][:_LINES]
    widest = max((text_width(line, 1, bold=True) for line in lines), default=1.0)
    size = min(max(min(width / widest, (bottom - top) / (len(lines) * _LINE)), _LEAST), _MOST)
    for i, line in enumerate(lines):
        down = (i - (len(lines) - 1) / 2) * size * _LINE
        yield svg.words(shortened(line, size, width + 0.1, bold=True), x, y + down, size, bold=True, fill=ink)


def _grid(count: int, slot: Box, largest: float) -> tuple[float, int]:
    """The largest size at which all tokens fit into a slot, and the number in a row."""
    width, height = slot[2] - slot[0], slot[3] - slot[1]
    best = (_SMALLEST, max(int(width // _SMALLEST), 1))
    for columns in range(1, count + 1):
        size = min(width / columns, height / -(-count // columns), largest)
        if size > best[0]:
            best = size, columns
    return best


def _broken(word: str, width: float) -> list[str]:
    """A word, split in two if it is too wide even at the smallest font size."""
    if text_width(word, _LEAST, bold=True) <= width:
        return [word]
    half = (len(word) + 1) // 2
    return [word[:half] + "-", word[half:]]


def _around(at: Point, size: float) -> Box:
    (x, y), half = at, size / 2
    return Box((x - half, y - half, x + half, y + half))


def _symbol(sheet: Sheet, token: DrawnToken, text: str, at: Point, size: float) -> str:
    """The symbol of a token, with its text."""
    x, y = at
    scale = size / 24
    where = f"translate({svg.number(x - size / 2)} {svg.number(y - size / 2)}) scale({scale:.3f})"
    look: svg.Values = {"fill": colour(token.fill), "stroke": INK, "stroke_width": round(min(1.0 / scale, 2.5), 2)}
    parts = [svg.element("path", d=sheet.style.path(token.symbol), transform=where, fill_rule="evenodd", **look)]
    if text:
        height = size * (0.6 if len(text) < 3 else 0.44) * (0.8 if token.mark else 1)
        widest = text_width(text, 1, bold=True)
        height = min(height, size * 0.85 / widest)
        up = size * 0.1 if token.mark else 0
        parts.append(svg.words(text, x, y - up, height, bold=True, fill=ink_on(token.fill)))
    if token.mark:
        height = min(size * _MARK, size * 0.6 / text_width(token.mark, 1, bold=True))
        parts.append(svg.words(token.mark, x, y + size * 0.29, height, bold=True, fill=ink_on(token.fill)))
    return "".join(parts)


def _item(sheet: Sheet, token: DrawnToken, shapes: str, box: Box) -> SceneItem:
    """The item of a token, which also represents its entity as a place."""
    if token.entity is None:
        return SceneItem(token.id, "pieces", svg.group([shapes], token.title))
    place = sheet.place(token.entity, box)
    return SceneItem(token.id, "pieces", svg.group([shapes], token.title, data_place=place.id), (place,))
