"""Migration of users' files: former keywords of the formats with their replacements, which only this module knows.

The settings of a table were once called `options`; now options are the legal choices of a player. In YAML files the old
key is an error with an automatic fix (RS127), and so is an overlay path that contains it (RS128). In headers of logs
and results, which only programs write, the old key is read as the new one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.documents.yaml_nodes import Node, Sequence, entries, get, words

KEYS = {"options": "settings"}
"""The new key for each old key, wherever the new key is allowed and the old one is not."""
FLAGS = {"--option": "--set"}
"""The new flag of a command for each old flag."""
BACKENDS = {"native": "wasm"}
"""The new name of a backend for each old name."""
_PLACES: dict[str, tuple[str, ...]] = {"game": (), "overlay": (), "dialect": ("start",), "scenarios": ("scenarios",)}
"""The path to the mapping, or the list of mappings, that may have old keys in each kind of file."""
_WAY_OUT = "or run `rulespec validate REF --fix`"
_PATH_SECTIONS = ("replaces", "changes", "add", "remove")
_PATHS = {"game.options": "game.settings"}


def new_key(key: str, known: Container[str]) -> str | None:
    """The new form of an old key if only the new form is among the keys known at its place; otherwise None."""
    new = KEYS.get(key)
    return new if new in known and key not in known else None


def new_path(path: str) -> str | None:
    """The new form of an overlay path that contains an old key; None for other paths."""
    for old, new in _PATHS.items():
        if path == old or path.startswith(f"{old}."):
            return new + path.removeprefix(old)
    return None


def old_keys(file: Node, kind: str) -> Iterator[Diagnostic]:
    """Yields an error (RS127) for each old key in a YAML file, unless the new key is also present."""
    holder = get(file, *_PLACES[kind])
    for node in (holder, *(holder.items if isinstance(holder, Sequence) else ())):
        for key, place, _ in entries(node):
            if (new := KEYS.get(key)) is not None and get(node, new) is None:
                yield old_key(key, new, place.span)


def old_key(key: str, new: str, span: Span) -> Diagnostic:
    """The error for an old key (RS127)."""
    message = f"the key `{key}` has been renamed"
    return Diagnostic("RS127", Severity.ERROR, message, span, help=f"write `{new}`, {_WAY_OUT}")


def old_paths(facts: Node) -> Iterator[Diagnostic]:
    """Yields an error (RS128) for each path in an overlay's facts that contains an old key."""
    for section in _PATH_SECTIONS:
        node = get(facts, section)
        for place in (*words(node), *(place for _, place, _ in entries(node))):
            if (new := new_path(place.text)) is not None:
                message = f"the path `{place.text}` has been renamed"
                yield Diagnostic("RS128", Severity.ERROR, message, place.span, help=f"write `{new}`, {_WAY_OUT}")


def new_header(data: dict[str, Any], known: Container[str]) -> dict[str, Any]:
    """The header of a log or of results, with old keys replaced in place; unchanged if new keys are present."""
    return {(key if (new := new_key(key, known)) is None or new in data else new): v for key, v in data.items()}
