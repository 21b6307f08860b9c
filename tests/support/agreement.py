"""Step-by-step comparison of two backends that play the same game."""

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
"""The number of random programs per property."""
EVERY = sorted(p.parent for root in (RULESETS, GAMES) for p in root.rglob("game.yaml"))


def outcome(ask: Callable[[], object]) -> object:
    """The outcome of a call: its value, or a fault as text."""
    try:
        return ask()
    except RulesetFaultError as fault:
        return f"{fault.diagnostic.code} {fault}"


def plain_hash(game: Game) -> str:
    """The hash of a position, computed from its cells alone."""
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
    """Plays both games with the same decisions, comparing them; returns the hashes along the way.

    Args:
        fast: a game.
        plain: the same game on another machine.
        choose: returns the index of an option, given the number of options.
        plies: the maximum number of decisions.
        reasons: whether both must refuse an illegal option with the same text.
        sound: whether all invariants must hold.
        every: the interval of decisions with a full comparison, at which options out of turn are played too; at the
            others, options, states and hashes are compared, and the decider plays an option of its own if it has one.
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
    """Compares the weight of an option, and the refusals of similar illegal options."""
    assert outcome(partial(weight, fast, option)) == outcome(partial(weight, plain, option))
    legal = {(o.name, o.args) for o in listed}
    for other in near(fast, option):
        if (other.name, other.args) not in legal:
            assert not fast.is_legal(other) and not plain.is_legal(other)
            assert not reasons or str(fast.why_not(other)) == str(plain.why_not(other))


def near(game: Game, option: Option) -> list[Option]:
    """Options that differ from a legal one in one argument by one; many of them are illegal."""
    results = []
    for i, value in enumerate(option.args):
        type_ = game.omniscient.labels.params(option.decision, option.name)[i][1].removesuffix("?")
        one_more = type_ == "int" or type_.startswith(("set ", "bag "))
        if type_.startswith("path "):  # with another last stop, and without it
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
