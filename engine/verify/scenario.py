"""Scenarios: given a position, when these decisions are taken, then this holds. See docs/guides/scenarios.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.nodes import Mapping, Node, Scalar, Sequence
from rulespec.documents.reader import read_yaml
from rulespec.documents.text_files import files_inside
from rulespec.typed import nodes as typed

DEFAULT_SEATS = ("A", "B")


@dataclass(frozen=True, slots=True)
class Step:
    """Decisions, and the expectations after them; every text has its place."""

    when: tuple[Scalar, ...]
    then: tuple[tuple[Scalar, Node], ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario.

    Attributes:
        span: the place of its id.
        rules: the ids of the rules that it proves.
        ruling: the ids of the rulings that it proves.
        also: further overlays under which it holds.
        settings: settings of the table.
        start: a call of a procedure that the game begins with; None for its own start.
        given: values of the position.
        steps: decisions and expectations.
    """

    id: str
    title: str
    span: Span
    rules: tuple[str, ...]
    ruling: tuple[str, ...]
    also: tuple[Scalar, ...]
    source: str
    seats: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    start: Scalar | None
    given: tuple[tuple[Scalar, Scalar], ...]
    steps: tuple[Step, ...]


def suite_scenarios(ruleset: typed.Ruleset, report: Report, display: Callable[[Path], str] = str) -> Iterator[Scenario]:
    """The scenarios of a reference.

    Those in `scenarios/` of its folder, with overlays only where each of them is in the scenario's `also`, as overlays
    change what holds; then those in `scenarios/<overlay>/`, which lie beside an overlay that is named by its path. Not
    those of a ruleset that it extends: they test that ruleset's map and tables.

    Args:
        ruleset: the ruleset, with the overlays of the reference.
        report: takes errors in the files.
        display: the name of a file in diagnostics.
    """
    known = sorted({path.stem for f in ruleset.folders for path in (f / "variants").glob("*.yaml")})
    for path in files_inside(ruleset.folders[0], "scenarios/*.yaml"):
        for scenario in load_scenarios(path, report, display(path)):
            for overlay in scenario.also:
                if overlay.text not in known:
                    message = f"{scenario.id}: there is no overlay `{overlay.text}`"
                    report.error("RS502", message, overlay.span, help=did_you_mean(overlay.text, known))
            if set(ruleset.overlays) <= {overlay.text for overlay in scenario.also}:
                yield scenario
    for name in ruleset.overlays:
        home = ruleset.homes.get(name, ruleset.folders[0])
        for path in files_inside(home, f"scenarios/{name}/*.yaml"):
            yield from load_scenarios(path, report, display(path))


def load_scenarios(path: Path, report: Report, display: str | None = None) -> tuple[Scenario, ...]:
    """Reads and checks a scenario file.

    Args:
        path: the file.
        report: takes errors in it; then there are no scenarios.
        display: its name in diagnostics.
    """
    from rulespec.documents.schema_check import check_schema
    from rulespec.schemas import load_schema

    before = report.errors
    try:
        node = read_yaml(path, display or str(path))
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
        return ()
    check_schema(node, load_schema("scenarios"), report, what="scenario file")
    if report.errors > before:
        return ()
    found = tuple(_scenario(item) for item in items(_get(node, "scenarios")))
    first: dict[str, Scenario] = {}
    for scenario in found:
        if scenario.id in first:
            notes = (Label(first[scenario.id].span, "first here"),)
            message = f"there are two scenarios `{scenario.id}`"
            report.error("RS811", message, scenario.span, "again here", notes, help="give one another id")
        first.setdefault(scenario.id, scenario)
    return found


# --- reading ---------------------------------------------------------------------------------


def _get(node: Node | None, key: str) -> Node | None:
    return node.entries[key][1] if isinstance(node, Mapping) and key in node.entries else None


def items(node: Node | None) -> list[Node]:
    """The items of a sequence; empty for another node."""
    return node.items if isinstance(node, Sequence) else []


def _scalars(node: Node | None) -> tuple[Scalar, ...]:
    return tuple(item for item in items(node) if isinstance(item, Scalar))


def pairs(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    """The keys and values of a mapping; empty for another node."""
    return tuple(node.entries.values()) if isinstance(node, Mapping) else ()


def _word(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _scenario(node: Node) -> Scenario:
    given, id_ = _get(node, "given"), _get(node, "id")
    start = _get(given, "start")
    assert isinstance(id_, Scalar)
    return Scenario(
        id=id_.text,
        title=_word(_get(node, "title")),
        span=id_.span,
        rules=tuple(s.text for s in _scalars(_get(node, "rules"))),
        ruling=tuple(s.text for s in _scalars(_get(node, "ruling"))),
        also=_scalars(_get(node, "also")),
        source=_word(_get(node, "source")),
        seats=tuple(s.text for s in _scalars(_get(node, "seats"))) or DEFAULT_SEATS,
        settings=tuple((k.text, _word(v)) for k, v in pairs(_get(node, "options"))),
        start=start if isinstance(start, Scalar) else None,
        given=tuple((k, v) for k, v in pairs(_get(given, "set")) if isinstance(v, Scalar)),
        steps=tuple(
            Step(_scalars(_get(part, "when")), pairs(_get(part, "then")))
            for part in [node, *items(_get(node, "steps"))]
        ),
    )
