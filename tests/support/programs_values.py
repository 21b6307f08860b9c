"""Random parts of programs with values that depend on a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from programs_numbers import or_none

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter
    from programs_statements import StatementWriter


def draw(w: ExpressionWriter, scope: dict[str, str], pad: str) -> list[str]:
    """A `roll` or a `choose`, whose parameters are in scope afterwards."""
    name, params = w.fresh(), []
    by = f" by {w.expr('player', scope, 1)}" if w.number(2) else ""  # the decider is evaluated before the values
    for _ in range(1 + w.number(2)):
        value = w.fresh()
        if w.number(2):
            params.append(f"{value} in {{oak}} | {w.expr('set town', scope, 1)}")
            type_ = "town"
        else:
            params.append(f"{value} in {w.pick('0', 'n - n')} .. {w.pick('2', 'few', 'abs(m) % 3')}")
            type_ = "int"
        params[-1] += or_none(w, scope, value, type_, w.number(3) == 0)
    head = f"{name}({', '.join(params)})"
    if by:
        return [f"{pad}choose {head}{by}"]
    weight = f" weight 1 + abs({w.expr('int', scope, 1)}) % 3" if w.number(2) else ""
    return [f"{pad}roll {head}{weight}"]


def only(w: ExpressionWriter, scope: dict[str, str], depth: int) -> str:
    """The only member of a set, which usually has exactly one."""
    form = w.number(6)
    if form == 0:
        return f"the({{{w.expr('town', scope, depth)}}})"
    if form == 1:
        sure = w.pick("town", "{ash, fir}", f"({w.expr('set town', scope, depth)} | {{oak}})")
        return f"first({sure})" if w.number(2) else f"first({w.fresh()} in {sure} from {w.expr('town', scope, depth)})"
    name = w.fresh()
    if form < 4:
        return f"the({name} in town where {name} == {w.expr('town', scope, depth)})"
    if form == 5:
        other = w.fresh()
        extreme = f"{w.pick('min', 'max')}({other}.index for {other} in {w.pick('town', '{elm, fir}')})"
        return f"the({name} in town where {name}.index == {extreme})"
    return f"the({w.expr('set town', scope, depth)})" if w.number(2) else f"the({w.each(scope, depth)[0]})"


ANSWERS = ("int", "bool", "town", "town?", "set town", "int?")
"""The types of the procedures with results `answer0`, `answer1`, …"""


def answers(w: StatementWriter) -> list[str]:
    """The next procedure with a result, which can call earlier ones."""
    number, type_ = w.answers, ANSWERS[w.answers]
    scope = {"k": "int", "t": "town"}
    lines = [f"procedure answer{number}(k: int, t: town) -> {type_}:", *w.block(scope, 1, "    ")]
    if w.number(2):
        lines += draw(w, scope, "    ")
    for _ in range(w.number(3)):
        value = f"return {w.expr(type_, scope, 1)}"
        if w.number(2):
            lines += [f"    if {w.expr('bool', scope, 1)}:", f"        {value}"]
        else:
            binder, inner = w.each(scope, 1)
            lines += [f"    for {binder}:", f"        if {w.expr('bool', inner, 1)}:", f"            {value}"]
    lines.append(f"    return {w.expr(type_, scope, 2)}")
    w.answers += 1
    return lines


def taken(w: ExpressionWriter, scope: dict[str, str], pad: str) -> list[str]:
    """A statement that uses the result of a procedure."""
    number = w.number(w.answers)
    call, type_ = f"answer{number}({w.expr('int', scope, 1)}, {w.expr('town', scope, 1)})", ANSWERS[number]
    state = {"int": f"{w.expr('town', scope, 1)}.mark", "bool": "oak.seen", "set town": "towns"}
    known = [name for name, of in scope.items() if of == type_ and type_[-1] != "?" and name not in ("k", "t")]
    # A variable initialised with `oak.twin` has type `town`, since the fact of a named entity is known.
    targets = [*known, *([state[type_]] if type_ in state else [])]
    if targets and w.number(2):
        return [f"{pad}set {w.pick(*targets)} to {call}"]
    name = w.fresh()
    scope[name] = type_
    return [f"{pad}let {name} = {call}"]
