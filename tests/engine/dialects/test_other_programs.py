"""Logs as other programs write them: letters of other languages, results, frames, and what says that it is not read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from folders import GAMES

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.foreign_log import parse_foreign, shaped
from rulespec.engine.dialects.json_paths import follow
from rulespec.engine.dialects.notation_file import read_notation
from rulespec.engine.replay.replay import ReplayResult, replay_log


def replayed(text: str, path: Path) -> ReplayResult:
    path.write_text(text, "utf-8")
    result = replay_log(path)
    assert result.divergence is None, result.divergence
    return result


def refused(text: str, path: Path) -> str:
    path.write_text(text, "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path)
    (wrong,) = error.value.diagnostics
    return f"{wrong.code} {wrong.message} | {wrong.help}"


@pytest.mark.parametrize(
    "language, texts",
    [
        ("German", ["Sf3", "Lxc6+", "Txe1", "Df6", "e8D", "O-O"]),
        ("Dutch", ["Pf3", "Lb5", "Kd2"]),
        ("French", ["Cf3", "Fb5", "Rd2", "Dd1"]),
        ("Spanish", ["Cf3", "Ab5", "Rd2"]),
    ],
)
def test_letters_of_other_languages_are_translated(language: str, texts: list[str]) -> None:
    notation = read_notation(GAMES / "gallery/chess/notation.yaml")
    letters = {ord(letter): own for letter, own in notation.letters[language].items()}
    assert notation.in_own_letters(texts) == tuple(text.translate(letters) for text in texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["Sf3", "Nc6"],  # of two languages
        ["Sf3", "Cc6"],
        ["Cf3", "e5", "Rd2"],  # French and Spanish agree, but a word is no move
        ["e4", "--"],
        ["Pf3", "Pc6"],  # pawns
    ],
)
def test_texts_of_no_single_language_are_left_alone(texts: list[str]) -> None:
    notation = read_notation(GAMES / "gallery/chess/notation.yaml")
    words = [*texts, "?!"] if "Rd2" in texts else texts
    assert notation.in_own_letters(words) == words


def test_a_game_in_german_letters_is_the_same_game(tmp_path: Path) -> None:
    german = replayed("1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. Lxc6 dxc6 5. 0-0 Ld6 *", tmp_path / "a.pgn")
    english = replayed("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O Bd6 *", tmp_path / "b.pgn")
    assert [*map(str, german.game.history)] == [*map(str, english.game.history)]


@pytest.mark.parametrize(
    "name, text, moves",
    [
        ("a.pgn", '[Game "connect_four"]\n\n1. 4 4 2. 5 3 *', ["drop(d1)", "drop(d2)", "drop(e1)", "drop(c1)"]),
        ("b.pgn", "4 4 5 3\n", ["drop(d1)", "drop(d2)", "drop(e1)", "drop(c1)"]),
        ("c.pdn", "1. 11-15, 22-18; 2. 15X22, 25:18;", ["go(c5, d4)", "go(f6, e5)", "jump(d4, [d4, f6])"]),
        ("d.pdn", '[Result "2-0"]\n1. 11-15 22-18 2-0', ["go(c5, d4)", "go(f6, e5)"]),
        ("e.pdn", "1. 11-15 22-19 2. 15x24 28x19 3. 99-1 *", ["go(c5, d4)"]),
    ],
)
def test_the_ruleset_is_found_by_most_of_the_moves(name: str, text: str, moves: list[str], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    result = replay_log(path)
    assert result.game.ruleset.id == ("draughts" if name.endswith("pdn") else "connect_four")
    assert len(result.game.history) >= len(moves)


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("a.txt", "24/23 13/8", 'write `[Game "backgammon"]` before the moves, rename it to'),
        (
            "a.txt",
            "4453337\n",
            "`connect_four`, without tags or move numbers | write a space between moves, rename it to",
        ),
        (
            "b.gib",
            "\\HS\n\\[GAMEBLACKNAME=A\\]\n\\HE\nSTO 0 2 1 3 15",
            "a record of a Korean server (`.gib`) | save it as",
        ),
        ("c.pgn", '[fen "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]\n1. Kd1 *', "here FEN is `4k3/8"),
        (
            "d.pgn",
            '[Variant "Crazyhouse"]\n1. e4 d5 2. exd5 Qxd5 3. P@e4 *',
            "`Crazyhouse` (`Variant`) | `pgn` reads only",
        ),
        ("e.pdn", '[GameType "20"]\n1. 32-28 *', "`20` (`GameType`) | `pdn` reads only logs with GameType: 21"),
        ("f.sgf", "(;GM[1]SZ[9]KM[7,5];B[aa])", "RS621 `KM` is '7,5', but `sgf` accepts only 0, 0.5, 1, 1.5, 2,"),
    ],
)
def test_what_is_not_read_is_named_with_the_way_out(name: str, text: str, says: str, tmp_path: Path) -> None:
    assert says in refused(text, tmp_path / name)


FIRST = {"type": "initialize", "payload": {"players": [{"id": "A"}, {"id": "B"}], "baseGame": "imperial"}}
MOVES = [{"type": "rondel", "payload": {}}] * 3


@pytest.mark.parametrize(
    "log, says",
    [
        (
            {"actions": [FIRST, *MOVES]},
            "`playimperial` reads a file that contains only the list of entries under `actions`",
        ),
        (
            {"-N1": FIRST, "-N2": MOVES[0]},
            "`playimperial` reads a file that contains only the list of entries in this object",
        ),
        (
            {"game": {"title": "1889", "players": [], "actions": []}},
            "`rails_online` reads a file that contains only the object under `game`",
        ),
        (MOVES, "`playimperial`, whose logs have a first entry of the type `initialize`"),
        (
            [{"type": "lay_tile"}, {"type": "par"}],
            "`rails_online`, whose logs have an object around the entries, which are under `actions`",
        ),
    ],
)
def test_a_log_without_its_frame_is_known_by_its_entries(log: object, says: str, tmp_path: Path) -> None:
    assert says in refused(json.dumps(log), tmp_path / "game.json")


def test_a_null_among_the_entries_is_named() -> None:
    dialect = read_dialect(GAMES / "rails_1889/dialects/rails_online.yaml")
    log = parse_foreign('{"title": "1889", "actions": [{"type": "pass"}, null]}', "game.json")
    with pytest.raises(DiagnosticsError, match="entry 2 is null"):
        shaped(log, dialect)


def test_an_undo_passes_over_messages() -> None:
    dialect = read_dialect(GAMES / "rails_1889/dialects/rails_online.yaml")
    types = ["bid", "pass", "message", "undo", "pass"]
    actions = [{"type": type_, "entity": 1, "id": n} for n, type_ in enumerate(types, 1)]
    log = shaped(parse_foreign(json.dumps({"title": "1889", "actions": actions}), "game.json"), dialect)
    entries = Entries(dialect, log)
    assert [*entries.standing()] == [1, 5]


def test_a_star_in_a_path_is_each_value_of_an_object() -> None:
    assert follow({"players": {"0": {"id": "A"}, "1": {"id": "B"}}}, "players.*.id") == ["A", "B"]
