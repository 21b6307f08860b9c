"""Correspondence between two games under different rules: shared cells, their differences, and translated names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress, product
from operator import itemgetter, ne
from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Labels, Option
from rulespec.engine.logs.recorded import RecordedDecision
from rulespec.engine.program import ir
from rulespec.engine.program.limits import NO_NUMBER

_Name = tuple[str, ...]
Differences = Mapping[int, Any]
"""The difference in each differing cell: a number, or both values; equal changes to both games do not affect it."""


class SharedState:
    """The cells that two games with the same seats share, in the order of the first game.

    Args:
        one: a game.
        other: a game under other rules.
        renamed: name → name in the other game, for renamed entities.
    """

    def __init__(self, one: Game, other: Game, renamed: Mapping[str, str] | None = None) -> None:
        self._renamed = renamed or {}
        mine, theirs = _cells(one, self._renamed), _cells(other, {})
        pairs = [(at, theirs[name]) for name, at in mine.items() if name in theirs]
        self._one, self._other = (one.omniscient.labels, other.omniscient.labels)
        types = [(one.omniscient.program.cells[a].type, other.omniscient.program.cells[b].type) for a, b in pairs]
        self._there_at = [b for _, b in pairs]
        self._types = types
        self._numbers = {i for i, (type_, _) in enumerate(types) if type_.removesuffix("?") == "int"}
        self._by_name = {i: pair for i, pair in enumerate(types) if not self._alike(*pair)}
        # Two dummy cells, which are never read, since `itemgetter` of fewer than two returns no tuple.
        self._cells_of_one = itemgetter(*(a for a, _ in pairs), ir.PC, ir.PC)
        self._cells_of_other = itemgetter(*(b for _, b in pairs), ir.PC, ir.PC)
        self._names = [name for name in mine if name in theirs]

    def _alike(self, one: str, other: str) -> bool:
        """Whether numbers of these types have the same meaning in both games."""
        kind = one.removesuffix("?").split(" ")[-1]
        return one.removesuffix("?") == other.removesuffix("?") and (
            self._one.names.get(kind) == self._other.names.get(kind)
        )

    def of_one(self, state: Sequence[int]) -> tuple[int, ...]:
        """The shared cells of the first game's state."""
        cells: tuple[int, ...] = self._cells_of_one(state)
        return cells[:-2]

    def name(self, number: int) -> str:
        """The readable name of a shared cell, such as `player.Ann.cash` or `cart.red.at[west]`."""
        group, owner, name, place, index = self._names[number]
        if group == "pieces":
            return f"{name}.{owner}.{place}{f'[{index}]' if index else ''}"
        return name if group == "game" else f"{group}.{owner}.{name}"

    def sort(self, number: int) -> str:
        """The name of a shared cell without its owner and index, so that all cells of a field have the same name."""
        group, _, name, place, _ = self._names[number]
        return f"{name}.{place}" if group == "pieces" else f"{group}.{name}"

    def differing(self, one: Sequence[int], other: Sequence[int]) -> Differences:
        """The shared cells that differ between two states, by number, with their differences."""
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

    def texts(self, number: int, one: Sequence[int], other: Sequence[int]) -> tuple[str, str]:
        """The readable values of a shared cell in both states."""
        mine, theirs = self._types[number]
        there = other[self._there_at[number]]
        return self._one.show(mine, self.of_one(one)[number]), self._other.show(theirs, there)

    def carried(self, differences: Differences, one: Sequence[int]) -> dict[int, int] | None:
        """The changes that give the other game the first game's values: cell of the other game → number.

        Args:
            differences: the shared cells that differ.
            one: the state of the first game.

        Returns:
            The numbers, or None if one of the values does not exist in the other game.
        """
        mine, results = self.of_one(one), dict[int, int]()
        for at in differences:
            value = mine[at] if at not in self._by_name else self._number(at, mine[at])
            if value is None:
                return None
            results[self._there_at[at]] = value
        return results

    def _number(self, at: int, value: int) -> int | None:
        """The number in the other game for a value of the first; None if it lacks the value."""
        mine, theirs = self._types[at]
        return number_of(self._other, theirs, self._there(self._one.plain(mine, value)))

    def _how(self, at: int, one: int, other: int) -> Any:
        """The difference of a cell: a number for numeric cells, otherwise both values."""
        return other - one if at in self._numbers and NO_NUMBER not in (one, other) else (one, other)

    def _there(self, value: Any) -> Any:
        """A value of the first game with the names of the other."""
        if isinstance(value, list):
            return [self._renamed.get(each, each) for each in value]
        return self._renamed.get(value, value) if isinstance(value, str) else value


def _unequal(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return list(compress(range(len(one)), map(ne, one, other)))


def number_of(labels: Labels, type_: str, value: Any) -> int | None:
    """The number that encodes a value from `Labels.plain`; None if the type has no such value."""
    plain = type_.removesuffix("?")
    if value is None:
        return {"int": NO_NUMBER, "bool": None}.get(plain, None if " " in plain else -1)
    if plain in ("int", "bool"):
        return int(value) if isinstance(value, int) and isinstance(value, bool) == (plain == "bool") else None
    sort, _, kind = plain.rpartition(" ")
    if kind not in labels.names or isinstance(value, list) != (sort != ""):
        return None
    numbers = [labels.number(kind, str(name)) for name in (value if isinstance(value, list) else [value])]
    if min(numbers, default=0) < 0 or len(set(numbers)) < len(numbers):
        return None
    if sort == "set":
        return sum(1 << number for number in numbers)
    if sort == "order":
        bits = len(labels.names[kind]).bit_length()
        return sum((number + 1) << at * bits for at, number in enumerate(numbers))
    return numbers[0]


def declared_cells(game: Game, renamed: Mapping[str, str] | None = None) -> dict[tuple[str, ...], int]:
    """The cells of the declared state, by name; a name consists of group, owner, name, place and index.

    Args:
        game: a game.
        renamed: name → other name, for renamed entities.
    """
    return _cells(game, renamed or {})


def _cells(game: Game, renamed: Mapping[str, str]) -> dict[_Name, int]:
    """The cells of the declared state by name, with seats as named at the table."""
    labels, program = game.omniscient.labels, game.omniscient.program
    return {_name(labels, program.cells[at], renamed): at for at in program.declared}


def _name(labels: Labels, cell: ir.CellName, renamed: Mapping[str, str]) -> _Name:
    owners = [labels.show(kind, number) for kind, number in cell.by_seat] or cell.owner.split(".")
    index = labels.names[cell.index_kind][cell.index] if cell.index_kind else ""
    owner = ".".join(renamed.get(each, each) for each in owners)
    return (cell.group, owner, renamed.get(cell.name, cell.name), cell.place, renamed.get(index, index))


class Translation:
    """A translation from the names in a record to the names in other rules, which declare the former names.

    Args:
        record: the recorded game.
        game: a game under the other rules.
    """

    def __init__(self, record: Game, game: Game) -> None:
        program = game.omniscient.program
        self._was = game.ruleset.declarations.was
        self._decisions = {decision.name for decision in program.decisions}
        self._options = {(d.name, choice.name): choice for d in program.decisions for choice in d.choices}
        self.new = self._decisions - {self.question(decision.name) for decision in record.omniscient.program.decisions}
        """The decisions that only the other rules have, by name."""
        kinds = record.ruleset.declarations.kinds if self._was.entities else ()
        pairs = (pair for kind in kinds for pair in _pairs(record, game, kind))
        self.entities = {old: new for old, new in pairs if old != new}
        """Former name → current name of an entity, or of an entity of a product that contains it."""

    def decision(self, option: Option) -> RecordedDecision:
        """A recorded decision with the names and the argument order of the other rules."""
        decision, name = self.question(option.decision), option.name
        if (decision, name) not in self._options:
            name = self._was.options.get((decision, name), name)
        arguments = {param: self._renamed(value) for param, value in option.arguments.items()}
        choice = self._options.get((decision, name))
        order = [param.name for param in choice.params] if choice is not None else []
        if len(order) == len(arguments) and set(order) == set(arguments):
            arguments = {name: arguments[name] for name in order}
        shown = ", ".join(arguments.values())
        return RecordedDecision(decision, option.by, f"{name}({shown})" if shown else name)

    def question(self, decision: str) -> str:
        """The current name of a recorded decision."""
        return decision if decision in self._decisions else self._was.decisions.get(decision, decision)

    def _renamed(self, value: str) -> str:
        """A translated argument: the name of an entity, or a set or order of names."""
        if not self.entities:
            return value
        if value[:1] in "{[":
            names = value[1:-1].split(", ")
            return value[0] + ", ".join(self.entities.get(name, name) for name in names) + value[-1]
        return self.entities.get(value, value)


def _pairs(record: Game, game: Game, kind: str) -> list[tuple[str, str]]:
    """Pairs of recorded and current names of a kind's entities, composed for products."""
    was, parts = game.ruleset.declarations.was.entities, record.ruleset.declarations.kinds[kind].product
    if parts:
        every = product(*(_pairs(record, game, part) for part in parts))
        return [("_".join(old for old, _ in pairs), "_".join(new for _, new in pairs)) for pairs in every]
    known = set(game.omniscient.labels.names.get(kind, ()))
    names = record.omniscient.labels.names[kind]
    return [(old, old if old in known else was.get((kind, old), old)) for old in names]
