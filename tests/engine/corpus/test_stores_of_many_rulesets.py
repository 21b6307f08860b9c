"""Stores with games of several rulesets and numbers of players: each game is asked by its own table."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from cases import small
from commands import invoke
from corpora import store_of_many
from folders import ROOT
from shipped import NAMES

from rulespec.engine.corpus.code_tables import CodeTable, Tables
from rulespec.engine.corpus.game_codes import CodedGame
from rulespec.engine.corpus.stores import StoreQuestion, answers, batches, parts_of_store
from rulespec.load import load_ruleset

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.usefixtures("known_rulesets")

SEATS = {"nim": [2], "kuhn_poker": [2, 3], "leduc_poker": [2], "wager": [3]}
"""Two of them are played for points: bots have stakes there, and no values."""
QUERIES = re.findall(r"```sql\n(.*?)```", (ROOT / "docs/guides/corpora.md").read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("many")


@pytest.fixture
def store(folder: Path) -> Path:
    return folder / "store" if (folder / "store").exists() else store_of_many(folder, SEATS)


def games(store: Path) -> list[tuple[CodedGame, CodeTable]]:
    every = [game for part in parts_of_store(store) for batch in batches(part) for game in batch]
    return [(game, Tables(store).read(game.table)) for game in every]


# --- the queries of the page about corpora ----------------------------------------------------------------------------


def answered(store: Path, number: int) -> list[tuple[object, ...]]:
    """The rows of a query of the page, all of them."""
    duckdb = pytest.importorskip("duckdb")
    asked = [text.replace("'store/", f"'{store.as_posix()}/") for text in QUERIES]
    with duckdb.connect() as base:
        rows: list[tuple[object, ...]] = base.execute(re.sub(r" limit \d+", "", asked[number])).fetchall()
    return rows


def test_the_page_has_three_queries() -> None:
    assert [query.split()[0] for query in QUERIES] == ["select", "select", "select"]


def test_options_are_counted_by_the_table_of_their_game(store: Path) -> None:
    times: Counter[tuple[str, str]] = Counter()
    of_games: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for game, table in games(store):
        named = {option.number: (table.ruleset, f"{option.decision}.{option.option}") for option in table.options}
        for number in game.codes[:, 0].tolist():
            times[named[number]] += 1
            of_games[named[number]].add(game.game)
    expected = {(*key, count, len(of_games[key])) for key, count in times.items()}
    assert set(answered(store, 0)) == expected
    assert times.total() == sum(game.decisions for game, _ in games(store))


def test_lengths_are_those_of_each_ruleset_and_number_of_players(store: Path) -> None:
    of: defaultdict[tuple[str, int, str | None], list[int]] = defaultdict(list)
    for game, table in games(store):
        of[table.ruleset, table.players, game.ended].append(game.decisions)
    rows = answered(store, 1)
    assert {(*row[:4], row[5]) for row in rows} == {(*key, len(own), max(own)) for key, own in of.items()}
    for ruleset, players, ended, _, length, _ in rows:
        own = of[str(ruleset), int(str(players)), None if ended is None else str(ended)]
        assert abs(float(str(length)) - sum(own) / len(own)) <= 0.5
    assert len({row[:2] for row in rows}) == sum(map(len, SEATS.values()))


def test_openings_of_two_tables_are_two(store: Path) -> None:
    openings = ((t, [t.decisions[number] for number in g.codes[:6, 0].tolist()]) for g, t in games(store))
    counted = Counter(repr((t.ruleset, t.players, opening)) for t, opening in openings)
    assert {repr(row[:3]): row[3] for row in answered(store, 2)} == counted


# --- positions that are sought ----------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.6 s
def test_every_position_of_a_mixed_store_is_found(store: Path) -> None:
    every = [game for game, _ in games(store)]
    results = [each for part in answers(store, StoreQuestion("find", sought="true")) for each in part]
    assert [each.at for each in results] == [tuple(range(1, game.decisions + 1)) for game in every]


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.proof
def test_each_shipped_ruleset_is_asked(ref: str, tmp_path: Path) -> None:
    low, high = load_ruleset(ref).players
    mixed = store_of_many(tmp_path, {ref: sorted({low, high})}, 1)
    results = [each for part in answers(mixed, StoreQuestion("find", sought="true")) for each in part]
    assert [len(each.at) for each in results] == [game.decisions for game, _ in games(mixed)]


GAME = """\
--- game.yaml
id: worth
title: Worth
version: "1.0"
players: {kind: player, min: 1, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {coins: {type: int}}}
--- rules/play.rules
procedure play():
    repeat at most 3:
        for p in player:
            decide work by p:
                option earn:
                    set p.coins to p.coins + 1
                option rest:
                    pass
    end game
"""
SCORING = "scoring p in player:\n    score p.coins\n"
WORTH = {
    "nothing": "",
    "stakes": f"{SCORING}--- measures.yaml\nstakes: 4\n",
    "stakes and a measure": f"{SCORING}--- measures.yaml\nstakes: 4\nmeasures:\n  half: {{value: 5 / 2}}\n",
    "a value": "--- measures.yaml\nvalues:\n  rich: {of: player, value: player.coins, decides: 9}\n",
    "another score": f"{SCORING}--- measures.yaml\nmeasures:\n  score: {{of: player, value: player.coins}}\n",
    "one value for all": "--- measures.yaml\nvalues:\n  rich: {value: 7, decides: 9}\n",
}


@pytest.mark.parametrize("worth", WORTH)
@pytest.mark.sampled(1)
def test_an_expression_is_no_value_for_bots(worth: str, tmp_path: Path) -> None:
    """Whatever the game is played for, positions in which somebody has two coins are found."""
    text = GAME + WORTH[worth]
    if "for all" in worth:
        text = text.replace("max: 2", "max: 2, teams: all")
    small(tmp_path / "worth", text)
    assert invoke("simulate", tmp_path / "worth", "--players", "2", "--games", 4, "--codes", tmp_path / "store")[0] == 0
    (results,) = answers(tmp_path / "store", StoreQuestion("find", sought="player.coins >= 2"))
    assert any(each.at for each in results)
    for each, (game, table) in zip(results, games(tmp_path / "store"), strict=True):
        assert each.sound
        named = {option.number: option.option for option in table.options}
        coins, expected = [0, 0], []
        for at, code in enumerate(game.codes.tolist(), 1):
            coins[code[1]] += named[code[0]] == "earn"
            expected += [at] if max(coins) >= 2 else []
        assert list(each.at) == expected
