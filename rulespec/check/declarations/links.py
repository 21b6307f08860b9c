"""Links as entities: link kinds with listed members, each of which connects two regions."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.check.declarations.reader import DeclarationReader
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, bits, entries, get, text, truth, words
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf, Type

ENDS = "ends"


def link_kinds(root: Node) -> Iterator[tuple[Scalar, Node]]:
    """The name and node of each link kind with listed members."""
    for _, place, node in entries(get(root, "map", "links")):
        if isinstance(node, Mapping):
            yield place, node


def declare_link_kinds(r: DeclarationReader, map_kind: typed.Kind) -> None:
    """Declares the link kinds with listed members."""
    for place, node in link_kinds(r.root):
        if not r.claim(place.text, place.span):
            continue
        r.d.kinds[place.text] = typed.Kind(place.text, place.span, doc=text(get(node, "doc")))
        at, out, into = (typed.FactDecl(name, SetOf(place.text), place.span) for name in ("at", "out", "into"))
        two_way = truth(get(node, "two_way"))
        r.d.links[place.text] = typed.LinkDecl(place.text, map_kind.name, two_way, at, out, into)
        r.generated.add(place.text)
        for key in ("entities", "product"):
            written = get(r.root, "kinds", place.text, key)
            if written is not None:
                help_ = f"list its entities under `of:` of the link `{place.text}` of the map"
                r.report.error(
                    "RS227",
                    f"`{place.text}` is a link kind, so its entities cannot be listed here",
                    written.span,
                    help=help_,
                )


def declare_ends(r: DeclarationReader) -> None:
    """Declares, for each link kind with listed members, the fact that contains the regions at a link's ends."""
    for link in r.d.links.values():
        kind = r.d.kinds[link.kind]
        _own(r, kind, ENDS, SetOf(link.region), kind.span)


def read_links(r: DeclarationReader) -> None:
    """Adds the links to the facts of their regions; the facts of links and regions must have been read."""
    for link in r.d.links.values():
        kind, regions = r.d.kinds[link.kind], r.d.kinds[link.region]
        leads = regions.facts[link.kind]
        for region, place in leads.places.items():
            name = regions.entities[region].name
            message = f"`{name}` cannot list `{link.kind}`: these links are listed under `of:`, each with its ends"
            help_ = f"remove it, and add `{name}` to the `ends` of the link"
            r.report.error("RS294", message, place, notes=[Label(kind.span, "declared here")], help=help_)
        for fact in (leads, link.at, link.out, link.into):
            fact.values[:] = [0] * len(regions.entities)
        pairs = _pairs(r, link)
        link.parallel = _parallel(pairs, link)
        for number, (start, end) in pairs.items():
            leads.values[start] |= 1 << end
            if link.two_way:
                leads.values[end] |= 1 << start
            for fact, region in ((link.at, start), (link.at, end), (link.out, start), (link.into, end)):
                fact.values[region] |= 1 << number
        if not link.two_way:
            for name, side in (("source", 0), ("target", 1)):
                fact = _own(r, kind, name, Ent(link.region), kind.span)
                fact.values += [pairs[n][side] if n in pairs else 0 for n in range(len(kind.entities))]


def _pairs(r: DeclarationReader, link: typed.LinkDecl) -> dict[int, tuple[int, int]]:
    """The two ends of each link; reports links without exactly two ends."""
    kind, regions = r.d.kinds[link.kind], r.d.kinds[link.region]
    ends = kind.facts[ENDS]
    results: dict[int, tuple[int, int]] = {}
    for number, entity in enumerate(kind.entities):
        written = get(r.root, "map", "links", link.kind, "of", entity.name, ENDS)
        if ends.values[number].bit_count() != 2:
            if (kind.name, ENDS, number) not in r.misread:
                place = ends.places.get(number, entity.span)
                r.report.error(
                    "RS293", f"`{entity.name}` does not join two regions", place, help="write `ends: [a, b]`"
                )
            continue
        start, end = bits(ends.values[number])
        if words(written)[0].text != regions.entities[start].name:
            start, end = end, start
        results[number] = (start, end)
    return results


def _parallel(pairs: dict[int, tuple[int, int]], link: typed.LinkDecl) -> int:
    """The first set of several links from one region to another; empty if there is none."""
    joined: dict[tuple[int, int], int] = {}
    for number, (start, end) in pairs.items():
        key = (min(start, end), max(start, end)) if link.two_way else (start, end)
        joined[key] = joined.get(key, 0) | 1 << number
    return next((links for links in joined.values() if links.bit_count() > 1), 0)


def _own(r: DeclarationReader, kind: typed.Kind, name: str, type_: Type, span: Span) -> typed.FactDecl:
    """Adds a fact derived from links to a kind."""
    if name in kind.facts:
        r.report.error("RS223", f"`{name}` already has a meaning", kind.facts[name].span)
    kind.facts[name] = typed.FactDecl(name, type_, span)
    return kind.facts[name]
