r"""Templates of a notation: texts with character classes, counted repetition and named parts.

    {man}{file?}{x?}{to:square}      parts by name, optional with `?`; the field `to`, with the part `square`
    [a-h][1-8]{1,2}                  a character class, and one repeated once or twice
    \{                                a literal character

There is no other repetition and no recursion, so the language of a template is finite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

MAX_TEMPLATE = 200
"""Maximum length of a template, in characters."""
MAX_COUNT = 99
_CAPTURE = re.compile(r"\{([a-z][a-z0-9_]*)(?::([a-z][a-z0-9_]*))?(\?)?\}")
_COUNT = re.compile(r"\{(\d{1,2})(?:,(\d{1,2}))?\}")
_CLASS = re.compile(r"\[((?:[^\\\]]|\\.)+)\]")


class TemplateError(ValueError):
    """Raised for a malformed template; the text gives the reason."""


class Characters(Struct, frozen=True):
    """A character class, to be repeated between `least` and `most` times."""

    of: frozenset[str]
    least: int = 1
    most: int = 1


class NamedPart(Struct, frozen=True):
    """A reference to a part, with the name of the field for its value; if it is `optional`, the part may be missing."""

    field: str
    part: str
    optional: bool


Template = tuple[Characters | NamedPart, ...]


def read_template(text: str) -> Template:
    """The parsed elements of a template.

    Raises:
        TemplateError: if the template is malformed.
    """
    if len(text) > MAX_TEMPLATE:
        raise TemplateError(f"the template has more than {MAX_TEMPLATE} characters")
    return tuple(_elements(text))


def _elements(text: str) -> Iterator[Characters | NamedPart]:
    at = 0
    while at < len(text):
        if capture := _CAPTURE.match(text, at):
            field, part, optional = capture.groups()
            yield NamedPart(field, part or field, optional is not None)
            at = capture.end()
            continue
        if text[at] in "{}]":
            raise TemplateError(
                f"`{text[at]}` at character {at + 1} begins neither a part nor a count; write `\\{text[at]}`"
            )
        of, at = _characters(text, at)
        count = _COUNT.match(text, at)
        if count is None:
            yield Characters(of)
            continue
        least = int(count[1])
        most = least if count[2] is None else int(count[2])
        if least > most or not most:
            raise TemplateError(
                f"`{count[0]}` is not a valid count: the minimum comes first, and the maximum is above 0"
            )
        yield Characters(of, least, most)
        at = count.end()


def _characters(text: str, at: int) -> tuple[frozenset[str], int]:
    """The characters allowed at an offset of a template, and the offset after them."""
    if text[at] == "[":
        group = _CLASS.match(text, at)
        if group is None:
            raise TemplateError(f"the class at character {at + 1} has no end, or is empty")
        return frozenset(_in_class(group[1])), group.end()
    if text[at] == "\\":
        if at + 1 == len(text):
            raise TemplateError("a template must not end with `\\`")
        at += 1
    return frozenset(text[at]), at + 1


def _in_class(text: str) -> Iterator[str]:
    """The characters of a class, which consists of single ones and ranges such as `a-h`."""
    letters = [(c[-1], len(c) == 1) for c in re.findall(r"\\.|[^\\]", text)]
    at = 0
    while at < len(letters):
        first = letters[at][0]
        if at + 2 < len(letters) and letters[at + 1] == ("-", True):
            last = letters[at + 2][0]
            if not first <= last <= chr(ord(first) + MAX_TEMPLATE):
                raise TemplateError(f"`{first}-{last}` is not a range of characters")
            yield from map(chr, range(ord(first), ord(last) + 1))
            at += 3
            continue
        yield first
        at += 1


def names_in(template: Template) -> list[NamedPart]:
    """The named parts of a template."""
    return [element for element in template if isinstance(element, NamedPart)]
