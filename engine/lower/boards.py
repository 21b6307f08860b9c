"""Lowering of steps and rays on boards to array look-ups."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, choose, logic, op
from rulespec.typed import nodes as typed

_FAR = 8
"""Maximum constant number of steps that gets a separate array."""

Row = Callable[[tuple[int, ...], ir.Expr], ir.Expr]
"""A function that builds a look-up from the values of an array and an index."""


class BoardLowering:
    """The lowering of board operators.

    Args:
        row: the builder of look-ups.
        function: a function that adds a function to the program, given its name, number of parameters, bindings and
            body, and returns its number.
    """

    def __init__(self, row: Row, function: Callable[[str, int, tuple[tuple[int, ir.Expr], ...], ir.Expr], int]) -> None:
        self._row = row
        self._function = function
        self._rays: dict[str, list[list[int]]] = {}
        self._far: dict[str, int] = {}

    def expr(self, e: typed.BoardOp, args: list[ir.Expr]) -> ir.Expr:
        """The lowered form of a board operator; `args` are the lowered arguments."""
        if e.op == "to":
            return self._to(e.board, *args)
        if e.op == "side":
            return self._pair(e.board.side_of, *args)
        if e.op == "back":
            steps = e.board.steps
            return self._row(tuple(steps.index((-x, -y)) for x, y in steps), args[0])
        return self._ray(e.board, *args)

    def _to(self, board: typed.BoardDecl, space: ir.Expr, direction: ir.Expr, times: ir.Expr = TRUE) -> ir.Expr:
        if isinstance(times, ir.Const) and abs(times.value) <= _FAR:
            steps = [[board.to(s, d, times.value) for d in board.steps] for s in range(len(board.spaces))]
            return self._pair(steps, space, direction)
        most = ir.Const(len(board.spaces))  # no path is longer, and larger numbers might overflow
        least = ir.Const(-len(board.spaces))
        if board.kind not in self._far:
            self._far[board.kind] = self._steps(board)
        return ir.Call(self._far[board.kind], (space, direction, op("max", op("min", times, most), least)))

    def _steps(self, board: typed.BoardDecl) -> int:
        """The number of the function for any number of steps, which converts to coordinates and back."""
        lets, tests = [], []
        place: ir.Expr = FALSE
        slot = 3
        least = [min((s[axis] for s in board.spaces), default=0) for axis in (0, 1)]
        sizes = [max((s[axis] for s in board.spaces), default=0) - least[axis] + 1 for axis in (0, 1)]
        for axis, size in enumerate(sizes):
            start = self._row(tuple(s[axis] - least[axis] for s in board.spaces), ir.Local(0))
            along = op("*", self._row(tuple(d[axis] for d in board.steps), ir.Local(1)), ir.Local(2))
            lets.append((slot, op("+", start, along)))
            there = ir.Local(slot)
            tests += [op(">=", there, FALSE), op("<", there, ir.Const(size))]
            place = op("+", op("*", place, ir.Const(size)), there)
            slot += 1
        columns = range(least[0], least[0] + sizes[0])
        rows = range(least[1], least[1] + sizes[1])
        result = self._row(tuple(board.at.get((x, y), -1) for x in columns for y in rows), place)
        return self._function("to", 3, tuple(lets), choose(logic("and", tests), result, ir.Const(-1)))

    def _ray(self, board: typed.BoardDecl, space: ir.Expr, direction: ir.Expr, stops: ir.Expr | None = None) -> ir.Expr:
        if board.kind not in self._rays:
            self._rays[board.kind] = _rays(board)
        whole = self._pair(self._rays[board.kind], space, direction)
        if stops is None:
            return whole
        # Spaces are numbered row by row, so numbers rise or fall monotonically along a direction.
        rising = self._row(tuple(int((y, x) > (0, 0)) for x, y in board.steps), direction)
        return op("until", whole, stops, rising)

    def _pair(self, values: list[list[int]], space: ir.Expr, direction: ir.Expr) -> ir.Expr:
        """A look-up by space and direction."""
        if isinstance(direction, ir.Const):
            return self._row(tuple(row[direction.value] for row in values), space)
        if isinstance(space, ir.Const):
            return self._row(tuple(values[space.value]), direction)
        width = len(values[0]) if values else 1
        place = op("+", op("*", space, ir.Const(width)), direction)
        return self._row(tuple(value for row in values for value in row), place)


def _rays(board: typed.BoardDecl) -> list[list[int]]:
    """For each space and direction, the ray as a set of spaces."""
    rays = [[0] * len(board.steps) for _ in board.spaces]
    for number, step in enumerate(board.steps):
        for first in range(len(board.spaces)):
            if board.to(first, step, -1) >= 0:
                continue  # part of another space's ray
            way = [first]
            while (there := board.to(way[-1], step)) >= 0:
                way.append(there)
            ray = 0
            for space in reversed(way):
                rays[space][number] = ray
                ray |= 1 << space
    return rays
