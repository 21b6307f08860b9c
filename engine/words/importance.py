"""The order in which people see changes: those on the places of a board come first, and those of the rules' counters
last.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulespec.engine.game.query import type_of
from rulespec.engine.program.cells import CellName
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import Ent, Maybe, Num

PLACED, HELD, VALUED, OTHER = range(4)
"""The classes of changes: on places of a board; pieces elsewhere; amounts, measured numbers, named entities; others."""


class Importance:
    """The importance of changes, as declared by a ruleset.

    Args:
        declarations: the declarations.
    """

    def __init__(self, declarations: typed.Declarations) -> None:
        self._d = d = declarations
        tokens = [place for kind in d.kinds.values() for place in kind.places.values()]
        indices = {place.index for each in d.pieces.values() for place in each.places.values()}
        indices |= {place.index for place in tokens} | {link.region for link in d.links.values()}
        self._places = (indices | {*d.boards} | {track.kind for track in d.tracks.values()}) - {d.player_kind, ""}
        parts = (part for measure in d.measures.values() for part in expressions(measure.value))
        self._known: dict[tuple[str, str], tuple[int, int]] = {}
        self._measured = {(part.decl.kind, part.decl.name) for part in parts if type(part) is typed.Field}

    def of(self, cell: CellName) -> tuple[int, int]:
        """The importance of a cell, as a sort key: its class (`PLACED`, `HELD`, `VALUED` or `OTHER`), and its rank in
        that class.
        """
        key = cell.group, cell.name
        if key not in self._known:
            self._known[key] = self._of(cell)
        return self._known[key]

    def _of(self, cell: CellName) -> tuple[int, int]:
        if cell.group == "pieces":
            return self._of_places(self._d.pieces[cell.name].places.values()), 0
        kind = self._d.kinds.get(cell.group)
        fields = self._d.fields if kind is None else kind.state
        declared, type_ = fields.get(cell.name), type_of(cell.type)
        if kind is not None and kind.places:
            is_place = cell.type == f"{kind.name}.place"
            return self._of_places(kind.places.values()), 1 if is_place else 2
        if cell.group in self._places or (isinstance(type_, Ent) and type_.kind in self._places):
            return PLACED, 3
        if isinstance(type_, Ent):
            return VALUED, cell.group == "game"
        unit = declared.type.unit if declared is not None and isinstance(declared.type, Num | Maybe) else ""
        is_measured = declared is not None and (declared.kind, declared.name) in self._measured
        return (VALUED if unit or is_measured else OTHER), cell.group == "game"

    def _of_places(self, places: Iterable[typed.PlaceDecl]) -> int:
        """The importance of pieces or tokens with these places."""
        return PLACED if any(place.index in self._places for place in places) else HELD
