"""Recorded games under other rules: the first decision that is not legal any more, or how the result changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cases import small
from click.testing import CliRunner
from folders import GAMES, RULESETS
from jsonschema import Draft202012Validator

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.replay import tally
from rulespec.engine.replay.judge import Judgement, judge, judge_file
from rulespec.engine.simulate.playouts import choose
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

LOGS = GAMES / "imperial" / "logs"
NIM = str(RULESETS / "nim")
SHORT = RULESETS / "nim" / "logs" / "short.jsonl"
SITE = LOGS / "playimperial"


pytestmark = pytest.mark.usefixtures("known_rulesets")


def run(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["replay", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def played(ref: str, decisions: list[str], **options: str) -> Game:
    """A game of two; each decision is taken by whoever is asked, if it is legal."""
    game = Game(load_ruleset(ref), ["Ann", "Bob"], options)
    for text in decisions:
        game.apply(game.parse(text))
    return game


# --- small games ------------------------------------------------------------------------------------------------------

QUIZ = """\
procedure play():
    for p in player:
        if warm_up:
            decide warming by p:
                option stretch:
                    pass
                option rest:
                    require easy "QZ-1: no rest"
                    pass
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                require n <= limit() "QZ-3: not so many"
                set p.points to p.points + n * factor
            option interject(q in player, n in 1 .. 2) by q:
                set q.points to q.points + n
                ask again
    end game

def limit() -> int:
    most if pace == slow else most - 1

scoring p in player:
    score p.points
--- game.yaml
id: quiz
title: Quiz
version: "1.0"
players: {kind: player, min: 1, max: 3}
start: play
settings:
  warm_up: {default: false}
  easy: {default: false}
  pace: {values: [slow, fast], default: slow}
overlays: [warm, easy, strict, turned, resting, costly, paying, lucky, backwards, humming, reply, free]
--- kinds.yaml
kinds:
  player: {state: {points: {type: int}}}
--- tables.yaml
constants: {most: 6, factor: 1}
--- variants/warm.yaml
id: warm
title: Warm
for: quiz
version: "1.0"
settings: {warm_up: true}
--- variants/easy.yaml
id: easy
title: Easy
for: quiz
version: "1.0"
settings: {warm_up: true, easy: true}
--- variants/strict.yaml
id: strict
title: Strict
for: quiz
version: "1.0"
changes: {constants.most: 3}
remove: [game.settings.pace]
--- variants/strict.rules
replace def limit() -> int:
    most
--- variants/turned.yaml
id: turned
title: Turned
for: quiz
version: "1.0"
changes: {constants.factor: -1}
--- variants/resting.yaml
id: resting
title: Resting
for: quiz
version: "1.0"
add: {game.usual: {warming: rest}}
--- variants/costly.yaml
id: costly
title: Costly
for: quiz
version: "1.0"
--- variants/costly.rules
replace procedure play():
    for p in player:
        decide fee by p:
            option small:
                set p.points to p.points - 1
            option large:
                set p.points to p.points - 2
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    end game
--- variants/free.yaml
id: free
title: Free
for: quiz
version: "1.0"
--- variants/free.rules
wrap procedure play():
    if easy:
        decide fee by first(p in player):
            option small:
                pass
    original()
--- variants/paying.yaml
id: paying
title: Paying
for: quiz
version: "1.0"
add: {game.usual: {fee: small}}
--- variants/lucky.yaml
id: lucky
title: Lucky
for: quiz
version: "1.0"
add: {kinds.player.state.luck: {type: int}}
--- variants/backwards.yaml
id: backwards
title: Backwards
for: quiz
version: "1.0"
--- variants/backwards.rules
replace procedure play():
    for p in player from next(first(q in player)):
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    end game
--- variants/humming.yaml
id: humming
title: Humming
for: quiz
version: "1.0"
--- variants/humming.rules
replace procedure play():
    for p in player:
        hum(p)
        decide answer by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    hum(first(p in player))
    end game

procedure hum(p: player):
    decide humming by p:
        option hum:
            pass
        option whistle:
            pass
--- variants/reply.yaml
id: reply
title: Reply
for: quiz
version: "1.0"
--- variants/reply.rules
replace procedure play():
    for p in player:
        decide reply by p:
            option say(n in 1 .. 6 "QZ-2: a number that there is"):
                set p.points to p.points + n
    end game
"""


@pytest.fixture
def quiz(tmp_path: Path) -> str:
    small(tmp_path / "quiz", QUIZ)
    return str(tmp_path / "quiz")


def under(ref: str, overlays: str, decisions: list[str], **options: str) -> Judgement:
    return judge("game", played(ref, decisions, **options), load_ruleset(ref + overlays))


def test_the_result_changes(quiz: str) -> None:
    judgement = under(quiz, "+turned", ["say(2)", "say(4)"])
    assert (judgement.legal, judgement.difference, judgement.winners) == (2, None, "other")
    assert (judgement.recorded.scores, judgement.recorded.winners) == ({"Ann": 2, "Bob": 4}, ("Bob",))
    assert (judgement.outcome.scores, judgement.outcome.winners) == ({"Ann": -2, "Bob": -4}, ("Ann",))
    assert not judgement.unchanged


def test_the_first_decision_that_is_refused(quiz: str) -> None:
    judgement = under(quiz, "+strict", ["say(2)", "say(4)"])
    difference = judgement.difference
    assert difference is not None
    assert (judgement.legal, judgement.winners, difference.index) == (1, None, 1)
    assert (difference.recorded.by, difference.recorded.option) == ("Bob", "say(4)")
    assert (difference.open, difference.open_by) == ("answer", "Bob")
    assert difference.refusal.rules == ("QZ-3",)
    assert difference.refusal.values == {"n": "4", "limit()": "3"}
    assert difference.nearest == ("say(1)", "say(2)", "say(3)")
    assert judgement.outcome.scores == {"Ann": 2, "Bob": 0}


def test_a_question_with_one_answer_is_answered(quiz: str) -> None:
    judgement = under(quiz, "+warm", ["say(2)", "say(4)"])
    assert (judgement.legal, judgement.forced, judgement.winners) == (2, 2, "same")
    assert judgement.unchanged


def test_a_question_gets_the_answer_after_which_the_state_is_as_recorded(quiz: str) -> None:
    judgement = under(quiz, "+easy", ["say(2)", "say(4)"])
    assert (judgement.difference, judgement.legal, judgement.forced) == (None, 2, 0)
    assert [(a.index, a.decision, a.by, a.option, a.why) for a in judgement.answers] == [
        (0, "warming", "Ann", "stretch", "state"),
        (1, "warming", "Bob", "stretch", "state"),
    ]
    # Of answers that are as right, the usual one.
    assert {a.option for a in under(quiz, "+easy+resting", ["say(2)", "say(4)"]).answers} == {"rest"}


def test_a_question_that_no_answer_fits_stops_the_judgement(quiz: str) -> None:
    difference = under(quiz, "+costly", ["say(2)", "say(4)"]).difference
    assert difference is not None
    assert (difference.index, difference.open, difference.open_by) == (0, "fee", "Ann")
    assert difference.refusal.reason == "the open decision is `fee`, not `answer`"


def test_a_question_that_no_answer_fits_gets_the_usual_one_if_that_is_asked_for(quiz: str) -> None:
    game, rules = played(quiz, ["say(2)", "say(4)"]), load_ruleset(quiz + "+costly+paying")
    assert judge("game", game, rules).difference is not None
    judgement = judge("game", game, rules, usual=True)
    assert (judgement.difference, judgement.outcome.scores) == (None, {"Ann": 1, "Bob": 3})
    assert [(a.decision, a.option, a.why) for a in judgement.answers] == [("fee", "small", "usual")] * 2


def test_a_question_that_only_the_log_answers(quiz: str) -> None:
    game = played(quiz + "+warm", ["stretch", "say(2)", "stretch", "say(4)"])
    judgement = judge("game", game, load_ruleset(quiz))
    assert (judgement.difference, judgement.legal, judgement.skipped) == (None, 2, 2)


def test_interrupts_are_taken_as_they_were(quiz: str) -> None:
    judgement = under(quiz, "+warm", ["interject(Bob, 2)", "say(1)", "say(1)"])
    # The warm-up is asked first, and the interrupt is an option of the question after it.
    assert (judgement.legal, judgement.forced, judgement.outcome.scores) == (3, 2, {"Ann": 1, "Bob": 3})


def test_decisions_are_taken_back_as_they_were(quiz: str) -> None:
    game = played(quiz, ["say(2)", "say(4)"])
    said, wrong = game.history
    again = judge("game", game, load_ruleset(quiz + "+warm"), moves=[wrong_start(game), TakenBack(1), said, wrong])
    assert (again.decisions, again.legal, again.forced, again.outcome.scores) == (3, 3, 3, {"Ann": 2, "Bob": 4})
    rest = judge(
        "game", game, load_ruleset(quiz + "+warm"), moves=[said, TakenBack(1, ("player.points",)), said, wrong]
    )
    assert rest.outcome.scores == {"Ann": 4, "Bob": 4}
    # A field that the other rules lack is not kept, and not set.
    lucky = played(quiz + "+lucky", ["say(2)", "say(4)"])
    said, wrong = lucky.history
    back = TakenBack(1, ("player.luck", "player.points"))
    unknown = judge("game", lucky, load_ruleset(quiz), moves=[said, back, said, wrong])
    assert (unknown.difference, unknown.legal, unknown.outcome.scores) == (None, 3, {"Ann": 4, "Bob": 4})


def wrong_start(game: Game) -> Option:
    """Another start that the first player might have chosen."""
    start = Game(game.ruleset, game.seats, game.settings)
    return start.parse("say(5)")


def test_what_the_table_chose_is_kept_where_it_is_known(quiz: str) -> None:
    judgement = under(quiz, "+strict", ["say(2)", "say(1)"], pace="fast", easy="true")
    assert judgement.dropped == ("pace=fast: `quiz+strict` has no such setting",)
    # Settings that the table has left alone follow the other rules: there is a warm-up now.
    assert len(under(quiz, "+easy", ["say(1)", "say(1)"], pace="fast").answers) == 2


def test_a_game_that_ends_earlier_or_not_at_all() -> None:
    tall = played(f"{NIM}+tall", ["take(3)"] * 7)
    judgement = judge("game", tall, load_ruleset(NIM))
    assert (judgement.ends_earlier, judgement.legal, judgement.outcome.ended) == (True, 3, "last_stone")
    assert (judgement.winners, judgement.difference) == ("same", None)
    judgement = judge("game", played(NIM, ["take(3)"] * 3), load_ruleset(f"{NIM}+tall"))
    assert (judgement.outcome.ended, judgement.winners, judgement.unchanged) == (None, "open", False)
    judgement = judge("game", played(NIM, ["take(3)"]), load_ruleset(f"{NIM}+tall"))
    assert (judgement.winners, judgement.unchanged) == ("open", True)


def test_rules_for_another_number_of_seats_cannot_judge(quiz: str) -> None:
    game = Game(load_ruleset(NIM), list("ABCD"))
    with pytest.raises(DiagnosticsError, match="not for 4"):
        judge("game", game, load_ruleset(quiz))


def test_a_log_that_breaks_its_own_rules_cannot_be_judged(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(SHORT.read_text("utf-8").replace("take(2)", "take(7)"), "utf-8")
    with pytest.raises(DiagnosticsError, match="not legal under its own rules, after 1 decisions: NIM-03") as error:
        judge_file(log, "+tall")
    assert error.value.diagnostics[0].code == "RS821"


# --- the command ------------------------------------------------------------------------------------------------------


def test_command_shows_how_the_result_changes() -> None:
    code, out, _ = run(SHORT, "--under", "+tall")
    assert code == 1
    assert "nim · under nim+tall" in out
    assert out.splitlines()[4:] == [
        "seat      recorded           now",
        "Ann              6             6",
        "Bob              3  won        3",
        "ending  last stone       goes on",
    ]


def test_command_shows_the_first_decision_that_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    tall = played(f"{NIM}+tall", ["take(3)", "take(3)", "take(2)", "take(2)"])
    lines = [{"decision": o.decision, "by": o.by, "option": str(o)} for o in tall.history]
    head = {"rulespec_log": 1, "ruleset": "nim+tall", "seats": ["Ann", "Bob"]}
    log.write_text("".join(json.dumps(line) + "\n" for line in [head, *lines]), "utf-8")
    code, out, _ = run(log, "--under", "nim")
    assert code == 1
    for text in (
        "not legal   after 3 of 4 decisions",
        "action      Bob: take(2) (decision `turn`)",
        "reason      NIM-04: there are not so many stones",
        "rules       NIM-04",
        "stone.heap = 1",
        "open        `turn` by Bob",
        "legal       take(1)",
    ):
        assert text in out


def test_command_for_a_folder(tmp_path: Path) -> None:
    for name, moves in (("a", [3, 3, 2, 2]), ("b", [3, 3, 3, 1]), ("c", [3, 3, 2, 3]), ("d", [1])):
        seats = ["Ann", "Bob"]
        lines: list[dict[str, Any]] = [{"rulespec_log": 1, "ruleset": "nim+tall", "seats": seats}]
        lines += [{"decision": "turn", "by": seats[i % 2], "option": f"take({n})"} for i, n in enumerate(moves)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (tmp_path / "e.json").write_text("{", "utf-8")
    (tmp_path / "notes.md").write_text("no log", "utf-8")
    code, out, _ = run(tmp_path, "--under", "nim")
    assert code == 2
    lines_ = [line.replace(f"{tmp_path}/", "") for line in out.splitlines()]
    assert lines_[0] == "a.jsonl: not legal after 3 of 4 decisions: NIM-04: there are not so many stones"
    assert (
        lines_[1] == "b.jsonl: legal, ended (last stone), won by Ann instead of nobody, earlier: after 3 of 4 decisions"
    )
    assert lines_[3] == "d.jsonl: legal, goes on, as in the log"
    assert lines_[4].startswith("e.json: cannot be judged: ")
    assert lines_[6:] == [
        "5 logs: 2 legal, 2 not legal, 1 not judged",
        "legal: 1 other winners, 1 not over",
        "not legal, by the rule that is broken first:",
        "  2  NIM-04  NIM-04: there are not so many stones",
    ]
    code, out, _ = run(tmp_path, "--under", "nim", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("under")).validate(data)
    assert (code, len(data["logs"]), data["totals"]["illegal"]) == (2, 5, 2)
    assert data["totals"]["winners"] == {"same": 0, "other": 1, "open": 1}
    assert data["totals"]["broken"] == [
        {"rule": ["NIM-04"], "reason": "NIM-04: there are not so many stones", "logs": 2}
    ]


def test_command_for_one_log_as_json() -> None:
    code, out, _ = run(SHORT, "--under", "nim", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("under")).validate(data)
    assert (code, data["under"], data["logs"][0]["winners"]) == (0, "nim", "same")


@pytest.mark.parametrize(
    "args, message",
    [
        ([SHORT, "--under", "nothing"], "there is no ruleset `nothing`"),
        ([SHORT, "--under", "+nothing"], "there is no overlay `nothing`"),
        ([SHORT, "--under", "+"], "there is no overlay ``"),
        ([SHORT, "--under", "nim", "--out", "x.jsonl"], "--under does not go with"),
        ([SHORT, "--under", "nim", "--until", "1"], "--under does not go with"),
        ([SHORT, "--answer", "usual"], "--answer goes with --under"),
        (["nowhere.jsonl", "--under", "nim"], "there is no file"),
    ],
)
def test_wrong_usage(args: list[Any], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    from rulespec.cli.main import run as run_command

    assert run_command(["replay", *map(str, args)]) == 2
    assert message in capsys.readouterr().err


def test_folders_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DiagnosticsError, match="holds no log"):
        tally.logs_in(tmp_path)
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text("{}", "utf-8")
    monkeypatch.setattr(tally, "MAX_LOGS", 2)
    with pytest.raises(DiagnosticsError, match="holds 3 logs; at most 2"):
        tally.logs_in(tmp_path)


# --- whole games ------------------------------------------------------------------------------------------------------


def test_recorded_games_with_cheap_factories() -> None:
    folder = LOGS / "playimperial"
    judgements = [
        judge_file(path, "+cheap_factories") for path in (folder / "c000-standard-2p.json", folder / "quickstart.json")
    ]
    assert [j.difference for j in judgements] == [None, None]
    assert all(j.under.ref == "imperial+playimperial+cheap_factories" for j in judgements)
    assert judgements[0].outcome.scores != judgements[0].recorded.scores


def test_the_quick_start_game_in_the_first_edition() -> None:
    judgement = judge_file(LOGS / "quickstart.jsonl", "+first_edition")
    difference = judgement.difference
    assert difference is not None
    # The second bond on the back of a flag card is one of 4 there: who has bought it has less to spend.
    assert (difference.index, difference.recorded.option) == (10, "buy(germany_4)")
    assert "IMP-BON-03" in difference.refusal.rules


def test_a_recorded_game_with_questions_that_nobody_answered() -> None:
    log = SITE / "c010-no_investor_card-2p.json"
    assert (stop := judge_file(log, "+cheap_factories").difference) is not None
    assert stop.refusal.reason == "the open decision is `investment`, not `rondel`"
    code, out, _ = run(log, "--under", "+cheap_factories", "--answer", "usual")
    assert code == 0
    assert "answered  27 questions `investment` that the log lacks: `decline`, which is the usual answer" in out
    code, out, _ = run(log, "--under", "+cheap_factories", "--answer", "usual", "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("under")).validate(data)
    [judged] = data["logs"]
    assert {(a["decision"], a["option"], a["why"]) for a in judged["answers"]} == {("investment", "decline", "usual")}
    assert (judged["legal"], judged["decisions"], judged["winners"]) == (515, 515, "same")


@pytest.mark.parametrize("overlay", ["first_edition", "reverse_order", "five_nations", "playimperial", "end_at_30"])
@pytest.mark.sampled(2)
def test_any_game_under_any_rules_comes_to_a_judgement(overlay: str) -> None:
    ruleset = load_ruleset("imperial")
    other = load_ruleset(f"imperial+{overlay}")
    for seed in range(3):
        game, draws = Game(ruleset, seat_names(4)), Draws(seed)
        while not game.is_over and game.ply < 300:
            option = choose(game, draws)
            assert option is not None
            game.apply(option)
        judgement = judge("game", game, other)
        stops = judgement.difference is not None or judgement.ends_earlier
        assert (judgement.legal < judgement.decisions) == stops
        Draft202012Validator(load_schema("under")).validate(
            {"under": overlay, "logs": [judgement.to_json()], "totals": tally.Tally().to_json()}
        )


# --- a log of a site that asks other questions ---------------------------------------------------


@pytest.mark.parametrize("name, legal", [("c006-auction-3p", 15), ("u000-standard-3p", 6)])
def test_questions_that_only_the_other_system_asks_are_passed_over(name: str, legal: int) -> None:
    """The site asks in which order players are paid, and not who opens the auction: that is the one who does."""
    judged = judge_file(SITE / f"{name}.json", "imperial")
    assert judged.difference is not None
    assert judged.difference.open in ("armies", "fleets")  # in any order, on the site
    assert judged.skipped == 3
    # The site produces everywhere without being asked.
    assert {(a.decision, a.option.partition("(")[0]) for a in judged.answers} >= {("production", "produce")}
    assert judged.legal > legal
    assert not any(word in judged.difference.refusal.reason for word in ("payment_order", "first_seat"))


def test_questions_that_the_other_rules_do_not_have_are_passed_over(quiz: str) -> None:
    judgement = under_plain(quiz, "+humming", ["whistle", "say(2)", "hum", "say(4)", "hum"])
    # After the second answer the game is over, and what follows has changed nothing.
    assert (judgement.difference, judgement.legal, judgement.skipped) == (None, 2, 3)
    assert not judgement.ends_earlier
    assert judgement.outcome.scores == {"Ann": 2, "Bob": 4}


def test_questions_in_another_order_are_answered_when_they_are_asked(quiz: str) -> None:
    judgement = under_plain(quiz, "+backwards", ["say(2)", "say(4)"])
    assert (judgement.difference, judgement.legal, judgement.answers) == (None, 2, ())
    assert judgement.outcome.scores == {"Ann": 4, "Bob": 2}


def test_a_decision_that_has_changed_the_game_is_passed_over_only_if_it_is_the_usual_one(quiz: str) -> None:
    game = played(quiz + "+costly", ["small", "say(2)", "small", "say(4)"])
    plain, paying = load_ruleset(quiz), load_ruleset(quiz + "+free+paying")
    assert judge("game", game, plain).skipped == 2  # it has no such decision
    stopped = judge("game", game, paying).difference
    assert stopped is not None and stopped.refusal.reason == "the open decision is `answer`, not `fee`"
    judgement = judge("game", game, paying, usual=True)
    assert (judgement.difference, judgement.legal, judgement.skipped) == (None, 2, 2)


def test_an_option_is_found_under_another_name_of_its_decision(quiz: str) -> None:
    judgement = under_plain(quiz, "+reply", ["say(2)", "say(4)"])
    assert (judgement.difference, judgement.legal, judgement.skipped) == (None, 2, 0)


def under_plain(ref: str, overlays: str, decisions: list[str]) -> Judgement:
    """The judgement under the plain rules of a game that was played with overlays."""
    return judge("game", played(ref + overlays, decisions), load_ruleset(ref))


def test_an_overlay_that_does_not_go_with_the_logs_own_is_told_in_one_sentence() -> None:
    result = CliRunner().invoke(cli, ["replay", str(SITE / "c006-auction-3p.json"), "--under", "+economy_2030"])
    assert result.exit_code == 2
    assert result.output.count("error[") == 1
    assert (
        "error[RS624]: `+economy_2030` cannot be laid over the log's own rules, `imperial+playimperial`"
        in result.output
    )
    missing = CliRunner().invoke(cli, ["replay", str(SITE / "c006-auction-3p.json"), "--under", "+economy_2031"])
    assert "RS502" in missing.output and "RS624" not in missing.output
