"""Comparison of syntax trees, regardless of their places."""

from __future__ import annotations

from msgspec import Struct


def same(a: object, b: object) -> bool:
    """Whether two syntax trees are equal except for their places."""
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        assert isinstance(b, tuple)
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Struct):
        return all(same(getattr(a, name), getattr(b, name)) for name in a.__struct_fields__ if name != "span")
    return a == b
