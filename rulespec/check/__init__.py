"""The checker: converts merged sources to a typed ruleset, and reports all errors together."""
