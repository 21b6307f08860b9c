"""Failing games, as commands print and write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rulespec.cli import output
from rulespec.diagnostics.render import to_json
from rulespec.documents.written_files import write_text
from rulespec.engine.verify.shrink import FailingGame


def write_failing(folder: Path | None, name: str, failing: FailingGame) -> Path | None:
    """Writes a failing game into a folder, if one is given, and returns the path.

    Raises:
        click.ClickException: if it cannot be written.
    """
    return write_log(folder, name, failing.log()) if folder is not None else None


def write_log(folder: Path, name: str, text: str) -> Path:
    """Writes a log into a folder, which is created if there is none, and returns the path.

    Raises:
        click.ClickException: if it cannot be written.
    """
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    except (OSError, ValueError) as error:
        raise output.unwritten(path, error) from None
    return path


def story(failing: FailingGame, path: Path | None) -> list[str]:
    """A failing game as text."""
    header = failing.header
    settings = [f"{k}={v}" for k, v in header.settings.items()]
    more = f" with {', '.join(settings)}" if settings else ""
    head = f"the shortest game found, of {', '.join(header.seats)}{more}"
    found = f"rulespec replay --check {path}" if path is not None else "--failures FOLDER writes its log"
    return [f"{head}:", *(f"  {line}" for line in failing.story()), f"  ({found})"]


def as_json(failing: FailingGame, path: Path | None) -> dict[str, Any]:
    """A failing game as JSON."""
    return {
        "diagnostic": to_json(failing.wrong),
        "log": failing.log().splitlines(),
        "changed": list(failing.changed),
        "file": str(path) if path is not None else None,
    }
