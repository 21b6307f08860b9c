"""Options on the terminal: listed in groups, and matched by typed text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from math import gcd

from msgspec import Struct

from rulespec.engine.game.option import Option
from rulespec.engine.program.limits import NO_NUMBER

FOLDED = 6
"""Number of options with one name that are listed individually if the whole list does not fit on the screen."""
MANY_NUMBERS = 20
"""Number of options differing by a number alone that are listed individually; more are one entry, which asks for it."""
_SCREEN = 20
_SUGGESTED = 3
_MAX_TYPED = 200
_MAX_COMPARED = 500
Text = Callable[[Option], str]


def grouped(options: Sequence[Option]) -> list[Option]:
    """The options of the decider, then options out of turn, each grouped by name in order of appearance."""
    names = list(dict.fromkeys((option.interrupt, option.name) for option in options))
    return sorted(options, key=lambda o: (o.interrupt, names.index((o.interrupt, o.name))))


class Entry(Struct, frozen=True):
    """An entry in a list: a single option, or several options that differ only in one number.

    Attributes:
        options: the options, in ascending order of the number.
        at: the index of that number among the arguments; None for a single option.
    """

    options: tuple[Option, ...]
    at: int | None = None

    @property
    def numbers(self) -> dict[int, Option]:
        """The options by the value of their number, ascending; empty for a single option."""
        return {} if self.at is None else {option.args[self.at]: option for option in self.options}

    def text(self, text: Text) -> str:
        """The text of a single option; for several options, the text of their range, such as `buy 1 … 5 cards`."""
        first, last = text(self.options[0]).split(" "), text(self.options[-1]).split(" ")
        if first == last:
            return " ".join(first)
        start = _common(first, last)
        end = _common(first[start:][::-1], last[start:][::-1])
        return " ".join([*first[: len(first) - end], "…", *last[start:]])


def _common(one: list[str], other: list[str]) -> int:
    """The number of words that both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def range_text(numbers: Collection[int]) -> str:
    """A description of ascending numbers: their bounds and, unless it is 1, the step."""
    step = gcd(*(after - before for before, after in pairwise(numbers)))
    return f"{min(numbers)} to {max(numbers)}" + (f" in steps of {step}" if step > 1 else "")


def entries(options: Iterable[Option]) -> list[Entry]:
    """The list entries for grouped options."""
    return [entry for _, same in groupby(options, lambda o: (o.interrupt, o.name)) for entry in _entries(list(same))]


def _entries(options: list[Option]) -> list[Entry]:
    """The entries of options with one name."""
    numbers = [at for at, kind in enumerate(options[0].kinds.values()) if kind == "int"]
    for at in reversed(numbers if len(options) > MANY_NUMBERS else []):
        if any(option.args[at] == NO_NUMBER for option in options):
            continue
        alike: dict[object, list[Option]] = {}
        for option in options:
            alike.setdefault((option.by, option.args[:at], option.args[at + 1 :]), []).append(option)
        if max(map(len, alike.values())) > MANY_NUMBERS:
            return [entry for each in alike.values() for entry in _merged(each, at)]
    return [Entry((option,)) for option in options]


def _merged(options: list[Option], at: int) -> list[Entry]:
    """The entries of options that differ at one number."""
    if len(options) <= MANY_NUMBERS:
        return [Entry((option,)) for option in options]
    return [Entry(tuple(sorted(options, key=lambda option: option.args[at])), at)]


def lines(listed: Sequence[Entry], text: Text, *, whole: bool) -> Iterator[str]:
    """The lines of a list; unless `whole` is set, a long group shows its first entries and the number of the others."""
    first = 0
    while first < len(listed):
        name = listed[first].options[0].name
        last = first
        while last < len(listed) and listed[last].options[0].name == name:
            last += 1
        fold = not whole and len(listed) > _SCREEN and last - first > FOLDED
        for number in range(first, first + FOLDED - 1 if fold else last):
            yield f"{number + 1:>5}  {listed[number].text(text)}"
        if fold:
            hidden = last - first - FOLDED + 1
            yield f"       … {hidden} more like these, {first + FOLDED} to {last}: `o {name}` lists them"
        first = last


def matches(typed: str, options: Sequence[Option], text: Text) -> list[Option]:
    """The options that match a typed text: exactly, otherwise by prefix, otherwise by containing all of its words.

    An option is matched by its displayed text, and by its ids with or without brackets: `army(moscow)`, `army moscow`.
    If there is no match, spaces and punctuation are ignored: `e2e4`, `e2 e4`; leading words, such as the verb, may be
    absent: `knightg1f3`.
    """
    wanted = _words(typed[:_MAX_TYPED])
    if not wanted:
        return []
    named = [(option, [_words(text(option)), _words(str(option)), _arguments(option)]) for option in options]
    for fits in (_same, _joined, _begins, _joined_end, _has_all):
        hits = [option for option, texts in named if any(fits(each, wanted) for each in texts)]
        if hits:
            return hits
    return []


def suggested(typed: str, options: Sequence[Option], text: Text) -> list[str]:
    """The option texts that are most similar to the typed text."""
    texts = {text(option).casefold(): text(option) for option in options[:_MAX_COMPARED]}
    near = difflib.get_close_matches(typed[:_MAX_TYPED].casefold(), texts, _SUGGESTED, 0.4)
    return [texts[each] for each in near]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold().replace("_", " "))


def _arguments(option: Option) -> list[str]:
    """The arguments without the option's name: `investor` for `move(investor)`."""
    return _words(" ".join(option.arguments.values()))


def _same(words: list[str], wanted: list[str]) -> bool:
    return words == wanted


def _joined(words: list[str], wanted: list[str]) -> bool:
    return "".join(words) == "".join(wanted)


def _begins(words: list[str], wanted: list[str]) -> bool:
    *whole, last = wanted
    return words[: len(whole)] == whole and len(words) > len(whole) and words[len(whole)].startswith(last)


def _joined_end(words: list[str], wanted: list[str]) -> bool:
    return any("".join(words[first:]) == "".join(wanted) for first in range(1, len(words)))


def _has_all(words: list[str], wanted: list[str]) -> bool:
    return all(any(word.startswith(each) for word in words) for each in wanted)
