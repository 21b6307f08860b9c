"""The status line below the title of a game's picture."""

from __future__ import annotations

from rulespec.drawing.picture_words import Wording
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Decision
from rulespec.engine.game.views import View
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words


def status_of(words: Wording, position: Game | View) -> str:
    """The status of a game in words."""
    result, decision, word = position.result, position.decision, words.word
    after = word("decisions", position.ply)
    if result is not None:
        winners = ", ".join(result.winners) or word("nobody")
        return word("over", decisions=after, ending=words.ending(result.ending), winners=winners)
    assert decision is not None
    actor = decision.by or word("chance")
    return word("asked", decisions=after, decision=_prompt(words, position, decision), actor=actor)


def _prompt(words: Wording, position: Game | View, decision: Decision) -> str:
    """The title of the current decision; with the whole game, also its subject."""
    if isinstance(position, Game) and isinstance(words, Words):
        return Narrator(words, position).decision(decision)
    return words.decision(decision.name)
