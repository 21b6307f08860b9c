"""Trial starts of games, up to the first decision: with each player count and with extreme settings, within a step
limit.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.typed import nodes as typed
from rulespec.typed.settings import ends

PATIENCE = 2_000_000
"""The limit on evaluated expressions, for all numbers of players together; new cells and instructions count several
times.
"""
_PER_CELL = 5
_PER_INSTRUCTION = 20
_PER_GAME = 500


def check_starts(ruleset: typed.Ruleset, report: Report) -> None:
    """Reports errors in set-ups: wrong start values, faults before the first decision, broken invariants.

    Each player count is tried with the defaults, then with each numeric setting at its minimum and maximum.
    """
    low, high = ruleset.players
    others = [{s.name: value} for s in ruleset.settings.values() for value in ends(s)]
    left = PATIENCE
    for settings in ({}, *others):
        for seats in range(low, high + 1):
            result, left = _tried(ruleset, seats, settings, left)
            if left < 0:
                with_ = _shown(settings) if settings else f"{seats} player{'s'[: seats - 1]} or more"
                rest = ", so no further settings were checked" if settings else ""
                message = f"the start with {with_} takes too long to check{rest}"
                span = next((ruleset.settings[name].span for name in settings), None)
                report.warning("RS710", message, span, help="reduce the work before the first decision")
                return
            for d in result.diagnostics:
                report.add(replace(d, help=f"{d.help}\nwith {_shown(settings)}".strip()) if settings else d)


def _shown(settings: Mapping[str, str]) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in settings.items())


def _tried(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], left: int) -> tuple[Report, int]:
    """The faults of one start, and the remaining step budget."""
    machines: list[Interpreter] = []

    def make(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Interpreter:
        program = lower(ruleset, seats, settings)
        instructions = sum(1 + len(block.body) for block in program.blocks)
        patience = left - _PER_CELL * len(program.cells) - _PER_INSTRUCTION * instructions
        machines.append(Interpreter(program, patience - _PER_GAME - _PER_CELL * len(settings)))
        return machines[-1]

    result = Report()
    try:
        _check_start(Game(ruleset, seat_names(seats, ruleset.seats), settings, backend=make), seats, result)
    except DiagnosticsError as error:
        result.extend(error.diagnostics)
    except RulesetFaultError as fault:
        result.add(fault.diagnostic)
    except ProgramFaultError as fault:
        message = f"the set-up for {seats} players cannot be evaluated: {fault.detail or 'a lookup without a row'}"
        result.error("RS703", message, None, help="correct setup.yaml or the tables that it uses")
    except RecursionError:
        help_ = "split expressions with `let`, and shorten the chain of definitions"
        result.error("RS410", "the rules are nested too deep", None, help=help_)
    return result, machines[-1].left if machines else left - _PER_GAME


def _check_start(game: Game, seats: int, report: Report) -> None:
    game.omniscient.numbers.begin()
    for text in game.omniscient.broken_invariants():
        invariant = game.ruleset.rules.invariants[text.partition(":")[0]]
        message = f"the invariant `{invariant.name}` does not hold before the first decision"
        why = game.omniscient.why_broken(invariant.name)
        help_ = f"with {seats} players: correct the set-up, or the rules that run before that" + (
            f"\n{why}" if why else ""
        )
        report.error("RS709", message, invariant.span, invariant.doc, help=help_)
