"""Texts of records with all their contents, used for comparisons and as keys."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span


def whole(value: object, *, places: bool = True) -> str:
    """The text of a value with all its parts; without `places`, spans are omitted."""
    if isinstance(value, Span) and not places:
        return ""
    if isinstance(value, Struct):
        parts = [getattr(value, name) for name in value.__struct_fields__]
    elif is_dataclass(value):
        parts = [getattr(value, field.name) for field in fields(value)]
    elif isinstance(value, dict):
        parts = [part for item in value.items() for part in item]
    elif isinstance(value, tuple | list):
        parts = list(value)
    elif isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(whole(part, places=places) for part in value))}}}"
    else:
        return repr(value)
    return f"{type(value).__name__}({', '.join(whole(part, places=places) for part in parts)})"
