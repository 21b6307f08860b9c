"""Signatures of definitions, procedures and guards."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.expressions.names import no_shadow
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.syntax import ast
from rulespec.syntax.keywords import NO_DEFINITIONS, NO_PROCEDURES
from rulespec.typed import nodes as typed
from rulespec.types import BAD, MAX_DEPTH, SetOf


def _declare_depth(c: Context, procedure: typed.Procedure, deep: ast.Number) -> None:
    """Sets the maximum depth of a recursive procedure; reports depths that are out of range."""
    procedure.deep, procedure.deep_span = min(max(deep.value, 2), MAX_DEPTH), deep.span
    if procedure.deep != deep.value:
        message = f"a recursive procedure must be from 2 to {MAX_DEPTH} deep, not {deep.value}"
        help_ = "without `at most … deep` it never calls itself" if deep.value < 2 else "for repetition, use a loop"
        c.expressions.error("RS420", message, deep.span, help=help_)


def check_signatures(c: Context) -> None:
    """Types the parameters and results of all rules before their bodies, so that their order is irrelevant."""
    x, effects = c.expressions, c.statements.effects
    for (_, name), item in c.source.items.items():
        if isinstance(item, ast.Def | ast.Procedure | ast.Guard):
            params: list[typed.Var] = []
            if name in (NO_DEFINITIONS if isinstance(item, ast.Def) else NO_PROCEDURES):
                x.error("RS223", f"`{name}` is a word of the language", item.name.span)
            for p in item.params:
                if p.name.text in {q.name for q in params}:
                    x.error("RS223", f"two parameters are called `{p.name.text}`", p.name.span)
                type_ = x.type_of(p.type)
                if p.type.form in ("range", "optional range") and type_ != BAD:
                    x.error("RS224", "a parameter cannot have a range", p.type.span)
                no_shadow(x, p.name, Env())
                params.append(typed.Var(p.name.text, type_, p.name.span))
                x.decls.refer(p.name.span, params[-1])
            if isinstance(item, ast.Def):
                result = x.stored_type(item.result)
                x.rules.definitions[name] = typed.Definition(
                    name, tuple(params), result, item.doc.text, item.name.span, item.result.span
                )
                if isinstance(item.at_most, ast.Number):
                    x.rules.definitions[name].at_most = item.at_most.value
                    if not isinstance(result, SetOf) and result != BAD:
                        message = f"`{name}` is {result}, but `at most` is for sets"
                        x.error("RS414", message, item.at_most.span)
            elif isinstance(item, ast.Guard):
                x.rules.guards[name] = typed.Guard(name, tuple(params), item.doc.text, item.name.span)
            else:
                procedure = typed.Procedure(name, tuple(params), item.doc.text, item.name.span)
                x.rules.procedures[name] = procedure
                if item.result is not None:
                    procedure.result, procedure.result_span = x.stored_type(item.result), item.result.span
                    if item.result.form in ("range", "optional range") and procedure.result != BAD:
                        x.error("RS224", "the value of a procedure cannot have a range", item.result.span)
                if isinstance(item.deep, ast.Number):
                    _declare_depth(c, procedure, item.deep)
                effects.procedures[name] = item
                effects.originals[name] = c.source.originals.get(("procedure", name), "")
    for name, definition in x.rules.definitions.items():
        if name in x.rules.procedures:
            notes = (Label(definition.span, "the definition"),)
            x.error("RS223", f"`{name}` is also a definition", x.rules.procedures[name].span, notes=notes)
