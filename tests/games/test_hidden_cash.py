"""Imperial with hidden cash: a seat's output is the same in games that differ in the others' cash, whatever it asks.

All that happens is public in Imperial, so who remembers everything can work the others' cash out: games that look the
same from the start have the same cash. So here two games come to have other cash, and go on with the same decisions for
as long as these are legal in both, and nothing that all may see has become different.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from proofs import examples
from shipped import OFFERED
from twins import outlets

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

REFS = ("imperial", "imperial+no_investor_card", "imperial+playimperial", "imperial_2030", "imperial_asia", "tutorial")
OVERLAYS = [ref for ref in OFFERED if ref.startswith("imperial") and ref not in REFS]
ALL = (*REFS, *OVERLAYS)
DECISIONS = 24
GAMES = examples(1, 2)
ASKED = 4
"""Every so many decisions all is asked."""
MOST_OPTIONS = 12
loaded = cache(load_ruleset)


def pair(ref: str, rng: random.Random) -> tuple[Game, Game]:
    """Two games, some decisions after the deal; in the other one, B has some of C's money, or C of B's."""
    seats = ["A", "B", "C", "D"][: max(3, loaded(ref).players[0])]
    one = Game(loaded(ref), seats, {"hide_cash": True})
    cash = {"B": 0, "C": 0}
    while one.decision is not None and (one.decision.by is None or one.ply < 20 or not any(cash.values())):
        one.apply(rng.choice([o for o in every_option(one) if not o.interrupt]))
        cash = {seat: int(one.omniscient.value(f"{seat}.cash").split()[0]) for seat in cash}
    other = one.copy()
    rich, poor = sorted(cash, key=cash.__getitem__, reverse=True)
    moved = rng.randint(1, cash[rich])
    other.omniscient.set_value(f"{rich}.cash", f"{cash[rich] - moved} money")
    other.omniscient.set_value(f"{poor}.cash", f"{cash[poor] + moved} money")
    assert other.hash != one.hash
    return one, other


def open_to_all(game: Game, seat: str) -> object:
    """A seat's view of the position, without the views: the state that is shown, and the open decision."""
    return state_json(game, viewer=seat), game.decision, game.result


def legal_in_both(one: Game, other: Game, rng: random.Random) -> Option | None:
    results = [option for option in every_option(one) if not option.interrupt and other.is_legal(option)]
    return rng.choice(results) if results else None


def compared(ref: str, rng: random.Random) -> Counter[str]:
    one, other = pair(ref, rng)
    results: Counter[str] = Counter()
    seat = one.seats[0]
    for number in range(DECISIONS):
        if open_to_all(one, seat) != open_to_all(other, seat):
            results["told by the rules"] += 1
            break
        results["positions"] += 1
        assert one.view(seat) == other.view(seat) and one.view(None) == other.view(None)
        if number % ASKED == 0:
            rich = [o for o in every_option(other) if not one.is_legal(o)][:MOST_OPTIONS]
            results["legal in one game only"] += len(rich)
            texts = [str(o) for o in [*every_option(one)][:MOST_OPTIONS] + rich]
            expressions = ["sum(p.cash for p in player)", f"{one.seats[1]}.cash", "B.cash > 20 money", "A.cash"]
            for who in (seat, None):
                place, there = (outlets(game, who, texts, expressions) for game in (one, other))
                assert place == there, [outlet for outlet in place if place[outlet] != there[outlet]]
            results["asked"] += 1
        option = legal_in_both(one, other, rng)
        if option is None or one.is_over:
            break
        try:
            for game in (one, other):
                game.apply(game.parse(str(option), option.by, option.decision))
        except RulesetFaultError:  # the money has not come by the rules
            break
    return results


@pytest.mark.parametrize("ref", [pytest.param(ref, marks=[pytest.mark.proof] * (ref != "tutorial")) for ref in ALL])
def test_what_the_others_have_is_not_told(ref: str) -> None:
    rng = random.Random(ref)
    results: Counter[str] = Counter()
    for _ in range(GAMES):
        results += compared(ref, rng)
    assert results["positions"] >= 24 and results["asked"] >= 4
    if ref not in (*OVERLAYS, "imperial+playimperial"):  # some ask little of what others have
        assert results["legal in one game only"]
