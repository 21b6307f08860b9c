"""Words of the rules language that cannot be names where they begin something."""

from __future__ import annotations

BEGIN_EXPRESSIONS = frozenset(
    ["all", "any", "count", "false", "first", "max", "min", "next", "none", "not", "reach", "sum", "true", "union"]
)
"""Words that begin an expression: no names of what stands in one."""

BEGIN_STATEMENTS = frozenset(["add", "choose", "roll", "shuffle", "take"])
"""Words that begin a statement, and may be names of all but procedures."""

FUNCTIONS = frozenset(["best", "cheapest", "the"])
"""Words that mean something before a bracket only, and so cannot be names of definitions."""
