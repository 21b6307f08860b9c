"""CSV files next to section files: their rows become part of the tree, and each cell keeps its place in the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeGuard

from rulespec.diagnostics.diagnostic import Label, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diagnostics.suggestions import counted
from rulespec.documents.yaml_nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    Trap,
    entries,
    get,
    plain_key,
    plain_value,
    text,
    words,
)

CSV = "csv"
"""The key whose value is the name of a CSV file."""
_SECTIONS = {"kinds": "entities", "tables": "rows", "boards": "spaces", "tracks": "spaces", "map": "regions"}
"""The key replaced by a file's rows in each section."""
_NAME = re.compile(r"[a-z0-9_]+(/[a-z0-9_]+)*\.csv")
_NUMBER = re.compile(r"-?[0-9]+")
_CELL = re.compile(r'[ \t]*+(?:"((?:[^"\n]|"")*+)"[ \t]*+|([^,"\n]*+))(,|\n|\Z)')
_POSITION = "position"
"""The key of an entity whose value is a list of numbers."""
_ALONE = "put all rows either into the CSV file or here"
_MOST_FAULTS = 20
"""Maximum number of reported faults per file."""
Read = Callable[[str], tuple[str, str]]
"""A function from the name of a file beside the section file to its display name and its content.

It raises `UnreadableCsvError` if the file cannot be read.
"""
Row = list[Scalar]


class UnreadableCsvError(DiagnosticsError):
    """A CSV file is missing, or is not text."""


def with_csv(node: Node, schema: str, read: Read, report: Report) -> Node:
    """The tree of a section file, including the rows of its CSV files.

    Args:
        node: the tree.
        schema: the name of its schema.
        read: the reader of files beside the section file.
        report: receives the faults in the files: RS744 for the table; RS118 and RS121 to RS123 for its values.
    """
    place = _SECTIONS.get(schema)
    section = get(node, schema)
    if place is None or not isinstance(node, Mapping) or not isinstance(section, Mapping):
        return node
    if schema == "map":
        parts = _part(section, place, read, report)
    else:
        each = {k: (at, _part(part, place, read, report)) for k, (at, part) in section.entries.items()}
        parts = Mapping(each, section.span)
    return Mapping({**node.entries, schema: (node.entries[schema][0], parts)}, node.span)


def _part(node: Node, place: str, read: Read, report: Report) -> Node:
    """A kind, table, board, track or map with the rows of its file merged in."""
    rows_of = get(node, place)
    name = get(rows_of, CSV)
    if not isinstance(node, Mapping) or not isinstance(rows_of, Mapping) or not _is_file(name, place):
        return node
    key = node.entries[place][0]
    if len(rows_of.entries) > 1:
        other = next(at for each, (at, _) in rows_of.entries.items() if each != CSV)
        notes = [Label(other.span, "another entry")]
        report.error("RS744", f"`{CSV}` must be the only entry", rows_of.entries[CSV][0].span, notes=notes, help=_ALONE)
        return node
    rows = _rows_of(name, read, report)
    if rows is None:
        return node
    cells = _table(node, rows, report) if place == "rows" else _entities(node, rows, report)
    return Mapping({**node.entries, place: (key, cells)}, node.span)


def _is_file(name: Node | None, place: str) -> TypeGuard[Scalar]:
    """Whether a value names a CSV file: among the rows of a table, `csv` may also be a key."""
    if not isinstance(name, Scalar) or not isinstance(name.value, str):
        return False
    return place != "rows" or name.text.endswith(f".{CSV}")


def _rows_of(name: Scalar, read: Read, report: Report) -> list[Row] | None:
    """The rows of a file, header first; reports a file that is not a table and returns None."""
    if not _NAME.fullmatch(name.text):
        message = f"{shown(name.text)} is not a valid name for a CSV file"
        help_ = "use lower-case letters, digits and `_`, such as `cards.csv`; separate folders by `/`"
        report.error("RS744", message, name.span, help=help_)
        return None
    try:
        file, content = read(name.text)
    except UnreadableCsvError as error:
        for diagnostic in error.diagnostics:
            report.error(diagnostic.code, diagnostic.message, name.span, help=diagnostic.help)
        return None
    before = len(report.diagnostics)
    rows = _cells(content, file, report)
    if rows and len(rows[0]) == 1 and ";" in rows[0][0].text:
        report.error("RS744", "this file separates cells by `;`", rows[0][0].span, help="separate cells with `,`")
    elif not rows and len(report.diagnostics) == before:
        message, start = "this file is empty", Span(file, 1, 1, 1, 1)
        report.error("RS744", message, start, help="write the column heads in the first row")
    return rows if len(report.diagnostics) == before else None


def _cells(content: str, file: str, report: Report) -> list[Row]:
    """The cells of a file in rows, without empty lines."""
    content = content.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    rows: list[Row] = []
    row: Row = []
    at, line, start, wrong = 0, 1, 0, 0
    while at < len(content) or row:
        match = _CELL.match(content, at)
        if match is None:
            end = content.find("\n", at)
            span = Span(file, line, at - start + 1, line, (end if end >= 0 else len(content)) - start + 1)
            help_ = 'put a cell with `,` or `"` in quotes, and double each quote in it: `"Kings, ""old"" ones"`'
            report.error("RS744", "the quotes in this cell are not valid", span, help=help_)
            return rows
        row.append(_cell(match, file, line, start))
        at = match.end()
        if match[3] != ",":
            wrong += _add(rows, row, report)
            row, line, start = [], line + 1, at
            if wrong > _MOST_FAULTS:
                return rows
    return rows


def _add(rows: list[Row], row: Row, report: Report) -> bool:
    """Adds a row; returns whether its number of cells differs from the first row's, which is reported."""
    if len(row) == 1 and not row[0].text and row[0].style == "plain":
        return False
    rows.append(row)
    if len(row) == len(rows[0]):
        return False
    message = f"this row has {counted(len(row), 'cell')}, but the first has {len(rows[0])}"
    notes = [Label(rows[0][0].span, "the first row")]
    help_ = "write an empty cell for each missing value, and put a cell with a `,` in quotes"
    report.error("RS744", message, row[0].span.to(row[-1].span), notes=notes, help=help_)
    return True


def _cell(match: re.Match[str], file: str, line: int, start: int) -> Scalar:
    quoted = match[1] is not None
    group = 1 if quoted else 2
    content = match[group].replace('""', '"') if quoted else match[group].rstrip()
    begin = match.start(group) - quoted - start + 1
    end = begin + len(match[group]) + 2 if quoted else begin + len(content)
    span = Span(file, line, begin, line, max(end, begin + 1))
    return Scalar(content, content, span, "double" if quoted else "plain")


# --- rows as YAML has them -------------------------------------------------------------------------


def _entities(node: Mapping, rows: list[Row], report: Report) -> Mapping:
    """Entities named in the first column; each further column is a key, which an empty cell omits."""
    heads, *others = rows
    lists = {name for name, _, type_ in entries(get(node, "facts")) if text(type_).startswith("set ")}
    lists |= {_POSITION, *(name for name, _, _ in entries(get(node, "links")))}
    results: dict[str, tuple[Scalar, Node]] = {}
    columns = [_key(head, report) for head in heads]
    _report_values(heads, report)
    _report_twice(heads, report)
    for row in others:
        name = _key(row[0], report)
        if name in results:
            _twice(name, row[0], results[name][0], report)
        own: dict[str, tuple[Scalar, Node]] = {}
        for column, head, cell in list(zip(columns, heads, row, strict=True))[1:]:
            if cell.text or cell.style != "plain":
                own[column] = _as_key(head, column), _value(cell, report, is_list=column in lists)
        results[name] = _as_key(row[0], name), Mapping(own, row[0].span.to(row[-1].span))
    return Mapping(results, heads[0].span)


def _table(node: Mapping, rows: list[Row], report: Report) -> Node:
    """The rows of a table: keyed by the first columns, and for several keys by the headers of the others."""
    keys = max(len(words(get(node, "key"))), 1)
    heads, *others = rows
    if keys == 1:
        _report_values(heads, report)
    first = max(keys - 1, 1)
    if keys == 1 and len(heads) != 2:
        message, help_ = (
            f"a table with one key must have two columns, not {len(heads)}",
            "write one column for the key and one for the value",
        )
        report.error("RS744", message, heads[0].span.to(heads[-1].span), help=help_)
        return Mapping({}, heads[0].span)
    if len(heads) <= first:
        message, help_ = (
            f"a table with {keys} keys must have more than {counted(first, 'column')}",
            "add a column for each value of the last key",
        )
        report.error("RS744", message, heads[0].span.to(heads[-1].span), help=help_)
    if keys > 1:
        _report_twice(heads[first:], report)
    top: dict[str, tuple[Scalar, Node]] = {}
    for row in others:
        below = top
        for cell in row[: first - (keys == 1)]:
            below = _below(below, cell, report)
        if keys == 1:
            _put(below, row[0], row[1], report)
            continue
        for head, cell in zip(heads[first:], row[first:], strict=True):
            if cell.text or cell.style != "plain":
                _put(below, head, cell, report, at=cell)
    return Mapping(top, heads[0].span)


def _report_values(heads: Row, report: Report) -> None:
    """Reports a first row with a number, as a file without heads has."""
    for head in heads[1:]:
        if _NUMBER.fullmatch(head.text):
            message = f"the first row must be column heads, but `{head.text}` is a value"
            report.error("RS744", message, head.span, help="add a row of column heads")


def _below(rows: dict[str, tuple[Scalar, Node]], cell: Scalar, report: Report) -> dict[str, tuple[Scalar, Node]]:
    """The entries under a key, which is added if missing."""
    name = _key(cell, report)
    if name not in rows:
        rows[name] = _as_key(cell, name), Mapping({}, cell.span)
    below = rows[name][1]
    assert isinstance(below, Mapping)
    return below.entries


def _put(
    rows: dict[str, tuple[Scalar, Node]], key: Scalar, cell: Scalar, report: Report, at: Scalar | None = None
) -> None:
    name = _key(key, report)
    if name in rows:
        _twice(name, at or key, rows[name][1] if at is not None else rows[name][0], report)
    rows[name] = _as_key(key, name), _value(cell, report)


def _report_twice(heads: Row, report: Report) -> None:
    first: dict[str, Scalar] = {}
    for head in heads:
        if head.text in first:
            _twice(head.text, head, first[head.text], report)
        first.setdefault(head.text, head)


def _twice(name: str, again: Scalar, first: Node, report: Report) -> None:
    notes = [Label(first.span, "first here")]
    report.error("RS744", f"{shown(name)} occurs twice", again.span, notes=notes, help="remove one of the two")


def _key(cell: Scalar, report: Report) -> str:
    """A cell as the key of a mapping."""
    if not cell.text:
        report.error(
            "RS744", "a name is missing here", cell.span, help="write the name, or remove the row or the column"
        )
        return ""
    key = plain_key(cell.text) if cell.style == "plain" else cell.text
    return _trapped(key, cell, report) if isinstance(key, Trap) else key


def _as_key(cell: Scalar, name: str) -> Scalar:
    return Scalar(name, name, cell.span, cell.style)


def _value(cell: Scalar, report: Report, *, is_list: bool = False) -> Node:
    """A cell as a value; a list has its members separated by spaces."""
    if is_list:
        return Sequence([_value(word, report) for word in _words(cell)], cell.span)
    if cell.style != "plain":
        return cell
    value = plain_value(cell.text)
    if isinstance(value, Trap):
        return Scalar(_trapped(value, cell, report), cell.text, cell.span)
    return Scalar(value, cell.text, cell.span)


def _words(cell: Scalar) -> list[Scalar]:
    left = cell.span.column + (cell.style != "plain")
    parts = ((match[0], left + match.start()) for match in re.finditer(r"\S+", cell.text))
    at = cell.span
    return [Scalar(word, word, Span(at.file, at.line, x, at.line, x + len(word))) for word, x in parts]


def _trapped(trap: Trap, cell: Scalar, report: Report) -> str:
    report.error(trap.code, trap.message, cell.span, help=trap.help)
    return cell.text
