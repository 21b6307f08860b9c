"""Lints: warnings of rules that are correct but hardly meant.

Each looks for an exception to a pattern that the ruleset itself follows.
"""
