"""`rulespec schema`: completion and validation in an editor, with a ruleset's own names."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner
from folders import ROOT
from jsonschema import Draft202012Validator

from rulespec.cli.main import cli, run
from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import parse_yaml, read_yaml
from rulespec.ruleset_files import SECTION_FILES

EVERY = sorted(p.parent for folder in ("games", "tests/rulesets") for p in (ROOT / folder).glob("*/game.yaml"))
SOUND = [p for p in EVERY if p.name != "errors"]
FILES = [(f, f / f"{n}.yaml") for f in SOUND for n in SECTION_FILES if (f / f"{n}.yaml").exists()]
OVERLAYS = [(f, p) for f in SOUND for p in sorted((f / "variants").glob("*.yaml"))]
IMPERIAL = ROOT / "games" / "imperial"


@cache
def schema(ref: str, *options: str) -> Any:
    result = CliRunner().invoke(cli, ["schema", ref, *options])
    assert result.exit_code == 0, result.output
    outcome = json.loads(result.stdout)
    jsonschema_rs.meta.validate(outcome)
    return outcome


def places(ref: Path, text: str, *options: str) -> list[str]:
    """The places where a text violates the schema."""
    result = Draft202012Validator(schema(str(ref), *options)).iter_errors(to_plain(parse_yaml(text, "this.yaml")))
    return [".".join(map(str, e.absolute_path)) for e in result]


def names(files: list[tuple[Path, Path]]) -> list[str]:
    return [str(path.relative_to(ROOT)) for _, path in files]


@pytest.mark.parametrize("ref, path", FILES, ids=names(FILES))
@pytest.mark.sampled(1)
def test_the_files_of_a_ruleset_fit_its_own_schema(ref: Path, path: Path) -> None:
    Draft202012Validator(schema(str(ref))).validate(to_plain(read_yaml(path, path.name)))


@pytest.mark.parametrize("ref, path", OVERLAYS, ids=names(OVERLAYS))
@pytest.mark.sampled(1)
def test_the_overlays_of_a_ruleset_fit_its_own_schema(ref: Path, path: Path) -> None:
    Draft202012Validator(schema(str(ref), "--overlay")).validate(to_plain(read_yaml(path, path.name)))


REGIONS = "map:\n  kind: region\n  regions:\n    vienna: "


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "text, place",
    [
        (REGIONS + "{terrain: provinze}", "map.regions.vienna.terrain"),
        (REGIONS + "{terrain: province, land: [budapesd]}", "map.regions.vienna.land.0"),
        (REGIONS + "{home: austria_hungary}", "map.regions.vienna"),  # its terrain is missing
        (REGIONS + "{terrain: province, hom: italy}", "map.regions.vienna"),
        ("kinds:\n  nation:\n    entities:\n      italy: {army_pieces: many, fleet_pieces: true}", "fleet_pieces"),
        ("setup:\n  pieces: {army.suply: 1}", "setup.pieces"),
        ("setup:\n  pieces: {army.supply: {itali: 1}}", "setup.pieces.army.supply"),
        ("setup:\n  state: {nation.italia.tax: low}", "setup.state"),
        ("tracks:\n  rondel:\n    ring: space\n    spaces: {factory: {action: build}}", "tracks.rondel.spaces.factory"),
        ("tables:\n  start_money: {key: int, value: money, rows: {two: 35}}", "tables.start_money.rows"),
    ],
)
def test_what_is_no_name_of_the_ruleset_does_not_fit(text: str, place: str) -> None:
    result = places(IMPERIAL, text)
    assert any(place in p for p in result), result


def test_an_option_of_an_overlay_has_one_of_its_values() -> None:
    overlay = 'id: mine\ntitle: Mine\nfor: imperial\nversion: "1"\n'
    assert places(IMPERIAL, overlay + 'settings: {gifts: "off"}\n', "--overlay") == []
    assert places(IMPERIAL, overlay + 'settings: {gifts: "of"}\n', "--overlay") == ["settings.gifts"]
    assert places(IMPERIAL, overlay.replace("imperial", "imperia"), "--overlay") == ["for"]


def test_an_overlay_is_offered_the_paths_with_what_stands_there() -> None:
    changes = schema(str(IMPERIAL), "--overlay")["properties"]["changes"]["properties"]
    assert changes["constants.factory_cost"] == {"description": "At present: 5 money"}
    assert "kinds.nation.entities.italy.army_pieces" in changes


@pytest.mark.proof
def test_a_reference_may_have_overlays() -> None:
    assert "two_more_regions" not in json.dumps(schema("imperial"))
    more = set(schema("imperial+two_more_regions")["$defs"]["entity_of_region"]["enum"])
    assert more > set(schema("imperial")["$defs"]["entity_of_region"]["enum"])


@pytest.mark.proof  # 0.3 s
def test_a_schema_stays_small_enough_for_an_editor() -> None:
    assert len(json.dumps(schema("imperial"))) < 150_000


def test_there_is_no_schema_of_what_is_no_ruleset() -> None:
    assert run(["schema", "no_such_ruleset"]) == 2
