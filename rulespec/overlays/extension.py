"""Options added by `extend decision`, with a limit on repeated options.

A short text can produce many options: a decision may be extended at every place where it occurs, and an option may
contain decisions that are extended or include groups in turn. Each copy is therefore counted before it is created.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.records import Brief
from rulespec.syntax import ast
from rulespec.syntax.shared import mapped, members

MAX_REPEATED = 60_000
"""Maximum number of syntax nodes in options added to or included by decisions; each copy counts."""
MAX_NESTED = 8
"""Maximum nesting of extensions of decisions that are themselves added by extensions."""


class Repeated:
    """A counter of the nodes that extensions and option groups repeat; `report` receives RS108."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._left = MAX_REPEATED

    def add(self, nodes: int, what: str, span: Span) -> None:
        """Counts the nodes of options that are copied to another place.

        Raises:
            DiagnosticsError: RS108 if there are too many.
        """
        self._left -= nodes
        if self._left < 0:
            self.refuse(f"with {what}, decisions share too many options", span)

    def refuse(self, message: str, span: Span) -> NoReturn:
        """Aborts with an error.

        Raises:
            DiagnosticsError: RS108.
        """
        help_ = "move bodies of options into a procedure, or share options among fewer decisions: each gets a copy"
        self._report.error("RS108", message, span, help=help_)
        raise DiagnosticsError(self._report.diagnostics)


class Extension(Brief, Struct, frozen=True, eq=False):
    """An `extend decision` item, with the number of its overlay."""

    overlay: int
    item: ast.Extend


class Extender:
    """A rewriter that adds the options of extensions, in order, to all decisions that the extensions name.

    Added options may contain decisions that are extended in turn, except by an enclosing extension. The order of
    extensions therefore affects only the order of options.

    Attributes:
        known: the names of all decisions visited.
        drawn: the names of all `roll` and `choose` statements visited.
        twice: for each added option with the name of an existing one: the existing option, the extension, and the added
            option.
    """

    def __init__(self, extensions: Iterable[Extension], repeated: Repeated) -> None:
        self.known: set[str] = set()
        self.drawn: set[str] = set()
        self.twice: list[tuple[ast.OptionDef, Extension, ast.OptionDef]] = []
        self._extensions: dict[str, list[tuple[Extension, int]]] = {}
        for extension in extensions:
            result = self._extensions.setdefault(extension.item.name.text, [])
            result.append((extension, size_of(extension.item.options)))
        self._repeated = repeated
        self._within: list[Extension] = []

    def options(self, options: Iterable[ast.Member]) -> tuple[ast.Member, ...]:
        """The options, with extensions applied to the decisions in their bodies."""
        return mapped(options, lambda o: replace(o, body=self.block(o.body)))

    def block(self, body: tuple[ast.Stmt, ...]) -> tuple[ast.Stmt, ...]:
        """The block, with extensions applied to its decisions."""
        return tuple([self._statement(s) for s in body])

    def _statement(self, s: ast.Stmt) -> ast.Stmt:
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
        self.known.add(s.name.text)
        options = self.options(s.options)
        own = {o.name.text: o for o in members(s.options) if isinstance(o, ast.OptionDef)}
        for extension, nodes in self._extensions.get(s.name.text, ()):
            if extension in self._within:
                continue
            name = extension.item.name
            self._repeated.add(nodes, f"this `extend decision {name.text}`", name.span)
            if len(self._within) == MAX_NESTED:
                self._repeated.refuse(f"`{name.text}` is extended within {MAX_NESTED} other extensions", name.span)
            added = [o for o in members(extension.item.options) if isinstance(o, ast.OptionDef) and o.name.text in own]
            self.twice += [(own[o.name.text], extension, o) for o in added]
            self._within.append(extension)
            options += self.options(extension.item.options)
            self._within.pop()
        otherwise = s.otherwise
        if otherwise is not None:
            otherwise = replace(otherwise, body=self.block(otherwise.body))
        return replace(s, options=options, otherwise=otherwise)


def decisions(tree: object) -> frozenset[str]:
    """The names of the decisions in a syntax tree."""
    return frozenset([node.name.text for node in _nodes(tree) if isinstance(node, ast.Decide)])


def check_includes(items: Iterable[ast.Item], groups: Mapping[str, ast.OptionGroup], repeated: Repeated) -> None:
    """Counts the options in groups, with their shared parts, once for each decision that includes the group.

    Raises:
        DiagnosticsError: RS108 if the limit is exceeded.
    """
    sizes: dict[str, int] = {}

    def whole(group: ast.OptionGroup) -> int:
        name = group.name.text
        if name not in sizes:
            sizes[name] = 0  # recursive inclusion is reported elsewhere
            bodies = [o.body for o in members(group.options) if isinstance(o, ast.OptionDef)]
            inner = [included for body in bodies for included in _included(body, groups)]
            sizes[name] = size_of(group.options) + sum(whole(groups[o.text]) for o in inner)
        return sizes[name]

    for item in items:
        for included in _included(item.body, groups) if isinstance(item, ast.Procedure) else ():
            repeated.add(whole(groups[included.text]), f"the group `{included.text}`", included.span)
        for node in _sharing(item):
            repeated.add(_shared(node) * _count(node.options, groups), "the shared parts of these options", node.span)


def _included(body: tuple[ast.Stmt, ...], groups: Mapping[str, ast.OptionGroup]) -> Iterator[ast.Name]:
    """The names of known groups included by the decisions in a block."""
    for s in _decides(body):
        yield from (o for o in members(s.options) if isinstance(o, ast.Name) and o.text in groups)


def _sharing(item: ast.Item) -> Iterator[ast.Shared]:
    """All `with` and `when` blocks of a rule."""
    todo: list[ast.Member] = []
    if isinstance(item, ast.Procedure):
        todo += [o for s in _decides(item.body) for o in s.options]
    elif isinstance(item, ast.OptionGroup | ast.Extend):
        bodies = [o.body for o in members(item.options) if isinstance(o, ast.OptionDef)]
        todo += [*item.options, *(o for body in bodies for s in _decides(body) for o in s.options)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Shared):
            yield node
            todo += node.options


def _decides(body: tuple[ast.Stmt, ...]) -> Iterator[ast.Decide]:
    """The decisions in a block, including those within options."""
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
                todo += [inner for o in members(s.options) if isinstance(o, ast.OptionDef) for inner in o.body]
                todo += s.otherwise.body if s.otherwise is not None else ()
                yield s


def size_of(options: Iterable[ast.Member], shared: int = 0) -> int:
    """The number of nodes in options; shared nodes, including `shared` around all options, count once per option."""
    total = 0
    for o in options:
        total += size_of(o.options, shared + _shared(o)) if isinstance(o, ast.Shared) else shared + size(o)
    return total


def _count(options: Iterable[ast.Member], groups: Mapping[str, ast.OptionGroup]) -> int:
    """The number of options, including those of groups."""
    total = 0
    for o in members(options):
        group = groups.get(o.text) if isinstance(o, ast.Name) else None
        total += 1 if group is None else sum(1 for _ in members(group.options))
    return total


def _shared(s: ast.Shared) -> int:
    return size((s.params, s.condition))


def size(tree: object) -> int:
    """The number of nodes in a syntax tree."""
    return sum(1 for _ in _nodes(tree))


def _nodes(tree: object) -> Iterator[Struct]:
    todo = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo += node
        elif isinstance(node, Struct) and not isinstance(node, Span):
            yield node
            todo += [getattr(node, name) for name in node.__struct_fields__]
