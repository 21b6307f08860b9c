"""The default drawing of a ruleset without a drawing file, in the format of such a file: boards for kinds with a
spatial order, and tables for all other state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from rulespec.drawing.colours import OWNERS, PALETTE
from rulespec.drawing.entity_marks import LabelStock, numbers_of
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Maybe, Num, Order, SetOf

MAX_ROWS = 60
"""Tables with more rows are drawn only if the drawing asks for them."""
MOST_ROWS = 400
"""The maximum number of rows of a table with state that is shown nowhere else."""
RING_LABELS = 16
"""The maximum number of spaces drawn as sectors of a ring; longer rings are boxes on a circle."""
_LONG = 20
"""The maximum number of spaces of a line drawn in one row."""
_ACROSS = 20
"""The maximum number of columns of a board of pairs."""
_FACTS = 20
"""The maximum number of facts of a kind that become columns in its table."""
_MAP, _REGION = 900, 12
"""The width of a map, and the share of it that each region needs."""
_CELL, _MARKED = 64, 8
"""The size of a cell, and the extra size for each further field."""
Drawing = dict[str, Any]
"""A section of a drawing file."""


def piles(d: typed.Declarations) -> Iterator[typed.PieceDecl | typed.Kind]:
    """The piece types and the token kinds."""
    return chain(d.pieces.values(), (kind for kind in d.kinds.values() if kind.places))


def link_facts(d: typed.Declarations, kind: str) -> list[str]:
    """The links of a kind: its facts whose value is a set of the same kind."""
    return [f.name for f in d.kinds[kind].facts.values() if isinstance(f.type, SetOf) and f.type.kind == kind]


def row_tables(d: typed.Declarations, kind: str) -> dict[str, typed.TableDecl]:
    """The lookup tables that have a row for each entity of a kind, such as card costs; a second key must be a kind."""

    def fits(table: typed.TableDecl) -> bool:
        one, *more = table.keys
        if one != Ent(kind) or len(more) > 1 or (more and not isinstance(more[0], Ent)):
            return False
        return isinstance(table.value, Num | Bool | Ent) or (not more and isinstance(table.value, SetOf))

    taken = d.kinds[kind].facts.keys() | d.kinds[kind].state.keys()
    return {name: table for name, table in d.tables.items() if fits(table) and name not in taken}


# --- forms of boards -----------------------------------------------------------------------------


def board_forms(d: typed.Declarations) -> list[tuple[str, str, str]]:
    """The kinds of places, with their forms and their positions on the sheet."""
    results = list(_used(d))
    if any(form in ("areas", "nodes") for _, form, _ in results):
        return results
    # An unfinished map, where nothing can stand on a region yet.
    taken = {name for name, _, _ in results} | {name for name in d.kinds if border_form(d, name)}
    return [
        (n, "nodes", "left") for n in d.kinds if n not in taken and _is_place(d.kinds[n]) and link_facts(d, n)
    ] + results


def _is_place(kind: typed.Kind) -> bool:
    return not (kind.is_player or kind.by_seat or kind.nameless or kind.places or not kind.entities)


def _used(d: typed.Declarations) -> Iterator[tuple[str, str, str]]:
    tracks = {track.kind: track for track in d.tracks.values()}
    indices = _indices(d)
    maps = {link.region for link in d.links.values()}
    for name, kind in d.kinds.items():
        if not _is_place(kind):
            continue
        positions = any(e.position is not None for e in kind.entities)
        if name in d.boards:
            yield name, "grid", "left"
        elif form := border_form(d, name):
            if not _is_bare(d, name):
                yield name, form, "left"
        elif name in tracks:
            ring = tracks[name].ring
            many = len(kind.entities) > RING_LABELS
            yield name, "ring" if ring else "row", ("left" if many else "right") if ring else "below"
        elif name in maps or positions or (link_facts(d, name) and name in indices):
            yield name, "areas" if positions else "nodes", "left"
        elif name in indices:
            yield name, "row", "left"


def host_of(d: typed.Declarations, kind: str) -> str:
    """The board whose sides or corners form this kind; "" if there is none."""
    return next((name for name, board in d.boards.items() if kind in (board.sides, board.corners)), "")


def border_form(d: typed.Declarations, kind: str) -> str:
    """The form of a kind: "sides" or "corners" if its entities are sides or corners of a board, otherwise ""."""
    board = d.boards.get(host_of(d, kind))
    return "" if board is None else "sides" if kind == board.sides else "corners"


def lined(d: typed.Declarations, kind: str) -> list[str]:
    """The field of a board's sides that is drawn as a line: the first that names an entity or is a flag."""
    sides = d.kinds.get(d.boards[kind].sides) if kind in d.boards else None
    fields = (f.name for f in sides.state.values() if isinstance(f.type, Ent | Bool)) if sides is not None else ()
    return [f"{sides.name}.{name}" for name in list(fields)[:1]] if sides is not None else []


def entity_fields(d: typed.Declarations, kind: str, form: str) -> list[str]:
    """The names of a place kind's entity-valued fields, except the field that is drawn as a line along sides."""
    lines = lined(d, host_of(d, kind)) if form == "sides" else []
    return [f.name for f in d.kinds[kind].state.values() if isinstance(f.type, Ent) and f"{kind}.{f.name}" not in lines]


def _indices(d: typed.Declarations) -> set[str]:
    """The kinds that index places of pieces or tokens."""
    return {place.index for pile in piles(d) for place in pile.places.values()}


# --- boards --------------------------------------------------------------------------------------


def guessed_boards(d: typed.Declarations) -> Drawing:
    """The section `boards`: all kinds with a spatial order on which something can stand."""
    results: Drawing = {}
    for kind, form, at in board_forms(d):
        if not _is_board(d, kind, form):
            results[kind] = {"as": "hidden"}
            continue
        line = form == "grid" and d.boards[kind].form == "line" and len(d.kinds[kind].entities) > _LONG
        results[kind] = {"as": "row" if line else form, "at": at, "caption": True}
        if host := host_of(d, kind):
            results[kind]["in"] = host
    drawn = {kind for kind, board in results.items() if board["as"] != "hidden"}
    for product in d.kinds.values():
        if (board := _of_product(d, product)) is None:
            continue
        results[product.name] = board
        drawn.add(product.name)
        owner, cell = product.product
        if board["as"] == "mats" and _is_bare(d, cell) and d.kinds[owner].is_player:
            results[cell] = {"as": "hidden"}
            drawn.discard(cell)
    for kind_name in drawn:
        results[kind_name] |= _shown_on(d, d.kinds[kind_name], drawn, results[kind_name]["as"])
    return results


def _is_board(d: typed.Declarations, kind: str, form: str) -> bool:
    """Whether a kind of places becomes a board; a row of boxes with values of their own becomes a table."""
    places = d.kinds[kind]
    if form == "row" and places.state:
        return all(track.kind != kind for track in d.tracks.values()) is False
    if kind in d.boards and d.boards[kind].form == "line" and len(places.entities) > MAX_ROWS:
        return not places.state or kind in _indices(d)
    used = bool(places.state) or not _is_bare(d, kind) or _is_crossed(d, kind)
    return used or form in ("areas", "nodes") or any(not _is_bare(d, border) for border in _borders(d, kind))


def _borders(d: typed.Declarations, kind: str) -> list[str]:
    """The kinds of the sides and corners of a board."""
    board = d.boards.get(kind)
    return [name for name in (board.sides, board.corners) if name] if board is not None else []


def _is_bare(d: typed.Declarations, kind: str) -> bool:
    """Whether the places of a kind hold nothing: no pieces, no fields, and no entity whose state names a place."""
    fields = chain(d.fields.values(), *(of.state.values() for of in d.kinds.values()))
    named = any(isinstance(f.type, Ent | SetOf | Order) and f.type.kind == kind for f in fields)
    return not (d.kinds[kind].state or named or kind in _indices(d))


def _is_crossed(d: typed.Declarations, kind: str) -> bool:
    """Whether a product that includes the kind has state."""
    return any(kind in of.product and of.state for of in d.kinds.values())


def _of_product(d: typed.Declarations, kind: typed.Kind) -> Drawing | None:
    """The board of all pairs of two kinds: a copy of a regular board per owner, or rows and columns."""
    if len(kind.product) != 2 or kind.nameless or kind.places:
        return None
    if not kind.state and kind.name not in _indices(d):
        return None
    first, second = kind.product
    if second in d.boards and d.boards[second].form != "line" and first not in d.boards:
        return {"as": "mats", "at": "left", "caption": True}
    if any(part in d.boards or _is_direction(d, part) for part in kind.product):
        return None
    if any({first, host_of(d, second)} == {*other.product} for other in d.kinds.values()):
        return None  # lines on the sides of the owner's board
    across = d.max_players if d.kinds[second].is_player else len(d.kinds[second].entities)
    return {"as": "pairs", "at": "below", "caption": True} if 0 < across <= _ACROSS else None


def _is_direction(d: typed.Declarations, kind: str) -> bool:
    return any(board.direction == kind for board in d.boards.values())


def _shown_on(d: typed.Declarations, kind: typed.Kind, drawn: set[str], form: str) -> Drawing:
    """The content shown on the places of a board: facts, fields, tiles, and sides of cells."""
    tiles = _tiles(d, kind)
    on_tiles = {tiles["field"], tiles.get("turn", "")} if tiles else set()
    on_sides = lined(d, host_of(d, kind.name)) if form == "sides" else []
    fields = [
        f.name
        for f in kind.state.values()
        if f.name not in on_tiles and not f.unlimited and not _is_marker(f, drawn - {kind.name})
        if f"{kind.name}.{f.name}" not in on_sides
    ]
    numbers = [f.name for f in kind.facts.values() if isinstance(f.type, Num | Maybe) and f.type_span is not None]
    flags = [f.name for f in kind.facts.values() if isinstance(f.type, Bool) and f.type_span is not None]
    on_cells = [*numbers[:1], *flags[:2]] if form in ("grid", "mats") else []
    result: Drawing = {"fields": fields, "facts": on_cells}
    if form == "row":
        result["facts"] = [f.name for f in kind.facts.values() if isinstance(f.type, Num | Maybe | Ent)][:2]
    if tiles:
        result["tiles"] = tiles
    if form in ("areas", "nodes"):
        result["width"] = min(_MAP + _REGION * len(kind.entities), 2_000)
    if sides := _sides(d, kind):
        result["sides"] = sides
    if form in ("grid", "mats"):
        more = len(fields) + bool(tiles) + bool(sides) + 2 * len(drawn.intersection(_borders(d, kind.name))) - 2
        result["cell"] = min(_CELL + _MARKED * max(more, 0), 120)
    return result


def _sides(d: typed.Declarations, kind: typed.Kind) -> list[str]:
    """The fields of cell sides: those of sides that neighbours share, and of products of a board with its directions.

    A board of pairs has those of products of its owners with its sides.
    """
    board = d.boards.get(kind.product[1] if len(kind.product) == 2 else kind.name)
    if board is None or not board.direction:
        return []
    products = {(*(kind.product or (kind.name,)), board.direction)}
    products |= {(kind.product[0], board.sides)} if len(kind.product) == 2 and board.sides else set()
    sides = (side for side in d.kinds.values() if side.product in products)
    return lined(d, kind.name) + [f"{side.name}.{field}" for side in sides for field in list(side.state)[:1]]


def _tiles(d: typed.Declarations, kind: typed.Kind) -> Drawing:
    """The tiles on a board: a field whose kind names lines by their directions; see `_lines_of`."""
    board = d.boards.get(kind.name)
    if board is None or not board.direction:
        return {}
    for field in kind.state.values():
        tile = d.kinds.get(field.type.kind) if isinstance(field.type, Ent) else None
        lines = _lines_of(d, tile, board.direction) if tile is not None else {}
        if tile is None or not lines:
            continue
        turns = [f.name for f in kind.state.values() if isinstance(f.type, Num) and f.high == len(board.steps) - 1]
        flags = [f.name for f in tile.facts.values() if isinstance(f.type, Bool)]
        worth = [f.name for f in tile.facts.values() if isinstance(f.type, Num) and f.type.unit]
        ground = [f.name for f in tile.facts.values() if isinstance(f.type, Ent) and f.name not in lines["lines"]]
        named = {
            name: facts[0]
            for name, facts in (("turn", turns), ("city", flags), ("number", worth), ("fill", ground))
            if facts
        }
        letters = {} if turns or lines.get("ends") else {"letters": True}  # it may be a man with his directions
        return {"field": field.name, **lines, **named, **letters}
    return {}


def _lines_of(d: typed.Declarations, tile: typed.Kind, direction: str) -> Drawing:
    """The lines of a kind of tiles: a set of lines, each between two directions or to the centre; or the sides that a
    track joins: sets of directions, or two facts that name one each.
    """
    for fact in tile.facts.values():
        bit = d.kinds.get(fact.type.kind) if isinstance(fact.type, SetOf) else None
        ends = [f.name for f in bit.facts.values() if _names(f, direction)] if bit is not None else []
        if bit is not None and 1 <= len(ends) <= 2 and bit.name != direction:
            return {"lines": fact.name, "ends": ends}
    if sets := [f.name for f in tile.facts.values() if isinstance(f.type, SetOf) and f.type.kind == direction]:
        return {"lines": sets}
    single = [f.name for f in tile.facts.values() if _names(f, direction)]
    return {"lines": single} if len(single) == 2 else {}


def _names(fact: typed.FactDecl, kind: str) -> bool:
    return isinstance(fact.type, Ent) and fact.type.kind == kind


# --- markers and tables --------------------------------------------------------------------------


def _is_marker(f: typed.FieldDecl, drawn: Iterable[str]) -> bool:
    """Whether a field names a place of a board and thereby the position of its owner."""
    return isinstance(f.type, Ent) and f.type.kind in drawn


def markers(d: typed.Declarations, drawn: set[str], *, on_boards: bool) -> Iterator[str]:
    """The fields whose values are places; `on_boards` adds those of entities that are themselves drawn as places."""
    for f in d.fields.values():
        if _is_marker(f, drawn):
            yield f.name
    for kind in d.kinds.values():
        if kind.places or (kind.name in drawn and not on_boards):
            continue
        for f in kind.state.values():
            if _is_marker(f, drawn - {kind.name}):
                yield f"{kind.name}.{f.name}"


class BoardContents:
    """The contents of a drawing's boards, which determine what tables must show.

    Args:
        d: the declarations.
        boards: maps the kind of each board that is not hidden to its form.
        fields: fields on boards, as kind and name.
        trays: pieces in trays and yards, as `piece.place`.
    """

    def __init__(
        self,
        d: typed.Declarations,
        boards: Mapping[str, str],
        fields: set[tuple[str, str]],
        trays: set[str],
    ) -> None:
        self.d = d
        self.boards = boards
        self.fields = fields
        self.trays = trays

    def tables(self, *, facts: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The tables for fields and pieces that no board shows; with `facts`, also for the facts of their kinds."""
        yield "game", (*self._own("", self.d.fields), *(self._unplaced() if facts else ()))
        fields = chain(self.d.fields.values(), *(kind.state.values() for kind in self.d.kinds.values()))
        held = {f.type.kind for f in fields if isinstance(f.type, SetOf | Order)} - set(self.boards) if facts else set()
        for kind in sorted(self.d.kinds.values(), key=lambda kind: not kind.is_player):
            if kind.nameless or (not facts and (kind.name in self.boards or kind.places or len(kind.product) > 1)):
                continue
            columns = (*self._own(kind.name, kind.state), *self._piles(kind.name, facts=facts))
            known = self._known(kind) if facts else []
            in_hands = len(known) > 1 and kind.name in held
            if (columns or in_hands or (kind.places and known)) and len(kind.entities) <= (
                MOST_ROWS if facts else MAX_ROWS
            ):
                yield kind.name, (*columns, *known)

    def _known(self, kind: typed.Kind) -> list[str]:
        """The facts of a kind that become columns, and the look-up tables with rows for its entities."""
        shown = (f for f in kind.facts.values() if f.type_span is not None)
        known = [f.name for f in shown if isinstance(f.type, Num | Maybe | Bool | Ent)]
        facts = known if not kind.product and len(known) <= _FACTS else []
        return [*facts, *row_tables(self.d, kind.name)]

    def _own(self, kind: str, fields: Mapping[str, typed.FieldDecl]) -> list[str]:
        shown = Num | Maybe | Bool | Ent | SetOf | Order
        return [
            name
            for name, f in fields.items()
            if isinstance(f.type, shown) and not f.unlimited and (kind, name) not in self.fields
            if name != "place" or not kind or not self.d.kinds[kind].places
        ]

    def _piles(self, kind: str, *, facts: bool) -> list[str]:
        if kind in self.boards:
            return []
        results = []
        for pile in piles(self.d) if facts else self.d.pieces.values():
            each = pile.each if isinstance(pile, typed.PieceDecl) else ()
            for place in pile.places.values():
                of = place.index or (each[0] if len(each) == 1 and not (facts and _is_face_down(place)) else "")
                if of == kind and f"{pile.name}.{place.name}" not in self.trays:
                    results.append(f"{pile.name}.{place.name}")
        return results

    def _unplaced(self) -> list[str]:
        """Pieces in places without an index that belong to no entity with a row, and those that lie face down, of which
        only the total is public.
        """
        results = []
        for pile in piles(self.d):
            each = pile.each if isinstance(pile, typed.PieceDecl) else ()
            for place in pile.places.values():
                path = f"{pile.name}.{place.name}"
                rowless = len(each) != 1 or each[0] in self.boards or _is_face_down(place)
                if not place.index and rowless and path not in self.trays:
                    results.append(path)
        return results


def _is_face_down(place: typed.PlaceDecl) -> bool:
    """Whether pieces in a place are hidden from some seats, to which the rows of their owners could show no number."""
    return place.private is not None


# --- looks ---------------------------------------------------------------------------------------


_HUES = frozenset((*OWNERS, "black", "red"))


def guessed_pieces(d: typed.Declarations, drawn: Iterable[str]) -> Drawing:
    """The section `pieces`: cards in tables show titles; tokens on boards show their only field, or their only fact if
    it is a number. Tokens with their own names are squares, which have the most room for letters.
    """
    results: Drawing = {}
    for pile in piles(d):
        on_board = any(place.index in drawn for place in pile.places.values())
        if not on_board:
            results[pile.name] = {"text": "title"}
        elif isinstance(pile, typed.Kind) and len(pile.state) == 2:
            name, field = next((name, field) for name, field in pile.state.items() if name != "place")
            if isinstance(field.type, Bool):
                results[pile.name] = {"symbol": "circle", "states": {name: "star"}}
            elif isinstance(field.type, Num | Maybe):
                results[pile.name] = {"text": name}
        elif isinstance(pile, typed.Kind) and len(pile.entities) > 1 and not pile.nameless:
            facts = {} if pile.product else pile.facts
            number = [name for name, fact in facts.items() if isinstance(fact.type, Num)] if len(facts) == 1 else []
            results[pile.name] = {"symbol": "square"} | ({"text": number[0]} if number else {})
    return results


def guessed_looks(d: typed.Declarations, boards: Drawing) -> tuple[Drawing, dict[str, str]]:
    """The sections `entities` and `codes`: distinct labels, and colours derived from names.

    Seats are labelled with their numbers, and spaces of regular boards with their coordinates; owners of pieces are
    labelled first, because their labels have little room.
    """
    labels = LabelStock([str(number + 1) for number in range(d.max_players)])
    looks: Drawing = {}
    grids = {kind for kind, board in d.boards.items() if board.form != "line"}
    grids |= {border for kind in d.boards for border in _borders(d, kind)}
    kinds = [k for k in d.kinds.values() if k.entities and not (k.nameless or k.product or k.name in grids)]
    owners = {each for pile in d.pieces.values() for each in pile.each}
    owners |= {part for kind in kinds if kind.places for part in kind.product}
    for kind in sorted(kinds, key=lambda kind: (_is_direction(d, kind.name), kind.name not in owners)):
        numbers = numbers_of(d, kind.name)
        counted = dict(zip(numbers, labels.numbered(kind.name.replace("_", " "), list(numbers.values())), strict=True))
        letters = [counted.get(entity.name) or labels.of(entity.title) for entity in kind.entities]
        hues = named_hues(kind) or _hues_of_facts(d, kind)
        looks[kind.name] = {
            entity.name: {"letter": label} | ({"colour": hues[entity.name]} if entity.name in hues else {})
            for entity, label in zip(kind.entities, letters, strict=True)
        }
    codes = {name: labels.of(name.rpartition(".")[2].replace("_", " ")) for name in _coded(d, boards)}
    return looks, codes


def named_hues(kind: typed.Kind) -> dict[str, str]:
    """The colours that names are, or contain as a word if most names of the kind contain one."""
    words = {entity.name: _HUES.intersection(entity.name.split("_")) for entity in kind.entities}
    hues = {name: next(iter(hue)) for name, hue in words.items() if len(hue) == 1}
    hues = hues if 2 * len(hues) > len(words) else {}
    return hues | {name: name for name in words if name in PALETTE}


def _hues_of_facts(d: typed.Declarations, kind: typed.Kind) -> dict[str, str]:
    """The colours of entities that have a fact with named colours, such as the colour of a card; the first such fact
    counts.
    """
    for fact in kind.facts.values():
        of = d.kinds.get(fact.type.kind) if isinstance(fact.type, Ent) else None
        if of is None or of is kind or of.is_player or 2 * len(named := named_hues(of)) <= len(of.entities):
            continue
        names = [of.entities[value].name if value >= 0 else "" for value in fact.values]
        return {e.name: named[name] for e, name in zip(kind.entities, names, strict=True) if name in named}
    return {}


def _coded(d: typed.Declarations, boards: Drawing) -> Iterator[str]:
    """The fields shown on a board by a letter: flags and numbers of its places, and places named by the game."""
    drawn = {kind for kind, board in boards.items() if board["as"] != "hidden"}
    for f in d.fields.values():
        if _is_marker(f, drawn):
            yield f.name
    for kind in boards:
        fields = [d.kinds[kind].state[name] for name in boards[kind].get("fields", ())]
        numbers = [f for f in fields if isinstance(f.type, Bool | Num | Maybe)]
        if len(numbers) == 1 and not isinstance(numbers[0].type, Bool):
            continue  # a single number needs no letter
        yield from (f"{kind}.{f.name}" for f in numbers)
