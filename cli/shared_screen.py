"""A screen that people with different views share, and that is wiped before it is handed over."""

from __future__ import annotations

import sys
from contextlib import suppress

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import escaped


class SharedScreen:
    """A screen that people use in turn.

    Args:
        wanted: whether the game has secrets and several people share this screen. Without a terminal (in a pipe or with
            a file), the screen is never wiped or handed over.

    Attributes:
        active: whether the screen is handed over and wiped.
        seat: the current viewer; "" before the first one.
    """

    def __init__(self, *, wanted: bool) -> None:
        self.active = wanted and sys.stdin.isatty() and sys.stdout.isatty()
        self.seat = ""

    def hand_over(self, seat: str, prompt: str) -> bool | None:
        """Wipes the screen, and waits for a seat to take it.

        Returns whether the viewer changed; None at the end of input.
        """
        if not self.active or seat == self.seat:
            return False
        if self.seat:
            self.wipe()
        self.seat = seat
        return True if self.wait(prompt) else None

    def wait(self, prompt: str) -> bool:
        """Shows the prompt and waits for Enter; False at the end of input. Anything else that is typed is discarded."""
        with suppress(ImportError, OSError):
            import termios

            termios.tcflush(sys.stdin, termios.TCIFLUSH)  # earlier key presses are no answer
        return _line(f"{prompt} ") is not None

    def read(self, prompt: str) -> str | None:
        """A line of input; None at the end of input. On a shared screen, no line history is kept."""
        line = self.read_whole(prompt)
        return None if line is None else line.strip()

    def read_whole(self, prompt: str) -> str | None:
        """A line of input including surrounding spaces; None at the end of input."""
        if self.active:
            return _line(prompt)
        if sys.stdin.isatty():
            return _line_with_history(prompt)
        line = _line(prompt)
        output.echo(line or "")  # a transcript then looks like a session
        return line

    def wipe(self) -> None:
        """Wipes the text from the screen and its scrollback."""
        if self.active and self.seat:
            self.seat = ""
            output.wipe()


def _line(prompt: str) -> str | None:
    """A line of input, edited only by the terminal; None at the end of input.

    Nothing of the line is kept, whereas `readline` would store it in its history, including deleted characters.
    """
    output.echo(prompt, nl=False)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.removesuffix("\n") if line else None


def _line_with_history(prompt: str) -> str | None:
    """A line of input, with a history of earlier ones; None at the end of input."""
    with suppress(ImportError):
        import readline  # noqa: F401 - gives `input` history and editing
    try:
        return input(escaped(prompt))
    except EOFError:
        return None
