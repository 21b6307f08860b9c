"""The source text of a rule after overlay edits: the original lines, with each edit marked by its overlay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.overlays.overlay import ChangedPlace, Source
from rulespec.overlays.selection import ordered
from rulespec.syntax import ast
from rulespec.syntax.printed import ATOM, BINDS, COMPARED, LEFT_TO_RIGHT, precedence, printed

Line = tuple[int, str]
"""A line: its number in the file, and its text."""

_NO_COMMENT = re.compile(r'("[^"]*")|#.*')
_OPERATOR = r"(\?\?|==|!=|<=|>=|[-+*/%|&<>]|\b(?:or|and|in|not|is|if|else|once)\b)"
_LEFT_OF, _RIGHT_OF = re.compile(_OPERATOR + r" ?$"), re.compile(rf" ?(?:{_OPERATOR}|\?\.|\.(?!\.)|\[)")
"""The operators beside an expression in a line."""


def changes_of(item: ast.Item, source: Source) -> list[ChangedPlace]:
    """The edits that overlays make within a rule."""
    key = next(key for key, other in source.items.items() if other is item)
    return [change for change in source.changed if change.key == key]


def item_lines(item: ast.Item, source: Source) -> list[str]:
    """The lines of a rule, without comments, docstrings or the word `replace`."""
    changes = changes_of(item, source)
    lines = _lines(item, item.span, source, changes)
    # From the last to the first, and inner ones before outer ones: insertions do not move later places.
    for decide in [n for n in _walk(item) if isinstance(n, ast.Decide)][::-1]:
        own = [o for o in decide.options if _within(o.span, item.span)]
        more = [o for o in decide.options if not _within(o.span, item.span)]  # `extend decision …` of another file
        if not more or not own:
            continue
        last = own[-1].span
        end = last.line + 1 if isinstance(own[-1], ast.Name) else last.end_line
        at = sum(number < end for number, _ in lines)
        width = len(lines[at - 1][1]) - len(lines[at - 1][1].lstrip())
        if not isinstance(own[-1], ast.Name):
            width = last.column - 1
        for option in more:
            added = option_lines(option, source, changes)
            lines[at:at] = [(end - 1, " " * width + line) for line in added]
            at += len(added)
    return [line.removeprefix("replace ") for _, line in lines]


def option_lines(option: ast.Member | ast.Draw, source: Source, changes: Sequence[ChangedPlace]) -> list[str]:
    """The lines of an option, `roll` or `choose` statement after its rule has been edited, without indentation."""
    if isinstance(option, ast.Name):
        return [f"include {option.text}"]
    return [line for _, line in _lines(option, option.span, source, changes)]


def taken_out(node: ast.Item | ast.OptionDef, source: Source, changes: Sequence[ChangedPlace]) -> Iterator[str]:
    """The lines of a rule or option that overlays removed or replaced, each preceded by the id of its overlay."""
    for change in dict.fromkeys(changes):
        begin = _begin(change.node)
        if change.edit.word in ("remove", "replace") and _within(begin, node.span):
            whole = isinstance(change.node, ast.OptionDef)
            last = begin.line if whole else max(begin.line, last_line(change.node))
            lines = source.texts.get(begin.file, "").split("\n")[begin.line - 1 : last]
            text = " ".join(_NO_COMMENT.sub(lambda m: m[1] or "", line).strip() for line in lines)
            word = "removes" if change.edit.word == "remove" else "replaces"
            yield f"{change.by} {word}: {text}"


def _lines(
    node: ast.Item | ast.OptionDef | ast.Draw | ast.Shared, span: Span, source: Source, changes: Sequence[ChangedPlace]
) -> list[tuple[int, str]]:
    """The lines of a rule or an option after its edits, with their numbers, dedented."""
    with_docs = (n for n in _walk(node) if isinstance(n, ast.Item | ast.OptionDef | ast.Decide | ast.Remark))
    docs = {
        number
        for n in with_docs
        if n.doc.text and n.doc.span.file == span.file
        for number in range(n.doc.span.line, max(n.doc.span.end_line, n.doc.span.line + 1))
    }
    results: list[tuple[int, str]] = []
    text = source.texts.get(span.file, "").split("\n")
    for number in range(span.line, min(span.end_line, len(text)) + 1):
        line = text[number - 1]
        line = line[: span.end_column - 1] if number == span.end_line else line
        line = _NO_COMMENT.sub(lambda m: m[1] or "", line[span.column - 1 :]).rstrip()
        if line.strip() and number not in docs:
            results.append((number, line))
    return _with_changes(results, span, changes, source.texts)


def _walk(node: object) -> Iterator[object]:
    """The nodes of a syntax tree, each before its children."""
    if isinstance(node, tuple):
        for part in node:
            yield from _walk(part)
    elif isinstance(node, Struct):
        yield node
        for name in node.__struct_fields__:
            yield from _walk(getattr(node, name))


def _within(inner: Span, outer: Span) -> bool:
    return inner.file == outer.file and outer.line <= inner.line <= outer.end_line


def _with_changes(
    lines: Sequence[Line], within: Span, changes: Sequence[ChangedPlace], texts: Mapping[str, str]
) -> list[Line]:
    """The lines of a part of a rule after its edits.

    Args:
        lines: the lines, without the columns before the start of the part.
        within: the place of the part.
        changes: edits of the rule.
        texts: the text of each file.
    """
    result = _Lines(dict(lines), within.column - 1, changes, texts)
    own: dict[object, ChangedPlace] = {}  # equal edits of two overlays, or of two copies of an option, count once
    for change in changes:
        begin = _begin(change.node)
        after = (begin.line, begin.column) >= (within.line, within.column)
        if begin.file == within.file and after and begin.line in result.text:
            inserts = change.edit.word in ("add", "before", "after")
            own.setdefault((begin, change.edit.span if inserts else ""), change)
    for change in sorted(own.values(), key=_place)[::-1]:  # in reverse order, so that places remain valid
        result.change(change)
    return result.all()


def _least(beside: re.Match[str] | None, *, of_left: bool) -> int:
    """The least precedence that an expression needs without brackets beside an operator."""
    if beside is None:
        return -1
    operator = beside[1]
    if operator is None or beside[0] == "-":  # `x.name`, `x[i]`; the sign of a number
        return ATOM
    binds = BINDS[operator]
    return binds + (binds == COMPARED or (of_left and operator in LEFT_TO_RIGHT))


def _begin(node: Any) -> Span:
    if isinstance(node, ast.OptionParam):
        return node.name.span
    span: Span = node.span
    return span


def _place(change: ChangedPlace) -> tuple[int, int]:
    span = _begin(change.node)
    return span.line, span.column


def last_line(node: object) -> int:
    """The last line of a node, excluding a trailing line ending."""
    if isinstance(node, tuple):
        return max((last_line(part) for part in node), default=0)
    if isinstance(node, ast.Text) and not node.text:  # missing; its place is that of its parent
        return 0
    if isinstance(node, ast.Expr | ast.Name | ast.Text):
        return node.span.end_line
    if isinstance(node, Struct) and not isinstance(node, Span):
        own = node.span.line if isinstance(node, ast.Stmt) else 0
        return max(own, *(last_line(getattr(node, name)) for name in node.__struct_fields__))
    return 0


class _Lines:
    """A buffer of lines under edit; `dedent` is the number of columns removed from each."""

    def __init__(
        self, text: dict[int, str], dedent: int, changes: Sequence[ChangedPlace], texts: Mapping[str, str]
    ) -> None:
        self.text = text
        self._dedent = dedent
        self._changes = changes
        self._texts = texts
        self._before: dict[int, list[str]] = {}
        self._after: dict[int, list[str]] = {}

    def all(self) -> list[Line]:
        """All lines; inserted ones have the number of their neighbour."""
        numbers = sorted({*self.text, *self._before, *self._after})
        parts = [(n, (*self._before.get(n, ()), self.text.get(n, ""), *self._after.get(n, ()))) for n in numbers]
        return [(n, line) for n, lines in parts for line in lines if line]

    def change(self, change: ChangedPlace) -> None:
        """Applies one edit to the lines."""
        edit, node, mark = change.edit, change.node, f"  # {change.by}" if change.by else ""
        if edit.word == "add":
            self._add(change, mark)
        elif isinstance(node, ast.Binder) and isinstance(edit.at, ast.Binder):
            self._order(node, edit.at, mark)
        elif isinstance(node, ast.Expr) and edit.value is not None:
            self._cut(node.span, self._operand(node, edit.value), mark)
        elif isinstance(node, ast.OptionParam | ast.Shared):
            self._condition(node, edit, mark)
        else:
            self._statement(change, mark)

    def _statement(self, change: ChangedPlace, mark: str) -> None:
        edit, node = change.edit, change.node
        assert isinstance(node, ast.Stmt | ast.OptionDef)
        first, last = node.span.line, last_line(node)
        new = [" " * (node.span.column - 1 - self._dedent) + line for line in self._body(edit, mark)]
        if edit.word == "before":
            self._before.setdefault(first, [])[:0] = new
        elif edit.word == "after":
            self._after.setdefault(last, [])[:0] = new
        else:
            for number in range(first, last + 1):
                self.text.pop(number, None)
            self._before.setdefault(first, [])[:0] = new

    def _add(self, change: ChangedPlace, mark: str) -> None:
        """Adds statements to the head of an option or a guard."""
        node: Any = change.node
        body = node.head if isinstance(node, ast.Guard) else node.body
        column = node.span.column + 3 - self._dedent
        new = [" " * column + line for line in self._body(change.edit, mark)]
        head = [s for s in body if isinstance(s, ast.HEAD_PARTS)]
        first: ast.Stmt = body[0]
        if first.span.line == node.span.line:  # `option wait: pass`
            line = self.text[first.span.line]
            at = first.span.column - 1 - self._dedent
            self.text[first.span.line] = line[:at].rstrip()
            self._after.setdefault(first.span.line, []).append(" " * column + line[at:])
        if head and first.span.line != node.span.line:
            self._after.setdefault(last_line(head[-1]), [])[:0] = new
        elif first.span.line != node.span.line:
            self._before.setdefault(first.span.line, [])[:0] = new
        else:
            self._after[first.span.line][len(head) : len(head)] = new

    def _order(self, node: ast.Binder, order: ast.Binder, mark: str) -> None:
        """Writes the new order of a loop."""
        try:
            new = printed(ordered(node, order))
        except KeyError:
            begin, end = order.span.column - 1, order.span.end_column - 1
            new = f"{node.name.text} in … {self._line(order.span.file, order.span.line)[begin:end]}"
        self._cut(node.span, new, mark)

    def _condition(self, node: ast.OptionParam | ast.Shared, edit: ast.Edit, mark: str) -> None:
        """Replaces the condition of an argument or of a group of options, or adds one."""
        condition = node.where if isinstance(node, ast.OptionParam) else node.condition
        assert condition is not None
        word = "where" if isinstance(node, ast.OptionParam) else "when"
        line = self.text.get(condition.span.line, "")
        begin = line.rfind(f"{word} ", 0, condition.span.column - self._dedent)
        if begin < 0:
            return
        new = " ".join(self._body(edit, "")).removeprefix("require ")
        place = Span(
            condition.span.file,
            condition.span.line,
            begin + 1 + self._dedent,
            node.reason.span.end_line,
            node.reason.span.end_column,
        )
        if word == "where" and not new:  # removes the space before it, too
            place = Span(place.file, place.line, place.column - 1, place.end_line, place.end_column)
        self._cut(place, f"{word} {new}" if new else "" if word == "where" else "when true", mark)

    def _cut(self, place: Span, new: str, mark: str) -> None:
        """Replaces the text at a place."""
        line = self.text.get(place.line, "")
        rest = self.text.get(place.end_line, "")[place.end_column - 1 - self._dedent :]
        for number in range(place.line + 1, place.end_line + 1):
            self.text.pop(number, None)
        cut = f"{line[: place.column - 1 - self._dedent]}{new}{rest}"
        marked = cut if mark and cut.endswith(mark) else cut + mark
        self.text[place.line] = marked

    def _body(self, edit: ast.Edit, mark: str) -> list[str]:
        """The statements of an edit, in source form."""
        if edit.value is not None:
            return [self._expression(edit.value) + mark]
        return [line + mark for s in edit.body for line in self._part(s.span, last_line(s))]

    def _expression(self, e: ast.Expr) -> str:
        end = e.span.end_column - 1
        lines = self._part(e.span, e.span.end_line, end - (e.span.column - 1 if e.span.line == e.span.end_line else 0))
        return " ".join(line.strip() for line in lines)

    def _operand(self, old: ast.Expr, new: ast.Expr) -> str:
        """An expression in the place of another, in brackets if an operator beside it would bind more strongly."""
        place = old.span
        left = self.text.get(place.line, "")[: place.column - 1 - self._dedent]
        right = self.text.get(place.end_line, "")[place.end_column - 1 - self._dedent :]
        least = max(_least(_LEFT_OF.search(left), of_left=True), _least(_RIGHT_OF.match(right), of_left=False))
        text = self._expression(new)
        return f"({text})" if precedence(new) < least else text

    def _part(self, span: Span, last: int, end: int | None = None) -> list[str]:
        """The lines of a statement or expression in an edit, after later edits."""
        lines: list[Line] = []
        for number in range(span.line, last + 1):
            line = self._line(span.file, number)
            cut, text = line[: span.column - 1], line[span.column - 1 :]
            text = text if number == span.line or not cut.strip() else line.strip()
            text = text[:end] if number == last else text
            if text.strip():
                lines.append((number, text))
        return [line for _, line in _with_changes(lines, span, self._changes, self._texts)]

    def _line(self, file: str, number: int) -> str:
        lines = self._texts.get(file, "").split("\n")
        line = lines[number - 1] if number <= len(lines) else ""
        return _NO_COMMENT.sub(lambda m: m[1] or "", line).rstrip()
