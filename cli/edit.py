"""`rulespec edit`: edits a map by region, link and fact, in words or on a page, with minimal changes to its files."""

from __future__ import annotations

import difflib
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.serving import need_server
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.text_files import MAX_BYTES, display, read_text, text_of, too_large
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_files import MapEditError, MapFiles
from rulespec.lsp.map_words import WordsError, edit_of
from rulespec.lsp.rename import RenameError

_MAX_EDITS = 2_000
_HOST = "127.0.0.1"


@click.command("edit")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--do", "edits", metavar="EDIT", multiple=True, help="An edit, such as 'link isle marsh'; repeatable.")
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file with one edit per line; -: standard input.",
)
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Serve the page on this port; default: any.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def command(folder: Path, edits: tuple[str, ...], source: Path | None, yes: bool, port: int, opens: bool) -> int | None:
    """Edit the map of the ruleset in FOLDER: on a page in the browser, or with --do or --from at once.

    Anyone on this machine with the printed link can open the page. Its changes are written to the files at once, and
    changes to the files appear on the page at once. In a folder with only drawings, the page starts a map from a
    drawing, for rules of your choice. Ctrl-C stops the page, which needs the extra `serve`:
    pip install "rulespec[serve]".

    EDIT is one of: set REGION FACT VALUE · unset REGION FACT · put REGION PIECES NUMBER · link REGION REGION [KIND]
    · unlink REGION REGION [KIND] · move REGION X Y · add REGION [FACT=VALUE ...] · rename REGION NAME · remove REGION.
    Besides regions: entity KIND NAME FACT VALUE · rename_entity KIND NAME NEW · row TABLE KEY,KEY VALUE
    · constant NAME VALUE · start PLACE VALUE · put REGION PIECES NUMBER OWNER.
    From the base: accept facts|links|choices|pieces|all · colour COLOUR FACT VALUE · bring KIND NAME[=TITLE] ...
    For outlines: move_point X,Y X,Y · insert_point X,Y X,Y X,Y · remove_point X,Y · detach_point REGION X,Y X,Y
    · draw_outline REGION X,Y X,Y X,Y ... · follow_border REGION REGION X,Y X,Y · remove_outline REGION
    · set_frame LEFT TOP WIDTH HEIGHT. A point moves in all outlines that share it, except a detached one.

    The command shows the changed lines and the remaining problems of the map, and asks before it writes. The rest of
    the files stays unchanged: comments, order, quotes, line endings. A link without a kind gets the kind with the
    fewest failed checks of the map. In a file of edits, lines that begin with # are comments.

    Example: rulespec edit ./my_map

    Example: rulespec edit ./my_map --do 'link cape reef'
    """
    if not edits and source is None:
        _serve(folder, port, opens)
        return None
    lines = [*edits, *(_lines(source) if source is not None else ())]
    if not lines:
        raise click.UsageError("the file has no edits; see `rulespec edit --help` for their forms")
    if len(lines) > _MAX_EDITS:
        raise click.UsageError(f"there are more than {_MAX_EDITS:,} edits: split them over several runs")
    map_ = MapEdits(folder)
    remarks: list[str] = []
    for line in lines:
        try:
            remarks += map_.make(edit_of(map_, _words(line))).remarks
        except WordsError as error:
            raise click.UsageError(str(error)) from None
        except (MapEditError, RenameError) as error:
            raise click.ClickException(f"{line.strip()[:120]}: {error} (nothing was written)") from None
        except DiagnosticsError as error:
            output.show(error.diagnostics)
            return output.PROBLEMS
    return _write(map_.map, remarks, yes)


def _lines(source: Path) -> list[str]:
    """The edits in a file, or from standard input.

    Raises:
        DiagnosticsError: as for `read_text`.
    """
    if str(source) == "-":
        if sys.stdin is None:
            raise click.ClickException("standard input is closed")
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise too_large("-", MAX_BYTES)
        text = text_of(data, "-")
    else:
        text = read_text(source, display(source))
    return [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]


def _write(map_: MapFiles, remarks: list[str], yes: bool) -> int:
    """Shows the edits with their consequences, and writes them if confirmed."""
    changed = map_.changes()
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
    elif output.is_confirmed(len(changed), yes):
        if others := map_.changed_elsewhere():
            raise click.ClickException(f"{others[0]} has been changed by somebody else: nothing was written")
        output.write_all(changed)
    return 0


def _words(line: str) -> list[str]:
    """The words of a line, split as by a shell.

    Raises:
        WordsError: if a quote is not closed.
    """
    try:
        return shlex.split(line)
    except ValueError as error:
        raise WordsError(f"{line.strip()[:120]}: {error}") from None


def _difference(name: str, before: str, after: str) -> Iterator[str]:
    """The changed lines, coloured, with one line of context."""
    old, new = before.splitlines(), after.splitlines()
    for line in difflib.unified_diff(old, new, name, name, "", "", 1, lineterm=""):
        colour = {"+": "green", "-": "red"}.get(line[0])
        yield output.style(line, fg=colour) if colour else line


def _serve(folder: Path, port: int, opens: bool) -> None:
    """Serves the page of a map until the process is interrupted.

    Args:
        folder: the folder of a ruleset, or one with only drawings, for starting a map.
        port: the port; 0 for any free one.
        opens: whether to open the page in the browser.

    Raises:
        click.ClickException: the folder has other files but no ruleset, nothing can listen, or the extra is missing.
    """
    import asyncio  # lazily: edits in words need no server
    import tempfile

    need_server("rulespec.serve.edit.map_app", "rulespec.serve.running")
    from rulespec.serve.edit.desk import Desk
    from rulespec.serve.edit.first_map import Start, can_start
    from rulespec.serve.edit.map_app import edit_app
    from rulespec.serve.edit.map_messages import MAX_MESSAGE
    from rulespec.serve.running import listening, server
    from rulespec.serve.socket_parts import new_key
    from rulespec.serve.thinking import Thinking

    is_map = (folder / "game.yaml").is_file()
    if not is_map and not can_start(folder):
        help_ = "start a map in a folder that has only drawings, or with `rulespec new NAME --map FILE`"
        raise click.ClickException(f"{folder} has no game.yaml, but it has other files: {help_}")
    try:
        listener = listening(_HOST, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen on {_HOST}, port {port}: {error.strerror}") from None
    with closing(listener), tempfile.TemporaryDirectory() as private:
        key, number = new_key(), listener.getsockname()[1]
        address = f"http://{_HOST}:{number}/#{key}"

        async def main() -> None:
            opened = Desk(folder, drawing) if is_map else Start(folder, partial(Desk, folder, drawing))
            output.echo(f"{address} {'edits' if is_map else 'starts a map in'} {folder}; Ctrl-C stops it")
            if opens:
                _open(address, Path(private))
            await server(edit_app(opened, key, number), largest=4 * MAX_MESSAGE).serve(sockets=[listener])

        drawing = Thinking()
        try:
            with suppress(KeyboardInterrupt):  # this is how it ends
                asyncio.run(main())
        finally:
            drawing.close()


def _open(address: str, private: Path) -> None:
    """Opens the address through a file readable only by its owner, as other users can see a command's arguments."""
    import webbrowser

    file = private / "open.html"
    file.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={address}">', "utf-8")
    webbrowser.open(file.as_uri())
