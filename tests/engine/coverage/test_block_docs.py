"""Docstrings of blocks inside a body: they cite rules where these are applied, and mean nothing to a game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import small, split, write

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.diff import diff
from rulespec.engine.coverage.items import Items
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.why.position_reader import Reader
from rulespec.load import load_ruleset, load_source
from rulespec.syntax.format import format_rules
from rulespec.typed.rule_traversal import walk

RULES = """
procedure play():
    "DOC-01: three turns each."
    repeat at most 3:
        "DOC-02: a turn."
        for p in player:
            "DOC-03: one after another."
            turn(p)
    end game won by {first(player)}

procedure turn(p: player):
    decide work by p:
        option earn(n in 1 .. 3):
            if n == 1:
                "DOC-04: a single coin."
                set p.cash to p.cash + 1
            elif n == 2:
                "DOC-05: two coins"
                "are taxed."
                set p.cash to p.cash + 1
            else:
                "DOC-06: three bring nothing."
                pass
            match p.mood:
                case glad:
                    "DOC-07"
                    set p.mood to sad
                else:
                    "DOC-08"
                    set p.mood to glad
        otherwise:
            "DOC-09: it never comes to this."
            pass
--- kinds.yaml
kinds:
  player: {state: {cash: {type: int}, mood: {type: mood, start: glad}}}
  mood: {entities: {glad: {}, sad: {}}}
"""
WITHOUT = re.sub(r'\n +"[^"]*"(?=\n)', "", RULES)


def test_they_change_no_game(tmp_path: Path) -> None:
    one, other = (small(tmp_path / name / "small", text) for name, text in (("a", RULES), ("b", WITHOUT)))
    assert one.hash == other.hash
    games = [Game(each, ["A", "B"], {}, backend) for each in (one, other) for backend in ("python", "interpreter")]
    while not games[0].is_over:
        assert len({tuple(map(str, game.legal_options)) for game in games}) == 1
        for game in games:
            game.apply(list(game.legal_options)[game.ply % 3])
    assert len({game.hash for game in games}) == 1


def test_diff_and_formatter_leave_them(tmp_path: Path) -> None:
    small(tmp_path / "a" / "small", RULES)
    small(tmp_path / "b" / "small", WITHOUT)
    merged = [load_source(str(tmp_path / name / "small"), Report()) for name in "ab"]
    assert not diff(*merged)
    text = (tmp_path / "a" / "small" / "rules" / "play.rules").read_text("utf-8")
    assert format_rules(text, "play.rules").strip() == text.strip()


def test_each_is_an_item_of_coverage(tmp_path: Path) -> None:
    items = Items(small(tmp_path / "small", RULES)).all
    assert {id_ for item in items for id_ in item.rules} == {f"DOC-0{n}" for n in range(1, 10)}


def test_effects_cite_the_blocks_around_them(tmp_path: Path) -> None:
    reader = Reader(Game(small(tmp_path / "small", RULES), ["A", "B"]), OMNISCIENT)
    docs = [reader.doc(s) for s in walk(reader.ruleset.rules.procedures["turn"].body)]
    assert "DOC-05: two coins are taxed." in docs and "DOC-08" in docs


def test_one_alone_is_no_block(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError) as error:
        small(tmp_path / "small", RULES.replace('"DOC-03: one after another."\n            turn(p)', '"DOC-03"'))
    (first, *_) = error.value.diagnostics
    assert (first.code, first.help) == ("RS131", "add statements below the docstring, or `pass`")


def test_a_pass_beside_a_statement_is_still_idle(tmp_path: Path) -> None:
    text = RULES.replace(
        '"DOC-07"\n                    set p.mood to sad',
        '"DOC-07"\n                    set p.mood to sad\n                    pass',
    )
    folder, report = tmp_path / "small", Report()
    write(folder, split(text, "rules/play.rules"))
    load_ruleset(str(folder), report)
    assert [(d.code, d.span.line) for d in report.diagnostics if d.span] == [("RS404", 28)]


def test_a_pass_below_a_docstring_is_not(tmp_path: Path) -> None:
    folder, report = tmp_path / "small", Report()
    write(folder, split(RULES, "rules/play.rules"))
    load_ruleset(str(folder), report)
    assert not report.diagnostics
