"""Quick fixes: the one unambiguous fix, a fix for each equally similar name, or a new name for a duplicate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Fix
from rulespec.fixes import with_fixes

_SEVERAL = re.compile(r"did you mean (`[\w.]+`(?: or `[\w.]+`)+)\?")


def each_fix(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> Iterator[tuple[Diagnostic, Fix]]:
    """Each fixable diagnostic with its fix; a diagnostic with several fixes is repeated.

    Args:
        diagnostics: the diagnostics.
        texts: the checked text of each file, by its name in spans.
    """
    for d in with_fixes(diagnostics, texts):
        if d.fix is not None:
            yield d, d.fix
        elif d.code == "RS119" and (fix := _another_name(d, texts)) is not None:
            yield d, fix
        elif several := _SEVERAL.fullmatch(d.help):
            chosen = (replace(d, help=f"did you mean {name}?") for name in several[1].split(" or "))
            yield from ((d, c.fix) for c in with_fixes(chosen, texts) if c.fix is not None)


def _another_name(d: Diagnostic, texts: Mapping[str, str]) -> Fix | None:
    """A new name for a duplicate key, which preserves the content below it."""
    if d.span is None or d.span.file not in texts or not (key := re.search(r"`([a-z][a-z0-9_]*)`", d.message)):
        return None
    line = texts[d.span.file].split("\n")[d.span.line - 1]
    if line[d.span.column - 1 : d.span.end_column - 1] != key[1]:
        return None
    known = set(re.findall(r"[a-z0-9_]+", texts[d.span.file]))
    return Fix(d.span, next(name for n in count(2) if (name := f"{key[1]}_{n}") not in known))
