"""The JSON Schemas (draft 2020-12) of a ruleset's YAML files, and of what the commands print; editors read them too."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

NAMES = ("game", "kinds", "map", "tracks", "tables", "setup", "overlay")
"""The files of a ruleset; each schema is `<name>.schema.json` in this folder."""

BESIDE = ("scenarios", "dialect", "expect")
"""The files beside the rules."""

OUTPUTS = ("diagnostics", "replay", "under", "identify", "simulate", "test", "diff")
"""What the commands print as JSON."""


@cache
def load_schema(name: str) -> dict[str, Any]:
    """The schema of one kind of file.

    Args:
        name: one of `NAMES`, `BESIDE` or `OUTPUTS`.

    Returns:
        The schema. It is shared: do not change it.

    Raises:
        KeyError: there is no schema of this name.
    """
    if name not in (*NAMES, *BESIDE, *OUTPUTS):
        raise KeyError(name)
    text = files(__name__).joinpath(f"{name}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
