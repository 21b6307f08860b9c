"""Random parts of programs with several binders, and with optional numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from programs_orders import Scope, by_keys, ways

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

PERHAPS = "int?"
LEAVES = ("none_yet()", "high", "tide", "oak.height", "elm.height", "depth[oak]", "depth[fir]")
RULES = """
def none_yet() -> int?: none
def higher(k: int?) -> int?: (k + 1 if k is some else none)
procedure raised(k: int?) -> int?:
    set high to k
    return k
procedure rise(t: town, k: int?):
    set t.height to k
"""


def with_numbers(world: str) -> str:
    """The world with optional numbers in its state, its facts and a table."""
    for before, after in (
        ("    state: {owner:", "    state: {height: {type: int?}, owner:"),
        ("  n: {type: int}\n", "  n: {type: int}\n  tide: {type: int? -3..3}\n  high: {type: int?, start: 4}\n"),
        ("tables:\n", "tables:\n  depth: {key: town, value: int?, rows: {oak: 2, elm: none, ash: -4, fir: none}}\n"),
        ("facts: {tax: int,", "facts: {tax: int, dues: int?,"),
        ("oak: {tax: 3,", "oak: {tax: 3, dues: 6,"),
        ("fir: {tax: 9,", "fir: {tax: 9, dues: none,"),
    ):
        assert before in world
        world = world.replace(before, after, 1)
    return world


def several(w: ExpressionWriter, scope: Scope, d: int) -> tuple[str, Scope]:
    """One binder, or two, the second of which can refer to the first one's variable."""
    first, inner = w.each(scope, d)
    if w.number(3):
        return first, inner
    second, inner = w.each(inner, d - 1)
    return f"{first} for {second}", inner


def or_none(w: ExpressionWriter, scope: Scope, name: str, type_: str, where: bool) -> str:
    """The text after a parameter's domain: an optional `or none`, and a condition; the parameter enters the scope."""
    scope[name] = type_
    text = " or none" if w.number(4) == 0 else ""
    if where:
        text += f" where {w.expr('bool', scope, 1)}"
    scope[name] = f"{type_}?" if "or none" in text[:8] else type_
    return text


def perhaps(w: ExpressionWriter, s: Scope, d: int) -> str:
    """An optional number."""
    e, form = w.expr, w.number(9)
    if form == 0:
        return f"({e(PERHAPS, s, d)} if {e('bool', s, d)} else {e(w.pick(PERHAPS, 'int'), s, d)})"
    if form == 1:
        return f"({e('int', s, d)} if {e('bool', s, d)} else none)"
    if form < 4:
        binder, inner = several(w, s, d)
        other = f", else {e(PERHAPS, s, d)}" if w.number(3) == 0 else ""
        return f"{w.pick('min', 'max')}({e(w.pick(PERHAPS, 'int'), inner, d)} for {binder}{other})"
    if form == 4:
        return ways(w, s, d, "cheapest?")
    if form == 5:
        return f"higher({e(w.pick(PERHAPS, 'int'), s, d)})"
    if form == 6:
        return f"({e(PERHAPS, s, d)} ?? {e(PERHAPS, s, d)})"
    return f"{e('town', s, d)}.{w.pick('height', 'dues')}" if form == 7 else f"depth[{e('town', s, d)}]"


def number(w: ExpressionWriter, s: Scope, d: int) -> str:
    """A number computed from an optional one."""
    form = w.number(4)
    if form == 0:
        known = [name for name, type_ in s.items() if type_ == PERHAPS]
        path = w.pick("high", "tide", "ash.height", *known)
        test = w.pick(f"{path} is some", f"{path} == {w.expr('int', s, d)}", f"not ({path} is none)")
        return f"({path} {w.pick('+', '-', '*')} {w.expr('int', s, d)} if {test} else {w.expr('int', s, d)})"
    if form == 1:
        binder, inner = several(w, s, d)
        value = w.expr(w.pick(PERHAPS, "int"), inner, d)
        return f"{w.pick('min', 'max')}({value} for {binder}, else {w.expr('int', s, d)})"
    return f"({w.expr(PERHAPS, s, d)} ?? {w.expr('int', s, d)})"


def truth(w: ExpressionWriter, s: Scope, d: int) -> str:
    """A condition on an optional number."""
    value = w.expr(PERHAPS, s, d)
    if w.number(2):
        return f"({value} {w.pick('==', '!=')} {w.expr(w.pick(PERHAPS, 'int'), s, d)})"
    return f"({value} is {w.pick('none', 'some')})"


def statement(w: ExpressionWriter, scope: Scope, pad: str) -> list[str]:
    """A statement that sets an optional number."""
    value = w.expr(w.pick(PERHAPS, PERHAPS, "int"), scope, 2)
    known = [name for name, type_ in scope.items() if type_ == PERHAPS and name.startswith("v")]
    form = w.number(6)
    if form == 0 and w.hushed < 0:
        return [f"{pad}set {w.pick('high', *known)} to raised({value})"]
    if form == 1:
        return [f"{pad}rise({w.expr('town', scope, 1)}, {value})"]
    if form == 2:
        name, condition = w.fresh(), w.expr("bool", scope, 1)
        scope[name] = PERHAPS
        return [f"{pad}let {name} = ({value} if {condition} else none)"]
    if form == 3:
        return [f"{pad}set tide to ({value} ?? 0) % {w.pick('3', '4', '5')}", f"{pad}if n > 3: set tide to none"]
    if form == 4:
        return [f"{pad}set {w.expr('town', scope, 1)}.height to {value}"]
    binder, inner = by_keys(w, scope, 1)
    return [f"{pad}for {binder}, {w.pick('', '-')}high:", f"{pad}    set high to {w.expr(PERHAPS, inner, 1)}"]
