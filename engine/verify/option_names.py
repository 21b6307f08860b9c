"""The options defined anywhere in a ruleset, which distinguish typos from options that are merely unavailable."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.game.game import Game
from rulespec.engine.game.notation import argument, split_option
from rulespec.engine.lower.layout import param_type
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


def unknown_option(game: Game, name: str) -> str:
    """The reason why a ruleset has no option with the given name under any settings; "" if it has one."""
    names = {option.name for option in _options(game.ruleset)}
    if name in names:
        return ""
    hint = did_you_mean(name, sorted(names))
    return f"no decision of the ruleset has an option `{name}`" + (f"; {hint}" if hint else "")


def unreadable(game: Game, text: str) -> str:
    """The reason why a text such as `take(2)` matches no option of any decision; "" if it matches one."""
    try:
        name, arguments = split_option(text)
    except ValueError as error:
        return str(error)
    if wrong := unknown_option(game, name):
        return wrong
    for option in _options(game.ruleset):
        if option.name == name:
            params = [(p.var.name, param_type(p.var.type)) for p in option.params]
            if not (wrong := _misfit(game, name, params, arguments)):
                return ""
    return wrong


def _misfit(game: Game, name: str, params: list[tuple[str, str]], arguments: list[str]) -> str:
    """The reason why arguments do not fit parameters; "" if they do."""
    if len(params) != len(arguments):
        return f"`{name}` takes {', '.join(n for n, _ in params) or 'no arguments'}"
    try:
        for (param, type_), text in zip(params, arguments, strict=True):
            argument(game.omniscient.labels, param, type_, text)
    except ValueError as error:
        return str(error)
    return ""


def _options(ruleset: typed.Ruleset) -> Iterator[typed.OptionDef]:
    """The options of all decisions."""
    statements = chain.from_iterable(walk(p.body) for p in ruleset.rules.procedures.values())
    return chain.from_iterable(s.options for s in statements if isinstance(s, typed.Decide))
