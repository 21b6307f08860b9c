"""PGN: tags, moves, comments and variations of the files of many programs; what is no PGN is named with its place."""

from __future__ import annotations

import pytest

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.notation.pgn import is_pgn, pgn_text, read_pgn
from rulespec.engine.notation.text_moves import TextGame


def games(text: str) -> list[TextGame]:
    return [*read_pgn(text, "game.pgn")]


def moves(text: str) -> list[str]:
    (game,) = games(text)
    return [move.text for move in game.moves]


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 *",
        "1.e4 e5 2.Nf3",
        "1 e4 1... e5 2... Nf3",
        "e4 e5\nNf3\n",
        "1. e4! e5?? 2. Nf3 $5",
        "% a line\n1. e4 ; a comment 1. d4\ne5 {2. d4} Nf3",
        '[White "A"]\n\n1. e4 (1. d4 (1. c4 {)} ) ; )\n) 1... e5 2. Nf3 1/2-1/2',
        "1. e4 e5 {a\ncomment} 2. Nf3 e.p. *",
        "1. e4, e5; 2. Nf3,",
        "1. e4 e5 2 Nf3 *",
        "1 e4 e5 2 Nf3 3 1-0",
        '[Result "2-0"]\n1. e4 e5 2. Nf3 2-0',
        '[result "1/2"]\n1. e4 e5 2. Nf3 1/2',
        "{first} 1. e4 1… e5 2.… Nf3 ½-½",
        "1. e4 = e5 += 2. Nf3 ± -/+ 1\u20130",
        "%x\r1. e4 ; a comment 1. d4\re5 (1... c5 ; )\r) 2. Nf3 *\r",
        '[Event-Id "7"] [Event "the "open" cup"]\r\n1. e4 e5 2. Nf3 *',
        "1. e4 e5 2. Nf3 * {and} (2. f4) ; so\n\n",
    ],
)
def test_moves_are_read_whatever_stands_between_them(text: str) -> None:
    assert moves(text) == ["e4", "e5", "Nf3"]


@pytest.mark.parametrize(
    "text", ["1. 4 4 2. 5 3 *", "4 4 5 3", "1. 4 {good} 4 2. 5 3", "1. 4 4 {2} 5 3 0-1", "4 4 2. 5 3", "1 . 4 4 5 3"]
)
def test_whole_numbers_that_do_not_count_are_moves(text: str) -> None:
    assert moves(text.replace("1 .", "1.")) == ["4", "4", "5", "3"]


def test_the_numbers_of_moves_are_checked_for_gaps() -> None:
    (whole,) = games("12. e4 e5 {well} 12... e5 13. Nf3 Nc6 13 ... a6 *")
    assert whole.warnings == ()
    (lost,) = games("1. e4 e5\n3. Nf3 Nc6 9. a3 *")
    (warning,) = lost.warnings
    assert (warning.code, warning.message) == ("RS890", "number 3 of a move follows number 1")
    assert warning.span is not None
    assert (warning.span.line, warning.span.column) == (2, 1)


def test_names_of_tags_are_read_in_any_case() -> None:
    (game,) = games('[white "A"] [FEN "x"] [VARIANT "Y"] [result "2-0"] [own "1"]\n1. e4 2-0')
    assert game.tags == {"White": "A", "FEN": "x", "Variant": "Y", "Result": "2-0", "own": "1"}
    assert game.result == "2-0"


def test_what_is_said_is_kept_where_it_stands() -> None:
    (game,) = games("{first} 1. e4!? $14 {good} (1. d4\n d5) {better} e5 *")
    first, second = game.moves
    assert game.start.comments == ("first",)
    assert (first.glyphs, first.comments, first.variations) == ((5, 14), ("good", "better"), ("(1. d4 d5)",))
    assert (second.glyphs, second.comments, second.variations) == ((), (), ())


def test_judgements_are_glyphs_and_what_is_said_after_a_result_is_of_its_game() -> None:
    one, other = games("1. e4 = N e5 +/= $5 1-0 {resigns} (1... c5)\n\n{another game} 1. d4 *")
    assert [move.glyphs for move in one.moves] == [(10, 146), (14, 5)]
    assert (one.moves[1].comments, one.moves[1].variations) == (("resigns",), ("(1... c5)",))
    assert other.start.comments == ("another game",)


def test_a_letter_in_brackets_at_a_move_belongs_to_it() -> None:
    assert moves("1. e8(Q) d1=(N) (1... d4) 2. a4(2. b4) *") == ["e8(Q)", "d1=(N)", "a4"]


def test_games_follow_one_another() -> None:
    several = games('[Event "a"]\n\n1. e4 1-0\n[Event "b"]\n*\n\n1. d4 d5\n\n[Event "c"]\n')
    assert [(g.tags.get("Event"), len(g.moves), g.result) for g in several] == [
        ("a", 1, "1-0"),
        ("b", 0, "*"),
        (None, 2, ""),
        ("c", 0, ""),
    ]


def test_each_game_has_its_part_of_the_file() -> None:
    text = '1. e4 1-0\n\n[White "A"]\n1. d4 *\n'
    parts = [text[game.begins : game.ends] for game in games(text)]
    assert [moves(part) for part in parts] == [["e4"], ["d4"]]


@pytest.mark.parametrize(
    "text, code, place",
    [
        ("1. e4 {no end", "RS884", (1, 7)),
        ("1. e4 (1. d4", "RS884", (1, 7)),
        ('[White "no end\n1. e4', "RS884", (1, 1)),
        ("1. e4 )", "RS884", (1, 7)),
        ("1. e4\n e5 }", "RS884", (2, 5)),
        ("1. e4 \ufeffe5", "RS884", (1, 7)),
        (f'[White "{"x" * 2_000}"]', "RS885", (1, 1)),
        (f"1. e4 {{{'x' * 3_000}}}", "RS885", (1, 7)),
        ("(" * 100 + ")" * 100, "RS885", (1, 1)),
        ("e4 " * 30_000, "RS885", None),
        ("{a}" * 300, "RS885", None),
    ],
)
def test_what_is_no_pgn_is_named_with_its_place(text: str, code: str, place: tuple[int, int] | None) -> None:
    with pytest.raises(DiagnosticsError) as error:
        games(text)
    (wrong,) = error.value.diagnostics
    assert wrong.code == code
    assert wrong.span is not None
    assert place is None or (wrong.span.line, wrong.span.column) == place


@pytest.mark.parametrize(
    "text, result",
    [
        ('[Event "x"]', True),
        ('\ufeff  [ Event "x" ]', True),
        ("1. e4", True),
        ("% x\n; y\n1.e4", True),
        ('{a "comment"} {b}\r\n1. e4', True),
        ("1… e5", True),
        ('{"a": "}"} 1. e4', False),
        ("{}", False),
        ("[1, 2]", False),
        ('["a"]', False),
        ('{"a": 1}', False),
        ("1.5", False),
        ("hello", False),
        ("", False),
    ],
)
def test_a_pgn_is_known_by_its_beginning(text: str, *, result: bool) -> None:
    assert is_pgn(text) == result


def test_a_file_whose_name_ends_as_that_of_a_pgn_is_one() -> None:
    assert all(is_pgn("e4 e5", name) for name in ("a.pgn", "a.pgn.gz", "a.pgn#12"))
    assert not is_pgn("e4 e5", "a.pgn.txt")


def test_what_is_written_is_read_again() -> None:
    text = '[Event "a \\"b\\" \\\\"]\n\n{c} 1. e4 $1 {d (e} (1. d4) e5 2. Nf3 (2. f4) {f} Nc6 1-0'
    (game,) = games(text)
    again = games(pgn_text(game, {0: 1, 2: 2}))
    (second,) = again
    assert (second.tags, second.start, second.moves, second.result) == (game.tags, game.start, game.moves, "1-0")
    assert max(map(len, pgn_text(game, {0: 1, 2: 2}).splitlines())) <= 80
