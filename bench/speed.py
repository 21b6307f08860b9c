"""Speed of Rulespec compared with other programs: `python -m bench.speed [SECTION…]`; see docs/explanation/speed.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.changed import commit_of, git
from bench.figures import Bench, Figure, table
from bench.sections import (
    chess,
    commands,
    gallery,
    growth,
    guests,
    jobs,
    loading,
    memory,
    passes,
    playouts,
    positions,
    regions,
    replays,
    wasm,
    wasm_games,
)
from bench.yardstick import Chess

SECTIONS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "chess": chess.run,
    "playouts": playouts.run,
    "wasm": wasm.run,
    "wasm_games": wasm_games.run,
    "gallery": gallery.run,
    "positions": positions.run,
    "replays": replays.run,
    "length": growth.length,
    "maps": growth.maps,
    "regions": regions.run,
    "overlays": growth.overlays,
    "passes": passes.run,
    "load": loading.run,
    "memory": memory.run,
    "commands": commands.run,
    "jobs": jobs.run,
    "guests": guests.run,
}
BUILD = Path("build/bench")
VERSION = 2
"""The version of the file format for figures."""


def measure(
    bench: Bench,
    names: Sequence[str],
    show: Callable[[str], object] = print,
    keep: Callable[[list[Figure]], object] = id,
) -> list[Figure]:
    """Measures the named sections, prints a table for each, and passes the figures so far to `keep`."""
    results: list[Figure] = []
    for name in names:
        bench.section = name
        begun = time.perf_counter()
        figures = list(SECTIONS[name](bench))
        results += figures
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
        if figures:
            show(f"\n## {name} ({time.perf_counter() - begun:.0f} s)\n\n{table(figures)}")
            keep(figures)
    return results


def commit() -> str:
    """The measured commit, followed by `+` if there are uncommitted changes; "" outside a repository."""
    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/explanation")
        return commit_of("HEAD")[:12] + ("+" if changed else "")
    except LookupError:
        return ""


def processor() -> str:
    """The model name of the processor, if the system provides it."""
    try:
        model = re.search(r"^model name\s*: *(.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except OSError:
        model = None
    return model[1].strip() if model else platform.processor()


def as_json(bench: Bench, figures: Sequence[Figure], note: str = "") -> dict[str, Any]:
    """Figures by section as plain data, with the environment of the measurement."""
    circumstances = {
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "processor": processor(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "system": platform.system(),
        "processors": os.cpu_count(),
        "runs": bench.runs,
        "turns": bench.turns,
        "seconds": bench.seconds,
        "quick": bench.quick,
        "note": note,
    }
    sections = dict.fromkeys(figure.section for figure in figures)
    return {
        "rulespec_speed": VERSION,
        "sections": {
            name: {**circumstances, "figures": [figure.to_json() for figure in figures if figure.section == name]}
            for name in sections
        },
    }


def write(path: Path, data: dict[str, Any]) -> None:
    """Writes figures to a file, keeping sections that were not measured again."""
    if path.is_file():
        before = json.loads(path.read_text("utf-8"))
        if before.get("rulespec_speed") == VERSION:
            data = {**data, "sections": {**before["sections"], **data["sections"]}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main(args: Sequence[str] | None = None) -> int:
    """Measures, prints tables, and writes the figures as JSON."""
    parser = argparse.ArgumentParser(description="How fast Rulespec is, beside other programs.")
    parser.add_argument("sections", metavar="SECTION", nargs="*", help=f"of {', '.join(SECTIONS)}; else all")
    parser.add_argument("--quick", action="store_true", help="about a minute: fewer rulesets, shorter runs")
    parser.add_argument("--runs", type=int, help="of each slice (5; quick: 3; at most 3 of what takes long)")
    parser.add_argument("--games", type=int, help="playouts for the section jobs (100,000; quick: 20)")
    parser.add_argument("--out", type=Path, default=BUILD / "speed.json", help="the file whose sections are replaced")
    parser.add_argument("--note", default="", help="what is to be known of the figures, such as: on a busy machine")
    chosen = parser.parse_args(args)
    if unknown := [name for name in chosen.sections if name not in SECTIONS]:
        parser.error(f"there is no section {', '.join(unknown)}; the sections are {', '.join(SECTIONS)}")
    runs = chosen.runs or (3 if chosen.quick else 5)
    games = chosen.games or (20 if chosen.quick else 100_000)
    with Chess() as yardstick:
        turns = 1 if chosen.quick else 4
        bench = Bench(yardstick, BUILD, runs, turns, 0.05 if chosen.quick else 0.1, chosen.quick, games)

        def keep(measured: list[Figure]) -> None:
            """Writes a section at once, as a later one may fail."""
            write(chosen.out, as_json(bench, measured, chosen.note))

        figures = measure(bench, chosen.sections or list(SECTIONS), keep=keep)
    missed = [figure for figure in figures if figure.met is False]
    notes = [figure for figure in figures if figure.met is not None]
    if notes:
        print(f"\n{len(notes) - len(missed)} of {len(notes)} targets met; all figures: {chosen.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
