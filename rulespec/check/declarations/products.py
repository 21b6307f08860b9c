"""Product kinds: composed entities, tokens per entity, and numbered tokens."""

from __future__ import annotations

from itertools import product

from rulespec.check.declarations.reader import DeclarationReader
from rulespec.documents.yaml_nodes import Node, entries, get, integer, truth, words
from rulespec.typed import nodes as typed
from rulespec.types import Ent


def read_products(r: DeclarationReader) -> None:
    """Declares the entities of product kinds, and the facts that name their parts."""
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
                    r.report.error("RS228", f"`{name}` has no entities, as `{factor.name}` has none", part.span)
            continue
        for combination in product(*(range(len(f.entities)) for f in factors)):
            members = [f.entities[i] for f, i in zip(factors, combination, strict=True)]
            entity_name = "_".join(m.name for m in members)
            title = " ".join(m.title for m in members)
            if entity_name in kind.index:
                r.report.error("RS223", f"two of `{name}` would be called `{entity_name}`", place.span)
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
