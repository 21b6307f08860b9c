"""Context of the modules that type statements: scopes, effects and enclosing constructs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.check.statements.effects import Effects
from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, Ent, Maybe, Num, Order, SetOf, Type, never_none, or_none, settled

Outcome = tuple[typed.Stmt | typed.Block | None, Env, bool]
"""The typed form of a statement, possibly a block or None, the scope after it, and whether its end is reachable."""


class StatementPlace(Struct, frozen=True):
    """The constructs that enclose a statement.

    Attributes:
        in_loop: whether it is inside a loop.
        asks: whether a decision in the loop can be asked again.
        together: whether it is in a simultaneous decision.
        passes: the variable that records whether the current member has passed; None outside `turns`.
    """

    in_loop: bool = False
    asks: bool = False
    together: bool = False
    passes: typed.Var | None = None


class OpenVariable(Struct):
    """A variable whose initial value has an open type: the place of its name, that type, and types assigned later."""

    span: Span
    begun: Type
    types: list[Type] = []

    @property
    def type(self) -> Type | None:
        """The first closed type assigned to the variable; None if there is none."""
        forms = (Order, SetOf) if isinstance(self.begun, SetOf) else (Ent, Num, Maybe)
        fitting = (t for form in forms for t in self.types if isinstance(t, form) and not is_open(t))
        return next((settled(or_none(never_none(t))) for t in fitting), None)


def is_open(type_: Type) -> bool:
    """Whether the kind of a type is open, as in `{}` and `none`."""
    return isinstance(type_, Ent | SetOf | Order) and type_.kind == ANY


class StatementContext(ABC):
    """The state of one run over the statements; `block` types nested blocks.

    Attributes:
        x: the checker of expressions.
        effects: the effects of statements.
        understood: whether all calls and matches could be typed; an untyped one may contain a decision.
        options_seen: the first option with each name, by decision name.
        procedure: the procedure that contains the statements.
        tried: in a trial run, the variables and tables whose types are to be inferred; otherwise None.
        open_types: the types inferred so far, by the place of the name.
    """

    procedure: typed.Procedure

    def __init__(self, expressions: ExpressionContext, groups: Mapping[str, ast.OptionGroup]) -> None:
        self.x = expressions
        self.effects = Effects(expressions.decls, groups)
        expressions.assigned = self.effects.of_procedure
        self.understood = True
        self.tried: dict[int, OpenVariable] | None = None
        self.open_types: dict[Span, Type] = {}
        self.options_seen: dict[tuple[str, str], typed.OptionDef] = {}

    @abstractmethod
    def block(self, stmts: tuple[ast.Stmt, ...], env: Env, place: StatementPlace) -> tuple[typed.Block, Env, bool]:
        """The typed block, the scope after it, and whether execution can reach its end."""

    def inner(self, stmts: tuple[ast.Stmt, ...], env: Env, place: StatementPlace) -> tuple[typed.Block, Env, bool]:
        """The result of `block` for a nested block, whose variables go out of scope at its end."""
        body, after, alive = self.block(stmts, env, place)
        for name, var in after.vars.items():
            if name not in env.vars and not var.reads:
                self.unused(var)
        return body, replace(after, vars=env.vars), alive

    def unused(self, var: typed.Var) -> None:
        """Warns of a variable that is never read."""
        self.x.report.warning("RS405", f"`{var.name}` is never used", var.span, help="remove it")

    def forget(self, env: Env, stmts: tuple[ast.Stmt, ...]) -> Env:
        """The scope reduced to facts that still hold after the statements, executed in any order and any number of
        times.
        """
        names = set(self.effects.of(stmts, env.original))
        known = [env.vars[n] for n in names if isinstance(n, str) and n in env.vars]
        names |= {*known, *(var.table for var in known if var.table is not None)}
        return env.forget(frozenset(names))
