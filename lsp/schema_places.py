"""Places in YAML files, interpreted with schemas and a ruleset's names: possible keys and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rulespec.editor_schema import files_schema
from rulespec.lsp.index import NameIndex
from rulespec.lsp.title_keys import is_of_words
from rulespec.ruleset_files import SECTION_FILES
from rulespec.schemas import load_schema

Schema = dict[str, Any]

_COMBINED = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("then", "else")
_DEPTH = 8  # maximum number of nested references and alternatives


class Places:
    """The schemas that apply at places in a file.

    Attributes:
        overlay: whether the file is an overlay, whose paths lead into lower files.
        of_words: whether it is a word file.
    """

    def __init__(self, file: str, index: NameIndex) -> None:
        path = Path(file)
        stem = path.stem.partition(".")[0]
        beside = path.parent.name != "variants"
        self._index = index
        self.overlay = path.parent.name != "titles" and not (
            beside and stem in (*SECTION_FILES, "game", "titles", "drawing")
        )
        self.of_words = is_of_words(path)
        self._name = "titles" if self.of_words else "overlay" if self.overlay else stem

    def at(self, path: Sequence[str]) -> list[_Part]:
        """The schemas for the value at a path, outermost first."""
        if not path:
            return [_Part(load_schema(self._name))]
        if self.overlay and path[0] in ("changes", "add") and len(path) > 1:
            return _walk(self._tree(), [step for key in path[1:] for step in key.split(".")])
        if self._name in SECTION_FILES:
            return _walk(self._tree(), path)
        return _walk([_Part(load_schema(self._name))], path)

    def _tree(self) -> list[_Part]:
        """The merged tree of the ruleset's files."""
        game: Schema = load_schema("game")
        return [
            _Part(files_schema(self._index.checked.ruleset)),
            _Part({"properties": {"game": game}, "$defs": game["$defs"]}),
        ]


class _Part:
    """A part of a schema, with the root schema for its references."""

    def __init__(self, schema: Schema, root: Schema | None = None) -> None:
        self.schema = schema
        self.root = schema if root is None else root

    def parts(self, depth: int = 0) -> Iterator[_Part]:
        """The schema itself, and the schemas that it combines."""
        yield self
        if depth == _DEPTH:
            return
        if "$ref" in self.schema:
            target = self.root["$defs"][self.schema["$ref"].rpartition("/")[2]]
            yield from self._of(target).parts(depth + 1)
        combined = [other for word in _COMBINED for other in self.schema.get(word, ())]
        for other in (*combined, *(self.schema[word] for word in _BRANCHES if word in self.schema)):
            if isinstance(other, dict):
                yield from self._of(other).parts(depth + 1)

    def items(self) -> Iterator[_Part]:
        """The schemas of a list's items."""
        for part in self.parts():
            if isinstance(part.schema.get("items"), dict):
                yield self._of(part.schema["items"])

    def values(self, key: str) -> Iterator[_Part]:
        """The schemas of a key's value, or of its items if it is a list."""
        for part in (*self.parts(), *(inner for item in self.items() for inner in item.parts())):
            general = part.schema.get("additionalProperties")
            value = part.schema.get("properties", {}).get(key, general)
            if isinstance(value, dict):  # otherwise anything or nothing is allowed
                yield self._of(value)

    def _of(self, schema: Schema) -> _Part:
        return _Part(schema, self.root)


def keys_of(parts: Sequence[_Part], in_list: bool) -> list[str]:
    """The possible keys of a value or, for a list, of its items."""
    around = [item for part in parts for item in part.items()] if in_list else parts
    names = (name for part in around for inner in part.parts() for name in inner.schema.get("properties", {}))
    return list(dict.fromkeys(names))


def values_of(parts: Sequence[_Part], in_list: bool) -> list[str]:
    """The values that schemas list for a value or, for a list, for its items."""
    around = [item for part in parts for item in part.items()] if in_list else parts
    results: dict[str, None] = {}
    for part in (inner for outer in around for inner in outer.parts()):
        listed = part.schema.get("enum", [True, False] if part.schema.get("type") == "boolean" else ())
        results |= {str(value).lower() if isinstance(value, bool) else str(value): None for value in listed}
    return list(results)


def _walk(parts: list[_Part], steps: Sequence[str]) -> list[_Part]:
    """The schemas at the end of a path; a place of pieces, `pieces.place`, is one key but two steps."""
    for number, step in enumerate(steps):
        joined = ".".join(steps[number : number + 2])
        if number + 1 < len(steps) and any(joined in p.schema.get("properties", {}) for q in parts for p in q.parts()):
            return _walk([value for part in parts for value in part.values(joined)], steps[number + 2 :])
        parts = [value for part in parts for value in part.values(step)]
    return parts
