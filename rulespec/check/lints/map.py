"""Unreachable regions, and facts of regions that contradict the links."""

from __future__ import annotations

from itertools import islice

from rulespec.check.context import Context
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import listed
from rulespec.documents.yaml_nodes import bits, entries, get, text, words
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import Ent, SetOf

_MAX_FACTS = 50  # maximum number of facts of regions compared with each other
_ALIKE = 8  # number of similar regions beyond which a single exception is reported


def check_map(c: Context) -> None:
    """Warns of regions that cannot be reached, and of region facts that contradict the links."""
    _Map(c).check()


class _Map:
    """The map of a ruleset, with the links of its regions."""

    def __init__(self, c: Context) -> None:
        self.root = c.source.root
        self.d = c.declarations
        self.groups = c.expressions_by_rule
        self.report = c.report
        self.kind = c.declarations.kinds.get(text(get(c.source.root, "map", "kind")))
        asked = [part for check in self.d.checks for part in (check.where, check.that) if part is not None]
        self.checked = {id(e.decl) for part in asked for e in expressions(part) if isinstance(e, typed.Fact)}
        """Facts mentioned by a declared check, whose constraints need not be guessed."""
        self.leads: list[set[int]] = []
        """For each region, the other regions reached by its links."""

    def check(self) -> None:
        """Checks the map if it has links."""
        kind = self.kind
        if kind is None:
            return
        links = [kind.facts[name] for name, _, _ in entries(get(self.root, "map", "links")) if name in kind.facts]
        self.leads = [{b for f in links for b in bits(f.values[a])} - {a} for a in range(len(kind.entities))]
        if not any(self.leads):
            return
        for link in links:
            self._own(kind, link)
        of_regions = [f for f in kind.facts.values() if f not in links and _kind(f.type) == kind.name]
        self._reached(kind, of_regions)
        guessed = [fact for fact in of_regions if id(fact) not in self.checked]
        for fact in guessed:
            self._touching(kind, fact)
        for fact in guessed[:_MAX_FACTS]:
            self._complete(kind, fact)

    def _own(self, kind: typed.Kind, link: typed.FactDecl) -> None:
        """Reports links from a region to itself."""
        for a, mask in enumerate(link.values):
            if mask >> a & 1:
                name = kind.entities[a].name
                node = get(self.root, "map", "regions", name, link.name)
                place = next((w.span for w in words(node) if w.text == name), kind.entities[a].span)
                help_ = f"write a neighbour in place of `{name}`, or remove it"
                self.report.warning("RS247", f"`{link.name}` leads from `{name}` to itself", place, help=help_)

    def _members(self, fact: typed.FactDecl, entity: int) -> list[int]:
        """The entities contained in an entity's fact."""
        value = fact.values[entity]
        if isinstance(fact.type, SetOf):
            return list(bits(value))
        return [value] if value >= 0 else []

    def _reached(self, kind: typed.Kind, of_regions: list[typed.FactDecl]) -> None:
        """Reports regions without incoming links, and unreferenced components of the map other than the largest."""
        near = [set(result) for result in self.leads]
        for fact in of_regions:
            for a in range(len(kind.entities)):
                for b in self._members(fact, a):
                    near[a].add(b)
                    near[b].add(a)
        entered = set().union(*near)
        for a, result in enumerate(near):
            for b in tuple(result):
                near[b].add(a)
        areas = sorted(_parts(near), key=len, reverse=True)
        if len(areas) == 1 and areas[0] <= entered:
            return
        named = self._named(kind)
        for area in areas:
            if area is not areas[0] and not area & named:
                names = [kind.entities[r].name for r in sorted(area)]
                rest = f", nor to {listed(names[1:])} beside it" if len(names) > 1 else ""
                message = f"no link leads to `{names[0]}` from the rest of the map{rest}"
                self._unreached(kind.entities[min(area)], message)
            elif len(area) > 1:
                starts = self._starts(kind)
                for r in sorted(area - entered - named - starts):
                    entity = kind.entities[r]
                    self._unreached(entity, f"links lead out of `{entity.name}`, but none leads to it")

    def _unreached(self, entity: typed.Entity, message: str) -> None:
        help_ = "link it to its neighbours, or remove it"
        self.report.warning("RS231", message, entity.span, help=help_)

    def _named(self, kind: typed.Kind) -> set[int]:
        """The regions referenced by rules, tables, other kinds or start values, which may place pieces there."""
        results: set[int] = set()
        for other in self.d.kinds.values():
            if other is kind or other.product:
                continue
            for fact in other.facts.values():
                if _kind(fact.type) == kind.name:
                    results.update(r for a in range(len(fact.values)) for r in self._members(fact, a))
        for table in self.d.tables.values():
            if _kind(table.value) == kind.name:
                decl = typed.FactDecl(table.name, table.value, table.span, list(table.rows.values()))
                results.update(r for a in range(len(decl.values)) for r in self._members(decl, a))
        fields = [*self.d.fields.values(), *(f for k in self.d.kinds.values() for f in k.state.values())]
        starts = [f.start for f in fields if f.start is not None] + [p.value for p in self.d.placements]
        for e in [*(e for group in self.groups for e in group), *(e for s in starts for e in expressions(s))]:
            if type(e) is typed.Lit and _kind(e.type) == kind.name:  # `isinstance` is slow to reject
                decl = typed.FactDecl("", e.type, e.span, [e.value])
                results.update(self._members(decl, 0))
        return results

    def _starts(self, kind: typed.Kind) -> set[int]:
        """The regions where the set-up places pieces."""
        results: set[int] = set()
        for placement in self.d.placements:
            if isinstance(placement.target, tuple) and placement.target[1].index == kind.name:
                last = placement.keys[-1]
                results |= {last} if isinstance(last, int) else set(range(len(kind.entities)))
        return results

    def _touching(self, kind: typed.Kind, fact: typed.FactDecl) -> None:
        """Reports facts that reference an unlinked region, if most reference a linked one."""
        apart: list[tuple[int, int]] = []
        total = 0
        for a in range(len(kind.entities)):
            for b in self._members(fact, a):
                total += 1
                if a != b and b not in self.leads[a] and a not in self.leads[b]:
                    apart.append((a, b))
        if 2 * len(apart) >= total:
            return
        for a, b in apart:
            spot, there = kind.entities[a].name, kind.entities[b].name
            node = get(self.root, "map", "regions", spot, fact.name)
            place = next((w.span for w in words(node) if w.text == there), kind.entities[a].span)
            help_ = f"link the two, or name another region: {total - len(apart)} of {total} such pairs have a link"
            notes = [Label(kind.entities[b].span, "declared here")]
            message = f"the `{fact.name}` of `{spot}` is `{there}`, but no link joins the two"
            self.report.warning("RS232", message, place, notes=notes, help=help_)

    def _complete(self, kind: typed.Kind, fact: typed.FactDecl) -> None:
        """Reports a single region without a fact that all similar regions have."""
        if not isinstance(fact.type, Ent):
            return
        for other in islice(kind.facts.values(), _MAX_FACTS):
            if not isinstance(other.type, Ent) or other.type.kind == kind.name:
                continue
            alike: dict[int, list[int]] = {}
            for r, value in enumerate(other.values):
                alike.setdefault(value, []).append(r)
            for value, regions in alike.items():
                without = [r for r in regions if fact.values[r] < 0]
                if value < 0 or len(without) != 1 or len(regions) <= _ALIKE:
                    continue
                entity, what = kind.entities[without[0]], self.d.kinds[other.type.kind].entities[value].name
                message = f"`{entity.name}` has no `{fact.name}`, unlike all other regions with `{other.name}: {what}`"
                self.report.warning("RS238", message, entity.span, help=f"add its `{fact.name}`")


def _kind(type_: object) -> str:
    """The kind of an entity or a set; "" for anything else."""
    return type_.kind if isinstance(type_, Ent | SetOf) else ""


def _parts(near: list[set[int]]) -> list[set[int]]:
    """The connected components of an undirected graph."""
    parts: list[set[int]] = []
    seen: set[int] = set()
    for first in range(len(near)):
        if first in seen:
            continue
        part, rest = {first}, [first]
        while rest:
            new = near[rest.pop()] - part
            part |= new
            rest += new
        seen |= part
        parts.append(part)
    return parts
