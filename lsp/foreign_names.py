"""Names of entities in other systems, which stay when ours are renamed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from rulespec.diagnostics.diagnostic import Fix, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import Mapping, entries, get
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.lsp.files import EditorFiles
from rulespec.typed import nodes as typed


def kept_foreign_names(
    ruleset: typed.Ruleset, named: typed.Named, old: str, new: str, paths: Iterable[Path], files: EditorFiles
) -> list[Fix]:
    """The dialect entries that preserve an entity's foreign name if it was derived from ours."""
    kind = next((kind for kind in ruleset.kinds.values() if any(named is entity for entity in kind.entities)), None)
    if kind is None:
        return []
    results = []
    for path in (path for path in paths if path.parent.name == "dialects"):
        try:
            dialect, root = read_dialect(path), files.yaml(path, display(path))
        except DiagnosticsError:
            continue
        table = get(root, "names", kind.name)
        foreign = dialect.foreign(kind.name, old)
        if not isinstance(table, Mapping) or old in table.entries or foreign == dialect.foreign(kind.name, new):
            continue
        _, key, _ = next(iter(entries(table)))
        flow = table.span.line == key.span.line and table.span.column < key.span.column
        end = ", " if flow else "\n" + " " * (key.span.column - 1)
        at = Span(key.span.file, key.span.line, key.span.column, key.span.line, key.span.column)
        results.append(Fix(at, f"{new}: {json.dumps(foreign, ensure_ascii=False)}{end}"))
    return results
