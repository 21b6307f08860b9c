"""Letters on discs and pieces: needed only where colours and symbols do not tell owners apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing.colour_vision import is_distinct
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.guess import named_hues, piles
from rulespec.drawing.shown import Names
from rulespec.drawing.style import BoardStyle, PieceStyle, Style
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Order, SetOf

_MOST = 16
"""The number of entities beyond which colours are too many to tell apart."""

_Shape = tuple[frozenset[str], str]
"""The possible symbols of a disc, and its colour."""


class _Discs(Struct, frozen=True):
    """The discs of a kind's entities, with one shape for each entity; `kind` is "" if they need other texts anyway."""

    kind: str
    shapes: tuple[_Shape, ...]


def spare_letters(d: typed.Declarations, style: Style, names: Names) -> Style:
    """The style without unnecessary letters: boards with their `plain` kinds, and pieces with their text.

    Args:
        d: the declarations.
        style: the style as the drawing file sets it.
        names: the entities at the table; colours of absent seats do not count.
    """
    source = _Source(d, style, names)
    boards = [board for board in style.boards.values() if board.form != "hidden"]
    plain: dict[str, frozenset[str]] = {}
    for root in dict.fromkeys(board.inside or board.kind for board in boards):
        near = [board for board in boards if root in (board.kind, board.inside)]
        discs = [each for board in near for each in source.discs(board)]
        kinds = frozenset(each.kind for each in discs if each.kind and source.is_plain(each.kind, discs))
        plain |= {board.kind: kinds for board in near if not board.letters}
    return replace(
        style,
        boards={kind: replace(board, plain=plain.get(kind, frozenset())) for kind, board in style.boards.items()},
        pieces={name: source.piece(name, piece, plain) for name, piece in style.pieces.items()},
    )


class _Source:
    """The discs that a style draws on boards."""

    def __init__(self, d: typed.Declarations, style: Style, names: Names) -> None:
        self._d = d
        self._style = style
        self._names = names
        self._piles = {pile.name: pile for pile in piles(d)}

    def discs(self, board: BoardStyle) -> Iterator[_Discs]:
        """The discs that can be on a board: values of fields, markers and pieces."""
        circle = frozenset({"circle"})
        for name in board.fields:
            field = self._d.kinds[board.kind].state.get(name)
            if field is not None and isinstance(field.type, Ent | SetOf | Order):
                kind, parts = field.type.kind, self._d.kinds[field.type.kind].product
                looks = self._looks(parts[0] if parts else kind)
                shapes = tuple((frozenset({look.symbol or "circle"}), look.colour) for look in looks)
                yield _Discs("" if parts else kind, shapes)
        for kind, name in self._style.markers:
            field = (self._d.kinds[kind].state if kind else self._d.fields).get(name)
            if kind and field is not None and isinstance(field.type, Ent) and field.type.kind == board.kind:
                yield _Discs(kind, tuple((circle, look.colour) for look in self._looks(kind)))
        for name in self._piles:
            if board.kind in self._places(name) and name in self._style.pieces:
                yield self._pieces(name, self._style.pieces[name])

    def _pieces(self, name: str, style: PieceStyle) -> _Discs:
        """The pieces of a type, whose first owner gives the colour."""
        owners = self._owners(name)
        symbols = {style.symbol, *style.symbols.values(), *(symbol for *_, symbol in style.states)}
        looks = self._looks(owners[0] if owners else name)
        if style.colour:
            return _Discs("", ((frozenset(symbols), style.colour),))
        shapes = tuple((frozenset(symbols | {look.symbol} - {""}), look.colour) for look in looks)
        return _Discs(owners[0] if len(owners) == 1 else "", shapes or ((frozenset(symbols), "white"),))

    def piece(self, name: str, style: PieceStyle, plain: dict[str, frozenset[str]]) -> PieceStyle:
        """The style of a type of pieces with its text; `plain` is the plain kinds of each board."""
        owners, on = self._owners(name) if name in self._piles else (), self._places(name)
        spared = len(owners) == 1 and not style.colour and bool(on)
        spared = spared and all(owners[0] in plain.get(kind, ()) for kind in on)
        return replace(style, plain=spared, text=style.text or ("count" if spared else "owner"))

    def _owners(self, name: str) -> tuple[str, ...]:
        """The kinds of the owners of pieces."""
        pile = self._piles[name]
        if isinstance(pile, typed.PieceDecl):
            return tuple(pile.each)
        return tuple(part for part in pile.product if not self._d.kinds[part].nameless)

    def _places(self, name: str) -> set[str]:
        """The boards on which pieces of a type are drawn: on spaces, and in trays and yards."""
        if name not in self._piles:
            return set()
        only, boards = self._style.pieces[name].places if name in self._style.pieces else None, self._style.boards
        places = {key: place for key, place in self._piles[name].places.items() if only is None or key in only}
        results = {place.index for place in places.values()}
        for board in boards.values():
            trays = (board.holds, *(tray.holds for tray in board.trays), *(yard.holds for yard in board.yards))
            if any(f"{name}.{place}" in holds for holds in trays for place in places):
                results.add(board.kind)
        return {kind for kind in results if kind in boards and boards[kind].form != "hidden"}

    def _looks(self, kind: str) -> list[Look]:
        """The looks of the entities at the table; of all seats if there is no table."""
        looks = list(self._style.looks.get(kind, {}).values())
        return looks[: len(self._names.names(kind)) or None] if looks else []

    def is_plain(self, kind: str, discs: Sequence[_Discs]) -> bool:
        """Whether no disc of a kind can be mistaken for another, and readers know whose colour it has."""
        own = [each.shapes for each in discs if each.kind == kind]
        others = {shape for each in discs if each.kind != kind for shape in each.shapes}
        if not self._is_known(kind) or any(len(shapes) > _MOST for shapes in own):
            return False
        pairs = [pair for shapes in own for pair in combinations(shapes, 2)]
        pairs += [pair for shapes in own for pair in product(shapes, others)]
        return all(one[0].isdisjoint(other[0]) or is_distinct(one[1], other[1]) for one, other in pairs)

    def _is_known(self, kind: str) -> bool:
        """Whether colours name entities: those that the drawing file sets for seats and rows of tables, and those in
        names.
        """
        looks = self._looks(kind)
        if not looks:
            return False
        if (self._d.kinds[kind].is_player or kind in self._style.tables) and all(look.chosen for look in looks):
            return True
        hues = named_hues(self._d.kinds[kind])
        return [hues.get(name) for name in self._names.names(kind)] == [look.colour for look in looks]
