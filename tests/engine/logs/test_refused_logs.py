"""Refused logs: untrusted ones do no harm, and those of other rules end at the first illegal entry."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE
from errand_logs import ERRANDS, HEADER, MOOD, OPENING, playout, refusal, written
from folders import ROOT

from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.logs.log_lines import MAX_LINE
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES
from rulespec.engine.logs.native import MAX_LINES, MAX_SEATS, parse_log, read_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset


@pytest.fixture(scope="module")
def errands() -> Ruleset:
    return load_ruleset(ERRANDS)


# --- what strangers send ----------------------------------------------------------------------------------------------


def header(**changes: Any) -> str:
    data = json.loads(HEADER) | changes
    return json.dumps({k: v for k, v in data.items() if v is not ...}) + "\n"


@pytest.mark.parametrize(
    "text, code, at",
    [
        pytest.param("", "RS604", (1, 1), id="empty"),
        pytest.param("\n\n", "RS604", (1, 1), id="blank"),
        pytest.param("not json\n", "RS604", (1, 1), id="no JSON"),
        pytest.param("[1]\n", "RS607", (1, 1), id="a list"),
        pytest.param("{}\n", "RS607", (1, 1), id="no version"),
        pytest.param(header(rulespec_log=3), "RS605", (1, 2), id="another version"),
        pytest.param(header(rulespec_log=True), "RS605", (1, 2), id="true is no version"),
        pytest.param(header(rulespec_log="1"), "RS605", (1, 2), id="a text is no version"),
        pytest.param(header(rulespec_log=1.0), "RS605", (1, 2), id="a fraction is no version"),
        pytest.param(header(ruleset=...), "RS607", (1, 1), id="no ruleset"),
        pytest.param(header(ruleset=3), "RS607", (1, 21), id="ruleset is a number"),
        pytest.param(header(ruleset="../errands"), "RS607", (1, 32), id="ruleset is a path"),
        pytest.param(header(ruleset="errands+/etc/hosts"), "RS607", (1, 32), id="overlay is a path"),
        pytest.param(header(ruleset="errands+x.yaml"), "RS607", (1, 32), id="overlay is a file"),
        pytest.param(header(ruleset="errands+"), "RS607", (1, 32), id="no overlay after the plus"),
        pytest.param(header(seats=...), "RS607", (1, 1), id="no seats"),
        pytest.param(header(seats="Ann"), "RS607", None, id="seats are a text"),
        pytest.param(header(seats=[1, 2]), "RS607", None, id="seats are numbers"),
        pytest.param(header(seats=[]), "RS607", None, id="nobody"),
        pytest.param(header(seats=["x"] * (MAX_SEATS + 1)), "RS607", None, id="a crowd"),
        pytest.param(header(settings=[]), "RS607", None, id="settings are a list"),
        pytest.param(header(settings={"market": 1.5}), "RS607", None, id="a setting is no whole number"),
        pytest.param(header(colour="red"), "RS607", None, id="unknown key"),
        pytest.param(HEADER + "7\n", "RS607", (2, 1), id="a number for a line"),
        pytest.param(HEADER + '{"decision": "mood", "by": "Ann"}\n', "RS607", (2, 1), id="no option"),
        pytest.param(HEADER + '{"decision": 1, "by": "Ann", "option": "calm"}\n', "RS607", (2, 2), id="type"),
        pytest.param(HEADER + '{"decision": "mood", "by": 1, "option": "calm"}\n', "RS607", (2, 22), id="type of by"),
        pytest.param(HEADER + '{"undo": 0}\n', "RS607", (2, 2), id="undo nothing"),
        pytest.param(HEADER + '{"undo": true}\n', "RS607", (2, 2), id="undo true"),
        pytest.param(HEADER + '{"undo": 1, "by": "Ann"}\n', "RS607", None, id="undo and more"),
        pytest.param(HEADER + "[" * 60_000 + "\n" + MOOD, "RS604", None, id="nested"),
        pytest.param(HEADER + '{"undo": ' + "9" * 50_000 + "}\n" + MOOD, "RS604", (2, 1), id="a huge number"),
        pytest.param(HEADER + MOOD.strip() + MOOD, "RS604", (2, len(MOOD)), id="two on a line"),
        pytest.param(
            HEADER + MOOD.strip() + MOOD[:10] + "\n" + MOOD[10:],
            "RS604",
            (2, len(MOOD)),
            id="two, the second on two lines",
        ),
        pytest.param(HEADER + OPENING + MOOD.replace(", ", ",\n"), "RS604", None, id="one on three lines"),
        pytest.param(HEADER + "x" * (MAX_LINE + 1) + "\n", "RS602", (2, 1), id="a long line"),
        pytest.param(HEADER + "\n" * (MAX_LINES + 1), "RS602", None, id="too many lines"),
    ],
)
def test_each_damage_has_a_code_and_a_place(text: str, code: str, at: tuple[int, int] | None) -> None:
    result = refusal(text)
    assert result.code == code
    assert result.span is not None
    assert at is None or (result.span.line, result.span.column) == at


def test_a_misspelt_key_gets_a_hint() -> None:
    assert "`option`" in refusal(HEADER + '{"decision": "mood", "by": "Ann", "optoin": "calm"}\n').help


def test_a_place_is_found_where_a_name_is_written_escaped() -> None:
    log = parse_log(HEADER + '{"decision": "mood", "by": "Zo\\u00eb", "option": "calm"}\n', "game.jsonl")
    span = log.span(log.entries[0], "Zoë")
    assert (span.line, span.column, span.end_column) == (2, 28, 38)


def test_missing_files_folders_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("nothing", ".", "pipe", "a\0b"):
        with pytest.raises(DiagnosticsError) as error:
            read_log(tmp_path / name)
        assert error.value.diagnostics[0].code == "RS601"


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe{\x00}\x00", b'{"rulespec_log": 1, "seats": ["\xe9"]}\n', b"\x1f\x8b\x00\x00\x00\x00"],
    ids=["UTF-16", "Latin-1", "broken gzip"],
)
def test_bytes_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(data)
    with pytest.raises(DiagnosticsError) as error:
        read_log(path)
    assert error.value.diagnostics[0].code == "RS601"


# The peak of a separate process, as `getrusage` would inherit that of the test run.
in_bounds = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak of memory")


def reading(path: Path) -> tuple[str, int]:
    """The outcome of reading a log in a separate process, and the peak memory in megabytes."""
    program = f"""
import re, sys
from pathlib import Path
from rulespec.engine.logs.native import read_log
from rulespec.diagnostics.report import DiagnosticsError
try:
    outcome = str(len(read_log(Path({str(path)!r})).entries))
except DiagnosticsError as error:
    outcome = error.diagnostics[0].code
peak = re.search("VmHWM:[^0-9]*([0-9]+)", Path("/proc/self/status").read_text())
sys.stdout.write(f"{{outcome}} {{peak[1]}}")
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT, timeout=DEADLINE
    )
    outcome, kilobytes = run.stdout.split()
    return outcome, int(kilobytes) // 1000


@pytest.mark.proof  # 0.7 s
@in_bounds
def test_a_gzip_bomb_is_refused_cheaply(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(300):
            file.write(b" " * 1_000_000)
    outcome, megabytes = reading(path)
    assert outcome == "RS602"
    assert megabytes < 300


@pytest.mark.proof  # 0.4 s
@in_bounds
def test_a_log_of_the_greatest_size_is_read_in_bounds(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    count = min(MAX_LINES - 2, MAX_NATIVE_BYTES // len(MOOD) - 10)
    path.write_text(HEADER + MOOD * count, encoding="utf-8")
    outcome, megabytes = reading(path)
    assert outcome == str(count)
    assert megabytes < 300


# --- logs that do not go with the ruleset -----------------------------------------------------------------------------


def replayed(tmp_path: Path, text: str, report: Report | None = None) -> Any:
    path = tmp_path / "game.jsonl"
    path.write_text(text, encoding="utf-8")
    return replay_log(path, rules=ERRANDS, report=report)


def test_another_version_of_the_ruleset_is_warned_of_and_played(tmp_path: Path) -> None:
    report = Report()
    result = replayed(tmp_path, header(rulespec_log=2, ruleset_hash="01" * 16) + OPENING, report)
    assert [(d.code, d.severity) for d in report.diagnostics] == [("RS618", Severity.WARNING)]
    assert result.divergence is None


@pytest.mark.parametrize(
    "changes, code",
    [
        ({"seats": ["Ann"]}, "RS707"),
        ({"seats": ["Ann", "Ann"]}, "RS650"),
        ({"seats": {"A": "Ann", "B(": "Bob"}}, "RS708"),
        ({"seats": {"A": "Ann", "": "Bob"}}, "RS708"),
        ({"seats": {"A": "Ann", "none": "Bob"}}, "RS708"),
        ({"seats": {"A": "Ann", "B": "B" * 501}}, "RS649"),
        ({"seats": {"A": "Ann", "B": 7}}, "RS607"),
        ({"seats": {}}, "RS607"),
        ({"settings": {"markt": "open"}}, "RS705"),
        ({"settings": {"market": "maybe"}}, "RS706"),
    ],
)
def test_seats_and_settings_that_do_not_fit(tmp_path: Path, changes: dict[str, Any], code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replayed(tmp_path, header(**changes))
    assert [d.code for d in error.value.diagnostics] == [code]


def test_a_log_of_an_unknown_ruleset_names_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(header(ruleset="no_such_game"), encoding="utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path)
    assert "no_such_game" in error.value.diagnostics[0].message
    assert error.value.diagnostics[0].span is not None


@pytest.mark.parametrize(
    "line, reason",
    [
        ('{"decision": "mood", "by": "Ann", "option": "gloomy"}', "no option `gloomy`"),
        ('{"decision": "mood", "by": "Bob", "option": "calm"}', "not for Bob"),
        ('{"decision": "mood", "by": "Eve", "option": "calm"}', "not for Eve"),
        ('{"decision": "way", "by": "Ann", "option": "stay"}', "`mood`, not `way`"),
        ('{"decision": "mood", "by": "Ann", "option": "calm(mill)"}', "takes no arguments"),
        ('{"decision": "mood", "by": "Ann", "option": "calm("}', "does not end with `)`"),
    ],
)
def test_a_line_that_does_not_fit_is_the_divergence(tmp_path: Path, line: str, reason: str) -> None:
    divergence = replayed(tmp_path, HEADER + OPENING + line + "\n").divergence
    assert (divergence.index, divergence.foreign_index, divergence.line) == (1, None, 3)
    assert reason in divergence.refusal.reason
    assert divergence.action == json.loads(line)
    assert set(divergence.nearest) == {"calm", "eager"}


def test_a_rule_that_is_broken_is_named_with_its_values(tmp_path: Path) -> None:
    run = '{"decision": "way", "by": "Ann", "option": "run(north_gate)"}\n'
    divergence = replayed(tmp_path, HEADER + OPENING + MOOD + run).divergence
    assert divergence.index == 2
    assert divergence.refusal.rules == ("ERR-05",)
    assert divergence.refusal.values == {"p.eager": "false"}
    assert "walk(north_gate)" in divergence.nearest


def test_decisions_after_the_end_of_the_game(errands: Ruleset, tmp_path: Path) -> None:
    game = playout(errands, 8)
    text = written(tmp_path / "whole.jsonl", game).read_text("utf-8")
    divergence = replayed(tmp_path, text + MOOD).divergence
    assert divergence.index == game.ply
    assert divergence.refusal.reason == "the game is over"
    assert divergence.nearest == ()


@pytest.mark.parametrize(
    "hashes", [{"ruleset_hash": "01" * 16}, {"ruleset_hash": "01" * 16, "sources_hash": "02" * 16}]
)
def test_version_1_has_no_hash_of_the_meaning(hashes: dict[str, str]) -> None:
    log = parse_log(header(**hashes) + OPENING, "game.jsonl")
    assert log.header.ruleset_hash == "" and log.header.sources_hash == [*hashes.values()][-1]
