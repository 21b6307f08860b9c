"""Edits of YAML files that change their text as little as possible."""
