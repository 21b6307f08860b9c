"""What nobody uses: rules, constants, tables, options, state that is never read."""

from __future__ import annotations

from collections.abc import Container, Mapping

from rulespec.diagnostics.report import Report
from rulespec.syntax import ast
from rulespec.typed import nodes as typed


def check_unused(
    declarations: typed.Declarations,
    rules: typed.Rules,
    start: str,
    groups: Mapping[str, ast.OptionGroup],
    bound: Container[str],
    report: Report,
) -> None:
    """Warns of everything with a name that no rule mentions.

    `bound` names the rules whose parameters are not theirs to choose, as they stand in the place of others.
    """
    used = declarations.used

    def warn(what: str, name: str, declaration: object) -> None:
        span = getattr(declaration, "span", None)
        report.warning("RS405", f"the {what} `{name}` is never used", span, help="take it out, or use it")

    for name, definition in rules.definitions.items():
        if f"def {name}" not in used:
            warn("definition", name, definition)
        for var in definition.params:
            if not var.reads and name not in bound:
                warn("parameter", var.name, var)
    for name, procedure in rules.procedures.items():
        if f"procedure {name}" not in used and name != start:
            warn("procedure", name, procedure)
        for var in procedure.params:
            if not var.reads and name not in bound:
                warn("parameter", var.name, var)
    for name, group in groups.items():
        if f"options {name}" not in used:
            warn("group of options", name, group)
    for what, table in (
        ("constant", declarations.constants),
        ("table", declarations.tables),
        ("option", declarations.settings),
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
