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

EXAMPLES = int(os.environ.get("RULESPEC_EXAMPLES", "20" if os.environ.get("RULESPEC_NEW") else "8"))
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


def agree(fast: Game, plain: Game, choose: Callable[[int], int], plies: int, *, reasons: bool = True) -> list[str]:
    """Plays both games with the same decisions; gives back the hashes on the way.

    `reasons`: whether both say in the same words why an option is not legal.
    """
    hashes = []
    for _ in range(plies):
        begun = outcome(lambda: fast.is_over)
        assert begun == outcome(lambda: plain.is_over)
        if begun is not False:
            break
        assert (
            fast.omniscient.numbers.cells == plain.omniscient.numbers.cells
            and fast.hash == plain.hash == plain_hash(fast)
        )
        hashes.append(fast.hash)
        assert outcome(lambda: fast.decision) == outcome(lambda: plain.decision)
        assert outcome(fast.omniscient.broken_invariants) == outcome(plain.omniscient.broken_invariants)
        assert outcome(fast.omniscient.measures) == outcome(plain.omniscient.measures)
        listed = outcome(lambda: list(every_option(fast)))
        assert listed == outcome(lambda: list(every_option(plain)))
        if not isinstance(listed, list) or not listed:
            break
        option: Option = listed[choose(len(listed))]
        assert outcome(partial(weight, fast, option)) == outcome(partial(weight, plain, option))
        legal = {(o.name, o.args) for o in listed}
        refused = [o for o in near(fast, option) if (o.name, o.args) not in legal]
        for o in refused:
            assert not fast.is_legal(o) and not plain.is_legal(o)
            assert not reasons or str(fast.why_not(o)) == str(plain.why_not(o))
        applied = outcome(partial(fast.apply, option))
        assert applied == outcome(partial(plain.apply, option))
        if not isinstance(applied, Option):
            assert fast.hash == hashes[-1]
            break
        assert all(type(c) is int for c in fast.omniscient.numbers.cells)
    assert outcome(lambda: fast.result) == outcome(lambda: plain.result)
    return hashes


def near(game: Game, option: Option) -> list[Option]:
    """Options like a legal one, with one argument moved by one; many of them are not legal."""
    results = []
    for i, value in enumerate(option.args):
        type_ = game.omniscient.labels.params(option.decision, option.name)[i][1].removesuffix("?")
        moved = value + 1 if type_ == "int" else (value + 1) % len(game.omniscient.labels.names[type_])
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
