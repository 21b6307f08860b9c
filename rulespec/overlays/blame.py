"""Blame: a fault that an overlay causes is reported at the overlay, not at the lower-layer line that it invalidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Span

Layers = Mapping[str, int]
"""The layer of each file. A ruleset is above the one that it extends, and overlays are above both."""
_SHOWN = 5
"""Maximum number of lower lines listed with an overlay's fault."""


def at_overlay(d: Diagnostic, layers: Layers) -> Diagnostic:
    """Moves a diagnostic to the note in the highest layer, if that layer is above the diagnostic's own.

    Each layer was valid without the higher ones, so a conflict between layers is the fault of the higher one. Notes
    that only suggest names are not causes.
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
    """The diagnostics; duplicates at the same place are merged into one that has the notes of all."""
    results: dict[tuple[str, str, Span | None], Diagnostic] = {}
    for d in diagnostics:
        key = (d.code, d.message, d.span)
        first = results.setdefault(key, d)
        if first is not d:
            more = [n for n in d.notes if n not in first.notes]
            results[key] = replace(first, notes=(*first.notes, *more)[: max(_SHOWN, len(first.notes))])
    return tuple(results.values())
