"""Comparison of behaviour: two rulesets, or one before and after a change, at the same positions."""
