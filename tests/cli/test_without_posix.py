"""The commands on a system without the modules and functions that only POSIX has, simulated on a POSIX system."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from folders import GAMES, ROOT

from rulespec.cli.main import piped_encoding
from rulespec.documents.versions import RULESPEC
from rulespec.references import is_id, is_path

LOG = GAMES / "imperial" / "logs" / "quickstart.jsonl"
PACKED = GAMES / "tutorial" / "logs" / "random-2p.jsonl.gz"


def run(*args: object, folder: Path, stdin: str = "") -> str:
    """Output, then messages, of a command that ends with 0."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "RULESPEC_CACHE": str(folder.parent / "cache")}
    words = [sys.executable, ROOT / "tests" / "support" / "without_posix.py", *args]
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=env, input=stdin, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "line, shown",
    [
        ("--version", f"rulespec {RULESPEC}"),
        ("validate nim --no-play", "nim 1.0: sound"),
        ("explain RS302", "RS302"),
        ("explore nim --decisions 100", "explored"),
        ("format --check nim", "0 would change"),
        ("diff nim nim", ""),
        ("facts tutorial region", ""),
        ("titles nim", ""),
        ("schema nim", '"$schema"'),
        ("test nim", "passed"),
        ("coverage nim", "%"),
        ("perft nim --players 2 --depth 2", "2"),
        ("draw tutorial --out board.svg", "board.svg"),
        ("export nim --players 2 --wasm nim.wasm", "nim.wasm"),
        (f"replay {LOG}", "points"),
        (f"replay {PACKED} --format json", '"decisions"'),
        (f"replay {PACKED} --out again.jsonl", ""),
        (f"identify {PACKED}", "tutorial"),
        (f"log {LOG} --bundle --out bundled.jsonl", ""),
        (f"view {LOG} --out game.html", "game.html"),
        ("simulate nim --players 2 --games 20 --seed 1 --out games.jsonl", "20 games"),
        ("simulate nim --players 2 --games 20 --seed 1 --out games.parquet", "20 games"),
    ],
)
@pytest.mark.sampled(1)
def test_a_command_needs_no_posix(line: str, shown: str, tmp_path: Path) -> None:
    assert shown in run(*line.split(), folder=tmp_path)


@pytest.mark.proof  # 0.5 s
def test_a_game_is_saved_and_continued(tmp_path: Path) -> None:
    started = run("play", "nim", "--players", 2, "--log", "game.jsonl", folder=tmp_path, stdin="1\nq\n")
    assert "nim" in started.lower()
    assert (tmp_path / "game.jsonl").read_bytes().count(b'"option"') == 1
    run("play", "game.jsonl", folder=tmp_path, stdin="1\nq\n")
    assert (tmp_path / "game.jsonl").read_bytes().count(b'"option"') == 2


@pytest.mark.proof
def test_a_variant_is_started_and_validated(tmp_path: Path) -> None:
    run("new", "mine", "--from", "tutorial", folder=tmp_path)
    assert "sound" in run("validate", "./mine", "--no-play", folder=tmp_path)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pipes_and_files_are_utf_8_on_windows_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    assert piped_encoding(io.StringIO(), "nt") == "utf-8"
    assert piped_encoding(Terminal(), "nt") is None
    assert piped_encoding(io.StringIO(), "posix") is None
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    assert piped_encoding(io.StringIO(), "nt") is None


def test_a_path_has_a_separator_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_id("imperial") and not is_id("./imperial") and not is_id("games/imperial")
    assert is_path("variants/mine") and is_path("mine.yaml") and not is_path("mine")
    import ntpath

    monkeypatch.setattr(os.path, "basename", ntpath.basename)
    assert not is_id("games/imperial") and not is_id(r"games\imperial") and not is_id(r"C:\imperial")
    assert is_path("variants/mine") and is_path(r"variants\mine")
