"""The files of a new game written from scratch: a heap of counters for two players, small but complete."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rulespec.documents.versions import NEEDS
from rulespec.schemas import modeline

_GAME = """\
id: {name}
title: {title}
version: "0.1"
needs: {needs}
doc: "A heap of counters; whoever takes the last one wins."
players: {{kind: player, min: 2, max: 2}}
start: play        # the procedure that is the game, in rules/play.rules
"""

_KINDS = """\
# Pieces. A counter is in the heap, or in front of a player.
pieces:
  counter:
    each: []
    places:
      heap: {}
      taken: {index: player}
"""

_TABLES = """\
# Named numbers.
constants: {counters: 10, most: 3}
"""

_SETUP = """\
# The position at the start.
setup:
  pieces: {counter.heap: counters}
"""

_RULES = """\
procedure play():
    "R-01: the players take turns until the heap is empty."
    repeat at most counters:
        for p in player:
            turn(p)

procedure turn(p: player):
    decide turn by p:
        option take(n in 1 .. most "R-02: one to three counters"):
            require n <= counter.heap    "R-03: there are not that many counters"
            move n of counter from heap to taken[p]
    if counter.heap == 0:
        end game as last_counter won by {p}

invariant counters_stay:
    "No counter is lost."
    sum(counter.taken[p] for p in player) + counter.heap == counters
"""

_SCENARIOS = """\
# What must happen. `rulespec test` runs it.
scenarios:
  - id: {name}.01
    title: One to three counters
    rules: [R-02]
    then:
      decision: turn
      by: A
      options: [take(1), take(2), take(3)]
      illegal: {{take(4): R-02}}

  - id: {name}.02
    title: Whoever takes the last counter wins
    rules: [R-01, R-03]
    given:
      set: {{"counter.taken[A]": 8}}    # from the heap, where two are left
    then:
      illegal: {{take(3): R-03}}
    steps:
      - when: ["A: take(2)"]
        then: {{ended: last_counter, winners: [A]}}
"""


def game_files(name: str, title: str, target: Path) -> Iterator[tuple[str, str]]:
    """The files of the folder `target` with their texts; `title` is in YAML notation."""
    for file, text in (
        ("game", _GAME.format(name=name, title=title, needs=NEEDS)),
        ("kinds", _KINDS),
        ("tables", _TABLES),
    ):
        yield f"{file}.yaml", _with_schema(target, file, text)
    yield "setup.yaml", _with_schema(target, "setup", _SETUP)
    yield "rules/play.rules", _RULES
    scenarios = _SCENARIOS.format(name=name)
    yield "scenarios/start.yaml", _with_schema(target / "scenarios", "scenarios", scenarios)


def _with_schema(folder: Path, schema: str, text: str) -> str:
    return "\n".join([*modeline(folder, schema), text])
