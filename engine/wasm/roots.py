"""All top-level expressions of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rulespec.engine.program import ir
from rulespec.engine.program.long_values import scored


def roots(p: ir.Program, *, definitions: bool = True) -> Iterator[ir.Expr]:
    """The top-level expressions of blocks, decisions, invariants, scoring, values, asides and definitions."""
    if definitions:
        for f in p.functions:
            yield from (value for _, value in f.lets)
            yield f.body
    for block in p.blocks:
        for i in block.body:
            yield from of_instruction(i)
        exit_ = block.exit
        if isinstance(exit_, ir.Branch):
            yield exit_.condition
        elif isinstance(exit_, ir.Switch):
            yield exit_.value
        elif isinstance(exit_, ir.End) and exit_.winners is not None:
            yield exit_.winners
    for d in p.decisions:
        yield from (e for e in (d.by, d.among) if e is not None)
        for c in d.choices:
            yield from of_choice(c)
    yield from (v.condition.expr for v in p.invariants)
    yield from (e for s in p.secrets for e in (s.to, s.open) if e is not None)
    yield from scored(p)
    yield from (a.value for a in p.asides)


def of_instruction(i: ir.Instruction) -> Iterator[ir.Expr]:
    """The expressions of an instruction."""
    if isinstance(i, ir.Store):
        yield from (i.target, i.value)
    elif isinstance(i, ir.Transfer):
        yield from (i.source, i.target, i.amount)
    elif isinstance(i, ir.Check):
        yield i.condition


def of_choice(c: ir.Choice) -> Iterator[ir.Expr]:
    """The expressions of an option."""
    for q in c.params:
        yield from (e for e in (*q.domain, q.where.expr if q.where else None) if e is not None)
    for r in c.requires:
        yield from (value for _, value in r.lets)
        yield r.expr
    yield from (e for e in (c.by, c.weight) if e is not None)


def sorted_most(p: ir.Program) -> int:
    """The maximum number of members that a tiebreak compares."""
    return max(p.sizes.values(), default=1)


def rank_size(p: ir.Program) -> int:
    """The number of values that `rank_source` writes for each seat."""
    if p.scoring is None:
        return 0
    return 1 + sum(1 if t.source is None or t.key is None else 1 + sorted_most(p) for t in p.scoring.tiebreaks)


def rank_parts(p: ir.Program) -> list[int]:
    """The layout of a seat's ranks after its points: the number of parts, then for each part 0 if it is a number, or
    the maximum length if it is a list.
    """
    ties = p.scoring.tiebreaks if p.scoring is not None else ()
    parts = [0 if t.source is None or t.key is None else sorted_most(p) for t in ties]
    return [len(parts), *parts]


def rank_source(p: ir.Program, words: Callable[[ir.Expr], int]) -> str:
    """The source of the fixed function that writes each seat's points and tiebreaks.

    A tiebreak over a set takes one number for the size of the set and one per member; see
    `rulespec.engine.program.ranks`. The set is read word by word; `words` returns its maximum number of words.
    """
    lines = ["@exported\ndef ranks(row: int) -> None:"]
    if p.scoring is None:
        return f"{lines[0]}\n    return\n"
    lines += [
        "    seat = 0",
        f"    while seat < {p.seats}:",
        "        store(row, score0(seat, 0))",
        "        row = row + 8",
    ]
    number = 1
    for t in p.scoring.tiebreaks:
        if t.source is None or t.key is None:
            number += sum(e is not None for e in (t.source, t.key))
            lines += [f"        store(row, score{number}(seat, 0))", "        row = row + 8"]
        else:
            lines += _LIST.format(number, number + 1, number + 2, 8 * sorted_most(p), words(t.source)).splitlines()
            number += 2
        number += 1
    return "\n".join([*lines, "        seat = seat + 1", ""])


_LIST = """\
        count = 0
        word = 0
        while word < {4}:
            left = score{0}(seat, word)
            while left != 0:
                one = 64 * word + lowest(left)
                left = left & left - 1
                last = SORTED + 16 * count
                store(last, 0 - score{1}(seat, one))
                store(last + 8, score{2}(seat, one))
                sort_in(SORTED, last, 2)
                count = count + 1
            word = word + 1
        store(row, count)
        row = row + 8
        k = 0
        while k < count:
            store(row + 8 * k, load(SORTED + 16 * k + 8))
            k = k + 1
        row = row + {3}
"""


def value_source(p: ir.Program) -> str:
    """The source of the fixed function that writes the value of a position to each seat; value number -1 means points.

    A value over a kind other than seats has one number per entity.
    """
    first = len(scored(p)) - len(p.values)
    lines = [
        "def worth(to: int, which: int) -> None:",
        "    seat = 0",
        f"    most = {p.seats}",
    ]
    for number, value in enumerate(p.values):
        if value.size != p.seats:
            lines += [f"    if which == {number}:", f"        most = {value.size}"]
    lines += ["    while seat < most:", "        worth = 0"]
    if p.scoring is not None:
        lines += ["        if which < 0:", "            worth = score0(seat, 0)"]
    for number in range(len(p.values)):
        lines += [f"        if which == {number}:", f"            worth = score{first + number}(seat, 0)"]
    return "\n".join([*lines, "        store(to, worth)", "        to = to + 8", "        seat = seat + 1", ""])


class Ranks:
    """A reader of the output of `rank_source`.

    Args:
        p: the program.
    """

    def __init__(self, p: ir.Program) -> None:
        ties = p.scoring.tiebreaks if p.scoring is not None else ()
        self._most = sorted_most(p)
        self._lists = [t.source is not None and t.key is not None for t in ties]
        size = rank_size(p)
        self._seats = range(0, size * p.seats, size) if size else range(0)

    def of(self, numbers: Sequence[int]) -> list[tuple[int, ...]]:
        """The points and tiebreaks of each seat."""
        results = []
        for at in self._seats:
            rank = [numbers[at]]
            at += 1
            for is_list in self._lists:
                if is_list:
                    rank += numbers[at + 1 : at + 1 + numbers[at]]
                    at += 1 + self._most
                else:
                    rank.append(numbers[at])
                    at += 1
            results.append(tuple(rank))
        return results
