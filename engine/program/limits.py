"""Limits of every machine, so that every run ends."""

from __future__ import annotations

from rulespec import types

MAX_NUMBER = types.MAX_NUMBER
"""Largest number in the state, in a payment or as a product of two numbers."""
NO_NUMBER = types.NO_NUMBER
"""None, where a number may be none."""
TOO_FULL = "there would be a number of more than 15 digits"
"""Fault of a payment or a move that leaves too much at one place."""
MAX_VALUE_STEPS = 10_000_000
"""Steps of a query between two decisions: an invariant, the decider, the legality of an option, points."""
MAX_START_STEPS = 3_000_000
"""Steps of all start values of a game."""
MAX_CHECK_STEPS = 3_000_000
"""Steps of all checks of facts, for all entities."""
MAX_SHOWN_STEPS = 20_000_000
"""Steps of the words and measures of everything a command prints, and of all expressions with which it reads a log."""
MAX_VALUES = 100_000
"""Numbers that one parameter of an option may range over."""
MAX_STEPS = types.MAX_STEPS
"""Steps between two decisions."""
MAX_ONCE_STEPS = types.MAX_ONCE_STEPS
"""The most steps of a procedure that is supposed to have run."""
CHECK_EVERY = 100_000
"""Steps after which a machine looks at the length of the journal."""
MAX_LISTED = 5_000_000
"""Steps of listing the options of a decision, as the interpreter counts them; a value of a parameter is one."""
LONG_JOURNAL = 200_000
"""Entries of a journal from which on it is compacted."""
