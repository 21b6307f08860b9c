"""Earlier and later logs for a seat agree; a change in between is reported at its place."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from viewers import flags_for

from rulespec.cli.main import cli, run
from rulespec.diagnostics.report import DiagnosticsError

BID = '"option": "bid(3)"'


pytestmark = pytest.mark.usefixtures("known_rulesets")


def invoke(*args: str | Path, stdin: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(cli, [str(a) for a in args], input=stdin)
    if isinstance(result.exception, DiagnosticsError):  # the output of `main`
        return 2, "".join(f"error[{d.code}]: {d.message}" for d in result.exception.diagnostics)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A game saved by `play`: Ann bids, Bob gets his log; then he bids, and both get theirs."""
    played = ("play", "wager", "--players", "2", "--names", "Ann,Bob", "--seed", "1", "--log", tmp_path / "game.jsonl")
    assert invoke(*played, stdin="bid(3)\nq\n")[0] == 0
    for seat in ("Bob", "Ann", "public"):
        write_seat_log(tmp_path, seat, f"{seat}_before")
    assert invoke(*played, stdin="bid(0)\nq\n")[0] == 0
    for seat in ("Bob", "Ann"):
        write_seat_log(tmp_path, seat, f"{seat}_after")
    return tmp_path


def write_seat_log(folder: Path, seat: str, name: str) -> None:
    path = folder / f"{name}.jsonl"
    assert invoke("log", folder / "game.jsonl", *flags_for(seat), "--out", path)[0] == 0


def checked(folder: Path, earlier: str, later: str = "game", seat: str = "") -> tuple[int, str]:
    seat = seat or ("Bob" if earlier == "odd" else earlier.partition("_")[0])
    return invoke("log", folder / f"{later}.jsonl", *flags_for(seat), "--check", folder / f"{earlier}.jsonl")


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_play_saves_the_salt_and_gives_others_the_seal(logs: Path) -> None:
    before, after = ((logs / f"Bob_{when}.jsonl").read_text("utf-8") for when in ("before", "after"))
    assert "bid(" not in before and before.count("sealed") == 1
    assert BID in after and '"option": "bid(0)"}' in after
    assert (logs / "game.jsonl").read_text("utf-8").count("salt") == 1


@pytest.mark.parametrize(
    "earlier, later, write_seat_log",
    [
        ("Bob_before", "game", "2 decisions, 1 seal matches"),
        ("Bob_before", "Bob_after", "2 decisions, 1 seal matches"),
        ("public_before", "game", "2 decisions, 1 seal matches"),
        ("Ann_before", "game", "2 decisions, 0 seals match"),
        ("Ann_before", "Ann_after", "2 decisions, 0 seals match"),
        ("Bob_before", "Bob_before", "2 decisions, 0 seals match, 1 still sealed"),
        ("Bob_after", "game", "3 decisions, 0 seals match"),
    ],
)
def test_logs_that_agree(logs: Path, earlier: str, later: str, write_seat_log: str) -> None:
    code, out = checked(logs, earlier, later)
    assert code == 0 and out.rstrip().endswith(f"agrees with {logs / later}.jsonl: {write_seat_log}")


TAMPERED = {
    "the choice, in the whole log": ("game", BID, '"option": "bid(2)"', "RS625", "Bob_before.jsonl:3:48"),
    "the choice, in the later log": ("Bob_after", BID, '"option": "bid(2)"', "RS625", "Bob_before.jsonl:3:48"),
    "the salt": ("Bob_after", '"salt": "', '"salt": "0', "RS625", "Bob_before.jsonl:3:48"),
    "no salt": ("Bob_after", '"salt"', '"pepper"', "RS625", "Bob_before.jsonl:3:48"),
    "the seal": ("Bob_before", '"sealed": "', '"sealed": "0', "RS625", "Bob_before.jsonl:3:48"),
    "who chose": ("Bob_after", '"by": "Ann"', '"by": "Bob"', "RS626", "Bob_before.jsonl:3:2"),
    "the die": ("Bob_before", '"option": "roll(', '"option": "bowl(', "RS626", "Bob_before.jsonl:2:43"),
    "the seats": ("Bob_after", '"Ann", "Bob"', '"Eve", "Bob"', "RS626", "Bob_before.jsonl:1:"),
}
"""Manipulations: the file, the text, the replacement; the code and the place of the report."""


@pytest.mark.parametrize("what", TAMPERED)
def test_what_has_been_changed_is_told(logs: Path, what: str) -> None:
    name, old, new, error, place = TAMPERED[what]
    change(logs / f"{name}.jsonl", old, new)
    code, out = checked(logs, "Bob_before", "game" if name == "game" else "Bob_after")
    assert code == 1 and f"error[{error}]" in out and place in out and "= help: " in out


def test_another_game_with_the_same_events_is_told_by_the_memory(logs: Path) -> None:
    change(logs / "Bob_before.jsonl", '"memory": "', '"memory": "0')
    code, out = checked(logs, "Bob_before")
    assert code == 1 and "error[RS626]" in out and "Bob_before.jsonl:5:2" in out


def test_decisions_that_are_not_there_are_told(logs: Path) -> None:
    code, out = checked(logs, "Bob_after", "Bob_before")
    assert code == 1 and "RS626" in out and "Bob_after.jsonl:3:" in out


HOSTILE = {
    "empty": "",
    "no json": "seats",
    "not an object": "[1]",
    "a whole log": '{"rulespec_log": 1, "ruleset": "wager", "seats": ["Ann", "Bob"]}',
    "nobody": '{"seats": ["Ann"], "for": "Cid"}',
    "a list of seats": '{"seats": ["Ann"], "for": ["Ann"]}',
    "no decision": '{"seats": ["Ann"], "for": "Ann"}\n{}',
    "a blank line": '{"seats": ["Ann"], "for": "Ann"}\n\n{"memory": ""}',
    "deep": '{"seats": ["Ann"], "for": ' + "[" * 60_000,
    "a long line": '{"for": "' + "x" * 70_000,
    "many lines": "{}\n" * 200_001,
}


HEAD = '{"rulespec_log": 2, "ruleset": "wager", "seats": {"Ann": "Ann", "Bob": "Bob"}, "for": '
HOSTILE |= {
    f"for {value}": f"{HEAD}{value}}}\n" for value in ('["Ann"]', "{}", "1", "true", '""', "[[]]", '{"Bob": 1}')
}
HOSTILE |= {
    f"a line {line}": f'{HEAD}"Bob"}}\n{line}\n{{"memory": []}}\n'
    for line in (
        '{"decision": "bidding", "by": ["Ann"], "option": {"a": 1}}',
        '{"decision": "bidding", "by": {}, "sealed": [1], "salt": {}}',
        '{"decision": "bidding", "by": "Ann", "option": null, "salt": 1}',
        '{"end": [1]}',
        '{"end": {"winners": {}, "scores": []}}',
    )
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.sampled(12)
def test_files_from_strangers_do_no_harm(logs: Path, what: str) -> None:
    (logs / "odd.jsonl").write_text(HOSTILE[what], "utf-8")
    for earlier, later in (("odd", "game"), ("Bob_before", "odd")):
        code, out = checked(logs, earlier, later)
        assert code in (1, 2) and ("error[RS" in out)


@pytest.mark.parametrize("version", ["3", "true", "1.0", '"1"', "null", "9" * 40])
def test_a_log_of_another_version_is_not_compared(logs: Path, version: str) -> None:
    change(logs / "Bob_before.jsonl", '"rulespec_log": 2,', f'"rulespec_log": {version},')
    assert "error[RS605]: the log has version `" in checked(logs, "Bob_before")[1]
    assert "error[RS605]" in checked(logs, "Bob_after", "Bob_before")[1]


def test_a_log_without_a_version_is_not_compared(logs: Path) -> None:
    change(logs / "Bob_before.jsonl", '"rulespec_log": 2, ', "")
    assert "error[RS605]" in checked(logs, "Bob_before")[1]


def test_seals_and_salts_of_other_types_fit_nothing(logs: Path) -> None:
    for name, key in (("Bob_after", "salt"), ("Bob_before", "sealed")):
        path = logs / f"{name}.jsonl"
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        lines[2][key] = 7
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        assert "RS625" in checked(logs, "Bob_before", "Bob_after")[1]


def test_a_log_is_printed_and_checked_for_a_seat(logs: Path) -> None:
    assert invoke("log", logs / "game.jsonl")[0] == 2
    assert invoke("log", logs / "game.jsonl", "--check", logs / "Bob_before.jsonl")[0] == 2
    assert checked(logs, "Bob_before")[0] == 0


@pytest.mark.sampled(8)
@pytest.mark.parametrize("later", ["game", "Ann_before", "Ann_after"])
@pytest.mark.parametrize("seat", ["Bob", "public", "Cid", "ann", ""])
def test_what_another_seat_was_given_is_not_compared(logs: Path, seat: str, later: str) -> None:
    """Otherwise, writing `"for": "Ann"` into a file would reveal where Ann's hand differs."""
    guess = logs / "guess.jsonl"
    guess.write_text((logs / "Ann_before.jsonl").read_text("utf-8").replace("bid(3)", "bid(2)"), "utf-8")
    for earlier in ("Ann_before", "guess"):
        code, out = invoke("log", logs / f"{later}.jsonl", *flags_for(seat), "--check", logs / f"{earlier}.jsonl")
        assert code == 2 and "RS632" in out and "bid(" not in out


@pytest.mark.parametrize("seat", ["Bob", "public"])
def test_a_guess_in_a_forged_log_is_told_nothing_of_the_whole_one(logs: Path, seat: str) -> None:
    """A check gives the same answer for any sealed bid of Ann's, and may only quote the file itself."""
    lines = (logs / "game.jsonl").read_text("utf-8").splitlines(keepends=True)[:3]
    for_ = json.dumps(None if seat == "public" else seat)
    text = (logs / "Ann_before.jsonl").read_text("utf-8").replace('"for": "Ann"', f'"for": {for_}')
    notes = set()
    for bid in range(5):
        (logs / "game.jsonl").write_text("".join(lines).replace("bid(3)", f"bid({bid})"), "utf-8")
        for guess in range(5):
            (logs / "guess.jsonl").write_text(text.replace("bid(3)", f"bid({guess})"), "utf-8")
            code, out = checked(logs, "guess", "game", seat)
            notes.add((code, out.replace(f"bid({guess})", "GUESS")))
    assert len(notes) == 1 and notes.pop()[0] == 1


def test_a_log_that_cannot_be_read_is_not_quoted(logs: Path) -> None:
    for torn in ('{"decision": "bids", "by": "Ann", "option": bid(3)', '{"seats": ["Ann"], "for": "Bob"}\n["bid(3)"]'):
        (logs / "whole.jsonl").write_text(torn, "utf-8")
        result = run_as_a_process("log", logs / "whole.jsonl", "--for", "Bob", "--check", logs / "Bob_before.jsonl")
        assert result[0] == 2 and "RS631" in result[1] and "bid(" not in result[1]


def run_as_a_process(*args: str | Path) -> tuple[int, str]:
    """A command as run by `main`, with its error output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(arg) for arg in args])
    return code, out.getvalue() + err.getvalue()
