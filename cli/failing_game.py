"""Failing games, printed by a command or written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rulespec.cli import output
from rulespec.documents.written_files import write_text
from rulespec.engine.verify.shrink import FailingGame

MAX_SHOWN = 20
"""Maximum number of decisions of a game whose scenario is printed; longer ones are only written to files."""


def write_failing(folder: Path | None, name: str, failing: FailingGame) -> Path | None:
    """Writes a failing game and its scenario into a folder, if given; returns the path of the log.

    Raises:
        click.ClickException: if writing fails.
    """
    if folder is None:
        return None
    if failing.scenario:
        write_into(folder, str(Path(name).with_suffix(".yaml")), failing.scenario)
    return write_into(folder, name, failing.log())


def write_into(folder: Path, name: str, text: str) -> Path:
    """Writes a file into a folder, creating the folder if necessary; returns the path.

    Raises:
        click.ClickException: if writing fails.
    """
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    except (OSError, ValueError) as error:
        raise output.unwritten(path, error) from None
    return path


def story(failing: FailingGame, path: Path | None) -> list[str]:
    """The text that describes a failing game."""
    header = failing.header
    settings = [f"{k}={v}" for k, v in header.settings.items()]
    more = f" with {', '.join(settings)}" if settings else ""
    head = f"the shortest game found, played by {', '.join(header.seats)}{more}"
    result = "add --failures FOLDER to save its log and a scenario of it"
    if path is not None:
        result = f"rulespec replay --check {path}"
        result += f"; a scenario of it is in {path.with_suffix('.yaml')}" if failing.scenario else ""
    lines = [f"{head}:", *(f"  {line}" for line in failing.story()), f"  ({result})"]
    if path is None and failing.scenario and len(failing.moves) <= MAX_SHOWN:
        lines += ["as a scenario:", *failing.scenario.splitlines()]
    return lines


def as_json(failing: FailingGame, path: Path | None) -> dict[str, Any]:
    """A failing game as JSON data."""
    return {
        "diagnostic": output.in_json([failing.wrong])[0],
        "log": failing.log().splitlines(),
        "scenario": failing.scenario or None,
        "changed": list(failing.changed),
        "file": str(path) if path is not None else None,
    }
