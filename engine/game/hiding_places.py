"""The places in which a seat may be unable to see tokens; each token hidden from the seat is in one of them."""

from __future__ import annotations

from functools import cached_property

from rulespec.engine.game.secrets import GuardedState, HiddenError
from rulespec.engine.program import ir
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.taint import Reads
from rulespec.engine.program.traversal import changed, walk


class HidingPlaces:
    """The hiding places of a program's tokens.

    Args:
        program: the program.
    """

    def __init__(self, program: ir.Program) -> None:
        self._evaluator = Evaluator(program)
        self._room = [0] * (program.slots + 1)
        self._always: dict[int, dict[int, frozenset[int]]] = {}

    def places(self, state: GuardedState, seat: int) -> dict[int, frozenset[int]]:
        """The cells for places of tokens, each with the numbers of the places in which the token may be hidden from a
        seat.

        The result depends only on the seat's view.

        Args:
            state: the cells, of which those hidden from the seat cannot be read.
            seat: the seat.
        """
        if (results := self._always.get(seat)) is None:
            results = {}
            for secret, to, _ in self._tokens:
                results |= dict.fromkeys(secret.cells, self._hiding(secret, to, state, seat))
            if all(fixed for _, _, fixed in self._tokens):
                self._always[seat] = results
        return results

    def _hiding(self, secret: ir.Secret, to: ir.Expr | None, state: GuardedState, seat: int) -> frozenset[int]:
        if to is None:
            return secret.within
        return frozenset(place for place in secret.within if self._hides(to, place, state, seat))

    def _hides(self, to: ir.Expr, place: int, state: GuardedState, seat: int) -> bool:
        try:
            return not self._evaluator.evaluate(to, state, [place, *self._room]) >> seat & 1
        except HiddenError:
            return True

    @cached_property
    def _tokens(self) -> list[tuple[ir.Secret, ir.Expr | None, bool]]:
        """Secrecy of tokens, each with the viewers as an expression of the place in slot 0.

        The expression is None if the viewers depend on more of the token. The third part tells whether they are always
        the same.
        """
        reads = Reads(self._evaluator.p)
        results = []
        for secret in self._evaluator.p.secrets:
            if secret.within:
                to = _of_place(secret)
                results.append((secret, to, to is None or not reads.of(to)))
        return results


def _of_place(secret: ir.Secret) -> ir.Expr | None:
    """The viewers of a token as an expression of its place in slot 0."""
    where = ir.Cell(secret.cells.start, ir.Local(0), len(secret.cells))

    def open_(e: ir.Expr) -> ir.Expr:
        return changed(e, open_) if e != where else _PLACE

    result = open_(secret.to)
    of_token = any(isinstance(part, ir.Local) and part.slot == 0 and part is not _PLACE for part in walk(result))
    return None if of_token else result


_PLACE = ir.Local(0)
"""The place of a token, told from its number by identity."""
