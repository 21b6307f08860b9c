"""Who sees which cells."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from rulespec.engine.lower.expressions import ExpressionLowering, Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE
from rulespec.typed import nodes as typed


def add_secrets(declarations: typed.Declarations, x: ExpressionLowering) -> None:
    """Notes in the program which cells are private."""
    for field_, first in x.layout.field_at.items():
        if field_.private is not None:
            _add(x, field_.private, first, [field_.kind] if field_.kind else [], frozenset())
    for piece in declarations.pieces.values():
        alike = frozenset(i for i, kind in enumerate(piece.each) if not declarations.kinds[kind].by_seat)
        for place in piece.places.values():
            if place.private is not None:
                kinds = [*piece.each, *([place.index] if place.index else [])]
                _add(x, place.private, x.layout.place_at[place], kinds, alike)


def _add(
    x: ExpressionLowering, secrecy: typed.Secrecy, first: int, kinds: Sequence[str], alike: frozenset[int]
) -> None:
    scope = Scope()
    for var in secrecy.at:
        scope = scope.in_slot(var, x.slot(scope))
    open_ = x.expr(secrecy.open, scope) if secrecy.open is not None else FALSE
    if open_ == TRUE:  # the settings say so
        return
    to = x.expr(secrecy.to, scope)
    sizes = tuple(x.layout.size(kind) for kind in kinds)
    x.p.secrets.append(
        ir.Secret(
            range(first, first + prod(sizes)), sizes, to, None if open_ == FALSE else open_, secrecy.counted, alike
        )
    )
