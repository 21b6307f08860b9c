"""Operators with several `for`: a binder in the other, under both backends.

The steps of the world: oak → elm → ash, fir → fir; taxes are oak 3, elm 5, ash 7, fir 9.
"""

from __future__ import annotations

import pytest
from worlds import IDLE, WORLD, Play, lines

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset

VALUES = lines(
    """
    sum(1 for t in town for u in t.near)                                  → 3
    sum(t.tax * u.tax for t in town for u in t.near)                      → 131
    sum(t.tax for t in town where t != fir for u in town where u.tax > t.tax) → 3 * 3 + 2 * 5 + 7
    sum(1 for t in town for u in t.near for v in u.near)                  → 2
    sum(1 money for t in town for u in t.near) / 1 money                  → 3
    sum(cart[g].at[t] for g in good for t in town where t.tax > 4)        → 2
    sum(1 for t in town where false for u in town)                        → 0
    count(t in town for u in t.near)                                      → 3
    count(t in town where t != fir for u in town where u.tax > t.tax)     → 6
    count(t in town for u in town where t == u for g in good)             → 8
    union(u.near for t in {oak, elm} for u in t.near)                     → {ash}
    {v for t in {oak, fir} for v in t.near}                               → {elm, fir}
    {t for t in town for u in t.near where u == t}                        → {fir}
    {t.twin for g in good for t in town where cart[g].at[t] == 0}         → {ash}
    any(t in town for u in t.near where u.tax > 9)                        → false
    any(t in town where t.twin is some for u in town where u == t.twin)   → true
    any(t in town where t.twin is some for u in t.twin.near)              → false
    any(t in town for u in t.near for v in u.near where v == ash)         → true
    any(t in town for u in t.near for v in u.near: v == ash)              → true
    any(t in town for u in t.near where u == elm: u.tax > 5)              → false
    any(t in town where t.twin is some: t.twin.tax > 5)                   → true
    all(t in town for u in t.near: u.tax >= t.tax)                        → true
    all(t in town where t != fir for u in t.near: u == elm)               → false
    all(t in town - town for u in town: false)                            → true
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    game = play(IDLE + WORLD)
    assert game.omniscient.value(text) == game.omniscient.value(value)
    assert play(f"invariant i:\n    ({text}) == ({value})\n{IDLE}{WORLD}").omniscient.broken_invariants() == []


@pytest.mark.parametrize(
    "text, code, column",
    [
        ("sum(u.tax for u in t.near for t in town)", "RS221", 20),
        ("sum(1 for t in town for t in town)", "RS223", 25),
        ("count(t in town for u in t.tax)", "RS301", 26),
        ("count(t in town for u in 3)", "RS301", 26),
        ("sum(1 for t in town for u in town from oak)", "RS229", 40),
        ("first(t in town for u in t.near)", "RS131", 17),
        ("best(t in town for u in t.near by u.tax)", "RS131", 16),
        ("count({t in town for u in t.near})", "RS131", 18),
        ("sum(" + "1" + "".join(f" for v{i} in town" for i in range(400)) + ")", "RS135", 0),
    ],
)
def test_what_cannot_be_is_told_at_its_place(play: Play, text: str, code: str, column: int) -> None:
    with pytest.raises(DiagnosticsError) as error:
        play(f"def f() -> int:\n{text}\n{IDLE}{WORLD}".replace("int:\n", "int:\n    "))
    results = [(d.code, d.span.column - 4) for d in error.value.diagnostics if d.span is not None]
    assert code in {c for c, _ in results}
    assert not column or (code, column) in results


def test_a_broken_invariant_names_all_who_are_bound(play: Play) -> None:
    game = play(f"invariant i:\n    all(t in town for u in t.near: t == u)\n{IDLE}{WORLD}")
    assert game.omniscient.why_broken("i") == "it fails for t = oak, u = elm"
    game = play(f"invariant i:\n    not any(t in town for u in t.near where t == u)\n{IDLE}{WORLD}")
    assert game.omniscient.why_broken("i") == "it fails for t = fir, u = fir"


def test_too_many_steps_are_told(play: Play) -> None:
    binders = " ".join(f"for v{i} in town" for i in range(14))
    rules = f"procedure play():\n    set n to sum(n {binders})\n    chance go:\n        option end: end game\n"
    game = play(rules + WORLD)
    report = Report()
    load_ruleset(str(game.ruleset.folders[0]), report)
    assert "RS411" in {d.code for d in report.diagnostics}
