"""The console's view of an object: one line of bounded length, however much the object holds."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import is_dataclass

import msgspec
import pytest
from folders import GAMES

from rulespec.diagnostics.report import Report
from rulespec.drawing.board import board, board_of
from rulespec.engine.game.game import Game
from rulespec.engine.replay.judge import judge_file
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset, load_source
from rulespec.records import MAX_REPR, Brief

MOST = 400
"""Characters that are still one look."""


def reached(start: object) -> Iterator[object]:
    """The objects of this project that can be reached, some of each class."""
    seen, counts, waiting = {id(start)}, dict[type, int](), deque([start])
    while waiting:
        thing = waiting.popleft()
        if type(thing).__module__.startswith("rulespec."):
            counts[type(thing)] = counts.get(type(thing), 0) + 1
            if counts[type(thing)] > 40:
                continue
            yield thing
        for part in parts(thing):
            if id(part) not in seen and not isinstance(part, str | int | type(None)):
                seen.add(id(part))
                waiting.append(part)


def parts(thing: object) -> list[object]:
    if isinstance(thing, dict):
        return [*list(thing)[:50], *list(thing.values())[:50]]
    if isinstance(thing, tuple | list | set | frozenset):
        return list(thing)[:50]
    if isinstance(thing, msgspec.Struct):
        return [getattr(thing, name) for name in thing.__struct_fields__]
    names = [*getattr(thing, "__dict__", {}), *(s for c in type(thing).__mro__ for s in getattr(c, "__slots__", ()))]
    return [getattr(thing, name, None) for name in names] if type(thing).__module__.startswith("rulespec.") else []


@pytest.mark.parametrize("ref", ["nim", "chess", "imperial", "imperial+playimperial", "leduc_poker"])
def test_a_ruleset_is_shown_in_one_line(ref: str) -> None:
    ruleset = load_ruleset(ref)
    assert repr(ruleset) == f"<Ruleset {ref} {ruleset.version}, {ruleset.players[0]} to {ruleset.players[1]} players>"


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("ref", ["chess", "imperial", "tutorial"])
@pytest.mark.sampled(1)
def test_whatever_a_ruleset_and_a_game_hold_is_shown_in_one_line(ref: str) -> None:
    ruleset = load_ruleset(ref)
    low, _ = ruleset.players
    game = Game(ruleset, [f"seat {i}" for i in range(low)])
    things = [ruleset, load_source(ref, Report()), game, game.legal_options, game.view(None), Words(ruleset)]
    things += [board_of(ruleset, game.seats), board(ruleset, game)]
    for thing in (each for start in things for each in reached(start)):
        text = repr(thing)
        assert len(text) <= MOST and "\n" not in text, (type(thing), len(text))


@pytest.mark.proof
def test_results_are_shown_in_one_line() -> None:
    log = GAMES / "imperial" / "logs" / "quickstart.jsonl"
    foreign = GAMES / "imperial/logs/playimperial/impossible/v004-auction-4p.json"
    for result in (replay_log(log), replay_log(foreign), judge_file(log, "imperial+playimperial")):
        assert len(repr(result)) <= MOST and "\n" not in repr(result)


class Sack(Brief, msgspec.Struct):
    name: str
    many: dict[str, list[int]]
    number: int = 0
    more: object = None


def test_a_record_shows_small_things_and_the_sizes_of_large_ones() -> None:
    assert repr(Sack("a", {"x": [1]})) == "Sack(name='a', many=<dict of 1>, number=0, more=None)"
    assert repr(Sack("a\nb" * 50, {})).startswith("Sack(name='a\\nb")
    assert repr(Sack("a", {}, 10**5000, Sack("inner", {}))) == (
        "Sack(name='a', many=<dict of 0>, number=<int>, more=<Sack 'inner'>)"
    )


def test_a_record_that_holds_itself_or_has_many_fields_is_still_short() -> None:
    sack = Sack("a", {})
    sack.more = sack
    assert repr(sack) == "Sack(name='a', many=<dict of 0>, number=0, more=<Sack 'a'>)"
    wide = msgspec.defstruct("Wide", [(f"field_{i}", str) for i in range(200)], bases=(Brief, msgspec.Struct))
    assert len(repr(wide(*["text"] * 200))) <= MAX_REPR
    assert repr(wide(*["text"] * 200)).endswith(", …)")
    assert not is_dataclass(Brief)
