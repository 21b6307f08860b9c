"""A step counter for regular expressions: a backtracking matcher over the parse tree of `re`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from re import _constants as sre
from re import _parser
from typing import Any

_Then = Callable[[int], bool]
_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
_DEEP = 10_000  # nested calls, several for each repetition of a group
_SINGLE = {sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN}


class TooManyStepsError(Exception):
    """An excess over the maximum number of steps."""


class Matcher:
    """A matcher with the semantics of `re` that counts steps: each compared character, and each starting position.

    Args:
        pattern: the regular expression.

    Attributes:
        steps: the number of steps so far.
    """

    def __init__(self, pattern: str) -> None:
        sys.setrecursionlimit(max(_DEEP, sys.getrecursionlimit()))
        self._parsed = _parser.parse(pattern)
        self._flags = self._parsed.state.flags
        self._fits: dict[tuple[Any, str], bool] = {}
        self._text = ""
        self._groups: dict[int, tuple[int, int]] = {}
        self.steps = 0
        self._most = 0

    def run(self, text: str, most: int, *, anchored: bool) -> int:
        """The number of steps of a search, or of a match at the start if `anchored`.

        Raises:
            TooManyStepsError: if there are more than `most`.
        """
        self.steps, self._most, self._text = 0, most, text
        for start in range(1 if anchored else len(text) + 1):
            self._step()
            self._groups = {}
            if self._sequence([*self._parsed], 0, start, lambda _: True):
                break
        return self.steps

    def finds(self, text: str, *, anchored: bool) -> tuple[int, int] | None:
        """The start and the end of a match; None if there is none."""
        self._most, self._text, ends = sys.maxsize, text, list[int]()

        def note(end: int) -> bool:
            ends.append(end)
            return True

        for start in range(1 if anchored else len(text) + 1):
            self._groups = {}
            if self._sequence([*self._parsed], 0, start, note):
                return start, ends[-1]
        return None

    def is_unbounded(self) -> bool:
        """Whether an item can be repeated without bound."""
        return any(op in _REPEATS and args[1] == sre.MAXREPEAT for op, args in _all(self._parsed))

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self._most:
            raise TooManyStepsError

    def _sequence(self, items: list[Any], at: int, place: int, then: _Then) -> bool:
        if at == len(items):
            return then(place)
        op, args = items[at]

        def rest(after: int) -> bool:
            return self._sequence(items, at + 1, after, then)

        if op in _SINGLE:
            return self._one(op, args, place) and rest(place + 1)
        return _MATCH[op](self, op, args, place, rest)

    def _one(self, op: Any, args: Any, place: int) -> bool:
        self._step()
        if place >= len(self._text):
            return False
        char = self._text[place]
        key = (op, str(args) if op is sre.IN else args), char
        if key not in self._fits:
            self._fits[key] = self._is_in(op, args, char)
        return self._fits[key]

    def _is_in(self, op: Any, args: Any, char: str) -> bool:
        chars = {ord(char)} | ({ord(char.lower()), ord(char.upper())} if self._flags & re.IGNORECASE else set())
        if op is sre.ANY:
            return bool(self._flags & re.DOTALL) or char != "\n"
        if op is not sre.IN:
            return (args in chars) == (op is sre.LITERAL)
        negated = args[0][0] is sre.NEGATE
        for kind, value in args[negated:]:
            if (
                (kind is sre.LITERAL and value in chars)
                or (kind is sre.RANGE and any(value[0] <= c <= value[1] for c in chars))
                or (kind is sre.CATEGORY and re.match(_CATEGORIES[value], char, self._flags & re.ASCII))
            ):
                return not negated
        return bool(negated)

    def _repeat(self, op: Any, args: Any, place: int, then: _Then) -> bool:
        low, high, body = args
        if len(body) == 1 and body[0][0] in _SINGLE:
            ends = self._run_of(body[0], low, high, place)
            if op is not sre.MIN_REPEAT:
                longest = [*ends][::-1]
                return any(map(then, longest[: 1 if op is sre.POSSESSIVE_REPEAT else None]))
            return any(map(then, ends))
        if op is sre.POSSESSIVE_REPEAT:
            end = self._alone([(sre.MAX_REPEAT, args)], place)
            return end >= 0 and then(end)

        def more(number: int, at: int, before: int) -> bool:
            def again() -> bool:
                wanted = number < high and (at != before or number < low)
                return wanted and self._sequence([*body], 0, at, lambda end: more(number + 1, end, at))

            if number < low:
                return again()
            return then(at) or again() if op is sre.MIN_REPEAT else again() or then(at)

        return more(0, place, -1)

    def _run_of(self, one: tuple[Any, Any], low: int, high: int, place: int) -> Iterator[int]:
        """The positions after `low` to `high` matching characters, nearest first."""
        number = 0
        while True:
            if number >= low:
                yield place + number
            if number == high or not self._one(one[0], one[1], place + number):
                return
            number += 1

    def _alone(self, items: Any, place: int) -> int:
        """The end of the first separate match; -1 if there is none."""
        ends: list[int] = []

        def note(end: int) -> bool:
            ends.append(end)
            return True

        return ends[-1] if self._sequence([*items], 0, place, note) else -1

    def _group(self, _: Any, args: Any, place: int, then: _Then) -> bool:
        number, _, _, body = args

        def after(end: int) -> bool:
            before = self._groups.get(number)
            self._groups[number] = (place, end)
            if then(end):
                return True
            self._groups.pop(number, None) if before is None else self._groups.update({number: before})
            return False

        return self._sequence([*body], 0, place, after)

    def _atomic(self, _: Any, body: Any, place: int, then: _Then) -> bool:
        end = self._alone(body, place)
        return end >= 0 and then(end)

    def _branch(self, _: Any, args: Any, place: int, then: _Then) -> bool:
        return any(self._sequence([*branch], 0, place, then) for branch in args[1])

    def _at(self, _: Any, where: Any, place: int, then: _Then) -> bool:
        self._step()
        ahead, behind = self._text[place:], place and self._text[place - 1]
        multi = self._flags & re.MULTILINE
        word = [bool(c) and re.match(r"\w", str(c)) is not None for c in (behind or "", ahead[:1])]
        holds = {
            sre.AT_BEGINNING: place == 0 or bool(multi and behind == "\n"),
            sre.AT_BEGINNING_STRING: place == 0,
            sre.AT_END: ahead in ("", "\n") or bool(multi and ahead[0] == "\n"),
            sre.AT_END_STRING: ahead == "",
            sre.AT_BOUNDARY: word[0] != word[1],
            sre.AT_NON_BOUNDARY: word[0] == word[1],
        }[where]
        return holds and then(place)

    def _assert(self, op: Any, args: Any, place: int, then: _Then) -> bool:
        direction, body = args
        start = place - body.getwidth()[0] if direction < 0 else place
        holds = start >= 0 and self._alone(body, start) >= 0
        return holds == (op is sre.ASSERT) and then(place)

    def _reference(self, _: Any, number: int, place: int, then: _Then) -> bool:
        start, end = self._groups.get(number, (0, -1))
        self._step()
        return end >= 0 and self._text.startswith(self._text[start:end], place) and then(place + end - start)


_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_MATCH: dict[Any, Callable[..., bool]] = {
    **dict.fromkeys(_REPEATS, Matcher._repeat),
    sre.SUBPATTERN: Matcher._group,
    sre.ATOMIC_GROUP: Matcher._atomic,
    sre.BRANCH: Matcher._branch,
    sre.AT: Matcher._at,
    sre.ASSERT: Matcher._assert,
    sre.ASSERT_NOT: Matcher._assert,
    sre.GROUPREF: Matcher._reference,
}


def _all(parsed: Any) -> Iterator[Any]:
    """Every item in a parse tree."""
    for item in parsed:
        yield item
        todo = [item[1]]
        while todo:
            each = todo.pop()
            if isinstance(each, _parser.SubPattern):
                yield from _all(each)
            elif isinstance(each, tuple | list):
                todo += each
