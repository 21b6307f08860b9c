"""`draft`, typed as a loop around a decision with the additional option `withdraw`.

A variable records whether anything is planned. The lowered code saves the state before the draft, and restores it when
the draft is withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rulespec.check.scope import Env
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.decisions import type_decide
from rulespec.check.statements.effects import Effects, blocks_of, callee
from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.keywords import WITHDRAW
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions
from rulespec.types import BOOL

NOT_YET = "nothing has been planned yet"
_WAY_OUT = (
    "move it before or after the draft, or use a parameter of an option; "
    "a `decide` that is repeated may contain it, but cannot be withdrawn"
)


def type_draft(c: StatementContext, s: ast.Decide, env: Env, place: StatementPlace) -> Outcome:
    """Types `draft`: checks its restrictions, then types the decision and the loop."""
    x = c.x
    options = c.effects.options(s)
    bodies = tuple(st for o in options for st in o.body)
    for span, what in _questions(c.effects, bodies, env.original):
        x.error("RS370", f"the draft `{s.name.text}` cannot contain {what}", span, help=_WAY_OUT)
    for o in options:
        if o.name.text == WITHDRAW:
            help_ = "remove or rename this option"
            x.error("RS374", "every draft already has the option `withdraw`", o.name.span, help=help_)
    left = c.effects.leaves(bodies)
    if not (left or _ends(bodies)):
        help_ = "write `leave` in an option, outside a loop: `option done: leave`; its `require` tests the whole plan"
        x.error("RS372", f"no option ends the draft `{s.name.text}`", s.name.span, help=help_)
    env = c.forget(env, bodies)
    decide, after, _ = type_decide(c, s, env, replace(place, in_loop=True))
    assert isinstance(decide, typed.Decide)
    if decide.by is not None:
        changed = c.effects.of(bodies, env.original)
        own = c.effects.assigned(bodies)
        if (name := next((n for n in _reads(decide.by) if n in (own if n.startswith(_VAR) else changed)), "")) != "":
            help_ = "name the seat before the draft: `let p = …`, then `draft … by p:`"
            message = f"the planning seat may change within the draft, which sets `{name.removeprefix(_VAR)}`"
            x.error("RS371", message, decide.by.span, help=help_)
    begun = typed.Var(f"begun {s.name.text}", BOOL, s.name.span, reads=1)
    loop = typed.Repeat(s.span, None, (_whole(decide, begun),), word="draft")
    return loop, replace(after, vars=env.vars), left


def _whole(decide: typed.Decide, begun: typed.Var) -> typed.Decide:
    """The decision of a draft, with the option `withdraw`."""
    at = decide.span
    head = (typed.Requirement(typed.Local(BOOL, at, begun), NOT_YET, at),)
    back = typed.OptionDef(WITHDRAW, (), None, None, head, (typed.Jump(at, WITHDRAW),), "", at)
    return replace(decide, form="decide", options=(*decide.options, back), draft=begun)


_VAR = "let "


def _reads(e: typed.Expr) -> Iterator[str]:
    """The names of the state, and with a prefix of the variables, read by a value."""
    queue, known = [e], set[typed.Definition]()
    while queue:
        for part in expressions(queue.pop()):
            if isinstance(part, typed.Field):
                yield part.decl.name
            elif isinstance(part, typed.Local):
                yield f"{_VAR}{part.var.name}"
            elif isinstance(part, typed.Call) and part.definition not in known:
                known.add(part.definition)
                queue += definition_expressions(part.definition)


def _questions(effects: Effects, stmts: tuple[ast.Stmt, ...], original: str) -> Iterator[tuple[Span, str]]:
    """The places in a draft that ask a further question, each with a description of it."""
    for s in stmts:
        if isinstance(s, ast.Decide | ast.Draw):
            by_chance = s.by is None and not (isinstance(s, ast.Decide) and s.each is not None)
            yield s.name.span, "chance" if by_chance else "another draft" if _is_draft(s) else "another decision"
        elif isinstance(s, ast.Rearrange) and s.word == "shuffle":
            yield s.span, "chance"
        elif (name := callee(s, original)) and effects.decides(name):
            yield s.span, f"a call of `{name}`, which may offer a decision or roll"
        else:
            for block in blocks_of(s):
                yield from _questions(effects, block, original)


def _is_draft(s: ast.Stmt) -> bool:
    return isinstance(s, ast.Decide) and s.form == "draft"


def _ends(stmts: tuple[ast.Stmt, ...]) -> bool:
    """Whether a statement ends the procedure or the turn that contains the draft."""
    return any(
        isinstance(s, ast.Return | ast.EndGame)
        or (isinstance(s, ast.Jump) and s.word in ("return", "pass turn"))
        or any(_ends(block) for block in blocks_of(s))
        for s in stmts
    )
