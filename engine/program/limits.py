"""Limits common to all machines, which make every run terminate."""

from __future__ import annotations

from rulespec import types

MAX_NUMBER = types.MAX_NUMBER
"""Largest number allowed in the state, in a payment, or as a product of two numbers."""
NO_NUMBER = types.NO_NUMBER
"""The number that represents none as an optional number."""
MAX_VALUE_STEPS = 10_000_000
"""Maximum steps of a query between two decisions: an invariant, the decider, the legality of an option, or points."""
MAX_START_STEPS = 3_000_000
"""Maximum steps of all start values of a game together."""
MAX_CHECK_STEPS = 3_000_000
"""Maximum steps of all checks of facts together, for all entities."""
MAX_SHOWN_STEPS = 20_000_000
"""Maximum steps of the texts and measures that a command prints, and of the expressions with which it reads a log."""
MAX_VALUES = 100_000
"""Maximum number of values of a numeric parameter."""
MAX_STEPS = types.MAX_STEPS
"""Maximum steps between two decisions."""
MAX_ONCE_STEPS = types.MAX_ONCE_STEPS
"""Maximum steps of a hypothetical call."""
CHECK_EVERY = 100_000
"""Number of steps between two checks of the journal's length."""
MAX_LISTED = 5_000_000
"""Maximum interpreter steps for listing the options of a decision; each value of a parameter is a step."""
LONG_JOURNAL = 200_000
"""Length beyond which a journal is compacted."""
