"""The settings of Imperial: an overlay, a log and `--set` can choose each value, and each value changes something."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import GAMES

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import quick_machine
from rulespec.engine.game.state_json import state_json
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay.replay import ReplayRequest
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.verify.scenario import Scenario
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.load import load_ruleset

GAME = str(GAMES / "imperial")
BOOL = ("false", "true")
# The default first.
SETTINGS: dict[str, tuple[str, ...]] = {
    "set_up": ("standard", "experienced"),
    "interest_shortfall": ("forbid", "pay_partial"),
    "battle": ("single_pair", "until_one_side_gone"),
    "ask_order": ("mover", "turn_order"),
    "fleet_fights_in_army_step": ("true", "false"),
    "protect_against_status_change": ("true", "false"),
    "demand_on_lie_down": BOOL,
    "occupied_port_blocks_exit": BOOL,
    "rail_both": BOOL,
    "production_optional": ("true", "false"),
    "withdrawal_gives_flag": ("true", "false"),
    "flags_at": ("end_of_manoeuvre", "immediately"),
    "flag_shortage": ("remove_foreign", "keep_foreign"),
    "upgrade_many": BOOL,
    "forced_stop": ("true", "false"),
    "forced_stop_fee": ("actual", "announced"),
    "gifts": ("windows", "government_only", "off"),
    "gifts_before_forced_stop": ("true", "false"),
    "variant_no_investor_card": BOOL,
    "variant_forced_stop": ("true", "false"),
    "hide_cash": BOOL,
    "taxation_order": ("power_money", "money_power"),
}
VALUES = [(name, value) for name, values in SETTINGS.items() for value in values]
OTHERS = [(name, value) for name, values in SETTINGS.items() for value in values[1:]]

ruleset = cache(load_ruleset)


def plays(game: Game) -> None:
    """Takes some decisions at random."""
    draws = Draws(1)
    for _ in range(20):
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    assert not game.omniscient.broken_invariants()


def plain(value: str) -> str | bool:
    """A value as JSON holds it."""
    return value == "true" if value in BOOL else value


def test_these_are_the_options() -> None:
    result = ruleset(GAME).settings.values()
    values = {o.name: (o.default, {*(o.values or BOOL)}) for o in result}
    assert values == {name: (all_[0], {*all_}) for name, all_ in SETTINGS.items()}


@pytest.mark.parametrize(
    "overlay, without",
    [
        (
            "first_edition",
            {"forced_stop", "forced_stop_fee", "gifts_before_forced_stop", "variant_forced_stop", "flag_shortage"},
        ),
        ("pd", {"variant_no_investor_card", "variant_forced_stop"}),
    ],
)
def test_an_edition_has_no_options_for_what_it_does_not_have(overlay: str, without: set[str]) -> None:
    assert SETTINGS.keys() - ruleset(f"{GAME}+{overlay}").settings.keys() == without


@pytest.mark.parametrize("name, value", OTHERS)
@pytest.mark.sampled(1)
def test_an_overlay_chooses(name: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    head = "id: house\ntitle: House rule\nfor: imperial\nversion: '1'\n"
    path.write_text(f"{head}settings: {{{name}: {json.dumps(plain(value))}}}\n", "utf-8")
    game = Game(load_ruleset(f"{GAME}+{path}"), ["A", "B", "C"], {}, quick_machine)
    assert game.settings == {n: v[0] for n, v in SETTINGS.items()} | {name: value}
    plays(game)


@pytest.mark.parametrize("name, value", VALUES)
@pytest.mark.sampled(4)
def test_a_log_chooses(name: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    header = {"rulespec_log": 1, "ruleset": "imperial", "ruleset_hash": ruleset(GAME).hash, "seats": ["A", "B", "C"]}
    path.write_text(json.dumps(header | {"settings": {name: plain(value)}}) + "\n", "utf-8")
    game = ReplayRequest(path, report=Report(), load=lambda _: ruleset(GAME)).replay().game
    assert game.settings == {n: v[0] for n, v in SETTINGS.items()} | {name: value}
    plays(game)


@pytest.mark.parametrize("name, value", VALUES)
@pytest.mark.sampled(1)
def test_the_command_line_chooses(name: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulespec.load.load_ruleset", lambda _: ruleset(GAME))  # read once
    args = ["simulate", GAME, "--players", "3", "--games", "1", "--cap", "20", "--set", f"{name}={value}"]
    simulated = CliRunner().invoke(cli, [*args, "--format", "json"])
    assert simulated.exit_code == 0, simulated.output
    assert json.loads(simulated.stdout)["settings"] == {name: value}

    log = tmp_path / "game.jsonl"
    args = ["play", GAME, "--players", "3", "--bots", "2", "--seed", "1", "--log", str(log)]
    played = CliRunner().invoke(cli, [*args, "--set", f"{name}={value}"], input="q\n")
    assert played.exit_code == 0, played.output
    with log.open(encoding="utf-8") as lines:
        (header,) = islice(lines, 1)
    assert json.loads(header)["settings"][name] == value


@cache
def cases() -> tuple[Scenario, ...]:
    return tuple(suite_scenarios(ruleset(GAME), Report()))


@pytest.mark.parametrize("name, value", [(n, v) for n, v in OTHERS if n != "hide_cash"])
@pytest.mark.sampled(11)
def test_a_scenario_goes_red_without_the_value(name: str, value: str) -> None:
    under = [s for s in cases() if dict(s.settings).get(name) == value]
    without = [replace(s, settings=tuple(o for o in s.settings if o[0] != name)) for s in under]
    assert any(run_scenario(ruleset(GAME), scenario) for scenario in without)


@pytest.mark.parametrize("hidden", [False, True])
def test_hide_cash_hides_it_from_the_others(hidden: bool) -> None:
    game = Game(ruleset(GAME), ["A", "B"], {"hide_cash": hidden})
    game.omniscient.numbers.begin()
    players = state_json(game, viewer="A")["entities"]["player"]
    assert (players["A"]["cash"], players["B"]["cash"]) == (35, None if hidden else 35)


@pytest.mark.parametrize("name, value", [("rail_bothe", "true"), ("rail_both", "perhaps"), ("gifts", "always")])
def test_what_cannot_be_chosen_is_refused(name: str, value: str) -> None:
    with pytest.raises(DiagnosticsError):
        Game(ruleset(GAME), ["A", "B"], {name: value})
    result = CliRunner().invoke(cli, ["simulate", GAME, "--players", "2", "--set", f"{name}={value}"])
    assert result.exit_code != 0 and not result.stdout
