"""An exported module plays the games that Python plays: in Node, and in a browser.

RULESPEC_PAGES says how many games of each ruleset; else there are a few.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from proofs import proofs_but

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from rulespec.cli.main import cli, run
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.simulate.checked_playouts import INTERRUPT_RATE, choose
from rulespec.engine.wasm.playouts import WasmGames
from rulespec.load import load_ruleset

PAGES = int(os.environ.get("RULESPEC_PAGES", "0"))
PLAY = """
import { WasmGame } from "./wasm_game.mjs";
export async function play(bytes, games) {
  const game = await WasmGame.load(bytes);
  const found = [];
  for (let number = 0; number < games; number++) {
    game.start();
    game.seed(7, number);
    const how = game.playout(5000);
    found.push([how, game.ply, await digest(game.cells().join(" "))]);
  }
  return found;
}
async function digest(text) {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
export async function known(bytes) {
  const { exports } = await WasmGame.load(bytes);
  return [0n, 1n, 2n].map((at) => String(BigInt.asUintN(64, exports.word(1234567n, at))));
}
export async function steps(bytes) {
  const game = await WasmGame.load(bytes);
  game.start();
  const before = game.cells().map(String);
  const listed = game.options().map((option) => [option.name, ...option.args].map(String));
  game.apply(game.options()[0]);
  game.apply(game.options()[0]);
  game.undo();
  game.undo();
  return [game.decision.name, listed, String(before) === String(game.cells())];
}
"""
NODE = """
import fs from "node:fs";
import { known, play, steps } from "./play.mjs";
const bytes = fs.readFileSync("game.wasm");
const found = await play(bytes, Number(process.argv[2]));
console.log(JSON.stringify([await steps(bytes), found, await known(bytes)]));
"""


def exported(folder: Path, ref: str, players: int) -> None:
    options = ["export", ref, "--players", str(players), "--wasm", str(folder / "game.wasm")]
    done = CliRunner().invoke(cli, [*options, "--js", str(folder / "wasm_game.mjs")])
    assert done.exit_code == 0, done.output
    (folder / "play.mjs").write_text(PLAY)


def played(ref: str, players: int, games: int) -> list[object]:
    """The same games here: how, decisions, cells. In wasm, as other tests compare with Python; the last in Python."""
    ruleset = load_ruleset(ref)
    settings = {name: o.default for name, o in ruleset.settings.items()}
    results: list[object] = []
    wasm = WasmGames(wasm_program(ruleset, players, settings), INTERRUPT_RATE, checked=False)
    for number in range(games):
        (one,) = wasm.play(7, range(number, number + 1), 5000)
        results.append([one.how, one.decisions, _digest(wasm.state)])
    game, draws = Game(ruleset, seat_names(players, ruleset.seats)), Draws(7, games - 1)
    while not game.is_over and game.ply < 5000:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    assert results[-1] == ["over" if game.is_over else "capped", game.ply, _digest(game.omniscient.numbers.cells)]
    return results


def _digest(cells: Sequence[int]) -> str:
    return hashlib.sha256(" ".join(map(str, cells)).encode()).hexdigest()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize(
    "ref, players, games",
    proofs_but([("imperial", 4, 20), ("tetrarchia", 3, 10), ("chess", 2, 5), ("nim", 2, 200)], ("nim", 2, 200)),
)
def test_node_plays_the_same_games(ref: str, players: int, games: int, tmp_path: Path) -> None:
    exported(tmp_path, ref, players)
    games = PAGES or games
    (tmp_path / "node.mjs").write_text(NODE)
    said = subprocess.run(["node", "node.mjs", str(games)], cwd=tmp_path, capture_output=True, text=True, check=True)
    (decision, listed, back), result, words = json.loads(said.stdout)
    assert words == ["6457827717110365317", "3203168211198807973", "9817491932198370423"]
    assert result == played(ref, players, games)
    ruleset = load_ruleset(ref)
    game = Game(ruleset, seat_names(players, ruleset.seats))
    assert game.decision is not None and decision == game.decision.name and back
    assert [option[0] for option in listed] == [option.name for option in game.legal_options]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """The address of a folder on this machine: a page may use its browser's hash functions only there, or by https."""
    handler = functools.partial(_Quiet, directory=str(tmp_path))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.mark.proof  # 2 s, of a browser
@pytest.mark.parametrize("ref, players, games", [("imperial", 4, 10), ("nim", 2, 200)])
def test_a_browser_plays_the_same_games(
    ref: str, players: int, games: int, tmp_path: Path, site: str, browser: Any
) -> None:
    games = PAGES or games
    exported(tmp_path, ref, players)
    (tmp_path / "index.html").write_text("<!doctype html><title>game</title>")
    with closing(browser.new_page()) as page:
        page.goto(f"{site}/index.html")
        script = """async (games) => {
            const { play } = await import('./play.mjs');
            return await play(await (await fetch('game.wasm')).arrayBuffer(), games);
        }"""
        result = page.evaluate(script, games)
    assert result == played(ref, players, games)


def test_a_module_and_a_page_are_written_without_a_machine_in_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would take as long as the module, and nobody plays."""
    monkeypatch.setattr(PythonBackend, "__init__", lambda self, *args, **others: pytest.fail("a machine was made"))
    assert run(["export", "nim", "--players", "2", "--wasm", str(tmp_path / "nim.wasm")]) == 0
    assert run(["page", "nim", "--out", str(tmp_path / "nim.html")]) == 0


def test_what_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "nim", "--players", "2", "--wasm", str(tmp_path / "no" / "game.wasm")]) == 2
    assert "game.wasm" in capsys.readouterr().err
