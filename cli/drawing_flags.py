"""Flags of `rulespec new` for reading a drawing; maps store these flags for later updates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from msgspec import Struct
from msgspec.structs import replace

from rulespec.cli import output
from rulespec.cli.new_map import REGION_NAME, Base, drawn_map, is_drawing
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.documents.foreign_files import bytes_of
from rulespec.documents.yaml_nodes import Node, get, to_plain
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.drawing.map_import import DrawnMap
from rulespec.drawing.map_names import called
from rulespec.drawing.reading.contexts import Part
from rulespec.load import load_ruleset, load_source
from rulespec.ruleset_files import MAX_YAML, OUTLINES

_NAMES, _SHOWN = 400, 60
_IDS = "write `LABEL: name` on each line, with lower-case letters, digits and `_` in the name"


class DrawingFlags(Struct, frozen=True):
    """The flags for the drawing, the ruleset of the map, and the meanings of colours, groups and names."""

    drawing: str | None
    ref: str | None
    fills: tuple[str, ...]
    layers: tuple[str, ...]
    without: tuple[str, ...]
    ids: Path | None

    @property
    def is_drawing(self) -> bool:
        """Whether the map is read from a drawing rather than a list of names."""
        return is_drawing(self.drawing)

    def check(self) -> None:
        """Checks that the flags are consistent.

        Raises:
            click.UsageError: if a required flag is missing.
        """
        if self.fills and (self.ref is None or self.drawing is None):
            raise click.UsageError("--fill needs --map and --from, which define the possible values")
        if (self.layers or self.without or self.ids) and not self.is_drawing:
            raise click.UsageError("--layer, --not and --ids need a drawing: --map outlines.svg")

    def drawn(self) -> DrawnMap:
        """The map given by `--map`; a map without regions if the flag is not given.

        Raises:
            click.UsageError, DiagnosticsError: if it is unreadable.
        """
        if self.drawing is None:
            return DrawnMap([])
        names = _names_in(self.ids) if self.ids is not None else {}
        result = drawn_map(self.drawing, Part(self.layers, self.without), names)
        known = {called(label) for region in result.regions for label in (region.label, region.name)}
        known |= {called(region.origin.label) for region in result.regions}
        for name in [label for label in names if called(label) not in known][:1]:
            report, file = Report(), str(self.ids)
            message = f"--ids names `{name[:_SHOWN]}`, but the drawing has no shape with that label"
            report.error(
                "RS904", message, Span(file, 1, 1, 1, 2), help="check the spelling against the labels in the drawing"
            )
            report.raise_if_errors()
        return result

    def base(self) -> Base | None:
        """The ruleset that the map is based on; None if there is none."""
        root = load_source(self.ref, Report()).source.root if self.ref is not None else None
        if self.ref is None or root is None:
            return None
        return Base(load_ruleset(self.ref), root, self.fills)

    def remembered(self, folder: Path) -> DrawingFlags:
        """The flags, with missing ones filled in from those that the map in a folder has stored."""
        path = folder / OUTLINES
        if not path.is_file() or path.is_symlink():
            return self
        node = get(parse_yaml(_text(path), str(path), MAX_YAML), "drawing", "source")
        said: Any = to_plain(node) if node is not None else {}
        if not isinstance(said, Mapping):
            return self
        ref = said.get("from")
        return replace(
            self,
            ref=self.ref or (ref if isinstance(ref, str) else None),
            fills=self.fills or _strings(said, "fill"),
            layers=self.layers or _strings(said, "layer"),
            without=self.without or _strings(said, "not"),
        )

    def source(self) -> dict[str, Any]:
        """The flags as plain data, in the form that maps store."""
        lists = {"fill": self.fills, "layer": self.layers, "not": self.without}
        results: dict[str, Any] = {key: [*values] for key, values in lists.items() if values}
        return ({"from": self.ref} if self.ref is not None and self.fills else {}) | results


def _strings(said: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = said.get(key)
    return tuple(each for each in values if isinstance(each, str)) if isinstance(values, list) else ()


def _text(path: Path) -> str:
    try:
        return bytes_of(path, 4 * MAX_YAML.size).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{path} cannot be read: {error}") from None


def _names_in(path: Path) -> dict[str, str]:
    """The names in a file for `--ids`, by label."""
    root: Node = parse_yaml(_text(path), str(path), MAX_YAML)
    names: Any = to_plain(root)
    if not isinstance(names, dict):
        raise click.UsageError(f"{path} has no names: {_IDS}")
    if len(names) > _NAMES:
        raise click.UsageError(f"{path} has more than {_NAMES} names: remove those that the drawing does not need")
    results = {str(label): str(name) for label, name in names.items()}
    for name in results.values():
        if not REGION_NAME.fullmatch(name):
            raise click.UsageError(f"`{name[:_SHOWN]}` in {path} is not a valid region name: {_IDS}")
    if len({*results.values()}) < len(results):
        raise click.UsageError(f"{path} gives two labels the same name: {_IDS}")
    return results


def remark(base: Base, drawn: DrawnMap) -> None:
    """Prints remarks about colours and their meanings."""
    output.show(base.unseen(drawn))
    for line in base.remarks(drawn):
        output.echo(line)
