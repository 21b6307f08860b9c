"""The audience of a command's output: omniscient, or a seat from which private information is withheld.

A diagnostic about a log may quote the log's lines or reveal hidden information. A seat therefore gets a fixed sentence
instead; all displayed diagnostics pass through `redacted`.
"""

from __future__ import annotations

from collections.abc import Iterable

import click
from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic

_KEY = "rulespec.cli.audience"
_OF_RULESETS = "RS6"
"""The lowest code that is not about rulesets; files of a ruleset contain nothing of a game."""
_PLAIN = frozenset(
    {
        *("RS342", "RS601", "RS602", "RS603", "RS605", "RS615", "RS616", "RS617", "RS618", "RS627", "RS632"),
        *("RS656", "RS657", "RS658", "RS659", "RS660", "RS661"),
        *("RS649", "RS650", "RS705", "RS706", "RS707", "RS708", "RS873", "RS874"),
    }
)
"""Codes whose messages contain only public information: about files as such, and about the first line of a log."""


class Audience(Struct, frozen=True):
    """The seat or seats that read a command's output, and see only a restricted view of a game.

    Attributes:
        log: the path of the game's log; "" if there is no file.
        way: the command that prints complete diagnostics to an omniscient reader; it is suggested in a hint.
        own: a file that belongs to the seat, whose diagnostics are not redacted; "" if there is none.
    """

    log: str
    way: str
    own: str = ""


def tell_seats(log: str, way: str, own: str = "") -> None:
    """Restricts the diagnostics of the running command to a seat's view; see `Audience`."""
    click.get_current_context().meta[_KEY] = Audience(log, way, own)


def tell_everything() -> None:
    """Lifts the restriction of `tell_seats` for a game without secrets."""
    click.get_current_context().meta.pop(_KEY, None)


def is_of_seats() -> bool:
    """Whether the output of the running command is restricted to the view of a seat."""
    return _audience() is not None


def redacted(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics without information that the audience must not see; unchanged for an omniscient audience."""
    audience = _audience()
    if audience is None:
        return list(diagnostics)
    return list(dict.fromkeys(_seen(each, audience) for each in diagnostics))


def _audience() -> Audience | None:
    context = click.get_current_context(silent=True)
    return context.meta.get(_KEY) if context is not None else None


def _seen(d: Diagnostic, audience: Audience) -> Diagnostic:
    files = {span.file for span in (d.span, *(note.span for note in d.notes)) if span is not None}
    of_log = audience.log in files
    if not of_log and (d.code < _OF_RULESETS or d.code in _PLAIN or files == {audience.own}):
        return d
    if d.code in _PLAIN:
        return replace(d, message=f"{audience.log}: {d.message}", span=None, label="", notes=(), fix=None)
    what = f"with {audience.log}" if audience.log else "with this game"
    message = f"a problem {what} is not shown, because it may reveal hidden information"
    return Diagnostic("RS631", d.severity, message, None, help=audience.way)
