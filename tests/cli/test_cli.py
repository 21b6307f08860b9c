"""The command line: its output, its exit codes, and the conformance of its JSON to the schemas."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from commands import invoke
from deadlines import DEADLINE
from folders import ROOT, RULESETS
from jsonschema import Draft202012Validator
from shipped import NAMES

from rulespec.cli.main import COMMANDS, run
from rulespec.engine.logs.samples import sample
from rulespec.schemas import BESIDE, OUTPUTS, WIRE, load_schema

NIM, WAGER = str(RULESETS / "nim"), str(RULESETS / "wager")
SHORT = str(RULESETS / "nim" / "logs" / "short.jsonl")
OPEN = str(RULESETS / "nim" / "logs" / "tall" / "open.jsonl")

Invoke = Callable[..., tuple[int, str, str]]


pytestmark = pytest.mark.usefixtures("known_rulesets")


def process(*args: str | Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "rulespec.cli.main", *map(str, args)],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "RULESPEC_PATH": str(RULESETS), **env},
        timeout=DEADLINE,
        check=False,
    )


def fits(name: str, data: Any) -> None:
    Draft202012Validator(load_schema(name)).validate(data)


@pytest.mark.sampled(30)
@pytest.mark.parametrize("name", [*BESIDE, *OUTPUTS, *WIRE])
def test_schemas_are_schemas(name: str) -> None:
    schema = load_schema(name)
    assert schema["$id"] == f"urn:rulespec:schema:{name}"
    jsonschema_rs.meta.validate(schema)


# --- help and usage ---------------------------------------------------------------------------------------------------


def test_help_lists_the_commands() -> None:
    code, out, _ = invoke("--help")
    assert code == 0
    assert all(f"  {name} " in out for name in COMMANDS)


def test_without_a_command_the_help_is_printed_as_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    bare = capsys.readouterr()
    assert run(["--help"]) == 0
    assert bare.out == capsys.readouterr().out
    assert bare.err == ""
    assert "\\n" not in bare.out and "Error" not in bare.out


@pytest.mark.parametrize("name", ["validate", "replay", "new", "diff", "simulate"])
def test_a_command_without_its_arguments_says_which_one_is_missing(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name]) == 2
    err = capsys.readouterr().err
    assert "Missing argument" in err and "\\n" not in err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example(name: str) -> None:
    code, out, _ = invoke(name, "--help")
    assert code == 0
    examples = [" ".join(each.split()) for each in out.split("\n\n") if "Example: rulespec" in each]
    assert examples and all(each.count("Example: ") == 1 for each in examples)
    samples = re.findall(rf"\b(?:{'|'.join(NAMES)}):[\w-]+", " ".join(examples))
    assert all(sample(each) is not None for each in samples)


@pytest.mark.parametrize(
    "args, message",
    [
        (["valdate"], "there is no command `valdate`; did you mean `validate`?"),
        (["validate"], "Missing argument"),
        (["validate", NIM, "--format", "xml"], "xml"),
        (["simulate", NIM, "--players", "many"], "not a player count"),
        (["simulate", NIM, "--players", "2", "--set", "misere"], "not of the form key=value"),
        (["simulate", NIM, "--players", "9"], "for 2 to 4 players, not for 9"),
        (["simulate", NIM, "--players", "2", "--set", "miser=true"], "did you mean `misere`?"),
        (["simulate", NIM, "--players", "2", "--set", "misere=perhaps"], "true, false, not `perhaps`"),
        (["play", NIM, "--players", "2", "--bots", "3"], "only 2 seats"),
        (["play", NIM], "give --players N: `nim` is for 2 to 4 players"),
        (["simulate", NIM], "give --players N: `nim` is for 2 to 4 players"),
        (["export", NIM, "--wasm", "nim.wasm"], "give --players N: `nim` is for 2 to 4 players"),
        (["play", NIM, "--players", "2", "--names", "Ann"], "1 names for 2 seats"),
        (["replay", SHORT, OPEN, "--out", "x.txt"], "names no format"),
        (["replay", SHORT, OPEN, "--moves"], "one log at a time"),
        (["replay", SHORT, "--out", "nowhere/x.jsonl"], "cannot be written"),
        (["replay", SHORT, "--trace", "nowhere/x.jsonl"], "cannot be written"),
    ],
)
def test_wrong_usage_is_told_in_one_message(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(args) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err


def test_the_number_of_players_is_left_out_where_there_is_only_one() -> None:
    code, out, _ = invoke("simulate", "connect_four", "--games", "2")
    assert code == 0 and out.startswith("connect_four 1.0 · 2 games · 2 players · seed 0 · ")
    code, out, _ = invoke("perft", "connect_four", "--depth", "2")
    assert code == 0 and "leaves                  49" in out
    assert "A: drop a disc" in invoke("play", "connect_four", stdin="q\n")[1]
    assert "Cid, Dora" in invoke("play", "nim", "--names", "Cid,Dora", stdin="q\n")[1]


# --- validate ---------------------------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.9 s
def test_validate_sums_up() -> None:
    code, out, err = invoke("validate", "nim", "wager", "nim+tall")
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == ["nim 1.0", "wager 1.0", "nim+tall 1.0"]
    assert out.startswith("nim 1.0: sound · 2-4 players · 1 decision · 2 procedures")


def test_validate_as_json() -> None:
    code, out, _ = invoke("validate", "nim", "nothing", "--format", "json")
    data = json.loads(out)
    fits("diagnostics", data)
    assert code == 2
    assert [(r["sound"], [d["code"] for d in r["diagnostics"]]) for r in data["rulesets"]] == [
        (True, []),
        (False, ["RS501"]),
    ]


# --- replay -----------------------------------------------------------------------------------------------------------


def test_replay_prints_standings_and_the_state_when_asked() -> None:
    code, out, err = invoke("replay", SHORT)
    assert (code, err) == (0, "")
    assert out.splitlines()[2:5] == ["seat  points", "Bob        3  won", "Ann        6"]
    assert "hand" not in out
    assert "ended: last stone · 4 decisions · hash " in out
    assert "hand Ann 6 · hand Bob 3" in invoke("replay", SHORT, "--state")[1]
    assert "hand[Ann] 6 · hand[Bob] 3" in invoke("replay", SHORT, "--state", "--names", "id")[1]


def test_replay_as_json() -> None:
    code, out, _ = invoke("replay", SHORT, OPEN, "--format", "json")
    rows = [json.loads(line) for line in out.splitlines()]
    for row in rows:
        fits("replay", row)
    assert code == 0
    keys = (
        "log ruleset ruleset_hash sources_hash decisions ended hash scores winners state end notes ignored divergence"
    )
    assert list(rows[0]) == keys.split()
    assert (rows[0]["ended"], rows[0]["winners"], rows[0]["scores"]) == ("last_stone", ["Bob"], {"Ann": 6, "Bob": 3})
    assert (rows[1]["ruleset"], rows[1]["ended"], rows[1]["decisions"]) == ("nim+tall", None, 2)
    assert rows[1]["state"]["pieces"] == {"stone": {"-": {"heap": 16, "hand[Ann]": 3, "hand[Bob]": 2}}}


def test_replay_until() -> None:
    code, out, _ = invoke("replay", SHORT, "--until", "2", "--format", "json")
    assert (code, json.loads(out)["decisions"], json.loads(out)["ended"]) == (0, 2, None)


def test_replay_writes_a_trace_and_a_native_log(tmp_path: Path) -> None:
    trace, out = tmp_path / "trace.jsonl", tmp_path / "out.jsonl"
    code, text, _ = invoke("replay", SHORT, "--trace", trace, "--out", out, "--format", "json")
    rows = [json.loads(line) for line in trace.read_text("utf-8").splitlines()]
    for row in rows:
        fits("replay", row)
    assert code == 0
    assert [(r["index"], r["foreign_index"]) for r in rows] == [(i, None) for i in range(4)]
    assert rows[-1]["hash"] == json.loads(text)["hash"]
    assert json.loads(invoke("replay", out, "--format", "json")[1])["hash"] == json.loads(text)["hash"]


def test_replay_tells_where_a_log_diverges(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(Path(SHORT).read_text("utf-8").replace("take(2)", "take(7)"), "utf-8")
    code, out, _ = invoke("replay", log)
    assert code == 1
    for text in ("at line 3, after 1 legal decision", "Bob: take(7)", "NIM-03: one to three stones", "take(3)"):
        assert text in out
    code, out, _ = invoke("replay", log, "--format", "json")
    data = json.loads(out)
    fits("replay", data)
    assert code == 1
    divergence = data["divergence"]
    assert (divergence["index"], divergence["foreign_index"], divergence["rule"]) == (1, None, ["NIM-03"])
    assert divergence["action"] == {"decision": "turn", "by": "Bob", "option": "take(7)"}
    assert "take(1)" in divergence["nearest"]
    assert divergence["open"] == {"decision": "turn", "by": "Bob"}


def test_replay_under_another_ruleset() -> None:
    code, out, err = invoke("replay", SHORT, "--rules", "nim+tall", "--format", "json")
    assert (code, json.loads(out)["ended"]) == (1, None)
    assert "RS618" in err and "RS643" in err  # the recorded game is over


def test_replay_of_several_logs_prints_a_line_each(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{", "utf-8")
    code, out, err = invoke("replay", SHORT, bad, OPEN)
    assert code == 2
    assert "RS" in err
    lines = out.splitlines()
    assert lines[0].endswith("short.jsonl: 4 decisions, ended (last stone), won by Bob")
    assert lines[1].endswith("bad.jsonl: cannot be read")
    assert lines[2].endswith("open.jsonl: 2 decisions, legal, goes on")
    assert lines[3] == "3 logs: 2 legal, 1 unreadable"


# --- test -------------------------------------------------------------------------------------------------------------


def test_test_counts() -> None:
    code, out, err = invoke("test", "nim")
    assert (code, err) == (0, "")
    assert out.startswith("nim 1.0: passed · 3 scenarios · 1 recorded game · ")


def copy_of_nim(tmp_path: Path, **changes: tuple[str, str]) -> Path:
    """Nim with changes: part of a file's name → its replacements."""
    for source in (RULESETS / "nim").rglob("*"):
        if source.is_file():
            target = tmp_path / "nim" / source.relative_to(RULESETS / "nim")
            target.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text("utf-8")
            for part, (old, new) in changes.items():
                if part in source.name:
                    assert old in text
                    text = text.replace(old, new)
            target.write_text(text, "utf-8")
    return tmp_path / "nim"


def test_test_tells_when_a_recorded_game_had_other_options(tmp_path: Path) -> None:
    code, out, _ = invoke("test", copy_of_nim(tmp_path, expect=("options: 10", "options: 11")))
    assert code == 1
    assert "options is 10, expected 11" in out


def test_test_tells_what_fails(tmp_path: Path) -> None:
    folder = copy_of_nim(tmp_path, turns=("by: B", "by: A"), expect=("winners: [Bob]", "winners: [Ann]"))
    code, out, _ = invoke("test", folder)
    assert code == 1
    assert "T.01: by is B, expected A" in out
    assert "scenarios/turns.yaml:13:20" in out
    assert "winners is ['Bob'], expected ['Ann']" in out
    assert "nim 1.0: failed · 3 scenarios, 1 failed · 1 recorded game, 1 failed · " in out
    code, out, _ = invoke("test", folder, "--format", "json")
    data = json.loads(out)
    fits("test", data)
    assert (code, data["scenarios"], data["logs"]) == (1, {"passed": 2, "failed": 1}, {"passed": 0, "failed": 1})
    assert [(f["kind"], f["id"]) for f in data["failures"]] == [("scenario", "T.01"), ("log", "short.jsonl")]


def test_test_finds_recorded_games_that_are_no_longer_legal(tmp_path: Path) -> None:
    code, out, _ = invoke("test", copy_of_nim(tmp_path, tables=("most: 3", "most: 2")), "--only", "short")
    assert code == 1
    assert "breaks a rule before its end: decision 0" in out
    assert "NIM-03" in out


# --- simulate ---------------------------------------------------------------------------------------------------------


def test_simulate_sums_up() -> None:
    code, out, err = invoke("simulate", "wager", "--players", "2-3", "--games", "8", "--seed", "1")
    assert (code, err) == (0, "")
    assert out.startswith("wager 1.0 · 8 games · 2-3 players · seed 1 · ")
    assert "endings    closing  8  100.0 %" in out
    assert "all invariants held after every decision" in out


def test_simulate_as_json_is_the_same_each_time() -> None:
    args = ("simulate", "nim", "--players", "2", "--games", "5", "--seed", "4", "--set", "misere=true")
    code, out, _ = invoke(*args, "--format", "json")
    data = json.loads(out)
    fits("simulate", data)
    assert code == 0
    assert (data["totals"]["games"], data["settings"], len(data["playouts"])) == (5, {"misere": "true"}, 5)
    assert invoke(*args, "--format", "json")[1] == out


def test_simulate_keeps_the_logs_of_games_that_fail(tmp_path: Path) -> None:
    folder = copy_of_nim(tmp_path, play=("+ stone.heap == stones", "< 8"))
    code, out, _ = invoke("simulate", folder, "--players", "2", "--games", "4", "--failures", tmp_path / "failed")
    assert code == 1
    assert "invariant: stones_stay: No stone is lost." in out
    logs = sorted((tmp_path / "failed").iterdir())
    assert logs[0].name == "seed0-game0.jsonl"
    assert invoke("replay", logs[0], "--rules", folder)[0] == 0


# --- play -------------------------------------------------------------------------------------------------------------


def test_play_to_the_end(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    code, out, _ = invoke("play", "nim", "--players", "2", "--log", log, stdin="3\n3\ntake(2)\n1\n")
    assert code == 0
    assert "The game is over: last stone" in out
    assert "B          4  won" in out
    assert json.loads(invoke("replay", log, "--format", "json")[1])["winners"] == ["B"]


def test_play_ends_with_its_input() -> None:
    code, out, _ = invoke("play", "nim", "--players", "2", stdin="1\n")
    assert code == 0
    assert out.endswith("B> \n\n")


def test_play_explains_what_is_not_legal() -> None:
    code, out, _ = invoke("play", "nim", "--players", "2", stdin="take(4)\n7\ngrab\ntake(x)\n?\nq\n")
    assert code == 0
    for text in (
        "not legal: NIM-03: one to three stones",
        "n = 4",
        "from 1 to 3",
        "no option `grab`",
        "`x` is not a number",
    ):
        assert text in out
    assert "write the game as a native log" in out


def test_play_takes_back_and_goes_on_later(tmp_path: Path) -> None:
    log = tmp_path / "game.jsonl"
    _, out, _ = invoke("play", "nim", "--players", "2", "--bots", "1", "--log", log, stdin="u\n3\nu\n1\np\nq\n")
    assert "there is nothing to take back" in out
    assert "taken back: 2 decisions" in out
    assert "    1  A: take: 1" in out
    code, out, _ = invoke("play", "nim", "--players", "2", "--bots", "1", "--log", log, stdin="p\ns\n")
    assert code == 0
    assert "continues after 2 decisions" in out
    assert "    1  A: take: 1" in out


def test_play_writes_and_never_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    _, out, _ = invoke("play", "nim", "--players", "2", stdin=f"1\nw {file}\nw {file}\nw {tmp_path}/no/x\n")
    assert f"written: {file}" in out
    assert f"{file} already exists" in out
    assert "cannot be written" in out
    assert json.loads(invoke("replay", file, "--format", "json")[1])["decisions"] == 1


def test_play_does_not_go_on_with_another_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "game.jsonl"
    log.write_text(Path(SHORT).read_text("utf-8"), "utf-8")
    for args, message in (
        (["nim+tall", "--players", "2"], "is a game of `nim`, not of `nim+tall`"),
        (["nim", "--players", "3"], "is a game of 2 players, not of 3"),
    ):
        assert run(["play", *args, "--log", str(log)]) == 2
        assert message in capsys.readouterr().err
    assert log.read_text("utf-8") == Path(SHORT).read_text("utf-8")


def test_play_keeps_secrets() -> None:
    code, out, _ = invoke("play", "wager", "--players", "2", "--seed", "1", stdin="bid(3)\ns\nh\nbid(0)\n")
    assert code == 0
    bobs = out.split("A> bid(3)")[1].split("B> bid(0)")[0]
    assert "A: bid: 3" not in bobs.replace("taken: A: bid: 3", "")
    assert "A has chosen" in bobs
    state = bobs.split("player  cash")[1]
    assert state.splitlines()[1:3] == ["B          4", ""]


def test_random_players_play_alone() -> None:
    code, out, _ = invoke("play", "wager", "--players", "3", "--bots", "3", "--seed", "1")
    assert code == 0
    assert "The game is over: closing" in out


# --- processes --------------------------------------------------------------------------------------------------------


def test_a_process_returns_the_exit_code() -> None:
    done = process("validate", "nim", "nothing", "--no-play")
    assert done.returncode == 2
    assert done.stdout.startswith("nim 1.0: sound")
    assert "error[RS501]: there is no ruleset `nothing`" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_a_terminal_that_does_not_know_all_characters() -> None:
    args = [sys.executable, "-m", "rulespec.cli.main", "play", "nim", "--players", "2"]
    env = {**os.environ, "RULESPEC_PATH": str(RULESETS), "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    done = subprocess.run(args, input=b"1\n1\n", capture_output=True, cwd=ROOT, env=env, timeout=DEADLINE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"stone: heap ? hand A" in done.stdout


@pytest.mark.proof  # 0.4 s
def test_a_reader_that_goes_away_is_no_error() -> None:
    script = (
        f'"{sys.executable}" -m rulespec.cli.main simulate wager --players 2 --games 300 --format json | head -c 10'
    )
    env = {**os.environ, "RULESPEC_PATH": str(RULESETS)}
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, cwd=ROOT, env=env, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_mistake_of_our_own_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("out of\npaper")

    monkeypatch.setattr("rulespec.load.load_ruleset", fails)
    assert run(["test", "nim"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error[RS901]: this program has failed: RuntimeError: out of paper\n")
    assert "Traceback" not in err


def test_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rulespec.load.load_ruleset", interrupted)
    assert run(["test", "nim"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_command_that_needs_numpy_says_how_to_install_it(tmp_path: Path) -> None:
    commands = ["match random greedy nim --games 2", "simulate nim --games 2 --bots random", "corpus describe store"]
    commands.append(f"replay imperial:quickstart --out {tmp_path / 'moves.parquet'}")
    program = "import sys; sys.modules['numpy'] = None; from rulespec.cli.main import run"
    program += f"; print([run(command.split()) for command in {commands}])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[2, 2, 2, 2]"
    *others, parquet = done.stderr.splitlines()
    assert others == ["Error: this needs numpy: pip install 'rulespec[wasm]'"] * 3
    assert parquet == "Error: not saved: Parquet needs pyarrow: pip install 'rulespec[parquet]'"
