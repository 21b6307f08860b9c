"""Tokens that are alike: of several, options name the first, under both backends."""

from __future__ import annotations

import random

import pytest
from barn import BARN, TURN
from worlds import Play, listed, take

from rulespec.engine.game.game import Game
from rulespec.language.orders import in_order, packed


def barn(play: Play, rules: str = TURN, private: str = "") -> Game:
    text = BARN.replace("{type: bool}PRIVATE", f"{{type: bool{private}}}")
    return play(rules + text)


def named(game: Game, name: str) -> list[str]:
    return [text for text in listed(game) if text.startswith(f"{name}(")]


def test_the_first_of_several_stands_for_all(play: Play) -> None:
    game = barn(play)
    assert named(game, "send") == ["send(ann_hen_1, east)", "send(ann_hen_1, west)"]
    assert named(game, "feed") == ["feed(ann_hen_1)", "feed(none)"]
    assert named(game, "pair") == ["pair(ann_hen_1, ann_hen_2)"]


def test_place_and_state_tell_them_apart(play: Play) -> None:
    game = take(barn(play), "send(ann_hen_1, east)", "send(bob_hen_1, east)", "stroke(ann_hen_2)", "show")
    assert named(game, "call_back") == ["call_back(ann_hen_1)", "call_back(bob_hen_1)"]
    assert named(game, "send") == [f"send(ann_hen_{n}, {f})" for n in (2, 3) for f in ("east", "west")]


@pytest.mark.parametrize("option", ["pick", "line_up"])
def test_who_is_named_by_state_is_nobodys_twin(play: Play, option: str) -> None:
    game = take(barn(play), f"{option}(ann_hen_1)", "show")
    assert named(game, "stroke") == ["stroke(ann_hen_1)", "stroke(ann_hen_2)"]


def test_a_set_tells_its_members_from_others(play: Play) -> None:
    game = take(barn(play), "gather(ann_hen_1)", "show", "gather(ann_hen_2)", "show")
    assert named(game, "stroke") == ["stroke(ann_hen_1)", "stroke(ann_hen_3)"]


def test_earlier_arguments_are_told_from_all_others(play: Play) -> None:
    game = take(barn(play), "stroke(ann_hen_1)", "show")
    assert named(game, "pair") == [
        "pair(ann_hen_1, ann_hen_2)",
        "pair(ann_hen_2, ann_hen_1)",
        "pair(ann_hen_2, ann_hen_3)",
    ]


def test_variables_tell_apart_as_long_as_they_may_be_read(play: Play) -> None:
    rules = """
procedure play():
    repeat at most 3:
        for p in player:
            turn(p)
procedure turn(p: player):
    choose favour(h in hen[p]) by p
    ask_about(p)
    set h.age to 9
    ask_about(p)
procedure ask_about(p: player):
    choose which(x in hen[p]) by p
    set x.tame to not x.tame
"""
    game = take(barn(play, rules), "favour(ann_hen_1)")
    assert listed(game) == ["which(ann_hen_1)", "which(ann_hen_2)"], "`h` will be aged"
    take(game, "which(ann_hen_1)", "which(ann_hen_1)")  # the second time `h` is distinguished by its age only
    assert listed(game) == ["favour(bob_hen_1)"]


def test_a_loop_tells_whose_turn_has_been_from_who_follows(play: Play) -> None:
    rules = """
procedure play():
    for h in hen:
        choose which(x in hen[h.player]) by h.player
        set x.age to 0
"""
    game = barn(play, rules)
    assert listed(game) == ["which(ann_hen_1)", "which(ann_hen_2)"]
    take(game, "which(ann_hen_1)")
    assert listed(game) == ["which(ann_hen_1)", "which(ann_hen_2)", "which(ann_hen_3)"]


def test_who_has_a_twin_listed_is_refused_with_it(play: Play) -> None:
    game = barn(play)
    option = game.parse("send(ann_hen_3, west)")
    assert not game.is_legal(option)
    for refusal in (game.why_not(option), game.why_not(option, "ann")):
        assert str(refusal) == "`send(ann_hen_1, west)` is listed instead: the tokens are alike"
    assert str(game.why_not(game.parse("pair(ann_hen_3, ann_hen_2)"))).startswith("`pair(ann_hen_1, ann_hen_2)` is")
    assert "alike" not in str(game.why_not(game.parse("send(bob_hen_2, west)")))


def test_chance_and_choices_taken_together_name_each(play: Play) -> None:
    rules = """
procedure play():
    chance fox:
        option takes(h in hen):
            set h.age to 9
    decide nest together by p in player:
        option hatch(h in hen[p]):
            set h.age to 1
    end game
"""
    game = barn(play, rules)
    assert len(listed(game)) == 6
    take(game, "takes(ann_hen_1)")
    assert len(listed(game)) == 3


@pytest.mark.parametrize(
    "private, visible",
    [
        (", private: true", [1, 3]),
        (', private: {to: "{}"}', [1, 2, 3]),
        (', private: {to: "{}", open: shown}', [1, 2, 3]),
        (', private: {to: "{p in player where p != hen.player}"}', [1, 2, 3]),
    ],
)
def test_what_the_decider_does_not_see_tells_nothing(play: Play, private: str, visible: list[int]) -> None:
    """Whatever is hidden, the list is the same."""
    for stroked in (False, True):
        game = barn(play, private=private)
        for hen in ("ann_hen_1", "ann_hen_2") if stroked else ():
            game.omniscient.set_value(f"{hen}.tame", "true")
        expected = visible if stroked or len(visible) == 3 else [1]
        assert named(game, "stroke") == [f"stroke(ann_hen_{n})" for n in expected]
    if "open" in private:
        take(game, "show", "show")
        assert named(game, "stroke") == ["stroke(ann_hen_1)", "stroke(ann_hen_3)"]


def test_a_secret_that_names_one_tells_nothing(play: Play) -> None:
    text = BARN.replace("PRIVATE", "").replace("pet: {type: hen?}", 'pet: {type: hen?, private: {to: "{}"}}')
    game = play(TURN + text)
    assert len(named(game, "stroke")) == 3


def test_an_exchange_of_two_is_another_position_and_undo_comes_back(play: Play) -> None:
    game = barn(play)
    before = game.hash
    take(game, "stroke(ann_hen_1)")
    game.undo()
    assert game.hash == before and named(game, "stroke") == ["stroke(ann_hen_1)"]


def exchanged(game: Game, kind: str, pairs: dict[int, int]) -> list[int]:
    """The state with tokens of a kind in one another's place."""
    p, state = game.omniscient.numbers.program, list(game.omniscient.numbers.cells)
    size = p.sizes[kind]
    to = {token: token for token in range(size)} | pairs
    free = sorted(set(range(size)) - set(to.values()))
    taken: set[int] = set()
    for token in sorted(to, key=lambda token: token not in pairs):  # those without a pair take what is left
        if to[token] in taken:
            to[token] = free.pop()
        taken.add(to[token])
    for at, cell in enumerate(p.cells):
        if cell.type == kind and state[at] >= 0 and cell.group != "rules":
            state[at] = to[state[at]]
        elif cell.type == f"set {kind}" and cell.group != "rules":
            state[at] = sum(1 << to[token] for token in range(size) if state[at] >> token & 1)
        elif cell.type == f"order {kind}" and cell.group != "rules":
            bits = size.bit_length()
            state[at] = packed([to[token] for token in in_order(state[at], bits)], bits)
    before = list(state)
    for first in p.alike[kind].fields:
        for token in range(size):
            state[first + to[token]] = before[first + token]
    return [value for value, cell in zip(state, p.cells, strict=True) if cell.group != "rules"]


@pytest.mark.sampled(1)
def test_what_is_left_out_leads_where_what_is_listed_leads(play: Play) -> None:
    """Each option that the rules allow is listed, or is one that is listed, but for an exchange of tokens."""
    game, every = barn(play), play(TURN + BARN.replace("PRIVATE", "").replace("alike: true", "alike: false"))
    rng, left_out = random.Random(7), 0
    for _ in range(120):
        if game.is_over or rng.random() < 0.03:
            game, every = game.copy(), every.copy()
            while game.is_over or (game.ply and rng.random() < 0.8):
                game.undo()
                every.undo()
        shown = listed(game)
        for option in every.legal_options:
            if str(option) in shown:
                continue
            left_out += 1
            number = game.parse(str(option)).kind.choice
            instead = game._position.standing(number, option.args)
            assert instead is not None
            other = next(o for o in game.legal_options if (o.kind.choice, o.args) == (number, instead))
            params = game.omniscient.numbers.program.decisions[game.omniscient.numbers.asked].choices[number].params
            pairs = {a: b for a, b, q in zip(option.args, instead, params, strict=True) if q.alike and a >= 0}
            one, two = every.copy(), every.copy()
            one.apply(option)
            two.apply(two.parse(str(other)))
            cells = game.omniscient.numbers.program.cells
            place = [v for v, cell in zip(two.omniscient.numbers.cells, cells, strict=True) if cell.group != "rules"]
            there = game.copy()
            there._position.write(dict(enumerate(one.omniscient.numbers.cells)))
            assert exchanged(there, "hen", pairs) == place
        taken = rng.choice(shown)
        take(game, taken)
        take(every, taken)
    assert left_out > 150
