"""A board without pieces: its static items, and the slots of its places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct, field

from rulespec.drawing.colours import OWNERS, colour
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.scene import Place, SceneItem
from rulespec.drawing.shown import Entity, Names, Pile
from rulespec.drawing.stands import Stand
from rulespec.drawing.style import BoardStyle, Style
from rulespec.drawing.svg import Box, Point
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Type

Manner = Literal["up", "down", "spread", "cards"]
"""The arrangement of pieces: a column from below or above, each piece separately, or cards in a row."""
GAP = 16.0
HEAD = 22.0
"""The height of the heading of a board or table."""


class LinkLines(Struct, frozen=True):
    """The links of a kind on a map: the drawn field, and the path data and title of each link."""

    field: str
    layer: str
    lines: dict[int, tuple[str, str]]


class TileFace(Struct, frozen=True):
    """A tile in all its rotations.

    Attributes:
        title: its title.
        fill: its background colour; "" if transparent.
        drawn: SVG relative to the centre of a cell, for each rotation; a single fragment if all are equal.
        texts: the texts for each rotation, each with the x and y of its centre, and 1 if it is drawn above lines.
        stops: the stops for each rotation, each as its radius and the centres of its slots.
    """

    title: str
    fill: str
    drawn: tuple[str, ...]
    texts: tuple[tuple[tuple[str, float, float, int], ...], ...]
    stops: tuple[tuple[tuple[float, ...], ...], ...]


class Home(Struct, frozen=True):
    """An entity's home: a place, and the field that names the line end there ("" means the first stop)."""

    kind: str
    number: int
    place: int
    field: str


class Tiles(Struct, frozen=True):
    """The tiles on the cells of a board.

    Attributes:
        field: the field of a cell that names its tile.
        kind: the kind of the tiles.
        turn: the field with a tile's rotation, as a number of directions; "" if there is none.
        faces: the tiles, in kind order.
        cells: cell → its centre.
        outlines: cell → path data around it.
        printed: cell → its printed tile, and a text that is covered when a tile is laid.
        low: the offset of that text from the centre of a cell.
        points: the kind of line ends in each cell, if pieces stand on stops; otherwise "".
        ends: the kind of line ends.
        stops: the line ends that are stops, in order.
        homes: the homes of entities that do not have a piece there yet.
    """

    field: str
    kind: str
    turn: str
    faces: tuple[TileFace, ...]
    cells: dict[int, Point]
    outlines: dict[int, str]
    printed: dict[int, tuple[int, str]] = {}
    low: float = 0
    points: str = ""
    ends: str = ""
    stops: tuple[int, ...] = ()
    homes: tuple[Home, ...] = ()


class OwnedPart(Struct, frozen=True):
    """The board of one owner on a plan of several: the owner, its extent, and the index after its last static item."""

    owner: Entity
    box: Box
    end: int


class Plan(Brief, Struct):
    """The static part of a board, with the slots for its pieces.

    Attributes:
        items: the static items.
        slots: entity number → the place for its pieces.
        stands: slots of areas → the places for their pieces, fewest pieces first; see `Stand`.
        outlines: path data around each entity, on maps.
        size: width and height.
        piece: the preferred size of its pieces; 0 for as large as possible.
        copies: pieces in some places, as `piece.place` → the number of the additional slot for them; see `slot`.
        each: the kind of owners, each with its own copy of all slots.
        links: kinds of links with a drawn state, with their lines.
        owned: whether each of its entities shows the pieces that it owns, wherever they are.
        held: pieces in places without a space, as `piece.place` → the slot for the pieces of the first `holder`.
        holder: the kind of owners of the pieces in `held`.
        manners: slots → the arrangement of pieces there, other than a square of piles; see `Manner`.
        stack: the maximum number of pieces in a column before a number replaces them.
        dice: the place of the last roll, if drawn.
        boxes: the cells of regular boards: outline, name and facts.
        tiles: the tiles that can be laid on them.
        parts: the boards of its owners, if each is a separate picture; they have equal shares of the entities.
    """

    size: tuple[float, float]
    items: list[SceneItem] = field(default_factory=list)
    slots: dict[int, Box] = field(default_factory=dict)
    stands: dict[int, tuple[Stand, ...]] = field(default_factory=dict)
    outlines: dict[int, str] = field(default_factory=dict)
    piece: float = 0
    copies: dict[str, int] = field(default_factory=dict)
    each: str = ""
    links: dict[str, LinkLines] = field(default_factory=dict)
    owned: bool = False
    held: dict[str, int] = field(default_factory=dict)
    holder: str = ""
    manners: dict[int, Manner] = field(default_factory=dict)
    stack: int = 0
    dice: Point | None = None
    boxes: dict[int, Box] = field(default_factory=dict)
    tiles: Tiles | None = None
    parts: tuple[OwnedPart, ...] = ()

    def slot(self, pile: Pile, count: int) -> int:
        """The slot for a pile; every owner has a copy of the `count` slots, and the copies follow one another."""
        owner = next((number for kind, number in pile.owners if kind == self.each), None)
        if owner is None:
            return self.slot_of(f"{pile.type}.{pile.place}", pile.index, count)
        slot = pile.index + count * owner
        return slot if slot in self.slots else pile.index

    def slot_of(self, what: str, number: int, count: int) -> int:
        """The slot for an entity: in the tray of a place if there is one, otherwise on the place itself."""
        slot = number + count * self.copies.get(what, 0)
        return slot if slot in self.slots else number


class Sheet(Brief, Struct, frozen=True):
    """The data behind a picture's boards: declarations, style, titles, looks and words."""

    d: typed.Declarations
    style: Style
    titles: Callable[[str], tuple[str, ...]]
    known: Names
    words: Wording

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of the entities of a kind."""
        return self.known.names(kind)

    @property
    def turn(self) -> Type | None:
        """The type of the field that names the acting entity; None if there is no such field."""
        field_ = self.d.fields.get(self.style.turn)
        return field_.type if field_ is not None else None

    def parts(self, kind: str, number: int) -> tuple[Entity, ...]:
        """The components of an entity."""
        return self.known.parts(kind, number)

    def look(self, kind: str, number: int) -> Look:
        """The look of an entity."""
        looks = list(self.style.looks.get(kind, {}).values())
        return looks[number] if 0 <= number < len(looks) else Look("grey")

    def value_look(self, kind: str, number: int) -> Look:
        """The look of an entity as a field value; a product, such as a player's second king, has the colour of its
        first component and the letters of all components.
        """
        if number < 0 or not self.d.kinds[kind].product:
            return self.look(kind, number)
        parts = self.parts(kind, number)
        looks = [self.value_look(*part) for part in parts if not self.d.kinds[part[0]].nameless]
        letters = [look.letter for look in looks] + [str(n + 1) for of, n in parts if self.d.kinds[of].nameless]
        return Look(looks[0].colour if looks else "white", " ".join(filter(None, letters)))

    def colours(self, kind: str) -> tuple[str, ...]:
        """The SVG colours of a kind's entities, which default to the colours of owners."""
        looks = [look.colour for look in self.style.looks.get(kind, {}).values()] or OWNERS
        return tuple(colour(looks[i % len(looks)]) for i in range(len(self.names(kind))))

    def fact(self, kind: str, name: str, number: int) -> tuple[str, int] | None:
        """The entity that a fact names; None if it names none."""
        fact = self.d.kinds[kind].facts.get(name)
        if fact is None or number >= len(fact.values) or fact.values[number] < 0 or not isinstance(fact.type, Ent):
            return None
        return fact.type.kind, fact.values[number]

    def place_titles(self, board: BoardStyle) -> tuple[str, ...]:
        """The labels of a board's places."""
        if board.names == "none":
            return ("",) * len(self.names(board.kind))
        return self.titles(board.kind) if board.names == "title" else self.names(board.kind)

    def place(self, of: Entity, box: Box, middle: Point | None = None, outline: str = "") -> Place:
        """An entity as a place for the pointer; by default, the point to aim at is the centre of its box."""
        kind, number = of
        left, top, right, bottom = box
        middle = middle or ((left + right) / 2, (top + bottom) / 2)
        return Place(self.place_id(of), self.titles(kind)[number], box, middle, outline)

    def place_id(self, of: Entity) -> str:
        """The id of an entity as a place."""
        return f"{of[0]}.{self.names(of[0])[of[1]]}"

    def on_board(self, kind: str) -> bool:
        """Whether the entities of a kind are places on a board."""
        return kind in self.style.boards and self.style.boards[kind].form != "hidden"

    def row_places(self, kind: str) -> bool:
        """Whether a table's rows are places, because their entities are neither on a board nor tokens."""
        return kind != "game" and not self.on_board(kind) and not self.d.kinds[kind].places

    def names_of(self, of: tuple[str, int]) -> str:
        """The name of an entity in item ids; for a seat, its number."""
        kind, number = of
        return f"seat{number + 1}" if self.d.kinds[kind].is_player else self.names(kind)[number]
