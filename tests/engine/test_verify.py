"""Programs are well-formed after they are lowered and after each pass; a broken one is found to be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

import pytest
from agreement import EVERY, EXAMPLES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from programs import programs, with_rules
from programs_seats import SETTINGS

from rulespec.engine.game.seating import check_settings
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.count_work import count_work
from rulespec.engine.passes.invariants import split
from rulespec.engine.passes.occupancy import with_occupancy
from rulespec.engine.passes.pipeline import PASSES
from rulespec.engine.program import ir
from rulespec.engine.program.verify import verify
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


def stages(p: ir.Program) -> Iterator[tuple[str, ir.Program, int]]:
    """The program as it was lowered and after each pass, with the number of its cells."""
    yield "lower", p, len(p.cells)
    for run in (count_work, split, *PASSES):
        p = run(p)
        yield run.__name__, p, len(p.cells)
    p, occupancy = with_occupancy(p)
    yield "with_occupancy", p, max(len(p.cells), occupancy.cells)


def breaks(ruleset: typed.Ruleset, seats: int, chosen: dict[str, str | int] | None = None) -> list[tuple[str, str]]:
    """The breaks in all stages of a program, each with the pass that has made it."""
    p = lower(ruleset, seats, check_settings(ruleset, chosen or {}))
    return [(name, each) for name, stage, cells in stages(p) for each in verify(stage, cells)]


@pytest.mark.parametrize("folder", EVERY, ids=[f.name for f in EVERY])
@pytest.mark.sampled(2)
def test_every_ruleset_is_well_formed_after_each_pass(folder: Path) -> None:
    ruleset = load_ruleset(str(folder))
    assert breaks(ruleset, min(ruleset.players[1], 8)) == []
    for each in (ruleset, *(load_ruleset(f"{folder}+{overlay}") for overlay in ruleset.offered)):
        assert breaks(each, each.players[0]) == []


@settings(
    max_examples=max(1, EXAMPLES * 2 // 5), deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
)
@given(text=programs(), seats=st.integers(2, 3), chosen=SETTINGS)
def test_random_programs_are_well_formed_after_each_pass(text: str, seats: int, chosen: dict[str, str | int]) -> None:
    assert breaks(with_rules(text), seats, chosen) == []


def test_a_fact_of_none_is_well_formed_until_its_branch_is_folded() -> None:
    rules = "def tax_of(t: town?) -> int: t?.tax ?? 0\nprocedure play():\n    set n to tax_of(none)\n"
    assert breaks(with_rules(rules), 2) == []


RULES = """
def twice(k: int) -> int: k + k
def every() -> int: sum(t.mark for t in town)

procedure play():
    for p in player:
        helper(2)
        decide act by p:
            option mark(t in town, k in 1 .. 2):
                require t.mark < twice(k)   "it is marked"
                set t.mark to k
            option stop:
                leave
procedure helper(k: int):
    set n to n + every() / k
"""
ZERO = ir.Const(0)


@pytest.fixture(scope="module")
def whole() -> ir.Program:
    ruleset = with_rules(RULES)
    return lower(ruleset, 2, check_settings(ruleset, {}))


def in_block(e: ir.Expr) -> Callable[[ir.Program], None]:
    """Puts an expression into a block."""
    return lambda p: p.blocks[p.main].body.append(ir.Store(ir.Cell(3, ZERO, 1), e, None, None, 0))


def ends(e: ir.Exit | None) -> Callable[[ir.Program], None]:
    """Ends the first block in another way."""

    def change(p: ir.Program) -> None:
        p.blocks[p.main].exit = e

    return change


def does(i: ir.Instruction) -> Callable[[ir.Program], None]:
    """Adds an instruction to a block."""
    return lambda p: p.blocks[p.main].body.append(i)


def option(**changes: object) -> Callable[[ir.Program], None]:
    """Changes the first parameter of the first option."""

    def change(p: ir.Program) -> None:
        (d,) = p.decisions
        first, *others = d.choices
        q = replace(first.params[0], **changes)
        p.decisions[0] = replace(d, choices=(replace(first, params=(q, *first.params[1:])), *others))

    return change


def recursive(p: ir.Program) -> None:
    p.functions[0] = replace(p.functions[0], body=ir.Call(0, (ZERO,) * p.functions[0].params))


def fold(op: str, **parts: ir.Expr) -> ir.Fold:
    every: dict[str, ir.Expr | None] = dict.fromkeys(("start", "where", "body", "default"))
    return ir.Fold(op, 0, ZERO, **(every | parts))


BROKEN: dict[str, tuple[Callable[[ir.Program], None], str]] = {
    "no such cell": (in_block(ir.Cell(99_999, ZERO, 1)), "no cell 99999"),
    "a cell beyond its size": (in_block(ir.Cell(3, ir.Const(1), 1)), "a cell beyond its size"),
    "no such array": (in_block(ir.Row(999, ZERO)), "no array 999"),
    "no such table": (in_block(ir.Lookup(999, ZERO, 0)), "no table 999"),
    "no such function": (in_block(ir.Call(999, ())), "no function 999"),
    "too many arguments": (in_block(ir.Call(0, (ZERO,) * 9)), "function 0 takes"),
    "an unbound slot": (in_block(ir.Local(0)), "slot 0 is not bound"),
    "a slot read in the set that is gone through": (
        in_block(replace(fold("count"), source=ir.Local(0))),
        "slot 0 is not bound",
    ),
    "a slot too high": (in_block(replace(fold("count"), slot=9_999)), "more slots than"),
    "an operator of too many": (in_block(ir.Op("neg", (ZERO, ZERO))), "neg of 2"),
    "no such operator": (in_block(ir.Op("xor", (ZERO, ZERO))), "no operator xor"),
    "a logic of one": (in_block(ir.Logic("??", (ZERO,))), "?? of 1"),
    "no such site": (in_block(ir.Op("/", (ZERO, ZERO), 99_999)), "no site 99999"),
    "a fold without a body": (in_block(fold("sum")), "sum without a body"),
    "a least one without a default": (in_block(fold("min", body=ZERO)), "default of min"),
    "a truth as a number": (in_block(ir.Const(True)), "True is no number"),
    "no such procedure": (in_block(ir.Suppose(0, 3, (), (), ZERO, 0)), "block 0 begins no such procedure"),
    "a recursive definition": (recursive, "it is recursive"),
    "no such block": (ends(ir.Goto(9_999)), "no block 9999"),
    "a case twice": (ends(ir.Switch(ZERO, ((1, 1), (1, 1)), 1)), "a case twice"),
    "a call that returns elsewhere": (ends(ir.Enter(1, 1, 3, usual=False)), "does not return by cell 3"),
    "no such decision": (ends(ir.Ask(7)), "no decision 7"),
    "no such ending": (ends(ir.End(99, None)), "no ending 99"),
    "a block without an exit": (ends(None), "has no exit"),
    "bounds the wrong way round": (does(ir.Store(ir.Cell(3, ZERO, 1), ZERO, 2, 1, 0)), "bounds 2 to 1"),
    "cleared beyond the last cell": (does(ir.Clear(3, 99_999)), "no cell 100001"),
    "a domain that reads itself": (option(low=ir.Local(0)), "slot 0 is not bound"),
    "numbers without a highest": (option(type="int"), "a domain of int"),
    "an argument without a cell": (option(cell=-1), "no cell -1"),
    "a slot of two parameters": (option(slot=1), "slot 1 of two parameters"),
    "a start too short": (lambda p: p.start.clear(), "a start for each cell"),
}


def test_an_unbroken_program_has_no_breaks(whole: ir.Program) -> None:
    assert verify(whole) == []


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_program_is_found_to_be_broken(whole: ir.Program, kind: str) -> None:
    p, (spoil, message) = deepcopy(whole), BROKEN[kind]
    spoil(p)
    assert any(message in each for each in verify(p)), verify(p)
