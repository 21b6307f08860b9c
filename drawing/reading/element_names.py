"""Names of elements of a drawing: those of its author, and those that a program gives by itself."""

from __future__ import annotations

import re

from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.reading.svg_tree import Element

MAX_NAME = 200
_PROGRAMS = re.compile(
    r"(?:path|rect|rectangle|circle|ellipse|oval|polygon|polyline|line|shape|curve|vector|object|compound[ _-]?path"
    r"|g|group|layer|use|svg|text|tspan|image|freeform|forma?|xmlid|svgid|id|fil|defs|_"
    r"|sheet|patch|axes|figure|line2d|(?:path|poly|patch|quad)collection)?"
    r"[ ._-]?[0-9]+(?:[ _-][0-9]+)*_?",
    re.IGNORECASE,
)
_SHORT = re.compile(r"[a-z]{1,2}[0-9]+", re.IGNORECASE)
_LETTER = re.compile(r"_x([0-9A-Fa-f]{2,6})_")
_AGAIN = re.compile(r"_[0-9]+_\Z")
_LABELS = ("inkscape:label", "data-name", "serif:id", "aria-label")
_LESS = ("name", "data-title", "title")
ORNAMENTS = frozenset(
    {
        *("legend", "legende", "title", "titles", "cartouche", "compass", "compass_rose", "wind_rose", "windrose"),
        *("scale", "scale_bar", "scalebar", "frame", "neatline", "ornament", "ornaments", "decoration"),
        *("decorations", "graticule", "watermark", "logo"),
    }
)
"""Names of things on a map that are not regions."""


def is_of_a_program(name: str) -> bool:
    """Whether a name is one that drawing programs give, such as `path113`; a number alone is an author's."""
    return _PROGRAMS.fullmatch(name) is not None and not name.isdecimal()


def is_short(name: str) -> bool:
    """Whether a name may be a program's, so that an author's name of an enclosing group is preferred."""
    return is_of_a_program(name) or _SHORT.fullmatch(name) is not None


def label_of(element: Element) -> str:
    """The name that an element has from its author, as it is read by people; "" if there is none."""
    child = next((each for each in element.elements if each.tag == "title"), None)
    title = " ".join(child.text().split()) if child is not None else ""
    known = [*(element.get(key) for key in _LABELS), title, *(element.get(key) for key in _LESS)]
    return next((name[:MAX_NAME] for name in known if name and not is_of_a_program(name)), "")


def id_of(element: Element) -> str:
    """The id of an element, in the letters that its author typed: some programs write them as `_x0020_`."""
    written = element.get("id")[:MAX_NAME]
    name = _LETTER.sub(_letter, written)
    return _AGAIN.sub("", name) if name != written or not is_of_a_program(name) else name


def _letter(code: re.Match[str]) -> str:
    number = int(code[1], 16)
    return chr(number) if 32 <= number < 0x110000 and not 0xD800 <= number < 0xE000 else code[0]


def slug(name: str) -> str:
    """A name as parts of a drawing are compared."""
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def quoted(name: str) -> str:
    """A name as it is typed in a shell."""
    plain = MISLEADING.sub(" ", name)
    return plain if plain.replace("_", "").replace("-", "").isalnum() else "'" + plain.replace("'", "'\\''") + "'"
