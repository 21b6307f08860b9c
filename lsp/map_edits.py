"""Edits of a map in words of the map: facts, links, places, regions; each the smallest change of the files' texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.limits import DEFAULT
from rulespec.documents.nodes import Mapping as YamlMapping
from rulespec.documents.nodes import Node, Scalar, entries, get, text, to_plain
from rulespec.documents.nodes import Sequence as YamlSequence
from rulespec.documents.reader import parse_yaml
from rulespec.edits.yaml_edits import YamlEdits
from rulespec.engine.verify.facts import failed_checks
from rulespec.errors import RulespecError
from rulespec.fixes import fixed
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import Index
from rulespec.lsp.mentions import Mentions
from rulespec.lsp.project import Checked, check, files_beside
from rulespec.lsp.rename import rename
from rulespec.own_files import own_files
from rulespec.ruleset_files import MAX_YAML
from rulespec.typed import nodes as typed

_MAP = "map.yaml"
_REGIONS = ("map", "regions")
_WORDS = ("title", "doc")


class MapEditError(RulespecError):
    """An edit is refused; the text says why."""


class Edited(Struct, frozen=True):
    """The result of an edit.

    Attributes:
        texts: the new texts of the files that it changes, with their line ends.
        remarks: what depends on it and is not changed, in sentences.
    """

    texts: dict[Path, str]
    remarks: tuple[str, ...] = ()


class MapEdits:
    """Edits of the map of a ruleset in a folder. Each is made on the texts after those before it; nothing is written.

    Args:
        folder: the folder of the ruleset; only files in it are changed.

    Attributes:
        texts: the texts of the files that have been changed, with their line ends.
        before: the texts of the files that have been read, as they were on the disk.
    """

    def __init__(self, folder: Path) -> None:
        self.ref = str(folder)
        self.texts: dict[Path, str] = {}
        self.before: dict[Path, str] = {}
        self._folder = folder.resolve()
        self._own = own_files(self.ref)
        self._files = EditorFiles()
        self._latest: tuple[Checked | None, tuple[Diagnostic, ...]] | None = None

    def check(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the ruleset after the edits."""
        return self._checked()[1]

    def make(self, edit: Callable[[], Edited]) -> Edited:
        """Makes an edit: those after it are made on its texts.

        Raises:
            MapEditError: it cannot be made; the text says why.
            DiagnosticsError: a file cannot be read, or is written in a way that a program cannot change.
            RenameError: a name cannot be changed.
        """
        result = edit()
        for path in result.texts:
            if path not in self._own:
                raise MapEditError(f"{path} is not of this ruleset, or leads elsewhere: it is not written")
        self.texts |= result.texts
        self._files, self._latest = self._files.instead(result.texts), None
        return result

    def changed_elsewhere(self) -> list[Path]:
        """The files that somebody else has changed since they were read: they must not be written."""
        return [path for path in self.texts if _on_disk(path) != self.before[path]]

    # --- edits ---------------------------------------------------------------------------------------------------

    def set(self, region: str, fact: str, value: str) -> Edited:
        """Gives a region another fact; `value` is written as in YAML, but for words for people."""
        path = self._region(region)
        self._known(fact, "fact", [*self._facts(), *_WORDS])
        data = _value(fact, value)
        return self._edited(_MAP, lambda one: one.put((*path, fact), data, self._order()))

    def unset(self, region: str, fact: str) -> Edited:
        """Takes a fact out of a region."""
        path = self._region(region)
        self._known(fact, "fact", [key for key, _, _ in entries(get(self._tree(_MAP), *path))])
        return self._edited(_MAP, lambda one: one.remove((*path, fact)))

    def link(self, a: str, b: str, kind: str = "") -> Edited:
        """Links two regions; without a kind by the one of which the checks of the map complain least."""
        self._region(a), self._region(b)
        kinds = self._link_kinds()
        if kind:
            self._known(kind, "kind of links", kinds)
            return self._linked(a, b, kind)
        new = [each for each in kinds if b not in self._linked_to(a, each)]
        faults = self._faults(a, b, new)
        fewest = [each for each, number in faults.items() if number == min(faults.values())]
        if len(fewest) != 1:
            listed = ", ".join(fewest) or "none of the kinds of links"
            raise MapEditError(f"{listed} may join `{a}` and `{b}`: name the kind")
        return self._linked(a, b, fewest[0])

    def unlink(self, a: str, b: str, kind: str = "") -> Edited:
        """Takes the links between two regions out, or those of a kind."""
        self._region(a), self._region(b)
        there = [each for each in self._link_kinds() if b in self._linked_to(a, each) or a in self._linked_to(b, each)]
        chosen = [each for each in there if not kind or each == kind]
        if not chosen:
            raise MapEditError(f"`{a}` and `{b}` have no such link; there is {', '.join(there) or 'none'}")

        def edit(one: YamlEdits) -> None:
            for each in chosen:
                for begin, end in ((a, b), (b, a)):
                    ends = self._linked_to(begin, each)
                    if ends == [end]:
                        one.remove((*_REGIONS, begin, each))
                    elif end in ends:
                        one.remove_item((*_REGIONS, begin, each), end)

        return self._edited(_MAP, edit)

    def move(self, region: str, x: int, y: int) -> Edited:
        """Puts a region at another place of the board: in the map, or in the drawing if that has its place."""
        path, place = self._region(region), ("drawing", "boards", self._kind(), "positions")
        for file in self._drawings():
            if region in self._keys(file, place):
                return self._edited(file, lambda one: one.put((*place, region), [x, y]))
        return self._edited(_MAP, lambda one: one.put((*path, "position"), [x, y], self._order()))

    def add(self, region: str, facts: Mapping[str, str]) -> Edited:
        """Adds a region; the values of its facts are written as in YAML."""
        if region in self._keys(_MAP, _REGIONS):
            raise MapEditError(f"there is a region `{region}` already")
        if not region.isidentifier() or not region.isascii() or region != region.lower() or region[0] == "_":
            raise MapEditError("a region has a name of small letters, digits and `_`, a letter first")
        for fact in facts:
            self._known(fact, "fact", [*self._facts(), *_WORDS])
        order = self._order()
        data = {fact: _value(fact, facts[fact]) for fact in sorted(facts, key=order.index)}
        return self._edited(_MAP, lambda one: one.put((*_REGIONS, region), data))

    def rename(self, old: str, new: str) -> Edited:
        """Gives a region another name in all files of the ruleset, as an editor does."""
        checked, named = self._named(old)
        renaming = rename(Index(checked), (named.span.file, named.span.line, named.span.column), new, self._files)
        shown = {edit.span.file for edit in renaming.edits}
        texts = {file: self._raw(Path(file).resolve()) for file in shown}
        plain = {file: raw.removeprefix("\ufeff").replace("\r\n", "\n") for file, raw in texts.items()}
        results = {file: _as(texts[file], after) for file, after in fixed(plain, renaming.edits).items()}
        return Edited({Path(file).resolve(): after for file, after in results.items()}, tuple(renaming.remarks))

    def remove(self, region: str) -> Edited:
        """Takes a region out, with what says something of it: links to it, its place, its titles.

        Where it stands in rules or in scenarios is a remark.
        """
        path = self._region(region)
        checked, named = self._named(region)
        index = Index(checked)
        mentions = Mentions(checked.ruleset, self._files, [region])
        beside = files_beside(self.ref)
        mentions.read(beside)
        wanted = index.identity(named)
        spans = index.places(wanted) | {s for s, n in mentions.places.items() if index.identity(n) == wanted}
        results: dict[Path, str] = {}
        remarks: list[str] = []
        for file in sorted({span.file for span in spans}):
            here = {(s.line, s.column) for s in spans if s.file == file}
            real = Path(file).resolve()
            if real not in self._own:
                continue
            if real.suffix != ".yaml" or "scenarios" in real.parts:
                remarks += [f"{file}:{line}: `{region}` stands here, too" for line, _ in sorted(here)]
                continue
            edits = YamlEdits(self._raw(real), file, MAX_YAML)
            for cut in _cuts(edits.root, here, ()):
                if file.endswith(_MAP) and cut[: len(path)] == path and len(cut) > len(path):
                    continue  # goes with the region
                _cut(edits, cut)
            results[real] = edits.applied()
        return Edited(results, tuple(remarks))

    def _faults(self, a: str, b: str, kinds: Sequence[str]) -> dict[str, int]:
        """The number of checks of the map that do not hold with a link of each kind between two regions."""
        checked, _ = self._named(a)
        members = checked.declarations.kinds[self._kind()]
        numbers = {entity.name: number for number, entity in enumerate(members.entities)}
        results = {}
        for each in kinds:
            both = text(get(self._declared("links"), each)) == "two_way"
            values = members.facts[each].values
            before = values[:]
            for begin, end in ((a, b), (b, a)) if both else ((a, b),):
                values[numbers[begin]] |= 1 << numbers[end]
            results[each] = len(failed_checks(checked.declarations, checked.source.layers))
            values[:] = before
        return results

    # --- the map as it is ----------------------------------------------------------------------------------------

    def _checked(self) -> tuple[Checked | None, tuple[Diagnostic, ...]]:
        if self._latest is None:
            self._latest = check(self.ref, self._files)
        return self._latest

    def _named(self, region: str) -> tuple[Checked, typed.Entity]:
        """The region as it is declared.

        Raises:
            MapEditError: the ruleset cannot be read as a whole.
        """
        self._region(region)
        checked, diagnostics = self._checked()
        kind = checked.declarations.kinds.get(self._kind()) if checked is not None else None
        named = next((e for e in kind.entities if e.name == region), None) if kind is not None else None
        if checked is None or named is None:
            first = next((d.message for d in diagnostics if d.severity is Severity.ERROR), "it has no such region")
            raise MapEditError(f"the ruleset cannot be read: {first}")
        return checked, named

    def _raw(self, path: Path) -> str:
        """The text of a file as it is after the edits, with its line ends."""
        if path in self.texts:
            return self.texts[path]
        if path not in self.before:
            if path not in self._own:
                raise MapEditError(f"{path} is not there, or leads elsewhere")
            self.before[path] = _on_disk(path)
        return self.before[path]

    def _tree(self, file: str) -> Node:
        path = self._folder / file
        return parse_yaml(self._raw(path).removeprefix("\ufeff"), str(path), MAX_YAML)

    def _keys(self, file: str, path: Sequence[str]) -> list[str]:
        return [key for key, _, _ in entries(get(self._tree(file), *path))]

    def _edited(self, file: str, edit: Callable[[YamlEdits], None]) -> Edited:
        path = self._folder / file
        one = YamlEdits(self._raw(path), str(path), MAX_YAML)
        edit(one)
        return Edited({path: one.applied()})

    def _region(self, name: str) -> tuple[str, ...]:
        """The path of a region, which must be one of the map's own."""
        known = self._keys(_MAP, _REGIONS)
        if name not in known:
            hint = did_you_mean(name, known)
            raise MapEditError(f"there is no region `{name[:64]}` in {_MAP}" + (f"; {hint}" if hint else ""))
        return (*_REGIONS, name)

    @staticmethod
    def _known(name: str, what: str, known: Sequence[str]) -> None:
        if name not in known:
            hint = did_you_mean(name, known) or f"known are {', '.join(known)}"
            raise MapEditError(f"there is no {what} `{name[:64]}`; {hint}")

    @cached_property
    def _map(self) -> Node | None:
        """The map as it was before the edits, with what its base declares; none of them changes a declaration."""
        checked, _ = self._checked()
        return get(checked.source.root if checked is not None else self._tree(_MAP), "map")

    def _declared(self, *path: str) -> Node | None:
        """What the map declares."""
        return get(self._map, *path)

    def _kind(self) -> str:
        return text(self._declared("kind")) or "region"

    def _link_kinds(self) -> list[str]:
        """The kinds of links that stand at the ends of regions."""
        results = [key for key, _, value in entries(self._declared("links")) if isinstance(value, Scalar)]
        if not results:
            raise MapEditError("the links of this map are entities: write them under `links` in the map")
        return results

    def _facts(self) -> list[str]:
        links = [key for key, _, _ in entries(self._declared("links"))]
        return [*(key for key, _, _ in entries(self._declared("facts"))), *links]

    def _order(self) -> list[str]:
        return ["title", *self._facts(), "doc", "position"]

    def _linked_to(self, region: str, kind: str) -> list[str]:
        node = get(self._tree(_MAP), *_REGIONS, region, kind)
        return [text(item) for item in node.items] if isinstance(node, YamlSequence) else []

    def _linked(self, a: str, b: str, kind: str) -> Edited:
        """The map with a link, at both ends if it leads both ways."""
        both = text(get(self._declared("links"), kind)) == "two_way"

        def edit(one: YamlEdits) -> None:
            for begin, end in ((a, b), (b, a)) if both else ((a, b),):
                path = (*_REGIONS, begin, kind)
                if end in self._linked_to(begin, kind):
                    continue
                if get(one.root, *path) is None:
                    one.put(path, [end], self._order())
                else:
                    one.add_item(path, end)

        return self._edited(_MAP, edit)

    def _drawings(self) -> Iterator[str]:
        for name in ("drawing.yaml",):
            if (self._folder / name).is_file():
                yield name


def _value(fact: str, written: str) -> Any:
    """The value of a fact, written as in YAML; words for people are what they are."""
    return written if fact in _WORDS else to_plain(parse_yaml(f"x: {written}", "value", DEFAULT))["x"]


def _on_disk(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(4 * MAX_YAML.size).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise MapEditError(f"{path} cannot be read: {error}") from None


def _as(before: str, after: str) -> str:
    """A text with the line ends and the mark of the one before it."""
    mark = "\ufeff" if before.startswith("\ufeff") else ""
    return mark + (after.replace("\n", "\r\n") if "\r\n" in before else after)


def _cuts(node: Node, here: set[tuple[int, int]], path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The paths of entries and items that are, or whose values are, names at some places.

    An item of a list is a path that ends with its text in a tuple.
    """

    def named(scalar: Node) -> bool:
        span: Span = scalar.span
        places = {(span.line, span.column), (span.line, span.column + 1)}  # in quotes
        return isinstance(scalar, Scalar) and not here.isdisjoint(places)

    if isinstance(node, YamlMapping):
        for key, (place, value) in node.entries.items():
            if named(place) or named(value):
                yield (*path, key)
            else:
                yield from _cuts(value, here, (*path, key))
    elif isinstance(node, YamlSequence):
        items = [item for item in node.items if named(item)]
        if items and len(items) == len(node.items):
            yield path  # the last one takes its key along
        else:
            yield from ((*path, (to_plain(item),)) for item in items)


def _cut(edits: YamlEdits, path: tuple[Any, ...]) -> None:
    if isinstance(path[-1], tuple):
        edits.remove_item(path[:-1], path[-1][0])
    else:
        edits.remove(path)
