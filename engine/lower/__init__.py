"""Lowering of typed rulesets to programs."""
