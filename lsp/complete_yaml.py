"""Completion in YAML files: steps of an overlay's paths, values by declared type, keys by schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, get
from rulespec.lsp.index import NameIndex
from rulespec.lsp.schema_places import Places, keys_of, values_of
from rulespec.lsp.title_keys import complete_titles
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Num, Order, SetOf, Type

Member = tuple[str, typed.Named | None]
"""A name and its declaration; None for a keyword or a path step."""

_KEY = re.compile(r"""(\s*(?:- )?)["']?([\w.]+)["']?:(?:\s|$)""")
_VALUE = re.compile(r"""(?:^\s*|[\s{,])["']?([\w.]+)["']?:\s+(?:\[(?:[^\[\]{}]*,)?)?\s*(?:-?\d+ )?\w*$""")
_PATH = re.compile(r"""\s*(?:- )?["']?((?:\w+\.)*)\w*$""")
_OPEN = re.compile(r"""(?<![\w.])([\w.]{1,64})["']?:\s{1,8}\{(?![^{}]*\})""")
"""A key whose value in braces is still open."""
_BLOCK_KEY = re.compile(r"^\s*(?:- )?\w*$")
_FLOW_KEY = re.compile(r"[{,]\s*\w*$")
_FLOW_KEYS = re.compile(r"""(?<![\w.])([\w.]{1,64})["']?:(?:\s|$)""")
_SECTIONS = ("changes", "add", "remove")


def complete_yaml(before: str, lines: list[str], line: int, file: str, index: NameIndex) -> list[Member] | None:
    """The names that can be inserted at a position in a YAML file; None if the position is unclear.

    Args:
        before: the text of the line up to the position.
        lines: the current lines of the document.
        line: the number of the line, from 0.
        file: the name of the document in spans.
        index: the last valid state of the ruleset.
    """
    above = _above(before, lines, line)
    overlaid = bool(above) and above[-1] in _SECTIONS
    if overlaid and len(above) == 1 and (path := _PATH.fullmatch(before)):
        return list(_steps(get(index.checked.source.root, *path[1].split(".")[:-1])))
    if above and above[-1] == "settings" and re.fullmatch(r"\s+\w*", before):
        return list(index.checked.declarations.settings.items())
    places = Places(file, index)
    if places.of_words and (titled := complete_titles(before, lines, line, index)) is not None:
        return [(name, None) for name in titled]
    around = list(reversed(_OPEN.findall(before)))
    bracket = _bracket(before)
    if (_BLOCK_KEY if bracket == "" else _FLOW_KEY).search(before) and bracket != "[":
        parts = places.at([*reversed(above), *reversed(around)])
        listed = bracket == "" and "-" in before
        written_keys = _beside(before, lines, line)
        keys = [name for name in keys_of(parts, listed) if name not in written_keys]
        return [(name, None) for name in (*keys, *(values_of(parts, listed) if listed else ()))]
    written = _VALUE.search(before)
    if written is None:
        return None
    outward = [written[1], *around, *above]
    path_to = [step for key in outward for step in reversed(key.split("."))]
    if places.overlay and path_to[-1] in _SECTIONS and (typed_ := _by_type(path_to[-2::-1], index)) is not None:
        return typed_
    by_type = _values(path_to, index)
    if by_type is None:
        parts = places.at(list(reversed(outward)))
        if any(part.schema.get("$ref", "").endswith("_type") for part in parts):
            return _types(index)
        by_type = [(value, None) for value in values_of(parts, written[0].count("[") > 0)] or None
    return by_type


def _by_type(path: list[str], index: NameIndex) -> list[Member] | None:
    """The values for a constant, or for an initial state, at a path; None for any other path."""
    d = index.checked.declarations
    match path:
        case ["constants", name] if name in d.constants:
            type_: Type = d.constants[name].type
        case ["kinds", kind, "state", name, "start"] if kind in d.kinds and name in d.kinds[kind].state:
            type_ = d.kinds[kind].state[name].type
        case ["state", name, "start"] if name in d.fields:
            type_ = d.fields[name].type
        case _:
            return None
    if isinstance(type_, Num):  # the unit will be part of the typed value
        others: list[Member] = [(n, c) for n, c in d.constants.items() if isinstance(c.type, Num) and n != path[-1]]
        return [*((unit, typed.Unit(unit, span)) for unit, span in d.units.items()), *others]
    return _of_type(type_, index)


def _bracket(before: str) -> str:
    """The innermost open bracket in a line; "" if there is none."""
    closed = 0
    for letter in reversed(before):
        if letter in "[{" and not closed:
            return letter
        closed += (letter in "]}") - (letter in "[{")
    return ""


def _above(before: str, lines: list[str], line: int) -> list[str]:
    """The keys around a position, nearest first, by the indentation of the lines above."""
    result = []
    indent = len(before) - len(before.lstrip())
    for text in reversed(lines[:line]):
        key = _KEY.match(text)
        if key is not None and len(key[1]) < indent:
            result.append(key[2])
            indent = len(key[1])
    return result


def _beside(before: str, lines: list[str], line: int) -> set[str]:
    """The sibling keys at a position."""
    after = lines[line][len(before) :] if line < len(lines) else ""
    if _bracket(before):
        return {*_FLOW_KEYS.findall(_outside(reversed(before), "]}", "[{")[::-1] + _outside(after, "[{", "]}"))}
    column = len(before) - len(before.lstrip(" -"))
    results: set[str] = set()
    above = () if before.lstrip().startswith("-") else reversed(lines[:line])
    for others, begins_item in ((above, False), (lines[line + 1 :], True)):
        for text in others:
            key = _KEY.match(text)
            if not text.strip() or len(text) - len(text.lstrip(" -")) > column:
                continue
            item = text.lstrip().startswith("-")
            if key is None or len(key[1]) != column or (item and begins_item):
                break
            results.add(key[2])
            if item:
                break
    return results


def _outside(text: Iterable[str], opening: str, closing: str) -> str:
    """The part of a text outside its own brackets, up to an unmatched closing one."""
    results: list[str] = []
    depth = 0
    for letter in text:
        if letter in closing and not depth:
            break
        depth += (letter in opening) - (letter in closing)
        if not depth:
            results.append(letter)
    return "".join(results)


def _steps(node: Node | None) -> Iterator[Member]:
    """The next steps of a path to a node of the merged tree."""
    if isinstance(node, Mapping):
        yield from ((key, None) for key in node.entries)
    elif isinstance(node, Sequence):
        yield from ((item.text, None) for item in node.items if isinstance(item, Scalar))


def _values(path: list[str], index: NameIndex) -> list[Member] | None:
    """The values for a key; `path` has its name first, then the enclosing keys."""
    d, word = index.checked.declarations, path[0]
    if word in d.settings and "settings" in path[1:2]:
        setting = d.settings[word]
        return [(value, None) for value in setting.values or _truths(setting.type)]
    owners = [kind for kind in d.kinds.values() if any(step in kind.index for step in path[1:])]
    types = {kind.facts[word].type for kind in owners if word in kind.facts}
    if len(types) != 1:
        return None
    [type_] = types
    return _of_type(type_, index) or None


def _types(index: NameIndex) -> list[Member]:
    """The names of types."""
    d = index.checked.declarations
    kinds = ((name, kind) for name, kind in d.kinds.items() if not kind.nameless and name.isidentifier())
    units = ((unit, typed.Unit(unit, span)) for unit, span in d.units.items())
    return [("int", None), ("bool", None), ("set", None), *units, *kinds]


def _of_type(type_: Type, index: NameIndex) -> list[Member]:
    """The named values of a type."""
    if not isinstance(type_, Ent | SetOf | Order):
        return [(value, None) for value in _truths(type_)]
    none: list[Member] = [("none", None)] if isinstance(type_, Ent) and type_.optional else []
    return [*_entities(index.checked.declarations.kinds.get(type_.kind)), *none]


def _truths(type_: Type) -> Iterable[str]:
    return ("true", "false") if isinstance(type_, Bool) else ()


def _entities(kind: typed.Kind | None) -> list[Member]:
    return [(e.name, e) for e in kind.entities] if kind is not None else []
