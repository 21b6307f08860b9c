"""The map of a new ruleset: regions by their names, or from the shapes of an SVG drawing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.diagnostics.report import Report
from rulespec.documents.nodes import Node, entries, get, text
from rulespec.documents.scalars import plain_value
from rulespec.drawing.map_import import Imported, regions_of
from rulespec.drawing.svg_shapes import read_shapes
from rulespec.schemas import modeline
from rulespec.syntax.words import NO_VALUES

Regions = Sequence[Imported]
MAX_REGIONS = 400
_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_LINK = "link"


def named_regions(source: str) -> list[Imported]:
    """The regions that `--map` names: a file that ends in `.svg`, or names with commas between.

    Raises:
        click.UsageError: if a name is none.
        DiagnosticsError: RS56x, for a drawing.
    """
    if source.endswith(".svg"):
        report = Report()
        shapes = read_shapes(Path(source), report)
        output.show(report.diagnostics)
        return regions_of(shapes)
    names = [name.strip() for name in source.split(",")]
    for name in names:
        if not _NAME.fullmatch(name):
            help_ = "names have small letters, digits and `_`, and commas between them"
            raise click.UsageError(f"`{name[:80]}` is no name of a region, nor a file that ends in .svg: {help_}")
        if name in NO_VALUES:
            raise click.UsageError(f"`{name}` is a word of the language: give it another name, such as `{name}_`")
    if len(set(names)) < len(names) or len(names) > MAX_REGIONS:
        raise click.UsageError(f"a map has at most {MAX_REGIONS} regions, each with a name of its own")
    return [Imported(name, "", None, ()) for name in names]


def map_file(target: Path, regions: Regions, base: Node | None) -> str:
    """The `map.yaml` of a map of one's own.

    Args:
        target: its folder.
        regions: its regions.
        base: the tree of the ruleset that it extends; None if there is none.
    """
    plain = [name for name, _, form in entries(get(base, "map", "links")) if text(form)]
    links = plain or [_LINK]
    facts = [f"`{name}`" for name, _, _ in entries(get(base, "map", "facts"))]
    lines = [*modeline(target, "map")]
    if facts:
        lines += [f"# A region has these facts: {', '.join(facts)}."]
    lines += ["# A link that is `either_end` is written at one of its ends, or at both."]
    if any(region.touches for region in regions):
        lines += ["# Regions whose shapes touch are listed as comments: take the `# ` away where a link leads."]
    lines += ["map:"]
    if base is None:
        lines += ["  kind: region"]
    lines += [f"  links: {{{', '.join(f'{name}: either_end' for name in links)}}}", "  regions:"]
    done: set[frozenset[str]] = set()
    for region in regions:
        lines += _region(region, links, done)
    return "\n".join(lines) + "\n"


def _region(region: Imported, links: Sequence[str], done: set[frozenset[str]]) -> Iterator[str]:
    """The lines of a region; links are proposed at one of their ends."""
    key = _written(region.name)
    near = [name for name in region.touches if frozenset((region.name, name)) not in done]
    done |= {frozenset((region.name, name)) for name in near}
    if region.position is None:
        yield f"    {key}: {{}}"
        return
    yield f"    {key}:"
    if region.title:
        yield f"      title: {json.dumps(region.title, ensure_ascii=False)}"
    yield f"      position: [{region.position[0]}, {region.position[1]}]"
    if near:
        yield f"      # {' or '.join(links)}: [{', '.join(map(_written, near))}]"


def _written(name: str) -> str:
    """A name as YAML writes it: some look like numbers, or like what readers of YAML disagree about."""
    return name if plain_value(name) == name else json.dumps(name)
