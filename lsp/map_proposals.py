"""Edits that accept proposals for a map: proposals from its base, its drawing's colours, and comments about links."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_nodes import Sequence as YamlSequence
from rulespec.documents.yaml_nodes import entries, get, text, to_plain
from rulespec.edits.yaml_edits import YamlEdits
from rulespec.lsp.base_map import BaseMap
from rulespec.lsp.brought_kinds import Brought, Changes, lines_of
from rulespec.lsp.drawn_colours import Guess, drawn_colours, guesses
from rulespec.lsp.fact_proposals import Facts, MapRegions, Proposed, proposed_links, without
from rulespec.lsp.map_edits import Edited, fewest_complaints
from rulespec.lsp.map_files import GAME, MAP, PIECES, REGIONS, MapEditError, MapFiles
from rulespec.ruleset_files import DRAWING, MAX_YAML, SETUP
from rulespec.schemas import modeline

KINDS, TABLES = "kinds.yaml", "tables.yaml"
_AFTER = ("players", "units", "start", "replaces", "settings", "overlays")
"""The order of a game file's keys from `players` on, for inserting new ones."""
_DEPTH = 3
_DEEP = 8  # nested mappings compared entry by entry
_FILES = {"kinds": KINDS, "state": KINDS, "tables": TABLES, "constants": TABLES, "setup": SETUP, "drawing": DRAWING}
"""Section of a ruleset → the map's file for it."""
_ASKED = 100
"""The maximum number of links whose kind is determined at once; the other comments stay."""
MOST = 40
"""The maximum number of new entities that can replace those of the base."""


class Proposal(Struct, frozen=True):
    """A proposal: its name for `accept`, a sentence, and the regions that it affects."""

    name: str
    title: str
    regions: tuple[str, ...]


class MapProposals:
    """Proposals for a map and the edits that accept them, both computed from the map's current texts.

    Args:
        map_: the map.
    """

    def __init__(self, map_: MapFiles) -> None:
        self.map = map_

    @cached_property
    def base(self) -> BaseMap | None:
        """The base of the map; None if the map is a standalone game, or if the base has errors."""
        result = self.map.base()
        return result if result is not None and result.kind == self.map.kind() and result.number else None

    def _needed(self) -> BaseMap:
        if self.base is None:
            raise MapEditError("there is nothing to follow: this map extends no ruleset with a valid map")
        return self.base

    @cached_property
    def _regions(self) -> MapRegions:
        return MapRegions(self._needed(), get(self.map.tree(MAP), *REGIONS))

    # --- what is proposed --------------------------------------------------------------------------------------------

    def all(self) -> Iterator[Proposal]:
        """The proposals, in the recommended order."""
        if self.base is not None and (facts := self._regions.certain()):
            yield Proposal("facts", f"{_said(facts)}: as in all similar regions of the base", tuple(facts))
        if links := self._links():
            regions = dict.fromkeys(name for each in links for name in (each.region, each.other))
            yield Proposal("links", f"{_counted(len(links), 'link')} between regions that touch", tuple(regions))
        if self.base is not None and not links and (chosen := self._regions.chosen()):
            yield Proposal("choices", f"{_said(chosen)}: as often as in the base", tuple(chosen))
        if self.base is not None:
            for pieces, standing in self._standing().items():
                yield Proposal("pieces", f"`{pieces}` in {_counted(len(standing), 'region')}", tuple(standing))

    def _links(self) -> list[Proposed]:
        """The links proposed by comments and not yet in the map."""
        known = self.map.keys(MAP, REGIONS)
        try:
            kinds = self.map.link_kinds()
        except MapEditError:
            return []
        return proposed_links(self.map.raw(self.map.folder / MAP), known, kinds)

    def _standing(self) -> dict[str, dict[str, int]]:
        """Pieces → region → the proposed number, for pieces that do not yet start anywhere."""
        checked, _ = self.map.checked()
        root = checked.source.root if checked is not None else None
        nowhere = [pieces for pieces in self.map.pieces() if not [*entries(get(root, *PIECES, pieces))]]
        return {pieces: each for pieces in nowhere if (each := self._regions.standing(pieces))}

    def colours(self) -> Iterator[tuple[str, list[str], Guess]]:
        """The colours of the drawing, with their regions and likely meanings."""
        drawn = drawn_colours(self.map)
        meant = guesses(self.base, drawn) if self.base is not None else {}
        for colour, regions in sorted(drawn.items(), key=lambda each: (-len(each[1]), each[0])):
            yield colour, regions, meant.get(colour, Guess())

    def own(self, kind: str) -> dict[str, Any]:
        """The map's own entities of a kind."""
        tree = self.map.tree(KINDS) if self._is_there(KINDS) else None
        data: Any = to_plain(node) if (node := get(tree, "kinds", kind, "entities")) is not None else {}
        return data if isinstance(data, dict) and f"kinds.{kind}.entities" in self._replaces() else {}

    def _replaces(self) -> list[str]:
        there = get(self.map.tree(GAME), "replaces")
        return [text(item) for item in there.items] if isinstance(there, YamlSequence) else []

    def _is_there(self, file: str) -> bool:
        path = self.map.folder / file
        return path in self.map.texts or path.is_file()

    # --- edits -------------------------------------------------------------------------------------------------------

    def accept(self, name: str) -> Edited:
        """Accepts the proposals named `facts`, `links`, `choices` or `pieces`, or `all` of them in this order."""
        takes: dict[str, Callable[[], Edited]] = {
            "facts": lambda: self._set(self._regions.certain()),
            "links": self._linked,
            "choices": lambda: self._set(self._regions.chosen()),
            "pieces": self._put,
        }
        if name == "all":
            return self._all([*takes] if self.base is not None else ["links"])
        self.map.known(name, "proposal", [*takes, "all"])
        return takes[name]()

    def _all(self, names: Sequence[str]) -> Edited:
        texts: dict[Path, str] = {}
        remarks: list[str] = []
        for name in names:
            edited = MapProposals(self.map).accept(name)
            self.map.take(edited.texts)
            texts |= edited.texts
            remarks += edited.remarks
        return Edited(texts, tuple(remarks))

    def _set(self, facts: Mapping[str, Facts]) -> Edited:
        path, order = self.map.folder / MAP, self.map.order()
        one = YamlEdits(self.map.raw(path), str(path), MAX_YAML)
        for region, each in facts.items():
            for fact in sorted(each, key=order.index):
                one.put((*REGIONS, region, fact), each[fact], order)
        return Edited({path: one.applied()})

    def _linked(self) -> Edited:
        """The map with the links of comments; a comment stays if the kind of its link is ambiguous."""
        path = self.map.folder / MAP
        links, taken, asked = self._links(), list[Proposed](), 0
        facts = self._regions.facts if self.base is not None else {}
        ends: dict[tuple[str, str], list[str]] = {}
        for each in links:
            kinds: Sequence[str] = each.kinds
            if self.base is not None and len(kinds) > 1:
                kinds = self.base.links_between(facts[each.region], facts[each.other], kinds)
            if len(kinds) > 1 and asked < _ASKED and (not facts or (facts[each.region] and facts[each.other])):
                asked += 1
                kinds = fewest_complaints(self.map, each.region, each.other, kinds)
            if len(kinds) != 1:
                continue
            taken.append(each)
            both = text(self.map.declared("links", kinds[0])) == "two_way"
            for begin, end in ((each.region, each.other), (each.other, each.region))[: 1 + both]:
                if end not in self.map.linked_to(begin, kinds[0]):
                    ends.setdefault((begin, kinds[0]), []).append(end)
        one = YamlEdits(without(self.map.raw(path), taken), str(path), MAX_YAML)
        order = self.map.order()
        for (region, kind), others in sorted(ends.items(), key=lambda each: order.index(each[0][1])):
            if get(one.root, *REGIONS, region, kind) is None:
                one.put((*REGIONS, region, kind), list(dict.fromkeys(others)), order)
            else:
                for other in dict.fromkeys(others):
                    one.add_item((*REGIONS, region, kind), other)
        return Edited({path: one.applied()})

    def _put(self) -> Edited:
        """Sets starting pieces, and reduces their number elsewhere by as many."""
        changes: Changes = {}
        for pieces, standing in self._standing().items():
            changes[*PIECES, pieces] = standing
            changes |= self._regions.supplies(pieces, sum(standing.values()))
        return Edited(self.written(changes))

    def colour(self, colour: str, fact: str, value: str) -> Edited:
        """Sets a fact for all regions with a given colour in the drawing; an owner gets that colour on the board."""
        regions = drawn_colours(self.map).get(colour)
        if not regions:
            raise MapEditError(f"no region has the colour `{colour[:40]}` in the drawing")
        self.map.known(fact, "fact", self.map.facts())
        texts = self._set({region: {fact: value} for region in regions}).texts
        if self.base is not None and self.base.is_owner(fact):
            look = ("drawing", "entities", self.base.choices[fact], value)
            known = self._has(DRAWING, look)
            texts |= self._written(DRAWING, {(*look, "colour"): colour} if known else {look: {"colour": colour}}, 0)
        return Edited(texts)

    def looks(self, kind: str, colours: Mapping[str, str]) -> Edited:
        """Sets the colours of entities on the board, except for entities that already have a look."""
        looks = {("drawing", "entities", kind, name): {"colour": colour} for name, colour in colours.items()}
        return Edited(self._written(DRAWING, {p: look for p, look in looks.items() if not self._has(DRAWING, p)}, 0))

    def _has(self, file: str, path: Sequence[str]) -> bool:
        """Whether a file exists and has a path."""
        return self._is_there(file) and get(self.map.tree(file), *path) is not None

    def bring(self, kind: str, titles: Mapping[str, str]) -> Edited:
        """Replaces the base's entities of a kind by the map's own, and adapts facts, tables and set-up."""
        base = self._needed()
        self.map.known(kind, "replaceable kind", base.owners)
        if not 1 < len(titles) <= MOST:
            raise MapEditError(f"give 2 to {MOST} names: a map replaces all entities of the kind")
        for name in titles:
            if not name.isidentifier() or not name.isascii() or name != name.lower() or name[0] == "_":
                raise MapEditError(
                    f"`{name[:40]}` is not a name: use lower-case letters, digits and `_`, starting with a letter"
                )
            if any(name in of.index for other, of in base.d.kinds.items() if other not in (kind, base.kind)):
                raise MapEditError(f"`{name}` is already a name in the rules: choose another")
        brought = Brought(base, kind, titles, self.own(kind))
        changes = brought.changes()
        mine = {path: value for path, value in changes.items() if path[0] == "game"}
        rest = self._changed({path: value for path, value in changes.items() if path not in mine})
        return Edited(self.written(rest, _DEPTH) | self._game(mine, brought.replaced(changes)))

    def _changed(self, changes: Changes) -> Changes:
        """The changes, split into single entries where a mapping keeps its keys, so that unchanged lines stay."""
        results: dict[tuple[str, ...], Any] = {}
        for path, value in changes.items():
            file = _FILES[path[0]]
            node = get(self.map.tree(file), *path) if self._is_there(file) else None
            there: Any = to_plain(node) if node is not None else None
            if isinstance(there, dict) and isinstance(value, dict) and {*there} <= {*value} and len(path) < _DEEP:
                results |= self._changed({(*path, key): inner for key, inner in value.items()})
            elif node is None or there != value:
                results[tuple(path)] = value
        return results

    def written(self, changes: Changes, depth: int = 1) -> dict[Path, str]:
        """The files with the new values."""
        texts: dict[Path, str] = {}
        for file in dict.fromkeys(_FILES[path[0]] for path in changes):
            mine = {path: value for path, value in changes.items() if _FILES[path[0]] == file}
            texts |= self._written(file, mine, depth)
        return texts

    def _game(self, changes: Changes, replaced: Sequence[str]) -> dict[Path, str]:
        path = self.map.folder / GAME
        raw = self.map.raw(path)
        for (_, key), value in changes.items():
            one = YamlEdits(raw, str(path), MAX_YAML)
            one.put((key,), value, _AFTER)
            raw = one.applied()
        for each in replaced:
            one = YamlEdits(raw, str(path), MAX_YAML)
            if get(one.root, "replaces") is None:
                one.put(("replaces",), [each], _AFTER)
            elif each not in self._replaces():
                one.add_item(("replaces",), each)
            raw = one.applied()
        return {path: raw}

    def _written(self, file: str, changes: Changes, depth: int) -> dict[Path, str]:
        """A file with new values; new mappings have one line per entry down to a certain depth."""
        path = self.map.folder / file
        raw = self.map.raw(path)
        if not raw.strip():
            raw = "".join(f"{line}\n" for line in modeline(self.map.folder, Path(file).stem))
        for place, value in changes.items():
            one = YamlEdits(_begun(raw, place[0]), str(path), MAX_YAML)
            if get(one.root, *place) is not None:
                one.put(place, value)
            else:
                _add(one, place, value, depth)
            raw = one.applied()
        return {path: raw}


def _begun(raw: str, section: str) -> str:
    """A file with a section, appended below the comments if the file is otherwise empty."""
    root = YamlEdits(raw, section, MAX_YAML).root
    if isinstance(root, YamlMapping):
        return raw
    end = "\r\n" if "\r\n" in raw else "\n"
    return f"{raw}{end if raw and not raw.endswith(end) else ''}{section}: {{}}{end}"


def _add(one: YamlEdits, path: Sequence[str], value: Any, depth: int) -> None:
    """Adds an entry, and any missing mappings around it."""
    there = next(n for n in range(len(path) - 1, -1, -1) if isinstance(get(one.root, *path[:n]), YamlMapping))
    new = path[there:]
    lines = [f"{'  ' * depth_}{key}:" for depth_, key in enumerate(new[:-1])]
    lines += [f"{'  ' * (len(new) - 1)}{line}" for line in lines_of(new[-1], value, depth)]
    for key in reversed(new[1:]):
        value = {key: value}
    one.add(path[: there + 1], lines, value)


def _said(facts: Mapping[str, Facts]) -> str:
    names = dict.fromkeys(name for each in facts.values() for name in each)
    return f"{', '.join(f'`{name}`' for name in names)} of {_counted(len(facts), 'region')}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
