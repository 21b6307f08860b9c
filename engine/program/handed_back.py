"""Counters of work done by a fallback machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_counters: list[Counter[str]] = []


def handed_back(to: str, times: int = 1) -> None:
    """Counts calls passed on to another machine, `python` or `interpreter`.

    A fault that the fallback machine only reports does not count.
    """
    for counter in _counters:
        counter[to] += times


def note(counts: Mapping[str, int]) -> None:
    """Adds the counts of another process."""
    for to, times in counts.items():
        handed_back(to, times)


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """Counts calls passed on to the fallback machine within the context."""
    result = Counter[str]()
    _counters.append(result)
    try:
        yield result
    finally:
        del _counters[next(i for i, each in enumerate(_counters) if each is result) :]
