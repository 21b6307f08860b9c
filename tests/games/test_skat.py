"""Skat beside a scorer of its own: the same bids, cards and points in random deals; and no seat sees another's cards.

`make proof` plays 10,000 deals; RULESPEC_SKAT says how many.
"""

from __future__ import annotations

import itertools
import os
import random

import pytest
from skat_scorer import BIDS, CARDS, LEVELS, NULL_VALUES, SEATS, Deal

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset

DEALS = int(os.environ.get("RULESPEC_SKAT", "500"))
AT_ONCE = 36
"""The deals of one game: the most that the ruleset has."""
BATCH = 500


def arguments(option: Option) -> list[str]:
    return [
        word for word in str(option).partition("(")[2].strip(")").replace("{", "").replace("}", "").split(", ") if word
    ]


def listed(game: Game) -> list[str]:
    return sorted(map(str, game.legal_options))


def expected(deal: Deal, decision: str, seat: str) -> list[str] | None:
    """The legal options at a decision, where the scorer knows them."""
    if decision == "following":
        return sorted(f"follow({card})" for card in deal.playable(seat))
    if decision == "lead":
        assert seat == deal.leader
        return sorted(f"lead({card})" for card in deal.playable(seat))
    if decision == "discard":
        whole = sorted(deal.hands[seat] | deal.skat, key=CARDS.index)
        return sorted(f"discard({{{one}, {other}}})" for one, other in itertools.combinations(whole, 2))
    if decision == "announcement":
        by_hand = not deal.picked_up
        games = [f"{suit}_game" for suit in ("diamonds", "hearts", "spades", "clubs")] + ["grand"]
        legal = [f"announce({game}, {level})" for game in games for level in (LEVELS if by_hand else ["plain"])]
        nulls = {"plain": NULL_VALUES[by_hand, False], "ouvert": NULL_VALUES[by_hand, True]}
        return sorted(legal + [f"announce(null_game, {how})" for how, value in nulls.items() if value >= deal.bid])
    return None


def choose(game: Game, rng: random.Random) -> Option:
    """An option at random; bids go up a little, so that games are overbid at times only."""
    options = list(game.legal_options)
    assert game.decision is not None
    if game.decision.name == "bids":
        last = options[-1]
        return last if rng.random() < 0.4 else options[min(len(options) - 1, rng.choice((0, 0, 0, 1, 4)))]
    return rng.choice(options)


def follow(deal: Deal, decision: str, seat: str | None, option: Option) -> None:
    """Tells the scorer of a move."""
    name, args = str(option).partition("(")[0], arguments(option)
    match name:
        case "dealt":
            deal.dealt(args[0])
        case "say":
            deal.bid = int(args[0][1:])
        case "play_for_18":
            deal.bid = 18
        case "pick_up" | "play_by_hand":
            assert seat is not None
            deal.declarer, deal.picked_up = seat, name == "pick_up"
        case "discard":
            deal.discarded(args)
        case "announce":
            deal.game, deal.announced = args
            deal.begun()
        case "lead" | "follow":
            assert seat is not None
            deal.played(seat, args[0])


def play(rng: random.Random, deals: int) -> tuple[int, set[str]]:
    """Games with `deals` deals in all, each beside the scorer: how many were played to their end, and what occurred."""
    game = Game(load_ruleset("skat"), list(SEATS), {"deals": str(deals)})
    scores, dealer, played = dict.fromkeys(SEATS, 0), "A", 0
    seen: set[str] = set()
    deal = Deal(dealer)
    while game.decision is not None:
        decision, seat = game.decision.name, game.decision.by
        legal = expected(deal, decision, seat or "")
        if legal is not None:
            assert listed(game) == legal
        if decision == "bids":
            said = [int(text[5:-1]) for text in map(str, game.legal_options) if text.startswith("say")]
            assert said in ([], [bid for bid in BIDS if bid > deal.bid])
        option = choose(game, rng)
        game.apply(option)
        follow(deal, decision, seat, option)
        over = bool(deal.game) and deal.is_over()
        if over:
            points = deal.score()
            scores[deal.declarer] += points
            played += 1
            seen |= {
                deal.game,
                deal.announced,
                "won" if points > 0 else "lost",
                "picked up" if deal.picked_up else "by hand",
            }
        if over or str(option) == "throw_in":
            dealer = SEATS[(SEATS.index(dealer) + 1) % 3]
            deal = Deal(dealer)
            assert game.omniscient.measures()["score"] == scores
    return played, seen


def test_a_few_deals_are_as_the_scorer_says() -> None:
    played, _ = play(random.Random("skat"), AT_ONCE)
    assert played > 20


@pytest.mark.proof
@pytest.mark.parametrize("batch", range(max(1, DEALS // BATCH)))
def test_thousands_of_deals_are_as_the_scorer_says(batch: int) -> None:
    rng = random.Random(f"skat {batch}")
    played, seen = 0, set[str]()
    while played < min(BATCH, DEALS):
        more, what = play(rng, AT_ONCE)
        played, seen = played + more, seen | what
    assert {"grand", "null_game", "clubs_game", "ouvert", "schwarz", "won", "lost", "picked up", "by hand"} <= seen


def dealt(moves: str) -> Game:
    """A game after a deal of the cards in their order, to B, C and A, and moves."""
    game = Game(load_ruleset("skat"), list(SEATS))
    for text in [*(f"dealt({card})" for card in CARDS[:30]), "pass_on", "pass_on", "play_for_18", *moves.split()]:
        game.apply(game.parse(text))
    return game


HANDS = {"B": CARDS[:10], "C": CARDS[10:20], "A": CARDS[20:30]}
SKAT = CARDS[30:]


def answer(game: Game, seat: str, card: str, place: str) -> str:
    return game.omniscient.value(f"{card} in card.{place}", seat=seat)


@pytest.mark.parametrize("game, seen", [("grand,plain", False), ("grand,ouvert", True)])
def test_a_hand_is_seen_by_its_player_alone_unless_it_is_announced_to_be_open(game: str, seen: bool) -> None:
    played = dealt(f"play_by_hand announce({game})")
    for seat in SEATS:
        for other, cards in HANDS.items():
            known = seat == other or (seen and other == "B")
            assert [answer(played, seat, card, f"hand[{other}]") == "true" for card in cards] == [known] * 10
        assert [answer(played, seat, card, "skat") for card in SKAT] == ["?", "?"]
        assert not any(card in str(played.view(seat).history) for card in SKAT)


def test_the_declarer_alone_knows_the_skat_that_he_has_taken_up() -> None:
    game = dealt(f"pick_up discard({{{CARDS[0]},{SKAT[1]}}})")
    assert [answer(game, "B", card, "skat") for card in (CARDS[0], SKAT[1])] == ["true", "true"]
    for seat in "AC":
        assert [answer(game, seat, card, "skat") for card in (CARDS[0], SKAT[1])] == ["?", "?"]
        assert "B: discard(?)" in map(str, game.view(seat).history)
