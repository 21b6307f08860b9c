"""Switches for the generated source."""

from __future__ import annotations

from msgspec import Struct


class Features(Struct, frozen=True, kw_only=True):
    """Features of the generated source, all on by default; tests and benchmarks switch single ones off.

    They do not affect the meaning of the source. To switch one off: `msgspec.structs.replace(features, memo=False)`.
    """

    memo: bool = True
    """Memoised values of definitions and loops that depend only on their arguments."""
    hoist: bool = True
    """Loop-invariant expressions, evaluated once per loop."""
    set_loops: bool = True
    """Statement loops over sets, written as `for` loops."""
    slices: bool = True
    """Slice assignments, instead of loops that only write numbers to adjacent cells."""
    variables: bool = True
    """Variables of active procedures in Python variables instead of cells."""
    occupancy: bool = True
    """Occupancy sets, maintained in cells of the state; see `occupancy`."""


ALL_FEATURES = Features()
NO_FEATURES = Features(**dict.fromkeys(Features.__struct_fields__, False))
