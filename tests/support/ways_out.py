"""The outputs of a game with secrets to each viewer: exported module, table, log, replay page, view."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deadlines import DEADLINE
from folders import ROOT
from msgspec import Struct
from tables import still_table
from twins import way

from rulespec.engine.game.game import Game, restarted, seen_events, seen_state
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import HIDDEN, ShownCells
from rulespec.engine.game.wasm_export import exported
from rulespec.engine.logs.log_file import write_log
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.exported_texts import exported_texts
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.words import Words
from rulespec.pages.replay_data import told_replay
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import may_hide

_SCRIPT = """
import fs from "node:fs";
import { WasmGame } from "./wasm_game.mjs";
const game = await WasmGame.load(fs.readFileSync("game.wasm"));
const { taken, viewers } = JSON.parse(fs.readFileSync("asked.json", "utf-8"));
game.start();
const said = taken.map(([text, who]) => {
  const option = { ...game.find(text, who), by: who };
  const moves = viewers.map((viewer) => [game.seen(option, viewer).text, game.told(option, viewer)]);
  const { by, together } = game.decision, listed = game.options();
  const own = (seat) => (seat !== null && seat === by ? listed.map((each) => game.choice(each)) : []);
  const asked = viewers.map((seat) => game.as(seat, () => (together ? [] : [game.question(), ...own(seat)])));
  game.apply(option);
  return { moves, asked, states: viewers.map((viewer) => game.state(viewer)) };
});
fs.writeFileSync("said.json", JSON.stringify(said));
"""


class Seen(Struct):
    """All outputs to one viewer, as lists with an entry for each decision.

    Attributes:
        events: the decisions in `Game.view`, with visible arguments only; None during a simultaneous decision.
        cells: the values in `Game.view` after each decision, by path; None if hidden.
        page_events, page_moves, page_cells: the same from the exported module.
        page_asked: the words of each decision and of the viewer's options; empty during a simultaneous decision.
        table_moves, table_asked, table_cells: the same from the frames of a table.
        log: the lines of the viewer's log.
        view_moves: the moves on the replay page.
        whole_moves: the sentences for an omniscient reader; empty if they depend on more than the arguments of options.
    """

    events: list[str | None]
    cells: list[dict[str, Any]]
    page_events: list[str]
    page_moves: list[str]
    page_cells: list[dict[str, Any]]
    page_asked: list[list[str]]
    table_moves: list[str]
    table_asked: list[list[str]]
    table_cells: list[dict[str, Any]]
    log: list[str | None]
    view_moves: list[str]
    whole_moves: list[str]


def new_game(ruleset: typed.Ruleset) -> Game:
    """A new game with the most seats, up to four, with settings that introduce secrets if possible."""
    seats = seat_names(max(ruleset.players[0], min(4, ruleset.players[1])), ruleset.seats)
    games = (Game(ruleset, seats, settings) for settings in _settings(ruleset))
    return next(game for game in games if game.omniscient.secretive or not may_hide(ruleset))


def _settings(ruleset: typed.Ruleset) -> list[dict[str, str]]:
    """The default settings, and variants with one switch changed."""
    switches = {name: of.default for name, of in ruleset.settings.items() if of.default in ("true", "false")}
    return [{}, *({name: "false" if default == "true" else "true"} for name, default in switches.items())]


def module_of(game: Game) -> bytes:
    """The module exported for the page of a game."""
    words = Words(game.ruleset)
    return exported(game, lambda asides: exported_texts(game, words, asides))


def ways_out(
    game: Game, module: bytes, viewers: Sequence[str | None], folder: Path, rules: str | None = None
) -> dict[str | None, Seen]:
    """The outputs of a finished game to some viewers (None for the public).

    Args:
        game: the game.
        module: the module of its page.
        viewers: the viewers.
        folder: an empty folder.
        rules: the reference of its ruleset, if it differs from that in the log.
    """
    page = _page(game, module, folder, viewers)
    write_log(folder / "game.jsonl", game)
    result = replay_log(folder / "game.jsonl", rules=rules)
    whole_moves = [] if rules is not None else [move.text for move in Moves(Words(game.ruleset), game)]
    results = {}
    for at, viewer in enumerate(viewers):
        table_moves, table_asked, table_cells = _table(game, viewer)
        results[viewer] = Seen(
            [event.option for event in seen_events(game, viewer, 0)],
            [_flat(seen_state(past, viewer)) for past in way(game)][1:],
            [said["moves"][at][0] for said in page],
            [said["moves"][at][1] for said in page],
            [_flat(said["states"][at]) for said in page],
            [said["asked"][at] for said in page],
            table_moves,
            table_asked,
            table_cells,
            [line.get("option") for line in seat_log(game, viewer) if "decision" in line],
            [row["text"] for row in told_replay(result, viewer).data["moves"]],
            whole_moves,
        )
    return results


def _page(game: Game, module: bytes, folder: Path, viewers: Sequence[str | None]) -> list[dict[str, Any]]:
    """The output of a page's module for each decision, run by Node."""
    (folder / "game.wasm").write_bytes(module)
    taken = [[str(option), option.by] for option in game.history]
    (folder / "asked.json").write_text(json.dumps({"taken": taken, "viewers": viewers}), "utf-8")
    (folder / "node.mjs").write_text(_SCRIPT, "utf-8")
    shutil.copy(ROOT / "pages" / "wasm_game.js", folder / "wasm_game.mjs")
    subprocess.run(["node", "node.mjs"], cwd=folder, check=True, timeout=DEADLINE)
    result: list[dict[str, Any]] = json.loads((folder / "said.json").read_text("utf-8"))
    return result


def _table(game: Game, viewer: str | None) -> tuple[list[str], list[list[str]], list[dict[str, Any]]]:
    """The moves in a table's frames, the questions before each, and the cells after it."""
    table, names = still_table(restarted(game)), ShownCells(game).names()
    frame = table.say(viewer)
    moves: dict[str, str] = {}
    cells, asked, results = dict(frame["cells"]), [], []
    shown = dict(frame)
    for option in game.history:
        own = [each["words"] for each in shown["options"] if "out_of_turn" not in each and option.by is not None]
        asked.append([] if "together" in shown["asked"] else [shown["asked"]["text"], *own])
        table.played.take(table.game.parse(str(option), option.by))
        table.confirm()
        frame = table.say(viewer, frame["serial"])
        shown |= frame
        moves |= {number: move["text"] for number, move in frame["moves"]["texts"].items()}
        cells |= frame.get("cells", {})
        seen = {tuple(names[int(at)]): value for at, value in cells.items() if value != HIDDEN}
        results.append(
            {".".join(filter(None, path)): value for path, value in seen.items() if not _is_empty(path, value)}
        )
    return [moves[str(number)] for number in range(game.ply)], asked, results


def _is_empty(path: Sequence[str], value: Any) -> bool:
    return path[0] == "pieces" and not value


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    """The visible values of a state, by path."""
    entities = {
        f"{kind}.{owner}.{field}": value
        for kind, of in state["entities"].items()
        for owner, fields in of.items()
        for field, value in fields.items()
    }
    piles = {
        ".".join(filter(None, ("pieces", owner, name, place))): value
        for name, of in state["pieces"].items()
        for owner, at in of.items()
        for place, value in at.items()
    }
    return entities | piles
