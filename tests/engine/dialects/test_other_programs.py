"""Logs as other programs write them: letters of other languages, results, frames, and what says that it is not read."""

from __future__ import annotations

import gzip
import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import GAMES, TESTS
from jsonschema import Draft202012Validator

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.corpus.logs import Corpus
from rulespec.engine.corpus.stores import batches, parts_of_store
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.foreign_log import parse_foreign, shaped
from rulespec.engine.dialects.json_paths import follow
from rulespec.engine.dialects.notation_file import read_notation
from rulespec.engine.game.game import Game
from rulespec.engine.notation.pgn import NULL_MOVES
from rulespec.engine.replay.other_result import other_result
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult, as_native, replay_log
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema


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
        ("c.pgn", '[Variant "Chess960"]\n[FEN "x"]\n1. e4 0-1', "`Chess960` (`Variant`) | `pgn` reads only"),
        ("g.sgf", "(;GM[1]SZ[13]RE[?];B[ee])", "| `sgf` reads only logs with SZ: 9 or"),
        ("h.sgf", "(;GM[1]SZ[19]HA[2]AB[pd][dp];W[dd])", "| `sgf` reads only logs with HA: none or 0, AB: none"),
        ("i.sgf", "(;GM[2]SZ[8];B[dd])", "of the game `2` (`GM`) | "),
        ("j.sgf", "(;GM[Skat]PC[a server]P0[ann]MV[w C7])", "of the game `Skat` (`GM`) | "),
        ("e.pdn", '[GameType "20"]\n1. 32-28 *', "`20` (`GameType`) | `pdn` reads only logs with GameType: 21"),
        ("f.sgf", "(;GM[1]SZ[9]KM[7,5];B[aa])", "RS621 `KM` is '7,5', but `sgf` accepts only 0, 0.5, 1, 1.5, 2,"),
    ],
)
def test_what_is_not_read_is_named_with_the_way_out(name: str, text: str, says: str, tmp_path: Path) -> None:
    assert says in refused(text, tmp_path / name)


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("a.pgn", '[Result "1-0"]\n[White "Ann"]\n\n1. e4 e5 1-0', "Ann won"),
        ("b.pgn", '[Result "0-1"]\n[Termination "Normal"]\n\n1. e4 e5 0-1', "black won"),
        ("c.pgn", '[Result "0-1"]\n[Termination "Time forfeit"]\n\n1. e4 e5 0-1', "black won (on time)"),
        ("d.pgn", '[Termination "won by resignation"]\n\n1. e4 e5 1-0', "white won (won by resignation)"),
        ("e.pgn", "1. e4 e5 1/2-1/2", "nobody won"),
        ("f.pgn", "1. e4 e5 *", ""),
        ("g.pgn", "1. f3 e5 2. g4 Qh4# 0-1", ""),
        ("h.pdn", '[GameType "21"]\n1. 11-15 22-18 2-0', "white won"),
        ("i.sgf", "(;GM[1]SZ[9]RE[B+Resign];B[ee];W[cc])", "black won (resigned)"),
        ("j.sgf", "(;GM[1]SZ[9]RE[W+T]PW[Bob];B[ee];W[cc])", "Bob won (on time)"),
        ("k.sgf", "(;GM[1]SZ[9]RE[w+3.5];B[ee];W[];B[])", "white won (3.5); the replay ends differently"),
        ("k.sgf", "(;SZ[9];B[ee];W[resign])", "black won (resigned)"),
        ("l.sgf", "(;GM[1]SZ[9]RE[Void];B[ee];W[cc])", ""),
        (
            "m.mat",
            " Game 1\n A : 0     B : 0\n  1) 31: 8/5 6/5\n  2)  Doubles => 2      Drops\n      Wins 1 point\n",
            "A won (double declined)",
        ),
    ],
)
def test_a_result_that_the_rules_do_not_know_is_shown_kept_and_written(
    name: str, text: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    run = CliRunner().invoke
    shown = run(cli, ["replay", str(tmp_path / name), "--out", str(tmp_path / "a.jsonl")]).output
    again = run(cli, ["replay", str(tmp_path / "a.jsonl")]).output
    run(cli, ["view", str(tmp_path / "a.jsonl"), "--out", str(tmp_path / "a.html")])
    for output in (shown, again):
        assert re.findall("the other system's result: (.*)", output) == ([says] if says else [])
    assert ("The other system's result" in (tmp_path / "a.html").read_text("utf-8")) == bool(says)
    if not name.endswith("sgf"):
        written = run(cli, ["log", str(tmp_path / "a.jsonl"), "--as", "pgn"]).output
        wanted = {"f": "*", "b": "0-1", "c": "0-1", "g": "0-1", "e": "1/2-1/2"}.get(name[0], "1-0")
        assert written.split()[-1] == wanted and f'[Result "{wanted}"]' in written


ROLLED = " Ann : 0     B : 0\n  1) 31: 8/5 6/5\n"
COLLECTIONS: dict[str, list[tuple[str, str | None, list[str]]]] = {
    "a.pgn": [
        ('[Result "0-1"]\n[White "Ann"]\n[Termination "Time forfeit"]\n\n1. e4 e5 0-1\n\n', "black won (on time)", []),
        ('[Result "1/2-1/2"]\n\n1. d4 1/2-1/2\n\n', "nobody won", []),
        ('[Result "1-0"]\n\n1. f3 e5 2. g4 Qh4# 1-0\n\n', "white won; the replay differs in winners", ["winners"]),
        ('[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n', None, []),
        ("1. c4 *\n", None, []),
    ],
    "b.sgf": [
        ("(;GM[1]SZ[9]RE[B+Resign]PB[Ann];B[ee];W[cc])\n", "black won (resigned)", []),
        ("(;GM[1]SZ[9]RE[B+3.5]KM[5.5];B[ee];W[];B[])\n", "black won (3.5)", []),
        ("(;GM[1]SZ[9]RE[W+3.5];B[ee];W[];B[])\n", "white won (3.5); the replay differs in winners", ["winners"]),
    ],
    "c.mat": [
        (f" Game 1\n{ROLLED}  2)  Doubles => 2      Drops\n      Wins 1 point\n\n", "A won (double declined)", []),
        (f" Game 2\n{ROLLED}      Wins 2 points\n", "A won", []),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", COLLECTIONS)
def test_each_row_has_the_result_that_another_system_recorded(name: str, tmp_path: Path) -> None:
    path, texts = tmp_path / name, [text for _, text, _ in COLLECTIONS[name]]
    path.write_text("".join(text for text, _, _ in COLLECTIONS[name]), "utf-8")
    run = CliRunner().invoke
    lines = run(cli, ["replay", str(path)]).output.splitlines()
    assert [
        (re.findall(r"\(the other system's result: (.*)\)", line) or [None])[0] for line in lines[: len(texts)]
    ] == texts
    rows = json.loads(run(cli, ["replay", str(path), "--format", "json"]).output)
    Draft202012Validator(load_schema("corpus")).validate(rows)
    results = [row["other_result"] for row in rows["logs"]]
    assert [None if of is None else of["differs"] for of in results] == [
        None if text is None else differs for _, text, differs in COLLECTIONS[name]
    ]
    assert "Ann" not in str(rows)
    files = [tmp_path / "rows.jsonl", tmp_path / "rows.parquet"] if find_spec("pyarrow") else [tmp_path / "rows.jsonl"]
    for out in [*files, *files]:  # written, then continued
        code = run(cli, ["replay", str(path), "--out", str(out)]).exit_code
        assert code == any(row["verdict"] == "other_end" for row in rows["logs"])


def test_a_store_has_the_results_that_another_system_recorded(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.pgn").write_text("".join(text for text, _, _ in COLLECTIONS["a.pgn"]), "utf-8")
    for _ in range(2):  # written, then continued
        run = CliRunner().invoke(cli, ["corpus", "import", str(tmp_path / "a.pgn"), "--out", str(tmp_path / "store")])
        assert "a.pgn#3: white won; the replay differs in winners" in run.output
    games = [game for part in parts_of_store(tmp_path / "store") for batch in batches(part) for game in batch]
    assert [game.other_result for game in games] == [text or "" for _, text, _ in COLLECTIONS["a.pgn"]]


def test_a_finished_game_says_whether_another_result_differs(tmp_path: Path) -> None:
    paths = []
    for number, (text, _, _) in enumerate(COLLECTIONS["b.sgf"][1:]):
        (tmp_path / f"{number}.sgf").write_text(text, "utf-8")
        paths.append(str(tmp_path / f"{number}.sgf"))
    several = CliRunner().invoke(cli, ["replay", *paths]).output
    assert several.count("the other system's result") == 2
    single = "".join(CliRunner().invoke(cli, ["replay", path]).output for path in paths)
    assert "the other system's result: black won (3.5)\n" in single
    assert "the other system's result: white won (3.5); the replay ends differently\n" in single


BOTH_ROLLED = " Ann : 0     B : 0\n  1) 31: 8/5 6/5               52: 13/8 13/11\n"
STOPS = {
    "a.pgn": ('[White "A"]\n\n1. e4 e5\n{two\nlines} 2. Nf3 Nc6\n3. Ke3 *\n\n', 6, 5),
    "b.pdn": ('[GameType "21"]\n\n1. 11-15 22-18\n2. 15x22 9-9 *\n\n', 4, 4),
    "c.sgf": ("(;GM[1]SZ[9]\n;B[ee];W[cc]\n;B[ee];W[dd])\n", 3, 3),
    "d.mat": (f" Game 1\n{BOTH_ROLLED}  2) 64: 24/14          61: 13/7 8/7\n\n", 4, 4),
    "e.mat": (f'; [Site "a server"]\n\n 3 point match\n\n Game 1\n{BOTH_ROLLED}  2) 11: 25/1\n\n', 8, 3),
}


@pytest.mark.parametrize("name", STOPS)
def test_the_line_of_an_illegal_move_is_named(name: str, tmp_path: Path) -> None:
    path, (text, line, entry) = tmp_path / name, STOPS[name]
    run = CliRunner().invoke
    path.write_text(text, "utf-8")
    assert f"at entry {entry}, line {line}, after" in run(cli, ["replay", str(path)]).output
    data = json.loads(run(cli, ["replay", str(path), "--format", "json"]).output)
    Draft202012Validator(load_schema("replay")).validate(data)
    assert (data["divergence"]["foreign_index"], data["divergence"]["line"]) == (entry, line)
    with pytest.raises(DiagnosticsError, match=f"entry {entry}, line {line}: "):
        as_native(path)
    run(cli, ["view", str(path), "--out", str(tmp_path / "a.html")])
    assert f"at entry {entry}, line {line}: " in (tmp_path / "a.html").read_text("utf-8")
    head = text[: text.find(" Game 1")] if name.endswith("mat") else ""
    path.write_text(text + text.removeprefix(head), "utf-8")
    second = line + text.removeprefix(head).count("\n")
    rows = run(cli, ["replay", str(path)]).output
    assert all(f"at entry {entry}, line {each}: " in rows for each in (line, second))
    assert f"at entry {entry}, line {second}, after" in run(cli, ["replay", f"{path}#2"]).output


@pytest.mark.parametrize(
    "name, text, says",
    [
        (
            "a.txt",
            "1. The bank deals Italy\n2. Ann moves to factory\n",
            "text with words such as `The`, which no notation",
        ),
        ("a.csv", "step,player,action\n1,Ann,move\n", "text that begins with `step,player,action`"),
    ],
)
def test_sentences_and_tables_are_told_from_moves(name: str, text: str, says: str, tmp_path: Path) -> None:
    wrong = refused(text, tmp_path / name)
    assert wrong.startswith("RS612") and says in wrong
    assert "shows how to convert sentences and tables to JSON" in wrong


PROMOTED = "1. h4 g5 2. hxg5 h6 3. gxh6 Nf6 4. h7 Ng8"


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "text, usual, glyphs",
    [
        ("1. e4 e5 D {a diagram} 2. Nf3 *", "1. e4 e5 {a diagram} 2. Nf3 *", {}),
        ("1. Sf3 d5 D 2. Sc3 TN *", "1. Nf3 d5 2. Nc3 *", {}),
        ("1. e4 e5 2. Bc4 Nc6 3. Bxf7ch Kxf7 *", "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 *", {}),
        ("1. e4 e5 2. Bc4 Nc6 3. Bxf7 ch. Kxf7 *", "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 *", {}),
        ("1. e4 e5 2. Bc4 Nc6 3. Bxf7 + Kxf7 *", "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 *", {}),
        ("1. e4 e5 2. Bc4 Nc6 3. Bxf7† Kxf7 *", "1. e4 e5 2. Bc4 Nc6 3. Bxf7+ Kxf7 *", {}),
        ("1. f3 e5 2. g4 Qh4 mate 0-1", "1. f3 e5 2. g4 Qh4# 0-1", {}),
        ("1. e4 d5 2. ed Qd5 3. d4 e5 4. dxe *", "1. e4 d5 2. exd5 Qxd5 3. d4 e5 4. dxe5 *", {}),
        ("1. e2\u2013e4 e7\u2013e5 2. Ng1\u2013f3 *", "1. e4 e5 2. Nf3 *", {}),
        ("1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 0\u20130 OO *", "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O O-O *", {}),
        ("1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. 00 *", "1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O *", {}),
        ("1 . e4 e5 2 . Nf3 2 ... Nc6 *", "1. e4 e5 2. Nf3 Nc6 *", {}),
        (f"{PROMOTED} 5. hxg8 =Q *", f"{PROMOTED} 5. hxg8=Q *", {}),
        ("1. e4+/- e5± 2. Nf3+= Nc6= 3. Bb5+- *", "1. e4 e5 2. Nf3 Nc6 3. Bb5 *", {1: 16, 2: 16, 3: 14, 4: 10, 5: 18}),
        ("1. e4 e5 1:0", "1. e4 e5 1-0", {}),
        ("1. e4 e5 0 - 1", "1. e4 e5 0-1", {}),
        ("1. e4 e5 O-1", "1. e4 e5 0-1", {}),
        ("1. e4 e5 1/2 - 1/2", "1. e4 e5 1/2-1/2", {}),
        ('1. e4 e5 1/2\n\n[Event "2"]\n1. d4 ½', '1. e4 e5 1/2-1/2\n\n[Event "2"]\n1. d4 1/2-1/2', {}),
        ('[Result "*"]\n\n1. e4 e5 1-0', '[Result "1-0"]\n\n1. e4 e5 1-0', {}),
    ],
)
def test_pgn_of_thirty_years_are_read(text: str, usual: str, glyphs: dict[int, int], tmp_path: Path) -> None:
    games = []
    for name, each in (("a.pgn", text), ("b.pgn", usual)):
        (tmp_path / name).write_text(each, "utf-8")
        results = [ReplayRequest(Path(log.name), data=log.data).replay() for log in Corpus([tmp_path / name]).logs()]
        assert all(result.divergence is None for result in results), [result.divergence for result in results]
        remarks = [
            [notes.get("remark") for notes in result.notes.moves.values() if "remark" in notes] for result in results
        ]
        games.append(
            [
                (result.game.hash, result.notes.header.get("x-result"), said)
                for result, said in zip(results, remarks, strict=True)
            ]
        )
        if name == "a.pgn":
            assert {
                number: notes["glyphs"] for number, notes in results[0].notes.moves.items() if "glyphs" in notes
            } == {number: [glyph] for number, glyph in glyphs.items()}
    assert games[0] == games[1]


@pytest.mark.parametrize("text", NULL_MOVES)
def test_a_null_move_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(f"1. e4\n{text} 2. d4 *", "utf-8")
    stop = replay_log(tmp_path / "a.pgn").divergence
    assert stop is not None
    assert (stop.place, f"`{text}` is a null move" in stop.refusal.reason) == ("entry 2, line 2", True)


@pytest.mark.parametrize("text, other", [("nf3", "Nf3"), ("E4", "e4"), ("NF3", "Nf3"), ("ok", "")])
def test_a_text_in_other_letters_names_the_move(text: str, other: str, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(f"1. {text} *", "utf-8")
    stop = replay_log(tmp_path / "a.pgn", dialect="pgn").divergence
    assert stop is not None
    assert stop.refusal.reason.endswith(
        f"`{text}` is not a move in Standard algebraic notation" + f": write `{other}`" * bool(other)
    )


@pytest.mark.parametrize("note", [1, {}, {"winners": "A"}, {"winners": ["Z"]}, {"scores": {"Z": 1}}, {"reason": "x"}])
def test_a_note_of_a_result_that_names_none_shows_nothing(note: object, tmp_path: Path) -> None:
    header = {"rulespec_log": 2, "ruleset": "nim", "seats": {"A": "Ann", "B": "Bob"}, "settings": {}, "x-result": note}
    (tmp_path / "a.jsonl").write_text(json.dumps(header) + "\n", "utf-8")
    output = CliRunner().invoke(cli, ["replay", str(tmp_path / "a.jsonl")]).output
    assert "goes on" in output and "the other system" not in output


def test_points_of_a_game_that_was_stopped_are_shown() -> None:
    game = Game(load_ruleset("rails_1889"), ["Ann", "Bob"])
    points = dict(zip(game.seats, (7, 5), strict=True))
    assert other_result(game, {"x-result": {"scores": points}}, Words(game.ruleset)) == "Ann 7, Bob 5"


@pytest.mark.parametrize(
    "chosen, says", [([], []), (["beginner_game"], ["RS633"]), (["a", "b", "a"], ["RS633"]), ("?", [])]
)
def test_optional_rules_that_are_not_shipped_are_named_and_the_file_is_read(
    chosen: list[str] | str, says: list[str], tmp_path: Path
) -> None:
    log = json.loads(gzip.decompress((TESTS / "fixtures/rails/1889-short.log.json.gz").read_bytes()))
    log["settings"]["optional_rules"] = chosen
    path, report = tmp_path / "game.json", Report()
    path.write_text(json.dumps(log), "utf-8")
    result = replay_log(path, report=report)
    assert result.divergence is None and result.game.ply > 50
    assert result.said.header["x-result"]["reason"] == "ended by hand"
    assert [each.code for each in report.diagnostics] == says
    assert all(f"`{name}`" in each.message for each in report.diagnostics for name in chosen)


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
