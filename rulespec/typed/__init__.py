"""Typed rules, with resolved names and known types."""
