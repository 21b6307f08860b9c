"""`rulespec new`: a new variant or map, which validates and plays at once."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from rulespec.check.declarations.links import link_kinds
from rulespec.cli import output
from rulespec.cli.drawing_flags import DrawingFlags, remark
from rulespec.cli.map_update import update_map
from rulespec.cli.new_game import game_files
from rulespec.cli.new_map import Base, about_regions, complete, map_files, tell_lacks
from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.versions import NEEDS
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, entries, get, text
from rulespec.drawing.map_identity import refuse_alike
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
"""Names that no file or folder can have on Windows."""
_ROWS_SHOWN = 8
_COMMENT = 90  # characters of the comment of an option


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    name: str
    ref: str | None
    folder: Path
    regions: str | None
    fills: tuple[str, ...]
    layers: tuple[str, ...]
    without: tuple[str, ...]
    ids: Path | None
    update: bool
    delete: bool
    yes: bool
    overlay: bool
    accept: bool

    def flags(self) -> DrawingFlags:
        """The flags for reading a drawing."""
        return DrawingFlags(self.regions, self.ref, self.fills, self.layers, self.without, self.ids)

    def check(self) -> None:
        """Refuses flags that go with others."""
        if self.accept and (self.ref is None or self.regions is None or self.update):
            raise click.UsageError("--accept goes with --from and --map: it takes what the base shows of a map")
        if (self.delete or self.yes) and not self.update:
            raise click.UsageError("--delete and --yes go with --update")


@click.command("new")
@click.argument("name")
@click.option("--from", "ref", metavar="REF", help="The ruleset to start from; default: nothing.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="The folder to put it in; default: the current one.",
)
@click.option(
    "--map",
    "regions",
    metavar="NAMES|FILE",
    help="Its regions: `oak,elm,ash`, or a drawing or a GeoJSON with a shape for each.",
)
@click.option(
    "--fill", "fills", multiple=True, metavar="COLOUR=FACT", help="What a colour of the drawing says: `#9ecae9=sea`."
)
@click.option("--layer", "layers", multiple=True, metavar="NAME", help="The group of the drawing that is the map.")
@click.option("--not", "without", multiple=True, metavar="NAME", help="A group or a shape that is none of the map.")
@click.option(
    "--ids",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Names of regions by the labels of the drawing: `LABEL: name` on each line.",
)
@click.option(
    "--update", is_flag=True, help="Bring the map NAME up to its drawing: a plan first, then what you wrote stays."
)
@click.option("--delete", is_flag=True, help="With --update: take out regions that are not drawn any more.")
@click.option("--yes", is_flag=True, help="With --update: write without asking.")
@click.option("--accept", is_flag=True, help="Take what `rulespec edit` would propose: facts, links, set-up.")
@click.option("--overlay", is_flag=True, help="An overlay of one file for REF, not a ruleset of its own.")
def command(**values: Any) -> None:
    """Start a game, a variant or a map NAME of your own. Except for a map, it validates and plays at once.

    Without --from it is a small complete game: change it into yours. With --from it is a folder that extends the
    ruleset REF, or an overlay for it. It changes nothing yet; everything that can be changed is included as a comment,
    with its present value. No file is overwritten.

    With --map it has a map of its own: `rulespec draw ./NAME --watch` shows it while you write it. A drawing gives it
    regions with their outlines. A text inside a shape is its name; its colour has the meaning given by --fill. A value
    unknown to REF is something new that the map brings along, such as a nation, with facts, tables and set-up like
    those of REF. Everything that the rules of REF expect of a map and this one lacks is counted:
    `rulespec edit ./NAME` proposes values, and --accept takes them at once.

    Example: rulespec new my_game
    Example: rulespec new my_map --from imperial
    Example: rulespec new my_map --from imperial --map outlines.svg --fill '#9ecae9=sea' --fill '#c83737=home.red'
    """
    r = _Request(**values)
    if not _NAME.fullmatch(r.name) or len(r.name) > _NAME_LIMIT:
        help_ = f"a name is small letters, digits and `_`, starts with a letter, and has at most {_NAME_LIMIT} of them"
        raise click.UsageError(f"`{r.name[:80]}` is no name for a ruleset: {help_}")
    if r.name in _DEVICES:
        raise click.UsageError(f"no file on Windows can be called `{r.name}`: choose another name, such as `{r.name}_`")
    target = r.folder / (f"{r.name}.yaml" if r.overlay else r.name)
    r.check()
    if r.update:
        if not r.flags().is_drawing:
            raise click.UsageError("--update goes with a drawing: --map outlines.svg")
        update_map(target, r.flags(), r.delete, r.yes)
        return
    if os.path.lexists(target):
        raise click.UsageError(f"{target} exists already: choose another name or folder")
    if r.overlay and r.regions is not None:
        raise click.UsageError("--map goes with a ruleset of its own, not with --overlay")
    flags = r.flags()
    flags.check()
    drawn = flags.drawn()
    refuse_alike(drawn)
    if r.ref is None:
        if r.overlay:
            raise click.UsageError("an overlay lies over a ruleset: name it with --from")
        files = dict(game_files(r.name, _title(r.name), target))
        _write_folder(target, files | dict(map_files(target, drawn, None, flags.source())))
        _tell(None, _path(target), target, 2)
        return
    ruleset, base = load_ruleset(r.ref), load_source(r.ref, Report())
    if r.name in {ruleset.id, *ruleset.overlays, *ruleset.offered, *(f.name for f in ruleset.folders)}:
        raise click.UsageError(f"`{r.name}` is a name of the base: choose another")
    if r.overlay:
        _write_file(target, _overlay_file(r.name, target, ruleset, base))
    else:
        learned = Base(ruleset, base.source.root, r.fills)
        own = dict(map_files(target, drawn, learned, flags.source()))
        _write_folder(target, dict(_files(r.name, target, _extends(r.ref, target), ruleset, base, own)))
        remark(learned, drawn)
        complete(target, learned.brought, r.accept)
    _tell(r.ref, f"{r.ref}+{_path(target)}" if r.overlay else _path(target), target, len(_seats(ruleset)))
    if drawn.regions:
        tell_lacks(_path(target))


def _tell(ref: str | None, new: str, target: Path, players: int) -> None:
    output.echo(f"written: {target}")
    if not f"{ref}{new}".isprintable():
        output.echo("  its path cannot be typed here: change into its folder to use it")
        return
    new = _typed(new)
    compared = (f"diff {_typed(ref)} {new}",) if ref is not None else ()
    tests = (f"test {new}",) if target.is_dir() else ()
    for line in (f"validate {new}", *compared, f"simulate {new} --players {players} --games 20", *tests):
        output.echo(f"  rulespec {line}")


def _path(target: Path) -> str:
    """A path as a reference names it: without a separator it would be an id."""
    path = str(target) if os.sep in str(target) else f".{os.sep}{target}"
    return f"{path}{os.sep}" if target.is_dir() and parts_of(path) != [path] else path


def _typed(ref: str) -> str:
    """A reference as typed in a shell."""
    return shlex.quote(f".{os.sep}{ref}" if ref.startswith("-") else ref)


@contextmanager
def _written(target: Path) -> Iterator[None]:
    """Reports that a folder or file cannot be written."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"{target} cannot be written: {error.strerror or error}") from None


def _write_folder(target: Path, files: dict[str, str]) -> None:
    """Writes all the files, or nothing."""
    with _written(target):
        target.mkdir()
        try:
            for name, body in files.items():
                path = target / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(body, "utf-8")
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise


def _write_file(target: Path, body: str) -> None:
    with _written(target), target.open("x", encoding="utf-8") as file:
        try:
            file.write(body)
            file.flush()
        except BaseException:
            target.unlink(missing_ok=True)
            raise


# --- the files ------------------------------------------------------------------------------------------------


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
        "# The files of this folder are laid over those of that ruleset: what they name is changed or added.",
    ]
    if get(base.source.root, "map", "regions") is not None:
        about = "A map of one's own begins with this:" if not own else "It has a map of its own:"
        lines += [f"# What does not hold here at all is emptied first, by its path. {about}"]
        kinds = kinds_on_regions(ruleset.declarations, text(get(base.source.root, "map", "kind")))
        linked = (f"map.links.{name.text}.of" for name, _ in link_kinds(base.source.root))
        emptied = ["map.regions", *linked, *(f"kinds.{kind}.entities" for kind in kinds)]
        paths = [f"  - {path}" for path in [*emptied, *about_regions(base)]]
        lines += ["replaces:", *paths] if own else _commented("replaces:", paths)
    settings = list(_settings(base))
    if settings:
        lines += ["", "# Other defaults of what a table may switch, which are now:"]
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
        lines += ["", "# Other defaults of what a table may switch, which are now:"]
        lines += _commented("settings:", [f"  {key}: {_default(setting)}{about}" for key, setting, about in settings])
    constants = [
        f"  constants.{key}: {_scalar(value)}" for key, _, value in entries(get(base.source.root, "constants"))
    ]
    lines += [
        "",
        "# Other values, by their paths. `add` and `remove` do the same for what is not there yet, or should not be.",
    ]
    if constants:
        lines += ["# The numbers are now:"]
    lines += _commented("changes:", constants)
    return _text(lines)


def _tables_file(target: Path, ruleset: typed.Ruleset, base: Merged) -> str:
    constants = list(entries(get(base.source.root, "constants")))
    tables = list(entries(get(base.source.root, "tables")))
    lines = [
        *modeline(target, "tables"),
        f"# Numbers of {ruleset.ref}. Take the `# ` away from what is different here, and from what it stands in.",
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
        "# What stands here under the name of one is laid over it; a new name is a new region. Two-way links are",
        "# written at both ends. For a map of one's own see `replaces` in game.yaml. The first region as it is there:",
        "",
    ]
    _, name, region = regions[0]
    facts = [f"      {_scalar(key)}: {_flow(value)}" for _, key, value in entries(region)]
    lines += _commented("map:", ["  regions:", f"    {_scalar(name)}:", *facts])
    return _text(lines)


def _rules_file(ruleset: typed.Ruleset, base: Merged) -> str:
    lines = [
        "# Rules of this ruleset's own. A rule with a new name is added. One that is there already keeps its",
        "# parameters, and is replaced, wrapped, or taken out:",
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
            files.setdefault(item.span.file, []).append(f"{kind}\u00a0{name}".rstrip())  # not broken between the two
    for file, rules in files.items():
        wrapped = textwrap.wrap(", ".join(rules), 110)
        lines += ["#", f"# {shown(Path(file).name)}", *(f"#   {line}".replace("\u00a0", " ") for line in wrapped)]
    return _text(lines)


def _scenario_file(name: str, folder: Path, ruleset: typed.Ruleset, own: bool) -> str:
    """The first scenario; that of a map of its own names no option, which would speak of the base's map."""
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
        "# What must happen. `rulespec test` runs it: write the next scenario for the first thing that differs here.",
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
    """The value of `extends` for a base: its id if that is found from anywhere, else its path from here.

    Raises:
        click.UsageError: if a ruleset there cannot extend it.
    """
    name, *overlays = parts_of(ref)
    base, beside = find_ruleset(name), target.resolve()
    for overlay in overlays:
        if not _NAME.fullmatch(overlay):
            raise click.UsageError(
                f"a ruleset extends overlays by their ids: copy `{overlay}` into {base / 'variants'}, or use --overlay"
            )
    fixed = {folder.resolve() for folder in ruleset_folders() if folder.is_absolute()}
    written = base.name
    if base.parent not in {beside.parent, *fixed} or find_ruleset(written, beside=beside) != base:
        written = Path(os.path.relpath(base, beside)).as_posix()
        if not base.is_relative_to(beside.parent):
            raise click.UsageError(
                f"a ruleset in {shown(str(beside.parent))} cannot extend {shown(name)}, which lies elsewhere: put the"
                " new one beside it with --to, or add the folder that holds it to RULESPEC_PATH"
            )
    result = "+".join([written, *overlays])
    rule = load_schema("game")["properties"]["extends"]
    if not re.search(rule["pattern"], result) or len(result) > rule["maxLength"]:
        raise click.UsageError(
            f"`extends` cannot name {shown(result)}: only letters, digits and `_`, `.`, `-`, `/` may be in the path"
        )
    return result


def _settings(base: Merged) -> Iterator[tuple[str, Node, str]]:
    """The settings of the base, each with a comment about it."""
    for key, _, setting in entries(get(base.source.root, "game", "settings")):
        about = textwrap.shorten(text(get(setting, "doc")), _COMMENT, placeholder=" …")
        yield key, setting, f"    # {about}" if about else ""


def _default(setting: Node) -> str:
    default = get(setting, "default")
    return _scalar(default) if default is not None else ""


def _wrapped(base: Merged) -> set[tuple[str, str]]:
    """The names that wrapped rules have now."""
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
    """A single value in YAML, on one line."""
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
