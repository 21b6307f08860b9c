"""Tables of the keys in a ruleset's files, generated from their JSON Schemas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.schemas import NAMES, load_schema

FILES = (*NAMES, "rules", "scenarios", "dialect", "notation", "drawing")
"""The schemas with a generated table; that of titles is hand-written, as it lists the holes of texts."""

_SHORT = {
    "expr": "*expr*",
    "start": "*expr*, or a list",
    "condition": "*expr*",
    "type": "*type*",
    "state_type": "*type*",
    "name": "name",
    "text": "text",
    "path": "path",
}
_TYPES = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "boolean": "`true`, `false`",
    "object": "mapping",
    "array": "list",
    "null": "nothing",
}

Node = dict[str, Any]
Row = tuple[str, str, str]
"""A row: the path of a key, the form of its value, and the description."""


def rows(name: str) -> list[Row]:
    """The keys allowed in a file, with each definition expanded where it is first used."""
    schema = load_schema(name)
    return list(_Walk(schema.get("$defs", {})).inside(schema, ""))


def key_table(name: str) -> str:
    """The keys of a file as a Markdown table."""
    lines = ["| key | value | says |", "| --- | --- | --- |"]
    return "\n".join([*lines, *(f"| `{path}` | {form} | {says} |" for path, form, says in rows(name))])


def key_names(name: str) -> set[str]:
    """The words allowed as keys in a file, without a ruleset's own names."""
    return {part for path, *_ in rows(name) for part in path.replace("[]", "").split(".") if part != "*"}


class _Walk:
    """A traversal of a schema that remembers where each definition was expanded."""

    def __init__(self, definitions: dict[str, Node]) -> None:
        self.definitions = definitions
        self.shown: dict[str, str] = {}

    def inside(self, node: Node, path: str) -> Iterator[Row]:
        """The rows below a node."""
        for key, inner in node.get("properties", {}).items():
            yield from self.at(inner, f"{path}.{key}" if path else key, named=True)
        for key, end in (("additionalProperties", ".*"), ("items", "[]")):
            if isinstance(node.get(key), dict):
                yield from self.at(node[key], path + end, named=False)
        conditional = [node[key] for key in ("then", "else") if "$ref" in node.get(key, {})]
        for inner in (*node.get("anyOf", []), *conditional):
            reference = inner.get("$ref", "").rpartition("/")[2]
            if not reference:
                yield from self.inside(inner, path)
            elif reference not in (*self.shown, *_SHORT):
                self.shown[reference] = path
                yield from self.inside(self.definitions[reference], path)

    def at(self, node: Node, path: str, *, named: bool) -> Iterator[Row]:
        """The rows of a node and its descendants; a node that only repeats a name's form has no row."""
        reference = node.get("$ref", "").rpartition("/")[2]
        target = self.definitions[reference] if reference else node
        form = f"as `{self.shown[reference]}`" if reference in self.shown else _SHORT.get(reference) or _form(target)
        says = node.get("description") or (target.get("description", "") if reference not in _SHORT else "")
        inner: list[Row] = []
        if reference not in self.shown and reference not in _SHORT:
            self.shown |= {reference: path} if reference else {}
            inner = list(self.inside(target, path))
        if not inner and self.shown.get(reference) == path:
            del self.shown[reference]
        if named or (says and (inner or reference in self.shown or not path.endswith("[]"))):
            yield path, form, says.replace("|", "\\|")
        yield from inner


def _form(node: Node) -> str:
    if "enum" in node:
        return ", ".join(f"`{value}`" for value in node["enum"])
    if "type" not in node:
        return " or ".join(dict.fromkeys(_form(inner) for inner in node.get("anyOf", []))) or "any"
    types = node["type"]
    return " or ".join(_TYPES[each] for each in ([types] if isinstance(types, str) else types))
