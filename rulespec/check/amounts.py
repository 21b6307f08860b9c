"""Out-of-bounds amounts: negative amounts of money or pieces, and values outside the range of their target."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.check.context import Context
from rulespec.check.flows import Flows, Written
from rulespec.check.origins import constant_label, constants_in
from rulespec.check.ranges import Range, Ranges
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.language.operators import COMPARISONS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import definition_expressions, expressions

_SHOWN = 3
"""Maximum number of constants listed for an expression that is always out of bounds."""


def check_amounts(c: Context) -> None:
    """Reports numbers that are out of bounds where they are used, at the place of the number.

    Out-of-bounds constants and literals are errors, and so are facts that the set-up uses for every entity. Other facts
    and table rows only cause warnings, because the rules may exclude these cases; there is no warning if a rule
    compares the fact or table.
    """
    _Amounts(c).check()


class _Use(Struct, frozen=True):
    """A use of a number, with its bounds; `certain` means that each possible fact is actually used."""

    number: typed.Expr
    low: int | None
    high: int | None
    what: str
    declared: Span | None = None
    certain: bool = False


class _Amounts:
    def __init__(self, c: Context) -> None:
        self.c = c
        self.d = c.declarations
        self.flows = Flows(c.declarations, c.ranges)
        self._compared: set[int] | None = None

    def check(self) -> None:
        """Checks all numbers that are paid, moved, assigned or used as counts."""
        for procedure in self.c.rules.procedures.values():
            for s in _reached(procedure.body, self.c.ranges):
                for use in _uses(s):
                    self._use(use)
        for guard in self.c.rules.guards.values():
            for part in guard.head:
                for use in _uses(part):
                    self._use(use)
        for placement in self.d.placements:
            self._use(_start(placement))

    def _use(self, use: _Use) -> None:
        wrong = self.flows.outside(use.number, Range(use.low, use.high))
        for written in wrong:
            if written.of is None or use.certain:
                self._report(use, written)
            elif id(written.of) not in self.compared:
                self._warn(use, written)
        if not wrong and self._never(use):
            self._unfit(use)

    def _never(self, use: _Use) -> bool:
        """Whether a number is out of bounds, or at best zero, in every position, for any number of players."""
        result = self.c.ranges.of(use.number)
        if "players" in result.of:
            return False
        if result.high is not None and use.low is not None and result.high <= use.low:
            nothing = use.declared is None and result.low != result.high
            return nothing or result.high < use.low
        return use.high is not None and result.low is not None and result.low > use.high

    def _report(self, use: _Use, written: Written) -> None:
        code, message = self._said(use, written.what or "this", written.value)
        notes = [Label(use.number.span, "used here")] if written.place != use.number.span else []
        self.c.report.error(code, message, written.place, notes=[*notes, *_declared(use)], help=_way_out(use))

    def _warn(self, use: _Use, written: Written) -> None:
        code, message = self._said(use, written.what, written.value)
        notes = [Label(use.number.span, "used here"), *_declared(use)]
        help_ = f"{_way_out(use)}; or exclude this value with a condition where it is used"
        self.c.report.warning(code, message, written.place, notes=notes, help=help_)

    def _unfit(self, use: _Use) -> None:
        code = "RS307" if use.declared is not None else "RS243"
        what = f"between {use.low} and {use.high}" if use.declared is not None else "greater than 0"
        notes = [*self._constants(use.number), *_declared(use)]
        message = f"{use.what} is never {what} here"
        self.c.report.error(code, message, use.number.span, notes=notes, help=_way_out(use))

    def _constants(self, e: typed.Expr) -> list[Label]:
        """The constants in an expression and in called definitions; negative ones first."""
        results = {constant.span: constant for constant in constants_in(e.span, self.d)}
        known: set[object] = set()
        stack = [e]
        while stack:
            for part in expressions(stack.pop()):
                named = self.d.references.get(part.span)
                if isinstance(named, typed.ConstantDecl):
                    results[named.span] = named
                elif isinstance(part, typed.Call) and part.definition not in known:
                    known.add(part.definition)
                    stack += definition_expressions(part.definition)
                elif isinstance(part, typed.Local) and part.var not in known:
                    known.add(part.var)
                    stack += self.c.ranges.values(part.var)
        return [constant_label(c) for c in sorted(results.values(), key=lambda c: c.value >= 0)[:_SHOWN]]

    def _said(self, use: _Use, what: str, value: int) -> tuple[str, str]:
        if use.declared is not None:
            return "RS307", f"{what} is {value}, but {use.what} must be between {use.low} and {use.high}"
        return "RS243", f"{what} is {value}, but {use.what} must not be negative"

    @property
    def compared(self) -> set[int]:
        """The ids of facts, settings and tables that rules use in comparisons."""
        if self._compared is None:
            groups = self.c.expressions_by_rule
            tests = [e for g in groups for e in g if isinstance(e, typed.Op) and e.op in COMPARISONS]
            parts = [part for test in tests for part in expressions(test)]
            self._compared = {id(e.decl) for e in parts if isinstance(e, typed.Fact)}
            self._compared |= {id(e.setting) for e in parts if isinstance(e, typed.SettingValue)}
            self._compared |= {id(e.table) for e in parts if isinstance(e, typed.TableRow)}
        return self._compared


def _uses(s: typed.Stmt | typed.HeadPart) -> Iterator[_Use]:
    if isinstance(s, typed.Cost) and isinstance(s.source, typed.Field) and not s.source.decl.account:
        yield _Use(s.amount, 0, None, "the cost")
    elif isinstance(s, typed.Transfer | typed.Cost):
        what = "the amount" if isinstance(s.source, typed.Field) else "the number of pieces"
        yield _Use(s.amount, 0, None, what)
    elif isinstance(s, typed.Repeat) and s.limit is not None:
        yield _Use(s.limit, 0, None, "the number of times")
    elif isinstance(s, typed.Assign) and isinstance(s.target, typed.Field):
        decl = s.target.decl
        if decl.low is not None and decl.high is not None:
            yield _Use(s.value, decl.low, decl.high, f"`{decl.name}`", decl.type_span or decl.span)


def _start(placement: typed.Placement) -> _Use:
    """The use of a set-up value: pieces and accounts must not be negative, unless an account is unlimited."""
    certain = isinstance(placement.value, typed.Fact)
    if not isinstance(placement.target, typed.FieldDecl):
        piece, place = placement.target
        return _Use(placement.value, 0, None, f"the number in `{piece.name}.{place.name}`", certain=certain)
    decl = placement.target
    if decl.account:
        return _Use(placement.value, None if decl.unlimited else 0, None, f"`{decl.name}`", certain=certain)
    declared = None if decl.low is None else decl.type_span or decl.span
    return _Use(placement.value, decl.low, decl.high, f"`{decl.name}`", declared, certain)


def _declared(use: _Use) -> list[Label]:
    return [Label(use.declared, f"{use.low} to {use.high}, declared here")] if use.declared is not None else []


def _way_out(use: _Use) -> str:
    return (
        f"change the number, or the range of {use.what}" if use.declared is not None else "write a number of at least 0"
    )


def _reached(block: typed.Block, ranges: Ranges) -> Iterator[typed.Stmt | typed.HeadPart]:
    """The statements of a block, except those after a condition that is never true."""
    for s in block:
        yield s
        if isinstance(s, typed.If):
            for condition, body in s.branches:
                truth = ranges.settled(condition) if condition is not None else True
                if truth is not False:
                    yield from _reached(body, ranges)
                if truth is True:
                    break
        elif isinstance(s, typed.Match):
            for _, body in s.cases:
                yield from _reached(body, ranges)
            yield from _reached(s.other or (), ranges)
        elif isinstance(s, typed.For | typed.Repeat):
            yield from _reached(s.body, ranges)
        elif isinstance(s, typed.Decide):
            for option in s.options:
                requires = (r for r in option.head if isinstance(r, typed.Requirement))
                if all(ranges.settled(r.condition) is not False for r in requires):
                    yield from option.head
                    yield from _reached(option.body, ranges)
            yield from _reached(s.otherwise.body if s.otherwise is not None else (), ranges)
