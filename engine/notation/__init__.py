"""Notations: moves as text, defined by a small declared grammar. See docs/guides/dialects.md."""
