"""An exported module says what Python says: options in words, who is asked, points, states, logs."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cases import GAME, write
from deadlines import DEADLINE
from folders import ROOT, RULESETS
from proofs import proofs_but
from shipped import EXPORTED, OFFERED, WITHOUT_MODULE, loaded

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import run
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import scores, state_json
from rulespec.engine.game.wasm_export import exported
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.words.exported_texts import exported_texts
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

_SCRIPT = """
import fs from "node:fs";
import { WasmGame } from "./wasm_game.mjs";
const game = await WasmGame.load(fs.readFileSync("game.wasm"));
const asked = JSON.parse(fs.readFileSync("asked.json", "utf-8"));
game.start();
const said = asked.taken.map(([text, by, look]) => {
  const told = look ? seen(game) : null;
  const option = game.find(text, by);
  if (!option) throw new Error(`${game.decision?.name}: ${text} of ${by} is not legal`);
  game.apply(option);
  return told;
});
const end = game.ending === null ? seen(game) : game.result;
const log = game.log();
game.load(log);
fs.writeFileSync("said.json", JSON.stringify({ said, end, log, again: game.log() === log }));

function seen(game) {
  const { decision } = game, options = [...game.options(), ...game.options(true)];
  return {
    decision, question: game.question(), subject: game.subject(), scores: game.scores(), state: game.state(),
    seats: game.names.seats.map((seat) => game.state(seat)), counts: game.counts(),
    options: options.map((o) => [o.by, o.text, o.interrupt, game.words(o), game.sentence(o)]),
  };
}
"""


def seen(game: Game, narrator: Narrator) -> dict[str, Any]:
    """A position in words and data, by Python."""
    decision = game.decision
    assert decision is not None
    options = [*game.legal_options, *game.interrupts]
    return {
        "decision": {
            "name": decision.name,
            "by": decision.by,
            "among": list(decision.among),
            "together": decision.together,
        },
        "question": narrator.decision(decision),
        "subject": narrator.subject(decision),
        "scores": scores(game),
        "state": state_json(game),
        "seats": [state_json(game, seat) for seat in game.seats],
        "counts": game.view(None).state["counts"],
        "options": [[o.by, str(o), o.interrupt, narrator.option(o), narrator.move(o)] for o in options],
    }


def compared(ref: str, players: int, seed: int, most: int, each: int, folder: Path) -> None:
    """Plays a random game in Python, and the same in the module."""
    ruleset, _ = loaded(ref)
    game = Game(ruleset, seat_names(players, ruleset.seats))
    words = Words(ruleset)
    (folder / "game.wasm").write_bytes(exported(game, lambda asides: exported_texts(game, words, asides)))
    narrator, choose = Narrator(words, game), random.Random(seed)
    taken, wanted = [], []
    while game.ply < most and not game.is_over:
        look = game.ply % each == 0
        wanted.append(seen(game, narrator) if look else None)
        options = list(game.legal_options)
        if game.interrupts and choose.random() < 0.1:
            options = list(game.interrupts)
        option = choose.choice(options)
        taken.append([str(option), option.by, look])
        game.apply(option)
    (folder / "asked.json").write_text(json.dumps({"taken": taken}), "utf-8")
    (folder / "node.mjs").write_text(_SCRIPT, "utf-8")
    shutil.copy(ROOT / "pages" / "wasm_game.js", folder / "wasm_game.mjs")
    subprocess.run(["node", "node.mjs"], cwd=folder, check=True, timeout=DEADLINE)
    said = json.loads((folder / "said.json").read_text("utf-8"))
    for number, (one, other) in enumerate(zip(said["said"], wanted, strict=True)):
        assert one == other, f"decision {number}"
    result = game.result
    if result is None:
        assert said["end"] == seen(game, narrator)
    else:
        assert said["end"] == {"ending": result.ending, "scores": result.scores, "winners": list(result.winners)}
    lines = [json.loads(line) for line in said["log"].splitlines()]
    assert said["again"] and [(line["option"], line["by"]) for line in lines[1:]] == [(o, by) for o, by, _ in taken]


@pytest.mark.parametrize("ref", proofs_but(EXPORTED, "connect_four", "liars_dice", "nim"))
@pytest.mark.sampled(1)
def test_a_module_says_what_python_says(ref: str, tmp_path: Path) -> None:
    compared(ref, loaded(ref)[0].players[1], 5, 400, 9, tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("ref", [*EXPORTED, *OFFERED])
def test_a_module_says_what_python_says_in_whole_games(ref: str, tmp_path: Path) -> None:
    for seed, players in enumerate(range(loaded(ref)[0].players[0], loaded(ref)[0].players[1] + 1)):
        compared(ref, players, seed, 3000, 15, tmp_path)


RACK = """
kinds:
  plate: {number: 30, places: {stock: {fresh: true}, out: {}}}
  player: {}
state: {rack: {type: order plate, start: plate}}
"""
SORTING = """
procedure play():
    repeat at most 20:
        for p in player:
            decide turn by p:
                option last(t in plate):
                    add t to rack
                option drop(t in rack): take t from rack
    end game as over
"""


def test_an_order_longer_than_a_word_is_said_whole(tmp_path: Path) -> None:
    """30 members of 5 bits take three words."""
    files = {"game.yaml": GAME, "kinds.yaml": RACK, "rules/play.rules": SORTING}
    compared(str(write(tmp_path / "rack", files)), players=2, seed=5, most=40, each=4, folder=tmp_path)


def test_sets_and_bags_are_said_alike(tmp_path: Path) -> None:
    compared(str(RULESETS / "pantry"), players=3, seed=5, most=40, each=4, folder=tmp_path)


@pytest.mark.parametrize("ref", WITHOUT_MODULE)
def test_what_has_no_module_says_why(ref: str) -> None:
    ruleset = loaded(ref)[0]
    with pytest.raises(NoWasmError, match="a bag of more than 8 kinds of pieces"):
        exported(Game(ruleset, seat_names(ruleset.players[0], ruleset.seats)))


@pytest.mark.parametrize("command", [["page", "--out", "game.html"], ["export", "--wasm", "game.wasm"]])
def test_a_command_that_writes_a_module_names_a_way_without_one(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*command[:1], WITHOUT_MODULE[0], "--players", "2", *command[1:]]) == 1
    error = capsys.readouterr().err
    assert "= help: play at a table: `rulespec serve` needs no module" in error and "--backend" not in error
