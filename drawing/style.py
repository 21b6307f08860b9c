"""The drawing style of a ruleset: its `drawing.yaml`, with defaults for missing parts."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing.entity_looks import Look, looks_of
from rulespec.drawing.entity_marks import SYMBOLS, TYPES, entity_facts, numbers_of
from rulespec.drawing.guess import (
    BoardContents,
    board_forms,
    entity_fields,
    guessed_boards,
    guessed_looks,
    guessed_pieces,
    host_of,
    lined,
    link_facts,
    markers,
    piles,
)
from rulespec.drawing.outlines import MAX_POINTS, Frame, Outline, Ring, Scenery, extent, rings_of
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Ent

MAX_ASPECT = 4.0
"""The maximum ratio of a map's longer side to its shorter one."""


class LinkStyle(Brief, Struct, frozen=True):
    """The style of a link kind; `dashed` is yes, no or a fact of the links, and `state` is a drawn field."""

    colour: str = "grey"
    dashed: bool | str = False
    hidden: bool = False
    state: str = ""


class Tray(Brief, Struct, frozen=True):
    """A tray of a panel: pieces in some places, as `piece.place`, and the fact with their maximum number.

    `cards` is whether they are drawn as cards in a row, which overlap if the row is too short.
    """

    title: str
    holds: tuple[str, ...]
    room: str = ""
    cards: bool = False


class Yard(Brief, Struct, frozen=True):
    """A yard: cells for each owner's pieces that are outside all spaces.

    Attributes:
        holds: the places of the pieces, as `piece.place`.
        at: the column and row of the first cell, and the numbers of columns and rows.
        title: its label; "" means the name of the owner.
    """

    holds: tuple[str, ...]
    at: tuple[int, int, int, int]
    title: str = ""


class TileStyle(Brief, Struct, frozen=True):
    """The tiles on the cells of a board.

    Attributes:
        field: the field of a cell that names its tile.
        lines: the fact of a tile with its lines; without `ends`, the facts with the directions that tracks join.
        ends: the facts of a line that name the directions of its two ends; without a second, it ends at the centre.
        turn: the field of a cell with the rotation of its tile, as a number of directions; "" if there is none.
        city: the fact that tells whether a tile has a city.
        number: the fact with the number on a tile.
        fill: facts that name an entity whose colour a tile has; the first fact with a value is used.
        around: on hex maps, the line ends that are sides of a hex, in rotation order; all others are stops.
        stops: on hex maps, the fact with the number of stops of a tile.
        slots: on hex maps, the fact with the number of slots of each stop.
        numbers: on hex maps, facts with numbers to show side by side → their colours.
        label: on hex maps, the fact that names an entity whose letter is on the tile.
        letters: whether a tile shows its own letter.
        printed: on hex maps, the fact of a place with its printed tile, which is shown until another one is laid.
        homes: on hex maps, facts of other entities that name their home's place → the field with its line end, or "".
    """

    field: str
    lines: tuple[str, ...]
    ends: tuple[str, ...] = ()
    turn: str = ""
    city: str = ""
    number: str = ""
    fill: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    stops: str = ""
    slots: str = ""
    numbers: dict[str, str] = {}
    label: str = ""
    letters: bool = False
    printed: str = ""
    homes: dict[str, str] = {}


class BoardStyle(Brief, Struct, frozen=True):
    """The style of a board whose places are the entities of a kind; see `drawing.schema.json`.

    Attributes:
        roomy: whether its places hold pieces.
        holds: the pieces on the places of a row, as `piece.place`.
        stack: the maximum number of one owner's pieces in a column before a number replaces them; 0 for no column.
        rolls: whether it shows the last roll as dice.
        caption: whether it has a heading and a key above it.
        cell: the size of a cell of a regular board, or of a hex of a map; 0 for the default of its form.
        only: the fact that tells whether a cell of a grid exists; "" if all exist.
        transposed: whether the columns of a grid are drawn as rows, the first at the top.
        dots: the crossings of a grid that are marked with a dot.
        tints: flags of cells → the colour of the cells that have the flag; the first match applies.
        sides: fields of the sides of its cells, as `kind.field`.
        letters: whether its discs have letters even if their colours suffice.
        plain: the kinds whose discs on it have no letters; see `spare_letters`.
    """

    kind: str
    form: str
    at: str
    title: str = ""
    width: int = 0
    positions: dict[int, tuple[float, float]] = {}
    frame: Frame | None = None
    outlines: dict[int, Outline] = {}
    scenery: tuple[Scenery, ...] = ()
    certainty: str = ""
    seams: tuple[tuple[int, int], ...] = ()
    fill: tuple[str, ...] = ()
    badges: tuple[str, ...] = ()
    across: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    links: dict[str, LinkStyle] = {}
    names: str = "title"
    columns: int = 0
    facts: tuple[str, ...] = ()
    trays: tuple[Tray, ...] = ()
    inside: str = ""
    each: str = ""
    turned: dict[int, tuple[str, ...]] = {}
    shape: str = ""
    colour: str = ""
    yards: tuple[Yard, ...] = ()
    holds: tuple[str, ...] = ()
    stack: int = 0
    rolls: bool = False
    roomy: bool = False
    caption: bool = False
    cell: int = 0
    only: str = ""
    transposed: bool = False
    dots: tuple[int, ...] = ()
    tints: dict[str, str] = {}
    sides: tuple[str, ...] = ()
    tiles: TileStyle | None = None
    letters: bool = False
    plain: frozenset[str] = frozenset()


class PieceStyle(Brief, Struct, frozen=True):
    """The style of a piece type.

    Attributes:
        places: the places whose pieces are drawn on boards; None means all.
        symbols: the symbols by place.
        states: symbols of tokens by state, each as a field, the entity that it names ("" for any value), and the
            symbol; the first match applies.
        grouped: whether pieces with equal text in a table are merged into one card that shows their number.
        text: the text on a piece; "" for the default, which `spare_letters` resolves.
        plain: whether colours tell its owners apart, so that no piece needs a letter.
    """

    symbol: str
    colour: str = ""
    text: str = ""
    places: tuple[str, ...] | None = None
    symbols: dict[str, str] = {}
    states: tuple[tuple[str, str, str], ...] = ()
    grouped: bool = False
    plain: bool = False


class Style(Brief, Struct, frozen=True):
    """The drawing style of a ruleset.

    Attributes:
        hides: fields and places of pieces that are deliberately not drawn.
        codes: fields → their letters on boards.
        orders: fields whose value is a place → the field that orders the entities in one place.
        numbered: kind → entities named by a number, such as `t57`, with that number.
        guessed: whether the boards are guessed because there is no drawing file.
    """

    boards: dict[str, BoardStyle]
    pieces: dict[str, PieceStyle]
    markers: tuple[tuple[str, str], ...]
    scales: tuple[tuple[str, str], ...]
    tables: dict[str, tuple[str, ...]]
    bands: dict[str, str]
    turn: str
    dice: tuple[tuple[str, str], ...]
    shapes: dict[str, str]
    looks: dict[str, dict[str, Look]]
    doc: str = ""
    hides: tuple[tuple[str, str], ...] = ()
    codes: dict[tuple[str, str], str] = {}
    orders: dict[tuple[str, str], str] = {}
    numbered: dict[str, dict[str, str]] = {}
    guessed: bool = False

    def path(self, symbol: str) -> str:
        """The path data of a symbol."""
        return self.shapes.get(symbol) or SYMBOLS.get(symbol) or SYMBOLS["square"]


def style_of(d: typed.Declarations, data: dict[str, Any]) -> Style:
    """The drawing style of a ruleset.

    Args:
        d: the ruleset's declarations, possibly with mistakes.
        data: the merged drawing files, valid under their schema, with known names.
    """
    bare = not data.get("boards")
    section = guessed_boards(d) if bare else data["boards"]
    looks, codes = guessed_looks(d, section) if bare else ({}, {})
    boards = dict(_boards(d, section))
    drawn = {kind for kind, board in boards.items() if board.form != "hidden"}
    marked = _fields(data["markers"]) if "markers" in data else _fields(list(markers(d, drawn, on_boards=bare)))
    scales = _fields(data.get("scales", []))
    pieces = data.get("pieces") or (guessed_pieces(d, drawn) if bare and "tables" not in data else {})
    shown = _shown(d, boards, {*marked, *scales})
    tables = data["tables"] if "tables" in data else dict(shown.tables(facts=bare))
    return Style(
        boards=boards,
        pieces=dict(_pieces(d, pieces)),
        markers=marked,
        scales=scales,
        tables={kind: tuple(columns) for kind, columns in tables.items()},
        bands=data.get("bands", {}),
        turn=data.get("turn", ""),
        dice=_fields(data.get("dice", [])),
        shapes=data.get("shapes", {}),
        looks=looks_of(d, data.get("entities") or looks),
        doc=data.get("doc", ""),
        hides=_fields(data.get("hides", [])),
        codes=dict(zip(_fields(list(data.get("codes", codes))), data.get("codes", codes).values(), strict=True)),
        orders=dict(zip(_fields(list(data.get("orders", {}))), data.get("orders", {}).values(), strict=True)),
        numbered={kind: numbers_of(d, kind) for kind in d.kinds} if bare else {},
        guessed=bare,
    )


def _shown(d: typed.Declarations, boards: dict[str, BoardStyle], fields: set[tuple[str, str]]) -> BoardContents:
    """The contents of boards: fields, including those of places, tiles and sides, and pieces in trays and yards."""
    drawn = [board for board in boards.values() if board.form != "hidden"]
    fields |= {(board.kind, name) for board in drawn for name in board.fields}
    fields |= set(_fields([side for board in drawn for side in board.sides]))
    fields |= {(b.kind, name) for b in drawn if b.tiles is not None for name in (b.tiles.field, b.tiles.turn)}
    fields |= {(name, link.state) for board in drawn for name, link in board.links.items() if link.state}
    trays = {what for board in drawn for tray in board.trays for what in tray.holds}
    trays |= {what for board in drawn for yard in board.yards for what in yard.holds}
    return BoardContents(d, {b.kind: b.form for b in drawn}, fields, trays | {what for b in drawn for what in b.holds})


def _fields(names: list[str]) -> tuple[tuple[str, str], ...]:
    """Fields as pairs of kind ("" for the game) and name."""
    return tuple((kind, name) for kind, _, name in (text.rpartition(".") for text in names))


# --- boards --------------------------------------------------------------------------------------


def _boards(d: typed.Declarations, section: dict[str, Any]) -> Iterator[tuple[str, BoardStyle]]:
    results = {kind: (form, at) for kind, form, at in board_forms(d)}
    for kind in [*(k for k in section if k in d.kinds), *(k for k in results if k not in section)]:
        form, at = results.get(kind, ("row", "left"))
        data, places = section.get(kind, {}), d.kinds[kind]
        positions = _positions(places, data)
        outlines, scenery = outlines_of(places, data)
        form = "areas" if (positions or outlines) and form == "nodes" else form
        facts = entity_facts(d, places, data.get("as", form))
        links = {name: LinkStyle() for name in link_facts(d, kind)}
        links |= {name: LinkStyle(state=_owner(d, name)) for name, of in d.links.items() if of.region == kind}
        links |= {name: replace(links.get(name, LinkStyle()), **how) for name, how in data.get("links", {}).items()}
        yield (
            kind,
            BoardStyle(
                kind=kind,
                form=data.get("as", form),
                at=data.get("at", at),
                title=data.get("title", ""),
                width=data.get("width", 0),
                positions=positions,
                frame=_frame(data, outlines, scenery),
                outlines=outlines,
                scenery=scenery,
                certainty=data.get("certainty", ""),
                seams=tuple((places.index[a], places.index[b]) for a, b in data.get("seams", [])),
                fill=tuple(data.get("fill", facts[:1])),
                badges=tuple(data.get("badges", [])),
                across=tuple(data.get("across", [])),
                fields=tuple(data.get("fields", entity_fields(d, kind, form))),
                links=links,
                names=data.get("names", "title"),
                columns=data.get("columns", 0),
                facts=tuple(data.get("facts", [])),
                inside=data["in"] if data.get("in") in d.kinds else host_of(d, kind),
                each=data["each"] if data.get("each") in d.kinds else "",
                turned={int(n): tuple(map(str, how)) for n, how in data.get("turned", {}).items()},
                shape=data.get("shape", ""),
                colour=data.get("colour", ""),
                yards=tuple(Yard(tuple(y["holds"]), tuple(y["at"]), y.get("title", "")) for y in data.get("yards", [])),
                holds=tuple(data.get("holds", [])),
                stack=data.get("stack", 0),
                rolls=data.get("rolls", False),
                caption=data.get("caption", False),
                cell=data.get("cell", 0),
                only=data.get("only", ""),
                transposed=data.get("transposed", False),
                dots=tuple(d.kinds[kind].index[name] for name in data.get("dots", [])),
                tints=data.get("tints", {}),
                sides=tuple(data.get("sides", lined(d, kind))),
                tiles=_tiles(data.get("tiles")),
                letters=data.get("letters", False),
                roomy=any(place.index == kind for pile in piles(d) for place in pile.places.values()),
                trays=tuple(
                    Tray(t["title"], tuple(t["holds"]), t.get("room", ""), t.get("cards", False))
                    for t in data.get("trays", [])
                ),
            ),
        )


def _tiles(data: dict[str, Any] | None) -> TileStyle | None:
    if data is None:
        return None
    lists = {key: data.get(key, []) for key in ("lines", "ends", "around", "fill")}
    return TileStyle(**data | {key: (of,) if isinstance(of, str) else tuple(of) for key, of in lists.items()})


def _owner(d: typed.Declarations, link: str) -> str:
    """The first field of links that names an entity; "" if there is none."""
    return next((f.name for f in d.kinds[link].state.values() if isinstance(f.type, Ent)), "")


def outlines_of(kind: typed.Kind, data: dict[str, Any]) -> tuple[dict[int, Outline], tuple[Scenery, ...]]:
    """The readable outlines of a board and its scenery; unreadable ones are reported elsewhere."""
    left = MAX_POINTS
    outlines: dict[int, Outline] = {}
    scenery = []
    sections = (("outlines", kind.index), ("scenery", None))
    for section, index in sections:
        for name, how in data.get(section, {}).items():
            rings = _read(how["outline"])
            left -= sum(map(len, rings))
            if not rings or left < 0:
                continue
            if index is None:
                scenery.append(Scenery(rings, how.get("colour", "land")))
            else:
                outlines[index[name]] = Outline(rings, _spot(how, "label"), _spot(how, "pieces"), how.get("turned", 0))
    return outlines, tuple(scenery)


def _read(data: str) -> list[Ring]:
    try:
        return rings_of(data)
    except ValueError:
        return []


def _spot(how: dict[str, Any], name: str) -> tuple[float, float] | None:
    return (float(how[name][0]), float(how[name][1])) if name in how else None


def _frame(data: dict[str, Any], outlines: dict[int, Outline], scenery: tuple[Scenery, ...]) -> Frame | None:
    """The extent of a board, given by its drawing or by its outermost outlines; None without either."""
    if "frame" in data:
        left, top, width, height = data["frame"]
        return Frame(left, top, width, height) if fits_sheet(width, height) else None
    if not outlines:
        return None
    rings = [ring for part in outlines.values() for ring in part.rings]
    rings += [ring for part in scenery for ring in part.rings]
    left, top, right, bottom = extent((float(x), float(y)) for ring in rings for x, y in ring)
    width, height = max(right - left, 1.0), max(bottom - top, 1.0)
    return Frame(left, top, max(width, height / MAX_ASPECT), max(height, width / MAX_ASPECT))


def fits_sheet(width: float, height: float) -> bool:
    """Whether a frame's proportions fit on a sheet."""
    return width > 0 and height > 0 and 1 / MAX_ASPECT <= width / height <= MAX_ASPECT


def _positions(kind: typed.Kind, data: dict[str, Any]) -> dict[int, tuple[float, float]]:
    """The positions of a board: those of its drawing file, otherwise those of the map."""
    own = {i: (float(e.position[0]), float(e.position[1])) for i, e in enumerate(kind.entities) if e.position}
    return own | _projected(kind, data)


def _projected(kind: typed.Kind, data: dict[str, Any]) -> dict[int, tuple[float, float]]:
    """The positions of a drawing file, projected: longitudes shrink with the distance from the equator."""
    points = {kind.index[name]: (float(x), float(y)) for name, (x, y) in data.get("positions", {}).items()}
    if "projection" not in data:
        return points
    degree, shrink = data["projection"].get("degree", 1), cos(radians(data["projection"]["latitude"]))
    return {i: (x * shrink / degree, -y / degree) for i, (x, y) in points.items()}


# --- pieces, markers, tables ---------------------------------------------------------------------


def _pieces(d: typed.Declarations, section: dict[str, Any]) -> Iterator[tuple[str, PieceStyle]]:
    for number, pile in enumerate(piles(d)):
        data = section.get(pile.name, {})
        places = tuple(data["places"]) if "places" in data else None
        symbol, symbols = data.get("symbol", TYPES[number % len(TYPES)]), data.get("symbols", {})
        states = tuple(_states(data.get("states", {})))
        text, grouped = data.get("text", ""), data.get("grouped", False)
        yield pile.name, PieceStyle(symbol, data.get("colour", ""), text, places, symbols, states, grouped)


def _states(data: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for field, how in data.items():
        yield from ((field, value, symbol) for value, symbol in (how if isinstance(how, dict) else {"": how}).items())
