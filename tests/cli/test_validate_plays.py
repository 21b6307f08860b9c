"""`validate` plays before it calls rules sound, says how much, and caches the result until a file changes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from cases import split, write
from commands import invoke
from folders import RULESETS, TESTS
from jsonschema import Draft202012Validator
from proofs import proofs_but

from rulespec.engine.verify import play_check, starts
from rulespec.schemas import load_schema

GAME = """\
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 1, max: 2}
units: [money, points]
start: play
"""
SOUND = """\
procedure play():
    for p in player:
        decide turn by p:
            option go_on:
                pass
"""
STUCK = SOUND + '                require players == 1 "alone"\n'


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return write(tmp_path / "small", split(SOUND + GAME, "rules/play.rules"))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rulesets that have been played."""
    results: list[str] = []
    true = play_check.play_check

    def counting(ruleset: Any, *args: Any, **more: Any) -> Any:
        results.append(ruleset.ref)
        return true(ruleset, *args, **more)

    monkeypatch.setattr(play_check, "play_check", counting)
    return results


def test_the_last_line_says_how_much_was_played(small: Path) -> None:
    code, out, err = invoke("validate", small)
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].endswith("0 settings · played 2,000 games in 2 combinations")


def test_depths_follow_the_last_line(small: Path) -> None:
    rules = small / "rules/play.rules"
    deep = "\nprocedure count_down(n: int) at most 4 deep:\n    if n > 0: count_down(n - 1)\n"
    rules.write_text(rules.read_text("utf-8").replace("play():", "play():\n    count_down(2)", 1) + deep, "utf-8")
    assert (
        invoke("validate", small)[1].splitlines()[-1]
        == "`count_down` calls itself up to 3 deep in these games; its limit is 4"
    )
    played = json.loads(invoke("validate", small, "--format", "json")[1])["rulesets"][0]["played"]
    assert played["depths"] == [{"procedure": "count_down", "reached": 3, "deep": 4}]


def test_what_cannot_be_played_is_an_error(small: Path) -> None:
    (small / "rules/play.rules").write_text(STUCK.replace("                pass\n", ""), "utf-8")
    code, out, err = invoke("validate", small)
    assert code == 1 and "error[RS711]: the decision `turn` can come up without a legal option, in " in err
    assert "with 2 players; the shortest game found: with 2 players, before the first decision" in err
    assert out.startswith("small 1.0: 1 error · played ")


@pytest.mark.proof  # 0.3 s
def test_a_result_is_kept_until_a_file_changes(small: Path, runs: list[str]) -> None:
    first = invoke("validate", small)
    assert invoke("validate", small) == first and runs == ["small"]
    rules = small / "rules/play.rules"
    rules.write_text(f"# a line more: places in messages are others\n{SOUND}", "utf-8")
    invoke("validate", small)
    assert runs == ["small", "small"]


def test_an_error_is_kept_with_its_place(small: Path, runs: list[str]) -> None:
    (small / "rules/play.rules").write_text(STUCK.replace("                pass\n", ""), "utf-8")
    first = invoke("validate", small)
    assert first[0] == 1 and invoke("validate", small) == first and len(runs) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("entry", [b"", b"[]", b'{"games":"many"}', b'{"games":1}'])
def test_a_kept_result_that_is_damaged_counts_as_missing(small: Path, runs: list[str], entry: bytes) -> None:
    from rulespec import cache

    first = invoke("validate", small)
    for path in Path(small.parent, "cache").iterdir():
        if b'"combinations"' in path.read_bytes():
            path.write_bytes(cache.header(path.name, entry) + b"\n" + entry)
    assert invoke("validate", small) == first and len(runs) == 2


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize(
    "folder, file, before, line",
    [("large", "play", "", 3), ("small_2", "play", "", 3), ("large", "more", "", 3), ("large", "play", "# more\n", 4)],
)
def test_a_copy_has_its_own_places(small: Path, folder: str, file: str, before: str, line: int) -> None:
    stuck = STUCK.replace("                pass\n", "")
    (small / "rules/play.rules").write_text(stuck, "utf-8")
    copy = write(small.parent / folder, split(SOUND + GAME, f"rules/{file}.rules"))
    (copy / f"rules/{file}.rules").write_text(before + stuck, "utf-8")
    _, _, err = invoke("validate", small, copy)
    places = [text.strip() for text in err.splitlines() if "-->" in text]
    assert places == [f"--> {small}/rules/play.rules:3:9", f"--> {copy}/rules/{file}.rules:{line}:9"]


def test_without_games(small: Path, runs: list[str]) -> None:
    code, out, _ = invoke("validate", small, "--no-play")
    assert code == 0 and "played" not in out and runs == []
    assert "played" not in json.loads(invoke("validate", small, "--no-play", "--format", "json")[1])["rulesets"][0]


def test_an_exploration_plays_its_own_games(small: Path, runs: list[str]) -> None:
    assert invoke("explore", small, "--decisions", "1000")[0] == 0
    assert runs == []


def test_nothing_is_played_where_there_are_errors(small: Path, runs: list[str]) -> None:
    (small / "rules/play.rules").write_text(SOUND.replace("pass", "passs"), "utf-8")
    assert invoke("validate", small)[0] == 1 and runs == []


def test_as_json(small: Path) -> None:
    data = json.loads(invoke("validate", small, "--format", "json")[1])
    Draft202012Validator(load_schema("diagnostics")).validate(data)
    assert data["rulesets"][0]["played"] == {"games": 2_000, "combinations": 2, "of": 2}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("format_", ["github", "sarif"])
def test_other_formats_have_what_the_games_show(small: Path, format_: str) -> None:
    (small / "rules/play.rules").write_text(STUCK.replace("                pass\n", ""), "utf-8")
    code, out, _ = invoke("validate", small, "--format", format_)
    assert code == 1 and "RS711" in out


@pytest.mark.parametrize("number, least", proofs_but([(20, 1), (60, 1), (100, 1), (100, 2)], (20, 1)))
def test_many_settings_are_no_reason_not_to_play(
    small: Path, runs: list[str], number: int, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The start is not tried with all of them, which would take too long, but games are."""
    monkeypatch.setattr(play_check, "STEPS", 600_000 * number)
    monkeypatch.setattr(starts, "PATIENCE", 5_000)
    settings = "".join(f"  s{n}: {{type: int 0..9, default: 5, doc: x}}\n" for n in range(number))
    game = (small / "game.yaml").read_text("utf-8").replace("min: 1", f"min: {least}")
    (small / "game.yaml").write_text(f"{game}settings:\n{settings}", "utf-8")
    code, out, err = invoke("validate", small)
    assert code == 0 and runs == ["small"]
    assert "warning[RS710]: the start with `s" in err and "/game.yaml:" in err
    assert "played no game" not in out


@pytest.mark.parametrize("loops", proofs_but([1, 2, 3], 1))
def test_a_start_that_takes_long_is_not_played(small: Path, runs: list[str], loops: int) -> None:
    (small / "kinds.yaml").write_text("state:\n  n: {type: int}\n", "utf-8")
    loop = "    repeat at most 400000:\n        set n to n + 1\n"
    (small / "rules/play.rules").write_text(SOUND.replace("    for", f"{loop * loops}    for", 1), "utf-8")
    code, out, err = invoke("validate", small)
    assert code == 0 and runs == [] and "warning[RS710]" in err and "played no game" in out


def test_sets_of_overlays_are_checked_without_games(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_CACHE", "")
    code, out, _ = invoke("validate", RULESETS / "nim", "--overlays")
    assert code == 0 and "overlays: 1 on offer; checked 1 alone, 0 pairs, 0 larger sets, without games" in out
    assert runs == ["nim"]


def test_progress_is_shown_at_a_terminal_only(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rulespec.cli.further_checks import played
    from rulespec.diagnostics.report import Report
    from rulespec.load import load_ruleset

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("RULESPEC_CACHE", "")
    shown = Terminal()
    with monkeypatch.context() as at_terminal:
        at_terminal.setattr("sys.stderr", shown)
        played(load_ruleset(str(small)), Report())
    assert "playing small: " in shown.getvalue()


def test_a_dead_end_that_is_no_decision(small: Path) -> None:
    game = (small / "game.yaml").read_text("utf-8")
    (small / "game.yaml").write_text(f"{game}dead_ends: {{trun: one may be stuck}}\n", "utf-8")
    code, _, err = invoke("validate", small)
    assert code == 1 and "error[RS720]" in err and "did you mean `turn`?" in err


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("command", [["explore"], ["test"]])
def test_a_dead_end_that_is_meant_is_no_mistake(small: Path, command: list[str]) -> None:
    (small / "rules/play.rules").write_text(STUCK.replace("                pass\n", ""), "utf-8")
    game = (small / "game.yaml").read_text("utf-8")
    (small / "game.yaml").write_text(f"{game}dead_ends: {{turn: two are stuck}}\n", "utf-8")
    more = ["--decisions", "1000"] if command == ["explore"] else ["--random", "12"]
    assert invoke(*command, small, *more)[0] == 0
    assert invoke("validate", small)[0] == 0


@pytest.mark.proof  # 0.5 s
def test_a_house_rule_declares_a_dead_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    text = (TESTS / "fixtures/unplayable/pairs.yaml").read_text("utf-8")
    (tmp_path / "pairs.yaml").write_text(f"{text}add:\n  game.dead_ends: {{turn: a single match ends it}}\n", "utf-8")
    rules = (TESTS / "fixtures/unplayable/pairs.rules").read_text("utf-8")
    (tmp_path / "pairs.rules").write_text(rules, "utf-8")
    assert invoke("validate", f"nim+{tmp_path}/pairs.yaml")[0] == 0


@pytest.mark.proof  # 0.4 s
def test_many_random_games_are_mostly_only_played(small: Path) -> None:
    code, out, _ = invoke("test", small, "--random", "500")
    assert code == 0 and "500 random games" in out
    (small / "rules/play.rules").write_text(STUCK.replace("                pass\n", ""), "utf-8")
    code, out, _ = invoke("test", small, "--random", "500", "--players", "1")
    assert code == 0
