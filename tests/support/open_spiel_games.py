"""OpenSpiel's action numbers for small games with cards and dice."""

from __future__ import annotations

from rulespec.engine.game.option import Option

_ACTIONS = {"leave_it": 0, "bet": 1, "fold": 0, "call": 1, "raise": 2}


def action(option: Option, sides: int = 6) -> int:
    """OpenSpiel's action number of an option: cards and dice from 0, bids in order, `liar` after the last bid."""
    if option.name in ("deal", "turn"):
        return option.args[0]
    if option.name == "throw":
        return option.args[0] - 1
    if option.name == "bid" and len(option.args) == 2:
        return (option.args[0] - 1) * sides + option.args[1] - 1
    return 2 * sides if option.name == "liar" else _ACTIONS[option.name]
