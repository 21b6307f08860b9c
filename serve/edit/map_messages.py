"""Messages from a page to the editor: plain data, as in edit_message.schema.json."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from rulespec.serve.reading import read

MAX_MESSAGE = 64_000
"""The maximum size of a message in bytes."""

_Word = Annotated[str, Meta(max_length=2_000)]
_Words = Annotated[tuple[_Word, ...], Meta(min_length=1, max_length=600)]


class EditMessage(Struct, frozen=True, forbid_unknown_fields=True):
    """A message from a page.

    Attributes:
        do: the action: make edits, undo, redo, apply the fix of a problem, or start a next step.
        edits: the edits, each as a list of words such as `["link", "cape", "reef"]`; together they form one step.
        name: the name of the step, for people.
        confirmed: whether the author has seen the dependents.
        serial: the serial of the state in which the page saw the problem.
        fix: the number of the fix in that state.
        step: the next step to start.
    """

    do: Literal["edit", "undo", "redo", "fix", "start"]
    edits: Annotated[tuple[_Words, ...], Meta(max_length=400)] = ()
    name: Annotated[str, Meta(max_length=200)] = ""
    confirmed: bool = False
    serial: Annotated[int, Meta(ge=0, le=2**53)] = 0
    fix: Annotated[int, Meta(ge=0, le=10_000)] = 0
    step: Literal["", "table", "report", "shares", "scenarios"] = ""


def read_message(text: str | bytes) -> EditMessage | None:
    """The message in a JSON text; None if malformed or too large."""
    return read(text, EditMessage, MAX_MESSAGE)
