"""Changes to parts of a random program, as in overlays: to procedures, guards, definitions and options."""

from __future__ import annotations

from typing import Protocol

NUM, TOWN, PLAYER, BOOL = "int", "town", "player", "bool"


class Writer(Protocol):
    """The interface of the writer of the program's other parts."""

    def number(self, below: int) -> int: ...
    def pick(self, *choices: str) -> str: ...
    def expr(self, type_: str, scope: dict[str, str], depth: int) -> str: ...


def changes(w: Writer) -> list[str]:
    """A selection of changes to distinct, independent parts."""
    results: list[str] = []
    for written in (_helper, _play, _guards, _options, _definition):
        if w.number(2):
            results += ["", *written(w)]
    return results


def _number(w: Writer, scope: dict[str, str]) -> str:
    """A number without a call, which could cause recursion."""
    text = w.expr(NUM, scope, 1)
    return text if "(" not in text else "k"


def _helper(w: Writer) -> list[str]:
    number = _number(w, {"k": NUM, "t": TOWN})
    return [
        "change procedure helper:",
        w.pick(
            f"    replace set m to k with set m to {number} - 1",
            f"    before set m to k: set n to {number}",
            "    after set m to k:\n        if n > m:\n            set n to m\n        set m to m - 1",
            "    replace set m to k with:\n        let j = k + n\n        set m to j",
            "    remove set m to k",
        ),
    ]


def _play(w: Writer) -> list[str]:
    edit = w.pick(
        "before turn(p): set n to n + 1",
        "replace turn(p) with turn(next(p))",
        "replace turn(p) with turn(previous(p))",
        "after cooper(p): cooper(previous(p))",
        "replace 3 with 2",
        f"order p by {w.pick('', '-')}p.index, p.cash",
        "order p after south",
    )
    return [f"change procedure play: {edit}"]


def _guards(w: Writer) -> list[str]:
    edit = w.pick(
        f"require {w.expr(BOOL, {'k': NUM}, 0)}",
        "remove require wide != m",
        "replace require wide != m with require wide > m",
        "replace wide != m with wide < m + 2",
        "let more = k + 1\n    require more != n\n    cost 1 from few",
    )
    return [f"change guard base:\n    {edit}"]


def _options(w: Writer) -> list[str]:
    spare = w.pick(
        'require k != n "R-6: not this one"',
        "replace set n to n + k with set n to n - k",
        "after set n to n + k: set m to k",
    )
    give = w.pick(
        'remove "R-2"',
        'replace "R-2" with require n > few "R-7: too few"',
        "remove set m to m - 1",
        "replace cost 1 from few with cost 2 from few",
    )
    if w.number(4) == 0:
        return ["remove option spare of extras"]
    return [f"change option spare of extras: {spare}", "", f"change options extras: {give}"]


def _definition(w: Writer) -> list[str]:
    return [f"change def twice0: replace k with k {w.pick('+ 1', '- n')}"]
