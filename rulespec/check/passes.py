"""The checker's passes in order: merged sources in, typed rules out, and all errors in one report."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from msgspec import Struct

from rulespec.check.context import Context
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
    """One pass: a function of the context, and the condition under which its findings mean something.

    Attributes:
        name: the name of the function.
        only_if: the condition.
        finds: whether all that it does is to find mistakes: what has none need not be looked through again.
    """

    name: str
    only_if: Callable[[Context], bool] = _always
    finds: bool = False

    @property
    def run(self) -> Callable[[Context], None]:
        """The function, imported when it runs: a ruleset that is known to have no mistakes needs half of them."""
        module = import_module(f"rulespec.check.{self.name.removeprefix('check_')}")
        function: Callable[[Context], None] = getattr(module, self.name)
        return function


PASSES = (
    # Names, types and resources.
    Pass("check_size"),
    Pass("declare"),
    Pass("check_signatures"),
    Pass("check_bodies"),
    Pass("check_measures"),
    Pass("check_values"),
    Pass("check_questions"),
    Pass("check_facts"),  # the last that types expressions: it reports conflicts of units
    Pass("check_privacy"),
    Pass("check_alike", finds=True),
    Pass("check_start"),
    Pass("check_dead_ends", _understood),
    Pass("check_usual", _understood),
    Pass("check_playouts", _understood),
    Pass("check_was", _understood),
    Pass("check_unread", finds=True),
    # Termination. A call that has no typed form may lead to a decision; work is finite without recursion only.
    Pass("check_recursion"),  # it also finds what `once` asks, which lowering needs
    Pass("check_loops", _understood, finds=True),
    Pass("check_quiet", _without_errors, finds=True),
    Pass("check_heads", _without_errors, finds=True),
    Pass("check_points", _without_errors),
    Pass("check_work", _without_errors, finds=True),
    # Resources, where the rules give them as numbers.
    Pass("check_amounts", _without_errors, finds=True),
)
"""Each pass stands in a file of its name; a test holds that."""


def unused_in(source: Source) -> frozenset[Span]:
    """Spans of declarations that their source never uses; empty if there are errors in it, which hide that."""
    report = Report()
    try:
        check_source(source, report)
    except DiagnosticsError:
        return frozenset()
    return frozenset(d.span for d in report.diagnostics if d.code == "RS405" and d.span is not None)


def check_source(
    source: Source, report: Report, *, lints: bool = True, sound: bool = False
) -> tuple[typed.Declarations, typed.Rules]:
    """Runs the passes over a source.

    Args:
        source: the merged YAML tree and the syntax trees of the rules.
        report: takes the diagnostics.
        lints: whether somebody reads the warnings.
        sound: whether it is known that there are no errors.

    Raises:
        DiagnosticsError: if the ruleset is too large (RS108) or has too many errors (RS902).
    """
    context = Context(source, report)
    for each in PASSES:
        if not (sound and each.finds) and each.only_if(context):
            each.run(context)
    if lints and report.ok:
        from rulespec.check.lints.order import LINTS  # lazily: most commands need none

        for lint in LINTS:
            lint(context)
    return context.declarations, context.rules
