"""Proposals for a map's missing facts, links and pieces, modelled on the regions of the base."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from rulespec.documents.yaml_nodes import Node, entries, get, text, to_plain
from rulespec.documents.yaml_nodes import Sequence as YamlSequence
from rulespec.lsp.base_map import SOME, BaseMap, Profile

_COMMENT = re.compile(r"[ \t]+# ([a-z0-9_]+(?: or [a-z0-9_]+)*): \[([\w ,\"]*)\][ \t]*\r?$")
_KEY = re.compile(r"[ \t]+\"?([a-z0-9_]+)\"?:")
_LESS = re.compile(r"(.+) - (\d+)")

Facts = Mapping[str, str]


class Proposed(Struct, frozen=True):
    """A link proposed in a comment of a map.

    Attributes:
        region: the region that has the comment.
        other: the region at the other end.
        kinds: the possible link kinds.
        line: the line of the comment, from 0.
    """

    region: str
    other: str
    kinds: tuple[str, ...]
    line: int


def proposed_links(raw: str, known: Sequence[str], kinds: Sequence[str]) -> list[Proposed]:
    """The links between existing regions that comments of a map propose."""
    results, region = [], ""
    for number, line in enumerate(raw.split("\n")):
        comment = _COMMENT.match(line)
        if comment is None:
            key = _KEY.match(line)
            region = key[1] if key is not None and key[1] in known else region
            continue
        among = tuple(each for each in comment[1].split(" or ") if each in kinds)
        names = [each.strip(' "') for each in comment[2].split(",")]
        results += [Proposed(region, each, among, number) for each in names if among and each in known and region]
    return results


def without(raw: str, taken: Sequence[Proposed]) -> str:
    """The text of a map without the comments whose links were accepted."""
    lines = raw.split("\n")
    for number in sorted({each.line for each in taken}, reverse=True):
        gone = {each.other for each in taken if each.line == number}
        comment = _COMMENT.match(lines[number])
        names = comment[2].split(",") if comment is not None else []
        rest = [each.strip() for each in names if each.strip(' "') not in gone]
        if rest and comment is not None:
            lines[number] = lines[number].replace(f"[{comment[2]}]", f"[{', '.join(rest)}]")
        else:
            del lines[number]
    return "\n".join(lines)


class MapRegions:
    """The regions of a map with their facts and links, as written in its file.

    Args:
        base: the base of the map.
        tree: its regions.
    """

    def __init__(self, base: BaseMap, tree: Node | None) -> None:
        self.base = base
        self.facts: dict[str, dict[str, str]] = {}
        self.ends: dict[str, dict[str, list[str]]] = {}
        for name, _, node in entries(tree):
            said = [*base.choices, *base.near]
            self.facts[name] = {fact: value for fact in said if (value := text(get(node, fact)))}
            self.ends[name] = {link: _names(get(node, link)) for link in base.links}
        for name, ends in self.ends.items():
            for link, others in ends.items():
                for other in others:
                    if other in self.ends and name not in self.ends[other][link]:
                        self.ends[other][link].append(name)

    # --- facts -------------------------------------------------------------------------------------------------------

    def certain(self) -> dict[str, Facts]:
        """For each region, the facts common to all similar regions of the base."""
        results: dict[str, Facts] = {}
        for name, facts in self.facts.items():
            fitting = [*self.base.fitting(facts)] if facts else []
            values = {n: {p.value(n) for p in fitting} for n in self.base.choices if n not in facts}
            new = {n: next(iter(each)) for n, each in values.items() if len(each) == 1 and each != {""}}
            if new := {n: value for n, value in new.items() if value != SOME}:
                results[name] = new
        return results

    def chosen(self) -> dict[str, Facts]:
        """For each region, values for the facts that the base leaves open: each owner gets a similar mix of regions."""
        results: dict[str, Facts] = {}
        groups: dict[str, list[str]] = {}
        for name in self.facts:
            groups.setdefault(self.owner(name), []).append(name)
        used: Counter[str] = Counter()
        for names in groups.values():
            open_ = {name: self._possible(name) for name in names if self.facts[name]}
            open_ = {name: each for name, each in open_.items() if each and not self._is_done(name, each)}
            taken = Counter(self._now(name) for name in names if name not in open_)
            for name in sorted(open_, key=lambda each: len(open_[each])):  # regions without a choice come first
                profile = self._next(open_, name, taken, len(names))
                taken[profile] += 1
                if new := self._facts_of(name, profile, used):
                    results[name] = new
        return results

    def owner(self, name: str) -> str:
        """The owner of a region; "" if it has none."""
        return next((value for fact, value in self.facts[name].items() if self.base.is_owner(fact)), "")

    def _now(self, name: str) -> Profile:
        facts = self.facts[name]
        values = ((n, SOME if self.base.is_owner(n) else facts[n]) for n in self.base.choices if n in facts)
        return Profile(tuple(values), tuple(n for n in self.base.near if n in facts))

    def _is_done(self, name: str, possible: Mapping[Profile, int]) -> bool:
        """Whether a region already matches one of the base's profiles, and no other is possible."""
        return self._now(name) in possible and len(possible) == 1

    def _possible(self, name: str) -> Counter[Profile]:
        """The profiles of the base that a region can still have, given its links."""
        fitting = self.base.fitting(self.facts[name])
        return Counter({p: n for p, n in fitting.items() if all(self._places(name, fact) for fact in p.named)})

    def _places(self, name: str, fact: str) -> list[str]:
        """The regions that a region's fact can name."""
        links, common = self.base.reach[fact]
        if fact in self.facts[name]:
            return [self.facts[name][fact]]
        ends = [self.ends[name][link] for link in links]
        near = ends[0] if ends else []
        wanted = common.items()
        return [
            each
            for each in near
            if each in self.facts
            and all(each in others for others in ends)
            and all(self.facts[each].get(n) == value for n, value in wanted)
        ]

    def _next(self, open_: Mapping[str, Counter[Profile]], name: str, taken: Counter[Profile], number: int) -> Profile:
        """The profile that is rarest so far, relative to its frequency in the base."""
        among = Counter[Profile]()
        for each in open_.values():
            among |= each
        whole = sum(among.values()) or 1

        def lack(profile: Profile) -> tuple[float, int]:
            return number * among[profile] / whole - taken[profile], among[profile]

        return max(open_[name], key=lack)

    def _facts_of(self, name: str, profile: Profile, used: Counter[str]) -> Facts:
        """The facts that give a region a profile."""
        facts = self.facts[name]
        new = {n: v for n, v in profile.values if n not in facts and v != SOME}
        for fact in profile.named:
            if fact not in facts:
                place = min(self._places(name, fact), key=lambda each: used[each])
                used[place] += 1
                new[fact] = place
        return new

    # --- pieces ------------------------------------------------------------------------------------------------------

    def standing(self, pieces: str) -> dict[str, int]:
        """For each region, the proposed number of pieces at the start: as many per owner as in the base, on similar
        regions.

        The result is empty if some of the base's pieces start in regions without an owner.
        """
        counts = self._counts(get(self.base.root, "setup", "pieces", pieces))
        like = {self.base.profiles[i] for i in counts}
        numbers = Counter(sum(i in counts for i in regions) for regions in self.base.owned.values())
        if not counts or not numbers or sum(n * times for n, times in numbers.items()) < len(counts):
            return {}
        wanted, count = max(numbers, key=lambda n: numbers[n]), max(counts.values(), key=[*counts.values()].count)
        results: dict[str, int] = {}
        owners = dict.fromkeys(self.owner(name) for name in self.facts)
        for owner in owners:
            mine = [name for name in self.facts if owner and self.owner(name) == owner and self._now(name) in like]
            kinds: Counter[Profile] = Counter()
            for _ in range(min(wanted, len(mine))):
                name = min(mine, key=lambda each: kinds[self._now(each)])  # one of each profile before a second
                kinds[self._now(name)] += 1
                mine.remove(name)
                results[name] = count
        return results

    def _counts(self, node: Node | None) -> dict[int, int]:
        names = {entity.name: i for i, entity in enumerate(self.base.d.kinds[self.base.kind].entities)}
        data: Any = to_plain(node) if node is not None else {}
        if not isinstance(data, dict):
            return {}
        return {names[k]: v for k, v in data.items() if k in names and isinstance(v, int)}

    def supplies(self, pieces: str, placed: int) -> Iterator[tuple[tuple[str, ...], Any]]:
        """The adjusted numbers of the same pieces in other places, by path, if `placed` of them are on the map.

        The adjusted number excludes the pieces on the map. If the base has exactly one piece for each eligible region,
        the total grows to the number of eligible regions of the map.
        """
        counts = self._counts(get(self.base.root, "setup", "pieces", pieces))
        like = {self.base.profiles[i] for i in counts}
        name, _, _ = pieces.partition(".")
        for place, _, node in entries(get(self.base.root, "setup", "pieces")):
            less = _LESS.fullmatch(text(node)) if place.startswith(f"{name}.") and place != pieces else None
            if less is None or int(less[2]) != sum(counts.values()):
                continue
            yield ("setup", "pieces", place), f"{less[1]} - {placed}"
            constant = self.base.d.constants.get(less[1])
            needed = sum(self._now(each) in like for each in self.facts)
            if constant is not None and constant.value == sum(p in like for p in self.base.profiles) < needed:
                yield ("constants", less[1]), needed


def _names(node: Node | None) -> list[str]:
    return [text(item) for item in node.items] if isinstance(node, YamlSequence) else []
