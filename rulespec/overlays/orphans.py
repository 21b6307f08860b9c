"""Orphans: declarations whose last use an overlay removed, and uses of names that an overlay removed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.overlays.blame import at_overlay, together
from rulespec.overlays.overlay import Source
from rulespec.syntax import ast

_QUOTED = re.compile(r"`([^`]*)`")

Unused = Callable[[Source], frozenset[Span]]
"""The function that finds the places of a source's unused declarations."""


def blamed(diagnostics: Iterable[Diagnostic], source: Source, unused: Unused) -> tuple[Diagnostic, ...]:
    """The diagnostics of a merged source; a diagnostic caused by an overlay points to the overlay's line."""
    return together(at_overlay(d, source.layers) for d in _with_orphans(diagnostics, source, cache(unused)))


def _with_orphans(diagnostics: Iterable[Diagnostic], source: Source, unused: Unused) -> Iterator[Diagnostic]:
    """The diagnostics, with notes on the edits of overlays that caused them."""
    wrapped = {inner: outer for (_, outer), inner in source.originals.items()}
    for each in diagnostics:
        names = _QUOTED.findall(each.message)
        d = _as_written(each, wrapped)
        if d.code == "RS405" and names and names[-1] in wrapped:
            yield _never_called(d, names[-1], source)
        elif d.code == "RS405" and names:
            yield _unused(d, names[-1], source, unused)
        elif d.severity is Severity.ERROR and names:
            notes = tuple(_removed(names[-1], source))
            yield replace(d, notes=(*d.notes, *notes), help=d.help or ("remove this use as well" if notes else ""))
        else:
            yield d


def _as_written(d: Diagnostic, wrapped: Mapping[str, str]) -> Diagnostic:
    """The diagnostic with wrapped rules under the names used by their authors."""
    for inner, outer in wrapped.items():
        if inner in f"{d.message}{d.help}":
            name = outer.partition(" ")[0]
            d = replace(d, message=d.message.replace(inner, name), help=d.help.replace(inner, name))
    return d


def _unused(d: Diagnostic, name: str, source: Source, unused: Unused) -> Diagnostic:
    """The diagnostic for an unused declaration, attributed to the overlay that removed or replaced its last use."""
    for change in source.displaced:
        if name.rpartition(".")[2] not in set(_words(change.item)) or d.span is None or d.span in unused(change.before):
            continue
        by = f" by `{change.by}`" if change.by else ""
        return Diagnostic(
            "RS514",
            Severity.WARNING,
            f"`{name}` is unused after the change of {change.what}{by}",
            change.span,
            notes=(Label(d.span, "declared here"),),
            help="remove it as well, or use it elsewhere",
        )
    return d


def _never_called(d: Diagnostic, name: str, source: Source) -> Diagnostic:
    """The diagnostic for a rule whose wrapper does not call it."""
    outer = next(source.items[key] for key, inner in source.originals.items() if inner == name)
    return Diagnostic(
        "RS514",
        Severity.WARNING,
        f"`{outer.name.text}` wraps a rule that nothing calls",
        outer.name.span,
        notes=(Label(d.span, "the wrapped rule"),) if d.span else (),
        help="call the wrapped rule, `original(…)`, or write `replace` in place of `wrap`",
    )


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
    """The places where overlays remove a name, or a part of an entity's compound name."""
    for path, span in source.removed.items():
        key = path.rpartition(".")[2]
        if key == name or name.startswith(f"{key}_") or name.endswith(f"_{key}"):
            yield Label(span, f"`{key}` is removed here")
