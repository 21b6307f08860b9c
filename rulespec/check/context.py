"""Context of the checker's passes: the source, and the results of earlier passes."""

from __future__ import annotations

from functools import cached_property

from rulespec.check.declarations.reader import DeclarationReader
from rulespec.check.expressions.checker import ExpressionChecker
from rulespec.check.ranges import Ranges
from rulespec.check.statements.checker import StatementChecker
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.overlays.overlay import Source
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions_by_rule


class Context:
    """One run of the passes over a source.

    Attributes:
        source: the merged YAML tree and the syntax trees of the rules.
        report: receives the diagnostics.
        declarations: filled by `declare`.
        rules: filled with signatures by `check_signatures`, and with bodies by `check_bodies`.
        expressions: the checker of expressions.
        reader: the reader of values in the tree.
        statements: the checker of statements.
        groups: option groups by name.
        start: name of the start procedure, set by `check_start`.
        named: conditions reported by a lint, which later lints skip.
        unsafe_tables: tables in which a row that is looked up may be missing, set by `check_missing_keys`.
    """

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.declarations = typed.Declarations()
        self.rules = typed.Rules()
        self.groups = {i.name.text: i for i in source.items.values() if isinstance(i, ast.OptionGroup)}
        self.expressions = ExpressionChecker(self.declarations, self.rules, report)
        self.expressions.disputes = []
        self.reader = DeclarationReader(source.root, self.expressions)
        self.statements = StatementChecker(self.expressions, self.groups)
        self.start = ""
        self.named: set[Span] = set()
        self.unsafe_tables: set[str] = set()

    @cached_property
    def ranges(self) -> Ranges:
        """Ranges of numbers, available after the rules are typed."""
        return Ranges(self.declarations, self.rules)

    @cached_property
    def expressions_by_rule(self) -> list[list[typed.Expr]]:
        """All expressions of the rules, grouped by rule; available after the rules are typed."""
        return list(expressions_by_rule(self.rules))
