"""Requests from a map's page: their form, as in edit_message.schema.json, and the dependents to be confirmed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import ndiff
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import visible
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, read_log_text
from rulespec.serve.socket_parts import read

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
        confirmed: whether the author has seen the list of dependents.
        serial: the serial number of the state in which the page showed the problem.
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
    """The message in a JSON text; None if it is malformed or too large."""
    return read(text, EditMessage, MAX_MESSAGE)


MAX_LOGS = 300
_SHOWN = 12


def dependents(folder: Path, edits: Sequence[Sequence[str]], changes: Mapping[Path, tuple[str, str]]) -> list[str]:
    """Sentences about what depends on renamed and removed names; empty for other edits.

    Args:
        folder: the folder of the map, a real path.
        edits: the edits, as words.
        changes: the changed files, with their texts before and after.
    """
    gone = [edit[1] for edit in edits if edit[0] == "remove" and len(edit) > 1]
    renamed = [edit[1] for edit in edits if edit[0] == "rename" and len(edit) > 1]
    results: list[str] = []
    if gone:
        for path, (before, after) in changes.items():
            results += _lines(path.relative_to(folder).as_posix(), before, after, gone)
    if gone or renamed:
        logs = list(_logs(folder, [*gone, *renamed]))
        shown = ", ".join(logs[:_SHOWN]) + (f" and {len(logs) - _SHOWN} more" if len(logs) > _SHOWN else "")
        if logs:
            results.append(f"recorded games with the old name no longer replay: {shown}")
    return results


def _lines(name: str, before: str, after: str, gone: Sequence[str]) -> Iterator[str]:
    """The changed lines other than those of the regions themselves."""
    own = re.compile(rf"\s*(?:{'|'.join(map(re.escape, gone))}):")
    lines = [line[2:].strip() for line in ndiff(before.splitlines(), after.splitlines()) if line.startswith("- ")]
    for line in lines[:_SHOWN]:
        if not own.match(line) or name != "map.yaml":
            yield f"{name} changes: {line[:100]}"
    if len(lines) > _SHOWN:
        yield f"{name} changes in {len(lines) - _SHOWN} more lines"


def _logs(folder: Path, words: Sequence[str]) -> Iterator[str]:
    """The recorded games that contain any of some words."""
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    for path in islice(sorted(visible(folder, "logs/**/*.json*")), MAX_LOGS):
        try:
            text, _ = read_log_text(path, path.name, MAX_NATIVE_BYTES, lenient=True)
        except DiagnosticsError:
            continue
        if word.search(text):
            yield path.name
