"""Shapes of foreign logs: lists in objects and phases, nested entries, undo by id, orders, remarks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from folders import ROOT, TESTS
from recorder import COURIER, Recorder, begin, cargo, plain

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.foreign_log import parse_foreign, shaped
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult

SITES = TESTS / "fixtures" / "sites"


class Site:
    """A site that records games in its own shape; `report` has the diagnostics of the last replay."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, monkeypatch
        self.report = Report()
        self.path = folder / "game.json"

    def replay(self, site: str, log: Any, **request: Any) -> ReplayResult:
        home = self._folder / site / "dialects"
        home.mkdir(parents=True, exist_ok=True)
        file = Path(shutil.copy(SITES / site / f"{site}.yaml", home))
        shutil.copy(ROOT / "games" / "gallery" / "chess" / "notation.yaml", home.parent)
        self._patch.setattr("rulespec.engine.replay.replay.dialects", lambda rules: [file])
        self.path.write_text(json.dumps(log), encoding="utf-8")
        self.report = Report()
        return ReplayRequest(self.path, report=self.report, **request).replay()

    def codes(self) -> list[str]:
        return [d.code for d in self.report.diagnostics]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(tmp_path, monkeypatch)


def taken(result: ReplayResult) -> list[str]:
    assert result.divergence is None, result.divergence
    return [str(option) for option in result.game.history]


# --- a list in phases, chance from the header ------------------------------------------------------------------------


def hand(*bets: dict[str, Any], seed: int = 5, **more: Any) -> dict[str, Any]:
    people = [{"nick": "Ann"}, {"nick": "Bob"}]
    table = {"kind": "kuhn", "open": True, "people": people, "seed": seed, "hand": 0, "opened": "2026-01-01"}
    return {"table": table, "hands": [{"no": n, "bets": each} for n, each in enumerate(bets)], **more}


def test_phases_hold_lists_by_the_names_of_players(site: Site) -> None:
    log = hand({"Ann": [{"do": "check"}]}, {"Bob": [{"do": "chip", "amount": 1}], "Ann": [{"do": "check"}]})
    assert taken(site.replay("cardroom", log))[2:] == ["leave_it", "bet", "leave_it"]


@pytest.mark.parametrize("seed, card", [(5, "queen"), (6, "king"), (7, "jack")])
def test_chance_is_answered_from_the_header(site: Site, seed: int, card: str) -> None:
    drawn = (1103515245 * seed + 12345) % 2**31 % 3
    result = site.replay("cardroom", hand({"Ann": [{"do": "check"}]}, seed=seed))
    names = ("jack", "queen", "king")
    first = str(result.game.history[0])
    assert first in {f"deal({name})" for name in names}
    assert names.index(first[5:-1]) == drawn


def test_a_value_that_is_no_whole_number_is_refused(site: Site) -> None:
    log = hand({})
    log["table"]["seed"] = "many"
    with pytest.raises(DiagnosticsError) as error:
        site.replay("cardroom", log)
    assert [d.code for d in error.value.diagnostics] == ["RS620"]


def test_the_end_of_the_other_system_is_compared(site: Site) -> None:
    bets = ({"Ann": [{"do": "chip"}]}, {"Bob": [{"do": "check"}]})
    won = site.replay("cardroom", hand(*bets, totals={"Ann": 3, "Bob": 1}, over="folded"))
    assert (won.other_end, won.game.result is not None) == (None, True)
    for more, key in (({"totals": {"Ann": 4, "Bob": 0}}, "scores"), ({"over": "shown"}, "ending")):
        other = site.replay("cardroom", hand(*bets, **more)).other_end
        assert other is not None
        assert other.differs == [key]
        assert [d.message for d in site.report.diagnostics if d.code != "RS643"] == []


def test_an_end_that_says_nothing_we_know_is_not_compared(site: Site) -> None:
    bets = ({"Ann": [{"do": "chip"}]}, {"Bob": [{"do": "check"}]})
    assert site.replay("cardroom", hand(*bets, totals={"Ann": 3}, over="timeout")).other_end is None


def test_an_entry_that_is_no_object_is_a_value(site: Site) -> None:
    result = site.replay("cardroom", hand({"Ann": ["good luck", {"do": "check"}]}), remarks=True)
    assert taken(result)[2:] == ["leave_it"]
    assert result.notes.remarks == {1: {"remark": "good luck", "by": "Ann"}}


def test_a_field_of_the_header_that_nothing_reads_is_reported(site: Site) -> None:
    site.replay("cardroom", hand({}, stake="high"))
    (warning,) = site.report.diagnostics
    assert (warning.code, "stake" in warning.message, "object around" in warning.message) == ("RS629", True, True)
    site.replay("cardroom", hand({}, stake="high"), warns=False)
    assert not site.codes()


@pytest.mark.parametrize("log", [{"table": {"kind": "kuhn", "open": True}}, {"table": {"open": True}, "hands": 7}])
def test_an_object_without_the_list_is_not_of_the_dialect(site: Site, log: Any) -> None:
    with pytest.raises(DiagnosticsError) as error:
        site.replay("cardroom", log)
    assert {d.code for d in error.value.diagnostics} <= {"RS616", "RS613"}


# --- entries within entries, several entries for a decision, undo by id and redo -------------------------------------


def picked(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbered = [{"id": n, **action} for n, action in enumerate(actions, 1)]
    people = [{"id": 7, "name": "Ann"}, {"id": 8, "name": "Bob"}]
    return {"id": 12, "title": "Chess", "players": people, "actions": numbered, **more}


def move(a: str, b: str) -> list[dict[str, Any]]:
    return [{"type": "pick", "at": a}, {"type": "place", "at": b}]


def test_two_entries_are_one_decision(site: Site) -> None:
    log = picked(*move("e2", "e4"), {"type": "ping"}, *move("e7", "e5"))
    assert taken(site.replay("picker", log)) == ["go(e2, e4)", "go(e7, e5)"]
    assert [d.message for d in site.report.diagnostics] == []


def test_the_last_pick_counts_and_one_without_a_place_is_a_mistake(site: Site) -> None:
    log = picked({"type": "pick", "at": "a2"}, *move("e2", "e4"))
    assert taken(site.replay("picker", log)) == ["go(e2, e4)"]
    result = site.replay("picker", picked(*move("e2", "e4"), {"type": "pick", "at": "e7"}))
    assert result.divergence is not None
    assert result.divergence.foreign_index == 3


def test_entries_within_an_entry_come_after_it(site: Site) -> None:
    inner = [{"type": "pick", "at": "e7"}, {"type": "place", "at": "e5"}]
    log = picked(*move("e2", "e4")[:1], {"type": "place", "at": "e4", "auto_actions": inner}, *move("g1", "f3"))
    assert taken(site.replay("picker", log)) == ["go(e2, e4)", "go(e7, e5)", "go(g1, f3)"]
    assert [d.message for d in site.report.diagnostics] == []


UNDONE = [
    ([], 3),
    ([{"type": "undo"}, {"type": "undo"}], 2),
    ([{"type": "undo", "action_id": 2}], 1),
    ([{"type": "undo", "action_id": 0}], 0),
    ([{"type": "undo", "action_id": 2}, {"type": "redo"}], 3),
    ([{"type": "undo", "action_id": 4}, {"type": "undo", "action_id": 2}, {"type": "redo"}], 2),
    ([{"type": "undo", "action_id": 2}, *move("d7", "d5"), {"type": "redo"}], 2),
    ([{"type": "redo"}], 3),
    ([{"type": "message", "message": "oops"}, {"type": "undo"}, {"type": "undo"}], 2),
]


@pytest.mark.parametrize("more, standing", UNDONE)
def test_what_was_taken_back_is_not_played(site: Site, more: list[dict[str, Any]], standing: int) -> None:
    log = picked(*move("e2", "e4"), *move("e7", "e5"), *move("g1", "f3"), *more)
    result = site.replay("picker", log)
    expected = ["go(e2, e4)", "go(e7, e5)", "go(g1, f3)"][:standing]
    if any(action.get("at") == "d5" for action in more):
        expected[1:] = ["go(d7, d5)"]
    assert taken(result) == expected


def test_entries_within_an_undone_entry_go_with_it(site: Site) -> None:
    inner = [{"type": "pick", "at": "e7"}, {"type": "place", "at": "e5"}]
    log = picked(*move("e2", "e4")[:1], {"type": "place", "at": "e4", "auto_actions": inner}, {"type": "undo"})
    log["actions"].append({"id": 9, "type": "place", "at": "e3"})
    assert taken(site.replay("picker", log)) == ["go(e2, e3)"]


def test_an_undo_to_an_entry_that_is_not_there_is_refused(site: Site) -> None:
    with pytest.raises(DiagnosticsError) as error:
        site.replay("picker", picked(*move("e2", "e4"), {"type": "undo", "action_id": 99}))
    assert [d.code for d in error.value.diagnostics] == ["RS613"]


def test_three_entries_are_a_promotion(site: Site) -> None:
    moves = [("a2", "a4"), ("b7", "b5"), ("a4", "b5"), ("h7", "h6"), ("b5", "b6"), ("h6", "h5"), ("b6", "a7")]
    moves += [("h5", "h4")]
    actions = [action for a, b in moves for action in move(a, b)]
    log = picked(*actions, *move("a7", "b8"), {"type": "crown", "as": "knight"})
    assert taken(site.replay("picker", log))[-1] == "promote(a7, b8, knight)"


@pytest.mark.parametrize("named", [False, True])
def test_names_in_a_chat_are_left_out_unless_they_are_asked_for(site: Site, tmp_path: Path, *, named: bool) -> None:
    said = {"type": "message", "user": "Bob", "message": "well played, ANN! Annette says so, too"}
    log = picked(*move("e2", "e4"), said, *move("e7", "e5"))
    site.replay("picker", log, remarks=named).write_native(tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    (remark,) = [line for line in lines if "remark" in line]
    assert lines.index(remark) == 2
    if named:
        assert remark == {"remark": said["message"], "by": "Bob"}
    else:
        assert remark == {"remark": "well played, …! Annette says so, too"}


def test_a_winner_is_compared_only_where_the_game_is_over(site: Site) -> None:
    fools = [*move("f2", "f3"), *move("e7", "e5"), *move("g2", "g4"), *move("d8", "h4")]
    assert site.replay("picker", picked(*fools, winner="Bob")).other_end is None
    other = site.replay("picker", picked(*fools, winner="Ann")).other_end
    assert other is not None
    assert other.differs == ["winners"]
    assert site.replay("picker", picked(*fools[:4], winner="Ann")).other_end is None


# --- several decisions in an entry -----------------------------------------------------------------------------------


def rolled(kind: str, dice: list[int], *men: tuple[int | str, int]) -> dict[str, Any]:
    return {"kind": kind, "data": {"dice": dice, "men": [{"from": a, "by": d} for a, d in men]}}


def test_an_entry_has_dice_and_moves(site: Site) -> None:
    log = [
        {"kind": "match", "data": {"home": "Ann", "away": "Bob"}},
        rolled("first", [3, 1], (8, 3), (6, 1)),
        rolled("turn", [4, 2], (8, 4), (6, 2)),
        rolled("turn", [6, 6], (24, 6), (24, 6), (13, 6), (13, 6)),
    ]
    result = site.replay("dicehall", log)
    assert taken(result)[:3] == ["opening(3, 1)", "play(p8, 3)", "play(p6)"]
    assert len(taken(result)) == 11
    log[2] = rolled("turn", [4, 2], (6, 2), (8, 4))  # a different order of moves
    assert taken(site.replay("dicehall", log))[4:6] == ["play(p6, 2)", "play(p8)"]


def test_a_move_too_many_is_reported_with_its_list(site: Site) -> None:
    log = [
        {"kind": "match", "data": {"home": "Ann", "away": "Bob"}},
        rolled("first", [3, 1], (8, 3), (6, 1), (6, 1)),
        rolled("turn", [4, 2], (8, 4), (6, 2)),
    ]
    result = site.replay("dicehall", log)
    assert result.divergence is not None
    assert result.divergence.foreign_index == 1
    assert "`men`" in result.divergence.refusal.reason


# --- texts -----------------------------------------------------------------------------------------------------------


def test_a_text_is_a_list_of_moves(site: Site) -> None:
    log = {"variant": "standard", "players": {"white": "Ann"}, "moves": "f3 e5 g4 Qh4#", "winner": "black"}
    result = site.replay("wordlist", log)
    assert taken(result) == ["go(f2, f3)", "go(e7, e5)", "go(g2, g4)", "go(d8, h4)"]
    assert dict(result.game.names) == {"white": "Ann", "black": "black"}
    assert (result.other_end, [d.message for d in site.report.diagnostics]) == (None, [])


@pytest.mark.parametrize("text, reason", [("e4 hello", "is not a move in"), ("e4 e4", "CHS-02")])
def test_a_text_that_is_no_move_is_where_the_log_ends(site: Site, text: str, reason: str) -> None:
    result = site.replay("wordlist", {"variant": "standard", "players": {}, "moves": text})
    assert result.divergence is not None
    assert result.divergence.foreign_index == 2
    assert reason in result.divergence.refusal.reason
    assert result.game.ply == 1


# --- files of 18xx games, up to where rules are needed ---------------------------------------------------------------


def test_entries_are_read_without_rules(tmp_path: Path) -> None:
    log = picked(*move("e2", "e4"), {"type": "undo"}, {"type": "message", "message": "sorry"}, *move("d2", "d4"))
    dialect = read_dialect(SITES / "picker" / "picker.yaml")
    entries = Entries(dialect, shaped(parse_foreign(json.dumps(log), "game.json"), dialect))
    assert [*entries.standing()] == [6]
    assert entries.undone == {2, 3}


def test_a_plain_list_is_as_it_was(site: Site) -> None:
    with pytest.raises(DiagnosticsError):
        site.replay("picker", [plain("rest")])


# --- standing orders -------------------------------------------------------------------------------------------------


ORDERS = """
  sale.none_today:
    - {type: close}
    - {automatic: {order: always_close, until: [never_close]}, by: who, match: {"only?": opener}}
"""


def errand(tmp_path: Path, replay: Recorder, *entries: dict[str, Any]) -> ReplayResult:
    text = COURIER.read_text("utf-8").replace("\n  sale.none_today: {type: close}\n", ORDERS)
    (tmp_path / "dialects").mkdir()
    (tmp_path / "dialects" / "courier.yaml").write_text(text, encoding="utf-8")
    replay.path.write_text(json.dumps([begin("Ann", "Bob"), *entries]), encoding="utf-8")
    return ReplayRequest(
        replay.path, rules=str(tmp_path), dialect="courier", load=lambda _: replay.ruleset, strict=False
    ).replay()


def order(kind: str, who: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "data": {"who": who, **fields}}


TURN = [plain("rest"), cargo(), plain("keep")]
CLOSED = [plain("rest"), cargo(), plain("close"), plain("keep")]


@pytest.mark.parametrize(
    "entries, legal",
    [
        ([order("always_close", "Ann"), *TURN, *CLOSED, *TURN], True),
        ([*CLOSED, order("always_close", "Bob"), *TURN, *CLOSED, *TURN], True),
        ([order("always_close", "Ann"), *TURN, *TURN], False),  # Bob has given none
        ([order("always_close", "Ann"), order("never_close", "Ann"), *TURN], False),
        ([order("always_close", "Ann"), order("never_close", "Bob"), *TURN], True),
        ([order("always_close", "Ann"), *CLOSED], True),  # recorded decisions are not applied twice
        ([order("always_close", "Ann", only="Ann"), *TURN], True),
        ([order("always_close", "Ann", only="Bob"), *TURN], False),
    ],
)
def test_a_standing_order_takes_an_option_of_its_seat(
    entries: list[dict[str, Any]], legal: bool, replay: Recorder, tmp_path: Path
) -> None:
    result = errand(tmp_path, replay, *entries)
    assert (result.divergence is None) == legal
    if legal:
        sales = [o.by for o in result.game.history if o.name == "none_today"]
        assert sales == [o.by for o in result.game.history if o.name == "keep"]


# --- texts of several parts, and lists that are sets -----------------------------------------------------------------


def club(*moves: dict[str, Any]) -> dict[str, Any]:
    return {"club": "draughts", "people": ["Ann", "Bob"], "moves": list(moves)}


OPENING = [{"type": "go", "way": text} for text in ("G3-F4", "B6-C5", "A3-B4")]


@pytest.mark.parametrize("stops", [["C5", "A3"], ["A3", "C5"], ["C5", "A3", "C5"]])
def test_a_text_has_parts_and_a_list_is_a_set(site: Site, stops: list[str]) -> None:
    log = club(*OPENING, {"type": "jump", "over": stops})
    assert taken(site.replay("damas", log)) == ["go(g3, f4)", "go(b6, c5)", "go(a3, b4)", "jump([c5, a3])"]
    assert [d.message for d in site.report.diagnostics] == []


@pytest.mark.parametrize("stops", [["C5"], ["C5", "A3", "B4"], [], ["C5", 3], ["c5", "a3"], ["C5", ["A3"]], "C5-A3"])
def test_a_list_with_a_member_more_or_less_is_another_set(site: Site, stops: Any) -> None:
    result = site.replay("damas", club(*OPENING, {"type": "jump", "over": stops}))
    assert result.divergence is not None
    assert result.divergence.foreign_index == 4


@pytest.mark.parametrize("text", ["G3", "G3-F4-G5", "", "G3-", 7, None])
def test_a_text_with_other_parts_stays_a_text(site: Site, text: Any) -> None:
    result = site.replay("damas", club({"type": "go", "way": text}))
    assert result.divergence is not None
    assert result.divergence.foreign_index == 1


# --- notifications with numbers as texts ------------------------------------------------------------------------------


def notified(number: int, *data: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """The notifications of a move, as sent by a site."""
    return {
        "move_id": str(number),
        "channel": "/table/7",
        "time": number,
        "data": [{"uid": f"{number}", "type": type_, "log": "", "args": args} for type_, args in data],
    }


def arena(*logs: dict[str, Any]) -> dict[str, Any]:
    people = [{"id": "84", "name": "Ann"}, {"id": "97", "name": "Bob"}]
    table = {"id": "7", "game_name": "nim", "options": {"100": {"name": "Misere", "value": "1"}}}
    return {"status": 1, "data": {"valid": 1, "table": table, "players": people, "logs": logs}}


def takes(player: str, heap: str, n: str) -> tuple[str, dict[str, Any]]:
    return "takeMatches", {"player_id": player, "heap": heap, "n": n}


ARENA = (
    notified(1, ("gameStateChange", {"active_player": "84"})),
    notified(2, takes("84", "3", "2"), ("gameStateChange", {"active_player": "97"})),
    notified(3, ("chatmessage", {"player_id": "84", "message": "Bob, 42"})),
    notified(4, takes("97", "2", "5")),
    notified(5, ("undoMove", {"to": "3"})),
    notified(6, takes("97", "2", "4"), ("chatmessage", {"player_id": "97", "message": "42"})),
)


def test_notifications_in_lists_within_lists_are_read(site: Site) -> None:
    result = site.replay("arena", arena(*ARENA))
    assert taken(result) == ["take(seven, 2)", "take(five, 4)"]
    assert result.game.settings["misere"] == "true"
    assert [notes["remark"] for notes in result.notes.remarks.values()] == ["…, 42", "42"]
    assert site.codes() == []


def test_an_entry_with_the_result_alone_needs_no_other_key(site: Site) -> None:
    end = notified(7, ("gameEnd", {"scores": {"84": 0, "97": 1}}))
    assert taken(site.replay("arena", arena(*ARENA, end))) == ["take(seven, 2)", "take(five, 4)"]


def test_an_undo_to_an_id_that_is_not_there_names_it(site: Site) -> None:
    with pytest.raises(DiagnosticsError, match="is an undo back to entry `9`"):
        site.replay("arena", arena(*ARENA[:4], notified(5, ("undoMove", {"to": "9"}))))
