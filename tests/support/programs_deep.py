"""Random parts of programs with recursive procedures: alone, in cycles, with results, with various parameters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_statements import StatementWriter

Scope = dict[str, str]
PARAMETERS: tuple[Scope, ...] = (
    {"k": "int"},
    {"k": "int", "t": "town"},
    {"t": "town", "k": "int", "s": "set town", "p": "player"},
)
"""The parameters of the procedures `burrow0`, `burrow1` and `burrow2`."""
_HEADER = re.compile(r"procedure (\w+)(\(.*\).*?) at most (\d+) deep:")


def procedures(w: StatementWriter) -> list[str]:
    """The procedures: three that call themselves, two that call each other, and one without parameters."""
    lines = [line for number in range(len(PARAMETERS)) for line in _burrow(w, number)]
    lines += [
        f"procedure there(k: int, t: town) at most {2 + w.number(3)} deep:",
        *_calls(w, {"k": "int", "t": "town"}, f"back_again({w.pick('t, k - 1', 'next(t), k - 1 - m % 2')})"),
        "procedure back_again(u: town, j: int):",
        *_calls(w, {"u": "town", "j": "int"}, f"there({w.pick('j, u', 'j - 1, next(u)')})"),
        f"procedure without() at most {2 + w.number(3)} deep:",
        f"    let before = {w.expr('int', {}, 1)}",
        f"    set m to {w.pick('m + 1', 'abs(m) / 2')}",
        f"    if {w.pick('m < 3', 'm > 2', 'n % 2 == 0')}:",
        "        without()",
        f"    set n to {w.pick('before', 'n + before', 'before - m')}",
    ]
    return lines


def _burrow(w: StatementWriter, number: int) -> list[str]:
    """A procedure that calls itself, before and after a change of its local values."""
    scope = dict(PARAMETERS[number])
    has_value = number == 1
    params = ", ".join(f"{name}: {type_}" for name, type_ in scope.items())
    value = " -> int" if has_value else ""
    lines = [f"procedure burrow{number}({params}){value} at most {2 + w.number(4)} deep:"]
    lines += [line for _ in range(w.number(3)) for line in w.stmt(scope, 0, "    ", "")]
    taken = PARAMETERS[number].items()
    args = [", ".join("k - 1" if name == "k" else w.expr(t, scope, 1) for name, t in taken) for _ in range(2)]
    lines += [f"    if k {w.pick('>', '!=', '>=')} {w.pick('0', '0', '-1')}:"]
    calls = [f"burrow{number}({each})" for each in args]
    if has_value:
        calls = [f"let b{i} = {call}" for i, call in enumerate(calls)]
    lines += [f"        {calls[0]}", *w.block(scope, w.number(2), "        ")]
    if w.number(2):
        lines += ["        for every in town where every.tax > n % 2:", f"            {calls[1]}"]
        lines += [f"            set m to m + every.tax + {'b1' if has_value else 'k'}"]
    elif w.number(2):
        lines += [f"        {calls[1]}"]
    lines += w.block(scope, 1, "    ")
    return (
        [*lines, f"    return k * 3 + {w.expr('int', scope, 1)} % 7"] if has_value else [*lines, "    set n to n + k"]
    )


def _calls(w: StatementWriter, scope: Scope, call: str) -> list[str]:
    """The body of one of two mutually recursive procedures, which often call from within a decision."""
    left = "k" if "k" in scope else "j"
    lines = [line for _ in range(w.number(2)) for line in w.stmt(scope, 0, "    ", "")]
    if w.number(2):
        return [*lines, f"    if {left} > 0:", f"        {call}", f"    set m to m + {left}"]
    name = w.fresh()
    return [
        *lines,
        f"    decide {name} by {w.expr('player', scope, 0)}:",
        f"        option {name}_down(extra in 0 .. 1):",
        f"            require {left} > 0",
        f"            {call}",
        f"            set n to n + extra + {left}",
        f"        option {name}_up:",
        f"            set m to {w.expr('int', scope, 1)}",
    ]


def called(w: StatementWriter, scope: Scope, pad: str) -> list[str]:
    """A call of one of these procedures."""
    number = w.number(5)
    if number == 4:
        return [f"{pad}without()"]
    depth = w.pick("1", "2", "3", "n % 4", "abs(m) % 5")
    if number == 3:
        return [f"{pad}there({depth}, {w.expr('town', scope, 1)})"]
    args = ", ".join(depth if name == "k" else w.expr(t, scope, 1) for name, t in PARAMETERS[number].items())
    if number == 1:
        name = w.fresh()
        scope[name] = "int"
        return [f"{pad}let {name} = burrow1({args})"]
    return [f"{pad}burrow{number}({args})"]


def unrolled(rules: str) -> str:
    """The same rules with a copy of each procedure for each depth; the last copy calls a procedure that always faults.

    Of two mutually recursive procedures, the one without a depth parameter is copied with the other.
    """
    blocks = re.split(r"\n(?=\S)", rules)
    deep = {m[1]: int(m[3]) for block in blocks if (m := _HEADER.match(block))}
    rings = {name: {name} for name in deep} | {"there": {"there", "back_again"}}
    results: list[str] = []
    for block in blocks:
        name = block.removeprefix("procedure ").partition("(")[0]
        ring = next((r for r, members in rings.items() if r in deep and name in members), None)
        if not block.startswith("procedure ") or ring is None:
            results.append(_renamed(block, {each: f"{each}_1" for each in deep}))
            continue
        block = _HEADER.sub(r"procedure \1\2:", block)
        for level in range(1, deep[ring] + 1):
            after = {each: f"{each}_{level + (each == ring)}" for each in rings[ring]}
            others = {each: f"{each}_1" for each in deep if each not in rings[ring]}
            head, body = block.split(":\n", 1) if ":\n" in block else (block, "")
            results.append(f"{head.replace(name, f'{name}_{level}', 1)}:\n{_renamed(body, after | others)}")
        if name == ring:
            value = "\n    return 0" if "->" in head else ""
            results.append(f"{head.replace(name, f'{name}_{deep[ring] + 1}', 1)}:\n    let never = 1 / (n - n){value}")
    return "\n".join(results)


def _renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\b(" + "|".join(names) + r")\(", lambda m: f"{names[m[1]]}(", text)
