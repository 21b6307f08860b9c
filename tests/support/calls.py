"""Tracer of calls between files of the package during a command: `python tests/support/calls.py WORDS…`.

It prints one line of JSON: [file, function, file, function] for each pair of caller and callee, by outermost functions.
A call through a library is attributed to the function that called the library.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from folders import ROOT

_Place = tuple[str, str]
_calls: set[tuple[_Place, _Place]] = set()


@cache
def file_of(name: str) -> str:
    """The path of a source file relative to the checkout; "" for other files."""
    path = Path(name).resolve()
    ours = path.is_file() and path.is_relative_to(ROOT) and ".venv" not in path.parts
    return path.relative_to(ROOT).as_posix() if ours else ""


def place_of(frame: FrameType | None) -> _Place | None:
    """The nearest running function of the package; None during the import of a module."""
    while frame is not None and not file_of(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or frame.f_code.co_name == "<module>":
        return None
    return file_of(frame.f_code.co_filename), frame.f_code.co_qualname.split(".<locals>")[0]


def note(frame: FrameType, event: str, _: Any) -> None:
    if event == "call" and file_of(frame.f_code.co_filename):
        callee, caller = place_of(frame), place_of(frame.f_back)
        if callee is not None and caller is not None and callee[0] != caller[0]:
            _calls.add((caller, callee))


if __name__ == "__main__":
    from rulespec.cli.main import cli

    sys.setprofile(note)
    try:
        cli(sys.argv[1:], standalone_mode=False)
    finally:
        sys.setprofile(None)
        sys.stdout.write(json.dumps([[*caller, *callee] for caller, callee in sorted(_calls)]) + "\n")
