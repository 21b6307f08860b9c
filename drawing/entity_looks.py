"""The looks of entities: their colours, letters, symbols and hatchings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

from msgspec import Struct

from rulespec.drawing.colours import OWNERS, SEATS
from rulespec.drawing.entity_marks import is_label
from rulespec.drawing.hatching import hatches
from rulespec.records import Brief
from rulespec.typed import nodes as typed


class Look(Brief, Struct, frozen=True):
    """The look of an entity: its colour, its letter, and the symbol of its pieces ("" for their type's symbol).

    `hatch` is the line pattern on its places, for colour-blind viewers; it is `none` if the colours are distinct in
    grey. `chosen` is whether the drawing file sets the colour, so that people may call the entity by its colour.
    """

    colour: str
    letter: str = ""
    symbol: str = ""
    hatch: str = "none"
    chosen: bool = False


def looks_of(d: typed.Declarations, section: dict[str, Any]) -> dict[str, dict[str, Look]]:
    """Kind → entity → its look. The letter of a seat is its number, unless the drawing sets one."""
    results: dict[str, dict[str, Look]] = {}
    others = {
        look["colour"]
        for name in section.keys() & d.kinds.keys()
        if not d.kinds[name].is_player
        for look in section[name].values()
        if "colour" in look
    }
    seats = OWNERS if others.isdisjoint(OWNERS[: d.max_players]) else SEATS
    for kind in d.kinds.values():
        if kind.nameless or len(kind.product) > 1:
            continue
        names = [entity.name for entity in kind.entities] or [str(i + 1) for i in range(d.max_players * kind.is_player)]
        data = section.get(kind.name, {})
        letters = _letters([entity.title for entity in kind.entities], data, names) if kind.entities else names
        chosen = [
            data.get(name, {}) | data.get(str(i + 1), {}) if kind.is_player else data.get(name, {})
            for i, name in enumerate(names)
        ]
        colours = _colours(chosen, seats if kind.is_player else OWNERS)
        results[kind.name] = {
            name: Look(**{"letter": letter, "hatch": hatch} | own | {"colour": colour}, chosen="colour" in own)
            for name, letter, own, colour, hatch in zip(names, letters, chosen, colours, hatches(colours), strict=True)
        }
    return results


def _colours(data: list[dict[str, Any]], palette: Sequence[str]) -> list[str]:
    """A colour for each entity: its own, or the next one of a palette, unused if possible."""
    own = {each["colour"] for each in data if "colour" in each}
    order = cycle([colour for colour in palette if colour not in own] or list(palette))
    return [each["colour"] if "colour" in each else next(order) for each in data]


def _letters(titles: list[str], data: dict[str, Any], names: list[str]) -> list[str]:
    """One or two letters for each title, distinct as long as possible."""
    taken = {own["letter"] for own in data.values() if "letter" in own}
    results = []
    for name, title in zip(names, titles, strict=True):
        if "letter" in data.get(name, {}):
            results.append(data[name]["letter"])
            continue
        parts = [word for word in title.replace("-", " ").split() if word] or [name]
        short = [title] if is_label(title) else []
        tries = [*short, parts[0][0].upper(), "".join(p[0] for p in parts[:2]).upper(), parts[0][:2].capitalize()]
        tries += [(parts[0][0] + c).capitalize() for c in parts[0][2:] + "0123456789"]
        letter = next((t for t in tries if t not in taken), tries[0])
        taken.add(letter)
        results.append(letter)
    return results
