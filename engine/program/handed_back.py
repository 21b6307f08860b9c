"""Counters of calls delegated to a fallback machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

_counters: list[Counter[str]] = []


def handed_back(to: str, times: int = 1) -> None:
    """Counts calls delegated to a fallback machine, `python` or `interpreter`.

    Calls that merely report a fault do not count.
    """
    for counter in _counters:
        counter[to] += times


def note(counts: Mapping[str, int]) -> None:
    """Adds the counts of another process."""
    for to, times in counts.items():
        handed_back(to, times)


@contextmanager
def counting() -> Iterator[Counter[str]]:
    """A context in which calls delegated to fallback machines are counted."""
    result = Counter[str]()
    _counters.append(result)
    try:
        yield result
    finally:
        del _counters[next(i for i, each in enumerate(_counters) if each is result) :]
