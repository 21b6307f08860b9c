"""Edits of a map by fact, link, place and region, each of which changes the files' texts as little as possible."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.folders import visible
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import DEFAULT_LIMITS, Node, Scalar, entries, get, text, to_plain
from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_nodes import Sequence as YamlSequence
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.edits.yaml_edits import YamlEdits
from rulespec.engine.verify.verified_facts import failed_checks
from rulespec.fixes import fixed
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import NameIndex
from rulespec.lsp.map_files import MAP, PIECES, REGIONS, WORDS, MapEditError, MapFiles
from rulespec.lsp.mentions import Mentions
from rulespec.lsp.project import files_beside
from rulespec.lsp.rename import rename
from rulespec.ruleset_files import DRAWING, MAX_YAML, OUTLINES, SETUP


class OpenKindError(MapEditError):
    """A link whose kind is ambiguous; `kinds` are the kinds with the fewest failed checks."""

    def __init__(self, text: str, kinds: Sequence[str]) -> None:
        super().__init__(text)
        self.kinds = tuple(kinds)


class Edited(Struct, frozen=True):
    """The result of an edit.

    Attributes:
        texts: the new texts of the changed files, with their line endings.
        remarks: sentences about dependent parts that were not changed.
    """

    texts: dict[Path, str]
    remarks: tuple[str, ...] = ()


class MapEdits:
    """Edits of a ruleset's map. Each edit applies to the result of the earlier ones; nothing is written to disk.

    Args:
        folder: the folder of the ruleset; only its files are changed.
        files: its files, with a memo of the parsed ones.

    Attributes:
        map: the map after the edits so far.
    """

    def __init__(self, folder: Path, files: EditorFiles | None = None) -> None:
        self.map = MapFiles(folder, files)

    def make(self, edit: Callable[[], Edited]) -> Edited:
        """Makes an edit; later edits apply to its result.

        Raises:
            MapEditError: if it is impossible; the text gives the reason.
            DiagnosticsError: if a file is unreadable, or formatted in a way that a program cannot change.
            RenameError: if a name cannot be changed.
        """
        result = edit()
        self.map.take(result.texts)
        return result

    def set(self, region: str, fact: str, value: str) -> Edited:
        """Sets a fact of a region; `value` is YAML, unless the fact is a text."""
        path = self.map.region(region)
        self.map.known(fact, "fact", [*self.map.facts(), *WORDS])
        data = _value(fact, value)
        return self._edited(MAP, lambda one: one.put((*path, fact), data, self.map.order()))

    def unset(self, region: str, fact: str) -> Edited:
        """Removes a fact of a region."""
        path = self.map.region(region)
        self.map.known(fact, "fact", [key for key, _, _ in entries(get(self.map.tree(MAP), *path))])
        return self._edited(MAP, lambda one: one.remove((*path, fact)))

    def put(self, region: str, pieces: str, number: int) -> Edited:
        """Sets the number of pieces that start in a region, for example of `factory.at`; 0 removes the entry."""
        self.map.region(region)
        self.map.known(pieces, "place of pieces in regions", self.map.pieces())
        if number < 0:
            raise MapEditError(f"the number of pieces cannot be {number}")
        path = self.map.folder / SETUP
        one = YamlEdits(self.map.raw(path) or "setup: {}\n", str(path), MAX_YAML)
        counts = get(one.root, *PIECES, pieces)
        if counts is not None and not isinstance(counts, YamlMapping):
            raise MapEditError(
                f"{SETUP} puts the same number of `{pieces}` everywhere: write the numbers region by region"
            )
        entry = (*PIECES, pieces, region)
        if number == 0 and get(counts, region) is not None:
            one.remove(entry)
        else:
            one.put_in(entry, number)
        return Edited({path: one.applied()})

    def link(self, a: str, b: str, kind: str = "") -> Edited:
        """Links two regions, by default with the link kind that fails the fewest checks."""
        self.map.region(a), self.map.region(b)
        if a == b:
            raise MapEditError("a link must join two different regions")
        kinds = self.map.link_kinds()
        if kind:
            self.map.known(kind, "kind of links", kinds)
            return self._linked(a, b, kind)
        new = [each for each in kinds if b not in self.map.linked_to(a, each)]
        fewest = fewest_complaints(self.map, a, b, new)
        if len(fewest) != 1:
            listed = ", ".join(fewest) or "none of the kinds of links"
            raise OpenKindError(f"{listed} may join `{a}` and `{b}`: name the kind", fewest)
        return self._linked(a, b, fewest[0])

    def unlink(self, a: str, b: str, kind: str = "") -> Edited:
        """Removes all links between two regions, or only links of one kind; the other region need not exist."""
        self.map.region(a)
        ends = self.map.linked_to
        there = [each for each in self.map.link_kinds() if b in ends(a, each) or a in ends(b, each)]
        chosen = [each for each in there if not kind or each == kind]
        if not chosen:
            raise MapEditError(
                f"`{a}` and `{b}` have no such link; the links between them are {', '.join(there) or 'none'}"
            )

        def edit(one: YamlEdits) -> None:
            for each in chosen:
                for begin, end in ((a, b), (b, a)):
                    ends = self.map.linked_to(begin, each)
                    if ends == [end]:
                        one.remove((*REGIONS, begin, each))
                    elif end in ends:
                        one.remove_item((*REGIONS, begin, each), end)

        return self._edited(MAP, edit)

    def move(self, region: str, x: int, y: int) -> Edited:
        """Moves a region on the board: in the map or, if the drawing contains the position, in the drawing.

        If the region's outline has a spot for its name, that spot moves instead.
        """
        path, board = self.map.region(region), ("drawing", "boards", self.map.kind())
        label, place = (*board, "outlines", region, "label"), (*board, "positions")
        for file in (DRAWING, OUTLINES):
            if (self.map.folder / file).is_file() and get(self.map.tree(file), *label) is not None:
                return self._edited(file, lambda one: one.put(label, [x, y]))
        if (self.map.folder / DRAWING).is_file() and region in self.map.keys(DRAWING, place):
            return self._edited(DRAWING, lambda one: one.put((*place, region), [x, y]))
        return self._edited(MAP, lambda one: one.put((*path, "position"), [x, y], self.map.order()))

    def add(self, region: str, facts: Mapping[str, str]) -> Edited:
        """Adds a region with the given facts, which are in YAML notation."""
        if region in self.map.keys(MAP, REGIONS):
            raise MapEditError(f"there is already a region `{region}`")
        if not region.isidentifier() or not region.isascii() or region != region.lower() or region[0] == "_":
            raise MapEditError(
                f"`{region[:64]}` is not a region name: use lower-case letters, digits and `_`, starting with a letter"
            )
        for fact in facts:
            self.map.known(fact, "fact", [*self.map.facts(), *WORDS])
        order = self.map.order()
        data = {fact: _value(fact, facts[fact]) for fact in sorted(facts, key=order.index)}
        root = self.map.tree(MAP)
        if isinstance(get(root, *REGIONS), YamlMapping):
            return self._edited(MAP, lambda one: one.put((*REGIONS, region), data))
        if isinstance(get(root, "map"), YamlMapping) and get(root, *REGIONS) is None:
            return self._edited(MAP, lambda one: one.put(REGIONS, {region: data}))
        if isinstance(root, Scalar) and root.value is None:
            return self._first(region, data)
        raise MapEditError(f"{MAP} has no mapping `regions` for adding a region: write `regions: {{}}`")

    def _first(self, region: str, data: Any) -> Edited:
        """Adds the first region to an empty map file, below its comments."""
        path = self.map.folder / MAP
        raw = self.map.raw(path)
        end = "\r\n" if "\r\n" in raw else "\n"
        head = f"{end if raw and not raw.endswith(end) else ''}map:{end}  regions: {{}}{end}"
        one = YamlEdits(raw + head, str(path), MAX_YAML)
        one.put((*REGIONS, region), data)
        return Edited({path: one.applied()})

    def rename(self, old: str, new: str) -> Edited:
        """Renames a region in all files of the ruleset, as renaming in the editor does."""
        checked, named = self.map.named(old)
        return renamed(self.map, NameIndex(checked), (named.span.file, named.span.line, named.span.column), new)

    def remove(self, region: str) -> Edited:
        """Removes a region together with its links, position and titles.

        Uses of the region in rules, scenarios and overlays are returned as remarks.
        """
        checked, named = self.map.named(region)
        if ends := self.map.links_at(region):
            listed = ", ".join(f"`{each}`" for each in ends[:4]) + (", …" if len(ends) > 4 else "")
            raise MapEditError(f"`{region}` is an end of links with facts: first remove {listed} in {MAP}")
        index = NameIndex(checked)
        mentions = Mentions(checked.ruleset, self.map.files, [region])
        beside = files_beside(self.map.ref)
        mentions.read(beside)
        wanted = index.identity(named)
        spans = index.places(wanted) | {s for s, n in mentions.places.items() if index.identity(n) == wanted}
        results: dict[Path, str] = {}
        remarks: list[str] = []
        for file in sorted({span.file for span in spans}):
            places = {(s.line, s.column) for s in spans if s.file == file}
            real = Path(file).resolve()
            if real not in self.map.own:
                continue
            if real.suffix != ".yaml" or "scenarios" in real.parts:
                remarks += [f"{file}:{line}: `{region}` also occurs here" for line, _ in sorted(places)]
                continue
            edits = YamlEdits(self.map.raw(real), file, MAX_YAML)
            for cut in _cuts(edits.root, places, ()):
                _cut(edits, cut)
            results[real] = edits.applied()
        return Edited(results, (*remarks, *self._in_overlays(region)))

    def _in_overlays(self, word: str) -> Iterator[str]:
        """Remarks on the ruleset's overlay files that contain a word."""
        for path in sorted(visible(self.map.folder, "variants/**/*.*")):
            if path in self.map.own and re.search(rf"\b{word}\b", self.map.raw(path)):
                yield f"{display(path)}: `{word}` also occurs here"

    def _edited(self, file: str, edit: Callable[[YamlEdits], None]) -> Edited:
        path = self.map.folder / file
        one = YamlEdits(self.map.raw(path), str(path), MAX_YAML)
        edit(one)
        return Edited({path: one.applied()})

    def _linked(self, a: str, b: str, kind: str) -> Edited:
        """The map with a link; a two-way link is entered at both ends."""
        both = text(get(self.map.declared("links"), kind)) == "two_way"

        def edit(one: YamlEdits) -> None:
            for begin, end in ((a, b), (b, a)) if both else ((a, b),):
                path = (*REGIONS, begin, kind)
                if end in self.map.linked_to(begin, kind):
                    continue
                if get(one.root, *path) is None:
                    one.put(path, [end], self.map.order())
                else:
                    one.add_item(path, end)

        return self._edited(MAP, edit)


def renamed(map_: MapFiles, index: NameIndex, at: tuple[str, int, int], new: str) -> Edited:
    """The files after renaming the thing whose name is at a place."""
    renaming = rename(index, at, new, map_.files)
    shown = {edit.span.file for edit in renaming.edits}
    texts = {file: map_.raw(Path(file).resolve()) for file in shown}
    plain = {file: raw.removeprefix("\ufeff").replace("\r\n", "\n") for file, raw in texts.items()}
    results = {file: as_before(texts[file], after) for file, after in fixed(plain, renaming.edits).items()}
    return Edited({Path(file).resolve(): after for file, after in results.items()}, tuple(renaming.remarks))


def fewest_complaints(map_: MapFiles, a: str, b: str, kinds: Sequence[str]) -> list[str]:
    """The link kinds between two regions that fail the fewest of the map's checks."""
    checked, _ = map_.named(a)
    members = checked.declarations.kinds[map_.kind()]
    numbers = {entity.name: number for number, entity in enumerate(members.entities)}
    results = {}
    for each in kinds:
        both = text(get(map_.declared("links"), each)) == "two_way"
        values = members.facts[each].values
        before = values[:]
        for begin, end in ((a, b), (b, a)) if both else ((a, b),):
            values[numbers[begin]] |= 1 << numbers[end]
        results[each] = len(failed_checks(checked.declarations, checked.source.layers))
        values[:] = before
    return [each for each, number in results.items() if number == min(results.values())]


def _value(fact: str, written: str) -> Any:
    """The value of a fact, parsed from YAML; texts for people are taken literally."""
    return written if fact in WORDS else to_plain(parse_yaml(f"x: {written}", "value", DEFAULT_LIMITS))["x"]


def as_before(before: str, after: str) -> str:
    """A text with the line endings and byte order mark of its previous version."""
    mark = "\ufeff" if before.startswith("\ufeff") else ""
    return mark + (after.replace("\n", "\r\n") if "\r\n" in before else after)


def _cuts(node: Node, places: set[tuple[int, int]], path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The paths of entries and items whose keys or values are at the given places.

    The path of a list item ends with a tuple of its text.
    """

    def named(scalar: Node) -> bool:
        span: Span = scalar.span
        begins = {(span.line, span.column), (span.line, span.column + 1)}  # quoted
        return isinstance(scalar, Scalar) and not places.isdisjoint(begins)

    if isinstance(node, YamlMapping):
        for key, (place, value) in node.entries.items():
            if named(place) or named(value):
                yield (*path, key)
            else:
                yield from _cuts(value, places, (*path, key))
    elif isinstance(node, YamlSequence):
        items = [item for item in node.items if named(item)]
        if items and len(items) == len(node.items):
            yield path  # the last entry: removes the key too
        else:
            yield from ((*path, (to_plain(item),)) for item in items)


def _cut(edits: YamlEdits, path: tuple[Any, ...]) -> None:
    if isinstance(path[-1], tuple):
        edits.remove_item(path[:-1], path[-1][0])
    else:
        edits.remove(path)
