"""Limits that random games reach: exhausted loops, and recursion depths of procedures.

When a `repeat at most` with decisions is exhausted, the game may end.

If the game can end in other ways, such a limit is only a safeguard against endless games, and is rarely meant to be
reached. An author who wants it to be reached writes `end game as …` after the loop; otherwise the start procedure
returns.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.lower.lowering import lower
from rulespec.engine.lower.scope import Marks, Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import cell, op
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.execution import Observer
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.procedures import procedures
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.simulate.checked_playouts import choose, play_out
from rulespec.engine.verify.combinations import SEED, CombinationGames
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import walk


class LoopBounds(Marks, Observer):
    """The `repeat at most` loops of a program that contain decisions and are followed by none, if the game can also end
    in other ways.

    Args:
        ruleset: the ruleset.
        seats: the number of players.
        settings: the values of all settings.
    """

    def __init__(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> None:
        self._repeat: typed.Repeat | None = None
        self._bodies: dict[tuple[int, int], tuple[int, Span]] = {}
        program = lower(ruleset, seats, settings, self)
        self._flow = Flow(program)
        self._waits = {first for first, each in procedures(self._flow).items() if each.waits}
        ends = any(isinstance(s, typed.EndGame) for p in ruleset.rules.procedures.values() for s in walk(p.body))
        self._last = {
            exits: span
            for exits, (body, span) in self._bodies.items()
            if self._is_last(*exits, body) and (ends or self._is_left(*exits, body))
        }
        self._out: Span | None = None
        interpreter = Interpreter(program, observer=self)
        self._game = Game(ruleset, seat_names(seats, ruleset.seats), settings, lambda *_: interpreter)

    def ended(self, games: CombinationGames, number: int, decisions: int) -> Span | None:
        """The place of the limit that ended a game after `decisions` decisions; None if no limit ended it."""
        cells = games.cells(decisions - 1, number) if self._last and decisions else None
        if cells is None:
            return None
        game = game_at(self._game, cells)
        self._out = None
        try:
            option = choose(game, Draws(SEED, number), decisions - 1)
            if option is not None:
                game.apply(option)
        except RulesetFaultError:
            return None
        return self._out

    # --- marks ---------------------------------------------------------------------------------

    def statement(self, s: typed.Stmt, block: int, scope: Scope) -> None:
        """Records a limited loop before its body is compiled."""
        if isinstance(s, typed.Repeat) and s.limit is not None:
            self._repeat = s

    def loop(self, body: typed.Block, block: int, again: int, leave: int) -> None:
        """Records the block where a limited loop decides whether to continue."""
        if self._repeat is not None and self._repeat.body is body:
            self._bodies[again, leave] = block, self._repeat.span

    # --- observer ------------------------------------------------------------------------------

    def entered(self, block: int, before: int) -> None:
        """Records a loop that has reached its limit."""
        self._out = self._last.get((before, block), self._out)

    # --- flow ----------------------------------------------------------------------------------

    def _is_last(self, again: int, leave: int, body: int) -> bool:
        """Whether a loop has decisions inside, and none after it."""
        return self._asks(body, {again, leave}) and not self._asks(leave, set())

    def _is_left(self, again: int, leave: int, body: int) -> bool:
        """Whether a loop can be left before its limit."""
        blocks = self._reached(body, {again, leave})
        exits = [self._flow.p.blocks[at].exit for at in blocks]
        return any(isinstance(e, ir.Return | ir.End) for e in exits) or any(
            leave in self._flow.successors(at) for at in blocks
        )

    def _asks(self, block: int, stops: set[int]) -> bool:
        """Whether a decision is reachable from a block, up to the `stops`, or after the procedure has returned."""
        exits = [self._flow.p.blocks[at].exit for at in self._reached(block, stops)]
        return any(isinstance(e, ir.Ask) or (isinstance(e, ir.Enter) and e.block in self._waits) for e in exits)

    def _reached(self, block: int, stops: set[int]) -> set[int]:
        """The blocks reachable from a block, up to the `stops`; without any, also after the procedure has returned."""
        seen, todo = set(stops), [block]
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            exit_ = self._flow.p.blocks[at].exit
            todo += self._flow.successors(at)
            if isinstance(exit_, ir.Ask):
                todo += [choice.block for choice in self._flow.p.decisions[exit_.decision].choices]
                todo += [exit_.otherwise] if exit_.otherwise is not None else []
            if isinstance(exit_, ir.Return) and not stops:
                todo += self._callers(exit_)
        return seen - stops

    def _callers(self, exit_: ir.Return) -> list[int]:
        """The blocks to which a procedure may return."""
        entries = {first for first, cells in self._flow.firsts.items() if cells and cells[0] == exit_.cell}
        exits = (block.exit for block in self._flow.p.blocks)
        return [e.after for e in exits if isinstance(e, ir.Enter) and e.block in entries]


class DepthsReached:
    """The recursion depths reached in random games.

    The games use a program in which each procedure has a counter cell, which its first block increments.

    Args:
        ruleset: the ruleset.
        seats: the number of players.
        settings: the values of all settings.

    Attributes:
        most: name of a recursive procedure → its maximum depth in all games.
    """

    def __init__(self, ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> None:
        p = lower(ruleset, seats, settings)
        names = {first: name for name, (first, _) in p.entries.items()}
        self._cells = {names[first]: len(p.cells) + number for number, first in enumerate(p.frames)}
        self.most = dict.fromkeys(self._cells, 0)
        for first, at in zip(p.frames, self._cells.values(), strict=True):
            under_way = op("+", cell(p.frames[first].depth), ir.Const(1))
            deepest = ir.Store(cell(at), op("max", cell(at), under_way), None, None, 0)
            p.blocks[first].body.insert(0, deepest)
            p.cells.append(ir.CellName("rules", "", "deepest", "int"))
            p.start.append(0)
        machine = PythonBackend(p)
        self._game = Game(ruleset, seat_names(seats, ruleset.seats), settings, lambda *_: machine)

    def look(self, number: int, cap: int) -> int:
        """Plays a game with a combination of player count and settings, up to `cap` decisions.

        Returns the number of its decisions.
        """
        played = play_out(self._game.copy(), SEED, number, cap=cap)
        game = played.game
        for name, at in self._cells.items():
            self.most[name] = max(self.most[name], game.omniscient.numbers.cells[at])
        return played.decisions
