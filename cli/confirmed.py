"""Confirmed writes of files, each atomic, with the line endings of its text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from rulespec.cli import output


def is_confirmed(number: int, yes: bool) -> bool:
    """Asks for confirmation before writing N files; `yes` confirms, and N = 0 prints that nothing changes."""
    try:
        wanted = yes or click.confirm(f"write {output.counted(number, 'file')}?", default=False)
    except click.Abort:  # no input
        wanted = False
    if not wanted:
        output.echo("nothing is written")
    return wanted


def write_all(texts: Mapping[Path, str]) -> None:
    """Writes several files, map.yaml last, as files that only display the map are harmless without it."""
    paths = sorted(texts, key=lambda path: path.name == "map.yaml")
    for path in paths:
        with output.written(path) as file:
            file.buffer.write(texts[path].encode())
    for path in paths:  # only now: the output may be closed
        output.echo(f"written: {path}")
