"""Path data as text, edited in place: only changed parts are rewritten, so the author's layout survives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from rulespec.drawing.outlines import Ring, data_of

_PART = re.compile(r"[Mlz]|-?[0-9]+")


def rewritten(source: str, rings: Iterable[Ring]) -> str:
    """Path data with new rings.

    Args:
        source: the data as in a file: with quotes, possibly on several lines.
        rings: the new rings.

    Returns:
        The text with only the numbers between the first and the last difference replaced.
    """
    data = data_of(rings)
    places = [place.span() for place in _PART.finditer(source)]
    old, new = _PART.findall(source), _PART.findall(data)
    if not old or old == new:
        return source if old else data
    most = min(len(old), len(new))
    begin = next((i for i in range(most) if old[i] != new[i]), most)
    end = next((i for i in range(most - begin) if old[-1 - i] != new[-1 - i]), most - begin)
    gaps = [source[stop:start] for (_, stop), (start, _) in pairwise(places)]
    blank = any(gap and part[0] == "-" for gap, part in zip(gaps, old[1:], strict=True))
    text = source[: places[begin - 1][1] if begin else places[0][0]]
    last = len(new) - end
    for i in range(begin, last + (end > 0)):
        part = new[i]
        apart = new[i - 1][-1].isdecimal() and (part.isdecimal() or (blank and part[0] == "-"))
        gap = gaps[begin - 1] if i == begin and 0 < begin < len(old) else ""
        gap = "" if gap == " " and part[0] == "-" and not blank else gap
        gap = gaps[len(old) - end - 1] if i == last and end < len(old) else gap
        text += (gap or " " * apart) + part * (i < last)
    return text + source[places[-end][0] if end else places[-1][1] :]
