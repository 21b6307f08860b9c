"""Listed entities, and the values of their facts."""

from __future__ import annotations

from rulespec.check.declarations.links import read_links
from rulespec.check.declarations.reader import TEXTS, DeclarationReader
from rulespec.check.origins import elsewhere
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import nearest, one
from rulespec.documents import yaml_nodes
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, bits, entries, get, integer, text, words
from rulespec.typed import nodes as typed
from rulespec.types import Bad, Bool, Ent, Maybe, Num, SetOf, may_be_none, none_of

Entry = tuple[typed.Kind, str, Scalar, Node]
"""An entity before it is added: its kind, its name, its key, and the node with its facts."""


def read_entities(r: DeclarationReader) -> list[Entry]:
    """The entities listed in the YAML files, each with its kind and its nodes."""
    results: list[Entry] = []
    for name, _, node in entries(get(r.root, "kinds")):
        if name in r.d.kinds and name not in r.generated and isinstance(get(node, "entities"), Mapping):
            if r.d.kinds[name].is_player:
                r.report.error("RS227", "players are seats, so they cannot be listed as entities", node.span)
                continue
            results += [(r.d.kinds[name], e, p, n) for e, p, n in entries(get(node, "entities"))]
    map_kind = text(get(r.root, "map", "kind"))
    if map_kind in r.d.kinds:
        results += [(r.d.kinds[map_kind], e, p, n) for e, p, n in entries(get(r.root, "map", "regions"))]
    for name in r.d.links:
        results += [(r.d.kinds[name], e, p, n) for e, p, n in entries(get(r.root, "map", "links", name, "of"))]
    for name, _, node in entries(get(r.root, "tracks")):
        if name in r.d.tracks:
            kind = r.d.kinds[r.d.tracks[name].kind]
            results += [(kind, e, p, n) for e, p, n in entries(get(node, "spaces"))]
    return results


def add_entities(r: DeclarationReader, entities: list[Entry]) -> None:
    """Adds entities to their kinds."""
    for kind, name, place, node in entities:
        title = text(get(node, "title")) or name.replace("_", " ")
        r.writable(name, place.span)
        r.d.add_entity(kind, typed.Entity(name, title, place.span, text(get(node, "doc")), _position(node)))


def _position(node: Node) -> tuple[int, int] | None:
    """The declared position of an entity in a drawing, or None."""
    result = get(node, "position")
    if not isinstance(result, yaml_nodes.Sequence) or len(result.items) != 2:
        return None
    return integer(result.items[0], 0), integer(result.items[1], 0)


def read_facts(r: DeclarationReader, entities: list[Entry]) -> None:
    """Reads the facts of the entities, the links of the map, and the ends of tracks."""
    for kind, name, place, node in entities:
        if name in kind.index:
            facts_of(r, kind, name, place.span, node)
    _two_way_links(r, text(get(r.root, "map", "kind")))
    read_links(r)
    for track in r.d.tracks.values():
        if not track.ring:
            _line(r, track)


def facts_of(r: DeclarationReader, kind: typed.Kind, name: str, place: Span, node: Node) -> None:
    """Reads the facts of one entity, and appends each value to the values of its fact."""
    hints = unknown_facts(r, kind, node)
    for fact in kind.facts.values():
        value = get(node, fact.name)
        misread = f"`{fact.name}`" in hints  # present, but misspelt
        if value is not None:
            errors = r.report.errors
            fact.places[len(fact.values)] = value.span
            fact.values.append(fact_value(r, fact, value))
            misread |= r.report.errors > errors
        elif misread or isinstance(fact.type, SetOf | Bool | Bad):
            fact.values.append(0)
        elif may_be_none(fact.type):
            fact.values.append(none_of(fact.type))
        else:
            r.report.error(
                "RS228",
                f"`{name}` has no value for `{fact.name}`",
                place,
                notes=[Label(fact.span, f"{fact.type}, declared here")],
                help=f"add `{fact.name}: …`"
                + (", or make the fact optional with `?`" if isinstance(fact.type, Ent | Num) else ""),
            )
            fact.values.append(0)
        if misread:
            r.misread.add((kind.name, fact.name, len(fact.values) - 1))


def unknown_facts(r: DeclarationReader, kind: typed.Kind, node: Node) -> str:
    """Reports keys of an entity that are not facts of its kind; returns the hints given in these reports."""
    track = next((t for t in r.d.tracks.values() if t.kind == kind.name and not t.ring), None)
    hints = ""
    for key, where, _ in entries(node):
        if key in kind.facts:
            r.refer(where, kind.facts[key])
        drawn = key == "position" and kind.name == text(get(r.root, "map", "kind"))
        if key not in kind.facts and key not in TEXTS and not (key == "upto" and track) and not drawn:
            hint, notes = nearest(key, {f.name: f.span for f in kind.facts.values()})
            notes = (Label(kind.span, "the kind is declared here"), *notes, *elsewhere(key, r.d))
            r.report.error("RS225", f"{one(kind.name)} has no fact `{key}`", where.span, notes=notes, help=hint)
            hints += hint
    return hints


def fact_value(r: DeclarationReader, fact: typed.FactDecl, value: Node) -> int:
    """The value of a fact or of a table row, as a number."""
    if isinstance(fact.type, Bad):
        return 0
    number = isinstance(value, Scalar) and isinstance(value.value, int) and not isinstance(value.value, bool)
    if isinstance(fact.type, Num | Maybe) and number:
        return integer(value, 0)
    if isinstance(fact.type, Bool) and isinstance(value, Scalar) and isinstance(value.value, bool):
        return int(value.value)
    if isinstance(fact.type, Ent) and isinstance(value, Scalar):
        if value.value is None and fact.type.optional:
            return -1
        return r.entity(value, fact.type.kind, optional=fact.type.optional)
    if isinstance(fact.type, SetOf) and isinstance(value, yaml_nodes.Sequence):
        mask = 0
        for item in value.items:
            if not isinstance(item, Scalar):
                r.report.error("RS227", "a list of names is expected here", item.span)
                continue
            member = r.entity(item, fact.type.kind)
            if item.text not in r.d.kinds[fact.type.kind].index:
                continue
            bit = 1 << member
            if mask & bit:
                r.report.error("RS223", f"`{item.text}` is listed twice", item.span)
            mask |= bit
        return mask
    if isinstance(fact.type, Num | Maybe):
        return r.constant(value, fact.type, f"`{fact.name}`")
    r.report.error(
        "RS301",
        f"`{fact.name}` must be {fact.type}, but this is not",
        value.span,
        notes=[Label(fact.type_span or fact.span, "declared here")],
    )
    return 0


def _two_way_links(r: DeclarationReader, map_kind: str) -> None:
    if map_kind not in r.d.kinds:
        return
    kind = r.d.kinds[map_kind]
    for link, _, form in entries(get(r.root, "map", "links")):
        if text(form) == "either_end":
            _written_once(kind.facts[link].values)
        if text(form) != "two_way":
            continue
        values = kind.facts[link].values
        for spot, entity in enumerate(kind.entities):
            for there in bits(values[spot]) if spot < len(values) else ():  # otherwise it is no region of the map
                back = values[there] if there < len(values) else 0
                if not back >> spot & 1 and (kind.name, link, there) not in r.misread:
                    node = get(r.root, "map", "regions", entity.name, link)
                    place = next((w.span for w in words(node) if w.text == kind.entities[there].name), entity.span)
                    notes = [Label(kind.entities[there].span, "the other side is declared here")]
                    written = kind.facts[link].places.get(there)
                    if written is not None and written.file != kind.entities[there].span.file:  # an overlay changes it
                        notes.append(Label(written, f"its `{link}` is declared here"))
                    r.report.error(
                        "RS230",
                        f"the two-way link `{link}` from `{entity.name}` to `{kind.entities[there].name}`"
                        " is missing on the other side",
                        place,
                        notes=notes,
                        help=f"add `{entity.name}` to `{link}` of `{kind.entities[there].name}`",
                    )


def _written_once(values: list[int]) -> None:
    """Adds the missing direction to two-way links declared at one end only."""
    for place, mask in enumerate(list(values)):
        for there in bits(mask):
            values[there] |= 1 << place


def _line(r: DeclarationReader, track: typed.TrackDecl) -> None:
    spaces = list(entries(get(r.root, "tracks", track.name, "spaces")))
    node = get(r.root, "tracks", track.name, "unit")
    track.unit = text(node)
    if track.unit in r.d.units:
        r.refer(node, typed.Unit(track.unit, r.d.units[track.unit]))
    elif track.unit:
        r.report.error("RS224", f"`{track.unit}` is not a unit", (node or r.root).span)
        track.unit = ""
    for number, (name, place, node) in enumerate(spaces):
        upto = get(node, "upto")
        if number == len(spaces) - 1:
            if upto is not None:
                r.report.error(
                    "RS227", "the last space covers the rest, so it has no `upto`", upto.span, help="remove it"
                )
            continue
        value = r.constant(upto, Num(track.unit), "`upto`") if upto is not None else 0
        if upto is None:
            r.report.error("RS228", f"`{name}` has no value for `upto`", place.span, help="add `upto: …`")
        elif track.upto and value <= track.upto[-1]:
            message = f"`upto` must be greater than {track.upto[-1]}, the value of the previous space"
            r.report.error("RS227", message, upto.span, help="order the spaces of a line from low to high")
        track.upto.append(value)
