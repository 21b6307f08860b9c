"""The picture of a position: boards with their pieces side by side, and tables below."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.report import failure
from rulespec.drawing import svg
from rulespec.drawing.board_forms import HOSTS, SIDE, plans_of
from rulespec.drawing.board_panels import MARGIN_ON_PAGE, Panel, figure, part_id, scale_id
from rulespec.drawing.captions import caption, notes
from rulespec.drawing.cell_borders import FORMS
from rulespec.drawing.colours import INK
from rulespec.drawing.disc_letters import spare_letters
from rulespec.drawing.drawing_file import read_drawing
from rulespec.drawing.drawn_tokens import LARGEST, DrawnToken, Standing, drawn, marker_token
from rulespec.drawing.holdings import SheetTable, TablePart, moved, rows, table_of, table_plan, tables_within
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import GAP, Plan, Sheet
from rulespec.drawing.played_marks import dice, link_states, status_of
from rulespec.drawing.regular_boards import bands_of, heading_of, scale_plan
from rulespec.drawing.scene import Place, Scene, SceneItem
from rulespec.drawing.shown import Entity, Names, ShownState
from rulespec.drawing.standing import PlacedFields, PlacedPiles, Slot, standing
from rulespec.drawing.style import BoardStyle, Style
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.table_texts import Cell, TableTexts, TextTable, text_table
from rulespec.drawing.text_width import shortened, text_width
from rulespec.drawing.tiles import stop_items, tile_items
from rulespec.engine.game.game import Game
from rulespec.engine.game.seat_names import shown_names
from rulespec.engine.game.state_json import state_json
from rulespec.engine.game.views import View
from rulespec.engine.words.words import Words
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import named

MAX_PLACES = 2_500
MAX_TABLE_ROWS = 5_000
"""Limits of a picture: the numbers of places on all boards, and of rows in all tables."""
_MEMO_SIZE = 8
_STOOD = 5_000
"""The number of places whose drawn pieces are cached."""
_MARGIN = 18.0
_TOP = 58.0
_WIDE = 1000.0
_LEAST = 760.0
"""The minimum width of tables on a sheet."""
_NARROWEST = 440.0
"""The width of the narrowest sheet: room for its status."""
_APART = 320.0
"""The width of a board in the right column if each board is a separate picture."""
_CAPTION = 640.0
"""The width of the caption of a board."""


def board(
    ruleset: typed.Ruleset,
    position: Game | View | None = None,
    words: Wording | None = None,
    style: Style | None = None,
) -> Scene:
    """The picture of a position.

    Args:
        ruleset: the ruleset.
        position: a game, which is shown in full, or a seat's view; None for a board without pieces or tables.
        words: the displayed titles; by default those of the ruleset.
        style: the style of the ruleset, if it has already been read.
    """
    names = position.names if position is not None else {}
    seat = position.seat if isinstance(position, View) else None
    viewer = list(names).index(seat) if seat in names else 0
    tables = position is not None  # tables are empty on a board without pieces
    return board_of(ruleset, names, words, tables=tables, viewer=viewer, style=style).scene(position)


_boards: OrderedDict[object, tuple[object, object, Board]] = OrderedDict()


def board_of(
    ruleset: typed.Ruleset,
    seats: Mapping[str, str] | Sequence[str],
    words: Wording | None = None,
    *,
    tables: bool = True,
    viewer: int = 0,
    style: Style | None = None,
    apart: bool = False,
    parted: bool = False,
) -> Board:
    """The board of a ruleset at a table; recently used boards are cached.

    Args:
        ruleset: the ruleset.
        seats: the seats of the table, given as ids with names or only as ids.
        words: the displayed titles; by default those of the ruleset.
        tables: whether the picture includes tables; `text_rows` returns them as text.
        viewer: the number of the seat whose spaces can be pointed at, if each seat has its own spaces.
        style: the style of the ruleset, if it has already been read.
        apart: whether each board is a separate picture, as on a page, without tables.
        parted: whether boards of owners are separate pictures, also if the others are on one sheet.
    """
    names = named(seats)
    key = id(ruleset), tuple(names.items()), id(words), tables, viewer, apart, parted
    if key not in _boards:
        style = read_drawing(ruleset) if style is None else style
        source = words if words is not None else Words(ruleset)
        _boards[key] = (
            ruleset,
            words,
            Board(ruleset.declarations, style, names, source, tables=tables, viewer=viewer, apart=apart, parted=parted),
        )  # both outlive the cache key that contains their ids
        while len(_boards) > _MEMO_SIZE:
            _boards.popitem(last=False)
    _boards.move_to_end(key)
    return _boards[key][2]


def drawn_kinds(d: typed.Declarations, style: Style) -> list[str]:
    """The kinds that have a board on the sheet when there are no seats, in the order of their boards."""
    boards, guests = _boards_of(style, Names(d, ()))
    ordered = [b for at in ("left", "right", "below") for b in boards if b.at == at]
    return [kind for b in ordered for kind in (b.kind, *(guest.kind for guest in guests if guest.inside == b.kind))]


def _boards_of(style: Style, names: Names) -> tuple[list[BoardStyle], list[BoardStyle]]:
    """The boards on a sheet, and those inside others."""
    boards = [b for b in style.boards.values() if b.form != "hidden" and names.names(b.kind)]
    hosts = {b.kind: HOSTS[b.form] for b in boards if b.form in HOSTS and not b.inside}
    guests = [b for b in boards if b.form in hosts.get(b.inside, ())]
    return [b for b in boards if b not in guests], guests


class Board:
    """The board of a ruleset at a table, whose static parts are computed only once.

    Args:
        d: the declarations, possibly of a ruleset with mistakes.
        style: their style.
        names: the seats with the names of the players; empty without a game.
        words: the displayed titles.
        tables: whether the picture includes tables.
        viewer: the number of the viewing seat.
        apart: whether each board is a separate picture; see `panels`.
        parted: whether only the boards of owners are; these are in `panels`, and not on the sheet.
    """

    def __init__(
        self,
        d: typed.Declarations,
        style: Style,
        names: Mapping[str, str],
        words: Wording,
        *,
        tables: bool = True,
        viewer: int = 0,
        apart: bool = False,
        parted: bool = False,
    ) -> None:
        self.words = words
        self.viewer = viewer
        self.apart = apart
        self._parted = apart or parted
        self._with_tables = tables and not apart
        self.names = Names(d, tuple(names))
        titled = shown_names(names)
        titles = cache(lambda kind: _titles(d, style, words, kind, titled))
        self.sheet = Sheet(d, spare_letters(d, style, self.names), titles, self.names, words)
        self.plans: dict[str, Plan] = {}
        self.scales: dict[tuple[str, str], Plan] = {}
        self.tables: list[SheetTable] = []
        self.static: list[SceneItem] = []
        self.panels: list[Panel] = []
        self._rights: list[float] = []
        self._piled = PlacedPiles(self.sheet, self.plans)
        self._fields: PlacedFields = {}
        self._stood: dict[tuple[str, int, tuple[DrawnToken, ...]], tuple[SceneItem, ...]] = {}
        self._stands: dict[Slot, tuple[tuple[DrawnToken, ...], tuple[SceneItem, ...]]] = {}
        self._scaled: dict[tuple[str, str], tuple[dict[int, Any], list[SceneItem]]] = {}
        self.size = self._laid_out()
        title = svg.words(words.game, _MARGIN, 24, 20, bold=True, anchor="start", fill=INK)
        self.static.insert(0, SceneItem("title", "names", title))

    # --- the sheet -----------------------------------------------------------------------------

    def _laid_out(self) -> Point:
        """Puts boards and tables on the sheet; returns its size."""
        _bounded(self.sheet)
        boards, self._guests = _boards_of(self.sheet.style, self.names)
        main = [b for b in boards if b.at == "left"]
        side = [b for b in boards if b.at == "right"]
        width, y = 0.0, _TOP
        for b in main:
            plan = self._add(b, (_MARGIN, y), 1000.0)
            y += plan.size[1] + GAP
            width = max(width, plan.size[0])
        column = _MARGIN + (width + GAP if main else 0.0)
        at = _TOP
        for b in side:
            plan = self._add(b, (column, at), _APART if self.apart else SIDE)
            at += plan.size[1] + GAP
        width = max(width + (GAP + SIDE if side and main else 0.0), SIDE if side else 0.0, _LEAST)
        width = max(width, _WIDE) if self.sheet.style.guessed else width
        y = self._beside((column, at), y) if side and self._with_tables else y
        y = max(y, at if side else 0.0)
        wide = 1000.0 if self.apart else width
        for b in boards:
            if b.at == "below":
                y += self._add(b, (_MARGIN, y), wide).size[1] + GAP
        for kind, name in self.sheet.style.scales:
            y += self._scale(kind, name, (_MARGIN, y), wide) + GAP
        y = self._in_rows(y, width) if self._with_tables else y
        return max(self._right(), _NARROWEST) + _MARGIN, y + _MARGIN - GAP

    def _right(self) -> float:
        """The right edge of the rightmost item."""
        tables = (table.corner[0] + table.width for table in self.tables)
        return max((*self._rights, *tables), default=0.0)

    def _in_rows(self, y: float, width: float) -> float:
        """Puts the remaining tables below, side by side if they fit; returns the bottom."""
        x, bottom = _MARGIN, y
        for kind in self.sheet.style.tables:
            if any(t.kind == kind for t in self.tables):
                continue
            columns = self.sheet.style.tables[kind]
            known = kind == "game" or kind in self.sheet.d.kinds
            for table in tables_within(self.sheet, self.words, self.names, kind, columns if known else (), width):
                table.width = max(table.width, text_width(self._title_of(table), 13, bold=True))
                if x > _MARGIN and x + table.width > _MARGIN + width:
                    x, y = _MARGIN, bottom
                table = moved(table, (x, y))
                bottom = max(bottom, y + self._table(table))
                x += table.width + 2 * GAP
        return bottom

    def _beside(self, corner: Point, bottom: float) -> float:
        """Moves narrow tables into the rest of the side column; returns the bottom edge."""
        x, y = corner
        for kind in self.sheet.style.tables:
            table = self._table_of(kind, (x, y), SIDE)
            if table is None or not table.rows or table.width > SIDE * 0.999 or any(c.pile for c in table.columns):
                continue
            height = table.top - y + table.row * table.rows
            if y + height <= bottom:
                y += self._table(table)
        return bottom

    def _add(self, b: BoardStyle, corner: Point, width: float) -> Plan:
        """Adds a board, and the boards inside its cells."""
        tabled = self._with_tables and self.sheet.style.tables.get(b.kind)  # the table's heading suffices
        b = replace(b, title="" if tabled else self.words.board(b.kind, b.title))
        guests = [g for g in self._guests if g.inside == b.kind]
        title, head, room = b.title or heading_of(self.words.kind(b.kind)), "", 0.0
        titled = (b, *(g for g in guests if g.form in FORMS))
        if b.caption and not self.apart:
            head, room = caption(self.sheet, titled, title, corner, min(width, _CAPTION))
        b = replace(b, title="") if b.caption else b
        below = corner[0], corner[1] + room
        plans = plans_of(self.sheet, b, guests, (below, width, self.viewer), apart=self._parted)
        self.plans |= plans
        items = [item for kind in plans for item in self.plans[kind].items]
        note = " · ".join(notes(self.sheet, titled)) if b.caption else ""
        plan = self.plans[b.kind]
        if plan.parts:
            self._put_parts(b, plan, title, note)
            return plan if self.apart else Plan((0.0, -GAP))
        if self.apart:
            head, room = self._key(titled, (corner[0], corner[1] + plan.size[1]))
        if b.caption:
            items.append(SceneItem(f"caption.{b.kind}", "names", head))
            plan.size = max(plan.size[0], _NARROWEST - 2 * GAP), plan.size[1] + room
        self._put(Panel(b.kind, title, b.at, b.form in ("grid", "cells"), _box(corner, plan), items, note))
        return self.plans[b.kind]

    def _put_parts(self, b: BoardStyle, plan: Plan, title: str, note: str) -> None:
        """Puts the boards of owners on the sheet, each with the key to its colours below it."""
        start = 0
        for n, part in enumerate(plan.parts):
            left, top, right, bottom = part.box
            key, room = self._key([b], (left, bottom))
            items = [*plan.items[start : part.end], SceneItem(f"caption.{b.kind}.{n + 1}", "names", key)]
            box = Box((left, top, right, bottom + room))
            of = Panel(part_id(b.kind, n), title, b.at, False, box, items, note, part.owner)
            if self.apart:
                self._put(of)
            else:
                self.panels.append(of)
            start = part.end

    def _key(self, boards: Sequence[BoardStyle], corner: Point) -> tuple[str, float]:
        """The key to the colours of a board on a page, below it, where pages take it out; with its height."""
        if not boards[0].caption:
            return "", 0.0
        key, room = caption(self.sheet, boards, "", (corner[0], corner[1] + MARGIN_ON_PAGE), _CAPTION)
        return key, room + MARGIN_ON_PAGE if room else 0.0

    def _put(self, of: Panel) -> None:
        """Puts a part on the sheet."""
        self.panels.append(of)
        self.static += of.items
        self._rights.append(of.box[2])

    def _scale(self, kind: str, name: str, corner: Point, width: float) -> float:
        fields = self.sheet.d.kinds[kind].state if kind else self.sheet.d.fields
        field = fields.get(name)
        if field is None or field.low is None or field.high is None or field.high - field.low > 100:
            return 0.0
        title = heading_of(self.words.field(kind, name))
        bands = bands_of(self.sheet, self.sheet.style.bands.get(f"{kind}.{name}".lstrip("."), ""))
        plan = scale_plan(f"{kind}.{name}", title, (field.low, field.high), bands, corner, width)
        self.scales[kind, name] = plan
        self._put(Panel(scale_id(kind, name), title, "below", False, _box(corner, plan), plan.items))
        return plan.size[1]

    def _table_of(self, kind: str, corner: Point, width: float) -> SheetTable | None:
        columns = self.sheet.style.tables[kind]
        if kind != "game" and kind not in self.sheet.d.kinds:
            return None
        return table_of(self.sheet, self.words, self.names, kind, TablePart(columns), corner, width)

    def _table(self, table: SheetTable) -> float:
        """Adds a table to the sheet; returns its height."""
        plan = table_plan(self.sheet, table, self._title_of(table))
        self.tables.append(table)
        self.static += plan.items
        return plan.size[1] + GAP

    def backdrop(self) -> str:
        """The static pictures as HTML: one figure per board, with an empty group for the items of each layer."""
        return "".join(figure(each) for each in self.panels)

    def panel_of(self, kind: str) -> str:
        """The panel on which the places of a board are shown."""
        return next((guest.inside for guest in self._guests if guest.kind == kind), kind)

    def _title_of(self, table: SheetTable) -> str:
        own = self.words.game if table.kind == "game" else heading_of(self.words.kind(table.kind))
        return self.words.board(table.kind, own)

    # --- a position ----------------------------------------------------------------------------

    def scene(self, position: Game | View | None) -> Scene:
        """The picture of a position; see `board`."""
        dynamic: list[SceneItem] = []
        status = ""
        if position is not None:
            state = position.state if isinstance(position, View) else state_json(position)
            dynamic = list(self.items(state))
            dynamic += dice(self.plans, position.history)
            status = status_of(self.words, position)
            text = svg.words(shortened(status, 13, self.size[0] - 2 * _MARGIN), _MARGIN, 42, 13, anchor="start")
            dynamic.append(SceneItem("status", "names", text))
        note = self.words.picture(self.sheet.style.doc) or self.words.word("board", game=self.words.game)
        description = f"{note} {status}".strip()
        return Scene(*self.size, self.words.game, description, tuple(self.static), tuple(dynamic))

    def places(self, state: dict[str, Any] | None = None) -> dict[str, Place]:
        """The entities that can be pointed at, by id: spaces and rows and, if a state is given, tokens and cards.

        In a picture, the element of a place carries the place's id as `data-place`.
        """
        items = (*self.static, *(self.items(state) if state is not None else ()))
        return {place.id: place for item in items for place in item.places}

    def items(self, state: dict[str, Any] | ShownState) -> Iterator[SceneItem]:
        """The items of a board for a state, or for a state already read by `names`."""
        shown = state if isinstance(state, ShownState) else self.names.read(state)
        for of, plan in self.plans.items():
            if plan.tiles is not None:
                yield from tile_items(self.sheet, of, plan.tiles, shown)
            for kind, lines in plan.links.items():
                states = link_states(self.sheet, kind, lines, shown)
                yield from (self._on_panel(item, of, kind, number) for number, item in states)
        placed: dict[str, Place] = {}
        stand = standing(self.sheet, self.plans, shown, self._piled, self._fields)
        for of, plan in self.plans.items():
            if plan.tiles is not None:
                for item in stop_items(self.sheet, of, plan.tiles, shown, stand):
                    placed |= {place.id: place for place in item.places}
                    yield item
        for (kind, number), result in stand.items():
            if (slot := self.plans[kind].slots.get(number)) is not None:
                for item in self._standing(kind, number, tuple(result), slot):
                    if item.places:
                        placed |= {place.id: place for place in item.places}
                    yield item
        for (kind, name), plan in self.scales.items():
            values = shown.fields.get((kind, name), {})
            if (kind, name) not in self._scaled or self._scaled[kind, name][0] != values:
                self._scaled[kind, name] = values, list(self._on_scale(kind, name, plan, values))
            yield from self._scaled[kind, name][1]
        for table in self.tables:
            yield from rows(self.sheet, self.words, self.names, table, shown, placed)

    def text_tables(self) -> list[tuple[SheetTable, TextTable]]:
        """The tables as text: title, column heads, and the first cell of each row."""
        return [(t, text_table(self.sheet, t, self._title_of(t))) for t in self._text_tables if t.rows]

    @cached_property
    def _text_tables(self) -> list[SheetTable]:
        tables = (self._table_of(kind, (0.0, 0.0), _LEAST) for kind in self.sheet.style.tables)
        return [table for table in tables if table is not None]

    @cached_property
    def _table_texts(self) -> list[TableTexts]:
        return [TableTexts(self.sheet, self.words, self.names, table) for table in self._text_tables]

    def text_rows(self, state: dict[str, Any] | ShownState) -> Iterator[list[Cell]]:
        """The text rows of all tables, in order, for a state as accepted by `items`; equal rows are the same object."""
        shown = state if isinstance(state, ShownState) else self.names.read(state)
        for texts in self._table_texts:
            yield from texts.rows(shown)

    def _standing(self, kind: str, number: int, tokens: tuple[DrawnToken, ...], slot: Box) -> tuple[SceneItem, ...]:
        """The items for the tokens in a place, cached, with a shortcut for tokens unchanged since the last position."""
        last = self._stands.get((kind, number))
        if last is None or last[0] != tokens:  # cheaper than hashing all tokens
            key = kind, number, tokens
            if key not in self._stood:
                if len(self._stood) >= _STOOD:
                    self._stood.clear()
                plan = self.plans[kind]
                stands = plan.stands.get(number, ())
                how = Standing(plan.piece or LARGEST, plan.manners.get(number, ""), plan.stack, stands)
                items = drawn(self.sheet, tokens, slot, how)
                self._stood[key] = tuple(self._on_panel(item, kind, kind, number) for item in items)
            last = self._stands[kind, number] = tokens, self._stood[key]
        return last[1]

    def _on_panel(self, item: SceneItem, at: str, kind: str, number: int) -> SceneItem:
        """An item of an entity of a kind on a board, with its panel if each owner has a board."""
        parts = self.plans[at].parts
        if not parts:
            return item
        return replace(item, panel=part_id(at, number * len(parts) // len(self.names.names(kind))))

    def _on_scale(self, kind: str, name: str, plan: Plan, values: Mapping[int, Any]) -> Iterator[SceneItem]:
        results: dict[int, list[DrawnToken]] = {}
        for number, value in values.items():
            if isinstance(value, int) and value in plan.slots:
                of: Entity | None = (kind, number) if kind else None
                title = f"{self.sheet.titles(kind)[number] if kind else ''} {self.words.field(kind, name)}: {value}"
                results.setdefault(value, []).append(marker_token(self.sheet, of, name, kind or "game", title.strip()))
        for value, tokens in results.items():
            yield from drawn(self.sheet, tokens, plan.slots[value], Standing())


def _bounded(sheet: Sheet) -> None:
    """Refuses a board that would take minutes to draw.

    Raises:
        DiagnosticsError: RS557.
    """
    style, d = sheet.style, sheet.d
    drawn = [b.kind for b in style.boards.values() if b.form != "hidden"]
    places = sum(len(sheet.names(kind)) for kind in drawn)
    rows = sum(len(sheet.names(kind)) for kind in style.tables if kind in d.kinds)
    for count, most, what, help_ in (
        (places, MAX_PLACES, "places", "hide boards in drawing.yaml: `as: hidden`"),
        (rows, MAX_TABLE_ROWS, "table rows", "name fewer kinds under `tables:` in drawing.yaml"),
    ):
        if count > most:
            message = f"a picture with {count:,} {what} is too large: the limit is {most:,}"
            raise failure("RS557", message, None, help=help_)


def _titles(
    d: typed.Declarations, style: Style, words: Wording, kind: str, seats: Mapping[str, str]
) -> tuple[str, ...]:
    """The titles of entities; one named by a number, such as `t57`, is `tile 57`, or `57` inside a longer title."""
    titles = words.titles(kind, seats)
    numbers = style.numbered.get(kind, {})
    if numbers and len(numbers) == len(titles):
        return tuple(f"{words.kind(kind)} {number}" for number in numbers.values())
    names = {entity.title: numbers[entity.name] for entity in d.kinds[kind].entities if entity.name in numbers}
    for part in d.kinds[kind].product:
        names |= style.numbered.get(part, {})
    return tuple(" ".join(names.get(word, word) for word in title.split(" ")) for title in titles) if names else titles


def _box(corner: Point, plan: Plan) -> Box:
    (x, y), (width, height) = corner, plan.size
    return Box((x, y, x + width, y + height))
