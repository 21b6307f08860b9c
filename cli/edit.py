"""`rulespec edit`: a map changed in words of the map, by the smallest changes of its files."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import click

from rulespec.cli import output
from rulespec.cli.confirmed import is_confirmed, write_all
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.text_files import display
from rulespec.lsp import outline_words
from rulespec.lsp.map_edits import Edited, MapEdits
from rulespec.lsp.map_files import MapEditError, MapFiles
from rulespec.lsp.outline_edits import OutlineEdits
from rulespec.lsp.rename import RenameError

_FORMS = {
    "set": (3, 3, "set REGION FACT VALUE"),
    "unset": (2, 2, "unset REGION FACT"),
    "link": (2, 3, "link REGION REGION [KIND]"),
    "unlink": (2, 3, "unlink REGION REGION [KIND]"),
    "move": (3, 3, "move REGION X Y"),
    "add": (1, 40, "add REGION [FACT=VALUE ...]"),
    "rename": (2, 2, "rename REGION NAME"),
    "remove": (1, 1, "remove REGION"),
    **outline_words.FORMS,
}
"""Edit → the fewest and the most words after it, and how it is written."""
_MAX_EDITS = 2_000


@click.command("edit")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--do", "edits", metavar="EDIT", multiple=True, help="An edit, such as 'link isle marsh'; repeatable.")
@click.option("--from", "source", metavar="FILE", type=click.File("r", encoding="utf-8"), help="Edits, one on a line.")
@click.option("--yes", is_flag=True, help="Write without asking.")
def command(folder: Path, edits: tuple[str, ...], source: IO[str] | None, yes: bool) -> int:
    """Edit the map of the ruleset in FOLDER.

    EDIT is one of: set REGION FACT VALUE · unset REGION FACT · link REGION REGION [KIND] · unlink REGION REGION [KIND]
    · move REGION X Y · add REGION [FACT=VALUE ...] · rename REGION NAME · remove REGION.
    Of outlines: move_point X,Y X,Y · insert_point X,Y X,Y X,Y · remove_point X,Y · detach_point REGION X,Y X,Y
    · draw_outline REGION X,Y X,Y X,Y ... · follow_border REGION REGION X,Y X,Y · remove_outline REGION
    · set_frame LEFT TOP WIDTH HEIGHT. A point moves in all outlines that have it, but one that is detached.

    Shows the lines that change, and the problems of the map afterwards, and asks before it writes. All else in the
    files stays as it is: comments, order, quotes, line ends. A link without a kind gets the one of which the checks of
    the map complain least. In a file, lines that begin with # are no edits.

    Example: rulespec edit ./my_map --do 'link cape reef'
    """
    lines = [*edits, *(line for line in (source or ()) if line.strip() and not line.lstrip().startswith("#"))]
    if not lines:
        raise click.UsageError("say what to do: --do 'link isle marsh'; `rulespec edit --help` lists the edits")
    if len(lines) > _MAX_EDITS:
        raise click.UsageError(f"there are more than {_MAX_EDITS:,} edits: make them in parts")
    map_ = MapEdits(folder)
    outlines = OutlineEdits(map_.map)
    remarks: list[str] = []
    for line in lines:
        try:
            remarks += map_.make(_edit(map_, outlines, line)).remarks
        except (MapEditError, RenameError) as error:
            raise click.ClickException(f"{line.strip()[:120]}: {error} (nothing is written)") from None
        except DiagnosticsError as error:
            output.show(error.diagnostics)
            return output.PROBLEMS
    return _write(map_.map, remarks, yes)


def _write(map_: MapFiles, remarks: list[str], yes: bool) -> int:
    """Shows the edits and what follows from them, and writes them if that is wanted."""
    changed = {path: text for path, text in map_.texts.items() if text != map_.before[path]}
    for path, text in changed.items():
        for line in _difference(display(path), map_.before[path], text):
            output.echo(line)
    for remark in remarks:
        output.echo(f"note: {remark}")
    diagnostics = map_.checked()[1]
    output.show(diagnostics, {display(path): text for path, text in map_.texts.items()}, err=False)
    output.echo(f"the map has {output.problems(diagnostics) or 'no problems'}")
    if not changed:
        output.echo("nothing changes")
    elif is_confirmed(len(changed), yes):
        if others := map_.changed_elsewhere():
            raise click.ClickException(f"{others[0]} has been changed by somebody else: nothing is written")
        write_all(changed)
    return 0


def _edit(map_: MapEdits, outlines: OutlineEdits, line: str) -> Callable[[], Edited]:
    """The edit that a line says.

    Raises:
        click.UsageError: it says none.
    """
    try:
        word, *parts = shlex.split(line)
    except ValueError as error:
        raise click.UsageError(f"{line.strip()[:120]}: {error}") from None
    if word not in _FORMS:
        raise click.UsageError(f"there is no edit `{word[:40]}`; {did_you_mean(word, _FORMS) or ', '.join(_FORMS)}")
    fewest, most, form = _FORMS[word]
    if not fewest <= len(parts) <= most:
        raise click.UsageError(f"{line.strip()[:120]}: it is written `{form}`")
    if word in outline_words.FORMS:
        edit = outline_words.outline_edit(word, parts)
        return lambda: outlines.edit(edit)
    if word == "move":
        return lambda: map_.move(parts[0], *map(_number, parts[1:]))
    if word == "add":
        facts = dict(_fact(part) for part in parts[1:])
        return lambda: map_.add(parts[0], facts)
    function: Callable[..., Edited] = getattr(map_, word)
    return lambda: function(*parts)


def _number(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or len(text) > 9:
        raise click.UsageError(f"`{text[:40]}` is no whole number")
    return int(text)


def _fact(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise click.UsageError(f"`{text[:40]}` is no fact: write FACT=VALUE")
    return name, value


def _difference(name: str, before: str, after: str) -> Iterator[str]:
    """The lines that change, with one line around them."""
    old, new = before.splitlines(), after.splitlines()
    for line in difflib.unified_diff(old, new, name, name, "", "", 1, lineterm=""):
        colour = {"+": "green", "-": "red"}.get(line[0])
        yield output.style(line, fg=colour) if colour else line
