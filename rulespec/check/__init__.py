"""The checker: from merged sources to a typed ruleset, with all problems reported together."""
