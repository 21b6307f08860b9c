"""The data of a replay page: moves with their rules, measures, the place of an illegal entry; within limits."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from cases import small
from folders import GAMES, SHIPPED
from parlour import PARLOUR
from proofs import proofs_but

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.board import board_of
from rulespec.drawing.colours import colour, luminance
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.replay.replay import ReplayResult, replay_log
from rulespec.engine.why.why import Why
from rulespec.engine.words.causes import recorded
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.pages import replay_data as module
from rulespec.pages import replay_page as page_module
from rulespec.pages.beside_moves import RulesOfMoves
from rulespec.pages.curves import Curves, Line
from rulespec.pages.replay_data import told_replay
from rulespec.pages.replay_page import replay_page

QUICKSTART = GAMES / "imperial" / "logs" / "quickstart.jsonl"


@cache
def quickstart() -> ReplayResult:
    return replay_log(QUICKSTART)


def replay_data(result: ReplayResult, seat: str | None) -> dict[str, Any]:
    return told_replay(result, seat).data


def value(line: dict[str, list[int]], moves: int) -> int:
    return [v for at, v in zip(line["at"], line["is"], strict=True) if at <= moves][-1]


@pytest.mark.proof  # 0.7 s
def test_reasons_are_the_statements_that_made_the_changes() -> None:
    result = replay_log(QUICKSTART, until=12)
    plain = told_replay(result, OMNISCIENT).data["moves"]
    rows = told_replay(result, OMNISCIENT, reasons=True).data["moves"]
    assert [{k: v for k, v in row.items() if k != "why"} for row in rows] == plain
    why = Why(result.game, OMNISCIENT).effects()
    changed = [f"{change.name}: " for answer in why.answers for change in answer.changes]
    assert changed and all(any(each in line for line in rows[-1]["why"]) for each in changed)
    assert not any("(in the log)" in line for row in rows for line in row.get("why", []))


def test_reasons_name_files_without_the_folders_of_this_machine(tmp_path: Path) -> None:
    """A page is shared with others, so it must not reveal the location of the author's rules."""
    game, log = Game(small(tmp_path / "private" / "small", PARLOUR), "AB"), tmp_path / "game.jsonl"
    for _ in range(6):
        game.apply(game.legal_options[0])
    write_log(log, game)
    result = replay_log(log, rules=str(tmp_path / "private" / "small"), carried=False)
    lines = [line for row in told_replay(result, OMNISCIENT, reasons=True).data["moves"] for line in row.get("why", [])]
    assert any("small/rules/play.rules:" in line for line in lines)
    assert not any("private/small" in line for line in lines)


@pytest.mark.proof
def test_curves_are_the_measures_of_each_position() -> None:
    data, game = replay_data(quickstart(), OMNISCIENT), Game(load_ruleset("imperial"), quickstart().game.seats)
    treasury = next(m for m in data["measures"] if m["title"] == "Treasury")
    for moves, option in enumerate([None, *quickstart().game.history]):
        if option is not None:
            game.apply(game.parse(str(option)))
        assert [value(line, moves) for line in treasury["lines"]] == list(
            game.omniscient.measures()["treasury"].values()
        )


def test_a_line_is_noted_where_it_changes() -> None:
    line = Line("Ann")
    for moves, number in enumerate([3, 3, 4, 4, None, 4]):
        line.note(moves, number)
    assert (line.at, line.values) == ([0, 2, 4, 5], [3, 4, None, 4])


def test_what_nobody_sees_has_no_line() -> None:
    ruleset = load_ruleset("imperial")
    curves = Curves(
        ruleset.declarations.measures, Words(ruleset), lambda kind: ["one", "two"], lambda kind: ["#000000", "#ffffff"]
    )
    curves.note(0, {"cash": {"Ann": None, "Bob": 2}, "power": {"italy": None}})
    assert [(m["title"], [line["name"] for line in m["lines"]]) for m in curves.to_json()] == [("Cash", ["two"])]


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize(
    "log, title, ruleset, kind",
    [
        ("imperial/logs/quickstart.jsonl", "Treasury", "imperial", "nation"),
        ("imperial/logs/quickstart.jsonl", "Cash", "imperial", "player"),
        ("imperial_2030/logs/nobody-invests.jsonl", "Treasury", "imperial_2030", "nation"),
        ("imperial_2030/logs/nobody-invests.jsonl", "Power", "imperial_2030", "nation"),
    ],
)
def test_lines_have_the_colours_of_the_board(log: str, title: str, ruleset: str, kind: str) -> None:
    result = replay_log(GAMES / log, until=40)
    lines = next(m for m in replay_data(result, OMNISCIENT)["measures"] if m["title"] == title)["lines"]
    look = board_of(result.game.ruleset, result.game.seats).sheet.look
    assert [line["colour"] for line in lines] == [colour(look(kind, i).colour) for i in range(len(lines))]
    drawing = yaml.safe_load((GAMES / ruleset / "drawing.yaml").read_text("utf-8"))["drawing"]
    inputs = {
        name: colour(each["colour"]) for name, each in drawing["entities"].get(kind, {}).items() if "colour" in each
    }
    names = [entity.name for entity in result.game.ruleset.kinds[kind].entities]
    assert all(line["colour"] == inputs[n] for n, line in zip(names, lines, strict=False) if n in inputs)


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(1)
def test_every_line_has_a_colour_of_its_own_or_a_dash(folder: Path) -> None:
    log = next(iter(sorted(folder.glob("logs/*.jsonl*"))), None)
    if log is None:
        pytest.skip("it has no logs")
    for measure in replay_data(replay_log(log, until=5), OMNISCIENT)["measures"]:
        assert all(re.fullmatch("#[0-9a-f]{6}", line["colour"]) for line in measure["lines"])
        assert all(line.get("pale", False) == (luminance(line["colour"]) > 0.5) for line in measure["lines"])


@pytest.mark.proof  # 0.3 s
def test_a_move_rests_on_the_rules_of_its_option_and_on_those_that_ran() -> None:
    game, rules = restarted(quickstart().game), RulesOfMoves(quickstart().game)
    results = []
    for move in quickstart().moves:
        assert isinstance(move, Option)
        results.append(rules.of(move, recorded(game, move)))
        game.apply(move)
    imports, factory = results[4], results[12]
    assert imports.own[0] == ("IMP-RON-03", "") and ("IMP-IMP-01", "") in imports.ran
    assert ("IMP-FAC-02", "") in factory.own
    assert all(not set(each.own) & set(each.ran) for each in results)


@pytest.mark.proof
def test_a_condition_of_an_overlay_has_its_title(tmp_path: Path) -> None:
    head = "id: few\ntitle: Few factories\nfor: imperial\nversion: '1'\n"
    (tmp_path / "few.yaml").write_text(head, "utf-8")
    (tmp_path / "few.rules").write_text(
        "change option build of construction:\n"
        '    require count(r in region where r.home == n and factory.at[r] > 0) < 4 "four are enough"\n'
        '    require n.treasury < 99 "HSE-01: the rich need none"\n',
        "utf-8",
    )
    result = replay_log(QUICKSTART, rules=f"imperial+{tmp_path / 'few.yaml'}", until=20)
    data = replay_data(result, OMNISCIENT)
    built = next(move for move in data["moves"] if "factory" in move["text"])
    cited = [data["rules"][rule] for rule in built["own"]]
    assert ["HSE-01", "", "Few factories"] in cited and "IMP-FAC-02" in {id_ for id_, _, title in cited if not title}
    assert [id_ for id_, _, title in cited if title and id_ != "HSE-01"] == [
        "count(r in region where r.home == n and factory.at[r] > 0) < 4"
    ]


@pytest.mark.proof  # 0.3 s
def test_a_move_that_was_taken_back_is_in_the_page(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = QUICKSTART.read_text("utf-8").splitlines()
    log.write_text("\n".join([*lines[:8], '{"undo": 1}', lines[7]]) + "\n")
    moves = replay_data(replay_log(log), OMNISCIENT)["moves"]
    assert len(moves) == 9 and "taken back" in moves[7]["text"]
    assert moves[6]["text"] == moves[8]["text"]


@pytest.mark.parametrize("folder", proofs_but(SHIPPED, GAMES / "tutorial"), ids=lambda folder: folder.name)
def test_every_shipped_game_has_a_page(folder: Path) -> None:
    log = next(iter(sorted(folder.glob("logs/*.jsonl*"))), None)
    if log is None:
        pytest.skip("it has no logs")
    result = replay_log(log, until=25)
    assert len(replay_data(result, OMNISCIENT)["moves"]) == len(result.moves)
    assert "<script" in replay_page(result, None)


@pytest.mark.proof
def test_a_page_speaks_a_language_that_the_ruleset_has() -> None:
    result = replay_log(GAMES / "tetrarchia" / "logs" / "random-1p.jsonl", until=30)
    english, spanish = (told_replay(result, OMNISCIENT, language).data["moves"] for language in (None, "es"))
    assert [m["text"] for m in english] != [m["text"] for m in spanish]
    with pytest.raises(DiagnosticsError) as error:
        told_replay(result, OMNISCIENT, "xx")
    assert [d.code for d in error.value.diagnostics] == ["RS534"]


def test_a_page_of_too_many_moves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MOVES", 100)
    with pytest.raises(DiagnosticsError) as error:
        replay_data(quickstart(), OMNISCIENT)
    (result,) = error.value.diagnostics
    assert result.code == "RS574" and "112 moves" in result.message and "--until 100" in result.help


@pytest.mark.proof
def test_a_page_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MAX_BYTES", 50_000)
    with pytest.raises(DiagnosticsError) as error:
        replay_page(quickstart(), OMNISCIENT)
    assert [d.code for d in error.value.diagnostics] == ["RS574"]


@pytest.mark.proof
def test_a_page_is_the_same_each_time() -> None:
    assert replay_page(quickstart(), OMNISCIENT) == replay_page(quickstart(), OMNISCIENT)


@pytest.mark.parametrize("seat", [OMNISCIENT, "A", None])
@pytest.mark.sampled(1)
def test_the_last_roll_lies_on_the_board(seat: str | None) -> None:
    data = replay_data(replay_log(GAMES / "gallery" / "backgammon" / "logs" / "single.jsonl"), seat)
    rolls = [
        text for text in data["board"]["drawings"] if text.startswith('<g role="img"><title>6, 6</title><g transform')
    ]
    assert len(rolls) == 1 and rolls[0].count("<circle") == 12
