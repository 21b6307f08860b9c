"""Invalid input files of all kinds: one clear diagnostic with its place, the right exit code, quickly, no traceback."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from deadlines import DEADLINE
from folders import ROOT, RULESETS
from limits import soon

from rulespec.cli.main import run

Change = Callable[[Path], None]


pytestmark = pytest.mark.usefixtures("known_rulesets")


def copy_of_nim(tmp_path: Path) -> Path:
    for source in (RULESETS / "nim").rglob("*"):
        if source.is_file():
            target = tmp_path / "nim" / source.relative_to(RULESETS / "nim")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    return tmp_path / "nim"


def messages_of(args: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and the messages, within a work limit."""
    with soon():
        code = run(args)
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    return code, captured.err


# --- rulesets ---------------------------------------------------------------------------------------------------------


def write(name: str, text: str | bytes) -> Change:
    data = text if isinstance(text, bytes) else text.encode()

    def change(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return change


def edit(name: str, old: str, new: str) -> Change:
    def change(folder: Path) -> None:
        text = (folder / name).read_text("utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1), "utf-8")

    return change


def link(name: str, target: str) -> Change:
    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return change


PLAY = "rules/play.rules"
SETUP = "setup.yaml"
BAD_RULESETS: dict[str, tuple[Change, str, str]] = {
    # what: (the change, the code, the place and the expected text)
    "no file": (lambda f: (f / "game.yaml").unlink(), "RS501", "is not a ruleset"),
    "broken yaml": (write(SETUP, "setup: {pieces: [\n"), "RS111", "setup.yaml:2:1"),
    "deep yaml": (write(SETUP, "[" * 400_000), "RS112", "setup.yaml:1:65"),
    "deep yaml, indented": (write(SETUP, "".join(" " * i + "a:\n" for i in range(900))), "RS112", "setup.yaml:6"),
    "large yaml": (write(SETUP, "# " + "x" * 3_000_000), "RS103", "setup.yaml:1:1"),
    "many values": (write(SETUP, "[" + "1," * 300_000 + "1]"), "RS113", "setup.yaml:1:"),
    "alias": (write(SETUP, "setup: {pieces: {stone.heap: &a 3}, accounts: *a}"), "RS114", "setup.yaml:1:30"),
    "alias bomb": (
        write(
            SETUP, "a: &a [x, x]\n" + "".join(f"{c}: &{c} [*{p}, *{p}]\n" for p, c in zip("abcd", "bcde", strict=True))
        ),
        "RS114",
        "setup.yaml:1:4",
    ),
    "tag": (write(SETUP, "setup: !!python/object/apply:os.system [ls]"), "RS115", "setup.yaml:1:8"),
    "duplicate key": (write(SETUP, "setup: {}\nsetup: {}\n"), "RS119", "setup.yaml:2:1"),
    "merge key": (write(SETUP, "setup: {<<: {}}\n"), "RS117", "setup.yaml:1:9"),
    "two documents": (write(SETUP, "setup: {}\n---\nsetup: {}\n"), "RS116", "setup.yaml:2:1"),
    "binary": (write(SETUP, b"\x00\x01\x02"), "RS105", "setup.yaml:1:1"),
    "not utf-8": (write(SETUP, b"setup: {a: \xff}"), "RS104", "setup.yaml:1:12"),
    "unknown key": (edit(SETUP, "pieces", "peices"), "RS211", "did you mean `pieces`?"),
    "wrong type of value": (edit("game.yaml", "max: 4", "max: four"), "RS213", "game.yaml:6:"),
    "unknown piece": (edit(SETUP, "stone.heap", "stome.heap"), "RS", "setup.yaml:3:12"),
    "syntax error": (edit(PLAY, "        if misere:", "        if misere"), "RS", "play.rules:15:18"),
    "tab": (edit(PLAY, "    repeat", "\trepeat"), "RS", "play.rules:3:1"),
    "open bracket": (edit(PLAY, "turn(p)", "turn(p"), "RS", "play.rules:"),
    "deep expression": (edit(PLAY, "stone.heap == 0", "(" * 40_000 + "1"), "RS", "play.rules:14:"),
    "long chain": (edit(PLAY, "stone.heap == 0", "0" + " + 1" * 10_000 + " == 0"), "RS", "play.rules:14:"),
    "unknown name": (edit(PLAY, "hand[p]\n", "hnad[p]\n"), "RS", "play.rules:13:"),
    "wrong type": (edit(PLAY, "if stone.heap == 0", "if stone.heap"), "RS", "play.rules:14:8"),
    "unknown function": (edit(PLAY, "turn(p)\n\n", "trun(p)\n\n"), "RS", "did you mean `turn`?"),
    "endless loop": (
        edit(
            PLAY, "repeat at most stones:\n        for p in player:", "repeat:\n        for p in player where misere:"
        ),
        "RS402",
        "play.rules:3:5",
    ),
    "overlay on offer without a file": (lambda f: (f / "variants/tall.yaml").unlink(), "RS502", "game.yaml:10:12"),
    "link out of the folder": (link(PLAY, "/etc/passwd"), "RS106", "leads out of its folder"),
    "extends itself": (edit("game.yaml", "id: nim", "id: nim\nextends: nim"), "RS", "game.yaml:"),
}


@pytest.mark.parametrize("what", BAD_RULESETS)
@pytest.mark.sampled(9)
def test_bad_ruleset(
    tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change, code, text = BAD_RULESETS[what]
    folder = copy_of_nim(tmp_path)
    change(folder)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    exit_code, err = messages_of(["validate", str(folder)], capsys)
    assert exit_code == (2 if what == "no file" else 1)
    assert f"error[{code}" in err
    assert text in err
    # One mistake is reported once, without its consequences.
    assert err.count("error[") == (2 if what in {"alias", "alias bomb"} else 1) or what in MANY


MANY = {"alias bomb", "unknown function"}


@pytest.mark.sampled(20)
@pytest.mark.parametrize(
    "ref, code, message",
    [
        ("nothing", "RS501", "there is no ruleset `nothing`"),
        ("wagr", "RS501", "did you mean `wager`?"),
        ("./nothing", "RS501", "there is no ruleset"),
        (".", "RS501", "is not a ruleset"),
        ("", "RS501", "no ruleset is named"),
        ("+wager_tax", "RS501", "write the ruleset before its overlays"),
        ("nim+tal", "RS502", "did you mean `tall`?"),
        ("nim+../../secret", "RS502", "there is no overlay"),
        ("nim+", "RS502", "no overlay is named after `+`"),
        ("nim" + "+tall" * 30, "RS502", "at most 20 overlays"),
        ("x" * 5_000, "RS501", "there is no ruleset"),
    ],
)
@pytest.mark.parametrize("command", ["validate", "test", "simulate", "play"])
def test_bad_reference(command: str, ref: str, code: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    players = ["--players", "2"] if command in {"simulate", "play"} else []
    exit_code, err = messages_of([command, ref, *players], capsys)
    assert exit_code == 2
    assert f"error[{code}]" in err
    assert message in err


@pytest.mark.parametrize("command", ["validate", "test", "simulate", "play", "replay"])
def test_what_no_file_can_be_named_is_no_argument(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, err = messages_of([command, "nim\0"], capsys)
    assert exit_code == 2
    assert "has characters that no argument can contain" in err


def test_a_bad_ruleset_stops_the_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = copy_of_nim(tmp_path)
    edit(PLAY, "turn(p)\n\n", "trun(p)\n\n")(folder)
    log = str(RULESETS / "nim" / "logs" / "short.jsonl")
    for args in (
        ["test", str(folder)],
        ["simulate", str(folder), "--players", "2"],
        ["play", str(folder), "--players", "2"],
        ["replay", log, "--rules", str(folder)],
    ):
        exit_code, err = messages_of(args, capsys)
        assert exit_code == 2
        assert "did you mean `turn`?" in err


# --- logs -------------------------------------------------------------------------------------------------------------

LOG = (RULESETS / "nim" / "logs" / "short.jsonl").read_text("utf-8")
LINES = LOG.splitlines(keepends=True)


def header(**changes: object) -> str:
    return json.dumps({**json.loads(LINES[0]), **changes}) + "\n" + "".join(LINES[1:])


BAD_LOGS: dict[str, tuple[str | bytes | Callable[[], bytes], int, str]] = {
    # what: (the content, the exit code, the expected text)
    "empty": ("", 2, "log.jsonl:1:1"),
    "not json": ("hello\n", 2, "log.jsonl:1:1"),
    "a line that is not json": (LOG + "hello\n", 2, "log.jsonl:7:1"),
    "a line in the middle that is torn": (LOG.replace("take(2)", 'take(2)"\n'), 2, "log.jsonl:3:"),
    "no header": ("".join(LINES[1:]), 2, "log.jsonl:1:1"),
    "another version": (header(rulespec_log=9), 2, "version `9`"),
    "unknown ruleset": (header(ruleset="checkers"), 2, "there is no ruleset `checkers`"),
    "no seats": (header(seats=[]), 2, "log.jsonl:1:"),
    "too many seats": (header(seats=list("ABCDEFGH")), 2, "for 2 to 4 players, not for 8"),
    "unknown setting of the ruleset": (header(settings={"miser": "true"}), 2, "did you mean `misere`?"),
    "unknown player": (LOG.replace('"Bob", "option": "take(2)"', '"Eve", "option": "take(2)"'), 1, "not for Eve"),
    "unknown option": (LOG.replace("take(2)", "grab(2)"), 1, "no option `grab`"),
    "unknown value": (LOG.replace("take(2)", "take(two)"), 1, "`two` is not a number"),
    "illegal option": (LOG.replace("take(2)", "take(4)"), 1, "NIM-03"),
    "another decision": (LOG.replace('"turn", "by": "Bob"', '"deal", "by": "Bob"'), 1, "not `deal`"),
    "after the end": (LOG + LINES[-2], 1, "the game is over"),
    "torn": (LOG[:-20], 0, "warning[RS603]"),
    "deep": ("[" * 300_000, 2, "log.jsonl:1:1"),
    "a deep line": (LINES[0] + '{"decision": ' + "[" * 50_000 + "\n" + LINES[1], 2, "log.jsonl:2:1"),
    "a long line": (LINES[0] + '{"decision": "' + "x" * 200_000 + '"}\n', 2, "log.jsonl:2:1"),
    "too large": (b" " * 20_000_000, 2, "log.jsonl:1:1"),
    "binary": (bytes(range(256)), 2, "is not a log: it is a binary file"),
    "a gzip bomb": (lambda: gzip.compress(b" " * 100_000_000, 1), 2, "log.jsonl:1:1"),
    "damaged gzip": (b"\x1f\x8b" + b"x" * 100, 2, "log.jsonl:1:1"),
    "of no dialect": ('[{"type": "hello"}]', 2, "no dialect reads this kind of log"),
    "foreign, cut off": ('[{"type": "hello"', 2, "log.jsonl:1:"),
}


@pytest.mark.sampled(13)
@pytest.mark.parametrize("what", BAD_LOGS)
def test_bad_log(tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    content, code, text = BAD_LOGS[what]
    log = tmp_path / "log.jsonl"
    data = content() if callable(content) else content
    log.write_bytes(data if isinstance(data, bytes) else data.encode())
    with soon():
        exit_code = run(["replay", str(log)])
    captured = capsys.readouterr()
    assert exit_code == code
    assert text in captured.err + captured.out
    assert "Traceback" not in captured.err + captured.out
    assert captured.err.count("error[") == (1 if code == 2 else 0)


@pytest.mark.parametrize(
    "args, message",
    [
        (["nothing.jsonl"], "there is no file `nothing.jsonl`"),
        ([str(RULESETS / "nim/rules")], "contains no log"),
        (["/dev/zero"], "is not a file"),
        (["x" * 300], "File name too long"),
        ([str(RULESETS / "nim/logs/short.jsonl"), "--rules", "nothing"], "there is no ruleset `nothing`"),
        ([str(RULESETS / "nim/logs/short.jsonl"), "--dialect", "nothing"], "error["),
    ],
)
def test_a_log_that_cannot_be_found(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    exit_code, err = messages_of(["replay", *args], capsys)
    assert exit_code == 2
    assert message in err
    assert err.count("error[") == 1


# --- time and memory of whole processes -------------------------------------------------------------------------------


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))


HOSTILE_LOGS: dict[str, Callable[[], bytes]] = {
    "nest.jsonl": lambda: b"[" * 2_000_000,
    "wide.jsonl": lambda: b"[" + b"{}," * 2_000_000 + b"{}]",
    "bomb.jsonl": lambda: gzip.compress(b"[" * 100_000_000, 1),
}


@pytest.mark.parametrize("name", HOSTILE_LOGS)
@pytest.mark.sampled(1)
def test_a_hostile_log_costs_little(tmp_path: Path, name: str) -> None:
    log = tmp_path / name
    log.write_bytes(HOSTILE_LOGS[name]())
    done = subprocess.run(
        [sys.executable, "-m", "rulespec.cli.main", "replay", str(log)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "RULESPEC_PATH": str(RULESETS)},
        preexec_fn=limited,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("error[") == 1
    assert "Traceback" not in done.stderr
