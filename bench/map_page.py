"""Latency of a map page: the time from an edit to the list of problems, and to the new picture.

The page is simulated by a socket; the server runs in a separate process, as in normal use. After each edit it waits for
the picture, except in the row "at once", where edits overlap with drawing. Run `python -m bench.map_page` on an idle
machine.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests" / "support"))

from servers import opened  # noqa: E402

from editors import EditPage  # noqa: E402
from rulespec.lsp.map_files import MapFiles  # noqa: E402

MAPS = ("tutorial", "imperial", "imperial_2030")
EDITS = 40


def _edits(page: EditPage, chance: random.Random) -> dict[str, Callable[[], list[str]]]:
    """The measured kinds of edits, each a function that returns the words of an edit."""
    names = [region["name"] for region in page.state["regions"]]
    facts = {fact["name"]: fact for fact in page.state["form"]["facts"]}
    terrain = next(name for name, fact in facts.items() if fact["type"] == "entity")
    values = [name for name, _ in page.state["form"]["choices"][facts[terrain]["of"]]]
    return {
        "fact": lambda: ["set", chance.choice(names), terrain, chance.choice(values)],
        "title": lambda: ["set", chance.choice(names), "title", f"Title {chance.randrange(1000)}"],
        "move": lambda: ["move", chance.choice(names), *(str(chance.randrange(100)) for _ in "xy")],
        "link": lambda: ["link", *chance.sample(names, 2), page.state["form"]["links"][0][0]],
    }


@contextmanager
def _page(folder: Path) -> Iterator[EditPage]:
    """A page connected to a new server."""
    command = [sys.executable, "-m", "rulespec", "edit", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            base, _, key = server.stdout.readline().split()[0].partition("/#")
            yield EditPage(opened(base.replace("http", "ws", 1) + "/socket"), key)
        finally:
            server.terminate()


def measure(name: str, folder: Path) -> list[str]:
    """The rows of the table for one shipped map."""
    shutil.copytree(ROOT / "games" / name, folder, ignore=shutil.ignore_patterns("logs", "perft"))
    checks = []
    for _ in range(15):
        map_ = MapFiles(folder)
        map_.checked()
        began = time.perf_counter()
        map_._latest = None
        map_.checked()
        checks.append(time.perf_counter() - began)
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with _page(folder) as page:
        chance = random.Random(1)
        page.until("picture")
        edits = _edits(page, chance)
        for n in range(2 * EDITS):
            kind = [*edits][n % len(edits)]
            words, serial = edits[kind](), page.state["serial"]
            began = time.perf_counter()
            page.socket.send(json.dumps({"do": "edit", "edits": [words], "name": kind}))
            while not {"done", "refused", "choose"} & page.read().keys():
                pass
            first = time.perf_counter() - began
            if page.state["serial"] == serial:
                continue  # an edit without effect
            if n < EDITS:
                page.until("picture")
            times[kind if n < EDITS else "at once"].append((first, time.perf_counter() - began))
    regions, check = len(page.state["regions"]), median(checks)
    waited = [each for kind, values in times.items() if kind != "at once" for each in values]
    rows = {**times, "all": waited}
    return [
        f"{name:<16}{regions:>4}  {kind:<8}{1000 * check:>7.0f}"
        + "".join(f"{1000 * q[i]:>7.0f}" for q in _quantiles(values) for i in (4, 8))
        for kind, values in rows.items()
        if len(values) > 1
    ]


def _quantiles(values: list[tuple[float, float]]) -> Iterator[list[float]]:
    """The deciles of the times to the problems, and of those to the picture if the edits waited for it."""
    for each in zip(*values, strict=True):
        yield quantiles(each, n=10)


def main() -> None:
    """Prints the table, in milliseconds."""
    print("map        regions  edit      check  problems: median p90  picture: median p90")
    for name in MAPS:
        with tempfile.TemporaryDirectory() as folder:
            print("\n".join(measure(name, Path(folder) / name)))


if __name__ == "__main__":
    main()
