"""Reader of values in YAML: names, types, expressions and constants."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, content_column
from rulespec.syntax import ast
from rulespec.syntax.keywords import NO_DECLARATIONS, NO_NAMES, NO_VALUES
from rulespec.syntax.parser import parse_expr, parse_type
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Order, Type

MAX_EXPRESSIONS = 100_000
"""Maximum total length in characters of all expressions in YAML files. They parse about as fast as rules."""

TEXTS = ("title", "doc")
"""Keys of an entity that are not facts."""


class DeclarationReader:
    """A reader of values in the merged YAML tree that reports invalid values.

    Attributes:
        root: the merged YAML tree.
        report: receives the diagnostics.
        d: the declarations so far.
        x: the checker of the expressions.
        generated: kinds with generated entities, which are not listed under `kinds:`.
        misread: the facts that have already been reported, as (kind, fact, index of the entity).
    """

    def __init__(self, root: Mapping, expressions: ExpressionContext) -> None:
        self.root = root
        self.report = expressions.report
        self.d = expressions.decls
        self.x = expressions
        self.misread: set[tuple[str, str, int]] = set()
        self.generated: set[str] = set()
        self._names: dict[str, Span] = {}
        self._parsed = 0

    def hint(self, word: Scalar) -> tuple[str, tuple[Label, ...]]:
        """Help and notes for a word that does not name a kind."""
        return nearest(word.text, {k.name: k.span for k in self.d.kinds.values()})

    def unknown(self, name: str) -> bool:
        """Whether a kind's entities have no names before the game starts, because they depend on the seats."""
        kind = self.d.kinds.get(name)
        return kind is not None and kind.by_seat and not kind.entities

    def complete(self, name: str) -> bool:
        """Whether all entities of a kind have names before the game starts."""
        kind = self.d.kinds.get(name)
        return kind is None or not kind.by_seat or len(kind.entities) == self.d.max_players

    def claim(self, name: str, span: Span) -> bool:
        """Claims a name for a declaration and returns whether it was free; reports duplicates and reserved words."""
        if name in NO_DECLARATIONS:
            self.report.error("RS223", f"`{name}` is a reserved word", span)
            return False
        if name in self._names:
            notes = [Label(self._names[name], "first declared here")]
            self.report.error("RS223", f"`{name}` is declared twice", span, notes=notes)
            return False
        self._names[name] = span
        return True

    def writable(self, name: str, span: Span, *, place: bool = False) -> None:
        """Reports the name of an entity, a value or a place if it is a reserved word in expressions."""
        if name in (NO_NAMES if place else NO_VALUES):
            help_ = f"choose another name, such as `{name}_`: rules could not use this one"
            self.report.error("RS223", f"`{name}` is a reserved word", span, help=help_)

    def refer(self, node: Node | None, *named: typed.Named) -> None:
        """Records the declarations that the parts of a dotted name refer to."""
        if not isinstance(node, Scalar):
            return
        column = content_column(node)
        for word, each in zip(node.text.split("."), named, strict=False):
            line = node.span.line
            self.d.refer(Span(node.span.file, line, column, line, column + len(word)), each)
            column += len(word) + 1

    def type(self, node: Node | None) -> tuple[Type, ast.TypeRef | None]:
        """The type in a scalar, with its syntax tree; `int` if there is no scalar."""
        if not isinstance(node, Scalar):
            return INT, None
        try:
            ref = parse_type(node.text, node.span.file, node.span.line, content_column(node), cached=True)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return BAD, None
        return self.x.stored_type(ref), ref

    def expr(self, node: Node, want: Type, what: str, env: Env | None = None) -> typed.Expr:
        """The typed form of an expression in a scalar."""
        tree = self.tree(node)
        if isinstance(want, Order) and isinstance(tree, ast.SetLiteral) and isinstance(node, Sequence):
            tree = ast.InOrder(node.span, tree.items)
        if tree is None:
            return typed.Lit(want, node.span, 0)
        return self.x.check(tree, env or Env(), want, what)

    def tree(self, node: Node) -> ast.Expr | None:
        """The syntax tree of a value; a list denotes a set. Reports other nodes and returns None for them."""
        if isinstance(node, Sequence):
            items = [self.tree(i) for i in node.items]
            return ast.SetLiteral(node.span, tuple(i for i in items if i is not None))
        if not isinstance(node, Scalar):
            self.report.error("RS227", "a single value is expected here", node.span)
            return None
        if isinstance(node.value, bool):
            return ast.Truth(node.span, node.value)
        if isinstance(node.value, int):
            number = ast.Number(node.span, abs(node.value), None)
            return ast.Unary(node.span, "-", number) if node.value < 0 else number
        if node.value is None:
            return ast.Nothing(node.span)
        self._parsed += len(node.text)
        if self._parsed > MAX_EXPRESSIONS:
            message = f"the expressions in YAML files have more than {MAX_EXPRESSIONS:,} characters in total"
            self.report.error("RS108", message, node.span, help="use tables of plain numbers, or definitions in rules")
            self.report.raise_if_errors()
        try:
            return parse_expr(node.text, node.span.file, node.span.line, content_column(node), cached=True)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return None

    def constant(self, node: Node, want: Type, what: str) -> int:
        """The value of a constant expression of the given type; reports any other expression and returns 0."""
        expr = self.expr(node, want, what)
        if isinstance(expr, typed.Lit):
            return expr.value
        self.report.error("RS227", f"{what} must be a constant", node.span)
        return 0

    def entity(self, node: Scalar, kind_name: str, optional: bool = False) -> int:
        """The index of an entity named in YAML; reports an unknown name and returns 0.

        Args:
            node: the name.
            kind_name: the kind of the entity.
            optional: whether the value may be omitted; affects only the help text.
        """
        kind = self.d.kinds.get(kind_name)
        if kind is None or kind_name in self.d.broken:
            return 0
        if node.text in kind.index:
            self.refer(node, kind.entities[kind.index[node.text]])
            return kind.index[node.text]
        hint, notes = nearest(node.text, {e.name: e.span for e in kind.entities})
        if kind.product:
            meant = [i for i, e in enumerate(kind.entities) if f"`{e.name}`" in hint]
            parts = [self.d.kinds[p].entities[kind.facts[p].values[i]] for i in meant for p in kind.product]
            notes = tuple(Label(part.span, f"`{part.name}` is declared here") for part in parts)
        if optional and node.text == "none":
            hint, notes = "omit it if there is no value; in an overlay, list its path under `remove:`", ()
        if kind.by_seat:
            hint = hint or f"give one value for all entities of `{kind_name}`: their names are known only in a game"
        notes = (Label(kind.span, "the kind is declared here"), *notes)
        self.report.error("RS221", f"no `{kind_name}` is called `{node.text}`", node.span, notes=notes, help=hint)
        return 0
