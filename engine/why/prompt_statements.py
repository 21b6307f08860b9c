"""Statements from outside the rules, such as those typed at a prompt, run in a game."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rulespec.check.expressions.checker import ExpressionChecker
from rulespec.check.scope import Env
from rulespec.check.statements.checker import StatementChecker
from rulespec.check.statements.context import StatementPlace
from rulespec.check.statements.effects import Effects
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report, failure
from rulespec.engine.game.game import Game
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.why.tracer import cell_name
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk

FILE = "<statement>"
_NAME = "asked at the prompt"
"""The name of the generated procedure, which no procedure of the rules can have."""
_HEAD = "procedure asked_at_the_prompt():\n"
_INDENT = " " * 4


def run_statement(game: Game, text: str) -> list[tuple[str, str, str]]:
    """Runs statements in the position of a game, and applies their changes to it.

    Returns:
        The changed cells, as tuples of the name, the old value and the new value.

    Raises:
        DiagnosticsError: if the text is not a correct statement, opens a decision, or ends the game.
        RulesetFaultError: if the statement faults or takes too many steps. The game is then unchanged.
    """
    procedure = _typed(game, text)
    program = _lowered(game.ruleset, len(game.seats), game.settings, procedure)
    own = game.omniscient.program
    mine, its = own.declared, program.declared
    state = list(program.start)
    for at, to in zip(mine, its, strict=True):
        state[to] = game.omniscient.numbers.state[at]
    block, cells = program.entries[_NAME]
    state[cells[0]] = ir.END
    machine = Interpreter(program)
    try:
        machine.run(state, block)
    except ProgramFaultError as fault:
        raise game.omniscient.fault(fault, program) from None
    if state[ir.PC] != ir.END:
        raise failure("RS874", "the statement ends the game, or asks for a decision", Span(FILE, 1, 1, 1, 2), _HELP)
    written = {at: state[to] for at, to in zip(mine, its, strict=True)}
    before = game.omniscient.numbers.cells
    changed = {at: value for at, value in written.items() if value != before[at]}
    game.omniscient.put(changed)
    labels = game.omniscient.labels

    def shown(at: int, value: int) -> str:
        return labels.show(own.cells[at].type, value)

    return [(cell_name(labels, own.cells[at]), shown(at, before[at]), shown(at, new)) for at, new in changed.items()]


_HELP = "take an option with `do OPTION`"


def indented(text: str) -> str:
    """The text of statements, indented as in the generated procedure to which places in messages refer."""
    return "\n".join(_INDENT + line for line in text.split("\n"))


def _typed(game: Game, text: str) -> typed.Procedure:
    """The typed procedure whose body consists of the statements."""
    items = parse_rules(_HEAD + indented(text), FILE, line=0)
    if len(items) != 1 or not isinstance(items[0], ast.Procedure):
        raise failure(
            "RS874",
            "this is more than one statement",
            Span(FILE, 1, 1, 1, 2),
            "enter statements only; write rules in files",
        )
    report = Report()
    rules = game.ruleset.rules
    expressions = ExpressionChecker(game.ruleset.declarations, rules, report, game.seats)
    checker = StatementChecker(expressions, {})
    checker.effects = _AnyEffect(game.ruleset.declarations, {})
    checker.procedure = typed.Procedure(_NAME, (), "", items[0].name.span)
    body, _, _ = checker.inner(items[0].body, Env(), StatementPlace())
    report.raise_if_errors()
    checker.procedure.body = body
    loud = [s for s in _reached(body, set()) if isinstance(s, typed.Decide | typed.EndGame)]
    if loud:
        does = "ends the game" if isinstance(loud[0], typed.EndGame) else "asks for a decision"
        raise failure("RS874", f"the statement {does}", Span(FILE, 1, 1, 1, 2), _HELP)
    return checker.procedure


class _AnyEffect(Effects):
    """A conservative effect analysis, used without syntax trees: each procedure may set anything."""

    def of_procedure(self, name: str) -> frozenset[object]:
        """The fields that a procedure may set: the names of all state fields, since the analysis is conservative."""
        return frozenset([*self.decls.fields, *(name for kind in self.decls.kinds.values() for name in kind.state)])


def _reached(block: typed.Block, seen: set[str]) -> list[typed.Stmt]:
    """The statements of a block and of the procedures that it calls."""
    results = []
    for s in walk(block):
        results.append(s)
        if isinstance(s, typed.CallProcedure) and s.procedure.name not in seen:
            seen.add(s.procedure.name)
            results += _reached(s.procedure.body, seen)
    return results


def _lowered(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], procedure: typed.Procedure) -> ir.Program:
    """The program of the rules with an additional procedure."""
    rules = typed.Rules(
        ruleset.rules.definitions,
        {**ruleset.rules.procedures, procedure.name: procedure},
        ruleset.rules.guards,
        {},
        None,
        ruleset.rules.suppositions,
        ruleset.rules.told,
    )
    return lower(replace(ruleset, rules=rules), seats, settings)
