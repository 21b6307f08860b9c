"""Guarded reading: evaluation from a seat's own view, which stops at the first hidden value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsIndex, overload

from rulespec.engine.game.option import Labels, Refusal
from rulespec.engine.game.refusal import refused, why_not
from rulespec.engine.program import ir
from rulespec.engine.program.evaluator import evaluate

NOT_YOURS = "it is not yours to do"
NOT_NOW = "it is not possible now"
UNKNOWN = "?"
"""Placeholder for a value that depends on hidden information."""


class HiddenError(Exception):
    """Raised on a read of a hidden cell."""


class GuardedState(list[int]):
    """A state whose hidden cells cannot be read: results depend only on visible cells.

    Args:
        state: the cells.
        unseen: the hidden cells.
    """

    def __init__(self, state: Iterable[int], unseen: Iterable[int]) -> None:
        super().__init__(state)
        self.unseen = frozenset(unseen)

    def like(self, state: Iterable[int]) -> GuardedState:
        """Another state with the same hidden cells."""
        return GuardedState(state, self.unseen)

    @overload
    def __getitem__(self, at: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> int | list[int]:
        if isinstance(at, slice):
            if not self.unseen.isdisjoint(range(*at.indices(len(self)))):
                raise HiddenError
        elif at in self.unseen:
            raise HiddenError
        return super().__getitem__(at)


def guarded_refusal(
    program: ir.Program, labels: Labels, choice: ir.Choice, args: Sequence[int], state: GuardedState
) -> Refusal:
    """The reason why a seat's own option is illegal: its first failing condition among the visible ones.

    If no visible condition fails, the refusal only says that the option is not possible now.
    """
    slots = program.slots + 1

    def value(e: ir.Expr, known: tuple[int, ...]) -> int:
        return evaluate(program, e, state, [*known, *[0] * (slots + 1 - len(known))])

    try:
        return why_not(value, labels, choice, args, slots)
    except HiddenError:
        return refused(NOT_NOW)
