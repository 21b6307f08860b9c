"""Cards and discs for the piles, tokens and entities in a table row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from rulespec.drawing import svg
from rulespec.drawing.colours import BACK, INK, colour, ink_on
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.guess import row_tables
from rulespec.drawing.plan import Sheet
from rulespec.drawing.shown import Entity, Pile, Unseen
from rulespec.drawing.text_width import text_width
from rulespec.types import Num

UNKNOWN = "?"
"""The text of a hidden value."""
SIZE = 12.0
"""The font size on a card."""


def chip_width(text: str) -> float:
    """The width of a disc or card with the given text."""
    return max(18.0, text_width(text, SIZE, bold=True) + 6)


@lru_cache(4096)  # positions of a game repeat a small set of chips
def chip(look: Look, x: float, y: float, text: str = "") -> str:
    """A small disc with an entity's letter, or a small card with longer text, as SVG."""
    text = text or look.letter
    fill = colour(look.colour)
    wide = chip_width(text)
    at = {"x": x - wide / 2, "y": y - 9, "width": wide, "height": 18, "rx": 9 if text == look.letter else 2}
    if text == look.letter and look.symbol == "card":
        at |= {"y": y - 10, "height": 20, "rx": 2}
    shape = svg.element("rect", **at, fill=fill, stroke=INK, stroke_width=0.8)
    return shape + svg.words(text, x, y, SIZE, bold=True, fill=ink_on(look.colour))


def is_counted(sheet: Sheet, kind: str, pile: str, place: str) -> bool:
    """Whether a column shows a count instead of pieces, because its pieces are alike and belong to the row's entity."""
    decl = sheet.d.pieces.get(pile)
    if decl is None or decl.places[place].index or (kind == "game" and decl.each):
        return False
    return kind in decl.each or all(kind not in sheet.d.kinds[owner].product for owner in decl.each)


def entity_of(sheet: Sheet, pile: Pile) -> Entity | None:
    """The entity that a card represents: a token, or the only owner of the piece, unless that is a place itself."""
    if pile.unseen:
        return None
    if pile.token:
        return pile.type, sheet.known.number(pile.type, pile.token)
    kind = pile.owners[0][0] if len(pile.owners) == 1 else ""
    if not kind or sheet.on_board(kind) or kind in sheet.style.tables:
        return None
    return pile.owners[0]


def card(sheet: Sheet, pile: Pile) -> tuple[str, Look]:
    """The text on the card of a pile (its title, or the letters of its owners and their components), and its look."""
    if pile.unseen:
        return hidden_text(sheet, pile.count), Look(BACK)
    style = sheet.style.pieces[pile.type]
    many = f" x{pile.count}" if pile.count > 1 else ""
    if style.text == "title" and pile.token:
        return sheet.titles(pile.type)[sheet.known.number(pile.type, pile.token)] + many, lettered(sheet, pile)[1]
    if style.text == "title" and len(pile.owners) == 1:
        kind, number = pile.owners[0]
        return sheet.titles(kind)[number] + many, lettered(sheet, pile)[1]
    text, look = lettered(sheet, pile)
    if (worth := number_on(sheet, pile.type, pile.token)) is not None:
        return str(worth) + many, look
    value = pile.fields.get(style.text)
    return (f"{look.letter} {value}", look) if pile.owners and isinstance(value, int) else (text, look)


def lettered(sheet: Sheet, pile: Pile) -> tuple[str, Look]:
    """The text of a pile (the letters of its owners, or of a token without owners, and the count), and its look."""
    if pile.unseen:
        return str(pile.count), Look(BACK)
    parts = [part for owner in pile.owners for part in sheet.parts(*owner)]
    if pile.token and not parts:
        parts = [(pile.type, sheet.known.number(pile.type, pile.token))]
    if (named := named_by(sheet, pile.type, pile.token)) is not None:
        parts = [named]
    looks, own = [sheet.look(*part) for part in parts], sheet.style.pieces[pile.type].colour
    if not looks:
        return str(pile.count), Look(own or "white")
    if own:
        looks[0] = replace(looks[0], colour=own)
    return " ".join(look.letter for look in looks) + (f" x{pile.count}" if pile.count > 1 else ""), looks[0]


def hidden_text(sheet: Sheet, count: int) -> str:
    """The text for a number of hidden pieces."""
    return sheet.words.word("hidden_pieces", number=str(count))


def unseen_text(sheet: Sheet, value: Any) -> str:
    """The text for a hidden value; for an order whose length is public, it contains the length."""
    return hidden_text(sheet, value.length) if isinstance(value, Unseen) else UNKNOWN


def is_explained(sheet: Sheet, kind: str) -> bool:
    """Whether the letters of a kind's entities are explained by a board, or by a table that shows changing values."""
    facts = {*sheet.d.kinds[kind].facts, *row_tables(sheet.d, kind)}
    return sheet.on_board(kind) or not facts.issuperset(sheet.style.tables.get(kind, ()))


def named_by(sheet: Sheet, type_: str, token: str) -> Entity | None:
    """The entity that determines a token's look, given by the fact displayed on it; None if there is no such fact."""
    if not token or sheet.style.pieces[type_].text not in sheet.d.kinds[type_].facts:
        return None
    return sheet.fact(type_, sheet.style.pieces[type_].text, sheet.known.number(type_, token))


def number_on(sheet: Sheet, type_: str, token: str) -> int | None:
    """The number displayed on a token (a fact, or its number among its owner's tokens); None if it has none."""
    kind, text = sheet.d.kinds.get(type_), sheet.style.pieces[type_].text
    if not token or kind is None:
        return None
    number, fact = sheet.known.number(type_, token), kind.facts.get(text)
    if fact is not None:
        return fact.values[number] if isinstance(fact.type, Num) else None
    own = (n + 1 for of, n in sheet.parts(type_, number) if sheet.d.kinds[of].nameless)
    return next(own, None) if text == "number" and text not in kind.state else None


def grouped(sheet: Sheet, piles: Sequence[Pile]) -> list[Pile]:
    """The piles, with those whose cards are equal merged into the first of them."""
    results: dict[str, Pile] = {}
    for pile in piles:
        text = card(sheet, pile)[0]
        first = results.setdefault(text, pile)
        results[text] = first if first is pile else replace(first, count=first.count + pile.count)
    return list(results.values())


def alone(sheet: Sheet, kind: str, place: str) -> list[Pile]:
    """The tokens of a kind, each as a separate pile."""
    names = sheet.names(kind)
    return [Pile(kind, sheet.known.token_owners(kind, i), place, -1, 1, names[i]) for i in range(len(names))]


def most_texts(sheet: Sheet, kind: str, tokens: str, place: str) -> int:
    """The maximum number of distinct cards for a kind's tokens in one place."""
    index = sheet.d.kinds[tokens].places[place].index
    texts: dict[int, set[str]] = {}
    for i, pile in enumerate(alone(sheet, tokens, place)):
        own = next((n for of, n in sheet.parts(tokens, i) if of == kind and not index), 0)
        texts.setdefault(own, set()).add(card(sheet, pile)[0])
    return max(map(len, texts.values()), default=1)


def flowed(texts: Sequence[str], width: float) -> list[list[int]]:
    """The indices of the cards in each line, given the width of a line."""
    lines: list[list[int]] = [[]]
    x = 0.0
    for i, text in enumerate(texts):
        wide = chip_width(text) + 3
        if x + wide > width + 3 and lines[-1]:
            lines.append([])
            x = 0.0
        lines[-1].append(i)
        x += wide
    return lines
