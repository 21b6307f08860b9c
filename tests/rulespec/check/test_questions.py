"""Questions of playtests, on which no game depends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from stalls import STALLS

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.load import load_ruleset

MEASURES = """
--- measures.yaml
measures:
  cash: {of: player, value: player.cash}
  sold: {of: stall, value: stall.sold}
  sales: {value: "sum(s.sold for s in stall)"}
"""
OVERLAY = """
--- variants/other.yaml
id: other
title: Other
for: small
version: "1.0"
add: {questions: {wealth: {asks: cash, of: winner, matters: 3}}}
"""


def test_an_overlay_asks_and_no_log_depends_on_it(tmp_path: Path) -> None:
    plain = small(tmp_path / "small", STALLS + MEASURES + OVERLAY)
    assert plain.declarations.questions == {}
    other = load_ruleset(f"{tmp_path / 'small'}+other")
    (question,) = other.declarations.questions.values()
    assert (question.title, question.asks, question.of, question.matters) == ("Wealth", "cash", "winner", 3)
    assert other.hash == plain.hash


@pytest.mark.parametrize(
    "question, why",
    [
        ("{asks: cash, matters: 3}", "must name one"),
        ("{asks: cash, of: winer, matters: 3}", "no `player` is called `winer`"),
        ("{asks: sold, of: winner, matters: 3}", "no `stall` is called `winner`"),
        ("{asks: sales, of: all, matters: 3}", "about the whole game, not about"),
        ("{asks: length, of: all, matters: 3}", "about the whole game, not about"),
        ("{asks: lead_changes, of: all, matters: 3}", "about the whole game, not about"),
        ("{asks: lenght, matters: 3}", "no measure `lenght`"),
        ("{asks: ending, matters: 3}", "the question needs `of` with an ending"),
        ("{asks: ending, of: tonight, matters: 3}", "the rules have no ending `tonight`"),
        ("{asks: uses, matters: 3}", "the question needs `of` with an option"),
        ("{asks: uses, of: trade.steal, matters: 3}", "the rules have no option `trade.steal`"),
    ],
)
def test_a_question_that_no_game_answers_is_reported_at_its_place(question: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as error:
        small(tmp_path / "small", STALLS + MEASURES + f"questions:\n  wrong: {question}\n")
    (result,) = error.value.diagnostics
    assert result.code == "RS577" and why in result.message and result.help
    assert result.span is not None and result.span.file.endswith("measures.yaml") and result.span.line == 6
