"""Stores of games as codes: imported once, equal to logs, queried natively; damaged and forged ones are refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import small
from commands import invoke
from corpora import logs
from folders import GAMES
from msgspec.structs import replace

import rulespec.engine.search.memory
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.code_tables import Tables, table_game
from rulespec.engine.corpus.game_codes import CodedGame, CodeSheet, simulated, store_folder, tables_of
from rulespec.engine.corpus.replays import WorkerRules
from rulespec.engine.corpus.stores import StoreAnswer, StoreQuestion, answers, batches, parts_of_store
from rulespec.engine.replay.judge import judge
from rulespec.engine.search.open_search import open_search
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.load import load_ruleset

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.usefixtures("known_rulesets")


def asked(store: Path, question: StoreQuestion, jobs: int = 1) -> list[StoreAnswer]:
    return [each for part in answers(store, question, jobs) for each in part]


def refusal(*args: object) -> str:
    """The code of a command's refusal."""
    with pytest.raises(DiagnosticsError) as caught:
        invoke("corpus", *args)
    return caught.value.diagnostics[0].code


def games(store: Path) -> list[CodedGame]:
    return [game for part in parts_of_store(store) for batch in batches(part) for game in batch]


def simulated_store(tmp_path: Path, ref: str = "wager", number: int = 20, players: str = "2-3") -> Path:
    store = tmp_path / "store"
    args = ("--players", players, "--games", number, "--seed", 4, "--codes", store)
    assert invoke("simulate", ref, *args)[0] == 0
    return store


# --- what is in a store -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ref, players", [("wager", 3), ("nim", 2), ("chess", 2), ("imperial", 3)])
@pytest.mark.sampled(1)
def test_simulated_games_are_those_of_simulate(ref: str, players: int) -> None:
    ruleset = load_ruleset(ref)
    plan = GamePlan.of(ref, ruleset, [players], 7)
    (table,) = tables_of(plan, ruleset)
    for game in simulated(plan, ruleset, range(2, 5)):
        played = plan.play(ruleset, game.game)
        coder = open_search(played.game, backend="python").coder
        assert np.array_equal(coder.codes(played.game.history, None), game.codes)
        outcome = plan.outcome(ruleset, game.game)
        assert (game.ended, game.winners, game.scores) == (outcome.ended, outcome.winners, outcome.scores)
        assert (game.end_hash, game.table) == (played.game.hash, table.key)


def test_codes_of_many_games_need_no_more_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is interrupted when there is no room for another decision, and then continues."""
    game = table_game(load_ruleset("nim"), 2, {})
    whole = open_search(game).coded(3, 0, 50)
    monkeypatch.setattr(rulespec.engine.search.memory, "OUT_BYTES", 400)
    parts = open_search(game).coded(3, 0, 50)
    assert [codes.tolist() for codes in parts] == [codes.tolist() for codes in whole]


@pytest.mark.proof  # 0.6 s
def test_imported_logs_replay_to_their_ends(tmp_path: Path) -> None:
    logs(tmp_path / "logs")
    rows = json.loads(invoke("replay", tmp_path / "logs", "--format", "json")[1])["logs"]
    for jobs in ("1", "2"):
        code, out, _ = invoke("corpus", "import", tmp_path / "logs", "--out", tmp_path / jobs, "--jobs", jobs)
        assert (code, "6 logs: 5 legal, 1 unreadable" in out) == (2, True)
        for game, row in zip(games(tmp_path / jobs), rows, strict=True):
            assert {name: row[name] for name in ("log", "sha256", "decisions", "ended", "end_hash")} == {
                name: getattr(game, name) for name in ("log", "sha256", "decisions", "ended", "end_hash")
            }
            assert (game.error.startswith("RS6"), game.table == "") == (row["error"] != "", row["error"] != "")
    assert [a.sound for a in asked(tmp_path / "1", StoreQuestion("replay"))] == [row["error"] == "" for row in rows]
    code, out, _ = invoke("corpus", "replay", tmp_path / "1")
    assert (code, "5 replay to their recorded end, 1 could not be read" in out) == (0, True)


@pytest.mark.proof
def test_foreign_logs_and_shipped_ones(tmp_path: Path) -> None:
    folder = GAMES / "imperial" / "logs" / "playimperial"
    code, _, _ = invoke("corpus", "import", *sorted(folder.glob("*.json"))[:3], "--out", tmp_path / "store")
    assert code == 0
    assert all(answer.sound for answer in asked(tmp_path / "store", StoreQuestion("replay")))
    assert {game.codes.dtype for game in games(tmp_path / "store")} == {np.dtype("int64")}
    from pyarrow import parquet

    columns = parquet.read_schema(parts_of_store(tmp_path / "store")[0])
    assert [str(columns.field(name).type.value_type) for name in ("options", "seats", "arguments")] == [
        "int16",
        "int8",
        "int16",
    ]


def test_larger_numbers_make_wider_columns(tmp_path: Path) -> None:
    wide = np.array([[0, -1, 40_000], [1, 0, -3_000_000_000]])
    game = CodedGame(0, "g", "", "t", "", 2, None, (), {}, "0", wide)
    with ParquetResults(store_folder(tmp_path), CodeSheet({})) as results:
        results.add(game)
    (read,) = games(tmp_path)
    assert np.array_equal(read.codes, wide)
    with ParquetResults(tmp_path / "games", CodeSheet({})) as results:
        (again,) = results.recorded()
        assert again.same(game)


def test_both_commands_go_on(tmp_path: Path) -> None:
    store = simulated_store(tmp_path, number=7)
    whole = tmp_path / "whole"
    assert invoke("simulate", "wager", "--players", "2-3", "--games", 12, "--seed", 4, "--codes", whole)[0] == 0
    assert invoke("simulate", "wager", "--players", "2-3", "--games", 12, "--seed", 4, "--codes", store)[0] == 0
    assert len(parts_of_store(store)) == 2
    assert all(a.same(b) for a, b in zip(games(store), games(whole), strict=True))
    assert "contains other games" in invoke("simulate", "wager", "--players", "2", "--games", 9, "--codes", store)[2]
    logs(tmp_path / "logs")
    args = ("corpus", "import", tmp_path / "logs", "--out", tmp_path / "imported")
    assert invoke(*args)[0] == 2
    code, out, err = invoke(*args)
    assert (code, "continues after 6 logs" in err, "5 legal" in out) == (2, True, True)


# --- questions --------------------------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.3 s
def test_workers_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CodeSheet, "most", 6)
    store = simulated_store(tmp_path)
    assert len(parts_of_store(store)) == 4
    for args in (("find", store, "player.cash > 3 money"), ("replay", store, "--under", "wager")):
        alone = invoke("corpus", *args, "--format", "json")
        assert invoke("corpus", *args, "--format", "json", "--jobs", "2") == alone
        assert alone[0] == 0, alone


MEASURES = """\
--- measures.yaml
measures:
  all_sold: {value: "sum(s.sold for s in stall)"}
  sold: {of: stall, value: stall.sold}
  share: {of: stall, value: "60 / stall.sold"}
  coins: {of: player, value: player.coins}
"""


@pytest.mark.parametrize(
    "ref",
    [pytest.param("tutorial", marks=pytest.mark.proof), pytest.param("imperial", marks=pytest.mark.proof), "fair"],
)
def test_measures_are_those_of_the_games(ref: str, tmp_path: Path) -> None:
    """Measures of players, of other entities, and of the game; a share of nothing is omitted."""
    if ref == "fair":
        ref = str(tmp_path / "fair")
        small(Path(ref), GAME + MEASURES)
    store = simulated_store(tmp_path, ref, 4, "2")
    plan = GamePlan.of(ref, ruleset := load_ruleset(ref), [2], 4)
    every = asked(store, StoreQuestion("measures"))
    assert any(answer.measures for answer in every)
    for answer in every:
        expected = plan.play(ruleset, answer.game.game).game.omniscient.measures()
        assert {(r.measure, r.entity): r.value for r in answer.measures} == {
            (name, entity): value for name, of in expected.items() for entity, value in of.items() if value is not None
        }


@pytest.mark.proof  # 0.5 s
def test_positions_are_found_where_the_expression_holds(tmp_path: Path) -> None:
    store = simulated_store(tmp_path, number=6)
    plan = GamePlan.of("wager", ruleset := load_ruleset("wager"), [2, 3], 4)
    total = 0
    for answer in asked(store, StoreQuestion("find", sought="player.bid >= 5 money")):
        game = plan.play(ruleset, answer.game.game).game
        cells = [game.omniscient.fields.cells("player.bid")]
        expected = []
        from rulespec.engine.game.game import restarted

        at = restarted(game)
        for number, option in enumerate(game.history, 1):
            at.apply(option)
            if any(at.omniscient.numbers.state[cell] >= 5 for cell in cells[0]):
                expected.append(number)
        assert list(answer.at) == expected
        total += len(expected)
    assert total > 0
    assert refusal("find", store, "player.nothing > 3").startswith("RS2")
    assert invoke("corpus", "find", store, "round > 7")[0] == 1


GAME = """\
--- game.yaml
id: fair
title: Fair
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {coins: {type: int, start: 12}, goods: {type: int}}}
  stall: {state: {sold: {type: int}}, entities: {fish: {}, fruit: {}, bread: {}}}
--- tables.yaml
constants: {price: 2, limit: 3}
--- rules/play.rules
procedure play():
    repeat at most 4:
        for p in player:
            buy(p)
    end game

procedure buy(p: player):
    decide purchase by p:
        option take(s in stall, n in 1 .. 5):
            require n <= limit "FAIR-1: not so many"
            require n * price <= p.coins "FAIR-2: not enough"
            set s.sold to s.sold + n
            set p.goods to p.goods + n
            set p.coins to p.coins - n * price
        option nothing:
            pass

scoring p in player:
    score p.goods
"""


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("limit: 3", "limit: 2"),
        lambda text: text.replace("price: 2", "price: 1"),
        lambda text: text.replace("fish: {}, fruit: {}, bread: {}", "bread: {}, fruit: {}, fish: {}"),
        lambda text: text.replace("fish: {}, fruit: {}", "fruit: {}"),
        lambda text: text.replace("at most 4", "at most 3"),
    ],
)
def test_codes_are_mapped_by_names_and_judged_as_logs_are(change: Any, tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    small(own, GAME)
    small(other, change(GAME))
    store = simulated_store(tmp_path, str(own), 30, "2")
    rules = WorkerRules.of(str(other), load_ruleset(str(other)), away=False)
    plan = GamePlan.of(str(own), ruleset := load_ruleset(str(own)), [2], 4)
    for answer in asked(store, StoreQuestion("replay", under=rules)):
        game = plan.play(ruleset, answer.game.game).game
        judged, under = judge("g", game, load_ruleset(str(other))), answer.under
        assert under is not None
        assert (under.legal, under.forced, under.skipped, under.winners_are, under.unchanged) == (
            judged.legal,
            judged.forced,
            judged.skipped,
            judged.winners,
            judged.unchanged,
        )
        assert (under.ended, under.scores) == (judged.outcome.ended, judged.outcome.scores)
        assert (under.cause.reason if under.cause else "") == (
            judged.difference.refusal.reason if judged.difference else ""
        )


# --- strangers' stores ------------------------------------------------------------------------------------------------


def test_forged_codes_are_not_legal(tmp_path: Path) -> None:
    store = simulated_store(tmp_path, number=6, players="2")
    real = games(store)
    forged = []
    for game in real:
        codes = game.codes.copy()
        codes[game.game % len(codes)] = [30_000, 99, *[-32_000] * (codes.shape[1] - 2)]
        forged.append(replace(game, codes=codes))
    shutil.rmtree(store / "games")
    with ParquetResults(store / "games", CodeSheet({})) as results:
        for game in forged:
            results.add(game)
    every = asked(store, StoreQuestion("replay"))
    assert [a.decisions for a in every] == [game.game % len(game.codes) for game in real]
    assert not any(a.sound for a in every)
    assert invoke("corpus", "replay", store)[0] == 1
    forged_end = [replace(game, end_hash="0" * 16) for game in real]
    shutil.rmtree(store / "games")
    with ParquetResults(store / "games", CodeSheet({})) as results:
        for game in forged_end:
            results.add(game)
    assert not any(a.sound for a in asked(store, StoreQuestion("replay")))


def test_changed_tables_and_rules_are_refused(tmp_path: Path) -> None:
    store = simulated_store(tmp_path, number=2, players="2")
    (path,) = (store / "tables").iterdir()
    (rules,) = (store / "rules").iterdir()
    text, bundle = path.read_text("utf-8"), rules.read_text("utf-8")
    table = json.loads(text)
    other = table | {"settings": table["settings"] | {"more": "true"}}
    cases = [
        (json.dumps(other), "RS607"),
        ("{}", "RS607"),
        ("[" * 50_000, "RS607"),
        (text.replace('"numbers": 1', '"numbers": 2'), "RS605"),
        (" " * 9_000_000, "RS1"),
    ]
    for content, code in cases:
        path.write_text(content, "utf-8")
        with pytest.raises(DiagnosticsError) as caught:
            Tables(store).read(path.stem)
        assert caught.value.diagnostics[0].code.startswith(code), content[:40]
    path.write_text(text, "utf-8")
    for content in ("{}", bundle[: len(bundle) // 2], bundle.replace('"packed": "', '"packed": "AAAA')):
        rules.write_text(content, "utf-8")
        assert refusal("replay", store).startswith("RS65")
    rules.unlink()
    assert refusal("replay", store) == "RS601"
    with pytest.raises(DiagnosticsError):
        Tables(store).read("../../secret")


@pytest.mark.parametrize(
    "data, code",
    [(b"", "RS601"), (b"PAR1nothingPAR1", "RS601"), (b"hello" * 1000, "RS601")],
    ids=["empty", "par", "text"],
)
def test_damaged_parts_are_refused(data: bytes, code: str, tmp_path: Path) -> None:
    store = simulated_store(tmp_path, number=2, players="2")
    (part,) = parts_of_store(store)
    part.write_bytes(data)
    assert refusal("replay", store) == code


def test_parts_of_another_form_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    store = simulated_store(tmp_path, number=2, players="2")
    (part,) = parts_of_store(store)
    table = parquet.read_table(part)
    parquet.write_table(table.replace_schema_metadata({}), part)
    assert refusal("replay", store) == "RS607"
    parquet.write_table(table.drop(["log"]), part)
    assert refusal("replay", store) == "RS607"
    parquet.write_table(table.replace_schema_metadata({"rulespec_codes": '{"rulespec_codes": 2}'}), part)
    assert refusal("replay", store) == "RS605"
    cut = table.set_column(
        table.schema.get_field_index("seats"), table.schema.field("seats"), pa.array([[1]] * 2, pa.list_(pa.int8()))
    )
    parquet.write_table(cut, part)
    assert refusal("replay", store) == "RS601"
    assert refusal("replay", tmp_path / "nowhere") == "RS601"


def test_a_bomb_is_refused_by_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import rulespec.engine.simulate.foreign_parquet as reader

    store = simulated_store(tmp_path, number=2, players="2")
    monkeypatch.setattr(reader, "FREE_VALUES", 5)
    monkeypatch.setattr(reader, "MAX_VALUES_RATIO", 0)
    assert refusal("replay", store) == "RS602"
