"""Foreign logs: the importer follows the dialect, and an illegal log is reported with the rule it breaks."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from recorder import FOLDER, HOSTILE, REST, Entry, Recorder, begin, cargo, changed, gift, go, plain, taken

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects import stretch_search
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.position import Position
from rulespec.engine.replay.replay import replay_log
from rulespec.typed.nodes import Ruleset

# --- the first entry --------------------------------------------------------------------------------------------------


def test_the_first_entry_names_seats_and_settings(replay: Recorder) -> None:
    game = replay(begin("Zoë", "Ann B.", fair="no")).game
    assert game.seats == ("Zoë", "Ann B.")
    assert game.settings == {"market": "closed", "rounds_three": "false"}


@pytest.mark.parametrize("data", [{}, {"fair": None}], ids=["missing", "null"])
def test_a_missing_option_has_the_value_that_the_dialect_says(replay: Recorder, data: Entry) -> None:
    assert replay(begin("Ann", "Bob", **data)).game.settings["market"] == "open"


def test_an_unknown_variant_is_refused_with_those_that_are_known(replay: Recorder) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay(begin("Ann", "Bob", fair="perhaps"))
    (result,) = error.value.diagnostics
    assert result.code == "RS621"
    assert "perhaps" in result.message
    assert "yes, no" in result.message


@pytest.mark.parametrize(
    "people, code",
    [(None, "RS620"), ("Ann", "RS620"), ([{"nick": "Ann"}, {"nick": "Bob"}], "RS620"), ({}, "RS707")],
    ids=["none", "a text", "other fields", "an empty object"],
)
def test_seats_that_are_not_where_they_should_be(replay: Recorder, people: Any, code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay({"kind": "begin", "data": {"game": "errands", "people": people}})
    assert [d.code for d in error.value.diagnostics] == [code]


def test_too_many_seats_are_refused(replay: Recorder) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay(begin(*"ABCDE"))
    assert [d.code for d in error.value.diagnostics] == ["RS707"]


@pytest.mark.parametrize(
    "people, opener",
    [(("Ann", "Bob"), "Ann"), (("Ann", "7"), "7"), (("10", "9", "Ann"), "9"), (("007", "Ann", "0"), "0")],
)
def test_a_list_answers_a_decision_that_is_not_recorded(replay: Recorder, people: tuple[str, ...], opener: str) -> None:
    # Integer-like names come first, as in JavaScript's order of an object's keys.
    assert taken(replay(begin(*people), plain("rest")))[0] == f"opening.opens({opener})"


def test_a_list_is_used_even_where_the_log_has_nothing_more(replay: Recorder) -> None:
    assert taken(replay(begin("Ann", "Bob"))) == ["opening.opens(Ann)"]


@pytest.mark.parametrize("game", ["errands", "errands2"])
def test_a_log_is_recognised_by_its_first_entry(replay: Recorder, game: str) -> None:
    assert replay(begin("Ann", "Bob", game=game)).game.ruleset.id == "errands"


@pytest.mark.parametrize("first", [begin("Ann", "Bob", game="chess"), plain("start"), {"type": "begin"}, {}])
def test_a_log_that_nothing_knows_is_refused(replay: Recorder, first: Entry) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay(first)
    assert [d.code for d in error.value.diagnostics] == ["RS616"]


def test_a_dialect_that_does_not_exist_is_refused_with_a_hint(replay: Recorder) -> None:
    replay.path.write_text(json.dumps([begin("Ann", "Bob")]), encoding="utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(replay.path, rules=str(FOLDER), dialect="curier")
    (result,) = error.value.diagnostics
    assert result.code == "RS615"
    assert "`courier`" in result.help


# --- how entries are matched ------------------------------------------------------------------------------------------


def test_a_turn_is_read_with_what_the_log_does_not_show(replay: Recorder) -> None:
    result = replay(begin("Ann", "Bob"), go("northgate"), cargo("C"), plain("close"), plain("keep"))
    assert taken(result) == [
        "opening.opens(Ann)",
        "mood.calm",
        "way.walk(north_gate)",
        "loading.lay(corn)",
        "loading.enough",
        "sale.none_today",
        "giving.keep",
    ]


def test_the_trace_has_a_line_for_each_entry(replay: Recorder) -> None:
    result = replay(begin("Ann", "Bob"), go("northgate"), plain("chat"), cargo("C", "C"), plain("close"))
    assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2, 3, 4]
    cash = [t["state"]["entities"]["player"]["Ann"]["cash"] for t in replay.trace]
    crates = [t["state"]["pieces"]["crate"]["corn"].get("at[north_gate]", 0) for t in replay.trace]
    assert (cash, crates) == ([3, 2, 2, 2, 2], [0, 0, 0, 2, 2])
    assert replay.trace[-1]["hash"] == result.game.hash


def test_names_follow_the_table_and_then_the_rule(replay: Recorder) -> None:
    log = [begin("Ann", "Bob"), go("northgate"), *REST[1:], *REST, go("THE_MILL")]
    assert taken(replay(*log))[-1] == "way.walk(mill)"


@pytest.mark.parametrize("name", ["north_gate", "NorthGate", "", 3, None, ["northgate"], {"value": "northgate"}])
def test_another_name_for_a_place_does_not_fit(replay: Recorder, name: Any) -> None:
    divergence = replay(begin("Ann", "Bob"), go(name)).divergence
    assert divergence is not None
    assert divergence.foreign_index == 1


def test_an_entry_of_a_decision_that_got_an_unrecorded_option_says_why_it_does_not_fit(
    errands: Ruleset, tmp_path: Path
) -> None:
    dialect = read_dialect(changed(tmp_path, "  way.stay: {type: rest}\n", ""))
    log = parse_foreign(json.dumps([begin("Ann", "Bob"), go("nowhere")]), "game.json")
    game = Game(errands, *seats_and_settings(dialect, log, errands))
    stop = Importer(game, dialect, log).run()
    assert stop is not None
    assert stop.refusal.reason == (
        "it does not match `way`, which got the unrecorded `stay`: there is no site `nowhere`; "
        "now the open decision is `loading` of Ann"
    )


def test_an_entry_with_an_empty_list_that_no_option_ends_answers_nothing(errands: Ruleset, tmp_path: Path) -> None:
    dialect = read_dialect(changed(tmp_path, "  loading.enough: {type: cargo, closes: crates}\n", ""))
    for what, stops in (((), False), (("C",), False), (("X",), True)):
        log = parse_foreign(json.dumps([begin("Ann", "Bob"), REST[0], cargo(*what), *REST[2:]]), "game.json")
        game = Game(errands, *seats_and_settings(dialect, log, errands))
        assert (Importer(game, dialect, log).run() is not None) == stops
        assert sum(option.name == "lay" for option in game.history) == (what == ("C",))


def test_names_in_title_case(tmp_path: Path) -> None:
    dialect = read_dialect(changed(tmp_path, "  good: {", "  nation: {case: title, usa: USA}\n  good: {"))
    assert [dialect.foreign("nation", name) for name in ("great_britain", "italy", "usa")] == [
        "Great Britain",
        "Italy",
        "USA",
    ]


@pytest.mark.parametrize("fee", [{}, {"fee": 2}])
def test_an_optional_field_is_compared_only_where_it_is(replay: Recorder, fee: Entry) -> None:
    assert taken(replay(begin("Ann", "Bob"), go("southgate", **fee)))[-1] == "way.walk(south_gate)"


def test_an_optional_field_that_is_there_must_agree(replay: Recorder) -> None:
    divergence = replay(begin("Ann", "Bob"), go("southgate", fee=1)).divergence
    assert divergence is not None
    assert (divergence.foreign_index, divergence.action["data"]["fee"]) == (1, 1)


def test_fields_that_nothing_compares_may_hold_anything(replay: Recorder) -> None:
    assert taken(replay(begin("Ann", "Bob"), go("northgate", speed=[1, {}])))[-1] == "way.walk(north_gate)"


def test_who_acts_is_compared_where_the_dialect_asks_for_it(replay: Recorder) -> None:
    turn = [begin("Ann", "Bob"), plain("rest"), cargo(), plain("sell")]
    assert taken(replay(*turn, gift("Ann", "Bob", 1)))[-1] == "giving.give(Bob, 1)"
    assert replay(*turn, gift("Bob", "Ann", 1)).divergence is not None


@pytest.mark.parametrize("kind", ["chat", "bye"])
@pytest.mark.parametrize("at", range(1, 6))
def test_ignored_entries_may_come_anywhere(replay: Recorder, kind: str, at: int) -> None:
    log = [begin("Ann", "Bob"), *REST]
    wanted = taken(replay(*log))
    assert taken(replay(*log[:at], plain(kind), plain(kind), *log[at:])) == wanted


# --- lists of items ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", [("C", "S"), ("S", "C")])
def test_items_fit_in_any_order(replay: Recorder, what: tuple[str, str]) -> None:
    moves = taken(replay(begin("Ann", "Bob"), plain("rest"), cargo(*what)))
    assert sorted(moves[-2:]) == ["loading.lay(corn)", "loading.lay(salt)"]


@pytest.mark.parametrize(
    "what, wanted",
    [((), ["enough"]), (("C",), ["lay(corn)", "enough"]), (("C", "C"), ["lay(corn)", "lay(corn)"])],
    ids=["none", "one", "as many as there may be"],
)
def test_a_list_is_closed_where_the_decision_is_still_open(
    replay: Recorder, what: tuple[str, ...], wanted: list[str]
) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), cargo(*what), plain("close")]
    assert taken(replay(*log))[3:-1] == [f"loading.{w}" for w in wanted]


def test_more_items_than_the_rules_allow_are_a_divergence(replay: Recorder) -> None:
    divergence = replay(begin("Ann", "Bob"), plain("rest"), cargo("C", "C", "C"), plain("close")).divergence
    assert divergence is not None
    assert divergence.foreign_index == 2


def test_an_item_that_is_refused_is_explained(replay: Recorder) -> None:
    divergence = replay(begin("Ann", "Bob"), plain("rest"), cargo("S", "S")).divergence
    assert divergence is not None
    assert (divergence.foreign_index, divergence.refusal.rules) == (2, ("ERR-07",))
    assert divergence.refusal.values == {"crate[g].supply": "0"}
    assert "lay(corn)" in divergence.nearest


@pytest.mark.parametrize("crates", [[None], ["C"], [{}], [{"what": None}], [{"what": ["C"]}]])
def test_items_of_another_shape_fit_nothing(replay: Recorder, crates: Any) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), {"kind": "cargo", "data": {"crates": crates}}, plain("close")]
    divergence = replay(*log).divergence
    assert divergence is not None
    assert divergence.foreign_index == 2


@pytest.mark.parametrize("crates", [None, "C", {"what": "C"}, 3])
def test_what_is_no_list_fits_nothing(replay: Recorder, crates: Any) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), {"kind": "cargo", "data": {"crates": crates}}, plain("close")]
    divergence = replay(*log).divergence
    assert divergence is not None
    assert divergence.foreign_index == 2


# --- silent options and going back ------------------------------------------------------------------------------------


def test_a_silent_option_is_chosen_by_what_comes_after_it(replay: Recorder) -> None:
    # Only the eager may run from gate to gate; the mood itself is not recorded, and calm is tried first.
    log = [begin("Ann", "Bob"), go("northgate"), *REST[1:], *REST, go("southgate")]
    assert taken(replay(*log))[-2:] == ["mood.eager", "way.run(south_gate)"]


def test_the_first_of_two_options_that_fit_is_left_where_the_next_entry_refutes_it(replay: Recorder) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), cargo(), plain("sell")]
    assert taken(replay(*log))[-1] == "sale.fast"
    assert taken(replay(*log, plain("keep")))[-2:] == ["sale.fast", "giving.keep"]
    assert taken(replay(*log, gift("Ann", "Bob", 2)))[-2:] == ["sale.slow", "giving.give(Bob, 2)"]


def test_going_back_leaves_no_trace(replay: Recorder) -> None:
    result = replay(begin("Ann", "Bob"), plain("rest"), cargo("C"), plain("sell"), gift("Ann", "Bob", 2), plain("rest"))
    straight = Game(result.game.ruleset, result.game.seats, result.game.settings)
    for option in result.game.history:
        straight.apply(straight.parse(str(option), option.by))
    assert straight.hash == result.game.hash
    assert [t["hash"] for t in replay.trace][-1] == result.game.hash
    assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2, 3, 4, 5]


def test_the_options_before_an_illegal_entry_are_not_taken_again(
    errands: Ruleset, courier: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search for other options goes back far, and returns to the copy that it made before."""
    log = parse_foreign(json.dumps([begin("Ann", "Bob"), *REST, *REST, gift("Ann", "Bob", 9)]), "game.json")
    game = Game(errands, *seats_and_settings(courier, log, errands))
    events, take, undo = list[str](), Position.take, Position.undo

    def taken(self: Position, option: Option) -> None:
        events.append("take")
        take(self, option)

    def undone(self: Position) -> Option:
        events.append("undo")
        return undo(self)

    monkeypatch.setattr(Position, "take", taken)
    monkeypatch.setattr(Position, "undo", undone)
    importer = Importer(game, courier, log)
    stop = importer.run()
    assert stop is not None and stop.foreign_index == len(log.entries) - 1
    assert events[-2:] == ["undo", "undo"] and game.ply > 2
    assert [option for option in importer.moves if isinstance(option, Option)] == game.history
    straight = Game(errands, game.seats, game.settings)
    for option in game.history:
        straight.apply(straight.parse(str(option), option.by))
    assert straight.hash == game.hash


def test_the_search_is_bounded(replay: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), cargo(), plain("sell"), gift("Ann", "Bob", 2)]
    assert replay(*log).divergence is None
    monkeypatch.setattr(stretch_search, "MAX_BACK", 0)
    divergence = replay(*log).divergence
    assert divergence is not None
    assert (divergence.foreign_index, divergence.refusal.rules) == (4, ("ERR-09",))


def test_a_silent_loop_without_end_is_given_up(errands: Ruleset, courier: Dialect) -> None:
    # Only the first move is recorded: all later decisions are silent, and the log never matches again.
    only = replace(courier, decisions={"way.walk": courier.decisions["way.walk"]})
    log = parse_foreign(json.dumps([begin("Ann", "Bob"), plain("sell")]), "game.json")
    seats, options = seats_and_settings(only, log, errands)
    stop = Importer(Game(errands, seats, options), only, log).run()
    assert stop is not None
    assert stop.foreign_index == 1


# --- where a log breaks a rule ----------------------------------------------------------------------------------------


def test_the_report_names_the_rule_its_values_and_what_was_legal(replay: Recorder) -> None:
    log = [begin("Ann", "Bob", fair="no")]
    for site in ("southgate", "THE_MILL", "southgate"):  # two per visit, and Ann has three
        log += [go(site), cargo(), plain("rest"), cargo()]
    result = replay(*log)
    divergence = result.divergence
    assert divergence is not None
    assert divergence.foreign_index == 9
    assert divergence.action == go("southgate")
    assert result.game.is_over  # there are only two rounds
    assert divergence.refusal.reason == "the game is over"


def test_a_condition_that_fails_is_named(replay: Recorder) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), cargo(), plain("sell"), gift("Ann", "Bob", 3), *REST, go("northgate")]
    result = replay(*log)
    divergence = result.divergence
    assert divergence is not None
    assert (divergence.foreign_index, divergence.index) == (9, result.game.ply)
    assert divergence.refusal.rules == ("ERR-04",)
    assert divergence.refusal.values == {"p.cash": "0", "to.fee": "1"}


def test_a_type_that_is_not_asked_for_says_what_is_open(replay: Recorder) -> None:
    divergence = replay(begin("Ann", "Bob"), plain("rest"), cargo(), gift("Ann", "Bob", 1)).divergence
    assert divergence is not None
    assert "`sale` of Ann, not `gift`" in divergence.refusal.reason
    assert set(divergence.nearest) == {"fast", "slow", "none_today"}


def test_nothing_follows_the_end_of_the_game(replay: Recorder) -> None:
    log = [begin("Ann", "Bob"), *REST * 4]
    assert replay(*log).game.is_over
    divergence = replay(*log, plain("rest")).divergence
    assert divergence is not None
    assert divergence.refusal.reason == "the game is over"
    assert replay(*log, plain("bye")).divergence is None


def test_the_legal_part_of_a_log_that_diverges_is_what_is_left(replay: Recorder) -> None:
    good = [begin("Ann", "Bob"), go("northgate"), cargo("C"), plain("close"), plain("keep")]
    wanted = taken(replay(*good))
    result = replay(*good, plain("nonsense"))
    assert result.divergence is not None
    # Decisions missing in the log may have been different, when searching for a consistent game.
    legal = [o.decision for o in result.game.history]
    assert legal == [move.partition(".")[0] for move in wanted] + legal[len(wanted) :]
    assert legal[len(wanted) :] in ([], ["mood"])
    assert result.divergence.index == len(legal)
    printed = result.to_json()["divergence"]
    assert set(printed) == {"index", "foreign_index", "action", "reason", "rule", "values", "nearest", "open"}
    json.dumps(printed)


def test_until_counts_entries(replay: Recorder) -> None:
    log = [begin("Ann", "Bob"), go("northgate"), cargo("C"), plain("nonsense")]
    result = replay(*log, until=3)
    assert result.divergence is None
    assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2]
    assert str(result.game.history[-1]) == "enough"


# --- the result is a native log ---------------------------------------------------------------------------------------


def test_the_native_log_replays_without_the_dialect(replay: Recorder, tmp_path: Path) -> None:
    result = replay(begin("Ann", "7"), *REST, go("southgate"), cargo("S"), plain("sell"), gift("7", "Ann", 1))
    assert result.divergence is None
    result.write_native(tmp_path / "game.jsonl")
    again = replay.file(tmp_path / "game.jsonl")
    assert again.divergence is None
    assert again.game.hash == result.game.hash
    assert again.game.history == result.game.history


@pytest.mark.parametrize("backend", ["python", "interpreter"])
def test_both_backends_read_a_log_alike(replay: Recorder, backend: Any) -> None:
    wanted = replay(begin("Ann", "Bob"), *REST, go("southgate"), cargo("S"), plain("sell"), gift("Bob", "Ann", 1))
    again = replay_log(replay.path, rules=str(FOLDER), backend=backend)
    assert (again.game.hash, again.divergence) == (wanted.game.hash, None)


# --- the container ----------------------------------------------------------------------------------------------------


def test_entries_may_be_texts_that_hold_json(replay: Recorder) -> None:
    log = [begin("Ann", "Bob"), *REST]
    wanted = replay(*log).game.hash
    assert replay(*[json.dumps(e) for e in log]).game.hash == wanted
    assert replay(log[0], *[json.dumps(e) for e in log[1:]]).game.hash == wanted


def test_a_log_may_be_packed(replay: Recorder, tmp_path: Path) -> None:
    log = [begin("Ann", "Bob"), *REST]
    packed = tmp_path / "game.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(log).encode()))
    assert replay.file(packed).game.hash == replay(*log).game.hash


@pytest.mark.parametrize(
    "text, code",
    [
        pytest.param("", "RS612", id="empty"),
        pytest.param("hello", "RS612", id="no JSON"),
        pytest.param("{}", "RS613", id="an object"),
        pytest.param("[]", "RS613", id="no entries"),
        pytest.param("3.5", "RS613", id="a number"),
        pytest.param("3", "RS369", id="a number that may be a move"),
        pytest.param("[3]", "RS613", id="a number for an entry"),
        pytest.param("[null]", "RS613", id="null for an entry"),
        pytest.param("[[]]", "RS613", id="a list for an entry"),
        pytest.param('["x"]', "RS612", id="a text without JSON"),
        pytest.param('["3"]', "RS613", id="a text with a number"),
        pytest.param("[" * 200_000, "RS612", id="nested"),
        pytest.param(json.dumps(["[" * 200_000]), "RS612", id="nested in a text"),
        pytest.param('[{"kind": ' + "9" * 5000 + "}]", "RS612", id="a huge number"),
        pytest.param("[" + "{}," * 200_001 + "{}]", "RS614", id="too many entries"),
    ],
)
def test_containers_that_are_no_logs(replay: Recorder, text: str, code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay.text(text)
    (result,) = error.value.diagnostics
    assert result.code == code
    assert result.span is not None


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_log_that_breaks_off_is_not_json(replay: Recorder, share: float) -> None:
    text = json.dumps([begin("Ann", "Bob"), *REST])
    with pytest.raises(DiagnosticsError) as error:
        replay.text(text[: int(len(text) * share)])
    assert [d.code for d in error.value.diagnostics] == ["RS612"]


@pytest.mark.parametrize("data", HOSTILE, ids=lambda d: str(d)[:12].encode("ascii", "replace").decode())
@pytest.mark.parametrize("kind", ["go", "cargo", "gift", "rest", "no such type"])
def test_payloads_of_any_shape_do_no_harm(replay: Recorder, kind: str, data: Any) -> None:
    result = replay(begin("Ann", "Bob"), {"kind": kind, "data": data}, plain("nonsense"))
    assert result.divergence is not None
    json.dumps(result.to_json())


@pytest.mark.parametrize("kind", [None, 3, "", "GO"])
def test_unknown_types_are_a_divergence(replay: Recorder, kind: Any) -> None:
    divergence = replay(begin("Ann", "Bob"), {"kind": kind, "data": {}}).divergence
    assert divergence is not None
    assert divergence.foreign_index == 1


def test_an_entry_without_a_type_is_a_divergence(replay: Recorder) -> None:
    divergence = replay(begin("Ann", "Bob"), {"data": {}}).divergence
    assert divergence is not None
    assert divergence.refusal.reason == "the entry has no type, and the open decision is `way` of Ann"


@pytest.mark.parametrize("kind", [[], {}, ["go"]], ids=str)
def test_types_of_any_shape_do_no_harm(replay: Recorder, kind: Any) -> None:
    result = replay(begin("Ann", "Bob"), {"kind": kind, "data": {}})
    assert result.divergence is not None
    assert result.divergence.foreign_index == 1


def test_a_dialect_is_read_again_when_its_file_has_changed(tmp_path: Path) -> None:
    """Even if it has the same size and, after a copy that preserves it, the same date."""
    path = changed(tmp_path, "title: ", "title: ")
    os.utime(path, (1, 1))
    title = read_dialect(path).title
    assert read_dialect(path).title == title
    path.write_text(path.read_text("utf-8").replace(title, title.upper(), 1), "utf-8")
    os.utime(path, (1, 1))
    assert read_dialect(path).title == title.upper() != title
