"""A mistake shown by a game is reported with its reasons, and as a scenario that fails in the same way."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cases import small, split, write

from rulespec.cli.main import run
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.position_check import explained, look
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.verify.explore import explore
from rulespec.engine.verify.shrink import FailingGame
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

DATA = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 3}
start: play
settings:
  risky: {default: false}
--- kinds.yaml
kinds:
  town:
    facts: {rank: int}
    state: {owner: {type: "player?"}, taxed: {type: bool}}
    entities: {oak: {rank: 1}, elm: {rank: 2}, ash: {rank: 3}}
  player:
    state: {coins: {type: int 0..40}, boss: {type: "player?"}}
"""
PLAY = """
procedure play():
    repeat at most 40:
        for p in player:
            decide act by p:
                option take(n in 0 .. 2):
                    set p.coins to p.coins + n
                option share(n in 0 .. 2):
                    require risky   "TST-01: only at a risky table"
                    set p.coins to p.coins / n
                option claim(t in town where t.owner is none):
                    set t.owner to p
            chance sun:
                option shines:
                    pass
"""
GREEDY = """
        for p in player where p.coins > 3:
            decide spend by p:
                option buy(n in 6 .. p.coins):
                    pass
                option tax(t in town where t.owner == p "TST-02: not a town of one's own"):
                    require p.coins > 30 "TST-03: not enough coins"
                    pass
                option rest:
                    require p.boss is some
                    pass
"""


CALM = """
def calm(q: player) -> bool:
    let c = q.coins
    c < 3 or q.boss is some
"""


def reasons(folder: Path, invariant: str, moves: str) -> str:
    """The explanation of an invariant that fails after these decisions, which alternate with chance."""
    more = CALM if "calm" in invariant else ""
    ruleset = small(folder, f"{PLAY}{more}\ninvariant wanted:\n    {invariant}\n{DATA}")
    game = Game(ruleset, ["A", "B"])
    for move in moves.split():
        game.apply(game.parse(move))
        if not game.omniscient.broken_invariants():
            game.apply(game.parse("shines"))
    wrong = look(game)[1]
    assert wrong is not None
    assert wrong.code == "RS712"
    return explained(game, wrong).help


@pytest.mark.parametrize(
    "invariant, moves, said",
    [
        ("all(p in player: p.coins < 4)", "take(2) take(1) take(2)", "it fails for p = A: `p.coins` = 4"),
        (
            "all(p in player: all(t in town: t.owner != p or t.rank < 3))",
            "take(0) claim(ash)",
            "it fails for p = B, t = ash: `t.owner` = B, `t.rank` = 3",
        ),
        ("not any(t in town where t.owner is some)", "claim(elm)", "it fails for t = elm: `t.owner` = A"),
        ("count(t in town where t.owner is some and t.rank > 1) == 0", "claim(elm)", "it fails for t = elm:"),
        ("sum(p.coins for p in player) <= 2", "take(2) take(1)", "it fails: `sum(p.coins for p in player)` = 3"),
        ("all(p in player: calm(p))", "take(2) take(2) take(1)", "it fails for p = A, q = A: `c` = 3, `q.boss` = none"),
        ("risky or all(p in player: p.coins < 2)", "take(2)", "it fails for p = A: `p.coins` = 2"),
        ("all(t in town where t.rank > 1: t.owner is none)", "claim(ash)", "it fails for t = ash: `t.owner` = A"),
        ("all(p in player: p.coins < 2 and p.boss is none)", "take(2)", "it fails for p = A: `p.coins` = 2"),
        ("all(p in player: p.coins < 2) if not risky else false", "take(2)", "it fails for p = A: `p.coins` = 2"),
        ("town - {t in town where t.owner is some} == town", "claim(oak)", "it fails: `town - {"),
    ],
)
def test_a_broken_invariant_says_for_whom_it_fails(tmp_path: Path, invariant: str, moves: str, said: str) -> None:
    assert reasons(tmp_path / "small", invariant, moves).startswith(said)


def greedy(folder: Path) -> typed.Ruleset:
    return small(folder, PLAY.replace("        for p in player:", f"{GREEDY}        for p in player:", 1) + DATA)


def test_a_decision_without_an_option_says_why_each_is_refused(tmp_path: Path) -> None:
    (result,) = [f for f in explore(greedy(tmp_path / "small"), 4_000).findings if f.diagnostic.code == "RS711"]
    said = result.diagnostic.help
    assert "buy: there is no `n` in 6 .. p.coins (6 .. p.coins = 6 .. 4)" in said
    assert re.search(r"tax\(oak\): TST-02: not a town of one's own \(t\.owner = none, p = [AB]\), and 2 more", said)
    assert "rest: p.boss is some (p.boss = none)" in said


MISTAKES = {
    "RS703": ("RS814", PLAY),
    "RS711": ("RS711", PLAY.replace("        for p in player:", f"{GREEDY}        for p in player:", 1)),
    "RS712": ("RS816", PLAY + "\ninvariant poor:\n    all(p in player: p.coins < 5)\n"),
}


@pytest.mark.parametrize("code", MISTAKES)
@pytest.mark.sampled(1)
def test_a_finding_is_a_scenario_that_fails_in_the_same_way(
    code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_test, rules = MISTAKES[code]
    folder = write(tmp_path / "small", split(rules + DATA, "rules/play.rules"))
    results = [f for f in explore(load_ruleset(str(folder)), 6_000).findings if f.diagnostic.code == code]
    assert results
    place = re.match(r"# in (\S+): ", results[0].scenario)
    assert place is not None
    (folder / "scenarios").mkdir()
    (folder / place[1]).write_text(results[0].scenario, "utf-8")
    assert run(["test", str(folder)]) == 1
    note = capsys.readouterr().out
    assert f"error[{in_test}]" in note
    assert note.count("error[") == 1
    assert re.findall(r"`(\w+)`", results[0].diagnostic.message)[0] in note


def test_the_printed_scenario_can_be_pasted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "small", split(MISTAKES["RS712"][1] + DATA, "rules/play.rules"))
    assert run(["simulate", str(folder), "--players", "2", "--games", "3"]) == 1
    printed = capsys.readouterr().out.partition("as a scenario:\n")[2]
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "pasted.yaml").write_text(printed, "utf-8")
    assert run(["test", str(folder)]) == 1
    assert "it fails for p = " in capsys.readouterr().out


@pytest.mark.proof
def test_folders_for_failing_games_get_the_scenario_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "small", split(MISTAKES["RS712"][1] + DATA, "rules/play.rules"))
    for number, args in enumerate(
        (
            ["explore", str(folder), "--decisions", "2000", "--failures"],
            ["test", str(folder), "--random", "6", "--failures"],
        )
    ):
        out = tmp_path / str(number)
        assert run([*args, str(out)]) == 1
        capsys.readouterr()
        assert {f.suffix for f in out.iterdir()} == {".jsonl", ".yaml"}
        assert len({f.stem for f in out.iterdir()}) * 2 == len(list(out.iterdir()))


def test_the_scenario_of_an_overlay_lies_in_its_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    overlay = 'id: rich\ntitle: Rich\nfor: small\nversion: "1"\nsettings: {risky: true}\n'
    folder = write(tmp_path / "small", split(f"{PLAY}{DATA}--- variants/rich.yaml\n{overlay}", "rules/play.rules"))
    (result,) = explore(load_ruleset(f"{folder}+rich"), 3_000).findings
    place = re.match(r"# in (scenarios/rich/\S+): `rulespec test small\+rich`", result.scenario)
    assert place is not None
    assert "options:" not in result.scenario  # the overlay's own default
    (folder / place[1]).parent.mkdir(parents=True)
    (folder / place[1]).write_text(result.scenario, "utf-8")
    assert run(["test", f"{folder}+rich"]) == 1
    assert "this divides by zero" in capsys.readouterr().out


def test_an_option_in_which_the_rules_are_at_fault_is_the_last_step_even_if_taken_before(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", PLAY.replace("p.coins + n", "p.coins + 20 * n") + DATA)
    game = Game(ruleset, ["A", "B"])
    taken = [game.apply(game.parse(text)) for text in ("take(2)", "shines", "take(0)", "shines")]
    fault = game.parse("take(2)")
    wrong = look(game)[1]
    failing = FailingGame.of(ruleset, LogHeader.of(game), [*taken, fault], wrong or _fault(game, fault))
    assert failing.scenario.count('"A: take(2)"') == 2


def _fault(game: Game, option: Option) -> Diagnostic:
    with pytest.raises(RulesetFaultError) as fault:
        game.copy().apply(option)
    return fault.value.diagnostic


def test_a_start_that_breaks_an_invariant_fails_a_scenario_without_a_position(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = PLAY + "\ninvariant rich:\n    all(p in player: p.coins > 0)\n"
    scenario = "scenarios:\n  - {id: S.1, title: The start}\n  - {id: S.2, title: Given, given: {set: {A.coins: 1}}}\n"
    folder = write(tmp_path / "small", split(rules + DATA, "rules/play.rules") | {"scenarios/s.yaml": scenario})
    assert run(["test", str(folder)]) == 1
    note = capsys.readouterr().out
    assert "S.1: the invariant does not hold: rich; it fails for p = A: `p.coins` = 0" in note
    assert "S.2" not in note


@pytest.mark.proof
def test_a_log_that_breaks_an_invariant_gives_a_scenario_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path / "small", split(MISTAKES["RS712"][1] + DATA, "rules/play.rules"))
    assert run(["test", str(folder), "--random", "6", "--seed", "4", "--failures", str(tmp_path / "failed")]) == 1
    (log,) = (tmp_path / "failed").glob("*.jsonl")
    capsys.readouterr()
    assert run(["replay", "--check", str(log), "--rules", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert "because     it fails for p = " in printed
    pasted = printed.partition("as a scenario:\n")[2]
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "pasted.yaml").write_text(pasted, "utf-8")
    assert run(["test", str(folder)]) == 1
    assert "error[RS816]" in capsys.readouterr().out
    assert run(["replay", "--check", str(log), "--rules", str(folder), "--format", "json"]) == 1
    broken = json.loads(capsys.readouterr().out)["broken"]
    assert broken["scenario"].strip() == pasted.strip()
    assert broken["help"].startswith("it fails for p = ")


def test_a_scenario_names_seats_by_their_ids(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", MISTAKES["RS712"][1] + DATA)
    game = Game(ruleset, ["A: the first", "B"])
    for text in ("take(2)", "shines", "take(2)", "shines", "take(2)", "shines", "take(2)", "shines", "take(2)"):
        game.apply(game.parse(text))
    wrong = look(game)[1]
    assert wrong is not None
    scenario = FailingGame.of(ruleset, LogHeader.of(game), game.history, wrong).scenario
    assert 'seats: ["A", "B"]' in scenario and "the first" not in scenario
