"""Switches of the generated source."""

from __future__ import annotations

from msgspec import Struct


class Features(Struct, frozen=True, kw_only=True):
    """Features of the generated source, all on by default; tests and benchmarks switch single ones off.

    The meaning of the source does not depend on them. To switch one off:
    `msgspec.structs.replace(features, memo=False)`.
    """

    memo: bool = True
    """Values of definitions and loops that depend on their arguments alone are looked up in a memo."""
    hoist: bool = True
    """Expressions that are the same for all members of a loop are evaluated once a loop."""
    set_loops: bool = True
    """Loops of statements over sets are `for` loops."""
    slices: bool = True
    """Loops that only put numbers into neighbouring cells assign to all of them at once."""
    variables: bool = True
    """Variables of procedures that are under way are variables of Python, not cells."""
    occupancy: bool = True
    """The sets of places where something is are cells of the state; see `occupancy`."""


ALL_FEATURES = Features()
NO_FEATURES = Features(**dict.fromkeys(Features.__struct_fields__, False))
