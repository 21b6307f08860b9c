"""Rules of board games as data: check a ruleset, play it, replay recorded games.

Example::

    from rulespec import Game, load_ruleset

    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    game.apply(game.legal_options[0])

The names below are imported when they are first used: a command that only checks a file does not wait for the engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulespec.diagnostics.report import DiagnosticsError
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.legal_options import LegalOptions
    from rulespec.engine.game.option import Decision, IllegalOptionError, Option, Refusal, Result, RulesetFaultError
    from rulespec.engine.game.view import scores, state_json
    from rulespec.engine.game.views import View
    from rulespec.engine.replay.replay import replay_log
    from rulespec.engine.words.moves import Moves
    from rulespec.engine.words.words import Words
    from rulespec.errors import RulespecError
    from rulespec.load import load_ruleset

__all__ = [
    "Decision",
    "DiagnosticsError",
    "Game",
    "IllegalOptionError",
    "LegalOptions",
    "Moves",
    "Option",
    "Refusal",
    "Result",
    "RulesetFaultError",
    "RulespecError",
    "View",
    "Words",
    "load_ruleset",
    "replay_log",
    "scores",
    "state_json",
]

_HOMES = {
    "rulespec.diagnostics.report": ("DiagnosticsError",),
    "rulespec.engine.game.game": ("Game",),
    "rulespec.engine.game.legal_options": ("LegalOptions",),
    "rulespec.engine.game.option": (
        *("Decision", "IllegalOptionError", "Option", "Refusal", "Result", "RulesetFaultError"),
    ),
    "rulespec.engine.game.view": ("scores", "state_json"),
    "rulespec.engine.game.views": ("View",),
    "rulespec.engine.replay.replay": ("replay_log",),
    "rulespec.engine.words.moves": ("Moves",),
    "rulespec.engine.words.words": ("Words",),
    "rulespec.errors": ("RulespecError",),
    "rulespec.load": ("load_ruleset",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rulespec' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    if _HOME[name].startswith("rulespec.engine."):
        import_module("rulespec.engine.game.game").Game.picture = _picture
    return found


def _picture(game: Game) -> str:
    from rulespec.drawing.board import board
    from rulespec.drawing.scene import to_svg

    return to_svg(board(game.ruleset, game))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
