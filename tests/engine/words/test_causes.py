"""Changes that no option names stand under the procedure that has made them, after the move that set it off."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from folders import GAMES
from worlds import WORLD

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.causes import set_off
from rulespec.engine.words.moves import Move, Moves
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

RULES = """
--- rules/play.rules
procedure play():
    harvest(oak)
    for t in {oak, elm}:
        visit_of(t)
        set few to few + 1
        rent(t)
    end game as done

procedure harvest(t: town):
    set n to 5

procedure visit_of(t: town):
    decide visit by first(player):
        option go(k in 1 .. 2):
            set m to k
            toll(t, k)
        option stay:
            pass
    settle(t)

procedure toll(t: town, k: int):
    pay 1 money * k from bank to first(player).cash
    count_up(k)
    pay 1 money from bank to first(player).cash

procedure count_up(k: int):
    set n to n + k

procedure settle(t: town):
    set t.owner to first(player)

procedure rent(t: town):
    if t == elm:
        pay 1 money * t.tax from bank to first(player).cash
"""
TITLES = """
--- titles.yaml
fields: {town.owner: owner, player.cash: cash}
procedures:
  harvest: never told, as no move has begun
  toll: "the toll of {t} is {k}"
  count_up: "{k} on {n}"
  settle: "{t} is settled"
  rent: "{t} pays its rent"
resumed:
  play: the way goes on
"""


def moves(folder: Path, titles: str = TITLES, rules: str = RULES) -> list[Move]:
    ruleset = small(folder / "small", f"{WORLD}{rules}{titles}")
    game = Game(ruleset, ["Ann", "Bob"])
    for option in ("go(2)", "stay"):
        game.apply(game.parse(option))
    return list(Moves(Words(ruleset), game))


def lines(move: Move) -> list[str]:
    result = [change.text for change in move.own]
    for cause in move.causes:
        result += [cause.text, *(f"  {change.text}" for change in cause.changes)]
    return result


def test_each_procedure_with_a_text_has_its_changes(tmp_path: Path) -> None:
    first, _ = moves(tmp_path)
    assert lines(first) == [
        "m: 0 → 2",
        *("the toll of oak is 2", "  Ann cash: 10 → 12", "  Ann cash: 12 → 13"),
        *("2 on 5", "  n: 5 → 7"),
        *("oak is settled", "  oak owner: Ann"),
        *("the way goes on", "  few: 0 → 1"),
    ]


def test_what_changes_nothing_is_not_told(tmp_path: Path) -> None:
    _, second = moves(tmp_path)
    assert [cause.text for cause in second.causes] == ["elm is settled", "the way goes on", "elm pays its rent"]


def test_all_changes_are_those_of_before_and_after(tmp_path: Path) -> None:
    first, _ = moves(tmp_path)
    assert "Ann cash: 10 → 13" in [change.text for change in first.changes]
    assert first.to_json()["causes"][0] == {
        "text": "the toll of oak is 2",
        "changes": ["Ann cash: 10 → 12", "Ann cash: 12 → 13"],
    }


def test_without_texts_all_changes_are_of_the_move(tmp_path: Path) -> None:
    first, _ = moves(tmp_path, "\n--- titles.yaml\nfields: {player.cash: cash}\n")
    assert first.own == first.changes and first.causes == ()


def test_a_wrapped_procedure_is_told_by_what_wraps_it(tmp_path: Path) -> None:
    overlay = "\n--- variants/generous.yaml\nid: generous\ntitle: Generous\nfor: small\nversion: '1.0'\n"
    rules = "wrap procedure toll(t: town, k: int):\n    set towns to {oak}\n    original(t, k)\n"
    small(tmp_path / "small", f"{WORLD}{RULES}{TITLES}{overlay}--- variants/generous.rules\n{rules}")
    ruleset = load_ruleset(f"{tmp_path / 'small'}+generous")
    game = Game(ruleset, ["Ann", "Bob"])
    game.apply(game.parse("go(2)"))
    (move,) = Moves(Words(ruleset), game)
    assert [cause.text for cause in move.causes].count("the toll of oak is 2") == 1
    assert "  towns: oak" in lines(move)


@pytest.mark.parametrize(
    "text, code",
    [("  tolls: x", "RS531"), ('  toll: "{x}"', "RS532"), ('  toll: "{decider}"', "RS532"), ("  toll: '{k'", "RS533")],
)
def test_texts_that_do_not_fit_are_reported(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticsError, match=code):
        moves(tmp_path, f"\n--- titles.yaml\nprocedures:\n{text}\n")


def test_seats_of_a_game_with_secrets_are_told_none(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", f"{WORLD}{RULES}{TITLES}")
    game = Game(ruleset, ["Ann", "Bob"])
    game.apply(game.parse("go(2)"))
    assert game.omniscient.secretive
    (move,) = Moves(Words(ruleset), game, seat="Bob")
    assert move.causes == ()
    (move,) = Moves(Words(ruleset), game)
    assert move.causes


LOGS = [
    path
    for name in ("imperial", "imperial_2030", "imperial_asia", "tetrarchia", "shadow_of_the_emperor")
    for path in sorted((GAMES / name / "logs").rglob("*.jsonl*"))
    if not any(part == "pd" or part.startswith("playimperial") for part in path.parts)
]


@pytest.mark.proof  # 0.6 s
@pytest.mark.parametrize("path", LOGS, ids=lambda p: f"{p.parent.parent.name}-{p.name.partition('.')[0]}")
def test_nothing_changes_in_recorded_games_without_a_sentence_for_it(path: Path) -> None:
    result = replay_log(path)
    narrated = Moves(Words(result.game.ruleset), result.game, result.moves)
    assert narrated.causes is not None
    left = [(move.number, change.text) for move in narrated for change in narrated.causes.unnamed]
    assert left == []


def test_who_plays_reads_the_same() -> None:
    ruleset = load_ruleset("imperial")
    game = Game(ruleset, ["Ann", "Bob"])
    words = Words(ruleset)
    before = []
    for _ in range(12):
        option = next(iter(game.legal_options))
        before.append(set_off(words, game, option))
        game.apply(option)
    assert before == [(move.own, move.causes) for move in Moves(words, game)]
    assert any(causes for _, causes in filter(None, before))
