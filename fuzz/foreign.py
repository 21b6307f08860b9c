"""Untrusted binary files, read by the commands that accept them."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import secrets
import sqlite3
import tempfile
from contextlib import closing, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from unittest import mock

from msgspec import convert

import fuzz.support
from fuzz.session import DETAIL, Session, Wrong
from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.logs.saved_game import SaveError
from rulespec.load import load_ruleset

_PLAYED = ("simulate", "nim", "--players", "2", "--games", "3", "--seed", "4")


def read_archive(home: Path, session: Session, name: str = "") -> None:
    """Replays an archive, alone and in a folder with a valid log.

    Raises:
        Wrong: if the valid log is not replayed.
    """
    data = (home / "file").read_bytes()
    if not name:
        name = {b"\x1f\x8b": "a.tgz", b"BZ": "a.tar.bz2"}.get(data[:2], "a.tar")
    folder = home / "logs"
    folder.mkdir()
    (folder / name).write_bytes(data)
    session.command("replay", str(folder / name))
    (folder / "z.jsonl").write_bytes(sound_log())
    _, printed = session.command("replay", str(folder), "--format", "json")
    rows = json.loads(printed)["logs"]
    if [row["verdict"] for row in rows if row["log"].endswith("/z.jsonl") and name not in row["log"]] != ["legal"]:
        raise Wrong(f"a log beside an archive is not replayed: {printed[-1000:]}")


def read_part(home: Path, session: Session) -> None:
    """Queries a store of codes that contains the part, or continues a simulation from results with it."""
    data = (home / "file").read_bytes()
    name = "games-0000000000.parquet"
    if b"rulespec_results" in data:
        (home / "r.parquet").mkdir()
        (home / "r.parquet" / name).write_bytes(data)
        session.command(*_PLAYED, "--out", str(home / "r.parquet"))
        return
    store = home / "store"
    for path, body in _made().items():
        if path.startswith("store/"):
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_bytes(body)
    (store / "games" / name).write_bytes(data)
    session.command("corpus", "replay", str(store), "--format", session.rng.choice(("text", "json")))
    if session.rng.random() < 0.2:
        session.command("corpus", "find", str(store), "true", "--format", "json")


def open_store(home: Path, session: Session) -> None:
    """Opens the store of a server and resumes its tables; faults must be reported."""
    from rulespec.serve.hall import Hall
    from rulespec.serve.store import TableStore

    try:
        store = TableStore(home / "t.db")
    except (SaveError, DiagnosticsError) as error:
        session.said.add(f"store 2 {DETAIL.sub('_', str(error))}")
        return
    try:
        hall = Hall(store)
        hall.resume()
        session.said.update(f"table {DETAIL.sub('_', fault)}" for fault in hall.faults.values())
        session.said.add(f"store 0, {len(hall.games)} tables" if hall.faults else "store 0")
    finally:
        store.close()


def new_store(tables: int) -> bytes:
    """A new store with tables of two players, each after one decision, identical except for times."""
    from rulespec.engine.table.messages import Message
    from rulespec.serve.hall import Hall
    from rulespec.serve.store import TableStore
    from rulespec.serve.table_rules import TableRules

    async def play(path: Path) -> None:
        rules = TableRules(load_ruleset(str(fuzz.support.ROOT / "games" / "gallery" / "nim")))
        hall = Hall(TableStore(path), {rules.ruleset.ref: rules})
        for _ in range(tables):
            game = Game(rules.ruleset, ["A", "B"])
            game.omniscient.numbers.begin()
            live, _ = await hall.new(rules, game)
            for do, name, option in (("name", "Ann", ""), ("take", "", str(game.legal_options[0]))):
                serial = live.table.say("A")["serial"]
                await hall.hear(
                    live, "A", convert({"do": do, "serial": serial, "name": name, "option": option}, Message)
                )
        hall.close()

    rng = random.Random(tables)
    with (
        mock.patch.object(secrets, "token_bytes", rng.randbytes),
        mock.patch.object(secrets, "randbits", rng.getrandbits),
        tempfile.TemporaryDirectory() as folder,
    ):
        path = Path(folder, "t.db")
        asyncio.run(play(path))
        with closing(sqlite3.connect(path)) as base:
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()


def part_of_store() -> bytes:
    """A part of a store of codes."""
    return next(body for path, body in _made().items() if path.startswith("store/games/"))


def part_of_results() -> bytes:
    """A part of the results of the same games."""
    return next(body for path, body in _made().items() if path.startswith("r.parquet/"))


def sound_log() -> bytes:
    """A log of a small game."""
    return _made()["sound.jsonl"]


@cache
def _made() -> dict[str, bytes]:
    """The files of a store with three games, of their results, and of a valid log, by path."""
    import fuzz.support

    from corpora import logs  # isort: skip

    path = os.environ.get("RULESPEC_PATH")
    os.environ["RULESPEC_PATH"] = str(fuzz.support.ROOT / "tests" / "rulesets")
    try:
        with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            home = Path(folder)
            run([*_PLAYED, "--codes", str(home / "store")])
            run([*_PLAYED, "--out", str(home / "r.parquet")])
            logs(home / "logs", "nim", 1, players=2)[0].rename(home / "sound.jsonl")
            return {str(p.relative_to(home)): p.read_bytes() for p in sorted(home.rglob("*")) if p.is_file()}
    finally:
        if path is None:
            del os.environ["RULESPEC_PATH"]
        else:
            os.environ["RULESPEC_PATH"] = path
