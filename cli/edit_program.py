"""A command started by the page of a map: it ends with its server, whose end closes its input."""

from __future__ import annotations

import os
import threading

from rulespec.cli.main import cli


def _end_with_the_server() -> None:
    while os.read(0, 1024):  # a buffer would be locked at the end of the program
        pass
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    cli()
