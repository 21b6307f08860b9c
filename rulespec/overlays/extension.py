"""Options that `extend decision` adds, and what repeated options come to.

Little text may stand for many options: a decision may be extended wherever it is taken, and an option may hold
decisions that are extended, or that include groups of options, in turn. So each copy is counted before it is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.syntax import ast

MAX_REPEATED = 60_000
"""Nodes of the syntax trees of options that are added to decisions or included by them, each time counted."""
MAX_VISITED = 2_000_000
"""Statements among which all extensions together look for their decisions."""


class Repeated:
    """What extensions and groups of options come to; `report` takes RS108."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._left = MAX_REPEATED
        self._unvisited = MAX_VISITED

    def add(self, nodes: int, what: str, span: Span) -> None:
        """Counts nodes of options that stand at one more place.

        Raises:
            DiagnosticsError: RS108 if there are too many.
        """
        self._left -= nodes
        if self._left < 0:
            message = f"with {what}, the options that decisions share come to too much"
            help_ = "let options call a procedure, or let fewer decisions share them: each decision has its own copy"
            self._report.error("RS108", message, span, help=help_)
            self._report.raise_if_errors()

    def visit(self, span: Span) -> None:
        """Counts a statement that is looked at.

        Raises:
            DiagnosticsError: RS108 if there are too many.
        """
        self._unvisited -= 1
        if self._unvisited < 0:
            help_ = "write the options of one decision into one `extend decision`"
            self._report.error("RS108", "there are too many `extend decision` for so many rules", span, help=help_)
            self._report.raise_if_errors()


class Extender:
    """Adds the options of one `extend decision` to the decisions of its name.

    Attributes:
        known: the names of all decisions that it has come by.
        drawn: the names of those that it has come by in a `roll` or a `choose`.
    """

    def __init__(self, extension: ast.Extend, repeated: Repeated) -> None:
        self.known: set[str] = set()
        self.drawn: set[str] = set()
        self._extension = extension
        self._repeated = repeated
        self._size = sum(map(size, extension.options))

    def options(self, options: tuple[ast.OptionDef, ...]) -> tuple[ast.OptionDef, ...]:
        """Options with the added options in their bodies."""
        return tuple([replace(o, body=self.block(o.body)) for o in options])

    def block(self, body: tuple[ast.Stmt, ...]) -> tuple[ast.Stmt, ...]:
        """A block with the added options."""
        return tuple([self._statement(s) for s in body])

    def _statement(self, s: ast.Stmt) -> ast.Stmt:
        self._repeated.visit(self._extension.name.span)
        match s:
            case ast.If():
                return replace(s, branches=tuple([(c, self.block(b)) for c, b in s.branches]))
            case ast.Match():
                cases = tuple([(c, self.block(b)) for c, b in s.cases])
                return replace(s, cases=cases, other=self.block(s.other) if s.other is not None else None)
            case ast.For() | ast.Repeat():
                return replace(s, body=self.block(s.body))
            case ast.Decide():
                return self._decide(s)
            case ast.Draw():
                self.drawn.add(s.name.text)
        return s

    def _decide(self, s: ast.Decide) -> ast.Decide:
        name = self._extension.name
        self.known.add(s.name.text)
        options: list[ast.OptionDef | ast.Name] = []
        for o in s.options:
            options += self.options((o,)) if isinstance(o, ast.OptionDef) else [o]
        if s.name.text == name.text:
            self._repeated.add(self._size, f"this `extend decision {name.text}`", name.span)
            options += self._extension.options
        return replace(s, options=tuple(options))


def check_includes(items: Iterable[ast.Item], groups: Mapping[str, ast.OptionGroup], repeated: Repeated) -> None:
    """Counts the groups of options as often as decisions include them, and groups within groups.

    Raises:
        DiagnosticsError: RS108 if that is too much.
    """
    sizes: dict[str, int] = {}

    def whole(group: ast.OptionGroup) -> int:
        name = group.name.text
        if name not in sizes:
            sizes[name] = 0  # one that includes itself is reported elsewhere
            inner = [included for o in group.options for included in _included(o.body, groups)]
            sizes[name] = sum(map(size, group.options)) + sum(whole(groups[o.text]) for o in inner)
        return sizes[name]

    for item in items:
        for included in _included(item.body, groups) if isinstance(item, ast.Procedure) else ():
            repeated.add(whole(groups[included.text]), f"the group `{included.text}`", included.span)


def _included(body: tuple[ast.Stmt, ...], groups: Mapping[str, ast.OptionGroup]) -> Iterator[ast.Name]:
    """The names of known groups that the decisions in a block include."""
    todo = [*body]
    while todo:
        match s := todo.pop():
            case ast.If():
                todo += [inner for _, block in s.branches for inner in block]
            case ast.Match():
                todo += [inner for _, block in s.cases for inner in block]
                todo += s.other or ()
            case ast.For() | ast.Repeat():
                todo += s.body
            case ast.Decide():
                todo += [inner for o in s.options if isinstance(o, ast.OptionDef) for inner in o.body]
                yield from (o for o in s.options if isinstance(o, ast.Name) and o.text in groups)


def size(tree: object) -> int:
    """The number of nodes of a syntax tree."""
    nodes = 0
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += node
        elif isinstance(node, Struct) and not isinstance(node, Span):
            nodes += 1
            todo += [getattr(node, name) for name in node.__struct_fields__]
    return nodes
