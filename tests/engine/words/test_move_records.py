"""Records of moves: a marked program notes what the interpreter does, procedure by procedure, write by write."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import GAMES, RULESETS

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.machines import lowered
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.program import ir
from rulespec.engine.program.execution import Observer
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.move_records import records

Event = tuple[str, int, tuple[int, ...], tuple[int, ...]]
"""Kind and block of a mark, the declared cells there, and the arguments of a procedure that begins."""


class Watcher(Observer):
    """The marks of the moves that an interpreter makes."""

    def __init__(self, program: ir.Program) -> None:
        self.p = program
        self.machine = Interpreter(program, observer=self)
        self.params = {first: cells[1:] for first, cells in program.entries.values()}
        self.state: list[int] = []
        self.events: list[Event] = []

    def entered(self, block: int, before: int) -> None:
        exit_ = self.p.blocks[before].exit if before >= 0 else None
        kinds = {"Enter": "enters", "Return": "returns", "Ask": "skips"}
        kind = kinds.get(type(exit_).__name__, "")
        if kind:
            arguments = tuple(self.state[at] for at in self.params[block]) if kind == "enters" else ()
            self.events.append((kind, block, self.declared(), arguments))

    def declared(self) -> tuple[int, ...]:
        return tuple(self.state[at] for at in self.p.declared)

    def of(self, cells: tuple[int, ...], option: Option) -> list[Event]:
        self.state, self.events = list(cells), []
        self.machine.run(self.state, option.kind.block, option.args)
        return [*self.events, ("", 0, self.declared(), ())]


def recorded(game: Game, option: Option, program: ir.Program) -> list[Event]:
    """The same of the record of a move."""
    record = records(game.ruleset, len(game.seats), game.settings).of(
        game.omniscient.numbers.cells, option.kind.block, option.args
    )
    state, events, done = list(record.cells), list[Event](), 0
    for mark in [*record.marks, None]:
        end = mark.writes if mark is not None else len(record.writes)
        for cell, before, after in record.writes[done:end]:
            assert state[cell] == before
            state[cell] = after
        done = end
        declared = tuple(state[at] for at in program.declared)
        events.append((mark.kind, mark.block, declared, mark.arguments) if mark is not None else ("", 0, declared, ()))
    return events


LIGHT = [RULESETS / "nim" / "logs" / "short.jsonl"]
HEAVY = [
    path
    for name in ("imperial", "imperial_2030", "tetrarchia", "shadow_of_the_emperor", "gallery/chess", "gallery/ludo")
    for path in sorted((GAMES / name / "logs").glob("*.jsonl*"))[:2]
]


@pytest.mark.parametrize(
    "log",
    [
        *(pytest.param(log, id=log.stem) for log in LIGHT),
        *(pytest.param(log, id=f"{log.parent.parent.name}-{log.stem}", marks=pytest.mark.proof) for log in HEAVY),
    ],
)
def test_a_record_is_what_the_interpreter_does(log: Path) -> None:
    result = replay_log(log, rules=str(log.parent.parent))
    game, program = restarted(result.game), lowered(result.game.ruleset, len(result.game.seats), result.game.settings)
    watcher = Watcher(program)
    for move in result.moves:
        if isinstance(move, TakenBack):
            game.omniscient.take_back(move)
            continue
        assert recorded(game, move, program) == watcher.of(game.omniscient.numbers.cells, move)
        game.apply(move)
