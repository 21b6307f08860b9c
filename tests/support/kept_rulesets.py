"""Rulesets of this repository, each read and checked once in a process, however often tests load it.

What is kept is what `load_ruleset` puts together: the merged source, and the outcome of the checker, with the
diagnostics of both. A test that asks how files are read or checked uses a copy in a folder of its own, and one that
asks what is kept on the disk another RULESPEC_CACHE. In that of the run there are checked rules of whole rulesets
alone, for commands and for the other processes: to pack those with overlays takes as long as to check them, and
those of a test's own folder are not read again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path
from typing import Any

from folders import GAMES, RULESETS

from rulespec import load
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.references import is_path
from rulespec.ruleset_files import Files

MOST = 150
"""Rulesets that are kept: those that have been asked for last."""

LOADERS = {"load_source": load.load_source, "_check": load._check}
"""The functions of `rulespec.load` that are replaced, for tests about the cache."""

_SOURCE, _CHECK = load.load_source, load._check
_Key = tuple[object, ...]
_Checked = tuple[Any, tuple[Diagnostic, ...]]


class KeptRulesets:
    """Rulesets by reference, and by what else decides how they are read and named in messages."""

    def __init__(self) -> None:
        self._cache = os.environ.get("RULESPEC_CACHE")
        self._sources: OrderedDict[_Key, tuple[load.Merged, tuple[Diagnostic, ...], dict[_Key, _Checked]]] = (
            OrderedDict()
        )
        self._checked: dict[int, dict[_Key, _Checked]] = {}

    def load_source(self, ref: str, report: Report, files: Files | None = None, *, lints: bool = True) -> load.Merged:
        """As the function of this name."""
        key = _key(ref, lints) if files is None else None
        if key is None:
            return _SOURCE(ref, report, files, lints=lints)
        if key not in self._sources:
            own = Report()
            try:
                merged = _SOURCE(ref, own, lints=lints)
            except DiagnosticsError:
                return _SOURCE(ref, report, lints=lints)
            self._sources[key] = merged, own.diagnostics, {}
            self._checked[id(merged)] = self._sources[key][2]
            if len(self._sources) > MOST:
                _, (oldest, *_) = self._sources.popitem(last=False)
                del self._checked[id(oldest)]
        self._sources.move_to_end(key)
        merged, diagnostics, _ = self._sources[key]
        report.extend(diagnostics)
        return merged

    def check(self, ref: str, merged: load.Merged, report: Report, lints: bool, cached: bool) -> Any:
        """As the function that checks what has been read."""
        known = self._checked.get(id(merged))
        if os.environ.get("RULESPEC_CACHE") == self._cache:
            cached = cached and known is not None and "+" not in ref
        if known is None:
            return _CHECK(ref, merged, report, lints, cached)
        key = ref, lints, cached
        if key not in known:
            own = Report()
            try:
                result = _CHECK(ref, merged, own, lints, cached)
            except DiagnosticsError:
                return _CHECK(ref, merged, report, lints, cached)
            known[key] = result, own.diagnostics
        result, diagnostics = known[key]
        report.extend(diagnostics)
        return result


def _key(ref: str, lints: bool) -> _Key | None:
    """The key of a reference; None if its files are not all of this repository."""
    place = Files().place
    try:
        base, *overlays = place.parts(ref)
        folder = place.ruleset(base)
    except DiagnosticsError:
        return None
    folder = folder.resolve()
    if not any(folder.is_relative_to(each.resolve()) for each in (GAMES, RULESETS)) or any(map(is_path, overlays)):
        return None
    environment = (os.environ.get(name) for name in ("RULESPEC_PATH", "RULESPEC_CACHE"))
    return ref, folder, lints, Path.cwd(), *environment
