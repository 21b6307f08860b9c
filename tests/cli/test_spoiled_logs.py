"""Damaged logs: commands print the same about two logs that a seat cannot distinguish."""

from __future__ import annotations

import contextlib
import io
import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from folders import RULESETS, TESTS
from spoiled_logs import SPOILED, TWINS, Twins, flipped, good_part, pairs, write
from viewers import flags_for

from rulespec.cli import output
from rulespec.cli.main import run

QUIET = TESTS / "fixtures" / "quiet"


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", os.pathsep.join(map(str, (RULESETS, QUIET))))


def said(*args: object, stdin: str = "", monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    """The exit code, the output and the messages of a command."""
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(arg) for arg in args])
    return code, re.sub("[0-9a-f]{64}", "SEAL", out.getvalue()), err.getvalue()


Say = Callable[[Path, Twins], Iterator[list[object]]]


def commands(log: Path, twins: Twins) -> Iterator[list[object]]:
    """Every command that shows a log to a seat, in each way."""
    seat = twins.seat
    moves = ["replay", log, "--moves", *flags_for(seat)]
    yield from (moves, [*moves, "--format", "json"], [*moves, "--to", 1], [*moves, "--until", 1])
    yield ["draw", log, *flags_for(seat), "--out", log.with_name("x.svg")]
    yield ["draw", log, *flags_for(seat), "--at", 1, "--out", log.with_name("x.svg")]
    yield ["view", log, *flags_for(seat), "--out", log.with_name("x.html")]
    yield ["log", log, *flags_for(seat)]
    yield ["log", log, *flags_for(seat), "--check", log.with_name("given.jsonl")]
    yield ["log", log, *flags_for(seat), "--check", log]
    if seat == "public":
        yield ["view", log, "--out", log.with_name("x.html")]
    yield ["play", twins.ref, "--players", 2, "--log", log]


def all_told(log: Path, twins: Twins, monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The complete output of commands about a log, including written files."""
    results: list[tuple[object, ...]] = []
    text = log.read_bytes()
    for command in commands(log, twins):
        outs = [log.with_name("x.svg"), log.with_name("x.html")]
        for out in outs:
            out.unlink(missing_ok=True)
        if command[0] == "play" and twins.seat == "Ann":
            continue  # Ann is asked, and sees her view; the seat asked differs from the one that must not see
        notes = said(*command, monkeypatch=monkeypatch)
        written = [re.sub("[0-9a-f]{64}", "SEAL", out.read_text("utf-8")) for out in outs if out.exists()]
        if command[0] == "play":
            notes = (notes[0], "", notes[2])  # the screen of the deciding seat
        results.append((command[0], *notes, *written))
        log.write_bytes(text)  # as `play` may have changed it
    return results


def seat_file(log: Path, twins: Twins, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log given to the seat before the damage."""
    write(log, "\n".join(twins.logs()[0][: 1 + len(twins.before)]) + "\n")
    out = ["--out", log.with_name("given.jsonl")]
    assert said("log", log, *flags_for(twins.seat), *out, monkeypatch=monkeypatch)[0] == 0


@pytest.mark.parametrize("number", range(len(TWINS)))
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_what_is_wrong_with_a_log_tells_a_seat_nothing(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, twins = tmp_path / "log.jsonl", TWINS[number]
    seat_file(log, twins, monkeypatch)
    for name, one, other in pairs(number):
        both = []
        for text in (one, other):
            write(log, text)
            both.append(all_told(log, twins, monkeypatch))
        assert both[0] == both[1], name
        assert not [s for s in twins.words() for note in both[0] if s in str(note).lower()], name


@pytest.mark.parametrize("number", range(len(TWINS)))
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_bytes_that_are_others_tell_a_seat_nothing(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If damage leaves only one of the logs legal, the seat may distinguish them; otherwise it must not."""
    log, twins = tmp_path / "log.jsonl", TWINS[number]
    seat_file(log, twins, monkeypatch)
    one, other = twins.logs()
    alike = 0
    for seed in range(12):
        both = []
        for lines in (one, other):
            write(log, flipped(lines, random.Random(seed)))
            both.append((good_part(log, twins.seat), log.read_bytes()))
        if both[0][0] != both[1][0]:
            continue
        alike += 1
        notes = []
        for _, data in both:
            log.write_bytes(data)
            notes.append(all_told(log, twins, monkeypatch))
        assert notes[0] == notes[1], seed
    assert alike > 3


def test_who_keeps_the_table_is_told_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    lines = TWINS[0].logs()[0]
    write(log, SPOILED["misspelt"](lines, "deal(king)"))
    for command in (["replay", log], ["view", log, "--omniscient", "--out", tmp_path / "x.html"]):
        code, out, err = said(*command, monkeypatch=monkeypatch)
        page = (tmp_path / "x.html").read_text("utf-8") if (tmp_path / "x.html").exists() else ""
        assert "deal(kix)" in out + err + page or "deal(kin" in out + err + page, (code, command)
    write(log, SPOILED["the option a list"](lines, "deal(king)"))
    code, _, err = said("replay", log, monkeypatch=monkeypatch)
    assert code == 2 and "RS607" in err and "deal(king)" in err
    for command in (["draw", log, "--out", tmp_path / "x.svg"], ["view", log, "--omniscient", "--out", "x.html"]):
        code, _, err = said(*command, monkeypatch=monkeypatch)
        assert code == 2 and "RS607" in err


def test_nobody_is_shown_a_line_that_broke_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unfinished line was never played, and may be secret: even the table learns only its place."""
    log = tmp_path / "log.jsonl"
    write(log, "\n".join(TWINS[0].logs()[0])[:-4])
    code, out, err = said("replay", log, monkeypatch=monkeypatch)
    assert code == 0 and "RS603" in err and "log.jsonl:3:" in err and "king" not in out + err


def test_a_line_that_breaks_off_is_told_of_beside_what_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    text = "\n".join(TWINS[0].logs()[0])[:-4]
    write(log, re.sub('"ruleset_hash": "..', '"ruleset_hash": "zz', text))
    _, _, err = said("replay", log, monkeypatch=monkeypatch)
    assert "RS603" in err and "RS618" in err and '"rulespec_log": 2' in err and "king" not in err


def test_a_fault_of_the_rules_is_not_told_to_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / "faulty"
    (rules / "rules").mkdir(parents=True)
    (rules / "game.yaml").write_text(
        'id: faulty\ntitle: F\nversion: "0.1"\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n'
    )
    (rules / "kinds.yaml").write_text("kinds: {player: {state: {card: {type: int 0..9, private: true}}}}\n")
    (rules / "rules" / "play.rules").write_text(
        "procedure play():\n    for p in player:\n"
        "        roll deal(k in 0 .. 9 private to p)\n        set p.card to k\n"
        "    decide go by first(player):\n        option on:\n            for p in player:\n"
        "                set p.card to p.card + 5\n    end game\n"
    )
    log, out = tmp_path / "log.jsonl", tmp_path / "x.html"
    header = '{"rulespec_log": 1, "ruleset": "faulty", "seats": ["Ann", "Bob"]}'
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    notes = set()
    for card in (7, 8):
        deals = "".join(f'{{"decision": "deal", "by": null, "option": "deal({k})"}}\n' for k in (1, card))
        log.write_text(f"{header}\n{deals}" + '{"decision": "go", "by": "Ann", "option": "on"}\n')
        results = [said("replay", log, "--moves", "--for", "Ann", monkeypatch=monkeypatch)]
        results.append(said("view", log, "--for", "Ann", "--out", out, monkeypatch=monkeypatch))
        results.append(said("play", "faulty", "--log", log, "--bots", 1, monkeypatch=monkeypatch))
        notes.add((*results, out.read_text("utf-8")))
        assert "p.card" not in str(results) and results[2][0] == 2
    assert len(notes) == 1


def test_a_failure_of_the_program_is_not_told_to_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError("deal(king)")

    log = tmp_path / "log.jsonl"
    write(log, "\n".join(TWINS[0].logs()[0]) + "\n")
    monkeypatch.setattr("rulespec.engine.replay.replay.apply_recorded", fails)
    assert "king" in said("replay", log, monkeypatch=monkeypatch)[2]
    for command in (["replay", log, "--moves", "--for", "Ann"], ["view", log, "--out", tmp_path / "x.html"]):
        code, out, err = said(*command, monkeypatch=monkeypatch)
        assert code == 2 and "RS901" in err and "king" not in out + err


def test_other_rules_do_not_judge_for_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    write(log, "\n".join(TWINS[0].logs()[0]) + "\n")
    code, _, err = said("replay", log, "--under", "kuhn_poker", "--for", "Ann", monkeypatch=monkeypatch)
    assert code == 2 and "--for" in err


def test_lines_that_were_taken_back_do_not_count_for_a_seat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of an illegal entry counts the remaining decisions: others were never visible."""
    log = tmp_path / "log.jsonl"
    lines = TWINS[0].logs()[0]
    wrong = '{"decision": "act", "by": "Ann", "option": "fold"}'
    notes = set()
    for more in ([], ['{"undo": 1}', lines[-1]], ['{"undo": 2}', *lines[1:]]):
        write(log, "\n".join([*lines, *more, wrong]) + "\n")
        notes.add(str(all_told(log, Twins("Bob", *(getattr(TWINS[0], name) for name in _REST)), monkeypatch)))
    assert len(notes) == 1


_REST = ("ref", "seats", "settings", "before", "secret")


def test_a_gate_that_is_open_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, twins = tmp_path / "log.jsonl", TWINS[0]
    monkeypatch.setattr(output, "redacted", list)
    both = []
    for lines, secret in zip(twins.logs(), twins.secret, strict=True):
        write(log, SPOILED["the line alone"](lines, secret))
        both.append(said("replay", log, "--moves", "--for", "Ann", monkeypatch=monkeypatch))
    assert both[0] != both[1]


def test_every_diagnostic_of_a_command_comes_through_the_gate() -> None:
    """Diagnostics pass through `redacted` before they are rendered."""
    folder = Path(output.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8")
        if re.search(r"diagnostics\.(render|sarif) import", text):
            assert "from rulespec.cli.audience import redacted" in text, path.name
