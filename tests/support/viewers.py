"""Flags of commands for who looks at a game."""

from __future__ import annotations


def flags_for(seat: str) -> list[str]:
    """`--for` a seat; `public` and `omniscient` are flags of their own."""
    return [f"--{seat}"] if seat in ("public", "omniscient") else ["--for", seat]
