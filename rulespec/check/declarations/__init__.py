"""Declarations from the YAML sections of a ruleset: one module per subject, with a common reader."""
