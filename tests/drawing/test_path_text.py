"""Path data in a text are changed where the outline has changed; layout, quotes and lines of the rest stay."""

from __future__ import annotations

import random
import re

import pytest

from rulespec.drawing.outlines import Ring, data_of, rewritten, rings_of


@pytest.mark.parametrize(
    "source, rings, expected",
    [
        ("M0 0l9 0 0 9z", "M0 0l9 0 1 9z", "M0 0l9 0 1 9z"),
        ("'M0 0l9 0 0 9z'", "M0 0l9 0 1 9z", "'M0 0l9 0 1 9z'"),
        ("M0 0l9 -1 0 9z", "M0 0l9 -1 -3 9z", "M0 0l9 -1 -3 9z"),  # blanks before signs
        ("M0 0l9-1 0 9z", "M0 0l9-1-3 9z", "M0 0l9-1-3 9z"),
        ("M0 0l9 0\n  0 9z\n  M5 5l1 0 0 1z", "M0 0l9 0 2 9zM5 5l1 0 0 1z", "M0 0l9 0\n  2 9z\n  M5 5l1 0 0 1z"),
        ("M0 0l9 0 0 9z\n  M5 5l1 0 0 1z", "M0 0l9 0 0 9zM6 5l1 0 0 1z", "M0 0l9 0 0 9z\n  M6 5l1 0 0 1z"),
        ("M0 0l9 0 0 9z", "M0 0l9 0 0 9zM1 1l1 0 0 1z", "M0 0l9 0 0 9zM1 1l1 0 0 1z"),
        ("M0 0l9 0 0 9-1 0z", "M0 0l9 0 0 9z", "M0 0l9 0 0 9z"),
        (" M 0 0 l 9 0 0 9 z", "M0 0l9 0 0 8z", " M 0 0 l 9 0 0 8 z"),
        ('""', "M0 0l9 0 0 9z", "M0 0l9 0 0 9z"),
    ],
)
def test_only_what_is_new_is_written(source: str, rings: str, expected: str) -> None:
    assert rewritten(source, rings_of(rings)) == expected


def _laid_out(choose: random.Random, data: str) -> str:
    """Path data in a random layout."""
    text = ""
    for part in re.findall(r"[Mlz]|-?\d+", data):
        apart = text[-1:].isdecimal() and part.isdecimal()
        text += choose.choice([" ", "\n   ", "  "] if apart else ["", "", " ", "\n  "]) + part
    return text


def _changed(choose: random.Random, rings: list[Ring]) -> list[Ring]:
    results = [list(ring) for ring in rings]
    ring = choose.choice(results)
    i, dot = choose.randrange(len(ring)), (choose.randint(-20, 20), choose.randint(-20, 20))
    how = choose.randrange(4)
    if how == 0:
        ring[i] = dot
    elif how == 1:
        ring.insert(i, dot)
    elif how == 2 and len(ring) > 3:
        del ring[i]
    else:
        results.insert(choose.randrange(len(results) + 1), [(0, 0), dot, (50, 50)])
    return results


def test_any_changes_of_any_layout_are_read_as_they_were_meant() -> None:
    choose = random.Random(5)
    done = 0
    while done < 1_000:
        rings = [[(choose.randint(-20, 20), choose.randint(-20, 20)) for _ in range(choose.randint(3, 6))]]
        rings += rings[:1] * choose.randrange(2)
        new = _changed(choose, rings)
        try:
            if rings_of(data_of(rings)) != rings or rings_of(data_of(new)) != new:
                continue  # a point follows itself
        except ValueError:
            continue
        source = _laid_out(choose, data_of(rings))
        result = rewritten(source, new)
        assert rings_of(result) == new, (source, result)
        assert rewritten(source, rings) == source
        done += 1
