"""Recorded games as OpenSpiel trajectories: a header and one transition per action, with structs as JSON.

The header and the first keys of a transition follow OpenSpiel (`open_spiel/utils/trajectories.h`), so that
`pyspiel.Trajectory` reads them; `trajectory.schema.json` describes the whole format. A trajectory contains the whole
game, including hidden information, so only people who may see the log should get it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rulespec.diagnostics.report import failure
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.state_json import state_json
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.guests.action_game import CHANCE, Contract, IllegalActionError, Play
from rulespec.guests.actions import Form

NAME = "rulespec"
"""OpenSpiel's short name for the game."""


def game_string(table: Contract) -> str:
    """The OpenSpiel game string of a table, which is valid once `rulespec.guests.load_game` has been imported."""
    game = table.game
    defaults = {name: of.default for name, of in game.ruleset.settings.items()}
    settings = ";".join(f"{name}:{value}" for name, value in game.settings.items() if value != defaults[name])
    parameters: dict[str, object] = {"cap": table.cap, "form": table.actions.form, "players": len(game.seats)}
    parameters |= {"ruleset": game.ruleset.ref, "settings": settings}
    return f"{NAME}({','.join(f'{name}={value}' for name, value in parameters.items())})"


def trajectory(game: Game, form: Form | None = None, *, structs: bool = True) -> dict[str, Any]:
    """The trajectory of a game, as plain data.

    Args:
        game: a game from its usual start, finished or not.
        form: the form of the actions; None for options if they are few.
        structs: whether each transition contains the state, each seat's view and the action, with names.

    Raises:
        DiagnosticsError: RS742 if a decision, such as one out of turn, has no actions.
    """
    table = Contract(game, form, max(CAP, game.ply + 1))
    play = table.play()
    transitions = [each for option in game.history for each in _transitions(play, option, structs=structs)]
    header = {
        "game_string": game_string(table),
        "terminal": game.is_over,
        "returns": play.returns(),
        "meta_data": f"{game.ruleset.ref} {game.ruleset.version}, rules {game.ruleset.hash}",
    }
    return {"header": header, "transitions": transitions}


def _transitions(play: Play, option: Option, *, structs: bool) -> Iterator[dict[str, Any]]:
    """The transitions of a decision, which is then played."""
    game, taken = play.game, False
    asked = game.omniscient.numbers.asked
    decision = game.decision
    if decision is None or option.interrupt or option.by != decision.by:
        raise failure("RS742", f"decision {game.ply + 1}, `{option}`, has no actions: it is out of turn", None)
    sequence = play.contract.actions.sequence(asked, option.kind.choice, option.args)
    while not taken:
        action = sequence[len(play.words)]
        result: dict[str, Any] = {"player": play.seat, "action": action, "legal_actions": play.actions}
        if play.seat == CHANCE:
            result["chance_outcomes"] = [list(each) for each in play.odds()]
        if structs:
            result["structs"] = {
                "state": state_json(game),
                "observations": [play.seen(seat) for seat in range(len(game.seats))],
                "action": {"action": play.contract.actions.names[action], "option": str(option)},
            }
        taken = play.take(action)
        yield result


def game_of(data: Mapping[str, Any], table: Contract) -> Game:
    """The game recorded in a trajectory.

    Args:
        data: a trajectory made by `trajectory`.
        table: the contract of its table, with the same form of actions.

    Raises:
        DiagnosticsError: RS743 if it is not a trajectory of this table; the error names the transition.
    """
    play = table.play()
    try:
        if data["header"]["game_string"].partition("(")[0] != NAME:
            raise ValueError("another game")
        transitions = list(data["transitions"])
    except (KeyError, TypeError, AttributeError, ValueError):
        raise failure("RS743", "this is not a trajectory of a ruleset", None, _HELP) from None
    for number, each in enumerate(transitions, 1):
        try:
            if each["player"] != play.seat:
                raise IllegalActionError(f"it is not the turn of player {each['player']}")
            play.take(each["action"])
        except (IllegalActionError, KeyError, TypeError) as error:
            raise failure("RS743", f"transition {number} is not legal: {error}", None, _HELP) from None
    return play.game


_HELP = "give a table with the ruleset, the seats, the settings and the form of the header's `game_string`"
