"""Links of a map as its picture has them: each kind once between two regions."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.documents.nodes import bits
from rulespec.drawing.plan import Sheet
from rulespec.drawing.style import BoardStyle, LinkStyle


class Link(Struct, frozen=True):
    """A link between two regions, of one kind; `both`: it leads back as well."""

    kind: str
    a: int
    b: int
    both: bool
    name: str = ""
    dashed: bool = False


def links_of(sheet: Sheet, board: BoardStyle) -> list[Link]:
    """The links of a map; those of one kind between the same regions once."""
    kind = sheet.d.kinds[board.kind]
    results = []
    for name, style in board.links.items():
        decl = sheet.d.links.get(name)
        if decl is not None:
            results += list(_named(sheet, name, style))
            continue
        fact = kind.facts.get(name)
        if fact is None:
            continue
        for a, mask in enumerate(fact.values):
            for b in bits(mask):
                back = b < len(fact.values) and fact.values[b] >> a & 1 == 1
                if a < b or not back:
                    results.append(Link(name, a, b, back, dashed=style.dashed is True))
    return results


def _named(sheet: Sheet, name: str, style: LinkStyle) -> Iterator[Link]:
    """Links that are entities of a kind."""
    decl, kind = sheet.d.links[name], sheet.d.kinds[name]
    fact = kind.facts.get(style.dashed) if isinstance(style.dashed, str) else None
    for number, entity in enumerate(kind.entities):
        bit = 1 << number
        a = next((i for i, mask in enumerate(decl.out.values) if mask & bit), -1)
        b = next((i for i, mask in enumerate(decl.into.values) if mask & bit), -1)
        dashed = style.dashed is True or (fact is not None and number < len(fact.values) and fact.values[number] == 1)
        if a >= 0 and b >= 0:
            yield Link(name, a, b, decl.two_way, entity.name, dashed)


def pairs_of(board: BoardStyle, links: list[Link]) -> set[tuple[int, int]]:
    """The pairs of regions with a link that is shown, the lower number first; not those over a seam."""
    pairs = {(min(link.a, link.b), max(link.a, link.b)) for link in links if not board.links[link.kind].hidden}
    return pairs - {(min(seam), max(seam)) for seam in board.seams}
