"""Names that depend on a renamed one: derived names, which change with it, and names in other systems, which do not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path

from rulespec.diagnostics.diagnostic import Fix, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import Mapping, entries, get
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import NameIndex
from rulespec.typed import nodes as typed
from rulespec.types import Ent

Renamed = dict[int, tuple[str, str]]
"""The `id` of a declaration → its old and its new name."""


def derived_names(index: NameIndex, wanted: Span, new: str) -> Renamed:
    """The names that change with a renamed declaration, as `red_9` does with the suit `red`, or `card.suit` with the
    kind `suit`.

    Args:
        index: the ruleset.
        wanted: the first declaration.
        new: its new name.
    """
    kinds = index.checked.declarations.kinds
    results: Renamed = {}
    for part in (kind for kind in kinds.values() if not kind.implicit and not kind.nameless):
        if index.identity(part) != wanted:
            results |= {id(e): (e.name, new) for e in part.entities if not part.product and index.identity(e) == wanted}
            continue
        counts = kinds[f"{part.name}.number"].entities if part.number else ()
        results |= {id(entity): (entity.name, f"{new}_{i}") for i, entity in enumerate(counts, 1)}
        made_of_it = [kind for kind in kinds.values() if part.name in kind.product and part.name in kind.facts]
        results |= {id(kind.facts[part.name]): (part.name, new) for kind in made_of_it}
        d = index.checked.declarations
        measures = (*d.measures.values(), *d.values.values())
        each = [*(measure.var for measure in measures), *(check.var for check in d.checks)]
        like_it = (var for var in each if var is not None and var.type == Ent(part.name))
        results |= {id(var): (part.name, new) for var in like_it if var.name == part.name}
    for kind in kinds.values():
        results |= _products(kinds, kind, results)
    return results


def _products(kinds: dict[str, typed.Kind], kind: typed.Kind, renamed: Renamed) -> Renamed:
    """The entities of product kinds with a renamed component."""
    results: Renamed = {}
    parts = product(*(kinds[part].entities for part in kind.product)) if kind.product else ()
    for entity, made_of in zip(kind.entities, parts, strict=False):
        if any(id(part) in renamed for part in made_of):
            results[id(entity)] = (entity.name, "_".join(renamed.get(id(p), ("", p.name))[1] for p in made_of))
    return results


def kept_foreign_names(
    ruleset: typed.Ruleset, named: typed.Named, old: str, new: str, paths: Iterable[Path], files: EditorFiles
) -> list[Fix]:
    """The dialect entries that preserve an entity's foreign name if that name was derived from the old one."""
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
