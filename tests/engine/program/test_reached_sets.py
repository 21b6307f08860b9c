"""Definitions that look up several reached sets: their values are cached, so their calls are not inlined."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small

from rulespec.engine.game.machines import lowered
from rulespec.engine.passes.count_work import count_work
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.program import ir
from rulespec.engine.program.reached_sets import ReachedSets
from rulespec.engine.program.traversal import walk

POOLS = """
def flows(c: cell) -> set cell: {y for d in direction where not edge[c, d].wall for y in {c.to(d)}}
def pool(c: cell) -> set cell: reach(x from {c}: flows(x))
def land(c: cell) -> set cell: reach(x from {c}: x.near)
def alias(c: cell) -> set cell: pool(c)
def wide(c: cell) -> bool: count(pool(c)) > 3
def either(c: cell, k: int) -> int: count(pool(c)) if k > 3 else count(pool(c)) + 1 if k > 2 else k
def even(c: cell, e: cell) -> bool: count(pool(c)) == count(alias(e))
def wet(c: cell) -> int: count(y in pool(c) where y.owner is some)
def named(c: cell) -> int:
    let whole = pool(c)
    count(y in whole where y.owner is some)
def inner(p: player) -> int: count(c in cell where c.owner == p and wide(c))
def apart(c: cell, k: int) -> int: count(pool(c)) + count(y in cell where y.owner is some)
def dry(p: player) -> int: count(c in cell where c.owner == p)
def far(c: cell) -> int: count(y in land(c) where y.owner is some)
def once_more(c: cell) -> int: wet(c)
def twice(c: cell) -> int: wet(c) + 2 * wet(c)

procedure play():
    decide turn by first(player):
        option drain(c in cell where twice(c) + named(c) > either(c, 3) and (even(c, c) or wide(c))):
            set c.owner to first(player)
        option sell(c in cell where once_more(c) + apart(c, 1) + far(c) > 0):
            set c.owner to none
        option stop(n in 0 .. inner(first(player)) + dry(first(player))):
            pass

scoring p in player:
    score inner(p)
--- kinds.yaml
kinds:
  cell: {state: {owner: {type: "player?"}}}
  direction: {}
  edge: {product: [cell, direction], state: {wall: {type: bool}}}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..c, rows: 1..3}
    directions: {up: {step: [0, 1]}, down: {step: [0, -1]}, right: {step: [1, 0]}, left: {step: [-1, 0]}}
    links: {near: [up, down, right, left]}
"""


@pytest.fixture
def program(tmp_path: Path) -> ir.Program:
    return lowered(small(tmp_path / "pools", POOLS), 2, {})


def worth_caching(p: ir.Program) -> set[str]:
    reached = ReachedSets(p)
    return {f.name for number, f in enumerate(p.functions) if reached.is_worth_caching(number)}


def test_a_definition_with_several_look_ups_is_worth_caching(program: ir.Program) -> None:
    assert worth_caching(program) == {"even", "wet", "named", "inner", "twice"}


def test_it_stays_a_call_after_all_passes(program: ir.Program) -> None:
    p = optimized(count_work(program))
    called = {
        p.functions[part.function].name
        for d in p.decisions
        for c in d.choices
        for q in c.params
        for e in (*q.domain, *([q.where.expr] if q.where else []))
        for part in walk(e)
        if isinstance(part, ir.Call)
    }
    assert called >= {"twice", "named", "even", "wet", "inner"}
    assert not called & {"pool", "alias", "wide", "either", "once_more"}
