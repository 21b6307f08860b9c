"""Durability of saved games: confirmed decisions survive any interruption, and losses are reported.

RULESPEC_KILLS is the number of killed games.
"""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from deadlines import pause
from folders import ROOT, RULESETS

import rulespec.engine.logs.saved_game
from rulespec.cli.main import cli, run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader, entry_json, read_log
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

SEATS = ["Ann", "Zoë"]
KILLS = int(os.environ.get("RULESPEC_KILLS", "2"))

posix = pytest.mark.skipif(os.name != "posix", reason="asks for POSIX: locks, signals, limits")


@cache
def nim() -> typed.Ruleset:
    return load_ruleset(str(RULESETS / "nim"))


@pytest.fixture(autouse=True)
def known_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(RULESETS))
    monkeypatch.setattr("rulespec.load.load_ruleset", lambda ref, *_: nim() if ref == "nim" else load_ruleset(ref))


def played(*texts: str) -> Game:
    game = Game(nim(), SEATS)
    for text in texts:
        game.apply(game.parse(text))
    return game


def save(path: Path, game: Game, *more: Option | TakenBack) -> None:
    with SavedGame(path) as saved:
        saved.begin(LogHeader.of(game))
        for move in [*game.history, *more]:
            saved.add(move)


def entries(path: Path) -> list[dict[str, Any]]:
    """The moves in a log, on the lines after its header; every line is complete."""
    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [result for line in data.decode().splitlines()[1:] if "end" not in (result := json.loads(line))]


def play(path: Path, stdin: str, *args: str) -> tuple[int, str, str]:
    names = ["--names", ",".join(SEATS)]
    result = CliRunner().invoke(
        cli, ["play", "nim", "--ids", "--players", "2", *names, "--log", str(path), *args], input=stdin
    )
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


# --- saving and going on ----------------------------------------------------------------------------------------------


def test_each_line_is_on_the_disk_before_it_is_confirmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, path, synced = played("take(1)", "take(2)"), tmp_path / "game.jsonl", []
    monkeypatch.setattr(
        "rulespec.engine.logs.saved_game.os.fsync", lambda _: synced.append(path.read_bytes().count(b"\n"))
    )
    with SavedGame(path) as saved:
        saved.begin(LogHeader.of(game))
        assert synced == [1, 1]  # the file, and its name in the folder
        for number, option in enumerate(game.history, 2):
            saved.add(option)
            assert synced[-1] == number


def test_a_saved_game_is_the_log_that_is_written_afterwards(tmp_path: Path) -> None:
    game = played("take(1)", "take(2)")
    save(tmp_path / "saved.jsonl", game)
    with LogWriter(tmp_path / "written.jsonl", LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
    assert (tmp_path / "saved.jsonl").read_bytes() == (tmp_path / "written.jsonl").read_bytes()


def test_nothing_is_confirmed_that_is_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise SaveError("the disk is full")

    monkeypatch.setattr(SavedGame, "add", full)
    code, out, err = play(tmp_path / "game.jsonl", "take(1)\n")
    assert code == 2
    assert "the disk is full" in err
    assert "taken" not in out


@pytest.mark.parametrize("option, reason", [("misere=true", "with misere=false, not misere=true"), ("x=1", "x=None")])
def test_another_game_is_not_gone_on_with(tmp_path: Path, option: str, reason: str) -> None:
    path = tmp_path / "game.jsonl"
    save(path, played("take(1)"))
    before = path.read_bytes()
    code, _, err = play(path, "1\n", "--set", option)
    assert code == 2
    assert reason in err
    assert path.read_bytes() == before


def test_a_game_that_cannot_begin_leaves_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["play", "nim", "--players", "9", "--log", str(tmp_path / "game.jsonl")]) == 2
    assert "not for 9" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- cut anywhere -----------------------------------------------------------------------------------------------------

WHOLE = played("take(1)", "take(2)", "take(3)")
LINES = [
    (json.dumps(line, ensure_ascii=False) + "\n").encode()
    for line in [LogHeader.of(WHOLE).to_json(), *map(entry_json, WHOLE.history), {"undo": 1}]
]
ENTRIES = [json.loads(line) for line in LINES[1:]]


ANY_BYTE = [pytest.param(number, 1, marks=pytest.mark.proof) for number in range(len(LINES))]


@pytest.mark.parametrize("number, step", [(0, 16), (2, 8), *ANY_BYTE])
def test_cut_at_any_byte_the_whole_lines_count_and_the_game_goes_on(tmp_path: Path, number: int, step: int) -> None:
    path, size = tmp_path / "game.jsonl", len(LINES[number])
    for cut in sorted({*range(0, size, step), size - 2, size - 1}):
        path.write_bytes(b"".join(LINES[:number]) + LINES[number][:cut])
        whole = number + (cut == len(LINES[number]) - 1)  # a line that lacks only its end is complete
        rest, torn = ENTRIES[: max(0, whole - 1)], cut > 0 and whole == number

        code, out, err = play(path, "")
        assert code == 0, cut
        assert ("RS603" in err or "first line was torn" in out) == torn, cut
        stands = sum(-e["undo"] if "undo" in e else 1 for e in rest)
        assert (f"continues after {stands} decision" in out) == (whole > 0), cut

        code, out, _ = play(path, "take(1)\n")
        assert code == 0, cut
        assert re.search(r"taken and saved: \w+: take\(1\)", out), cut
        now = entries(path)
        assert now[:-1] == rest, cut
        assert now[-1]["option"] == "take(1)", cut
        assert read_log(path).warnings == [], cut
        assert replay_log(path).divergence is None, cut


@pytest.mark.parametrize(
    "tail", [b"\0" * 40, b'{"undo": 1, "ke\0\0', b'{"undo"', b'{"undo"\n  ', b'{"undo": 1}\xc3', b"\xc3"]
)
def test_what_else_a_crash_may_leave_behind_the_last_line(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"".join(LINES) + tail)
    with SavedGame(path) as saved:
        assert saved.log is not None
        assert [w.code for w in saved.log.warnings] == ["RS603"]
        saved.add(TakenBack(2))
    assert entries(path) == [*ENTRIES, {"undo": 2}]


@pytest.mark.parametrize(
    "lines",
    [[*LINES[:2], LINES[2][:-5] + b"\n", LINES[3]], [*LINES[:2], LINES[2][:-5] + b"\n"], [*LINES[:2], b'{"x": 1}']],
    ids=["in the middle", "at the end", "of another form"],
)
def test_damage_that_is_no_torn_line_is_never_repaired(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: list[bytes]
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"".join(lines))
    assert run(["play", "nim", "--players", "2", "--log", str(path)]) == 2
    assert "error[RS60" in capsys.readouterr().err
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("text", ["hello", '{"rulespec_log": 1, "ruleset": "other'])
def test_a_file_that_holds_something_else_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(text, "utf-8")
    assert run(["play", "nim", "--players", "2", "--log", str(path)]) == 2
    assert path.read_text("utf-8") == text


def test_a_packed_log_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl.gz"
    save(tmp_path / "game.jsonl", WHOLE)
    path.write_bytes(gzip.compress((tmp_path / "game.jsonl").read_bytes()))
    with pytest.raises(DiagnosticsError) as error:
        SavedGame(path)
    assert "packed" in error.value.diagnostics[0].message


# --- writes that fail -------------------------------------------------------------------------------------------------


class Killed(BaseException):
    """A stand-in for the end of the process."""


def dies_after(monkeypatch: pytest.MonkeyPatch, bytes_: int, error: BaseException) -> None:
    """Makes `os.write` accept some bytes, in pieces as a system may, and then fail."""
    left = bytes_
    write = os.write

    def written(file: int, data: bytes) -> int:
        nonlocal left
        if left == 0:
            raise error
        number = write(file, data[: min(left, 7)])
        left -= number
        return number

    monkeypatch.setattr("rulespec.engine.logs.saved_game.os.write", written)


SECOND = len((json.dumps(entry_json(WHOLE.history[1]), ensure_ascii=False) + "\n").encode())


@pytest.mark.parametrize("bytes_", range(SECOND + 1))
def test_killed_in_the_middle_of_a_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_: int) -> None:
    path = tmp_path / "game.jsonl"
    first, second, third = WHOLE.history
    with monkeypatch.context() as patch, SavedGame(path) as saved:
        saved.begin(LogHeader.of(WHOLE))
        saved.add(first)
        dies_after(patch, bytes_, Killed())
        with pytest.raises(Killed):
            saved.add(second, third)
    with SavedGame(path) as saved:
        assert saved.log is not None
        # Without a confirmation, an entry counts only if it lacks nothing but its line end.
        assert [e.option for e in saved.log.entries] == [str(first), str(second)][: 1 + (bytes_ >= SECOND - 1)]
        saved.add(TakenBack(1))
    assert entries(path)[0] == entry_json(first)
    assert entries(path)[-1] == {"undo": 1}


@pytest.mark.parametrize("bytes_", [0, 1, 30, SECOND - 1])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bytes_: int, number: int) -> None:
    path = tmp_path / "game.jsonl"
    save(path, played("take(1)"))
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        dies_after(patch, bytes_, OSError(number, os.strerror(number)))
        code, out, err = play(path, "take(2)\n")
    assert code == 2
    assert f"cannot be written: {os.strerror(number)}; earlier decisions stay saved" in err
    assert "taken" not in out
    assert path.read_bytes() == before
    assert play(path, "take(2)\n")[0] == 0
    assert [e["option"] for e in entries(path)] == ["take(1)", "take(2)"]


def test_a_disk_that_cannot_keep_its_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.jsonl"
    save(path, played("take(1)"))
    before = path.read_bytes()

    def fails(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("rulespec.engine.logs.saved_game.os.fsync", fails)
    assert play(path, "take(2)\n")[0] == 2
    assert path.read_bytes() == before


def test_a_log_that_nobody_could_read_any_more_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.jsonl"
    monkeypatch.setattr(rulespec.engine.logs.saved_game, "MAX_LINES", 3)
    code, out, err = play(path, "1\n1\n1\n1\n")
    assert code == 2
    assert out.count("taken and saved") == 2
    assert "has reached the maximum size of a log" in err
    assert len(entries(path)) == 2


@pytest.mark.parametrize("name", ["nowhere/game.jsonl", ".", "a\0b"])
def test_where_nothing_can_be_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SaveError, match="cannot be written"):
        SavedGame(Path(name))
    _, out, _ = play(Path("game.jsonl"), f"w {name}\nq\n")
    assert ("already exists" if name == "." else "cannot be written") in out


# --- processes --------------------------------------------------------------------------------------------------------

PLAY = "from rulespec.cli.main import main; main()"


def process(path: Path, program: str = PLAY) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", program, "play", "nim", "--ids", "--players", "2", "--log", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )


def typed_in(game: subprocess.Popen[bytes], text: str) -> None:
    assert game.stdin is not None
    game.stdin.write(text.encode())
    game.stdin.flush()


def read_until(game: subprocess.Popen[bytes], text: str) -> bytes:
    assert game.stdout is not None
    out = b""
    while text.encode() not in out:
        piece = game.stdout.read1()  # type: ignore[attr-defined]
        assert piece, out
        out += piece
    return out


def confirmed(out: bytes) -> list[str]:
    """The confirmations seen by players: options and `undo`. A partial line confirms nothing."""
    results: list[str] = []
    for line in out.decode("utf-8", "replace").split("\n")[:-1]:
        if line.startswith("taken and saved: "):
            results.append(line.rpartition(": ")[2])
        elif line.startswith("taken back: "):
            results.append("undo")
    return results


def saved_moves(path: Path) -> list[str]:
    return ["undo" if e.back else e.option for e in read_log(path).entries]


@posix
def test_killed_at_any_moment_what_was_confirmed_is_there(tmp_path: Path) -> None:
    moments = random.Random(1)
    for number in range(KILLS):
        path = tmp_path / f"{number}.jsonl"
        with process(path) as game:
            typed_in(game, "2\nu\n3\n1\nu\nu\n" * 2_000)  # more than needed, and less than fits into a pipe
            out = read_until(game, "taken")
            pause(moments.random() * 0.05)
            game.kill()
            assert game.stdout is not None
            out += game.stdout.read()
        note, result = confirmed(out), saved_moves(path)
        assert result[: len(note)] == note
        assert len(note) <= len(result) <= len(note) + 1
        assert replay_log(path).divergence is None


@posix
def test_two_programs_do_not_play_the_same_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with process(path) as game:
        typed_in(game, "take(2)\n")
        read_until(game, "taken and saved: A: take(2)")
        before = path.read_bytes()
        code, out, err = play(path, "1\n")
        assert code == 2
        assert "is being played by another program" in err
        assert path.read_bytes() == before
        assert replay_log(path).game.ply == 1  # reading is always possible
        game.kill()
    code, out, _ = play(path, "take(1)\n")  # the lock has ended with the process
    assert code == 0
    assert "continues after 1 decision" in out
    assert [e["option"] for e in entries(path)] == ["take(2)", "take(1)"]


LIMITED = """
import os, resource, sys
size = int(os.environ["RULESPEC_TEST_SIZE"])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from rulespec.cli.main import main
main()
"""


@posix
@pytest.mark.parametrize("more", [0, 1, 40, 90, 130])
@pytest.mark.sampled(2)
def test_a_file_that_may_not_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    path = tmp_path / "game.jsonl"
    save(path, played())
    monkeypatch.setenv("RULESPEC_TEST_SIZE", str(path.stat().st_size + more))
    with process(path, LIMITED) as game:
        out, err = game.communicate(b"take(1)\ntake(2)\ntake(3)\n")
    assert game.returncode == 2
    assert b"cannot be written" in err
    assert len(confirmed(out)) < 3
    assert saved_moves(path) == confirmed(out)
    assert read_log(path).warnings == []
