"""Notations: texts of moves, defined by a small declared grammar. See docs/guides/dialects.md."""
