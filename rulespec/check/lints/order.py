"""The lints in order, which run only if there are no errors."""

from __future__ import annotations

from rulespec.check.lints.comparisons import check_comparisons
from rulespec.check.lints.dead_options import check_dead_options
from rulespec.check.lints.idle import check_idle
from rulespec.check.lints.leaks import check_leaks
from rulespec.check.lints.map import check_map
from rulespec.check.lints.missing_keys import check_missing_keys
from rulespec.check.lints.piles import check_piles
from rulespec.check.lints.set_ups import check_set_ups
from rulespec.check.lints.stale import check_stale
from rulespec.check.lints.table_rows import check_table_rows
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
"""All lints in order, each defined in a module of its name, as a test verifies."""
