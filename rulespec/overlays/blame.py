"""Blame: an overlay's fault is reported at the overlay, not at the lower line that no longer fits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Span

Layers = Mapping[str, int]
"""File → its layer. A ruleset lies over the one that it extends, and an overlay over both."""
_SHOWN = 5
"""Lines below an overlay that are shown, each with its breakage there."""


def at_overlay(d: Diagnostic, layers: Layers) -> Diagnostic:
    """Moves a diagnostic to the note of the highest layer, if that is above the diagnostic's own.

    The lower layers were checked without the higher ones: a conflict between layers is the fault of the later one.
    Suggestions do not count as causes.
    """
    if d.span is None:
        return d
    causes = [n for n in d.notes if not (d.help.startswith("did you mean") and n.text.endswith("is declared here"))]
    cause = max(causes, key=lambda n: layers.get(n.span.file, -1), default=None)
    if cause is None or layers.get(cause.span.file, -1) <= layers.get(d.span.file, -1):
        return d
    rest = [n for n in d.notes if n is not cause]
    return replace(d, span=cause.span, label=cause.text, notes=(Label(d.span, d.label or "here"), *rest))


def together(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics, with equal ones at the same place merged, including their notes."""
    results: dict[tuple[str, str, Span | None], Diagnostic] = {}
    for d in diagnostics:
        key = (d.code, d.message, d.span)
        first = results.setdefault(key, d)
        if first is not d:
            more = [n for n in d.notes if n not in first.notes]
            results[key] = replace(first, notes=(*first.notes, *more)[: max(_SHOWN, len(first.notes))])
    return tuple(results.values())
