"""Random games in wasm, with the same details as games in Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import machine
from rulespec.engine.game.option import Option, OptionKind
from rulespec.engine.search.measuring import RowMeasures, with_measures
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.simulate.details import Described, Details, Plies, UsedMoves, described, details_of, roles
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.leading import MOST as LEADS
from rulespec.engine.simulate.leading import Lead, lead_of, standings
from rulespec.engine.simulate.wasm import WasmOutcomes
from rulespec.typed import nodes as typed

AHEAD = 16
"""Games played ahead."""


class DetailedGames:
    """A player of a plan's random games in wasm, with details; falls back to Python.

    Args:
        plan: a plan of games with details, for one player count.
        ruleset: its ruleset.

    Raises:
        NoWasmtimeError, NoWasmError: if wasm cannot run its program.
    """

    def __init__(self, plan: GamePlan, ruleset: typed.Ruleset) -> None:
        self._plan, self._ruleset = plan, ruleset
        seats, rules = plan.seats(0), with_measures(ruleset)
        wasm = machine(rules, len(seats), plan.settings, "wasm")
        self._search = WasmSearch(Game(rules, seats, plan.settings, lambda *_: wasm))
        self._measuring = RowMeasures(self._search)
        self._outcomes = WasmOutcomes(replace(plan, details=False), rules)
        self._standings = standings(self._search.table)
        self._described: dict[tuple[int, ...], Described] = {}
        self._ready: dict[int, Outcome] = {}

    def outcome(self, number: int) -> Outcome:
        """The outcome of one game, with its details."""
        if number not in self._ready:
            self._ready = self._played(range(number, number + AHEAD))
        return self._ready.pop(number)

    def _played(self, numbers: range) -> dict[int, Outcome]:
        plan, search = self._plan, self._search
        games = search.coded(plan.seed, numbers.start, len(numbers), plan.cap)
        results = {}
        for number, outcome, codes in zip(numbers, self._outcomes.of(numbers), games, strict=True):
            if outcome.failure is None and len(codes) == outcome.decisions:
                details = self._details(codes, over=outcome.ended is not None)
                results[number] = replace(outcome, details=details)
            else:
                results[number] = plan.outcome(self._ruleset, number)
        return results

    def _details(self, codes: Codes, *, over: bool) -> Details:
        """The details of a game, given its decisions."""
        moves = UsedMoves()
        for ply, code in enumerate(map(tuple, codes.tolist())):
            moves.add(ply, self._move(code))
        first = self._first(codes)
        plies = Plies[None]()
        for ply in range(first, len(codes)):
            if plies.wants(ply):
                plies.add(ply, None)
        at = [*plies.notes, *([len(codes)] if over else [])]
        if not at:
            return details_of(moves, {}, {})
        rows = self._search.replay([codes[:ply] for ply in at]).rows
        lead = self._lead(codes, first, over=over) if plies.notes else None
        held = dict(roles(self._search.game(rows[0]))) if plies.notes else {}
        return details_of(moves, held, dict(zip(at, self._measuring.of(rows), strict=True)), lead)

    def _lead(self, codes: Codes, first: int, *, over: bool) -> Lead | None:
        """The lead in a game from the first decision of a seat on."""
        if self._standings is None:
            return None
        plies = Plies[None](LEADS, 1)
        for ply in range(first, len(codes)):
            if plies.wants(ply):
                plies.add(ply, None)
        at, rows, row, done = [*plies.notes, *([len(codes)] if over else [])], [], None, 0
        for ply in at:  # incrementally, not from the start
            row = self._search.replay([codes[done:ply]], start=row).rows[0]
            rows.append(row)
            done = ply
        course = dict(zip(at, self._search.values(np.array(rows)).tolist(), strict=True))
        return lead_of(self._search.table, self._standings.by, self._standings.slack, course)

    def _first(self, codes: Codes) -> int:
        """The index of the first decision of a seat, or the number of decisions if there is none."""
        for ply in range(len(codes)):
            if codes[ply, 1] >= 0 and self._search.deciders(self._search.replay([codes[:ply]]).rows)[0] >= 0:
                return ply
        return len(codes)

    def _move(self, code: tuple[int, ...]) -> Described:
        """A decision as details record it."""
        if code not in self._described:
            search, seats = self._search, self._plan.seats(0)
            decision, choice = search.coder.options[code[0]]
            labels, d = search.table.omniscient.labels, search.program.decisions[decision]
            c = d.choices[choice]
            kind = OptionKind(d.name, c.name, False, choice, labels, c.block)
            by = seats[code[1]] if code[1] >= 0 else None
            self._described[code] = described(Option(kind, search.coder.columns[code[0]].arguments(code), by))
        return self._described[code]
