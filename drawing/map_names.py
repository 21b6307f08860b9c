"""Names of regions from a drawing's labels in any script, transliterated to lower-case Latin letters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from anyascii import anyascii
from msgspec import Struct

from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.reading.shapes import Shape
from rulespec.syntax.keywords import NO_VALUES

_LONGEST = 50  # maximum number of characters of a name
_NO_LABEL = "region"


class RegionName(Struct, frozen=True):
    """The name of a region, derived from its label.

    `stem`: the name from the label's letters; `sure`: it has all of them, and no other shape has that label; `partial`:
    it lacks some.
    `source`: `text`, `label` or `id` for an author's name, otherwise `program`.
    `label`: the name of the shape in the drawing.
    """

    text: str = ""
    stem: str = ""
    sure: bool = True
    partial: bool = False
    source: str = "id"
    label: str = ""


def label_of(text: str) -> str:
    """A label in the form of a title.

    An `id` has no spaces, so its underscores represent them. Characters not allowed in texts are dropped.
    """
    label = " ".join(MISLEADING.sub(" ", text).split())
    return label if " " in label else label.replace("_", " ").strip()


def called(label: str) -> str:
    """The form of a label or title for comparisons: composed, with underscores as spaces if it has no spaces."""
    text = " ".join(unicodedata.normalize("NFC", label).split())
    return text if " " in text else text.replace("_", " ").strip()


def names_of(shapes: Sequence[Shape], ids: Mapping[str, str]) -> list[RegionName]:
    """Names of entities from names of shapes: unique, and different from all keywords of the language.

    A name is sure if it preserves all letters of its label, and no other shape has that label; names from programs are
    not labels. `ids`: label → its name, which takes precedence over the letters.
    """
    chosen = {called(label): name for label, name in ids.items()}
    stems, whole = [], []
    for shape in shapes:
        own = shape.own or shape.by_text
        stem = chosen.get(called(shape.name), "") if own else ""
        whole.append(own and (stem != "" or _is_whole(shape.name)))
        stem = stem or stem_of(shape.name)[:_LONGEST] or _NO_LABEL
        stems.append(f"{stem}_" if stem in NO_VALUES else stem)
    counts = Counter(stem for stem, all_ in zip(stems, whole, strict=True) if all_)
    sure = [all_ and counts[stem] == 1 for stem, all_ in zip(stems, whole, strict=True)]
    taken = {stem for stem, own in zip(stems, sure, strict=True) if own}
    results, numbers = [], dict[str, int]()
    for shape, stem, own, all_ in zip(shapes, stems, sure, whole, strict=True):
        name = stem
        while not own and name in taken:
            numbers[stem] = numbers.get(stem, 1) + 1
            name = f"{stem}_{numbers[stem]}"
        taken.add(name)
        source = "text" if shape.by_text else "label" if shape.label else "id" if shape.own else "program"
        results.append(RegionName(name, stem, own, not all_, source, shape.name))
    return results


def stem_of(label: str) -> str:
    """The letters and digits of a label in Latin script, joined by `_`."""
    return re.sub(r"[^a-z0-9]+", "_", "".join(map(_latin, unicodedata.normalize("NFC", label))).casefold()).strip("_")


def _is_whole(label: str) -> bool:
    """Whether a name preserves all letters of its label."""
    letters = [c for c in unicodedata.normalize("NFC", label) if c.isalnum()]
    return 0 < len(stem_of(label)) <= _LONGEST and all(any(map(str.isalnum, _latin(c))) for c in letters)


def _latin(character: str) -> str:
    """A character transliterated to Latin letters; characters other than letters are unchanged."""
    if character.isascii() or not (character.isalnum() or unicodedata.category(character).startswith("M")):
        return "" if unicodedata.category(character) == "Cf" else character  # invisible characters
    return anyascii(character).replace("'", "").replace("`", "")
