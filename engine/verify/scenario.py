"""Scenarios, which take decisions from a given position and check expectations. See docs/guides/scenarios.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence
from rulespec.documents.yaml_reader import read_yaml


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """A step of a scenario: decisions, and the expectations after them; each text has its place."""

    when: tuple[Scalar, ...]
    then: tuple[tuple[Scalar, Node], ...]


@dataclass(frozen=True, slots=True)
class PositionLayer:
    """A part of a position: the procedure calls to run, and the values to set afterwards."""

    run: tuple[Scalar, ...]
    set: tuple[tuple[Scalar, Scalar], ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario, as read from a file.

    Attributes:
        span: the place of its id.
        rules: the ids of the rules it demonstrates.
        ruling: the ids of the rulings it demonstrates.
        also: additional overlays under which it passes.
        seats: the players; empty for the default players.
        settings: the settings of the table.
        base: the id of the scenario with the starting position; None after it has been merged.
        start: a procedure call that replaces the game's usual start; None for the usual start.
        layers: the layers of the position, in order.
        steps: the decisions and expectations.
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
    base: Scalar | None
    start: Scalar | None
    layers: tuple[PositionLayer, ...]
    steps: tuple[ScenarioStep, ...]


def read_scenarios(path: Path, report: Report, display: str | None = None) -> tuple[Scenario, ...]:
    """The scenarios of a file, before shared positions are merged; see `scenario_files.load_scenarios`."""
    try:
        node = read_yaml(path, display or str(path))
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
        return ()
    return scenarios_of(node, report)


def scenarios_of(node: Node, report: Report) -> tuple[Scenario, ...]:
    """The scenarios in a file's tree, without shared positions merged; empty if it has errors, which are reported."""
    from rulespec.documents.schema_check import check_schema
    from rulespec.schemas import load_schema

    before = report.errors
    check_schema(node, load_schema("scenarios"), report, what="scenario file")
    if report.errors > before:
        return ()
    return tuple(_scenario(item) for item in items(_get(node, "scenarios")))


# --- reading ---------------------------------------------------------------------------------


def _get(node: Node | None, key: str) -> Node | None:
    return node.entries[key][1] if isinstance(node, Mapping) and key in node.entries else None


def items(node: Node | None) -> list[Node]:
    """The items of a sequence; empty for other nodes."""
    return node.items if isinstance(node, Sequence) else []


def _scalars(node: Node | None) -> tuple[Scalar, ...]:
    return tuple(item for item in items(node) if isinstance(item, Scalar))


def pairs(node: Node | None) -> tuple[tuple[Scalar, Node], ...]:
    """The keys and values of a mapping; empty for other nodes."""
    return tuple(node.entries.values()) if isinstance(node, Mapping) else ()


def _word(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _values(node: Node | None, prefix: str = "") -> Iterator[tuple[Scalar, Scalar]]:
    """Pairs of a name and a value; a nested entity gives a pair for each of its fields."""
    for key, value in pairs(node):
        name = Scalar(prefix + key.text, prefix + key.text, key.span) if prefix else key
        if isinstance(value, Scalar):
            yield name, value
        else:
            yield from _values(value, f"{name.text}.")


def _scenario(node: Node) -> Scenario:
    source, id_ = _get(node, "given"), _get(node, "id")
    start, base = _get(source, "start"), _get(source, "from")
    values = tuple(_values(_get(source, "set")))
    assert isinstance(id_, Scalar)
    return Scenario(
        id=id_.text,
        title=_word(_get(node, "title")),
        span=id_.span,
        rules=tuple(s.text for s in _scalars(_get(node, "rules"))),
        ruling=tuple(s.text for s in _scalars(_get(node, "ruling"))),
        also=_scalars(_get(node, "also")),
        source=_word(_get(node, "source")),
        seats=tuple(s.text for s in _scalars(_get(node, "seats"))),
        settings=tuple((k.text, _word(v)) for k, v in pairs(_get(node, "settings"))),
        base=base if isinstance(base, Scalar) else None,
        start=start if isinstance(start, Scalar) else None,
        layers=(PositionLayer(_scalars(_get(source, "run")), values),),
        steps=tuple(
            ScenarioStep(_scalars(_get(part, "when")), pairs(_get(part, "then")))
            for part in [node, *items(_get(node, "steps"))]
        ),
    )
