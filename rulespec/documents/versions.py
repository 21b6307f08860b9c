"""Versions that files name: of this program, and of the rules language."""

RULESPEC = "0.1.0"
"""Version of the program; the build takes it from this line."""
LANGUAGE = 1
"""Version of the rules language; it grows where rules that were correct before mean something else."""
