"""Load test of a table server: players' moves per CPU second of the server, memory, and cost per message.

python -m bench.tables imperial shadow_of_the_emperor --tables 200

With `--browser` it also measures, in Chromium, the time from a click in one window to the move in another, and the time
until the first board is shown. With `--previews`, each player requests the preview of an option before playing it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, PerMessageDeflate
from websockets.frames import Frame, Opcode
from websockets.typing import Origin

_TIMED = """
import asyncio, runpy, signal, sys, time
run, longest, often = asyncio.events.Handle._run, 0.0, 0
def timed(self):
    global longest, often
    begun = time.thread_time()
    run(self)
    held = time.thread_time() - begun
    longest, often = max(longest, held), often + (held > 0.05)
def begin(*_):
    global longest, often
    longest, often = 0.0, 0
asyncio.events.Handle._run = timed
signal.signal(signal.SIGUSR1, begin)
try:
    runpy.run_module("rulespec", run_name="__main__", alter_sys=True)
finally:
    print("held", round(1000 * longest), often, file=sys.stderr)
"""
"""A server that measures the CPU time of callbacks of its loop, from a signal on: the longest, in ms, and how many have
more than 50 ms.
"""
_NOTES = """
globalThis.shown = [];
globalThis.now = () => performance.timeOrigin + performance.now();
const drawn = () => requestAnimationFrame(() => shown.push(now()));
new MutationObserver(drawn).observe(document.querySelector("#question"), { childList: true });
"""
"""A script that records the time of each drawn frame, including those without a move, as a secret choice has none."""
_CLICK = """() => {
  const one = document.querySelector("#options button:not(.group)"), begun = now();
  (one ?? document.querySelector("#options button"))?.click();
  return one ? begun : 0;
}"""
_WARM = 5.0, 0.1
"""The seconds of play that load the rules before memory is measured; and the pause before each move, without which
even a few tables would exceed the rate limit of messages.
"""
_CLICKS, _MOST = 60, 10
"""The number of measured clicks, and the time limit for each click, in seconds."""
TICKS = os.sysconf("SC_CLK_TCK")


def cpu(pid: int) -> float:
    """The CPU seconds used by a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(pid: int) -> int:
    """The resident memory of a process in KB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


class Packed(ClientPerMessageDeflateFactory):
    """The compression of a socket, extended to record the size of each message on the wire."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def process_response_params(self, *args: Any) -> PerMessageDeflate:
        """The compression agreed by client and server."""
        result = super().process_response_params(*args)
        unpack = result.decode

        def noted(frame: Frame, **how: Any) -> Frame:
            if frame.opcode is Opcode.TEXT:
                self.sizes.append(len(frame.data))
            return unpack(frame, **how)

        result.decode = noted  # type: ignore[method-assign]
        return result


class Person:
    """A client in the role of a player or a spectator."""

    def __init__(self, socket: ClientConnection, packed: Packed) -> None:
        self.socket = socket
        self.packed = packed
        self.options: list[str] = []
        self.serial = self.count = self.answered = 0
        self.over = False
        self.sizes: list[int] = []

    async def read(self) -> None:
        """Reads one message."""
        message: dict[str, Any] = json.loads(await self.socket.recv())
        size = self.packed.sizes.pop(0)
        if "frame" not in message:
            self.answered += "preview" in message
            return
        frame = message["frame"]
        if frame["since"]:
            self.sizes.append(size)
        self.serial, self.count = frame["serial"], frame["moves"]["count"]
        self.over = bool(frame.get("result")) or self.over
        if "options" in frame:
            self.options = [o["text"] for o in frame["options"] if "out_of_turn" not in o]


class Load:
    """The behaviour of the clients at all tables, with their measurements; with `previews`, they request one before
    each move.
    """

    def __init__(self, previews: bool = False) -> None:
        self.previews = previews
        self.answers: list[float] = []
        self.moves = 0
        self.until = 0.0

    async def play(self, person: Person, rng: random.Random, pause: float) -> None:
        """Plays whenever the client has to decide, each time after a pause of `pause` seconds."""
        while time.monotonic() < self.until and not person.over:
            if not person.options:
                try:
                    await asyncio.wait_for(person.read(), 1)
                except TimeoutError:
                    continue
                continue
            await asyncio.sleep(pause)
            serial, option = person.serial, rng.choice(person.options)
            if self.previews and not await self.look(person, option):
                continue
            begun = time.monotonic()
            message = {"do": "take", "serial": serial, "option": option}
            await person.socket.send(json.dumps(message))
            while person.serial == serial:
                await person.read()
            self.answers.append(time.monotonic() - begun)
            self.moves += 1

    async def look(self, person: Person, option: str) -> bool:
        """Requests the preview of an option; returns False if the position has changed meanwhile."""
        had, serial = person.answered, person.serial
        await person.socket.send(json.dumps({"do": "preview", "serial": serial, "option": option}))
        while person.answered == had:
            await person.read()
        return person.serial == serial

    async def watch(self, person: Person) -> None:
        """Watches without playing."""
        while time.monotonic() < self.until:
            try:
                await asyncio.wait_for(person.read(), 1)
            except TimeoutError:
                continue


async def seated(url: str, key: str) -> Person:
    """A client that has connected with a key."""
    origin = Origin(url.replace("ws", "http", 1).partition("/socket")[0])
    packed = Packed()
    socket = await connect(url, origin=origin, max_size=None, compression=None, extensions=[packed]).__aenter__()
    await socket.send(json.dumps({"key": key}))
    person = Person(socket, packed)
    await person.read()
    await person.read()
    return person


async def played(people: list[Person], args: argparse.Namespace, seconds: float, pause: float = 0) -> Load:
    """Lets the clients at the tables play and watch for some seconds, with a pause before each move."""
    load = Load(args.previews)
    load.until = time.monotonic() + seconds
    tasks = []
    for number, person in enumerate(people):
        last = (number + 1) % (args.players - args.bots + 1) == 0
        tasks.append(load.watch(person) if last else load.play(person, random.Random(number), pause))
    await asyncio.gather(*tasks)
    return load


async def measure(url: str, owner: str, pid: int, ref: str, args: argparse.Namespace) -> dict[str, Any]:
    """Creates tables, lets clients play for some seconds, and returns the measurements."""
    desk = await connect(url, origin=Origin(url.replace("ws", "http", 1).partition("/socket")[0])).__aenter__()
    await desk.send(json.dumps({"key": owner}))
    before, people = 0, list[Person]()
    for number in range(args.tables):
        if number == args.tables // 10:  # playing loads all rules and code
            await played(people, args, *_WARM)
            before = memory(pid)
        await desk.send(json.dumps({"do": "new", "rules": ref, "players": args.players, "bots": args.bots}))
        while "keys" not in (message := json.loads(await desk.recv())):
            pass
        keys = message["keys"]["keys"]
        seats = [role for role in keys if role != "spectator"][: args.players - args.bots]
        for role in seats:
            person = await seated(url, keys[role])
            await person.socket.send(json.dumps({"do": "name", "name": f"Name {number}"}))
            people.append(person)
        people.append(await seated(url, keys["spectator"]))
        await asyncio.sleep(0.1)  # lets the server reuse the memory of simultaneous connections
    await desk.close()
    idle = round((memory(pid) - before) / (args.tables - args.tables // 10))
    os.kill(pid, signal.SIGUSR1)
    start, begun = cpu(pid), time.monotonic()
    load = await played(people, args, args.seconds)
    spent, wall = cpu(pid) - start, time.monotonic() - begun
    sizes = [size for person in people for size in person.sizes]
    answers = sorted(load.answers)
    return {
        "people's moves": load.moves,
        "people's moves in a CPU second (≥ 200)": round(load.moves / spent),
        "moves in a second": round(load.moves / wall),
        "answer, median (ms)": round(1000 * answers[len(answers) // 2]),
        "answer, 95th percentile (ms)": round(1000 * answers[int(len(answers) * 0.95)]),
        "KB of a table with its sockets, at first (≤ 150)": idle,
        "decisions of people at a table": round(load.moves / args.tables),
        "KB of a table after them (≤ 150)": round((memory(pid) - before) / (args.tables - args.tables // 10)),
        "packed bytes of a difference, median (≤ 300)": round(statistics.median(sizes)),
        "packed bytes of a difference, 95th percentile": sorted(sizes)[int(len(sizes) * 0.95)],
    }


def in_browser(base: str, links: dict[str, str]) -> dict[str, Any]:
    """The milliseconds from a click until another window shows the move, and those until the first board is shown."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        pages, boards = [], []
        for link in links.values():
            pages.append(browser.new_page())
            begun = time.perf_counter()
            pages[-1].goto(f"{base}/#{link}")
            pages[-1].wait_for_selector("#board [data-place], #board svg")
            boards.append(1000 * (time.perf_counter() - begun))
        for page in pages:
            page.evaluate(_NOTES)
            page.fill("#name", "Ann")
            page.press("#name", "Enter")
        times: list[float] = []
        while len(times) < _CLICKS and (spent := _shown_after_click(pages)):
            times.append(spent)
        browser.close()
    times.sort()
    return {
        "click to move in another window, median (ms)": round(statistics.median(times)),
        "click to move, 95th percentile (ms, ≤ 300)": round(times[int(0.95 * len(times))]),
        "first board (ms, ≤ 1,000)": round(max(boards)),
    }


def _shown_after_click(pages: list[Any]) -> float:
    """The milliseconds from a click until all pages show its result; 0 if nothing can be clicked."""
    end = time.monotonic() + _MOST
    begun = 0.0
    while not begun:  # opens a group of buttons first
        if time.monotonic() > end:
            return 0
        mine = [each for each in pages if each.query_selector("#turn.mine")]
        begun = mine[0].evaluate(_CLICK) if mine else 0
        pages[0].wait_for_timeout(0 if begun else 10)
    seen: list[float] = []
    while not (seen and all(seen)):
        if time.monotonic() > end:
            raise TimeoutError(f"a click is not shown in {_MOST} seconds")
        pages[0].wait_for_timeout(10)
        seen = [each.evaluate("(begun) => shown.find((at) => at > begun) ?? 0", begun) for each in pages]
    return max(seen) - begun


def measured(ref: str, args: argparse.Namespace) -> dict[str, Any]:
    """The figures of a table server for a game."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", _TIMED, "serve", ref, "--players", str(args.players), "--port", "0"]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        server = subprocess.Popen(
            [*words, "--bots", str(args.bots), "--store", f"{folder}/tables.db"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment,
        )
        assert server.stdout is not None
        base, links = "", {}
        for line in server.stdout:
            if "#" in line:
                links[line.split()[0]] = line.rpartition("#")[2].strip()
            if " serves " in line:
                base = line.partition(" serves ")[0]
                break
        owner = links.pop("owner")
        links.pop("spectators")
        figures = {}
        try:
            if args.browser:
                figures = in_browser(base, links)
            socket = base.replace("http", "ws") + "/socket"
            figures = asyncio.run(measure(socket, owner, server.pid, ref, args)) | figures
        finally:
            server.send_signal(signal.SIGINT)
            _, longest, often = server.communicate()[1].strip().splitlines()[-1].split()
    return figures | {"longest hold of the loop (CPU ms, ≤ 50)": longest, "holds of more than 50 ms": often}


def main() -> None:
    """Prints a table in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("refs", nargs="*", default=["imperial", "shadow_of_the_emperor"])
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--bots", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--previews", action="store_true")
    args = parser.parse_args()
    figures = [measured(ref, args) for ref in args.refs]
    print(f"| {args.tables} tables, {args.players} seats, {args.bots} bots | {' | '.join(args.refs)} |")
    print("| --- " * (len(figures) + 1) + "|")
    for name in figures[0]:
        print(f"| {name} | {' | '.join(str(each[name]) for each in figures)} |")


if __name__ == "__main__":
    main()
