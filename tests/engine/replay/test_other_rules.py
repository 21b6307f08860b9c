"""A log and the rules that it is replayed under: only another meaning is warned of; places and words are today's."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cases import GAME, split, write
from commands import invoke
from folders import GAMES

from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.replay.replay import replay_log
from rulespec.load import load_ruleset

RULES = """\
procedure play():
    for p in player:
        decide shop by p:
            option buy(n in 1 .. 3):
                require n <= p.left "too many"
                set p.left to p.left - n
            option divide(n in 0 .. 1):
                set p.left to p.left / n
            option leave_it:
                pass
--- kinds.yaml
kinds: {player: {state: {left: {type: int, start: 2}}}}
"""


def written(folder: Path, text: str = RULES) -> Path:
    return write(folder, {"game.yaml": GAME, **split(text, "rules/play.rules")})


def logged(folder: Path, **header: Any) -> Path:
    """A log of a game under the rules of a folder; `header`: its keys with other values, None for none."""
    game = Game(load_ruleset(str(folder)), ["Ann", "Bob"])
    game.apply(game.parse("buy(2)"))
    game.apply(game.parse("leave_it"))
    path = folder.parent / "game.jsonl"
    write_log(path, game)
    first, *rest = path.read_text("utf-8").splitlines(keepends=True)
    data = {key: value for key, value in (json.loads(first) | header).items() if value is not None}
    path.write_text(json.dumps(data) + "\n" + "".join(rest), "utf-8")
    return path


def warned(log: Path, folder: Path) -> list[str]:
    report = Report()
    assert replay_log(log, rules=str(folder), report=report).divergence is None
    return [d.code for d in report.diagnostics]


@pytest.mark.parametrize(
    "old, new",
    [
        ("procedure play", "# a comment\nprocedure play"),
        ("decide shop by p:\n", 'decide shop by p:\n            "A choice."\n'),
        ('"too many"', '"more than are left"'),
        ("start: 2}", 'start: 2, doc: "What is left."}'),
    ],
)
def test_what_changes_no_game_is_not_warned_of(old: str, new: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "rules")
    log = logged(folder)
    assert warned(log, folder) == []
    written(folder, RULES.replace(old, new))
    assert warned(log, folder) == []


@pytest.mark.parametrize("old, new", [("1 .. 3", "1 .. 4"), ("too many", "ABC-01"), ("start: 2", "start: 3")])
def test_another_meaning_is_warned_of_with_the_way_to_list_it(old: str, new: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "rules")
    log = logged(folder)
    shown = tmp_path / "old"
    written(shown)
    written(folder, RULES.replace(old, new))
    report = Report()
    replay_log(log, rules=str(folder), report=report)
    warning, *others = report.diagnostics
    assert {other.code for other in others} <= {"RS643"}  # it may end otherwise
    assert warning.code == "RS618" and f"`rulespec diff OLD {folder}`" in warning.help
    assert invoke("diff", shown, folder)[1] != ""


def test_rules_that_the_log_does_not_name_are_compared_by_name() -> None:
    report = Report()
    replay_log(GAMES / "imperial/logs/quickstart.jsonl", rules="imperial+no_gifts", report=report)
    assert [d.code for d in report.diagnostics] == ["RS618"]
    assert "list the differences with `rulespec diff imperial imperial+no_gifts`" in report.diagnostics[0].help


def test_a_log_without_a_hash_says_nothing(tmp_path: Path) -> None:
    folder = written(tmp_path / "rules")
    assert warned(logged(folder, ruleset_hash=None, sources_hash=None), folder) == ["RS647"]


def test_hashes_of_another_version_are_not_compared(tmp_path: Path) -> None:
    folder = written(tmp_path / "rules")
    log = logged(folder, ruleset_hash="ff" + "0" * 30)
    assert warned(log, folder) == []  # the same texts
    written(folder, "# a comment\n" + RULES)
    assert warned(log, folder) == ["RS647"]


@pytest.mark.parametrize("key", ["ruleset_hash", "sources_hash"])
def test_hashes_are_texts(key: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "rules")
    code, _, err = invoke("replay", logged(folder, **{key: 7}), "--rules", folder)
    assert code == 2 and "RS607" in err


def test_both_hashes_are_printed_wherever_one_is(tmp_path: Path) -> None:
    without = RULES.replace("            option divide(n in 0 .. 1):\n                set p.left to p.left / n\n", "")
    folder = written(tmp_path / "rules", without)
    ruleset, log = load_ruleset(str(folder)), logged(folder)
    for command in (
        ["validate", folder, "--no-play"],
        ["replay", log, "--rules", folder],
        ["simulate", folder, "--players", "2", "--games", "2", "--seed", "1"],
        ["perft", folder, "--players", "2", "--depth", "1"],
        ["facts", folder, "player"],
        ["test", folder],
    ):
        _, out, err = invoke(*command, "--format", "json")
        assert f'"ruleset_hash": "{ruleset.hash}"' in out, (command, err)
        assert f'"sources_hash": "{ruleset.sources_hash}"' in out, command


# --- places and words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["python", "interpreter", "auto"])
def test_a_fault_is_at_its_line_after_a_comment_above(backend: Backend, tmp_path: Path) -> None:
    """The same process, and rules with the same meaning: programs are kept, with lines and words."""
    for comments in range(3):
        folder = written(
            tmp_path / "rules", "# a comment\n" * comments + RULES.replace("too many", f"reason {comments}")
        )
        game = Game(load_ruleset(str(folder)), ["Ann", "Bob"], backend=backend)
        refusal = game.why_not(game.parse("buy(3)"))
        assert refusal is not None and refusal.reason == f"reason {comments}"
        assert refusal.span is not None and refusal.span.line == 5 + comments
        with pytest.raises(RulesetFaultError, match=rf"play\.rules:{8 + comments}:"):
            game.apply(game.parse("divide(0)"))


FAULTS = {
    "a name": (RULES.replace("p.left - n", "p.lost - n"), "RS225", 6),
    "a type": (RULES.replace("p.left - n", "true"), "RS301", 6),
    "a start that is at fault": (RULES.replace("start: 2", "start: 2 / (players - 2)"), "RS702", 1),
    "a warning": (RULES.replace("pass\n", "pass\n\ndef unused(n: int) -> int: n\n"), "RS405", 12),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_validate_has_the_right_line_cold_and_cached(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    text, code, line = FAULTS[fault]
    for comments in range(3):
        folder = written(tmp_path / "rules", text)
        for path in (folder / "rules/play.rules", folder / "kinds.yaml"):
            path.write_text("# a comment\n" * comments + path.read_text("utf-8"), "utf-8")
        for _ in range(2):
            _, out, err = invoke("validate", folder, "--no-play")
            assert re.search(rf"\[{code}\].*\n +--> .*:{line + comments}:", out + err), out + err
