"""SGF: properties, the main line and variations as many programs write them; what is no SGF is named with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs.log_text import log_text
from rulespec.engine.notation.sgf import as_document, is_sgf, read_sgf
from rulespec.engine.notation.text_moves import MAX_MOVES, MAX_VARIATIONS, TextGame
from rulespec.engine.replay.replay import replay_log


def games(text: str) -> list[TextGame]:
    return [*read_sgf(text, "game.sgf")]


def moves(text: str) -> list[Any]:
    (game,) = games(text)
    return [
        "pass" if each["kind"] == "pass" else (each["column"], each["row"])
        for each in as_document(game)["moves"]
        if each["kind"] != "setup"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "(;SZ[9];B[ee];W[cd])",
        "(;SZ[9];B[ee](;W[cd])(;W[dd];B[aa]))",
        "(;SZ[9](;B[ee](;W[cd])(;W[dd](;B[aa])(;B[bb])))(;B[dd]))",
        "\ufeff ( ; SiZe [9] ;Black[ee]\n;White\n[cd] ) ",
        "(;SZ[9]C[a \\] bracket (;B[aa\\])];B[ee]BL[1.5]C[;W[aa\\]];W[cd]TR[aa][bb])",
        "(;SZ[9]B[ee];W[cd]PL[B])",
        "(;SZ[9:9];B[ee];;W[cd]",
        "(;SZ[9];B[ee];W[cd];B[d",
    ],
)
def test_the_main_line_is_read_whatever_stands_beside_it(text: str) -> None:
    assert is_sgf(text) and moves(text) == [(5, 5), (3, 6)]


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("(;SZ[19];B[tt];W[])", ["pass", "pass"]),
        ("(;SZ[25];B[tt])", [(20, 6)]),
        ("(;B[aa];W[ss])", [(1, 19), (19, 1)]),
        ("(;SZ[52];B[Aa];W[ZZ])", [(27, 52), (52, 1)]),
        ("(;SZ[9:13];B[ia])", [(9, 13)]),
    ],
)
def test_points_are_counted_from_the_bottom_left(text: str, wanted: list[Any]) -> None:
    assert moves(text) == wanted


def test_what_is_said_is_kept_where_it_stands() -> None:
    (game,) = games("(;GC[a game]KM[6.50]EV[Cup];B[aa]C[good\\\n move](;W[bb]N[better])(;W[cc]C[( no])(;W[dd]))")
    first, second = game.moves
    assert game.start.comments == ("a game",) and first.comments == ("good move",) and second.comments == ("better",)
    assert first.variations == () and second.variations == ("(;W[cc]C[( no])", "(;W[dd])")
    document = as_document(game)
    assert (document["KM"], document["EV"]) == ("6.5", "Cup")


def test_a_file_may_hold_several_games_and_stones_set_up_are_entries() -> None:
    one, other = games("(;SZ[9]AB[aa][bb];W[cc];AE[aa]PL[W])\n(;B[dd])")
    assert one.tags["AB"] == "aa bb"
    assert [entry["kind"] for entry in as_document(one)["moves"]] == ["move", "setup"]
    assert [entry["text"] for entry in as_document(other)["moves"]] == ["dd"]


@pytest.mark.parametrize(
    "text, code, place",
    [
        ("(;B[aa]) and", "RS884", (1, 10)),
        ("(;B[aa]\n(;W[bb])\n;B[cc])", "RS884", (3, 1)),
        ("(;B[aa](;W[bb])(;W[cc])", None, None),
        ("(;B[aa](;W[bb])(;W[cc]", "RS884", (1, 16)),
        ("(;C[aa]x)", "RS884", (1, 8)),
        ("(" * 3, "RS884", (1, 2)),
        ("(;" + ";B[aa]" * (MAX_MOVES + 1) + ")", "RS885", None),
        ("(;EV[" + "a" * 2_000 + "])", "RS885", None),
        ("(;" + "".join(f"{chr(65 + n % 26)}{chr(65 + n // 26)}X[1]" for n in range(101)) + ")", "RS885", None),
    ],
)
def test_what_is_no_sgf_is_named_with_its_place(text: str, code: str | None, place: tuple[int, int] | None) -> None:
    if code is None:
        games(text)
        return
    with pytest.raises(DiagnosticsError) as error:
        games(text)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == code and diagnostic.span is not None
    assert place is None or (diagnostic.span.line, diagnostic.span.column) == place


@pytest.mark.parametrize(
    "text",
    [
        "(;B[aa](;W[bb])" + "(;W[cc])" * 100_000 + ")",
        "(;B[aa](;W[bb])" + "(;W[cc]" * 100_000 + ")" * 100_001,
        "(;" + "C[a]" * 100_000 + ")",
        "(;B[" + "\\]" * 500_000,
        "(;B[aa]" + "(" * 500_000,
        "(;" + "B" * 500_000 + "[aa])",
    ],
)
def test_hostile_texts_are_read_or_refused_and_bounded(text: str) -> None:
    try:
        results = games(text)
    except DiagnosticsError:
        return
    assert all(sum(map(len, move.variations)) <= MAX_VARIATIONS for game in results for move in game.moves)


@pytest.mark.parametrize("name", ["GB2312", "Shift_JIS", "EUC-KR", "windows-1251"])
def test_a_file_is_read_in_the_characters_that_it_names(name: str) -> None:
    who = {"GB2312": "柯洁", "Shift_JIS": "本因坊", "EUC-KR": "이세돌", "windows-1251": "Анна"}[name]
    text, whole = log_text(f"(;CA[{name}]PB[{who}];B[aa])".encode(name), "game.sgf", 1_000)
    assert whole and games(text)[0].tags["PB"] == who


@pytest.mark.parametrize(
    "text, says",
    [
        ("(;SZ[9]PB[Ann]PW[Bob]KM[7.50];B[ee];W[cc];B[];W[])", (4, True, "")),
        ("(;GM[1]PB[Ann]PW[Bob];B[pd];W[dp];B[qq])", (3, False, "")),
        ("(;SZ[9]PB[Ann]PW[Bob];B[ee];W[cc];W[dd])", (2, False, "no legal option")),
        ("(;SZ[9]PB[Ann]PW[Bob];B[ee];W[ee])", (1, False, "a stone is there")),
        ("(;SZ[9]PB[Ann]PW[Bob];B[ee];AB[cc];W[dd])", (1, False, "not `setup`")),
    ],
)
def test_games_of_go_are_replayed(tmp_path: Path, text: str, says: tuple[int, bool, str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(text, "utf-8")
    result = replay_log(path)
    ply, over, reason = says
    why = "" if result.divergence is None else result.divergence.refusal.reason
    assert (result.game.ply, result.game.is_over) == (ply, over) and reason in why and bool(reason) == bool(why)


@pytest.mark.parametrize("text", ["(;SZ[13];B[ee])", "(;HA[2]AB[dd][pp];W[dp])", "(;GM[2];B[ee])"])
def test_other_boards_and_handicaps_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(text, "utf-8")
    with pytest.raises(DiagnosticsError, match="RS616"):
        replay_log(path)
