"""Random changes of rules, several at a time, under random games: no decision of a person is dropped or chosen.

All that changes nothing has a name of its own here (`NEUTRAL`), so what was put in or left out is known by its name.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from cases import small
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.migrate.migrate import Migrated, Verdict, migrate
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.typed import nodes as typed

RULES = """\
--- game.yaml
id: market
title: Market
version: "1.0"
players: {kind: player, min: 3, max: 3}
start: play
--- kinds.yaml
kinds:
  player: {state: {coins: {type: int, start: 12}, goods: {type: int}, happy: {type: int}, stand: {type: "stall?"}}}
  stall: {state: {sold: {type: int}}, entities: {fish: {}, fruit: {}, bread: {}}}
--- tables.yaml
constants: {price: 2, limit: 2}
--- rules/play.rules
procedure play():
    for p in player:
        chance deal:
            option stand(s in stall where not any(q in player where q.stand == s)):
                set p.stand to s
    repeat at most 2:
        for p in player:
            trade(p)
            toll(p)
        bids()
        for p in player:
            rest(p)
    end game

procedure trade(p: player):
    repeat at most limit:
        decide purchase by p:
            option take(s in stall, n in 1 .. 3):
                require n * price <= p.coins "MKT-1: not enough"
                set s.sold to s.sold + n
                set p.goods to p.goods + n
                set p.coins to p.coins - n * price
            option done:
                leave

procedure toll(p: player):
    decide toll by p:
        option bribe:
            require p.coins > 0 "MKT-2: nothing to give"
            set p.coins to p.coins - 1
        option agree:
            pass
    set p.coins to p.coins + 2

procedure bids():
    for p in player:
        bid(p)

procedure bid(p: player):
    decide bid by p:
        option raise:
            set p.happy to p.happy + p.goods
            set p.goods to 0
        option pass_up:
            pass

procedure rest(p: player):
    decide evening by p:
        option sing:
            set p.happy to p.happy + 1
        option sleep:
            pass

scoring p in player:
    score p.coins + 3 * p.goods + p.happy
"""
NEUTRAL = {"done", "agree", "pass_up", "sleep", "smile", "close"}
DEAL = RULES[RULES.index("    for p in player:\n        chance deal") : RULES.index("    repeat at most 2:")]
CHANGES = {
    "a price": ("price: 2", "price: 1"),
    "a higher limit": ("limit: 2", "limit: 3"),
    "a lower limit": ("limit: 2", "limit: 1"),
    "parameters turned": ("take(s in stall, n in 1 .. 3)", "take(n in 1 .. 3, s in stall)"),
    "a question more": (
        "            trade(p)\n",
        "            decide haggling by p:\n                option beg:\n"
        "                    set p.coins to p.coins + 1\n                option smile:\n                    pass\n"
        "            trade(p)\n",
    ),
    "a phase more": (
        "        for p in player:\n            rest(p)\n",
        "        for p in player:\n            decide closing by p:\n                option close:\n"
        "                    pass\n            rest(p)\n",
    ),
    "a question less": (
        '    decide toll by p:\n        option bribe:\n            require p.coins > 0 "MKT-2: nothing to give"\n'
        "            set p.coins to p.coins - 1\n"
        "        option agree:\n            pass\n",
        "",
    ),
    "another order of seats": (
        "    for p in player:\n        bid(p)\n",
        "    for p in player where p.index != 1:\n        bid(p)\n"
        "    for p in player where p.index == 1:\n        bid(p)\n",
    ),
    "another order of questions": (
        "            trade(p)\n            toll(p)\n",
        "            toll(p)\n            trade(p)\n",
    ),
    "dealt stall by stall": (
        DEAL,
        "    for s in stall:\n        chance deal:\n            option seat(p in player where p.stand is none):\n"
        "                set p.stand to s\n",
    ),
    "an option less": ("        option sing:\n            set p.happy to p.happy + 1\n", ""),
    "a stall less": (", bread: {}", ""),
    "an option more": ("        option sleep:\n", "        option hum:\n            pass\n        option sleep:\n"),
}


@cache
def ruleset(folder: Path, names: frozenset[str]) -> typed.Ruleset:
    """The rules with changes, in the order in which they are listed; of two of the same text only the first counts."""
    text = RULES
    for name, (old, new) in CHANGES.items():
        if name in names:
            text = text.replace(old, new, 1)
    name = "-".join(sorted(names)).replace(" ", "_")
    return small(folder / (name or "plain"), text)


def played(rules: typed.Ruleset, seed: int) -> ReplayResult:
    """A random game, played to its end."""
    game, draws = Game(rules, ["Ann", "Bob", "Cai"]), Draws(seed, 0)
    while not game.is_over:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    return ReplayResult("game", game, None, list(game.history))


def check(replay: ReplayResult, result: Migrated) -> None:
    """Checks that what a person decided stands, and that nothing else but what is neutral was put in or left out."""
    moves = [placed for placed in result.walk.moves if isinstance(placed.move, Option)]
    sources = [placed.source for placed in moves if placed.source is not None]
    assert len(sources) == len(set(sources))
    for placed in moves:
        move = placed.move
        assert isinstance(move, Option)
        if placed.source is None:
            assert move.by is None or move.name in NEUTRAL, (str(move), "was put in")
            continue
        recorded = replay.moves[placed.source]
        assert isinstance(recorded, Option)
        assert (move.decision, move.name, move.by) == (recorded.decision, recorded.name, recorded.by)
        assert move.arguments == recorded.arguments
    for number, recorded in enumerate(replay.moves):
        if number not in sources:
            assert isinstance(recorded, Option)
            assert recorded.by is None or recorded.name in NEUTRAL, (str(recorded), "was left out")
    for seat in replay.game.seats:  # each seat's decisions are in their order, but for those of other questions
        for decision in {m.decision for m in replay.moves if isinstance(m, Option) and m.by == seat}:
            own = [source for source in sources if _is_of(replay.moves[source], decision, seat)]
            assert own == sorted(own)


def _is_of(move: Option | TakenBack, decision: str, seat: str) -> bool:
    return isinstance(move, Option) and (move.decision, move.by) == (decision, seat)


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("market")


@settings(deadline=None, max_examples=examples(6, 100))
@given(st.sets(st.sampled_from(sorted(CHANGES)), min_size=1, max_size=4), st.integers(0, 10_000))
def test_no_decision_of_a_person_is_dropped_or_chosen(market: Path, names: set[str], seed: int) -> None:
    replay = played(ruleset(market, frozenset()), seed)
    result = migrate(replay, ruleset(market, frozenset(names)))
    if result.verdict is Verdict.STAYS:
        assert result.cause is not None
        return
    check(replay, result)
    again = Game(result.game.ruleset, replay.game.names)
    for placed in result.walk.moves:
        assert isinstance(placed.move, Option)
        again.apply(again.parse(str(placed.move), placed.move.by, placed.move.decision))
    assert again.hash == result.game.hash
    ends = again.result, replay.game.result
    if result.verdict is Verdict.FAITHFUL:
        assert ends[0] is not None and ends[1] is not None
        assert (ends[0].ending, ends[0].scores) == (ends[1].ending, ends[1].scores)
