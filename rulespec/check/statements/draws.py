"""`roll` and `choose`: decisions whose arguments are values for the following statements."""

from __future__ import annotations

from rulespec.check.scope import Env
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.decisions import decider, one_form, option_params
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import INT


def type_draw(c: StatementContext, s: ast.Draw, env: Env, place: StatementPlace) -> Outcome:
    """Types `roll` and `choose`: a decision with one option of the same name, whose parameters stay in scope."""
    if place.together:
        c.x.error("RS408", "a simultaneous decision cannot lead to another decision", s.span)
    name = s.name.text
    by, lead = decider(c, name, s.by, env) if s.by is not None else (None, None)
    params, scope = option_params(c, s.params, s.name, env, reads=0)
    weight = c.x.check(s.weight, scope, INT, "the weight") if s.weight is not None else None
    option = typed.OptionDef(name, params, None, weight, (), (), "", s.name.span)
    one_form(c, name, option)
    form = "chance" if by is None else "decide"
    return typed.Decide(s.span, form, name, by, None, "", (option,), draws=True, lead=lead), scope, True
