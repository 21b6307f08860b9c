"""JSON Schemas for the files of one ruleset: the general schemas, narrowed to the ruleset's kinds, facts, tables and
places.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence
from rulespec.ruleset_files import SECTION_FILES
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Maybe, Num, SetOf, Type

MAX_PATHS = 5_000
"""Maximum number of paths in the schema of an overlay; a larger ruleset gets those nearest to the root."""

_SHOWN = 60  # maximum length of a current value in characters

Schema = dict[str, Any]


def files_schema(ruleset: typed.Ruleset) -> Schema:
    """One schema for a ruleset's kinds.yaml, map.yaml, boards.yaml, tracks.yaml, tables.yaml, setup.yaml and
    measures.yaml.

    Entities must have all facts of their kind, and references to entities must name existing ones. A ruleset that
    extends another one may omit keys of its base.

    Returns:
        A JSON Schema (draft 2020-12).
    """
    return _FilesSchema(ruleset).build()


def overlay_schema(ruleset: typed.Ruleset, root: Node) -> Schema:
    """The schema of overlays for a ruleset: settings with their values, and paths with their current values.

    Args:
        ruleset: the ruleset.
        root: the merged tree of its files.

    Returns:
        A JSON Schema (draft 2020-12).
    """
    schema = copy.deepcopy(load_schema("overlay"))
    schema["$id"] = f"urn:rulespec:schema:overlay:{ruleset.ref}"
    schema["title"] = f"Overlay for {ruleset.title}"
    properties = schema["properties"]
    properties["for"] = {"description": "The ruleset.", "enum": _unique(f.name for f in ruleset.folders)}
    properties["settings"]["properties"] = {o.name: _setting(o) for o in ruleset.settings.values()}
    paths = sorted(_paths(root, ""), key=lambda p: (p[0].count("."), p[0]))[:MAX_PATHS]
    properties["changes"]["properties"] = {path: {"description": f"At present: {now}"} for path, now in paths}
    for section in ("remove", "replaces"):
        general = properties[section]["items"]
        properties[section]["items"] = {"anyOf": [{"enum": [path for path, _ in paths]}, general]}
    return schema


_CSV: Schema = {
    "type": "object",
    "properties": {"csv": {"type": "string"}},
    "required": ["csv"],
    "additionalProperties": False,
}
"""The schema of rows in a CSV file."""


def _setting(setting: typed.SettingDecl) -> Schema:
    if setting.bounds is not None:
        low, high = setting.bounds
        return {"description": setting.doc, "type": "integer", "minimum": low, "maximum": high}
    values: list[object] = [True, False] if setting.values is None else list(setting.values)
    return {"description": setting.doc, "enum": values}


def _paths(node: Node, prefix: str) -> Iterator[tuple[str, str]]:
    """All paths below a node, each with its current value, shortened."""
    if isinstance(node, Mapping):
        for key, (_, value) in node.entries.items():
            path = f"{prefix}.{key}" if prefix else key
            if prefix:
                yield path, _present(value)
            yield from _paths(value, path)


def _present(node: Node) -> str:
    if isinstance(node, Mapping):
        text = f"{{{', '.join(node.entries)}}}"
    elif isinstance(node, Sequence):
        text = f"[{', '.join(i.text for i in node.items if isinstance(i, Scalar))}]"
    else:
        text = node.text
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


class _FilesSchema:
    """Builds the schema of a ruleset's files."""

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.ruleset = ruleset
        self.d = ruleset.declarations
        self.properties: Schema = {}
        self.defs: Schema = {}
        for name in SECTION_FILES:
            general = _with_prefix(load_schema(name), name)
            self.properties |= general["properties"]
            self.defs |= {f"{name}_{key}": value for key, value in general["$defs"].items()}

    def build(self) -> Schema:
        for kind in self.d.kinds.values():
            if not kind.by_seat or kind.is_player:
                self.defs[f"entity_of_{kind.name}"] = self._entity_of(kind)
                self.defs[f"facts_of_{kind.name}"] = self._facts_of(kind)
        self._sections()
        self._setup()
        schema = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:rulespec:schema:files:{self.ruleset.ref}",
            "title": f"{self.ruleset.title}: kinds, map, boards, tracks, tables, set-up and measures",
            "type": "object",
            "properties": self.properties,
            "additionalProperties": False,
            "$defs": self.defs,
        }
        return schema if len(self.ruleset.folders) == 1 else _partial(schema)

    def _entity_of(self, kind: typed.Kind) -> Schema:
        names: list[object] = []
        for entity in kind.entities:
            names.append(entity.name)
            if entity.name.isdigit() and str(int(entity.name)) == entity.name:
                names.append(int(entity.name))  # YAML reads it as a number
        schema: Schema = {"title": kind.name, "enum": names or [None]}
        return schema | ({"description": kind.doc} if kind.doc else {})

    def _facts_of(self, kind: typed.Kind) -> Schema:
        """The schema of an entity: its facts, and its texts for people."""
        track = next((t for t in self.d.tracks.values() if t.kind == kind.name), None)
        of_map = kind.name == self._map_kind()
        origin = "tracks" if track else "map" if of_map else "boards" if kind.name in self.d.boards else "kinds"
        texts = dict(self.defs[f"{origin}_entity"]["properties"])
        if not (track and not track.ring):
            texts.pop("upto", None)
        if not of_map:
            texts.pop("position", None)
        link = self.d.links.get(kind.name)
        results = {name for name, of in self.d.links.items() if of.region == kind.name}
        results |= {"source", "target"} if link and not link.two_way else set()
        results |= {"players"} if kind.name == self.d.teams else set()
        results |= {"column", "row", "number"} if kind.name in self.d.boards else set()
        written = [f for f in kind.facts.values() if f.name not in results]
        facts = {f.name: self._value(f.type) for f in written}
        needed = [f.name for f in written if self._needed(f.type)]
        if link:
            facts["ends"] |= {"minItems": 2, "maxItems": 2}
            needed.append("ends")
        general: Schema = {"type": ["object", "null"] if not needed else "object"}
        return general | {"properties": texts | facts, "required": needed, "additionalProperties": False}

    def _map_kind(self) -> str:
        """The name of the kind declared by map.yaml; "" if there is none."""
        declared = (k for k in self.d.kinds.values() if k.span.file.endswith("map.yaml"))
        return next((k.name for k in declared), "")

    def _needed(self, type_: Type) -> bool:
        return isinstance(type_, Num) or (isinstance(type_, Ent) and not type_.optional)

    def _value(self, type_: Type) -> Schema:
        match type_:
            case Num() | Maybe():
                return {"title": str(type_), "type": ["integer", "string"]}
            case Bool():
                return {"title": "bool", "type": "boolean"}
            case Ent() if type_.kind in self.d.kinds:
                return {"$ref": f"#/$defs/entity_of_{type_.kind}"}
            case SetOf() if type_.kind in self.d.kinds:
                return {"type": "array", "items": {"$ref": f"#/$defs/entity_of_{type_.kind}"}, "uniqueItems": True}
            case _:
                return {}

    def _sections(self) -> None:
        kinds = self.properties["kinds"]
        kinds["properties"] = {
            k.name: _narrowed("kinds_kind", "entities", _by_name(k))
            for k in self.d.kinds.values()
            if k.span.file.endswith("kinds.yaml") and not (k.product or k.is_player or k.implicit)
        }
        player = self.d.kinds[self.d.player_kind]
        kinds["properties"][player.name] = _narrowed("kinds_kind", "seats", {"items": _facts(player)})
        if (map_kind := self.d.kinds.get(self._map_kind())) is not None:
            regions = self.properties["map"]["properties"]["regions"]
            regions |= _by_name(map_kind)
            self.properties["map"]["properties"]["links"]["properties"] = {
                name: _narrowed("map_links", "of", {"additionalProperties": _facts(self.d.kinds[name])})
                for name in self.d.links
            }
        self.properties["boards"]["properties"] = {
            b.kind: _narrowed("boards_board", "spaces", _by_name(self.d.kinds[b.kind])) for b in self.d.boards.values()
        }
        self.properties["tracks"]["properties"] = {
            t.name: _narrowed("tracks_track", "spaces", _by_name(self.d.kinds[t.kind])) for t in self.d.tracks.values()
        }
        self.properties["constants"]["properties"] = {
            c.name: {"title": str(c.type), "$ref": "#/$defs/tables_expr"} for c in self.d.constants.values()
        }
        self.properties["tables"]["properties"] = {
            t.name: _narrowed("tables_table", "rows", {"anyOf": [_CSV, self._rows(t.keys, t.value)]})
            for t in self.d.tables.values()
        }

    def _rows(self, keys: tuple[Type, ...], value: Type) -> Schema:
        if not keys:
            return self._value(value)
        inner = self._rows(keys[1:], value)
        if isinstance(keys[0], Ent):
            names = [e.name for e in self.d.kinds[keys[0].kind].entities]
            rows: Schema = {"properties": dict.fromkeys(names, inner), "required": names}
        else:
            rows = {"patternProperties": {"^-?[0-9]+$": inner}}
        return {"type": "object", **rows, "additionalProperties": False}

    def _setup(self) -> None:
        setup = self.properties["setup"]["properties"]
        part = self.defs["setup_part"]["properties"]
        places = {}
        for piece in self.d.pieces.values():
            for place in piece.places.values():
                kinds = [self.d.kinds[k] for k in (*piece.each, *([place.index] if place.index else []))]
                places[f"{piece.name}.{place.name}"] = self._counts([k for k in kinds if k.entities])
        for sections in (setup, part):
            sections["pieces"] = sections["pieces"] | {"properties": places, "additionalProperties": False}
            sections["state"] = self._fields(sections["state"], account=False)
            sections["accounts"] = self._fields(sections["accounts"], account=True)

    def _counts(self, kinds: list[typed.Kind]) -> Schema:
        """The schema of a number of pieces: one number for all, or one for each entity of the first kind, and so on."""
        number: Schema = {"type": ["integer", "string"]}
        if not kinds:
            return number
        name = f"numbers_by_{'_'.join(k.name for k in kinds)}"
        if name not in self.defs:
            inner = self._counts(kinds[1:])
            by_name = {"properties": {e.name: inner for e in kinds[0].entities}, "additionalProperties": False}
            of_all = [inner] if kinds[0].by_seat and kinds[1:] else []  # by the next kind, for every seat
            self.defs[name] = {"anyOf": [number, {"type": "object", **by_name}, *of_all]}
        return {"$ref": f"#/$defs/{name}"}

    def _fields(self, general: Schema, *, account: bool) -> Schema:
        """The schema of state or accounts by name: of the game, of all entities of a kind, or of one entity."""
        names: dict[str, Schema] = {}
        patterns: list[str] = []
        for field in self.d.fields.values():
            if field.account == account:
                names[field.name] = {"title": str(field.type)}
        for kind in self.d.kinds.values():
            fields = [f for f in kind.state.values() if f.account == account]
            names |= {f"{kind.name}.{f.name}": {"title": str(f.type)} for f in fields}
            if fields and kind.entities:
                one = "|".join(re.escape(e.name) for e in kind.entities)
                patterns.append(rf"^{kind.name}\.({one})\.({'|'.join(f.name for f in fields)})$")
        value = general["additionalProperties"]
        known = [{"enum": list(names)}, *({"pattern": p} for p in patterns)]
        return general | {"propertyNames": {"anyOf": known}, "properties": {n: t | value for n, t in names.items()}}


def _by_name(kind: typed.Kind) -> Schema:
    """The schema of entities by name, which may be in a CSV file."""
    return {"properties": {"csv": {"type": "string"}}, "additionalProperties": _facts(kind)}


def _facts(kind: typed.Kind) -> Schema:
    return {"$ref": f"#/$defs/facts_of_{kind.name}"}


def _narrowed(general: str, key: str, special: Schema) -> Schema:
    """A general definition with a narrower schema for one key."""
    return {"allOf": [{"$ref": f"#/$defs/{general}"}, {"properties": {key: special}}]}


def _partial(node: Any) -> Any:
    """A schema without required keys, for a file merged over another one."""
    if isinstance(node, dict):
        # A schema under `if` is a test: it requires nothing.
        return {k: v if k == "if" else _partial(v) for k, v in node.items() if k != "required" or isinstance(v, dict)}
    return [_partial(v) for v in node] if isinstance(node, list) else node


def _with_prefix(schema: Schema, name: str) -> Schema:
    """A copy of a schema whose references point to prefixed definitions."""

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {k: v.replace("#/$defs/", f"#/$defs/{name}_") if k == "$ref" else walk(v) for k, v in node.items()}
        return [walk(v) for v in node] if isinstance(node, list) else node

    result: Schema = walk(schema)
    return result


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
