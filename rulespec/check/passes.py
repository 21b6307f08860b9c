"""The checker's passes, in order: they turn merged sources into typed rules, and collect all errors in one report."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from rulespec.check.alike import check_alike
from rulespec.check.amounts import check_amounts
from rulespec.check.bodies import check_bodies
from rulespec.check.context import Context
from rulespec.check.declare import check_signatures, declare
from rulespec.check.drafts import check_drafts
from rulespec.check.facts import check_facts
from rulespec.check.loops import check_loops
from rulespec.check.measures import check_measures, check_values
from rulespec.check.privacy import check_privacy
from rulespec.check.questions import check_questions
from rulespec.check.recursion import check_quiet, check_recursion
from rulespec.check.size import check_heads, check_size
from rulespec.check.unknown_names import check_unknown_names
from rulespec.check.work import check_points, check_work
from rulespec.check.yaml_names import check_dead_ends, check_playouts, check_start, check_usual, check_was
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.overlays.overlay import Source
from rulespec.typed import nodes as typed


def _always(c: Context) -> bool:
    return True


def _understood(c: Context) -> bool:
    return c.statements.understood


def _without_errors(c: Context) -> bool:
    return c.report.ok


class Pass(Struct, frozen=True):
    """A pass: a function of the context, with the condition under which its findings are meaningful."""

    run: Callable[[Context], None]
    only_if: Callable[[Context], bool] = _always


PASSES = (
    # Names, types and resources.
    Pass(check_size),
    Pass(declare),
    Pass(check_signatures),
    Pass(check_bodies),
    Pass(check_measures),
    Pass(check_values),
    Pass(check_questions),
    Pass(check_facts),  # the last pass that types expressions: it reports unit conflicts
    Pass(check_privacy),
    Pass(check_alike),
    Pass(check_start),
    Pass(check_dead_ends, _understood),
    Pass(check_usual, _understood),
    Pass(check_playouts, _understood),
    Pass(check_was, _understood),
    Pass(check_unknown_names),
    # Termination. A call without a typed form may lead to a decision; work is finite only without recursion.
    Pass(check_recursion),  # it also collects the decisions under `once`, for lowering
    Pass(check_loops, _understood),
    Pass(check_quiet, _without_errors),
    Pass(check_drafts, _without_errors),
    Pass(check_heads, _without_errors),
    Pass(check_points, _without_errors),
    Pass(check_work, _without_errors),
    # Resources, where the rules give them as numbers.
    Pass(check_amounts, _without_errors),
)
"""All passes in order. A module with a single pass is named after it; a test verifies this."""


def unused_in(source: Source) -> frozenset[Span]:
    """The places of declarations that are never used in their source; empty if errors prevent the analysis."""
    report = Report()
    try:
        check_source(source, report)
    except DiagnosticsError:
        return frozenset()
    return frozenset(d.span for d in report.diagnostics if d.code == "RS405" and d.span is not None)


def check_source(source: Source, report: Report, *, lints: bool = True) -> tuple[typed.Declarations, typed.Rules]:
    """Runs the passes over a source.

    Args:
        source: the merged YAML tree and the syntax trees of the rules.
        report: receives the diagnostics.
        lints: whether to run the lints.

    Raises:
        DiagnosticsError: if the ruleset is too large (RS108) or has too many errors (RS902).
    """
    context = Context(source, report)
    for each in PASSES:
        if each.only_if(context):
            each.run(context)
    if lints and report.ok:
        from rulespec.check.lints.order import LINTS  # lazily: most loads need none

        for lint in LINTS:
            lint(context)
    return context.declarations, context.rules
