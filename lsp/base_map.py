"""The base ruleset of a map as a template: region facts and links, and the kinds that a map may replace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.folders import stamps
from rulespec.documents.yaml_nodes import Node, Scalar, bits, entries, get, text
from rulespec.drawing.drawing_file import read_files
from rulespec.drawing.entity_looks import Look
from rulespec.load import load_ruleset, load_source
from rulespec.references import find_ruleset, parts_of
from rulespec.ruleset_files import drawing_files
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf

_RULES = ".rules"


class Profile(Struct, frozen=True):
    """The pattern of a region's facts.

    Attributes:
        values: maps a fact to the entity that it names; "some" stands for any owner.
        named: the facts that name another region.
    """

    values: tuple[tuple[str, str], ...]
    named: tuple[str, ...]

    def value(self, fact: str) -> str:
        """The value of a fact in the pattern, or "" if it has none."""
        return dict(self.values).get(fact, "")


SOME = "some"
"""The value that stands for any owner in a profile."""


class BaseMap:
    """The regions of a base ruleset, and the regularities in their facts.

    Args:
        ruleset: the base.
        root: its YAML tree.

    Attributes:
        kind: the kind of its regions.
        choices: the facts that name an entity of another kind, with that kind.
        near: the facts that name another region.
        links: the kinds of links listed at regions.
        owners: the kinds that a map may replace: region facts name their entities, no rule does, and the entities have
            state or pieces.
        profiles: the profile of each region of the base.
    """

    def __init__(self, ruleset: typed.Ruleset, root: Node) -> None:
        self.d, self.root, self._titled = ruleset.declarations, root, ruleset.titled
        self.kind = text(get(root, "map", "kind")) or "region"
        d = self.d
        facts = d.kinds[self.kind].facts if self.kind in d.kinds else {}
        self._facts = facts
        self.links = [name for name, _, form in entries(get(root, "map", "links")) if isinstance(form, Scalar)]
        types = {name: facts[name].type for name, _, _ in entries(get(root, "map", "facts")) if name in facts}
        self.near = [n for n, t in types.items() if isinstance(t, Ent) and t.kind == self.kind]
        self.choices = {n: t.kind for n, t in types.items() if isinstance(t, Ent) and t.kind != self.kind}
        self.owners = [kind for kind in dict.fromkeys(self.choices.values()) if self._is_brought(kind)]
        self.number = len(d.kinds[self.kind].entities) if self.kind in d.kinds else 0
        self.profiles = [self._profile(i) for i in range(self.number)]

    def _is_brought(self, kind: str) -> bool:
        """Whether a map may replace the entities of a kind."""
        of = self.d.kinds[kind]
        plays = bool(of.state) or any(kind in piece.each for piece in self.d.pieces.values())
        plain = len(of.entities) > 1 and not of.product and not of.is_player
        return plays and plain and not is_named_by_rules(self.d, kind)

    def value(self, fact: str, region: int) -> str:
        """The name of the entity that a region's fact names, or ""."""
        type_, value = self._facts[fact].type, self._facts[fact].values[region]
        return self.d.kinds[type_.kind].entities[value].name if isinstance(type_, Ent) and value >= 0 else ""

    def ends(self, link: str, region: int) -> Iterator[int]:
        """The regions to which a region's links of a kind lead."""
        return bits(self._facts[link].values[region]) if isinstance(self._facts[link].type, SetOf) else iter(())

    def is_owner(self, fact: str) -> bool:
        """Whether a fact names an owner."""
        return self.choices.get(fact) in self.owners

    def _profile(self, region: int) -> Profile:
        said = ((name, self.value(name, region)) for name in self.choices)
        values = tuple((name, SOME if self.is_owner(name) else value) for name, value in said if value)
        return Profile(values, tuple(name for name in self.near if self.value(name, region)))

    def fitting(self, facts: Mapping[str, str]) -> Counter[Profile]:
        """The base's profiles that include the given facts, each with the number of its regions.

        If the facts name no owner, only profiles without an owner fit, because only the author can choose an owner.
        """

        def fits(profile: Profile) -> bool:
            known = [(n, SOME if self.is_owner(n) else v) for n, v in facts.items() if n in self.choices]
            none = [(n, "") for n in self.choices if self.is_owner(n) and n not in facts]
            named = all(n in profile.named for n in self.near if n in facts)
            return named and all(profile.value(name) == value for name, value in (*known, *none))

        return Counter(profile for profile in self.profiles if fits(profile))

    @cached_property
    def _between(self) -> dict[tuple[str, ...], set[str]]:
        """A fact with its values at both ends → the kinds of links between such regions."""
        results: dict[tuple[str, ...], set[str]] = {}
        for link in self.links:
            for a in range(self.number):
                for b in self.ends(link, a):
                    for fact in self.choices:
                        key = (fact, *sorted((self.value(fact, a), self.value(fact, b))))
                        results.setdefault(key, set()).add(link)
        return results

    def links_between(self, one: Mapping[str, str], other: Mapping[str, str], among: Sequence[str]) -> tuple[str, ...]:
        """The link kinds in `among` that occur in the base between regions with the same facts as `one` and `other`."""
        results = tuple(among)
        for fact in self.choices:
            if fact in one and fact in other:
                known = self._between.get((fact, *sorted((one[fact], other[fact]))), set())
                results = tuple(link for link in results if link in known) or results
        return results

    @cached_property
    def reach(self) -> dict[str, tuple[tuple[str, ...], dict[str, str]]]:
        """Maps a fact that names regions to the links that always lead to them, and the facts common to them."""
        results = {}
        for fact in self.near:
            pairs = [(i, self._facts[fact].values[i]) for i in range(self.number) if self._facts[fact].values[i] >= 0]
            always = tuple(link for link in self.links if pairs and all(b in {*self.ends(link, a)} for a, b in pairs))
            said = {n: {self.value(n, b) for _, b in pairs} for n in self.choices if not self.is_owner(n)}
            common = {name: next(iter(values)) for name, values in said.items() if len(values) == 1}
            results[fact] = (always, {name: value for name, value in common.items() if value})
        return results

    @cached_property
    def looks(self) -> Mapping[str, Mapping[str, Look]]:
        """Maps each kind and entity to the entity's look in the base."""
        return read_files(self.d, [*drawing_files(self._titled)], Report()).looks

    @cached_property
    def owned(self) -> dict[str, list[int]]:
        """Maps each owner to the regions it owns."""
        results: dict[str, list[int]] = {}
        for fact in self.choices:
            for i in range(self.number) if self.is_owner(fact) else ():
                if owner := self.value(fact, i):
                    results.setdefault(owner, []).append(i)
        return results


def is_named_by_rules(d: typed.Declarations, kind: str) -> bool:
    """Whether a rule or a check names an entity of the kind."""
    names = {id(entity) for entity in d.kinds[kind].entities}
    asked = [part.span for check in d.checks for part in (check.that, check.where) if part is not None]
    spans = [span for span, named in d.references.items() if id(named) in names]
    return any(
        span.file.endswith(_RULES) or any(a.file == span.file and a.line <= span.line <= a.end_line for a in asked)
        for span in spans
    )


def kinds_on_regions(d: typed.Declarations, region: str) -> list[str]:
    """The kinds whose entities name regions but are not named by rules, such as straits."""
    return [
        name
        for name, of in d.kinds.items()
        if name not in (region, *d.links)
        and of.entities
        and any(isinstance(fact.type, Ent | SetOf) and fact.type.kind == region for fact in of.facts.values())
        and not is_named_by_rules(d, name)
    ]


def base_map(folder: Path, extends: str) -> BaseMap | None:
    """The base of the ruleset in a folder; None if there is no base, or if the base has errors."""
    if not extends:
        return None
    name, *overlays = parts_of(extends)
    try:
        base = find_ruleset(name, beside=folder)
        return _base_map("+".join([str(base), *overlays]), tuple(sorted(stamps([base]).items())))
    except DiagnosticsError:
        return None


@lru_cache(maxsize=8)
def _base_map(ref: str, written: object) -> BaseMap:
    """The cached base; `written`, the stamps of its files, is part of the cache key."""
    del written
    return BaseMap(load_ruleset(ref), load_source(ref, Report(), lints=False).source.root)
