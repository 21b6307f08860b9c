"""Pieces, tokens and markers in the slot of their place: as large as there is room for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ink_on
from rulespec.drawing.plan import Sheet
from rulespec.drawing.scene import Item
from rulespec.drawing.shown import Entity, Pile
from rulespec.drawing.svg import Box
from rulespec.drawing.text_width import text_width
from rulespec.records import Brief

LARGEST = 46.0
_SMALLEST = 5.0
_PER_SLOT = 60  # tokens in a slot; the rest is a number
_MARK = 0.3  # the height of an owner's letter that is not the text


class Token(Brief, Struct, frozen=True):
    """Something that stands in a place: a symbol with a text on it.

    Attributes:
        id: of the item.
        symbol: a shape.
        fill: its colour.
        text: what stands on it, for those who cannot tell colours apart, too.
        title: what it is, in words.
        mark: the letter of its owner, small, if the text is another and grey does not tell the owners apart.
        entity: the entity that it is.
    """

    id: str
    symbol: str
    fill: str
    text: str
    title: str
    mark: str = ""
    entity: Entity | None = None


def pile_token(sheet: Sheet, pile: Pile, key: str, place: str, title: str) -> Token:
    """The token of a pile: the letter of its owner, and how many there are if there are several.

    Args:
        sheet: says how it looks.
        pile: the pieces.
        key: names the place in the id.
        place: the title of the place.
        title: that of the pieces.
    """
    style = sheet.style.pieces[pile.type]
    looks = [sheet.look(*owner) for owner in pile.owners]
    by_state = (s for field, value, s in style.states if _is(pile.fields.get(field), value))
    symbol = next(by_state, "") or style.symbols.get(pile.place)
    symbol = symbol or next((look.symbol for look in looks if look.symbol), style.symbol)
    fill = style.colour or (looks[0].colour if looks else "white")
    owner = "".join(look.letter for look in looks)
    many = str(pile.count) if pile.count > 1 else ""
    if style.text == "owner":
        text = owner + many
    elif style.text in pile.fields:
        value = pile.fields[style.text]
        text = str(value) if isinstance(value, int) else str(value)[:2]
    else:
        text = many if style.text == "count" else ""
    # The first owner gives the colour; if grey does not tell such colours apart, it says whose it is, too.
    alike = bool(looks) and not style.colour and looks[0].hatch != "none"
    mark = looks[0].letter if alike and style.text != "owner" else ""
    owners = ".".join(sheet.names_of(owner) for owner in pile.owners)
    id_ = ".".join(part for part in ("piece", key, pile.type, pile.place, pile.token or owners) if part)
    count = f"{pile.count} " if not pile.token else ""
    note = ", ".join(f"{k} {v}" for k, v in pile.fields.items() if v not in (None, False, 0))
    title = f"{place}: {count}{title}" + (f" ({note})" if note else "")
    entity = (pile.type, sheet.known.number(pile.type, pile.token)) if pile.token else None
    return Token(id_, symbol, fill, text, title, mark, entity)


def _is(state: Any, value: str) -> bool:
    """Whether a field of a token has a value, or any that is not nothing if that is empty."""
    return state == value if value else state not in (None, False, 0)


def owned_token(sheet: Sheet, pile: Pile, key: str, index: str, title: str) -> Token:
    """The token of a piece on the place of its owner: a card, or the disc of the entity that has it."""
    owners = ".".join(sheet.names_of(owner) for owner in pile.owners)
    id_ = f"piece.{key}.{pile.type}.{pile.place}.{owners}"
    if index:
        look = sheet.look(index, pile.index)
        return Token(f"{id_}.{pile.index}", "circle", look.colour, look.letter, title)
    first = sheet.look(*sheet.parts(*pile.owners[0])[0])
    return Token(id_, sheet.style.pieces[pile.type].symbol, first.colour, "", title)


def marker_token(sheet: Sheet, of: Entity | None, field: str, key: str, title: str) -> Token:
    """The token of an entity whose field names a place; without one, of the game's own field."""
    if of is None:
        return Token(f"marker.{key}.{field}", "ring", "white", "", title)
    look = sheet.look(*of)
    return Token(f"ring.{key}.{sheet.names_of(of)}.{field}", "circle", look.colour, look.letter, title)


def drawn(sheet: Sheet, tokens: Sequence[Token], slot: Box, largest: float = LARGEST) -> Iterator[Item]:
    """The items of all tokens of a slot."""
    shown = list(tokens[:_PER_SLOT])
    size, columns = _grid(len(shown), slot, largest)
    width, rows = slot[2] - slot[0], -(-len(shown) // columns)
    top = (slot[1] + slot[3]) / 2 - rows * size / 2
    for i, token in enumerate(shown):
        row = i // columns
        place = min(columns, len(shown) - row * columns)
        x = slot[0] + (width - place * size) / 2 + (i % columns + 0.5) * size
        yield _symbol(sheet, token, x, top + (row + 0.5) * size, size - 1)


def _grid(count: int, slot: Box, largest: float) -> tuple[float, int]:
    """The size of tokens that all fit into a slot, and how many stand beside one another."""
    width, height = slot[2] - slot[0], slot[3] - slot[1]
    best = (_SMALLEST, max(int(width // _SMALLEST), 1))
    for columns in range(1, count + 1):
        size = min(width / columns, height / -(-count // columns), largest)
        if size > best[0]:
            best = size, columns
    return best


def _symbol(sheet: Sheet, token: Token, x: float, y: float, size: float) -> Item:
    scale = size / 24
    where = f"translate({svg.number(x - size / 2)} {svg.number(y - size / 2)}) scale({scale:.3f})"
    look: svg.Values = {"fill": colour(token.fill), "stroke": INK, "stroke_width": round(min(1.0 / scale, 2.5), 2)}
    parts = [svg.element("path", d=sheet.style.path(token.symbol), transform=where, fill_rule="evenodd", **look)]
    if token.text:
        height = size * (0.5 if len(token.text) < 3 else 0.38) * (0.8 if token.mark else 1)
        widest = text_width(token.text, 1, bold=True)
        height = min(height, size * 0.8 / widest)
        up = size * 0.1 if token.mark else 0
        parts.append(svg.words(token.text, x, y - up, height, bold=True, fill=ink_on(token.fill)))
    if token.mark:
        height = min(size * _MARK, size * 0.6 / text_width(token.mark, 1, bold=True))
        parts.append(svg.words(token.mark, x, y + size * 0.29, height, bold=True, fill=ink_on(token.fill)))
    if token.entity is None:
        return Item(token.id, "pieces", svg.group(parts, token.title))
    place = sheet.place(token.entity, Box((x - size / 2, y - size / 2, x + size / 2, y + size / 2)))
    return Item(token.id, "pieces", svg.group(parts, token.title, data_place=place.id), (place,))
