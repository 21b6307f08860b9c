"""The forms in which a dialect records options, compiled for one game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
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


class ListedForms:
    """The forms of the options of a decision.

    Args:
        number: the number of the decision.
        decision: the decision.
        every: the forms of all options of the program.
        marks: the options before which an undo may stop.

    Attributes:
        number: the number of the decision.
        name: its name.
        forms: the forms of each choice, in list order.
        silent: the numbers of the choices unknown to the dialect, in list order.
        automatic: the choices that the other system takes automatically, in list order.
        by_itself: the automatic forms, by choice.
        checkpoints: the choices before which an undo may stop.
        lists: the lists in the first entry that may answer the decision.
        types: the types of entries that answer the decision.
        whole: the types of entries that answer the decision as a whole rather than by one of their elements.
        is_automatic: whether the other system takes some of its options automatically.
        ordered: the choices taken by standing orders, with their forms.
    """

    def __init__(
        self,
        number: int,
        decision: ir.Decision,
        every: Mapping[tuple[str, str], list[Form]],
        marks: Collection[str],
    ) -> None:
        self.number, self.name = number, decision.name
        listed = sorted(range(len(decision.choices)), key=lambda k: decision.choices[k].by is not None)
        forms = {k: every[decision.name, decision.choices[k].name] for k in listed}
        self.forms = forms
        withdraws = len(decision.choices) - 1 if decision.draft else None  # logs contain no withdrawn decisions
        self.silent = [k for k in listed if not forms[k] and k != withdraws]
        self.by_itself = {k: own for k in listed if (own := [f for f in forms[k] if f.projection.automatic])}
        self.automatic = [*self.by_itself]
        self.checkpoints = frozenset(k for k in listed if f"{decision.name}.{decision.choices[k].name}" in marks)
        # Several places may ask for decisions of one name.
        of_name = [form for (name, _), of in every.items() if name == decision.name for form in of]
        self.lists = frozenset(form.projection.list for form in of_name) - {""}
        self.types = frozenset(form.projection.type for form in of_name)
        self.whole = frozenset(form.projection.type for form in of_name if not form.projection.item)
        self.is_automatic = any(form.projection.automatic for form in of_name)
        self.ordered = [(k, form) for k in listed for form in forms[k] if form.projection.order is not None]
