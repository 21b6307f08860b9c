"""Edits of YAML files by minimal changes of their text."""
