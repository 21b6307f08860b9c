"""The outlines in a map's drawing files, and edits of these files' texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rulespec.documents.yaml_nodes import Node, entries, get, text, to_plain
from rulespec.drawing.outline_changes import Part
from rulespec.drawing.outlines import Frame, Ring, data_of, rewritten, rings_of
from rulespec.edits.yaml_edits import YamlEdits
from rulespec.lsp.map_files import MapFiles
from rulespec.ruleset_files import DRAWING, MAX_YAML, OUTLINES

SECTIONS = ("outlines", "scenery")


def parts_in(board: Node | None, known: Mapping[str, list[Ring]]) -> Iterator[tuple[Part, str, list[Ring] | str]]:
    """The outlines and scenery of a board in a file, each with its path data, and its rings or the error.

    Args:
        board: the board; None if the file does not contain it.
        known: the rings of path data already parsed.
    """
    for section in SECTIONS:
        for name, _, how in entries(get(board, section)):
            data = text(get(how, "outline"))
            try:
                rings: list[Ring] | str = known[data] if data in known else rings_of(data)
            except ValueError as error:
                rings = str(error)
            yield (section, name), data, rings


class OutlineFiles:
    """The outlines in the files `outlines.yaml` and `drawing.yaml` (which takes precedence), and edits of these files.

    Args:
        map_: the files of the map.
        rings: the rings of path data already parsed.

    Attributes:
        parts: the rings of each outline and each part of the scenery.
        unreadable: the unreadable outlines, with the reasons.
        frame: the frame of the board; None if it has none.
        rings: the rings of all path data in the files.
    """

    def __init__(self, map_: MapFiles, rings: Mapping[str, list[Ring]]) -> None:
        self.parts: dict[Part, list[Ring]] = {}
        self.unreadable: dict[Part, str] = {}
        self.frame: Frame | None = None
        self.rings: dict[str, list[Ring]] = {}
        self._map = map_
        self._board = ("drawing", "boards", map_.kind())
        self._edits: dict[Path, YamlEdits] = {}
        self._changed: set[Path] = set()
        self._places: dict[Part, list[Path]] = {}
        for name in (OUTLINES, DRAWING):
            path = map_.folder / name
            if raw := map_.raw(path) if path in map_.own or path in map_.texts else "":
                self._edits[path] = YamlEdits(raw, str(path), MAX_YAML)
                self._read(path, get(self._edits[path].root, *self._board), rings)

    def _read(self, path: Path, board: Node | None, known: Mapping[str, list[Ring]]) -> None:
        for part, data, rings in parts_in(board, known):
            self._places.setdefault(part, []).append(path)
            self.parts.pop(part, None)
            self.unreadable.pop(part, None)
            if isinstance(rings, str):
                self.unreadable[part] = rings
            else:
                self.parts[part] = self.rings[data] = rings
        box = to_plain(frame) if (frame := get(board, "frame")) is not None else []
        if isinstance(box, list) and len(box) == 4 and all(isinstance(number, int | float) for number in box):
            self.frame = Frame(*box)

    def put(self, part: Part, rings: Sequence[Ring]) -> None:
        """Replaces the rings of an outline, or adds an outline to a region."""
        if part not in self._places:
            self._add(part, data_of(rings))
            return
        path, place = self._places[part][-1], (*self._board, *part, "outline")
        edits = self._edits[path]
        data = text(get(edits.root, *place))
        edits.put_source(place, rewritten(edits.source(place), rings), rewritten(data, rings))
        self._changed.add(path)

    def put_frame(self, frame: Sequence[int]) -> None:
        """Replaces the frame of the board."""
        self._put_in(self._home("frame"), (*self._board, "frame"), [*frame])

    def remove(self, part: Part) -> None:
        """Removes an outline from every file."""
        for path in self._places[part]:
            self._edits[path].remove((*self._board, *part))
            self._changed.add(path)

    def texts(self) -> dict[Path, str]:
        """The texts of the edited files.

        Raises:
            DiagnosticsError: RS567 if a file is formatted in a way that a program cannot change.
        """
        return {path: self._edits[path].applied() for path in sorted(self._changed)}

    def _home(self, key: str) -> Path:
        """The file for a new entry: the one with similar entries, otherwise `outlines.yaml` if it exists."""
        paths = [path for path, edits in self._edits.items() if get(edits.root, *self._board, key) is not None]
        path = [*paths, *self._edits, self._map.folder / OUTLINES][0]
        if path not in self._edits:
            self._edits[path] = YamlEdits(self._map.raw(path) or "drawing: {}\n", str(path), MAX_YAML)
        return path

    def _add(self, part: Part, data: str) -> None:
        section, name = part
        path = self._home(section)
        names = [key for key, _, _ in entries(get(self._edits[path].root, *self._board, section))]
        order = sorted([*names, name]) if names == sorted(names) else []
        self._put_in(path, (*self._board, section, name), {"outline": data}, order)

    def _put_in(self, path: Path, place: Sequence[str], value: Any, order: Sequence[str] = ()) -> None:
        self._changed.add(path)
        self._edits[path].put_in(place, value, order)
