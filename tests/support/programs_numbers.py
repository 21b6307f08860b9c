"""Random expressions with several binders."""

from __future__ import annotations

from programs_orders import Scope, Writer


def several(w: Writer, scope: Scope, d: int) -> tuple[str, Scope]:
    """A binder, or two of which the second knows the variable of the first."""
    first, inner = w.each(scope, d)
    if w.number(3):
        return first, inner
    second, inner = w.each(inner, d - 1)
    return f"{first} for {second}", inner
