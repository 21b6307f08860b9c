"""Flags for the viewer of a command's output: `--for SEAT` and `--public`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click
from msgspec import Struct

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.seat_names import AmbiguousNameError, seat_of, shown_names


class Viewer(Struct, frozen=True):
    """The viewer of a command's output.

    Attributes:
        text: the id or name of a seat; None if the flags name no seat.
        public: whether the viewer is the public.
    """

    text: str | None = None
    public: bool = False

    @property
    def omniscient(self) -> bool:
        """Whether everything is visible to the viewer."""
        return self.text is None and not self.public

    def seat(self, names: Mapping[str, str]) -> str | None:
        """The viewer's seat in a game with these names: None for the public view, `OMNISCIENT` for everything.

        Raises:
            click.BadParameter: if no seat or several seats have the name.
        """
        if self.text is None:
            return None if self.public else OMNISCIENT
        try:
            seat = seat_of(names, self.text)
        except AmbiguousNameError as error:
            message = f"{error}; give the id of one of them"
            raise click.BadParameter(message, param_hint="--for") from None
        if seat is None:
            hint = did_you_mean(self.text, [*names, *names.values()])
            seats = f"the seats are {seats_in_words(names)}" + (f"; {hint}" if hint else "")
            message = f"there is no seat `{self.text[:80]}`; {seats}"
            raise click.BadParameter(message, param_hint="--for")
        return seat


def seats_in_words(names: Mapping[str, str]) -> str:
    """The seats in words: ids, each followed by the seat's name if that differs."""
    shown = shown_names(names)
    return ", ".join(seat if name == seat else f"{seat} ({name})" for seat, name in shown.items())


def viewer(seat: str | None, public: bool) -> Viewer:
    """The viewer that the flags select.

    Raises:
        click.UsageError: if the flags name two viewers.
    """
    if seat is not None and public:
        raise click.UsageError("--for cannot be combined with --public: choose one seat, or all")
    return Viewer(seat, public)


def viewer_flags(for_help: str, public_help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds `--for SEAT` and `--public` to a command, as its arguments `seat` and `public`."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option("--public", is_flag=True, help=public_help)(command)
        return click.option("--for", "seat", metavar="SEAT", help=for_help)(command)

    return add
