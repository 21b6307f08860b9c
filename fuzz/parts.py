"""Inputs with several files as bytes: each file starts with a line `--- name`, which may be missing for the first."""

from __future__ import annotations

import re
from pathlib import Path

_MARK = re.compile(rb"^--- ([a-z0-9_]+(?:/[a-z0-9_]+)*\.(?:yaml|rules|jsonl|json|svg))\n", re.MULTILINE)

Parts = dict[str, bytes]
"""File contents by name; names cannot leave the folder into which they are written."""


def split(data: bytes, first: str) -> Parts:
    """The files in an input; `first` is the name of an unmarked first file."""
    begin, *rest = _MARK.split(data)
    parts = {first: begin} if begin or not rest else {}
    return parts | {name.decode(): body for name, body in zip(rest[::2], rest[1::2], strict=True)}


def joined(parts: Parts, first: str) -> bytes:
    """The input with the given files."""
    if list(parts) == [first]:
        return parts[first]
    ended = {name: body if body.endswith(b"\n") else body + b"\n" for name, body in parts.items()}
    return b"".join(b"--- %s\n%s" % (name.encode(), body) for name, body in ended.items())


def write(parts: Parts, folder: Path) -> None:
    """Writes the files into a folder."""
    for name, body in parts.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue  # a mutated mark: with a file `x.yaml`, there can be no `x.yaml/y.yaml`
