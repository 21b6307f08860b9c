"""Decisions of bots in one call of the module: the same sums, so the same options, as Python finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import small
from shipped import NAMES

from rulespec.engine.bots.bot import Bot
from rulespec.engine.bots.bot_seats import BotSeats
from rulespec.engine.bots.named import FlatBot, GreedyBot, MctsBot
from rulespec.engine.game.game import Game
from rulespec.engine.program import long_values
from rulespec.engine.program.draws import Draws
from rulespec.engine.search import wasm_decisions
from rulespec.engine.search.comparing import Compared, SearchQuestion, compare
from rulespec.engine.search.option_tree import Grown, Tree
from rulespec.engine.search.search import Search
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset

BOTS: list[Bot] = [GreedyBot(), FlatBot(24), MctsBot(24)]
QUICK: list[Bot] = [GreedyBot(), FlatBot(1), MctsBot(24)]
"""The bots for games with hundreds of options and moves, where 24 playouts of each option take seconds."""


def alike(one: Iterable[Any], other: Iterable[Any]) -> bool:
    """Whether two results have the same numbers."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


class Both(WasmSearch):
    """A search that decides twice: in one call, and as Python does, by a search of its own."""

    def __init__(self, game: Game, *, slowly: bool) -> None:
        super().__init__(game)
        self.slow: Search = Search(game) if slowly else self
        self.decided = 0

    def compared(self, question: SearchQuestion) -> Compared:
        """Compares options twice."""
        result, other = super().compared(question), compare(self.slow, question)
        assert alike(result, other)
        self.decided += 1
        return result

    def grown(self, question: SearchQuestion) -> Grown:
        """Grows a tree twice."""
        result, other = super().grown(question), Tree(self.slow, question).grown()
        assert alike(result, other)
        self.decided += 1
        return result


def table(name: str) -> Game:
    ruleset = load_ruleset(name)
    low, high = ruleset.players
    return Game(ruleset, ruleset.seats or ["A", "B", "C", "D"][: max(low, min(high, 3))])


def decisions(game: Game, number: int) -> Iterator[Game]:
    """A random game at its decisions of players."""
    played, draws = game.copy(), Draws(5, number)
    while not played.is_over and played.ply < 400:
        assert played.decision is not None
        if played.decision.by is not None and len(played.legal_options) > 1:
            yield played
        option = choose(played, draws, interrupt_rate=0)
        assert option is not None
        played.apply(option)


def decide(name: str, most: int, *, slowly: bool) -> WasmSearch:
    """Lets bots decide in random games, in turn."""
    game = table(name)
    search, games = Both(game, slowly=slowly), 0
    while search.decided < most:
        bots = QUICK if name == "go_19" else BOTS
        seats = [BotSeats(game, dict.fromkeys(game.seats, bot), games, search) for bot in bots]
        for at, played in enumerate(decisions(game, games)):
            seats[at % len(bots)].choose(played)
            if search.decided >= most:
                break
        games += 1
    return search


@pytest.mark.parametrize("name", ["imperial", "leduc_poker", "connect_four"])
@pytest.mark.sampled(1)
def test_the_module_decides_as_python(name: str) -> None:
    assert decide(name, 6, slowly=True).given_back == 0


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_the_module_decides_as_python_a_thousand_times(name: str) -> None:
    """The searches of many rows equal those of Python by other tests, and by the slow decisions here."""
    slow = 3 if name == "go_19" else 30  # a decision there takes Python minutes
    assert decide(name, slow, slowly=True).given_back <= slow
    assert decide(name, 1_000, slowly=False).given_back <= 100


LONG = """
--- kinds.yaml
kinds:
  player: {state: {cash: {type: int}}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- rules/play.rules
procedure play():
    repeat at most 9:
        for p in player:
            decide work by p:
                option earn(n in 0 .. 6):
                    set p.cash to p.cash + n
    end game won by {first(player)}
--- measures.yaml
values:
  wealth: {of: player, value: 2 * player.cash - 1, decides: 10}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.name)
def test_a_decision_that_only_python_can_take_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: Bot
) -> None:
    monkeypatch.setattr(long_values, "MAX_VALUE_STEPS", 1)
    game = Game(small(tmp_path / "small", LONG), ["A", "B"])
    search = WasmSearch(game)
    picks = [BotSeats(game, {"A": bot}, 1, each).choose(game) for each in (search, Search(game))]
    assert picks[0] == picks[1] and search.given_back == 1


LARGE = """
--- kinds.yaml
kinds:
  player: {state: {score: {type: int}}}
  cell: {state: {of: {type: "player?"}, last: {type: int}, more: {type: int}}}
--- boards.yaml
boards:
  cell: {grid: {columns: a..z, rows: 1..26}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- rules/play.rules
procedure play():
    for p in player:
        decide mark by p:
            option mark(c in cell):
                require c.of == none
                set c.of to p
                set p.score to c.column
    end game won by {first(player)}
"""


def test_hundreds_of_options_of_a_large_game_are_compared_in_one_call(tmp_path: Path) -> None:
    game = Game(small(tmp_path / "small", LARGE), ["A", "B"])
    search = Both(game, slowly=False)
    assert search._memories[0].state * 26 * 26 > search._memories[0].room
    BotSeats(game, {"A": FlatBot(24)}, 1, search).choose(game)
    assert (search.decided, search.given_back) == (1, 0)


def test_a_tree_of_more_games_than_there_is_room_for_is_grown_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm_decisions, "_MOST_PLAYOUTS", 10)
    game = table("connect_four")
    search = WasmSearch(game)
    picks = [BotSeats(game, {"A": MctsBot(20)}, 1, each).choose(game) for each in (search, Search(game))]
    assert picks[0] == picks[1] and search.given_back == 1
