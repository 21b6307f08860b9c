"""Lifetime of a process started by the server of a map page: it ends when the server closes its input."""

from __future__ import annotations

import os
import threading

from rulespec.cli.main import cli


def end_with_the_server() -> None:
    """Ends the process when its standard input is closed."""
    threading.Thread(target=_wait, daemon=True).start()


def _wait() -> None:
    while os.read(0, 1024):  # a buffer would be locked at the end of the program
        pass
    os._exit(1)


if __name__ == "__main__":
    end_with_the_server()
    cli()
