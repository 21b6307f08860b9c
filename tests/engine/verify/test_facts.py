"""Checks of facts: a violation is reported at the entity, or at the overlay that broke it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import split, write

from rulespec.cli.validate import check
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import MAX_ERRORS, Report
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.project import check as check_in_editor

ISLES = """
procedure play():
    if any(t in town where t.size > 0 and t.good is some):
        end game
--- kinds.yaml
kinds:
  good: {entities: {corn: {}, salt: {}}}
  market:
    product: [town, good]
    checks:
      salt_at_sea: {where: market.good == salt, that: market.town.size < 9, text: "no large town sells salt"}
--- map.yaml
map:
  kind: town
  facts: {size: int, harbour: bool, good: "good?", rival: "town?"}
  links: {road: two_way, ferry: one_way}
  checks:
    harbours: {that: "town.harbour or town.ferry == {}", text: "ABC-01: ferries leave from harbours", help: "build one"}
    rivals:
      where: town.rival is some
      that: town.rival.size == town.size and town.rival != town
      text: "rivals are of one size"
    roads: {that: "all(t in town.road: t.size <= most_size or t.good is none)", text: "a large town at a road is idle"}
    goods: {that: is_right(town), text: "a town with a harbour sells something"}
  regions:
    oak: {size: 3, harbour: true, good: corn, rival: elm, road: [elm], ferry: [ash]}
    elm: {size: 3, road: [oak]}
    ash: {size: 5, harbour: true, good: salt, ferry: [oak]}
--- tables.yaml
constants: {most_size: 6}
--- rules/facts.rules
def is_right(t: town) -> bool: not t.harbour or t.good is some
"""


def warnings_of(ref: str) -> list[Diagnostic]:
    report = Report()
    check(ref, report)
    return [d for d in report.diagnostics if d.code == "RS242"]


def isles(folder: Path, old: str = "", new: str = "") -> Path:
    assert old in ISLES
    return write(folder / "isles", split(ISLES.replace(old, new, 1), "rules/play.rules"))


def overlay(folder: Path, body: str) -> str:
    path = folder / "over.yaml"
    path.write_text(f'id: over\ntitle: O\nfor: isles\nversion: "1"\n{body}', "utf-8")
    return f"{isles(folder)}+{path}"


def place(d: Diagnostic) -> tuple[str, int, str]:
    assert d.span is not None
    return Path(d.span.file).name, d.span.line, d.label


def test_facts_that_fulfil_the_checks_are_sound(tmp_path: Path) -> None:
    report = Report()
    assert check(str(isles(tmp_path)), report) is not None and report.ok, report.diagnostics


@pytest.mark.parametrize(
    "old, new, name, label, notes",
    [
        (
            "size: 3, harbour: true",
            "size: 3, harbour: false",
            "oak",
            "`oak.harbour` is false",
            ["`oak.ferry` is {ash}"],
        ),
        ("{size: 5, harbour: true, ", "{size: 5, ", "ash", "`ash.ferry` is {oak}, `ash.harbour` is false", []),
        ("elm: {size: 3", "elm: {size: 4", "oak", "`oak.rival` is elm", ["`elm.size` is 4", "`oak.size` is 3"]),
        ("rival: elm", "rival: oak", "oak", "`oak.rival` is oak", []),
        ("elm: {size: 3", "elm: {size: 7, good: corn", "oak", "`oak.road` is {elm}", ["`elm.size` is 7"]),
        ("good: salt, ferry", "ferry", "ash", "", []),
        ("that: is_right(town)", "that: town.size > 9 and 9 / (3 - town.size) > 0", "oak", "`oak.size` is 3", []),
        ("that: is_right(town)", 'that: "any(g in good: town.good == g)"', "elm", "`elm.good` is none", []),
        (
            "that: is_right(town)",
            'that: "any(g in good: town.rival == elm and g == salt)"',
            "ash",
            "`ash.rival` is none",
            [],
        ),
        ("ash: {size: 5", "ash: {size: 9", "ash_salt", "`ash_salt.town` is ash", ["`ash.size` is 9"]),
    ],
)
def test_an_entity_that_does_not_fulfil_a_check_is_told_with_the_facts_it_saw(
    tmp_path: Path, old: str, new: str, name: str, label: str, notes: list[str]
) -> None:
    result = warnings_of(str(isles(tmp_path, old, new)))
    fitting = [d for d in result if d.message.startswith(f"`{name}`") and place(d)[2] == label]
    assert fitting, result
    assert set(notes) <= {n.text for n in fitting[0].notes}, fitting[0].notes
    assert "this must hold" in {n.text for n in fitting[0].notes} and fitting[0].help


def test_a_check_says_its_text_and_its_way_out(tmp_path: Path) -> None:
    (result,) = warnings_of(str(isles(tmp_path, "size: 3, harbour: true", "size: 3, harbour: false")))
    assert result.message == "`oak` fails the check `harbours`: ABC-01: ferries leave from harbours"
    assert result.help == "build one"
    assert place(result)[:2] == ("map.yaml", 14)


def test_a_fact_that_is_not_there_is_told_at_the_entity(tmp_path: Path) -> None:
    folder = isles(tmp_path, "that: is_right(town)", "that: town.good is some")
    (result,) = warnings_of(str(folder))
    assert place(result) == ("map.yaml", 15, "`elm.good` is none")


def test_a_check_without_an_answer_is_told_at_the_check(tmp_path: Path) -> None:
    folder = isles(tmp_path, "that: is_right(town)", "that: 10 / (town.size - 5) < 9")
    report = Report()
    check(str(folder), report)
    (result,) = [d for d in report.diagnostics if d.code == "RS241"]
    assert "`ash`" in result.message and "divides by zero" in result.message
    assert [n.text for n in result.notes] == ["`ash.size` is 5"]


def test_a_check_without_an_answer_is_told_at_the_overlay_that_causes_it(tmp_path: Path) -> None:
    over = Path(overlay(tmp_path, "changes:\n  map.regions.elm.size: 4\n").partition("+")[2])
    folder = isles(tmp_path, "that: is_right(town)", "that: 10 / (town.size - 4) < 11")
    report = Report()
    check(f"{folder}+{over}", report)
    (result,) = [d for d in report.diagnostics if d.code == "RS241"]
    assert place(result) == ("over.yaml", 6, "`elm.size` is 4")


@pytest.mark.parametrize(
    "body, line, name",
    [
        ("changes:\n  map.regions.oak.harbour: false\n", 6, "harbours"),
        ("changes:\n  map.regions.elm.size: 4\n", 6, "rivals"),
        ("changes:\n  constants.most_size: 1\n", 6, "roads"),
        ("add:\n  map.regions.fir: {size: 1, harbour: true}\n", 6, "goods"),
        ("remove: [map.regions.ash.harbour]\n", None, "harbours"),
        ("changes:\n  map.checks.harbours.that: town.size > 3\n", 6, "harbours"),
        ("add:\n  map.checks.small: {that: town.size < 5, text: T}\n", 6, "small"),
    ],
)
def test_what_an_overlay_breaks_is_told_at_the_overlay(tmp_path: Path, body: str, line: int | None, name: str) -> None:
    results = [d for d in warnings_of(overlay(tmp_path, body)) if f"`{name}`" in d.message]
    assert results
    assert line is None or place(results[0])[:2] == ("over.yaml", line), results


def test_an_overlay_may_take_a_check_out(tmp_path: Path) -> None:
    body = "changes:\n  map.regions.oak.harbour: false\n  map.regions.oak.good: salt\n"
    assert warnings_of(overlay(tmp_path, body)) and not warnings_of(
        overlay(tmp_path, f"{body}remove: [map.checks.harbours]\n")
    )


def test_the_language_server_asks_the_checks(tmp_path: Path) -> None:
    folder = isles(tmp_path, "elm: {size: 3", "elm: {size: 4")
    _, result = check_in_editor(str(folder), EditorFiles())
    assert [d.code for d in result if d.code == "RS242"] == ["RS242"]


@pytest.mark.proof
def test_checks_of_large_maps_are_bounded(tmp_path: Path) -> None:
    regions = "".join(f"    r{n}: {{size: 1, good: corn}}\n" for n in range(1500))
    cubic = "all(a in every(town): all(b in every(town): a.size + b.size > town.size))"
    text = ISLES.partition("  regions:")[0].replace("is_right(town)", f'"{cubic}"')
    rules = "def every(t: town) -> set town: {a in town where a.size == t.size}\n"
    files = split(f"{text}  regions:\n{regions}--- tables.yaml\nconstants: {{most_size: 6}}\n", "rules/play.rules")
    report = Report()
    check(str(write(tmp_path / "isles", files | {"rules/facts.rules": rules})), report)
    assert "RS411" in {d.code for d in report.diagnostics if d.severity is Severity.WARNING}
    (error,) = [d for d in report.diagnostics if d.severity is Severity.ERROR]
    assert error.code == "RS416"
    assert error.span is not None and error.span.file.endswith("map.yaml")


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize(
    "ref, change, name",
    [
        ("imperial", "map.regions.berlin.terrain: sea", "provinces_have_a_home"),
        ("imperial", "map.regions.spain.home: france", "provinces_have_a_home"),
        ("imperial", "map.regions.spain.city: armaments", "cities_in_provinces"),
        ("imperial", "map.regions.hamburg.port: cologne", "ports_are_seas"),
        ("imperial", "map.regions.hamburg.port: north_atlantic", "ports_are_seas"),
        ("imperial", "map.regions.berlin.city: shipyard", "shipyards_have_a_port"),
        ("imperial", "map.regions.hamburg.city: armaments", "shipyards_have_a_port"),
        ("imperial", "kinds.nation.entities.germany.main_bond: france_9", "bonds_of_two_nations"),
        ("imperial", "kinds.nation.entities.germany.second_bond: germany_2", "bonds_of_two_nations"),
        ("imperial_2030", "map.regions.london.port: mediterranean_sea", "ports_are_seas"),
        ("imperial_2030", "kinds.canal.entities.suez.beside: indian_ocean", "canals_lie_beside_land"),
        ("imperial_2030", "kinds.canal.entities.suez.seas: [indian_ocean, iran]", "canals_join_two_seas"),
        ("imperial_asia", "map.regions.tokyo.terrain: land", "provinces_have_a_home"),
        ("tutorial", "map.regions.reedhaven.port: forest", "ports_are_seas"),
    ],
)
def test_a_slip_in_a_shipped_map_is_told(tmp_path: Path, ref: str, change: str, name: str) -> None:
    section = "add" if change.startswith(("map.regions.spain.home", "map.regions.spain.city")) else "changes"
    path = tmp_path / "slip.yaml"
    path.write_text(f'id: slip\ntitle: S\nfor: {ref}\nversion: "1"\n{section}:\n  {change}\n', "utf-8")
    results = [d for d in warnings_of(f"{ref}+{path}") if f"`{name}`" in d.message]
    assert results and place(results[0])[:2] == ("slip.yaml", 6), results
    assert "IMP-" in results[0].message or "I30-" in results[0].message


@pytest.mark.proof  # 0.4 s
def test_a_fact_that_no_region_has_can_be_asked_about(tmp_path: Path) -> None:
    """`region.port in region.coast` is never evaluated if no region has a port, and is not precomputed."""
    regions = "{hills: {terrain: land, coast: [lake]}, lake: {terrain: sea, coast: [hills]}}"
    game = 'id: dry\ntitle: Dry\nversion: "1"\nextends: imperial\nreplaces: [map.regions, setup.pieces.factory.at]\n'
    files = {"game.yaml": game, "map.yaml": f"map: {{regions: {regions}}}\n"}
    result = warnings_of(str(write(tmp_path / "dry", files)))
    assert {d.code for d in result} == {"RS242"} and "`nations_have_a_city`" in result[0].message


def test_of_very_many_slips_the_first_are_told(tmp_path: Path) -> None:
    regions = "".join(f"    r{n}: {{size: 1, harbour: true}}\n" for n in range(1000))
    text = f"{ISLES.partition('  regions:')[0]}  regions:\n{regions}--- tables.yaml\nconstants: {{most_size: 6}}\n"
    rules = "def is_right(t: town) -> bool: not t.harbour or t.good is some\n"
    files = split(text, "rules/play.rules") | {"rules/facts.rules": rules}
    assert len(warnings_of(str(write(tmp_path / "isles", files)))) == MAX_ERRORS
