"""Result files of many random games: JSON Lines and Parquet, truncated, damaged, and continued."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commands import invoke
from jsonschema import Draft202012Validator
from simulation import FORMATS, WAGER, broken_nim, lacking, out, plan, played, posix, read, write

import rulespec.engine.simulate.game_sheet
import rulespec.engine.simulate.parquet
from rulespec.cli.main import run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.game_plans import Outcome
from rulespec.engine.simulate.game_sheet import GameSheet
from rulespec.engine.simulate.json_lines import JsonLinesResults
from rulespec.engine.simulate.open_results import open_results
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.schemas import load_schema

pytestmark = pytest.mark.usefixtures("known_rulesets")


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_in_pieces_is_the_run(name: str, tmp_path: Path) -> None:
    path, args = out(tmp_path, name), (*WAGER, "--format", "json", "--out")
    for games, jobs in ((7, 1), (7, 1), (30, 2), (31, 1)):
        assert invoke(*args, path, "--games", games, "--jobs", jobs)[0] == 0
    assert read(path) == played(31)
    whole, pieces = invoke(*WAGER, "--format", "json", "--games", 31)[1], invoke(*args, path, "--games", 31)[1]
    Draft202012Validator(load_schema("simulate")).validate(json.loads(pieces))
    assert json.loads(pieces) == json.loads(whole) | {"playouts": [], "out": str(path)}
    assert invoke(*WAGER, "--games", 31, "--out", path)[2] == f"{path}: continues after 31 games\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FORMATS)
def test_games_that_fail_are_recorded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = out(tmp_path, name), broken_nim(tmp_path)
    args = ("simulate", folder, "--players", "2", "--format", "json", "--games")
    assert invoke(*args, "20", "--out", path)[0] == 1
    monkeypatch.chdir(tmp_path)  # the location of the rules is independent of the folder
    code, text, _ = invoke(*args, "25", "--out", path)
    assert code == 1
    assert json.loads(text)["totals"] == json.loads(invoke(*args, "25")[1])["totals"]
    assert len(json.loads(text)["shortest"]) == 1


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "args, message",
    [
        (("--seed", "2"), "`seed` is `1`, not `2`"),
        (("--cap", "9"), "`cap` is `5000`, not `9`"),
        (("--players", "2"), "`players` is `[2, 3]`, not `[2]`"),
        (("--set", "gifts=off"), "`settings` is"),
        (("--games", "4"), "already has more than 4 games"),
    ],
)
def test_other_games_are_not_added(
    name: str, args: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = out(tmp_path, name)
    write(path, played(5))
    before = read(path)
    assert run([*WAGER, "--out", str(path), *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "name another file" in err.lower()
    assert read(path) == before


@pytest.mark.parametrize("name", FORMATS)
def test_games_that_come_out_otherwise_now_are_not_gone_on_with(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = out(tmp_path, name)
    *some, last = played(5)
    write(path, [*some, replace(last, decisions=last.decisions + 1)])
    assert run([*WAGER, "--out", str(path)]) == 2
    assert "game 4 in" in capsys.readouterr().err


@posix
@pytest.mark.parametrize("name", FORMATS)
def test_two_programs_do_not_write_the_same_results(name: str, tmp_path: Path) -> None:
    path = out(tmp_path, name)
    with open_results(path, plan()), pytest.raises(SaveError, match="is being written by another program"):
        open_results(path, plan())
    assert not path.exists()  # nothing was written


def test_parquet_needs_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking(monkeypatch, "pyarrow")
    rulespec.engine.simulate.game_sheet.schema.cache_clear()
    assert run([*WAGER, "--out", str(tmp_path / "results.parquet")]) == 2
    assert "pip install 'rulespec[parquet]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- JSON Lines, cut and damaged --------------------------------------------------------------------------------------


@pytest.mark.proof  # 0.5 s
def test_cut_at_any_byte_the_whole_lines_count_and_the_run_goes_on(tmp_path: Path) -> None:
    path, outcomes = tmp_path / "results.jsonl", played(3)
    write(path, outcomes)
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with JsonLinesResults(path, GameSheet(plan())) as results:
            items = list(results.recorded())
            lines = whole[:cut].count(b"\n")
            assert items == outcomes[: max(0, lines - 1)], cut
            torn = lines > 0 and not whole[:cut].endswith(b"\n")
            assert [w.code for w in results.warnings] == ["RS603"] * torn, cut
            for outcome in outcomes[len(items) :]:
                results.add(outcome)
        assert path.read_bytes() == whole, cut


ROW = json.loads(json.dumps(Outcome(1, 3, 14, "closing", ("A",), {"A": 6, "B": 4, "C": 4}, None).to_json()))


@pytest.mark.parametrize(
    "line, code",
    [
        ("nonsense", "RS604"),
        ("[" * 100_000, "RS604"),
        ("[]", "RS607"),
        ("9" * 5_000, "RS604"),
        ({**ROW, "game": 7}, "RS607"),
        ({**ROW, "game": True}, "RS607"),
        ({**ROW, "players": 2}, "RS607"),
        ({**ROW, "decisions": -1}, "RS607"),
        ({**ROW, "decisions": 10**9}, "RS607"),
        ({**ROW, "decisions": 1.5}, "RS607"),
        ({**ROW, "winners": ["Z"]}, "RS607"),
        ({**ROW, "winners": [["A"]]}, "RS607"),
        ({**ROW, "scores": {"A": 10**30}}, "RS607"),
        ({**ROW, "scores": {"Z": 1}}, "RS607"),
        ({**ROW, "failure": {"kind": "fault"}}, "RS607"),
        ({**ROW, "failure": 1}, "RS607"),
        ({**ROW, "more": 1}, "RS607"),
        ({"game": 1}, "RS607"),
        ("x" * 2_000_000, "RS602"),
    ],
)
def test_a_damaged_line_is_told_with_a_way_out(
    line: Any, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, played(3))
    lines = path.read_text("utf-8").splitlines()
    lines[2] = line if isinstance(line, str) else json.dumps(line)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    before = path.read_bytes()
    assert run([*WAGER, "--out", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"error[{code}]" in err
    assert f"{path}:3:1" in err
    assert "keep only the first 2 lines" in err
    assert path.read_bytes() == before
    path.write_text("\n".join(lines[:2]) + "\n", "utf-8")
    assert invoke(*WAGER, "--games", "3", "--out", path)[0] == 0
    assert read(path) == played(3)


@pytest.mark.parametrize(
    "data, message",
    [
        (b"hello", "not a results file for these games"),
        (b"hello\n", "not results of games"),
        (b"[1]\n", "not results of games"),
        (b"{}\n", "not results of games"),
        (b'{"rulespec_results": 2}\n', "version `2`"),
        (b'{"rulespec_results": true}\n', "version `true`"),
        (b'{"rulespec_results": 1, "random": "splitmix64-1"}\n', "contains other games"),
        (b'{"rulespec_results": 1}\n', "RS653"),
        (b'{"rulespec_results": 1, "random": "splitmix64-2"}\n', 'by `"splitmix64-2"`'),
        (b'{"rulespec_results": 1, "random": null, "seed": 1}\n', "RS653"),
        (b'{"rulespec_results": 1, "random": ["splitmix64-1"]}\n', "RS653"),
        (b'{"rulespec_log": 1, "ruleset": "wager"}\n', "not results of games"),
        (gzip.compress(b"hello", mtime=0), "not a results file for these games"),
        (b"\0" * 100, "not a results file for these games"),
    ],
)
def test_a_file_that_holds_something_else_stays_as_it_is(
    data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(data)
    assert run([*WAGER, "--out", str(path)]) == 2
    assert message in capsys.readouterr().err
    assert path.read_bytes() == data


@posix
def test_what_is_no_file_is_not_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "file.parquet").write_text("hello", "utf-8")
    for name, note in (("pipe", "is not a file"), ("folder", "cannot be written")):
        with pytest.raises(SaveError, match=note):
            JsonLinesResults(tmp_path / f"{name}.jsonl", GameSheet(plan()))
    pytest.importorskip("pyarrow")
    with pytest.raises(SaveError, match="is a file"):
        ParquetResults(tmp_path / "file.parquet", GameSheet(plan()))


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, outcomes = tmp_path / "results.jsonl", played(3)
    write(path, outcomes[:2])
    before = path.read_bytes()
    write_ = os.write

    def full(file: int, data: bytes) -> int:
        if data.startswith(b'{"game": 2'):
            return write_(file, data[:9])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, JsonLinesResults(path, GameSheet(plan())) as results:
        assert list(results.recorded()) == outcomes[:2]
        patch.setattr("rulespec.engine.simulate.json_lines.os.write", full)
        with pytest.raises(SaveError, match="No space left on device"):
            results.add(outcomes[2])
    assert path.read_bytes() == before


# --- Parquet ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results in three parts: games 0 to 3, 4 to 7, 8 and 9."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(rulespec.engine.simulate.parquet, "PART_ROWS", 4)
    path = tmp_path / "results.parquet"
    write(path, played(10))
    return path


def test_parts_are_one_table(parts: Path) -> None:
    from pyarrow import parquet

    names = ["games-0000000000.parquet", "games-0000000004.parquet", "games-0000000008.parquet"]
    assert sorted(p.name for p in parts.iterdir()) == names
    table = parquet.read_table(parts)
    assert table["game"].to_pylist() == list(range(10))
    assert table.schema.equals(rulespec.engine.simulate.game_sheet.schema())
    header = json.loads(parquet.read_schema(parts / names[0]).metadata[b"rulespec_results"])
    assert header == rulespec.engine.simulate.game_sheet.header(plan())


def test_a_part_is_written_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = out(tmp_path, "results.parquet")
    monkeypatch.setattr(rulespec.engine.simulate.parquet, "PART_SECONDS", 0.0)
    write(path, played(3))
    assert len(list(path.iterdir())) == 3


def test_a_part_that_was_being_written_does_not_count(parts: Path) -> None:
    (parts / "games-0000000008.parquet").rename(parts / ".games-0000000008.writing")
    assert read(parts) == played(8)
    assert len(list(parts.iterdir())) == 2


@pytest.mark.parametrize("data", [b"", b"hello", b"PAR1" + b"\0" * 100 + b"PAR1", None])
def test_a_damaged_part_is_told_with_a_way_out(parts: Path, data: bytes | None) -> None:
    part = parts / "games-0000000004.parquet"
    part.write_bytes(data if data is not None else part.read_bytes()[:-40])
    with pytest.raises(DiagnosticsError) as error:
        read(parts)
    assert error.value.diagnostics[0].code == "RS601"
    assert "delete games-0000000004.parquet and all parts after it" in error.value.diagnostics[0].help


def test_a_part_that_is_missing_is_told(parts: Path) -> None:
    (parts / "games-0000000004.parquet").unlink()
    with pytest.raises(DiagnosticsError, match="a part is missing"):
        read(parts)


def test_a_table_of_something_else_is_no_part(parts: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": [1]}), parts / "games-0000000000.parquet")
    with pytest.raises(DiagnosticsError, match="its columns are different"):
        read(parts)
