"""Data flow from constants, facts and table values to their uses in the rules."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.check.ranges import Range, Ranges
from rulespec.diagnostics.diagnostic import Span
from rulespec.language.intervals import Interval
from rulespec.language.operators import OPERATORS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import arms
from rulespec.typed.seat_kinds import entity_name
from rulespec.types import NO_NUMBER, Num

_DEEP = 30
"""Maximum number of variables, definitions and operators between a value and its use."""
_MAX_STEPS = 200_000
"""Maximum number of expressions and rows visited; later ones are ignored."""


_Args = dict[typed.Var, typed.Expr]


class Written(Struct, frozen=True):
    """A value from a literal or a declaration.

    Attributes:
        value: the number.
        place: the place of the number.
        what: its origin, for messages; "" for a literal in the rules.
        of: the fact, table or setting that has this value among others, so the rules may never use it here; None for
            literals and constants.
    """

    value: int
    place: Span
    what: str
    of: typed.FactDecl | typed.TableDecl | typed.SettingDecl | None = None


class Flows:
    """Tracker of the values that pass through `let`, parameters, definitions, `if … else`, `min` and `max`."""

    def __init__(self, d: typed.Declarations, ranges: Ranges) -> None:
        self.d = d
        self.ranges = ranges
        self._left = _MAX_STEPS

    def outside(self, e: typed.Expr, within: Range) -> list[Written]:
        """The literal and declared values that a number may have and that are outside a range."""
        return [w for w in self._to(e, within, {}, _DEEP) if not fits(w.value, within)]

    def _to(self, e: typed.Expr, within: Range, args: _Args, deep: int) -> Iterator[Written]:
        """The source values that a number may take unchanged."""
        self._left -= 1
        if deep < 0 or self._left < 0 or not isinstance(e.type, Num):
            return
        if isinstance(e, typed.Lit):
            named = self.d.references.get(e.span)
            if isinstance(named, typed.ConstantDecl):
                yield Written(e.value, named.span, f"`{named.name}`")
            else:
                yield Written(e.value, e.span, "")
        elif isinstance(e, typed.SettingValue):
            for end in e.setting.bounds or ():
                yield Written(end, e.setting.span, f"`{e.setting.name}`", e.setting)
        elif isinstance(e, typed.Local):
            for value in [args[e.var]] if e.var in args else self.ranges.values(e.var):
                yield from self._to(value, within, {}, deep - 1)
        elif isinstance(e, typed.Once):
            yield from self._to(e.value, within, args, deep - 1)
        elif isinstance(e, typed.Choice):
            condition = self.ranges.settled(e.condition)
            if condition is not False:
                yield from self._to(e.then, within, args, deep - 1)
            if condition is not True:
                yield from self._to(e.other, within, args, deep - 1)
        elif isinstance(e, typed.IfSome | typed.Cases):
            for value in [e.then, e.other] if isinstance(e, typed.IfSome) else arms(e):
                yield from self._to(value, within, args, deep - 1)
        elif isinstance(e, typed.Op) and e.op in OPERATORS and OPERATORS[e.op].chooses:
            yield from self._chosen(e, within, args, deep - 1)
        elif isinstance(e, typed.Call) and e.definition.body is not None:
            bound = dict(zip(e.definition.params, e.args, strict=True))
            yield from self._to(
                e.definition.body, within, {v: self._unbound(x, args) for v, x in bound.items()}, deep - 1
            )
        elif isinstance(e, typed.Fact):
            kind = e.owner.type
            self._left -= len(e.decl.places)
            for entity, place in e.decl.places.items():
                if e.decl.values[entity] == NO_NUMBER:
                    continue
                name = entity_name(self.d.kinds[getattr(kind, "kind", "")], entity)
                yield Written(e.decl.values[entity], place, f"the `{e.decl.name}` of `{name}`", e.decl)
        elif isinstance(e, typed.TableRow):
            self._left -= len(e.table.places)
            for key, place in e.table.places.items():
                yield Written(e.table.rows[key], place, f"this row of `{e.table.name}`", e.table)

    def _unbound(self, e: typed.Expr, args: _Args) -> typed.Expr:
        """An argument with parameters replaced by the caller's arguments."""
        return args.get(e.var, e) if isinstance(e, typed.Local) else e

    def _chosen(self, e: typed.Op, within: Range, args: _Args, deep: int) -> Iterator[Written]:
        """The source values that an operator such as `min` may select.

        A limit without effect counts as selected: `min(12, n + 1)` is meant to keep a number from exceeding 12.
        """
        interval = OPERATORS[e.op].interval
        assert interval is not None
        ranges = [self.ranges.of(a) for a in e.args]
        operands = [Interval(r.low, r.high) for r in ranges]
        for i, arg in enumerate(e.args):
            for written in self._to(arg, within, args, deep):
                for value in (written.value, _just_outside(written.value, within)):
                    chosen = interval(*operands[:i], Interval(value, value), *operands[i + 1 :])
                    if fits(value, Range(chosen.low, chosen.high)):
                        yield written
                        break


def _just_outside(value: int, within: Range) -> int:
    """The number itself if in the range, otherwise the nearest number outside."""
    value = value if within.high is None else min(value, within.high + 1)
    return value if within.low is None else max(value, within.low - 1)


def fits(value: int, within: Range) -> bool:
    """Whether a number is in a range."""
    return (within.low is None or value >= within.low) and (within.high is None or value <= within.high)
