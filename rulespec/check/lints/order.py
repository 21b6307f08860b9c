"""The lints in order; they run only if there are no errors."""

from __future__ import annotations

from rulespec.check.lints.idle import check_comparisons, check_dead_options, check_idle
from rulespec.check.lints.leaks import check_leaks
from rulespec.check.lints.map import check_map
from rulespec.check.lints.set_ups import check_piles, check_set_ups
from rulespec.check.lints.stale import check_stale
from rulespec.check.lints.table_rows import check_missing_keys, check_table_rows
from rulespec.check.lints.unseen import check_unseen
from rulespec.check.unused import check_unused

LINTS = (
    check_unused,
    check_map,
    check_missing_keys,  # before `check_table_rows`, which skips tables reported here
    check_set_ups,
    check_piles,
    check_dead_options,  # before `check_comparisons`, which skips conditions reported here
    check_comparisons,  # before `check_idle`, which skips them as well
    check_idle,
    check_table_rows,
    check_stale,
    check_leaks,
    check_unseen,
)
"""All lints in order. A module with a single lint is named after it; a test verifies this."""
