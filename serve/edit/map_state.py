"""The state of a map for its page: regions with their facts, forms, and problems."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Fix
from rulespec.documents.text_files import display
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text, to_plain
from rulespec.drawing.marked_board import faults_of
from rulespec.lsp.data_edits import colour_in, rows, starts
from rulespec.lsp.map_files import MAP, PIECES, REGIONS, WORDS, MapEditError, MapFiles
from rulespec.lsp.map_proposals import MapProposals
from rulespec.lsp.project import Checked
from rulespec.lsp.quick_fixes import each_fix
from rulespec.types import Bool, Ent, Maybe, Num, SetOf, Type

MAX_FAULTS = 100
"""The maximum number of problems listed; the page shows how many others there are."""
MAX_REGIONS = 400
"""The maximum number of regions of an editable map."""
_MAX_CHOICES = 500


def regions_of(map_: MapFiles, checked: Checked | None, places: Mapping[str, tuple[float, float]]) -> list[Any]:
    """The regions with their declarations, from the folder and its bases.

    Raises:
        DiagnosticsError: if the map is unreadable.
    """
    own = get(_tree(map_), *REGIONS)
    merged = get(checked.source.root, *REGIONS) if checked is not None else None
    mine = {key for key, _, _ in entries(own)}
    counts = {pieces: _by_region(checked, pieces) for pieces in map_.pieces()} if checked is not None else {}
    owned = {pieces: _by_region(checked, pieces) for pieces, _ in map_.owned()} if checked is not None else {}
    results = []
    for name, _, node in entries(merged if merged is not None else own):
        standing = {pieces: each[name] for pieces, each in counts.items() if name in each}
        theirs = {
            pieces: {owner: by[name] for owner, by in each.items() if isinstance(by, dict) and name in by}
            for pieces, each in owned.items()
        }
        results.append(_region(name, node, name in mine, places) | {"pieces": standing, "owned": theirs})
    return results


def _by_region(checked: Checked, pieces: str) -> dict[str, Any]:
    """The initial number of pieces of a type, by region, as written in the file."""
    return {key: to_plain(value) for key, _, value in entries(get(checked.source.root, *PIECES, pieces))}


def _tree(map_: MapFiles) -> Node | None:
    return map_.tree(MAP) if (map_.folder / MAP).is_file() else None


def _region(name: str, node: Node, own: bool, places: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    data = to_plain(node)
    facts = data if isinstance(data, dict) else {}
    place = places.get(name)
    return {
        "name": name,
        "title": str(facts.get("title", "")) or name.replace("_", " "),
        "own": own,
        "facts": facts,
        "place": None if place is None else [round(place[0]), round(place[1])],
    }


def form_of(map_: MapFiles, checked: Checked) -> dict[str, Any]:
    """The form for a region: facts with their types, pieces, link kinds, and the names to choose from."""
    kind = map_.kind()
    facts = checked.declarations.kinds[kind].facts if kind in checked.declarations.kinds else {}
    links = [[key, text(value)] for key, _, value in entries(map_.declared("links")) if isinstance(value, Scalar)]
    others = [key for key, _, value in entries(map_.declared("links")) if not isinstance(value, Scalar)]
    names = {key for key, _, _ in entries(map_.declared("facts"))}
    shown = [{"name": name, **_type(fact.type)} for name, fact in facts.items() if name in names]
    kinds = {each["of"] for each in shown if each.get("of") not in (None, kind)}
    return {
        "kind": kind,
        "facts": shown,
        "pieces": map_.pieces(),
        "words": list(WORDS),
        "links": links,
        "entities": others,
        "choices": {
            each: [[e.name, e.title] for e in checked.declarations.kinds[each].entities[:_MAX_CHOICES]]
            for each in sorted(kinds)
            if each in checked.declarations.kinds
        },
    }


def _type(type_: Type) -> dict[str, Any]:
    """The type of a fact, in the terms of forms."""
    if isinstance(type_, Ent):
        return {"type": "entity", "of": type_.kind, "optional": type_.optional}
    if isinstance(type_, SetOf):
        return {"type": "set", "of": type_.kind, "optional": True}
    if isinstance(type_, Bool):
        return {"type": "bool", "optional": False}
    if isinstance(type_, Num | Maybe):
        return {"type": "number", "optional": isinstance(type_, Maybe)}
    return {"type": "other", "optional": False}


def faults(
    map_: MapFiles, checked: Checked | None, diagnostics: Sequence[Diagnostic]
) -> tuple[list[dict[str, Any]], list[Fix]]:
    """The problems as plain data, those in the folder itself first, with numbered fixes."""
    files = {d.span.file for d in diagnostics if d.span is not None}
    own = {file for file in files if Path(file) in map_.own}
    ordered = sorted(diagnostics, key=lambda d: not _is_own(own, d))[:MAX_FAULTS]
    texts = _texts(map_, checked, ordered)
    fixes: list[Fix] = []
    numbers: dict[int, list[dict[str, Any]]] = {}
    by_place = {(d.code, d.span, d.message): i for i, d in enumerate(ordered)}
    for d, fix in each_fix(ordered, texts):
        if Path(fix.span.file) in map_.own:
            number = by_place[d.code, d.span, d.message]
            numbers.setdefault(number, []).append({"number": len(fixes), "label": _label(d, fix)})
            fixes.append(fix)
    where = _where(map_, checked, ordered, texts)
    results = [
        {
            "code": d.code,
            "severity": str(d.severity.value),
            "message": d.message,
            "help": d.help,
            "own": _is_own(own, d),
            "at": f"{_name(map_, d.span.file)}:{d.span.line}:{d.span.column}" if d.span is not None else "",
            "regions": where.get(i, []),
            "fixes": numbers.get(i, []),
        }
        for i, d in enumerate(ordered)
    ]
    return results, fixes


def _name(map_: MapFiles, file: str) -> str:
    """The display name of a file: its path, relative to the folder if inside it."""
    path = Path(file).resolve()
    return path.relative_to(map_.folder).as_posix() if path.is_relative_to(map_.folder) else display(path)


def _label(d: Diagnostic, fix: Fix) -> str:
    """The label of a fix's button."""
    if not fix.text.strip():
        return "Fix: remove it"
    if fix.span.line == fix.span.end_line and fix.span.column == fix.span.end_column:
        return f"Fix: add {fix.text.strip(', ')}"[:80]
    return f"Fix: {fix.text.strip()}"[:80]


def _is_own(own: Container[str], d: Diagnostic) -> bool:
    return d.span is not None and d.span.file in own


def _texts(map_: MapFiles, checked: Checked | None, diagnostics: Sequence[Diagnostic]) -> dict[str, str]:
    """The texts of the files with problems, as of the last check."""
    texts = dict(checked.texts) if checked is not None else {}
    for file in {d.span.file for d in diagnostics if d.span is not None} - texts.keys():
        try:
            texts[file] = map_.raw(Path(file).resolve()).removeprefix("\ufeff").replace("\r\n", "\n")
        except MapEditError:  # a file of another ruleset, or an unreadable one
            continue
    return texts


def _where(
    map_: MapFiles, checked: Checked | None, diagnostics: Sequence[Diagnostic], texts: Mapping[str, str]
) -> dict[int, list[str]]:
    """Problem number → the regions it concerns."""
    kind = map_.kind() if checked is not None else ""
    if checked is None or kind not in checked.declarations.kinds:
        return {}
    names = [entity.name for entity in checked.declarations.kinds[kind].entities]
    results = faults_of(checked.declarations, [kind], diagnostics, texts, MAX_FAULTS)
    return {each.number - 1: [names[i] for i in (each.place, each.other) if i >= 0] for each in results if each.kind}


def proposals_of(proposals: MapProposals) -> dict[str, Any]:
    """The proposals for a map, and the colours of its drawing with their possible meanings.

    Raises:
        DiagnosticsError: if a file is unreadable.
        MapEditError: if the map is unreadable.
    """
    base = proposals.base
    owners = {fact: kind for fact, kind in base.choices.items() if base.is_owner(fact)} if base is not None else {}

    def values(kind: str) -> list[list[str]]:
        """The possible names and titles for a fact that names a kind; for an owner, only those that the map added."""
        own = proposals.own(kind)
        if kind in owners.values():
            return [[name, str((own[name] or {}).get("title", "")) or name.replace("_", " ")] for name in own]
        return [[e.name, e.title] for e in base.d.kinds[kind].entities[:_MAX_CHOICES]] if base is not None else []

    return {
        "proposals": [{"name": p.name, "title": p.title, "regions": p.regions} for p in proposals.all()],
        "colours": [
            {"colour": colour, "regions": regions, "fact": guess.fact, "value": guess.value, "title": guess.title}
            for colour, regions, guess in proposals.colours()
        ],
        "meanings": [
            [fact, each] for fact, kind in (base.choices if base is not None else {}).items() if (each := values(kind))
        ],
        "owners": {fact: [kind, [*proposals.own(kind)]] for fact, kind in owners.items()},
    }


def data_of(proposals: MapProposals, checked: Checked) -> dict[str, Any]:
    """The data for all forms except those of regions: entities that a map may add, tables, constants, and set-up.

    Raises:
        DiagnosticsError: if a file is unreadable.
    """
    d, root = checked.declarations, checked.source.root
    kinds = proposals.base.owners if proposals.base is not None else []
    return {
        "kinds": [
            {
                "kind": kind,
                "own": bool(proposals.own(kind)),
                "facts": [{"name": name, **_type(fact.type)} for name, fact in d.kinds[kind].facts.items()],
                "choices": {
                    fact.type.kind: [[e.name, e.title] for e in d.kinds[fact.type.kind].entities[:_MAX_CHOICES]]
                    for fact in d.kinds[kind].facts.values()
                    if isinstance(fact.type, Ent) and fact.type.kind in d.kinds
                },
                "entities": [
                    {
                        "name": entity.name,
                        "title": entity.title,
                        "colour": colour_in(proposals, kind, entity.name),
                        "facts": to_plain(node) if (node := get(root, "kinds", kind, "entities", entity.name)) else {},
                    }
                    for entity in d.kinds[kind].entities[:MAX_REGIONS]
                ],
            }
            for kind in kinds
            if kind in d.kinds
        ],
        "constants": [[name, text(node)] for name, _, node in entries(get(root, "constants"))],
        "tables": [
            [name, [*islice(rows(get(table, "rows")), MAX_REGIONS)]] for name, _, table in entries(get(root, "tables"))
        ],
        "starts": [*starts(root)],
        "owned": proposals.map.owned(),
    }


def stale_of(map_: MapFiles, diagnostics: Sequence[Diagnostic]) -> str:
    """The reason why the files cannot be read as a whole, with its location."""
    first = min(diagnostics, key=lambda d: d.span is None or Path(d.span.file) not in map_.own, default=None)
    if first is None:
        return "the files cannot be read"
    at = f"{_name(map_, first.span.file)}:{first.span.line}: " if first.span is not None else ""
    return f"{at}{first.message}"
