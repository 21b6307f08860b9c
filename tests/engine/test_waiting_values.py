"""Values of `roll` and `choose`, and the statements after them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from worlds import WORLD, Play, listed, run, take

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError


def asked(game: Game) -> tuple[str, str | None]:
    """The name of the open decision, and its decider."""
    assert game.decision is not None
    return game.decision.name, game.decision.by


def test_a_roll_is_a_chance_whose_result_is_known_to_the_end_of_the_block(play: Play) -> None:
    game = run(play, "roll throw(k in 1 .. 6)\nset n to k * 10")
    assert asked(game) == ("throw", None)
    assert listed(game) == [f"throw({k})" for k in range(1, 7)]
    take(game, "throw(4)")
    assert game.omniscient.value("n") == "40"


def test_a_roll_has_conditions_parameters_and_weights_as_options_have(play: Play) -> None:
    dice = "roll dice(a in 1 .. 3, b in a .. 3 where b != 3) weight 1 if a == b else 2\nset n to 10 * a + b"
    game = run(play, dice)
    assert listed(game) == ["dice(1, 1)", "dice(1, 2)", "dice(2, 2)"]
    weights = [game.omniscient.numbers.weight(o.kind.choice, o.args) for o in game.legal_options]
    assert weights == [1, 2, 1]
    assert take(game, "dice(1, 2)").omniscient.value("n") == "12"


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
    assert asked(game)[1] == "bob" and game.omniscient.value("n") == "2"
    assert game.omniscient.value("ash.owner") == "ann"


@pytest.mark.parametrize("around", ["repeat at most 3:", "for t in town where t.tax > 3:"])
def test_in_a_loop_the_result_of_the_last_time_is_forgotten_while_the_next_is_awaited(play: Play, around: str) -> None:
    game = run(play, f"{around}\n        roll throw(k in 1 .. 6)\n        set n to n + k")
    before = game.copy()
    take(game, "throw(4)")
    take(before, "throw(3)")
    apart = [
        i
        for i, (a, b) in enumerate(zip(game.omniscient.numbers.cells, before.omniscient.numbers.cells, strict=True))
        if a != b
    ]
    assert [game.omniscient.numbers.machine.p.cells[i].name for i in apart] == ["n"]
    take(game, "throw(1)", "throw(2)")
    assert game.omniscient.value("n") == "7"
    hashes = []
    while game.ply:
        hashes.append(game.hash)
        game.undo()
    assert game.omniscient.value("n") == "0" and len(set(hashes)) == 3


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
    assert game.omniscient.value("ash.mark") == "5"


def test_a_roll_stands_in_the_body_of_an_option_and_again_opens_the_decision_around_it(play: Play) -> None:
    rules = """
procedure turn(p: player):
    decide move by p:
        option hit(t in town):
            roll strength(k in 0 .. 1)
            if k == 0:
                ask again
            set t.owner to p
        option stay:
            pass
"""
    game = run(play, "for p in player where p.index == 0:\n        turn(p)", rules)
    take(game, "hit(oak)", "strength(0)")
    assert asked(game)[0] == "move"
    take(game, "hit(elm)", "strength(1)")
    assert game.omniscient.value("elm.owner") == "ann"
    assert asked(game)[0] == "rest"


# --- values of procedures

OPENS = """
procedure opens(t: town) -> bool:
    if t.tax < 5:
        return true
    roll throw(k in 1 .. 6)
    return k >= 4
"""


def test_a_procedure_asks_and_returns_a_value(play: Play) -> None:
    game = run(play, "for t in {oak, elm, ash}:\n        let open = opens(t)\n        set t.seen to open", OPENS)
    assert game.omniscient.value("oak.seen") == "true"
    take(game, "throw(3)", "throw(4)")
    assert [game.omniscient.value(f"{t}.seen") for t in ("oak", "elm", "ash")] == ["true", "false", "true"]


@pytest.mark.parametrize(
    "type_, value, shown",
    [
        ("int", "0 - 7", "-7"),
        ("money", "toll * 2", "4"),
        ("bool", "true", "true"),
        ("town", "fir", "fir"),
        ("town?", "none", "none"),
        ("town?", "first(t in town where t.tax > 5)", "ash"),
        ("set town", "{oak, fir}", "{oak, fir}"),
        ("player", "p", "bob"),
    ],
)
def test_a_value_is_of_any_type(play: Play, type_: str, value: str, shown: str) -> None:
    rules = f"""
procedure answer(p: player) -> {type_}:
    roll coin(k in 0 .. 1)
    set m to k
    return {value}
procedure turn(p: player):
    let x = answer(p)
    choose seen(k in 1 .. 2) by p
    set n to k if x == {value} else 0
"""
    game = run(play, "for p in player where p.index == 1:\n        turn(p)", rules)
    take(game, "coin(1)", "seen(2)")
    assert game.omniscient.value("n") == "2" and shown


def test_what_stands_to_the_left_is_found_when_the_procedure_has_come_back(play: Play) -> None:
    rules = """
procedure move_on() -> int:
    set few to 2
    return 5
"""
    game = run(
        play,
        "set few to 1\nset town_at(few).mark to move_on()",
        rules + "def town_at(k: int) -> town: first(t in town where t.index == k) ?? oak\n",
    )
    assert (game.omniscient.value("ash.mark"), game.omniscient.value("elm.mark")) == ("5", "8")


def test_values_are_handed_on(play: Play) -> None:
    rules = """
procedure inner(k: int) -> int:
    roll throw(d in 1 .. 6)
    return d * k
procedure outer(k: int) -> int:
    if k > 5:
        return inner(k)
    set n to inner(2)
    let rest = inner(3)
    return n + rest
"""
    game = run(play, "set m to outer(1)\nset n to outer(6)", rules)
    take(game, "throw(1)", "throw(2)")
    assert game.omniscient.value("m") == "8"
    take(game, "throw(5)")
    assert game.omniscient.value("n") == "30"
    cells = game.omniscient.numbers.machine.p.cells
    assert [game.omniscient.numbers.cells[i] for i, c in enumerate(cells) if c.name.startswith("value of ")] == [0, 0]


def test_a_value_that_has_been_taken_leaves_no_trace(play: Play) -> None:
    rules = """
procedure throw_twice() -> int:
    roll one(a in 1 .. 6)
    roll two(b in 1 .. 6)
    return a + b
procedure turn():
    let both = throw_twice()
    set n to n + both
"""
    game = run(play, "turn()", rules)
    other = game.copy()
    take(game, "one(2)", "two(5)")
    take(other, "one(6)", "two(1)")
    assert game.hash == other.hash and game.omniscient.numbers.cells == other.omniscient.numbers.cells
    game.undo()
    game.undo()
    assert game.omniscient.value("n") == "0"


def variant(rules: str) -> str:
    return f'--- variants/one.yaml\nid: one\ntitle: One\nfor: small\nversion: "1"\n--- variants/one.rules\n{rules}\n'


@pytest.mark.parametrize(
    "rules, shown",
    [
        ("replace procedure answer(k: int) -> int:\n    return k * 100", "700"),
        ("wrap procedure answer(k: int) -> int:\n    let x = original(k + 1)\n    return x + 1", "81"),
        ("wrap procedure answer(k: int) -> int:\n    if k > 9: return 1\n    return original(k + 1)", "80"),
    ],
)
def test_an_overlay_replaces_or_wraps_a_value(play: Play, rules: str, shown: str) -> None:
    text = f"""
procedure answer(k: int) -> int:
    return k * 10
procedure play():
    set n to answer(7)
    chance rest:
        option end:
            end game
{WORLD}{variant(rules)}"""
    assert play(text, overlays="+one").omniscient.value("n") == shown


def test_a_game_that_begins_with_a_procedure_that_has_a_value_ends_after_it(tmp_path: Path) -> None:
    folder = small(
        tmp_path / "small", "procedure play():\n    let x = opens(oak)\n    set oak.seen to x" + OPENS + WORLD
    )
    for backend in ("python", "interpreter"):
        game = Game(folder, ["ann", "bob"], backend=backend, start="opens(elm)")
        take(game, "throw(6)")
        values = [i for i, c in enumerate(game.omniscient.numbers.program.cells) if c.name.startswith("value of ")]
        assert game.is_over and [game.omniscient.numbers.cells[i] for i in values] == [0]
        fresh = Game(folder, ["ann", "bob"], backend=backend)
        fresh.omniscient.prepare("opens(oak)")
        assert fresh.hash == Game(folder, ["ann", "bob"], backend=backend).hash


# --- the only member of a set


@pytest.mark.parametrize(
    "expression, value",
    [
        ("the(t in town where t.tax == 7)", "ash"),
        ("the({elm})", "elm"),
        ("the(fir.near).tax", "9"),
        ("the(p in player where p.index == 1)", "bob"),
        ("the(t in town where t == the(u in town where u.twin is some))", "oak"),
    ],
)
def test_the_gives_the_only_member(play: Play, expression: str, value: str) -> None:
    game = run(play, f"let x = {expression}\nset n to 7 if x == {expression} else 0")
    assert (game.omniscient.value(expression), game.omniscient.value("n")) == (value, "7")


@pytest.mark.parametrize(
    "expression, message",
    [
        ("the(t in town where t.tax > n + 9)", "there must be exactly one (it finds none)"),
        ("the(t in town where t.tax > n + 5)", "there must be exactly one (it finds ash, fir)"),
        ("the(town)", "there must be exactly one (it finds oak, elm, ash, fir)"),
        (
            "(oak if the(town) in {the(t in town where t.tax > n + 9)} else elm)",
            "there must be exactly one (it finds oak, elm, ash, fir)",
        ),
        ("the(p in player where p.index >= n)", "there must be exactly one (it finds player 1, player 2)"),
    ],
)
def test_the_is_a_fault_where_there_is_none_or_several(play: Play, expression: str, message: str) -> None:
    rules = f"procedure try_it():\n    roll coin(k in 0 .. 1)\n    if k == 1:\n        set n to {expression}.index\n"
    game = run(play, "try_it()", rules)
    before = game.hash
    with pytest.raises(RulesetFaultError) as fault:
        take(game, "coin(1)")
    assert fault.value.diagnostic.message == message
    assert fault.value.diagnostic.span is not None and game.hash == before
    with pytest.raises(RulesetFaultError) as queried:
        game.omniscient.value(expression)
    assert queried.value.diagnostic.message == message
    take(game, "coin(0)")


def test_a_computed_seat_takes_a_decision(play: Play) -> None:
    rules = """
procedure turn(k: int):
    choose bring(t in town) by the(p in player where p.index == k)
    set t.seen to true
"""
    game = run(play, "turn(1)\nturn(0)", rules)
    assert asked(game) == ("bring", "bob")
    take(game, "bring(oak)")
    assert asked(game) == ("bring", "ann")


# --- sets that are known to have members


@pytest.mark.parametrize(
    "expression, value",
    [
        ("first(town).tax", "3"),
        ("first(t in town after ash).tax", "9"),
        ("first({fir, elm}).tax", "5"),
        ("first(t in {fir} | towns).tax", "9"),
        ("first(t in town by -t.tax).tax", "9"),
        ("first(reach(t from {ash}: t.near)).tax", "7"),
        ("first(towns)", "none"),
        ("min(t.tax for t in town)", "3"),
        ("max(t.tax - 10 for t in {elm, ash})", "-3"),
        ("max(p.index for p in player)", "1"),
        ("min(toll for p in player)", "2"),
    ],
)
def test_a_set_that_is_known_to_have_members_needs_no_fallback(play: Play, expression: str, value: str) -> None:
    assert run(play, "set n to 0").omniscient.value(expression) == value


def test_a_role_that_is_always_held_starts_with_the_first_player(play: Play) -> None:
    rules = """
procedure play():
    choose next_one(q in player) by emperor
    set emperor to q
    choose again_one(q2 in player) by emperor
    set emperor to q2
"""
    world = WORLD.replace(
        "  best: {type: player?}", "  best: {type: player?}\n  emperor: {type: player, start: first(player)}"
    )
    game = play(rules + world)
    assert game.omniscient.value("emperor") == "ann" and asked(game) == ("next_one", "ann")
    take(game, "next_one(bob)")
    assert asked(game) == ("again_one", "bob")
