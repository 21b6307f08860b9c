"""Untrusted Parquet files: compression bombs and false sizes are refused before they are read."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import thrift_writer as thrift
from commands import invoke
from folders import ROOT

import rulespec.engine.simulate.foreign_parquet as reader
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.game_codes import CodedGame, CodeSheet
from rulespec.engine.corpus.stores import batches
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.engine.simulate.thrift import MAX_DEPTH, MAX_VALUES, ThriftError, read_struct

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.usefixtures("known_rulesets")
Change = Callable[[Any], Any]


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A part of a store with three games."""
    codes = np.array([[0, 0, 1], [1, 1, 2]])
    with ParquetResults(tmp_path / "games", CodeSheet({})) as results:
        for number in range(3):
            results.add(CodedGame(number, f"g{number}", "", "t", "", 2, "won", ("A",), {"A": 3, "B": 1}, "0", codes))
    (path,) = (tmp_path / "games").iterdir()
    return path


def written(path: Path, rows: int, **columns: Any) -> None:
    """Writes a part with the same columns, some with other values."""
    table = parquet.read_table(path)
    arrays = []
    for field in table.schema:
        value = columns.get(field.name)
        if value is None:
            value = table.column(field.name).slice(0, 1).to_pylist() * rows
        arrays.append(value if isinstance(value, pa.Array) else pa.array(value, field.type))
    parquet.write_table(pa.Table.from_arrays(arrays, schema=table.schema), path, compression="zstd")


def one_list(values: Any, kind: Any) -> Any:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), pa.array(values)).cast(kind)


def refusal(path: Path) -> str:
    with pytest.raises(DiagnosticsError) as caught:
        list(batches(path))
    (only,) = caught.value.diagnostics
    assert only.help
    return only.code


def changed(path: Path, change: Change) -> None:
    """Changes the fields of the footer."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[-8:-4], "little")
    fields, _ = thrift.read(raw[-8 - size : -8])
    footer = thrift.written(change(fields))
    path.write_bytes(raw[: -8 - size] + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def put(number: int, value: Any) -> Change:
    """Sets a field to a value, or to a function of its value."""

    def change(fields: Any) -> Any:
        return [(n, k, value(v) if callable(value) else value) if n == number else (n, k, v) for n, k, v in fields]

    return change


def each(change: Change) -> Change:
    return lambda items: (items[0], [change(item) for item in items[1]])


def in_columns(number: int, value: Any) -> Change:
    """Sets a field in the footer's description of each column."""
    return put(4, each(put(1, each(put(3, put(number, value))))))


def nested(depth: int) -> Any:
    group = [(4, thrift.BINARY, b"s"), (5, thrift.I32, 1)]
    return thrift.STRUCT, [*[group] * depth, [(1, thrift.I32, 1), (4, thrift.BINARY, b"x")]]


FOOTERS: dict[str, tuple[Change, str]] = {
    "columns within one another": (put(2, nested(900)), "RS601"),
    "many columns": (put(2, nested(30_000)), "RS601"),
    "columns that are no tree": (put(2, lambda items: (items[0], items[1][:3])), "RS601"),
    "a million groups": (put(4, lambda items: (items[0], [[]] * 400_000)), "RS601"),
    "groups without columns": (put(4, lambda items: (items[0], [[]] * 9)), "RS601"),
    "the same group often": (put(4, lambda items: (items[0], items[1] * 3)), "RS601"),
    "fewer rows": (put(3, 1), "RS601"),
    "rows less than none": (put(3, -1), "RS601"),
    "more rows": (put(3, 1 << 60), "RS601"),
    "no rows in the groups": (put(4, each(put(3, 0))), "RS601"),
    "more values": (in_columns(5, 1 << 40), "RS601"),
    "fewer values": (in_columns(5, 1), "RS601"),
    "a column beyond the end": (in_columns(7, 1 << 50), "RS601"),
    "a column before the begin": (in_columns(9, -9), "RS601"),
    "another kind of values": (in_columns(1, 6), "RS601"),
    "another way of packing": (in_columns(4, 0), "RS601"),
    "a dictionary in a header": (in_columns(11, 1), "RS601"),
    "columns in another file": (put(4, each(put(1, each(lambda c: [(1, thrift.BINARY, b"/etc"), *c])))), "RS601"),
    "a field twice": (lambda fields: [*fields, (3, thrift.I64, 3)], "RS601"),
    "a large footer": (lambda fields: [*fields, (99, thrift.BINARY, bytes(600_000))], "RS602"),
}


@pytest.mark.parametrize("name", FOOTERS)
@pytest.mark.sampled(6)
def test_a_footer_that_lies_is_refused(name: str, part: Path) -> None:
    change, code = FOOTERS[name]
    changed(part, change)
    assert refusal(part) == code


def pages(path: Path, change: Change) -> None:
    """Changes the header of the first data page of the options, and adapts the footer."""
    raw = path.read_bytes()
    meta = parquet.read_metadata(path).row_group(0)
    (column,) = [meta.column(n) for n in range(meta.num_columns) if meta.column(n).path_in_schema.startswith("options")]
    at = column.data_page_offset
    fields, after = thrift.read(raw, at)
    header = thrift.written(change(fields))
    assert len(header) == after - at, "of the same length, so that all else stays where it is"
    path.write_bytes(raw[:at] + header + raw[after:])


def test_a_page_that_says_more_than_its_column_is_refused(part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = part.read_bytes()
    for change in (put(1, 5), put(2, -1), put(3, -1), put(5, put(2, 7)), put(5, put(1, -1)), put(5, put(3, 0))):
        part.write_bytes(whole)
        pages(part, change)
        assert refusal(part) == "RS601"
    monkeypatch.setattr(reader, "MAX_PAGE", 1)
    part.write_bytes(whole)
    assert refusal(part) == "RS602"


@pytest.mark.parametrize(
    "columns",
    [
        {"log": ["x" * 900_000] * 300},
        {"error": ["x" * 60_000] * 5_000},
        {"winners": [["x" * 90_000] * 30] * 60},
        {"winners": [["x"] * 600_000]},
        {"scores": [[("x" * 9_000, 1)] * 60] * 300},
    ],
    ids=["texts of a column", "many rows", "texts of lists", "one long list", "keys of mappings"],
)
@pytest.mark.sampled(1)
def test_little_that_stands_for_long_texts_is_refused(
    columns: dict[str, Any], part: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "FREE_OBJECTS", 50_000_000)
    written(part, len(next(iter(columns.values()))), **columns)
    assert part.stat().st_size < 30_000
    assert refusal(part) == "RS602"


@pytest.mark.parametrize("number, code", [(4_500_000, "RS602"), (250_000, "RS602"), (1_000, "")])
def test_many_values_in_few_bytes_are_refused(number: int, code: str, part: Path) -> None:
    kind = parquet.read_schema(part)
    values = np.zeros(number, np.int16)
    options, seats = (one_list(values.astype(t), kind.field(n).type) for t, n in (("i2", "options"), ("i1", "seats")))
    written(part, 1, options=options, seats=seats, arguments=options)
    if code:
        assert refusal(part) == code
    else:
        ((game,),) = batches(part)
        assert game.codes.shape == (1_000, 3)


def test_rows_with_large_texts_come_in_smaller_pieces(part: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_OBJECTS", 300_000)
    written(part, 20, log=[f"{n}" * 40_000 for n in range(20)], winners=[["A", "B"]] * 20, scores=[[("A", 1)]] * 20)
    pieces = [[game.log for game in games] for games in batches(part)]
    assert [log[0] for logs in pieces for log in logs] == [f"{n}"[0] for n in range(20)]
    assert all(sum(map(len, logs)) < 300_000 for logs in pieces)


def test_a_file_that_is_none_is_refused(part: Path, tmp_path: Path) -> None:
    whole = part.read_bytes()
    for data in (b"", b"PAR1", whole[:-1], whole[:-4] + b"PARE", whole[:-8] + b"\xff\xff\xff\xffPAR1", bytes(99)):
        part.write_bytes(data)
        assert refusal(part) == "RS601", data[-9:]
    part.unlink()
    assert refusal(part) == "RS601"
    os.mkfifo(part)
    assert refusal(part) == "RS601"


def test_results_of_simulated_games_are_read_by_the_same_door(tmp_path: Path) -> None:
    """Also those of `simulate --out` when continued."""
    args = ("simulate", "wager", "--players", "2", "--games", 3, "--seed", 1, "--out", tmp_path / "r.parquet")
    assert invoke(*args)[0] == 0
    (path,) = (tmp_path / "r.parquet").iterdir()
    changed(path, put(3, 1 << 60))
    with pytest.raises(DiagnosticsError) as caught:
        invoke(*args)
    assert caught.value.diagnostics[0].code == "RS601"


BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (600_000_000, 600_000_000))
from pathlib import Path
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.stores import batches
try:
    print(sum(len(games) for games in batches(Path(sys.argv[1]))))
except DiagnosticsError as error:
    print(error.diagnostics[0].code)
"""


@pytest.mark.parametrize(
    "rows, size, said", [(500, 600_000, "500"), (300, 2_000_000, "RS602"), (1, 60_000_000, "RS602")]
)
@pytest.mark.proof
def test_a_bomb_takes_little_memory(rows: int, size: int, said: str, part: Path) -> None:
    written(part, rows, table=["x" * size] * rows)
    done = subprocess.run([sys.executable, "-c", BOUNDED, part], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said, done.stderr


# --- the compact form of Thrift ---------------------------------------------------------------------------------------


def test_a_struct_is_read_as_it_is_written() -> None:
    fields = [
        (1, thrift.I32, -5),
        (2, thrift.BINARY, b"text"),
        (3, thrift.LIST, (thrift.I64, [1, -(2**40)])),
        (30, thrift.STRUCT, [(1, thrift.TRUE, None), (2, thrift.FALSE, None), (3, thrift.DOUBLE, bytes(8))]),
        (31, thrift.LIST, (thrift.STRUCT, [[(1, thrift.I16, 7)]] * 20)),
        (32, thrift.BYTE, b"\x07"),
    ]
    data = thrift.written(fields)
    assert read_struct(data + b"more") == (
        {
            1: -5,
            2: b"text",
            3: [1, -(2**40)],
            30: {1: True, 2: False, 3: bytes(8)},
            31: [{1: 7}] * 20,
            32: 7,
        },
        len(data),
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x15",
        b"\x1c" * (MAX_DEPTH + 2) + bytes(99),
        b"\x19" + b"\x19" * (MAX_DEPTH + 2) + bytes(99),
        b"\x19\xf5" + thrift.varint(MAX_VALUES + 1) + bytes(MAX_VALUES + 2),
        b"\x18\xff\xff\xff\xff\x0f",
        b"\x18\x05abc",
        b"\x15" + b"\xff" * 11,
        b"\x15" + thrift.zigzag(2**31) + b"\0",
        b"\x14" + thrift.zigzag(2**15) + b"\0",
        b"\x1b\0\0",
        b"\x10",
        thrift.written([(1, thrift.I32, 1), (1, thrift.I32, 2)]),
    ],
)
def test_bytes_that_are_no_struct_are_refused(data: bytes) -> None:
    with pytest.raises(ThriftError):
        read_struct(data)
