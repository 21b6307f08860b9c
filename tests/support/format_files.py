"""Generator of the program-written files in `tests/fixtures/formats/`: `python -m format_files`.

Run it in `tests/support/` when an unreleased format has changed. A released file is never rewritten; later versions get
additional files.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import msgspec
from folders import TESTS

from rulespec.bundles.rules import bundle_of
from rulespec.cli.main import run
from rulespec.documents.json_text import to_json_text
from rulespec.engine.table.seats import Seat, Unlogged
from rulespec.load import load_ruleset
from rulespec.serve.socket_parts import hashed
from rulespec.serve.store import TableStore, key, new_game
from rulespec.serve.stored_rows import StoredGame

FORMATS = TESTS / "fixtures" / "formats"
FERRY = FORMATS / "ferry"
LOGS = FORMATS / "logs"
CORPUS = FORMATS / "corpus"


def write() -> None:
    """Writes logs of each kind, rules beside logs, perft counts, simulation results, and a store of tables."""
    os.environ["RULESPEC_PATH"] = str(FORMATS)
    for folder in (LOGS, CORPUS, FERRY / "logs", FERRY / "perft"):
        shutil.rmtree(folder, ignore_errors=True)
    for folder in (LOGS, CORPUS, FERRY / "logs"):
        folder.mkdir()
    os.chdir(FORMATS)
    _run("replay", "foreign.json", "--rules", "ferry", "--out", "logs/carried.jsonl")
    first, rest = (LOGS / "carried.jsonl").read_text("utf-8").split("\n", 1)
    header = {key: value for key, value in json.loads(first).items() if key != "bundle"}
    plain = f"{to_json_text(header, plain=True)}\n{rest}"
    (LOGS / "plain.jsonl").write_text(plain, "utf-8")
    for folder in (CORPUS, FERRY / "logs"):
        (folder / "plain.jsonl").write_text(plain, "utf-8")
    (FERRY / "logs" / "plain.expect.yaml").write_text("decisions: 4\nended: last_stone\nwinners: [Bob]\n", "utf-8")
    _run("log", "logs/plain.jsonl", "--for", "Ann", "--out", "logs/seat.jsonl")
    _run("log", "corpus/plain.jsonl", "--bundle-beside")
    _run("perft", "ferry", "--record")
    Path("results.jsonl").unlink(missing_ok=True)
    _run("simulate", "ferry", "--players", "2", "--games", "5", "--out", "results.jsonl")
    _write_tables(header)


def _write_tables(header: dict[str, Any]) -> None:
    """Writes a store with one table, which has the decisions of the plain log."""
    Path("tables.db").unlink(missing_ok=True)
    rules = bundle_of(load_ruleset("ferry"))
    aside = msgspec.json.encode(Unlogged({seat: Seat("free") for seat in header["seats"]}, 1)).decode()
    moves = tuple((LOGS / "plain.jsonl").read_text("utf-8").splitlines()[1:-1])
    game = StoredGame("ferry", to_json_text(header, plain=True), rules.sources, aside, 1.0, moves)
    statements, _ = new_game(game, msgspec.json.encode(rules).decode())
    store = TableStore(Path("tables.db"))
    for role in ("seat:Ann", "seat:Bob", "spectator"):
        statements += key(hashed(f"key of {role}"), "ferry", role)
    store.save(statements).result()
    store.close()


def _run(*args: str) -> None:
    if code := run(list(args)):
        sys.exit(f"{args}: exit code {code}")


if __name__ == "__main__":
    write()
