"""Spaces of actions: an option is one sequence of actions, and none begins another."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from cases import small
from learners import tables, walked
from parlour import PARLOUR
from shipped import NAMES, loaded
from worlds import WORLD

from rulespec.engine.game.game import Game
from rulespec.guests.action_game import Contract, IllegalActionError, Play, contract
from rulespec.guests.actions import ActionSpace, Form
from rulespec.language.paths import path_of

FORMS = {"connect_four": "options", "leduc_poker": "options", "backgammon": "words", "nim": "words"}


def sequences(play: Play) -> list[tuple[int, ...]]:
    """The actions of each legal option of the position."""
    asked, space = play.game.omniscient.numbers.asked, play.contract.actions
    return [space.sequence(asked, option.kind.choice, option.args) for option in play.game.legal_options]


def check_sequences(table: Contract, steps: int) -> None:
    names = table.actions.names
    assert len(set(names)) == len(names)
    for play in walked(table, 1, steps):
        listed = sorted(sequences(play))
        assert len(set(listed)) == len(listed)
        assert not [one for one, other in pairwise(listed) if other[: len(one)] == one]
        assert all(len(each) <= table.actions.longest for each in listed)
        assert play.mask.sum() == len(play.actions) > 0


@pytest.mark.parametrize("name", ["backgammon", "ludo", "acquire", "draughts"])  # with bags, and paths
def test_options_are_sequences_of_which_none_begins_another(name: str) -> None:
    for table in tables(name, every=False):
        check_sequences(table, 60)


@pytest.mark.parametrize("form", ["options", "words"])
def test_both_forms_take_each_option(form: Form) -> None:
    """The one option that a sequence of actions leads to is the one that it stands for."""
    table = contract(loaded("leduc_poker")[0], form=form)
    for play in walked(table, 2, 60):
        if play.words:
            continue
        for option, sequence in zip(list(play.game.legal_options), sequences(play), strict=True):
            twin = play.copy()
            for action in sequence:
                if twin.game.ply == play.game.ply and action in twin.actions:  # others are forced
                    twin.take(action)
            assert twin.game.history[-1] == option


def test_the_form_follows_from_the_number_of_options() -> None:
    assert {name: contract(loaded(name)[0]).actions.form for name in FORMS} == FORMS
    assert contract(loaded("connect_four")[0]).actions.names[0] == "drop(a1)"
    with pytest.raises(ValueError, match="use the form `words`"):
        contract(loaded("nim")[0], form="options")
    with pytest.raises(ValueError, match="no action form `option`: choose between options and words"):
        contract(loaded("nim")[0], form="option")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="`cap` must be at least 1"):
        contract(loaded("nim")[0], cap=0)


WIDE = """
--- rules/play.rules
procedure play():
    let most = 1500
    repeat at most 3:
        decide amount by first(player):
            option give(k in -2 .. most + 7, t in town or none):
                set m to k
            option rest(b in {corn, salt}):
                set most to 20
    end game
"""


def test_numbers_without_bounds_and_none_have_words(tmp_path: Path) -> None:
    table = Contract(Game(small(tmp_path / "small", WIDE + WORLD), ["A", "B"]))
    names = table.actions.names
    play = table.play()
    for text in ("give", "[number]", "[1]", "[5]", "[0]", "[7]", "[none]"):
        play.take(names.index(text))
    assert table.actions.form == "words" and str(play.game.history[0]) == "give(1507, none)"
    assert [names[action] for action in play.actions] == ["give", "rest"]
    play.take(names.index("rest"))
    assert [names[action] for action in play.actions] == ["good corn", "good salt"]


def test_every_value_of_every_type_has_its_own_words(tmp_path: Path) -> None:
    game = Game(small(tmp_path / "small", PARLOUR), ["A", "B"])
    space = ActionSpace(game, "words")
    assert space._vocabulary is not None
    values: list[tuple[str, int]] = [("set card", bits) for bits in range(16)]
    values += [("order card", order) for order in (0, 1, 2, 1 | 2 << 3, 2 | 1 << 3, 1 | 2 << 3 | 3 << 6)]
    values += [("path card", path_of(stops, 4)) for stops in ([0, 1], [0, 1, 0], [1, 0], [0, 0, 0], [3, 3])]
    values += [("bag card", bag) for bag in (0, 1, 2, 256, 257, 1 << 24)]
    values += [("int", number) for number in (0, 7, 99, 100, 101, 1001, -1, -10, 10**15)]
    for wanted in ("set card", "order card", "path card", "bag card", "int"):
        own = [value for type_, value in values if type_ == wanted]
        listed = sorted(space._vocabulary.sequence("rest", (wanted,), (value,)) for value in own)
        assert not [one for one, other in pairwise(listed) if other[: len(one)] == one]


def test_an_illegal_action_changes_nothing() -> None:
    play = contract(loaded("connect_four")[0]).play()
    with pytest.raises(IllegalActionError):
        play.take(41)
    assert play.game.ply == 0 and play.actions == [*range(7)]


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_every_table_has_sequences(name: str) -> None:
    for table in tables(name):
        check_sequences(table, 400)


@pytest.mark.parametrize("name", ["nim", "leduc_poker"])
def test_the_order_of_questions_makes_no_difference(name: str) -> None:
    """A first word that is forced is taken, whether anybody has looked at the mask before or not."""
    table = contract(loaded(name)[0], form="words")
    for play in walked(table, 3, 30):
        looked, other, taking = (Play(table, play.game.copy()) for _ in range(3))
        actions, seats = looked.actions, range(len(table.game.seats))
        for seat in seats:
            assert other.observation(seat).tobytes() == looked.observation(seat).tobytes()
            assert other.memory(seat) == looked.memory(seat)
        taking.take(actions[0])
