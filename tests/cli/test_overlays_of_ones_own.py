"""Users' overlays, referenced by path: every command accepts them, in any location."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import copytree

import click
import pytest
from commands import invoke
from folders import GAMES, RULESETS

from rulespec.cli.main import cli, run
from rulespec.engine.game.game import Game
from rulespec.engine.logs.log_file import LogWriter
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.replay.judge import judge_file
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.load import load_ruleset

OWN = 'id: {id}\ntitle: {id}\nfor: nim\nversion: "1.0"\n{what}\n'
OVERLAYS = {
    "more": "changes: {constants.most: 4}",
    "last": "settings: {misere: true}",
    "aside": "add: {constants.nothing: 1}",
    "far/away/far": "changes: {constants.most: 5}",
}

Calls = Callable[[str, str], Sequence[Sequence[str]]]
"""A reference, and a log of a game under it → the commands to call with them."""

CALLS: dict[str, Calls] = {
    "games": lambda ref, log: [[ref], [ref, "--format", "json"]],
    "validate": lambda ref, log: [[ref], [ref, "--overlays"], [ref, "nim"]],
    "explore": lambda ref, log: [[ref, "--decisions", "1000"]],
    "explain": lambda ref, log: [[ref, "take"]],
    "replay": lambda ref, log: [
        [log, "--rules", ref],
        ["nim.jsonl", "--under", ref],
        ["nim.jsonl", "--under", ref, "--format", "json"],
        ["nim.jsonl", "nim.jsonl", "--under", ref],
        ["nim.jsonl", "--under", "+" + ref.partition("+")[2]],
        [log, "--rules", ref, "--under", "nim"],
        [log, "--rules", ref, "--under", "+./aside.yaml"],
        [log, "--rules", ref, "--moves"],
        [log, "nim.jsonl", "--rules", ref, "--jobs", "2"],
    ],
    "identify": lambda ref, log: [[log, "--rules", ref], [log, "--rules", ref, "--format", "json"]],
    "corpus": lambda ref, log: [
        ["import", log, "--rules", ref, "--out", "store"],
        ["replay", "store", "--under", ref],
    ],
    "migrate": lambda ref, log: [
        [log, "--from", ref, "--to", "nim"],
        ["nim.jsonl", "--to", ref, "--format", "json"],
    ],
    "test": lambda ref, log: [[ref, "--random", "1"]],
    "coverage": lambda ref, log: [
        [ref, log, "--players", "2"],
        [ref, "--playouts", "2"],
        ["connect_four", log, "--under", ref],
    ],
    "simulate": lambda ref, log: [
        [ref, "--players", "2", "--games", "3"],
        [ref, "--players", "2", "--games", "3", "--against", "nim"],
        ["nim", "--players", "2", "--games", "3", "--against", ref],
        [ref, "--players", "2", "--games", "3", "--jobs", "2"],
    ],
    "match": lambda ref, log: [["--players", "2", "--games", "2", "random", "greedy", ref]],
    "playtest": lambda ref, log: [
        [ref, "nim", "--players", "2", "--bots", "random", "--pairs", "2", "--ladder", "0"],
        ["nim", ref, "+" + ref.partition("+")[2], "--players", "2", "--bots", "random", "--pairs", "2"],
    ],
    "perft": lambda ref, log: [
        [ref, "--players", "2", "--depth", "2"],
        [ref, "--from", log, "--depth", "1"],
        [ref, "--record"],
        [ref, "--check"],
    ],
    "play": lambda ref, log: [[ref, "--players", "2", "--bots", "2"], [ref, "--players", "2", "--log", log]],
    "serve": lambda ref, log: [],  # serves until interrupted: tests/serve/test_command.py has it
    "mcp": lambda ref, log: [],  # serves until its input ends: tests/guests/test_seat_tools.py has it
    "draw": lambda ref, log: [[ref, "--out", "b.svg"], [log, "--rules", ref, "--out", "b.svg"]],
    "why": lambda ref, log: [[ref, "--players", "2", "--value", "1"], [log, "--rules", ref, "--value", "1"]],
    "ask": lambda ref, log: [[ref, "--players", "2"], [log, "--rules", ref]],  # its input ends at once
    "view": lambda ref, log: [[log, "--rules", ref, "--out", "v.html"]],
    "log": lambda ref, log: [[log, "--rules", ref, "--for", "Ann"]],
    "export": lambda ref, log: [[ref, "--players", "2", "--wasm", "nim.wasm"]],
    "page": lambda ref, log: [[ref, "--players", "2", "--out", "p.html"]],
    "rules": lambda ref, log: [[ref, "--out", "r.html"]],
    "diff": lambda ref, log: [["nim", ref], [ref, "nim"]],
    "titles": lambda ref, log: [[ref]],
    "facts": lambda ref, log: [[ref]],
    "new": lambda ref, log: [["over", "--from", ref, "--overlay"]],
    "edit": lambda ref, log: [],
    "format": lambda ref, log: [[ref, "--check"]],
    "schema": lambda ref, log: [[ref], [ref, "--overlay"]],
    "lsp": lambda ref, log: [],
}
"""Each command, with every way to pass a reference or a log with a reference."""

REFERENCES = {
    "relative": "nim+./more.yaml",
    "absolute": "nim+{here}/more.yaml",
    "two": "nim+./more.yaml+./last.yaml",
    "two of which one is absolute": "nim+{here}/last.yaml+more.yaml",
    "from another folder": "nim+../rules of mine/more.yaml",
    "in a folder": "nim+far/away/far.yaml",
    "a folder of one's own": "./copy/nim+./more.yaml",
    "a folder of one's own that is not called by its id": "./copy/heaps+./more.yaml",
    "a base with an overlay by its id": "nim+tall+./more.yaml",
}
SOUND = (0, 1)
"""Exit codes of commands that could read their input."""


def test_no_command_is_forgotten() -> None:
    assert isinstance(cli, click.Group)
    assert set(CALLS) == set(cli.list_commands(click.Context(cli)))


@pytest.mark.parametrize("name", CALLS)
def test_all_options_that_take_a_reference_are_tried(name: str) -> None:
    assert isinstance(cli, click.Group)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    taking = {p.opts[-1] for p in command.params if p.make_metavar(click.Context(command)).strip("[]. ") == "REF"}
    notes = {word for call in CALLS[name]("REF", "log") for word in call}
    assert {option for option in taking if option.startswith("--")} <= notes


@pytest.fixture(params=REFERENCES)
def reference(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A reference with a user's overlays in the current folder; `own.jsonl` is a game under it."""
    place = tmp_path / "rules of mine"
    (place / "far" / "away").mkdir(parents=True)
    for name, what in OVERLAYS.items():
        (place / f"{name}.yaml").write_text(OWN.format(id=Path(name).name, what=what))
    for copy in ("nim", "heaps"):
        copytree(RULESETS / "nim", place / "copy" / copy)
    copytree(RULESETS / "nim", tmp_path / "known" / "nim")
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path / "known"))
    monkeypatch.chdir(place)
    ref = REFERENCES[request.param].format(here=place)
    for log, rules in (("own.jsonl", ref), ("nim.jsonl", "nim")):
        game = load_ruleset(rules)
        code, out, err = invoke("play", rules, "--names", "Ann,Bob", "--bots", "2", "--log", log)
        assert code == 0, (game.ref, out, err)
    return ref


@pytest.mark.parametrize("name", [name for name in CALLS if CALLS[name]("", "")])
@pytest.mark.sampled(1)
def test_every_command_takes_overlays_of_ones_own(name: str, reference: str) -> None:
    for call in CALLS[name](reference, "own.jsonl"):
        code, out, err = invoke(name, *call)
        assert code in SOUND, (call, out, err)
        assert "RS50" not in err, (call, err)
        assert "RS617" not in err, (call, err)


def take_rules_out(log: Path) -> None:
    """Removes the rules from a log, as in older logs."""
    header, _, rest = log.read_text("utf-8").partition("\n")
    plain = {key: value for key, value in json.loads(header).items() if key != "bundle"}
    log.write_text(f"{json.dumps(plain)}\n{rest}", "utf-8")


@pytest.mark.parametrize(
    "args",
    [
        *(["replay", "LOG"], ["replay", "LOG", "--moves"], ["replay", "LOG", "--under", "+./aside.yaml"]),
        *(["log", "LOG", "--for", "Ann"], ["view", "LOG", "--out", "v.html"], ["draw", "LOG", "--out", "b.svg"]),
    ],
    ids=" ".join,
)
@pytest.mark.sampled(3)
def test_where_the_overlay_of_a_log_is_not_found_the_way_out_is_told(
    reference: str, args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    take_rules_out(Path("own.jsonl"))
    assert run(["own.jsonl" if arg == "LOG" else arg for arg in args]) == 2
    err = capsys.readouterr().err
    assert "RS617" in err
    assert "--rules" in err


@pytest.mark.sampled(3)
def test_a_judgement_says_how_a_game_went_under_a_rule_of_ones_own(reference: str) -> None:
    words, json_ = (
        invoke("replay", "nim.jsonl", "--under", reference),
        invoke("replay", "nim.jsonl", "--under", reference, "--format", "json"),
    )
    ruleset = load_ruleset(reference)
    assert words[0] == json_[0]
    assert f"under {ruleset.ref}" in words[1]
    assert json.loads(json_[1])["logs"][0]["under"] == ruleset.ref


@pytest.mark.sampled(3)
def test_what_carries_a_ruleset_loads_it_again(reference: str) -> None:
    ruleset = load_ruleset(reference)
    assert load_ruleset(ruleset.reference).hash == ruleset.hash
    assert judge_file(Path("nim.jsonl"), reference).under.hash == ruleset.hash
    assert load_ruleset(GamePlan.of(ruleset.reference, ruleset, [2], 1).reference).hash == ruleset.hash


@pytest.mark.sampled(3)
def test_identify_tells_that_the_header_names_an_overlay_which_is_not_found(reference: str) -> None:
    take_rules_out(Path("own.jsonl"))
    _, out, err = invoke("identify", "own.jsonl")
    assert "--rules" in out + err


@pytest.mark.sampled(2)
def test_a_record_of_an_overlay_of_ones_own_lies_beside_it(reference: str) -> None:
    base = load_ruleset(reference.partition("+")[0]).folders[0]
    before = sorted(base.rglob("*"))
    code, out, err = invoke("perft", reference, "--record")
    assert code == 0, (out, err)
    assert sorted(base.rglob("*")) == before
    assert invoke("perft", reference, "--check")[0] == 0


@pytest.mark.proof
def test_a_foreign_log_is_judged_under_a_rule_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = 'id: mine\ntitle: Mine\nfor: imperial\nversion: "1.0"\nchanges: {constants.factory_cost: 4 money}\n'
    (tmp_path / "mine.yaml").write_text(rule)
    monkeypatch.chdir(tmp_path)
    log = GAMES / "imperial/logs/playimperial/c002-standard-4p.json"
    code, out, err = invoke("replay", log, "--under", "+./mine.yaml")
    assert code in SOUND, err
    assert "under imperial+playimperial+mine" in out
    code, out, err = invoke("replay", GAMES / "imperial/logs/quickstart.jsonl", "--under", "imperial+./mine.yaml")
    assert (code, err) == (0, "")
    assert "under imperial+mine" in out


@pytest.mark.sampled(3)
def test_a_folder_that_extends_an_overlay_by_its_path_would_lose_it(reference: str) -> None:
    code, _, err = invoke("new", "mine_too", "--from", reference)
    assert code == 2
    assert "/variants, or use --overlay" in err


def test_a_log_of_a_folder_of_ones_own_names_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copytree(RULESETS / "wager", tmp_path / "wager_of_mine")
    game = tmp_path / "wager_of_mine" / "game.yaml"
    game.write_text(game.read_text().replace("id: wager", "id: wager_of_mine"))
    monkeypatch.chdir(tmp_path)
    with LogWriter(tmp_path / "g.jsonl", LogHeader.of(Game(load_ruleset("./wager_of_mine"), ["Ann", "Bob"]))):
        pass
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    for args in (["identify", "../g.jsonl"], ["log", "../g.jsonl", "--for", "Ann"], ["replay", "../g.jsonl"]):
        assert run(args) == 2
        assert "--rules" in capsys.readouterr().err
