"""Lints: warnings of what is well-formed and still hardly meant.

Each looks for what breaks a pattern that the ruleset itself follows, not for what is unusual.
"""
