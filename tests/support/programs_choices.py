"""Random parts of programs that choose between values: `?.`, `if … as`, `match` as a value; and `<` on towns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

Scope = dict[str, str]
TOWNS = ("oak", "elm", "ash", "fir")
PERHAPS = "int?"
VALUES = ("int", "bool", "town", "town?", "set town", "int?")


def number(w: ExpressionWriter, s: Scope, d: int) -> str:
    """A numeric attribute of an optional town."""
    member = w.pick("tax", "mark", "index", "twin?.tax", "twin?.twin?.mark", "twin?.index")
    return f"({w.expr('town?', s, d)}?.{member} ?? {w.expr('int', s, d)})"


def stepped(w: ExpressionWriter, s: Scope, d: int) -> str:
    """A numeric attribute of a space several steps away."""
    course = w.pick("ahead", "aside", "aslant")
    step = w.pick("", f", {w.expr('int', s, d)}")
    return f"(s2.to({course})?.to({course}{step})?.{w.pick('row', 'home?.tax', 'index')} ?? {w.expr('int', s, d)})"


def maybe(w: ExpressionWriter, s: Scope, d: int) -> str:
    """The twin of an optional town."""
    return f"{w.expr('town?', s, d)}?.twin"


def named(w: ExpressionWriter, type_: str, s: Scope, d: int) -> str:
    """A conditional that binds a name to an optional value."""
    of = w.pick("town?", PERHAPS)
    name = w.fresh()
    inner = {**s, name: of.removesuffix("?")}
    return f"({w.expr(type_, inner, d)} if {w.expr(of, s, d)} is some as {name} else {w.expr(type_, s, d)})"


def called(w: ExpressionWriter, type_: str, s: Scope, d: int) -> str:
    """A call of a definition in this module, or a conditional."""
    if type_ not in VALUES:
        return named(w, type_, s, d)
    return f"choice{VALUES.index(type_)}({w.expr('town', s, d)}, {w.expr('int', s, d)})"


def in_order(w: ExpressionWriter, s: Scope, d: int) -> str:
    """A comparison of two towns by their order in the kind."""
    return f"({w.expr('town', s, d)} {w.pick('<', '<=', '>', '>=')} {w.expr('town', s, d)})"


def cases(w: ExpressionWriter, type_: str, s: Scope, pad: str, depth: int = 1) -> list[str]:
    """The lines of a `match` whose value has a type; the first starts with the given word."""
    left, lines = list(TOWNS), [f"match {w.expr('town', s, 1)}:"]
    for _ in range(1 + w.number(3)):
        names = [left.pop(w.number(len(left))) for _ in range(1 + w.number(1 + len(left) // 3))]
        lines += _arm(w, f"{pad}    case {', '.join(names)}:", type_, s, pad + "    ", depth)
    return lines + _arm(w, f"{pad}    else:", type_, s, pad + "    ", depth)


def _arm(w: ExpressionWriter, head: str, type_: str, s: Scope, pad: str, depth: int) -> list[str]:
    form = w.number(5)
    if form == 0 and depth:
        first, *following = cases(w, type_, s, pad, depth - 1)
        return [f"{head} {first}", *following]
    value = w.expr(type_, s, form % 3)
    return [f"{head} {value}"] if form < 4 else [head, f"{pad}    {value}"]


def statement(w: ExpressionWriter, scope: Scope, pad: str) -> list[str]:
    """A statement that uses the value of a `match`."""
    type_ = w.pick("int", "bool", "town", "set town", "town?")
    target = {"int": "n", "bool": "elm.seen", "set town": "towns"}.get(type_, "")
    if target and w.number(2):
        first, *following = cases(w, type_, scope, pad)
        return [f"{pad}set {target} to {first}", *following]
    name = w.fresh()
    first, *following = cases(w, type_, scope, pad)
    scope[name] = type_
    return [f"{pad}let {name} = {first}", *following]


def definitions(w: ExpressionWriter) -> list[str]:
    """Definitions of each type, whose values come from a `match`."""
    lines: list[str] = []
    for i, type_ in enumerate(VALUES):
        scope = {"t": "town", "k": "int"}
        first, *following = cases(w, type_, scope, "    ")
        while any("choice" in line for line in (first, *following)):
            first, *following = cases(w, type_, scope, "    ")
        lines += [f"def choice{i}(t: town, k: int) -> {type_}:", f"    {first}", *following]
    return lines
