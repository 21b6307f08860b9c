"""Generator of derived files: parts of pages, shipped logs, hashes on diagnostics pages, perft records.

    python tests/support/regenerate.py            # in the folder of the project, with its `rulespec` on the path
    python tests/support/regenerate.py --pages    # the generated parts of pages alone
    python tests/support/regenerate.py --perft    # perft records as well

Each native log is replayed under its current rules, and rewritten with its header, salts, notes and end line, but
without the rules, which are in the parent folder. A log that is no longer legal is kept and listed, and the exit code
is 1. Unchanged logs are not written, so a second run has no effect.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from folders import ROOT
from generated_parts import with_generated_parts
from page_examples import BLOCK, PAGES, base, read_example

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.json_text import to_json_text
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.logs.native import is_native, read_log
from rulespec.engine.replay.replay import replay_native
from rulespec.load import load_ruleset

_load = cache(load_ruleset)
_HASH = re.compile(r'(?P<before>"ruleset": "market(?P<overlays>[^"]*)", "ruleset_hash": ")[0-9a-f]{32}')


def logs() -> Iterator[Path]:
    """The native logs of rulesets, in folders `logs` beside a `game.yaml`."""
    for folder in ("games", "tests/rulesets"):
        for game in sorted((ROOT / folder).rglob("game.yaml")):
            yield from (path for path in sorted((game.parent / "logs").rglob("*.jsonl*")) if is_native(text_of(path)))


def text_of(path: Path) -> str:
    """The text of a log, compressed or not."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def rewrite(path: Path, folder: Path) -> str:
    """Rewrites a log; returns the reason if that is impossible, or ""."""
    log = read_log(path)
    overlays = log.header.ruleset.partition("+")[2]
    result = replay_native(log, _load(f"{folder}+{overlays}" if overlays else str(folder)))
    if result.divergence is not None:
        return f"{result.divergence.place}: {result.divergence.refusal.reason}"
    with tempfile.TemporaryDirectory() as temporary:
        new = Path(temporary) / "log.jsonl"
        write_log(new, result.game, result.moves, log, result.places)
        first, rest = new.read_text("utf-8").split("\n", 1)
    header = {key: value for key, value in json.loads(first).items() if key != "bundle"}
    text = f"{to_json_text(header, plain=True)}\n{rest}"
    if text != text_of(path):
        data = text.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return ""


def rewrite_page(page: Path) -> None:
    """Updates the hash in a page's logs, unless its examples are about another hash."""
    text = page.read_text("utf-8")
    parts = re.split(r"(?=^## )", text, flags=re.MULTILINE)
    new = "".join(map(_with_hash, parts)).replace('{"rulespec_log": 1, ', '{"rulespec_log": 2, ')
    if new != text:
        page.write_text(new, "utf-8")


def _with_hash(section: str) -> str:
    example = read_example(section)
    about_hashes = any(code == "RS618" for code, *_ in example.places)
    if about_hashes or not any(block["file"].endswith(".jsonl") for block in BLOCK.finditer(section)):
        return section
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "market"
        for name, text in (base() | example.files).items():
            file = Path(temporary) / name if name.endswith(".jsonl") else folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")

        def today(header: re.Match[str]) -> str:
            try:
                return header["before"] + load_ruleset(f"{folder}{header['overlays']}").hash
            except DiagnosticsError:  # a page about mistakes
                return header[0]

        return _HASH.sub(today, section)


def main(arguments: list[str]) -> int:
    """Regenerates all files; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true", help="the generated parts of pages alone")
    parser.add_argument("--perft", action="store_true", help="perft records as well")
    wanted = parser.parse_args(arguments)
    for name, text in with_generated_parts().items():
        (ROOT / name).write_text(text, "utf-8")
    if wanted.pages:
        return 0
    failed = 0
    for path in logs():
        folder = next(parent for parent in path.parents if (parent / "game.yaml").exists())
        if why := rewrite(path, folder):
            sys.stderr.write(f"{path.relative_to(ROOT)}: {why}\n")
            failed = 1
    for page in sorted(PAGES.glob("RS*.md")):
        rewrite_page(page)
    if wanted.perft:
        for record in sorted(path for path in (ROOT / "games").rglob("perft/*.yaml")):
            ref = "+".join([str(record.parents[1]), *record.stem.split("+")[1:]])
            failed |= os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-m", "rulespec", "perft", ref, "--record"])
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
