"""Parts that nothing needs, and numbers near the bounds, mean the same under every backend and after all passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from programs import with_rules

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.pipeline import PASSES, optimized
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.features import NO_FEATURES
from rulespec.typed import nodes as typed

MACHINES: dict[str, Callable[..., Interpreter | PythonBackend]] = {
    "interpreter": lambda r, n, o: Interpreter(lower(r, n, o)),
    "python": lambda r, n, o: PythonBackend(lower(r, n, o)),
    "no passes": lambda r, n, o: PythonBackend(lower(r, n, o), ()),
    "no features": lambda r, n, o: PythonBackend(lower(r, n, o), PASSES, NO_FEATURES),
    "passes alone": lambda r, n, o: Interpreter(optimized(lower(r, n, o))),
}

UNUSED = {
    # a `let` is evaluated where it stands
    "def f(k: int) -> int:\n    let a = 10 / n\n    7\n": ("f(1)", "divides by zero"),
    "def f(k: int) -> int:\n    let a = by_number[n]\n    7\n": ("f(1)", "no such row"),
    "def f(k: int) -> int:\n    let a = g(k)\n    k\ndef g(k: int) -> int: k % n\n": ("f(1)", "divides by zero"),
    "def f(k: int) -> int:\n    let a = g(k)\n    7\ndef g(k: int) -> int:\n    let b = k / n\n    1\n": (
        "f(1) + f(2)",
        "divides by zero",
    ),
    # so are arguments, read or not
    "def f(k: int) -> int: 7\n": ("f(10 / n)", "divides by zero"),
    "def f(k: int, l: int) -> int: k\n": ("f(3, by_town[oak, n])", "no such row"),
    "def f(s: set town) -> int: 7\n": ("f({t in town where t.tax / n > 1})", "divides by zero"),
    # what decides ends `and` and `or`; what comes before it is asked
    "def f() -> bool: 1 / n == 1 and false\n": ("1 if f() else 2", "divides by zero"),
    "def f() -> bool: false and 1 / n == 1\n": ("1 if f() else 2", "2"),
    "def f() -> bool: 1 / n == 1 or true\n": ("1 if f() else 2", "divides by zero"),
    "def f() -> bool: true or 1 / n == 1\n": ("1 if f() else 2", "1"),
    # branches that are not taken are not asked, nor members that are not there
    "def f() -> int: 3 if true else 1 / n\n": ("f()", "3"),
    "def f() -> int: 3 * n\n": ("sum(1 / n for t in town - town)", "0"),
    "def f() -> int: count(t in town where t.tax / n > 1 and false)\n": ("f()", "divides by zero"),
    "def f() -> town?: first(t in town - town from wide())\ndef wide() -> town: oak if 1 / n == 1 else elm\n": (
        "1 if f() is some else 2",
        "divides by zero",
    ),
    "def f() -> town?: first(t in {oak} from wide() where false)\ndef wide() -> town: oak if 1 / n > 0 else elm\n": (
        "1 if f() is some else 2",
        "divides by zero",
    ),
    "def f() -> int: (oak.twin ?? elm).tax * 0\n": ("f()", "0"),
    "def f() -> int: min(1 / n for t in town - town, else 5)\n": ("f()", "5"),
    "def f() -> int: (1 / n) * 0\n": ("f()", "divides by zero"),
    "def f() -> int: 0 * (1 / n) + 4\n": ("f()", "divides by zero"),
    # a set is worked out, though its first member says that it is not empty
    "def f() -> bool: {(oak if 1 / n > 1 else elm) for t in town} == {}\n": ("1 if f() else 2", "divides by zero"),
    "def f() -> bool: count({t in town where t == oak or 1 / n > 1}) > 0\n": ("1 if f() else 2", "divides by zero"),
    "def f() -> bool: {t in town where t == oak or 1 / m > 1} != {}\n": ("1 if f() else 2", "1"),
    "def f() -> bool: all(t in {oak}: 1 / n == 1) or true\n": ("1 if f() else 2", "divides by zero"),
}
DIGITS = "15 digits"
HUGE = "def huge() -> int: 999999999999999\n"
LARGE = {
    HUGE: ("huge()", "999999999999999"),
    HUGE + "def f() -> int: huge() + 1\n": ("f()", "1000000000000000"),
    HUGE + "def f() -> int: huge() + 2\n": ("f()", DIGITS),
    HUGE + "def f() -> int: 0 - huge() - 2\n": ("f()", DIGITS),
    HUGE + "def f() -> int: huge() * huge()\n": ("f() * 0", DIGITS),
    HUGE + "def f() -> int: huge() * huge()\n": ("0 if true else f()", "0"),
    HUGE + "def f() -> int:\n    let a = huge() * huge()\n    7\n": ("f()", DIGITS),
    HUGE + "def f(k: int) -> int: 7\n": ("f(huge() * 1000)", DIGITS),
    HUGE + "def f(k: int) -> int: k * 1000000\n": ("f(f(f(huge())))", DIGITS),
    "def f(k: int) -> int: k * 1000000\n": ("f(f(f(m)))", DIGITS),
    HUGE + "def f() -> int: sum(huge() for t in town) - sum(huge() for t in town)\n": ("f()", "0"),
    HUGE + "def f() -> int: sum(sum(huge() * 100 for u in town) for t in town)\n": ("f()", DIGITS),
    "".join(
        ["def f0(k: int) -> int: k\n"]
        + [f"def f{i}(k: int) -> int:\n    let a = f{i - 1}(k)\n    a + a\n" for i in range(1, 49)]
    ): ("f48(m)", "562949953421312"),
    "".join(
        ["def f0(k: int) -> int: k\n"]
        + [f"def f{i}(k: int) -> int:\n    let a = f{i - 1}(k)\n    a + a\n" for i in range(1, 60)]
    ): ("f59(m)", DIGITS),
    "".join(
        ["def f0(k: int) -> int: k\n"]
        + [f"def f{i}(k: int) -> int:\n    let a = f{i - 1}(k)\n    a * 10\n" for i in range(1, 40)]
    ): ("f39(m) * 0", DIGITS),
}


def outcome(ruleset: typed.Ruleset, machine: str) -> str:
    game = Game(ruleset, ["ann", "bob"], backend=MACHINES[machine])
    begun = game.omniscient.numbers.cells
    try:
        game.apply(game.parse("go"))
    except RulesetFaultError as fault:
        assert game.omniscient.numbers.cells == begun
        return str(fault)
    cells = game.omniscient.numbers.program.cells
    return str(
        next(game.omniscient.numbers.cells[at] for at, c in enumerate(cells) if (c.group, c.name) == ("game", "m"))
    )


def rules(definitions: str, value: str) -> str:
    return f"""
procedure play():
    set m to 2
    for p in player:
        decide act by p:
            option go:
                set m to {value}
            option stay:
                pass
{definitions}"""


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("definitions", UNUSED)
@pytest.mark.sampled(10)
def test_what_nothing_needs_faults_alike(definitions: str, machine: str) -> None:
    value, expected = UNUSED[definitions]
    assert expected in outcome(with_rules(rules(definitions, value)), machine)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("definitions", LARGE)
@pytest.mark.sampled(9)
def test_numbers_that_become_too_large_fault_alike(definitions: str, machine: str) -> None:
    value, expected = LARGE[definitions]
    result = outcome(with_rules(rules(definitions, value)), machine)
    assert result == expected if expected.isdecimal() else expected in result


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "body",
    [
        "set m to 999999999999999\n                set m to m + 2",
        "let a = 999999999999999\n                let b = a + a\n                set m to 0 * b",
        "repeat at most 90:\n                    set m to m * 1000",
        "repeat at most 90:\n                    set m to m + m",
        "pay huge() * 1 money from bank to p.cash\n                pay huge() * 1 money from bank to p.cash",
        "pay huge() * 1 money from bank to chest\n                pay huge() * 1 money from bank to p.cash",
        "helper(huge() + huge())",
    ],
)
@pytest.mark.sampled(18)
def test_what_is_kept_stays_within_bounds(body: str, machine: str) -> None:
    text = rules(HUGE + "procedure helper(k: int):\n    set n to k\n", "1").replace("set m to 1", body)
    result = outcome(with_rules(text), machine)
    assert "RS703" not in result and "15 digits" in result
