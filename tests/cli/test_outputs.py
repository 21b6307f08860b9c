"""Inputs and outputs of commands: no file is both, nothing blocks, and old files stay complete."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from deadlines import DEADLINE
from folders import GAMES

from rulespec.cli.main import run
from rulespec.engine.dialects import unknown
from rulespec.load import load_ruleset

NIM = GAMES / "gallery" / "nim"
LOG = NIM / "logs" / "random-2.jsonl"
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(NIM, "nim")
    shutil.copy(LOG, "game.jsonl")
    Path("house.yaml").write_text('id: house\ntitle: House\nfor: nim\nversion: "1.0"\n')
    os.link("game.jsonl", "hard.jsonl")
    Path("soft.jsonl").symlink_to("game.jsonl")
    Path("game.svg").symlink_to("game.jsonl")
    Path("rules.svg").symlink_to("nim/rules/play.rules")
    Path("loop").symlink_to("nim")


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert run(list(words)) == 2
    after = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert before == after
    return capsys.readouterr().err


# --- inputs -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "log game.jsonl --for A --out game.jsonl",
        "log game.jsonl --for A --out ./game.jsonl",
        "log game.jsonl --for A --out soft.jsonl",
        "log soft.jsonl --for A --out game.jsonl",
        "log hard.jsonl --for A --out game.jsonl",
        "log game.jsonl --for A --out nim/../game.jsonl",
        "log game.jsonl --for A --out nim/rules/play.rules --rules ./nim",
        "replay game.jsonl --out game.jsonl",
        "replay game.jsonl --trace hard.jsonl",
        "replay game.jsonl --trace same --out same",
        "replay game.jsonl hard.jsonl --trace soft.jsonl",
        "replay game.jsonl --rules nim+./house.yaml --out house.yaml",
        "view game.jsonl --out game.jsonl",
        "draw game.jsonl --out game.svg",
        "draw ./nim --out rules.svg",
        "coverage ./nim --out nim/game.yaml",
        "coverage ./loop --out nim/game.yaml",
        "coverage nim game.jsonl --out game.jsonl",
        "export ./nim --wasm nim/rules/play.rules",
        "export ./nim+./house.yaml --wasm house.yaml",
        "export nim --wasm both --js both",
        "export nim --wasm both --js ./both",
    ],
)
def test_an_output_is_no_input(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "error[RS126]" in refusal(capsys, *words.split())


def test_other_outputs_are_fine() -> None:
    Path("old.jsonl").write_text("what was here before")
    assert run(["replay", "game.jsonl", "--out", "old.jsonl", "--trace", "trace"]) == 0
    assert Path("old.jsonl").read_text().startswith('{"rulespec_log"')
    assert run(["log", "game.jsonl", "--for", "A", "--out", "old.jsonl"]) == 0
    assert run(["draw", "./nim", "--out", "nim/nim.svg"]) == 0
    assert run(["replay", "game.jsonl", "--out", "/dev/null"]) == 0


# --- pipes ------------------------------------------------------------------------------------------------------------


@needs_pipes
@pytest.mark.parametrize(
    "words",
    [
        "replay PIPE.jsonl",
        "replay PIPE.json",
        "replay nim/logs --under ./PIPE.yaml",
        "identify PIPE.jsonl",
        "log PIPE.jsonl --for A",
        "log game.jsonl --check PIPE.jsonl",
        "view PIPE.jsonl --out x.html",
        "draw PIPE.jsonl",
        "draw ./PIPE",
        "validate ./PIPE",
        "validate nim+./PIPE.yaml",
        "validate PIPE.yaml",
        "diff nim ./PIPE",
        "format PIPE.rules",
        "coverage nim PIPE.jsonl",
        "coverage nim PIPE.yaml",
        "test nim --scenarios PIPE.yaml",
        "perft nim --depth 1 --from PIPE.jsonl",
        "play nim --players 2 --log PIPE.jsonl",
        "simulate nim --games 1 --players 2 --out PIPE.jsonl",
        "simulate nim --games 1 --players 2 --out PIPE.parquet",
        "simulate nim --games 1 --players 2 --failures PIPE",
        "new mine --map PIPE.svg",
        "new mine --from ./PIPE",
        "new mine --to PIPE",
        "titles ./PIPE",
        "facts ./PIPE region",
        "schema ./PIPE",
        "export ./PIPE --wasm x.wasm",
        "validate ./nim",
        "titles ./nim",
        "draw ./nim",
        "test ./nim",
        "coverage ./nim",
        "replay game.jsonl --rules ./nim",
    ],
)
@pytest.mark.sampled(2)
def test_nothing_waits_for_a_pipe(words: str) -> None:
    for name in ("PIPE", "PIPE.jsonl", "PIPE.json", "PIPE.yaml", "PIPE.rules", "PIPE.svg", "PIPE.parquet"):
        os.mkfifo(name)
    if "nim" in words.split()[1]:
        for name in (
            "drawing.yaml",
            "titles.yaml",
            "titles.de.yaml",
            "rules.yaml",
            "rules/a.rules",
            "scenarios/a.yaml",
        ):
            Path("nim", name).unlink(missing_ok=True)
            os.mkfifo(Path("nim", name))
    done = subprocess.run(
        [sys.executable, "-m", "rulespec", *words.split()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode in (0, 1, 2) and "RS901" not in done.stderr, done.stderr
    assert done.returncode or "PIPE" not in words or "--failures" in words, done.stdout


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/stdin", "/dev/full", "/dev/null"])
def test_devices_are_no_files(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.svg").symlink_to(device)
    Path("x.jsonl").symlink_to(device)
    for words in ("new mine --map x.svg", "replay x.jsonl", f"replay {device}", "validate nim+./x.svg"):
        assert run(words.split()) in (1, 2)
        assert "error[RS" in capsys.readouterr().err


# --- a full disk ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words, file",
    [
        ("export nim --wasm out --js x", "out"),
        ("export nim --wasm x --js out", "out"),
        ("draw nim --out out.svg", "out.svg"),
        ("draw nim --out out.png", "out.png"),
        ("view game.jsonl --out out", "out"),
        ("log game.jsonl --for A --out out", "out"),
        ("replay game.jsonl --out out", "out"),
        ("replay game.jsonl --trace out", "out"),
        ("coverage nim --format html --out out", "out"),
        ("perft ./nim --record", "nim/perft/record"),
    ],
)
@pytest.mark.sampled(1)
def test_on_a_full_disk_the_old_file_stays(words: str, file: str) -> None:
    if file.endswith(".png"):
        pytest.importorskip("resvg_py")
    if "perft" in file:
        file = str(next(Path("nim/perft").iterdir()))
    else:
        Path(file).write_text("the old file")
    old = Path(file).read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "rulespec", *words.split()],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)),
        env={**os.environ, "RULESPEC_CACHE": ""},
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 2 and "cannot be written: File too large" in done.stderr, done.stderr
    assert Path(file).read_bytes() == old
    assert not list(Path().rglob(".*.new"))


# --- results and old logs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["wat", "", "Invariant", "invariant ", "\u202e", "x" * 10_000])
def test_an_unknown_kind_of_failure_is_told(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", "nim", "--players", "2", "--games", "3", "--out", "r.jsonl"]
    assert run(command) == 0
    first, *rows = Path("r.jsonl").read_text().splitlines()
    row = json.loads(rows[1]) | {"failure": {"kind": kind, "detail": "", "code": "RS710", "place": ""}}
    Path("r.jsonl").write_text("\n".join([first, rows[0], json.dumps(row)]) + "\n")
    capsys.readouterr()
    assert run(command) == 2
    err = capsys.readouterr().err
    assert "error[RS607]: a failure must be one of invariant, fault, no_option" in err and "r.jsonl:3:1" in err


@pytest.mark.parametrize("words", ["play nim --players 2 --log old.jsonl", "log old.jsonl --for A", "draw old.jsonl"])
@pytest.mark.parametrize("line", [2, 3, 5])
def test_a_refusal_of_an_old_log_names_its_line(words: str, line: int, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path("game.jsonl").read_text().splitlines()
    entry = json.loads(lines[line - 1])
    lines[line - 1] = json.dumps(entry | {"option": entry["option"].replace(")", "00)")})
    Path("old.jsonl").write_text("\n".join(lines) + "\n")
    run(words.split())
    err = capsys.readouterr().err
    assert f"breaks a rule at line {line}" in err
    assert ("`take(" in err) == words.startswith("play")
    assert Path("old.jsonl").read_text() == "\n".join(lines) + "\n"


# --- dialects ---------------------------------------------------------------------------------------------------------

DIALECT = """id: clerk
title: The clerk's log
rules: {rules}
action: {{type: type, payload: data}}
start: {{type: open, seats: people, settings: {{{setting}: {value}}}}}
decisions:
  {option}: {{type: take}}
"""
SETTING = next(iter(load_ruleset("nim").settings))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "rules, setting, option, message",
    [
        ("nim", SETTING, "turn.take", ""),
        ("nim+tall", SETTING, "turn.take", ""),
        ("nim", SETTING, "turn.tkae", "did you mean `turn.take`?"),
        ("nim", SETTING, "trun.take", "did you mean `turn.take`?"),
        ("nim", SETTING, "turn.turn", "did you mean `turn.take`?"),
        ("nim", f"{SETTING}x", "turn.take", f"did you mean `{SETTING}`?"),
        ("{path: g, values: {a: nim, b: ludo}, missing: a}", SETTING, "turn.zzzzz", "remove it"),
        ("{path: g, values: {a: nim, b: nowhere}, missing: a}", SETTING, "turn.zzzzz", ""),
    ],
)
def test_a_dialect_names_what_there_is(
    rules: str, setting: str, option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nim/dialects").mkdir()
    value = "false"
    Path("nim/dialects/clerk.yaml").write_text(
        DIALECT.format(rules=rules, setting=setting, value=value, option=option), "utf-8"
    )
    assert run(["validate", "./nim"]) == (1 if message else 0)
    err = capsys.readouterr().err
    assert ("error[RS635]" in err) == bool(message) and message in err


def test_names_of_a_dialect_are_looked_for_again_when_something_changes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    Path("nim/dialects").mkdir()
    file = Path("nim/dialects/clerk.yaml")
    right = DIALECT.format(rules="nim", setting=SETTING, value="false", option="turn.take")
    file.write_text(right, "utf-8")
    names, read = unknown._names, list[object]()

    def counted(files: unknown._Files) -> unknown._Names:
        read.append(files)
        return names(files)

    monkeypatch.setattr(unknown, "_names", counted)
    assert run(["validate", "--no-play", "./nim"]) == run(["validate", "--no-play", "./nim"]) == 0
    assert len(read) == 1
    rules = next(iter(Path("nim/rules").iterdir()))
    rules.write_text(rules.read_text("utf-8") + "\n# changed\n", "utf-8")
    assert run(["validate", "--no-play", "./nim"]) == 0 and len(read) == 2
    file.write_text(right.replace("turn.take", "turn.tkae"), "utf-8")
    for _ in range(2):
        capsys.readouterr()
        assert run(["validate", "--no-play", "./nim"]) == 1
        assert "did you mean `turn.take`?" in capsys.readouterr().err
    assert len(read) == 4


KNOWN_FAULT = """\
known_faults:
  - {{title: it takes too many, rules: [{rules}], overlay: {overlay}, options: [{options}]}}
"""


@pytest.mark.parametrize(
    "rules, overlay, options, message",
    [
        ("NIM-04", "house", "turn.take", ""),
        ("NIM-04", "huose", "turn.take", "no ruleset of the dialect `clerk` has the overlay `huose`"),
        ("NIM-04", "nim", "turn.take", "no ruleset of the dialect `clerk` has the overlay `nim`"),
        ("NIM-04", "house", "turn.tkae", "did you mean `turn.take`?"),
        ("NIM-04", "house", "turn.take, take", "no ruleset of the dialect `clerk` has the option `take`"),
        ("NIM-04", "house", "", "`known_faults[1].options` must have at least 1 item"),
        ("", "house", "turn.take", "`known_faults[1].rules` must have at least 1 item"),
    ],
)
def test_a_known_fault_names_what_there_is(
    rules: str, overlay: str, options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nim/dialects").mkdir()
    Path("nim/variants").mkdir()
    shutil.copy("house.yaml", "nim/variants/house.yaml")
    text = DIALECT.format(rules="nim", setting=SETTING, value="false", option="turn.take")
    fault = KNOWN_FAULT.format(rules=rules, overlay=overlay, options=options)
    Path("nim/dialects/clerk.yaml").write_text(text + fault, "utf-8")
    assert run(["validate", "./nim", "--no-play"]) == (1 if message else 0)
    assert message in capsys.readouterr().err
