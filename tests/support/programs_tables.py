"""Random parts of programs with local tables of each type, keyed by towns, players and pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

Scope = dict[str, str]
TYPES = ("int", "bool", "town", "town?", "set town", "int?")


def new_table(w: ExpressionWriter, s: Scope, pad: str) -> list[str]:
    """A new table, followed by an assignment to it."""
    name, key, type_ = w.fresh(), w.fresh(), w.pick(*TYPES)
    of = w.pick("town", "player", "claim")
    inner = {**s, key: "town"} if of == "town" else {**s, key: "player"} if of == "player" else s
    begins = w.expr(type_, inner, 1)
    if type_ in ("town?", "int?"):
        begins = "none"
    elif type_ == "set town" and w.number(2):
        begins = "{}"
    elif type_ == "town":
        begins = w.pick("oak", "elm", "next(fir)")
    private = f" private to {w.pick('first(player)', 'player', '{}')}" if w.number(6) == 0 else ""
    s[name] = f"table {of}: {type_}"
    value = w.expr(type_.removesuffix("?"), s, 0)
    first = f"{pad}let {name}[{key} in {of}] = {begins}{private}"
    return [first, f"{pad}set {entry(w, name, s, 0)} to {value}"]


def entry(w: ExpressionWriter, name: str, s: Scope, d: int) -> str:
    """An entry of a table as an expression."""
    if s[name].startswith("table claim:"):
        pair = f"{w.expr('player', s, d)}, {w.pick('corn', 'salt')}"
        return w.pick(f"{name}[{pair}]", f"{name}[claim[{pair}]]")
    return f"{name}[{w.expr(s[name].split()[1].rstrip(':'), s, d)}]"


def holding(s: Scope, type_: str) -> list[str]:
    """The tables in scope with values of a type."""
    return [name for name, of in s.items() if of.startswith("table ") and of.endswith(f": {type_}")]


def open_variable(w: ExpressionWriter, s: Scope, pad: str) -> list[str]:
    """A variable whose kind is determined by an assignment after none or the empty set."""
    name, type_ = w.fresh(), w.pick("town?", "set town", "int?")
    value = w.expr(type_.removesuffix("?"), s, 1)
    s[name] = type_
    return [f"{pad}let {name} = {'{}' if type_ == 'set town' else 'none'}", f"{pad}set {name} to {value}"]


def put(w: ExpressionWriter, s: Scope, pad: str) -> list[str]:
    """An assignment to a table's entry, or a new table."""
    tables = [name for name, of in s.items() if of.startswith("table ")]
    if w.number(6) == 0:
        return open_variable(w, s, pad)
    if not tables or w.number(3) == 0:
        return new_table(w, s, pad)
    name = w.pick(*tables)
    type_ = s[name].partition(": ")[2]
    return [f"{pad}set {entry(w, name, s, 1)} to {w.expr(type_, s, 1)}"]
