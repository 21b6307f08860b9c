"""Trees of options in the memory of a module, each grown in one call; see `tree`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from rulespec.engine.search.comparing import WasmComparing
from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.search import Search
from rulespec.engine.search.tree import DEEPEST, Grown, Growth, Shown, curious, rare
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.playouts import BUDGET

_ROOM = 24 << 20
"""Bytes of the nodes of a tree; they take no room before they are there."""
_MOST_PLAYOUTS = 20_000
"""Games of a tree in a module."""
_STEP = 16
_OF_OPTION = 3
"""Bytes of a step of a way, and numbers that are handed back of an option."""


class WasmTree:
    """Trees in the memory of a module.

    Args:
        search: searches positions.
        memory: the memory.
        comparing: has laid out there what ends are worth.

    Raises:
        NoWasmtimeError: if there is not enough memory.
    """

    def __init__(self, search: Search, memory: SearchMemory, comparing: WasmComparing) -> None:
        self._memory, self._comparing = memory, comparing
        self._shown = Shown(search, 0)
        hides = [sum(1 << column for column in columns) for columns in self._shown.hidden]
        self._tables = 0
        """The most games for which there are tables."""
        way = memory.grow(_STEP * DEEPEST)
        table = memory.grow(8 * len(hides))
        tree = memory.grow(_ROOM)
        memory.write(table, np.array(hides, np.int64))
        registers = {"WAY": way, "WAY_END": way + _STEP * DEEPEST, "HIDES": table}
        for register, value in (registers | {"TREE": tree, "TREE_END": tree + _ROOM}).items():
            memory.set(register, value)

    @cached_property
    def _bounds(self) -> int:
        """The address of two tables for bounds, by how often an option was legal, and tried."""
        return self._memory.grow(2 * 8 * (_MOST_PLAYOUTS + 2))

    def _tabled(self, playouts: int) -> None:
        """Writes the tables for trees of so many games."""
        if playouts > self._tables:
            memory, half = self._memory, 8 * (_MOST_PLAYOUTS + 2)
            numbers = range(playouts + 2)
            memory.write(self._bounds, np.array([curious(legal) for legal in numbers], np.int64))
            memory.write(self._bounds + half, np.array([rare(visits) for visits in numbers], np.int64))
            memory.set("CURIOUS", self._bounds)
            memory.set("RARE", self._bounds + half)
            self._tables = playouts

    def grown(self, growth: Growth) -> Grown | None:
        """Grows a tree; None if only Python can: for want of room, or as the rules are at fault."""
        memory, rows, codes, count = self._memory, growth.rows, growth.codes, len(growth.codes)
        fits = 8 * _OF_OPTION * count <= memory.room and codes.size <= memory.constants["MAX_OPTIONS"]
        if growth.playouts > _MOST_PLAYOUTS or len(rows) > memory.most or not fits:
            return None
        self._tabled(growth.playouts)
        memory.write(memory.rows, rows)
        self._comparing.decides(growth.seat)
        known = len(rows) == 1 and not self._shown.secretive
        registers = {"OWN_SEAT": growth.seat, "KNOWN": int(known), "DRAWN": -1, "SILENT": 0}
        for register, value in (registers | {"NEXT": 0, "PAUSED": 0, "OUT": memory.out}).items():
            memory.set(register, value)
        memory.set_word("TREE_KEY", growth.key)
        try:
            memory.set("BUDGET", BUDGET)
            while memory.instance.call("grow", growth.playouts, len(rows), growth.cap):
                memory.set("BUDGET", BUDGET)
        except TrapError:
            return None
        memory.write(memory.options, codes)
        memory.instance.call("of_root", count)
        visits, won, proven = memory.read(memory.out, _OF_OPTION * count).reshape(count, _OF_OPTION).T
        return Grown(visits, won, proven, memory.get("NEXT"), memory.get("SILENT"))
