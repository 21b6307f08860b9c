"""Maps with bays in Imperial: no army goes on board where it could not come ashore again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import RULESETS

from rulespec.cli.main import cli

BAYS = RULESETS / "bays"
MAPS = [("imperial", "europe"), ("imperial_2030", "world")]


def run(*args: str) -> str:
    result = CliRunner().invoke(cli, [*args], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("game, name", MAPS)
@pytest.mark.sampled(1)
def test_scenarios_on_a_map_with_bays(game: str, name: str) -> None:
    result = run("test", f"{game}+{BAYS / name}.yaml", "--scenarios", str(BAYS / f"{name}_scenarios.yaml"))
    assert "passed" in result


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize("game, name, seed", [("imperial", "europe", 6), ("imperial_2030", "world", 5)])
def test_no_random_game_gets_stuck_in_a_bay(game: str, name: str, seed: int) -> None:
    args = ["--players", "4", "--games", "100", "--seed", str(seed), "--cap", "1500"]
    assert "100 games" in run("simulate", f"{game}+{BAYS / name}.yaml", *args)


@pytest.mark.parametrize("land, seas", [("norway", "north_sea"), ("denmark", "baltic_sea"), ("spain", "bay_of_biscay")])
@pytest.mark.sampled(1)
def test_bays_elsewhere(land: str, seas: str, tmp_path: Path) -> None:
    overlay = tmp_path / "bay.yaml"
    overlay.write_text(
        f"""\
id: bay
title: Bay
for: imperial
version: "1.0"
add:
  map.regions.bay: {{title: Bay, terrain: sea, sea: [{seas}], coast: [{land}], position: [10, 10]}}
  map.regions.{seas}.sea: [bay]
  map.regions.{land}.coast: [bay]
""",
        "utf-8",
    )
    scenarios = tmp_path / "bay_scenarios.yaml"
    scenarios.write_text(
        f"""\
scenarios:
  - id: BAY.0
    title: On board and nowhere to go
    rules: [IMP-ARM-02]
    given:
      start: turn(france)
      set: {{france.government: A, "army[france].at[{land}]": 1, "fleet[france].at[bay]": 1}}
    when: ["A: move(maneuver_1)", "A: armies"]
    then: {{decision: armies, options: {{embark: []}}}}
  - id: BAY.00
    title: On board and out
    rules: [IMP-ARM-02]
    given: {{from: BAY.0, set: {{"fleet[france].at[{seas}]": 1}}}}
    when: ["A: move(maneuver_1)", "A: armies", "A: embark({land}, bay)"]
    then: {{decision: convoy, options: [sail_on({seas})]}}
""",
        "utf-8",
    )
    assert "passed" in run("test", f"imperial+{overlay}", "--scenarios", str(scenarios))
