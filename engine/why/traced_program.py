"""Programs with origins: a map from instructions to the statements behind them, with the variables in scope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.game.machines import MachineMemo
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.lowering import lowering
from rulespec.engine.lower.scope import Marks, Scope
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed


class StatementOrigin(Struct, frozen=True):
    """The statement or cost behind an instruction, and the variables in scope."""

    of: typed.Stmt | typed.Cost
    scope: Scope


class Owner(Struct, frozen=True):
    """The procedure or guard that encloses a statement, the innermost option around it, and the docstrings of the
    blocks around it, from the outermost.
    """

    rule: typed.Procedure | typed.Guard
    option: typed.OptionDef | None = None
    remarks: tuple[str, ...] = ()


class Origins(Marks):
    """The origins of a program's parts, recorded during lowering without affecting its result.

    Args:
        ruleset: the ruleset to whose nodes the origins refer, by identity.

    Attributes:
        decisions: decision number → origin.
        lowering: the lowering, which can add expressions to the program.
    """

    lowering: ExpressionLowering

    def __init__(self, ruleset: typed.Ruleset) -> None:
        self.ruleset = ruleset
        self.decisions: dict[int, StatementOrigin] = {}
        self._instructions: dict[int, StatementOrigin] = {}
        self._blocks: dict[int, StatementOrigin] = {}
        self._last: StatementOrigin | None = None

    def statement(self, s: typed.Stmt, block: int, scope: Scope) -> None:
        """Records the statement behind the next instructions."""
        self._last = StatementOrigin(s, scope)
        if isinstance(s, typed.EndGame):
            self._blocks.setdefault(block, self._last)

    def emitted(self, instruction: ir.Instruction) -> None:
        """Records the origin of an instruction, unless it pays a cost."""
        if self._last is not None:
            self._instructions.setdefault(id(instruction), self._last)

    def payment(self, cost: typed.Cost, instructions: Sequence[ir.Instruction], scope: Scope) -> None:
        """Records the origin of the instructions that pay a cost."""
        for instruction in instructions:
            self._instructions[id(instruction)] = StatementOrigin(cost, scope)

    def decision(self, s: typed.Decide, number: int, scope: Scope) -> None:
        """Records the origin of a decision."""
        self.decisions[number] = StatementOrigin(s, scope)

    def of(self, instruction: ir.Instruction) -> StatementOrigin | None:
        """The origin of an instruction, or None if it has none."""
        return self._instructions.get(id(instruction))

    def end(self, block: int) -> StatementOrigin | None:
        """The origin of the `end game` that ends a block; None if the start procedure returns."""
        return self._blocks.get(block)


def _lowered(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Origins:
    result = Origins(ruleset)
    result.lowering = lowering(ruleset, seats, settings, result)
    return result


origins = MachineMemo(_lowered)
"""The origins of a ruleset's program, for a number of seats and the values of all settings."""


def owners(rules: typed.Rules) -> dict[int, Owner]:
    """The owner of each statement and cost, by its id."""
    results: dict[int, Owner] = {}
    for procedure in rules.procedures.values():
        results.update(_of_block(procedure.body, Owner(procedure)))
    for guard in rules.guards.values():
        results.update({id(part): Owner(guard) for part in guard.head if isinstance(part, typed.Cost)})
    return results


def _of_block(block: typed.Block, owner: Owner) -> Iterator[tuple[int, Owner]]:
    if block and isinstance(block[0], typed.Remark):
        owner = replace(owner, remarks=(*owner.remarks, block[0].doc))
    for s in block:
        yield id(s), owner
        if isinstance(s, typed.Decide):
            for option in s.options:
                inner = replace(owner, option=option)
                yield from ((id(part), inner) for part in option.head if isinstance(part, typed.Cost))
                yield from _of_block(option.body, inner)
        for body in _bodies(s):
            yield from _of_block(body, owner)


def _bodies(s: typed.Stmt) -> Iterator[typed.Block]:
    """The blocks in a statement, except those of options."""
    if isinstance(s, typed.If):
        yield from (body for _, body in s.branches)
    elif isinstance(s, typed.Match):
        yield from (body for _, body in s.cases)
        yield s.other or ()
    elif isinstance(s, typed.For | typed.Repeat):
        yield s.body
    elif isinstance(s, typed.CallProcedure) and s.then is not None:
        yield (s.then,)
    elif isinstance(s, typed.Decide) and s.otherwise is not None:
        yield s.otherwise.body
