"""Explanations of the options and values in a scenario, shown on hover."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.verify.scenario import scenarios_of
from rulespec.engine.verify.scenario_run import scenario_place
from rulespec.engine.verify.shared_positions import Folder, with_positions
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.why import Why
from rulespec.load import load_ruleset
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.project import home
from rulespec.references import named

MOST_LINES = 40


def scenario_reasons(path: Path, files: EditorFiles, line: int, column: int) -> tuple[Span, str] | None:
    """The explanation of the option or value at a place in a scenario file, as `rulespec why` prints it.

    The scenario runs up to that place and includes unsaved changes in the editor.

    Args:
        path: a file in `scenarios/` of a ruleset.
        files: the files, including unsaved changes in the editor.
        line: the line of the place, from 1.
        column: the column of the place, from 1.

    Returns:
        None if the place is not in a scenario, or the file or the rules have errors.
    """
    folder = home(path)
    if folder is None or not path.is_relative_to(folder / "scenarios"):
        return None
    overlay = path.parent.name if path.parent != folder / "scenarios" else ""
    try:
        scenarios = scenarios_of(files.yaml(path, str(path)), Report())
        scenarios = with_positions(scenarios, Folder(path.parent), Report())
        ruleset = load_ruleset(f"{named(folder)}+{overlay}" if overlay else named(folder), files=files)
        for scenario in scenarios:
            there = scenario_place(ruleset, scenario, line, column)
            if there is not None:
                why = Why(there.game, OMNISCIENT)
                answer = why.value(there.text) if there.key == "values" else why.option(there.text)
                printer = Printer(ruleset, there.game.omniscient.labels)
                return there.span, "\n".join(islice(printer.lines(whole(answer, fold=True)), MOST_LINES))
    except (DiagnosticsError, RulesetFaultError, ValueError):
        return None
    return None
