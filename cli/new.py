"""`rulespec new`: scaffolding for a game, variant or map that is valid and playable from the start."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.drawing_flags import DrawingFlags, remark
from rulespec.cli.map_update import update_map
from rulespec.cli.new_files import check_name, new_files, new_overlay
from rulespec.cli.new_map import complete, tell_lacks
from rulespec.drawing.map_identity import refuse_alike
from rulespec.references import parts_of


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
        """Checks that the flags are consistent."""
        if self.accept and (self.ref is None or self.regions is None or self.update):
            raise click.UsageError("--accept needs --from and --map: it accepts the proposals from the base")
        if (self.delete or self.yes) and not self.update:
            raise click.UsageError("--delete and --yes need --update")


@click.command("new")
@click.argument("name")
@click.option("--from", "ref", metavar="REF", help="The ruleset to start from; default: none.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="The folder to write it to; default: the current one.",
)
@click.option(
    "--map",
    "regions",
    metavar="NAMES|FILE",
    help="The regions of a new map: `oak,elm,ash`, or a drawing, GeoJSON or picture with a shape for each region.",
)
@click.option(
    "--fill",
    "fills",
    multiple=True,
    metavar="COLOUR=FACT",
    help="The meaning of a colour of the drawing: `#9ecae9=sea`.",
)
@click.option(
    "--layer", "layers", multiple=True, metavar="NAME", help="The group of the drawing that contains the map."
)
@click.option("--not", "without", multiple=True, metavar="NAME", help="A group or a shape to exclude from the map.")
@click.option(
    "--ids",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Names of regions by the labels of the drawing: one `LABEL: name` per line.",
)
@click.option(
    "--update", is_flag=True, help="Update the map NAME from its drawing: shows a plan first, and keeps what you wrote."
)
@click.option("--delete", is_flag=True, help="With --update: remove regions that are no longer in the drawing.")
@click.option("--yes", is_flag=True, help="With --update: write without asking.")
@click.option("--accept", is_flag=True, help="Accept the proposals of `rulespec edit`: facts, links, set-up.")
@click.option("--overlay", is_flag=True, help="Start an overlay for REF in one file instead of a ruleset.")
def command(**values: Any) -> None:
    """Start a game, a variant or a map NAME of your own. A game or a variant is valid and playable at once.

    Without --from, NAME is a small complete game to change into yours. With --from, it is a folder that extends the
    ruleset REF, or an overlay for REF. It changes nothing yet, but its comments list everything that can be changed,
    with current values. No file is overwritten.

    With --map, the folder has a separate map: `rulespec draw ./NAME --watch` shows it while you write it. A drawing
    provides regions with their outlines. A text inside a shape is its name; --fill gives its colour a meaning. A value
    unknown to REF becomes a new entity of the map, such as a nation, with facts, tables and set-up like those of REF.
    The command counts everything that the rules of REF need but the map lacks: `rulespec edit ./NAME` proposes values,
    and --accept takes them at once.

    Example: rulespec new my_game

    Example: rulespec new my_map --from imperial

    Example: rulespec new my_map --from imperial --map outlines.svg --fill '#9ecae9=sea' --fill '#c83737=home.red'
    """
    r = _Request(**values)
    check_name(r.name)
    target = r.folder / (f"{r.name}.yaml" if r.overlay else r.name)
    r.check()
    if r.update:
        if not r.flags().is_drawing:
            raise click.UsageError("--update needs a drawing: --map outlines.svg")
        update_map(target, r.flags(), r.delete, r.yes)
        return
    if os.path.lexists(target):
        raise click.UsageError(f"{target} already exists: choose another name or folder")
    if r.overlay and r.regions is not None:
        raise click.UsageError("--map makes a ruleset, so it cannot be combined with --overlay")
    flags = r.flags()
    flags.check()
    drawn = flags.drawn()
    refuse_alike(drawn)
    if r.overlay:
        if r.ref is None:
            raise click.UsageError("an overlay needs a ruleset: give it with --from")
        new = new_overlay(r.name, target, r.ref)
        _write_file(target, new.texts[target.name])
    else:
        new = new_files(r.name, target, flags, drawn)
        _write_folder(target, new.texts)
        if new.base is not None:
            remark(new.base, drawn)
            complete(target, new.base.brought, r.accept)
    _tell(r.ref, f"{r.ref}+{_path(target)}" if r.overlay else _path(target), target, new.players)
    if drawn.regions and r.ref is not None:
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
    """A path in reference notation, with a separator that tells it from an id."""
    path = str(target) if os.sep in str(target) else f".{os.sep}{target}"
    return f"{path}{os.sep}" if target.is_dir() and parts_of(path) != [path] else path


def _typed(ref: str) -> str:
    """A reference, quoted for a shell."""
    return shlex.quote(f".{os.sep}{ref}" if ref.startswith("-") else ref)


@contextmanager
def _written(target: Path) -> Iterator[None]:
    """Converts a failure to write a folder or file into a usage error."""
    try:
        yield
    except OSError as error:
        raise click.UsageError(f"{target} cannot be written: {error.strerror or error}") from None


def _write_folder(target: Path, files: dict[str, str]) -> None:
    """Writes all files, or none."""
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
