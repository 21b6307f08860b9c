"""The tests a ruleset brings along: its scenarios, and the recorded games that must stay replayable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from engine.game import Backend
from engine.option import Fault
from engine.scenario import Scenario, run_scenario, suite_scenarios
from rulespec import typed
from rulespec.diagnostics import Diagnostic, Report, RulespecError, Severity, Span
from rulespec.load import load_ruleset

LOG_SUFFIXES = (".jsonl", ".json", ".json.gz")
EXPECTATION = ".expect.yaml"


@dataclass(frozen=True, slots=True)
class Case:
    """One scenario or recorded game that was run, with what is wrong; `backends` are those it failed under."""

    kind: Literal["scenario", "log"]
    id: str
    file: str
    backends: tuple[Backend, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.diagnostics


def run_suite(ruleset: typed.Ruleset, backends: Sequence[Backend], report: Report, only: str = "") -> Iterator[Case]:
    """Runs the scenarios of a ruleset reference under each of the backends, then its recorded games.

    Args:
        ruleset: the ruleset, with the overlays of the reference.
        backends: what to run scenarios under.
        report: takes what is wrong with scenario files themselves.
        only: a text that the id or the file of a case must contain.
    """
    for scenario in suite_scenarios(ruleset, report, display):
        if only in scenario.id or only in scenario.span.file:
            yield _scenario_case(ruleset, scenario, backends)
    for path in log_files(ruleset):
        if only in display(path):
            yield _log_case(path, ruleset)


def display(path: Path) -> str:
    """The name of a file for messages: relative to the current folder if it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _scenario_case(ruleset: typed.Ruleset, scenario: Scenario, backends: Sequence[Backend]) -> Case:
    found: dict[Diagnostic, list[Backend]] = {}
    for backend in backends:
        for failure in run_scenario(ruleset, scenario, backend):
            found.setdefault(failure.diagnostic, []).append(backend)
    # Where the backends do not agree it is the program's mistake, so it is said.
    diagnostics = [
        d if len(failed) == len(backends) else replace(d, help=f"only under the backend {', '.join(failed)}")
        for d, failed in found.items()
    ]
    names = tuple(b for b in backends if any(b in failed for failed in found.values()))
    return Case("scenario", scenario.id, scenario.span.file, names, tuple(diagnostics))


# --- recorded games --------------------------------------------------------------------------


def log_files(ruleset: typed.Ruleset) -> list[Path]:
    """The recorded games of a reference: in `logs/`, or, with overlays, in `logs/<overlay>/`."""
    names = [f"logs/{overlay}" for overlay in ruleset.overlays] or ["logs"]
    return [
        path
        for name in names
        for path in sorted((ruleset.folders[0] / name).glob("*"))
        if path.name.endswith(LOG_SUFFIXES)
    ]


def _log_case(path: Path, ruleset: typed.Ruleset) -> Case:
    from engine.replay import replay_file

    def load(ref: str) -> typed.Ruleset:
        return ruleset if ref in (own, ruleset.ref) else load_ruleset(ref)

    file, report = display(path), Report()
    own = "+".join([str(ruleset.folders[0]), *ruleset.overlays])
    # A foreign log's dialect stands beside the ruleset, which need not be where rulesets are looked for by their ids.
    rules = None if path.name.endswith(".jsonl") else own
    try:
        outcome = replay_file(path, rules=rules, report=report, load=load, strict=False).to_json()
    except RulespecError as error:
        return Case("log", path.name, file, ("python",), error.diagnostics)
    except Fault as fault:
        return Case("log", path.name, file, ("python",), (fault.diagnostic,))
    if (divergence := outcome["divergence"]) is not None:
        report.error("RS821", f"this recorded game is not legal to its end: {divergence_text(divergence)}", _top(file))
    _compare(path, outcome, report)
    errors = tuple(d for d in report.diagnostics if d.severity is Severity.ERROR)
    return Case("log", path.name, file, ("python",) if errors else (), errors)


def divergence_text(divergence: dict[str, Any]) -> str:
    """A divergence in one line."""
    where = f"decision {divergence['index']}"
    if divergence.get("foreign_index") is not None:
        where += f" (entry {divergence['foreign_index']})"
    action = divergence["action"]
    text = action if isinstance(action, str) else "this action"
    return f"{where}, {text}: {divergence['reason']}"


def _top(file: str) -> Span:
    return Span(file, 1, 1, 1, 2)


def _compare(path: Path, outcome: dict[str, Any], report: Report) -> None:
    """Compares the outcome with `<name>.expect.yaml`, which may hold any of its fields but the state."""
    from rulespec.source import Mapping, read_yaml, to_plain
    from rulespec.source import Sequence as List

    stem = next(path.name.removesuffix(s) for s in LOG_SUFFIXES if path.name.endswith(s))
    beside = path.with_name(stem + EXPECTATION)
    if not beside.exists():
        return
    node = read_yaml(beside, display(beside))
    if not isinstance(node, Mapping):
        report.error("RS822", "an expectation is a mapping of fields to values", node.span)
        return
    known = ("decisions", "ended", "hash", "scores", "winners")
    for key, wanted in node.entries.values():
        if key.text not in known:
            help_ = f"the fields are {', '.join(known)}"
            report.error("RS822", f"`{key.text}` cannot be expected", key.span, help=help_)
            continue
        found, expected = outcome[key.text], to_plain(wanted)
        if isinstance(wanted, List):
            found, expected = sorted(map(str, found or [])), sorted(map(str, expected))
        if found != expected:
            report.error("RS823", f"{key.text} is {found}, expected {expected}", wanted.span)
