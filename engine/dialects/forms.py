"""The forms in which a dialect records options, compiled for one game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from rulespec.engine.dialects.projected import Projection
from rulespec.engine.game.query import Value
from rulespec.engine.program import ir

Params = tuple[tuple[str, str], ...]
"""Names and types of an option's parameters."""


class ComparedField(Struct, frozen=True):
    """A field of a record that is compared with an option.

    Attributes:
        path: the path in the record.
        read: the function that follows the path.
        text: the source of the expression for the option's value.
        type: the type of the expression.
        value: the compiled expression.
        optional: whether a record may lack the field.
        slots: the numbers of the arguments that the expression depends on.
        constant: whether the expression depends only on these arguments.
        lowered: the lowered expression.
    """

    path: str
    read: Callable[[Any], Any]
    text: str
    type: str
    value: Value
    optional: bool
    slots: frozenset[int]
    constant: bool
    lowered: ir.Expr


class Form(Struct):
    """One form in which an option is recorded. `when` is its compiled condition, and `condition` the lowered one."""

    projection: Projection
    params: Params
    fields: list[ComparedField] = []
    when: Value | None = None
    condition: ir.Expr | None = None


def is_silent(form: Form) -> bool:
    """Whether the log has no entry for an option in this form because the other system takes it automatically."""
    p = form.projection
    return p.order is not None or (p.automatic and not p.type)
