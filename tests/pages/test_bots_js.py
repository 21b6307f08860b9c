"""Bots of a page choose as in Python, by the same seed."""

from __future__ import annotations

import json
import shutil
import subprocess
from hashlib import blake2b
from pathlib import Path

import pytest
from deadlines import DEADLINE
from folders import ROOT
from shipped import loaded

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.engine.bots.bot_seats import BotSeats
from rulespec.engine.bots.named import open_bot
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.wasm_export import exported
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

_SCRIPT = """
import fs from "node:fs";
import { createRequire } from "node:module";
import { WasmGame } from "./wasm_game.mjs";
const { botPick, blake2b } = createRequire(import.meta.url)("./bots.js");
const bytes = fs.readFileSync("game.wasm");
const [game, thinking] = [await WasmGame.load(bytes), await WasmGame.load(bytes)];
const { seed, bot, taken } = JSON.parse(fs.readFileSync("asked.json", "utf-8"));
game.start();
const row = game.room(game.registers.ROW / 8);
const picks = taken.map(([text, by], ply) => {
  const options = game.options();
  game.save(row);
  const position = game.numbers.slice(row / 8, (row + game.registers.ROW) / 8);
  const pick = by === null ? null : options[botPick(thinking, position, bot, seed, by, ply)].text;
  game.apply(game.find(text, by));
  return pick;
});
const digest = (text, size) => Buffer.from(blake2b(new TextEncoder().encode(text), size)).toString("hex");
fs.writeFileSync("said.json", JSON.stringify({ picks, digests: ["", "abc", "7 Ann 1200"].map((t) => digest(t, 8)) }));
"""

_POINTS = """
id: points
title: For points
for: ludo
version: "1.0"
add: {stakes: 3}
"""


@pytest.mark.parametrize(
    "ref, players, bot, most",
    [
        ("imperial", 4, "flat:32", 60),
        ("chess", 2, "flat:16", 30),
        ("tetrarchia", 3, "flat:32", 60),
        ("backgammon", 2, "flat:200", 60),
        ("connect_four", 2, "flat:300", 60),
        ("ludo", 4, "flat:64", 60),
        ("ludo+points", 4, "flat:64", 60),
        ("imperial_2030", 5, "random", 60),
    ],
)
@pytest.mark.sampled(1)
def test_bots_choose_as_in_python(ref: str, players: int, bot: str, most: int, tmp_path: Path) -> None:
    (tmp_path / "points.yaml").write_text(_POINTS, "utf-8")
    ruleset, _ = loaded(ref.replace("+points", f"+{tmp_path / 'points.yaml'}"))
    game = Game(ruleset, seat_names(players, ruleset.seats))
    seats, draws, taken = BotSeats(game, dict.fromkeys(game.seats, open_bot(bot)), 7), Draws(3), []
    while game.ply < most and not game.is_over:
        assert game.decision is not None
        option = seats.choose(game)[0] if game.decision.by is not None else choose(game, draws, interrupt_rate=0)
        assert option is not None
        taken.append([str(option), option.by])
        game.apply(option)
    (tmp_path / "game.wasm").write_bytes(exported(game))
    (tmp_path / "asked.json").write_text(json.dumps({"seed": 7, "bot": bot, "taken": taken}), "utf-8")
    (tmp_path / "node.mjs").write_text(_SCRIPT, "utf-8")
    shutil.copy(ROOT / "pages" / "wasm_game.js", tmp_path / "wasm_game.mjs")
    shutil.copy(ROOT / "pages" / "bots.js", tmp_path)
    subprocess.run(["node", "node.mjs"], cwd=tmp_path, check=True, timeout=DEADLINE)
    said = json.loads((tmp_path / "said.json").read_text("utf-8"))
    assert said["digests"] == [blake2b(t.encode(), digest_size=8).hexdigest() for t in ("", "abc", "7 Ann 1200")]
    assert said["picks"] == [text if by is not None else None for text, by in taken]
