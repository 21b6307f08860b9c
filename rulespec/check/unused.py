"""Unused declarations, and constants whose unit fits none of their uses.

Unused declarations are rules, constants, tables, settings, and write-only state. A wrong unit is reported at the
constant, where one edit fixes all uses.
"""

from __future__ import annotations

from collections import Counter

from rulespec.check.context import Context
from rulespec.check.expressions.context import Dispute
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Span
from rulespec.typed import nodes as typed
from rulespec.types import INT, Num, Type

_SHOWN = 3
"""Maximum number of uses listed with a constant."""


def check_unused(c: Context) -> None:
    """Warns of unused declarations."""
    declarations, rules, report = c.declarations, c.rules, c.report
    used = declarations.used
    # A replacing or wrapping rule inherits its parameters; those of a hook are for its wrappers.
    bound = {name for (_, name), i in c.source.items.items() if i.modifier}

    def warn(what: str, name: str, declaration: typed.Named) -> None:
        report.warning("RS405", f"the {what} `{name}` is never used", declaration.span, help="use or remove it")

    for name, definition in rules.definitions.items():
        if f"def {name}" not in used:
            warn("definition", name, definition)
        for var in definition.params:
            if not var.reads and name not in bound:
                warn("parameter", var.name, var)
    for name, procedure in rules.procedures.items():
        if f"procedure {name}" not in used and name != c.start:
            warn("procedure", name, procedure)
        for var in procedure.params:
            if not var.reads and name not in bound:
                warn("parameter", var.name, var)
    for name, guard in rules.guards.items():
        if f"guard {name}" not in used:
            warn("guard", name, guard)
        for var in guard.params:
            if not var.reads and name not in bound:
                warn("parameter", var.name, var)
    for name, group in c.groups.items():
        if f"options {name}" not in used:
            warn("group of options", name, group)
    for what, table in (
        ("constant", declarations.constants),
        ("table", declarations.tables),
        ("setting", declarations.settings),
        ("track", declarations.tracks),
        ("type of pieces", declarations.pieces),
    ):
        for name, declaration in table.items():
            if name not in used:
                warn(what, name, declaration)
    for kind in declarations.kinds.values():
        for field in kind.state.values():
            if f"{kind.name}.{field.name}" not in used:
                warn("account" if field.account else "state", f"{kind.name}.{field.name}", field)
    for field in declarations.fields.values():
        if field.name not in used:
            warn("account" if field.account else "state", field.name, field)


def report_disputes(c: Context, disputes: list[Dispute]) -> None:
    """Reports unit conflicts that involve constants, at the constant if most of its uses conflict.

    Uses in a lower layer are assumed to be right, and the constant wrong.
    """
    uses = Counter(n.name for n in c.declarations.references.values() if isinstance(n, typed.ConstantDecl))
    by_constant: dict[typed.ConstantDecl, list[tuple[Type, Diagnostic]]] = {}
    for dispute in disputes:
        result = _suspect(c, dispute)
        if result is None:
            c.report.add(dispute.diagnostic)
        else:
            by_constant.setdefault(result[0], []).append((result[1], dispute.diagnostic))
    for constant, note in by_constant.items():
        if 2 * len(note) > uses[constant.name] or any(_layer(c, d.span) < _layer(c, constant.span) for _, d in note):
            _report(c, constant, note)
        else:
            c.report.extend(d for _, d in note)


def _suspect(c: Context, dispute: Dispute) -> tuple[typed.ConstantDecl, Type] | None:
    """The suspected constant, with the required unit: the only one, or the only one of the top layer."""
    layers = [_layer(c, constant.span) for constant, _ in dispute.constants]
    top = [each for each, layer in zip(dispute.constants, layers, strict=True) if layer == max(layers)]
    return top[0] if len(top) == 1 else None


def _layer(c: Context, span: Span | None) -> int:
    return c.source.layers.get(span.file, 0) if span is not None else 0


def _report(c: Context, constant: typed.ConstantDecl, needs: list[tuple[Type, Diagnostic]]) -> None:
    (want, _), *others = Counter(want for want, _ in needs).most_common()
    notes = [Label(d.span, f"{want} is needed here") for want, d in needs[:_SHOWN] if d.span is not None]
    # Other changes by the constant's overlay may be the cause.
    over = [n for _, d in needs for n in d.notes if _layer(c, n.span) > _layer(c, d.span) and n.span != constant.span]
    notes += dict.fromkeys(over[:_SHOWN])
    number = str(constant.value) if want == INT else f"{constant.value} {want}"
    help_ = f"write `{number}`" if not others else "declare a constant for each unit that the rules need"
    message = f"`{constant.name}` is {_unit(constant.type)}, but the rules need {_unit(want)}"
    c.report.error("RS302", message, constant.span, notes=notes, help=help_)


def _unit(type_: Type) -> str:
    return "a plain number" if isinstance(type_, Num) and not type_.unit else str(type_)
