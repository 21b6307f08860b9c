"""The part of the state that two games have in common: the cells of the same names, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from operator import itemgetter, ne
from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Labels
from rulespec.engine.program import ir
from rulespec.engine.program.limits import NO_NUMBER

_Name = tuple[str, ...]
Differences = Mapping[int, Any]
"""The cells that differ: by how much, or both values. Two of them are equal if nothing has changed but for both."""


class SharedState:
    """The cells that two games of the same seats both have, in the order of the first.

    Args:
        one: a game.
        other: a game of other rules.
        renamed: entities that are called otherwise in the other game: name → name there.
    """

    def __init__(self, one: Game, other: Game, renamed: Mapping[str, str] | None = None) -> None:
        self._renamed = renamed or {}
        mine, theirs = _cells(one, self._renamed), _cells(other, {})
        pairs = [(at, theirs[name]) for name, at in mine.items() if name in theirs]
        self._one, self._other = (one.omniscient.labels, other.omniscient.labels)
        types = [(one.omniscient.program.cells[a].type, other.omniscient.program.cells[b].type) for a, b in pairs]
        self._numbers = {i for i, (type_, _) in enumerate(types) if type_.removesuffix("?") == "int"}
        self._by_name = {i: pair for i, pair in enumerate(types) if not self._alike(*pair)}
        # Two cells more than there are, of which nothing is read: `itemgetter` of fewer than two gives no tuple.
        self._cells_of_one = itemgetter(*(a for a, _ in pairs), ir.PC, ir.PC)
        self._cells_of_other = itemgetter(*(b for _, b in pairs), ir.PC, ir.PC)
        self._names = [name for name in mine if name in theirs]

    def _alike(self, one: str, other: str) -> bool:
        """Whether numbers of these types mean the same in both games."""
        kind = one.removesuffix("?").split(" ")[-1]
        return one.removesuffix("?") == other.removesuffix("?") and (
            self._one.names.get(kind) == self._other.names.get(kind)
        )

    def of_one(self, state: Sequence[int]) -> tuple[int, ...]:
        """The shared cells of a state of the first game."""
        cells: tuple[int, ...] = self._cells_of_one(state)
        return cells[:-2]

    def name(self, number: int) -> str:
        """The name of a shared cell, for people: `player.Ann.cash`, `cart.red.at[west]`."""
        group, owner, name, place, index = self._names[number]
        if group == "pieces":
            return f"{name}.{owner}.{place}{f'[{index}]' if index else ''}"
        return name if group == "game" else f"{group}.{owner}.{name}"

    def differing(self, one: Sequence[int], other: Sequence[int]) -> Differences:
        """The shared cells, by number, that differ between two states, with their difference."""
        mine, theirs = self.of_one(one), self._cells_of_other(other)[:-2]
        if not self._by_name:
            return {} if mine == theirs else {at: self._how(at, mine[at], theirs[at]) for at in _unequal(mine, theirs)}
        names = self._by_name
        results = {at: self._how(at, mine[at], theirs[at]) for at in _unequal(mine, theirs) if at not in names}
        for at, (type_, other_type) in names.items():
            pair = self._there(self._one.plain(type_, mine[at])), self._other.plain(other_type, theirs[at])
            if pair[0] != pair[1]:
                results[at] = pair
        return results

    def _how(self, at: int, one: int, other: int) -> Any:
        """The difference of a cell: a number, or both values if they are no numbers."""
        return other - one if at in self._numbers and NO_NUMBER not in (one, other) else (one, other)

    def _there(self, value: Any) -> Any:
        """A value of the first game in the names of the other."""
        if isinstance(value, list):
            return [self._renamed.get(each, each) for each in value]
        return self._renamed.get(value, value) if isinstance(value, str) else value


def _unequal(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return list(compress(range(len(one)), map(ne, one, other)))


def _cells(game: Game, renamed: Mapping[str, str]) -> dict[_Name, int]:
    """The cells of the declared state by their names; seats by the names they have at the table."""
    labels, program = game.omniscient.labels, game.omniscient.program
    return {_name(labels, program.cells[at], renamed): at for at in program.declared}


def _name(labels: Labels, cell: ir.CellName, renamed: Mapping[str, str]) -> _Name:
    owners = [labels.show(kind, number) for kind, number in cell.by_seat] or cell.owner.split(".")
    index = labels.names[cell.index_kind][cell.index] if cell.index_kind else ""
    owner = ".".join(renamed.get(each, each) for each in owners)
    return (cell.group, owner, renamed.get(cell.name, cell.name), cell.place, renamed.get(index, index))
