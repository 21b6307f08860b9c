"""Compatibility of users' files: old names are replaced, read as before, or reported with the new name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import ROOT, TESTS

from rulespec import load_ruleset
from rulespec.cli.main import cli, run
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import parse_log

GAME = """# a game of somebody's
id: mine
title: Mine
version: "1"
players: {kind: player, min: 2, max: 2}
start: play
options:            # what a table may switch
  fast: {default: false, doc: "options of a table"}
"""
RULES = """procedure play():
    decide turn by first(p in player):
        option go:
            if fast:
                end game
            end game
"""
SCENARIOS = """scenarios:
  - id: A
    title: As usual
    then: {options: [go]}
  - {id: B, title: Fast, "options": {fast: true}, then: {options: [go]}}
"""
OVERLAY = """id: {}
title: Of mine
for: mine
version: "1"
"""


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ruleset with an old key or path in each kind of its files."""
    folder = tmp_path / "mine"
    files = {
        "game.yaml": GAME,
        "rules/play.rules": RULES,
        "scenarios/all.yaml": SCENARIOS,
        "variants/quick.yaml": OVERLAY.format("quick") + "'options': {fast: true}   # as we play\n",
        "variants/slow.yaml": OVERLAY.format("slow") + "changes:\n  game.options.fast.doc: it is slow   # options\n",
        "dialects/other.yaml": (
            "id: other\ntitle: Other\nrules: mine\n"
            "start: {type: begin, seats: people, options: {fast: true}}\ndecisions: {turn.go: {type: go}}\n"
        ),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    return folder


def test_fix_writes_the_new_names_and_nothing_else(old: Path) -> None:
    before = {path: path.read_text() for path in old.rglob("*.yaml")}
    assert run(["validate", "mine", "--no-play", "--fix", "--yes"]) == 0
    changed = {path.name: (before[path], path.read_text()) for path in before if path.read_text() != before[path]}
    assert changed.keys() == {"game.yaml", "all.yaml", "quick.yaml", "slow.yaml", "other.yaml"}
    assert changed["game.yaml"][1] == GAME.replace("\noptions:", "\nsettings:")
    assert changed["all.yaml"][1] == SCENARIOS.replace('"options"', '"settings"')
    assert "'settings': {fast: true}   # as we play" in changed["quick.yaml"][1]
    assert "game.settings.fast.doc: it is slow   # options" in changed["slow.yaml"][1]
    assert "seats: people, settings: {fast: true}" in changed["other.yaml"][1]
    for ref in ("mine", "mine+quick", "mine+slow"):
        assert run(["validate", ref, "--no-play"]) == 0
    assert run(["test", "mine"]) == 0


def test_fix_writes_more_than_a_page_of_old_scenarios(old: Path) -> None:
    entries = "".join(f"  - {{id: S{n}, title: S, options: {{fast: true}}, then: {{by: A}}}}\n" for n in range(90))
    (old / "scenarios" / "all.yaml").write_text("scenarios:\n" + entries)
    assert run(["validate", "mine", "--no-play", "--fix", "--yes"]) == 0
    assert "options" not in (old / "scenarios" / "all.yaml").read_text()


@pytest.mark.parametrize(
    "args, code, place",
    [
        (["validate", "mine", "--no-play"], "RS127", "game.yaml:7:1"),
        (["validate", "mine+quick", "--no-play"], "RS127", "variants/quick.yaml:5:1"),
        (["validate", "mine+slow", "--no-play"], "RS128", "variants/slow.yaml:6:3"),
        (["validate", "mine", "--no-play"], "RS127", "dialects/other.yaml:4:37"),
        (["test", "mine"], "RS127", "scenarios/all.yaml:5:26"),
    ],
)
def test_an_old_name_is_reported_with_the_new_one(old: Path, args: list[str], code: str, place: str) -> None:
    if not place.startswith("game.yaml"):
        (old / "game.yaml").write_text(GAME.replace("\noptions:", "\nsettings:"))
    result = CliRunner().invoke(cli, args)
    output = result.output if isinstance(result.exception, SystemExit | None) else str(result.exception)
    assert result.exit_code != 0
    assert code in output and f"{place}" in output and "settings" in output, output


def test_a_file_with_both_names_is_left_as_it_is(old: Path) -> None:
    text = GAME + "settings:\n  slow: {default: false}\n"
    (old / "game.yaml").write_text(text)
    output = CliRunner().invoke(cli, ["validate", "mine", "--no-play", "--fix", "--yes"]).output
    assert (old / "game.yaml").read_text() == text and "put it under `settings`" in output


@pytest.mark.parametrize("command", ["simulate", "perft", "play", "export"])
def test_the_old_flag_names_the_new_one(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--wasm", "x.wasm"] if command == "export" else []
    for flag in (["--option", "misere=true"], ["--option=misere=true"]):
        assert run([command, "nim", "--players", "2", *flag, *more]) == 2
        assert "--option is now called --set: write --set misere=true" in capsys.readouterr().err
    assert run([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--set KEY=VALUE" in out and "--option" not in out


@pytest.mark.parametrize("command", [["simulate"], ["perft", "--depth", "1"], ["test"], ["replay"]])
def test_the_old_backend_names_the_new_one(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command[0], "nim", *command[1:], "--backend", "native"]) == 2
    assert "native is now called wasm: write --backend wasm" in capsys.readouterr().err


def nim() -> Game:
    ruleset = load_ruleset(str(TESTS / "rulesets" / "nim"))
    return Game(ruleset, seat_names(2, ruleset.seats), {"misere": "true"})


def test_an_old_log_is_read_as_a_new_one() -> None:
    head = '{"rulespec_log": 1, "ruleset": "nim", "seats": ["A", "B"], "options": {"misere": true}}\n'
    old, new = (parse_log(text, "x.jsonl") for text in (head, head.replace("options", "settings")))
    assert old.header == new.header and old.header.settings == {"misere": "true"}


def test_a_log_with_both_names_is_refused() -> None:
    from rulespec.diagnostics.report import DiagnosticsError

    text = '{"rulespec_log": 1, "ruleset": "nim", "seats": ["A"], "options": {}, "settings": {}}\n'
    with pytest.raises(DiagnosticsError, match="`options` has no meaning here"):
        parse_log(text, "x.jsonl")


def test_an_old_log_for_a_seat_agrees_with_a_new_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, seat = tmp_path / "whole.jsonl", tmp_path / "seat.jsonl"
    rules = str(TESTS / "rulesets" / "nim")
    log.write_bytes((Path(rules) / "logs" / "short.jsonl").read_bytes())
    assert run(["log", str(log), "--rules", rules, "--for", "Ann", "--out", str(seat)]) == 0
    seat.write_text(seat.read_text().replace('"settings"', '"options"', 1))
    assert run(["log", str(log), "--rules", rules, "--for", "Ann", "--check", str(seat)]) == 0, capsys.readouterr()


@pytest.mark.parametrize("name", ["games.jsonl", "games.parquet"])
def test_old_results_are_continued(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / name
    args = ["simulate", "nim", "--players", "2", "--set", "misere=true", "--out", str(out)]
    if name.endswith("parquet"):
        pq = pytest.importorskip("pyarrow.parquet")
    assert run([*args, "--games", "3"]) == 0
    if name.endswith("parquet"):
        for part in out.rglob("*.parquet"):
            table = pq.read_table(part)
            meta = {k: v.replace(b'"settings"', b'"options"') for k, v in (table.schema.metadata or {}).items()}
            pq.write_table(table.replace_schema_metadata(meta), part)
    else:
        out.write_text(out.read_text().replace('"settings"', '"options"', 1))
    assert run([*args, "--games", "5"]) == 0, capsys.readouterr()
    other = [a.replace("misere=true", "misere=false") for a in args]
    capsys.readouterr()
    assert run([*other, "--games", "6"]) != 0
    assert "`settings` is" in "".join(capsys.readouterr())


# --- the old words do not come back -----------------------------------------------------------------------------------

EXCEPTIONS = frozenset(
    {
        "CHANGELOG.md",
        "docs/diagnostics/RS127.md",
        "docs/diagnostics/RS128.md",
        "rulespec/documents/carried_over.py",
        "tests/fixtures/formats/old/log_1.jsonl",
        "tests/rulespec/test_carried_over.py",
    }
)
OLD = re.compile(
    rb'--option\b|rulespec\[native\]|--backend[ =]native|"--backend", "native"|engine[/.]native\b|'
    rb'game\.options\.[a-z*]|"rulespec_(?:log|results)".*"options"|"options": \{"[a-z_]+": "[a-z_0-9]+"\}'
)
TEXTS = {".py", ".md", ".yaml", ".yml", ".json", ".jsonl", ".rules", ".js", ".html", ".toml", ".txt", ""}
FOLDERS = (
    "bench",
    "cli",
    "docs",
    "drawing",
    "editors",
    "engine",
    "fuzz",
    "games",
    "guests",
    "lsp",
    "pages",
    "rulespec",
    "serve",
    "tests",
)


def test_the_old_names_do_not_come_back() -> None:
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    paths += [path for path in ROOT.iterdir() if path.name != "CHANGELOG.md"]
    results = []
    for path in sorted({p for p in paths if p.is_file() and p.suffix in TEXTS and "__pycache__" not in p.parts}):
        name = path.relative_to(ROOT).as_posix()
        if name in EXCEPTIONS:
            continue
        data = path.read_bytes()
        results += [f"{name}: {line[:80]!r}" for line in data.split(b"\n") if OLD.search(line)]
        if path.name == "game.yaml" and re.search(rb"(?m)^options:", data):
            results.append(f"{name}: options")
    assert results == []


@pytest.mark.parametrize("name", ["game", "overlay", "log", "perft", "simulate", "identify"])
def test_no_schema_calls_settings_options(name: str) -> None:
    schema = json.loads((ROOT / "rulespec" / "schemas" / f"{name}.schema.json").read_text())
    assert "settings" in json.dumps(schema) and '"options"' not in json.dumps(schema)
