"""`--bots` of `play` and `simulate`: names, seats, the same games whatever plays them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from folders import GAMES

from rulespec.cli.main import cli
from rulespec.engine.logs.native import read_log


def run(*args: object, stdin: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(cli, [str(arg) for arg in args], input=stdin)
    return result.exit_code, result.output


def rows(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")


def test_simulate_plays_bots_in_turn_at_the_seats(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    args = ["simulate", "connect_four", "--players", 2, "--bots", "flat:16,random", "--seed", 4]
    code, text = run(*args, "--games", 6, "--out", out)
    assert code == 0 and "6 games" in text
    header, *games = rows(out)[:-1]
    assert json.loads(header)["bots"] == ["flat:16", "random"]
    assert sum(json.loads(game)["winners"] == ["A"] for game in games) >= 5
    other = tmp_path / "other.jsonl"
    assert run(*args, "--games", 6, "--jobs", 2, "--out", other)[0] == 0
    assert rows(other) == rows(out)
    assert run(*args, "--games", 8, "--out", out)[0] == 0 and rows(out)[:7] == rows(other)[:7]
    code, text = run("simulate", "connect_four", "--players", 2, "--seed", 4, "--games", 9, "--out", out)
    assert code == 1 and "contains other games" in text and "bots" in text
    code, text = run(*args, "--games", 2, "--format", "json")
    assert code == 0 and json.loads(text)["bots"] == ["flat:16", "random"]


@pytest.mark.parametrize("command", [("simulate", "nim", "--games", "1"), ("play", "nim")])
def test_a_name_that_no_bot_has_is_wrong_usage(command: tuple[str, ...]) -> None:
    code, text = run(*command, "--players", 2, "--bots", "deep_blue")
    assert code == 2 and "there is no bot `deep_blue`; the bots are random, greedy, flat:N" in text


def test_bots_at_the_last_seats_of_a_table_go_on_alike_from_the_log(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    args = ["play", "connect_four", "--bots", "flat:32", "--seed", 4]
    run(*args, "--log", whole, stdin="drop(a1)\ndrop(b1)\nq\n")
    run(*args, "--log", parts, stdin="drop(a1)\nq\n")
    run(*args, "--log", parts, stdin="drop(b1)\nq\n")
    entries = [[str(entry.option) for entry in read_log(path).entries] for path in (whole, parts)]
    assert entries[0] == entries[1] and len(entries[0]) == 4


def test_bots_that_cannot_compare_positions_say_so(tmp_path: Path) -> None:
    folder = tmp_path / "same"
    shutil.copytree(GAMES / "gallery" / "connect_four", folder)
    (folder / "measures.yaml").write_text("values: {none_yet: {of: player, value: 0 * player.index, decides: 3}}\n")
    game = (folder / "game.yaml").read_text("utf-8").replace("id: connect_four", "id: same")
    (folder / "game.yaml").write_text(game, "utf-8")
    message = "the playouts of bots show no difference: the value `none_yet` is the same for all seats when they stop"
    for args in (["simulate", folder, "--players", 2, "--games", 2], ["play", folder]):
        code, text = run(*args, "--bots", "greedy,greedy", "--seed", 8)
        assert code == 0 and text.count(message) == 1


def test_a_list_names_the_bots_of_the_last_seats() -> None:
    code, text = run("play", "connect_four", "--bots", "random, flat:8", "--seed", 1)
    assert code == 0 and "won" in text
    code, text = run("play", "connect_four", "--bots", "random,random,random")
    assert code == 2 and "there are only 2 seats" in text


def test_a_hint_says_what_a_bot_expects() -> None:
    """Of the bot at the table, else of the usual one; for who is to decide; it changes nothing."""
    won = ["drop(d1)", "drop(c1)", "drop(d2)", "drop(c2)", "drop(d3)", "drop(c3)"]
    _, text = run("play", "connect_four", "--seed", 4, stdin="\n".join([*won, "h", "p", "q", "y"]))
    hint = next(line for line in text.splitlines() if "flat:64:" in line)
    assert "100 % Drop a disc on d4 · " in hint and hint.count("%") == 3 and "6  B drops a disc on c3" in text
    _, text = run("play", "connect_four", "--bots", "mcts:30", "--seed", 3, stdin="hint\nq\n")
    assert "       mcts:30: " in text


def test_a_hint_in_a_game_for_points_says_how_many() -> None:
    _, text = run("play", "leduc_poker", "--seed", 4, stdin="h\nq\n")
    hint = next(line for line in text.splitlines() if "flat:64:" in line)
    assert re.search(r"flat:64: [+-]\d+\.\d \w+.* · [+-]\d+\.\d ", hint) and "%" not in hint


def test_bots_explain_their_moves() -> None:
    _, text = run("play", "connect_four", "--bots", "greedy", "--explain", "--seed", 3, stdin="1\n1\nq\ny\n")
    moves = [line for line in text.splitlines() if line.startswith("  B drops ")]
    reasons = [line for line in text.splitlines() if line.startswith("       greedy: ")]
    assert len(moves) == len(reasons) == 2
    assert all(move.split()[-1] in reason.split(" · ")[0] for move, reason in zip(moves, reasons, strict=True))


def test_where_there_are_secrets_bots_explain_when_the_game_is_over() -> None:
    _, text = run(
        "play", "kuhn_poker", "--players", 2, "--bots", "flat:8", "--explain", "--seed", 3, stdin="leave_it\n1\n1\n"
    )
    assert "The game is over" in text and text.index("flat:8: ") > text.index("The game is over")
    _, text = run(
        "play", "kuhn_poker", "--players", 2, "--bots", "flat:8", "--explain", "--seed", 3, stdin="leave_it\nq\ny\n"
    )
    assert "The game is over" not in text and "flat:8: " not in text
