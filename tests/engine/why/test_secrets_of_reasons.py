"""Non-interference of reasons: where a reader cannot tell two games apart, all answers to it are the same bytes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from secret_games import DECIDED, HIDING, played, sabotaged, twins

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game import visibility
from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.secrets import GuardedState
from rulespec.engine.why.answer_output import Printer, whole
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.why import Why
from rulespec.types import Bool, Num

pytestmark = pytest.mark.usefixtures("known_rulesets")


def expressions(game: Game) -> Iterator[str]:
    """Expressions of the rules language that read all fields of the entities of each kind, hidden ones too."""
    names = game.omniscient.labels.names
    for kind in game.ruleset.kinds.values():
        for field in kind.state.values() if not kind.nameless else ():
            yield from (f"{name}.{field.name}" for name in names[kind.name][:3])
            if isinstance(field.type, Num):
                yield f"sum(x.{field.name} for x in {kind.name})"
            elif isinstance(field.type, Bool):
                yield f"any(x in {kind.name} where x.{field.name})"
    yield from game.ruleset.declarations.fields


def texts(game: Game, other: Game) -> list[str]:
    """Options that are legal in one game or another, and some that are not."""
    results = {str(option) for each in (game, other) if not each.is_over for option in every_option(each)}
    return sorted(results)[:25]


def answered(game: Game, ask: Callable[[], Answer]) -> str:
    """An answer as text and as JSON, whole and folded."""
    try:
        answer = ask()
    except (DiagnosticsError, RulesetFaultError) as error:
        return str(error)
    printer = Printer(game.ruleset, game.omniscient.labels)
    shown = [whole(answer, fold=fold) for fold in (True, False)]
    return "\n".join(line for each in shown for line in (*printer.lines(each), to_json_text(printer.json(each))))


def answers(game: Game, seat: str | None, options: list[str], *, past: bool = False) -> dict[str, str]:
    """All answers to a reader, by question."""
    why = Why(game, seat)
    asks: dict[str, Callable[[], Answer]] = {f"option {text}": partial(why.option, text) for text in options}
    asks |= {f"value {e}": partial(why.value, e) for e in expressions(game)}
    asks |= {f"invariant {name}": partial(why.invariant, name) for name in game.ruleset.rules.invariants}
    asks |= {f"not asked {one}": partial(why.not_asked, one) for one in game.seats}
    asks |= {"nothing": why.nothing, "asked": why.asked, "end": why.end}
    if past:
        asks["effects"] = why.effects
    return {question: answered(game, ask) for question, ask in asks.items()}


def pairs(ref: str, seeds: range) -> Iterator[tuple[Game, Game, str | None]]:
    """Positions without a past, each with one that differs where a reader does not see it."""
    for seed in seeds:
        for moves in (6, 20):
            game, other = played(ref, seed, moves), played(ref, seed + 7, moves + 3)
            for seat in (game.seats[seed % len(game.seats)], None):
                first = game_at(game, game.omniscient.numbers.cells)
                twin = sabotaged(game, seat, other)
                if twin.omniscient.numbers.cells != first.omniscient.numbers.cells:
                    yield first, twin, seat


def each(refs: list[str], *light: str) -> list[Any]:
    """Cases of rulesets, of which all but the light ones are proofs."""
    return [pytest.param(ref, marks=[] if ref in light else pytest.mark.proof) for ref in refs]


@pytest.mark.parametrize("ref", each(HIDING, "kuhn_poker"))
def test_a_sabotaged_position_gives_the_same_answers(ref: str) -> None:
    compared = 0
    for first, twin, seat in pairs(ref, range(2)):
        options = texts(first, twin)
        assert answers(twin, seat, options) == answers(first, seat, options)
        compared += 1
    assert compared > 2


def along(game: Game) -> Iterator[Game]:
    """The last positions of a game, from the end backwards."""
    past = game.copy()
    while past.ply and past.ply > game.ply - 8:
        yield past
        past = past.copy()
        past.undo()


@pytest.mark.parametrize("ref", each(DECIDED, "liars_dice"))
def test_games_that_look_the_same_give_the_same_answers(ref: str) -> None:
    some = [(*pair, moves) for moves in (8, 30) for pair in twins(ref, range(4), moves)]
    assert some
    for game, twin, seat, _ in some[:6]:
        for first, second in zip(along(game), along(twin), strict=True):
            options = texts(first, second)
            assert answers(second, seat, options, past=True) == answers(first, seat, options, past=True)


def finished(game: Game, twin: Game, seed: int) -> tuple[Game, Game]:
    """Both games, played on at random by what is legal in both."""
    first, second, draws = game.copy(), twin.copy(), random.Random(seed)
    while not first.is_over and not second.is_over:
        both = sorted({*map(str, first.legal_options)} & {*map(str, second.legal_options)})
        if not both:
            break
        text = draws.choice(both)
        first.apply(first.parse(text))
        second.apply(second.parse(text))
    return first, second


@pytest.mark.parametrize("ref", each(["kuhn_poker", "leduc_poker"], "kuhn_poker"))
def test_ends_that_look_the_same_give_the_same_answers(ref: str) -> None:
    ended = 0
    for number, (game, twin, seat) in enumerate(twins(ref, range(12), 3)):
        first, second = finished(game, twin, number)
        if first.is_over and second.is_over and first.view(seat).memory == second.view(seat).memory:
            ended += 1
            assert answers(second, seat, [], past=True) == answers(first, seat, [], past=True)
    assert ended


@pytest.mark.parametrize("leak", ["no masks", "an open state"])
def test_a_leak_is_found(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [pair for ref in ("kuhn_poker", "liars_dice") for pair in twins(ref, range(3), 8)[:4]]
    if leak == "no masks":
        monkeypatch.setattr(visibility.Visibility, "unseen", lambda self, state, seat: {})
    else:
        monkeypatch.setattr(GuardedState, "like", lambda self, state: list(state))
    assert any(answers(twin, seat, [], past=True) != answers(game, seat, [], past=True) for game, twin, seat in pairs)
