"""Lints: warnings of correct but probably unintended rules.

Each looks for an exception to a pattern that the ruleset itself follows.
"""
