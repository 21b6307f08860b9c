"""`rulespec match`: a ladder of bots."""

from __future__ import annotations

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
