"""`rulespec new --map x.svg --update`: updates a map with minimal edits after its drawing changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from rulespec.cli import output
from rulespec.cli.drawing_flags import DrawingFlags, remark
from rulespec.cli.new_map import Base, brings_along, complete, map_files, outline_of, region_lines
from rulespec.documents.foreign_files import bytes_of
from rulespec.documents.yaml_nodes import Node, entries, get, text, to_plain
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.drawing.map_findings import as_json
from rulespec.drawing.map_identity import KnownRegion, identified
from rulespec.drawing.map_import import DrawnMap, ImportedRegion
from rulespec.drawing.map_report import REPORT
from rulespec.edits.yaml_edits import YamlEdits
from rulespec.ruleset_files import MAX_YAML, OUTLINES

_SHOWN = 40  # maximum number of lines in a summary
_LABEL = 80  # maximum length of a label in characters
_MAP = "map.yaml"


def update_map(folder: Path, flags: DrawingFlags, delete: bool, yes: bool) -> None:
    """Shows the changes that a drawing implies for a map; writes them after confirmation, or at once with `yes`.

    Flags that are not given have the values used when the map was created.

    If the map declares its own owners, a colour can name a new owner, who is added with everything that the base has
    for each owner. Regions are matched by name or, if a label has no letters, by title or outline. A region missing
    from the drawing is kept unless `delete` is set; facts, links, titles and everything else outside the drawing are
    unchanged.

    Raises:
        click.UsageError: if there is no map.
        DiagnosticsError: RS1xx or RS567 if a file cannot be read or changed, RS853 if a region cannot be matched with
            certainty; then nothing is written.
    """
    texts = {name: _text(folder / name) for name in (_MAP, OUTLINES)}
    _text(folder / REPORT)
    if not texts[_MAP]:
        raise click.UsageError(f"{folder / _MAP} is missing: omit --update to start a new map")
    flags = flags.remembered(folder)
    flags.check()
    base, drawn = flags.base(), flags.drawn()
    if base is not None:
        remark(base, drawn)
    update = _Update(folder, texts, drawn, base, flags.source())
    plan = [*update.changes(), *update.gone(delete)]
    results = {name: body for name, body in update.applied().items() if body != texts[name]}
    for line in plan[:_SHOWN]:
        output.echo(f"  {line}")
    if len(plan) > _SHOWN:
        output.echo(f"  … and {len(plan) - _SHOWN} more")
    if not results:
        output.echo("the map already matches the drawing")
        return
    if output.is_confirmed(len(results), yes):
        output.write_all({folder / name: body for name, body in results.items()} | {folder / REPORT: as_json(drawn)})
        if base is not None:
            complete(folder, {kind: new for kind, new in base.brought.items() if brings_along(folder, kind)}, False)


def _text(path: Path) -> str:
    """The content of a file with its line endings; "" if the file does not exist."""
    if path.is_symlink():
        raise click.UsageError(f"{path} is a symbolic link, so it is not written: replace it with a file")
    if not path.is_file():
        return ""
    try:
        return bytes_of(path, 4 * MAX_YAML.size).decode()  # the parser limits the number of characters
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from None


def _whole(node: Node | None) -> tuple[int, ...]:
    """The integers of a position; empty unless all items are integers."""
    items: Any = to_plain(node) if node is not None else ()
    return tuple(n for n in items if isinstance(n, int)) if isinstance(items, list) else ()


class _Update:
    def __init__(
        self, folder: Path, texts: dict[str, str], drawn: DrawnMap, base: Base | None, source: dict[str, Any]
    ) -> None:
        self.base = base
        fresh = dict(map_files(folder, drawn, base))
        self.kind = text(get(parse_yaml(texts[_MAP], _MAP), "map", "kind")) or (base.kind if base else "region")
        begun = fresh.get(OUTLINES, "").partition("      outlines:")[0] + "      outlines: {}\n"
        self.map = YamlEdits(texts[_MAP], str(folder / _MAP), MAX_YAML)
        self.outlines = YamlEdits(texts[OUTLINES] or begun, str(folder / OUTLINES), MAX_YAML)
        if source:
            self.outlines.put(("drawing", "source"), source, ("source", "boards"))
        self.board = ("drawing", "boards", self.kind)
        self.regions: dict[str, Node] = {name: node for name, _, node in entries(get(self.map.root, "map", "regions"))}
        outlines = get(self.outlines.root, *self.board, "outlines")
        known = [
            KnownRegion(
                name, text(get(node, "title")), _whole(get(node, "position")), text(get(outlines, name, "outline"))
            )
            for name, node in self.regions.items()
        ]
        result = identified(drawn, known)
        self.drawn, self.by_outline = replace(drawn, regions=result.regions), result.by_outline
        drawn_names = {region.name for region in result.regions}
        self.gone_shapes = {
            text(get(shape, "outline")): name for name, _, shape in entries(outlines) if name not in drawn_names
        }

    def applied(self) -> dict[str, str]:
        """The texts of the files after the edits."""
        return {_MAP: self.map.applied(), OUTLINES: self.outlines.applied()}

    def changes(self) -> Iterator[str]:
        """Adds the edits for the changes in the drawing, and yields a line about each."""
        shapes = {name for name, _, _ in entries(get(self.outlines.root, *self.board, "outlines"))}
        known = {region.name: region for region in self.drawn.regions}
        if self.drawn.frame is not None:
            self.outlines.put((*self.board, "frame"), [*self.drawn.frame])
        for name, label in self.by_outline.items():
            yield f"matched by its outline: {name}, labelled `{label[:_LABEL]}` in the drawing (its title stays)"
        for region in self.drawn.regions:
            shape = (*self.board, "outlines", region.name)
            before = text(get(self.outlines.root, *shape, "outline"))
            for key, value in outline_of(region).items() if region.outline and region.name in shapes else ():
                self.outlines.put((*shape, key), value)
            if region.outline and region.name not in shapes:
                self.outlines.put(shape, outline_of(region))
            if region.name not in self.regions:
                self._begin(region, known)
                was = self.gone_shapes.get(region.outline)
                yield f"new: {region.name}{f' (where {was} was: renamed?)' if was else ''}"
            elif said := [*self._moved(region), *(["its outline"] if before != region.outline else [])]:
                yield f"changed: {region.name} ({', '.join(said)})"

    def _begin(self, region: ImportedRegion, known: dict[str, ImportedRegion]) -> None:
        lines = region_lines(region, [known[name] for name in region.touches], self.base)
        body = [line.removeprefix("    ") for line in lines]
        value = to_plain(parse_yaml("\n".join(body), _MAP))
        self.map.add(("map", "regions", region.name), body, value[region.name])

    def _moved(self, region: ImportedRegion) -> Iterator[str]:
        """Edits an existing region to match the drawing: its position, if it has one, and its facts."""
        node, path = self.regions[region.name], ("map", "regions", region.name)
        if get(node, "position") is not None and region.position is not None:
            if to_plain(get(node, "position") or node) != [*region.position]:
                yield "its position"
            self.map.put((*path, "position"), [*region.position])
        for fact, value in self.base.facts_of(region).items() if self.base is not None else ():
            if text(get(node, fact)) != value:
                before = text(get(node, fact)) or "nothing"
                self.map.put((*path, fact), value)
                yield f"{fact}: {before} → {value}"

    def gone(self, delete: bool) -> Iterator[str]:
        """Reports the regions missing from the drawing, and removes them if requested."""
        drawn = {region.name for region in self.drawn.regions}
        gone = [name for name in self.regions if name not in drawn]
        for name in gone:
            yield f"deleted: {name}" if delete else f"no longer drawn: {name} (it stays; --delete removes it)"
        if not delete:
            return
        shapes = {name for name, _, _ in entries(get(self.outlines.root, *self.board, "outlines"))}
        for name in gone:
            self.map.remove(("map", "regions", name))
            if name in shapes:
                self.outlines.remove((*self.board, "outlines", name))
        for name, node in self.regions.items():
            for key, _, value in entries(node) if name not in gone else ():
                items: Any = to_plain(value)
                for item in [i for i in items if i in gone] if isinstance(items, list) else ():
                    self.map.remove_item(("map", "regions", name, key), item)
