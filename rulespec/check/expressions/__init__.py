"""Checking of expressions: names and types, in one module per family of forms, with a common context."""
