"""Checking of expressions: names and types, one module per family of forms, with a common context."""
