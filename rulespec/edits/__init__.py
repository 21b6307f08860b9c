"""Edits of files that people write: the smallest change of their text."""
