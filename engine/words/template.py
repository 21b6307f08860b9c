"""Texts with holes: `moves to {goal}[, pays {fee(n, goal)}]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from rulespec.records import Brief

MAX_TEXT = 500
"""The maximum length of a text, in characters."""
MAX_HOLES = 12
"""The maximum number of holes in a text."""
_MAX_HOLE = 200
_MAX_NESTED = 3
"""The maximum nesting of braces in the expression of a hole."""
_TWICE = "{}[]"
"""Characters that are escaped by doubling."""


class Hole(Brief, Struct, frozen=True):
    """A hole in a text, for the value of an expression, with its offset in the text."""

    text: str
    at: int = 0


class Optional(Brief, Struct, frozen=True):
    """A bracketed part, left out if one of its holes is empty, zero, none or hidden."""

    parts: tuple[str | Hole, ...]


Template = tuple[str | Hole | Optional, ...]


class Filled(Brief, Struct, frozen=True):
    """The content of a hole: the text, whether it removes the optional part, and whether it stands for something
    hidden.
    """

    text: str
    nothing: bool = False
    hidden: bool = False


Fill = Callable[[str], Filled]
"""A function that maps the expression of a hole to its content."""


def parse_template(text: str) -> Template:
    """Parses a text into its parts.

    Raises:
        ValueError: if braces or brackets do not match, or there are too many holes; the message names the fault.
    """
    if len(text) > MAX_TEXT:
        raise ValueError(f"the text has more than {MAX_TEXT} characters")
    parts: list[str | Hole | Optional] = []
    group: list[str | Hole] | None = None
    at = holes = 0
    while at < len(text):
        place: list[str | Hole] | list[str | Hole | Optional] = parts if group is None else group
        char = text[at]
        if char in _TWICE and text[at : at + 2] == char * 2:
            _add(place, char)
            at += 2
        elif char == "{":
            end = _end_of_hole(text, at)
            inner = text[at + 1 : end]
            place.append(Hole(inner.strip(), at + 1 + len(inner) - len(inner.lstrip())))
            holes, at = holes + 1, end + 1
            if holes > MAX_HOLES:
                raise ValueError(f"the text has more than {MAX_HOLES} holes")
        elif char == "[":
            if group is not None:
                raise ValueError("`[` within brackets: optional parts cannot be nested")
            group, at = [], at + 1
        elif char == "]":
            if group is None:
                raise ValueError("a `]` has no `[` before it; for a literal one, write `]]`")
            parts.append(Optional(tuple(group)))
            group, at = None, at + 1
        elif char == "}":
            raise ValueError("a `}` has no `{` before it; for a literal one, write `}}`")
        else:
            _add(place, char)
            at += 1
    if group is not None:
        raise ValueError("a `[` is not closed; for a literal one, write `[[`")
    return tuple(parts)


def _add(parts: list[str | Hole] | list[str | Hole | Optional], char: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, str):
        parts[-1] = last + char
    else:
        parts.append(char)


def _end_of_hole(text: str, at: int) -> int:
    """The end of a hole; its expression may contain braces."""
    depth = 0
    for end in range(at, min(len(text), at + _MAX_HOLE + 2)):
        depth += (text[end] == "{") - (text[end] == "}")
        if depth > _MAX_NESTED:
            raise ValueError(f"braces in a hole are nested deeper than {_MAX_NESTED - 1}")
        if depth == 0:
            if not text[at + 1 : end].strip():
                raise ValueError("a hole is empty; for a literal `{`, write `{{`")
            return end
    if len(text) - at > _MAX_HOLE:
        raise ValueError(f"a hole has more than {_MAX_HOLE} characters")
    raise ValueError("a `{` is not closed; for a literal one, write `{{`")


def holes(template: Template) -> Iterator[Hole]:
    """All holes of a text."""
    for part in template:
        if isinstance(part, Hole):
            yield part
        elif isinstance(part, Optional):
            yield from (inner for inner in part.parts if isinstance(inner, Hole))


def fill(template: Template, filled: Fill) -> Filled:
    """The text with its holes filled, and whether any hole stands for something hidden."""
    results: list[str] = []
    hidden = False
    for part in template:
        if isinstance(part, str):
            results.append(part)
        elif isinstance(part, Hole):
            one = filled(part.text)
            results.append(one.text)
            hidden = hidden or one.hidden
        else:
            inner = [filled(p.text) if isinstance(p, Hole) else Filled(p) for p in part.parts]
            if not any(p.nothing for p in inner):
                results += [p.text for p in inner]
                hidden = hidden or any(p.hidden for p in inner)
    return Filled("".join(results), hidden=hidden)
