"""Behaviour: what two rulesets, or the same one before and after a change, do at the same positions."""
