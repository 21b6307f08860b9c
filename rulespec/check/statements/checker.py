"""The checker of statements, which dispatches each form to its typing function."""

from __future__ import annotations

from rulespec.check.scope import Env
from rulespec.check.statements.assignments import type_assign, type_let, type_move, type_pay, type_rearrange
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.control import (
    type_call,
    type_end,
    type_for,
    type_if,
    type_jump,
    type_match,
    type_repeat,
    type_return,
    type_taken,
)
from rulespec.check.statements.decisions import type_decide, type_draw
from rulespec.check.statements.drafts import type_draft
from rulespec.check.statements.loops import type_pass_turn, type_turns
from rulespec.check.statements.tables import begins_open, type_open_let, type_table
from rulespec.diagnostics.diagnostic import Span
from rulespec.syntax import ast
from rulespec.typed import nodes as typed

_PAID = "in the body, write `pay` or `move`"
_INSTEAD = (
    "for a `require` that applies only if c holds, write `require not c or …` at the start; "
    "elsewhere, put the statements that depend on a condition into the block of an `if …:`"
)


class StatementChecker(StatementContext):
    """A converter of procedure bodies into typed statements that reports their errors."""

    def block(self, stmts: tuple[ast.Stmt, ...], env: Env, place: StatementPlace) -> tuple[typed.Block, Env, bool]:
        """The typed block, the scope after it, and whether execution can reach its end."""
        result: list[typed.Stmt] = []
        alive = True
        for position, s in enumerate(stmts):
            if not alive:
                self.x.report.warning("RS404", "this is never reached", s.span, help="remove it")
                break
            if isinstance(s, ast.Remark):
                result.append(typed.Remark(s.span, s.doc.text))
                continue
            if isinstance(s, ast.Jump) and s.word == "pass":
                others = [each for each in stmts if not isinstance(each, ast.Remark)]
                if len(others) > 1 and s is stmts[-1] and not isinstance(others[0], ast.Require):
                    self._idle_pass(s.span, stmts)
                continue
            if isinstance(s, ast.LetTable):
                out, env, alive = type_table(self, s, env, place, stmts[position + 1 :])
            elif isinstance(s, ast.Let) and begins_open(s):
                out, env, alive = type_open_let(self, s, env, place, stmts[position + 1 :])
            else:
                out, env, alive = self._statement(s, env, place)
            if out is not None:
                result.extend(out if isinstance(out, tuple) else (out,))
            elif isinstance(s, ast.CallStmt | ast.Match):
                self.understood = False
        return tuple(result), env, alive

    def _idle_pass(self, span: Span, stmts: tuple[ast.Stmt, ...]) -> None:
        """Warns of a `pass` beside other statements; at the statement of an overlay that was inserted beside it."""
        inserted = next((each.span for each in stmts if each.span.file != span.file), None)
        if inserted is None:
            self.x.report.warning("RS404", "`pass` does nothing here", span, help="remove it")
        else:
            help_ = "write `replace pass with …` instead of inserting the statement"
            self.x.report.warning("RS404", "the `pass` beside this statement does nothing", inserted, help=help_)

    def _statement(self, s: ast.Stmt, env: Env, place: StatementPlace) -> Outcome:
        if isinstance(s, ast.Let | ast.Assign | ast.Return) and (taken := type_taken(self, s, env, place)):
            return taken
        if isinstance(s, ast.Return):
            return type_return(self, s, env, place)
        if isinstance(s, ast.Let):
            return type_let(self, s, env)
        if isinstance(s, ast.Assign):
            return type_assign(self, s, env)
        if isinstance(s, ast.Rearrange):
            return type_rearrange(self, s, env, place)
        if isinstance(s, ast.Pay):
            return type_pay(self, s, env), env, True
        if isinstance(s, ast.Move):
            return type_move(self, s, env), env, True
        if isinstance(s, ast.Put):
            from rulespec.check.statements.tokens import type_put  # lazily: most rulesets have no tokens

            return type_put(self, s, env)
        if isinstance(s, ast.CallStmt):
            return type_call(self, s, env, place)
        if isinstance(s, ast.EndGame):
            return type_end(self, s, env), env, False
        if isinstance(s, ast.Jump) and s.word == "pass turn":
            return type_pass_turn(self, s, place), env, False
        if isinstance(s, ast.Jump):
            return type_jump(self, s, place), env, False
        if isinstance(s, ast.If):
            return type_if(self, s, env, place)
        if isinstance(s, ast.Match):
            return type_match(self, s, env, place)
        if isinstance(s, ast.For):
            return type_for(self, s, env, place)
        if isinstance(s, ast.Turns):
            return type_turns(self, s, env, place)
        if isinstance(s, ast.Repeat):
            return type_repeat(self, s, env, place)
        if isinstance(s, ast.Decide) and s.form == "draft":
            return type_draft(self, s, env, place)
        if isinstance(s, ast.Decide):
            return type_decide(self, s, env, place)
        if isinstance(s, ast.Draw):
            return type_draw(self, s, env, place)
        assert isinstance(s, ast.HEAD_PARTS)
        word = {ast.Require: "require", ast.Cost: "cost", ast.Needs: "needs"}[type(s)]
        help_ = _PAID if isinstance(s, ast.Cost) else _INSTEAD
        message = (
            f"`{word}` must come at the start of an option's body: "
            "only `let`, `require`, `cost` and `needs` may precede it"
        )
        self.x.error("RS406", message, s.span, help=help_)
        return None, env, True
