"""Random parts of programs about players: the piles and entities that they own."""

from __future__ import annotations

from collections.abc import Callable

Pick = Callable[..., str]
Expr = Callable[[str], str]


def number(pick: Pick, expr: Expr, x: str) -> str:
    """A numeric expression about a player's property; `expr` writes an expression of a type, `x` is a new name."""
    who, ware = expr("player"), pick("corn", "salt")
    return pick(
        f"seal[{who}, {ware}].supply",
        f"seal[{who}, {ware}].at[{expr('town')}]",
        f"claim[{who}, {ware}].size",
        f"claim[{who}, {ware}].index",
        f"sum({x}.size for {x} in claim where {x}.player == {who})",
        f"count({x} in claim where {x}.good == {ware} and {x}.size > {expr('int')})",
        f"sum(seal[{x}, {ware}].at[{expr('town')}] for {x} in player)",
    )


def statement(pick: Pick, expr: Expr, x: str) -> str:
    """A statement that changes a player's property; arguments as in `number`."""
    who, ware = expr("player"), pick("corn", "salt")
    return pick(
        f"set claim[{who}, {ware}].size to {expr('int')}",
        f"move min(1, seal[{who}, {ware}].supply) of seal[{who}, {ware}] from supply to at[{expr('town')}]",
        f"set last to first({x} in claim where {x}.player == {who} and {x}.size != {expr('int')})",
    )


def deciders(pick: Pick, expr: Expr, x: str) -> str:
    """The deciders of a decision, with one of them as its lead; arguments as in `number`."""
    who = expr("player")
    return pick(
        f"any of {{{who}}} | {{{x} in player where {expr('bool')}}} lead {who}",
        f"any of {{{expr('player')}, {who}}}",
        f"any of player lead {who}",
    )
