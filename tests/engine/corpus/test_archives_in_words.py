"""Stores in words and on a page: titles and units, names of illegal logs, patterns of names."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from cases import small
from commands import invoke
from corpora import logs, store_of_many
from jsonschema import Draft202012Validator

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.archive import shelves
from rulespec.engine.corpus.code_tables import Tables
from rulespec.engine.corpus.game_codes import COLUMNS, DERIVED, CodeSheet, is_of_codes
from rulespec.engine.corpus.log_rows import Reading
from rulespec.engine.corpus.logs import Corpus
from rulespec.engine.corpus.stores import batches, parts_of_store
from rulespec.engine.corpus.totals import Measures
from rulespec.engine.simulate.confidence import share
from rulespec.load import load_ruleset
from rulespec.pages.archive_page import archive_page, percent
from rulespec.schemas import load_schema

parquet = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("archive")


@pytest.fixture
def store(folder: Path) -> Path:
    return folder / "store" if (folder / "store").exists() else store_of_many(folder, {"nim": [2], "wager": [2, 3]})


# --- rows -----------------------------------------------------------------------------------------------------------


def test_rows_have_their_ruleset_players_verdict_and_decisions(store: Path) -> None:
    part = parts_of_store(store)[0]
    games = [game for batch in batches(part) for game in batch]
    for row, game in zip(parquet.read_table(part).to_pylist(), games, strict=True):
        table = Tables(store).read(game.table)
        assert (row["ruleset"], row["players"], row["verdict"]) == (table.ruleset, table.players, "legal")
        names = {option.number: f"{option.decision}.{option.option}" for option in table.options}
        assert row["decision"] == [names[number] for number in row["options"]]


def test_titles_and_units_are_in_the_metadata(store: Path, tmp_path: Path) -> None:
    schema = parquet.read_schema(parts_of_store(store)[0])
    assert {name: schema.field(name).metadata[b"title"].decode() for name in schema.names} == {
        name: column.title for name, column in COLUMNS.items()
    }
    assert schema.field("decisions").metadata[b"unit"] == b"decisions"
    measures = json.loads(schema.metadata[b"rulespec_rulesets"])["nim"]["measures"]
    declared = load_ruleset("nim").declarations.measures.values()
    assert {(each["measure"], each["title"]) for each in measures} == {(each.name, each.title) for each in declared}
    assert invoke("replay", store.parent / "logs", "--only", "nim-*", "--out", tmp_path / "rows.parquet")[0] == 0
    rows = parquet.read_schema(next((tmp_path / "rows.parquet").iterdir()))
    assert rows.field("decisions").metadata[b"unit"] == b"decisions"
    assert json.loads(rows.metadata[b"rulespec_rulesets"])["nim"]["title"] == load_ruleset("nim").title


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize(
    "lacking", [(*DERIVED, "verdict", "other_result"), ("positions", "other_result"), ("other_result",)]
)
def test_a_store_without_the_later_columns_is_read(lacking: tuple[str, ...], store: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    (old / "games").mkdir(parents=True)
    for name in ("tables", "rules"):
        shutil.copytree(store / name, old / name)
    table = parquet.read_table(parts_of_store(store)[0]).drop_columns([*lacking])
    assert is_of_codes(table.schema)
    parquet.write_table(table, old / "games" / parts_of_store(store)[0].name)
    assert invoke("corpus", "replay", old)[1] == invoke("corpus", "replay", store)[1]
    assert invoke("corpus", "describe", old)[1] == invoke("corpus", "describe", store)[1]


@pytest.mark.proof
def test_rows_are_the_same_by_processes(tmp_path: Path) -> None:
    logs(tmp_path / "logs")
    for name, number in (("one", "1"), ("more", "2")):
        invoke("corpus", "import", tmp_path / "logs", "--out", tmp_path / name, "--jobs", number)
    tables = [parquet.read_table(parts_of_store(tmp_path / name)[0]) for name in ("one", "more")]
    assert tables[0].equals(tables[1], check_metadata=True)


# --- words ------------------------------------------------------------------------------------------------------------


def test_a_store_is_described(store: Path) -> None:
    out = invoke("corpus", "describe", store)[1]
    assert "9 games in 1 file: 9 legal" in out
    assert "length of the game" in out
    assert "measure of wager" in out
    data = json.loads(invoke("corpus", "describe", store, "--format", "json")[1])
    Draft202012Validator(load_schema("describe")).validate(data)
    assert [(t["ruleset"], t["players"], t["games"]) for t in data["tables"]] == [
        ("nim", 2, 3),
        ("wager", 2, 3),
        ("wager", 3, 3),
    ]


def test_measures_of_rulesets_stand_apart(store: Path) -> None:
    together = json.loads(invoke("corpus", "measures", store, "--format", "json")[1])["measures"]
    assert {name.partition(": ")[0] for name in together} == {"nim", "wager"}
    both = Measures()
    both.add(Reading(7, "score", "A", 3), "chess")
    assert list(both.by_name) == ["score"]
    both.add(Reading(7, "score", "A", 90), "go")
    assert [(name, of.most) for name, of in both.by_name.items()] == [("chess: score", 3), ("go: score", 90)]


def test_logs_that_are_not_legal_are_named(tmp_path: Path) -> None:
    logs(tmp_path / "logs")
    for command in (("corpus", "import"), ("replay",)):
        out = invoke(*command, tmp_path / "logs", "--out", tmp_path / f"{command[0]}.parquet")[1]
        assert f"  unreadable  {tmp_path / 'logs' / 'g3.jsonl'}: RS607" in out


def test_only_some_names(tmp_path: Path) -> None:
    paths = logs(tmp_path / "logs")
    assert [log.name for log in Corpus([tmp_path / "logs"], "g[24].jsonl").logs()] == [str(paths[2]), str(paths[4])]
    assert [log.game for log in Corpus([tmp_path / "logs"], "*/g5*").logs()] == [0]
    out = invoke("corpus", "import", tmp_path / "logs", "--only", "g0*", "--out", tmp_path / "store")[1]
    assert out.startswith("1 log: 1 legal")
    with pytest.raises(DiagnosticsError) as caught:
        invoke("replay", tmp_path / "logs", "--only", "*.pgn")
    assert caught.value.diagnostics[0].code == "RS582"


def with_gaps(store: Path, folder: Path, name: str) -> Path:
    """A copy of a store in which a column has no values."""
    import pyarrow as pa

    shutil.copytree(store, folder)
    part = parts_of_store(folder)[0]
    table = parquet.read_table(part)
    field = table.schema.field(name)
    none = pa.array([None] * table.num_rows, field.type)
    parquet.write_table(table.set_column(table.schema.names.index(name), field, none), part)
    return folder


@pytest.mark.parametrize("name", ["decisions", "table", "error"])
def test_a_store_with_gaps_is_refused(name: str, store: Path, tmp_path: Path) -> None:
    gaps = with_gaps(store, tmp_path / "gaps", name)
    for command in (("describe", gaps), ("page", gaps, "--out", tmp_path / "page.html")):
        with pytest.raises(DiagnosticsError) as caught:
            invoke("corpus", *command)
        assert caught.value.diagnostics[0].code in ("RS601", "RS607")


@pytest.mark.parametrize("name", ["winners", "scores", "verdict", "ended"])
def test_what_may_be_missing_may_be_missing(name: str, store: Path, tmp_path: Path) -> None:
    gaps = with_gaps(store, tmp_path / "gaps", name)
    assert invoke("corpus", "describe", gaps)[0] == 0
    assert invoke("corpus", "page", gaps, "--out", tmp_path / "page.html")[0] == 0


# --- the page ---------------------------------------------------------------------------------------------------------


def test_shelves_count_the_games(store: Path) -> None:
    results = {(shelf.ruleset, shelf.players): shelf for shelf in shelves(store, 2)}
    games = [(Tables(store).read(g.table), g) for part in parts_of_store(store) for b in batches(part) for g in b]
    for key, shelf in results.items():
        mine = [game for table, game in games if (table.ruleset, table.players) == key]
        assert shelf.games == len(mine)
        assert shelf.lengths == Counter(game.decisions for game in mine)
        assert shelf.won == Counter(seat for game in mine for seat in game.winners)
        assert sum(opened.games for opened in shelf.openings.values()) == len(mine)
        assert {len(opening) for opening in shelf.openings} == {2}
        assert [games for _, games in shelf.frequent] == sorted(
            (of.games for of in shelf.openings.values()), reverse=True
        )[:12]


def test_the_page_shows_each_shelf(store: Path, tmp_path: Path) -> None:
    code, out, _ = invoke("corpus", "page", store, "--out", tmp_path / "archive.html")
    page = (tmp_path / "archive.html").read_text("utf-8")
    assert (code, out.startswith("written: ")) == (0, True)
    assert page.count("<figcaption>Lengths</figcaption>") == 3
    assert f"<h2>{load_ruleset('nim').title}, 2 players</h2>" in page
    assert "<script" not in page
    assert "$" not in page


ROLES = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {}
  realm:
    state: {ruler: {type: "player?"}}
    entities: {north: {title: The North}, south: {}, west: {}, isle: {}}
--- rules/play.rules
procedure play():
    roll rule(p in player)
    set north.ruler to p
    set south.ruler to p
    set west.ruler to next(p)
    decide go by p:
        option on:
            set isle.ruler to p
        option up:
            pass
    end game as done won by {p}
"""


def test_wins_are_counted_by_the_roles_that_seats_have_at_first(tmp_path: Path) -> None:
    """The same seat always has north and south, and wins; the isle has no ruler before the first decision."""
    ref = small(tmp_path / "small", ROLES).folders[0]
    code, out, err = invoke("simulate", ref, "--players", 2, "--games", 30, "--codes", tmp_path / "roles")
    assert code == 0, out + err
    (shelf,) = shelves(tmp_path / "roles")
    assert {name: (of.won, of.games) for name, of in shelf.roles.items()} == {
        "The North and south": (30, 30),
        "west": (0, 30),
    }
    assert 0 < shelf.won["A"] < 30
    page = archive_page("roles", [shelf])
    assert "<figcaption>Roles that win</figcaption>" in page and "The North and south</span>" in page


@pytest.mark.parametrize(
    "number, total, text",
    [
        (30, 100, "30 % (22 to 40)"),
        (33, 10_000, "0.3 % (0.2 to 0.5)"),
        (9_967, 10_000, "99.7 % (99.5 to 99.8)"),
        (1, 1_000_000, "0.0001 % (0.0000 to 0.0006)"),
    ],
)
def test_narrow_bounds_have_decimals(number: int, total: int, text: str) -> None:
    assert percent(share(number, total)) == text


def test_derived_columns_are_not_read() -> None:
    assert set(DERIVED) == {"ruleset", "players", "decision", "positions"}
    assert CodeSheet.derived == DERIVED
