"""Shrinking of a failing input while it fails in the same way: first by lines, then by characters."""

from __future__ import annotations

import time
from collections.abc import Callable


def shrink(data: bytes, fails: Callable[[bytes], bool], seconds: float) -> bytes:
    """The smallest failing input found within the time limit.

    Args:
        data: an input that fails.
        fails: whether an input fails in the same way.
        seconds: the time limit.
    """
    end = time.monotonic() + seconds
    for unit in (b"\n", b""):
        parts = data.splitlines(keepends=True) if unit else [data[i : i + 1] for i in range(len(data))]
        data = b"".join(_smaller(parts, fails, end))
    return data


def _smaller(parts: list[bytes], fails: Callable[[bytes], bool], end: float) -> list[bytes]:
    """Inputs without a run of parts, longest runs first."""
    size = max(1, len(parts) // 2)
    while parts:
        at, result = 0, False
        while at < len(parts):
            if time.monotonic() > end:
                return parts
            rest = parts[:at] + parts[at + size :]
            if fails(b"".join(rest)):
                parts, result = rest, True
            else:
                at += size
        if size == 1 and not result:
            break
        size = max(1, size // 2) if not result or size > 1 else 1
    return parts
