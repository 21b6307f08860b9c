"""The random programs use every form of the language, none of them rarely."""

from __future__ import annotations

import pytest
from program_forms import forms, shares

from rulespec.syntax import ast

PROGRAMS = 60
LEAST = 0.05
BASES = {"Expr", "Item", "Stmt", "Name", "Struct", "Text"}
IN_OVERLAYS = {"Extend", "Remove"}
"""Forms that only overlays have; they are gone before there is a program."""


@pytest.fixture(scope="module")
def used_shares() -> dict[str, float]:
    return shares(PROGRAMS)


@pytest.mark.proof
def test_every_form_is_used(used_shares: dict[str, float]) -> None:
    used = {form.split(":")[0].split(" ")[0] for form in used_shares}
    assert {node.__name__ for node in ast.NODES} - used == BASES | IN_OVERLAYS


@pytest.mark.proof
def test_every_part_that_may_be_left_out_is_used(used_shares: dict[str, float]) -> None:
    parts = {(form.split(":")[0].split(" ")[0], form.rpartition(": ")[2]) for form in used_shares if ": " in form}
    told_apart = {"op", "word", "form", "order", "modifier", "span", "doc", "name"}
    told_apart.add("at_most")  # lowered to a condition and a fault, which are used; see `test_counted_work.py`
    wanted = {
        (node.__name__, field)
        for node in ast.NODES
        if node.__name__ not in BASES | IN_OVERLAYS
        for field in node.__struct_fields__
        if field not in told_apart
    }
    assert wanted - parts == set()


@pytest.mark.proof
def test_no_form_is_rare(used_shares: dict[str, float]) -> None:
    assert {form: share for form, share in used_shares.items() if share < LEAST} == {}


def test_forms_are_told_apart() -> None:
    rules = "def a(k: int) -> int: k if k > 1 else 2\nprocedure b():\n    if a(1) > 0: shuffle queue\n"
    assert {"Choice", "Binary >", "Rearrange shuffle", "Def: lets"} & forms(rules) == {
        "Choice",
        "Binary >",
        "Rearrange shuffle",
    }
