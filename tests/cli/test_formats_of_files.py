"""One file of each format, as versions before have written it, is read by this one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commands import spoken
from folders import ROOT
from format_files import FORMATS

from rulespec.ruleset_files import SECTION_FILES
from rulespec.schemas import OUTPUTS, WIRE

READ: dict[str, list[list[str]]] = {
    "ferry/game.yaml": [["validate", "ferry"]],
    "ferry/rules.yaml": [["validate", "ferry"]],
    "ferry/rules/play.rules": [["validate", "ferry"]],
    **{f"ferry/{name}.yaml": [["validate", "ferry"]] for name in SECTION_FILES},
    "ferry/variants/tall.yaml": [["validate", "ferry+tall"]],
    "ferry/titles.yaml": [["titles", "ferry"], ["validate", "ferry"]],
    "ferry/titles.de.yaml": [["titles", "ferry"], ["replay", "logs/plain.jsonl", "--language", "de"]],
    "ferry/drawing.yaml": [["draw", "ferry", "--players", "2", "--out", "ferry.svg"]],
    "ferry/outlines.yaml": [["draw", "ferry", "--players", "2", "--out", "ferry.svg"]],
    "ferry/scenarios/turns.yaml": [["test", "ferry"]],
    "ferry/logs/plain.jsonl": [["test", "ferry"]],
    "ferry/logs/plain.expect.yaml": [["test", "ferry"]],
    "ferry/perft/ferry.yaml": [["perft", "ferry", "--check"]],
    "ferry/dialects/ferryman.yaml": [["replay", "foreign.json", "--dialect", "ferryman"]],
    "ferry/notation.yaml": [["validate", "ferry"], ["log", "logs/plain.jsonl", "--as", "pgn"]],
    "ferry/dialects/words.yaml": [["replay", "game.pgn"]],
    "game.pgn": [["replay", "game.pgn"], ["identify", "game.pgn"]],
    "foreign.json": [["replay", "foreign.json"], ["identify", "foreign.json"]],
    "results.jsonl": [["simulate", "ferry", "--players", "2", "--games", "6", "--out", "results.jsonl"]],
    "logs/plain.jsonl": [["replay", "logs/plain.jsonl"], ["view", "logs/plain.jsonl", "--out", "ferry.html"]],
    "tables.db": [["log", "tables.db", "--table", "ferry"]],
    "old/tables_1.db": [["log", "old/tables_1.db", "--table", "30948f32b6f1aebc"]],
    "old/log_1.jsonl": [["replay", "old/log_1.jsonl"], ["replay", "old/log_1.jsonl", "--out", "new.jsonl"]],
    "logs/seat.jsonl": [["log", "logs/plain.jsonl", "--for", "Ann", "--check", "logs/seat.jsonl"]],
    "logs/carried.jsonl": [["replay", "logs/carried.jsonl"], ["diff", "logs/carried.jsonl", "ferry"]],
    "corpus/plain.jsonl": [["replay", "corpus/plain.jsonl"]],
    "corpus/rules/*": [["diff", "corpus/plain.jsonl", "ferry"]],
}
"""File → commands that read it, and find nothing wrong with it."""


@pytest.fixture
def formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "formats"
    shutil.copytree(FORMATS, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RULESPEC_PATH", str(folder))
    return folder


def test_each_file_is_read() -> None:
    files = {p.relative_to(FORMATS) for p in FORMATS.rglob("*") if p.is_file() and not p.name.startswith(".")}
    assert {file for file in files if not any(file.match(name) for name in READ)} == set()
    assert {name for name in READ if not any(file.match(name) for file in files)} == set()


def test_each_format_that_people_or_programs_store_is_there() -> None:
    schemas = {path.name.partition(".")[0] for path in (ROOT / "rulespec" / "schemas").glob("*.json")}
    printed = {*OUTPUTS, *WIRE}
    stored = {"game", *SECTION_FILES, "rules", "overlay", "titles", "drawing", "scenarios", "expect", "dialect", "log"}
    stored.add("notation")
    between_programs = {"plan"}  # a page holds it, and no file of its own
    assert schemas - printed - between_programs == stored | {"perft_record"}


@pytest.mark.parametrize("name", READ)
@pytest.mark.sampled(7)
def test_a_file_of_before_is_read(name: str, formats: Path) -> None:
    for args in READ[name]:
        code, output = spoken(*args)
        assert code == 0 and "error[" not in output and "RS618" not in output, output


@pytest.mark.parametrize("log", ["logs/carried.jsonl", "corpus/plain.jsonl"])
def test_a_log_of_before_needs_no_ruleset(log: str, formats: Path) -> None:
    shutil.rmtree(formats / "ferry")
    code, output = spoken("replay", log)
    assert code == 0 and "under the rules in the log (ferry, as of " in output and "Bob        4  won" in output
    result = json.loads(spoken("replay", log, "--format", "json")[1])
    assert (result["scores"], result["winners"], result["decisions"]) == ({"Ann": 5, "Bob": 4}, ["Bob"], 4)
