"""Suggestions for a name that nothing has: "did you mean …?"."""

from __future__ import annotations

import difflib
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice

from rulespec.diagnostics.diagnostic import Label, Span

_WORD_LIMIT = 64  # difflib is quadratic in the length of a word
_CANDIDATE_LIMIT = 500
_COMPARED = 30  # candidates that are compared letter by letter
_QUOTED = re.compile(r"`([^`]*)`")
_RIVAL = 0.1  # a second candidate is named as well if its similarity is this near to that of the best


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A hint such as "did you mean `ionian_sea`?", or "" if no candidate is close; both of two that are equally close.

    Work is bounded: only the first 500 candidates of at most 64 characters count.
    """
    if len(word) > _WORD_LIMIT:
        return ""
    pool = [c for c in islice(candidates, _CANDIDATE_LIMIT) if 0 < len(c) <= _WORD_LIMIT and c != word]
    folded = word.casefold()
    best = [c for c in pool if c.casefold() == folded] or difflib.get_close_matches(word, _likely(word, pool), n=3)
    rivals = list(dict.fromkeys(best))
    if len(rivals) > 1:
        least = _similarity(word, rivals[0]) - _RIVAL
        rivals = [c for c in rivals if _similarity(word, c) > least][:2]
    return f"did you mean {' or '.join(f'`{c}`' for c in rivals)}?" if rivals else ""


def nearest(word: str, places: Mapping[str, Span | None]) -> tuple[str, tuple[Label, ...]]:
    """The hint of `did_you_mean`, and a note at the declaration of each name in it.

    Args:
        word: the unknown name.
        places: the known names with the places of their declarations; None for words of the language.
    """
    hint = did_you_mean(word, places)
    spans = [(name, places.get(name)) for name in _QUOTED.findall(hint)]
    return hint, tuple(Label(span, f"`{name}` is declared here") for name, span in spans if span is not None)


def _likely(word: str, pool: list[str]) -> list[str]:
    """The candidates with the most letters in common with a word."""
    letters = Counter(word)
    return heapq.nlargest(_COMPARED, pool, key=lambda c: (letters & Counter(c)).total() / (len(word) + len(c)))


def _similarity(word: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, word).ratio()
