"""Command-line flags for the viewer of a game."""

from __future__ import annotations


def flags_for(seat: str) -> list[str]:
    """`--for` with a seat, or the flags for `public` and `omniscient`."""
    return [f"--{seat}"] if seat in ("public", "omniscient") else ["--for", seat]
