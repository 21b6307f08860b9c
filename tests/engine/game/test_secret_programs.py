"""Random programs with private state: equal views give equal output."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest
from programs import Writer, with_rules
from twins import MOST_TRIED, outlets

from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.search.twins import determinize

PROGRAMS = int(os.environ.get("RULESPEC_SECRETS", "4"))
FIRST = int(os.environ.get("RULESPEC_SEED", "0"))
EXPRESSIONS = ["n + m", "sum(t.mark for t in town)", "south.secret", "north.cash > 1 money", "first(queue)", "few"]
MOST_OPTIONS = 40
TWINS = 4
"""Games that look the same, until one of them has gone another way."""


DEAL = """procedure play():
    for p in player:
        roll dealt(k in 0 .. 2, t in town private to p)
        set p.secret to k
        for u in {t}:
            set u.mark to u.mark + k
    choose hidden(h in 0 .. 3 private) by first(player)
    set m to h
    decide laid together by q in player:
        option lay(v in town private):
            add v to queue
        option pass_by:
            pay 1 money from bank to q.cash
"""
"""With what every program begins: cards, a plan, and a round."""


def played(game: Game, rng: random.Random, plies: int) -> None:
    """Plays until there is nothing to do, or the rules would come to a fault."""
    for _ in range(plies):
        options = [] if game.is_over else list(every_option(game))
        if not options:
            return
        try:
            game.apply(rng.choice([option for option in options if option.args] or options))
        except RulesetFaultError:
            return


def compared(text: str, backend: Backend, rng: random.Random) -> Counter[str]:
    """Pairs of games that look the same to a seat, how many of them differ, and how many outlets distinguished them."""
    results: Counter[str] = Counter()
    game = Game(with_rules(text), ["north", "south", "east"][: rng.randint(2, 3)], {}, backend)
    played(game, rng, rng.randint(3, 12))
    texts = [str(option) for option in every_option(game)][:MOST_OPTIONS] if not game.is_over else []
    for seat in game.seats:
        results["seats"] += 1
        place = outlets(game, seat, texts, EXPRESSIONS)
        for _ in range(TWINS):
            try:
                twin = determinize(game, seat, rng, MOST_TRIED)
            except NotFoundError:
                results["not found"] += 1
                break
            results["pairs"] += 1
            if twin.history != game.history:
                results["differ"] += 1
                there = outlets(twin, seat, texts, EXPRESSIONS)
                assert place == there, [outlet for outlet in place if place[outlet] != there[outlet]]
                break
    return results


@pytest.mark.parametrize("backend", ["python", "interpreter"])
@pytest.mark.sampled(1)
def test_what_looks_the_same_is_told_the_same(backend: Backend) -> None:
    results: Counter[str] = Counter()
    for seed in range(PROGRAMS if backend == "interpreter" else PROGRAMS // 4):
        rng = random.Random(FIRST + seed)
        writer = Writer(rng.randrange)
        writer.secrets, writer.disclosures = 1, 6
        text = writer.program().replace("procedure play():\n", DEAL)
        assert DEAL in text
        try:
            results += compared(text, backend, rng)
        except RulesetFaultError:
            results["at fault"] += 1
        except DiagnosticsError as error:  # loops in loops: the checker refuses the program
            if {d.code for d in error.diagnostics if d.severity is Severity.ERROR} != {"RS411"}:
                raise
            results["refused"] += 1
    assert results["seats"] >= PROGRAMS // 4 and results["differ"] > 0.6 * results["seats"]
