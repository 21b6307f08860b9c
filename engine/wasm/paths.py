"""Operators on paths, and the loop over a parameter's possible paths.

The loop goes from prefix to prefix. For each prefix length, a frame in memory has the next stops not yet tried, the
last stop, the remaining cost, and the used entities.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rulespec.engine.program import ir
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.layout import TooLargeError
from rulespec.engine.wasm.values import ValueEmitter
from rulespec.engine.wasm.wasm_format import I32
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW, WORD, words_of
from rulespec.language.paths import MAX_PATHS, MAX_STOPS, bits_of

OF_PATHS = frozenset({"stop", "stops"})


class PathEmitter:
    """An emitter of operators on paths."""

    def __init__(self, x: ValueEmitter) -> None:
        self.x = x

    def value(self, e: ir.Op) -> None:
        """Pushes the result of an operator on paths: the stop at an index (-1 if there is none), or the set of valid
        indices.
        """
        x, code = self.x, self.x.code
        size = e.args[-1]
        assert isinstance(size, ir.Const)
        bits, words = bits_of(size.value), x.words(e.args[0])
        if words == ROW:
            raise TooLargeError
        path = x.operand(e.args[0], words)
        if e.op == "stops":
            code.const(0)
            for word in path:
                sets.push(code, [word])
                code.const(bits)
                code.call("stops_in")
                code.do("add")
            code.call("first_numbers")
            return
        per, number = WORD // bits, e.args[1]
        if isinstance(number, ir.Const):
            within = 0 <= number.value < per * words
            sets.push(code, path[number.value // per :][:1] if within else [None])
            code.const(bits * (number.value % per) if within else 0)
        else:
            at = x.held(number, 1)
            sets.push(code, path)
            for k in range(words - 1, 0, -1):
                code.get(at)
                code.const(per * k)
                code.do("lt_s", "select")
            code.get(at)
            code.const(per - 1)
            code.do("and")
            code.const(bits)
            code.do("mul")
        code.do("shr_u")
        code.const((1 << bits) - 1)
        code.do("and")
        code.const(1)
        code.do("sub")
        if not isinstance(number, ir.Const):
            code.const(-1)
            code.get(at)
            code.const(per * words)
            code.do("lt_u", "select")


class WalkEmitter:
    """An emitter of the loop over a parameter's possible paths."""

    def __init__(self, x: ValueEmitter) -> None:
        self.x = x

    @contextmanager
    def paths(self, walk: ir.PathSearch, slot: int, steps: int) -> Iterator[tuple[int, int]]:
        """A loop over the paths, with the current path in the locals of a slot; yields the labels for leaving and for
        continuing.

        `steps` is the number of steps counted per prefix.
        """
        x, code = self.x, self.x.code
        slots, known = x.slots.copy(), x.known.copy()
        x.known |= x.widths.bound(walk, x.known)
        frames = _Frames(x, walk)
        depth, looked = code.local(), code.local()
        limit = frames.begin()
        for local in (depth, looked):
            code.const(0)
            code.set(local)
        outside, again = code.block(), code.loop()
        frames.find(depth)
        sets.push_union(code, sets.in_locals(code, frames.rest, frames.words))
        code.do("eqz")
        code.if_()
        code.get(depth)
        code.do("eqz")
        code.br_if(outside)
        self._add(depth, -1)
        code.br(again)
        code.end()
        frames.take()
        self._add(looked, 1)
        code.get(looked)
        code.const(MAX_PATHS)
        code.do("gt_s")
        code.if_()
        code.do("unreachable")
        code.end()
        if steps:
            code.const(steps)
            code.call("charge")
        frames.go(depth, limit)
        self._add(depth, 1)
        frames.look_ahead(depth)
        code.get(depth)
        code.const(2)
        code.do("lt_s")
        code.br_if(again)
        if walk.whole:
            sets.push_union(code, sets.in_locals(code, frames.rest, frames.words))
            code.do("eqz", "i32.eqz")
            code.br_if(again)
        bound = {slot: frames.path, walk.at: x.slots[walk.at]}
        x.slots, x.known = slots | bound, known | {walk.at: -words_of(walk.size)}
        x.known[slot] = frames.of_path
        yield outside, again
        code.br(again)
        code.end()
        code.end()

    def _add(self, local: int, number: int) -> None:
        code = self.x.code
        code.get(local)
        code.const(number)
        code.do("add")
        code.set(local)


class QueryEmitter:
    """An emitter of searches over paths."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        self._walks = WalkEmitter(x)
        x.add_forms({ir.PathSearch: self._query}, {ir.PathSearch: self._trail})

    def _query(self, e: ir.PathSearch) -> None:
        """Pushes the set of the stops of a trail, or the greatest worth of a path."""
        if e.finds == "trail":
            sets.push(self.x.code, self._trail(e))
        else:
            self._longest(e)

    def _trail(self, e: ir.PathSearch) -> list[Word]:
        """The set of all stops; the search ends as soon as no reachable stop is left."""
        x, code = self.x, self.x.code
        assert e.reachable is not None
        words = words_of(e.size)
        if ROW in (words, x.words(e.reachable)):
            raise TooLargeError
        result, rest = x.held(e.start, words), x.held(e.reachable, words)
        sets.push(
            code, sets.combined(code, "diff", sets.in_locals(code, rest, words), sets.in_locals(code, result, words))
        )
        code.set_all(rest, words)
        outside = code.block()
        self._end_without(rest, words, outside)
        with self._searched(e):
            stop = sets.single(code, x.slots[e.at], words)
            sets.add(code, result, stop)
            sets.push(code, sets.combined(code, "diff", sets.in_locals(code, rest, words), stop))
            code.set_all(rest, words)
            self._end_without(rest, words, outside)
        code.end()
        return sets.in_locals(code, result, words)

    @contextmanager
    def _searched(self, e: ir.PathSearch) -> Iterator[tuple[int, int]]:
        """A loop over the paths, whose slots are bound only inside it."""
        slots, known = self.x.slots.copy(), self.x.known.copy()
        with self._walks.paths(e, e.slot, e.steps) as labels:
            yield labels
        self.x.slots, self.x.known = slots, known

    def _end_without(self, rest: int, words: int, outside: int) -> None:
        """Leaves the search if no reachable stop is left."""
        code = self.x.code
        sets.push_union(code, sets.in_locals(code, rest, words))
        code.do("eqz")
        code.br_if(outside)

    def _longest(self, e: ir.PathSearch) -> None:
        x, code = self.x, self.x.code
        assert e.worth is not None and e.default is not None
        result, some, value = code.local(), code.local(), code.local()
        for local in (result, some):
            code.const(0)
            code.set(local)
        with self._searched(e) as (_, again):
            if e.where is not None:
                x.truth(e.where)
                code.do("i32.eqz")
                code.br_if(again)
            x.value(e.worth)
            code.set(value)
            code.get(value)
            code.get(result)
            code.get(value)
            code.get(result)
            code.do("gt_s")
            code.get(some)
            code.do("eqz", "i32.or", "select")
            code.set(result)
            code.const(1)
            code.set(some)
        code.get(some)
        code.do("eqz")
        code.if_()
        x.value(e.default)
        code.set(result)
        code.end()
        code.get(result)


class _Frames:
    """The frames of one loop in memory, and the locals of the current frame."""

    def __init__(self, x: ValueEmitter, walk: ir.PathSearch) -> None:
        self.x, self.walk = x, walk
        code = x.code
        self.words = words_of(walk.size)
        self._uses = [x.words(e) for e in walk.uses]
        if ROW in (self.words, *self._uses):
            raise TooLargeError
        self._bits = bits_of(walk.size)
        self.of_path = words_of(MAX_STOPS * self._bits)
        self._bytes = 8 * (self.words + 2 + sum(self._uses))
        self._area = x.memory.room(self._bytes * (MAX_STOPS + 1))
        self._stops = x.memory.room(8 * self.of_path)
        self._frame = code.local(I32)
        self.rest = code.locals(self.words)
        self.path = code.locals(self.of_path)
        self._at, self._to, self._left = code.local(), code.local(), code.local()
        self._used = [code.locals(words) for words in self._uses]
        x.slots |= {walk.slot: self.path, walk.at: self._at, walk.to: self._to, walk.left: self._left}
        x.slots |= dict(zip(walk.used, self._used, strict=True))

    @property
    def _held(self) -> list[tuple[int, int]]:
        """The locals stored in a frame after the untried stops, each with its offset."""
        results = [(self._at, 8 * self.words), (self._left, 8 * self.words + 8)]
        place = 8 * self.words + 16
        for first, words in zip(self._used, self._uses, strict=True):
            results += [(first + k, place + 8 * k) for k in range(words)]
            place += 8 * words
        return results

    def begin(self) -> int:
        """Fills the first frame; returns the local for the maximum path cost."""
        x, code = self.x, self.x.code
        for k, word in enumerate(x.operand(self.walk.start, self.words)):
            code.const32(0)
            sets.push(code, [word])
            code.store(self._area + 8 * k)
        return x.held(self.walk.within, 1)

    def find(self, depth: int) -> None:
        """Loads the remaining stops from the frame for a path of length `depth`."""
        code = self.x.code
        code.get(depth)
        code.const(self._bytes)
        code.do("mul")
        code.const(self._area)
        code.do("add", "wrap")
        code.set(self._frame)
        for k in range(self.words):
            code.get(self._frame)
            code.load(8 * k)
            code.set(self.rest + k)

    def take(self) -> None:
        """Moves the next untried stop out of the current frame."""
        code = self.x.code
        sets.take_lowest(code, self.rest, self.words, self._to)
        self._put([(self.rest + k, 8 * k) for k in range(self.words)], 0)
        for local, place in self._held:
            code.get(self._frame)
            code.load(place)
            code.set(local)

    def _put(self, locals_: list[tuple[int, int]], after: int) -> None:
        """Writes locals into the frame, or into the one after it."""
        for local, place in locals_:
            self.x.code.get(self._frame)
            self.x.code.get(local)
            self.x.code.store(after + place)

    def go(self, depth: int, limit: int) -> None:
        """Appends the taken stop to the path, and updates the remaining cost and the used entities.

        The first stop costs nothing, and uses only the entities that stops use.
        """
        x, code, walk = self.x, self.x.code, self.walk
        code.const(self._stops)
        code.get(depth)
        code.const(self._bits)
        code.const(self.of_path)
        code.call("path_cut")
        self._read()
        code.get(depth)
        code.do("eqz")
        code.if_()
        code.get(limit)
        code.set(self._left)
        for first, words in zip(self._used, self._uses, strict=True):  # nothing has been used yet
            sets.push(code, [None] * words)
            code.set_all(first, words)
        for e, of_stops, first, words in zip(walk.uses, walk.of_stops, self._used, self._uses, strict=True):
            sets.push(code, x.operand(e, words) if of_stops else [None] * words)
            code.set_all(first, words)
        code.else_()
        code.get(self._left)
        x.value(walk.cost)
        code.do("sub")
        code.set(self._left)
        more = [code.locals(words) for words in self._uses]
        for e, first, words in zip(walk.uses, more, self._uses, strict=True):
            sets.push(code, x.operand(e, words))
            code.set_all(first, words)
        for first, added, words in zip(self._used, more, self._uses, strict=True):
            sets.add(code, first, sets.in_locals(code, added, words))
        code.end()
        code.const(self._stops)
        code.get(depth)
        code.get(self._to)
        code.const(self._bits)
        code.call("path_put")
        self._read()
        code.get(self._to)
        code.set(self._at)

    def _read(self) -> None:
        """Reads the path from memory."""
        for k in range(self.of_path):
            self.x.code.at(self._stops + 8 * k)
            self.x.code.set(self.path + k)

    def look_ahead(self, depth: int) -> None:
        """Finds the possible next stops of the path and fills the next frame."""
        x, code = self.x, self.x.code
        sets.clear(code, self.rest, self.words)
        code.get(depth)
        code.const(MAX_STOPS)
        code.do("lt_s")
        code.if_()
        sets.push(code, x.operand(self.walk.onward, self.words))
        code.set_all(self.rest, self.words)
        code.end()
        self._put([(self.rest + k, 8 * k) for k in range(self.words)], self._bytes)
        self._put(self._held, self._bytes)
