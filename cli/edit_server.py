"""The page of `rulespec edit`: its server, for this machine alone."""

from __future__ import annotations

import asyncio
import tempfile
import webbrowser
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.extras import need_server

_HOST = "127.0.0.1"


def serve(folder: Path, port: int, opens: bool) -> None:
    """Serves the page of a map until the process is interrupted.

    Args:
        folder: the folder of a ruleset, or one with only drawings, for starting a map.
        port: the port; 0 for any free one.
        opens: whether to open the page in the browser.

    Raises:
        click.ClickException: the folder has other files but no ruleset, nothing can listen, or the extra is missing.
    """
    need_server("rulespec.serve.edit.map_app", "rulespec.serve.running")
    from rulespec.serve.edit.desk import Desk
    from rulespec.serve.edit.first_map import Start, can_start
    from rulespec.serve.edit.map_app import edit_app
    from rulespec.serve.edit.map_messages import MAX_MESSAGE
    from rulespec.serve.running import listening, server
    from rulespec.serve.table_keys import new_key
    from rulespec.serve.thinking import Thinking

    is_map = (folder / "game.yaml").is_file()
    if not is_map and not can_start(folder):
        help_ = "start a map in a folder with only drawings, or by `rulespec new NAME --map FILE`"
        raise click.ClickException(f"{folder} has no game.yaml, and other files: {help_}")
    try:
        listener = listening(_HOST, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen at {_HOST}, port {port}: {error.strerror}") from None
    with closing(listener), tempfile.TemporaryDirectory() as private:
        key, number = new_key(), listener.getsockname()[1]
        address = f"http://{_HOST}:{number}/#{key}"

        async def main() -> None:
            opened = Desk(folder, drawing) if is_map else Start(folder, partial(Desk, folder, drawing))
            output.echo(f"{address} {'edits' if is_map else 'begins a map in'} {folder}; Ctrl-C ends it")
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
    file = private / "open.html"
    file.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={address}">', "utf-8")
    webbrowser.open(file.as_uri())
