"""Native logs: what is written can be read again, a torn end is survived, what strangers send does no harm."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from deadlines import DEADLINE
from folders import ROOT

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.state_json import state_json
from rulespec.engine.logs.decision_lines import MAX_LINE
from rulespec.engine.logs.log_file import LogWriter, write_log
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, read_log_text
from rulespec.engine.logs.native import MAX_LINES, MAX_SEATS, LogHeader, is_native, parse_log, read_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset

ERRANDS = str(ROOT / "tests" / "rulesets" / "errands")
HEADER = '{"rulespec_log": 1, "ruleset": "errands", "ruleset_hash": "", "seats": ["Ann", "Bob"], "settings": {}}\n'
OPENING = '{"decision": "opening", "by": null, "option": "opens(Ann)"}\n'
MOOD = '{"decision": "mood", "by": "Ann", "option": "calm"}\n'


@pytest.fixture(scope="module")
def errands() -> Ruleset:
    return load_ruleset(ERRANDS)


def playout(ruleset: Ruleset, seed: int, decisions: int = 1000) -> Game:
    game, dice = Game(ruleset, ["Ann", "Bob the Second", "Zoë"], {"market": "open"}), random.Random(seed)
    while not game.is_over and game.ply < decisions:
        game.apply(dice.choice(list(every_option(game))))
    return game


def written(path: Path, game: Game) -> Path:
    with LogWriter(path, LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
    return path


def refusal(text: str) -> Diagnostic:
    with pytest.raises(DiagnosticsError) as error:
        parse_log(text, "game.jsonl")
    assert len(error.value.diagnostics) == 1
    return error.value.diagnostics[0]


# --- writing and reading ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_replays_to_the_same_state(errands: Ruleset, tmp_path: Path, seed: int) -> None:
    game = playout(errands, seed)
    result = replay_log(written(tmp_path / "game.jsonl", game), rules=ERRANDS)
    assert result.divergence is None
    assert result.game.hash == game.hash
    assert result.game.result == game.result


def test_a_log_holds_names_that_a_person_can_read(errands: Ruleset, tmp_path: Path) -> None:
    lines = written(tmp_path / "game.jsonl", playout(errands, 1, 3)).read_text("utf-8").splitlines()
    header, *entries = [json.loads(line) for line in lines]
    assert header == LogHeader.of(playout(errands, 1, 3)).to_json()
    assert header["seats"] == {name: name for name in ("Ann", "Bob the Second", "Zoë")}
    assert header["settings"] == {"market": "open", "rounds_three": "false"}
    assert [set(e) for e in entries] == [{"decision", "by", "option"}] * 3
    assert entries[0]["by"] is None  # chance
    assert "Zoë" in lines[0]  # not escaped


def test_a_path_may_be_a_text(errands: Ruleset, tmp_path: Path) -> None:
    game, path = playout(errands, 3, 7), str(tmp_path / "game.jsonl")
    write_log(path, game)
    assert replay_log(path, rules=ERRANDS).game.hash == game.hash
    with LogWriter(path, LogHeader.of(game)) as writer:
        writer.end(game)
    assert not read_log(path).entries
    replay_log(path, rules=ERRANDS).write_native(path)
    assert not read_log(path).entries


def test_an_undo_is_a_line_of_its_own(errands: Ruleset, tmp_path: Path) -> None:
    game, path = playout(errands, 3, 7), tmp_path / "game.jsonl"
    with LogWriter(path, LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
        writer.add(TakenBack(2))
        writer.add(game.history[5])
    game.undo()
    assert [e.back.decisions if e.back else 0 for e in read_log(path).entries] == [0] * 7 + [2, 0]
    assert replay_log(path, rules=ERRANDS).game.hash == game.hash


def test_an_undo_may_keep_state_fields(errands: Ruleset, tmp_path: Path) -> None:
    path, back = tmp_path / "game.jsonl", TakenBack(6, ("opener", "player.bold"))
    game = playout(errands, 5, 7)
    players = state_json(game)["entities"]["player"]
    with LogWriter(path, LogHeader.of(game)) as writer:
        for option in game.history:
            writer.add(option)
        writer.add(back)
    assert read_log(path).entries[-1].back == back
    result = replay_log(path, rules=ERRANDS)
    assert result.divergence is None
    assert (result.game.ply, result.moves[-1]) == (1, back)
    game.omniscient.take_back(back)
    assert result.game.hash == game.hash
    now = state_json(game)["entities"]["player"]
    assert {seat: record["bold"] for seat, record in now.items()} == {s: r["bold"] for s, r in players.items()}
    assert any(record["bold"] for record in now.values())
    assert {record["at"] for record in now.values()} == {"mill"}


def test_an_undo_may_set_fields_of_the_game(errands: Ruleset, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    for line, opener, ply in (
        ({"undo": 1, "set": {"opener": "Bob"}}, "Bob", 1),
        ({"undo": 0, "set": {"opener": "Bob"}}, "Bob", 2),
        ({"undo": 1, "keep": ["opener"], "set": {"opener": None}}, "none", 1),
    ):
        path.write_text(HEADER + OPENING + MOOD + json.dumps(line) + "\n", encoding="utf-8")
        result = replay_log(path, rules=ERRANDS)
        assert result.divergence is None
        assert (result.game.omniscient.value("opener"), result.game.ply) == (opener, ply)
        result.write_native(tmp_path / "again.jsonl")
        assert json.loads((tmp_path / "again.jsonl").read_text("utf-8").splitlines()[-2]) == line
        assert replay_log(tmp_path / "again.jsonl", rules=ERRANDS).game.hash == result.game.hash


@pytest.mark.parametrize(
    "line, reason",
    [
        ({"undo": 1, "set": {"opener": "Zoë"}}, "`opener` is player?, and cannot be `Zoë`"),
        ({"undo": 1, "set": {"opener": 1}}, "`opener` is player?, and cannot be `1`"),
        ({"undo": 1, "set": {"open": "Ann"}}, "there is no state field `open`; did you mean `opener`?"),
        (
            {"undo": 1, "set": {"player.bold": True}},
            "`player.bold` is of every player; only fields of the game itself are set",
        ),
        ({"undo": 3}, "there are not 3 decisions to take back"),
        ({"undo": 1, "keep": ["player.cash"]}, "`player.cash` is an account, and money is neither made nor lost"),
        ({"undo": 1, "keep": ["player.eagre"]}, "there is no state field `player.eagre`; did you mean `player.eager`?"),
    ],
)
def test_an_undo_that_cannot_be_is_a_divergence(
    errands: Ruleset, tmp_path: Path, line: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(HEADER + OPENING + MOOD + json.dumps(line) + "\n", encoding="utf-8")
    result = replay_log(path, rules=ERRANDS)
    assert result.divergence is not None
    assert (result.divergence.line, result.divergence.action) == (4, line)
    assert result.divergence.refusal.reason == reason
    assert result.game.ply == 2


@pytest.mark.parametrize(
    "line",
    [
        '{"undo": 0}',
        '{"undo": 0, "set": {}}',
        '{"undo": 1, "set": ["opener"]}',
        '{"undo": 1, "set": {"opener": ["Ann"]}}',
        '{"undo": 1, "set": {"opener": 1.5}}',
        '{"undo": 1, "keep": "opener"}',
        '{"undo": 1, "keep": [1]}',
        '{"keep": ["opener"]}',
        '{"undo": 1, "kept": []}',
    ],
)
def test_an_undo_of_another_form_is_refused(line: str) -> None:
    assert refusal(HEADER + OPENING + line + "\n").code == "RS607"


def test_a_packed_log_reads_like_a_plain_one(errands: Ruleset, tmp_path: Path) -> None:
    path = written(tmp_path / "game.jsonl", playout(errands, 6))
    packed = tmp_path / "game.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_log(packed).entries == read_log(path).entries


@pytest.mark.parametrize("before", ["\ufeff", "\n", "  "], ids=["byte order mark", "blank line", "blanks"])
def test_what_may_stand_before_the_header(tmp_path: Path, before: str) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text(before + HEADER + "\n" + OPENING, encoding="utf-8")
    text, _ = read_log_text(path, "game.jsonl", 1000)
    assert is_native(text)
    assert len(read_log(path).entries) == 1


def test_windows_line_ends_are_read() -> None:
    assert len(parse_log((HEADER + OPENING).replace("\n", "\r\n"), "game.jsonl").entries) == 1


def test_lines_are_counted_whether_all_are_plain_or_not() -> None:
    plain, mixed = HEADER + OPENING + MOOD + MOOD, HEADER + OPENING + "\n" + MOOD + '{"undo": 1}\n' + MOOD.strip()
    assert [(e.decision, e.line) for e in parse_log(plain, "game.jsonl").entries] == [
        ("opening", 2),
        ("mood", 3),
        ("mood", 4),
    ]
    assert [e.line for e in parse_log(mixed, "game.jsonl").entries] == [2, 4, 5, 6]


@pytest.mark.parametrize("text", ["", "[]", '[{"rulespec_log": 1}]', '{"type": "begin"}', "rulespec_log"])
def test_other_texts_are_no_native_logs(text: str) -> None:
    assert not is_native(text)


# --- torn, truncated, damaged -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", range(1, len(MOOD) - 2))
def test_a_torn_last_line_is_warned_of_and_the_rest_counts(length: int) -> None:
    log = parse_log(HEADER + OPENING + MOOD[:length], "game.jsonl")
    assert [e.option for e in log.entries] == ["opens(Ann)"]
    (warning,) = log.warnings
    assert (warning.code, warning.severity) == ("RS603", Severity.WARNING)
    assert warning.span is not None
    assert (warning.span.file, warning.span.line) == ("game.jsonl", 3)


def test_a_last_line_torn_within_a_character_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    line = '{"decision": "mood", "by": "Zoë"'.encode()
    path.write_bytes((HEADER + OPENING).encode() + line[: line.index(b"\xc3") + 1])
    log = read_log(path)
    assert [e.option for e in log.entries] == ["opens(Ann)"]
    assert [w.code for w in log.warnings] == ["RS603"]


def test_a_replay_passes_the_warning_on(tmp_path: Path) -> None:
    path, report = tmp_path / "game.jsonl", Report()
    path.write_text(HEADER + OPENING + MOOD[:20], encoding="utf-8")
    result = replay_log(path, rules=ERRANDS, report=report)
    assert result.divergence is None
    assert result.game.ply == 1
    assert "RS603" in [d.code for d in report.diagnostics]


@pytest.mark.parametrize("share", [0.5, 0.7, 0.9, 0.99])
def test_a_packed_log_that_breaks_off_gives_its_beginning(errands: Ruleset, tmp_path: Path, share: float) -> None:
    path = written(tmp_path / "game.jsonl", playout(errands, 7))
    whole = path.read_bytes() + b"".join(path.read_bytes().splitlines(keepends=True)[1:-1]) * 9
    packed, path = gzip.compress(whole), tmp_path / "game.jsonl.gz"
    path.write_bytes(packed[: int(len(packed) * share)])
    entries = read_log(path).entries
    assert entries == parse_log(whole.decode(), "").entries[: len(entries)]


def test_a_packed_log_without_even_a_header_is_an_error(errands: Ruleset, tmp_path: Path) -> None:
    packed = gzip.compress(written(tmp_path / "game.jsonl", playout(errands, 7)).read_bytes())
    path = tmp_path / "game.jsonl.gz"
    path.write_bytes(packed[:30])
    with pytest.raises(DiagnosticsError) as error:
        read_log(path)
    assert error.value.diagnostics[0].code in {"RS601", "RS604"}


def test_a_line_in_the_middle_that_is_damaged_is_an_error() -> None:
    result = refusal(HEADER + OPENING[:20] + "\n" + MOOD)
    assert result.code == "RS604"
    assert result.span is not None
    assert result.span.line == 2


def test_a_damaged_line_that_is_ended_is_not_torn() -> None:
    assert refusal(HEADER + MOOD[:20] + "\n").code == "RS604"


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


# The peak of a process of its own: `getrusage` would hand down that of the test run.
in_bounds = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for the peak of memory")


def reading(path: Path) -> tuple[str, int]:
    """The outcome of reading a log in a process of its own, and the peak in megabytes."""
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


@in_bounds
def test_a_gzip_bomb_is_refused_cheaply(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(300):
            file.write(b" " * 1_000_000)
    outcome, megabytes = reading(path)
    assert outcome == "RS602"
    assert megabytes < 300


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
        ('{"decision": "mood", "by": "Ann", "option": "calm(mill)"}', "takes nothing"),
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
