"""Kinds and the types of their facts: listed kinds, map and track kinds, and product kinds.

The entities of a product kind are combinations of other entities, one token for each of them, or numbered tokens.
"""

from __future__ import annotations

from itertools import product

from rulespec.check.declarations.boards import boards_in, declare_boards, declare_links
from rulespec.check.declarations.links import declare_ends, declare_link_kinds, link_kinds
from rulespec.check.declarations.reader import TEXTS, DeclarationReader
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, integer, text, truth, words
from rulespec.typed import nodes as typed
from rulespec.types import BAD, Ent, SetOf


def read_kinds(r: DeclarationReader) -> None:
    """Declares all kinds and tracks, and the facts of kinds."""
    for name, place, node in entries(get(r.root, "kinds")):
        if name == r.d.player_kind:
            r.d.kinds[name].doc = text(get(node, "doc"))
        elif not _declared_elsewhere(r, name) and r.claim(name, place.span):
            by_seat = any(part.text == r.d.player_kind for part in words(get(node, "product") or get(node, "each")))
            r.d.kinds[name] = typed.Kind(name, place.span, doc=text(get(node, "doc")), by_seat=by_seat)
    map_kind = get(r.root, "map", "kind")
    if isinstance(map_kind, Scalar) and r.claim(map_kind.text, map_kind.span):
        r.d.kinds[map_kind.text] = typed.Kind(map_kind.text, map_kind.span)
        declare_link_kinds(r, r.d.kinds[map_kind.text])
    for name, place, node in entries(get(r.root, "tracks")):
        ring = get(node, "ring")
        kind = ring if ring is not None else get(node, "line")
        if not isinstance(kind, Scalar):
            r.report.error("RS227", f"`{name}` is neither a `ring` nor a `line`", place.span)
            continue
        if r.claim(name, place.span) and r.claim(kind.text, kind.span):
            r.d.kinds[kind.text] = typed.Kind(kind.text, kind.span)
            unit = (get(node, "unit") or place).span
            r.d.tracks[name] = typed.TrackDecl(name, kind.text, ring is not None, "", [], place.span, unit)
    declare_boards(r)
    for name, _, node in entries(get(r.root, "kinds")):
        if name in r.d.kinds:
            _declare_facts(r, r.d.kinds[name], get(node, "facts"))
    if isinstance(map_kind, Scalar) and map_kind.text in r.d.kinds:
        kind_ = r.d.kinds[map_kind.text]
        _declare_facts(r, kind_, get(r.root, "map", "facts"))
        for link, place, _ in entries(get(r.root, "map", "links")):
            kind_.facts[link] = typed.FactDecl(link, SetOf(kind_.name), place.span)
        for place, node in link_kinds(r.root):
            if place.text in r.d.links:
                _declare_facts(r, r.d.kinds[place.text], get(node, "facts"))
        declare_ends(r)
    for name, _, node in entries(get(r.root, "tracks")):
        if name in r.d.tracks:
            _declare_facts(r, r.d.kinds[r.d.tracks[name].kind], get(node, "facts"))
    for place, node, _, _ in boards_in(r.root):
        if place.text in r.d.boards:
            _declare_facts(r, r.d.kinds[place.text], get(node, "facts"))
    declare_links(r)
    _report_empty(r)


def _report_empty(r: DeclarationReader) -> None:
    """Reports kinds without entities."""
    elsewhere = (
        _of_boards(r)
        | {t.kind for t in r.d.tracks.values()}
        | {r.d.player_kind, text(get(r.root, "map", "kind")), *r.d.links}
    )
    for name, place, node in entries(get(r.root, "kinds")):
        kind = r.d.kinds.get(name)
        if kind is None or kind.implicit or name in elsewhere:  # the values of a setting are a kind, too
            continue
        if all(get(node, key) is None for key in ("entities", "product", "each", "number")):
            hint, notes = nearest(name, {k: r.d.kinds[k].span for k in elsewhere if k in r.d.kinds})
            message = f"`{name}` has no entities: it lists none, and no map or track has this kind"
            r.report.error("RS228", message, place.span, notes=notes, help=hint or "add `entities: …`")


def _declared_elsewhere(r: DeclarationReader, name: str) -> bool:
    if name == text(get(r.root, "map", "kind")) or name in _of_boards(r):
        return True
    if any(name == place.text for place, _ in link_kinds(r.root)):
        return True
    return any(
        name in (text(get(node, "ring")), text(get(node, "line"))) for _, _, node in entries(get(r.root, "tracks"))
    )


def _of_boards(r: DeclarationReader) -> set[str]:
    """The kinds declared by boards."""
    boards = [
        (place.text, direction, text(get(node, "sides")), text(get(node, "corners")))
        for place, node, _, direction in boards_in(r.root)
    ]
    return {name for names in boards for name in names if name}


def _declare_facts(r: DeclarationReader, kind: typed.Kind, node: Node | None) -> None:
    for name, place, value in entries(node):
        type_, ref = r.type(value)
        if name in TEXTS or name == "index":
            r.report.error("RS223", f"`{name}` already has a meaning", place.span)
        elif ref is not None and ref.form in ("range", "optional range"):
            r.report.error("RS224", "a fact cannot have a range", value.span)
            kind.facts[name] = typed.FactDecl(name, BAD, place.span)
        elif isinstance(type_, Ent | SetOf) and r.unknown(type_.kind):
            r.report.error("RS224", "players are not known before the game, so they cannot be facts", value.span)
            kind.facts[name] = typed.FactDecl(name, BAD, place.span)
        else:
            kind.facts[name] = typed.FactDecl(name, type_, place.span, type_span=value.span)


def read_products(r: DeclarationReader) -> None:
    """Declares the entities of product kinds, and the facts that name their components."""
    for name, place, node in entries(get(r.root, "kinds")):
        alike = get(node, "alike")
        if alike is not None and truth(alike) and name in r.d.kinds:
            r.d.kinds[name].alike = alike.span
        parts = get(node, "product") or get(node, "each")
        if (parts is None and get(node, "number") is None) or name not in r.d.kinds or name in r.generated:
            continue
        kind = r.d.kinds[name]
        names = words(parts)
        own = get(node, "entities") or get(node, "facts")
        if own is not None:
            what = "is a product kind" if get(node, "product") is not None else "has generated entities"
            r.report.error("RS229", f"`{name}` {what}, so it cannot have its own entities or facts", own.span)
            kind.facts.clear()
        unfit = [p for p in names if not _may_be_factor(r, p.text, kind)]
        for part in unfit:
            hint, notes = r.hint(part)
            message = f"`{part.text}` cannot be part of a product kind"
            r.report.error("RS224", message, part.span, notes=notes, help=hint)
        if unfit or own is not None:
            r.d.broken.add(name)
            continue
        kind.product = (*(p.text for p in names), *_counted(r, kind, get(node, "number")))
        for part in names:
            r.refer(part, r.d.kinds[part.text])
        factors = [r.d.kinds[p] for p in kind.product]
        for factor in factors[: len(names)]:
            kind.facts[factor.name] = typed.FactDecl(factor.name, Ent(factor.name), place.span)
        if kind.by_seat:  # its entities are known only with the seats
            for part, factor in zip(names, factors, strict=False):
                if not factor.is_player and not factor.entities:
                    r.report.error("RS228", f"`{name}` has no entities, because `{factor.name}` has none", part.span)
            continue
        for combination in product(*(range(len(f.entities)) for f in factors)):
            members = [f.entities[i] for f, i in zip(factors, combination, strict=True)]
            entity_name = "_".join(m.name for m in members)
            title = " ".join(m.title for m in members)
            if entity_name in kind.index:
                r.report.error("RS223", f"two entities of `{name}` would be called `{entity_name}`", place.span)
                continue
            r.d.add_entity(kind, typed.Entity(entity_name, title, place.span))
            for factor, i in zip(factors[: len(names)], combination, strict=False):
                kind.facts[factor.name].values.append(i)


def _counted(r: DeclarationReader, kind: typed.Kind, number: Node | None) -> tuple[str, ...]:
    """The implicit kind that numbers tokens, if there are several for each part; empty for single ones."""
    if number is None:
        return ()
    kind.number = integer(number, 1)
    counts = typed.Kind(f"{kind.name}.number", number.span, implicit=True)
    for i in range(kind.number):
        counts.index[f"{kind.name}_{i + 1}"] = i
        title = f"{kind.name.replace('_', ' ')} {i + 1}"
        counts.entities.append(typed.Entity(f"{kind.name}_{i + 1}", title, number.span))
    r.d.kinds[counts.name] = counts
    return (counts.name,)


def _may_be_factor(r: DeclarationReader, name: str, kind: typed.Kind) -> bool:
    other = r.d.kinds.get(name)
    if other is None or other is kind:
        return False
    return not other.product and not any(get(r.root, "kinds", name, key) for key in ("product", "each", "number"))
