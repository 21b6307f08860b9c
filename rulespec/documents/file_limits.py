"""Size limits of YAML files."""

from __future__ import annotations

from msgspec import Struct

from rulespec.documents.text_files import MAX_BYTES


class FileLimits(Struct, frozen=True):
    """Limits for a file: size in bytes, nesting depth, number of parser events."""

    size: int = MAX_BYTES
    depth: int = 64
    events: int = 60_000


DEFAULT = FileLimits()
