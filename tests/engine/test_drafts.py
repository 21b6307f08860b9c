"""Drafts: the remaining decisions, withdrawal without a trace, and other seats' views, in all machines."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cases import split, write
from editor import Editor
from folders import RULESETS
from worlds import take

from rulespec.engine.bots.bot_seats import BotSeats
from rulespec.engine.bots.named import open_bot
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.unknown import unknown_names
from rulespec.engine.game.drafted import planned, standing
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.seat_knowledge import learned
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.search.twins import determinize
from rulespec.engine.why.why import Why
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

PADDOCKS = load_ruleset(str(RULESETS / "paddocks"))
SEATS = ("A", "B")
CLOSED = ["fence_off(a1_n)", "fence_off(a1_e)", "fence_off(a1_s)", "fence_off(a1_w)"]


def game(backend: Backend = "python") -> Game:
    """A game of the paddocks ruleset."""
    return Game(PADDOCKS, SEATS, None, backend)


def after(*texts: str) -> Game:
    """A game after some decisions."""
    one = game()
    for text in texts:
        take(one, text)
    return one


def at_random(seed: int, *backends: Backend, most: int = 150) -> Iterator[list[Game]]:
    """The same random game on several machines, before each decision."""
    games, rng = [game(backend) for backend in backends], random.Random(seed)
    while not games[0].is_over and games[0].ply < most:
        yield games
        options = [[str(option) for option in one.legal_options] for one in games]
        assert all(each == options[0] for each in options)
        text = rng.choice(options[0])
        for one in games:
            take(one, text)
        assert len({one.hash for one in games}) == 1


def is_begun(one: Game) -> bool:
    """Whether a plan is open, by the cell of the open draft."""
    asked = one.omniscient.asked
    return asked is not None and bool(one.omniscient.numbers.state[asked.draft])


@pytest.mark.parametrize("seed", range(2))
def test_withdrawing_leads_to_the_position_before(seed: int) -> None:
    start = ""
    for games in at_random(seed, "interpreter", "python", "wasm"):
        one = games[0]
        if one.history and str(one.history[-1]) == "withdraw":
            assert [each.hash for each in games] == [start] * 3
        if not is_begun(one):
            start = one.hash
        assert bool(planned(one.omniscient.numbers)) == is_begun(one)


def test_copies_are_empty_outside_of_their_draft() -> None:
    for (one,) in at_random(3, "python"):
        program, asked = one.omniscient.program, one.omniscient.asked
        assert asked is not None
        for begun, copies in program.drafts.items():
            if begun != asked.draft:
                assert not any(one.omniscient.numbers.state[at] for at in (begun, *copies.values()))


def test_what_was_withdrawn_is_in_no_view() -> None:
    for (one,) in at_random(4, "python", most=100):
        if is_begun(one):
            continue
        clean = after(*(str(step.option) for step in standing(one.omniscient.numbers.steps)))
        assert clean.hash == one.hash
        for seat in (*SEATS, None):
            assert clean.view(seat) == one.view(seat)


def test_others_see_the_state_before_until_the_plan_stands() -> None:
    before = {}
    for (one,) in at_random(5, "python", most=100):
        decision = one.decision
        assert decision is not None
        if not is_begun(one):
            before = {seat: (one.view(seat), one.omniscient.value("A.cash", seat)) for seat in (*SEATS, None)}
        for seat in {*SEATS, None} - {decision.by}:
            assert (one.view(seat), one.omniscient.value("A.cash", seat)) == before[seat]
        assert (one.view(decision.by) == before[decision.by][0]) == (not is_begun(one))
        assert one.omniscient.value("A.cash", OMNISCIENT) == one.omniscient.value("A.cash", decision.by)


def test_a_plan_stands_as_a_whole() -> None:
    one = after(*CLOSED[:3])
    assert not one.is_legal(one.parse("done"))
    take(one, CLOSED[3])
    take(one, "done")
    assert one.omniscient.value("A.fields") == "1"
    assert [str(event.option) for event in one.view("B").history] == [*CLOSED, "done"]


def test_nothing_is_withdrawn_before_something_is_planned() -> None:
    one = game()
    assert "withdraw" not in [str(option) for option in one.legal_options]
    refusal = one.why_not(one.parse("withdraw"), "A")
    assert refusal is not None and refusal.reason == "nothing has been planned yet"


def test_undo_goes_back_one_decision_through_a_withdrawal() -> None:
    one = after(*CLOSED[:2])
    planned_hash = one.hash
    take(one, "withdraw")
    assert one.hash == game().hash
    one.undo()
    assert one.hash == planned_hash and planned(one.omniscient.numbers) == 2
    while one.ply:
        one.undo()
    assert one.hash == game().hash


def test_a_log_holds_what_stands(tmp_path: Path) -> None:
    one = after(*CLOSED[:2], "withdraw", *CLOSED, "done", "buy(sheep)", "withdraw", "buy(cow)", "done")
    write_log(tmp_path / "log.jsonl", one)
    text = (tmp_path / "log.jsonl").read_text()
    assert "withdraw" not in text and "sheep" not in text
    again = replay_log(tmp_path / "log.jsonl", rules=str(RULESETS / "paddocks"))
    assert again.divergence is None and again.game.hash == one.hash
    assert [str(option) for option in again.game.history] == [*CLOSED, "done", "buy(cow)", "done"]


WAYS_OUT = """
procedure play():
    repeat at most 20:
        for p in player:
            plan(p)
            decide rest by p:
                option fine: pass
    end game as over

procedure plan(p: player):
    let spent = 0
    turns q in [p] until all pass at most 3:
        for t in town where p.count < 9:
            draft plans by p:
                option more(n in 1 .. 2):
                    let twice = n * 2
                    set spent to spent + twice
                    set p.cash to p.cash + n
                    for r in player where r.cash > 3:
                        if r == p: return
                option other: count_one(p)
                option skip: pass turn
                option end: end game as ended
                option done:
                    require spent > 2 or p.cash == 0
                    leave
            set p.cash to 0
        set p.cash to p.cash + spent % 3

procedure count_one(p: player):
    let before = p.cash
    set p.count to p.count + before
--- kinds.yaml
kinds:
  player: {state: {cash: {type: int}, count: {type: int}}}
  town: {entities: {oak: {}, elm: {}}}
"""


@pytest.mark.parametrize("seed", range(3))
def test_each_way_out_of_a_draft_empties_it(tmp_path: Path, seed: int) -> None:
    ruleset = load_ruleset(str(write(tmp_path / "g", split(WAYS_OUT, "rules/play.rules"))))
    backends: tuple[Backend, ...] = ("interpreter", "python", "wasm")
    games, rng = [Game(ruleset, SEATS, None, each) for each in backends], random.Random(seed)
    ((begun, copies),) = games[0].omniscient.program.drafts.items()
    start = ""
    while not games[0].is_over and games[0].ply < 60:
        if not is_begun(games[0]):
            start = games[0].hash
        texts = [str(option) for option in games[0].legal_options]
        text = rng.choice([each for each in texts if each != "end"] if games[0].ply < 50 else texts)
        for one in games:
            take(one, text)
        assert len({one.hash for one in games}) == 1
        if text == "withdraw":
            assert games[0].hash == start
        if games[0].decision is not None and games[0].decision.name == "rest":
            assert not any(games[0].omniscient.numbers.state[at] for at in (begun, *copies.values()))
    assert not games[0].is_over or not any(games[0].omniscient.numbers.state[at] for at in (begun, *copies.values()))


def test_a_plan_that_another_system_records_as_a_whole(tmp_path: Path) -> None:
    turns = [
        {"do": "fences", "who": "A", "plan": ["a1_n", "a1_e", "a1_s", "a1_w"]},
        {"do": "buys", "who": "A", "lot": ["cow"]},
        {"do": "buys", "who": "B", "lot": ["sheep", "sheep", "boar"]},
        {"do": "buys", "who": "A", "lot": ["sheep"]},
    ]
    (tmp_path / "log.json").write_text(json.dumps({"site": "farmyard", "people": ["A", "B"], "turns": turns}))
    folder = RULESETS / "paddocks"
    assert unknown_names(read_dialect(folder / "dialects" / "farmyard.yaml")) == []
    again = replay_log(tmp_path / "log.json", rules=str(folder), dialect="farmyard")
    assert again.divergence is None, again.divergence
    taken = [str(option) for option in again.game.history]
    assert sorted(taken[:4]) == sorted(CLOSED) and "withdraw" not in taken
    assert taken[4:8] == ["done", "buy(cow)", "done", "done"]
    bought = [text for text in taken[8:] if text.startswith("buy")]
    assert bought == ["buy(sheep)", "buy(sheep)", "buy(boar)", "buy(sheep)"]


@pytest.mark.parametrize("texts", [("fence_off(a1_n)",), ("fence_off(a1_n)", "withdraw"), (*CLOSED, "done")])
def test_nobody_learns_anything_from_a_plan_that_is_taken_back(texts: tuple[str, ...]) -> None:
    one = after(*texts)
    for number in range(one.ply + 1):
        assert [learned(one, seat, number) for seat in SEATS] == [(), ()]


@pytest.mark.parametrize("seat", ["B", None])
def test_reasons_and_moves_for_others_are_those_from_before_the_plan(seat: str | None) -> None:
    for texts in ((), (*CLOSED, "done", "buy(cow)", "done")):
        before, planning = after(*texts), after(*texts, "fence_off(b1_e)")
        seat = seat and next(each for each in SEATS if planning.decision and each != planning.decision.by)
        for one, other in zip(reasons(before, seat), reasons(planning, seat), strict=True):
            assert one == other
        lists = [[*Moves(Words(PADDOCKS), each, seat=seat)] for each in (before, planning)]
        assert lists[0] == lists[1]
        assert len([*Moves(Words(PADDOCKS), planning)]) == len(lists[0]) + 1


def reasons(one: Game, seat: str | None) -> list[object]:
    """The answers to a seat about a position."""
    why = Why(one, seat)
    answers = [why.effects(), why.nothing(), why.asked(), why.value("A.cash + B.cash"), why.option("withdraw")]
    return [str(each) for each in answers]


def test_withdrawn_moves_are_not_told_to_a_seat() -> None:
    one = after("fence_off(a1_n)", "withdraw", *CLOSED, "done")
    assert [move.option for move in Moves(Words(PADDOCKS), one, seat="A")] == [*CLOSED, "done"]


@pytest.mark.parametrize("backend", ["python", "wasm"])
@pytest.mark.parametrize("texts", [("withdraw",), ("fence_off(a1_e)",), ("withdraw", *CLOSED, "done", "buy(cow)")])
def test_games_that_look_the_same_have_no_withdrawn_plan(texts: tuple[str, ...], backend: Backend) -> None:
    one, plain = game(backend), game(backend)
    for text in ("fence_off(a1_n)", *texts):
        take(one, text)
    for text in [str(step.option) for step in standing(one.omniscient.numbers.steps)]:
        take(plain, text)
    for seat in SEATS:
        twin = determinize(one, seat, random.Random(1))
        assert twin.view(seat) == one.view(seat)
        assert twin.history == determinize(plain, seat, random.Random(1)).history


def test_a_withdrawn_plan_changes_no_pick_of_a_bot() -> None:
    plain = after(*CLOSED, "done", "done")
    drafted = after("fence_off(a1_e)", "withdraw", *CLOSED, "done", "buy(cow)", "withdraw", "done")
    picks = [[picked(one, seed) for seed in range(10)] for one in (plain, drafted)]
    assert picks[0] == picks[1] and len({*picks[0]}) > 1


def picked(one: Game, seed: int) -> str:
    """The option of a random bot at B's seat."""
    option, _ = BotSeats(one, {"B": open_bot("random")}, seed).choose(one)
    return str(option)


def test_editors_know_what_stands_in_a_draft() -> None:
    rules = "rules/play.rules"

    def ask(what: str, word: str, offset: int) -> Any:
        return editor.ask(f"textDocument/{what}", editor.at(rules, word, offset))

    with Editor(RULESETS / "paddocks") as editor:
        editor.open(rules)
        assert "left: int" in ask("hover", "left > 0", 0)["contents"]["value"]
        assert "option fence_off(f in fence" in ask("hover", "option fence_off", 8)["contents"]["value"]
        completed = ask("completion", "set f.owner to p", 6)
        items = completed["items"] if isinstance(completed, dict) else completed
        assert {each["label"] for each in items} == {"owner", "spaces", "index"}
