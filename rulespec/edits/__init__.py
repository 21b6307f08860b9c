"""Edits of people's files, as minimal changes of their text."""
