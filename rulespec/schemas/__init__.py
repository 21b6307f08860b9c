"""The JSON Schemas (draft 2020-12) of a ruleset's YAML files; editors read them too."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

NAMES = ("game", "kinds", "map", "tracks", "tables", "setup", "overlay")
"""The schemas there are; each is `<name>.schema.json` in this folder."""


@cache
def load_schema(name: str) -> dict[str, Any]:
    """The schema of one kind of file.

    Args:
        name: one of `NAMES`.

    Returns:
        The schema. It is shared: do not change it.

    Raises:
        KeyError: there is no schema of this name.
    """
    if name not in NAMES:
        raise KeyError(name)
    text = files(__name__).joinpath(f"{name}.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
