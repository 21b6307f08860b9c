"""Rules without a warning of the checker leak nothing: games that look the same to a seat go on looking the same.

Of two games that a seat cannot tell apart, the same decisions are taken in both; the arguments that it does not see may
differ. Then the same is asked, the seat has the same options, and sees the same. The cases are those of the checker
(tests/fixtures/leaks.rules); where it warns, some of them must differ.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from leaks import CASES, ruleset_of

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.search.twins import determinize
from rulespec.load import load_ruleset

SEATS = ["A", "B"]
GAMES = 5
PLIES = 6
RELEASED = (
    "told(",
    "end game",
    "p.shown",
    "add c to p.drawn",
    "set over to",
    "set step to",
    "done to true",
    "taken to true",
)
"""Secrets that the rules tell on purpose, also by opening them to all, or to one more seat.

And that a card was in an order before it is added, which the checker leaves out.
"""

QUIET = [body for body, code in CASES if not code and not any(word in body for word in RELEASED)]
LOUD = [body for body, code in CASES if code.startswith(("RS343", "RS344", "RS345", "RS346"))]


def compared(folder: Path, body: str, seed: int) -> Counter[str]:
    """Counts of pairs: those that looked the same, those of them that differ in secrets, those that came to differ.

    The first that came to differ is the last.
    """
    rng = random.Random(seed)
    ruleset = load_ruleset(str(ruleset_of(folder, body)))
    results: Counter[str] = Counter()
    for _ in range(GAMES):
        game = Game(ruleset, SEATS, {})
        seat = rng.choice(SEATS)
        try:
            dealt(game, rng)
            twin = determinize(game, seat, rng, 2_000)
        except (NotFoundError, RulesetFaultError):
            continue
        results["pairs"] += 1
        results["differ"] += twin.history != game.history
        results["told"] += is_told(game, twin, seat, rng)
        if results["told"]:
            break
    return results


def dealt(game: Game, rng: random.Random) -> None:
    """Takes the decisions that give all secrets a value."""
    while game.decision is not None and game.decision.name.startswith("dealt"):
        game.apply(rng.choice(list(every_option(game))))


def is_told(game: Game, twin: Game, seat: str, rng: random.Random) -> bool:
    """Whether the seat can tell two games apart that go on with the same decisions."""
    for _ in range(PLIES):
        if game.decision is None or twin.decision is None:
            return False  # the end is public
        if seen(game, seat) != seen(twin, seat):
            return True
        options = list(every_option(game))
        if not options:
            return False
        option = rng.choice(options)
        others = [o for o in every_option(twin) if alike(game, option, o, seat)]
        if not others:
            return False  # what is taken tells that it is legal
        try:
            twin.apply(rng.choice(others))
            game.apply(option)
        except RulesetFaultError:
            return False
    return False


def seen(game: Game, seat: str) -> tuple[object, ...]:
    view = game.view(seat)
    return (view.state, view.hidden, view.decision, view.waiting, list(map(str, view.options)), view.interrupts)


def alike(game: Game, option: Option, other: Option, seat: str) -> bool:
    """Whether two options look the same to a seat."""
    if (option.name, option.by) != (other.name, other.by):
        return False
    seats = game.seats
    actor = seats.index(option.by) if option.by is not None else -1
    seers = game.omniscient.visibility.seers(game.omniscient.numbers.state, actor, option)
    mask = 1 << seats.index(seat)
    shown = [
        [text if who & mask else HIDDEN for text, who in zip(o.arguments.values(), seers, strict=True)]
        for o in (option, other)
    ]
    return shown[0] == shown[1]


@pytest.mark.parametrize("body", QUIET)
@pytest.mark.sampled(2)
def test_what_is_not_warned_of_tells_nothing(body: str, tmp_path: Path) -> None:
    result = compared(tmp_path, body, 1)
    assert result["told"] == 0
    assert result["differ"] > result["pairs"] // 2


@pytest.mark.parametrize("step", [18, *(pytest.param(step, marks=pytest.mark.proof) for step in (9, 3))])
def test_what_is_warned_of_tells(tmp_path: Path, step: int) -> None:
    tell = [compared(tmp_path / str(n), body, 1)["told"] > 0 for n, body in enumerate(LOUD[::step])]
    assert sum(tell) > len(tell) * 0.4, [body for body, does in zip(LOUD[::step], tell, strict=True) if not does]
