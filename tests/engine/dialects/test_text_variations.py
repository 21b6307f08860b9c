"""Variations of a PGN are moves: read, kept in a native log, and written so that another program reads them alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import TESTS
from python_chess import games_in

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.logs import Corpus
from rulespec.engine.dialects.written_games import as_pgn, text_dialect
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.logs.native import read_log
from rulespec.engine.logs.variations import SideLine, variations_in
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, replay_log
from rulespec.engine.replay.shown_variations import standing_variations

ANNOTATED = TESTS / "fixtures" / "pgn" / "glyphs_and_variations.pgn"
LATIN = '[Event "Köln, Café"]\n[White "Müller"]\n[Black "García"]\n\n1. e4 {schön} e5 (1... c5 {así}) *\n'


def text_of(result: ReplayResult) -> str:
    dialect = text_dialect(result.game.ruleset)
    return as_pgn(result.game, dialect, result.notes, result.places, standing_variations(result))


def uci(named: dict[str, str], name: str) -> str:
    if name == "castle":
        at = "1" if named["r"].startswith("white") else "8"
        return f"e{at}g{at}" if named["r"].endswith("short") else f"e{at}c{at}"
    into = {"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}.get(named.get("into", ""), "")
    return f"{named['a']}{named['b']}{into}"


def lines_of(result: ReplayResult) -> list[str]:
    """All lines of the tree of a game, from the start to each move, as another program lists them."""
    game, before = restarted(result.game), ""
    results: list[str] = []
    variations = standing_variations(result)

    def walk(at: Game, line: SideLine, path: str) -> None:
        begun = at.ply
        for move in line.moves:
            for inner in move.variations:
                walk(at, inner, path)
            option = at.parse(move.option, move.by, move.decision)
            path = f"{path} {uci(dict(option.arguments), option.name)}".strip()
            results.append(path)
            at.apply(option)
        while at.ply > begun:
            at.undo()

    for ply, option in enumerate(result.game.history):
        for line in variations.get(ply, ()):
            walk(game, line, before)
        before = f"{before} {uci(dict(option.arguments), option.name)}".strip()
        results.append(before)
        game.apply(option)
    return sorted(results)


def test_variations_are_moves_of_the_native_log_and_are_written_again(tmp_path: Path) -> None:
    result, native, again = replay_log(ANNOTATED), tmp_path / "game.jsonl", tmp_path / "again.pgn"
    result.write_native(native)
    read = read_log(native)
    trees = {line: notes["variations"] for line, notes in read.notes.items() if "variations" in notes}
    assert "x-variations" not in native.read_text("utf-8") and "glyphs" in native.read_text("utf-8")
    first = variations_in(trees[min(trees)])[0]
    assert [move.option for move in first.moves] == ["go(c7, c5)", "go(g1, f3)"]
    assert first.moves[0].remark == "the Sicilian (open)"
    (inner,) = first.moves[0].variations
    assert [(move.option, move.glyphs) for move in inner.moves] == [("go(e7, e6)", (2,)), ("go(d2, d4)", ())]
    again.write_text(text_of(replay_log(native)), "utf-8")
    second = replay_log(again)
    assert lines_of(second) == lines_of(result)
    assert text_of(second) == text_of(result)


@pytest.mark.proof
def test_the_trees_of_all_files_are_those_of_another_program(tmp_path: Path) -> None:
    paths = sorted((TESTS / "fixtures" / "pgn").glob("*.pgn"))
    assert len(paths) == 18
    for path, expected in zip(paths, games_in(paths), strict=True):
        written, own = [], []
        for number, log in enumerate(Corpus([path]).logs()):
            result = ReplayRequest(Path(log.name), data=log.data).replay()
            own.append(lines_of(result))
            written.append(tmp_path / f"{path.stem}{number}.pgn")
            written[-1].write_text(text_of(result), encoding="utf-8")
        assert own == [game["lines"] for game in expected], path
        assert [game["lines"] for (game,) in games_in(written)] == own, path


def test_what_means_no_move_stays_a_text(tmp_path: Path) -> None:
    path, native = tmp_path / "game.pgn", tmp_path / "game.jsonl"
    path.write_text("1. e4 (1. Ke3 {no}) (1. -- d5) (1. d4 $2 {yes} d5) e5 *\n", "utf-8")
    result = replay_log(path)
    result.write_native(native)
    notes = next(iter(read_log(native).notes.values()))
    assert notes["x-variations"] == ["(1. Ke3 {no})", "(1. -- d5)"] and len(notes["variations"]) == 1
    text = text_of(replay_log(native))
    assert "(d4 $2 {yes} d5)" in text and "(1. Ke3 {no})" in text
    assert text_of(result) == text


def test_a_tree_that_was_added_to_a_log_is_written_in_its_place(tmp_path: Path) -> None:
    native = tmp_path / "game.jsonl"
    game = tmp_path / "game.pgn"
    game.write_text("1. e4 e5 2. Nf3 *\n", "utf-8")
    replay_log(game).write_native(native)
    lines = [json.loads(line) for line in native.read_text("utf-8").splitlines()]
    decision = {key: lines[2][key] for key in ("decision", "by")}
    tree = [{"at": 1, "name": "Sicilian", "moves": [decision | {"option": "go(c7, c5)"}]}]
    after = [{"at": 3, "moves": [decision | {"option": "go(b8, c6)"}]}]
    with native.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({"variations": each}) + "\n" for each in (tree, after))
    run = CliRunner().invoke(cli, ["log", str(native), "--as", "pgn"])
    assert run.exit_code == 0
    assert run.output.endswith("1. e4 e5 ({Sicilian} c5) 2. Nf3 {(Nc6)} *\n")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-8", "utf-8-sig"])
@pytest.mark.sampled(1)
def test_a_file_in_the_character_set_of_the_standard_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    text = LATIN.replace("así", "así…") if encoding == "cp1252" else LATIN
    path.write_bytes(text.encode(encoding))
    result = ReplayRequest(path, remarks=True).replay()
    assert list(result.game.names.values()) == ["Müller", "García"]
    assert result.notes.header["event"] == "Köln, Café"
    assert result.notes.moves[1]["remark"] == "schön"
    again = tmp_path / "again.pgn"
    again.write_text(text_of(result), "utf-8")
    assert text_of(ReplayRequest(again, remarks=True).replay()) == text_of(result)
    several = tmp_path / "several.pgn"
    several.write_bytes((text + "\n" + text).encode(encoding))
    assert list(replay_log(f"{several}#2").game.names.values()) == ["Müller", "García"]
    assert len([*Corpus([several]).logs()]) == 2


@pytest.mark.parametrize(
    "data",
    [
        LATIN.encode("utf-8").replace("ü".encode(), b"\xfc"),  # one broken byte among letters in UTF-8
        LATIN.encode("utf-16"),
        '{"name": "Müller"}'.encode("latin-1"),
        b'[Event "\x81"]\n\n1. e4 *',
    ],
)
def test_other_bytes_that_are_no_text_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_bytes(data)
    with pytest.raises(DiagnosticsError) as error:
        replay_log(path)
    assert [wrong.code for wrong in error.value.diagnostics] == ["RS601"]


def test_a_variation_of_great_length_stays_a_text(tmp_path: Path) -> None:
    path, native = tmp_path / "game.pgn", tmp_path / "game.jsonl"
    shuffled = "Nf3 Nf6 Ng1 Ng8 " * 300
    path.write_text(f"1. e4 ({shuffled}) e5 *\n", "utf-8")
    replay_log(path).write_native(native)
    notes = next(iter(read_log(native).notes.values()))
    assert "variations" not in notes and notes["x-variations"][0].startswith("(Nf3")
    assert replay_log(native).divergence is None
