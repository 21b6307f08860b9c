"""Random parts of programs about capacities, of places for pieces, and of places shared by pieces and tokens."""

from __future__ import annotations

from collections.abc import Callable

Pick = Callable[..., str]
Expr = Callable[[str], str]

_CART = "  cart: {each: [good], places: {supply: {}, at: {index: town"
_SHARED = """
capacities:
  beds: {of: [cart.at, flag.at, seal.at], index: town, at_most: town.tax + 4}
  store: {of: [flag.supply, seal.supply], at_most: 90}
"""


def bounded(world: str) -> str:
    """A world whose places have capacities."""
    assert _CART in world
    world = world.replace(_CART, f"{_CART}, at_most: 2 + town.tax / 2")
    return world.replace("--- tables.yaml", f"{_SHARED.strip()}\n--- tables.yaml", 1)


def number(pick: Pick, expr: Expr, x: str) -> str:
    """A numeric expression about capacities; `expr` writes an expression of a type, `x` is a new name."""
    return pick(
        f"room(cart.at[{expr('town')}])",
        f"room(beds[{expr('town')}])",
        "room(store)",
        f"sum(room(beds[{x}]) for {x} in {expr('set town')})",
    )


def statement(pick: Pick, expr: Expr) -> str:
    """A statement that may exceed a capacity."""
    return pick(
        f"move min(flag.supply, 1) of flag from supply to at[{expr('town')}]",
        f"move min(cart[salt].supply, abs({expr('int')}) % 3) of cart[salt] from supply to at[{expr('town')}]",
        f"move min(flag.at[oak], max(0, min(1, room(beds[elm])))) of flag from at[oak] to at[{pick('elm', 'oak')}]",
    )
