"""The style of a ruleset: from its `drawing.yaml`, with defaults for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, cycle
from math import cos, radians
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing.colours import OWNERS, SEATS
from rulespec.drawing.hatching import hatches
from rulespec.drawing.outlines import MAX_POINTS, Frame, Outline, Ring, Scenery, extent, rings_of
from rulespec.drawing.symbols import SYMBOLS, TYPES
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Maybe, Num, SetOf

MAX_ASPECT = 4.0
"""The longer side of a map by the shorter."""
MAX_ROWS = 60
"""Tables with more rows are drawn only if the drawing asks for them."""
RING_LABELS = 16
"""A ring of more spaces is drawn as boxes on a circle."""


class Look(Brief, Struct, frozen=True):
    """The look of an entity: its colour, its letter, and the symbol of its possessions ("" for the type's own).

    `hatch` are the lines on its places, for those who see no colours; `none` if the colours differ in grey as well.
    """

    colour: str
    letter: str = ""
    symbol: str = ""
    hatch: str = "none"


class LinkStyle(Brief, Struct, frozen=True):
    """The style of links of a kind; `dashed` is yes, no, or a fact of the links, `state` a drawn field."""

    colour: str = "grey"
    dashed: bool | str = False
    hidden: bool = False
    state: str = ""


class Tray(Brief, Struct, frozen=True):
    """A part of a panel: pieces in some places, as `piece.place`, and the fact that limits their number.

    `cards`: whether they are drawn as cards in a row, which lie on one another where the row is too short.
    """

    title: str
    holds: tuple[str, ...]
    room: str = ""
    cards: bool = False


class Yard(Brief, Struct, frozen=True):
    """Cells of each owner for pieces outside all spaces.

    Attributes:
        holds: their places, as `piece.place`.
        at: column and row of the first cell, and the numbers of columns and rows.
        title: the text on it; "" for the name of the owner.
    """

    holds: tuple[str, ...]
    at: tuple[int, int, int, int]
    title: str = ""


class BoardStyle(Brief, Struct, frozen=True):
    """The style of a board with the entities of a kind as places; see `drawing.schema.json`.

    Attributes:
        roomy: whether pieces stand on its places.
        holds: pieces of the places of a row that stand there, as `piece.place`.
        stack: the most pieces of one owner in a column before their number is written; 0: no column.
        rolls: whether the last roll lies on it as dice.
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


class PieceStyle(Brief, Struct, frozen=True):
    """The style of a type of pieces.

    Attributes:
        places: those whose pieces are drawn on boards; None: all.
        symbols: by place.
        states: symbols of tokens by their state: a field, the entity that it names ("": whatever is not nothing), and
            the symbol; the first that fits is taken.
    """

    symbol: str
    colour: str = ""
    text: str = "owner"
    places: tuple[str, ...] | None = None
    symbols: dict[str, str] = {}
    states: tuple[tuple[str, str, str], ...] = ()


class Style(Brief, Struct, frozen=True):
    """The style of a ruleset; `hides` are fields and places of pieces left out on purpose."""

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

    def path(self, symbol: str) -> str:
        """The path data of a symbol."""
        return self.shapes.get(symbol) or SYMBOLS.get(symbol) or SYMBOLS["square"]


def style_of(d: typed.Declarations, data: dict[str, Any]) -> Style:
    """The style of a ruleset.

    Args:
        d: its declarations; those of one with mistakes will do.
        data: the drawing files, laid over one another; in the form of their schema, with known names.
    """
    boards = dict(_boards(d, data.get("boards", {})))
    drawn = {kind for kind, board in boards.items() if board.form != "hidden"}
    return Style(
        boards=boards,
        pieces=dict(_pieces(d, data.get("pieces", {}))),
        markers=_fields(data["markers"]) if "markers" in data else tuple(_markers(d, drawn)),
        scales=_fields(data.get("scales", [])),
        tables={k: tuple(v) for k, v in data["tables"].items()} if "tables" in data else dict(_tables(d, drawn)),
        bands=data.get("bands", {}),
        turn=data.get("turn", ""),
        dice=_fields(data.get("dice", [])),
        shapes=data.get("shapes", {}),
        looks=_looks(d, data.get("entities", {})),
        doc=data.get("doc", ""),
        hides=_fields(data.get("hides", [])),
    )


def _fields(names: list[str]) -> tuple[tuple[str, str], ...]:
    """Fields as kind ("" for the game) and name."""
    return tuple((kind, name) for kind, _, name in (text.rpartition(".") for text in names))


# --- boards --------------------------------------------------------------------------------------


def link_facts(d: typed.Declarations, kind: str) -> list[str]:
    """The links of a kind: its set-valued facts of the same kind."""
    return [f.name for f in d.kinds[kind].facts.values() if isinstance(f.type, SetOf) and f.type.kind == kind]


def _places(d: typed.Declarations) -> list[tuple[str, str, str]]:
    """The kinds of places, their forms, and their positions on the sheet."""
    results = list(_used(d))
    if any(form in ("areas", "nodes") for _, form, _ in results):
        return results
    # A map that is just begun: nothing stands on it yet.
    taken = {name for name, _, _ in results}
    return [
        (n, "nodes", "left") for n in d.kinds if n not in taken and _is_place(d.kinds[n]) and link_facts(d, n)
    ] + results


def _is_place(kind: typed.Kind) -> bool:
    return not (kind.is_player or kind.by_seat or kind.nameless or kind.places or not kind.entities)


def _used(d: typed.Declarations) -> Iterator[tuple[str, str, str]]:
    tracks = {track.kind: track for track in d.tracks.values()}
    indices = {place.index for pile in _piles(d) for place in pile.places.values()}
    maps = {link.region for link in d.links.values()}
    for name, kind in d.kinds.items():
        if not _is_place(kind):
            continue
        positions = any(e.position is not None for e in kind.entities)
        if name in d.boards:
            yield name, "grid", "left"
        elif name in tracks:
            ring = tracks[name].ring
            many = len(kind.entities) > RING_LABELS
            yield name, "ring" if ring else "row", ("left" if many else "right") if ring else "below"
        elif name in maps or positions or (link_facts(d, name) and name in indices):
            yield name, "areas" if positions else "nodes", "left"
        elif name in indices:
            yield name, "row", "left"


def _piles(d: typed.Declarations) -> Iterator[typed.PieceDecl | typed.Kind]:
    return chain(d.pieces.values(), (kind for kind in d.kinds.values() if kind.places))


def _boards(d: typed.Declarations, section: dict[str, Any]) -> Iterator[tuple[str, BoardStyle]]:
    results = {kind: (form, at) for kind, form, at in _places(d)}
    for kind in [*(k for k in section if k in d.kinds), *(k for k in results if k not in section)]:
        form, at = results.get(kind, ("row", "left"))
        data = section.get(kind, {})
        places = d.kinds[kind]
        positions = {
            i: (float(e.position[0]), float(e.position[1])) for i, e in enumerate(places.entities) if e.position
        }
        positions |= _projected(places, data)
        outlines, scenery = outlines_of(places, data)
        if (positions or outlines) and form == "nodes":
            form = "areas"
        facts = [f.name for f in places.facts.values() if isinstance(f.type, Ent)]
        links = {name: LinkStyle() for name in link_facts(d, kind)}
        links |= {name: LinkStyle(state=_owner(d, name)) for name, of in d.links.items() if of.region == kind}
        links |= {name: replace(links.get(name, LinkStyle()), **how) for name, how in data.get("links", {}).items()}
        own = [f.name for f in places.state.values() if isinstance(f.type, Ent)]
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
                fields=tuple(data.get("fields", own)),
                links=links,
                names=data.get("names", "title"),
                columns=data.get("columns", 0),
                facts=tuple(data.get("facts", [])),
                inside=data.get("in", "") if data.get("in") in d.kinds else "",
                each=data.get("each", "") if data.get("each") in d.kinds else "",
                turned={int(n): tuple(map(str, how)) for n, how in data.get("turned", {}).items()},
                shape=data.get("shape", ""),
                colour=data.get("colour", ""),
                yards=tuple(Yard(tuple(y["holds"]), tuple(y["at"]), y.get("title", "")) for y in data.get("yards", [])),
                holds=tuple(data.get("holds", [])),
                stack=data.get("stack", 0),
                rolls=data.get("rolls", False),
                roomy=any(place.index == kind for pile in _piles(d) for place in pile.places.values()),
                trays=tuple(
                    Tray(t["title"], tuple(t["holds"]), t.get("room", ""), t.get("cards", False))
                    for t in data.get("trays", [])
                ),
            ),
        )


def _owner(d: typed.Declarations, link: str) -> str:
    """The first field of links that names an entity; "" without one."""
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
    """The extent of a board: from its drawing, or from its outermost outlines; None without either."""
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
    """Whether a frame has a form that a sheet can have."""
    return width > 0 and height > 0 and 1 / MAX_ASPECT <= width / height <= MAX_ASPECT


def _projected(kind: typed.Kind, data: dict[str, Any]) -> dict[int, tuple[float, float]]:
    """The positions of a drawing file; longitudes are shortened by the given distance from the equator."""
    points = {kind.index[name]: (float(x), float(y)) for name, (x, y) in data.get("positions", {}).items()}
    if "projection" not in data:
        return points
    degree, shrink = data["projection"].get("degree", 1), cos(radians(data["projection"]["latitude"]))
    return {i: (x * shrink / degree, -y / degree) for i, (x, y) in points.items()}


# --- pieces, markers, tables ---------------------------------------------------------------------


def _pieces(d: typed.Declarations, section: dict[str, Any]) -> Iterator[tuple[str, PieceStyle]]:
    for number, pile in enumerate(_piles(d)):
        data = section.get(pile.name, {})
        places = tuple(data["places"]) if "places" in data else None
        symbol = data.get("symbol", TYPES[number % len(TYPES)])
        symbols = data.get("symbols", {})
        states = tuple(_states(data.get("states", {})))
        yield pile.name, PieceStyle(symbol, data.get("colour", ""), data.get("text", "owner"), places, symbols, states)


def _states(data: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for field, how in data.items():
        yield from ((field, value, symbol) for value, symbol in (how if isinstance(how, dict) else {"": how}).items())


def _markers(d: typed.Declarations, drawn: set[str]) -> Iterator[tuple[str, str]]:
    """The fields whose value is a place."""
    for f in (
        *d.fields.values(),
        *(f for kind in d.kinds.values() if kind.name not in drawn for f in kind.state.values()),
    ):
        if isinstance(f.type, Ent) and f.type.kind in drawn:
            yield f.kind, f.name


def _tables(d: typed.Declarations, drawn: set[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Fields that are not places, and piles in places without a board."""
    yield "game", tuple(name for name, f in d.fields.items() if _shown(f, drawn))
    for kind in sorted(d.kinds.values(), key=lambda kind: not kind.is_player):
        if kind.name in drawn or kind.nameless or kind.places:
            continue
        columns = [name for name, f in kind.state.items() if _shown(f, drawn)]
        if len(kind.product) > 1 and not columns:
            continue
        columns += [
            f"{pile.name}.{place.name}"
            for pile in d.pieces.values()
            for place in pile.places.values()
            if place.index == kind.name or (not place.index and pile.each == (kind.name,))
        ]
        if columns and len(kind.product) < 2 and len(kind.entities) <= MAX_ROWS:
            yield kind.name, tuple(columns)


def _shown(f: typed.FieldDecl, drawn: set[str]) -> bool:
    """Whether a field belongs in a table: neither drawn on a board nor an account without a limit."""
    if f.unlimited:
        return False
    return isinstance(f.type, Num | Maybe | Bool) or (isinstance(f.type, Ent) and f.type.kind not in drawn)


# --- looks ---------------------------------------------------------------------------------------


def _looks(d: typed.Declarations, section: dict[str, Any]) -> dict[str, dict[str, Look]]:
    """Kind → entity → its look. Seats are named by numbers, unless the drawing names them."""
    results: dict[str, dict[str, Look]] = {}
    others = {
        look["colour"]
        for name in section.keys() & d.kinds.keys()
        if not d.kinds[name].is_player
        for look in section[name].values()
        if "colour" in look
    }
    seats = OWNERS if others.isdisjoint(OWNERS[: d.max_players]) else SEATS
    for kind in d.kinds.values():
        if kind.nameless or len(kind.product) > 1:
            continue
        names = [entity.name for entity in kind.entities] or [str(i + 1) for i in range(d.max_players * kind.is_player)]
        data = section.get(kind.name, {})
        letters = _letters([entity.title for entity in kind.entities], data, names) if kind.entities else names
        given_looks = [
            data.get(name, {}) | data.get(str(i + 1), {}) if kind.is_player else data.get(name, {})
            for i, name in enumerate(names)
        ]
        colours = _colours(given_looks, seats if kind.is_player else OWNERS)
        results[kind.name] = {
            name: Look(colour, own.get("letter", letter), own.get("symbol", ""), own.get("hatch", hatch))
            for name, letter, own, colour, hatch in zip(
                names, letters, given_looks, colours, hatches(colours), strict=True
            )
        }
    return results


def _colours(data: list[dict[str, Any]], palette: Sequence[str]) -> list[str]:
    """A colour for each entity: its own, or the next of a palette that no other has while there are such."""
    own = {each["colour"] for each in data if "colour" in each}
    free = [colour for colour in palette if colour not in own] or list(palette)
    order = cycle(free)
    return [each["colour"] if "colour" in each else next(order) for each in data]


def _letters(titles: list[str], data: dict[str, Any], names: list[str]) -> list[str]:
    """A letter or two for each title, distinct while letters last."""
    taken = {own["letter"] for own in data.values() if "letter" in own}
    results = []
    for name, title in zip(names, titles, strict=True):
        if "letter" in data.get(name, {}):
            results.append(data[name]["letter"])
            continue
        parts = [word for word in title.replace("-", " ").split() if word] or [name]
        short = [title] if len(title) <= 2 else []
        tries = [*short, parts[0][0].upper(), "".join(p[0] for p in parts[:2]).upper(), parts[0][:2].capitalize()]
        tries += [(parts[0][0] + c).capitalize() for c in parts[0][2:] + "0123456789"]
        letter = next((t for t in tries if t not in taken), tries[0])
        taken.add(letter)
        results.append(letter)
    return results
