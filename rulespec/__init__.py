"""Rules of board games as data: check a ruleset, play it, replay recorded games.

Example::

    from rulespec import Game, load_ruleset

    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    game.apply(game.legal_options[0])

The names below are imported on first use, so a command that only checks a file does not load the engine.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulespec.pictures import register

if TYPE_CHECKING:
    from rulespec.diagnostics.report import DiagnosticsError
    from rulespec.drawing.board import board
    from rulespec.drawing.scene import to_svg
    from rulespec.engine.game.game import Game, restarted, teams_of
    from rulespec.engine.game.legal_options import LegalOptions
    from rulespec.engine.game.option import (
        Decision,
        IllegalOptionError,
        Option,
        Refusal,
        Result,
        RulesetFaultError,
        TakenBack,
        UnlistedOptionsError,
    )
    from rulespec.engine.game.round import Round
    from rulespec.engine.game.seat_knowledge import learned
    from rulespec.engine.game.state_json import scores, state_json
    from rulespec.engine.game.views import View
    from rulespec.engine.logs.agreement import agrees, agrees_with_game
    from rulespec.engine.logs.log_file import write_log
    from rulespec.engine.logs.native import read_log
    from rulespec.engine.logs.sealed import SealedRound
    from rulespec.engine.logs.seat_log import seat_log
    from rulespec.engine.replay.replay import replay_log
    from rulespec.engine.search.open_search import open_search
    from rulespec.engine.search.twins import determinize, particle_rows, particles
    from rulespec.engine.search.uct import uct
    from rulespec.engine.words.changes import Changes
    from rulespec.engine.words.moves import Moves
    from rulespec.engine.words.narrator import Narrator
    from rulespec.engine.words.words import Words
    from rulespec.errors import RulespecError
    from rulespec.load import load_ruleset

if Path(__file__).with_name("engine").is_file():
    raise ImportError(
        "this checkout has plain files in rulespec/ where git has links: install it with `pip install .` and run "
        "`rulespec` elsewhere, or clone it with `git clone -c core.symlinks=true` (on Windows, in Developer Mode)"
    )

__all__ = [
    "Changes",
    "Decision",
    "DiagnosticsError",
    "Game",
    "IllegalOptionError",
    "LegalOptions",
    "Moves",
    "Narrator",
    "Option",
    "Refusal",
    "Result",
    "Round",
    "RulesetFaultError",
    "RulespecError",
    "SealedRound",
    "TakenBack",
    "UnlistedOptionsError",
    "View",
    "Words",
    "agrees",
    "agrees_with_game",
    "board",
    "determinize",
    "learned",
    "load_ruleset",
    "open_search",
    "particle_rows",
    "particles",
    "read_log",
    "replay_log",
    "restarted",
    "scores",
    "seat_log",
    "state_json",
    "teams_of",
    "to_svg",
    "uct",
    "write_log",
]

_HOMES = {
    "rulespec.diagnostics.report": "DiagnosticsError",
    "rulespec.drawing.board": "board",
    "rulespec.drawing.scene": "to_svg",
    "rulespec.engine.game.game": "Game restarted teams_of",
    "rulespec.engine.game.seat_knowledge": "learned",
    "rulespec.engine.game.legal_options": "LegalOptions",
    "rulespec.engine.game.option": "Decision IllegalOptionError Option Refusal Result RulesetFaultError TakenBack"
    " UnlistedOptionsError",
    "rulespec.engine.game.round": "Round",
    "rulespec.engine.game.state_json": "scores state_json",
    "rulespec.engine.game.views": "View",
    "rulespec.engine.logs.agreement": "agrees agrees_with_game",
    "rulespec.engine.logs.log_file": "write_log",
    "rulespec.engine.logs.native": "read_log",
    "rulespec.engine.logs.seat_log": "seat_log",
    "rulespec.engine.logs.sealed": "SealedRound",
    "rulespec.engine.replay.replay": "replay_log",
    "rulespec.engine.search.open_search": "open_search",
    "rulespec.engine.search.twins": "determinize particle_rows particles",
    "rulespec.engine.search.uct": "uct",
    "rulespec.engine.words.changes": "Changes",
    "rulespec.engine.words.moves": "Moves",
    "rulespec.engine.words.narrator": "Narrator",
    "rulespec.engine.words.words": "Words",
    "rulespec.errors": "RulespecError",
    "rulespec.load": "load_ruleset",
}
"""The modules of the public names: these paths are internal, and may change."""
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rulespec' has no attribute {name!r}")
    result = globals()[name] = getattr(import_module(_HOME[name]), name)
    return result


def _picture(game: Game) -> str:
    from rulespec.drawing.board import board
    from rulespec.drawing.scene import to_svg

    return to_svg(board(game.ruleset, game))


register(_picture)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
