"""Mutants of rules files: names from the syntax tree, values from typed rules, shapes from tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.mutate import FREE, Mutant, Sheet, Site, misspell, walk
from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, head_expressions, head_parts, parts, statement_expressions
from rulespec.typed.rule_traversal import walk as statements
from rulespec.types import ANY, Bool, Num, Type

_TOKEN = re.compile(r'"[^"\n]*"|#[^\n]*|[A-Za-z][A-Za-z0-9_]*|[0-9]+|==|!=|<=|>=|->|\.\.|\?\?|[^\s\w]')

# Words whose removal makes a line invalid. Not included are optional ones: `not`, `set` in a type, words that are a
# line by themselves, and `require`, without which a call remains.
_WORDS = {
    *("let", "pay", "move", "to", "from", "of", "if", "elif", "else", "match", "case", "for", "in", "repeat", "at"),
    *("most", "decide", "chance", "by", "together", "option", "include", "where", "after", "def", "procedure"),
    *("guard", "cost", "needs", "with", "when", "otherwise"),
    *("invariant", "scoring", "score", "tiebreak", "and", "or", "is", "game", "as", "won", "weight", "extend"),
    *("decision", "roll", "choose", "reach", "cheapest", "costs", "within", "until", "once", "lead", "best", "the"),
    *("add", "take", "shuffle", "return", "ray", "change", "remove", "before"),
    *("path", "counts"),
}
_BRACKETS = set("()[]{}")
_END = (0, 0, "")
_TURNED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+"}
_WORD_TURNED = {"and": "or", "or": "and", "true": "false", "false": "true", "min": "max", "max": "min"}
_WORD_TURNED |= {"any": "all", "some": "none", "from": "after"}

_DECLARING = (
    *(ast.Def, ast.Procedure, ast.Guard, ast.OptionGroup, ast.Param, ast.OptionParam, ast.Let, ast.Binder, ast.Reach),
    *(ast.Ways, ast.Path, ast.Tiebreak),
)

_OVER = ("replace", "wrap")
"""Modifiers of rules that override others, and so declare no name."""

# Declarations without references in rules; logs, scenarios and people use them.
_FOR_PEOPLE = (ast.Decide, ast.Draw, ast.OptionDef, ast.Invariant, ast.EndGame)


class RulesMutator:
    """A generator of the mutants of one rules file."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.symbols = sheet.symbols
        self.items = parse_rules(sheet.text, sheet.file)
        self.tokens = [m for m in _TOKEN.finditer(sheet.text) if not m.group().startswith("#")]
        parts_ = [(i.name, i) for i in self.items] + [(n, o) for i in self.items for n, o, _ in walk(i)]
        self.names = {self._start(n.span) for n, _ in parts_ if isinstance(n, ast.Name | ast.Ref)}
        """The positions of names, some of which are spelled like keywords."""

    def mutants(self) -> Iterator[Mutant]:
        """All mutants of the file."""
        results: list[Mutant | None] = []
        for item in self.items:
            results += self._item(item)
            for node, owner, field in [(item.name, item, "name"), *walk(item)]:
                if isinstance(node, ast.Name) or (isinstance(node, ast.Ref) and node.name != "players"):
                    results += self._name(node, owner, field)
                if isinstance(node, ast.Stmt):
                    results += self._statement(node)
                results += self._condition(node, owner, field)
        for expr, parent, fixed in self._typed():
            results += self._retype(expr, parent)
            results += self._unit(expr, parent, fixed)
        for n, token in enumerate(self.tokens):
            results += self._token(n, token)
        results += self._lines()
        yield from (m for m in results if m is not None)

    # --- names ---------------------------------------------------------------------------------

    def _name(self, node: ast.Name | ast.Ref, owner: object, field: str) -> Iterator[Mutant | None]:
        sheet, word = self.sheet, node.text if isinstance(node, ast.Name) else node.name
        if sheet.cut(node.span) != word:  # a keyword, such as `next`
            return
        breaks = "name"
        declares = isinstance(owner, _DECLARING) and field == "name"
        declares &= not (isinstance(owner, ast.Item) and owner.modifier in _OVER)  # the name of the replaced rule
        declares |= isinstance(owner, ast.Scoring) and field == "var"
        for_people = isinstance(owner, _FOR_PEOPLE) and field in ("name", "ending")
        if (for_people or declares) and not self.symbols.users(node.span):
            breaks = FREE
        yield sheet.misspelt(node.span, breaks)
        if breaks == "name" and not declares:
            other = self._other_sort(node, owner)
            yield sheet.on("repoint", "reference", node.span, other) if other else None

    def _other_sort(self, node: ast.Name | ast.Ref, owner: object) -> str:
        """A name of another sort, which is invalid at a use."""
        d, rules = self.symbols.checked.declarations, self.symbols.checked.rules
        only = self.symbols.only
        match owner:
            case ast.CallStmt() | ast.Once() | ast.Needs() if isinstance(node, ast.Name):
                results = only(rules.definitions)
            case ast.TypeRef() | ast.Number():
                results = only(d.constants)
            case ast.Attribute() if isinstance(node, ast.Name):
                members = {m for k in d.kinds.values() for m in (*k.facts, *k.state)}
                results = [c for c in only(d.constants) if c not in members]
            case ast.Item() if isinstance(owner, ast.Procedure):
                results = only(rules.definitions)
            case ast.TrackCall() if isinstance(node, ast.Name):
                results = []
            case _:  # an expression, an included group, a replaced rule
                results = only(rules.procedures)
        return results[node.span.line % len(results)] if results else ""

    # --- items and statements ------------------------------------------------------------------

    def _item(self, item: ast.Item) -> Iterator[Mutant | None]:
        """A rule removed or duplicated."""
        first, last = item.span.line, self._last_line(item.span)
        start = self.sheet.at(first, 1)
        text = self.sheet.lines(first, last)
        sites = self.sheet.uses_within(first, last)
        own = isinstance(item, ast.Def | ast.Procedure | ast.Guard | ast.OptionGroup) and item.modifier not in _OVER
        yield self.sheet.edit("drop", "reference" if own and sites else FREE, start, start + len(text), "", sites)
        if item.modifier or not isinstance(item, ast.Remove):  # a rule can be wrapped twice, but not replaced twice
            yield self.sheet.edit("duplicate", FREE if item.modifier == "wrap" else "name", start, start, text)

    def _last_line(self, span: Span) -> int:
        """The last line of an item whose span extends to the next item."""
        end = self.sheet.at(span.end_line, span.end_column)
        text = self.sheet.text[self.sheet.at(span.line, 1) : end]
        rest = re.sub(r"(\n[ ]*(#[^\n]*)?)*$", "", text)
        return span.line + rest.count("\n")

    def _statement(self, node: ast.Stmt) -> Iterator[Mutant | None]:
        """A statement removed; a single-line statement also duplicated."""
        sheet, first, last = self.sheet, node.span.line, self._last_line(node.span)
        start = sheet.at(first, 1)
        text = sheet.lines(first, last)
        if text[: node.span.column - 1].strip():
            return  # follows its head
        yield sheet.edit("drop", FREE, start, start + len(text), "")
        if isinstance(node, ast.Let):
            sites = {(s.file, s.line) for s in self.symbols.users(node.name.span)}
            yield sheet.edit("drop", "reference", start, start + len(text), "", sites) if sites else None
        if last == first:
            breaks = "name" if isinstance(node, ast.Let) else FREE
            yield sheet.edit("duplicate", breaks, start, start, text)
        else:
            head = sheet.lines(first, first)
            if head.rstrip().endswith(":"):
                yield sheet.edit("duplicate", "shape", start, start, head)

    def _condition(self, node: object, owner: object, field: str) -> Iterator[Mutant | None]:
        """A condition negated, or the arguments of a call reordered."""
        if not isinstance(node, ast.Expr):
            return
        if field in ("condition", "where", "branches"):
            yield self.sheet.on("negate", FREE, node.span, f"not ({self.sheet.cut(node.span)})")
        if isinstance(node, ast.CallExpr | ast.TrackCall) and len(node.args) > 1:
            one, other = node.args[:2]
            between = self.sheet.text[self._end(one.span) : self._start(other.span)]
            text = self.sheet.cut(other.span) + between + self.sheet.cut(one.span)
            yield self.sheet.edit("swap", FREE, self._start(one.span), self._end(other.span), text)

    def _start(self, span: Span) -> int:
        return self.sheet.at(span.line, span.column)

    def _end(self, span: Span) -> int:
        return self.sheet.at(span.end_line, span.end_column)

    # --- types and units -----------------------------------------------------------------------

    def _typed(self) -> Iterator[tuple[typed.Expr, typed.Expr | None, Type | None]]:
        """The typed expressions of this file, each with its parent, and with the required type for complete ones.

        Scores are omitted, as they may have any unit.
        """
        rules = self.symbols.checked.rules
        roots: list[tuple[typed.Expr, Type | None]] = []
        for d in rules.definitions.values():
            roots += [(v, None) for _, v in d.lets] + ([(d.body, d.result)] if d.body is not None else [])
        for p in rules.procedures.values():
            for s in statements(p.body):
                fixed = {id(s.value): s.target.type} if isinstance(s, typed.Assign) else {}
                if isinstance(s, typed.Transfer):
                    fixed = {id(s.amount): s.source.type}
                if isinstance(s, typed.CallProcedure):
                    fixed = {id(a): v.type for a, v in zip(s.args, s.procedure.params, strict=True)}
                roots += [(e, fixed.get(id(e))) for e in statement_expressions(s)]
        for asked in head_parts(rules):
            fixed = {id(asked.amount): asked.source.type} if isinstance(asked, typed.Cost) else {}
            if isinstance(asked, typed.Needs):
                fixed = {id(a): v.type for a, v in zip(asked.args, asked.guard.params, strict=True)}
            roots += [(e, fixed.get(id(e))) for e in head_expressions([asked])]
        roots += [(i.condition, Bool()) for i in rules.invariants.values()]
        for root, wanted in roots:
            if root.span.file != self.sheet.file:
                continue
            yield root, None, wanted
            for e in expressions(root):
                for n, part in enumerate(parts(e)):
                    yield part, e, e.definition.params[n].type if isinstance(e, typed.Call) else None

    def _retype(self, expr: typed.Expr, parent: typed.Expr | None) -> Iterator[Mutant | None]:
        if expr.span.line == expr.span.end_line and not isinstance(expr.type, Bool | Num):
            yield self.sheet.on("retype", "type", expr.span, "true", self._told(expr))
            if parent is None or not isinstance(parent, typed.Op) or parent.op not in ("==", "!=", "some"):
                yield self.sheet.on("retype", "type", expr.span, "7", self._told(expr))
        elif expr.span.line == expr.span.end_line:
            yield self.sheet.on("retype", "type", expr.span, "7" if expr.type == Bool() else "true", self._told(expr))

    def _told(self, expr: typed.Expr) -> set[Site]:
        """The lines of an expression, at any of which a mistake may be reported."""
        return {(self.sheet.file, n) for n in range(expr.span.line, expr.span.end_line + 1)}

    def _unit(self, expr: typed.Expr, parent: typed.Expr | None, wanted: Type | None) -> Iterator[Mutant | None]:
        """Another unit, where a unit is required or is determined by the other operand."""
        if isinstance(parent, typed.Op) and parent.op in ("+", "-", "<", "<=", ">", ">=", "==", "!=", "min", "max"):
            rest = [a for a in parent.args if a is not expr and not isinstance(a, typed.Lit)]
            wanted = next((a.type for a in rest if isinstance(a.type, Num) and a.type.unit != ANY), None)
        if not isinstance(wanted, Num) or not isinstance(expr.type, Num) or expr.span.line != expr.span.end_line:
            return
        other = next((u for u in self.symbols.checked.declarations.units if u != wanted.unit), None)
        if other is None:
            return
        text = self.sheet.cut(expr.span)
        if re.fullmatch(r"[0-9]+( [a-z]+)?", text):
            yield self.sheet.on("reunit", "unit", expr.span, f"{text.split()[0]} {other}")
        elif wanted.unit:
            yield self.sheet.on("reunit", "unit", expr.span, f"({text}) / 1 {wanted.unit}")
            yield self.sheet.on("reunit", "unit", expr.span, f"({text}) / 1 {wanted.unit} * 1 {other}")
        else:
            yield self.sheet.on("reunit", "unit", expr.span, f"({text}) * 1 {other}")

    # --- tokens and lines ----------------------------------------------------------------------

    def _token(self, n: int, token: re.Match[str]) -> Iterator[Mutant | None]:
        sheet, word, start, end = self.sheet, token.group(), token.start(), token.end()
        before = self.tokens[n - 1].group() if n else ""
        if word in _WORDS and start not in self.names:
            yield sheet.edit("drop", "shape", start, end, "")
            wrong = misspell(word, self.symbols.words)
            yield sheet.edit("rename", "shape", start, end, wrong) if wrong else None
        if word in _BRACKETS or word in (":", "=", "->"):
            yield sheet.edit("drop", "shape", start, end, "")
        if word.startswith('"'):
            yield sheet.edit("drop", "shape", start, start + 1, "")
            yield sheet.edit("drop", "shape", end - 1, end, "")
        if word.isdigit():
            yield sheet.edit("shift", FREE, start, end, str(int(word) + 1))
            yield sheet.edit("shift", FREE, start, end, str(max(0, int(word) - 1)))
        turned = _TURNED.get(word) or _WORD_TURNED.get(word)
        if turned and before != "->":
            yield sheet.edit("negate", FREE, start, end, turned)

    def _lines(self) -> Iterator[Mutant | None]:
        """Lines moved by a column, out of their block, or after the next line."""
        sheet, depth = self.sheet, 0
        code: list[tuple[int, int, str]] = []
        for number, text in enumerate(sheet.text.split("\n"), 1):
            bare = re.sub(r'"[^"]*"|#.*', "", text)
            if text.strip() and not text.lstrip().startswith("#") and not depth:
                code.append((number, len(text) - len(text.lstrip()), text))
            depth += sum(bare.count(c) for c in "([{") - sum(bare.count(c) for c in ")]}")
        for (one, deep, a), (other, deeper, b), (_, follows, _) in zip(code, code[1:], [*code[2:], _END], strict=False):
            start = sheet.at(other, 1)
            if deeper and (deep == deeper or (deep < deeper and follows == deeper)):
                yield sheet.edit("shift", "shape", start, start, " ")
                yield sheet.edit("shift", "shape", start, start + 1, "")
            if deeper >= 4:
                yield sheet.edit("shift", FREE, start, start + 4, "")
            if deep == deeper and other == one + 1:
                yield sheet.edit("swap", FREE, sheet.at(one, 1), start + len(b), f"{b}\n{a}")
