"""Paths into JSON values: `players.*.id` names the field `id` of every element of `players`."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

MISSING = object()
"""A sentinel: the value at a path that leads nowhere."""


def follow(value: Any, path: str) -> Any:
    """The value at a path; `MISSING` if the path leads nowhere. The empty path leads to the value itself."""
    return path_reader(path)(value)


@lru_cache(maxsize=1_000)
def path_reader(path: str) -> Callable[[Any], Any]:
    """A reusable function that follows a path; a value that is not an object counts as its own field `value`."""
    if not path:
        return lambda value: value
    keys = path.split(".")
    if "*" in keys:
        at = keys.index("*")
        lists, each = path_reader(".".join(keys[:at])), path_reader(".".join(keys[at + 1 :]))

        def every(value: Any) -> Any:
            result = lists(value)
            result = [*result.values()] if isinstance(result, dict) else result
            return [each(v) for v in result] if isinstance(result, list) else MISSING

        return every

    def nested(value: Any) -> Any:
        for key in keys:
            if isinstance(value, dict):
                value = value.get(key, MISSING)
            elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            else:
                return MISSING
        return value

    if keys[0] == "value":  # for a list element that is not an object
        rest = path_reader(".".join(keys[1:]))
        return lambda value: rest(value["value"] if isinstance(value, dict) and "value" in value else _bare(value))

    if len(keys) > 1:
        return nested
    (key,) = keys
    return lambda value: value.get(key, MISSING) if isinstance(value, dict) else nested(value)


def _bare(value: Any) -> Any:
    return MISSING if isinstance(value, dict) else value
