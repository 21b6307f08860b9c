"""Values that wait: what `roll` and `choose` ask, and what the statements after them know."""

from __future__ import annotations

import pytest
from worlds import WORLD, Play, listed, run, take

from rulespec.engine.game.game import Game


def asked(game: Game) -> tuple[str, str | None]:
    """The name of the open decision, and who decides."""
    assert game.decision is not None
    return game.decision.name, game.decision.by


def test_a_roll_is_a_chance_whose_result_is_known_to_the_end_of_the_block(play: Play) -> None:
    game = run(play, "roll throw(k in 1 .. 6)\nset n to k * 10")
    assert asked(game) == ("throw", None)
    assert listed(game) == [f"throw({k})" for k in range(1, 7)]
    take(game, "throw(4)")
    assert game.value("n") == "40"


def test_a_roll_has_conditions_parameters_and_weights_as_options_have(play: Play) -> None:
    dice = "roll dice(a in 1 .. 3, b in a .. 3 where b != 3) weight 1 if a == b else 2\nset n to 10 * a + b"
    game = run(play, dice)
    assert listed(game) == ["dice(1, 1)", "dice(1, 2)", "dice(2, 2)"]
    weights = [game.position.weight(o.kind.choice, o.args) for o in game.legal_options]
    assert weights == [1, 2, 1]
    assert take(game, "dice(1, 2)").value("n") == "12"


TURN = """
procedure turn(p: player):
    choose bring(t in town where t.tax > 3 "T-01: only far", k in 1 .. t.tax - 4) by p
    set t.owner to p
    set n to k
"""


def test_a_choice_is_a_decision_of_a_player_with_reasons(play: Play) -> None:
    game = play("procedure play():\n    for p in player:\n        turn(p)\n    end game\n" + TURN + WORLD)
    assert asked(game) == ("bring", "ann")
    assert listed(game)[:2] == ["bring(elm, 1)", "bring(ash, 1)"]
    refusal = game.why_not(game.parse("bring(oak, 1)"))
    assert refusal is not None and refusal.reason == "T-01: only far"
    take(game, "bring(ash, 2)")
    assert asked(game)[1] == "bob" and game.value("n") == "2"
    assert game.value("ash.owner") == "ann"


@pytest.mark.parametrize("around", ["repeat at most 3:", "for t in town where t.tax > 3:"])
def test_in_a_loop_the_result_of_the_last_time_is_forgotten_while_the_next_is_awaited(play: Play, around: str) -> None:
    game = run(play, f"{around}\n        roll throw(k in 1 .. 6)\n        set n to n + k")
    before = game.copy()
    take(game, "throw(4)")
    take(before, "throw(3)")
    apart = [i for i, (a, b) in enumerate(zip(game.position.cells, before.position.cells, strict=True)) if a != b]
    assert [game.position.machine.p.cells[i].name for i in apart] == ["n"]
    take(game, "throw(1)", "throw(2)")
    assert game.value("n") == "7"
    hashes = []
    while game.ply:
        hashes.append(game.hash)
        game.undo()
    assert game.value("n") == "0" and len(set(hashes)) == 3


def test_a_choice_that_has_been_made_is_known_not_to_be_none(play: Play) -> None:
    rules = """
choose pair(t in town where t.twin is some) by p
set t.twin.mark to 5
"""
    game = run(
        play,
        "for p in player where p.index == 1:\n        turn(p)",
        "procedure turn(p: player):\n" + "".join(f"    {line}\n" for line in rules.strip().split("\n")),
    )
    take(game, "pair(oak)")
    assert game.value("ash.mark") == "5"


def test_a_roll_stands_in_the_body_of_an_option_and_again_opens_the_decision_around_it(play: Play) -> None:
    rules = """
procedure turn(p: player):
    decide move by p:
        option hit(t in town):
            roll strength(k in 0 .. 1)
            if k == 0:
                again
            set t.owner to p
        option stay:
            pass
"""
    game = run(play, "for p in player where p.index == 0:\n        turn(p)", rules)
    take(game, "hit(oak)", "strength(0)")
    assert asked(game)[0] == "move"
    take(game, "hit(elm)", "strength(1)")
    assert game.value("elm.owner") == "ann"
    assert asked(game)[0] == "rest"
