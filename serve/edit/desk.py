"""An editor with its pages: edits run one at a time, and pictures are drawn in parallel."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.documents.text_files import display
from rulespec.serve.edit.editor import Answer, Editor
from rulespec.serve.edit.map_messages import EditMessage
from rulespec.serve.edit.picture import Drawn, draw
from rulespec.serve.edit.step_programs import EditorPrograms
from rulespec.serve.socket_parts import Bell
from rulespec.serve.thinking import Thinking

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
PAUSE = 0.4
"""The interval between checks for changed files, in seconds."""


class Page(Protocol):
    """A connection to a page that displays the map."""

    def wake(self) -> None:
        """Wakes the page so that it shows news."""


class Desk:
    """The editor of a folder with its open pages; edits are executed one at a time.

    Args:
        folder: the folder of a ruleset.
        drawing: the drawing process.

    Attributes:
        editor: the editor.
        pages: the open pages.
        drawn: the last picture, with the version of the files that it shows.
        programs: the programs that pages have started.
    """

    def __init__(self, folder: Path, drawing: Thinking) -> None:
        self._drawing = drawing
        self.editor = Editor(folder)
        self.pages: set[Page] = set()
        self.programs = EditorPrograms(self._wake)
        self.drawn: tuple[int, Drawn] | None = None
        self._lock = asyncio.Lock()
        self._to_draw = Bell()

    @property
    def hello(self) -> dict[str, Any]:
        """The first message to a page: the folder, and the possible next steps."""
        folder = self.editor.folder.resolve()
        shown = [{"name": step.name, "title": step.title, "command": step.command} for step in self.editor.steps()]
        return {"folder": folder.name, "path": display(folder), "steps": shown}

    async def run(self) -> None:
        """Watches the files and draws until cancelled, then ends the programs that were started."""
        self._to_draw.set()
        try:
            await asyncio.gather(self._follow(), self._draw())
        finally:
            await self.programs.close()

    async def hear(self, message: EditMessage) -> Answer:
        """Executes a page's request, sends the changes to all pages, and returns the answer."""
        if message.do == "start":
            return self._start(message.step)
        async with self._lock:
            serial = self.editor.state["serial"]
            answer = await asyncio.to_thread(self.editor.hear, message)
            if self.editor.state["serial"] != serial:
                self._changed()
        return answer

    def _start(self, name: str) -> Answer:
        """Starts a program for the saved map."""
        step = next((each for each in self.editor.steps() if name and each.name == name), None)
        if step is None:
            return {"refused": "this map has no such next step"}
        refusal = self.programs.start(step)
        return {"refused": refusal} if refusal else {"done": f"started: {step.title}"}

    def _changed(self) -> None:
        self._to_draw.set()
        self._wake()

    def _wake(self) -> None:
        for page in self.pages:
            page.wake()

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(PAUSE)
            async with self._lock:
                if await self._surely(self.editor.look):
                    self._changed()

    async def _draw(self) -> None:
        """Draws the map repeatedly, skipping intermediate versions."""
        while True:
            await self._to_draw.wait()
            self._to_draw.clear()
            async with self._lock:
                version, data = self.editor.version, await self._surely(self.editor.to_draw)
            result, diagnostics = (await self._drawn(data) if data is not None else None) or (None, ())
            self.drawn = (version, result) if result is not None else self.drawn
            async with self._lock:
                await self._surely(self.editor.take, result, diagnostics)
            self._wake()

    async def _drawn(self, data: bytes) -> tuple[Drawn | None, tuple[Diagnostic, ...]] | None:
        """The picture of a map from the drawing process; retried once if the process dies."""
        for _ in range(2):
            try:
                return await asyncio.wrap_future(self._drawing.ask(draw, data))
            except BrokenProcessPool:
                continue
            except Exception:
                _log.exception("the map cannot be drawn")
                return None
        _log.error("the drawing process has crashed twice on the same map")
        return None

    async def _surely(self, act: Callable[..., _T], *args: Any) -> _T | None:
        """The result of a call in a thread; None after an unexpected error, so that the session continues."""
        try:
            return await asyncio.to_thread(act, *args)
        except Exception:
            _log.exception("the map cannot be read")
            return None
