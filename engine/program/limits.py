"""Bounds of every machine: no ruleset runs without end."""

from __future__ import annotations

MAX_NUMBER = 10**15
"""Largest number in the state, in a payment or as a product of two numbers."""
MAX_VALUES = 100_000
"""Numbers that one parameter of an option may range over."""
MAX_STEPS = 1_000_000
"""Blocks between two decisions, and numbers that the parameters of one list of options range over together.

The checker bounds each loop, but the bounds multiply.
"""
CHECK_EVERY = 10_000
"""Blocks after which a machine checks its steps and the length of the journal."""
LONG_JOURNAL = 200_000
"""Entries of a journal from which on it is compacted."""
