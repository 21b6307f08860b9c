"""The test suite of a ruleset: its scenarios, and its recorded games, which must stay legal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import display, files_inside
from rulespec.engine.game.game import restarted
from rulespec.engine.game.machines import Backend, MachineMemo, Machines, quick_machine
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.engine.verify.audit import Broken, first_broken
from rulespec.engine.verify.scenario import Scenario
from rulespec.engine.verify.scenario_files import outside_scenarios, suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.engine.verify.shrink import move_text
from rulespec.load import load_ruleset
from rulespec.references import named
from rulespec.typed import nodes as typed

LOG_SUFFIXES = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
EXPECTATION = ".expect.yaml"
_CHANGES = 12  # the maximum in a message
short_games: Machines = MachineMemo(quick_machine)
"""The machines for short games: generated Python, without passes if these would take longer than such a game."""


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario or recorded game with its diagnostics; `backends` lists the backends under which it fails."""

    kind: Literal["scenario", "log"]
    id: str
    file: str
    backends: tuple[Backend, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def passed(self) -> bool:
        """Whether there are no diagnostics."""
        return not self.diagnostics


def run_suite(
    ruleset: typed.Ruleset,
    backends: Sequence[Backend],
    report: Report,
    only: str = "",
    outside: Sequence[Path] = (),
) -> Iterator[Case]:
    """Runs the scenarios of a ruleset reference under each of the backends, then its recorded games.

    Args:
        ruleset: the ruleset, with the overlays of the reference.
        backends: the backends for scenarios; the first one also runs the recorded games.
        report: the report that receives errors in scenario files.
        only: a text that the id or the file of a case must contain.
        outside: files and folders whose scenarios are run instead.
    """
    results = [outside_scenarios(ruleset, place, report, display) for place in outside]
    for scenario in chain.from_iterable(results or [suite_scenarios(ruleset, report, display)]):
        if only in scenario.id or only in scenario.span.file:
            yield _scenario_case(ruleset, scenario, backends)
    for path in log_files(ruleset) if not outside else ():
        if only in display(path):
            yield run_log(path, ruleset, backends[0])


def _machines(backend: Backend) -> Backend | Machines:
    """The machine for the cases of a backend."""
    return short_games if backend == "python" else backend


def _scenario_case(ruleset: typed.Ruleset, scenario: Scenario, backends: Sequence[Backend]) -> Case:
    results: dict[Diagnostic, list[Backend]] = {}
    for backend in backends:
        for failure in run_scenario(ruleset, scenario, _machines(backend)):
            results.setdefault(failure.diagnostic, []).append(backend)
    # A difference between backends is a mistake of this program.
    diagnostics = [
        d if len(failed) == len(backends) else replace(d, help=f"only under the backend {', '.join(failed)}")
        for d, failed in results.items()
    ]
    names = tuple(b for b in backends if any(b in failed for failed in results.values()))
    return Case("scenario", scenario.id, scenario.span.file, names, tuple(diagnostics))


# --- recorded games --------------------------------------------------------------------------


def log_files(ruleset: typed.Ruleset) -> list[Path]:
    """The recorded games of a reference, from `logs/` or, if it has overlays, from `logs/<overlay>/`."""
    names = [f"logs/{overlay}" for overlay in ruleset.overlays] or ["logs"]
    return [
        path
        for name in names
        for path in files_inside(ruleset.folders[0], f"{name}/*")
        if path.name.endswith(LOG_SUFFIXES)
    ]


def run_log(path: Path, ruleset: typed.Ruleset, backend: Backend = "python") -> Case:
    """Replays a recorded game of a ruleset, and compares its result with the recorded expectation."""

    def load(ref: str) -> typed.Ruleset:
        return ruleset if ref in (own, ruleset.ref) else load_ruleset(ref)

    file, report = display(path), Report()
    own = "+".join([named(ruleset.folders[0]), *ruleset.overlays])
    # The dialect of a foreign log is beside the ruleset, whose id may not locate it.
    rules = None if path.name.endswith((".jsonl", ".jsonl.gz")) else own
    try:
        result = ReplayRequest(
            path, rules=rules, backend=_machines(backend), report=report, load=load, strict=False, carried=False
        ).replay()
        broken, outcome = first_broken(result), result.to_json()
        outcome["options"] = count_options(result) if broken is None else None
    except DiagnosticsError as error:
        return Case("log", path.name, file, (backend,), error.diagnostics)
    except RulesetFaultError as fault:
        return Case("log", path.name, file, (backend,), (fault.diagnostic,))
    if (divergence := outcome["divergence"]) is not None:
        report.error(
            "RS821", f"this recorded game breaks a rule before its end: {divergence_text(divergence)}", _top(file)
        )
    if broken is not None:
        report.add(_broken(broken, file))
    _compare(path, outcome, report)
    errors = tuple(d for d in report.diagnostics if d.severity is Severity.ERROR)
    return Case("log", path.name, file, (backend,) if errors else (), errors)


def _broken(broken: Broken, file: str) -> Diagnostic:
    """The diagnostic of a recorded game that breaks an invariant."""
    move = move_text(broken.move) if broken.move is not None else "the start of the game"
    message = f"{move}: {broken.wrong.message[0].lower()}{broken.wrong.message[1:]}"
    place = Span(file, broken.line, 1, broken.line, 2) if broken.line is not None else _top(file)
    notes = (Label(broken.wrong.span, broken.wrong.label or "this does not hold"),) if broken.wrong.span else ()
    lines = [*([broken.wrong.help] if broken.wrong.help else []), *broken.changed[:_CHANGES]]
    return Diagnostic("RS824", Severity.ERROR, message, place, notes=notes, help="\n".join(lines))


def divergence_text(divergence: dict[str, Any]) -> str:
    """A divergence as one line of text."""
    where = f"decision {divergence['index']}"
    if divergence.get("foreign_index") is not None:
        where += f" (entry {divergence['foreign_index']})"
    action = divergence["action"]
    text = action if isinstance(action, str) else "this action"
    return f"{where}, {text}: {divergence['reason']}"


def _top(file: str) -> Span:
    return Span(file, 1, 1, 1, 2)


def count_options(result: ReplayResult) -> int:
    """The total number of options in a replayed game, which reveals changes in legality."""
    game = restarted(result.game)
    total = 0
    for move in result.moves:
        total += len(game.legal_options)
        game.apply(move) if isinstance(move, Option) else game.omniscient.take_back(move)
    return total


def _compare(path: Path, outcome: dict[str, Any], report: Report) -> None:
    """Compares the outcome with `<name>.expect.yaml`, which may contain only some of its fields."""
    from rulespec.documents.text_files import inside, is_present
    from rulespec.documents.yaml_nodes import Mapping, to_plain
    from rulespec.documents.yaml_nodes import Sequence as List
    from rulespec.documents.yaml_reader import read_yaml

    stem = next(path.name.removesuffix(s) for s in LOG_SUFFIXES if path.name.endswith(s))
    beside = inside(path.parent, stem + EXPECTATION)
    if not is_present(beside):
        return
    node = read_yaml(beside, display(beside))
    if not isinstance(node, Mapping):
        report.error("RS822", "an expectation must be a mapping of fields to values", node.span)
        return
    known = ("decisions", "ended", "hash", "options", "scores", "winners")
    for key, wanted in node.entries.values():
        if key.text not in known:
            help_ = f"write one of the fields {', '.join(known)}"
            report.error("RS822", f"`{key.text}` is not a valid expectation for a recorded game", key.span, help=help_)
            continue
        result, expected = outcome[key.text], to_plain(wanted)
        if isinstance(wanted, List):
            result, expected = sorted(map(str, result or [])), sorted(map(str, expected))
        if result != expected:
            report.error("RS823", f"{key.text} is {result}, expected {expected}", wanted.span)
