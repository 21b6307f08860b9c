"""Random parts of programs with sets and bags as parameters, and statements that move their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_heads import Writer

BAG, SET = "bag good", "set town"
Scope = dict[str, str]
RULES = """\
def amounts(b: bag good, g: good) -> int: b[g] + count(b)
procedure spend(b: bag good, t: town):
    for g in b:
        move min(b[g], cart[g].supply) of cart[g] from supply to at[t]
"""


def param(w: Writer, scope: Scope, name: str) -> str:
    """A parameter that chooses a set or a bag, without a privacy clause; it is added to the scope."""
    least = w.pick("0", "1", "2", "few", "n - n", "(-1)")
    exactly = [] if least == "(-1)" else ["", ""]  # the minimum cannot be negative
    one = [] if least == "2" else [" .. 1"]  # the minimum comes first
    most = w.pick(*exactly, *one, " .. 2", " .. few", " .. abs(m) % 3", " .. count(towns)")
    if w.number(2):
        of = w.expr(SET, scope, 1)
        scope[name] = SET
    else:
        of = w.pick("cart.supply", f"cart.at[{w.expr('town', scope, 1)}]")
        scope[name] = BAG
    where = f" where {w.expr('bool', scope, 1)}" if w.number(3) == 0 else ""
    if w.number(3) == 0:
        where = f" where {_about(w, scope, name)}"
    return f"{name} in choose {least}{most} of {of}{where}"


def _about(w: Writer, scope: Scope, name: str) -> str:
    """A condition on a whole set or bag."""
    if scope[name] == BAG:
        return w.pick(f"{name}[corn] != 1", f"count({name}) > few", f"salt in {name}", f"count({{g in {name}}}) < 2")
    return w.pick(f"count({name}) != 2", f"sum(t.tax for t in {name}) > 5", f"oak not in {name}")


def number(w: Writer, scope: Scope) -> str | None:
    """A number that depends on a bag in scope; None without one."""
    bags = [name for name, type_ in scope.items() if type_ == BAG]
    if not bags:
        return None
    bag = w.pick(*bags)
    good = w.pick("corn", "salt")
    return w.pick(f"{bag}[{good}]", f"count({bag})", f"amounts({bag}, {good})", f"sum({bag}[g] for g in {bag})")


def of_subsets(w: Writer, scope: Scope) -> str:
    """A number from an operator over the subsets of at most three towns."""
    some, t = w.fresh(), w.fresh()
    inner = {**scope, some: "set town"}
    where = f" where {w.expr('bool', inner, 1)}" if w.number(2) else ""
    each = f"{some} in subsets({w.expr('set town', scope, 1)} & {w.pick('{oak, ash}', '{elm, fir, ash}')}){where}"
    about = w.pick(f"count({some}) > few", f"oak in {some}", f"{some} == towns", w.expr("bool", inner, 1))
    worth = w.pick(f"count({some})", f"sum({t}.tax for {t} in {some})", w.expr("int", inner, 1))
    return w.pick(
        *(f"count({each})", f"sum({worth} for {each})", f"max({worth} for {each}, else few)"),
        *(f"(min({worth} for {each}) ?? 3)", f"(1 if any({each}: {about}) else 2)"),
        *(f"(3 if all({each}: {about}) else 4)", f"count(union({some} for {each}))"),
    )


def statement(w: Writer, scope: Scope, pad: str) -> list[str] | None:
    """A statement that uses a bag in scope; None without one."""
    bags = [name for name, type_ in scope.items() if type_ == BAG]
    if not bags:
        return None
    bag, town = w.pick(*bags), w.expr("town", scope, 1)
    if w.number(3) == 0:
        return [f"{pad}spend({bag}, {town})"]
    return [
        pad + w.pick(f"move {bag} of cart from supply to at[{town}]", f"move {bag} of cart from at[{town}] to supply")
    ]


def cost(w: Writer, scope: Scope) -> str | None:
    """A cost of a bag in scope; None without one."""
    bags = [name for name, type_ in scope.items() if type_ == BAG]
    if not bags:
        return None
    town = w.expr("town", scope, 1)
    return f"cost {w.pick(*bags)} of cart {w.pick(f'from supply to at[{town}]', f'from at[{town}] to supply')}"
