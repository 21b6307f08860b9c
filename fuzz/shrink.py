"""Making an input smaller as long as it fails in the same way: first whole lines, then characters."""

from __future__ import annotations

import time
from collections.abc import Callable


def shrink(data: bytes, fails: Callable[[bytes], bool], seconds: float) -> bytes:
    """The smallest input that was found in the time there is.

    Args:
        data: an input that fails.
        fails: whether another one fails in the same way.
        seconds: how long to try.
    """
    end = time.monotonic() + seconds
    for unit in (b"\n", b""):
        parts = data.splitlines(keepends=True) if unit else [data[i : i + 1] for i in range(len(data))]
        data = b"".join(_smaller(parts, fails, end))
    return data


def _smaller(parts: list[bytes], fails: Callable[[bytes], bool], end: float) -> list[bytes]:
    """Leaves out runs of parts, long ones first."""
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
