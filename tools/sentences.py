"""Sentences of random games as players read them, without repetition: questions, buttons, moves and their changes.

Use it to proofread changed words of a game: `python -m tools.sentences imperial --language de`. Sentences that differ
only in numbers, or in entities of large kinds, have one form, and one of each form is printed.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from itertools import islice

from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

_NUMBER = re.compile(r"\d+")
_MOST = 2_000
"""The maximum number of decisions per game."""


def sentences(ref: str, games: int, language: str | None = None) -> Iterator[tuple[str, str]]:
    """The sentences of random games with their types, one per form.

    Args:
        ref: the ruleset.
        games: the number of games, with varying numbers of players if possible.
        language: the language of the words; None for the ruleset's language.
    """
    words = Words(load_ruleset(ref), language)
    seen: set[tuple[str, str]] = set()
    for number in range(games):
        for sort, text in _of_game(words, number):
            form = sort, _form(text, words)
            if form not in seen:
                seen.add(form)
                yield sort, text


def _of_game(words: Words, number: int) -> Iterator[tuple[str, str]]:
    """All sentences of one random game."""
    least, most = words.ruleset.players
    names = seat_names(least + number % (most - least + 1), words.ruleset.seats)
    game = Game(words.ruleset, dict(zip(names, ("Ann", "Bob", "Cid", "Dora", "Eve", "Finn", "Gus"), strict=False)))
    narrator, draws = Narrator(words, game), Draws(number)
    while (decision := game.decision) is not None and game.ply < _MOST:
        yield "question", narrator.decision(decision)
        if decision.by is not None or decision.together:
            yield from (("button", narrator.choice(option)) for option in islice(game.legal_options, 60))
            yield from (("out of turn", narrator.choice(option)) for option in islice(game.interrupts, 60))
        option = choose(game, draws, interrupt_rate=0.05)
        if option is None:
            break
        game.apply(option)
    if (result := game.result) is not None:
        yield "end", words.ending(result.ending)
    for move in Moves(words, game):
        yield "move", move.text
        yield from (("change", change.text) for change in move.own)
        for cause in move.causes:
            yield "cause", cause.text
            yield from (("change", change.text) for change in cause.changes)


def _form(text: str, words: Words) -> str:
    """The form of a sentence: without numbers and titles of entities."""
    titles = {
        title for kind in words.ruleset.kinds.values() for title in words.titles(kind.name, ()) if not kind.by_seat
    }
    for title in sorted(titles, key=len, reverse=True):
        if len(title) > 2:
            text = text.replace(title, "…")
    return _NUMBER.sub("0", re.sub("Ann|Bob|Cid|Dora|Eve|Finn|Gus", "…", text))


def main() -> None:
    """Prints the sentences of a ruleset."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ref")
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--language")
    of = parser.parse_args()
    for sort, text in sorted(sentences(of.ref, of.games, of.language)):
        print(f"{sort:<12} {text}")


if __name__ == "__main__":
    main()
