"""Behaviour: two rulesets, or one before and after a change, compared at the same positions."""
