"""Foreign logs: what a dialect says is what the importer does, and where a log breaks a rule the report says which."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects import importer, search
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.entries import ordered
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.dialects.paths import MISSING, follow
from rulespec.engine.game.game import Game
from rulespec.engine.replay.replay import ReplayResult, replay_log
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset

FOLDER = Path(__file__).parent / "rulesets" / "errands"
COURIER = FOLDER / "dialects" / "courier.yaml"
Entry = dict[str, Any]


@pytest.fixture(scope="module")
def errands() -> Ruleset:
    return load_ruleset(str(FOLDER))


@pytest.fixture(scope="module")
def courier() -> Dialect:
    return read_dialect(COURIER)


def begin(*people: str, **data: Any) -> Entry:
    return {"kind": "begin", "data": {"game": "errands", "people": [{"name": p} for p in people], **data}}


def go(to: str, **data: Any) -> Entry:
    return {"kind": "go", "data": {"to": to, **data}}


def cargo(*what: str) -> Entry:
    return {"kind": "cargo", "data": {"crates": [{"what": w} for w in what]}}


def gift(giver: str, to: str, amount: int) -> Entry:
    return {"kind": "gift", "data": {"from": giver, "to": {"name": to}, "amount": amount}}


def plain(kind: str) -> Entry:
    return {"kind": kind}


REST = [plain("rest"), cargo(), plain("close"), plain("keep")]
"""A turn in which nothing happens."""


class Recorder:
    """Replays what it is given, and keeps the trace."""

    def __init__(self, ruleset: Ruleset, folder: Path) -> None:
        self.ruleset, self.path = ruleset, folder / "game.json"
        self.trace: list[dict[str, Any]] = []
        self.report = Report()

    def __call__(self, *entries: Any, until: int | None = None) -> ReplayResult:
        return self.text(json.dumps(entries), until)

    def text(self, text: str, until: int | None = None) -> ReplayResult:
        self.path.write_text(text, encoding="utf-8")
        return self.file(self.path, until)

    def file(self, path: Path, until: int | None = None) -> ReplayResult:
        self.trace = []
        return replay_log(
            path,
            rules=str(FOLDER),
            until=until,
            trace=self.trace.append,
            report=self.report,
            load=lambda _: self.ruleset,
            strict=False,
        )


@pytest.fixture
def replay(errands: Ruleset, tmp_path: Path) -> Recorder:
    return Recorder(errands, tmp_path)


def taken(result: ReplayResult) -> list[str]:
    assert result.divergence is None, result.divergence
    return [f"{o.decision}.{o}" for o in result.game.history]


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
    (found,) = error.value.diagnostics
    assert found.code == "RS621"
    assert "perhaps" in found.message
    assert "yes, no" in found.message


@pytest.mark.parametrize("people", [None, "Ann", {}, [{"nick": "Ann"}, {"nick": "Bob"}]])
def test_seats_that_are_not_where_they_should_be(replay: Recorder, people: Any) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay({"kind": "begin", "data": {"game": "errands", "people": people}})
    assert [d.code for d in error.value.diagnostics] == ["RS620"]


def test_too_many_seats_are_refused(replay: Recorder) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay(begin(*"ABCDE"))
    assert [d.code for d in error.value.diagnostics] == ["RS707"]


@pytest.mark.parametrize(
    "people, opener",
    [(("Ann", "Bob"), "Ann"), (("Ann", "7"), "7"), (("10", "9", "Ann"), "9"), (("007", "Ann", "0"), "0")],
)
def test_a_list_answers_a_decision_that_is_not_recorded(replay: Recorder, people: tuple[str, ...], opener: str) -> None:
    # Names that are whole numbers, written as such, come first, as JavaScript walks the keys of an object.
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
    (found,) = error.value.diagnostics
    assert found.code == "RS615"
    assert "`courier`" in found.help


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
    # Only the eager may run from gate to gate; the mood itself is not recorded, and calm would be tried first.
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


def test_the_search_is_bounded(replay: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    log = [begin("Ann", "Bob"), plain("rest"), cargo(), plain("sell"), gift("Ann", "Bob", 2)]
    assert replay(*log).divergence is None
    monkeypatch.setattr(search, "MAX_BACK", 0)
    divergence = replay(*log).divergence
    assert divergence is not None
    assert (divergence.foreign_index, divergence.refusal.rules) == (4, ("ERR-09",))


def test_a_silent_loop_without_end_is_given_up(errands: Ruleset, courier: Dialect) -> None:
    # Nothing is projected but the first way: all decisions after it are silent, and the log never fits again.
    only = replace(courier, decisions={"way.walk": courier.decisions["way.walk"]})
    log = parse_foreign(json.dumps([begin("Ann", "Bob"), plain("sell")]), "game.json")
    seats, options = seats_and_settings(only, log, errands)
    stop = Importer(Game(errands, seats, options), only, log).run()
    assert stop is not None
    assert stop.foreign_index == 1


# --- where a log breaks a rule ----------------------------------------------------------------------------------------


def test_the_report_names_the_rule_its_values_and_what_was_legal(replay: Recorder) -> None:
    log = [begin("Ann", "Bob", fair="no")]
    for site in ("southgate", "THE_MILL", "southgate"):  # two a visit, and Ann has three
        log += [go(site), cargo(), plain("rest"), cargo()]
    result = replay(*log)
    divergence = result.divergence
    assert divergence is not None
    assert divergence.foreign_index == 9
    assert divergence.action == go("southgate")
    assert result.game.is_over  # two rounds are all there are
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
    # What the log does not show may have been chosen otherwise, in the search for something that fits.
    legal = [o.decision for o in result.game.history]
    assert legal == [move.partition(".")[0] for move in wanted] + legal[len(wanted) :]
    assert legal[len(wanted) :] in ([], ["mood"])
    assert result.divergence.index == len(legal)
    printed = result.to_json()["divergence"]
    assert set(printed) == {"index", "foreign_index", "action", "reason", "rule", "values", "nearest"}
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
        pytest.param("3", "RS613", id="a number"),
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
    (found,) = error.value.diagnostics
    assert found.code == code
    assert found.span is not None


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_log_that_breaks_off_is_not_json(replay: Recorder, share: float) -> None:
    text = json.dumps([begin("Ann", "Bob"), *REST])
    with pytest.raises(DiagnosticsError) as error:
        replay.text(text[: int(len(text) * share)])
    assert [d.code for d in error.value.diagnostics] == ["RS612"]


HOSTILE: list[Any] = [None, True, 3, 1.5, "x" * 10_000, [], {}, [[[]]], {"a": {"b": []}}, "__class__", "\ud800"]


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


# --- paths and orders -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path, wanted",
    [
        ("", {"a": {"b": [1, {"c": 2}]}, "n": None}),
        ("a.b", [1, {"c": 2}]),
        ("a.b.0", 1),
        ("a.b.1.c", 2),
        ("n", None),
        ("a.b.2", MISSING),
        ("a.b.-1", MISSING),
        ("a.b.c", MISSING),
        ("n.x", MISSING),
        ("a.b.*.c", [MISSING, 2]),
        ("a.*.c", MISSING),
    ],
)
def test_where_a_path_leads(path: str, wanted: Any) -> None:
    assert follow({"a": {"b": [1, {"c": 2}]}, "n": None}, path) == wanted


@pytest.mark.parametrize(
    "order, wanted",
    [("as_is", ["b", "10", "a", "007", "9"]), ("numbers_first", ["9", "10", "b", "a", "007"])],
)
def test_how_a_list_is_ordered(order: str, wanted: list[str]) -> None:
    assert ordered(["b", "10", "a", "007", "9"], order) == wanted


# --- the dialect file itself ------------------------------------------------------------------------------------------


def changed(tmp_path: Path, old: str, new: str, file: Path = COURIER) -> Path:
    text = file.read_text("utf-8")
    assert old in text
    path = tmp_path / file.name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "old, new, code",
    [
        ("title:", "titel:", "RS"),
        ("rules: errands", "rules: [errands]", "RS"),
        ("ignore: [chat, bye]", "ignore: chat", "RS"),
        ("type: begin", "type: 3", "RS"),
        ("{type: rest}", "{type: rest, colour: red}", "RS"),
        ("way.stay:", "stay:", "RS"),
        ("{type: rest}", "{type: rest", "RS1"),
    ],
)
def test_a_dialect_that_does_not_fit_its_schema(tmp_path: Path, old: str, new: str, code: str) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(DiagnosticsError) as error:
        read_dialect(path)
    for found in error.value.diagnostics:
        assert found.code.startswith(code)
        assert found.span is not None
        assert found.span.file == str(path)


@pytest.mark.parametrize(
    "old, new, word",
    [
        ("{to: to, ", "{to: too, ", "too"),
        ('fee?": to.fee', 'fee?": to.fees', "fees"),
        ("match: {what: g}", "match: {what: 1 + g}", "loading.lay"),
    ],
)
def test_an_expression_that_is_wrong_is_found_before_the_first_decision(
    errands: Ruleset, tmp_path: Path, old: str, new: str, word: str
) -> None:
    dialect = read_dialect(changed(tmp_path, old, new))
    log = parse_foreign(json.dumps([begin("Ann", "Bob")]), "game.json")
    with pytest.raises(DiagnosticsError) as error:
        Importer(Game(errands, ["Ann", "Bob"]), dialect, log)
    assert {d.code for d in error.value.diagnostics} == {"RS622"}
    assert any(word in d.message for d in error.value.diagnostics)


def test_what_a_ruleset_does_not_have_is_left_out(errands: Ruleset, tmp_path: Path) -> None:
    # One dialect serves several variants of a game.
    dialect = read_dialect(changed(tmp_path, "decisions:\n", "decisions:\n  flying.fly: {type: go, match: {to: to}}\n"))
    log = parse_foreign(json.dumps([begin("Ann", "Bob"), plain("rest")]), "game.json")
    assert Importer(Game(errands, ["Ann", "Bob"]), dialect, log).run() is None


# --- what the other system makes of it: undo, entries that are ignored, old forms ------------------------------------


POSTMAN = FOLDER / "dialects" / "postman.yaml"


def opened(*people: str, **data: Any) -> Entry:
    return {"kind": "open", "data": {"people": list(people) or ["Ann", "Bob"], **data}}


def post(kind: str, **data: Any) -> Entry:
    return {"kind": kind, "data": data}


OOPS = post("oops")
TURN = [post("rest"), post("cargo", crates=[]), post("close"), post("keep")]


def ignored(result: ReplayResult) -> list[int]:
    assert result.divergence is None, result.divergence
    return [entry.foreign_index for entry in result.ignored]


def again(result: ReplayResult, folder: Path, ruleset: Ruleset) -> ReplayResult:
    """The same game, from the native log of it."""
    result.write_native(folder / "again.jsonl")
    return replay_log(folder / "again.jsonl", load=lambda _: ruleset)


@pytest.mark.parametrize("game, wanted", [("post", "errands"), ("express", "errands+express"), (None, "errands")])
def test_the_first_entry_says_which_ruleset_it_is(
    errands: Ruleset, tmp_path: Path, game: str | None, wanted: str
) -> None:
    path, asked = tmp_path / "game.json", []

    def load(ref: str) -> Ruleset:
        asked.append(ref)
        return errands

    path.write_text(json.dumps([opened(game=game)]), encoding="utf-8")
    dialect = read_dialect(POSTMAN)
    assert dialect.ruleset_for(json.loads(path.read_text("utf-8"))[0]) == wanted
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rulespec.engine.replay.replay.dialects", lambda rules: [POSTMAN])
        replay_log(path, load=load)
    assert asked == [wanted]


@pytest.mark.parametrize("game", ["chess", 3, ["post"], {}])
def test_a_ruleset_that_the_dialect_does_not_have(replay: Recorder, game: Any) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay(opened(game=game))
    (found,) = error.value.diagnostics
    assert found.code == "RS616"
    assert "post or express" in found.help


def test_a_ruleset_that_the_named_dialect_does_not_have(
    errands: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulespec.engine.replay.replay.dialects", lambda rules: [POSTMAN])
    path = tmp_path / "game.json"
    path.write_text(json.dumps([opened(game="chess")]), encoding="utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path, dialect="postman", load=lambda _: errands)
    assert [d.code for d in error.value.diagnostics] == ["RS621"]


def test_what_the_other_system_does_by_itself_belongs_to_the_entry_before(replay: Recorder) -> None:
    result = replay(opened(), *TURN)
    assert taken(result)[:2] == ["opening.opens(Ann)", "mood.calm"]
    assert taken(result)[-2:] == ["giving.keep", "mood.calm"]
    assert replay.trace[-1]["hash"] == result.game.hash


def test_a_system_that_never_stops_by_itself_is_given_up(errands: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    postman = read_dialect(POSTMAN)
    all_ = {name: tuple(replace(form, automatic=not form.list) for form in f) for name, f in postman.decisions.items()}
    log = parse_foreign(json.dumps([opened()]), "game.json")
    monkeypatch.setattr(search, "MAX_SILENT", 5)
    stop = Importer(Game(errands, ["Ann", "Bob"]), replace(postman, decisions=all_), log, strict=True).run()
    assert stop is not None
    assert stop.ply <= 6


def test_an_undo_goes_back_to_before_the_last_checkpoint(replay: Recorder) -> None:
    before = replay(opened())
    result = replay(opened(), post("go", to="north_gate"), post("cargo", crates=[{"what": "corn"}]), OOPS)
    assert taken(result) == ["opening.opens(Ann)", "mood.calm"]
    assert result.game.hash == before.game.hash
    assert ignored(result) == []
    assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2, 3]
    assert replay.trace[-1]["hash"] == before.game.hash != replay.trace[-2]["hash"]


def test_further_undos_go_further_back(replay: Recorder) -> None:
    log = [opened(), *TURN, post("go", to="north_gate")]
    assert taken(replay(*log, OOPS))[-1] == "mood.calm"  # of Bob's turn
    assert taken(replay(*log, OOPS, OOPS))[-1] == "giving.keep"
    assert taken(replay(*log, OOPS, OOPS, OOPS))[-1] == "mood.calm"  # of Ann's
    assert taken(replay(*log, *[OOPS] * 4)) == ["opening.opens(Ann)"]
    assert ignored(replay(*log, *[OOPS] * 5)) == [10]


def test_after_an_undo_the_other_system_waits_for_what_it_did_by_itself(replay: Recorder) -> None:
    log = [opened(), *TURN, OOPS]
    assert taken(replay(*log, post("nod"), post("rest")))[-3:] == ["giving.keep", "mood.calm", "way.stay"]
    assert taken(replay(*log, post("hurry"), post("rest")))[-3:] == ["giving.keep", "mood.eager", "way.stay"]
    assert ignored(replay(*log, post("rest"), post("chat"), post("nod"))) == [6]


def test_a_field_that_is_kept_is_not_taken_back(replay: Recorder, errands: Ruleset, tmp_path: Path) -> None:
    log = [opened(), *TURN[:2], post("sell"), post("keep"), OOPS, OOPS]
    result = replay(*log)
    assert result.game.value("Ann.bold") == "true"
    assert replay(opened()).game.value("Ann.bold") == "false"
    assert result.game.ply == 2
    native = again(result, tmp_path, errands)
    assert native.divergence is None
    assert native.game.hash == result.game.hash
    assert (tmp_path / "again.jsonl").read_text("utf-8").splitlines()[-1] == '{"undo": 4, "keep": ["player.bold"]}'


def test_what_happened_is_in_the_native_log_and_its_end_is_the_same(
    replay: Recorder, errands: Ruleset, tmp_path: Path
) -> None:
    turn = [post("go", to="north_gate"), post("cargo", crates=[{"what": "salt"}]), post("sell"), post("keep")]
    result = replay(opened(), *turn[:2], OOPS, *turn, *TURN, OOPS, OOPS, post("go", to="mill", who="Bob"), *turn[:1])
    assert ignored(result) == [14]
    native = again(result, tmp_path, errands)
    assert (native.divergence, native.game.hash) == (None, result.game.hash)
    assert native.moves == result.moves
    assert again(native, tmp_path, errands).game.hash == result.game.hash


def test_what_comes_before_an_undo_is_settled(replay: Recorder) -> None:
    # Only a slow sale lets Ann give. The undo goes back to Bob's mood, and she may not change her mind any more.
    gift = post("gift", to="Bob", amount=2, **{"from": "Ann"})
    sale = [opened(), *TURN[:2], post("sell")]
    assert taken(replay(*sale, gift))[3:] == ["loading.enough", "sale.slow", "giving.give(Bob, 2)", "mood.calm"]
    result = replay(*sale, post("keep"), OOPS, gift)
    assert taken(result)[3:] == ["loading.enough", "sale.fast", "giving.keep"]
    assert ignored(result) == [6]


@pytest.mark.parametrize(
    "log, who, reason",
    [
        ([], "Ann", "there is nothing to take back"),
        ([post("rest")], "Bob", "the last decision was that of Ann"),
        (TURN[:3], "Ann", "nothing can be taken back while `giving` is open"),
        (TURN * 4, "Bob", "the game is over"),
    ],
)
def test_an_undo_that_cannot_be_is_ignored(replay: Recorder, log: list[Entry], who: str, reason: str) -> None:
    log = [opened(), OOPS, *log] if not log else [opened(), *log]
    result = replay(*log, post("oops", who=who))
    assert [i.foreign_index for i in result.ignored][-1] == len(log)
    assert result.ignored[-1].refusal.reason == reason


def test_an_entry_that_is_not_legal_changes_nothing(replay: Recorder) -> None:
    log = [opened(), post("go", to="north_gate"), *TURN[1:]]
    dirty = [log[0], post("keep"), log[1], log[1], post("go", to="atlantis"), *log[2:4], post("cargo"), log[4]]
    result = replay(*dirty)
    assert ignored(result) == [1, 3, 4, 7]
    assert [t["foreign_index"] for t in replay.trace] == list(range(len(dirty)))
    assert taken(result) == taken(replay(*log))
    printed = result.to_json()["ignored"]
    assert printed[2] == {
        "foreign_index": 4,
        "action": post("go", to="atlantis"),
        "reason": "the open decision is `loading` of Ann, not `go`",
    }


def test_of_a_list_that_is_not_legal_nothing_is_done(replay: Recorder) -> None:
    log = [opened(), post("rest"), post("cargo", crates=[{"what": "corn"}] * 3), post("cargo", crates=[])]
    result = replay(*log)
    assert ignored(result) == [2]
    assert taken(result)[-1] == "loading.enough"
    assert result.game.value("crate[corn].supply") == "6"


def test_a_choice_that_lets_the_entry_fit_comes_before_ignoring_it(replay: Recorder) -> None:
    gift = post("gift", to="Bob", amount=2, **{"from": "Ann"})
    result = replay(opened(), *TURN[:2], post("sell"), gift)
    assert ignored(result) == []
    assert taken(result)[-3:-1] == ["sale.slow", "giving.give(Bob, 2)"]


def test_who_acts_is_compared(replay: Recorder) -> None:
    result = replay(opened(), post("rest", who="Bob"), post("rest", who="Ann"))
    assert ignored(result) == [1]
    assert result.ignored[0].refusal.reason == "it is for Ann to do"
    assert ignored(replay(opened("7", "Bob"), post("rest", who=7))) == []


def test_an_ignored_entry_is_a_checkpoint_too(replay: Recorder) -> None:
    log = [opened(), post("rest"), post("go", to="north_gate"), OOPS]
    result = replay(*log)
    assert ignored(result) == [2]
    assert taken(result)[-1] == "way.stay"
    assert taken(replay(*log, OOPS))[-1] == "mood.calm"


def test_what_the_other_system_did_against_a_rule_is_not_ignored(replay: Recorder) -> None:
    divergence = replay(opened(), post("rest"), post("cargo", crates=[{"what": "salt"}] * 2)).divergence
    assert divergence is not None
    assert (divergence.foreign_index, divergence.refusal.rules) == (2, ("ERR-07",))


def test_under_other_rules_nothing_is_ignored(replay: Recorder) -> None:
    log = [opened(game="express"), post("keep")]  # and it is replayed under `errands`
    result = replay(*log)
    assert result.divergence is not None
    assert result.divergence.foreign_index == 1
    assert result.ignored == []
    divergence = replay(*log[:1], OOPS, OOPS).divergence
    assert divergence is not None
    assert divergence.refusal.reason == "there is nothing to take back"


def test_under_rules_that_are_asked_for_nothing_is_ignored(replay: Recorder) -> None:
    assert ignored(replay(opened(), post("keep"))) == [1]
    divergence = replay_log(replay.path, rules=str(FOLDER)).divergence
    assert divergence is not None
    assert divergence.foreign_index == 1


def test_a_log_that_is_mostly_ignored_is_warned_of(replay: Recorder) -> None:
    assert ignored(replay(opened(), post("keep"))) == [1]  # only half of it
    assert ignored(replay(opened(), post("rest"), *[post("keep")] * 3)) == [2, 3, 4]
    (warning,) = replay.report.diagnostics
    assert warning.code == "RS623"
    assert "3 of 5 entries" in warning.message


def test_what_other_rules_cannot_say_is_not_compared(
    errands: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = changed(tmp_path, "to.near", "to.neighbours", POSTMAN)
    monkeypatch.setattr("rulespec.engine.replay.replay.dialects", lambda rules: [file])
    path = tmp_path / "game.json"
    for game, wrong in (("post", True), ("express", False)):
        path.write_text(json.dumps([opened(game=game), post("go", to="north_gate")]), encoding="utf-8")
        if wrong:
            with pytest.raises(DiagnosticsError) as error:
                replay_log(path, rules=str(FOLDER), load=lambda _: errands)
            assert {d.code for d in error.value.diagnostics} == {"RS622"}
        else:
            assert replay_log(path, rules=str(FOLDER), load=lambda _: errands).divergence is None


def test_the_log_may_end_the_game_anywhere(replay: Recorder) -> None:
    log = [opened(), post("rest"), post("whistle"), post("cargo", crates=[]), post("chat"), OOPS, post("whistle")]
    result = replay(*log)
    assert ignored(result) == [3, 5]
    assert result.ignored[0].refusal.reason == "the log has ended the game with entry 2"
    assert not result.game.is_over
    assert taken(result)[-1] == "way.stay"
    assert ignored(replay(opened(), *TURN * 4, post("whistle"), post("rest"))) == [18]


def test_a_first_entry_that_is_there_twice_counts_once(replay: Recorder) -> None:
    assert ignored(replay(opened(), post("chat"), opened(), *TURN)) == []
    assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2, 3, 4, 5, 6]
    for log in ([opened(), opened("Bob", "Ann")], [opened(), post("rest"), opened()]):
        divergence = replay(*log).divergence
        assert divergence is not None
        assert divergence.foreign_index == len(log) - 1
        assert "starts another game" in divergence.refusal.reason


@pytest.mark.parametrize("crate", [{}, {"what": None}, {"what": 0}])
def test_an_option_may_have_several_forms(replay: Recorder, crate: Entry) -> None:
    result = replay(opened(), post("rest"), post("cargo", crates=[{"what": "salt"}, crate]))
    assert sorted(taken(result)[3:5]) == ["loading.lay(corn)", "loading.lay(salt)"]


def test_a_set_matches_any_of_its_members(replay: Recorder) -> None:
    assert taken(replay(opened(), post("go", to="north_gate", **{"from": "mill"})))[-1] == "way.walk(north_gate)"
    assert ignored(replay(opened(), post("go", to="north_gate", **{"from": "south_gate"}))) == [1]
    assert ignored(replay(opened(), post("go", to="north_gate", **{"from": ["mill"]}))) == [1]


def test_until_counts_entries_that_were_ignored_or_taken_back(replay: Recorder) -> None:
    log = [opened(), post("rest"), post("keep"), OOPS, post("go", to="north_gate"), post("go", to="mill")]
    for until in range(1, 7):
        result = replay(*log, until=until)
        assert [t["foreign_index"] for t in replay.trace] == list(range(until))
        assert replay.trace[-1]["hash"] == result.game.hash
        assert ignored(result) == [i for i in (2, 5) if i < until]


def test_of_a_log_that_stops_the_trace_has_what_comes_before(replay: Recorder) -> None:
    log = [opened(), post("rest"), OOPS, post("rest"), post("cargo", crates=[{"what": "salt"}] * 2), post("close")]
    result = replay(*log)
    assert result.divergence is not None
    assert result.divergence.foreign_index == 4
    assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2, 3]


@pytest.mark.parametrize("bound, value", [("MAX_IGNORED", 3), ("MAX_TRIED", 20)])
def test_what_is_ignored_is_bounded(replay: Recorder, monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    log = [opened(), *[post("go", to="south_gate", who="Bob"), post("go", to="atlantis")] * 5]
    assert ignored(replay(*log)) == list(range(1, 11))
    monkeypatch.setattr(importer, bound, value)
    divergence = replay(*log).divergence
    assert divergence is not None
    assert divergence.foreign_index in range(2, 10)


@pytest.mark.parametrize("data", HOSTILE, ids=lambda d: str(d)[:12].encode("ascii", "replace").decode())
@pytest.mark.parametrize("kind", ["go", "cargo", "gift", "rest", "oops", "open", "whistle"])
def test_entries_of_any_shape_are_ignored(replay: Recorder, kind: str, data: Any) -> None:
    result = replay(opened(), {"kind": kind, "data": data}, post("chat"), {"kind": kind, "data": data}, OOPS)
    json.dumps(result.to_json())
    stop = None if result.divergence is None else result.divergence.foreign_index
    assert len(replay.trace) == (5 if stop is None else stop)


@pytest.mark.parametrize(
    "old, new, code",
    [
        ("except: [ERR-07]", "but: [ERR-07]", "RS"),
        ("type: oops, ", "", "RS"),
        ("keeps: [player.bold, no_such_field]", "keeps: player.bold", "RS"),
        ("values: {post: errands, express: errands+express}", "values: {}", "RS"),
        ("automatic: true", "automatic: always", "RS"),
        ("ends: [whistle]", "ends: whistle", "RS"),
    ],
)
def test_a_dialect_that_says_it_otherwise(tmp_path: Path, old: str, new: str, code: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        read_dialect(changed(tmp_path, old, new, POSTMAN))
    assert all(d.code.startswith(code) and d.span is not None for d in error.value.diagnostics)


@pytest.mark.parametrize("when", ["crate[g].supply", "crate[h].supply == 1", "1 +"])
def test_a_condition_that_is_none(errands: Ruleset, tmp_path: Path, when: str) -> None:
    condition = "all(other in good: crate[other].supply <= crate[g].supply)"
    dialect = read_dialect(changed(tmp_path, condition, when, POSTMAN))
    log = parse_foreign(json.dumps([opened()]), "game.json")
    with pytest.raises(DiagnosticsError) as error:
        Importer(Game(errands, ["Ann", "Bob"]), dialect, log)
    (found,) = error.value.diagnostics
    assert found.code == "RS622"
    assert "loading.lay" in found.message
