"""Completion in YAML by place: steps of an overlay's paths, values by the declared type, keys of settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rulespec.documents.nodes import Mapping, Node, Scalar, Sequence, get
from rulespec.lsp.index import Index
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Order, SetOf, Type

Member = tuple[str, typed.Named | None]
"""A name and its declaration; None for a word of the language or of a path."""

_KEY = re.compile(r"""(\s*(?:- )?)["']?([\w.]+)["']?:(?:\s|$)""")
_VALUE = re.compile(r"""(?:^\s*|[\s{,])["']?([\w.]+)["']?:\s+(?:\[(?:[^\[\]{}]*,)?)?\s*\w*$""")
_PATH = re.compile(r"""\s*(?:- )?["']?((?:\w+\.)*)\w*$""")
_OPEN = re.compile(r"""(?<![\w.])([\w.]{1,64})["']?:\s{1,8}\{(?![^{}]*\})""")
"""A key whose value in braces has not ended."""
_SECTIONS = ("changes", "add", "remove")


def complete_yaml(before: str, lines: list[str], line: int, index: Index) -> list[Member] | None:
    """The names that can be written at a place of a YAML file; None if the place does not tell.

    Args:
        before: the text of the line up to the place.
        lines: the lines of the document as it is now.
        line: the number of the line, from 0.
        index: the ruleset when it was last valid.
    """
    above = _above(before, lines, line)
    overlaid = bool(above) and above[-1] in _SECTIONS
    if overlaid and (path := _PATH.fullmatch(before)):
        return list(_steps(get(index.checked.source.root, *path[1].split(".")[:-1])))
    if above and above[-1] == "settings" and re.fullmatch(r"\s+\w*", before):
        return list(index.checked.declarations.settings.items())
    written = _VALUE.search(before)
    if written is None:
        return None
    around = reversed(_OPEN.findall(before))
    path_to = [step for key in (written[1], *around, *above) for step in reversed(key.split("."))]
    return _values(path_to, index)


def _above(before: str, lines: list[str], line: int) -> list[str]:
    """The keys around a place, the nearest first, by the indentation of the lines above."""
    result = []
    indent = len(before) - len(before.lstrip())
    for text in reversed(lines[:line]):
        key = _KEY.match(text)
        if key is not None and len(key[1]) < indent:
            result.append(key[2])
            indent = len(key[1])
    return result


def _steps(node: Node | None) -> Iterator[Member]:
    """The next steps of a path that leads to a node of the merged tree."""
    if isinstance(node, Mapping):
        yield from ((key, None) for key in node.entries)
    elif isinstance(node, Sequence):
        yield from ((item.text, None) for item in node.items if isinstance(item, Scalar))


def _values(path: list[str], index: Index) -> list[Member] | None:
    """The values of a key: `path` has its name first, then those of the keys around it."""
    d, word = index.checked.declarations, path[0]
    if word in d.settings and "settings" in path[1:2]:
        setting = d.settings[word]
        return [(value, None) for value in setting.values or _truths(setting.type)]
    owners = [kind for kind in d.kinds.values() if any(step in kind.index for step in path[1:])]
    types = {kind.facts[word].type for kind in owners if word in kind.facts}
    if len(types) != 1:
        return None
    [type_] = types
    if not isinstance(type_, Ent | SetOf | Order):
        return [(value, None) for value in _truths(type_)] or None
    none: list[Member] = [("none", None)] if isinstance(type_, Ent) and type_.optional else []
    return [*_entities(d.kinds.get(type_.kind)), *none]


def _truths(type_: Type) -> Iterable[str]:
    return ("true", "false") if isinstance(type_, Bool) else ()


def _entities(kind: typed.Kind | None) -> list[Member]:
    return [(e.name, e) for e in kind.entities] if kind is not None else []
