"""Next steps for a map: the command for each step, and the programs that a page starts for the saved map."""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_urlsafe
from tempfile import TemporaryDirectory

from msgspec import Struct

from rulespec.documents.text_files import display

_MINUTES = 2
"""The time for games in a report requested by the page, in minutes."""
_GAMES, _BOT = 200, "flat:8"
"""The number of games, and the bot, for statistics of the winners."""


class NextStep(Struct, frozen=True):
    """A next step for a map.

    Attributes:
        title: its displayed name.
        words: the words of its command, after `rulespec`.
        name: its name in requests from the page; "" for a step that runs only in a terminal.
        seconds: its time limit; for a table, the time limit for starting it.
    """

    title: str
    words: tuple[str, ...]
    name: str = ""
    seconds: float = 0

    @property
    def command(self) -> str:
        """The command as it is typed in a terminal."""
        return " ".join(["rulespec", *(f'"{word}"' if " " in word else word for word in self.words)])


def steps(folder: Path, base: str, players: int | None, roles: int = 0) -> Iterator[NextStep]:
    """The proposed next steps.

    Args:
        folder: the folder of the map.
        base: the reference of the ruleset that it extends; "" if there is none.
        players: the minimum number of players, if other numbers are possible.
        roles: the maximum number of seats, if the seats have roles that may win more often than others; otherwise 0.
    """
    name = display(folder.resolve())
    name = name if name.startswith(("/", ".")) else f"./{name}"
    number = ("--players", str(players)) if players is not None else ()
    yield NextStep("Play it at a table", ("serve", name, *number), "table", 60)
    yield NextStep("Play it at this terminal", ("play", name, *number))
    if base:
        words = ("playtest", base, name, *number, "--minutes", str(_MINUTES))
        yield NextStep("Playtest it against its base", words, "report", 60 * (_MINUTES + 4))
    if roles:
        many = ("--players", str(roles), "--games", str(_GAMES), "--bots", _BOT, "--details")
        yield NextStep("See who wins", ("simulate", name, *many), "shares", 3600)
    yield NextStep("Run its scenarios", ("test", name), "scenarios", 300)
    yield NextStep("Check it", ("validate", name))
    yield NextStep("Draw it", ("draw", name))


_SHOWN = 6_000
"""The maximum number of characters of a program's output that are shown, counted from the end."""
_PAGE = 20_000_000
"""The maximum size of a report in bytes."""
_LINK = re.compile(r"http://127\.0\.0\.1:([0-9]+)/#[\w-]+$")
"""A link at the end of a line that starts with its name."""
_OPEN = ("Ctrl-C stops it\n", "Ctrl-C stops it\r\n")
"""The endings of the line that an open table prints last; elsewhere, the words may be part of a title."""


class EditorProgram(Struct, frozen=True):
    """The state of a program as displayed.

    Attributes:
        state: running, finished (for a table: open), or failed.
        text: its output.
        links: its links, each as a name and an address.
    """

    state: str
    text: str = ""
    links: tuple[tuple[str, str], ...] = ()


class EditorPrograms:
    """The programs started from a page: at most one per step. They end with the server.

    Args:
        changed: the callback for changes to `shown` or `reports`.

    Attributes:
        shown: maps a step to its last program.
        reports: maps a path to the page that a program wrote.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.shown: dict[str, EditorProgram] = {}
        self.reports: dict[str, bytes] = {}
        self._changed = changed
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._processes: dict[str, Process] = {}
        self._folder = TemporaryDirectory()
        self._port = 0

    def start(self, step: NextStep) -> str:
        """Starts a program; returns the reason for a refusal, or "".

        If a table is open, the new process replaces it at the same address.
        """
        before = self.shown.get(step.name)
        if before is not None and before.state == "running":
            return "it is already running"
        if step.name in self._tasks:
            self._tasks[step.name].cancel()
        self._show(step, EditorProgram("running"))
        self._tasks[step.name] = asyncio.create_task(self._run(step))
        return ""

    async def close(self) -> None:
        """Ends all programs."""
        for task in self._tasks.values():
            task.cancel()
        for process in self._processes.values():
            await _ended(process)
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._folder.cleanup()

    async def _run(self, step: NextStep) -> None:
        if step.name in self._processes:
            await _ended(self._processes[step.name])
        page = Path(self._folder.name) / "report.html"
        page.unlink(missing_ok=True)
        more = {
            "table": ("--port", str(self._port), "--store", f"{self._folder.name}/tables.db"),
            "report": ("--page", str(page)),
        }
        command = [sys.executable, "-m", "rulespec.cli.edit_program", *step.words, *more.get(step.name, ())]
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=STDOUT)
        self._processes[step.name] = process
        try:
            text = await asyncio.wait_for(_said(process, step.name == "table"), step.seconds)
        except TimeoutError:
            await _ended(process)
            self._show(step, EditorProgram("failed", f"it took longer than {step.seconds:.0f} seconds"))
            return
        except asyncio.CancelledError:
            await _ended(process)
            raise
        if step.name == "table" and process.returncode is None:
            links = [(line[: m.start()].strip(), m) for line in text.splitlines() if (m := _LINK.search(line))]
            self._port = int(links[-1][1][1])
            self._show(step, EditorProgram("done", "", tuple((name, m[0]) for name, m in links)))
            await _left_open(process)
            self._show(step, EditorProgram("failed", "the table has ended"))
        elif step.name == "report" and page.is_file() and page.stat().st_size <= _PAGE:
            path = f"/report/{token_urlsafe(16)}"
            self.reports = {path: page.read_bytes()}
            self._show(step, EditorProgram("done", text, (("the report", path),)))
        else:
            self._show(step, EditorProgram("failed" if process.returncode else "done", text))

    def _show(self, step: NextStep, program: EditorProgram) -> None:
        self.shown = self.shown | {step.name: program}
        self._changed()


async def _said(process: Process, is_table: bool) -> str:
    """The output of a program up to its end, or up to the opening of its table."""
    assert process.stdout is not None
    text = ""
    while data := await process.stdout.read(65_536):
        text = (text + data.decode("utf-8", "replace"))[-_SHOWN:]
        if is_table and text.endswith(_OPEN):
            return text
    await process.wait()
    return text


async def _left_open(process: Process) -> None:
    """Waits for the end of a program, discarding its output."""
    assert process.stdout is not None
    while await process.stdout.read(65_536):
        pass
    await process.wait()


async def _ended(process: Process) -> None:
    """Ends a program if it is still running."""
    with suppress(ProcessLookupError):
        process.kill()
    await process.wait()
