"""Construction of syntax trees from the text of rules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.syntax import ast
from rulespec.syntax.automaton import Automaton, ParseTables, Token, UnfitError, stored
from rulespec.syntax.expression_builder import ExpressionBuilder
from rulespec.syntax.origin import Origin

if TYPE_CHECKING:
    from lark import Lark
    from lark import Token as LarkToken

    from rulespec.syntax.lexer import Blocks


class _Builder(ExpressionBuilder):
    """Builder of `ast` nodes for statements and items."""

    # statements
    def let_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Let(span, c[0], c[1])

    def table_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.LetTable(span, *c)

    def set_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Assign(span, c[0], c[1])

    def pay_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Pay(span, c[0], c[1], c[2])

    def move_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        amount, pile, source, target = (x for x in c if not isinstance(x, Token))
        return ast.Move(span, amount, pile, source, target)

    def put_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Put(span, c[0], c[1])

    def add_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Rearrange(span, "add", c[0], c[1])

    def take_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        member, target = (x for x in c if not isinstance(x, Token))
        return ast.Rearrange(span, "take", member, target)

    def shuffle_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Rearrange(span, "shuffle", None, c[0])

    def call_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.CallStmt(span, c[0], c[1] or ())

    def end_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.EndGame(span, c[0], c[1])

    def require_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Require(span, c[0], self._text(c[1], span))

    def cost_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        amount, pile, source, target, reason = (x for x in c if not _is_from(x))
        return ast.Cost(span, amount, pile, source, target, self._text(reason, span))

    def needs_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Needs(span, c[0], c[1] or ())

    def leave_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "leave")

    def again_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "again")

    def ask_again_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "ask again")

    def continue_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "continue")

    def return_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "return") if c[0] is None else ast.Return(span, c[0])

    def pass_turn_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "pass turn")

    def pass_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Jump(span, "pass")

    def block(self, span: Span, c: list[Any]) -> tuple[ast.Stmt, ...]:
        if isinstance(c[0], ast.Text):
            return (ast.Remark(c[0].span, c[0]), *c[1:])
        return tuple(c[c[0] is None :])

    def if_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        branches: list[tuple[ast.Expr | None, tuple[ast.Stmt, ...]]] = [(c[0], c[1]), *c[2:-1]]
        if c[-1] is not None:
            branches.append((None, c[-1]))
        return ast.If(span, tuple(branches))

    def elif_part(self, span: Span, c: list[Any]) -> tuple[ast.Expr, tuple[ast.Stmt, ...]]:
        return (c[0], c[1])

    def match_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Match(span, c[0], tuple(c[1:-1]), c[-1])

    def case_part(self, span: Span, c: list[Any]) -> tuple[tuple[ast.Expr, ...], tuple[ast.Stmt, ...]]:
        return (tuple(c[:-1]), c[-1])

    def for_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.For(span, self.keyed(c[0], c[1]), c[2])

    def repeat_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Repeat(span, c[0], c[1])

    def turns_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        _, binder, rest, drops, limit, body = c
        return ast.Turns(span, limit, body, binder, rest, drops is not None)

    def _doc_and_rest(self, span: Span, c: list[Any]) -> tuple[ast.Text, tuple[Any, ...]]:
        """Splits an optional docstring (None if missing, absent in one-line bodies) from the other children."""
        rest = list(c)
        doc = self._text(None, span)
        if rest and (rest[0] is None or isinstance(rest[0], ast.Text)):
            head = rest.pop(0)
            doc = head or doc
        return doc, tuple(rest)

    def any_of(self, span: Span, c: list[Any]) -> ast.AnyOf:
        return ast.AnyOf(span, c[0], c[1])

    def otherwise(self, span: Span, c: list[Any]) -> ast.Otherwise:
        return ast.Otherwise(c[0], span)

    def _options(self, span: Span, c: list[Any]) -> tuple[ast.Text, tuple[ast.Member, ...]]:
        """The docstring and the members of a block of options, without `otherwise`."""
        doc, (*options, otherwise) = self._doc_and_rest(span, c)
        if otherwise is not None:
            help_ = "here, add an option that is always legal"
            message = "`otherwise` belongs in a `decide` by one player, after its options"
            raise failure("RS252", message, otherwise.span, help_)
        return doc, tuple(options)

    def decide_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        doc, (*options, otherwise) = self._doc_and_rest(span, c[2:])
        return ast.Decide(span, "decide", c[0], c[1], None, doc, tuple(options), otherwise)

    def draft_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        _, name, by, *rest = c
        doc, options = self._options(span, rest)
        return ast.Decide(span, "draft", name, by, None, doc, options)

    def together_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        doc, options = self._options(span, c[2:])
        return ast.Decide(span, "together", c[0], None, c[1], doc, options)

    def chance_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        doc, options = self._options(span, c[1:])
        return ast.Decide(span, "chance", c[0], None, None, doc, options)

    def roll_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Draw(span, c[0], c[1], None, c[2])

    def choose_stmt(self, span: Span, c: list[Any]) -> ast.Stmt:
        return ast.Draw(span, c[0], c[1], c[2], None)

    def include(self, span: Span, c: list[Any]) -> ast.Name:
        name: ast.Name = c[0]
        return name

    def option(self, span: Span, c: list[Any]) -> ast.OptionDef:
        name, params, by, weight = c[:4]
        doc, body = self._doc_and_rest(span, c[4:])
        return ast.OptionDef(name, params or (), by, weight, doc, body, span)

    def shared_with(self, span: Span, c: list[Any]) -> ast.Shared:
        params, condition, reason = c[:3]
        return ast.Shared(params, condition, self._text(reason, span), tuple(c[3:]), span)

    def shared_when(self, span: Span, c: list[Any]) -> ast.Shared:
        condition, reason = c[:2]
        return ast.Shared((), condition, self._text(reason, span), tuple(c[2:]), span)

    def option_params(self, span: Span, c: list[Any]) -> tuple[ast.OptionParam, ...]:
        return tuple(x for x in c if isinstance(x, ast.OptionParam))

    def option_param(self, span: Span, c: list[Any]) -> ast.OptionParam:
        name, low, high, where, reason, private = c
        last = low if high is None else high
        none = isinstance(last, ast.Binary) and last.op == "or" and isinstance(last.right, ast.Nothing)
        if none and isinstance(last, ast.Binary) and isinstance(last.left, ast.Path) and last.left.form == "path":
            help_ = "write a separate option for choosing nothing: `option stay: …`"
            raise failure("RS139", "a path cannot have `or none`", last.right.span, help_)
        if none:  # the grammar parses `s or none` as a condition
            low, high = (last.left, None) if high is None else (low, last.left)
        return ast.OptionParam(name, low, high, where, self._text(reason, span), none, private)

    def several_param(self, span: Span, c: list[Any]) -> ast.OptionParam:
        name, least, most, of, where, reason, private = c
        none = isinstance(of, ast.Binary) and of.op == "or" and isinstance(of.right, ast.Nothing)
        if none:
            help_ = "allow the empty choice with `0 ..`: `choose 0 .. 2 of …`"
            raise failure("RS138", "a multiple choice cannot have `or none`", of.right.span, help_)
        several = (least,) if most is None else (least, most)
        return ast.OptionParam(name, of, None, where, self._text(reason, span), False, private, several)

    def privacy(self, span: Span, c: list[Any]) -> ast.Privacy:
        return ast.Privacy(span, c[0])

    # items
    def modifier(self, span: Span, c: list[Any]) -> str:
        return str(c[0])

    def params(self, span: Span, c: list[Any]) -> tuple[ast.Param, ...]:
        return tuple(x for x in c if isinstance(x, ast.Param))

    def param(self, span: Span, c: list[Any]) -> ast.Param:
        return ast.Param(c[0], c[1])

    def def_item(self, span: Span, c: list[Any]) -> ast.Item:
        modifier, name, params, result, most = c[:5]
        doc, rest = self._doc_and_rest(span, c[5:])
        at_most = ast.Number(self.origin.at(*most.place), self._int(most), None) if most is not None else None
        return ast.Def(modifier or "", name, doc, span, params or (), result, at_most, rest[:-1], rest[-1])

    def procedure_item(self, span: Span, c: list[Any]) -> ast.Item:
        modifier, name, params, result, most = c[:5]
        doc, body = self._doc_and_rest(span, c[5:])
        deep = ast.Number(self.origin.at(*most.place), self._int(most), None) if most is not None else None
        return ast.Procedure(modifier or "", name, doc, span, params or (), result, deep, body)

    def guard_item(self, span: Span, c: list[Any]) -> ast.Item:
        modifier, name, params = c[:3]
        doc, head = self._doc_and_rest(span, c[3:])
        return ast.Guard(modifier or "", name, doc, span, params or (), head)

    def invariant_item(self, span: Span, c: list[Any]) -> ast.Item:
        doc, rest = self._doc_and_rest(span, c[2:])
        return ast.Invariant(c[0] or "", c[1], doc, span, rest[0])

    def scoring_item(self, span: Span, c: list[Any]) -> ast.Item:
        doc, rest = self._doc_and_rest(span, c[3:])
        return ast.Scoring(c[0] or "", c[2], doc, span, c[1], rest[0], rest[1:])

    def tiebreak_value(self, span: Span, c: list[Any]) -> ast.Tiebreak:
        return ast.Tiebreak(None, None, None, c[0])

    def tiebreak_each(self, span: Span, c: list[Any]) -> ast.Tiebreak:
        return ast.Tiebreak(c[0], c[1], c[2], c[3])

    def group_item(self, span: Span, c: list[Any]) -> ast.Item:
        doc, options = self._options(span, c[2:])
        return ast.OptionGroup(c[0] or "", c[1], doc, span, options)

    def extend_item(self, span: Span, c: list[Any]) -> ast.Item:
        doc, options = self._options(span, c[1:])
        return ast.Extend("", c[0], doc, span, options)

    def remove_item(self, span: Span, c: list[Any]) -> ast.Item:
        return ast.Remove("", c[1], self._text(None, span), span, str(c[0]))

    def remove_option(self, span: Span, c: list[Any]) -> ast.Item:
        _, name, of = c
        edit = ast.Edit("remove", None, None, (), span)
        return ast.Change("", name, self._text(None, span), span, "option", of, (edit,))

    def reason(self, span: Span, c: list[Any]) -> ast.Text:
        return self._text(c[0], span)

    def edit_remove(self, span: Span, c: list[Any]) -> ast.Edit:
        return ast.Edit("remove", c[0], None, (), span)

    def edit_replace(self, span: Span, c: list[Any]) -> ast.Edit:
        at, *new = c
        value = new[0] if isinstance(new[0], ast.Expr) else None
        return ast.Edit("replace", at, value, () if value is not None else tuple(new), span)

    def edit_order(self, span: Span, c: list[Any]) -> ast.Edit:
        _, name, *new = c
        order, start, keys = (new[0], new[1], ()) if len(new) == 2 else ("", None, new[0])
        binder = ast.Binder(name, ast.Ref(name.span, name.text), order, start, None, span, keys)
        return ast.Edit("order", binder, None, (), span)

    def edit_insert(self, span: Span, c: list[Any]) -> ast.Edit:
        return ast.Edit(str(c[0]), c[1], None, tuple(c[2:]), span)

    def change_item(self, span: Span, c: list[Any]) -> ast.Item:
        kind, name = str(c[1]), c[2]
        of, rest = (c[3], c[4:]) if kind == "option" else (None, c[3:])
        doc, parts = self._doc_and_rest(span, rest)
        edits = [p if isinstance(p, ast.Edit) else ast.Edit("add", None, None, (p,), p.span) for p in parts]
        return ast.Change("", name, doc, span, kind, of, tuple(edits))

    def rules(self, span: Span, c: list[Any]) -> tuple[ast.Item, ...]:
        return tuple(c)


def _is_from(part: Any) -> bool:
    """Whether a child is the word `from`, which is in the tree as a token."""
    return isinstance(part, Token) and part.type == "FROM"


def tables() -> ParseTables:
    """The tables of the automaton, read from their file if they match the grammar."""
    result = stored()
    if result is None:
        from rulespec.syntax.parse_table import automaton_tables  # lazily: it needs Lark

        return automaton_tables()
    return result


@cache
def _automaton() -> tuple[Automaton, _Builder]:
    builder = _Builder()
    return Automaton(tables(), builder), builder


def build(text: str, start: str, origin: Origin, tokens: list[LarkToken] | None = None) -> Any:
    """The syntax tree of a text.

    Args:
        text: the text.
        start: its start rule, one of `parse_table.STARTS`.
        origin: the start of the text in its file.
        tokens: collects all tokens, if given.

    Raises:
        DiagnosticsError: with the codes listed for `parse_rules`.
    """
    if tokens is not None:
        _read_by_lark(text, start, origin, tokens)
    automaton, builder = _automaton()
    builder.origin = origin
    try:
        return automaton.parse(text, start, origin)
    except (UnfitError, DiagnosticsError):
        _read_by_lark(text, start, origin)  # a syntax error of the text precedes an error in one of its nodes
        raise


def _read_by_lark(text: str, start: str, origin: Origin, tokens: list[LarkToken] | None = None) -> None:
    """Reads a text with Lark, which locates errors; builds no tree.

    Raises:
        DiagnosticsError: for a syntax error.
    """
    from lark.exceptions import UnexpectedInput  # lazily: importing Lark takes longer than reading a ruleset's rules
    from lark.indenter import DedentError

    from rulespec.syntax.syntax_errors import syntax_error

    lark, blocks = _lark()
    blocks.seen = tokens
    try:
        lark.parse(text, start=start)
    except (UnexpectedInput, DedentError) as error:
        raise syntax_error(error, text, origin) from None


@cache
def _lark() -> tuple[Lark, Blocks]:
    from rulespec.syntax.lexer import Blocks
    from rulespec.syntax.parse_table import parser

    blocks = Blocks()
    return parser(blocks), blocks
