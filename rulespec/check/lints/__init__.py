"""Lints: warnings about rules that are valid but probably unintended.

Each detects exceptions to a pattern of the ruleset itself.
"""
