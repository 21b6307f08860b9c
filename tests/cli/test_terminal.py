"""Terminal safety: untrusted text is escaped, files are written completely, and failed writes are reported."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from deadlines import DEADLINE
from folders import ROOT, RULESETS

from rulespec.cli import output
from rulespec.cli.main import run
from rulespec.diagnostics.diagnostic import escaped, no_command
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import replaced, write_text

GAMES = ROOT / "games"
QUICK = GAMES / "imperial" / "logs" / "quickstart.jsonl"
HARMFUL = re.compile(r"[\0-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
MOVING = ["\x1b[2J", "\x9b31m", "\rok", "a\b\b", "\x7f", "\u202eabc", "\u2066x", "\u200bx", "\u2028x", "\x85x", "\tx"]
TOGETHER = "".join(text for text in MOVING if not set(text) & {"\r", "\t"})
COMMANDS = ["a\n::error::x", "::stop-commands::x", "##[error]x"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a copy of the ruleset `nim`."""
    shutil.copytree(RULESETS / "nim", tmp_path / "nim")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*args: str) -> tuple[int, str]:
    """The exit code and the complete output of a command."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(out):
        code = run(list(args))
    assert "RS901" not in out.getvalue()
    return code, out.getvalue()


def harmless(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The output of a command, checked to control neither a terminal nor a CI runner."""
    code = run(list(args))
    result = capsys.readouterr()
    text = result.out + result.err
    assert code in (0, 1, 2) and "RS901" not in text, text
    assert not HARMFUL.search(text), text
    assert not re.search(r"^\s*::(?!:)|##\[", text, re.MULTILINE) or "github" in args, text
    return text


def log(seat: str = "A", option: str = "take(1)", **header: object) -> str:
    first = {"rulespec_log": 1, "ruleset": "nim", "ruleset_hash": "0", "seats": [seat, "B"], "settings": {}} | header
    return json.dumps(first) + "\n" + json.dumps({"decision": "turn", "by": seat, "option": option}) + "\n"


# --- text of strangers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [TOGETHER, "\rok", "\tx", *COMMANDS])
@pytest.mark.sampled(2)
def test_logs_say_nothing_to_a_terminal(text: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = text.replace("/", "_") + ".jsonl"
    results = (log(seat=text), log(option=text), log(option=f"take({text})"), log(ruleset_hash=text), log(text), "[{")
    for number, body in enumerate(results):
        Path(f"{number}{name}").write_text(body, "utf-8")
        harmless(capsys, "replay", f"{number}{name}", "--check", "--rules", "./nim")
        harmless(capsys, "replay", f"{number}{name}", "--under", "./nim")
    harmless(capsys, "replay", f"0{name}", f"5{name}")
    harmless(capsys, "identify", f"0{name}")
    harmless(capsys, "coverage", "./nim", f"0{name}")
    foreign = [{"kind": text, "data": {text: text}}, {text: [text]}]
    (home / "foreign.json").write_text(json.dumps(foreign), "utf-8")
    harmless(capsys, "replay", "foreign.json")


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize("text", [TOGETHER, "\rok", "\tx", *COMMANDS])
def test_rulesets_say_nothing_to_a_terminal(text: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = (home / "nim/game.yaml").read_text("utf-8")
    game = game.replace("title: Nim", f"title: {json.dumps(text)}").replace('"1.0"', json.dumps(text))
    (home / "nim/game.yaml").write_text(
        re.sub(r"doc: .*", lambda _: f"doc: {json.dumps(text)}", game, count=1), "utf-8"
    )
    for how in ("text", "json", "github", "sarif"):
        harmless(capsys, "validate", "./nim", "--format", how)
    harmless(capsys, "schema", "./nim")
    harmless(capsys, "diff", "./nim", "tutorial")
    harmless(capsys, "test", "./nim")
    harmless(capsys, "simulate", "./nim", "--players", "2", "--games", "2")
    harmless(capsys, "play", "./nim", "--players", "2", "--bots", "2", "--names", f"{text},B")
    harmless(capsys, "perft", "./nim", "--players", "2", "--depth", "1")


@pytest.mark.parametrize("text", [*MOVING, *COMMANDS])
@pytest.mark.sampled(4)
def test_arguments_say_nothing_to_a_terminal(text: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for args in (
        (text,),
        ("validate", text),
        ("validate", f"nim+{text}"),
        ("explain", text),
        ("replay", text),
        ("replay", str(QUICK), "--dialect", text),
        ("replay", str(QUICK), "--backend", text),
        ("simulate", "nim", "--players", text),
        ("simulate", "./nim", "--players", "2", "--set", text),
        ("format", text),
        ("new", text, "--from", "nim"),
        ("coverage", "./nim", text),
        ("coverage", "./nim", "--out", f"{text}/x"),
        ("perft", "./nim", "--depth", text),
    ):
        harmless(capsys, *args)


def test_the_programs_own_styles_stay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(output, "use_color", lambda *_: True)
    output.echo(output.style("a\x1b[31mb", fg="red") + "c\x1b[0m")
    assert capsys.readouterr().out == "\x1b[31ma\\x1b[31mb\x1b[0mc\\x1b[0m\n"


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), 0x200D, 0x202E, 0x2067, 0x2029, 0xFEFF, 0xE0041])
def test_every_control_character_is_escaped(code: int) -> None:
    assert escaped(f"a{chr(code)}b").isprintable()


@pytest.mark.parametrize("line", ["::error::x", "  ::error::x", "x ##[error]y", "##[group]"])
def test_a_line_is_no_command(line: str) -> None:
    assert not no_command(line).lstrip().startswith("::") and "##[" not in no_command(line)


def test_commands_print_through_one_function() -> None:
    """Any other call states its reason: data on standard output for another program."""
    past = {
        f"{path.name}: {line.strip()}"
        for path in sorted((ROOT / "cli").glob("*.py"))
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\bclick\.s?echo\(|\bprint\(", line) and path.name != "output.py"
    }
    assert past == {
        "coverage.py: click.echo(text)",
        'format.py: click.echo(format_rules(text, "<stdin>"), nl=False)',
        "schema.py: click.echo(to_json_text(schema, indent=1))",
        "validate.py: click.echo(to_github(diagnostic))",
    }


# --- JSON and half characters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_json_has_no_number_that_json_has_not(number: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "##[" not in to_json_text(["##[x]"]) and json.loads(to_json_text(["##[x]"])) == ["##[x]"]
    assert to_json_text([float("nan"), {"a": (float("inf"),)}]) == '[null, {"a": [null]}]'
    for name, text in (
        ("a.jsonl", log().replace('"take(1)"', number)),
        ("b.json", f'[{{"kind": "x", "data": {number}}}, {number}]'),
        ("c.jsonl", log(settings={"misere": 1.5}).replace("1.5", number)),
    ):
        Path(name).write_text(text)
        for args in (("replay", name, "--rules", "./nim"), ("replay", name, "--under", "./nim"), ("identify", name)):
            printed = harmless(capsys, *args, "--format", "json")
            assert not re.search(r"\bNaN\b|\bInfinity\b", "".join(x for x in printed.splitlines() if x[:1] in "[{"))


@pytest.mark.parametrize("half", ["\ud800", "a\udc80b", "\ud83d\ud83d"])
def test_half_a_character_is_no_internal_error(half: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_text(log(half))
    Path("out.jsonl").write_text("as before")
    harmless(capsys, "replay", "a.jsonl", "--rules", "./nim", "--out", "out.jsonl", "--trace", "trace.jsonl")
    harmless(capsys, "replay", "a.jsonl", "--rules", "./nim", "--format", "json")
    assert Path("out.jsonl").read_text("utf-8") == "as before" or "\\ud" in Path("out.jsonl").read_text("utf-8")
    game = (home / "nim/game.yaml").read_text("utf-8").replace("title: Nim", f"title: {json.dumps(half)}")
    (home / "nim/game.yaml").write_text(game, "utf-8")
    for how in ("text", "json", "github", "sarif"):
        harmless(capsys, "validate", "./nim", "--format", how)
    harmless(capsys, "coverage", "./nim", "--format", "html", "--out", "page.html")
    harmless(capsys, "validate", half)


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
@pytest.mark.proof
def test_a_file_name_need_not_be_utf8(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = os.fsdecode(b"caf\xe9")
    shutil.copytree("nim", bad)
    (home / "nim/rules" / f"{bad}.rules").write_text("def f() -> int: 1\n")
    (home / "nim/scenarios" / f"{bad}.yaml").write_text("a: 1\n")
    Path(f"{bad}.jsonl").write_text(log())
    for ref in (f"./{bad}", "./nim"):
        for how in ("text", "json", "github", "sarif"):
            harmless(capsys, "validate", ref, "--format", how)
        harmless(capsys, "test", ref, "--format", "json")
        harmless(capsys, "diff", ref, "tutorial", "--format", "json")
        for how in ("text", "json", "html"):
            harmless(capsys, "coverage", ref, "--format", how, "--out", f"{bad}.{how}")
        harmless(capsys, "replay", f"{bad}.jsonl", "--rules", ref, "--format", "json", "--out", f"{bad}.out.jsonl")
        harmless(capsys, "format", ref)


# --- files that are written -------------------------------------------------------------------------------------------


def test_a_file_is_whole_or_as_before(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_text(path, "one\n")
    path.chmod(0o640)
    with pytest.raises(TypeError), replaced(path) as file:
        file.writelines(["two", 2])  # type: ignore[list-item]
    assert path.read_text() == "one\n" and [p.name for p in tmp_path.iterdir()] == ["a"]
    write_text(path, "two\n")
    assert path.read_text() == "two\n" and stat.S_IMODE(path.stat().st_mode) == 0o640
    (tmp_path / "link").symlink_to("a")
    write_text(tmp_path / "link", "three\n")
    assert path.read_text() == "three\n" and (tmp_path / "link").is_symlink()


def test_a_log_that_cannot_be_replayed_leaves_the_file(home: Path) -> None:
    for name in ("out.jsonl", "trace.jsonl"):
        Path(name).write_text("as before")
    Path("bad.jsonl").write_text("{")
    assert said("replay", "bad.jsonl", "--out", "out.jsonl")[0] == 2
    assert Path("out.jsonl").read_text() == "as before"


@pytest.mark.parametrize("kind", ["dir", "loop", "dir/missing/x", "file/x"])
@pytest.mark.sampled(2)
def test_what_cannot_be_written_is_told(kind: str, home: Path) -> None:
    Path("dir").mkdir()
    Path("file").write_text("")
    Path("loop").symlink_to("loop")
    for args in (
        ("replay", str(QUICK), "--out", kind),
        ("replay", str(QUICK), "--trace", kind),
        ("coverage", "./nim", "--out", kind),
    ):
        code, text = said(*args)
        assert code == 2 and ("cannot be written: " in text or "is a directory" in text), text
    assert sorted(p.name for p in home.iterdir()) == ["dir", "file", "loop", "nim"]


@pytest.mark.proof  # 0.5 s
def test_a_device_is_written_at_once(home: Path) -> None:
    done = process(["replay", str(QUICK), "--out", "/dev/stdout", "--trace", "/dev/null"])
    assert done.returncode == 0 and '"rulespec_log"' in done.stdout
    os.mkfifo("pipe")
    reader = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True)
    assert said("replay", str(QUICK), "--out", "pipe")[0] == 0
    assert '"rulespec_log"' in reader.communicate(timeout=DEADLINE)[0] and stat.S_ISFIFO(Path("pipe").stat().st_mode)


# --- standard output --------------------------------------------------------------------------------------------------


def process(args: list[str], how: str = "") -> subprocess.CompletedProcess[str]:
    line = f'"$@" {how}'
    program = [sys.executable, "-m", "rulespec.cli.main", *args]
    return subprocess.run(
        ["sh", "-c", line, "sh", *program], capture_output=True, text=True, timeout=DEADLINE, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("how", [">/dev/full", ">&-"])
@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["--version"],
        ["validate", "tutorial", "--no-play"],
        ["validate", "tutorial", "--no-play", "--format", "json"],
        ["explain", "RS101"],
        ["replay", str(QUICK)],
        ["diff", "tutorial", "imperial"],
        ["schema", "tutorial"],
        ["perft", "tutorial", "--players", "2", "--depth", "1"],
    ],
    ids=lambda args: " ".join(args)[:20],
)
@pytest.mark.sampled(1)
def test_output_that_cannot_be_written_is_an_error(args: list[str], how: str) -> None:
    done = process(args, how)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("Error: the output cannot be written: "), done.stderr


@pytest.mark.proof  # 0.6 s
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
@pytest.mark.parametrize("how", ["2>/dev/full", "2>&-", "<&-", "<&- 2>&-"])
def test_nothing_else_depends_on_the_other_streams(how: str) -> None:
    done = process(["validate", "tutorial", "--no-play"], how)
    assert done.returncode == 0 and "sound" in done.stdout
    assert process(["validate", "nosuch"], how).returncode == 2


def test_a_closed_pipe_ends_the_program_quietly() -> None:
    done = process(["explain"], "2>err.txt | true; cat err.txt; rm err.txt")
    assert done.stdout == done.stderr == ""


# --- files that are no files ------------------------------------------------------------------------------------------


def test_a_link_that_leads_nowhere_is_told(home: Path) -> None:
    for name, target, why in (("loop", "loop", "leads to itself"), ("away", "nothing", "is a broken link")):
        Path(name).symlink_to(target)
        Path(f"{name}.rules").symlink_to(f"{target}.rules")
        Path(f"{name}.yaml").symlink_to(f"{target}.yaml")
        Path(f"g_{name}").mkdir()
        Path(f"g_{name}/game.yaml").symlink_to("game.yaml" if name == "loop" else target)
        for args in (
            ("validate", f"./{name}"),
            ("validate", f"./g_{name}"),
            ("validate", f"./nim+./{name}.yaml"),
            ("replay", name),
            ("identify", name),
            ("format", f"{name}.rules"),
            ("coverage", "./nim", name),
            ("perft", "./nim", "--from", name, "--depth", "1"),
        ):
            code, text = said(*args)
            assert code in (1, 2) and why in text, (args, text)
    for name, target in (("loop", "loop.yaml"), ("away", "nothing.yaml")):
        for place in ("kinds.yaml", "rules.yaml", "variants/tall.yaml", "rules/play.rules", "logs/short.expect.yaml"):
            shutil.rmtree("other", ignore_errors=True)
            shutil.copytree("nim", "other")
            path = Path("other", place)
            path.unlink(missing_ok=True)
            path.symlink_to(path.name if name == "loop" else target)
            command = "test" if "logs" in place else "validate"
            code, text = said(command, "./other+tall" if "tall" in place else "./other")
            assert code in (1, 2) and ("leads to itself" in text or "is a broken link" in text), (place, text)


def test_a_dialect_that_is_a_loop_of_links_hinders_nobody(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "nim/dialects").mkdir()
    (home / "nim/dialects/d.yaml").symlink_to("d.yaml")
    monkeypatch.setenv("RULESPEC_PATH", str(home))
    Path("foreign.json").write_text('[{"kind": "x"}]')
    code, text = said("replay", "foreign.json")
    assert code == 2 and "RS6" in text


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("name", ["x" * 300, "x" * 5_000, "x/" * 2_500])
def test_an_overlong_name_is_absent(name: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("RULESPEC_PATH", "RULESPEC_CACHE", "XDG_CACHE_HOME", "HOME"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, name)
            assert said("validate", "./nim")[0] == 0
            assert said("validate", "nosuch")[0] == 2
    for args in (
        ("validate", name),
        ("validate", f"./nim+{name}"),
        ("replay", name),
        ("format", name),
        ("explain", name),
        ("coverage", "./nim", "--out", name),
        ("simulate", "./nim", "--players", "2", "--games", "1", "--out", f"{name}.jsonl"),
        ("new", name, "--from", "./nim"),
    ):
        assert said(*args)[0] == 2, args


@pytest.mark.parametrize("args", [["--players", "9" * 20], ["--players", "-1"], ["--players", "2", "--limit", "-5"]])
def test_numbers_of_any_size_are_refused_at_once(args: list[str], home: Path) -> None:
    assert said("perft", "./nim", "--depth", "1", *args)[0] == 2


def test_a_pipe_is_no_input(home: Path) -> None:
    os.mkfifo("pipe")
    os.mkfifo("pipe.rules")
    for args in (("replay", "pipe"), ("identify", "pipe"), ("validate", "./pipe"), ("format", "pipe.rules")):
        assert said(*args)[0] == 2, args
