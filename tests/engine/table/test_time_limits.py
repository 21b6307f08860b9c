"""The clock of a table: a budget with an increment, hours of the day, and a pause."""

from __future__ import annotations

from datetime import datetime
from math import inf
from zoneinfo import ZoneInfo

import msgspec
import pytest
from cases import small
from tables import Clock, proceed, send, table_of

from rulespec.engine.game.game import Game
from rulespec.engine.table.messages import MessageRefusal
from rulespec.engine.table.seats import Unlogged
from rulespec.engine.table.table import Table
from rulespec.engine.table.time_limits import TimeLimits, checked_limits, counted, reached
from rulespec.typed import nodes as typed

TURNS = """
procedure play():
    repeat at most 20:
        for p in player:
            decide work by p:
                option dig:
                    set dug to dug + 1
        decide vote together by p in player:
            option vote(n in 1 .. 3):
                set dug to dug + n
--- kinds.yaml
kinds: {player: {}}
state: {dug: {type: int}}
"""
EVENING = TimeLimits(zone="Europe/Berlin", opens=18 * 60, closes=23 * 60)


def at(text: str, zone: str = "Europe/Berlin") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


@pytest.fixture(scope="module")
def ruleset(tmp_path_factory: pytest.TempPathFactory) -> typed.Ruleset:
    return small(tmp_path_factory.mktemp("small") / "turns", TURNS)


def table(ruleset: typed.Ruleset, clock: Clock, limits: TimeLimits, deadline: int = 0) -> Table:
    result = table_of(Game(ruleset, "AB"), deadline=deadline, clock=clock)
    result.set_limits(limits, pauses=False)
    proceed(result)
    return result


def dig(of: Table, seat: str) -> None:
    assert send(of, seat, do="take", option="dig") is None


# --- a budget ---------------------------------------------------------------------------------------


def test_a_budget_is_of_all_decisions_and_each_adds_to_it(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100, increment=10))
    assert of.say("A")["left"] == {"A": 100, "B": 100} and of.say(None)["due"] == {"A": 1100}
    clock.now += 60
    dig(of, "A")
    assert of.say("B")["left"] == {"A": 50, "B": 100} and of.say("B")["due"] == {"B": 1160}
    clock.now += 99
    assert of.late() == ()
    assert send(of, "A", do="bot", seat="B", bot="random") == MessageRefusal("this seat still has time")
    clock.now += 1
    assert of.late() == ("B",) and "B" in of.people, "nothing happens by itself"
    assert send(of, "A", do="bot", seat="B", bot="random") is None and "B" not in of.people


def test_at_zero_one_may_still_decide_oneself(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=10))
    clock.now += 500
    assert of.late() == ("A",)
    dig(of, "A")
    assert of.say("A")["left"]["A"] == -490 and of.late() == ()


def test_a_choice_in_a_round_takes_its_time(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100))
    dig(of, "A")
    dig(of, "B")
    clock.now += 30
    assert send(of, "A", do="take", option="vote(1)") is None
    clock.now += 20
    assert send(of, "B", do="take", option="vote(2)") is None
    assert of.say("A")["left"] == {"A": 70, "B": 50}


def test_taking_back_gives_the_time_of_the_decision_back_and_it_goes_on(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100, increment=10))
    clock.now += 40
    dig(of, "A")
    clock.now += 5
    assert send(of, "A", do="undo") is None
    assert of.say("A")["left"]["A"] == 100 and of.say("A")["due"]["A"] == clock.now + 60


def test_the_earlier_of_deadline_and_budget_counts(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100), deadline=30)
    assert of.say(None)["due"] == {"A": 1030}


def test_a_copy_of_one_person_has_no_clock(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100))
    of.alone = True
    proceed(of)
    assert of.say(None)["due"] == {} and of.say(None)["left"] == {}


# --- a pause ----------------------------------------------------------------------------------------


def test_in_a_pause_nobodys_time_runs(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100))
    clock.now += 40
    of.set_limits(TimeLimits(budget=100), pauses=True)
    proceed(of)
    assert of.say("A")["paused"] and of.say("A")["due"] == {}
    clock.now += 10_000
    assert of.late() == ()
    dig(of, "A")
    assert of.say("A")["left"] == {"A": 60, "B": 100}, "who wants to may decide"
    clock.now += 500
    of.set_limits(TimeLimits(budget=100), pauses=False)
    proceed(of)
    assert of.say("A")["due"] == {"B": clock.now + 100} and not of.say("A")["paused"]


def test_a_pause_and_the_times_outlive_a_restart(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    of = table(ruleset, clock, TimeLimits(budget=100))
    clock.now += 40
    of.set_limits(TimeLimits(budget=100), pauses=True)
    proceed(of)
    clock.now += 7
    stored = msgspec.json.decode(msgspec.json.encode(of.aside), type=Unlogged)
    clock.now += 1000
    again = Table(of.words, of.game, stored, clock=clock)
    again.set_limits(TimeLimits(budget=100), pauses=False)
    proceed(again)
    assert again.say("A")["due"] == {"A": clock.now + 60}


# --- hours of the day -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "start, seconds, end",
    [
        ("2026-05-04 19:00", 3600, "2026-05-04 20:00"),
        ("2026-05-04 12:00", 3600, "2026-05-04 19:00"),
        ("2026-05-04 22:30", 3600, "2026-05-05 18:30"),
        ("2026-05-04 23:30", 5 * 3600, "2026-05-05 23:00"),
        ("2026-03-28 22:00", 3 * 3600, "2026-03-29 20:00"),
    ],
)
def test_time_runs_in_the_hours_of_the_day_alone(start: str, seconds: int, end: str) -> None:
    assert reached(at(start), seconds, EVENING) == at(end)
    assert counted(at(start), at(end), EVENING) == seconds


@pytest.mark.parametrize(
    "start, end, hours",
    [
        ("2026-03-28 12:00", "2026-03-29 12:00", 23),  # clocks go forward in this night, and back in the other one
        ("2026-10-24 12:00", "2026-10-25 12:00", 25),
    ],
)
def test_hours_over_midnight_follow_summer_time(start: str, end: str, hours: int) -> None:
    all_but_noon = TimeLimits(zone="Europe/Berlin", opens=12 * 60, closes=11 * 60)
    assert counted(at(start), at(end), all_but_noon) == (hours - 1) * 3600
    assert counted(at(start), at(end), TimeLimits()) == hours * 3600


def test_a_table_is_late_only_when_hours_have_passed_in_which_time_runs(ruleset: typed.Ruleset) -> None:
    clock = Clock()
    clock.now = at("2026-05-04 22:00")
    of = table(ruleset, clock, EVENING, deadline=2 * 3600)
    assert of.say(None)["due"] == {"A": at("2026-05-05 19:00")}
    clock.now = at("2026-05-05 18:59")
    assert of.late() == ()
    clock.now = at("2026-05-05 19:00")
    assert of.late() == ("A",)


def test_what_would_end_after_more_than_a_year_has_no_end() -> None:
    hour = TimeLimits(zone="UTC", opens=0, closes=60)
    assert reached(0.0, 366 * 86_400, hour) == inf


@pytest.mark.parametrize(
    "limits, fault",
    [
        (TimeLimits(), ""),
        (EVENING, ""),
        (TimeLimits(zone="Europe/Nowhere"), "no time zone"),
        (TimeLimits(zone="../../etc/passwd"), "no time zone"),
        (TimeLimits(zone="x" * 5000), "no time zone"),
        (TimeLimits(zone="UTC", opens=600, closes=600), "60 minutes"),
        (TimeLimits(zone="UTC", opens=-1, closes=600), "times of the day"),
        (TimeLimits(budget=-1), "between 0 and one year"),
        (TimeLimits(budget=1, increment=10**12), "between 0 and one year"),
    ],
)
def test_limits_that_cannot_be_kept_are_refused(limits: TimeLimits, fault: str) -> None:
    assert fault in checked_limits(limits) and bool(fault) == bool(checked_limits(limits))
