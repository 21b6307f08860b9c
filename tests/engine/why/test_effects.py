"""Effects: each change of a game has its statement and its numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import SHIPPED

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import TakenBack
from rulespec.engine.logs.samples import samples
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.why import Why


def changed(before: Game, after: Game) -> dict[int, tuple[int, int]]:
    """The cells of the declared state that differ between two positions."""
    program = after.omniscient.program
    old, new = before.omniscient.numbers.cells, after.omniscient.numbers.cells
    return {at: (old[at], new[at]) for at in program.declared if old[at] != new[at]}


def unexplained(answer: Answer, changes: dict[int, tuple[int, int]]) -> set[int]:
    """The cells whose changes do not follow from the statements of an answer, one after the other."""
    values = {at: before for at, (before, _) in changes.items()}
    for statement in answer.answers:
        assert statement.span is not None and statement.owner and statement.subject
        for change in statement.changes:
            if change.cell in values:
                assert values[change.cell] == change.before
                values[change.cell] = change.after
    return {at for at, (_, after) in changes.items() if values[at] != after}


def log_of(folder: Path) -> Path:
    """A sample log of a ruleset: of a random game, if second is one."""
    logs = {name: path for name, path in samples(folder).items() if "/" not in name}
    return next((path for name, path in logs.items() if "random" in name), next(iter(logs.values())))


LIGHT = ("nim", "leduc_poker")
CASES = [pytest.param(f, id=f.name, marks=[] if f.name in LIGHT else pytest.mark.proof) for f in SHIPPED]


@pytest.mark.parametrize("folder", CASES)
def test_each_change_of_a_recorded_game_has_its_statement_and_its_numbers(folder: Path) -> None:
    result = replay_log(log_of(folder), rules=str(folder))
    assert result.divergence is None
    game, statements = restarted(result.game), 0
    for move in result.moves:
        if isinstance(move, TakenBack):
            game.omniscient.take_back(move)
            continue
        before = game.copy()
        game.apply(move)
        answer = Why(game, OMNISCIENT).effects()
        assert unexplained(answer, changed(before, game)) == set(), (move, answer)
        for statement in answer.answers:
            assert statement.verdict is True
            statements += bool(statement.conditions)
            check_numbers(statement)
    assert statements


def check_numbers(statement: Answer) -> None:
    """A payment of a number moves so much."""
    if statement.subject.startswith(("pay ", "move ", "cost ")) and statement.conditions[0].type == "int":
        amount = statement.conditions[0].value
        assert {abs(change.after - change.before) for change in statement.changes} == {amount}
