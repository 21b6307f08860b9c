"""A recorded game beside other rules: questions that only one of them asks, in another order, under other names."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from folders import RULESETS
from quiz import QUIZ, played

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.replay.judge import Judgement, judge, judge_file
from rulespec.load import load_ruleset

NIM = str(RULESETS / "nim")
SHORT = RULESETS / "nim" / "logs" / "short.jsonl"

pytestmark = pytest.mark.usefixtures("known_rulesets")


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
    with pytest.raises(DiagnosticsError, match="breaks its own rules after 1 decisions: NIM-03") as error:
        judge_file(log, "+tall")
    assert error.value.diagnostics[0].code == "RS821"


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
