"""Leaks: private information that options, questions or visible state reveal."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.lints.reasons import Reasons
from rulespec.typed.rule_traversal import private_params, secrecies


def check_leaks(c: Context) -> None:
    """Warns of leaks of private state, and of declared disclosure reasons that are never needed."""
    reasons = Reasons(c)
    if any(True for _ in secrecies(c.declarations, c.rules)) or any(True for _ in private_params(c.rules)):
        from rulespec.check.lints.secret_flow import SecretFlow  # lazily: most rulesets have no private state

        SecretFlow(c, reasons).check()
    for span in reasons.idle():
        message = "nothing private is disclosed here"
        c.report.warning("RS348", message, span, help="remove `told`, or put it around the private value")
