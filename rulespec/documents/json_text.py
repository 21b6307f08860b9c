"""Portable JSON: without NaN, Infinity or unencodable text."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")
"""One half of a UTF-16 surrogate pair, which an escape in JSON can denote."""


def to_json_text(data: object, *, plain: bool = False, indent: int | None = None) -> str:
    """Data as JSON, with null for NaN and infinities.

    Args:
        data: any argument of `json.dumps`.
        plain: whether to write non-ASCII characters unescaped if a file can contain them.
        indent: spaces per level; None for one line.
    """
    try:
        text = json.dumps(data, ensure_ascii=not plain, allow_nan=False, indent=indent)
    except ValueError:  # a foreign log may contain them
        text = json.dumps(_finite(data), ensure_ascii=not plain, allow_nan=False, indent=indent)
    if not plain:  # it may be printed, and CI runners execute `##[` anywhere in a line
        return text.replace("##[", "#\\u0023[")
    return to_json_text(data) if _HALF.search(text) else text


def _finite(data: Any) -> Any:
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return data
