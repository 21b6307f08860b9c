"""Random numbers by seed: those that are published, without preference, and nothing but a function of their numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from rulespec.engine.program.draws import Draws, Stream, threshold, word

KNOWN = [
    # Rosetta Code, "Pseudo-random numbers/Splitmix64", and Vigna's splitmix64.c
    (
        1234567,
        [
            6457827717110365317,
            3203168211198807973,
            9817491932198370423,
            4593380528125082431,
            16408922859458223821,
        ],
    ),
    (0, [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B]),
    (2**64 - 1, [0xE4D971771B652C20, 0xE99FF867DBF682C9]),
]


@pytest.mark.parametrize("key, words", KNOWN)
def test_words_are_those_of_the_published_generator(key: int, words: Sequence[int]) -> None:
    assert [word(key, at) for at in range(len(words))] == words


def by_the_book(w: int, bound: int) -> int:
    """Lemire's method as the page of random numbers states it."""
    while (w * bound) % 2**64 < 2**64 % bound:
        w = word(w, 0)
    return w * bound >> 64


@pytest.mark.parametrize("bound", [2, 3, 7, 100, 2**32, 2**32 + 1, 2**62 + 1, 2**63 - 1, 2**63 + 1, 2**64 - 1])
def test_a_number_below_a_bound_is_that_of_the_page(bound: int) -> None:
    draws = Draws(5, 3)
    results = [draws.below(at, bound) for at in range(300)]
    assert results == [by_the_book(word(word(word(5, 0), 3), at), bound) for at in range(300)]
    assert min(results) >= 0 and max(results) < bound


def test_words_are_rejected_where_some_numbers_would_come_more_often() -> None:
    """With a bound of two thirds of all words, half of the numbers would come twice as often as the others."""
    bound = 2**65 // 3
    draws = Draws(1)
    taken_again = sum(draws.below(at, bound) != word(draws.key, at) * bound >> 64 for at in range(3_000))
    assert 900 < taken_again < 1_100
    odd = sum(draws.below(at, bound) % 2 for at in range(3_000))
    assert 1_400 < odd < 1_600


@pytest.mark.parametrize("bound", [2**64, 2**64 + 1, 2**70, 10**30, 2**130])
def test_bounds_beyond_a_word_take_more_words(bound: int) -> None:
    draws = Draws(9)
    results = [draws.below(at, bound) for at in range(400)]
    assert 0 <= min(results) < bound // 50 and bound - bound // 50 < max(results) < bound


@pytest.mark.parametrize("bound", [1, 0, -5])
def test_one_number_needs_no_word(bound: int) -> None:
    assert Draws(1).below(0, bound) == 0


@pytest.mark.parametrize("bound", [2, 3, 6, 10, 52])
def test_all_numbers_come_equally_often(bound: int) -> None:
    draws, tries = Draws(bound), 1_000 * bound
    results = Counter(draws.below(at, bound) for at in range(tries))
    chi = sum((results[number] - 1_000) ** 2 / 1_000 for number in range(bound))
    assert chi < bound + 5 * (2 * bound) ** 0.5


def test_weights_are_kept_in_proportion() -> None:
    draws = Draws(2)
    results = Counter(draws.weighted(at, [1, 0, 3, 2]) for at in range(6_000))
    assert {number: round(count / 1_000) for number, count in results.items()} == {0: 1, 2: 3, 3: 2}
    assert draws.weighted(0, [0, 0, 0]) == 2
    huge = Counter(draws.weighted(at, [10**20, 10**20]) for at in range(1_000))
    assert 440 < huge[0] < 560


def test_a_probability_is_kept_and_0_and_1_are_never_and_always() -> None:
    draws = Draws(3)
    assert 70 < sum(draws.happens(at, 1 / 50) for at in range(5_000)) < 130
    assert not any(draws.happens(at, 0) for at in range(5_000))
    assert all(draws.happens(at, 1) for at in range(5_000))
    assert (threshold(0), threshold(1)) == (0, 2**53)


def test_seeds_are_whole_numbers_of_any_size_and_sign() -> None:
    assert Draws(-1).key == Draws(2**64 - 1).key == Draws(-1 - 2**64).key
    assert Draws(np.int64(7), np.int64(8)).key == Draws(7, 8).key  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Draws("7")  # type: ignore[arg-type]


def test_no_two_games_of_some_seeds_have_the_same_key() -> None:
    keys = {Draws(seed, game).key for seed in range(-20, 20) for game in range(500)}
    assert len(keys) == 40 * 500


def test_games_of_neighbouring_seeds_and_numbers_have_nothing_in_common() -> None:
    """Each bit of the first words is set in half of the games, and differs in half of them from the next game's."""
    words = [word(Draws(seed, game).key, at) for seed in range(20) for game in range(50) for at in range(2)]
    steps = [one ^ other for one, other in zip(words, words[2:], strict=False)]
    for of in (words, steps):
        for bit in range(64):
            assert 0.42 < sum(each >> bit & 1 for each in of) / len(of) < 0.58


def test_a_stream_draws_something_else_each_time() -> None:
    stream, again = Stream(4), Stream(4)
    results = [stream.one_of(range(10**6)) for _ in range(100)]
    assert len(set(results)) > 90
    assert results == [again.one_of(range(10**6)) for _ in range(100)]
    assert 12 < sum(stream.likely(0.25) for _ in range(100)) < 38
