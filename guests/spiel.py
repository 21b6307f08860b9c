"""Any ruleset as an OpenSpiel game implemented in Python.

Example::

    game = load_game("kuhn_poker", players=2)
    game = pyspiel.load_game("rulespec(ruleset=kuhn_poker,players=2)")      # the same, once this module is imported
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel

from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.state_json import state_json
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.guests.action_game import CHANCE, NOBODY, Contract, Play, contract
from rulespec.guests.actions import Form
from rulespec.guests.arguments import MOST, mapping, text, whole
from rulespec.guests.observations import Floats
from rulespec.guests.trajectories import NAME

_PRIVATE = pyspiel.PrivateInfoType
_PLAYERS = {CHANCE: pyspiel.PlayerId.CHANCE, NOBODY: pyspiel.PlayerId.TERMINAL}
_PARAMETERS: dict[str, Any] = {"ruleset": "", "players": 0, "settings": "", "form": "", "cap": CAP}


def _type(table: Contract | None = None) -> Any:
    """The OpenSpiel type of a table's game, or without a table, of all loadable games."""
    kinds, utility = pyspiel.GameType, pyspiel.GameType.Utility.GENERAL_SUM
    number = 100 if table is None else len(table.game.seats)
    public = table is not None and not table.game.omniscient.secretive and not _together(table)
    if table is not None and (table.returns.zero_sum or table.returns.identical):
        utility = kinds.Utility.ZERO_SUM if table.returns.zero_sum else kinds.Utility.IDENTICAL
    information = kinds.Information
    return kinds(
        short_name=NAME,
        long_name="A ruleset of Rulespec" if table is None else table.game.ruleset.title,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=information.PERFECT_INFORMATION if public else information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=number,
        min_num_players=1 if table is None else number,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_PARAMETERS,
        default_loadable=False,
    )


def _together(table: Contract) -> bool:
    """Whether a decision is simultaneous and secret."""
    return any(decision.held for decision in table.game.omniscient.program.decisions)


class RulesetGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A table as an OpenSpiel game.

    Simultaneous decisions become sequential: the seats choose in secret, one after another. Information states have
    perfect recall (the seat's memory); observations have no memory. Chance also acts one action at a time. Options out
    of turn are not offered.

    Args:
        parameters: `ruleset`, a reference; `players`, 0 for the minimum; `settings`, as `NAME:VALUE;NAME:VALUE`;
            `form`, as in `ActionSpace`; `cap`, the number of decisions before a game is cut off, with a return of 0 for
            every seat.
    """

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        parameters = _PARAMETERS | dict(parameters or {})
        self.table = _table(*(parameters[name] for name in _PARAMETERS))
        actions, returns = self.table.actions, self.table.returns
        info = pyspiel.GameInfo(
            num_distinct_actions=actions.size,
            max_chance_outcomes=actions.size,
            num_players=len(self.table.game.seats),
            min_utility=returns.low,
            max_utility=returns.high,
            utility_sum=0.0 if returns.zero_sum else None,
            max_game_length=min(self.table.cap * actions.longest, MOST),
        )
        super().__init__(_type(self.table), info, parameters)

    def new_initial_state(self, *_: Any) -> RulesetState:
        """The state at the start of the game."""
        return RulesetState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> RulesetObserver | None:
        """An observer of a seat's information or of public information; None for other kinds of observation."""
        if params:
            raise ValueError(f"observations have no parameters, but {params} was given")
        if kind is None:
            return RulesetObserver(self.table, recall=False, public=False)
        own, public = _PRIVATE.SINGLE_PLAYER, _PRIVATE.NONE
        if not kind.public_info or kind.private_info not in (own, public):
            return None
        return RulesetObserver(self.table, recall=kind.perfect_recall, public=kind.private_info == public)


@lru_cache(64)
def _table(ruleset: str, players: int, settings: str, form: Form | str, cap: int) -> Contract:
    pairs = [each.partition(":") for each in settings.split(";") if each]
    if wrong := [name for name, colon, _ in pairs if not colon]:
        raise ValueError(f"`{wrong[0]}` is not a setting with a value: write NAME:VALUE;NAME:VALUE")
    chosen = {name: value for name, _, value in pairs}
    return contract(ruleset, players or None, chosen, form=form or None, cap=cap)  # type: ignore[arg-type]


class _Held:
    """The play of a state, copied with the state and pickled as the actions that lead to it."""

    def __init__(self, parameters: tuple[Any, ...], play: Play, taken: list[int]) -> None:
        self.parameters, self.play, self.taken = parameters, play, taken

    def __deepcopy__(self, memo: object) -> _Held:
        return _Held(self.parameters, self.play.copy(), self.taken.copy())

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.parameters, self.taken)


def _again(parameters: tuple[Any, ...], taken: list[int]) -> _Held:
    play = _table(*parameters).play()
    for action in taken:
        play.take(action)
    return _Held(parameters, play, taken)


class RulesetState(pyspiel.State):  # type: ignore[misc]
    """A position at a table as an OpenSpiel state."""

    def __init__(self, game: RulesetGame) -> None:
        super().__init__(game)
        parameters = game.get_parameters()
        self.held = _Held(tuple(parameters[name] for name in _PARAMETERS), game.table.play(), [])

    @property
    def play(self) -> Play:
        """The play that has reached this state."""
        return self.held.play

    def current_player(self) -> int:
        """The deciding seat, the chance player, or the terminal player."""
        seat = self.play.seat
        return int(_PLAYERS.get(seat, seat))

    def _legal_actions(self, player: int) -> list[int]:
        return self.play.actions

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The actions of chance, with their probabilities."""
        return self.play.odds()

    def _apply_action(self, action: int) -> None:
        self.play.take(action)
        self.held.taken.append(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.play.contract.actions.names[action]

    def is_terminal(self) -> bool:
        """Whether the game is over or truncated."""
        return self.play.is_over

    def returns(self) -> list[float]:
        """The returns by seat; 0 before the end."""
        return self.play.returns()

    def rewards(self) -> list[float]:
        """The same as `returns`, since all rewards come at the end."""
        return self.play.returns()

    def __str__(self) -> str:
        """All decisions; meant for trainers, since it includes information that is hidden from every seat."""
        names = self.play.contract.actions.names
        options = "; ".join(f"{option.by or 'chance'}: {option}" for option in self.play.game.history)
        begun = " ".join(names[word] for word in self.play.words)
        return f"{options} … {begun}" if begun else options

    # --- structs ---------------------------------------------------------------------------

    def _to_struct(self) -> dict[str, Any]:
        game = self.play.game
        decision, words = game.decision, self.play.words
        return {
            "state": state_json(game),
            "decision": None if decision is None else decision.name,
            "seat": None if decision is None else decision.by,
            "words": [self.play.contract.actions.names[word] for word in words],
        }

    def _action_to_struct(self, player: int, action: int) -> dict[str, Any]:
        return {"action": self.play.contract.actions.names[action]}

    def _struct_to_actions(self, struct: Mapping[str, Any] | str) -> list[int]:
        action = json.loads(struct) if isinstance(struct, str) else struct
        return [self.play.contract.actions.names.index(action["action"])]

    def _to_observation_struct(self, player: int) -> dict[str, Any]:
        return self.play.seen(player)


class RulesetObserver:
    """The observer of a table for OpenSpiel.

    Args:
        table: the contract of the table.
        recall: whether it has perfect recall; if so, it provides only text.
        public: whether it has only public information, which is the same for every player.
    """

    def __init__(self, table: Contract, *, recall: bool, public: bool) -> None:
        self._recall, self._public = recall, public
        self.tensor: Floats | None = None if recall else np.zeros(table.sight.size, np.float32)
        self.dict: dict[str, Floats] = {} if self.tensor is None else {"observation": self.tensor}

    def set_from(self, state: RulesetState, player: int) -> None:
        """Writes a player's observation into `tensor`."""
        if self.tensor is not None:
            self.tensor[:] = state.play.observation(self._seat(player))

    def string_from(self, state: RulesetState, player: int) -> str:
        """A player's information state or observation as text."""
        seat = self._seat(player)
        return state.play.memory(seat) if self._recall else to_json_text(state.play.seen(seat))

    def _seat(self, player: int) -> int | None:
        return None if self._public else player


def load_game(
    ruleset: str,
    players: int | None = None,
    settings: Mapping[str, str | int] | None = None,
    *,
    form: Form | None = None,
    cap: int = CAP,
) -> Any:
    """A table as an OpenSpiel game.

    Args:
        ruleset: a reference to a ruleset.
        players: the number of seats; None for the minimum.
        settings: the settings of the table.
        form: `options` or `words`; None for options if they are few.
        cap: the number of decisions before a game is cut off.

    Raises:
        DiagnosticsError: if the ruleset has errors, or does not fit the number of seats or the settings.
        ValueError: if there are too many options for the form `options`, `cap` is below 1, or the reference contains
            OpenSpiel syntax.
        TypeError: if an argument has the wrong type.
    """
    mapping("settings", settings)
    if (sign := next((each for each in text("ruleset", ruleset) if each in ",()="), None)) is not None:
        form_ = "OpenSpiel writes a game as NAME(KEY=VALUE,…), and parses that text"
        raise ValueError(f"`ruleset` must not contain `{sign}`, since {form_}")
    number, cap = whole("players", players or 0, 0), whole("cap", cap, 1)
    texts = {n: str(value).lower() if isinstance(value, bool) else value for n, value in (settings or {}).items()}
    chosen = ";".join(f"{name}:{value}" for name, value in texts.items())
    values = {"ruleset": ruleset, "players": number, "settings": text("settings", chosen)}
    values |= {"form": text("form", form or ""), "cap": cap}
    return pyspiel.load_game(NAME, values)


if NAME not in pyspiel.registered_names():
    pyspiel.register_game(_type(), RulesetGame)
