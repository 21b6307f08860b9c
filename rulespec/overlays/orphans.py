"""Orphans of overlays: declarations that are not used any more, and uses of removed names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity
from rulespec.overlays.blame import at_overlay, together
from rulespec.overlays.overlay import Source
from rulespec.syntax import ast

_QUOTED = re.compile(r"`([^`]*)`")


def blamed(diagnostics: Iterable[Diagnostic], source: Source) -> tuple[Diagnostic, ...]:
    """The diagnostics of a merged source; those caused by an overlay point to its line."""
    return together(at_overlay(d, source.layers) for d in _with_orphans(diagnostics, source))


def _with_orphans(diagnostics: Iterable[Diagnostic], source: Source) -> Iterator[Diagnostic]:
    """The diagnostics with notes where overlays took away what they ask for."""
    for d in diagnostics:
        names = _QUOTED.findall(d.message)
        if d.code == "RS405" and names:
            yield _unused(d, names[-1], source)
        elif d.severity is Severity.ERROR and names:
            notes = tuple(_removed(names[-1], source))
            yield replace(d, notes=(*d.notes, *notes), help=d.help or ("change it as well" if notes else ""))
        else:
            yield d


def _unused(d: Diagnostic, name: str, source: Source) -> Diagnostic:
    """The diagnostic for an unused declaration, blamed on the overlay that removed or replaced its last use."""
    for overlay, span, item in source.displaced:
        if d.span is not None and name.rpartition(".")[2] in set(_words(item)):
            return Diagnostic(
                "RS514",
                Severity.WARNING,
                f"after the change of `{item.name.text}` by `{overlay}` nothing uses `{name}`",
                span,
                notes=(Label(d.span, "declared here"),),
                help="take it out as well, or use it",
            )
    return d


def _words(node: object) -> Iterator[str]:
    """All names in a syntax tree."""
    if isinstance(node, ast.Name):
        yield node.text
    elif isinstance(node, ast.Ref):
        yield node.name
    elif isinstance(node, tuple):
        for part in node:
            yield from _words(part)
    elif isinstance(node, Struct):
        for name in node.__struct_fields__:
            yield from _words(getattr(node, name))


def _removed(name: str, source: Source) -> Iterator[Label]:
    """The places where overlays remove something of this name, or a part of an entity with a compound name."""
    for path, span in source.removed.items():
        key = path.rpartition(".")[2]
        if key == name or name.startswith(f"{key}_") or name.endswith(f"_{key}"):
            yield Label(span, f"`{key}` is taken out here")
