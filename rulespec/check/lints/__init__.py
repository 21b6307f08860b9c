"""Lints: warnings of correct but probably unintended rules.

Each looks for exceptions to a pattern of the ruleset itself.
"""
