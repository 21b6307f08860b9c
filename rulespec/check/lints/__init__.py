"""Lints: warnings about rules that are valid but probably unintended.

Each lint detects exceptions to a pattern that the ruleset itself sets.
"""
