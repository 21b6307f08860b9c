"""A reader of untrusted Parquet files in batches, which checks footers and page headers first.

A few bytes of a page can stand for any number of values, one long text can be repeated in each row, and sizes in the
footer may be wrong. Therefore all page headers are read here before pyarrow allocates the memory that they announce,
and texts stay dictionary numbers until their total length is known.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.documents.foreign_files import foreign, foreign_items, opened
from rulespec.engine.simulate.thrift import read_struct
from rulespec.errors import RulespecError

MAX_FILE = 1_000_000_000
"""The maximum size of a file in bytes."""
MAX_FOOTER = 500_000
"""The maximum size of a footer in bytes."""
MAX_PAGES = 10_000
"""The maximum number of pages in a file."""
MAX_PAGE = 32_000_000
"""The maximum size of an unpacked page in bytes."""
FREE_BYTES, FREE_VALUES, FREE_OBJECTS = 100_000_000, 4_000_000, 500_000_000
MAX_RATIO, MAX_VALUES_RATIO, MAX_OBJECTS_RATIO = 250, 4, 1_000
"""The limits per byte of the file, beyond a free allowance, on unpacked bytes, on values of a column, and on bytes of
Python objects.
"""
MAX_OBJECTS = 50_000_000
"""The maximum size in bytes of a batch, and of a row, as Python objects."""
OBJECT = 100
"""The bytes of a Python object, not counting text in it."""
_MAX_COLUMNS, _MAX_NESTING = 1_000, 20
_MAX_PAGE_HEADER = 32_768
_DATA, _INDEX, _DICTIONARY, _DATA_2 = range(4)
_TEXT = "BYTE_ARRAY"


class _TooMuchError(RulespecError):
    """A file that exceeds a limit."""


def parquet_batches(
    path: Path,
    check: Callable[[Any, Any], None],
    rows: int,
    help_: str,
    arrays: Sequence[str] = (),
    skipped: Sequence[str] = (),
) -> Iterator[Any]:
    """The rows of a file in batches, as `pyarrow.RecordBatch` with texts as dictionary numbers.

    Args:
        path: the file.
        check: a function that rejects wrong columns, given the `pyarrow.Schema`, and wrong sizes, given the
            `pyarrow.FileMetaData`.
        rows: the maximum number of rows in a batch; batches of large values have fewer.
        help_: the help text for messages.
        arrays: the columns to leave as arrays.
        skipped: the columns to skip.

    Raises:
        DiagnosticsError: RS601 if the file is unreadable, RS602 if it is too large; also the errors from `check`.
    """
    with foreign(str(path), help_):
        file = opened(path)
    with file:
        try:
            with foreign(str(path), help_):
                _check_sizes(file)
            yield from foreign_items(_batches(file, check, rows, arrays, skipped), str(path), help_)
        except _TooMuchError as error:
            raise failure("RS602", f"{shown(str(path))} {error}", None, help_) from None


def _batches(
    file: IO[bytes], check: Callable[[Any, Any], None], rows: int, arrays: Sequence[str], skipped: Sequence[str]
) -> Iterator[Any]:
    from pyarrow import parquet

    limits = {"thrift_string_size_limit": MAX_FOOTER, "thrift_container_size_limit": MAX_FOOTER}
    with parquet.ParquetFile(file, **limits) as plain:
        meta, rows_read = plain.metadata, 0
        check(plain.schema_arrow, meta)
        columns = [meta.schema.column(n) for n in range(meta.num_columns)]
        texts = [column.path for column in columns if column.physical_type == _TEXT]
        with parquet.ParquetFile(file, metadata=meta, read_dictionary=texts, buffer_size=1 << 20, **limits) as reader:
            left = FREE_OBJECTS + MAX_OBJECTS_RATIO * os.fstat(file.fileno()).st_size
            names = [name for name in plain.schema_arrow.names if name not in skipped] if skipped else None
            for batch in reader.iter_batches(batch_size=rows, use_threads=False, columns=names):
                batch.validate(full=True)  # the first check of indices beyond a dictionary
                left -= _weight_of(batch, arrays)
                if left < 0:
                    raise _TooMuchError("has texts that are too long")
                rows_read += batch.num_rows
                yield from _pieces(batch, arrays)
        if rows_read != meta.num_rows:
            raise ValueError("it has fewer rows than declared")


def _pieces(batch: Any, arrays: Sequence[str]) -> Iterator[Any]:
    """A batch, split into pieces that are small enough as Python objects."""
    if _weight_of(batch, arrays) <= MAX_OBJECTS:
        yield batch
        return
    half = batch.num_rows // 2
    if not half:
        raise _TooMuchError("has a row that is too large")
    yield from _pieces(batch.slice(0, half), arrays)
    yield from _pieces(batch.slice(half), arrays)


def objects(array: Any) -> list[Any]:
    """The values of an array as Python objects; unlike in `to_pylist`, equal texts share one object."""
    from pyarrow import types

    if not types.is_dictionary(array.type):
        return list(array.to_pylist())
    texts = array.dictionary.to_pylist()
    return [None if number is None else texts[number] for number in array.indices.to_pylist()]


def _weight_of(batch: Any, arrays: Sequence[str]) -> int:
    return sum(_weight(batch.column(name)) for name in batch.schema.names if name not in arrays)


def _weight(array: Any) -> int:
    """The approximate size of an array as Python objects; without `pyarrow.compute`, which is slow to import."""
    from pyarrow import types

    kind, size = array.type, OBJECT * len(array)
    if types.is_dictionary(kind):
        lengths = np.diff(_numbers(array.dictionary, len(array.dictionary) + 1))
        numbers = _numbers(array.indices, len(array))  # the indices of nulls are arbitrary
        return size + int(lengths[np.clip(numbers, 0, len(lengths) - 1)].sum()) if len(lengths) else size
    if types.is_list(kind) or types.is_map(kind):
        first, last = (array.offsets[n].as_py() for n in (0, len(array)))
        inner = [array.values] if types.is_list(kind) else [array.keys, array.items]
        return size + sum(_weight(part.slice(first, last - first)) for part in inner)
    if types.is_struct(kind):
        return size + sum(_weight(part) for part in array.flatten())
    return size


def _numbers(array: Any, count: int) -> NDArray[np.int32]:
    """The integer buffer of an array: indices of a dictionary, or offsets of texts."""
    return np.frombuffer(array.buffers()[1], np.int32, count, 4 * array.offset) if count else np.empty(0, np.int32)


# --- sizes, before anything is unpacked -------------------------------------------------------------------------------


def _check_sizes(file: IO[bytes]) -> None:
    """Refuses a file whose footer or pages declare too much content.

    Raises:
        ValueError: if it is not a Parquet file, or has parts that never occur in files of results.
        _TooMuchError: if a limit is exceeded.
    """
    size = os.fstat(file.fileno()).st_size
    if size > MAX_FILE:
        raise _TooMuchError("is too large")
    file.seek(max(0, size - 8))
    end = file.read(8)
    length = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1" or length > size - 12:
        raise ValueError("it is not a Parquet file")
    if length > MAX_FOOTER:
        raise _TooMuchError("has too large a footer")
    file.seek(size - 8 - length)
    footer, _ = read_struct(file.read(length))
    leaves, rows = _leaves(footer.get(2)), _count(footer.get(3))
    bounds = _Bounds(size)
    for group in _structs(footer.get(4)):
        rows -= _count(group.get(3))
        columns = list(_structs(group.get(1)))
        if len(columns) != leaves:
            raise ValueError("a row group has different columns from the file")
        for number, column in enumerate(columns):
            if column.keys() & {1, 8}:
                raise ValueError("a column is in another file, or encrypted")
            bounds.column(file, number, group[3], _struct(column.get(3)))
    if rows:
        raise ValueError("its row groups do not match the declared rows")


def _leaves(schema: Any) -> int:
    """The number of columns. Errors: ValueError if the columns are not a tree, or too many."""
    elements = list(_structs(schema))
    if not 0 < len(elements) <= _MAX_COLUMNS:
        raise ValueError("it has no columns, or too many")
    open_: list[int] = []  # the number of missing children per enclosing element
    leaves = 0
    for element in elements:
        if open_:
            open_[-1] -= 1
        elif element is not elements[0]:
            raise ValueError("its columns are not a tree")
        children = element.get(5, 0)
        if type(children) is not int or children < 0 or len(open_) > _MAX_NESTING:
            raise ValueError("its columns are not a tree, or nested too deeply")
        leaves += not children
        open_.append(children)
        while open_ and not open_[-1]:
            open_.pop()
    if open_:
        raise ValueError("its columns are not a tree")
    return leaves


class _Bounds:
    """The running totals of a file's page sizes."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._bytes = FREE_BYTES + MAX_RATIO * size
        self._pages = MAX_PAGES
        self._values: Counter[int] = Counter()  # by column number

    def column(self, file: IO[bytes], number: int, rows: int, meta: dict[int, Any]) -> None:
        """Checks the pages of a column in a row group before pyarrow reads them."""
        values, length, at = (_count(meta.get(key)) for key in (5, 7, 9))
        dictionary = _count(meta.get(11, 0))
        if 0 < dictionary < at:
            at = dictionary
        end, counted = at + length, 0
        if end > self._size:
            raise ValueError("a column exceeds the file")
        if values < rows:
            raise ValueError("a column has fewer values than rows")
        while counted < values:
            if at >= end:
                raise ValueError("a column has fewer values than declared")
            file.seek(at)
            header, used = read_struct(file.read(min(_MAX_PAGE_HEADER, end - at)))
            counted += self._page(header)
            at += used + _count(header.get(3))
            if at > end:
                raise ValueError("a page exceeds its column")
            if self._values[number] + counted > FREE_VALUES + MAX_VALUES_RATIO * self._size:
                raise _TooMuchError("holds too many values")
        self._values[number] += counted

    def _page(self, header: dict[int, Any]) -> int:
        """The number of values in a data page; 0 for other pages."""
        kind, size = header.get(1), _count(header.get(2))
        self._pages -= 1
        self._bytes -= size
        if size > MAX_PAGE or self._bytes < 0 or self._pages < 0:
            raise _TooMuchError("unpacks to too much data, or has too many pages")
        if kind == _DICTIONARY:
            if _count(_struct(header.get(7)).get(1)) > size:
                raise ValueError("a dictionary has more values than bytes")
            return 0
        if kind == _INDEX:
            return 0
        if kind not in (_DATA, _DATA_2):
            raise ValueError("it has a page of an unknown kind")
        inner = _struct(header.get(5 if kind == _DATA else 8))
        encodings = [inner.get(2), inner.get(3), inner.get(4)] if kind == _DATA else [inner.get(4)]
        if encodings[0] not in (0, 2, 3, 8) or not set(encodings[1:]) <= {3, 4}:
            raise ValueError("a page uses an unsupported compression")
        return _count(inner.get(1))


def _structs(value: Any) -> Iterator[dict[int, Any]]:
    for each in value if isinstance(value, list) else ():
        yield _struct(each)


def _struct(value: Any) -> dict[int, Any]:
    if not isinstance(value, dict):
        raise ValueError("a part of its footer or of a page is missing")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("one of its sizes is missing, or negative")
    return value
