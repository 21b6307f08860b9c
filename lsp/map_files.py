"""The files of a map that is being edited: their texts, and the declared regions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.foreign_files import bytes_of
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text
from rulespec.documents.yaml_nodes import Sequence as YamlSequence
from rulespec.documents.yaml_reader import parse_again
from rulespec.errors import RulespecError
from rulespec.lsp.base_map import BaseMap, base_map
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.project import Checked, check
from rulespec.own_files import own_files
from rulespec.ruleset_files import DRAWING, MAX_YAML, OUTLINES, SETUP
from rulespec.typed import nodes as typed

MAP, GAME = "map.yaml", "game.yaml"
REGIONS = ("map", "regions")
PIECES = ("setup", "pieces")
WORDS = ("title", "doc")
"""The facts that are texts for people."""
_MOST_ERRORS = 10_000
"""The maximum number of errors in an unfinished map, which is still drawn if each region lacks several facts."""
_MAY_BE_NEW = (OUTLINES, DRAWING, SETUP, "kinds.yaml", "tables.yaml")


class MapEditError(RulespecError):
    """A refused edit; the text gives the reason."""


class MapFiles:
    """The map of a ruleset in a folder, with the edits so far.

    Args:
        folder: the folder of the ruleset.
        files: its files, with a memo of the parsed ones.

    Attributes:
        files: the files after the edits.
        texts: the texts of the changed files, with their line endings.
        before: the texts of the files as they were read from disk.
        own: the files that edits may change.
    """

    def __init__(self, folder: Path, files: EditorFiles | None = None) -> None:
        self.ref = str(folder)
        self.folder = folder.resolve()
        self.files = files if files is not None else EditorFiles()
        self.texts: dict[Path, str] = {}
        self.before: dict[Path, str] = {}
        self.own = own_files(self.ref)
        self._latest: tuple[Checked | None, tuple[Diagnostic, ...]] | None = None

    def take(self, texts: Mapping[Path, str]) -> None:
        """Replaces the texts of files.

        Raises:
            MapEditError: if a file does not belong to this ruleset.
        """
        for path in texts:
            if path not in self.own and not self._may_be_new(path):
                raise MapEditError(
                    f"{path} does not belong to this ruleset, or is a link to another folder: it is not written"
                )
        self.texts |= texts
        self.files, self._latest = self.files.instead(texts), None

    def start_from(self, other: MapFiles) -> None:
        """Continues from another instance without its edits, and reuses its parsed and checked files."""
        self.before, self._latest = dict(other.before), other._latest

    def changes(self) -> dict[Path, str]:
        """The texts that differ from the versions on disk."""
        return {path: text for path, text in self.texts.items() if text != self.before[path]}

    def written(self) -> None:
        """Records that the texts have been written to disk."""
        self.before |= self.texts
        for path in self.texts:
            self.files.open.pop(path, None)
        self.texts = {}

    def changed_elsewhere(self) -> list[Path]:
        """The files that another program has changed since they were read; they must not be overwritten."""
        return [path for path in self.texts if self._read(path) != self.before[path]]

    def checked(self) -> tuple[Checked | None, tuple[Diagnostic, ...]]:
        """The ruleset after the edits (None if it cannot be merged), and its diagnostics."""
        if self._latest is None:
            self._latest = check(self.ref, self.files, _MOST_ERRORS)
        return self._latest

    def named(self, region: str) -> tuple[Checked, typed.Entity]:
        """The declaration of a region.

        Raises:
            MapEditError: if the ruleset as a whole is unreadable.
        """
        self.region(region)
        checked, diagnostics = self.checked()
        kind = checked.declarations.kinds.get(self.kind()) if checked is not None else None
        named = next((e for e in kind.entities if e.name == region), None) if kind is not None else None
        if checked is None or named is None:
            first = next((d.message for d in diagnostics if d.severity is Severity.ERROR), "it has no such region")
            raise MapEditError(f"the ruleset cannot be read: {first}")
        return checked, named

    def raw(self, path: Path) -> str:
        """The text of a file after the edits, with its line endings."""
        if path in self.texts:
            return self.texts[path]
        if path not in self.before:
            if path not in self.own and not self._may_be_new(path):
                raise MapEditError(f"{path} is missing, or is a link to another folder")
            self.before[path] = self._read(path)
        return self.before[path]

    def _may_be_new(self, path: Path) -> bool:
        """Whether a missing file may be created, because a new map may lack it."""
        return path.parent == self.folder and path.name in _MAY_BE_NEW and not os.path.lexists(path)

    def _read(self, path: Path) -> str:
        return "" if self._may_be_new(path) else _on_disk(path)

    def tree(self, file: str) -> Node:
        """The tree of a file in the folder."""
        path = self.folder / file
        if path not in self.texts and not path.is_file():
            raise MapEditError(f"there is no {file} in this folder: start a map with `rulespec new`")
        return parse_again(self.raw(path).removeprefix("\ufeff"), str(path), MAX_YAML)

    def keys(self, file: str, path: Sequence[str]) -> list[str]:
        """The keys of a mapping in a file."""
        return [key for key, _, _ in entries(get(self.tree(file), *path))]

    def region(self, name: str) -> tuple[str, ...]:
        """The path of a region that belongs to the map itself."""
        known = self.keys(MAP, REGIONS) if os.path.lexists(self.folder / MAP) else []
        if name not in known:
            if self._is_below(name):
                raise MapEditError(f"`{name}` is a region of the base: change it there, or by an overlay")
            hint = did_you_mean(name, known)
            raise MapEditError(f"there is no region `{name[:64]}` in {MAP}" + (f"; {hint}" if hint else ""))
        return (*REGIONS, name)

    def _is_below(self, name: str) -> bool:
        """Whether a region is declared by a base."""
        checked, _ = self.checked()
        return checked is not None and name in (key for key, _, _ in entries(get(checked.source.root, *REGIONS)))

    @staticmethod
    def known(name: str, what: str, known: Sequence[str]) -> None:
        """Refuses a name that is not in `known`, with a hint."""
        if name not in known:
            hint = did_you_mean(name, known) or f"choose one of {', '.join(known)}"
            raise MapEditError(f"there is no {what} `{name[:64]}`; {hint}")

    @cached_property
    def _maps(self) -> list[Node | None]:
        """The map sections that declare regions: the merged one.

        If too many mistakes prevent the merge: the section of the map's own file, and that of its base.
        """
        checked, _ = self.checked()
        if checked is not None:
            return [get(checked.source.root, "map")]
        base = self.base()
        return [get(self.tree(MAP), "map"), get(base.root, "map") if base is not None else None]

    def base(self) -> BaseMap | None:
        """The base of the ruleset; None if there is none, or if it has errors."""
        return base_map(self.folder, text(get(self.tree(GAME), "extends")))

    def declared(self, *path: str) -> Node | None:
        """The declaration at a path of the map."""
        return next((node for map_ in self._maps if (node := get(map_, *path)) is not None), None)

    def kind(self) -> str:
        """The kind of the regions."""
        return text(self.declared("kind")) or "region"

    def link_kinds(self) -> list[str]:
        """The link kinds that are listed at regions."""
        results = [key for key, _, value in entries(self.declared("links")) if isinstance(value, Scalar)]
        if not results:
            raise MapEditError("the links of this map are entities: write them under `links` in the map")
        return results

    def links_at(self, region: str) -> list[str]:
        """The map's own link entities that have an end at a region."""
        links = get(self.tree(MAP), "map", "links")
        return [
            name
            for _, _, kind in entries(links)
            for name, _, link in entries(get(kind, "of"))
            if isinstance(ends := get(link, "ends"), YamlSequence) and region in map(text, ends.items)
        ]

    def facts(self) -> list[str]:
        """The facts of a region in declaration order, followed by the link kinds."""
        links = [key for key, _, _ in entries(self.declared("links"))]
        return [*(key for key, _, _ in entries(self.declared("facts"))), *links]

    def pieces(self) -> list[str]:
        """The pieces without an owner that can start in a region, such as `factory.at`."""
        checked, _ = self.checked()
        pieces = checked.declarations.pieces if checked is not None else {}
        kind = self.kind()
        piles = [(piece, place) for piece in pieces.values() if not piece.each for place in piece.places.values()]
        return [f"{piece.name}.{place.name}" for piece, place in piles if place.index == kind]

    def owned(self) -> list[tuple[str, str]]:
        """The pieces with an owner that can start in a region, such as `cart.at`, with the kind of their owners."""
        checked, _ = self.checked()
        pieces = checked.declarations.pieces.values() if checked is not None else ()
        piles = [(piece, place) for piece in pieces if len(piece.each) == 1 for place in piece.places.values()]
        return [(f"{piece.name}.{place.name}", piece.each[0]) for piece, place in piles if place.index == self.kind()]

    def order(self) -> list[str]:
        """The order of the keys in a region's entry."""
        return ["title", *self.facts(), "doc", "position"]

    def linked_to(self, region: str, kind: str) -> list[str]:
        """The regions in a region's own list of links of a kind."""
        node = get(self.tree(MAP), *REGIONS, region, kind)
        return [text(item) for item in node.items] if isinstance(node, YamlSequence) else []


def _on_disk(path: Path) -> str:
    try:
        return bytes_of(path, 4 * MAX_YAML.size).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise MapEditError(f"{path} cannot be read: {error}") from None
