"""The map of a new ruleset: regions from a list of names, or from the shapes of an SVG drawing."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import Report
from rulespec.documents.yaml_nodes import Node, entries, get, plain_value, text
from rulespec.drawing.map_findings import as_json, counts_of, warn
from rulespec.drawing.map_import import DrawnMap, ImportedRegion, regions_of
from rulespec.drawing.map_report import REPORT
from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.drawing_kinds import DRAWINGS, read_source
from rulespec.drawing.reading.paints import NO_FILL, colour_of
from rulespec.edits.yaml_edits import flow
from rulespec.load import Merged
from rulespec.lsp.base_map import BaseMap
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.map_proposals import MapProposals
from rulespec.ruleset_files import OUTLINES
from rulespec.schemas import modeline
from rulespec.syntax.keywords import NO_VALUES
from rulespec.typed import nodes as typed
from rulespec.types import Ent

Regions = Sequence[ImportedRegion]
MAX_REGIONS = 400
_VALUES = 12  # maximum number of values or colours listed
REGION_NAME = re.compile(r"[a-z0-9][a-z0-9_]{0,63}")
_LINK = "link"
_HEX = re.compile(r"#[0-9a-f]{6}")


def is_drawing(source: str | None) -> bool:
    """Whether the value of `--map` is a drawing rather than a list of names."""
    return source is not None and source.lower().endswith(DRAWINGS)


def drawn_map(source: str, part: Part | None = None, ids: Mapping[str, str] | None = None) -> DrawnMap:
    """The map given by `--map`: a drawing, geographic data, or names separated by commas.

    `part` is the part of a drawing that contains the map; `ids` maps a label to the author's name for it.

    Raises:
        click.UsageError: if a name is invalid.
        DiagnosticsError: RS56x if a drawing cannot be used.
    """
    if is_drawing(source):
        result = read_map(Path(source), part, ids)
        output.show(result.findings)
        output.echo(f"read: {counts_of(result)}")
        return result
    names = [name.strip() for name in source.split(",")]
    for name in names:
        if not REGION_NAME.fullmatch(name):
            help_ = "write names in lower-case letters, digits and `_`, separated by commas"
            raise click.UsageError(
                f"`{name[:80]}` is neither a region name nor a file that ends in {' or '.join(DRAWINGS)}: {help_}"
            )
        if name in NO_VALUES:
            raise click.UsageError(
                f"`{name}` is a word of the language: give the region another name, such as `{name}_`"
            )
    if len(set(names)) < len(names) or len(names) > MAX_REGIONS:
        raise click.UsageError(f"--map takes at most {MAX_REGIONS} regions, each with a different name")
    return DrawnMap([ImportedRegion(name, "", None, ()) for name in names])


def read_map(path: Path, part: Part | None = None, ids: Mapping[str, str] | None = None) -> DrawnMap:
    """The map in a drawing, with the findings of its reader; arguments and errors are those of `drawn_map`."""
    report = Report()
    result = regions_of(read_source(path, report, part), ids)
    warn(result, report)
    return replace(result, findings=tuple(report.diagnostics))


def tell_lacks(ref: str) -> None:
    """Prints the number of errors in a new map, by code."""
    from rulespec.drawing.author import draft

    errors = Counter(d.code for d in draft(ref).diagnostics if d.severity is Severity.ERROR)
    stopped = errors.pop("RS902", 0)
    if errors:
        codes = ", ".join(f"{code} {output.counted(number, 'time')}" for code, number in errors.most_common(_VALUES))
        codes += ", and more of them" if stopped else ""
        output.echo(f"  not valid yet, as the rules expect more of the map: {codes}")


def complete(target: Path, brought: Mapping[str, Mapping[str, str]], accept: bool) -> None:
    """Adds a map's new entities to its folder, with their colours, and accepts the proposals if requested.

    Existing entities are unchanged.

    Args:
        target: the folder.
        brought: for each kind, the new entities with their colours in the drawing.
        accept: whether to accept the proposals.

    Raises:
        click.UsageError: if the entities cannot be added.
    """
    edits = MapEdits(target)
    try:
        for kind, entities in brought.items():
            own = MapProposals(edits.map).own(kind)
            if {*entities} <= {*own}:
                continue
            titles = {name: str(facts.get("title", name)) for name, facts in own.items() if isinstance(facts, dict)}
            titles |= {name: name.replace("_", " ").title() for name in entities if name not in own}
            edits.make(partial(MapProposals(edits.map).bring, kind, titles))
            edits.make(partial(MapProposals(edits.map).looks, kind, entities))
        if accept:
            edits.make(partial(MapProposals(edits.map).accept, "all"))
    except MapEditError as error:
        raise click.UsageError(str(error)) from None
    for path, body in edits.map.changes().items():
        with output.written(path) as file:
            file.buffer.write(body.encode())


def brings_along(folder: Path, kind: str) -> bool:
    """Whether a map replaces the base's entities of a kind."""
    return bool(MapProposals(MapEdits(folder).map).own(kind))


def map_files(
    target: Path, drawn: DrawnMap, base: Base | None = None, source: Mapping[str, Any] | None = None
) -> Iterator[tuple[str, str]]:
    """The files of a separate map; empty if it has no regions. `source` contains the flags for reading the drawing."""
    if drawn.regions:
        yield "map.yaml", _map_file(target, drawn.regions, base)
    if any(region.outline for region in drawn.regions):
        yield OUTLINES, _outlines_file(target, "region" if base is None else base.kind, drawn, source or {})
    if drawn.file:
        yield REPORT, as_json(drawn)


class Base:
    """The ruleset that a map is based on: its facts, its links, and the meanings of a drawing's colours.

    Args:
        ruleset: the ruleset.
        root: its YAML tree.
        fills: `COLOUR=FACT.VALUE`, or `COLOUR=VALUE` if only one fact has this value. A new value becomes an entity of
            the map, if possible.

    Raises:
        click.UsageError: if one of `fills` is empty, or if two of them assign different values of a fact to one colour.
    """

    def __init__(self, ruleset: typed.Ruleset, root: Node, fills: Sequence[str]) -> None:
        self.d = d = ruleset.declarations
        self._pattern = BaseMap(ruleset, root)
        self.kind = self._pattern.kind
        self.facts = [name for name, _, _ in entries(get(root, "map", "facts"))]
        self.links = [name for name, _, form in entries(get(root, "map", "links")) if text(form)]
        self._of_kind = d.kinds[self.kind].facts if self.kind in d.kinds else {}
        self.brought: dict[str, dict[str, str]] = {}
        """The colour of each new entity, by kind."""
        self.fills: dict[str, dict[str, str]] = {}
        """The facts with their values implied by each colour."""
        for colour, fact, value in map(self._fill, fills):
            facts = self.fills.setdefault(colour, {})
            if facts.setdefault(fact, value) != value:
                both = f"{fact}.{facts[fact]} and {fact}.{value}"
                raise click.UsageError(
                    f"--fill gives the colour `{colour}` both {both}: give each colour one value per fact"
                )

    def _fill(self, fill: str) -> tuple[str, str, str]:
        colour, equals, said = fill.rpartition("=")
        name, _, value = said.rpartition(".")
        if not equals or colour_of(colour) in ("", NO_FILL):
            raise click.UsageError(f"`{fill[:80]}` does not name a colour: write `--fill '#9ecae9=sea'`")
        facts = [n for n in self.facts if name in ("", n) and value in self._values(n)]
        if not facts and (kind := self._new_kind(name, value)):
            self.brought.setdefault(kind, {}).setdefault(value, colour_of(colour))
            return colour_of(colour), name, value
        if len(facts) != 1:
            known = ", ".join(f"{n}.{v}" for n in self.facts for v in self._values(n)[:_VALUES])
            problem = (
                f"could mean {' or '.join(f'{n}.{value}' for n in facts)}" if facts else "is not a fact of a region"
            )
            raise click.UsageError(f"`{said[:80]}` {problem}; the values of facts are {known}")
        return colour_of(colour), facts[0], value

    def _new_kind(self, fact: str, value: str) -> str:
        """The kind of a new entity that is the value of a fact; "" if it cannot be created."""
        kind = self._pattern.choices.get(fact, "")
        return kind if kind in self._pattern.owners and REGION_NAME.fullmatch(value) else ""

    def _values(self, fact: str) -> list[str]:
        of = self._of_kind.get(fact)
        if of is None or not isinstance(of.type, Ent) or of.type.kind == self.kind:
            return []
        return [entity.name for entity in self.d.kinds[of.type.kind].entities]

    def facts_of(self, region: ImportedRegion) -> dict[str, str]:
        """The facts that a region's colour implies, with their values."""
        return self.fills.get(region.fill, {})

    def links_between(self, one: ImportedRegion, other: ImportedRegion) -> tuple[str, ...]:
        """The kinds of links that are possible between two regions, judging by similar regions of the base."""
        return self._pattern.links_between(self.facts_of(one), self.facts_of(other), self.links)

    def remarks(self, drawn: DrawnMap) -> Iterator[str]:
        """Remarks about region colours that have no meaning although other colours have one."""
        silent = self._silent(drawn)
        if self.fills and silent:
            yield f"  --fill gives no meaning to {silent}"

    def unseen(self, drawn: DrawnMap) -> Sequence[Diagnostic]:
        """Warnings about colours that no region has (RS851)."""
        report = Report()
        place = Span(drawn.file, 1, 1, 1, 2) if drawn.file else None
        for colour in sorted({*self.fills} - {region.fill for region in drawn.regions}):
            others = self._silent(drawn)
            message = f"--fill gives a meaning to `{colour}`, but no region has that colour"
            help_ = (
                f"use a colour of the drawing that has no meaning yet: {others}"
                if others
                else "colour the shapes of regions, or their groups, with the attribute `fill`"
            )
            report.warning("RS851", message, place, help=help_)
        return report.diagnostics

    def _silent(self, drawn: DrawnMap) -> str:
        colours = Counter(region.fill for region in drawn.regions if region.fill and region.fill not in self.fills)
        return ", ".join(f"{fill} ({output.counted(n, 'region')})" for fill, n in colours.most_common(_VALUES))


def _map_file(target: Path, regions: Regions, base: Base | None) -> str:
    """The `map.yaml` of a separate map."""
    links = base.links if base is not None and base.links else [_LINK]
    lines = [*modeline(target, "map")]
    if base is not None and base.facts:
        lines += [f"# A region has these facts: {', '.join(f'`{name}`' for name in base.facts)}."]
    lines += ["# An `either_end` link is written at one of its ends, or at both."]
    if any(region.touches for region in regions):
        lines += ["# Regions whose shapes touch are listed as comments: uncomment the links that exist."]
    lines += ["map:"]
    if base is None:
        lines += ["  kind: region"]
    lines += [f"  links: {{{', '.join(f'{name}: either_end' for name in links)}}}", "  regions:"]
    done: set[frozenset[str]] = set()
    known = {region.name: region for region in regions}
    for region in regions:
        near = [known[name] for name in region.touches if frozenset((region.name, name)) not in done]
        done |= {frozenset((region.name, other.name)) for other in near}
        lines += region_lines(region, near, base)
    return "\n".join(lines) + "\n"


def region_lines(region: ImportedRegion, near: Regions, base: Base | None) -> Iterator[str]:
    """The YAML lines for a region; each link is proposed at only one of its ends."""
    key = _written(region.name)
    if region.position is None:
        yield f"    {key}: {{}}"
        return
    yield f"    {key}:"
    if region.title:
        yield f"      title: {json.dumps(region.title, ensure_ascii=False)}"
    for fact, value in base.facts_of(region).items() if base is not None else ():
        yield f"      {fact}: {_written(value)}"
    yield f"      position: [{region.position[0]}, {region.position[1]}]"
    links: dict[tuple[str, ...], list[str]] = {}
    for other in near:
        kinds = base.links_between(region, other) if base is not None and base.links else (_LINK,)
        links.setdefault(kinds, []).append(_written(other.name))
    for kinds, names in links.items():
        yield f"      # {' or '.join(kinds)}: [{', '.join(names)}]"


def _outlines_file(target: Path, board: str, drawn: DrawnMap, source: Mapping[str, Any]) -> str:
    """The `outlines.yaml` of a map."""
    lines = [
        *modeline(target, "drawing"),
        "# The outlines of the drawing. Regions touch where they have the same points.",
    ]
    lines += ["drawing:", *([f"  source: {flow(source)}"] if source else []), "  boards:", f"    {board}:"]
    if drawn.frame is not None:
        lines += [f"      frame: [{', '.join(map(str, drawn.frame))}]"]
    lines += ["      outlines:"]
    lines += [f"        {_written(r.name)}: {flow(outline_of(r))}" for r in drawn.regions if r.outline]
    return "\n".join(lines) + "\n"


def outline_of(region: ImportedRegion) -> dict[str, str]:
    """The outline of a region in file format, with the region's colour in the drawing."""
    return {"outline": region.outline} | ({"drawn": region.fill} if _HEX.fullmatch(region.fill) else {})


def _written(name: str) -> str:
    """A name in YAML, quoted if it looks like a number or if YAML readers disagree on it."""
    return name if plain_value(name) == name else json.dumps(name)


def about_regions(base: Merged) -> list[str]:
    """The paths of mappings outside the map whose keys are regions."""
    names = {key for key, _, _ in entries(get(base.source.root, "map", "regions"))}
    results = []
    for key in ("setup", "tables"):
        results += [".".join(path) for path in _keyed((key,), get(base.source.root, key), names)]
    return results


def _keyed(path: tuple[str, ...], node: Node | None, names: set[str]) -> Iterator[tuple[str, ...]]:
    below = list(entries(node))
    if below and names.issuperset(key for key, _, _ in below):
        yield path
    else:
        for key, _, value in below:
            yield from _keyed((*path, key), value, names)
