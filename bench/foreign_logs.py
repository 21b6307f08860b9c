"""Corpora of foreign logs, derived from those in the project, and the time and memory needed to replay them.

    python -m bench.foreign_logs FOLDER --logs 10000            # writes them
    python -m bench.foreign_logs FOLDER --measure 1000          # also replays 1000 logs, beside a loop over single logs

In all logs the names of the players are changed. Of ten logs, six are otherwise intact, two are truncated, one lacks an
entry, and one has two entries swapped.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

GAMES = Path(__file__).resolve().parents[1] / "games"
SOURCES = ("imperial", "imperial_2030", "imperial_asia")
_NAMES = (
    "Ada",
    "Blaise",
    "Carl Friedrich",
    "Émilie",
    "Fibonacci",
    "42",
    "007",
    "Hypatia",
    "Ida",
    "Jakob",
    "Kurt",
    "Leo",
)


def sources() -> list[str]:
    """The texts of the project's foreign logs."""
    folders = (GAMES / game / "logs" / "playimperial" for game in SOURCES)
    return [path.read_text("utf-8") for folder in folders for path in sorted(folder.glob("*.json"))]


def spoiled(text: str, rng: random.Random) -> str:
    """A copy of a log with changed player names, which may be truncated, lack an entry, or have two entries swapped."""
    entries: list[dict[str, Any]] = json.loads(text)
    players = [player["id"] for player in entries[0]["payload"]["players"]]
    names = dict(zip(players, rng.sample(_NAMES, len(players)), strict=True))
    entries = _renamed(entries, names)
    what, at = rng.randrange(10), rng.randrange(2, len(entries) - 1)
    if what < 2:
        del entries[at:]
    elif what == 2:
        del entries[at]
    elif what == 3:
        entries[at], entries[at + 1] = entries[at + 1], entries[at]
    return json.dumps(entries, ensure_ascii=False)


def _renamed(data: Any, names: dict[str, str]) -> Any:
    """Plain data with player names replaced."""
    if isinstance(data, dict):
        return {names.get(key, key): _renamed(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [_renamed(value, names) for value in data]
    return names.get(data, data) if isinstance(data, str) else data


def write(folder: Path, number: int) -> list[Path]:
    """Writes the given number of logs, which are the same in every run; existing files are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = sources()
    paths = []
    for at in range(number):
        path = folder / f"{at:05}.json"
        if not path.exists():
            path.write_text(spoiled(texts[at % len(texts)], random.Random(at)), "utf-8")
        paths.append(path)
    return paths


def measured(args: list[str]) -> tuple[float, float]:
    """The processor time of a command in seconds, and the peak memory of all commands so far in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "rulespec.cli.main", *args], capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss / 1024


def main() -> None:
    """Writes logs, and measures their replay."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--logs", type=int, default=0, help="so many are written")
    parser.add_argument("--measure", type=int, default=0, help="so many are replayed")
    parser.add_argument("--alone", type=int, default=20, help="so many are replayed by a command each")
    args = parser.parse_args()
    paths = [str(path) for path in write(args.folder, max(args.logs, args.measure))]
    if not args.measure:
        return
    begun = time.perf_counter()
    one = sum(measured(["replay", path])[0] for path in paths[: args.alone]) / args.alone
    print(f"a command for each log: {1000 * one:.0f} ms a log, {args.alone} of them")
    rows = args.folder.parent / "rows.jsonl"
    rows.unlink(missing_ok=True)
    seconds, memory = measured(["replay", *paths[: args.measure], "--out", str(rows)])
    print(f"one command for {args.measure:,}: {1000 * seconds / args.measure:.0f} ms a log, {memory:.0f} MB at most")
    print(f"{time.perf_counter() - begun:.0f} s on the wall")


if __name__ == "__main__":
    main()
