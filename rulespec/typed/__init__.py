"""Typed rules: names resolved, types known."""
