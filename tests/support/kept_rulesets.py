"""Rulesets of this repository, read and checked only once per process.

The cache has the inputs of `load_ruleset`: the merged source and the checker's result, with the diagnostics of both. A
test of reading or checking uses a copy of the files, and a test of the disk cache sets another RULESPEC_CACHE. The disk
cache of a test run has only checked rules of whole rulesets, for commands and other processes: packing those with
overlays takes as long as checking them, and those in a test's own folder are read only once.
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
"""The maximum number of cached rulesets; the least recently used are dropped."""

LOADERS = {"load_source": load.load_source, "_check": load._check}
"""The replaced functions of `rulespec.load`, for tests of the cache."""

_SOURCE, _CHECK = load.load_source, load._check
_Key = tuple[object, ...]
_Checked = tuple[Any, tuple[Diagnostic, ...]]


class KeptRulesets:
    """A cache of rulesets by reference, and by everything that affects reading and naming them."""

    def __init__(self) -> None:
        self._cache = os.environ.get("RULESPEC_CACHE")
        self._sources: OrderedDict[_Key, tuple[load.Merged, tuple[Diagnostic, ...], dict[_Key, _Checked]]] = (
            OrderedDict()
        )
        self._checked: dict[int, dict[_Key, _Checked]] = {}

    def load_source(self, ref: str, report: Report, files: Files | None = None, *, lints: bool = True) -> load.Merged:
        """The cached counterpart of `rulespec.load.load_source`."""
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
        """The cached counterpart of `rulespec.load._check`."""
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
    """The cache key of a reference; None unless all its files are in this repository."""
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
