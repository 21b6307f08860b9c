"""`rulespec match`: a ladder of bots."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from rulespec.cli.main import cli


def run(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["match", *map(str, args)])
    return result.exit_code, result.output


def test_a_ladder_says_who_is_stronger() -> None:
    code, text = run("flat:16", "random", "random", "connect_four", "--games", 60, "--seed", 1)
    assert code == 0
    first, second = text.split("\n")[3:5]
    assert first.startswith("flat:16 against random") and first.endswith("stronger")
    assert second.startswith("random against random      60") and second.endswith("undecided")
    assert run("flat:16", "random", "random", "connect_four", "--games", 60, "--seed", 1)[1] == text


def test_one_bot_is_no_match() -> None:
    assert run("random", "nim")[0] == 2 and "two bots" in run("random", "nim", "--players", 2)[1]
    code, text = run("greedy", "random", "tetrarchia", "--players", 2)
    assert code == 2 and "win together" in text
    code, text = run("random", "deep_blue", "nim", "--players", 2)
    assert code == 2 and "there is no bot `deep_blue`" in text


def test_processes_play_the_same_match_and_it_goes_on_from_its_records(tmp_path: Path) -> None:
    args = ("flat:8", "random", "nim", "--players", 2, "--games", 50)
    alone = run(*args)[1]
    assert run(*args, "--jobs", 2)[1] == alone
    assert run(*args[:-1], 7, "--out", tmp_path / "games")[0] == 0
    code, text = run(*args, "--out", tmp_path / "games")
    assert (code, text) == (0, alone)
    assert run(*args, "--out", tmp_path / "games", "--seed", 5)[0] == 1
