"""Mutants that break a shipped ruleset are refused and reported at their place; no edit makes the validator fail.

A few dozen of the mutants of `bench.mutants`, which tries thousands.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import GAMES

from bench.mutants import Bench, Outcome, copied, show
from bench.mutate import BREAKING, FREE, Mutant, misspell

COUNT = 24


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """The smallest ruleset that extends another, and what it extends."""
    with copied(GAMES):
        known = Bench()
        known.learn("tutorial")
        yield known


@pytest.fixture(scope="module")
def outcomes(bench: Bench) -> list[Outcome]:
    return [bench.run(number, *chosen) for number, chosen in enumerate(bench.mutants(COUNT, 5))]


@pytest.mark.proof
def test_no_mutant_makes_the_validator_or_the_game_fail(outcomes: list[Outcome]) -> None:
    assert [show(o) for o in outcomes if o.verdict == "failed"] == []


@pytest.mark.proof
def test_what_breaks_something_is_refused_and_told_where_it_stands(outcomes: list[Outcome]) -> None:
    breaking = [o for o in outcomes if o.mutant.breaks in BREAKING]
    assert {o.mutant.breaks for o in breaking} == set(BREAKING)
    assert [show(o) for o in breaking if not o.told] == []


@pytest.mark.proof
def test_what_may_be_legal_is_not_all_refused(outcomes: list[Outcome]) -> None:
    free = [o for o in outcomes if o.mutant.breaks == FREE]
    assert {o.verdict for o in free} > {"different"}


@pytest.mark.proof
def test_the_files_are_put_back_and_the_choice_is_fixed(bench: Bench, outcomes: list[Outcome]) -> None:
    assert all(
        Path(o.mutant.file).read_text("utf-8") == (GAMES.parent / o.mutant.file).read_text("utf-8") for o in outcomes
    )
    again = bench.mutants(COUNT, 5)
    assert [mutant for _, mutant in again] == [o.mutant for o in outcomes]
    assert all(o.ref in (ref, bench.alone(o.mutant.file)) for (ref, _), o in zip(again, outcomes, strict=True))


@pytest.mark.proof
def test_what_is_told_elsewhere_does_not_count(bench: Bench) -> None:
    file = "games/tutorial/kinds.yaml"
    start = Path(file).read_text("utf-8").index("reed_9")
    away = Mutant(file, start, start + 6, "reed_8", "rename", "name", frozenset({(file, 1)}))
    assert (bench.run(0, "tutorial", away).verdict, bench.run(0, "tutorial", away).told) == ("refused", False)


def test_the_name_of_a_roll_is_for_people() -> None:
    """So it may be another; a variable of it is named in the rules."""
    with copied(GAMES):
        known = Bench()
        known.learn("kuhn_poker")
        renamed = [m for _, m in known.all_mutants if m.operator == "rename" and m.file.endswith("play.rules")]
        classes = {Path(m.file).read_text("utf-8")[m.start : m.end]: m.breaks for m in renamed}
    assert classes["deal"] == FREE and classes["c"] == classes["winner"] == "name"


@pytest.mark.proof
def test_what_other_overlays_supersede_is_told_without_them() -> None:
    with copied(GAMES):
        known = Bench()
        known.learn("imperial")
        file = "games/imperial/variants/playimperial.yaml"
        start = Path(file).read_text("utf-8").index("20 money")
        line = Path(file).read_text("utf-8")[:start].count("\n") + 1
        mutant = Mutant(file, start, start + 8, "20", "reunit", "unit", frozenset({(file, line)}))
        outcome = known.run(0, known.refs[file][-1], mutant)
    assert (outcome.ref, outcome.verdict, outcome.told) == ("imperial+playimperial", "refused", True)


@pytest.mark.proof
def test_what_a_ruleset_puts_in_the_place_of_its_base_is_told_of_the_base(bench: Bench) -> None:
    file = "games/imperial/setup.yaml"
    text = Path(file).read_text("utf-8")
    start = text.index("factory_pieces - 12")
    site = frozenset({(file, text[:start].count("\n") + 1)})
    mutant = Mutant(file, start, start + len("factory_pieces - 12"), "{a: 1}", "retype", "type", site)
    outcome = bench.run(0, "tutorial", mutant)
    assert (outcome.ref, outcome.verdict, outcome.told) == ("imperial", "refused", True)


def test_rules_without_units_have_mutants_too() -> None:
    with copied(GAMES):
        known = Bench()
        known.learn("ludo")
        operators = {m.operator for _, m in known.all_mutants}
    assert "retype" in operators and "reunit" not in operators


def test_a_slip_is_another_word_that_nothing_has() -> None:
    assert misspell("fleet", {"flete"}) not in ("", "fleet", "flete")
    assert misspell("a", {"aa"}) == ""
