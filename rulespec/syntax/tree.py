"""Syntax trees of rules, made of Lark's tree."""

from __future__ import annotations

from functools import cache
from typing import Any

from lark import Lark, Token, UnexpectedInput, v_args
from lark.exceptions import VisitError
from lark.indenter import DedentError
from lark.tree import Meta

from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.syntax import ast
from rulespec.syntax.expression_builder import ExpressionBuilder
from rulespec.syntax.indentation import Blocks
from rulespec.syntax.origin import Origin
from rulespec.syntax.parse_table import parser
from rulespec.syntax.syntax_errors import syntax_error


@v_args(meta=True)
class _Builder(ExpressionBuilder):
    """The rules of the grammar for statements and items."""

    # statements
    def let_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Let(self.origin.span(meta), c[0], c[1])

    def set_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Assign(self.origin.span(meta), c[0], c[1])

    def pay_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Pay(self.origin.span(meta), c[0], c[1], c[2])

    def move_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        amount, pile, source, target = (x for x in c if not isinstance(x, Token))
        return ast.Move(self.origin.span(meta), amount, pile, source, target)

    def put_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Put(self.origin.span(meta), c[0], c[1])

    def add_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Rearrange(self.origin.span(meta), "add", c[0], c[1])

    def take_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        member, target = (x for x in c if not isinstance(x, Token))
        return ast.Rearrange(self.origin.span(meta), "take", member, target)

    def shuffle_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Rearrange(self.origin.span(meta), "shuffle", None, c[0])

    def call_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.CallStmt(self.origin.span(meta), c[0], c[1] or ())

    def end_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.EndGame(self.origin.span(meta), c[0], c[1])

    def require_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Require(self.origin.span(meta), c[0], self._text(c[1], meta))

    def cost_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        amount, pile, source, target, reason = (x for x in c if not _is_from(x))
        return ast.Cost(self.origin.span(meta), amount, pile, source, target, self._text(reason, meta))

    def needs_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Needs(self.origin.span(meta), c[0], c[1] or ())

    def leave_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "leave")

    def again_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "again")

    def ask_again_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "ask again")

    def continue_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "continue")

    def return_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        span = self.origin.span(meta)
        return ast.Jump(span, "return") if c[0] is None else ast.Return(span, c[0])

    def pass_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Jump(self.origin.span(meta), "pass")

    def block(self, meta: Meta, c: list[Any]) -> tuple[ast.Stmt, ...]:
        return tuple(c)

    def if_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        branches: list[tuple[ast.Expr | None, tuple[ast.Stmt, ...]]] = [(c[0], c[1]), *c[2:-1]]
        if c[-1] is not None:
            branches.append((None, c[-1]))
        return ast.If(self.origin.span(meta), tuple(branches))

    def elif_part(self, meta: Meta, c: list[Any]) -> tuple[ast.Expr, tuple[ast.Stmt, ...]]:
        return (c[0], c[1])

    def match_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Match(self.origin.span(meta), c[0], tuple(c[1:-1]), c[-1])

    def case_part(self, meta: Meta, c: list[Any]) -> tuple[tuple[ast.Expr, ...], tuple[ast.Stmt, ...]]:
        return (tuple(c[:-1]), c[-1])

    def for_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.For(self.origin.span(meta), self.keyed(c[0], c[1]), c[2])

    def repeat_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Repeat(self.origin.span(meta), c[0], c[1])

    def _doc_and_rest(self, meta: Meta, c: list[Any]) -> tuple[ast.Text, tuple[Any, ...]]:
        """Splits an optional docstring (None where missing, absent in one-line bodies) from what follows it."""
        rest = list(c)
        doc = self._text(None, meta)
        if rest and (rest[0] is None or isinstance(rest[0], ast.Text)):
            head = rest.pop(0)
            doc = head or doc
        return doc, tuple(rest)

    def any_of(self, meta: Meta, c: list[Any]) -> ast.AnyOf:
        return ast.AnyOf(self.origin.span(meta), c[0], c[1])

    def otherwise(self, meta: Meta, c: list[Any]) -> ast.Otherwise:
        return ast.Otherwise(c[0], self.origin.span(meta))

    def _options(self, meta: Meta, c: list[Any]) -> tuple[ast.Text, tuple[ast.Member, ...]]:
        """The docstring and the members of a block of options, in which no `otherwise` may stand."""
        doc, (*options, otherwise) = self._doc_and_rest(meta, c)
        if otherwise is not None:
            help_ = "give another decision an option that is always legal"
            message = "`otherwise` stands in a `decide` of one player, behind its options"
            raise failure("RS252", message, otherwise.span, help_)
        return doc, tuple(options)

    def decide_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        doc, (*options, otherwise) = self._doc_and_rest(meta, c[2:])
        return ast.Decide(self.origin.span(meta), "decide", c[0], c[1], None, doc, tuple(options), otherwise)

    def together_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        doc, options = self._options(meta, c[2:])
        return ast.Decide(self.origin.span(meta), "together", c[0], None, c[1], doc, options)

    def chance_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        doc, options = self._options(meta, c[1:])
        return ast.Decide(self.origin.span(meta), "chance", c[0], None, None, doc, options)

    def roll_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Draw(self.origin.span(meta), c[0], c[1], None, c[2])

    def choose_stmt(self, meta: Meta, c: list[Any]) -> ast.Stmt:
        return ast.Draw(self.origin.span(meta), c[0], c[1], c[2], None)

    def include(self, meta: Meta, c: list[Any]) -> ast.Name:
        name: ast.Name = c[0]
        return name

    def option(self, meta: Meta, c: list[Any]) -> ast.OptionDef:
        name, params, by, weight = c[:4]
        doc, body = self._doc_and_rest(meta, c[4:])
        return ast.OptionDef(name, params or (), by, weight, doc, body, self.origin.span(meta))

    def shared_with(self, meta: Meta, c: list[Any]) -> ast.Shared:
        params, condition, reason = c[:3]
        span = self.origin.span(meta)
        return ast.Shared(params, condition, self._text(reason, meta), tuple(c[3:]), span)

    def shared_when(self, meta: Meta, c: list[Any]) -> ast.Shared:
        condition, reason = c[:2]
        return ast.Shared((), condition, self._text(reason, meta), tuple(c[2:]), self.origin.span(meta))

    def option_params(self, meta: Meta, c: list[Any]) -> tuple[ast.OptionParam, ...]:
        return tuple(x for x in c if isinstance(x, ast.OptionParam))

    def option_param(self, meta: Meta, c: list[Any]) -> ast.OptionParam:
        name, low, high, where, reason, private = c
        last = low if high is None else high
        none = isinstance(last, ast.Binary) and last.op == "or" and isinstance(last.right, ast.Nothing)
        if none:  # the grammar takes `s or none` for a condition
            low, high = (last.left, None) if high is None else (low, last.left)
        return ast.OptionParam(name, low, high, where, self._text(reason, meta), none, private)

    def privacy(self, meta: Meta, c: list[Any]) -> ast.Privacy:
        return ast.Privacy(self.origin.span(meta), c[0])

    # items
    def modifier(self, meta: Meta, c: list[Any]) -> str:
        return str(c[0])

    def params(self, meta: Meta, c: list[Any]) -> tuple[ast.Param, ...]:
        return tuple(x for x in c if isinstance(x, ast.Param))

    def param(self, meta: Meta, c: list[Any]) -> ast.Param:
        return ast.Param(c[0], c[1])

    def def_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        modifier, name, params, result = c[:4]
        doc, rest = self._doc_and_rest(meta, c[4:])
        return ast.Def(modifier or "", name, doc, self.origin.span(meta), params or (), result, rest[:-1], rest[-1])

    def procedure_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        modifier, name, params, result = c[:4]
        doc, body = self._doc_and_rest(meta, c[4:])
        return ast.Procedure(modifier or "", name, doc, self.origin.span(meta), params or (), result, body)

    def guard_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        modifier, name, params = c[:3]
        doc, head = self._doc_and_rest(meta, c[3:])
        return ast.Guard(modifier or "", name, doc, self.origin.span(meta), params or (), head)

    def invariant_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, rest = self._doc_and_rest(meta, c[2:])
        return ast.Invariant(c[0] or "", c[1], doc, self.origin.span(meta), rest[0])

    def scoring_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, rest = self._doc_and_rest(meta, c[3:])
        return ast.Scoring(c[0] or "", c[2], doc, self.origin.span(meta), c[1], rest[0], rest[1:])

    def tiebreak_value(self, meta: Meta, c: list[Any]) -> ast.Tiebreak:
        return ast.Tiebreak(None, None, None, c[0])

    def tiebreak_each(self, meta: Meta, c: list[Any]) -> ast.Tiebreak:
        return ast.Tiebreak(c[0], c[1], c[2], c[3])

    def group_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, options = self._options(meta, c[2:])
        return ast.OptionGroup(c[0] or "", c[1], doc, self.origin.span(meta), options)

    def extend_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        doc, options = self._options(meta, c[1:])
        return ast.Extend("", c[0], doc, self.origin.span(meta), options)

    def remove_item(self, meta: Meta, c: list[Any]) -> ast.Item:
        return ast.Remove("", c[1], self._text(None, meta), self.origin.span(meta), str(c[0]))

    def rules(self, meta: Meta, c: list[Any]) -> tuple[ast.Item, ...]:
        return tuple(c)


def _is_from(part: Any) -> bool:
    """Whether a part of a statement is the word `from`, which stands in the tree as it has a terminal of its own."""
    return isinstance(part, Token) and part.type == "FROM"


@cache
def _lark() -> tuple[Lark, Blocks, _Builder]:
    blocks = Blocks()
    return parser(blocks), blocks, _Builder()


def build(text: str, start: str, origin: Origin, tokens: list[Token] | None = None) -> Any:
    """The syntax tree of a text.

    Args:
        text: the text.
        start: the rule of the grammar that it follows; one of `parse_table.STARTS`.
        origin: where the text begins.
        tokens: collects all tokens, if given.

    Raises:
        DiagnosticsError: as `parse_rules`.
    """
    lark, blocks, builder = _lark()
    blocks.seen = tokens
    builder.origin = origin
    try:
        return builder.transform(lark.parse(text, start=start))
    except (UnexpectedInput, DedentError) as error:
        raise syntax_error(error, text, origin) from None
    except VisitError as error:
        if isinstance(error.orig_exc, DiagnosticsError):
            raise error.orig_exc from None
        raise
