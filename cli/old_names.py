"""Former names in all YAML files of the given rulesets, which `rulespec validate --fix` replaces together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.carried_over import old_keys, old_paths
from rulespec.documents.folders import visible
from rulespec.documents.text_files import display
from rulespec.own_files import own_files
from rulespec.ruleset_files import MAX_FILES, Files

_KINDS = {
    "game.yaml": "game",
    "variants/*.yaml": "overlay",
    "scenarios/**/*.yaml": "scenarios",
    "dialects/*.yaml": "dialect",
}


def old_names(refs: Iterable[str]) -> list[Diagnostic]:
    """Diagnostics for former keys and paths in the writable files; unreadable files are skipped."""
    return [result for path, kind in dict.fromkeys(_own(refs)) for result in _old_names(path, kind)]


def _own(refs: Iterable[str]) -> Iterator[tuple[Path, str]]:
    for own in map(own_files, refs):
        for folder in own.folders:
            for pattern, kind in _KINDS.items():
                yield from ((path, kind) for path in islice(visible(folder, pattern), MAX_FILES))
        yield from ((path, "overlay") for path in own.overlays)


def _old_names(path: Path, kind: str) -> list[Diagnostic]:
    try:
        node = Files().yaml(path, display(path))
    except DiagnosticsError:
        return []
    return [*old_keys(node, kind), *(old_paths(node) if kind == "overlay" else ())]
