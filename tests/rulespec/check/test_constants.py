"""An overlay's impossible number is reported at the overlay, whatever shipped rule would come to grief by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulespec.cli.validate import check
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import Report

PATH = "over.yaml"


def warnings_of(folder: Path, change: str, ref: str = "imperial") -> list[Diagnostic]:
    """The diagnostics of an overlay with one change, which stands on its line 6."""
    path = folder / PATH
    path.write_text(f'id: over\ntitle: O\nfor: {ref}\nversion: "1"\nchanges:\n  {change}\n', "utf-8")
    report = Report()
    check(f"{ref}+{path}", report)
    return list(report.diagnostics)


@pytest.mark.parametrize(
    "change, code, said",
    [
        ("constants.victory_power: 30 points", "RS307", "must be between 0 and 25"),
        ("constants.victory_power: -1 points", "RS307", "must be between 0 and 25"),
        ("kinds.nation.state.power.type: points 0..20", "RS307", "must be between 0 and 20"),
        ("constants.factory_cost: -4 money", "RS243", "the amount must not be negative"),
        ("constants.investor_bonus: -2 money", "RS243", "the amount must not be negative"),
        ("constants.success_bonus: -1 money", "RS243", "the amount is never greater than 0"),
        ("constants.step_fee: -2 money", "RS243", "the amount is never greater than 0"),
        ("constants.import_limit: -1", "RS243", "the number of times"),
        ("constants.factory_pieces: 5", "RS307", "there cannot be -7 pieces"),
        ("kinds.nation.entities.italy.army_pieces: -1", "RS243", "the `army_pieces` of `italy` is -1"),
        ("constants.factory_cost: 4", "RS302", "write `4 money`"),
        ("constants.factory_cost: 4 points", "RS302", "write `4 money`"),
        ("constants.free_steps: 4 money", "RS302", "write `4`"),
        ("constants.tax_per_factory: 2", "RS302", "write `2 money`"),
        ("constants.victory_power: 25", "RS302", "write `25 points`"),
        ("game.units: [money]", "RS224", "`points` is not a type"),
        ("kinds.nation.state.treasury.account: points", "RS302", "points and money cannot be compared"),
        ("map.regions.hamburg.coast: [baltic_sea]", "RS230", "from `north_sea` to `hamburg`"),
    ],
)
@pytest.mark.sampled(3)
def test_it_is_an_error_of_the_overlay(tmp_path: Path, change: str, code: str, said: str) -> None:
    result = warnings_of(tmp_path, change)
    assert {d.span.file.rpartition("/")[2] for d in result if d.span is not None} == {PATH}, result
    assert {d.span.line for d in result if d.span is not None} == {6}
    fitting = [d for d in result if d.code == code and said in f"{d.message} {d.help}"]
    assert fitting and fitting[0].notes, result


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize(
    "change, code",
    [
        ("constants.max_steps: -1", "RS412"),
        ("tables.start_money.rows.2: -35", "RS243"),
    ],
)
def test_what_may_be_meant_for_other_cases_is_a_warning(tmp_path: Path, change: str, code: str) -> None:
    results = [d for d in warnings_of(tmp_path, change) if d.code == code]
    assert [d.severity for d in results] == ["warning"]
    assert results[0].span is not None and results[0].span.file.endswith(PATH)


@pytest.mark.parametrize(
    "change",
    [
        "constants.victory_power: 20 points",
        "constants.factory_cost: 0 money",
        "constants.max_steps: 20",
        "constants.tax_cap: 99 money",
        "constants.soldiers_pay: -1 money",
        "constants.flags_per_nation: 40",
    ],
)
@pytest.mark.sampled(1)
def test_a_number_that_may_be_meant_is_sound(tmp_path: Path, change: str) -> None:
    assert warnings_of(tmp_path, change) == []


@pytest.mark.proof  # 0.3 s
def test_an_overlay_that_changes_the_range_as_well_is_sound(tmp_path: Path) -> None:
    change = "constants.victory_power: 30 points\n  kinds.nation.state.power.type: points 0..30"
    assert warnings_of(tmp_path, change) == []


def test_what_the_same_overlay_changes_is_shown_with_its_constant(tmp_path: Path) -> None:
    changes = "constants.victory_power: 30 points\n  kinds.nation.state.power.type: money 0..30"
    first = warnings_of(tmp_path, changes)[0]
    assert first.code == "RS302" and first.span is not None
    assert {first.span.line, *(note.span.line for note in first.notes if note.span.file == first.span.file)} == {6, 7}
