"""A board without pieces: its static items, and the slots of each place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct, field

from rulespec.drawing.colours import OWNERS, colour
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.scene import Place, SceneItem
from rulespec.drawing.shown import Entity, Names, Pile
from rulespec.drawing.stands import Stand
from rulespec.drawing.style import BoardStyle, Look, Style
from rulespec.drawing.svg import Box, Point
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Type

Manner = Literal["up", "down", "spread", "cards"]
"""A column from below or from above, each piece for itself, or cards in a row."""
GAP = 16.0
HEAD = 22.0
"""Height of the heading of a board or a table."""


class LinkLines(Struct, frozen=True):
    """The links of a kind on a map: the drawn field, and each link's path data and title."""

    field: str
    layer: str
    lines: dict[int, tuple[str, str]]


class TileFace(Struct, frozen=True):
    """A tile: its title, the colour of its ground, its lines between directions (-1: the middle), city and number."""

    title: str
    fill: str
    lines: tuple[tuple[int, int], ...]
    city: bool
    number: str


class Tiles(Struct, frozen=True):
    """The tiles on the cells of a board.

    Attributes:
        field: the field of a cell that names its tile.
        kind: that of the tiles.
        turn: the field that says by how many directions a tile is turned; "" if none is.
        faces: the tiles, in the order of their kind.
        cells: cell → the middle, and the middle of its side in each direction.
        outlines: cell → path data around it.
    """

    field: str
    kind: str
    turn: str
    faces: tuple[TileFace, ...]
    cells: dict[int, tuple[Point, ...]]
    outlines: dict[int, str]


class Plan(Brief, Struct):
    """The static part of a board.

    Attributes:
        items: the items that never change.
        slots: the number of each entity → the place of its pieces.
        stands: slots of areas → the places of their pieces, for few pieces first; see `Stand`.
        outlines: path data around each entity, on maps.
        size: width and height.
        piece: the size of its pieces where there is room; 0 if they are as large as they get.
        copies: pieces in some places, as `piece.place` → the further slot of their place that holds them; see `slot`.
        each: the kind of owners, each with copies of all slots.
        links: kinds of links whose state is drawn, with their lines.
        owned: whether pieces of its places stand there, wherever they are.
        held: pieces in places without a space, as `piece.place` → the slot of the pieces of the first `holder`.
        holder: the kind of owners of the pieces in `held`.
        manners: slots → the arrangement of pieces there, if not a square of piles: see `Manner`.
        stack: the most pieces in a column before their number is written.
        dice: the place of the last roll, if it is drawn.
        boxes: the cells of regular boards: the outline of each, with its name and its facts.
        tiles: the tiles that may lie on them.
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

    def slot(self, pile: Pile, count: int) -> int:
        """The slot of pieces; copies of the slots of `count` places are consecutive."""
        owner = next((number for kind, number in pile.owners if kind == self.each), None)
        if owner is None:
            return self.slot_of(f"{pile.type}.{pile.place}", pile.index, count)
        slot = pile.index + count * owner
        return slot if slot in self.slots else pile.index

    def slot_of(self, what: str, number: int, count: int) -> int:
        """The slot of an entity within a place's tray, or the place itself without such a tray."""
        slot = number + count * self.copies.get(what, 0)
        return slot if slot in self.slots else number


class Sheet(Brief, Struct, frozen=True):
    """The sources of boards: declarations, styles, titles, looks and words."""

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
        """The type of the field that names the acting entity; None without one."""
        field_ = self.d.fields.get(self.style.turn)
        return field_.type if field_ is not None else None

    def parts(self, kind: str, number: int) -> tuple[Entity, ...]:
        """The components of an entity."""
        return self.known.parts(kind, number)

    def look(self, kind: str, number: int) -> Look:
        """The look of an entity."""
        looks = list(self.style.looks.get(kind, {}).values())
        return looks[number] if 0 <= number < len(looks) else Look("grey")

    def colours(self, kind: str) -> tuple[str, ...]:
        """The colours of the entities of a kind for SVG; a kind without looks uses those of owners."""
        looks = [look.colour for look in self.style.looks.get(kind, {}).values()] or OWNERS
        return tuple(colour(looks[i % len(looks)]) for i in range(len(self.names(kind))))

    def fact(self, kind: str, name: str, number: int) -> tuple[str, int] | None:
        """The entity that a fact names; None if it names none."""
        fact = self.d.kinds[kind].facts.get(name)
        if fact is None or number >= len(fact.values) or fact.values[number] < 0 or not hasattr(fact.type, "kind"):
            return None
        return fact.type.kind, fact.values[number]

    def place_titles(self, board: BoardStyle) -> tuple[str, ...]:
        """The labels of a board's places."""
        if board.names == "none":
            return ("",) * len(self.names(board.kind))
        return self.titles(board.kind) if board.names == "title" else self.names(board.kind)

    def place(self, of: Entity, box: Box, middle: Point | None = None, outline: str = "") -> Place:
        """An entity as it can be pointed at; by default in the middle of its box."""
        kind, number = of
        left, top, right, bottom = box
        middle = middle or ((left + right) / 2, (top + bottom) / 2)
        return Place(self.place_id(of), self.titles(kind)[number], box, middle, outline)

    def place_id(self, of: Entity) -> str:
        """The id of an entity as a place."""
        return f"{of[0]}.{self.names(of[0])[of[1]]}"

    def on_board(self, kind: str) -> bool:
        """Whether the entities of a kind are the places of a board."""
        return kind in self.style.boards and self.style.boards[kind].form != "hidden"

    def row_places(self, kind: str) -> bool:
        """Whether the rows of a table are places: their entities are neither places of a board nor tokens."""
        return kind != "game" and not self.on_board(kind) and not self.d.kinds[kind].places

    def names_of(self, of: tuple[str, int]) -> str:
        """The name of an entity in item ids; seats are numbered, regardless of their names."""
        kind, number = of
        return f"seat{number + 1}" if self.d.kinds[kind].is_player else self.names(kind)[number]
