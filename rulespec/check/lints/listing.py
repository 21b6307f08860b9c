"""Formatting of lists of names in messages."""

from __future__ import annotations

_SHOWN = 6


def listed(names: list[str]) -> str:
    """The names in backticks, separated by commas; beyond six, the first six and the number of the rest."""
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
