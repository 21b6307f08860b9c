"""Comparison of the behaviour of two rulesets, or of one ruleset before and after a change, at the same positions."""
