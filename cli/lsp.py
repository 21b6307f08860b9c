"""`rulespec lsp`: the language server, on standard input and output."""

from __future__ import annotations

import os
import sys

import click


@click.command("lsp")
@click.option("--stdio", is_flag=True, help="The default; accepted because editors pass it.")
def command(stdio: bool) -> None:
    """Serve an editor: problems as you type, meanings, definitions, completion, renaming, formatting.

    The editor starts this command and uses the Language Server Protocol; docs/guides/editors.md shows the settings. The
    command needs the package pygls: pip install "rulespec[lsp]".

    Example: rulespec lsp
    """
    try:
        from rulespec.lsp.server import server
        from rulespec.lsp.wire import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"pygls", "lsprotocol"}:
            raise
        raise click.ClickException('the language server needs pygls: pip install "rulespec[lsp]"') from None
    if sys.stdin is None:
        raise click.ClickException("the language server talks to the editor over standard input, which is closed")
    # A copy of the stream, as the server closes its output when the editor disconnects.
    serve(server(), sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
