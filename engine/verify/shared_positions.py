"""Shared positions of scenarios: `given: {from: ID}` starts from another scenario's position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.text_files import files_inside
from rulespec.documents.yaml_nodes import Scalar
from rulespec.engine.verify.scenario import Scenario, read_scenarios

MAX_CHAIN = 100
"""The maximum length of a chain of positions."""


class Folder:
    """The scenarios of all files in a folder, read once when they are first needed.

    Args:
        path: the folder.
        display: the name of a file in diagnostics.
    """

    def __init__(self, path: Path, display: Callable[[Path], str] = str) -> None:
        self._path = path
        self._display = display

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios, in file order."""
        unheard = Report()  # faults of a file are reported when its own scenarios run
        files = files_inside(self._path, "*.yaml")
        return tuple(s for path in files for s in read_scenarios(path, unheard, self._display(path)))


def with_positions(scenarios: Sequence[Scenario], folder: Folder, report: Report) -> tuple[Scenario, ...]:
    """The scenarios of a file, each with its initial position.

    The seats, start, settings and layers of the referenced scenario come first, and the scenario's own override them;
    the decisions of the referenced scenario are ignored. The referenced scenario is looked up in the same file, then in
    the other files of the folder.

    Args:
        scenarios: the scenarios as read from the file.
        folder: the folder of their file.
        report: the report that receives an error for each scenario with an unknown position; that scenario is skipped.
    """
    laid = (scenario if scenario.base is None else _laid(scenario, scenarios, folder, report) for scenario in scenarios)
    return tuple(s for s in laid if s is not None)


def _named(base: Scalar, own: Sequence[Scenario], folder: Folder) -> list[Scenario]:
    """The scenarios with an id: those of the same file, otherwise those of other files."""
    file = base.span.file
    if file == own[0].span.file and (results := [s for s in own if s.id == base.text]):
        return results
    results = [s for s in folder.scenarios if s.id == base.text]
    return [s for s in results if s.span.file == file] or results


def _laid(scenario: Scenario, own: Sequence[Scenario], folder: Folder, report: Report) -> Scenario | None:
    """A scenario merged with its initial position; None, with an error, if that is unavailable."""
    chain = [scenario]
    while (base := chain[-1].base) is not None:
        result = _named(base, own, folder)
        if not result:
            message = f"{scenario.id}: there is no scenario `{base.text}` in this file or in a file beside it"
            help_ = (
                did_you_mean(base.text, [s.id for s in folder.scenarios]) or "write the id of a scenario after `from`"
            )
            report.error("RS716", message, base.span, help=help_)
            return None
        if len(result) > 1:
            message = f"{scenario.id}: there is more than one scenario `{base.text}`"
            notes = tuple(Label(s.span, "defined here") for s in result)
            report.error("RS716", message, base.span, "this id is ambiguous", notes, help="give it a unique id")
            return None
        if result[0] in chain or len(chain) > MAX_CHAIN:
            _report_circle(chain, result[0], report)
            return None
        chain.append(result[0])
    chain.reverse()
    return replace(
        scenario,
        base=None,
        seats=next((s.seats for s in reversed(chain) if s.seats), ()),
        settings=tuple({name: value for s in chain for name, value in s.settings}.items()),
        start=next((s.start for s in reversed(chain) if s.start is not None), None),
        layers=tuple(layer for s in chain for layer in s.layers),
    )


def _report_circle(chain: Sequence[Scenario], again: Scenario, report: Report) -> None:
    first, base, last = chain[0], chain[0].base, chain[-1].base
    assert base is not None
    assert last is not None
    if again not in chain:
        message = f"{first.id}: the position depends on a chain of more than {MAX_CHAIN} other scenarios"
        report.error("RS717", message, base.span, help="define one of the positions without `from`")
        return
    names = " → ".join(f"`{s.id}`" for s in (*chain[chain.index(again) :], again))
    message = f"{first.id}: the position depends on itself: {names}"
    notes = () if last is base else (Label(last.span, "the cycle closes here"),)
    report.error("RS717", message, base.span, "", notes, help="define one of the positions without `from`")
