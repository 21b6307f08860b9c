"""Mutants of rules: their generation, the restoration of the rules, and their detection by strong tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import small
from folders import GAMES, RULESETS

from bench.limit import at_most
from bench.mutate_typed import Mutator
from bench.rule_mutants import Outcome, Trial, table
from bench.typed_tree import planted
from rulespec.engine.lower.lowering import lower
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

NIM = RULESETS / "nim"
RULES = """\
def price(p: player, left: int) -> money:
    min(left, 3) * 2 money if p.cash > 4 else 1

procedure play():
    for p in player where p.cash > 0:
        decide shop by p:
            option buy:
                require p.cash >= price(p, 2)
                pay price(p, 2) from p.cash to bank
                if p.rival is some and p.rival != p:
                    set p.bought to p.bought + 1
            option leave_it:
                pass
--- kinds.yaml
kinds:
  player:
    state: {cash: {account: money}, rival: {type: player?}, bought: {type: int}}
accounts: {bank: {account: money, unlimited: true}}
--- setup.yaml
setup:
  accounts: {player.cash: 5}
"""
WEAK = """
--- scenarios/all.yaml
scenarios:
  - id: A.01
    title: Everybody buys
    when: ["A: buy", "B: buy"]
"""
STRONG = """
--- scenarios/all.yaml
scenarios:
  - id: A.01
    title: The price
    given: {set: {"A.rival": B}}
    then: {by: A, options: [buy, leave_it]}
"""


def keys(ruleset: typed.Ruleset) -> set[tuple[int, str, str]]:
    """The line, the operator and the new text of every mutant."""
    return {(m.span.line, m.operator, m.after) for m in Mutator(ruleset).mutants()}


def test_mutants_of_every_kind_of_rule(tmp_path: Path) -> None:
    result = keys(small(tmp_path, RULES))
    assert {
        (2, "min/max", "max(left, 3)"),
        (2, "constant", "4"),
        (2, "constant", "2"),
        (2, "comparison", "p.cash >= 4"),
        (2, "branches swapped", "1 if p.cash > 4 else min(left, 3) * 2 money"),
        (5, "where dropped", "without where p.cash > 0"),
        (5, "condition negated", "not (p.cash > 0)"),
        (7, "require dropped", "without require p.cash >= price(p, 2)"),
        (9, "source and target swapped", "from bank to p.cash"),
        (9, "statement dropped", ""),
        (11, "arithmetic", "p.bought - 1"),
    } <= result
    assert {text for _, operator, text in result if operator == "option dropped"} == {
        "without option buy",
        "without option leave_it",
    }


def test_nothing_is_used_that_may_be_none(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        decide go by p:
            option pass_on:
                let q = p.rival
                if q is some and p.bought == 0:
                    set q.bought to 1
                if p.rival is none:
                    set p.bought to 2
--- kinds.yaml
kinds:
  player:
    state: {rival: {type: player?}, bought: {type: int}}
"""
    result = keys(small(tmp_path, rules))
    assert not {operator for line, operator, _ in result if line == 6 and operator in ("and/or", "condition dropped")}
    assert (8, "condition negated", "not (p.rival is none)") in result


def test_no_number_is_assigned_that_the_field_cannot_hold(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        set p.left to 0
        set p.paid to 1 money
--- kinds.yaml
kinds: {player: {state: {left: {type: int 0..3}, paid: {type: money}}}}
"""
    results = {(line, after) for line, operator, after in keys(small(tmp_path, rules)) if operator == "constant"}
    assert results == {(3, "1"), (4, "0 money"), (4, "2 money")}


def test_a_loop_without_an_end_is_no_mutant(tmp_path: Path) -> None:
    rules = """\
procedure play():
    repeat:
        chance toss:
            option heads:
                pass
            option tails:
                end game
"""
    dropped = {line for line, operator, _ in keys(small(tmp_path, rules)) if operator == "statement dropped"}
    assert dropped == {2, 7}


def test_a_condition_that_names_its_value_is_no_else(tmp_path: Path) -> None:
    """`if … is some as …` is typed as a block that always runs, around the condition."""
    rules = RULES.replace("if p.rival is some and p.rival != p:", "if p.rival is some as rival:")
    mutants = Mutator(small(tmp_path, rules)).mutants()
    assert mutants and "else dropped" not in {each.operator for each in mutants}


def test_a_mutant_is_planted_and_taken_out(tmp_path: Path) -> None:
    ruleset = small(tmp_path, RULES)
    before = lower(ruleset, 2, {})
    for mutant in Mutator(ruleset).mutants():
        with planted(ruleset, mutant.edits, "x") as mutated:
            assert mutated.hash != ruleset.hash
            changed = lower(mutated, 2, {})
        assert lower(ruleset, 2, {}) == before
        if mutant.after == "max(left, 3)":
            assert changed != before


def test_an_included_option_is_one_place(tmp_path: Path) -> None:
    rules = """\
procedure play():
    for p in player:
        decide first_errand by p:
            include errands
        decide second_errand by p:
            include errands

options errands:
    option run:
        require p.left > 0
        set p.left to p.left - 1
    option rest:
        pass
--- kinds.yaml
kinds: {player: {state: {left: {type: int, start: 2}}}}
"""
    mutants = [m for m in Mutator(small(tmp_path, rules)).mutants() if m.operator == "require dropped"]
    assert [len(m.edits) for m in mutants] == [2]


@pytest.mark.parametrize("tests, survives", [(WEAK, True), (STRONG, False)])
def test_strong_tests_notice_what_weak_ones_do_not(tmp_path: Path, tests: str, survives: bool) -> None:
    trial = Trial(small(tmp_path, RULES + tests))
    number = next(i for i, m in enumerate(trial.mutants) if m.operator == "option dropped" and "leave" in m.after)
    outcome = trial.run(number)
    assert (outcome.verdict, outcome.by) == (("survived", "") if survives else ("killed", "A.01"))


def test_what_survives_is_tried_by_the_tests_of_an_heir(tmp_path: Path) -> None:
    trial = Trial(small(tmp_path / "small", RULES + WEAK))
    (tmp_path / "heir" / "scenarios").mkdir(parents=True)
    (tmp_path / "heir" / "game.yaml").write_text("id: heir\ntitle: Heir\nversion: '1'\nextends: ../small\n")
    (tmp_path / "heir" / "scenarios" / "all.yaml").write_text(STRONG.partition("\n--- scenarios/all.yaml\n")[2])
    heir = Trial(load_ruleset(str(tmp_path / "heir")))
    number = next(i for i, m in enumerate(trial.mutants) if m.operator == "option dropped" and "leave" in m.after)
    assert trial.run_with([], number).verdict == "survived"
    outcome = trial.run_with([heir], number)
    assert (outcome.verdict, outcome.by, outcome.number) == ("killed", "A.01", number)


def test_what_makes_the_same_program_does_not_count(tmp_path: Path) -> None:
    rules = """\
procedure play():
    if players > 0:
        end game
"""
    trial = Trial(small(tmp_path, rules))
    verdicts = {m.after: trial.run(i).verdict for i, m in enumerate(trial.mutants) if m.operator == "constant"}
    assert verdicts == {"-1": "equivalent", "1": "survived"}


def test_the_scenarios_and_the_log_of_a_small_ruleset(tmp_path: Path) -> None:
    trial = Trial(load_ruleset(str(NIM)), tmp_path / "kept.json")
    outcomes = [trial.run(number) for number in range(len(trial.mutants))]
    survivors = [str(o.mutant).partition(": ")[2] for o in outcomes if o.verdict == "survived"]
    assert survivors == ["constant: `stones` → `10`", "constant: `stones` → `8`"]  # a limit that no game reaches
    again = Trial(trial.ruleset, tmp_path / "kept.json")
    assert again.tests == trial.tests


@pytest.mark.proof
def test_the_scenarios_of_a_shipped_ruleset_notice_a_requirement_that_is_missing(tmp_path: Path) -> None:
    folder = shutil.copytree(GAMES / "tutorial", tmp_path / "tutorial", ignore=shutil.ignore_patterns("logs"))
    trial = Trial(load_ruleset(str(folder)), files="occupation.rules")
    outcomes = [trial.run(i) for i, m in enumerate(trial.mutants) if m.operator == "require dropped"]
    assert len(outcomes) > 5
    assert [str(o.mutant) for o in outcomes if o.verdict != "killed"] == []


def test_a_rate_leaves_out_what_is_equivalent() -> None:
    mutant = Mutator(load_ruleset(str(NIM))).mutants()[0]
    verdicts = ["killed", "timeout", "survived", "crashed", "equivalent", "killed"]
    text = table([Outcome(i, mutant, v) for i, v in enumerate(verdicts)], lambda o: "nim")
    assert text.splitlines()[-1].split() == ["all", "6", "2", "1", "1", "1", "1", "60.0%"]


def test_what_takes_too_long_is_ended() -> None:
    def busy() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError), at_most(0.05):
        busy()


def test_keys_are_turned_round_and_left_out(tmp_path: Path) -> None:
    rules = RULES.replace("p in player where p.cash > 0", "p in player where p.cash > 0 by -p.cash, p.bought")
    ruleset = small(tmp_path / "small", rules)
    results = [str(m).partition(": ")[2] for m in Mutator(ruleset).mutants() if m.operator.startswith("key")]
    head = "`p in player where p.cash > 0 by -p.cash, p.bought` → "
    assert results == [
        f"key dropped: {head}`without key -p.cash`",
        f"key dropped: {head}`without key p.bought`",
        f"key turned: {head}`by -(-p.cash)`",
        f"key turned: {head}`by -(p.bought)`",
    ]


WAITING = """\
procedure lucky(p: player) -> bool:
    if p.cash > 7:
        return true
    roll coin(side in 0 .. 1)
    if side == 0:
        return p.bought > 0
    else:
        return true

procedure play():
    for p in player:
        let twice = lucky(p)
        choose rival(q in player where q != p) by p
        set p.rival to q
        if twice:
            set p.bought to p.bought + 1
"""


def test_what_makes_a_variable_or_a_value_is_not_dropped(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", WAITING + "--- kinds.yaml" + RULES.partition("--- kinds.yaml")[2])
    mutants = Mutator(ruleset).mutants()
    dropped = [m.before for m in mutants if m.operator == "statement dropped"]
    assert [text.partition(" ")[0] for text in dropped] == ["for", "set", "if", "set"]
    assert not any(m.operator == "else dropped" for m in mutants)
    for mutant in mutants:
        with planted(ruleset, mutant.edits, "mutant") as changed:
            lower(changed, 2, {})


FORMS = """\
procedure play():
    shuffle queue
    add oak to queue
    for t in town by t.tax:
        take t from queue
    for p in player:
        turn(p)

procedure turn(p: player):
    decide move by any of player lead p:
        option go(t in best(u in town by u.tax)):
            set p.left to cheapest(x from {t} to y in x.near costs y.tax until y == elm, else 9)
        option look(t in reach(x from {oak} to y in x.near costs y.tax within 5)):
            set p.left to count(reach(x from {t}: x.near) & reach(x from {t} to y in town costs 1 within p.left))
    decide hop by p:
        option step(s in spot where s.to(up) is some):
            set p.left to count(ray(s, up))
        option wait:
            pass
    roll wind(force in 1 .. 3) weight force
    set p.left to force
--- kinds.yaml
kinds:
  town:
    facts: {tax: int, near: set town}
    entities: {oak: {tax: 3, near: [elm]}, elm: {tax: 5, near: [oak]}}
  player: {state: {left: {type: int}}}
state: {queue: {type: order town}}
--- boards.yaml
boards: {spot: {grid: {columns: a..c, rows: 1..3}, directions: {up: [0, 1]}}}
"""


def test_each_form_has_changes_of_its_own(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", FORMS)
    mutants = Mutator(ruleset).mutants()
    assert {
        (3, "add/take", "take oak from queue"),
        (4, "key dropped", "for t in town …"),
        (5, "add/take", "add t to queue"),
        (10, "any of dropped", "by p alone"),
        (10, "lead dropped", "any of player"),
        (11, "best dropped", "{u in town …}"),
        (12, "comparison", "y != elm"),
        (12, "cost of a step", "costs 1"),
        (13, "constant", "4"),
        (14, "reach dropped", "{t}"),
        (14, "bound", "within p.left - 1"),
        (15, "another decider", "by next(p)"),
        (16, "two steps", "s.to(up, 2)"),
        (17, "ray shortened", "{s.to(up)}"),
        (20, "weight dropped", "without weight force"),
    } <= {(m.span.line, m.operator, m.after) for m in mutants}
    assert [(m.operator, len(m.edits)) for m in mutants if m.span.line == 2] == [("statement dropped", 1)]
    before = lower(ruleset, 2, {})
    for mutant in mutants:
        with planted(ruleset, mutant.edits, "mutant") as changed:
            assert lower(changed, 2, {}) != before


def test_what_a_guard_demands_is_found_where_coverage_counts_it(tmp_path: Path) -> None:
    ruleset = small(
        tmp_path,
        RULES.replace(
            "                require p.cash >= price(p, 2)\n", "                needs affordable(p)\n"
        ).replace(
            "procedure play",
            "guard affordable(p: player):\n    require p.cash >= 2\n    cost 1 from p.cash to bank\n\nprocedure play",
        ),
    )
    anchors = {
        m.span.line: {line for _, line in m.anchors} for m in Mutator(ruleset).mutants() if m.span.line in (5, 6)
    }
    assert anchors == {5: {5}, 6: {6}}


TAKING = """\
procedure play():
    turns p in player from first(player) until all pass:
        decide taking by p:
            option take_some(lot in choose 1 .. 2 of token.heap):
                cost lot of token from heap to held[p]
            otherwise: pass turn
    end game as over
--- kinds.yaml
kinds: {colour: {entities: {red: {}, blue: {}}}}
pieces:
  token: {each: [colour], places: {heap: {}, held: {index: player}}}
--- setup.yaml
setup: {pieces: {token.heap: 2}}
"""


def test_a_form_that_stands_for_several_statements_is_changed_as_one(tmp_path: Path) -> None:
    """`turns` declares variables outside its loop, and a bag is moved by a loop of moves."""
    ruleset = small(tmp_path, TAKING)
    mutants = Mutator(ruleset).mutants()
    assert "statement dropped" in {mutant.operator for mutant in mutants}
    for mutant in mutants:
        with planted(ruleset, mutant.edits, mutant.after) as planted_one:
            lower(planted_one, 2, {})
