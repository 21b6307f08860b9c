"""Bots: they use only their seat's knowledge, are deterministic, and play better than at random."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import small
from numpy.typing import NDArray

from rulespec.engine.bots import bot_seats, named
from rulespec.engine.bots.bot import Bot, Pick, Situation
from rulespec.engine.bots.bot_games import BotGames
from rulespec.engine.bots.bot_seats import BotSeats
from rulespec.engine.bots.match import between, match
from rulespec.engine.bots.named import BotNameError, FlatBot, GreedyBot, MctsBot, RandomBot, open_bot
from rulespec.engine.bots.sides import PlanSide
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.seat_knowledge import MAX_TRIED, NotFoundError, retraced
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.particles import Particles
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.search.wasm_walk import WasmWalk
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.load import load_ruleset

ROUND = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {shown: {type: int}}}
--- rules/play.rules
procedure play():
    decide hand together by p in player:
        option show(n in 0 .. 2):
            set p.shown to n
    if (first(player).shown - next(first(player)).shown + 3) % 3 == 1:
        end game won by {first(player)}
    end game won by {next(first(player))}
"""


def after(ref: str, seats: list[str], *texts: str) -> Game:
    game = Game(load_ruleset(ref), seats)
    for text in texts:
        game.apply(game.parse(text))
    return game


def pick(game: Game, bot: Bot, seed: int = 1, backend: str = "auto") -> str:
    seats = BotSeats(game, dict.fromkeys(game.seats, bot), seed, open_search(game, backend=backend))  # type: ignore[arg-type]
    return str(seats.choose(game)[0])


@pytest.mark.parametrize("text", ["random", "greedy", "flat:64", "flat:1", "mcts:200"])
def test_a_bot_has_its_name(text: str) -> None:
    assert open_bot(text).name == text


@pytest.mark.parametrize(
    "text", ["", "flat:", "flat:0", "flat:x", "flat:²", "flat:-3", "flat:1000001", "greedy:2", "mcts:", "mcts:0"]
)
def test_what_is_no_bot_is_told(text: str) -> None:
    if text == "flat:":
        assert open_bot("flat").name == "flat:64" and open_bot("mcts").name == "mcts:200"
    with pytest.raises(BotNameError, match="there is no bot"):
        open_bot(text)


@pytest.mark.parametrize(
    "text, meant", [("Flat:4", "flat"), ("MCTS", "mcts"), ("gréedy", "greedy"), (" random", "random")]
)
def test_a_bot_in_another_case_is_suggested(text: str, meant: str) -> None:
    with pytest.raises(BotNameError, match=f"did you mean `{meant}`"):
        open_bot(text)


def test_a_bot_of_a_package_is_imported_only_if_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Point:
        def load(self) -> object:
            return lambda number: FlatBot(int(number))

    def points(*, group: str, name: str) -> list[Point]:
        asked.append((group, name))
        return [Point()] if name == "mine" else []

    monkeypatch.setattr(named, "entry_points", points)
    assert open_bot("flat:3").name == "flat:3" and not asked
    assert open_bot("mine:7").name == "flat:7" and asked == [("rulespec.bots", "mine")]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["wasm", "python"])
def test_flat_sees_a_line_of_four_and_greedy_a_queen(backend: str) -> None:
    game = after("connect_four", ["red", "yellow"], *(f"drop({cell})" for cell in ["d1", "c1", "d2", "c2", "d3", "c3"]))
    assert pick(game, FlatBot(64), backend=backend) == "drop(d4)"
    moves = ["go(e2, e4)", "go(d7, d5)", "go(e4, d5)", "go(d8, d5)", "go(b1, c3)", "go(a7, a6)"]
    assert pick(after("chess", ["white", "black"], *moves), GreedyBot(), backend=backend) == "go(c3, d5)"


def test_wasm_and_python_pick_the_same() -> None:
    game = after("backgammon", ["A", "B"], "opening(3, 1)")
    for bot in (RandomBot(), GreedyBot(), FlatBot(20), MctsBot(20)):
        assert len({pick(game, bot, backend=backend) for backend in ("wasm", "python")}) == 1


@pytest.mark.proof  # 0.6 s
@pytest.mark.parametrize("bot", [RandomBot(), FlatBot(16), MctsBot(16)], ids=lambda bot: bot.name)
def test_the_same_history_and_seed_give_the_same_pick(bot: Bot) -> None:
    game = Game(load_ruleset("imperial"), ["A", "B", "C"])
    draws = Draws(1)
    seats = BotSeats(game, dict.fromkeys(game.seats, bot), 5)
    first = []
    for _ in range(30):
        assert game.decision is not None
        by_chance = game.decision.by is None
        option = choose(game, draws, interrupt_rate=0) if by_chance else seats.choose(game)[0]
        assert option is not None
        first.append(str(game.apply(option)))
    for _ in range(12):
        game.undo()
    again = restarted(game)
    for text in first[:18]:
        again.apply(again.parse(text))
    others = BotSeats(again, dict.fromkeys(game.seats, bot), 5)
    for played, bots in ((game, seats), (again, others)):
        for text in first[18:]:
            assert str(bots.choose(played)[0]) == text
            played.apply(played.parse(text))
    while game.decision is None or game.decision.by is None or len(game.legal_options) < 3:
        game.undo()
    assert len({str(BotSeats(game, dict.fromkeys(game.seats, bot), seed).choose(game)) for seed in range(12)}) > 1


@pytest.mark.parametrize(
    "ref, seat, decks",
    [
        ("kuhn_poker", "A", [("deal(king)", "deal(jack)"), ("deal(king)", "deal(queen)")]),
        ("kuhn_poker", "B", [("deal(king)", "deal(jack)", "bet"), ("deal(queen)", "deal(jack)", "bet")]),
    ],
)
@pytest.mark.parametrize("bot", [GreedyBot(), FlatBot(32), MctsBot(32)], ids=lambda bot: bot.name)
@pytest.mark.sampled(3)
def test_games_that_look_alike_to_a_seat_give_the_same_pick(
    ref: str, seat: str, decks: list[tuple[str, ...]], bot: Bot
) -> None:
    games = [after(ref, ["A", "B"], *deck) for deck in decks]
    assert games[0].view(seat) == games[1].view(seat) and games[0].hash != games[1].hash
    for seed in range(6):
        assert pick(games[0], bot, seed) == pick(games[1], bot, seed)


NIM = """
--- game.yaml
id: nim
title: Nim
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {}
state: {heap: {type: int 0..20, start: 10}}
--- rules/play.rules
procedure play():
    repeat at most 20:
        for p in player:
            decide turn by p:
                option take(n in 1 .. 3 where n <= heap):
                    set heap to heap - n
                    if heap == 0:
                        end game won by {p}
"""


@pytest.mark.parametrize("backend", ["wasm", "python"])
def test_mcts_plays_nim_by_heart(tmp_path: Path, backend: str) -> None:
    """A multiple of four is lost for the player to move."""
    small(tmp_path / "nim", NIM)
    game = Game(load_ruleset(str(tmp_path / "nim")), ["A", "B"])
    for left in (8, 4, 0):
        while (number := game.omniscient.value("heap")) and (int(number) - left) > 3:
            game.apply(game.legal_options[0])
        before = int(game.omniscient.value("heap"))
        assert pick(game, MctsBot(300), backend=backend) == f"take({before - left})"
        game.apply(game.parse(f"take({before - left})"))
        if left:
            game.apply(game.legal_options[0])


@pytest.mark.parametrize("backend", ["wasm", "python"])
def test_mcts_looks_past_forced_moves_and_wide_numbers(tmp_path: Path, backend: str) -> None:
    """The rules here have a forced move after each turn, and a cell with more than 16 bits."""
    nod = "                    decide nod by p:\n                        option nod:\n"
    nod += "                            set wide to wide * -1\n"
    text = NIM.replace("                    if heap == 0", nod + "                    if heap == 0")
    small(tmp_path / "nim", text.replace("state: {", "state: {wide: {type: int, start: 77777}, "))
    game = Game(load_ruleset(str(tmp_path / "nim")), ["A", "B"])
    assert pick(game, MctsBot(300), backend=backend) == "take(2)"


def test_mcts_works_out_each_known_position_of_its_tree_at_most_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Descents in the tree evaluate no rules."""
    rows: list[int] = []

    def count(name: str) -> None:
        original = getattr(WasmSearch, name)

        def counted(search: WasmSearch, of: NDArray[np.int64], *args: Any, **further: Any) -> Any:
            rows.append(len(of))
            return original(search, of, *args, **further)

        monkeypatch.setattr(WasmSearch, name, counted)

    for name in ("apply", "counts", "deciders", "playouts"):
        count(name)
    monkeypatch.setattr(WasmWalk, "take", None)
    pick(after("connect_four", ["red", "yellow"]), MctsBot(320))
    assert sum(rows) <= 4 * 320 + 2 and len(rows) <= 4 * 320 / 10 + 2


def test_mcts_blocks_an_open_row_and_says_what_is_certain() -> None:
    """With two adjacent discs and room on both sides, red completes three unless yellow blocks."""
    game = after("connect_four", ["red", "yellow"], "drop(d1)", "drop(a1)", "drop(e1)")
    assert {pick(game, MctsBot(600), seed) for seed in range(3)} <= {"drop(b1)", "drop(c1)", "drop(f1)", "drop(g1)"}
    game = after("connect_four", ["red", "yellow"], *(f"drop({cell})" for cell in ["d1", "c1", "d2", "c2", "d3", "c3"]))
    option, result = BotSeats(game, {"red": MctsBot(1000)}, 1).choose(game)
    assert str(option) == "drop(d4)" and result.shares[game.legal_options.index(option)] == 1


@pytest.mark.proof
def test_mcts_weighs_chance_and_all_players() -> None:
    """A game for three seats without teams, and one with dice."""
    game = Game(load_ruleset("imperial"), ["A", "B", "C"])
    draws = Draws(2)
    while game.decision is not None and game.decision.by is None:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    assert pick(game, MctsBot(40)) == pick(game, MctsBot(40))
    assert sum(won == ("A",) for won in played("backgammon", 2, {0: "mcts:40", 1: "random"}, range(3))) == 3


class Watching:
    """A bot that records its arguments."""

    name = "watching"

    def __init__(self) -> None:
        self.situations: list[Situation] = []

    def pick(self, situation: Situation) -> Pick:
        """Picks the first option."""
        self.situations.append(situation)
        return Pick(0)


def test_a_position_without_its_history_is_not_handed_to_bots() -> None:
    """The observations of its seat are unknown."""
    game = after("kuhn_poker", ["A", "B"], "deal(king)", "deal(jack)")
    search = open_search(game)
    alone = search.game(search.rows([game])[0])
    with pytest.raises(NotFoundError):
        BotSeats(alone, {"A": FlatBot(8)}, 1, search).choose(alone)


def test_a_bot_that_finds_no_position_takes_any_option(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise NotFoundError

    monkeypatch.setattr(Particles, "rows", none)
    monkeypatch.setattr(bot_seats, "retraced", none)
    game = after("kuhn_poker", ["A", "B"], "deal(king)", "deal(jack)")
    taken = [BotSeats(game, {"A": FlatBot(8)}, seed).choose(game) for seed in range(12)]
    assert {str(option) for option, _ in taken} == set(map(str, game.legal_options))
    assert all(not pick.shares for _, pick in taken)


def test_a_walk_is_short_where_particles_have_found_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dead ends deep in a game once cost minutes per pick."""
    bounds = []

    def walked(game: Game, seat: str, number: int, rng: random.Random, tried: int) -> list[Game]:
        bounds.append(tried)
        return retraced(game, seat, number, rng, tried)

    def none(_: object) -> None:
        raise NotFoundError

    monkeypatch.setattr(bot_seats, "retraced", walked)
    monkeypatch.setattr(Particles, "rows", none)
    game = after("kuhn_poker", ["A", "B"], "deal(king)", "deal(jack)")
    for follows in (True, False):
        monkeypatch.setattr(WasmSearch, "follows", follows)
        BotSeats(game, {"A": FlatBot(8)}, 1).choose(game)
    assert max(bounds[:-1]) < 300 and bounds[-1] == MAX_TRIED


def test_a_bot_gets_positions_that_its_seat_cannot_tell_apart() -> None:
    game = after("kuhn_poker", ["A", "B"], "deal(king)", "deal(jack)")
    bot = Watching()
    pick(game, bot)
    (situation,) = bot.situations
    rows = situation.particles(12)
    search = situation.search
    texts = [search.game(row).view("A").state for row in rows]
    assert len(rows) == 12 and all(text == texts[0] for text in texts)
    assert len(np.unique(search.hashes(rows))) == 2  # the other seat has the jack or the queen
    assert np.array_equal(situation.particles(12), rows)
    assert situation.after(4).shape == (2, 4, search.columns)


@pytest.mark.parametrize("bot", [FlatBot(60), MctsBot(60)], ids=lambda bot: bot.name)
@pytest.mark.sampled(1)
def test_a_choice_in_an_open_round_is_not_seen(tmp_path: Path, bot: Bot) -> None:
    small(tmp_path / "small", ROUND)
    picks = set()
    for seed in range(8):
        of_seed = []
        for shown in range(3):
            game = Game(load_ruleset(str(tmp_path / "small")), ["A", "B"])
            game.apply(game.parse(f"show({shown})"))
            of_seed.append(pick(game, bot, seed))
        assert len(set(of_seed)) == 1
        picks.add(of_seed[0])
    assert len(picks) > 1


def test_flat_plays_to_the_end_where_nothing_says_who_is_ahead() -> None:
    game = after("connect_four", ["red", "yellow"])
    seats = BotSeats(game, {"red": FlatBot(21)}, 1)
    result = seats.choose(game)[1]
    assert not seats.search.judges and result.silent == 0 and len(result.shares) == 7


def played(ref: str, players: int, bots: Mapping[int, str], numbers: range) -> list[tuple[str, ...]]:
    ruleset = load_ruleset(ref)
    plan = GamePlan.of(ref, ruleset, [players], 7)
    plan = GamePlan(
        **{name: getattr(plan, name) for name in plan.__dataclass_fields__} | {"bots": tuple(bots.values())}
    )
    return [BotGames(plan, ruleset).play(number).winners for number in numbers]


@pytest.mark.proof
def test_flat_beats_greedy_and_greedy_beats_random() -> None:
    """Backgammon has a value function; the few games are deterministic."""
    assert sum(won == ("A",) for won in played("backgammon", 2, {0: "greedy", 1: "random"}, range(6))) >= 5
    assert sum(won == ("B",) for won in played("connect_four", 2, {0: "random", 1: "flat:64"}, range(8))) >= 7


@pytest.mark.proof
@pytest.mark.parametrize(
    "ref, players, one, other",
    [
        ("chess", 2, "mcts:200", "greedy"),
        ("backgammon", 2, "mcts:64", "random"),
        ("shadow_of_the_emperor", 4, "mcts:64", "random"),
    ],
)
def test_mcts_is_stronger(ref: str, players: int, one: str, other: str) -> None:
    """A ladder of bots, which stops at the first decisive result."""
    ruleset = load_ruleset(ref)
    *_, standing = match(PlanSide(between(GamePlan.of(ref, ruleset, [players], 0), one, other), ruleset), 100)
    assert standing.verdict == "stronger"


@pytest.mark.proof
def test_a_game_of_bots_is_a_game_of_the_rules() -> None:
    ruleset = load_ruleset("shadow_of_the_emperor")
    game = Game(ruleset, ["A", "B"])
    draws, rng = Draws(3), random.Random(1)
    while game.decision is not None and game.decision.by is None:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    seats = BotSeats(game, {seat: FlatBot(8) for seat in game.seats}, 1)
    for _ in range(5):
        assert game.decision is not None
        option = seats.choose(game)[0] if game.decision.by else rng.choice(game.legal_options)
        assert game.is_legal(option)
        game.apply(option)
