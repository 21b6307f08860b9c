"""A typed ruleset becomes a program."""
