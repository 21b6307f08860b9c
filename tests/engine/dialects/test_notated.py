"""Moves as text: printed moves are accepted, and games written as PGN are the same when read."""

from __future__ import annotations

import json
import random
import shutil
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import GAMES, ROOT, TESTS
from proofs import proofs_but
from python_chess import games_in, random_games

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.corpus.logs import Corpus
from rulespec.engine.dialects.notated import Notated
from rulespec.engine.dialects.notation_file import Notation, notation_for, read_notation
from rulespec.engine.dialects.written_games import as_pgn, text_dialect
from rulespec.engine.game.game import Game
from rulespec.engine.logs.notes import LogNotes
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, replay_log
from rulespec.engine.replay.shown_variations import standing_variations
from rulespec.load import load_ruleset

PGN = sorted((TESTS / "fixtures" / "pgn").glob("*.pgn"))
ITALIAN = ["e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"]
TO_PROMOTE = ["h4", "g5", "hxg5", "h6", "gxh6", "Nf6", "h7", "Ng8"]
SEATS = {"chess": ["white", "black"], "backgammon": ["A", "B"], "connect_four": ["A", "B"], "draughts": ["A", "B"]}
TALKED = SEATS | {"rails_1889": ["A", "B", "C"], "rails_18chesapeake": ["A", "B", "C"]}
"""Games whose moves have texts; those of 18xx contain spaces, and so are not PGN tokens."""


def notation(name: str) -> Notation:
    result = notation_for(load_ruleset(name))
    assert result is not None
    return result


def played(name: str, rng: random.Random, every: int, plies: int = 400) -> int:
    """A random game with each move printed and read, and all options at each `every`-th position; returns the plies."""
    game = Game(load_ruleset(name), TALKED[name])
    notated = Notated(game, notation(name))
    while game.decision is not None and game.ply < plies:
        options = list(game.legal_options)
        option = rng.choice(options)
        for each in options if game.ply % every == 0 else [option]:
            text = notated.write(each)
            assert notated.read(text) == [each], text
        game.apply(option)
    return game.ply


@pytest.mark.parametrize("name", proofs_but(TALKED, "backgammon", "connect_four", "draughts", "rails_1889"))
def test_what_is_printed_is_accepted(name: str) -> None:
    rng = random.Random(name)
    assert sum(played(name, rng, 5, 60) for _ in range(2)) > 40


@pytest.mark.proof
@pytest.mark.parametrize("hundred", range(10))
@pytest.mark.parametrize("name", TALKED)
def test_what_is_printed_in_a_thousand_games_is_accepted(name: str, hundred: int) -> None:
    rng = random.Random(f"{name} {hundred}")
    for _ in range(100):
        played(name, rng, 50)


def text_of(result: ReplayResult) -> str:
    assert result.divergence is None, result.divergence
    dialect = text_dialect(result.game.ruleset)
    return as_pgn(result.game, dialect, result.notes, result.places, standing_variations(result))


@pytest.mark.parametrize("path", PGN, ids=lambda path: path.stem)
@pytest.mark.sampled(1)
def test_a_pgn_is_replayed_written_and_read_again(path: Path, tmp_path: Path) -> None:
    for number, log in enumerate(Corpus([path]).logs()):
        result = ReplayRequest(Path(log.name), data=log.data, remarks=True).replay()
        again = tmp_path / f"{number}.pgn"
        text = text_of(result)
        again.write_text(text, encoding="utf-8")
        second = replay_log(again)
        assert (second.game.hash, second.game.ply) == (result.game.hash, result.game.ply)
        assert second.notes.moves == result.notes.moves
        native = tmp_path / f"{number}.jsonl"
        result.write_native(native)
        assert text_of(replay_log(native)) == text


def uci(result: ReplayResult) -> list[str]:
    """The moves of a game as `e2e4` and `a7a8q`."""
    moves = []
    for option in result.game.history:
        named = option.arguments
        if option.name == "claim":
            continue  # another program has only the result
        if option.name == "castle":
            at = "1" if named["r"].startswith("white") else "8"
            moves.append(f"e{at}g{at}" if named["r"].endswith("short") else f"e{at}c{at}")
        else:
            into = {"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}.get(named.get("into", ""), "")
            moves.append(f"{named['a']}{named['b']}{into}")
    return moves


def by_another(paths: list[Path]) -> list[list[list[str]]]:
    """The moves of the games in files, as read by another program."""
    return [[game["moves"] for game in games] for games in games_in(paths)]


@pytest.mark.proof
def test_files_have_the_moves_that_another_program_reads(tmp_path: Path) -> None:
    for path, expected in zip(PGN, by_another(PGN), strict=True):
        written, own = [], []
        for number, log in enumerate(Corpus([path]).logs()):
            result = ReplayRequest(Path(log.name), data=log.data).replay()
            own.append(uci(result))
            written.append(tmp_path / f"{path.stem}{number}.pgn")
            written[-1].write_text(text_of(result), encoding="utf-8")
        assert own == expected, path
        assert [moves for (moves,) in by_another(written)] == own


@pytest.mark.proof
@pytest.mark.parametrize("fifty", range(10))
def test_random_games_are_those_that_another_program_reads(fifty: int, tmp_path: Path) -> None:
    rng, paths, games = random.Random(f"pgn {fifty}"), [], []
    for number in range(50):
        game = Game(load_ruleset("chess"), SEATS["chess"])
        for _ in range(rng.randrange(300)):
            if game.decision is None:
                break
            game.apply(rng.choice(list(game.legal_options)))
        paths.append(tmp_path / f"{number}.pgn")
        text = as_pgn(game, text_dialect(game.ruleset), LogNotes(), range(1, game.ply + 1), {})
        paths[-1].write_text(text, encoding="utf-8")
        games.append(replay_log(paths[-1]))
        assert games[-1].game.hash == game.hash
    assert [moves for (moves,) in by_another(paths)] == [uci(game) for game in games]


@pytest.mark.proof
@pytest.mark.parametrize("fifty", range(10))
def test_random_games_that_another_program_writes_are_read(fifty: int, tmp_path: Path) -> None:
    path, report = tmp_path / "games.pgn", Report()
    path.write_text(random_games(50, f"pgn {fifty}"), encoding="utf-8")
    games = [ReplayRequest(Path(log.name), data=log.data, report=report).replay() for log in Corpus([path]).logs()]
    assert all(game.divergence is None and game.other_end is None for game in games) and not report.diagnostics
    assert [[uci(game) for game in games]] == by_another([path])


@pytest.mark.parametrize(
    "name",
    [
        "backgammon:gammon",
        "connect_four:random-1",
        pytest.param("chess:mate", marks=pytest.mark.proof),  # 3 s
        "draughts:random-1",
    ],
)
def test_a_sample_is_the_same_game_as_text(name: str, tmp_path: Path) -> None:
    result = replay_log(name)
    path = tmp_path / "game.pgn"
    path.write_text(text_of(result), encoding="utf-8")
    again, first = (
        replay_log(path),
        result.game.seats[name == "draughts:random-1"],
    )  # 1-0 means White, who is the second seat there
    assert (again.game.hash, again.other_end, again.notes.header["x-tags"]["Result"]) == (
        result.game.hash,
        None,
        "1-0" if result.game.result and result.game.result.winners == [first] else "0-1",
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "moves, entry, reason",
    [
        ("1. e4 e5 2. Ke3", 3, "CHS-02"),
        ("1. Nf3 d5 2. Nc3 Nc6 3. Nb5 a6 4. Nd4", 7, "several legal options"),
        ("1. e4 e9", 2, "`e9` is not a move in Standard algebraic notation"),
        ("1. f3 e5 2. g4 Qh4# 3. a3", 5, "the game is over"),
    ],
)
def test_a_text_that_is_not_legal_is_named_with_the_rule(moves: str, entry: int, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text(moves, encoding="utf-8")
    result = replay_log(path)
    assert result.divergence is not None
    assert result.divergence.foreign_index == entry
    assert reason in result.divergence.refusal.reason


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "before, text, option",
    [
        (["e4"], "e7-e5", "go(e7, e5)"),
        (["e4"], "e7e5", "go(e7, e5)"),
        (["e4"], "Ng8f6", "go(g8, f6)"),
        (["e4", "d5"], "ed5", "go(e4, d5)"),
        (["e4", "d5"], "e4:d5", "go(e4, d5)"),
        (["e4", "d5"], "exd5+", "go(e4, d5)"),
        ([], "g1f3", "go(g1, f3)"),
        ([], "♘f3", "go(g1, f3)"),
        ([], "Pe4", "go(e2, e4)"),
        (["e4", "a6", "e5", "d5"], "exd6e.p.", "go(e5, d6)"),
        (["e4", "e5", "f4", "exf4", "Qh5", "Nf6"], "Qxf7++", "go(h5, f7)"),
        (ITALIAN, "e1g1", "castle(white_short)"),
        (ITALIAN, "Ke1g1", "castle(white_short)"),
        (ITALIAN, "o-o", "castle(white_short)"),
        (TO_PROMOTE, "h7g8q", "promote(h7, g8, queen)"),
        (TO_PROMOTE, "hxg8(N)", "promote(h7, g8, knight)"),
        (TO_PROMOTE, "Ph7xg8/R", "promote(h7, g8, rook)"),
        (TO_PROMOTE, "hg8=B+", "promote(h7, g8, bishop)"),
    ],
)
def test_other_ways_to_write_a_move_are_read(before: list[str], text: str, option: str) -> None:
    game = Game(load_ruleset("chess"), SEATS["chess"])
    notated = Notated(game, notation("chess"))
    for each in before:
        game.apply(*notated.read(each))
    assert [str(o) for o in notated.read(text)] == [option]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ["Kg1", "Qg1f3", "b1f3", "e2e4q", "N", "e4e.p", "nf3", "--"])
def test_texts_of_no_move_are_not_read(text: str) -> None:
    game = Game(load_ruleset("chess"), SEATS["chess"])
    assert Notated(game, notation("chess")).read(text) == []


def test_moves_of_18xx_are_typed_as_people_write_them() -> None:
    game = Game(load_ruleset("rails_1889"), ["A", "B"])
    notated, printed = Notated(game, notation("rails_1889")), []
    texts = ["bid", "bid 35 on MF", "buy private TR", "buy private ER", "pass"]
    for text in texts:
        (option,) = notated.read(text)
        printed.append(notated.write(option))
        game.apply(option)
    assert printed == texts
    assert notated.read("lay #57 on F9") == []


def test_draughts_are_written_as_their_programs_do(tmp_path: Path) -> None:
    game, path = Game(load_ruleset("draughts"), SEATS["draughts"]), tmp_path / "game.pdn"
    notated = Notated(game, notation("draughts"))
    for text in ("11-15", "22-18", "15x22"):
        game.apply(*notated.read(text))
    assert [notated.write(option) for option in game.legal_options] == ["26x17", "25x18"]
    text = as_pgn(game, text_dialect(game.ruleset), LogNotes(), range(1, game.ply + 1), {})
    path.write_text(text, encoding="utf-8")
    assert '[GameType "21"]' in text
    assert "1. 11-15 22-18 2. 15x22" in text
    assert replay_log(path).game.hash == game.hash


def test_a_draw_that_is_claimed_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 draw 1/2-1/2", encoding="utf-8")
    result = replay_log(path)
    assert result.game.result is not None
    assert text_of(result).endswith("4. Ng1 Ng8 5. draw 1/2-1/2\n")


def test_a_result_that_contradicts_a_mate_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text('[Result "1-0"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n', encoding="utf-8")
    other = replay_log(path).other_end
    assert other is not None
    assert other.differs == ["winners"]


def test_one_of_several_games_is_named_by_its_number(tmp_path: Path) -> None:
    path = Path(shutil.copy(TESTS / "fixtures" / "pgn" / "several_games.pgn", tmp_path))
    assert [replay_log(f"{path}#{n}").game.ply for n in (1, 2, 3, 4)] == [7, 2, 0, 3]
    for name, code in ((path, "RS887"), (f"{path}#5", "RS601")):
        with pytest.raises(DiagnosticsError) as error:
            replay_log(name)
        assert [d.code for d in error.value.diagnostics] == [code]


# --- what a file is --------------------------------------------------------------------------------------------------


def test_a_pgn_given_to_another_game_says_what_it_is() -> None:
    with pytest.raises(DiagnosticsError) as error:
        replay_log(PGN[0], rules="imperial")
    (wrong,) = error.value.diagnostics
    assert (wrong.code, "PGN" in wrong.message, "`chess`" in wrong.message) == ("RS883", True, True)
    assert "rulespec replay" in wrong.help


def test_a_game_that_is_not_shipped_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    actions = [{"type": "bid", "entity": 1}, {"type": "pass", "entity": 2}]
    path.write_text(json.dumps({"id": 7, "title": "1830", "actions": actions}), encoding="utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path)
    (wrong,) = error.value.diagnostics
    assert wrong.code == "RS616"
    assert "the game `1830`" in wrong.message
    assert "2 entries under `actions` of the types `bid`, `pass`" in wrong.message


def test_a_game_that_has_no_texts_is_refused(tmp_path: Path) -> None:
    game = replay_log("nim:" + next(islice(sorted(p.stem for p in (GAMES / "gallery/nim/logs").glob("*.jsonl")), 1)))
    with pytest.raises(DiagnosticsError) as error:
        text_of(game)
    assert [d.code for d in error.value.diagnostics] == ["RS889"]


def test_a_notation_whose_texts_mean_several_options_is_refused(tmp_path: Path) -> None:
    text = (ROOT / "games/gallery/connect_four/notation.yaml").read_text("utf-8")
    path = tmp_path / "notation.yaml"
    path.write_text(text.replace('match: {column: c.column, "row?": c.row}', "match: {}"), encoding="utf-8")
    game = Game(load_ruleset("connect_four"), SEATS["connect_four"])
    with pytest.raises(DiagnosticsError) as error:
        Notated(game, read_notation(path)).write(game.legal_options[0])
    assert [d.code for d in error.value.diagnostics] == ["RS888"]


def test_a_pgn_that_is_played_on_or_identified_says_what_it_is() -> None:
    path = TESTS / "fixtures" / "pgn" / "no_tags.pgn"
    for args, code in ((["play", str(path)], "RS607"), (["identify", str(path), "--rules", "imperial"], "RS883")):
        result = CliRunner().invoke(cli, args)
        assert isinstance(result.exception, DiagnosticsError)
        assert [d.code for d in result.exception.diagnostics] == [code]
