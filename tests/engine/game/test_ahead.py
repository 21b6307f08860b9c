"""Options made without the values of hidden cells, beside the same step by step, and beside what comes of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from proofs import proofs_but
from secret_games import HIDING, played, sabotaged
from shipped import loaded

from rulespec.engine.game import ahead as ahead_module
from rulespec.engine.game.ahead import Ahead, _step_by_step, ahead
from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.option import Option
from rulespec.engine.program.blanks import NO_SET, BlankError, PublicSum, Unknown, UnknownSet, blanked, filled, is_blank
from rulespec.engine.program.limits import MAX_NUMBER

USES: list[Callable[[int], object]] = [
    *(
        lambda v: v + 1 > 0,
        lambda v: 1 - v == 0,
        lambda v: v == 0,
        lambda v: v != 0,
        lambda v: v < 1,
        lambda v: -v,
        lambda v: ~v,
    ),
    *(lambda v: [0][v], lambda v: {0: 0}[v], lambda v: v in (0, 1), lambda v: 1 << v, lambda v: v & 1, lambda v: not v),
    *(
        lambda v: range(v),
        lambda v: v.bit_length(),
        lambda v: f"{v}",
        lambda v: max(v, 0),
        lambda v: sum([v]) < 2,
        bool,
        hash,
    ),
]


@pytest.mark.parametrize("use", USES)
def test_a_blank_can_only_be_moved(use: Callable[[int], object]) -> None:
    state = blanked([7, 8], cells(1))
    with pytest.raises(BlankError):
        use(state[1])
    copied = [state[1], state[0]]
    assert is_blank(copied[0]) and copied[1] == 7


def test_a_blank_that_is_paid_into_is_still_blank() -> None:
    """The largest number is no news of an account: every value in a cell is within it."""
    state = blanked([7, 8], cells(1))
    for paid in (state[1] + 2, 2 + state[1], state[1] - 2):
        assert is_blank(paid) and paid is not state[1] and not paid > MAX_NUMBER
        with pytest.raises(BlankError):
            assert paid > 10
    state[1] += 2
    assert filled(state, [7, 8], [1], [1]) == {1} and state == [7, 8]


def test_two_blanks_are_not_equal() -> None:
    state = blanked([7, 7], cells(0, 1))
    with pytest.raises(BlankError):
        assert state[0] in (state[1], 2)


def test_a_token_in_a_hidden_place_is_in_no_place_that_all_see() -> None:
    state = blanked([0, 1], Unknown(frozenset({0, 1}), dict.fromkeys((0, 1), frozenset({0, 1}))))
    assert is_blank(state[0]) and (state[0] == 2, state[0] == 3, state[0] != 2) == (False, False, True)
    assert (state[0] < 2, state[0] >= 2, state[0] > 1) == (True, False, False)
    uses: tuple[Callable[[int], object], ...] = (lambda v: v == 1, lambda v: v > 0, lambda v: v == state[1], hash)
    for use in uses:
        with pytest.raises(BlankError):
            use(state[0])


def cells(*numbers: int) -> Unknown:
    return Unknown(frozenset(numbers), {})


SET_USES: list[Callable[[Any], object]] = [
    *(lambda v: v & 4, lambda v: v | 4, lambda v: v >> 1, lambda v: v == 4, lambda v: v.bit_length()),
    *(lambda v: v in {0: 0}, lambda v: v > 0, lambda v: [0][v]),
]


def test_an_unknown_set_can_only_be_given_members() -> None:
    state = blanked([7, 8], cells(), sets={1: NO_SET})
    state[1] ^= 4
    assert is_blank(state[1])
    uses: list[Callable[[Any], object]] = [lambda v: v.bit_count(), lambda v: v == 0, lambda v: v != 0, bool]
    for use in [*SET_USES, *uses]:
        with pytest.raises(BlankError):
            use(state[1])


def test_of_a_set_with_a_public_number_only_the_number_is_known() -> None:
    state: list[Any] = blanked([0b0111], cells(), sets={0: UnknownSet(0b0001, 0b1110, 2)})
    assert (state[0].bit_count(), bool(state[0]), state[0] == 0, state[0] != 0) == (3, True, False, True)
    for use in SET_USES:
        with pytest.raises(BlankError):
            use(state[0])
    state[0] ^= 0b10000
    assert state[0].bit_count() == 4
    state[0] ^= 1
    assert state[0].bit_count() == 3
    state[0] ^= 0b10  # whether it was there is unknown
    with pytest.raises(BlankError):
        state[0].bit_count()


def test_piles_with_a_public_sum_tell_only_the_sum_of_all() -> None:
    total, other = PublicSum(frozenset({0, 2}), 5), PublicSum(frozenset({3, 4}), 1)
    state: list[Any] = blanked([2, 9, 3, 0, 1, 7], cells(0, 2, 3, 4, 5), [total, other])
    assert sum(state[0:3:2]) == 5 and state[0] + 4 + state[2] - 1 == 8 and 1 + sum(state[3:5]) == 2
    parts = state[0] + 1, state[0] + state[0], state[0] + state[3], state[0] + state[5], state[0] - state[2]
    for value in [*parts, 1 - state[0], sum([*state[0:3:2], state[0]])]:
        if type(value) is not int:
            with pytest.raises(BlankError):
                assert value == 5
    assert is_blank(parts[0]) and is_blank(parts[1]) and is_blank(parts[2]) and is_blank(parts[3])
    state[0] += 4  # four cards are put there
    assert sum(state[0:3:2]) == 9


def test_few_tiles_are_walked_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hidden tile is in no place of the board, so no tile is placed step by step."""
    game, luck, slow = Game(loaded("acquire")[0], ["A", "B", "C"]), random.Random(5), list[int]()

    def counted(game: Game, option: Option, unknown: Unknown) -> Ahead:
        slow.append(game.ply)
        return _step_by_step(game, option, unknown)

    monkeypatch.setattr(ahead_module, "_step_by_step", counted)
    asked = 0
    while asked < 30 and game.decision is not None:
        option = luck.choice(list(game.legal_options))
        if game.decision.name in ("placing", "founding") and option.by is not None:
            asked += 1
            assert ahead(game, option, option.by).whole
        game.apply(option)
    assert asked == 30 and len(slow) <= 1


def test_the_only_choice_of_a_round_is_known_to_who_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """One player of three votes on an emperor, and knows what comes of it."""
    game, luck = Game(loaded("shadow_of_the_emperor")[0], ["A", "B", "C"]), random.Random(5)
    while game.decision is None or game.decision.name != "ballot":
        game.apply(luck.choice(list(game.legal_options)))
    monkeypatch.setattr(ahead_module, "_step_by_step", lambda *_: pytest.fail("step by step"))
    for option in game.legal_options:
        assert option.by is not None and ahead(game, option, option.by).whole


def test_what_is_still_unknown_has_its_old_value_and_no_other_cell_has_it() -> None:
    state = blanked([7, 8, 9], cells(1, 2))
    state[2] = 5
    assert filled(state, [7, 8, 9], [1, 2], [2]) == {1} and state == [7, 8, 5]
    state = blanked([7, 8, 9], cells(1))
    state[0] = state[1]
    with pytest.raises(BlankError):
        filled(state, [7, 8, 9], [1], [0])


def asked(ref: str, seed: int) -> Iterator[tuple[Game, str, Option]]:
    """Positions of a random game, each with a seat that decides and an option."""
    game = played(ref, seed, 50)
    every = game.ply // 10 + 1
    while game.ply:
        game.undo()
        if game.ply % every:
            continue
        decision = game.decision
        if decision is not None and decision.by is not None and not decision.together:
            options = list(game.legal_options)
            yield game_at(game, game.omniscient.numbers.cells), decision.by, options[game.ply % len(options)]


def unknown_of(game: Game, seat: str) -> Unknown:
    visibility, number = game.omniscient.visibility, game.seats.index(seat)
    guarded = visibility.guarded(game.omniscient.numbers.state, number)
    return Unknown(guarded.unseen, visibility.hiding.places(guarded, number))


def known(of: Ahead) -> list[int | None]:
    """The cells after an option that its author knows."""
    hidden = of.unseen - of.stored
    return [None if at in hidden else value for at, value in enumerate(of.after)]


@pytest.mark.parametrize("ref", proofs_but([*HIDING, "shadow_of_the_emperor"], "leduc_poker", "tutorial"))
def test_an_option_without_hidden_values_has_the_effects_that_it_has_step_by_step(ref: str) -> None:
    compared = whole = 0
    for seed in range(2):
        for game, seat, option in asked(ref, seed):
            quick, slow = ahead(game, option, seat), _step_by_step(game, option, unknown_of(game, seat))
            compared += 1
            assert quick.whole or not slow.whole
            if not slow.whole:
                continue
            whole += 1
            shown = game.omniscient.program.declared
            assert [known(quick)[at] for at in shown] == [known(slow)[at] for at in shown], option
            after = game.copy()
            after.apply(option)
            cells = after.omniscient.numbers.cells
            assert all(value in (None, cells[at]) for at, value in enumerate(known(quick)) if at in shown), option
    assert compared > 3 and whole


@pytest.mark.parametrize("ref", proofs_but(HIDING, "leduc_poker", "tutorial"))
def test_an_option_without_hidden_values_is_the_same_whatever_they_are(ref: str) -> None:
    other, changed = played(ref, 7, 49), 0
    for game, seat, option in asked(ref, 1):
        twin = sabotaged(game, seat, other)
        one, two = ahead(game, option, seat), ahead(twin, option, seat)
        assert (one.whole, one.unseen, one.stored, known(one)) == (two.whole, two.unseen, two.stored, known(two)), (
            option
        )
        changed += twin.omniscient.numbers.cells != game.omniscient.numbers.cells
    assert changed
