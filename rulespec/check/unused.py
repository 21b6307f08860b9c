"""Unused declarations: rules, constants, tables, settings, and write-only state."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.typed import nodes as typed


def check_unused(c: Context) -> None:
    """Warns of unused declarations."""
    declarations, rules, report = c.declarations, c.rules, c.report
    used = declarations.used
    # A replacing or wrapping rule inherits its parameters; those of a hook are for its wrappers.
    bound = {name for (_, name), i in c.source.items.items() if i.modifier}

    def warn(what: str, name: str, declaration: typed.Named) -> None:
        report.warning("RS405", f"the {what} `{name}` is never used", declaration.span, help="use it, or remove it")

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
