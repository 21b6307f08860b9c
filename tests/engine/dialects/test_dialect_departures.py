"""Foreign logs of a system that departs from the rules: undo, ignored entries, old formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from recorder import FOLDER, HOSTILE, Entry, Recorder, changed, taken

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects import importer, stretch_search
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.game.game import Game
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, replay_log
from rulespec.typed.nodes import Ruleset

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
    """The same game, read from its native log."""
    result.write_native(folder / "again.jsonl")
    return ReplayRequest(folder / "again.jsonl", load=lambda _: ruleset).replay()


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
        ReplayRequest(path, load=load).replay()
    assert asked == [wanted]


@pytest.mark.parametrize("game", ["chess", 3, ["post"], {}])
def test_a_ruleset_that_the_dialect_does_not_have(replay: Recorder, game: Any) -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay(opened(game=game))
    (result,) = error.value.diagnostics
    assert result.code == "RS616"
    assert "post or express" in result.help


def test_a_ruleset_that_the_named_dialect_does_not_have(
    errands: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulespec.engine.replay.replay.dialects", lambda rules: [POSTMAN])
    path = tmp_path / "game.json"
    path.write_text(json.dumps([opened(game="chess")]), encoding="utf-8")
    with pytest.raises(DiagnosticsError) as error:
        ReplayRequest(path, dialect="postman", load=lambda _: errands).replay()
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
    monkeypatch.setattr(stretch_search, "MAX_SILENT", 5)
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
    assert result.game.omniscient.value("Ann.bold") == "true"
    assert replay(opened()).game.omniscient.value("Ann.bold") == "false"
    assert result.game.ply == 2
    native = again(result, tmp_path, errands)
    assert native.divergence is None
    assert native.game.hash == result.game.hash
    assert (tmp_path / "again.jsonl").read_text("utf-8").splitlines()[-2] == '{"undo": 4, "keep": ["player.bold"]}'


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
    # Only a slow sale lets Ann give. The undo returns to Bob's mood, and she can no longer change her mind.
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
        ([post("rest")], "Bob", "the last decision was made by Ann"),
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
    assert result.game.omniscient.value("crate[corn].supply") == "6"


def test_a_choice_that_lets_the_entry_fit_comes_before_ignoring_it(replay: Recorder) -> None:
    gift = post("gift", to="Bob", amount=2, **{"from": "Ann"})
    result = replay(opened(), *TURN[:2], post("sell"), gift)
    assert ignored(result) == []
    assert taken(result)[-3:-1] == ["sale.slow", "giving.give(Bob, 2)"]


def test_who_acts_is_compared(replay: Recorder) -> None:
    result = replay(opened(), post("rest", who="Bob"), post("rest", who="Ann"))
    assert ignored(result) == [1]
    assert result.ignored[0].refusal.reason == "`who` is `Bob`, but it is for Ann to decide `way`"
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
    log = [opened(game="express"), post("keep")]  # and is replayed under `errands`
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
    assert ignored(replay(opened(), *[post("keep")] * 3, post("rest"))) == [1, 2, 3]
    (warning,) = replay.report.diagnostics
    assert warning.code == "RS623"
    assert "3 of 5 entries" in warning.message


def test_a_log_in_which_nothing_fits_any_more_diverges_at_the_first_of_those_entries(replay: Recorder) -> None:
    place = [opened(), post("rest"), post("cargo", crates=[]), post("sell")]
    for wrong in (
        [post("go", to="mill")] * 4,
        [post("hurry"), post("go", to="mill"), post("rest"), OOPS, post("hurry"), post("nod"), post("keep")],
        [post("go", to="atlantis"), post("hurry")],  # at the end of the log
    ):
        result = replay(*place, *wrong)
        assert result.divergence is not None
        assert (result.divergence.foreign_index, result.divergence.action) == (4, wrong[0])
        assert (
            result.divergence.refusal.reason == "the open decision is `giving` of Ann, not `" + wrong[0]["kind"] + "`"
        )
        assert result.divergence.nearest
        assert result.ignored == []
        assert [t["foreign_index"] for t in replay.trace] == [0, 1, 2, 3]


def test_entries_that_are_ignored_here_and_there_do_not_end_a_log(replay: Recorder) -> None:
    place = [opened(), post("rest"), post("cargo", crates=[]), post("sell")]
    for stray in ([post("go", to="mill")], [post("hurry"), post("rest"), post("hurry")]):
        assert ignored(replay(*place, *stray, post("keep"))) == [*range(4, 4 + len(stray))]
    # One click may submit several entries of one type.
    assert ignored(replay(*place, *[post("sell")] * 9, post("keep"))) == [*range(4, 13)]
    assert ignored(replay(*place, *[post("sell")] * 9)) == [*range(4, 13)]
    assert ignored(replay(*place, post("rest"))) == [4]


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
                ReplayRequest(path, rules=str(FOLDER), load=lambda _: errands).replay()
            assert {d.code for d in error.value.diagnostics} == {"RS622"}
        else:
            assert ReplayRequest(path, rules=str(FOLDER), load=lambda _: errands).replay().divergence is None


def test_the_log_may_end_the_game_anywhere(replay: Recorder) -> None:
    log = [opened(), post("rest"), post("whistle"), post("cargo", crates=[]), post("chat"), OOPS, post("whistle")]
    result = replay(*log)
    assert ignored(result) == [3, 5]
    assert result.ignored[0].refusal.reason == "the log ended the game with entry 2"
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


@pytest.mark.parametrize("start", ["mill", ["mill"]])
def test_a_set_matches_any_of_its_members_and_the_list_of_all(replay: Recorder, start: Any) -> None:
    assert taken(replay(opened(), post("go", to="north_gate", **{"from": start})))[-1] == "way.walk(north_gate)"


@pytest.mark.parametrize("start", ["south_gate", [], ["mill", "south_gate"], ["mill", {}], [["mill"]]])
def test_a_set_matches_no_other_name_and_no_other_list(replay: Recorder, start: Any) -> None:
    assert ignored(replay(opened(), post("go", to="north_gate", **{"from": start}))) == [1]


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


@pytest.mark.parametrize("bound, value", [("MAX_IGNORED", 3), ("MAX_TRIED", 10)])
def test_what_is_ignored_is_bounded(replay: Recorder, monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    log = [opened(), *[post("go", to="south_gate", who="Eve"), post("go", to="atlantis"), *TURN] * 3]
    assert ignored(replay(*log)) == [1, 2, 7, 8, 13, 14]
    monkeypatch.setattr(importer, bound, value)
    divergence = replay(*log).divergence
    assert divergence is not None
    assert divergence.foreign_index in (2, 7, 8, 13, 14)


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
    (result,) = error.value.diagnostics
    assert result.code == "RS622"
    assert "loading.lay" in result.message
