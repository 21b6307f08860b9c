"""The files of a new ruleset or overlay: initially without effect, with the base's values in comments."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click
from msgspec import Struct

from rulespec.check.declarations.links import link_kinds
from rulespec.cli import output
from rulespec.cli.drawing_flags import DrawingFlags
from rulespec.cli.new_game import game_files
from rulespec.cli.new_map import Base, about_regions, map_files
from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.versions import NEEDS
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, entries, get, text
from rulespec.drawing.map_import import DrawnMap
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.load import Merged, load_ruleset, load_source
from rulespec.lsp.base_map import kinds_on_regions
from rulespec.references import find_ruleset, parts_of, ruleset_folders
from rulespec.schemas import load_schema, modeline
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_NAME_LIMIT = 64
_DEVICES = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
"""Names forbidden for files and folders on Windows."""
_ROWS_SHOWN = 8
_COMMENT = 90  # maximum length of a setting's comment in characters


class NewFiles(Struct, frozen=True):
    """The files of a new ruleset, by relative name.

    Attributes:
        texts: the content of each file.
        players: the number of players in its first game.
        base: the ruleset that it extends, which serves as a template for maps; None if there is none.
    """

    texts: dict[str, str]
    players: int
    base: Base | None = None


def check_name(name: str) -> None:
    """Rejects an invalid ruleset name.

    Raises:
        click.UsageError: with a suggestion.
    """
    if not _NAME.fullmatch(name) or len(name) > _NAME_LIMIT:
        help_ = f"write up to {_NAME_LIMIT} lower-case letters, digits and `_`, beginning with a letter"
        raise click.UsageError(f"`{name[:80]}` is not a valid ruleset name: {help_}")
    if name in _DEVICES:
        raise click.UsageError(f"`{name}` is not a valid file name on Windows: choose another, such as `{name}_`")


def new_files(name: str, target: Path, flags: DrawingFlags, drawn: DrawnMap) -> NewFiles:
    """The files of a new ruleset.

    Args:
        name: its id.
        target: its folder, which need not exist.
        flags: the flags, including the reference of the ruleset that it extends, if any.
        drawn: its map; without regions if it uses the map of the base.

    Raises:
        click.UsageError: if it cannot extend the base from this folder, or a colour has no meaning.
        DiagnosticsError: if the base cannot be loaded.
    """
    source = flags.source()
    if flags.ref is None:
        return NewFiles(dict(game_files(name, _title(name), target)) | dict(map_files(target, drawn, None, source)), 2)
    ruleset, base = _base(name, flags.ref)
    learned = Base(ruleset, base.source.root, flags.fills)
    own = dict(map_files(target, drawn, learned, source))
    texts = dict(_files(name, target, _extends(flags.ref, target), ruleset, base, own))
    return NewFiles(texts, len(_seats(ruleset)), learned)


def new_overlay(name: str, target: Path, ref: str) -> NewFiles:
    """The single file of a new overlay. Raises the same errors as `new_files`."""
    ruleset, base = _base(name, ref)
    return NewFiles({target.name: _overlay_file(name, target, ruleset, base)}, len(_seats(ruleset)))


def _base(name: str, ref: str) -> tuple[typed.Ruleset, Merged]:
    """The base of a new ruleset or overlay; its name must not occur in the base."""
    ruleset, base = load_ruleset(ref), load_source(ref, Report())
    if name in {ruleset.id, *ruleset.overlays, *ruleset.offered, *(f.name for f in ruleset.folders)}:
        raise click.UsageError(f"`{name}` is already a name in `{ref}`: choose another")
    return ruleset, base


def _files(
    name: str, target: Path, extends: str, ruleset: typed.Ruleset, base: Merged, own: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """The files of the folder with their texts; `own` are those of its own map."""
    yield "game.yaml", _game_file(name, target, extends, ruleset, base, own != {})
    if body := _tables_file(target, ruleset, base):
        yield "tables.yaml", body
    if own:
        yield from own.items()
    elif body := _map_file(target, ruleset, base):
        yield "map.yaml", body
    yield "rules/changes.rules", _rules_file(ruleset, base)
    yield "scenarios/start.yaml", _scenario_file(name, target / "scenarios", ruleset, own != {})


def _game_file(name: str, target: Path, extends: str, ruleset: typed.Ruleset, base: Merged, own: bool) -> str:
    lines = [
        *modeline(target, "game"),
        f"id: {name}",
        f"title: {_title(name)}",
        'version: "0.1"',
        f"needs: {NEEDS}",
        f'doc: "Started from {ruleset.ref}."',
        f"extends: {extends}",
        "",
        "# The files of this folder change those of that ruleset, or add to them.",
    ]
    if get(base.source.root, "map", "regions") is not None:
        about = "To replace the map, begin with this:" if not own else "It has a separate map:"
        lines += [f"# Parts of the base that do not apply here are emptied first, by path. {about}"]
        kinds = kinds_on_regions(ruleset.declarations, text(get(base.source.root, "map", "kind")))
        linked = (f"map.links.{name.text}.of" for name, _ in link_kinds(base.source.root))
        emptied = ["map.regions", *linked, *(f"kinds.{kind}.entities" for kind in kinds)]
        paths = [f"  - {path}" for path in [*emptied, *about_regions(base)]]
        lines += ["replaces:", *paths] if own else _commented("replaces:", paths)
    settings = list(_settings(base))
    if settings:
        lines += ["", "# Other defaults of settings; the present ones are:"]
        lines += _commented("settings:", [f"  {key}: {_flow(setting)}{about}" for key, setting, about in settings])
    return _text(lines)


def _overlay_file(name: str, target: Path, ruleset: typed.Ruleset, base: Merged) -> str:
    lines = [
        *modeline(target.parent, "overlay"),
        f"id: {name}",
        f"title: {_title(name)}",
        f"for: {ruleset.id}",
        'version: "0.1"',
        f"needs: {NEEDS}",
    ]
    settings = list(_settings(base))
    if settings:
        lines += ["", "# Other defaults of settings; the present ones are:"]
        lines += _commented("settings:", [f"  {key}: {_default(setting)}{about}" for key, setting, about in settings])
    constants = [
        f"  constants.{key}: {_scalar(value)}" for key, _, value in entries(get(base.source.root, "constants"))
    ]
    lines += [
        "",
        "# Other values, by their paths. `add` is for new entries, and `remove` for unwanted ones.",
    ]
    if constants:
        lines += ["# The present numbers are:"]
    lines += _commented("changes:", constants)
    return _text(lines)


def _tables_file(target: Path, ruleset: typed.Ruleset, base: Merged) -> str:
    constants = list(entries(get(base.source.root, "constants")))
    tables = list(entries(get(base.source.root, "tables")))
    lines = [
        *modeline(target, "tables"),
        f"# Numbers of {ruleset.ref}. Uncomment those that differ here, and the lines that contain them.",
    ]
    if constants:
        lines += ["", *_commented("constants:", [f"  {key}: {_scalar(value)}" for key, _, value in constants])]
    if tables:
        lines += ["", *_commented("tables:", [line for key, _, table in tables for line in _table(key, table)])]
    return _text(lines) if constants or tables else ""


def _table(name: str, table: Node) -> Iterator[str]:
    yield f"  {name}:"
    rows = list(entries(get(table, "rows")))
    yield "    rows:"
    for _, key, row in rows[:_ROWS_SHOWN]:
        yield f"      {_scalar(key)}: {_flow(row)}"
    if len(rows) > _ROWS_SHOWN:
        yield f"      # … and {len(rows) - _ROWS_SHOWN} more"


def _map_file(target: Path, ruleset: typed.Ruleset, base: Merged) -> str:
    regions = list(entries(get(base.source.root, "map", "regions")))
    if not regions:
        return ""
    lines = [
        *modeline(target, "map"),
        f"# The map of {ruleset.ref} has {output.counted(len(regions), 'region')}.",
        "# An entry with the name of a region changes it; a new name is a new region. Two-way links are",
        "# written at both ends. To replace the map, see `replaces` in game.yaml. The first region of the base:",
        "",
    ]
    _, name, region = regions[0]
    facts = [f"      {_scalar(key)}: {_flow(value)}" for _, key, value in entries(region)]
    lines += _commented("map:", ["  regions:", f"    {_scalar(name)}:", *facts])
    return _text(lines)


def _rules_file(ruleset: typed.Ruleset, base: Merged) -> str:
    lines = [
        "# Rules of this ruleset. A rule with a new name is added. An existing one keeps its",
        "# parameters, and can be replaced, wrapped or removed:",
    ]
    procedures = [item for (kind, _), item in base.source.items.items() if kind == "procedure"]
    for item in procedures[:1]:
        assert isinstance(item, ast.Procedure)
        names = ", ".join(p.name.text for p in item.params)
        head = f"procedure {item.name.text}({', '.join(f'{p.name.text}: {_type(p.type)}' for p in item.params)}):"
        doc = '    "The id of the rule, and what it does."'
        for modifier, body in (("replace", "pass"), ("wrap", f"original({names})")):
            lines += ["#", *_commented(f"{modifier} {head}", [doc, f"    {body}"])]
        lines += ["#", f"# remove procedure {item.name.text}"]
    lines += ["#", f"# The rules of {ruleset.ref}, by file:"]
    files: dict[str, list[str]] = {}
    for (kind, name), item in base.source.items.items():
        if (kind, name) not in _wrapped(base):
            files.setdefault(item.span.file, []).append(f"{kind}\u00a0{name}".rstrip())  # a no-break space
    for file, rules in files.items():
        wrapped = textwrap.wrap(", ".join(rules), 110)
        lines += ["#", f"# {shown(Path(file).name)}", *(f"#   {line}".replace("\u00a0", " ") for line in wrapped)]
    return _text(lines)


def _scenario_file(name: str, folder: Path, ruleset: typed.Ruleset, own: bool) -> str:
    """The first scenario; without an option if the map is new, as an option would refer to the base's map."""
    seats = _seats(ruleset)
    game = Game(ruleset, seats)
    try:
        decision = game.decision
        named = (o for o in every_option(game) if not o.interrupt) if decision and not own else ()
        options = [str(o) for o in islice(named, 1)]
    except RulesetFaultError as fault:
        raise DiagnosticsError([fault.diagnostic]) from None
    lines = [
        *modeline(folder, "scenarios"),
        "# The expected play, checked by `rulespec test`: write the next scenario for the first difference here.",
        "scenarios:",
        f"  - id: {name}.01",
        "    title: How the game begins",
        f"    seats: [{', '.join(seats)}]",
        "    then:",
        f"      decision: {decision.name if decision else 'none'}",
        f"      by: {(decision.by or 'chance') if decision else 'none'}",
    ]
    lines += [f"      legal: [{json.dumps(option, ensure_ascii=False)}]" for option in options]
    return _text(lines)


# --- parts ----------------------------------------------------------------------------------------------------------


def _seats(ruleset: typed.Ruleset) -> list[str]:
    low, high = ruleset.players
    return [f"P{n}" for n in range(1, low + 1)] if low > 8 else list("ABCDEFGH"[: max(low, min(2, high))])


def _title(name: str) -> str:
    return json.dumps(name.replace("_", " ").strip().capitalize())


def _extends(ref: str, target: Path) -> str:
    """The value of `extends` for a base: its id if it can be found by id, otherwise its path from the target.

    Raises:
        click.UsageError: if a ruleset in the target folder cannot extend the base.
    """
    name, *overlays = parts_of(ref)
    base, beside = find_ruleset(name), target.resolve()
    for overlay in overlays:
        if not _NAME.fullmatch(overlay):
            raise click.UsageError(
                f"a ruleset extends overlays by id: copy `{overlay}` into {base / 'variants'}, or use --overlay"
            )
    fixed = {folder.resolve() for folder in ruleset_folders() if folder.is_absolute()}
    written = base.name
    if base.parent not in {beside.parent, *fixed} or find_ruleset(written, beside=beside) != base:
        written = Path(os.path.relpath(base, beside)).as_posix()
        if not base.is_relative_to(beside.parent):
            raise click.UsageError(
                f"a ruleset in {shown(str(beside.parent))} cannot extend {shown(name)}, which is elsewhere: put the"
                " new one beside it with --to, or add the folder that contains it to RULESPEC_PATH"
            )
    result = "+".join([written, *overlays])
    rule = load_schema("game")["properties"]["extends"]
    if not re.search(rule["pattern"], result) or len(result) > rule["maxLength"]:
        raise click.UsageError(
            f"`extends` cannot name {shown(result)}: only letters, digits and `_`, `.`, `-`, `/` may be in the path"
        )
    return result


def _settings(base: Merged) -> Iterator[tuple[str, Node, str]]:
    """The settings of the base, each with its description as a comment."""
    for key, _, setting in entries(get(base.source.root, "game", "settings")):
        about = textwrap.shorten(text(get(setting, "doc")), _COMMENT, placeholder=" …")
        yield key, setting, f"    # {about}" if about else ""


def _default(setting: Node) -> str:
    default = get(setting, "default")
    return _scalar(default) if default is not None else ""


def _wrapped(base: Merged) -> set[tuple[str, str]]:
    """The current names of wrapped rules."""
    return {(kind, inner) for (kind, _), inner in base.source.originals.items()}


def _type(type_: ast.TypeRef) -> str:
    forms = {
        "optional": f"{type_.name.text}?",
        "set": f"set {type_.name.text}",
        "bag": f"bag {type_.name.text}",
        "path": f"path {type_.name.text}",
    }
    plain = f"{type_.name.text} {type_.low}..{type_.high}" if type_.form == "range" else type_.name.text
    if type_.form == "optional range":
        return f"{type_.name.text}? {type_.low}..{type_.high}"
    return forms.get(type_.form, plain)


def _scalar(node: Node, *, flow: bool = False) -> str:
    """A single value in YAML on one line."""
    if not isinstance(node, Scalar):
        return _flow(node)
    quoted = node.style != "plain" or "\n" in node.text or (flow and set(node.text) & set(",[]{}"))
    return json.dumps(node.text, ensure_ascii=False) if quoted else node.text


def _flow(node: Node) -> str:
    """A value on one line, without its `doc`."""
    if isinstance(node, Mapping):
        entries_ = (entry for key, entry in node.entries.items() if key != "doc")
        parts = (f"{_scalar(key, flow=True)}: {_inside(value)}" for key, value in entries_)
        return f"{{{', '.join(parts)}}}"
    return f"[{', '.join(_inside(item) for item in node.items)}]" if isinstance(node, Sequence) else _scalar(node)


def _inside(node: Node) -> str:
    return _scalar(node, flow=True) if isinstance(node, Scalar) else _flow(node)


def _commented(head: str, lines: list[str]) -> list[str]:
    return [f"# {line}".rstrip() for line in [head, *lines]]


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
