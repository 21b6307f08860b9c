"""Store files: foreign ones are refused unchanged, old ones converted, and damage is limited to one table."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from commands import spoken
from folders import RULESETS, TESTS
from stores import changed, digest, flipped, in_memory, new_store, resumed

from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs.saved_game import SaveError
from rulespec.serve.hall import Hall
from rulespec.serve.store import TableStore

pytestmark = pytest.mark.usefixtures("known_rulesets")
OLD = TESTS / "fixtures" / "formats" / "old" / "tables_1.db"
OLD_TABLES = ("30948f32b6f1aebc", "fe462e94e277905b")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store with three tables, and their ids in order."""
    path = tmp_path_factory.mktemp("stores") / "t.db"
    return path, new_store(path, tables=3, ref=str(RULESETS / "nim"))


@pytest.fixture
def store(sound: tuple[Path, list[str]]) -> Iterator[Path]:
    with in_memory() as folder:
        yield Path(shutil.copy(sound[0], folder / "t.db"))


@pytest.fixture
def ids(sound: tuple[Path, list[str]]) -> list[str]:
    return sound[1]


# --- other files ------------------------------------------------------------------------------------------


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE notes (text)")
        base.execute("PRAGMA user_version=1")
        base.commit()


def without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA user_version=1")


def with_its_own_id(path: Path) -> None:
    shutil.copy(OLD, path)
    changed(path, "PRAGMA application_id=7")


def with_a_table_more(path: Path) -> None:
    new_store(path, tables=0)
    changed(path, "CREATE TABLE more (text)")


def with_a_view(path: Path) -> None:
    new_store(path, tables=0)
    changed(path, "CREATE VIEW seen AS SELECT * FROM game")


def with_a_column_less(path: Path) -> None:
    shutil.copy(OLD, path)
    changed(path, "ALTER TABLE game DROP COLUMN begun")


def with_another_type(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        with closing(sqlite3.connect(OLD)) as old:
            tables = [text for (text,) in old.execute("SELECT sql FROM sqlite_master WHERE sql NOT NULL")]
        for text in tables:
            base.execute(text.replace("role TEXT", "role BLOB"))
        base.execute("PRAGMA user_version=1")
        base.commit()


def with_version_zero(path: Path) -> None:
    shutil.copy(OLD, path)
    changed(path, "PRAGMA user_version=0")


def cut_off(path: Path) -> None:
    new_store(path, tables=1)
    path.write_bytes(path.read_bytes()[:90])


def of_zeros(path: Path) -> None:
    path.write_bytes(bytes(4096))


FOREIGN = [of_another_program, without_tables, with_its_own_id, with_a_table_more, with_a_view, with_a_column_less]
FOREIGN += [with_another_type, with_version_zero, cut_off, of_zeros]


@pytest.mark.parametrize("make", FOREIGN)
def test_what_is_no_store_is_refused_unchanged(make: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    make(path)
    before = digest(path)
    with pytest.raises(DiagnosticsError, match="RS680"):
        TableStore(path)
    assert digest(path) == before and [*tmp_path.iterdir()] == [path]


def test_a_store_of_a_later_version_is_refused_unchanged(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(store, "PRAGMA user_version=3")
    before = digest(store)
    assert run(["serve", "nim", "--players", "2", "--store", str(store), "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "error[RS681]" in said and "update rulespec" in said and digest(store) == before


def test_a_pipe_and_a_folder_are_no_stores(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DiagnosticsError, match="not a regular file"):
        TableStore(tmp_path / "pipe")
    with pytest.raises(SaveError):
        TableStore(tmp_path)


@pytest.mark.parametrize("name", [":memory:", "a?b#c.db", "%41.db", "ä\udcff.db"])
def test_a_name_is_a_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (game,) = new_store(Path(name), tables=1)
    assert [*resumed(Path(name)).games] == [game] and [path.name for path in tmp_path.iterdir()] == [name]


# --- stores of version 1 ----------------------------------------------------------------------------------


def test_a_store_of_version_1_is_taken_over_once(tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD, tmp_path / "t.db"))
    first, again = resumed(path), resumed(path)
    assert first.games == dict.fromkeys(OLD_TABLES, ["take(1)"] * 3) == again.games
    assert len(first.keys) == 7 and first.keys == again.keys
    assert (first.codes, again.codes) == (["RS684"], []) and "version 1" in first.messages[0]
    assert digest(tmp_path / "t.db.before-1") == digest(OLD)


def test_one_that_was_killed_before_its_first_checkpoint_is_taken_over_too(tmp_path: Path) -> None:
    """All its data is in the write-ahead log."""
    path = tmp_path / "t.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as base, closing(sqlite3.connect(OLD)) as old:
        base.execute("PRAGMA journal_mode=WAL")
        for line in old.iterdump():
            base.execute(line)
        base.execute("PRAGMA user_version=1")
        for name in ("t.db", "t.db-wal"):
            shutil.copy(tmp_path / name, tmp_path / f"copy-{name}")
    result = resumed(tmp_path / "copy-t.db")
    assert sorted(result.games) == sorted(OLD_TABLES) and result.codes == ["RS684"]


@pytest.mark.parametrize(
    "fault",
    [
        "UPDATE game SET header = CAST(x'ff' AS TEXT) WHERE id = ?",
        "UPDATE line SET text = CAST(x'7bff' AS TEXT) WHERE game = ? AND n = 1",
        "DELETE FROM line WHERE game = ? AND n = 1",
        "UPDATE line SET n = n + 1 WHERE game = ? AND n = 2",
    ],
)
def test_damage_of_version_1_is_not_blessed(fault: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD, tmp_path / "t.db"))
    changed(path, (fault, (OLD_TABLES[0],)))
    for _ in range(2):
        result = resumed(path)
        assert [*result.faults] == [OLD_TABLES[0]] and [*result.games] == [OLD_TABLES[1]]


# --- damaged rows -----------------------------------------------------------------------------------------

BAD = "CAST(x'7bff7d' AS TEXT)"
OF_ONE = {
    "a header that is no text": f"UPDATE game SET header = {BAD} WHERE id = ?",
    "a header of another name": "UPDATE game SET header = replace(header, 'A-name', 'B-name') WHERE id = ?",
    "what is in no log, that is no text": f"UPDATE game SET aside = {BAD} WHERE id = ?",
    "another seed": "UPDATE game SET aside = replace(aside, '\"seed\":', '\"seed\":1') WHERE id = ?",
    "rules that are no text": f"UPDATE game SET rules = {BAD} WHERE id = ?",
    "a begin that is a text": "UPDATE game SET begun = 'long ago' WHERE id = ?",
    "fewer lines": "UPDATE game SET lines = 2 WHERE id = ?",
    "a line that is no text": f"UPDATE line SET text = {BAD} WHERE game = ? AND n = 1",
    "another decision": "UPDATE line SET text = replace(text, 'take(1)', 'take(2)') WHERE game = ? AND n = 1",
    "the last line is gone": "DELETE FROM line WHERE game = ? AND n = 2",
    "the first line is gone": "DELETE FROM line WHERE game = ? AND n = 0",
    "all lines are gone": "DELETE FROM line WHERE game = ?",
    "a gap": "UPDATE line SET n = 7 WHERE game = ? AND n = 2",
    "lines in another order": "UPDATE line SET n = CASE n WHEN 0 THEN -1 ELSE n END WHERE game = ?",
    "its entry is gone": "DELETE FROM game WHERE id = ?",
}


@pytest.mark.parametrize("what", OF_ONE)
def test_a_damaged_table_alone_is_refused(what: str, store: Path, ids: list[str]) -> None:
    changed(store, (OF_ONE[what], (ids[1],)))
    result = resumed(store)
    assert [*result.faults] == [ids[1]] and result.games == dict.fromkeys((ids[0], ids[2]), ["take(1)"] * 3)
    assert result.codes == ["RS682"]


def test_lines_of_another_table_are_not_its_own(store: Path, ids: list[str]) -> None:
    """The same decision at the same place."""
    swap = "UPDATE line SET game = CASE game WHEN ? THEN ? ELSE ? END, n = n + 10 WHERE n = 1 AND game IN (?, ?)"
    changed(store, (swap, (*ids[:2], ids[0], *ids[:2])), "UPDATE line SET n = n - 10 WHERE n > 9")
    result = resumed(store)
    assert {*result.faults} == {*ids[:2]} and [*result.games] == [ids[2]]


@pytest.mark.parametrize("column", ["bundle", "sources"])
def test_damaged_rules_stop_the_tables_that_have_them(column: str, store: Path, ids: list[str]) -> None:
    new_store(store, tables=1, ref="wager", moves=1)
    changed(store, f"UPDATE rules SET {column} = {BAD} WHERE sources = (SELECT rules FROM game WHERE id = '{ids[0]}')")
    result = resumed(store)
    assert sorted(result.faults) == sorted(ids) and len(result.games) == 1
    assert all("rules are damaged" in why for why in result.faults.values())
    assert sorted(ids) == sorted(resumed(store, "nim").games.keys() & {*ids}), "the same rules are installed"


@pytest.mark.parametrize("column", ["hash", "game", "role"])
def test_a_damaged_key_is_one_void_link(column: str, store: Path, ids: list[str]) -> None:
    changed(store, (f"UPDATE key SET {column} = {BAD} WHERE game = ? AND role = 'seat:A'", (ids[1],)))
    result = resumed(store)
    assert not result.faults and len(result.games) == 3
    assert result.codes == ["RS683"] and ids[1] in result.messages[0] and " A " in result.messages[0]


def test_a_key_of_one_seat_does_not_become_that_of_another(store: Path, ids: list[str]) -> None:
    changed(store, ("UPDATE key SET role = 'seat:B' WHERE game = ? AND role = 'seat:A'", (ids[0],)))
    result = resumed(store)
    assert (ids[0], "seat:A") not in result.keys and result.codes == ["RS683"]


def flips(store: Path, seeds: range) -> None:
    """One bit of a file is flipped: all other tables are served unless they share the damaged part, such as rules or
    the order of a page, or else the file is refused unchanged. No table continues with less data."""
    whole = store.read_bytes()
    for seed in seeds:
        rng = random.Random(seed)
        at, bit = rng.randrange(100, len(whole)), 1 << rng.randrange(8)
        for path in store.parent.iterdir():
            path.unlink()
        store.write_bytes(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
        before, reason = digest(store), ""
        try:
            result = resumed(store)
        except (DiagnosticsError, SaveError) as error:  # the tables in the file are unknown
            reason = str(error)
        if reason:
            assert digest(store) == before, (seed, at, bit)
            assert "its tables are not those of a store" in reason or "none of its tables can be read" in reason, (
                seed,
                at,
                bit,
            )
            continue
        shared = any("rules are damaged" in why for why in result.faults.values()) or "RS684" in result.codes
        assert shared or len(result.games) >= 2, (seed, at, bit, result)
        assert all(texts == ["take(1)"] * 3 for texts in result.games.values()), (seed, at, bit, result)
        again = resumed(store)
        assert again.games == result.games and set(again.codes) <= {"RS682", "RS683"}, (seed, at, bit, again)


def test_flipped_bits_are_of_one_table(store: Path) -> None:
    flips(store, range(10))


@pytest.mark.proof
def test_many_flipped_bits_are_of_one_table(store: Path) -> None:
    flips(store, range(100, 3_000))


def test_a_file_whose_order_is_damaged_is_read_into_a_new_one(store: Path, ids: list[str]) -> None:
    """The header of a page of lines is damaged; the damaged file is preserved."""
    with closing(sqlite3.connect(store)) as base:
        (page,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = 'line'").fetchone()
        (size,) = base.execute("PRAGMA page_size").fetchone()

    def damaged(data: bytearray) -> None:
        data[(page - 1) * size + 8] ^= 0x7F  # the start of the first cell

    flipped(store, damaged)
    before, result = digest(store), resumed(store)
    assert result.codes[0] == "RS684" and "damaged" in result.messages[0] and len(result.games) >= 2
    assert digest(store.with_name("t.db.before-1")) == before
    assert {*result.games, *result.faults} == {*ids}
    assert "RS684" not in resumed(store).codes


@pytest.mark.parametrize("at", [100, 104, 120])
def test_a_file_whose_list_of_tables_is_damaged_is_read_into_a_new_one(at: int, store: Path, ids: list[str]) -> None:
    def damaged(data: bytearray) -> None:
        data[at] ^= 0x80

    flipped(store, damaged)
    log = spoken("log", str(store), "--table", ids[0])
    result = resumed(store)
    assert result.codes == ["RS684"] and result.games == dict.fromkeys(ids, ["take(1)"] * 3) and log[0] == 0
    assert resumed(store).codes == []


# --- a way out --------------------------------------------------------------------------------------------


def test_the_good_part_of_a_damaged_table_goes_on(store: Path, ids: list[str], tmp_path: Path) -> None:
    changed(store, ("UPDATE line SET text = '{}' WHERE game = ? AND n = 2", (ids[1],)))
    before, out = digest(store), tmp_path / "game.jsonl"
    code, said = spoken("log", str(store), "--table", ids[1], "--out", str(out))
    assert code == 1 and "RS682" in said and "3 lines" in said and digest(store) == before
    assert out.stat().st_mode & 0o077 == 0
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 3 and "bundle" in json.loads(lines[0])
    code, said = spoken("replay", str(out), "--format", "json")
    assert code == 0 and json.loads(said)["decisions"] == 2


def test_the_log_of_a_sound_table_is_whole(store: Path, ids: list[str]) -> None:
    code, said = spoken("log", str(store), "--table", ids[2])
    assert code == 0 and len(said.splitlines()) == 4


def refused(*args: str) -> str:
    with pytest.raises(DiagnosticsError) as error:
        spoken(*args)
    return str(error.value)


def test_a_log_of_a_table_that_is_none(store: Path, ids: list[str], tmp_path: Path) -> None:
    said = refused("log", str(store), "--table", "none")
    assert "RS682" in said and ids[0] in said
    code, said = spoken("log", str(tmp_path / "no.db"), "--table", ids[0])
    assert code == 2 and "there is no file" in said and not (tmp_path / "no.db").exists()
    assert "RS680" in refused("log", str(RULESETS / "nim" / "game.yaml"), "--table", ids[0])
    code, said = spoken("log", str(OLD), "--table", OLD_TABLES[0])
    assert code == 0 and len(said.splitlines()) == 4


def test_what_cannot_be_resumed_is_said_with_the_way_out(store: Path, ids: list[str]) -> None:
    changed(store, ("DELETE FROM line WHERE game = ? AND n = 1", (ids[0],)))
    hall = Hall(TableStore(store))
    hall.resume()
    hall.close()
    (note,) = hall.notes
    assert "line 3 of its log" in note.message and f"rulespec log {store} --table {ids[0]} --out" in note.help


def test_a_deleted_table_takes_its_rules_along_only_where_nothing_is_damaged(store: Path, ids: list[str]) -> None:
    changed(store, (f"UPDATE game SET rules = {BAD} WHERE id = ?", (ids[0],)))
    hall = Hall(TableStore(store))
    hall.resume()

    async def deleted() -> None:
        await hall.delete(ids[1])
        await hall.delete(ids[2])

    asyncio.run(deleted())
    hall.close()
    with closing(sqlite3.connect(store)) as base:
        assert base.execute("SELECT count(*) FROM rules").fetchone() == (1,)
