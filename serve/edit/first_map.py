"""The start of a map in a folder that has none: a drawing, read in a separate process, becomes the map."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import is_hidden
from rulespec.documents.kept_trees import read_kept
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import get, text
from rulespec.drawing.map_names import stem_of
from rulespec.drawing.reading.drawing_kinds import DRAWINGS, MOST_BYTES
from rulespec.references import known_folders
from rulespec.serve.edit.desk import Desk
from rulespec.serve.socket_parts import read

SECONDS = 50.0
"""The time limit for reading a drawing in seconds, shorter than that for an answer."""
_MOST_SAID = 64_000_000
MAX_CHOICE = 8_000
"""The maximum size of a request in bytes."""
_MAX_FOLDER = 1_000
_DRAWING = "drawing"
_LONGEST = 50  # maximum length of a proposed name
_Name = Annotated[str, Meta(max_length=200)]
_Names = Annotated[list[_Name], Meta(max_length=40)]


class MapChoice(Struct, frozen=True, forbid_unknown_fields=True):
    """A request from the page.

    Attributes:
        name: the name of the ruleset.
        base: the id of the ruleset that it extends; "" for none.
        drawing: a drawing in the folder; "" for the drawing uploaded last.
        layers: the groups of the drawing to import; empty for everything visible.
        without: the parts to exclude.
    """

    name: _Name
    base: _Name = ""
    drawing: _Name = ""
    layers: _Names = []
    without: _Names = []


class StartRequest(Struct, frozen=True):
    """A request to the reading process: a choice, with the paths of the drawing and the folder."""

    name: str
    base: str
    drawing: str
    folder: str
    layers: list[str]
    without: list[str]


class ReadFinding(Struct, frozen=True):
    """A finding about a drawing: its code and line ("" and 0 if it has none), and the remedies that the page offers."""

    code: str
    line: int
    message: str
    help: str = ""
    ways: list[list[str]] = []


class ReadShape(Struct, frozen=True):
    """A region in a drawing: the path data of its outline, its colour, its title, and the title's position."""

    outline: str
    fill: str
    title: str
    x: int
    y: int


class ReadDrawing(Struct, frozen=True):
    """The result of reading a drawing or refusing it.

    Attributes:
        refused: the reasons for refusal.
        counts: the number of regions by the origin of their names, and the number of touching pairs.
        findings: the findings about the drawing.
        shapes: the regions.
        frame: the frame of these outlines: left, top, width, height.
        files: maps the name of each file of the ruleset to its text.
    """

    refused: list[ReadFinding] = []
    counts: str = ""
    findings: list[ReadFinding] = []
    shapes: list[ReadShape] = []
    frame: list[int] = []
    files: dict[str, str] = {}


def can_start(folder: Path) -> bool:
    """Whether a map can be started in a folder, because it contains only drawings."""
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= _MAX_FOLDER or (not is_hidden(entry.name) and not _is_drawing(entry)):
                return False
    return True


def _is_drawing(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(DRAWINGS) and entry.is_file(follow_symlinks=False)


class Start:
    """The pending start of a map, in a folder that has none yet.

    Args:
        folder: a folder that contains only drawings.
        opened: the function that returns the desk of the map once the map exists.

    Attributes:
        desk: the desk of the map; None before the start.
    """

    def __init__(self, folder: Path, opened: Callable[[], Desk]) -> None:
        self.folder = folder
        self.desk: Desk | None = None
        self._opened = opened
        self._private = TemporaryDirectory()
        self._drawing: Path | None = None
        self._begun = asyncio.Event()
        self._lock = asyncio.Lock()

    async def run(self) -> None:
        """Waits for the map, then runs its desk until cancelled."""
        try:
            await self._begun.wait()
            assert self.desk is not None
            await self.desk.run()
        finally:
            self._private.cleanup()

    def hello(self) -> dict[str, Any]:
        """The first message to the page: the folder, a proposed name, rulesets with maps, and drawings."""
        folder = self.folder.resolve()
        with os.scandir(folder) as entries:
            drawings = sorted(entry.name for entry in entries if not is_hidden(entry.name) and _is_drawing(entry))
        return {
            "folder": folder.name,
            "path": display(folder),
            "name": stem_of(folder.name).lstrip("0123456789_")[:_LONGEST] or "my_map",
            "bases": [*_bases()],
            "drawings": drawings,
            "ends": [*DRAWINGS],
            "largest": MOST_BYTES,
        }

    async def take(self, name: str, parts: AsyncIterator[bytes]) -> str:
        """Stores an uploaded drawing; returns the reason for a refusal, or ""."""
        end = next((each for each in DRAWINGS if name.lower().endswith(each)), "")
        if not end:
            return f"`{_clean(name)}` is not a drawing: the name must end in {' or '.join(DRAWINGS)}"
        content = bytearray()
        async for part in parts:
            content += part
            if len(content) > MOST_BYTES:
                return f"`{_clean(name)}` has more than {MOST_BYTES // 1_000_000} MB: keep only the outlines of regions"
        async with self._lock:
            path = Path(self._private.name) / f"{_DRAWING}{end}"
            await asyncio.to_thread(path.write_bytes, bytes(content))
            self._drawing = path
        return ""

    async def read(self, choice: MapChoice) -> ReadDrawing:
        """Reads a drawing as a map, with the given choice."""
        async with self._lock:
            return await self._read(choice)

    async def begin(self, choice: MapChoice) -> str:
        """Starts the map from a drawing; returns the reason for a refusal, or ""."""
        async with self._lock:
            if self.desk is not None:
                return "the map has already been started: reload this page"
            result = await self._read(choice)
            if result.refused:
                return result.refused[0].message
            files = {name: text.encode() for name, text in result.files.items()}
            if not choice.drawing and self._drawing is not None:
                files[self._drawing.name] = await asyncio.to_thread(self._drawing.read_bytes)
            if refusal := await asyncio.to_thread(self._written, files):
                return refusal
            self.desk = await asyncio.to_thread(self._opened)
            self._begun.set()
            return ""

    def _written(self, files: dict[str, bytes]) -> str:
        """Writes new files, all or none; returns the reason for a refusal, or ""."""
        folder = self.folder.resolve()
        done: list[Path] = []
        try:
            if not can_start(folder):
                return "the folder now has other files: start the map in a folder that has only drawings"
            for name, content in files.items():
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                with path.open("xb") as file:  # existing files are kept
                    done.append(path)
                    file.write(content)
        except OSError as error:
            for path in done:
                path.unlink(missing_ok=True)
                if path.parent != folder:
                    with suppress(OSError):
                        path.parent.rmdir()
            return f"{display(folder)} cannot be written: {error.strerror or error}"
        return ""

    async def _read(self, choice: MapChoice) -> ReadDrawing:
        drawing = self._drawing
        if choice.drawing:
            drawing = self.folder.resolve() / choice.drawing if choice.drawing in self.hello()["drawings"] else None
        if drawing is None:
            return _refused("there is no drawing yet: drop one on the page, or choose one")
        if choice.base and choice.base not in {base for base, _ in _bases()}:
            return _refused(f"there is no ruleset `{_clean(choice.base)}` with a map")
        folder = str(self.folder.resolve())
        request = StartRequest(choice.name, choice.base, str(drawing), folder, choice.layers, choice.without)
        command = [sys.executable, "-m", "rulespec.cli.edit_start", msgspec.json.encode(request).decode()]
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
        try:
            said, _ = await asyncio.wait_for(_output(process), SECONDS)
        except TimeoutError:
            return _refused(f"reading the drawing took longer than {SECONDS:.0f} seconds: simplify its paths")
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        result = read(said, ReadDrawing, _MOST_SAID)
        return result if result is not None else _refused("reading the drawing took too much memory, or failed")


async def _output(process: asyncio.subprocess.Process) -> tuple[bytes, int]:
    """The output of a process until its end; its input stays open until then."""
    assert process.stdout is not None
    said = await process.stdout.read(-1)
    return said, await process.wait()


def read_choice(data: bytes) -> MapChoice | None:
    """The request in a page's JSON; None if it is malformed or too large."""
    return read(data, MapChoice, MAX_CHOICE)


def _refused(message: str) -> ReadDrawing:
    return ReadDrawing(refused=[ReadFinding("", 0, message)])


def _bases() -> Iterator[tuple[str, str]]:
    """The rulesets with a map, and their titles."""
    for name, folder in known_folders().items():
        with suppress(DiagnosticsError):
            if (folder / "map.yaml").is_file():
                yield name, text(get(read_kept(folder / "game.yaml", name), "title")) or name


def _clean(name: str) -> str:
    return re.sub(r"[^\w. -]", " ", name)[:80]
