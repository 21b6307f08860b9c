"""Names in messages: suggestions for unknown names ("did you mean …?"), names with an article, and lists of names."""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from rulespec.diagnostics.diagnostic import Label, Span

_WORD_LIMIT = 64  # difflib is quadratic in the length of a word
_CANDIDATE_LIMIT = 500
_COMPARED = 30  # maximum number of candidates compared letter by letter
_QUOTED = re.compile(r"`([^`]*)`")
_LEAST = 0.6  # minimum similarity of a close candidate
_RIVAL = 0.1  # a second candidate is named if its similarity is at most this much lower
_DIGITS = re.compile(r"[0-9]+")


def one(name: str) -> str:
    """A quoted name with its indefinite article: "a `town`", "an `oak`"."""
    return f"{'an' if name[:1] in tuple('aeio') else 'a'} `{name}`"


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A hint such as "did you mean `ionian_sea`?"; names two candidates if they are equally close; "" if none is close.

    A candidate that differs only in case, accents, spaces, `-` and `_` is the closest. To bound the work, only the
    first 500 candidates of at most 64 characters are considered.
    """
    if len(word) > _WORD_LIMIT:
        return ""
    pool = [c for c in islice(candidates, _CANDIDATE_LIMIT) if 0 < len(c) <= _WORD_LIMIT and c != word]
    rivals = _alike(word, pool) or _closest(word, pool)
    return f"did you mean {' or '.join(f'`{c}`' for c in rivals[:2])}?" if rivals else ""


def nearest(word: str, places: Mapping[str, Span | None]) -> tuple[str, tuple[Label, ...]]:
    """The hint from `did_you_mean`, with a note at the declaration of each suggested name.

    Args:
        word: the unknown name.
        places: the places of the known names' declarations; None for words of the language.
    """
    hint = did_you_mean(word, places)
    spans = [(name, places.get(name)) for name in _QUOTED.findall(hint)]
    return hint, tuple(Label(span, f"`{name}` is declared here") for name, span in spans if span is not None)


def plain(name: str) -> str:
    """A name normalised for comparison: without case, accents, spaces, `-` and `_`; "" if nothing is left."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in letters if not unicodedata.combining(c) and not c.isspace() and c not in "-_")


def _alike(word: str, pool: list[str]) -> list[str]:
    """The candidates that differ from a word only in case, or if there are none, only in what `plain` removes."""
    folded, short = word.casefold(), plain(word)
    cased = dict.fromkeys(c for c in pool if c.casefold() == folded)
    return list(cased or dict.fromkeys(c for c in pool if short and plain(c) == short))


def _likely(word: str, pool: list[str]) -> list[str]:
    """The candidates that share the most letters with a word."""
    letters = Counter(word)
    return heapq.nlargest(_COMPARED, pool, key=lambda c: (letters & Counter(c)).total() / (len(word) + len(c)))


def _closest(word: str, pool: list[str]) -> list[str]:
    """The candidates that are about as close as the best one, closest first."""
    close = {c: n for c in _likely(word, pool) if (n := _similarity(word, c)) >= _LEAST}
    least = max((_nearness(word, c, n) for c, n in close.items()), default=0.0) - _RIVAL
    near = {c: m for c, n in close.items() if (m := _nearness(word, c, n)) >= least}
    return sorted(near, key=lambda c: -near[c])


def _similarity(word: str, other: str) -> float:
    from difflib import SequenceMatcher  # lazily: most runs have nothing to suggest

    return SequenceMatcher(None, other, word).ratio()


def _nearness(word: str, other: str, similarity: float) -> float:
    """The likelihood that one word is a misspelling of the other, more for swapped letters, less for other digits."""
    same = _DIGITS.findall(word) == _DIGITS.findall(other)
    if _swapped(word, other):
        return 1.0 if same else 0.85
    return similarity if same else similarity - 2 * _RIVAL


def _swapped(word: str, other: str) -> bool:
    """Whether two words differ only by two swapped neighbouring letters."""
    apart = [i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b]
    if len(word) != len(other) or len(apart) != 2 or apart[1] != apart[0] + 1:
        return False
    first, second = apart
    return word[first] == other[second] and word[second] == other[first]


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 value", "3 values"; `plural` is needed if it is irregular."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


_SHOWN = 6


def either(names: Sequence[str]) -> str:
    """The names in backticks, as alternatives: "`wood`, `ore` or `coal`"."""
    quoted = [f"`{name}`" for name in names]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), *quoted[-1:])))


def listed(names: list[str]) -> str:
    """The names in backticks, separated by commas; a longer list ends after six names with the number of the others."""
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
