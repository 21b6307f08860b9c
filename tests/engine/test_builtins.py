"""Built-in functions: the same in all machines with each number of arguments that they take, refused with any other."""

from __future__ import annotations

import pytest
from cases import small
from machines_alike import MACHINES, MAKERS, WHOLE, Table
from worlds import lines

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.language.builtins import BUILTINS, ENTITY, MEMBERS, NUMBER, PLACE, SET, Builtin
from rulespec.types import INT, Bool, Ent, SetOf, Type

MOST = 6
"""Arguments with which each function is called at most."""
NAMES = "abcdef"
ARGUMENTS: dict[str, tuple[Type, str]] = {
    NUMBER: (INT, NAMES),
    SET: (SetOf("town"), "some"),
    MEMBERS: (SetOf("town"), "{at}"),
    ENTITY: (Ent("town"), "at"),
    PLACE: (INT, "hall[at]"),
}
"""Form of a parameter → the type of its argument, and an argument in the rules below, or one for each place."""
KINDS = """
--- kinds.yaml
kinds:
  player: {}
  town: {entities: {oak: {}, elm: {}, ash: {}, fir: {}}}
  tile: {entities: {one: {}, two: {}, three: {}}, places: {shed: {}, hall: {index: town, at_most: 2}}}
state:
  some: {type: set town}
  at: {type: town, start: oak}
  queue: {type: order town}
"""
VALUES = lines(
    """
    min(3)                          → 3
    min(3, 1, 2)                    → 1
    max(-3, -1, -2)                 → -1
    abs(-4)                         → 4
    abs(0)                          → 0
    count({oak, elm})               → 2
    the({ash})                      → ash
    first({fir, elm})               → elm
    first({t in town where false})  → none
    last({fir, elm})                → fir
    last({t in town where false})   → none
    next(fir)                       → oak
    previous(oak)                   → fir
    last(queue)                     → none
    room(hall[oak])                 → 2
    """
)


def arguments(f: Builtin, count: int) -> list[str]:
    """Arguments of a function, as many as are wanted."""
    taken = [f.parameter(number).takes for number in range(count)] if f.parameters else [NUMBER] * count
    return [
        ARGUMENTS[takes][1][number] if takes == NUMBER else ARGUMENTS[takes][1] for number, takes in enumerate(taken)
    ]


def calls() -> dict[str, tuple[str, Type]]:
    """A name for each call of each function that there may be → the call, and the type of its value."""
    results: dict[str, tuple[str, Type]] = {}
    for f in BUILTINS.values():
        for count in filter(f.takes, range(MOST + 1)):
            args = arguments(f, count)
            type_ = f.result(*(ARGUMENTS[f.parameter(number).takes][0] for number in range(count)))
            results[f"{f.name}_{count}"] = f"{f.name}({', '.join(args)})", type_
            if count and set(map(f.parameter, range(count))) and f.parameter(0).takes == NUMBER:
                nested = f"{f.name}({', '.join(args[::-1])})"
                results[f"{f.name}_in_{count}"] = f"{f.name}({', '.join([nested, *args[1:]])}) * 3", type_
            if f.of_order:
                results[f"{f.name}_order"] = f"{f.name}(queue)", type_
    return results


def rules() -> str:
    """A ruleset that asks for one of its six numbers and a value for it, and makes each call."""
    lines = [
        "procedure play():",
        "    for p in player:",
        f"        choose far(n in 0 .. {MOST - 1}, far in -9 .. 9) by p",
    ]
    for at, name in enumerate(NAMES):
        lines += [f"        set {name} to {at % 3 * 4}", f"        if n == {at}: set {name} to far * 5"]
    lines += [
        "        set at to the(t in town where t.index == n % 4)",
        "        set some to {t in town where t.index <= far and t != at}",
        "        set queue to [at, next(at)] if far > 0 else []",
        "        if far > 5: move one to hall[at]",
    ]
    state = dict.fromkeys(NAMES, "int")
    for name, (call, type_) in calls().items():
        state[name] = "bool" if isinstance(type_, Bool) else "town?" if isinstance(type_, Ent) else "int"
        lines.append(f"        set {name} to {call}")
    cells = "".join(f"  {name}: {{type: {type_}}}\n" for name, type_ in state.items())
    return "\n".join([*lines, "    end game"]) + KINDS + cells


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(small(tmp_path_factory.mktemp("builtins") / "small", rules()), 1)


@pytest.mark.parametrize("name", MACHINES)
def test_a_function_is_the_same_in_all_machines(name: str, table: Table) -> None:
    start, plain = table.game(lambda p: MAKERS[name](p, WHOLE)), table.game(Interpreter)
    for at in range(MOST):
        for far in (-9, -2, 0, 3, 9):
            game, beside = start.copy(), plain.copy()
            game.apply(game.parse(f"far({at}, {far})"))
            beside.apply(beside.parse(f"far({at}, {far})"))
            assert {name: game.omniscient.value(name) for name in calls()} == {
                name: beside.omniscient.value(name) for name in calls()
            }
            assert game.hash == beside.hash


@pytest.mark.parametrize("name", BUILTINS)
def test_other_numbers_of_arguments_are_refused(name: str, table: Table) -> None:
    game, f = table.game(Interpreter), BUILTINS[name]
    for count in range(MOST + 1):
        call = f"{name}({', '.join(arguments(f, count))})"
        if f.takes(count):
            game.omniscient.value(call)
        else:
            with pytest.raises(DiagnosticsError, match=r"RS226|RS1|RS325"):
                game.omniscient.value(call)


@pytest.mark.parametrize("expression, value", VALUES)
def test_values(expression: str, value: str, table: Table) -> None:
    assert table.game(Interpreter).omniscient.value(expression) == value


def test_each_function_has_a_value_that_is_tested() -> None:
    assert {expression.partition("(")[0] for expression, _ in VALUES} == set(BUILTINS)
