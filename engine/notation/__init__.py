"""Notations: moves as text, by a small declared grammar. See docs/guides/dialects.md."""
