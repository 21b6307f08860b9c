"""Binary files of strangers, read by the commands that read them."""

from __future__ import annotations

import io
import json
import os
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import fuzz.support
from fuzz.session import Session, Wrong
from rulespec.cli.main import run

_PLAYED = ("simulate", "nim", "--players", "2", "--games", "3", "--seed", "4")


def read_archive(home: Path, session: Session, name: str = "") -> None:
    """Replays an archive, alone and in a folder with a log that is sound.

    Raises:
        Wrong: if that log is not replayed.
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
    """Asks a store of codes that has the part, or goes on with results that have it."""
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


def part_of_store() -> bytes:
    """A part of a store of codes."""
    return next(body for path, body in _made().items() if path.startswith("store/games/"))


def part_of_results() -> bytes:
    """A part of results of the same games."""
    return next(body for path, body in _made().items() if path.startswith("r.parquet/"))


def sound_log() -> bytes:
    """A log of a small game."""
    return _made()["sound.jsonl"]


@cache
def _made() -> dict[str, bytes]:
    """A store of three games, their results, and a sound log, as files by their paths."""
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
