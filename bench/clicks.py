"""Statistics of the clicks that players' decisions need on the page of a table, one row per game.

python -m bench.clicks chess imperial:4

The games are random. Each decision of a seat is made as on the page, by `pages/choose.js` in Node: arguments shown on
the board are clicked, and buttons offer the remaining options.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator
from typing import Any

from rulespec.drawing.board import board_of
from rulespec.drawing.drawing_plan import plan
from rulespec.engine.game.game import Game, seat_options
from rulespec.engine.game.state_json import state_json
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.pages.document import FOLDER

GAMES = (
    *("chess:2", "connect_four:2", "backgammon:2", "tetrarchia:3", "shadow_of_the_emperor:4"),
    *("imperial:4", "imperial_2030:4"),
)
_SCRIPT = """
const { readFileSync } = require("node:fs");
const source = readFileSync(process.argv[1], "utf8") + "; return { choose, groups, placesOf };";
const { choose, groups, placesOf } = new Function(source)();
// The most buttons at once until an option is alone, and how many are taken.
function buttons(options, wanted) {
  const split = options.length > 1 ? groups(options) : null;
  if (!split) return { most: options.length, taken: 1 };
  const inside = split.find((group) => group.options.some((option) => option.text === wanted.text));
  if (inside.options.length === 1) return { most: split.length, taken: 1 };
  const further = buttons(inside.options, wanted);
  return { most: Math.max(split.length, further.most), taken: further.taken + 1 };
}
const count = { decisions: 0, clicks: 0, both: 0, button: 0, only: 0, most: 0, acts: 0 };
for (const line of readFileSync(0, "utf8").trim().split("\\n")) {
  const { options, wanted } = JSON.parse(line), option = options[wanted];
  count.decisions++;
  if (options.length === 1) { count.only++; continue; }
  const places = placesOf(option.arguments), found = choose(options, places);
  count.acts += places.length;
  if (found.only) { count.clicks++; continue; }
  const { most, taken } = buttons(found.options, option);
  count.most = Math.max(count.most, most);
  count.acts += taken;
  count[places.length ? "both" : "button"]++;
}
console.log(JSON.stringify(count));
"""


def decisions(ref: str, players: int, games: int) -> Iterator[dict[str, Any]]:
    """The decisions of players in random games, each with its options, their arguments shown on the board, and the
    choice.
    """
    ruleset = load_ruleset(ref)
    words = Words(ruleset)
    for seed in range(games):
        game, rng = Game(ruleset, "ABCDEF"[:players]), random.Random(seed)
        board = board_of(ruleset, game.seats, words, apart=True)
        backdrop = _places(board.backdrop()).union(*(table["places"] for table in plan(board)["tables"]))
        while (decision := game.decision) is not None:
            option = rng.choice(list(game.legal_options))
            if decision.by is not None:
                drawn = backdrop.union(*(_places(item.svg) for item in board.items(state_json(game))))
                own = [each for each in seat_options(game, decision.by) if not each.interrupt]
                yield {"options": [_shown(each, drawn) for each in own], "wanted": own.index(_same(own, option))}
            game.apply(option)


def _same(own: list[Any], option: Any) -> Any:
    return next(each for each in own if str(each) == str(option))


def _places(svg: str) -> set[str]:
    return set(re.findall(r'data-place="([^"]+)"', svg))


def _shown(option: Any, drawn: set[str]) -> dict[str, Any]:
    arguments = zip(option.kinds.values(), option.arguments.values(), strict=True)
    shown = [{"kind": kind, "id": id_} for kind, id_ in arguments if f"{kind}.{id_}" in drawn]
    return {"text": str(option), "name": option.name, "arguments": shown, "out_of_turn": False}


def counted(ref: str, players: int, games: int) -> dict[str, int]:
    """The number of decisions for each number of clicks and buttons that they need."""
    lines = "\n".join(json.dumps(each) for each in decisions(ref, players, games))
    command = ["node", "-e", _SCRIPT, str(FOLDER / "choose.js")]
    answer = subprocess.run(command, input=lines, capture_output=True, encoding="utf-8", check=True).stdout
    results: dict[str, int] = json.loads(answer)
    return results


def main() -> None:
    """Prints a table in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=GAMES, help="such as imperial:4")
    parser.add_argument("--number", type=int, default=2, help="of random games")
    args = parser.parse_args()
    heads = ("clicks alone", "clicks and a button", "a button", "only one option", "most buttons at once", "acts")
    print(f"| | decisions | {' | '.join(heads)} |")
    print("| --- " * (len(heads) + 2) + "|")
    for each in args.games:
        ref, _, players = each.partition(":")
        count = counted(ref, int(players or 2), args.number)
        total = count["decisions"]
        shares = [f"{100 * count[name] / total:.0f} %" for name in ("clicks", "both", "button", "only")]
        acts = count["acts"] / max(1, total - count["only"])
        print(f"| {ref} | {total} | {' | '.join(shares)} | {count['most']} | {acts:.2f} |", flush=True)


if __name__ == "__main__":
    main()
