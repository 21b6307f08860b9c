"""Two backends that play the same game: whether they agree, step by step."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from folders import GAMES, RULESETS

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.position_hash import digits, weights, whole
from rulespec.language.paths import path_of, stops

EXAMPLES = int(os.environ.get("RULESPEC_EXAMPLES", "20" if os.environ.get("RULESPEC_NEW") else "5"))
"""Random programs for each property."""
EVERY = sorted(p.parent for root in (RULESETS, GAMES) for p in root.rglob("game.yaml"))


def outcome(ask: Callable[[], object]) -> object:
    """The outcome of a call: a value, or a fault as text."""
    try:
        return ask()
    except RulesetFaultError as fault:
        return f"{fault.diagnostic.code} {fault}"


def plain_hash(game: Game) -> str:
    """The hash of a position, worked out from its cells alone."""
    cells = game.omniscient.numbers.cells
    return digits(whole(cells, weights(len(cells), len(cells))))


def agree(
    fast: Game,
    plain: Game,
    choose: Callable[[int], int],
    plies: int,
    *,
    reasons: bool = True,
    sound: bool = False,
    every: int = 1,
) -> list[str]:
    """Plays both games with the same decisions; returns the hashes on the way.

    Args:
        fast: a game.
        plain: the same game on another machine.
        choose: the number of an option, below the number of options.
        plies: the most decisions.
        reasons: whether both say in the same words why an option is not legal.
        sound: whether no invariant is broken.
        every: at one of so many decisions all that can be asked is compared, and options out of turn are taken; at the
            others options, states and hashes are compared, and the decider takes one of its own, if there are any.
    """
    hashes = []
    for ply in range(plies):
        begun = outcome(lambda: fast.is_over)
        assert begun == outcome(lambda: plain.is_over)
        if begun is not False:
            break
        assert fast.omniscient.numbers.cells == plain.omniscient.numbers.cells
        assert fast.hash == plain.hash == plain_hash(fast)
        hashes.append(fast.hash)
        assert outcome(lambda: fast.decision) == outcome(lambda: plain.decision)
        if sound:
            assert fast.omniscient.broken_invariants() == []
        listed = outcome(lambda: list(every_option(fast)))
        assert listed == outcome(lambda: list(every_option(plain)))
        if ply % every == 0:
            assert outcome(fast.omniscient.broken_invariants) == outcome(plain.omniscient.broken_invariants)
            assert outcome(fast.omniscient.measures) == outcome(plain.omniscient.measures)
        if not isinstance(listed, list) or not listed:
            break
        own = [option for option in listed if ply % every == 0 or not option.interrupt] or listed
        option: Option = own[choose(len(own))]
        if ply % every == 0:
            _same_of(option, listed, fast, plain, reasons)
        applied = outcome(partial(fast.apply, option))
        assert applied == outcome(partial(plain.apply, option))
        if not isinstance(applied, Option):
            assert fast.hash == hashes[-1]
            break
        assert {*map(type, fast.omniscient.numbers.cells)} == {int}
    assert outcome(lambda: fast.result) == outcome(lambda: plain.result)
    assert fast.history == plain.history
    return hashes


def _same_of(option: Option, listed: list[Option], fast: Game, plain: Game, reasons: bool) -> None:
    """The weight of an option is the same, and what is like it, but not legal, is refused in the same words."""
    assert outcome(partial(weight, fast, option)) == outcome(partial(weight, plain, option))
    legal = {(o.name, o.args) for o in listed}
    for other in near(fast, option):
        if (other.name, other.args) not in legal:
            assert not fast.is_legal(other) and not plain.is_legal(other)
            assert not reasons or str(fast.why_not(other)) == str(plain.why_not(other))


def near(game: Game, option: Option) -> list[Option]:
    """Options like a legal one, with one argument moved by one; many of them are not legal."""
    results = []
    for i, value in enumerate(option.args):
        type_ = game.omniscient.labels.params(option.decision, option.name)[i][1].removesuffix("?")
        one_more = type_ == "int" or type_.startswith(("set ", "bag "))
        if type_.startswith("path "):  # with another last stop, and without its last one
            size = len(game.omniscient.labels.names[type_[5:]])
            *before, last = stops(value, size)
            others = [path_of([*before, (last + 1) % size], size), path_of(before, size)]
            results += [Option(option.kind, (*option.args[:i], x, *option.args[i + 1 :]), option.by) for x in others]
            continue
        moved = value + 1 if one_more else (value + 1) % len(game.omniscient.labels.names[type_])
        results.append(Option(option.kind, (*option.args[:i], moved, *option.args[i + 1 :]), option.by))
    try:
        return [o for o in results if not isinstance(outcome(lambda o=o: game.is_legal(o)), str)]  # type: ignore[misc]
    except ValueError:
        return []


def take_back(game: Game, hashes: list[str]) -> None:
    while game.ply:
        game.undo()
        assert game.hash == hashes[game.ply]


def weight(game: Game, option: Option) -> int:
    return game.omniscient.numbers.weight(option.kind.choice, option.args)
