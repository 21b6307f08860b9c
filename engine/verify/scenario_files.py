"""The scenarios of a ruleset reference, and scenarios in files and folders outside the ruleset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.folders import visible
from rulespec.documents.text_files import files_inside, is_folder
from rulespec.engine.verify.scenario import Scenario, read_scenarios
from rulespec.engine.verify.shared_positions import Folder, with_positions
from rulespec.typed import nodes as typed


def suite_scenarios(ruleset: typed.Ruleset, report: Report, display: Callable[[Path], str] = str) -> Iterator[Scenario]:
    """The scenarios of a ruleset reference.

    First come the scenarios in the folder `scenarios/` of the ruleset. If the reference has overlays, only scenarios
    whose `also` lists all of them are included, since overlays change expectations. Next come the scenarios in
    `scenarios/<overlay>/`; this folder is beside the overlay if the overlay is referenced by path. The scenarios of an
    extended ruleset are excluded, because they test that ruleset's map and tables.

    Args:
        ruleset: the ruleset, with the overlays of the reference.
        report: the report that receives errors in the files.
        display: the name of a file in diagnostics.
    """
    known = _overlays(ruleset)
    for scenario in _in_folder(ruleset.folders[0], "scenarios", report, display):
        _check_also(scenario, known, report)
        if set(ruleset.overlays) <= {overlay.text for overlay in scenario.also}:
            yield scenario
    for name in ruleset.overlays:
        yield from _in_folder(ruleset.homes.get(name, ruleset.folders[0]), f"scenarios/{name}", report, display)


def outside_scenarios(
    ruleset: typed.Ruleset, place: Path, report: Report, display: Callable[[Path], str] = str
) -> Iterator[Scenario]:
    """The scenarios in a file or folder outside the ruleset that apply to this reference.

    A scenario with `also` is skipped if the reference has any of the ruleset's own overlays that `also` does not list;
    one without `also` always applies. Overlays from elsewhere are ignored, since no scenario can name them. The
    scenarios in a subfolder `<overlay>/` apply if the reference has this overlay.

    Args:
        ruleset: the ruleset, with the overlays of the reference.
        place: a file, or a folder with `*.yaml`.
        report: the report that receives errors in the files.
        display: the name of a file in diagnostics.
    """
    known = _overlays(ruleset)
    if is_folder(place):
        result = _in_folder(place, "", report, display)
    else:
        result = iter(load_scenarios(place, report, display(place)))
    own = set(ruleset.overlays) - ruleset.homes.keys()
    for scenario in result:
        _check_also(scenario, known, report)
        if not scenario.also or own <= {overlay.text for overlay in scenario.also}:
            yield scenario
    for name in ruleset.overlays:
        yield from _in_folder(place, name, report, display)


def _in_folder(root: Path, below: str, report: Report, display: Callable[[Path], str]) -> Iterator[Scenario]:
    """The scenarios of the files in a folder inside `root`."""
    folder = Folder(root / below, display)
    for path in files_inside(root, f"{below}/*.yaml" if below else "*.yaml"):
        yield from load_scenarios(path, report, display(path), folder)


def _overlays(ruleset: typed.Ruleset) -> list[str]:
    """The overlay names allowed in `also`."""
    return sorted({path.stem for f in ruleset.folders for path in visible(f / "variants", "*.yaml")})


def _check_also(scenario: Scenario, known: list[str], report: Report) -> None:
    for overlay in scenario.also:
        if overlay.text not in known:
            message = f"{scenario.id}: there is no overlay `{overlay.text}`"
            report.error("RS502", message, overlay.span, help=did_you_mean(overlay.text, known))


def load_scenarios(
    path: Path, report: Report, display: str | None = None, folder: Folder | None = None
) -> tuple[Scenario, ...]:
    """Reads and checks a scenario file, with shared positions merged into its scenarios.

    Args:
        path: the file.
        report: the report that receives the file's errors. If there are any, the result is empty; an unknown position
            only skips its scenario.
        display: the file's name in diagnostics.
        folder: the file's folder, if several calls share it.
    """
    result = read_scenarios(path, report, display)
    first: dict[str, Scenario] = {}
    for scenario in result:
        if scenario.id in first:
            notes = (Label(first[scenario.id].span, "first used here"),)
            message = f"there are two scenarios `{scenario.id}`"
            report.error("RS811", message, scenario.span, "used again here", notes, help="change one of the ids")
        first.setdefault(scenario.id, scenario)
    return with_positions(result, folder or Folder(path.parent), report)
