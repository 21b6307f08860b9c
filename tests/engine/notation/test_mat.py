"""Matches in two columns: as one program writes them (and as SGF), and in the spellings of others."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from folders import TESTS

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.fingerprint import fingerprint
from rulespec.engine.notation.mat import as_document, is_mat, read_mat
from rulespec.engine.notation.text_moves import MAX_COMMENT, MAX_MOVES
from rulespec.engine.replay.replay import ReplayResult, replay_log

FILES = TESTS / "fixtures/mat"
MATCH = (FILES / "match.mat").read_text("utf-8")
ENDS = [None, None, ("gammon", "A"), ("gammon", "B"), None]
HEADER = " 3 point match\n\n Game 1\n Ann : 0              Bob : 0\n"


def replayed(path: Path) -> ReplayResult:
    report = Report()
    result = replay_log(path, report=report)
    assert result.divergence is None, result.divergence
    assert result.other_end is None and not report.diagnostics, report.diagnostics
    return result


def stopped(line: str, path: Path) -> Any:
    path.write_text(HEADER + line, "utf-8")
    result = replay_log(path)
    assert result.divergence is not None
    return result.divergence


def entries(line: str) -> list[Any]:
    (game,) = read_mat(HEADER + line, "a.mat")
    results: list[Any] = as_document(game)["moves"]
    return results


@pytest.mark.parametrize("number, end", [*enumerate(ENDS, 1)])
def test_every_game_is_legal_and_ends_as_recorded_and_as_in_sgf(number: int, end: tuple[str, str] | None) -> None:
    one, other = (replayed(FILES / f"match.{ending}#{number}") for ending in ("mat", "sgf"))
    result = one.game.result
    assert (result and (result.ending, *result.winners)) == end
    assert fingerprint(one.game) == fingerprint(other.game) and one.game.ply == other.game.ply
    assert [*one.game.names.values()] == [*other.game.names.values()] == ["Ann", "Bob"]


def in_words(text: str) -> str:
    return re.sub(r"\b25/", "bar/", re.sub(r"/0\b", "/off", text))


def in_capitals(text: str) -> str:
    return in_words(text).replace("bar", "Bar").replace("off", "OFF").replace("\n", "\r\n")


def by_numbers(text: str) -> str:
    """Equal steps in a row once, with their number."""
    return re.sub(r"(\b\d+/\d+\*?)((?: \1)+)(?=\s)", lambda m: f"{m[1]}({m[0].count('/')})", text.replace("* ", "* "))


def in_chains(text: str) -> str:
    """Steps of one man in a row as one chain: `24/18*/13`."""
    for _ in range(3):
        text = re.sub(r"(/(\d+)\*?) \2(?=/)", r"\1", text)
    return text


def in_one(text: str) -> str:
    """Steps of one man in a row without the points in between, unless he hits there."""
    for _ in range(3):
        text = re.sub(r"\b(\d+)/(\d+) \2/(\d+)", r"\1/\3", text)
    return text


def in_another_order(text: str) -> str:
    """Two steps of different men in the other order."""
    return re.sub(r"(\d\d: )(\d+/\d+)( )(?!\2)(\d+/\d+)(?= {2,}|\n| \n)", r"\1\4\3\2", text)


@pytest.mark.parametrize("other", [in_words, in_capitals, by_numbers, in_chains, in_one, in_another_order])
def test_other_spellings_are_the_same_games(other: Callable[[str], str], tmp_path: Path) -> None:
    text = other(MATCH)
    assert text != MATCH
    (tmp_path / "match.mat").write_text(text, "utf-8", newline="")
    for number in range(1, len(ENDS) + 1):
        one, same = (replayed(folder / f"match.mat#{number}").game for folder in (FILES, tmp_path))
        assert fingerprint(one) == fingerprint(same), number


def test_stakes_become_remarks_and_the_score_a_note() -> None:
    result = replayed(FILES / "match.mat#1")
    said = [notes["remark"] for _, notes in sorted(result.said.moves.items())]
    assert said == ["Doubles => 2\nTakes", "Doubles => 4\nDrops"]
    tags = result.said.header["x-tags"]
    assert (tags["Length"], tags["Number"], tags["Score"], tags["Points"]) == ("5", "1", "0-0", "2")


@pytest.mark.parametrize("number, wrong", [(3, "single"), (4, "backgammon")])
def test_another_result_is_named(number: int, wrong: str, tmp_path: Path) -> None:
    points = {"single": 1, "backgammon": 3}[wrong]
    games = re.split(r"(?= Game \d)", MATCH)
    games[number] = re.sub(r"Wins \d points?", f"Wins {points} points", games[number])
    path = tmp_path / "match.mat"
    path.write_text("".join(games), "utf-8")
    result = replay_log(tmp_path / f"match.mat#{number}")
    assert result.other_end is not None and f"not `{wrong}`" in str(result.other_end)


def test_a_single_stake_outside_a_match_may_be_the_prize_of_a_gammon(tmp_path: Path) -> None:
    games = re.split(r"(?= Game \d)", MATCH.replace("5 point match", "0 point match"))
    path = tmp_path / "money.mat"
    path.write_text(games[0] + re.sub(r"Wins \d points?", "Wins 1 point", games[3]), "utf-8")
    assert replayed(path).game.result is not None


@pytest.mark.parametrize(
    "line, says",
    [
        ("  1) 31: 8/5 6/4\n", "as `steps.1.to`"),
        ("  1) 31: 8/5\n  2)          42: 8/4 6/4\n", "`next_move` of Ann"),
        ("  1) 31: 8/5 6/5     ????\n", "not `????`"),
        ("  1) 31: Illegal\n", "not `31: Illegal`"),
        ("  1) 31: 8/5 6/5     31: 8/5* 6/5\n", "hit"),
        ("  1)                    31: 8/5 6/5\n  2)                    42: 8/4 6/4\n", "left"),
    ],
)
def test_what_is_not_legal_is_named(line: str, says: str, tmp_path: Path) -> None:
    assert says in stopped(line, tmp_path / "a.mat").refusal.reason


def test_without_a_move_nothing_is_moved() -> None:
    for text in ("61:", "61: Cannot Move", "61: no move"):
        (entry,) = entries(f"  1) {text}\n")
        assert entry["steps"] == [] and entry["dice"] == {"left": True, "high": 6, "low": 1}


def test_a_file_of_another_game_of_the_family_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.mat"
    path.write_text(f'; [Player 1 "Ann"]\n; [Variation "NackGammon"]\n{HEADER}  1) 31: 8/5 6/5\n', "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path)
    assert "here Variation is `NackGammon`" in error.value.diagnostics[0].help


@pytest.mark.parametrize(
    "text", ["", "Game 1", "; a game 1", "7 points", "1) 31: 8/5", '{"a": "3 point match"}', "Game 1\nfoo"]
)
def test_other_texts_are_no_match(text: str) -> None:
    assert not is_mat(text)


@pytest.mark.parametrize(
    "text, says",
    [
        (HEADER + "  1) 31: 8/5 6/5   42: 8/4 6/4   31: 8/5 6/5\n", "RS884 more than two moves"),
        (" 3 point match\n  1) 31: 8/5 6/5\n", "RS884 begins with a line such as `Game 1`"),
        (HEADER + "  1) 31: 8/5 6/5\n" * (MAX_MOVES + 1), "RS885 more than 20,000 moves"),
        (HEADER + "x" * (MAX_COMMENT + 1), "RS885 a comment"),
        (HEADER + "  1) 31: " + "8/5 " * 1_000, "RS885 a move has more than"),
        (HEADER + "x\n" * 1_000, "RS885 comments"),
        ('; [A "b"]\n' * 2 + "".join(f'; [A{n} "b"]\n' for n in range(200)) + HEADER, "RS885 notes"),
        (HEADER + " Game 2\n" * 6_000, "RS885 more than 5,000 games"),
    ],
)
def test_what_is_no_match_or_too_long_is_named_with_its_place(text: str, says: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        [*read_mat(text, "a.mat")]
    (wrong,) = error.value.diagnostics
    code, _, words = says.partition(" ")
    assert wrong.span is not None and wrong.code == code and words in wrong.message


@pytest.mark.parametrize("piece", [" ", ";", "Game 1 ", "1) ", ": ", "31:", "8/5", "=> ", "\n ", "; [a", "((("])
def test_hostile_texts_are_read_or_refused_and_bounded(piece: str) -> None:
    for text in (piece * 300_000, HEADER + piece * 300_000):
        is_mat(text)
        with suppress(DiagnosticsError):
            assert all(len(as_document(game)["moves"]) <= MAX_MOVES for game in read_mat(text, "a.mat"))
