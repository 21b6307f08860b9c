"""Layouts of maps without positions: the same each time, and around what has one."""

from __future__ import annotations

import sys

import pytest
from limits import soon

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.graph_layout import MAX_NODES, count_crossings, laid_out

WHEEL = [(i, (i + 1) % 8) for i in range(8)] + [(i, 8) for i in range(8)]


def test_a_layout_is_the_same_each_time() -> None:
    assert laid_out(9, WHEEL, {}) == laid_out(9, WHEEL, {})


def test_a_plane_map_has_few_crossings() -> None:
    assert count_crossings(laid_out(9, WHEEL, {}), WHEEL) <= 2


def test_what_has_a_position_keeps_it() -> None:
    inputs = {0: (100.0, 100.0), 4: (500.0, 300.0)}
    result = laid_out(9, WHEEL, inputs)
    assert {i: result[i] for i in inputs} == inputs and len(result) == 9


@pytest.mark.parametrize("count", [1, 5, MAX_NODES + 1])
def test_places_without_links_stand_in_rows(count: int) -> None:
    result = laid_out(count, [], {})
    assert len(set(result.values())) == count


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(DiagnosticsError, match="RS556"):
        laid_out(9, WHEEL, {})


@pytest.mark.parametrize("count", [250, MAX_NODES, 2_000])
@pytest.mark.sampled(1)
def test_a_large_map_is_laid_out_in_bounded_time(count: int) -> None:
    wide = round(count**0.5)
    links = [(i, i + step) for i in range(count) for step in (1, wide) if i + step < count]
    with soon():
        assert len(set(laid_out(count, links, {}).values())) == count
