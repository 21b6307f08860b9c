"""What holds of every game of a sound ruleset, as properties that can be tried at any position.

A trial plays one game under several backends at once. Random games and the tests that authors derive (`pytest_plugin`)
try the same properties; a game that fails is made shorter by `shrink`.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.machines import Backend, Machines, seat_names
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError
from rulespec.engine.game.position_check import MAX_OPTIONS, asked, look, same_option
from rulespec.engine.logs.native import LogHeader, LogWriter
from rulespec.engine.logs.saved_game import SavedGame
from rulespec.engine.replay.replay import ReplayResult, replay_file, replay_log
from rulespec.engine.simulate.playouts import Playout, choose
from rulespec.engine.verify.shrink import FailingGame, Move, shortest
from rulespec.typed import nodes as typed

BACKENDS: tuple[Backend, ...] = ("python", "interpreter")
CAP = 1_000
"""Decisions after which a random game is given up."""
TAKE_BACK = 1 / 30
"""How often decisions are taken back in a random game, up to five of them."""
_TRIED = 20  # options of a position that are tried one by one, and as many that are not listed


class Trial:
    """A game under several backends at once; others are compared with the first.

    Args:
        ruleset: the ruleset.
        seats: names of the players.
        settings: values for the ruleset's settings.
        backends: names of backends, or what makes machines.

    Raises:
        DiagnosticsError: if the seats or the settings do not fit the ruleset.
    """

    def __init__(
        self,
        ruleset: typed.Ruleset,
        seats: Sequence[str],
        settings: Mapping[str, str | bool] | None = None,
        backends: Sequence[Backend | Machines] = BACKENDS,
    ) -> None:
        self.backends = backends
        self.games = [Game(ruleset, seats, settings, backend) for backend in backends]
        self.header = LogHeader.of(self.game)
        self.moves: list[Move] = []

    @property
    def game(self) -> Game:
        """The game under the first backend."""
        return self.games[0]

    def begin(self) -> Diagnostic | None:
        """Begins the game. What is wrong if the rules are at fault before the first decision."""
        return self._together(Game.begin)

    def make(self, move: Move) -> Diagnostic | None:
        """Takes an option that is legal, or takes back. What is wrong if the rules are at fault in it."""
        self.moves.append(move)
        if isinstance(move, TakenBack):
            return self._together(lambda game: game.take_back(move))
        return self._together(lambda game: game.apply(move))

    def _together(self, act: Callable[[Game], None]) -> Diagnostic | None:
        faults = [_fault(act, game) for game in self.games]
        if all((f and (f.code, f.span)) == (faults[0] and (faults[0].code, faults[0].span)) for f in faults):
            return faults[0]
        return _contradiction(self, "backends", f"one backend says: {' - the other: '.join(map(_said, faults))}")


def _fault(act: Callable[[Game], None], game: Game) -> Diagnostic | None:
    try:
        act(game)
    except RulesetFaultError as fault:
        return fault.diagnostic
    except IllegalOptionError as error:
        return Diagnostic("RS903", Severity.ERROR, str(error), None)
    return None


def _said(fault: Diagnostic | None) -> str:
    return fault.message if fault is not None else "nothing is wrong"


def _contradiction(trial: Trial, name: str, detail: str) -> Diagnostic:
    """A property of the program itself that does not hold."""
    try:
        span = None if trial.game.is_over else asked(trial.game).span
    except RulesetFaultError:
        span = None
    help_ = "whatever the rules say, this should hold: please report it, with the ruleset and the game"
    return Diagnostic("RS903", Severity.ERROR, f"{name}: {detail}", span, help=help_)


def kind_of(wrong: Diagnostic) -> tuple[object, ...]:
    """What is the same in two games that show the same mistake."""
    return (wrong.code, wrong.message.partition(":")[0]) if wrong.code == "RS903" else (wrong.code, wrong.span)


# --- the properties --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Property:
    """Something that holds at every position; `holds` says what is wrong where it does not.

    `rate` is at what share of the positions of a random game it is tried: those that take long are tried seldom.
    """

    name: str
    rate: float
    holds: Callable[[Trial], Diagnostic | None]

    def check(self, trial: Trial) -> Diagnostic | None:
        """What is wrong at the position where a trial stands; None if the property holds."""
        try:
            return self.holds(trial)
        except RulesetFaultError:
            return None  # where the rules are at fault, taking the option will tell, and `rules` tells the rest


def rules_hold(trial: Trial) -> Diagnostic | None:
    """All invariants hold, something is legal, and the rules are not at fault."""
    return look(trial.game)[1]


def backends_agree(trial: Trial) -> Diagnostic | None:
    """Every backend has the same state, and asks the same of the same seat."""
    return _compared(trial, _stands)


def backends_say_the_same(trial: Trial) -> Diagnostic | None:
    """Every backend lists the same options with the same weights, and has the same invariants, points and result."""
    return _compared(trial, _says)


def _compared(trial: Trial, seen: Callable[[Game], dict[str, Any]]) -> Diagnostic | None:
    def answered(game: Game) -> dict[str, Any]:
        try:
            return seen(game)
        except RulesetFaultError as fault:
            return {"faults": str(fault)}

    first, *others = map(answered, trial.games)
    for other in others:
        for what in [*first, *other]:
            value, differing = first.get(what), other.get(what)
            if value != differing:
                detail = f"the {what} differ: {_short(value)} - under the other {_short(differing)}"
                return _contradiction(trial, "backends", detail)
    return None


def _stands(game: Game) -> dict[str, Any]:
    """Where a game stands."""
    return {"state": game.cells, "hash": game.hash, "decision": game.decision, "ply": game.ply, "last": game.last}


def _says(game: Game) -> dict[str, Any]:
    """What a game says of where it stands."""
    options = list(islice(game.options, MAX_OPTIONS))
    return {
        "options": options,
        "weights": [game.weight(o) for o in options if o.by is None],
        "invariants": game.check_invariants(),
        "points": game.scores(),
        "result": game.result,
    }


def _seen(game: Game) -> dict[str, Any]:
    return _stands(game) | _says(game)


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 200 else text[:200] + "…"


def options_are_legal(trial: Trial) -> Diagnostic | None:
    """What is listed is legal and can be written and read; what is not listed is refused, with a reason."""
    listed = list(islice(trial.game.options, MAX_OPTIONS))
    known = {(o.kind.choice, o.args) for o in listed}
    if len(known) < len(listed):
        return _contradiction(trial, "options", "one is listed twice")
    for option in _some(trial, listed):
        text = str(option)
        if trial.game.parse(text, option.by) != option:
            return _contradiction(trial, "options", f"`{text}` is read as another")
        for game in trial.games:
            if not game.is_legal(option) or game.why_not(option) is not None:
                return _contradiction(trial, "options", f"`{text}` is listed, and not legal")
    if len(listed) == MAX_OPTIONS:
        return None
    for option in _unlisted(trial, listed):
        if (option.kind.choice, option.args) in known:
            continue
        refusals = [game.why_not(option) for game in trial.games]
        if any(game.is_legal(option) for game in trial.games) or None in refusals:
            return _contradiction(trial, "options", f"`{option}` is legal, and not listed")
        if len({str(refusal) for refusal in refusals}) > 1:
            return _contradiction(trial, "options", f"`{option}` is refused for different reasons")
        before = trial.game.cells
        try:
            trial.game.apply(option)
        except IllegalOptionError:
            if trial.game.cells == before:
                continue
        return _contradiction(trial, "options", f"`{option}` is refused, and changes something")
    return None


def _some(trial: Trial, options: list[Option]) -> list[Option]:
    """Some of the options, always the same at the same position."""
    return random.Random(trial.game.hash).sample(options, min(_TRIED, len(options)))


def _unlisted(trial: Trial, listed: list[Option]) -> Iterator[Option]:
    """Options of the open decision with any arguments, most of them not legal."""
    game = trial.game
    if game.is_over:
        return
    decision, rng = asked(game), random.Random(game.hash)
    numbers = sorted({n + d for o in listed for n in o.args for d in (-1, 0, 1)} | {0, 1})
    for _ in range(_TRIED):
        k = rng.randrange(len(decision.choices))
        choice = decision.choices[k]
        args = tuple(
            rng.choice(numbers) if p.type == "int" else rng.randrange(len(game.labels.names[p.type]))
            for p in choice.params
        )
        yield game.option(k, args, None)


def taking_back_restores(trial: Trial) -> Diagnostic | None:
    """An option that is taken and taken back leaves everything as it was."""
    for option in _some(trial, look(trial.game)[0])[:1]:
        before, stood = _seen(trial.game), [_stands(game) for game in trial.games]
        for game in trial.games:
            game.apply(option)
            game.undo()
        if [_stands(game) for game in trial.games] != stood or _seen(trial.game) != before:
            return _contradiction(trial, "undo", f"after `{option}` is taken back, not all is as it was")
    return None


def clones_are_independent(trial: Trial) -> Diagnostic | None:
    """A clone is equal to its game, goes on alike, and what is done to it changes nothing else."""
    game = trial.game
    before, clone, twin = _seen(game), game.clone(), game.clone()
    if _seen(clone) != before:
        return _contradiction(trial, "clone", "it is not equal to its game")
    for option in _some(trial, look(game)[0])[:1]:
        clone.apply(option)
        if _seen(game) != before or _seen(twin) != before:
            return _contradiction(trial, "clone", f"`{option}`, taken in a clone, changes another game")
        twin.apply(option)
        if _seen(twin) != _seen(clone):
            return _contradiction(trial, "clone", f"`{option}` comes out in two ways")
    return None


def log_says_all(trial: Trial) -> Diagnostic | None:
    """The game is the same when it has been written as a log, read and replayed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        with LogWriter(path, trial.header) as writer:
            for move in trial.moves:
                writer.add(move)
        result = replay_file(path, load=lambda _: trial.game.ruleset)
    return _same_game(trial, "log", result)


def saved_game_goes_on(trial: Trial) -> Diagnostic | None:
    """The game is the same when it has been saved, and goes on where it was; the trial goes on with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        with SavedGame(path) as saved:
            saved.begin(trial.header)
            saved.add(*trial.moves)
        with SavedGame(path) as saved:
            assert saved.log is not None
            result = replay_log(saved.log, trial.game.ruleset)
    wrong = _same_game(trial, "resume", result)
    trial.games[0] = result.game
    return wrong


def _same_game(trial: Trial, name: str, result: ReplayResult) -> Diagnostic | None:
    if result.divergence is not None:
        line = result.divergence.line
        return _contradiction(trial, name, f"line {line} is not legal any more: {result.divergence.refusal}")
    game, again = trial.game, result.game
    if _seen(again) != _seen(game) or list(map(str, again.history)) != list(map(str, game.history)):
        return _contradiction(trial, name, "the game that was read is another")
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


# --- random games ----------------------------------------------------------------------------


def random_games(
    ruleset: typed.Ruleset,
    players: Sequence[int],
    games: int,
    seed: int,
    *,
    cap: int = CAP,
    backends: Sequence[Backend | Machines] = BACKENDS,
) -> Iterator[tuple[Trial, FailingGame | None]]:
    """Plays random games, every other one with random values for the ruleset's options, and tries the properties.

    Args:
        ruleset: the ruleset.
        players: numbers of players; the games go round through them.
        games: how many are played.
        seed: the same seed gives the same games.
        cap: decisions after which a game is given up.
        backends: the backends that are compared.

    Yields:
        For each game where it stands, and the shortest game found in which the same is wrong; None if nothing is.

    Raises:
        DiagnosticsError: if a game cannot be set up.
    """
    for number in range(games):
        rng = random.Random(f"{seed}:{number}")
        settings = {o.name: _any(o.values or ("false", "true"), rng) for o in ruleset.settings.values()}
        seats = seat_names(players[number % len(players)])
        trial = Trial(ruleset, seats, settings if number % 2 else None, backends)
        failed = _played(trial, rng, cap)
        yield trial, failed and shorter(trial, *failed)


def _any(of: Sequence[str], rng: random.Random) -> str:
    return of[int(rng.random() * len(of))]  # only `random()` gives the same in all versions of Python


def _played(trial: Trial, rng: random.Random, cap: int) -> tuple[Diagnostic, Property | None] | None:
    """Plays a trial to its end. What is wrong, and the property that does not hold; None if its last move fails."""
    wrong = trial.begin()
    while wrong is None:
        over = trial.game.is_over or trial.game.ply >= cap
        for tried in PROPERTIES:
            if (rng.random() < tried.rate or over) and (found := tried.check(trial)) is not None:
                return found, tried
        if over:
            return None
        wrong = trial.make(_move(trial.game, rng))
    return wrong, None


def _move(game: Game, rng: random.Random) -> Move:
    if game.ply and rng.random() < TAKE_BACK:
        return TakenBack(1 + int(rng.random() * min(5, game.ply)))
    option = choose(game, rng)
    assert option is not None  # or else the rules did not hold
    return option


def shorter(trial: Trial, wrong: Diagnostic, failed: Property | None) -> FailingGame:
    """The shortest game found in which the same is wrong as in a trial.

    Args:
        trial: the game that is known to show it.
        wrong: what is wrong.
        failed: the property that does not hold at its end; None if its last move fails.
    """
    ruleset, header = trial.game.ruleset, trial.header

    rng = random.Random(0)

    def run(moves: Sequence[Move], more: int) -> tuple[list[Move], Diagnostic] | None:
        again = Trial(ruleset, header.seats, header.settings, trial.backends)
        found = again.begin()
        rest = iter(moves)
        while found is None:
            # What is tried seldom takes too long to be tried after every move.
            if failed is not None and failed.rate == 1:
                found = failed.check(again)
            if found is None:
                move = next((m for move in rest if (m := _possible(again.game, move)) is not None), None)
                if move is None and more > 0 and not again.game.is_over:
                    more, move = more - 1, choose(again.game, rng)
                if move is None:
                    found = failed.check(again) if failed is not None else None
                    break
                found = again.make(move)
        return (again.moves, found) if found is not None and kind_of(found) == kind_of(wrong) else None

    return shortest(ruleset, header, trial.moves, wrong, run)


def shorter_playout(playout: Playout) -> FailingGame:
    """The shortest game found in which the same is wrong as in a random playout that has failed."""
    assert playout.failure is not None
    game = playout.game
    trial = Trial(game.ruleset, game.seats, game.settings, BACKENDS[:1])
    trial.moves += playout.moves()
    return shorter(trial, playout.failure.wrong, PROPERTIES[0] if playout.failure.option is None else None)


def _possible(game: Game, move: Move) -> Move | None:
    """A move as it can be made in another game; None if it cannot."""
    if isinstance(move, TakenBack):
        return move if move.decisions <= game.ply else None
    return same_option(game, move)
