"""Variations and opinions on a replay page: alternative moves, and a bot's opinion of each decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from rulespec.engine.bots.opinions import TURNS, Opinion, expectation, loss
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.logs.variations import Anchored
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.replay.shown_variations import shown_variations
from rulespec.engine.replay.told_variations import Teller
from rulespec.engine.words.words import Words

MAX_TURNS = 12
"""The maximum number of turning points listed."""


class StudyParts(Struct, frozen=True):
    """Optional parts of a replay page.

    Attributes:
        variations: variations in addition to those in the log.
        bot: the bot that gives the opinions.
        opinions: the opinions on decisions that were not undone.
        about: the line below the title; "" means the line for the log.
        at_end: whether the page opens at the last position.
    """

    variations: tuple[Anchored, ...] = ()
    bot: str = ""
    opinions: tuple[Opinion, ...] = ()
    about: str = ""
    at_end: bool = False


class VariationRows:
    """The variations of a page, by the position where they start.

    Args:
        result: the replay.
        seat: the reader, as in `told_replay`.
        visible: the indices of the page's moves among the replay's moves.
        more: variations in addition to those in the log.
    """

    def __init__(
        self, result: ReplayResult, seat: str | None, visible: Sequence[int], more: Sequence[Anchored]
    ) -> None:
        rows = {number: row for row, number in enumerate([*visible, len(result.moves)])}
        self._of: dict[int, list[Anchored]] = {}
        for each in [*shown_variations(result, seat), *more]:
            if each.after in rows:
                self._of.setdefault(rows[each.after], []).append(each)
        self._plays = seat == OMNISCIENT
        self._games: dict[int, Game] = {}

    def note(self, number: int, game: Game) -> None:
        """Stores a copy of the game after the page's first `number` moves, if a variation starts there."""
        if number in self._of:
            self._games[number] = game.copy()

    def rows(
        self, words: Words, names: Mapping[str, str], drawn: Callable[[Game], int]
    ) -> dict[str, list[dict[str, Any]]]:
        """The variations by position number; `drawn` draws a position of a variation and returns its number."""
        teller = Teller(words, names, plays=self._plays, drawn=drawn)
        return {
            str(number): [teller.tell(self._games[number], each.variation, each.by).to_json() for each in of]
            for number, of in sorted(self._of.items())
            if number in self._games
        }


class OpinionRows:
    """A bot's opinions on a page, by move.

    Args:
        parts: the parts of the page.
        game: the game of the page.
        standing: the row on the page of each decision that was not undone.
        words: the words of the page.
    """

    def __init__(self, parts: StudyParts, game: Game, standing: Sequence[int], words: Words) -> None:
        self._bot, self._words = parts.bot, words
        self._stakes = game.omniscient.program.stakes
        self._secretive = game.omniscient.secretive
        self._names = game.shown_names
        self._of = {standing[each.ply]: each for each in parts.opinions if each.ply < len(standing)}

    def of(self, number: int, option: Option | None) -> str:
        """The opinion on a move of the page; "" if there is none."""
        opinion = self._of.get(number)
        if opinion is None or option is None:
            return ""
        of_best = expectation(opinion.of_best, self._stakes)
        if str(opinion.best) == str(option):
            return self._words.word("opinion_same", bot=self._bot, best=of_best)
        said = {"bot": self._bot, "option": opinion.text, "best": of_best}
        if opinion.expected is None:
            return self._words.word("opinion_untried", **said)
        expected = expectation(opinion.expected, self._stakes)
        return self._words.word("opinion_other", **said, taken=expected, loss=loss(opinion.loss, self._stakes))

    def to_json(self, texts: Sequence[str]) -> dict[str, Any] | None:
        """The turning points of the game, costliest first, with the given texts of their moves."""
        if not self._bot:
            return None
        costly = sorted((each.loss, number) for number, each in self._of.items() if each.loss >= TURNS)[::-1]
        turns = [[n + 1, self._turn(texts[n], of, self._of[n].seat)] for of, n in costly[:MAX_TURNS]]
        head = self._words.word("opinion_head", bot=self._bot)
        basis = self._words.word("opinion_seen" if self._secretive else "opinion_open")
        return {"head": head, "basis": basis, "turns": turns, "none": self._words.word("opinion_none")}

    def _turn(self, text: str, lost: float, seat: str) -> str:
        return f"{text} ({self._names[seat]}: {loss(lost, self._stakes)})"
