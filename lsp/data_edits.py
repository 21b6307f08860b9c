"""Edits of map data other than outlines and links: entities with their facts, table rows, constants, set-up.

All these data are merged over the base, so an edit writes a single value at its path.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rulespec.documents.yaml_nodes import DEFAULT_LIMITS, Node, Scalar, entries, get, text, to_plain
from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.drawing.colours import colour
from rulespec.edits.yaml_edits import YamlEdits, flow
from rulespec.lsp.index import NameIndex
from rulespec.lsp.map_edits import Edited, MapEdits, renamed
from rulespec.lsp.map_files import PIECES, WORDS, MapEditError
from rulespec.lsp.map_proposals import MapProposals
from rulespec.lsp.project import Checked
from rulespec.ruleset_files import DRAWING, MAX_YAML, SETUP
from rulespec.typed import nodes as typed

_SECTIONS = ("pieces", "accounts", "state")
_COLOUR = "colour"


class DataEdits:
    """Edits of entities, tables, constants and set-up, applied to the current texts of a map.

    Args:
        edits: the earlier edits of the map.
    """

    def __init__(self, edits: MapEdits) -> None:
        self.map = edits.map
        self._proposals = MapProposals(edits.map)

    def _checked(self) -> Checked:
        checked, diagnostics = self.map.checked()
        if checked is None:
            raise MapEditError(f"the ruleset cannot be read: {diagnostics[0].message if diagnostics else 'no files'}")
        return checked

    def _entity(self, kind: str, name: str) -> tuple[typed.Kind, typed.Entity]:
        kinds = self._checked().declarations.kinds
        base = self._proposals.base
        self.map.known(kind, "replaceable kind", base.owners if base is not None else [])
        entity = next((each for each in kinds[kind].entities if each.name == name), None)
        if entity is None:
            self.map.known(name, kind, [each.name for each in kinds[kind].entities])
            raise MapEditError(f"there is no {kind} `{name[:64]}`")
        return kinds[kind], entity

    def entity(self, kind: str, name: str, fact: str, value: str) -> Edited:
        """Changes a fact of an entity, its title, or its colour on the board."""
        of, _ = self._entity(kind, name)
        if fact == _COLOUR:
            return Edited(self._proposals.written({("drawing", "entities", kind, name, _COLOUR): value}))
        self.map.known(fact, "fact", [*of.facts, *WORDS, _COLOUR])
        data = value if fact in WORDS else value_of(value)
        return Edited(self._proposals.written({("kinds", kind, "entities", name, fact): data}))

    def rename(self, kind: str, old: str, new: str) -> Edited:
        """Renames an entity in all files of the map."""
        _, entity = self._entity(kind, old)
        if Path(entity.span.file).resolve() not in self.map.own:
            raise MapEditError(f"`{old}` is an entity of the base, and cannot be renamed here: add your own")
        span = entity.span
        return renamed(self.map, NameIndex(self._checked()), (span.file, span.line, span.column), new)

    def row(self, table: str, keys: str, value: str) -> Edited:
        """Changes a table row, whose keys are separated by commas."""
        tables = self._checked().declarations.tables
        self.map.known(table, "table", [*tables])
        parts = keys.split(",")
        if len(parts) != len(tables[table].keys):
            raise MapEditError(f"a row of `{table}` has {len(tables[table].keys)} keys, separated by commas")
        return Edited(self._proposals.written({("tables", table, "rows", *parts): value_of(value)}))

    def constant(self, name: str, value: str) -> Edited:
        """Changes a constant."""
        self.map.known(name, "constant", [*self._checked().declarations.constants])
        return Edited(self._proposals.written({("constants", name): value_of(value)}))

    def start(self, place: str, value: str) -> Edited:
        """Changes a number in the set-up, such as `pieces.coin.box`."""
        known = dict(starts(self._checked().source.root))
        self.map.known(place, "number of the set-up", [*known])
        section, _, rest = place.partition(".")
        return Edited(self._proposals.written({("setup", section, rest): value_of(value)}))

    def put(self, region: str, pieces: str, number: int, owner: str) -> Edited:
        """Sets the number of an owner's pieces that start in a region."""
        self.map.region(region)
        owned = dict(self.map.owned())
        self.map.known(pieces, "place of owned pieces in regions", [*owned])
        kind = owned[pieces]
        self.map.known(owner, kind, [each.name for each in self._checked().declarations.kinds[kind].entities])
        if number < 0:
            raise MapEditError(f"the number of pieces cannot be {number}")
        path = self.map.folder / SETUP
        entry: tuple[str, ...] = (*PIECES, pieces, owner, region)
        one = YamlEdits(self.map.raw(path), str(path), MAX_YAML)
        if number or get(one.root, *entry) is None:
            return Edited(self._proposals.written({entry: number}))
        while len(entry) > len(PIECES) + 1 and len([*entries(get(one.root, *entry[:-1]))]) == 1:
            entry = entry[:-1]  # the owner's last entry: removes the owner too
        one.remove(entry)
        return Edited({path: one.applied()})


def value_of(written: str) -> Any:
    """A value parsed from YAML."""
    return to_plain(parse_yaml(f"x: {written}", "value", DEFAULT_LIMITS))["x"]


def starts(root: Node) -> Iterator[tuple[str, str]]:
    """The plain numbers in a set-up, by path."""
    for section in _SECTIONS:
        for place, _, node in entries(get(root, "setup", section)):
            if isinstance(node, Scalar):
                yield f"{section}.{place}", text(node)


def rows(node: Node | None, keys: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The rows of a table, each with its comma-separated keys and its value in YAML."""
    for key, _, value in entries(node):
        if isinstance(value, YamlMapping):
            yield from rows(value, (*keys, key))
        else:
            yield ",".join((*keys, key)), flow(to_plain(value))


def colour_in(proposals: MapProposals, kind: str, name: str) -> str:
    """The colour of an entity in the map's own drawing, as `#rrggbb`; "" if it has none."""
    path = proposals.map.folder / DRAWING
    tree = proposals.map.tree(DRAWING) if path.is_file() or path in proposals.map.texts else None
    said = text(get(tree, "drawing", "entities", kind, name, _COLOUR))
    return colour(said) if said else ""
