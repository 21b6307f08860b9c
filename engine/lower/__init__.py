"""Lowering of a typed ruleset to a program."""
