"""The dialect files of a ruleset, and of all known rulesets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rulespec.documents.folders import folders_in, is_hidden, visible
from rulespec.references import parts_of, ruleset_folders


def dialects(rules: str | None = None) -> Iterator[Path]:
    """Lazily lists the distinct dialect files of a reference's folder and of all known rulesets."""
    seen: set[str] = set()
    for path in _dialect_files(rules):
        real = os.path.realpath(path)
        if real not in seen and Path(real).is_relative_to(
            os.path.realpath(path.parent.parent)
        ):  # otherwise a link leads outside
            seen.add(real)
            yield path


def _dialect_files(rules: str | None) -> Iterator[Path]:
    base = Path(parts_of(rules)[0]) if rules else None
    if base is not None and base.is_dir():
        yield from sorted(visible(base / "dialects", "*.yaml"))
    for folder in ruleset_folders():
        for inside in (f"{ruleset}/dialects" for ruleset in folders_in(str(folder))):
            with suppress(OSError):
                names = os.listdir(inside)  # noqa: PTH208 - half the time
                yield from sorted(Path(inside, n) for n in names if n.endswith(".yaml") and not is_hidden(n))
