"""Checks of the names in a drawing file: declarations, colours and symbols."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import cast

from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Node, Scalar, Sequence, entries, get, text, words
from rulespec.drawing.colours import PALETTE
from rulespec.drawing.entity_marks import SYMBOLS
from rulespec.drawing.guess import border_form, link_facts, row_tables
from rulespec.drawing.outline_checks import check_outlines
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf

Said = tuple[Scalar, str, typed.Named]
"""A scalar of a file, a name in it, and its meaning."""
_OF = re.compile(r"(\w+) of (`\w+`|the game)(.*)")
"""The name of a part, its owner and its condition, as in ``field of `hex` that names a kind``."""


def check_names(d: typed.Declarations, drawing: Node, report: Report) -> list[Said]:
    """Reports unknown names in a drawing file; returns the known names."""
    names = _Names(d, drawing, report)
    names.check()
    return names.said


class _Names:
    def __init__(self, d: typed.Declarations, drawing: Node, report: Report) -> None:
        self.d = d
        self.drawing = drawing
        self.report = report
        self.said: list[Said] = []
        self.shapes = {*SYMBOLS, *(name for name, _, _ in entries(get(drawing, "shapes")))}
        tokens = {name: kind for name, kind in d.kinds.items() if kind.places}
        self.piles: dict[str, typed.PieceDecl | typed.Kind] = {**d.pieces, **tokens}

    def check(self) -> None:
        for name, place, node in entries(get(self.drawing, "entities")):
            if self._known(place, name, self.d.kinds, "kind"):
                self._looks(self.d.kinds[name], node)
        for name, place, node in entries(get(self.drawing, "boards")):
            if self._known(place, name, self.d.kinds, "kind"):
                self._board(self.d.kinds[name], node)
        for name, place, node in entries(get(self.drawing, "pieces")):
            if self._known(place, name, self.piles, "piece type"):
                self._look(node)
                for at_name, at, symbol in entries(get(node, "symbols")):
                    self._known(at, at_name, self.piles[name].places, f"place of `{name}`")
                    self._symbol(symbol)
                self._states(self.piles[name], get(node, "states"))
                for at in words(get(node, "places")):
                    self._known(at, at.text, self.piles[name].places, f"place of `{name}`")
        for _, place, _ in entries(get(self.drawing, "codes")):
            self._field(place, facts=True)
        for path, place, node in entries(get(self.drawing, "orders")):
            kind = path.rpartition(".")[0]
            self._field(place)
            for word in words(node):
                fields = self.d.kinds[kind].state if kind in self.d.kinds else self.d.fields
                self._known(word, word.text, fields, f"field of `{kind}`" if kind else "field of the game")
        for section in ("markers", "scales", "dice"):
            for word in words(get(self.drawing, section)):
                self._field(word)
        for word in words(get(self.drawing, "hides")):
            pile, _, place_of_it = word.text.rpartition(".")
            if pile not in self.piles or place_of_it not in self.piles[pile].places:
                self._field(word)
        for name, place, node in entries(get(self.drawing, "bands")):
            kind, _, fact = name.rpartition(".")
            fields = {f.name: f for f in self.d.kinds[kind].state.values()} if kind in self.d.kinds else self.d.fields
            self._known(place, fact, fields, "field")
            self._fact_of_spaces(node)
        if isinstance(turn := get(self.drawing, "turn"), Scalar):
            self._known(turn, turn.text, self.d.fields, "field of the game")
        for name, place, node in entries(get(self.drawing, "tables")):
            if name == "game" or self._known(place, name, self.d.kinds, "kind"):
                for word in words(node):
                    self._column(name, word)

    def _states(self, pile: typed.PieceDecl | typed.Kind, node: Node | None) -> None:
        """Checks the symbols of tokens by state."""
        fields = pile.state if isinstance(pile, typed.Kind) else {}
        for name, place, symbols in entries(node):
            if not self._known(place, name, fields, f"field of `{pile.name}`"):
                continue
            self._symbol(symbols)
            type_ = fields[name].type
            for value, at, symbol in entries(symbols):
                values = _entities(self.d.kinds[type_.kind]) if isinstance(type_, Ent) else {}
                self._known(at, value, values, f"value of `{name}`")
                self._symbol(symbol)

    def _known(self, place: Scalar, name: str, known: Mapping[str, typed.Named | None], what: str) -> bool:
        if name in known:
            if (named := known[name]) is not None:
                self.said.append((place, name, named))
            return True
        of = _OF.fullmatch(what)
        message = f"{of[2]} has no {of[1]} `{name}`{of[3]}" if of is not None else f"there is no {what} `{name}`"
        self.report.error("RS551", message, place.span, help=did_you_mean(name, known))
        return False

    def _looks(self, kind: typed.Kind, node: Node) -> None:
        seats = [str(i + 1) for i in range(self.d.max_players)] if kind.is_player else ()
        for name, place, look in entries(node):
            self._known(place, name, {**dict.fromkeys(seats), **_entities(kind)}, f"`{kind.name}`")
            self._look(look)

    def _look(self, node: Node) -> None:
        """Checks the colour and the symbol of an entry."""
        colour = get(node, "colour")
        if isinstance(colour, Scalar) and not colour.text.startswith("#") and colour.text not in PALETTE:
            hint = did_you_mean(colour.text, PALETTE) or "write `#rrggbb`, or one of " + ", ".join(PALETTE)
            self.report.error("RS552", f"there is no colour `{colour.text}`", colour.span, help=hint)
        self._symbol(get(node, "symbol"))

    def _symbol(self, symbol: Node | None) -> None:
        if isinstance(symbol, Scalar) and symbol.text not in self.shapes:
            hint = did_you_mean(symbol.text, self.shapes) or "draw it under `shapes`"
            self.report.error("RS552", f"there is no symbol `{symbol.text}`", symbol.span, help=hint)

    def _board(self, kind: typed.Kind, node: Node) -> None:
        self._form(kind, get(node, "as"))
        for place, name in [
            *((word, word.text) for word in words(get(node, "only"))),
            *((at, name) for name, at, _ in entries(get(node, "tints"))),
        ]:
            self._known(place, name, kind.facts, f"fact of `{kind.name}`")
        for word in words(get(node, "sides")):
            self._side(kind, word)
        self._tiles(kind, get(node, "tiles"))
        for section in ("positions", "outlines"):
            for name, place, _ in entries(get(node, section)):
                self._known(place, name, _entities(kind), f"`{kind.name}`")
        for word in words(get(node, "dots")):
            self._known(word, word.text, _entities(kind), f"`{kind.name}`")
        for _, _, part in entries(get(node, "scenery")):
            self._look(part)
        check_outlines(node, self.report)
        entity_facts = {f.name: f for f in kind.facts.values() if isinstance(f.type, Ent)}
        for section in ("fill", "badges", "across"):
            for word in words(get(node, section)):
                self._known(word, word.text, entity_facts, f"fact of `{kind.name}` that names an entity")
        for word in words(get(node, "fields")):
            self._known(word, word.text, kind.state, f"field of `{kind.name}`")
        for word in words(get(node, "facts")):
            self._known(word, word.text, self._facts_of(kind), f"fact of `{kind.name}`")
        for word in (*words(get(node, "in")), *words(get(node, "each"))):
            self._known(word, word.text, self.d.kinds, "kind")
        trays = get(node, "trays")
        for tray in trays.items if isinstance(trays, Sequence) else ():
            for word in words(get(tray, "holds")):
                of, _, name = word.text.partition(".")
                if of == kind.name and name in kind.state:
                    self.said.append((word, name, kind.state[name]))
                else:
                    self._pieces_in(word)
            if isinstance(room := get(tray, "room"), Scalar):
                self._known(room, room.text, kind.facts, f"fact of `{kind.name}`")
        self._look(node)
        for word in words(get(node, "holds")):
            self._pieces_in(word)
        yards = get(node, "yards")
        for yard in yards.items if isinstance(yards, Sequence) else ():
            for word in words(get(yard, "holds")):
                self._pieces_in(word)
        links: dict[str, typed.Named] = {name: kind.facts[name] for name in link_facts(self.d, kind.name)}
        links |= {name: self.d.kinds[name] for name, link in self.d.links.items() if link.region == kind.name}
        for name, place, style in entries(get(node, "links")):
            if self._known(place, name, links, "link kind"):
                self._look(style)
                fact = get(style, "dashed")
                if isinstance(fact, Scalar) and isinstance(fact.value, str):
                    facts = self.d.kinds[name].facts if name in self.d.links else {}
                    self._known(fact, fact.text, facts, f"fact of `{name}`")
                if isinstance(field := get(style, "state"), Scalar):
                    fields = self.d.kinds[name].state if name in self.d.links else {}
                    self._known(field, field.text, fields, f"field of `{name}`")
        self._seams(kind, links, get(node, "seams"))

    def _form(self, kind: typed.Kind, form: Node | None) -> None:
        """Checks that the form of a board suits its kind."""
        name = text(form) if form is not None else ""
        if form is None:
            return
        if name == "grid" and kind.name not in self.d.boards:
            message = f"`{kind.name}` is not a regular board, so it cannot be drawn as a grid"
            self.report.error("RS553", message, form.span, help="draw it as nodes, as a ring or as a row")
        if name == "hexes" and not any(e.position for e in kind.entities):
            own = get(get(self.drawing, "boards"), kind.name)
            if not any(entries(get(own, "positions"))):
                message = f"no `{kind.name}` has a position, so none can be drawn as a hex"
                hint = "add `position: [x, y]` on the map, or `positions:` here"
                self.report.error("RS553", message, form.span, help=hint)
        if name == "stops" and not self._has_stops(kind):
            message = f"`{kind.name}` is not a product of a hex map and the line ends on its tiles"
            self.report.error(
                "RS553",
                message,
                form.span,
                help="give it a `product` of a board with `as: hexes` and `tiles:`, and of the ends",
            )
        if name in ("sides", "corners") and border_form(self.d, kind.name) != name:
            boards = [board for board in self.d.boards.values() if board.form != "line" or name == "sides"]
            message = f"`{kind.name}` is not the kind of any board's {name}, so it cannot be drawn as {name}"
            hint = f"write `{name}: {kind.name}` in the board" if boards else "draw it as a row"
            self.report.error("RS553", message, form.span, help=hint)
        if name == "pairs" and len(kind.product) != 2:
            message = f"`{kind.name}` is not a product of two kinds, so it cannot be drawn as pairs"
            self.report.error("RS553", message, form.span, help="draw it as a row")
        if name == "mats" and (len(kind.product) != 2 or kind.product[1] not in self.d.boards):
            message = f"`{kind.name}` is not a product of owners and a regular board, so it cannot be drawn as mats"
            hint = "give it a `product` of two kinds, the second a regular board"
            self.report.error("RS553", message, form.span, help=hint)

    def _has_stops(self, kind: typed.Kind) -> bool:
        """Whether a kind is the product of a hex map with tiles and another kind."""
        board = get(get(self.drawing, "boards"), kind.product[0]) if len(kind.product) == 2 else None
        form = get(board, "as")
        return form is not None and text(form) == "hexes" and get(board, "tiles") is not None

    def _side(self, kind: typed.Kind, word: Scalar) -> None:
        """Checks a field of the sides of cells."""
        self._field(word)
        side = self.d.kinds.get(word.text.partition(".")[0])
        board = self.d.boards.get(kind.product[1] if len(kind.product) == 2 else kind.name)
        of = (*(kind.product or (kind.name,)), board.direction) if board is not None else ()
        shared = (*kind.product[:-1], board.sides) if board is not None and board.sides else ()
        if side is not None and (side.product or (side.name,)) not in (of, shared):
            message = f"`{side.name}` is not a product of `{kind.name}` and its directions"
            message += f", or of its sides `{board.sides}`" if board is not None and shared else ""
            help_ = (
                f"write `product: [{', '.join(of)}]` in the kind of the sides"
                if board is not None
                else "draw it as pairs"
            )
            self.report.error("RS553", message, word.span, help=help_)

    def _tiles(self, kind: typed.Kind, node: Node | None) -> None:
        """Checks the tiles on the cells of a board."""
        field = get(node, "field")
        if not isinstance(field, Scalar):
            return
        fields = {name: f for name, f in kind.state.items() if isinstance(f.type, Ent)}
        if not self._known(field, field.text, fields, f"field of `{kind.name}` that names an entity"):
            return
        tile = self.d.kinds[cast("Ent", fields[field.text].type).kind]
        sets = {name: fact for name, fact in tile.facts.items() if isinstance(fact.type, SetOf)}
        for word in words(get(node, "turn")):
            self._known(word, word.text, kind.state, f"field of `{kind.name}`")
        known = ("city", "number", "fill", "stops", "slots", "label")
        for word in (word for key in known for word in words(get(node, key))):
            self._known(word, word.text, tile.facts, f"fact of `{tile.name}`")
        for name, place, _ in entries(get(node, "numbers")):
            self._known(place, name, tile.facts, f"fact of `{tile.name}`")
        named = {name: f for name, f in kind.facts.items() if isinstance(f.type, Ent) and f.type.kind == tile.name}
        for word in words(get(node, "printed")):
            self._known(word, word.text, named, f"fact of `{kind.name}` that names a `{tile.name}`")
        for path, place, end in entries(get(node, "homes")):
            owner, _, fact = path.partition(".")
            if self._known(place, owner, self.d.kinds, "kind") and isinstance(end, Scalar):
                self._known(place, fact, self.d.kinds[owner].facts, f"fact of `{owner}`")
                self._known(end, end.text, self.d.kinds[owner].state, f"field of `{owner}`")
        if get(node, "ends") is None:
            self._sides_of_tiles(kind, tile, words(get(node, "lines")))
            return
        for word in words(get(node, "lines")):
            if self._known(word, word.text, sets, f"fact of `{tile.name}` that is a set"):
                line = self.d.kinds[cast("SetOf", sets[word.text].type).kind]
                ends = [
                    end
                    for end in words(get(node, "ends"))
                    if self._known(end, end.text, line.facts, f"fact of `{line.name}`")
                ]
                of = line.facts[ends[0].text].type if ends else None
                if isinstance(of, Ent):
                    for side in words(get(node, "around")):
                        self._known(side, side.text, _entities(self.d.kinds[of.kind]), f"`{of.kind}`")

    def _sides_of_tiles(self, kind: typed.Kind, tile: typed.Kind, lines: Iterable[Scalar]) -> None:
        """Checks the facts of tiles that name the directions which a track joins."""
        board = self.d.boards.get(kind.name)
        of = board.direction if board is not None else ""
        named = {
            name: f for name, f in tile.facts.items() if isinstance(f.type, Ent | SetOf) and f.type.kind == of and of
        }
        for word in lines:
            self._known(word, word.text, named, f"fact of `{tile.name}` that names directions of `{kind.name}`")

    def _seams(self, kind: typed.Kind, links: Iterable[str], node: Node | None) -> None:
        for seam in node.items if isinstance(node, Sequence) else ():
            ends = words(seam)
            if len(ends) != 2 or not self._ends(kind, ends):
                continue
            a, b = (kind.index[end.text] for end in ends)
            if not any(self._linked(kind, name, a, b) for name in links):
                message = f"nothing leads from `{ends[0].text}` to `{ends[1].text}`"
                self.report.error("RS554", message, seam.span, help="a seam must be a link: remove it, or add the link")

    def _ends(self, kind: typed.Kind, ends: list[Scalar]) -> bool:
        entities = _entities(kind)
        known = [self._known(end, end.text, entities, f"`{kind.name}`") for end in ends]  # reports both
        return all(known)

    def _linked(self, kind: typed.Kind, name: str, a: int, b: int) -> bool:
        if name in self.d.links:
            return self.d.links[name].between(a, b) >= 0 or self.d.links[name].between(b, a) >= 0
        values = kind.facts[name].values
        return any(i < len(values) and values[i] >> j & 1 for i, j in ((a, b), (b, a)))

    def _field(self, word: Scalar, *, facts: bool = False) -> None:
        """Resolves a field, `kind.field` or `field` of the game; with `facts`, also a fact of a kind."""
        kind, dot, name = word.text.rpartition(".")
        if not dot:
            self._known(word, name, self.d.fields, "field of the game")
        elif self._known(word, kind, self.d.kinds, "kind"):
            known: dict[str, typed.Named] = {**self.d.kinds[kind].state, **(self.d.kinds[kind].facts if facts else {})}
            self._known(word, name, known, f"field of `{kind}`")

    def _fact_of_spaces(self, node: Node) -> None:
        """Resolves a fact of the spaces of a line."""
        for word in words(node):
            kind, _, fact = word.text.partition(".")
            lines = {track.kind: self.d.kinds[track.kind] for track in self.d.tracks.values() if not track.ring}
            if self._known(word, kind, lines, "line of spaces"):
                self._known(word, fact, lines[kind].facts, f"fact of `{kind}`")

    def _facts_of(self, kind: typed.Kind) -> dict[str, typed.Named]:
        """The facts of a kind, and of its component kinds."""
        return {name: fact for part in (*kind.product, kind.name) for name, fact in self.d.kinds[part].facts.items()}

    def _pieces_in(self, word: Scalar) -> None:
        """Resolves pieces in a place, `piece.place`."""
        pile, _, place = word.text.partition(".")
        if self._known(word, pile, self.piles, "piece type"):
            self._known(word, place, self.piles[pile].places, f"place of `{pile}`")

    def _column(self, kind: str, word: Scalar) -> None:
        head, dot, tail = word.text.partition(".")
        of = (self.d.fields if kind == "game" else self.d.kinds[kind].state).get(head) if dot else None
        if of is not None and isinstance(of.type, Ent) and head not in self.piles:
            self._known(word, tail, self.d.kinds[of.type.kind].facts, f"fact of `{of.type.kind}`")
            return
        if dot:
            self._pieces_in(word)
            return
        fields: dict[str, typed.Named] = {**(self.d.fields if kind == "game" else self.d.kinds[kind].state)}
        fields |= {} if kind == "game" else {**row_tables(self.d, kind), **self.d.kinds[kind].facts}
        self._known(word, word.text, fields, "field of the game" if kind == "game" else f"field of `{kind}`")


def _entities(kind: typed.Kind) -> dict[str, typed.Named]:
    return {entity.name: entity for entity in kind.entities}
