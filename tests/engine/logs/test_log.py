"""Native logs: written logs can be read again, and a torn end is tolerated."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from errand_logs import ERRANDS, HEADER, MOOD, OPENING, playout, refusal, written

from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.option import TakenBack
from rulespec.engine.game.state_json import state_json
from rulespec.engine.logs.log_file import LogWriter, write_log
from rulespec.engine.logs.log_text import read_log_text
from rulespec.engine.logs.native import LogHeader, is_native, parse_log, read_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset


@pytest.fixture(scope="module")
def errands() -> Ruleset:
    return load_ruleset(ERRANDS)


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
        ({"undo": 1, "set": {"opener": "Zoë"}}, "`opener` is player?, so it cannot be `Zoë`"),
        ({"undo": 1, "set": {"opener": 1}}, "`opener` is player?, so it cannot be `1`"),
        ({"undo": 1, "set": {"open": "Ann"}}, "there is no state field `open`; did you mean `opener`?"),
        (
            {"undo": 1, "set": {"player.bold": True}},
            "`player.bold` belongs to every player; only fields of the game itself can be set",
        ),
        ({"undo": 3}, "there are fewer than 3 decisions to take back"),
        (
            {"undo": 1, "keep": ["player.cash"]},
            "`player.cash` is an account, and money can be neither created nor destroyed",
        ),
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
