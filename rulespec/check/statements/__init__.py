"""Checking of statements, decisions and options: names and types, one module per family of forms, a common context."""
