"""Rules that need many steps."""

from __future__ import annotations

from textwrap import indent

import pytest
from worlds import WORLD

DOUBLING = "\n".join(
    ["procedure q0():", "    set n to n + 1"]
    + [f"procedure q{i}():\n    q{i - 1}()\n    q{i - 1}()" for i in range(1, 41)]
    + ["def d0(k: int) -> int: k + 1"]
    + [f"def d{i}(k: int) -> int: d{i - 1}(k) + d{i - 1}(k)" for i in range(1, 15)]
)
WORK = {
    "procedures that call others twice": "q9()",
    "a fault before the end": "q3()\nset n to 10 / (n - n)\nq9()",
    "a fault after much work": "q9()\nset n to 10 / (n - n)",
    "loops in loops": "repeat at most 90:\n    for t in town:\n        set n to n + t.tax",
    "a loop in cyclic order": "for t in town after ash where t.tax > 3:\n    q4()",
    "loops that are left": "for t in town:\n    for u in town:\n        if u == elm:\n            leave\n        q3()",
    "definitions that call others twice": "set n to d9(n) % 7",
    "sums": "set n to sum(t.tax * sum(u.tax for u in t.near) for t in town)",
    "sets": "for t in {u in town where any(v in u.near)}:\n    set t.mark to count(reach(x from {t}: x.near))",
    "cases": "match first(t in town where t.tax > n) ?? oak:\n    case oak:\n        q3()\n    else:\n        q5()",
    "another decision": "q4()\ndecide e by p:\n    option o(k in 1 .. 3):\n        q4()\n    option z:\n        q5()",
}


def rules(body: str) -> str:
    return f"""
procedure play():
    for p in player:
        decide act by p:
            option wait:
                pass
            option work:
                hard(p)
procedure hard(p: player):
{indent(body, "    ")}
{DOUBLING}
"""


ENDLESS = [
    "q40()",
    "repeat at most 90000:\n    repeat at most 90000:\n        set n to 1",
    "repeat at most 90000:\n    q9()",
    "for t in town:\n    for u in town:\n        q30()",
    "repeat at most 999999:\n    set n to d14(1)",
    "repeat at most 999999:\n    if any(t in town where t.tax == n):\n        set n to 1",
]
"""Statements that would practically never end."""
LISTED = [
    pytest.param("k in 1 .. 90000, l in k .. k + 90000", "k == l and k != l", id="two ranges"),
    *(
        pytest.param(*each, marks=pytest.mark.proof)
        for each in (
            ("k in 1 .. 99000", "sum(t.tax * d12(k) for t in town) < 0"),
            ("t in town, k in 1 .. 99000", "sum(u.tax * d9(k) for u in town) < 0"),
        )
    ),
]


def listing(params: str, condition: str) -> str:
    """A ruleset with an option over many values."""
    return f"""
procedure play():
    for p in player:
        decide act by p:
            option wait:
                pass
            option x({params}):
                require {condition}
                set n to 1
{DOUBLING}{WORLD}"""
