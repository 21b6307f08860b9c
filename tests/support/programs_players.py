"""Random parts of programs that concern players: piles and entities that belong to them."""

from __future__ import annotations

from collections.abc import Callable

Pick = Callable[..., str]
Expr = Callable[[str], str]


def number(pick: Pick, expr: Expr) -> str:
    """A number that belongs to a player; `expr` writes an expression of a type."""
    who, ware = expr("player"), pick("corn", "salt")
    return pick(
        f"seal[{who}, {ware}].supply",
        f"seal[{who}, {ware}].at[{expr('town')}]",
        f"claim[{who}, {ware}].size",
        f"claim[{who}, {ware}].index",
        f"sum(c.size for c in claim where c.player == {who})",
        f"count(c in claim where c.good == {ware} and c.size > {expr('int')})",
        f"sum(seal[q, {ware}].at[{expr('town')}] for q in player)",
    )


def statement(pick: Pick, expr: Expr) -> str:
    """A statement that changes what belongs to a player."""
    who, ware = expr("player"), pick("corn", "salt")
    return pick(
        f"set claim[{who}, {ware}].size to {expr('int')}",
        f"move min(1, seal[{who}, {ware}].supply) of seal[{who}, {ware}] from supply to at[{expr('town')}]",
        f"set last to first(c in claim where c.player == {who} and c.size != {expr('int')})",
    )
