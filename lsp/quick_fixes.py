"""Quick fixes: those that are certain, and one for each of two names that are equally near."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Fix
from rulespec.fixes import with_fixes

_SEVERAL = re.compile(r"did you mean (`[\w.]+`(?: or `[\w.]+`)+)\?")


def each_fix(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> Iterator[tuple[Diagnostic, Fix]]:
    """Each diagnostic that can be fixed, with a fix: more than one where several names are near.

    Args:
        diagnostics: the diagnostics.
        texts: the text that was checked of each file, by the name that spans use.
    """
    for d in with_fixes(diagnostics, texts):
        if d.fix is not None:
            yield d, d.fix
        elif several := _SEVERAL.fullmatch(d.help):
            chosen = (replace(d, help=f"did you mean {name}?") for name in several[1].split(" or "))
            yield from ((d, c.fix) for c in with_fixes(chosen, texts) if c.fix is not None)
