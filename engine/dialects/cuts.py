"""Where a dialect cuts lists that other logs of it have in pieces."""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.query import Queries
from rulespec.engine.lower.layout import type_name


def cut_at(dialect: Dialect, game: Game) -> Mapping[str, frozenset[str]]:
    """For each path of lists that a dialect cuts out of another one, the foreign names at which it is cut.

    Args:
        dialect: the dialect.
        game: a game that has not begun.

    Raises:
        DiagnosticsError: RS622 if an expression of the dialect is wrong, or is no set of entities.
    """
    report, results = Report(), dict[str, frozenset[str]]()
    queries = Queries(game.ruleset, game.seats, game.settings)
    for path, cut in dialect.shape.cut.items():
        where, span = f"`cut` of the dialect `{dialect.id}`", dialect.spans.get("entries")
        try:
            kind = type_name(queries.expression(cut.at).type)
            if kind.startswith("set "):
                names = game.omniscient.value(cut.at).strip("{}").split(", ")
                results[path] = frozenset(dialect.foreign(kind.removeprefix("set "), name) for name in names)
            else:
                report.error("RS622", f"{where}: `{cut.at}` is {kind}, not a set of entities", span)
        except RulesetFaultError as fault:
            report.error("RS622", f"{where}: {fault}", span)
        except DiagnosticsError as error:
            for e in error.diagnostics:
                report.error("RS622", f"{where}: {e.message}", span, help=e.help)
    report.raise_if_errors()
    return results
