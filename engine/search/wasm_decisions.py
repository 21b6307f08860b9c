"""Bot decisions computed in a module's memory, each in one call; see `comparing` and `option_tree`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rulespec.engine.program.draws import word
from rulespec.engine.search.comparing import Compared, SearchQuestion
from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.option_tree import DEEPEST, Grown, VisibleOptions, curious, rare
from rulespec.engine.search.payoffs import POWERS, Payoffs
from rulespec.engine.search.walk import Positions
from rulespec.engine.wasm.engine import NoWasmtimeError, TrapError
from rulespec.engine.wasm.playouts import BUDGET

_MOST_SEATS = 62
"""The maximum number of seats in a set of the module."""
_MOST_OPTIONS = 2_000
"""The maximum number of options compared by the module, which ranks them in pairs."""
_MOST_ROUNDS = 16
"""The maximum number of halving rounds, more than enough for `_MOST_OPTIONS`."""
_MOST_PLAYOUTS = 20_000
"""The maximum number of games of a tree in a module."""
_ROOM = 24 << 20
"""The address space for the nodes of a tree, in bytes; memory is used only as nodes are added."""
_OF_CHANGES = 16
"""Bytes per option and particle for the place of the changes that the option makes."""
_STEP = 16
"""Bytes per step on a path down the tree."""
_OF_TEAM, _OF_COMPARED, _OF_ROOT = 6, 4, 3
"""The counts of numbers per team, per compared option, and per option at a root."""


class WasmDecisions:
    """Bot decisions computed in a module's memory. Methods return None to leave a decision to Python if memory is short
    or the rules fault.

    Args:
        search: a search over positions.
        memory: the memory.
        value: the number of the position value; a negative number means points.
    """

    def __init__(self, search: Positions, memory: SearchMemory, value: int) -> None:
        self._search, self._memory, self._value = search, memory, value

    @cached_property
    def _comparing(self) -> _Comparing | None:
        if len(self._search.payoffs.team) > _MOST_SEATS:
            return None
        try:
            return _Comparing(self._memory, self._search.payoffs, self._value)
        except NoWasmtimeError:
            return None

    @cached_property
    def _tree(self) -> _Tree | None:
        if self._comparing is None:
            return None
        try:
            return _Tree(self._search, self._memory, self._comparing)
        except NoWasmtimeError:
            return None

    def compared(self, question: SearchQuestion) -> Compared | None:
        """Compares options; see `Search.compared`."""
        return None if self._comparing is None else self._comparing.compared(question)

    def grown(self, question: SearchQuestion) -> Grown | None:
        """Grows a tree of options; see `Search.grown`."""
        return None if self._tree is None else self._tree.grown(question)


class _Comparing:
    """Comparisons in the memory of a module, each in one call.

    Args:
        memory: the memory.
        payoffs: the payoffs of ends.
        value: the number of the value of positions; a negative number means points.
    """

    def __init__(self, memory: SearchMemory, payoffs: Payoffs, value: int) -> None:
        self._memory = memory
        self._team = payoffs.team
        of_teams = np.zeros((len(payoffs.sets), _OF_TEAM), np.int64)
        of_teams[:, 0], of_teams[:, 1] = payoffs.sets, payoffs.factors
        self._keys = memory.grow(8 * (_MOST_ROUNDS + of_teams.size + len(POWERS)))
        self._teams = self._keys + 8 * _MOST_ROUNDS
        end = self._teams + 8 * of_teams.size
        memory.write(self._teams, of_teams)
        memory.write(end, np.array(POWERS, np.int64))
        registers = {"KEYS": self._keys, "TEAMS": self._teams, "TEAMS_END": end, "POWERS": end, "JUDGED": value}
        registers |= {"FORM": payoffs.form, "UNIT": payoffs.unit, "SHIFT": payoffs.shift, "STAKE": payoffs.stake}
        for register, number in registers.items():
            memory.set(register, number)

    def decides(self, seat: int) -> None:
        """Sets the deciding seat."""
        self._memory.set("OWN_TEAM", self._teams + 8 * _OF_TEAM * self._team[seat])

    def compared(self, question: SearchQuestion) -> Compared | None:
        """Compares options; returns None to leave this to Python if memory is short or the rules fault."""
        memory, count, particles = self._memory, question.options, len(question.rows)
        size = 8 * _OF_COMPARED * count + memory.state * particles + _OF_CHANGES * count * particles
        if count > _MOST_OPTIONS or size > memory.room or not memory.asks(question.rows, question.codes):
            return None
        for number in range(question.rounds):
            memory.set_at(self._keys + 8 * number, word(question.key, number))
        self.decides(question.seat)
        memory.set("NEXT", 0)
        memory.set("PAUSED", 0)
        memory.set("OUT", memory.out)
        arguments = (count, particles, question.playouts, question.rounds, question.cap)
        try:
            memory.set("BUDGET", BUDGET)
            while memory.instance.call("halve", *arguments):
                memory.set("BUDGET", BUDGET)
        except TrapError:
            return None
        of_options = memory.read(memory.out, _OF_COMPARED * count).reshape(count, _OF_COMPARED)
        left, aims, shares, played = of_options.T
        return Compared(left > 0, aims, shares, played, memory.get("SILENT"))


class _Tree:
    """Trees in the memory of a module.

    Args:
        search: searches positions.
        memory: the memory.
        comparing: the comparisons, which have written the payoffs into that memory.

    Raises:
        NoWasmtimeError: if there is not enough memory.
    """

    def __init__(self, search: Positions, memory: SearchMemory, comparing: _Comparing) -> None:
        self._memory, self._comparing = memory, comparing
        self._shown = VisibleOptions(search, 0)
        hides = [sum(1 << column for column in columns) for columns in self._shown.hidden]
        self._tables = 0
        """The maximum number of games covered by the tables."""
        way = memory.grow(_STEP * DEEPEST)
        table = memory.grow(8 * len(hides))
        tree = memory.grow(_ROOM)
        self._answers = memory.grow(8 * (memory.constants["MAX_OPTIONS"] + 1))
        memory.write(table, np.array(hides, np.int64))
        registers = {"WAY": way, "WAY_END": way + _STEP * DEEPEST, "HIDES": table}
        for register, value in (registers | {"TREE": tree, "TREE_END": tree + _ROOM}).items():
            memory.set(register, value)

    @cached_property
    def _bounds(self) -> int:
        """The address of the two tables for bounds, by how often an option was legal and by its visits."""
        return self._memory.grow(2 * 8 * (_MOST_PLAYOUTS + 2))

    def _tabled(self, playouts: int) -> None:
        """Writes the tables for trees of up to `playouts` games."""
        if playouts > self._tables:
            memory, half = self._memory, 8 * (_MOST_PLAYOUTS + 2)
            numbers = range(playouts + 2)
            memory.write(self._bounds, np.array([curious(legal) for legal in numbers], np.int64))
            memory.write(self._bounds + half, np.array([rare(visits) for visits in numbers], np.int64))
            memory.set("CURIOUS", self._bounds)
            memory.set("RARE", self._bounds + half)
            self._tables = playouts

    def grown(self, question: SearchQuestion) -> Grown | None:
        """Grows a tree; returns None to leave this to Python if memory is short or the rules fault."""
        memory, rows, count = self._memory, question.rows, question.options
        size = max(8 * _OF_ROOT * count, memory.state * len(rows))
        if question.playouts > _MOST_PLAYOUTS or size > memory.room or not memory.asks(rows, question.codes):
            return None
        self._tabled(question.playouts)
        self._comparing.decides(question.seat)
        known = len(rows) == 1 and not self._shown.secretive
        registers = {"OWN_SEAT": question.seat, "KNOWN": int(known), "DRAWN": -1, "SILENT": 0}
        for register, value in (
            registers | {"NEXT": 0, "PAUSED": 0, "OUT": memory.out, "ANSWERS": self._answers}
        ).items():
            memory.set(register, value)
        memory.set_at(memory.constants["TREE_KEY"], question.key)
        try:
            memory.set("BUDGET", BUDGET)
            while memory.instance.call("grow", question.playouts, len(rows), question.cap):
                memory.set("BUDGET", BUDGET)
            memory.instance.call("of_root", count)
        except TrapError:
            return None
        finally:
            memory.set("ANSWERS", memory.options)
        visits, won, proven = memory.read(memory.out, _OF_ROOT * count).reshape(count, _OF_ROOT).T
        return Grown(visits, won, proven, memory.get("NEXT"), memory.get("SILENT"))
