"""The colours of a map's drawing with their likely meanings: colours of the base, or new owners."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Iterator, Mapping

from msgspec import Struct

from rulespec.documents.yaml_nodes import entries, get, text
from rulespec.drawing.colours import parts
from rulespec.lsp.base_map import SOME, BaseMap
from rulespec.lsp.map_files import MAP, REGIONS, MapFiles
from rulespec.ruleset_files import DRAWING, OUTLINES

_FEWEST = 3
"""The minimum number of regions for a colour that may be an owner's."""
_NEAR = 150
"""The maximum distance of a colour from the base's colour that it may represent."""
_ALIKE = 30
"""The additional distance at which a second colour may still represent the same."""
_FAINT = 0.12
"""The chroma below which a colour is a grey."""
_HUE, _PALE = 4, 0.05
"""The weight of one degree of hue, and the least chroma for which hue matters."""
_NAMES = {
    "Red": "#c8323c", "Orange": "#e68a2e", "Yellow": "#e6d23c", "Green": "#4b9b4b", "Teal": "#2e9b96",
    "Blue": "#3c6ec8", "Purple": "#8c50aa", "Pink": "#e18cb4", "Brown": "#8c5a2d", "Grey": "#8c8c8c",
    "Black": "#1e1e1e", "White": "#fafafa",
}  # fmt: skip


class Guess(Struct, frozen=True):
    """A proposed meaning of a colour.

    Attributes:
        fact: the fact that the colour implies; "" if nothing is proposed.
        value: the value of the fact; "" for a new owner.
        title: the title of the new owner.
    """

    fact: str = ""
    value: str = ""
    title: str = ""


def drawn_colours(map_: MapFiles) -> dict[str, list[str]]:
    """Maps each colour in the drawing to the map's own regions that have it."""
    results: dict[str, list[str]] = {}
    known = {key for key, _, _ in entries(get(map_.tree(MAP), *REGIONS))}
    for file in (OUTLINES, DRAWING):
        tree = map_.tree(file) if (map_.folder / file).is_file() else None
        for name, _, outline in entries(get(tree, "drawing", "boards", map_.kind(), "outlines")):
            if name in known and (colour := text(get(outline, "drawn"))):
                results.setdefault(colour, []).append(name)
    return results


def guesses(base: BaseMap, colours: Mapping[str, list[str]]) -> dict[str, Guess]:
    """The likely meaning of each colour, judging by its regions."""
    results: dict[str, Guess] = {}
    for fact, value in _plain(base):
        look = base.looks.get(base.choices[fact], {}).get(value)
        if look is None:
            continue
        near = {each: distance(each, look.colour) for each in colours if each not in results}
        least = min(near.values(), default=_NEAR)
        for colour in [c for c, d in near.items() if d < _NEAR and d <= least + _ALIKE]:
            results[colour] = Guess(fact, value)
    owner = next((fact for fact in base.choices if base.is_owner(fact)), "")
    titles: list[str] = []
    for colour, regions in colours.items():
        if colour not in results and owner and len(regions) >= _FEWEST:
            titles.append(_title(colour, titles))
            results[colour] = Guess(owner, "", titles[-1])
    return {colour: results.get(colour, Guess()) for colour in colours}


def _plain(base: BaseMap) -> Iterator[tuple[str, str]]:
    """The facts and values that distinguish ownerless regions, rarest first."""
    ownerless = [p for p in base.profiles if SOME not in dict(p.values).values()]
    counts = {pair: 0 for profile in ownerless for pair in profile.values}
    for profile in ownerless:
        for pair in profile.values:
            counts[pair] += 1
    yield from sorted(counts, key=lambda pair: counts[pair])


def distance(one: str, other: str) -> float:
    """The distance between two colours, which for chromatic colours depends on hue and saturation."""
    a, b = parts(one), parts(other)
    (hue, strength), (other_hue, other_strength) = _tone(a), _tone(b)
    if min(strength, other_strength) < _PALE:
        return _apart(a, b)
    turn = abs(hue - other_hue) % 360
    return _HUE * min(turn, 360 - turn) + 255 * abs(strength - other_strength)


def _apart(a: tuple[int, int, int], b: tuple[int, int, int]) -> float:
    return math.sqrt(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)))


def _tone(colour: tuple[int, int, int]) -> tuple[float, float]:
    """The hue in degrees, and the chroma from 0 to 1."""
    hue, _, _ = colorsys.rgb_to_hls(*(part / 255 for part in colour))
    return 360 * hue, (max(colour) - min(colour)) / 255


def _title(colour: str, taken: list[str]) -> str:
    hue, strength = _tone(parts(colour))
    plain = [name for name, each in _NAMES.items() if (_tone(parts(each))[1] < _FAINT) == (strength < _FAINT)]

    def unlike(name: str) -> float:
        turn = abs(hue - _tone(parts(_NAMES[name]))[0]) % 360 if strength >= _FAINT else 0
        light = abs(sum(parts(_NAMES[name])) - sum(parts(colour))) / 3
        return _HUE * min(turn, 360 - turn) + light

    name = min(plain, key=unlike)
    number = 2
    title = name
    while title in taken:
        title, number = f"{name} {number}", number + 1
    return title
