"""Latency of the language server from a change to its diagnostics, compared with `rulespec validate --no-play`.

    python bench/language_server.py [REF]

Both alternate, so that a busy machine slows both. Times are in milliseconds and include the delay after the last
keystroke.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from editor import Editor
from folders import ROOT

ROUNDS = 12
FILES = ("rules/manoeuvre.rules", "map.yaml", "kinds.yaml")


def main() -> None:
    """Prints a line for each file, and a line for the command."""
    ref = sys.argv[1] if len(sys.argv) > 1 else "imperial"
    command = [sys.executable, "-m", "rulespec.cli.main", "validate", "--no-play", ref]
    taken: dict[str, list[float]] = {name: [] for name in (*FILES, "validate")}
    with Editor(ROOT / "games" / ref) as editor:
        texts = {name: (editor.open(name), editor.texts[editor.path(name)])[1] for name in FILES}
        for number in range(ROUNDS):
            for name, text in texts.items():
                begun = time.perf_counter()
                editor.change(name, f"{text}\n# {number}\n")
                taken[name].append(time.perf_counter() - begun)
            begun = time.perf_counter()
            subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
            taken["validate"].append(time.perf_counter() - begun)
    for name, times in taken.items():
        print(f"{name:24} median {statistics.median(times) * 1000:5.0f}  most {max(times) * 1000:5.0f}")


if __name__ == "__main__":
    main()
