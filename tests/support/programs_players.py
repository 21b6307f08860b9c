"""Random parts of programs that concern players: piles and entities that belong to them."""

from __future__ import annotations

from collections.abc import Callable

Pick = Callable[..., str]
Expr = Callable[[str], str]


def number(pick: Pick, expr: Expr, x: str) -> str:
    """A number that belongs to a player; `expr` writes an expression of a type, `x` is a new name."""
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
    """A statement that changes what belongs to a player; the arguments are those of `number`."""
    who, ware = expr("player"), pick("corn", "salt")
    return pick(
        f"set claim[{who}, {ware}].size to {expr('int')}",
        f"move min(1, seal[{who}, {ware}].supply) of seal[{who}, {ware}] from supply to at[{expr('town')}]",
        f"set last to first({x} in claim where {x}.player == {who} and {x}.size != {expr('int')})",
    )


def deciders(pick: Pick, expr: Expr, x: str) -> str:
    """The deciders of a decision, with a lead that is one of them; the arguments are those of `number`."""
    who = expr("player")
    return pick(
        f"any of {{{who}}} | {{{x} in player where {expr('bool')}}} lead {who}",
        f"any of {{{expr('player')}, {who}}}",
        f"any of player lead {who}",
    )
