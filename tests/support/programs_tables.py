"""Random parts of programs with tables of procedures: of each type, by towns, players and pairs, set and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

Scope = dict[str, str]
TYPES = ("int", "bool", "town", "town?", "set town", "int?")


def new_table(w: ExpressionWriter, s: Scope, pad: str) -> list[str]:
    """A table, with a value that is put into it at once."""
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
    """An entry of a table."""
    if s[name].startswith("table claim:"):
        pair = f"{w.expr('player', s, d)}, {w.pick('corn', 'salt')}"
        return w.pick(f"{name}[{pair}]", f"{name}[claim[{pair}]]")
    return f"{name}[{w.expr(s[name].split()[1].rstrip(':'), s, d)}]"


def holding(s: Scope, type_: str) -> list[str]:
    """The tables in scope that hold values of a type."""
    return [name for name, of in s.items() if of.startswith("table ") and of.endswith(f": {type_}")]


def open_variable(w: ExpressionWriter, s: Scope, pad: str) -> list[str]:
    """A variable that begins with none or the empty set, and is of the kind that is put into it."""
    name, type_ = w.fresh(), w.pick("town?", "set town", "int?")
    value = w.expr(type_.removesuffix("?"), s, 1)
    s[name] = type_
    return [f"{pad}let {name} = {'{}' if type_ == 'set town' else 'none'}", f"{pad}set {name} to {value}"]


def put(w: ExpressionWriter, s: Scope, pad: str) -> list[str]:
    """An entry of a table is set; or a table is made."""
    tables = [name for name, of in s.items() if of.startswith("table ")]
    if w.number(6) == 0:
        return open_variable(w, s, pad)
    if not tables or w.number(3) == 0:
        return new_table(w, s, pad)
    name = w.pick(*tables)
    type_ = s[name].partition(": ")[2]
    return [f"{pad}set {entry(w, name, s, 1)} to {w.expr(type_, s, 1)}"]
