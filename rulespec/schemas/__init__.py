"""JSON Schemas (draft 2020-12) for a ruleset's YAML files and the commands' output, which editors can also use."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("game", "kinds", "map", "boards", "tracks", "tables", "setup", "measures", "overlay")
"""Schemas of a ruleset's section files and overlays; each is `<name>.schema.json` in this folder."""

BESIDE = ("drawing", "rules", "titles", "scenarios", "dialect", "notation", "expect", "perft_record")
"""Schemas of other files beside the rules."""

OUTPUTS = (
    *(
        "diagnostics",
        "replay",
        "under",
        "identify",
        "simulate",
        "test",
        "coverage",
        "corpus",
        "describe",
        "diff",
        "facts",
        "games",
        "migrate",
        "moves",
        "perft",
    ),
    "play",
    "playtest",
    "trajectory",
    "why",
)
"""Schemas of the commands' JSON output."""

WIRE = ("table_frame", "table_message", "edit_message")
"""Schemas of the messages between a server and its pages."""


@cache
def load_schema(name: str) -> dict[str, Any]:
    """The schema of one kind of file.

    Args:
        name: one of `NAMES`, `BESIDE`, `OUTPUTS` or `WIRE`.

    Returns:
        The schema. It is shared: do not change it.

    Raises:
        KeyError: if there is no such schema.
    """
    if name not in (*NAMES, *BESIDE, *OUTPUTS, *WIRE):
        raise KeyError(name)
    text = _file(name).read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def modeline(folder: Path, name: str) -> list[str]:
    """The comment that points editors to the schema of a file in this folder; empty if it cannot contain the path."""
    path = Path(os.path.relpath(_file(name), folder.resolve())).as_posix()
    return [f"# yaml-language-server: $schema={path}"] if path.isprintable() else []


def _file(name: str) -> Path:
    return Path(__file__).with_name(f"{name}.schema.json")
