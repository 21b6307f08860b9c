"""Unplayable rules, found by playing: house rules that pass every static check."""

from __future__ import annotations

import re
import time
from itertools import count
from pathlib import Path

import pytest
from cases import small
from folders import RULESETS, TESTS

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.verify import combinations, play_check
from rulespec.engine.verify.played import GAMES, PlayReport
from rulespec.engine.verify.step_weights import DECISION, weighed
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.load import load_ruleset

UNPLAYABLE = sorted((TESTS / "fixtures" / "unplayable").glob("*.yaml"))


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a third of the games, with little effort for short examples."""
    monkeypatch.setattr(play_check, "STEPS", 300_000_000)
    monkeypatch.setattr(play_check, "EFFORT", 20_000_000)


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise NoWasmtimeError("there is none")

    monkeypatch.setattr(combinations, "WasmOutcomes", none)


GAME = 'id: small\ntitle: Small\nversion: "1.0"\nplayers: {kind: player, min: 1, max: 3}\nunits: [money, points]\n'


def played(folder: Path, text: str, settings: str = "", more: str = "") -> PlayReport:
    options = f"settings: {settings}\n" if settings else ""
    return play_check.play_check(small(folder / "small", f"{text}--- game.yaml\n{GAME}start: play\n{options}{more}"))


def shown(wrong: Diagnostic) -> str:
    return " ".join([wrong.message, wrong.label, *(note.text for note in wrong.notes)])


LATE = ("seven", "switched_off", "never_rich")
"""Cases played longer: their mistakes need the last number of players, a later setting, or a game up to the cap."""
LARGE = ("backwards", "becalmed", "lamed", "no_steps", "one_free", "poor")
"""Cases with large games: compiling a module for each number of players takes seconds."""
HOUSE_RULES = [pytest.param(p, marks=[pytest.mark.proof] * (p.stem in LATE + LARGE)) for p in UNPLAYABLE]


# --- house rules ------------------------------------------------------------------------------------------------------


def test_there_are_a_dozen_house_rules_of_several_games() -> None:
    texts = [path.read_text("utf-8") for path in UNPLAYABLE]
    assert len(texts) >= 12
    assert len({re.findall(r"^for: (\w+)", text, re.MULTILINE)[0] for text in texts}) >= 6


@pytest.mark.proof  # 0.6 s
@pytest.mark.parametrize("path", HOUSE_RULES, ids=lambda p: p.stem)
def test_house_rules_that_cannot_be_played_are_found_with_their_decision(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = path.read_text("utf-8")
    (base,), ((code, decision),) = re.findall(r"^for: (\w+)", text, re.M), re.findall(r"^# found: (\w+) ?(\w*)", text)
    if path.stem in LATE:
        monkeypatch.setattr(play_check, "STEPS", 1_200_000_000)
    result = play_check.play_check(load_ruleset(f"{base}+{path}"))
    wrong = next(d for d in result.diagnostics if d.code == code)
    assert f"`{decision}`" in shown(wrong) or not decision
    assert wrong.span is not None and re.search(r"in \d+ of \d+ games|in the only game", wrong.message)
    assert wrong.severity is (Severity.WARNING if code == "RS721" else Severity.ERROR)
    assert "player" in wrong.help


@pytest.mark.usefixtures("in_python")
@pytest.mark.parametrize("name", ["one_free", "no_stalemate", "pairs", "lamed"])
@pytest.mark.sampled(1)
def test_they_are_found_without_wasm_module(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = TESTS / f"fixtures/unplayable/{name}.yaml"
    test_house_rules_that_cannot_be_played_are_found_with_their_decision(path, monkeypatch)


# --- what is found ----------------------------------------------------------------------------------------------------

UNLISTED = """\
procedure play():
    for p in player:
        decide turn by p:
            option pick(a in 1 .. 99999, b in 1 .. 99999, c in 1 .. 99999):
                require a + b + c == 0
"""


@pytest.mark.proof
def test_a_first_decision_that_cannot_be_listed_has_its_place(tmp_path: Path) -> None:
    result = played(tmp_path, UNLISTED)
    (wrong,) = result.diagnostics
    assert wrong.code == "RS704" and wrong.span is not None
    assert (Path(wrong.span.file).name, wrong.span.line) == ("play.rules", 4)
    assert "`c` of `turn.pick`" in wrong.message and "before the first decision" in wrong.help
    assert [(note.span.line, note.text) for note in wrong.notes] == [(3, "at the decision `turn`")]


STUCK = """\
procedure play():
    for p in player:
        decide turn by p:
            option pass_on:
                pass
    decide last by first(player):
        option never:
            require players == 0 "never"
"""


@pytest.mark.proof  # 0.2 s
def test_a_dead_end_has_its_share_and_a_scenario(tmp_path: Path) -> None:
    result = played(tmp_path, STUCK)
    (wrong,) = result.diagnostics
    assert wrong.code == "RS711" and "`last`" in wrong.message and re.search(r"in (\d+) of \1 games", wrong.message)
    assert "with 1-3 players; the shortest game found: with 1 player: A: pass_on" in wrong.help
    assert "scenarios:" in wrong.help and "never" in wrong.help


@pytest.mark.proof  # 0.5 s
def test_a_dead_end_that_is_meant_is_none(tmp_path: Path) -> None:
    result = played(tmp_path, STUCK, more="dead_ends: {last: who is last is stuck}\n")
    assert result.diagnostics == () and result.games == 3 * GAMES


BY_SETTING = """\
procedure play():
    for p in player:
        decide turn by p:
            option pass_on:
                require not (odd and players == 2) and size < 9 "not so"
"""


@pytest.mark.proof  # 1.0 s
def test_a_dead_end_with_a_setting_names_it(tmp_path: Path) -> None:
    settings = "{size: {type: int 0..9, default: 3}, odd: {default: false}}"
    result = played(tmp_path, BY_SETTING, settings)
    (wrong,) = result.diagnostics
    assert "with `size=9`" in wrong.help and "size=9" in wrong.help
    assert result.of == result.combinations == 3 + 9 + 1


@pytest.mark.proof  # 0.3 s
def test_a_start_that_a_value_of_a_setting_makes_impossible_names_it(tmp_path: Path) -> None:
    rules = STUCK.partition("    decide last")[0]
    more = "--- kinds.yaml\nstate: {left: {type: int 0..4, start: '9 if much == lots else 1'}}\n"
    result = played(tmp_path, rules + more, "{much: {values: [little, lots], default: little}}")
    assert [d.code for d in result.diagnostics] == ["RS702"] and "`much=lots`" in result.diagnostics[0].help


INVARIANT = """\
procedure play():
    for p in player:
        decide turn by p:
            option more:
                set left to left + 1
            option less:
                pass
invariant few:
    "Few are left."
    left < 2
--- kinds.yaml
state: {left: {type: int 0..4, start: 0}}
"""


@pytest.mark.proof  # 0.3 s
def test_a_broken_invariant_names_the_decision_before_it(tmp_path: Path) -> None:
    (wrong,) = played(tmp_path, INVARIANT).diagnostics
    assert wrong.code == "RS712" and [note.text for note in wrong.notes] == ["in the decision `turn`"]
    assert "with 2-3 players; the shortest game found: with 2 players: A: more · B: more" in wrong.help


FAULT = """\
procedure play():
    for p in player:
        decide turn by p:
            option spend:
                pay 1 from p.cash to bank
            option wait:
                pass
--- kinds.yaml
kinds: {player: {state: {cash: {account: money}}}}
accounts: {bank: {account: money, unlimited: true}}
"""


def test_a_fault_names_the_decision_in_which_it_happens(tmp_path: Path) -> None:
    (wrong,) = played(tmp_path, FAULT).diagnostics
    assert wrong.code == "RS703" and [note.text for note in wrong.notes] == ["in the decision `turn`"]
    assert "with 1 player: A: spend" in wrong.help


ENDLESS = """\
procedure play():
    repeat:
        for p in player:
            decide turn by p:
                option go_on:
                    pass
"""


@pytest.mark.proof  # 0.4 s
def test_games_without_an_end_are_a_warning(tmp_path: Path) -> None:
    (wrong,) = played(tmp_path, ENDLESS).diagnostics
    assert (wrong.code, wrong.severity) == ("RS721", Severity.WARNING)
    assert wrong.span is not None and wrong.span.line == 4 and "20,000 decisions" in wrong.message


@pytest.mark.usefixtures("in_python")
def test_games_for_which_there_are_too_few_steps_are_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_check, "STEPS", 1_000_000)
    result = played(tmp_path, ENDLESS)
    assert (result.games, [d.code for d in result.diagnostics]) == (0, ["RS721"])
    assert "no game ended within the 1,000,000 steps" in result.diagnostics[0].message


# --- what is played ---------------------------------------------------------------------------------------------------


def test_numbers_of_players_come_first_and_settings_of_overlays_before_others() -> None:
    result = combinations.combinations(load_ruleset("imperial"))
    assert [c.seats for c in result[:5]] == [2, 3, 4, 5, 6] and not any(c.settings for c in result[:5])
    assert all(len(c.settings) == 1 for c in result[5:])
    last = list(load_ruleset("imperial").settings)[-1]
    assert list(result[5].settings) == [last]


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("name", ["nim", "nim+tall", "wager", "errands"])
def test_the_rulesets_of_the_tests_are_sound(name: str) -> None:
    result = play_check.play_check(load_ruleset(str(RULESETS / name)))
    assert result.diagnostics == () and result.games > 0


LONG = """\
procedure play():
    for p in player:
        set n to 0
        decide turn by p:
            option quick:
                pass
            option slow:
                repeat at most 3000:
                    set n to n + 1
--- kinds.yaml
state: {n: {type: int}}
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", [FAULT, INVARIANT, STUCK, LONG])
def test_what_is_played_depends_neither_on_a_clock_nor_on_wasm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """The same games and messages result on a machine without wasm where each clock reading takes an hour."""
    pytest.importorskip("wasmtime")
    monkeypatch.setattr(play_check, "STEPS", 10_000_000)
    wasm = played(tmp_path, text)
    monkeypatch.setattr(combinations, "WasmOutcomes", _no_wasm)
    hours = count(step=3600)
    for clock in ("process_time", "monotonic", "perf_counter", "time", "thread_time"):
        monkeypatch.setattr(time, clock, lambda: next(hours))
    assert played(tmp_path, text) == wasm and wasm.games > 0


@pytest.mark.proof  # 0.2 s
def test_more_is_played_where_minutes_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_check, "STEPS", 1_000_000)
    monkeypatch.setattr(play_check, "MINUTE", 20_000_000)
    ruleset = small(tmp_path / "small", f"{INVARIANT}--- game.yaml\n{GAME}start: play\n")
    few, more = play_check.play_check(ruleset), play_check.play_check(ruleset, minutes=3)
    assert 0 < 10 * few.games < more.games


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text, most", [(STUCK, 12_000), (INVARIANT, 12_000), (LONG, 5_000_000)])
def test_a_decision_weighs_as_much_as_it_does(tmp_path: Path, text: str, most: int) -> None:
    weights = weighed(small(tmp_path / "small", f"{text}--- game.yaml\n{GAME}start: play\n"), (1, 3))
    assert DECISION < weights.decision <= most
    assert (weights.decision > 30_000) == (text == LONG)
    assert weights.decisions(weights.steps(7)) == 7


def _no_wasm(*_: object) -> None:
    raise NoWasmtimeError("there is none")
