"""The properties of every game under a sound ruleset, each of which can be checked at any position.

Random games and the authors' tests (`ruleset_tests`) check the same properties.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option, numbered_option
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError
from rulespec.engine.game.position_check import MAX_OPTIONS, asked, look
from rulespec.engine.game.state_json import scores
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.saved_game import SavedGame
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, replay_native
from rulespec.engine.verify.trial import Trial, contradiction

_SAMPLE = 20  # the number of listed options per position, and of unlisted ones


@dataclass(frozen=True, slots=True)
class Property:
    """A property of every position.

    Attributes:
        name: the name in messages.
        rate: the share of positions checked in a random game; slow properties have a low rate.
        holds: the function that returns the diagnostic of a violation, or None if the property holds.
    """

    name: str
    rate: float
    holds: Callable[[Trial], Diagnostic | None]

    def check(self, trial: Trial) -> Diagnostic | None:
        """The diagnostic at the position of a trial; None if the property holds."""
        try:
            return self.holds(trial)
        except RulesetFaultError:
            return None  # the property `rules`, and the option in which the rules are at fault, report it


def rules_hold(trial: Trial) -> Diagnostic | None:
    """The property that all invariants hold, an option is legal, and the rules do not fault."""
    return look(trial.game)[1]


def backends_agree(trial: Trial) -> Diagnostic | None:
    """The property that all backends have the same state, and the same open decision by the same seat."""
    return _compared(trial, _position)


def backends_say_the_same(trial: Trial) -> Diagnostic | None:
    """The property that all backends list the same options and weights, and agree on invariants, points and result."""
    return _compared(trial, _answers)


def _compared(trial: Trial, view: Callable[[Game], dict[str, Any]]) -> Diagnostic | None:
    def answered(game: Game) -> dict[str, Any]:
        try:
            return view(game)
        except RulesetFaultError as fault:
            return {"faults": str(fault)}

    first, *others = map(answered, trial.games)
    for other in others:
        for key in [*first, *other]:
            value, differing = first.get(key), other.get(key)
            if value != differing:
                detail = f"the {key} differ: {_short(value)} under one backend, {_short(differing)} under another"
                return contradiction(trial, "backends", detail)
    return None


def _position(game: Game) -> dict[str, Any]:
    """A game's position, for comparison."""
    return {
        "state": game.omniscient.numbers.cells,
        "hash": game.hash,
        "decision": game.decision,
        "ply": game.ply,
        "last": game.omniscient.numbers.last,
    }


def _answers(game: Game) -> dict[str, Any]:
    """A game's answers to queries about its position, for comparison."""
    options = list(islice(every_option(game), MAX_OPTIONS))
    return {
        "options": options,
        "weights": [game.omniscient.numbers.weight(o.kind.choice, o.args) for o in options if o.by is None],
        "invariants": game.omniscient.broken_invariants(),
        "points": scores(game),
        "result": game.result,
    }


def _all(game: Game) -> dict[str, Any]:
    return _position(game) | _answers(game)


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 200 else text[:200] + "…"


def options_are_legal(trial: Trial) -> Diagnostic | None:
    """The property that listed options are legal and survive printing and parsing, and that all others are rejected
    with a reason.
    """
    listed = list(islice(every_option(trial.game), MAX_OPTIONS))
    known = {(o.kind.choice, o.args) for o in listed}
    if len(known) < len(listed):
        return contradiction(trial, "options", "one is listed twice")
    for option in _sample(trial, listed):
        text = str(option)
        if trial.game.parse(text, option.by) != option:
            return contradiction(trial, "options", f"`{text}` is read as another option")
        for game in trial.games:
            if not game.is_legal(option) or game.why_not(option) is not None:
                return contradiction(trial, "options", f"`{text}` is listed, but not legal")
    if len(listed) == MAX_OPTIONS:
        return None
    for option in _unlisted(trial, listed):
        if (option.kind.choice, option.args) in known:
            continue
        refusals = [game.why_not(option) for game in trial.games]
        if any(game.is_legal(option) for game in trial.games) or None in refusals:
            return contradiction(trial, "options", f"`{option}` is legal, but not listed")
        if len({str(refusal) for refusal in refusals}) > 1:
            return contradiction(trial, "options", f"`{option}` is refused for different reasons")
        before = trial.game.omniscient.numbers.cells
        try:
            trial.game.apply(option)
        except IllegalOptionError:
            if trial.game.omniscient.numbers.cells == before:
                continue
        return contradiction(trial, "options", f"`{option}` is refused, but changes something")
    return None


def _sample(trial: Trial, options: list[Option]) -> list[Option]:
    """A sample of the options, the same every time at the same position."""
    return random.Random(trial.game.hash).sample(options, min(_SAMPLE, len(options)))


def _unlisted(trial: Trial, listed: list[Option]) -> Iterator[Option]:
    """Options of the open decision with arbitrary arguments, mostly illegal."""
    game = trial.game
    if game.is_over:
        return
    decision, rng = asked(game), random.Random(game.hash)
    numbers = sorted({n + d for o in listed for n in o.args for d in (-1, 0, 1)} | {0, 1})
    for _ in range(_SAMPLE):
        k = rng.randrange(len(decision.choices))
        choice = decision.choices[k]
        types = [p.type.removesuffix("?") for p in choice.params]
        if any(" " in t for t in types):  # no number represents a set, a bag or a path
            continue
        args = tuple(
            rng.choice(numbers) if t == "int" else rng.randrange(len(game.omniscient.labels.names[t])) for t in types
        )
        yield numbered_option(game, k, args, None)


def taking_back_restores(trial: Trial) -> Diagnostic | None:
    """The property that taking an option and undoing it restores everything."""
    for option in _sample(trial, look(trial.game)[0])[:1]:
        before, positions = _all(trial.game), [_position(game) for game in trial.games]
        for game in trial.games:
            game.apply(option)
            game.undo()
        if [_position(game) for game in trial.games] != positions or _all(trial.game) != before:
            return contradiction(trial, "undo", f"after `{option}` is taken back, not everything is restored")
    return None


def clones_are_independent(trial: Trial) -> Diagnostic | None:
    """The property that a clone equals its game, continues in the same way, and changes no other game."""
    game = trial.game
    before, clone, twin = _all(game), game.copy(), game.copy()
    if _all(clone) != before:
        return contradiction(trial, "clone", "it is not equal to its game")
    for option in _sample(trial, look(game)[0])[:1]:
        clone.apply(option)
        if _all(game) != before or _all(twin) != before:
            return contradiction(trial, "clone", f"`{option}`, taken in a clone, changes another game")
        twin.apply(option)
        if _all(twin) != _all(clone):
            return contradiction(trial, "clone", f"`{option}` has two different results")
    return None


def log_says_all(trial: Trial) -> Diagnostic | None:
    """The property that writing, reading and replaying a log leaves a game unchanged."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        with LogWriter(path, trial.header) as writer:
            for move in trial.moves:
                writer.add(move)
            writer.end(trial.game)
        result = ReplayRequest(path, load=lambda _: trial.game.ruleset).replay()
    return _same_game(trial, "log", result)


def saved_game_goes_on(trial: Trial) -> Diagnostic | None:
    """The property that saving and resuming leave a game unchanged; the trial continues with the resumed game."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        with SavedGame(path) as saved:
            saved.begin(trial.header)
            saved.add(*trial.moves)
            saved.leave(trial.game)
        with SavedGame(path) as saved:
            assert saved.log is not None
            result = replay_native(saved.log, trial.game.ruleset)
    wrong = _same_game(trial, "resume", result)
    trial.games[0] = result.game
    return wrong


def _same_game(trial: Trial, name: str, result: ReplayResult) -> Diagnostic | None:
    if result.divergence is not None:
        line = result.divergence.line
        return contradiction(trial, name, f"line {line} is no longer legal: {result.divergence.refusal}")
    if result.other_end is not None:
        return contradiction(trial, name, f"the replayed game has a different end: {result.other_end}")
    game, again = trial.game, result.game
    if _all(again) != _all(game) or list(map(str, again.history)) != list(map(str, game.history)):
        return contradiction(trial, name, "the game read from its log is different")
    return None


PROPERTIES = (
    Property("rules", 1, rules_hold),
    Property("backends", 1, backends_agree),
    Property("answers", 0.05, backends_say_the_same),
    Property("options", 0.05, options_are_legal),
    Property("undo", 0.1, taking_back_restores),
    Property("clone", 0.1, clones_are_independent),
    Property("log", 0.01, log_says_all),
    Property("resume", 0.01, saved_game_goes_on),
)
