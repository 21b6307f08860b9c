"""Lints: warnings of valid but probably unintended rules.

Each detects exceptions to a pattern of the ruleset itself.
"""
