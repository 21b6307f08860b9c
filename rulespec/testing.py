"""pytest tests for your own ruleset: `from rulespec.testing import ruleset_tests`."""

from rulespec.engine.verify.ruleset_tests import DEFAULTS, BrokenGameError, ruleset_tests

__all__ = ["DEFAULTS", "BrokenGameError", "ruleset_tests"]
