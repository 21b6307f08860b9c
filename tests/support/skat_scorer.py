"""A scorer of Skat, independent of the ruleset: legal cards, winners of tricks, values of deals.

Cards are texts such as `clubs_jack`; players are letters for three seats in table order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

SEATS = "ABC"
SUITS = {"diamonds": 9, "hearts": 10, "spades": 11, "clubs": 12}
JACKS = ["clubs_jack", "spades_jack", "hearts_jack", "diamonds_jack"]
RANKS = ["ace", "ten", "king", "queen", "nine", "eight", "seven"]
NULL_RANKS = ["ace", "king", "queen", "jack", "ten", "nine", "eight", "seven"]
EYES = {"ace": 11, "ten": 10, "king": 4, "queen": 3, "jack": 2}
CARDS = [f"{suit}_{rank}" for suit in SUITS for rank in (*reversed(RANKS[3:]), "king", "ten", "ace", "jack")]
"""The cards in the order of the ruleset."""
BIDS = sorted(
    {base * factor for base in SUITS.values() for factor in range(2, 19)}
    | {24 * factor for factor in range(2, 12)}
    | {23, 35, 46, 59}
)
NULL_VALUES = {(False, False): 23, (True, False): 35, (False, True): 46, (True, True): 59}
"""Hand and ouvert → the value of a null game."""
LEVELS = {"plain": 0, "schneider": 1, "schwarz": 2, "ouvert": 2}


def rank(card: str) -> str:
    return card.split("_")[1]


def trumps(game: str) -> list[str]:
    """The trumps, highest first."""
    if game == "null_game":
        return []
    suit = game.removesuffix("_game")
    return JACKS + [f"{suit}_{one}" for one in RANKS if suit in SUITS]


def of_one_suit(led: str, game: str) -> list[str]:
    """All cards of the suit of a card, highest first."""
    if led in trumps(game):
        return trumps(game)
    suit = led.split("_")[0]
    return [f"{suit}_{one}" for one in (NULL_RANKS if game == "null_game" else RANKS)]


def may_follow(hand: set[str], led: str, game: str) -> set[str]:
    return hand & set(of_one_suit(led, game)) or hand


@dataclass
class Deal:
    """A deal as its moves: decision, seat, option and arguments of each."""

    dealer: str
    hands: dict[str, set[str]] = field(default_factory=lambda: {seat: set() for seat in SEATS})
    bid: int = 0
    declarer: str = ""
    picked_up: bool = False
    game: str = ""
    announced: str = "plain"
    skat: set[str] = field(default_factory=lambda: set(CARDS))
    own: set[str] = field(default_factory=set)
    won: dict[str, list[str]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    trick: list[tuple[str, str]] = field(default_factory=list)
    leader: str = ""

    def after(self, seat: str, steps: int = 1) -> str:
        return SEATS[(SEATS.index(seat) + steps) % 3]

    def dealt(self, card: str) -> None:
        seat = self.after(self.dealer, (32 - len(self.skat)) // 10 + 1)
        self.hands[seat].add(card)
        self.skat.remove(card)

    def discarded(self, cards: Iterable[str]) -> None:
        hand = self.hands[self.declarer]
        hand |= self.skat
        self.skat = set(cards)
        hand -= self.skat

    def begun(self) -> None:
        self.own = self.hands[self.declarer] | self.skat
        self.leader = self.after(self.dealer)

    def playable(self, seat: str) -> set[str]:
        hand = self.hands[seat]
        return may_follow(hand, self.trick[0][1], self.game) if self.trick else hand

    def played(self, seat: str, card: str) -> None:
        self.hands[seat].remove(card)
        self.trick.append((seat, card))
        if len(self.trick) == 3:
            order = trumps(self.game) + of_one_suit(self.trick[0][1], self.game)
            self.leader = min((one for one in self.trick if one[1] in order), key=lambda one: order.index(one[1]))[0]
            self.won[self.leader] += [card for _, card in self.trick]
            self.trick = []

    def is_over(self) -> bool:
        tricks = sum(map(len, self.won.values())) // 3
        return tricks == 10 or (self.game == "null_game" and bool(self.won[self.declarer]))

    def score(self) -> int:
        """The declarer's points for the deal."""
        taken = self.won[self.declarer]
        if self.game == "null_game":
            value = NULL_VALUES[not self.picked_up, self.announced == "ouvert"]
            return -2 * value if taken else value
        eyes = sum(EYES.get(rank(card), 0) for card in [*taken, *self.skat])
        order = trumps(self.game)
        held = [card in self.own for card in order]
        matadors = next((n for n, has in enumerate(held) if has != held[0]), len(order))
        level = LEVELS[self.announced]
        reached = 2 if len(taken) == 30 else 1 if eyes >= 90 else 0
        suffered = 2 if not taken else 1 if eyes <= 30 else 0
        factor = matadors + 1
        factor += not self.picked_up
        factor += max(level, reached, suffered) + level
        factor += self.announced == "ouvert"
        base = SUITS.get(self.game.removesuffix("_game"), 24)
        if base * factor < self.bid:
            return -2 * base * -(-self.bid // base)
        return base * factor if eyes > 60 and reached >= level else -2 * base * factor
