"""The page of `rulespec edit`: its server, for this machine alone."""

from __future__ import annotations

import asyncio
import tempfile
import webbrowser
from contextlib import closing, suppress
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.cli.extras import need_server

_HOST = "127.0.0.1"


def serve(folder: Path, port: int, opens: bool) -> None:
    """Serves the page of a map until the process is interrupted.

    Args:
        folder: that of a ruleset.
        port: 0 is any that is free.
        opens: whether the page is opened in the browser.

    Raises:
        click.ClickException: the folder has no ruleset, nothing can listen, or the extra is missing.
    """
    if not (folder / "game.yaml").is_file():
        raise click.ClickException(f"{folder} has no game.yaml: start a map with `rulespec new NAME --map FILE`")
    need_server("rulespec.serve.edit.map_app", "rulespec.serve.running")
    from rulespec.serve.edit.desk import Desk
    from rulespec.serve.edit.map_app import edit_app
    from rulespec.serve.edit.map_messages import MAX_MESSAGE
    from rulespec.serve.running import listening, server
    from rulespec.serve.table_keys import new_key
    from rulespec.serve.thinking import Thinking

    try:
        listener = listening(_HOST, port)
    except OSError as error:
        raise click.ClickException(f"nothing can listen at {_HOST}, port {port}: {error.strerror}") from None
    with closing(listener), tempfile.TemporaryDirectory() as private:
        key, number = new_key(), listener.getsockname()[1]
        address = f"http://{_HOST}:{number}/#{key}"

        async def main() -> None:
            desk = Desk(folder, drawing)
            output.echo(f"{address} edits {folder}; Ctrl-C ends it")
            if opens:
                _open(address, Path(private))
            await server(edit_app(desk, key, number), largest=4 * MAX_MESSAGE).serve(sockets=[listener])

        drawing = Thinking()
        try:
            with suppress(KeyboardInterrupt):  # this is how it ends
                asyncio.run(main())
        finally:
            drawing.close()


def _open(address: str, private: Path) -> None:
    """Opens the address from a file that only its owner can read: other users see the words of a command."""
    file = private / "open.html"
    file.write_text(f'<!DOCTYPE html><meta http-equiv="refresh" content="0;url={address}">', "utf-8")
    webbrowser.open(file.as_uri())
