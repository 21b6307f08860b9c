"""Options at a position: the counts in a store equal those from a replay of all its games."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from commands import invoke
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus import position_moves
from rulespec.engine.corpus.code_tables import Tables
from rulespec.engine.corpus.game_visits import ALL
from rulespec.engine.corpus.position_moves import MoveCounts, Tally, counted, moves_at
from rulespec.engine.corpus.stores import batches, parts_of_store
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.numbered import every_option
from rulespec.engine.search.recorded_rows import Coder
from rulespec.schemas import load_schema

parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.usefixtures("known_rulesets")


def store_of(folder: Path, ref: str, players: int, number: int, *args: object) -> Path:
    store = folder / f"{ref}-{players}"
    command = ("simulate", ref, "--players", players, "--games", number, "--seed", 5, "--codes", store)
    assert invoke(*command, *args)[0] == 0
    return store


def replayed(store: Path) -> tuple[Game, list[list[tuple[str, str, str | None]]], list[tuple[str, ...]]]:
    """A game of the store's table; for each stored game, the positions with the chosen options; the winners."""
    tables, results, winners = Tables(store), [], []
    for part in parts_of_store(store):
        for batch in batches(part):
            for game in batch:
                table = tables.game(tables.read(game.table))
                coder, steps = Coder(table), []
                one = restarted(table)
                for code in game.codes.tolist():
                    option = coder.option(one, code)
                    assert option is not None
                    steps.append((one.hash, str(option), one.apply(option).by))
                results.append(steps)
                winners.append(game.winners)
    return table, results, winners


@pytest.mark.parametrize(
    "ref, players, number, positions",
    [
        ("wager", 3, 12, 6),
        ("nim", 2, 40, 6),
        pytest.param("nim", 2, 300, 50, marks=pytest.mark.proof),
        pytest.param("kuhn_poker", 3, 200, 50, marks=pytest.mark.proof),
        pytest.param("backgammon", 2, 20, 50, marks=pytest.mark.proof),
    ],
)
def test_counts_are_those_of_a_replay(ref: str, players: int, number: int, positions: int, tmp_path: Path) -> None:
    store = store_of(tmp_path, ref, players, number)
    table, games, winners = replayed(store)
    rng = random.Random(1)
    for _ in range(positions):
        steps = rng.choice(games)
        place = rng.randrange(len(steps))
        position = restarted(table)
        for _, option, _ in steps[:place]:
            position.apply(position.parse(option))
        taken = [
            (option, by, at) for at, game in enumerate(games) for hash_, option, by in game if hash_ == position.hash
        ]
        won = Counter(option for option, by, at in set(taken) if by in winners[at])
        result = moves_at(position, counted(store, position, [int(position.hash, 16)]))
        assert {m.option: m.tally.times for m in result if m.tally.times} == Counter(option for option, _, _ in taken)
        assert {m.option: m.tally.games for m in result if m.tally.games} == Counter(
            o for o, _ in {(o, a) for o, _, a in taken}
        )
        assert {m.option: m.tally.won for m in result if m.tally.won} == won
        assert {m.option for m in result} == {str(option) for option in every_option(position)}


def test_processes_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulespec.engine.corpus.game_codes import CodeSheet

    monkeypatch.setattr(CodeSheet, "most", 5)
    store = store_of(tmp_path, "nim", 2, 20)
    assert len(parts_of_store(store)) == 4
    table, games, _ = replayed(store)
    positions = [int(hash_, 16) for hash_, _, _ in games[0]]
    assert counted(store, table, positions, 2) == counted(store, table, positions, 1)


def test_games_that_do_not_come_to_their_end_do_not_count(tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, 10)
    table, _, _ = replayed(store)
    (batch,) = batches(parts_of_store(store)[0])
    games = [*(replace(game, codes=game.codes[:-1]) for game in batch[:3]), *batch[3:]]
    start, result = int(table.hash, 16), MoveCounts(over=10, taken={})
    search = position_moves._opened(str(store), batch[0].table)
    position_moves._count(search, games, [ALL] * 10, np.array([start], np.uint64), start, result)
    assert (result.over, result.open) == (7, 3)
    assert sum(tally.times for tally in result.taken[start].values()) == 7


def without_positions(store: Path, folder: Path) -> Path:
    """The store in its format before positions were recorded."""
    shutil.copytree(store, folder)
    for part in parts_of_store(folder):
        parquet.write_table(parquet.read_table(part).drop_columns(["positions", "other_result"]), part)
    return folder


@pytest.mark.parametrize("number", [30, pytest.param(400, marks=pytest.mark.proof)])
def test_noted_positions_make_no_difference(number: int, tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, number)
    table, games, _ = replayed(store)
    positions = [int(hash_, 16) for steps in games[:10] for hash_, _, _ in steps]
    older = without_positions(store, tmp_path / "older")
    for wanted in (positions, positions[:1], positions[4:5], [7]):
        assert counted(store, table, wanted) == counted(older, table, wanted)


def test_an_import_notes_the_positions_that_random_games_have(tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, 3)
    assert invoke("corpus", "import", log_of(store, tmp_path), "--out", tmp_path / "imported")[0] == 0
    noted = [parquet.read_table(parts_of_store(of)[0])["positions"][0] for of in (store, tmp_path / "imported")]
    assert noted[0].as_py() == noted[1].as_py()
    assert len(noted[0]) == len(replayed(store)[1][0])


def test_a_game_with_other_codes_than_its_positions_is_left_out(tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, 12)
    table, games, _ = replayed(store)
    (part,) = parts_of_store(store)
    rows = parquet.read_table(part)
    data = rows.to_pylist()
    data[0]["arguments"] = data[1]["arguments"][:2] + data[0]["arguments"][2:]
    parquet.write_table(type(rows).from_pylist(data, rows.schema), part)
    counts = counted(store, table, [int(games[0][2][0], 16)])
    assert (counts.over, counts.open) == (11, 1)


def test_games_that_go_on_do_not_count(tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, 4, "--cap", 5)
    over = [game for part in parts_of_store(store) for batch in batches(part) for game in batch if game.ended]
    table, _, _ = replayed(store)
    counts = counted(store, table, [int(table.hash, 16)])
    assert (counts.over, counts.open) == (len(over), 4 - len(over))


def test_a_position_that_comes_twice_in_a_game_counts_once_for_its_end() -> None:
    one, other = Tally(times=2, games=1, won=1), Tally(times=1, games=1)
    one.add(other)
    assert (one.times, one.games, one.won) == (3, 2, 1)


def log_of(store: Path, folder: Path) -> Path:
    """The first game of a store as a log."""
    from rulespec.engine.logs.log_file import write_log

    table, games, _ = replayed(store)
    game = restarted(table)
    for _, option, _ in games[0]:
        game.apply(game.parse(option))
    write_log(folder / "game.jsonl", game, game.history)
    return folder / "game.jsonl"


def test_the_command_prints_them(tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, 30)
    log = log_of(store, tmp_path)
    code, out, _ = invoke("corpus", "moves", store, "--at", f"{log}@0")
    assert code == 0
    assert "the open decision is `turn`, by A" in out
    assert "30 finished games reached it 30 times" in out
    data = json.loads(invoke("corpus", "moves", store, "--at", f"{log}@1", "--format", "json")[1])
    Draft202012Validator(load_schema("moves")).validate(data)
    assert data["games"] == 30
    assert sum(move["times"] for move in data["moves"]) >= 1


def refusal(*args: object) -> DiagnosticsError:
    with pytest.raises(DiagnosticsError) as caught:
        invoke("corpus", "moves", *args)
    return caught.value


def test_what_cannot_be_counted_has_a_way_out(tmp_path: Path) -> None:
    store = store_of(tmp_path, "nim", 2, 3)
    other = store_of(tmp_path, "kuhn_poker", 2, 3)
    log = log_of(store, tmp_path)
    wrong = refusal(other, "--at", f"{log}@0").diagnostics[0]
    assert (wrong.code, wrong.help) == ("RS580", "import games of these rules")
    misere = store_of(tmp_path / "misere", "nim", 2, 3, "--set", "misere=true")
    wrong = refusal(misere, "--at", f"{log}@0").diagnostics[0]
    assert (wrong.code, wrong.help) == ("RS580", "choose a game of this store: `nim` with 2 players, misere=true")
    over = refusal(store, "--at", log).diagnostics[0]
    assert (over.code, "give a position before the end" in over.help) == ("RS581", True)
    far = refusal(store, "--at", f"{log}@900").diagnostics[0]
    assert (far.code, far.help) == ("RS581", over.help.replace("a position before the end", "an earlier position"))
    code, _, err = invoke("corpus", "moves", store, "--at", f"{log}@-1")
    assert (code, "`-1` is not a number of decisions" in err) == (2, True)
