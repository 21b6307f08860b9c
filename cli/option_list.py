"""Options on the terminal: listed in groups, and matched by typed text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence

from rulespec.engine.game.option import Option

FOLDED = 6
"""Number of options with one name that are listed individually if the whole list does not fit on the screen."""
_SCREEN = 20
_SUGGESTED = 3
_MAX_TYPED = 200
_MAX_COMPARED = 500
Text = Callable[[Option], str]


def grouped(options: Sequence[Option]) -> list[Option]:
    """The options of the decider, then those out of turn, each grouped by name in order of appearance."""
    names = list(dict.fromkeys((option.interrupt, option.name) for option in options))
    return sorted(options, key=lambda o: (o.interrupt, names.index((o.interrupt, o.name))))


def lines(options: Sequence[Option], text: Text, *, whole: bool) -> Iterator[str]:
    """The lines of a list; unless `whole`, only the first options of a long group are listed, with the number of the
    others.
    """
    first = 0
    while first < len(options):
        name = options[first].name
        last = first
        while last < len(options) and options[last].name == name:
            last += 1
        fold = not whole and len(options) > _SCREEN and last - first > FOLDED
        for number in range(first, first + FOLDED - 1 if fold else last):
            yield f"{number + 1:>5}  {text(options[number])}"
        if fold:
            hidden = last - first - FOLDED + 1
            yield f"       … {hidden} more like these, {first + FOLDED} to {last}: `o {name}` lists them"
        first = last


def matches(typed: str, options: Sequence[Option], text: Text) -> list[Option]:
    """The options that match a typed text: exactly, otherwise by prefix, otherwise by containing all its words.

    An option matches by its text for people, and by its ids with or without brackets: `army(moscow)`, `army moscow`. If
    there is no match, spaces and punctuation are ignored: `e2e4`, `e2 e4`; leading words, such as the verb, may be
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
    """The option texts most similar to the typed text."""
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
