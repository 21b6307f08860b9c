"""Identification of the rules of a recorded game, from its decisions alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from folders import GAMES, RULESETS
from jsonschema import Draft202012Validator

from rulespec.cli.main import cli
from rulespec.cli.main import run as run_command
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import quick_machine
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import LogHeader, NativeLog, entry_json, parse_log
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.machine import Machine
from rulespec.engine.replay import identify as module
from rulespec.engine.replay.identify import Identification, RulesCandidate, identify
from rulespec.engine.replay.replay import as_native
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.syntax.parser import parse_rules
from rulespec.typed import nodes as typed

NIM = str(RULESETS / "nim")


@pytest.fixture(autouse=True, scope="module")
def candidates_are_made_once() -> Iterator[None]:
    """A shared cache, since most searches try the same candidates, and parsing and compiling dominate the time."""
    machines: dict[tuple[object, ...], Machine] = {}

    def made_once(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
        key = (ruleset.hash, ruleset.ref, seats, *sorted(settings.items()))
        if key not in machines:
            machines[key] = quick_machine(ruleset, seats, settings)
        return machines[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rulespec.ruleset_files.parse_rules", cache(parse_rules))
        patch.setattr(module, "quick_machine", made_once)
        yield


@cache
def ruleset(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


def log_text(ref: str, options: dict[str, str], seed: int, seats: int = 4, decisions: int = 1500) -> str:
    """A random game as a native log whose header has only the id of the ruleset."""
    game, draws = Game(ruleset(ref), seat_names(seats), options), Draws(seed)
    while not game.is_over and game.ply < decisions:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    header = LogHeader(ref.split("+")[0].rpartition("/")[2], "", game.names, {}).to_json()
    return "".join(json.dumps(line) + "\n" for line in [header, *map(entry_json, game.history)])


def identified(ref: str, options: dict[str, str], seed: int, **size: int) -> tuple[NativeLog, Identification]:
    log = parse_log(log_text(ref, options, seed, **size), "game.jsonl")
    return log, identify(log, details=False, load=ruleset)


def answers(identification: Identification) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    """The answers, with an overlay's name in place of the equivalent value of a setting."""
    names = set()
    for trial in identification.answers:
        overlays = [identification.named[o] for o in trial.candidate.settings if o in identification.named]
        options = tuple(o for o in trial.candidate.settings if o not in identification.named)
        names.add(("+".join(sorted([*trial.candidate.overlays, *overlays])), options))
    return names


# --- games of which the log shows everything --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "base, overlays, options, seed",
    [
        ("imperial", "", {}, 1),
        ("imperial", "first_edition", {}, 1),
        ("imperial", "no_investor_card", {}, 1),
        ("imperial", "end_at_30", {}, 1),
        ("imperial", "cheap_factories", {}, 1),
        ("imperial", "stack_battles", {}, 3),
        ("imperial", "no_gifts", {}, 1),  # nobody decides before interest is paid
        ("imperial", "reverse_order", {}, 1),
        ("imperial", "two_more_regions", {}, 1),
        ("imperial", "five_nations", {}, 1),
        ("imperial", "playimperial", {}, 1),
        ("imperial", "", {"set_up": "experienced"}, 1),
        ("imperial", "", {"upgrade_many": "true"}, 1),
        ("imperial", "", {"production_optional": "false"}, 1),
        ("imperial", "", {"forced_stop": "false"}, 2),
        ("imperial", "", {"rail_both": "true"}, 8),
        ("imperial", "", {"interest_shortfall": "pay_partial"}, 9),
        ("imperial", "end_at_30+first_edition", {}, 2),
        ("imperial", "playimperial", {"set_up": "experienced"}, 1),
        ("imperial", "", {"interest_shortfall": "pay_partial", "set_up": "experienced", "upgrade_many": "true"}, 2),
        ("imperial_2030", "bonus_for_increases", {}, 2),
        ("imperial_asia", "playimperial", {"names_count": "true"}, 1),  # neither overlay alone gets any further
    ],
)
@pytest.mark.proof
def test_edition_and_settings_are_found(base: str, overlays: str, options: dict[str, str], seed: int) -> None:
    ref = f"{base}+{overlays}" if overlays else base
    _, identification = identified(ref, options, seed)
    assert answers(identification) == {(overlays, tuple(sorted(options.items())))}
    assert identification.complete


# --- games of which the log does not show everything ------------------------------------------------------------------


@pytest.mark.parametrize(
    "overlays, options, shown",
    [
        ("stricter_import", {}, ""),
        ("cheap_factories", {"hide_cash": "true", "gifts": "government_only"}, "cheap_factories"),
    ],
)
@pytest.mark.proof
def test_what_no_decision_shows_is_not_made_up(overlays: str, options: dict[str, str], shown: str) -> None:
    _, identification = identified(f"imperial+{overlays}", options, 1, decisions=500)
    assert answers(identification) == {(shown, ())}


@pytest.mark.proof
def test_editions_that_a_log_cannot_tell_apart_are_all_named() -> None:
    _, identification = identified("imperial+first_edition", {"set_up": "experienced"}, 1, decisions=200)
    assert answers(identification) == {
        ("", (("forced_stop", "false"), ("set_up", "experienced"))),
        ("first_edition", (("set_up", "experienced"),)),
    }


def test_what_the_log_leaves_undecided_is_said() -> None:
    log = parse_log(log_text(NIM + "+tall", {}, 1), "game.jsonl")
    identification = identify(log, NIM)
    assert answers(identification) == {("tall", ())}
    assert identification.undecided == [("misere", "true")]
    short = parse_log("\n".join(log.text.splitlines()[:2]), "game.jsonl")
    assert identify(short, NIM).undecided == [("misere", "true"), ("tall", "")]


# --- what is believed, and what is not --------------------------------------------------------------------------------


def nim_log(options: list[str], header: dict[str, Any] | None = None) -> str:
    seats = ["Ann", "Bob"]
    head = {"rulespec_log": 1, "ruleset": "nim", "seats": seats, **(header or {})}
    lines: list[dict[str, Any]] = [head]
    for number, option in enumerate(options):
        lines.append(
            {"undo": 1} if option == "undo" else {"decision": "turn", "by": seats[number % 2], "option": option}
        )
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_what_the_header_claims_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(RULESETS))
    claims = {"ruleset": "nim+tall+nonsense", "settings": {"misere": "true", "weather": "fine"}}
    log = parse_log(nim_log(["take(3)", "take(3)", "take(3)"], claims), "game.jsonl")
    assert answers(identify(log, details=False)) == {("", ())}


def test_decisions_may_be_taken_back() -> None:
    moves = ["take(3)", "take(3)", "take(3)", "undo", "undo", "take(3)", "take(3)"]
    identification = identify(parse_log(nim_log(moves), "game.jsonl"), NIM, details=False)
    assert (answers(identification), identification.decisions) == ({("", ())}, 5)
    with pytest.raises(DiagnosticsError, match="RS607"):
        identify(parse_log(nim_log(["take(3)", "undo", "undo"]), "game.jsonl"), NIM)


def test_departures_are_counted_from_the_rules_that_are_named() -> None:
    log = parse_log(nim_log(["take(3)"] * 7), "game.jsonl")
    assert identify(log, NIM).answers[0].candidate == RulesCandidate(("tall",))
    assert identify(log, f"{NIM}+tall").answers[0].candidate == RulesCandidate()


def test_a_log_that_no_rules_allow() -> None:
    identification = identify(parse_log(nim_log(["take(3)"] * 4 + ["take(7)"]), "game.jsonl"), NIM)
    assert (identification.answers, identification.complete) == ([], True)
    closest = identification.closest
    assert closest is not None and closest.difference is not None
    assert (closest.candidate, closest.legal) == (RulesCandidate(("tall",)), 4)
    assert closest.difference.refusal.rules == ("NIM-03",)


def test_a_number_of_seats_that_no_rules_allow() -> None:
    log = parse_log(nim_log([], {"seats": list("ABCDEFG")}), "game.jsonl")
    identification = identify(log, NIM)
    assert identification.answers == []
    assert identification.closest is not None and identification.closest.difference is not None
    assert "for 2 to 4 players" in identification.closest.difference.refusal.reason


def test_the_search_is_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    log = parse_log(nim_log(["take(3)"] * 7), "game.jsonl")
    monkeypatch.setattr(module, "MAX_REPLAYS", 1)
    identification = identify(log, NIM)
    assert (identification.answers, identification.complete, identification.replays) == ([], False, 1)
    monkeypatch.setattr(module, "MAX_REPLAYS", 600)
    monkeypatch.setattr(module, "MAX_DECISIONS", 3)
    assert not identify(log, NIM).complete
    monkeypatch.setattr(module, "MAX_MOVES", 6)
    with pytest.raises(DiagnosticsError, match="more than 6 lines"):
        identify(log, NIM)


# --- the command ------------------------------------------------------------------------------------------------------


def run(path: Path, text: str, *args: str) -> tuple[int, str]:
    path.write_text(text, "utf-8")
    result = CliRunner().invoke(cli, ["identify", str(path), "--rules", NIM, *args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout


def test_command(tmp_path: Path) -> None:
    code, out = run(tmp_path / "game.jsonl", nim_log(["take(3)"] * 7))
    assert code == 0
    assert "legal with 1 departure:\n  nim+tall\n" in out
    assert (
        "undecided, because the log is equally legal if one of these changes is made to this answer:\n"
        "  misere=true  NIM-05: who takes" in out
    )
    ids = run(tmp_path / "game.jsonl", nim_log(["take(3)"] * 7), "--names", "id")[1]
    assert "made to this answer:\n  misere=true\n" in ids
    code, out = run(tmp_path / "game.jsonl", nim_log(["take(7)"]))
    assert code == 1
    assert "no overlays and settings were found" in out
    assert "NIM-03: one to three stones" in out


@pytest.mark.parametrize("moves, code", [(["take(3)"] * 7, 0), (["take(9)"], 1)])
def test_command_as_json(tmp_path: Path, moves: list[str], code: int) -> None:
    found_code, out = run(tmp_path / "game.jsonl", nim_log(moves), "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("identify")).validate(data)
    assert found_code == code
    assert [answer["ruleset"] for answer in data["answers"]] == (["nim+tall"] if code == 0 else [])
    assert (data["closest"] is None) == (code == 0)


# --- foreign logs, progress, and work ------------------------------------------------------------

SITE = GAMES / "imperial" / "logs" / "playimperial"


@pytest.mark.proof
def test_a_foreign_log_is_taken_as_it_is() -> None:
    tried: list[int] = []
    log = as_native(SITE / "c006-auction-3p.json")
    assert log.header.ruleset == "imperial+playimperial"
    result = identify(log, details=False, load=ruleset, step=tried.append)
    names = {(trial.candidate.overlays, trial.candidate.settings) for trial in result.answers}
    assert names == {(("playimperial",), (("names_count", "true"), ("set_up", "experienced")))}
    assert tried == list(range(1, result.replays + 1))


def test_the_command_takes_a_foreign_log_and_says_what_is_wrong_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = json.loads((SITE / "c000-standard-2p.json").read_text(encoding="utf-8"))
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps([entries[0], *entries[4:]]), encoding="utf-8")
    assert run_command(["identify", str(wrong)]) == 2
    said = capsys.readouterr().err
    assert "RS821" in said and "at entry 1: " in said
    assert run_command(["identify", str(wrong), "--dialect", "nobodys"]) == 2
    assert "there is no dialect `nobodys`" in capsys.readouterr().err


@pytest.mark.proof
def test_code_is_generated_only_for_candidates_that_get_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    results: list[str] = []

    def counted(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
        results.append(ruleset.ref)
        return quick_machine(ruleset, seats, settings)

    monkeypatch.setattr(module, "quick_machine", counted)
    result = identify(as_native(SITE / "c006-auction-3p.json"), details=False, load=ruleset)
    assert result.replays > 300
    assert len(results) < 20


@pytest.mark.proof  # 0.3 s
def test_files_are_read_once_for_all_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counted(path: Path, display: str, limits: Any) -> Any:
        read.append(display)
        return read_yaml(path, display, limits)

    monkeypatch.setattr("rulespec.ruleset_files.read_kept", counted)
    log = parse_log(log_text("tutorial", {}, 1, 3), "game.jsonl")
    read.clear()
    assert identify(log, details=False).answers
    assert len(read) == len(set(read)) > 4
