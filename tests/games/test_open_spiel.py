"""Games of the gallery compared with OpenSpiel: deciders, legal moves, ends and results agree in random games.

`make proof` plays a thousand of each, and needs the package; RULESPEC_OPEN_SPIEL sets the number of games. By default,
only a few are played, and none without the package.
"""

from __future__ import annotations

import importlib
import os
import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset

pytestmark = pytest.mark.proof

REQUIRED = int(os.environ.get("RULESPEC_OPEN_SPIEL", "0"))
GAMES = REQUIRED or 20
SEATS = ["A", "B"]

Key: TypeAlias = tuple[int, ...]
"""The identity of a move in both programs: numbers that describe it, or its result."""
Ours: TypeAlias = Callable[[Game], Mapping[Key, tuple[Option, ...]]]
Theirs: TypeAlias = Callable[[Any], Mapping[Key, list[int]]]
"""The actions with the same identity or the same result."""
Settle: TypeAlias = Callable[[Any], None]

cached = cache(load_ruleset)


@pytest.fixture(scope="module")
def spiel() -> Any:
    if REQUIRED:
        return importlib.import_module("pyspiel")
    return pytest.importorskip("pyspiel")


def decider(game: Game) -> int:
    """The decider in OpenSpiel's numbering; -1 is chance."""
    assert game.decision is not None
    return SEATS.index(game.decision.by) if game.decision.by is not None else -1


def odds(game: Game, keys: Mapping[Key, tuple[Option, ...]]) -> dict[Key, float]:
    """The probability of each option of a roll."""
    weights = {key: game.omniscient.numbers.weight(o.kind.choice, o.args) for key, (o,) in keys.items()}
    whole = sum(weights.values())
    return {key: weight / whole for key, weight in weights.items()}


def play_beside(
    game: Game, state: Any, ours: Ours, theirs: Theirs, rng: random.Random, settle: Settle = lambda state: None
) -> None:
    """One game by both programs, which must agree all the way.

    `settle` plays OpenSpiel's moves that are not decisions here.
    """
    while not state.is_terminal():
        assert not game.is_over
        assert decider(game) == state.current_player()
        place, there = ours(game), theirs(state)
        assert place.keys() == there.keys(), (str(state), game.history)
        if state.is_chance_node():
            likely = dict(state.chance_outcomes())
            assert odds(game, place) == pytest.approx(
                {key: sum(likely[a] for a in same) for key, same in there.items()}
            )
        key = rng.choice(sorted(there))
        for option in place[key]:
            game.apply(option)
        state.apply_action(rng.choice(there[key]))
        settle(state)
    assert game.is_over


# --- Nim --------------------------------------------------------------------------------------------------------------


def takes(game: Game) -> dict[Key, tuple[Option, ...]]:
    """The moves by heap, from 0, and number of matches."""
    return {option.args: (option,) for option in game.legal_options}


def spiel_takes(state: Any) -> dict[Key, list[int]]:
    results: dict[Key, list[int]] = defaultdict(list)
    for action in state.legal_actions():
        said = re.fullmatch(r"pile:(\d+), take:(\d+);", state.action_to_string(action))
        assert said is not None
        results[int(said[1]) - 1, int(said[2])].append(action)
    return results


@pytest.mark.parametrize("misere", ["false", "true"])
def test_nim(misere: str, spiel: Any) -> None:
    rng = random.Random(f"nim {misere}")
    other = spiel.load_game(f"nim(pile_sizes=1;3;5;7,is_misere={misere})")
    for _ in range(GAMES):
        game, state = Game(cached("nim"), SEATS, {"misere": misere}), other.new_initial_state()
        play_beside(game, state, takes, spiel_takes, rng)
        assert game.result is not None
        assert state.returns() == [1.0 if seat in game.result.winners else -1.0 for seat in SEATS]


# --- Backgammon -------------------------------------------------------------------------------------------------------
#
# An action of OpenSpiel plays two numbers, and four equal ones take two actions; here each number is a decision. So the
# comparison is, after each roll and again after two of four moves, between the sets of positions reached by the next
# two numbers (or as many as are playable). That covers every rule of moving, except the order of two moves with the
# same result. If no number is playable, OpenSpiel asks for a pass, and here nobody is asked.
# OpenSpiel ends a game without a winner after 500 turns, if it does not get another number.

POINTS = 24
BAR = 100
"""OpenSpiel's number of the bar."""
MEN = 15
ROLL = re.compile(r"chance outcome \d+ (?:([XO]) starts, )?\(roll: (\d)(\d)\)")
WORTH = {"single": 1.0, "gammon": 2.0, "backgammon": 3.0}


def board(game: Game) -> Key:
    """Each player's men on points 1 to 24, in that player's count, and on the bar; then the men borne off."""
    cells = zip(game.omniscient.numbers.program.cells, game.omniscient.numbers.cells, strict=True)
    men = {(cell.place == "off", cell.owner, cell.index): n for cell, n in cells if cell.group == "pieces"}
    assert len(men) == 2 * (POINTS + 2)
    return tuple([men[place] for place in sorted(men)])


def spiel_board(state: Any) -> Key:
    """The same from OpenSpiel, where X moves up from 0 to 23, and O down."""
    x = [*(state.board(0, at) for at in reversed(range(POINTS))), state.board(0, BAR)]
    o = [*(state.board(1, at) for at in range(POINTS)), state.board(1, BAR)]
    return (*x, *o, MEN - sum(x), MEN - sum(o))


def turns(game: Game) -> dict[Key, tuple[Option, ...]]:
    """The options by their results: rolls, or the next two moves."""
    results: dict[Key, tuple[Option, ...]] = {}
    for option in game.legal_options:
        if option.decision == "opening":
            one, other = option.args
            results[int(one < other), min(option.args), max(option.args)] = (option,)
        elif option.decision == "dice":
            results[option.args] = (option,)
        else:
            game.apply(option)
            if game.decision is not None and game.decision.name == "next_move":
                for second in list(game.legal_options):
                    game.apply(second)
                    results[board(game)] = (option, second)
                    game.undo()
            else:
                results[board(game)] = (option,)
            game.undo()
    return results


def spiel_turns(state: Any) -> dict[Key, list[int]]:
    results: dict[Key, list[int]] = defaultdict(list)
    for action in state.legal_actions():
        if state.is_chance_node():
            said = ROLL.fullmatch(state.action_to_string(action))
            assert said is not None
            starts: Key = () if said[1] is None else ("XO".index(said[1]),)
            results[*starts, *sorted((int(said[2]), int(said[3])))].append(action)
        else:
            results[spiel_board(state.child(action))].append(action)
    return results


def without_passes(state: Any) -> None:
    while not state.is_terminal() and not state.is_chance_node():
        (first, *others) = state.legal_actions()
        if others or state.action_to_string(first) != "Pass":
            return
        state.apply_action(first)


BATCH = 100


@pytest.mark.parametrize("batch", range(-(-GAMES // BATCH)))
def test_backgammon(batch: int, spiel: Any) -> None:
    rng = random.Random(f"backgammon {batch}")
    other = spiel.load_game("backgammon(scoring_type=full_scoring,max_player_turns=1000000)")
    for _ in range(min(BATCH, GAMES)):
        game, state = Game(cached("backgammon"), SEATS), other.new_initial_state()
        play_beside(game, state, turns, spiel_turns, rng, without_passes)
        assert game.result is not None
        worth = WORTH[game.result.ending]
        assert state.returns() == [worth if seat in game.result.winners else -worth for seat in SEATS]


# --- Draughts ---------------------------------------------------------------------------------------------------------
#
# An action of OpenSpiel is one step or one jump, followed by another action if the piece can jump on; here all of it is
# one option. So after each action, the next stops of all options with this beginning are compared.
# OpenSpiel ends a game after forty moves without a capture, counting moves of men; there, a game is abandoned.


def draughts_ways(game: Game) -> dict[tuple[str, ...], Option]:
    """The options by the squares where they stop."""
    return {tuple(square for _, square in option.parts): option for option in game.legal_options}


def test_draughts(spiel: Any) -> None:
    rng = random.Random("draughts")
    other = spiel.load_game("checkers")
    jumps = 0
    for _ in range(GAMES):
        game, state = Game(cached("draughts"), SEATS, {"quiet_moves": 200}), other.new_initial_state()
        while not game.is_over:
            ways, gone = draughts_ways(game), 1
            while gone < max(map(len, ways)):
                if state.is_terminal():
                    break
                assert state.current_player() == decider(game)
                theirs = {state.action_to_string(a): a for a in state.legal_actions()}
                assert {"".join(way[gone - 1 : gone + 1]) for way in ways} == theirs.keys(), str(state)
                chosen = rng.choice(sorted(theirs))
                state.apply_action(theirs[chosen])
                ways = {way: option for way, option in ways.items() if "".join(way[gone - 1 : gone + 1]) == chosen}
                gone += 1
            if state.is_terminal() and not any(gone == len(way) for way in ways):
                break
            (option,) = [option for way, option in ways.items() if len(way) == gone]
            jumps += gone > 2
            game.apply(option)
            if state.is_terminal():
                break
        if game.is_over:
            assert game.result is not None and state.is_terminal()
            assert state.returns() == [1.0 if seat in game.result.winners else -1.0 for seat in SEATS]
    assert jumps > GAMES / 4


# --- Go ---------------------------------------------------------------------------------------------------------------
#
# OpenSpiel forbids an immediate recapture of a ko, and ends the game without a winner when a position repeats: the
# setting `repetition` at `drawn`. It counts by area, and after twice as many moves as there are points.

GO_SIZE = 9
GO_PASS = GO_SIZE * GO_SIZE


def points(game: Game) -> dict[Key, tuple[Option, ...]]:
    """The moves by point, from the first row upwards and left to right; a pass is the last."""
    return {option.args or (GO_PASS,): (option,) for option in game.legal_options}


def spiel_points(state: Any) -> dict[Key, list[int]]:
    return {(action,): [action] for action in state.legal_actions()}


def spiel_stones(state: Any) -> str:
    """The rows of OpenSpiel's board from the first, each from left to right."""
    rows = [line.split() for line in str(state).splitlines() if line[:2].strip().isdigit()]
    return "".join(points for _, points in sorted(rows))


def stones(game: Game) -> str:
    cells = zip(game.omniscient.numbers.program.cells, game.omniscient.numbers.cells, strict=True)
    return "".join("+XO"[n + 1] for cell, n in cells if cell.name == "stone")


GO_BATCH = 20


@pytest.mark.parametrize("batch", range(-(-GAMES // GO_BATCH)))
def test_go(batch: int, spiel: Any) -> None:
    rng = random.Random(f"go {batch}")
    other = spiel.load_game(f"go(board_size={GO_SIZE},komi=7.5)")
    for _ in range(min(GO_BATCH, GAMES)):
        game = Game(cached("go"), ["black", "white"], {"repetition": "drawn"})
        state = other.new_initial_state()
        while not state.is_terminal():
            assert not game.is_over
            place, there = points(game), spiel_points(state)
            assert place.keys() == there.keys(), (str(state), game.history)
            assert stones(game) == spiel_stones(state)
            key = rng.choice(sorted(there)[:-1] or sorted(there)) if rng.random() < 0.98 else (GO_PASS,)
            game.apply(place[key][0])
            state.apply_action(key[0])
        assert game.result is not None
        won = {(): [0.0, 0.0], ("black",): [1.0, -1.0], ("white",): [-1.0, 1.0]}
        assert state.returns() == won[tuple(game.result.winners)]
