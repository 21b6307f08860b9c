"""Words of the rules language that begin an expression, and so cannot be names in one."""

from __future__ import annotations

BEGIN_EXPRESSIONS = frozenset(
    ["all", "any", "count", "false", "first", "max", "min", "next", "none", "not", "reach", "sum", "true", "union"]
)
