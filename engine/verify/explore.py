"""Bounded exploration: a search for mistakes in the rules by playing games from the start positions.

Near the start, every option is tried, breadth first; further on, games are random. In a long run, most random games are
only played, and not checked for loops and never-legal options. Each finding comes with the shortest game known to
reveal it. The absence of findings proves nothing, unless every position was visited.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeVar

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.position_check import MAX_OPTIONS, asked, explained, look, meant, same_option, take
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.verify.plain_games import plain_games
from rulespec.engine.verify.position_graph import Node, PositionGraph, endless_decisions, idle_entries
from rulespec.engine.verify.shrink import example, failing_scenario, leave_out, replayed
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

MAX_CELLS = 10_000_000
"""The maximum total number of cells in positions near the start, a bound on memory."""
SETTINGS_EVERY = 2_000
"""The number of available decisions per explored choice of settings."""
MAX_SETTINGS = 4
CLOSELY = 60_000
"""The total number of decisions in closely checked random games, after which further games are only played."""
MIN_OPEN = 5_000
"""The number of positions after which a never-legal option is reported."""
MAX_FOUND = 20
"""The maximum number of findings of one exploration."""
INTERRUPT_RATE = 1 / 20
SHORT_CUTS = 30
"""The number of random shortcuts tried before a game counts as shortest."""
_GIVEN_UP = 200  # the cost of a decision that exceeds the step limit, in decisions
_STEP = 100  # decisions between progress reports

_T = TypeVar("_T")


@dataclass(slots=True)
class Finding:
    """A mistake in the rules, with a game that reveals it.

    Attributes:
        diagnostic: the mistake.
        header: the seats and settings of the game.
        moves: the decisions of the game.
        scenario: the game as a scenario file that fails in the same way; "" if no scenario can fail in this way.
        loop: the number of final decisions that form a loop, if that is the mistake; otherwise 0.
        shortest: whether no game with the same number of players and settings is shorter.
    """

    diagnostic: Diagnostic
    header: LogHeader
    moves: list[Option]
    loop: int = 0
    shortest: bool = False
    scenario: str = ""

    def log(self, ruleset: typed.Ruleset) -> list[dict[str, Any]]:
        """The game as the lines of a native log."""
        return replayed(ruleset, self.header, self.moves).lines(self.header, self.moves)


@dataclass(slots=True)
class Exploration:
    """The result of an exploration.

    Attributes:
        decisions: the number of decisions taken.
        games: the number of random games.
        complete: the player counts for which, with default settings, every position was visited.
        findings: mistakes with games that reveal them.
        others: mistakes that no single game reveals.
        unseen: the names of options that were never legal.
    """

    decisions: int = 0
    games: int = 0
    complete: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    others: list[Diagnostic] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def diagnostics(self) -> list[Diagnostic]:
        """All diagnostics, without the games."""
        return [f.diagnostic for f in self.findings] + self.others


def explore(ruleset: typed.Ruleset, decisions: int, progress: Callable[[int], object] | None = None) -> Exploration:
    """Explores a ruleset; the result depends only on the ruleset and the bound.

    Args:
        ruleset: a ruleset without errors.
        decisions: the total number of decisions.
        progress: a function called at intervals with the number of decisions since the last call.

    Raises:
        DiagnosticsError: if a game cannot start, for instance with a start value out of range.
    """
    return _Explorer(ruleset, decisions, progress or (lambda _: None)).run()


def _of_turns(option: Option, endless: Set[str]) -> bool:
    """Whether an option may be part of a loop.

    This excludes chance, which may break a loop, interrupts, which are voluntary, and decisions that are endless on
    purpose.
    """
    return option.by is not None and not option.interrupt and option.decision not in endless


def any_of(rng: random.Random, of: Sequence[_T]) -> _T:
    """A uniformly chosen member, drawn by `random()`, since no other method gives the same numbers in all versions of
    Python.
    """
    return of[int(rng.random() * len(of))]


class _Explorer:
    """The state of an exploration: findings, and for each option the positions that offer it."""

    def __init__(self, ruleset: typed.Ruleset, decisions: int, progress: Callable[[int], object]) -> None:
        self.ruleset, self.limit = ruleset, decisions
        self.progress = progress
        self.rng = random.Random(0)
        self.result = Exploration()
        self.findings: dict[tuple[str, Span | None], Finding] = {}
        self.open: dict[Span, tuple[str, int]] = {}
        self.offered: set[Span] = set()
        self.endless = endless_decisions(ruleset)
        self.near: set[Span] = set()

    def run(self) -> Exploration:
        low, high = self.ruleset.players
        share = max(4, self.limit * 4 // 5 // (high - low + 1))  # a fifth is for shortening games
        for seats in range(low, high + 1):
            end = self.result.decisions + share
            if complete := self._breadth(seats, share // 4):
                self.near.update(self.open)
            self._playouts(seats, end, CLOSELY // (high - low + 1), defaults=not complete)
        for finding in self.findings.values():
            self._shorten(finding, (self.limit - self.result.decisions) // len(self.findings))
            finding.diagnostic = _with_game(self.ruleset, finding)
        self.result.findings = [*self.findings.values()]
        self.result.others += idle_entries(self.ruleset)
        self._never()
        self.progress(self.result.decisions % _STEP)
        return self.result

    def _spend(self, wrong: Diagnostic | None = None, decisions: int = 1) -> None:
        """Counts decisions; if the rules do not terminate after one, it counts for as many as take the same time."""
        steps = self.result.decisions // _STEP
        self.result.decisions += _GIVEN_UP if wrong is not None and wrong.code == "RS704" else decisions
        if self.result.decisions // _STEP > steps:
            self.progress((self.result.decisions // _STEP - steps) * _STEP)

    def _begin(self, seats: int, settings: Mapping[str, str] | None = None) -> tuple[Game, list[Option]] | None:
        """A game at its first decision, and its options; None if it reveals a mistake."""
        game = Game(self.ruleset, seat_names(seats, self.ruleset.seats), settings)
        try:
            game.omniscient.numbers.begin()
        except RulesetFaultError as fault:
            self._spend(fault.diagnostic)
            self._note(fault.diagnostic, game, [])
            return None
        listed, wrong = look(game)
        if wrong is not None:
            self._note(wrong, game, [])
            return None
        return game, listed

    def _note(
        self, diagnostic: Diagnostic, game: Game, moves: list[Option], loop: int = 0, shortest: bool = False
    ) -> None:
        """Records a finding, unless known from a game of at most this length; of all loops, keeps only the shortest."""
        if meant(game, diagnostic):
            return
        key = (diagnostic.code, None if loop else diagnostic.span)
        known = self.findings.get(key)
        if (known is None and len(self.findings) < MAX_FOUND) or (known is not None and len(moves) < len(known.moves)):
            self.findings[key] = Finding(diagnostic, LogHeader.of(game), moves, loop, shortest)

    def _see(self, game: Game, options: list[Option]) -> None:
        """Counts the legal options, and the expected ones, except for those disabled by settings."""
        choices = asked(game).choices
        self.offered.update(choices[number].span for number in {o.kind.choice for o in options})
        if len(options) < MAX_OPTIONS:
            for choice in choices:
                if all(r.expr != FALSE for r in choice.requires):
                    name, times = self.open.get(choice.span, (choice.name, 0))
                    self.open[choice.span] = (name, times + 1)

    # --- near the start --------------------------------------------------------------------

    def _breadth(self, seats: int, budget: int) -> bool:
        """Tries every option of every position, breadth first. Returns whether all positions were visited."""
        started = self._begin(seats)
        if started is None:
            return True
        first = started[0]
        end = self.result.decisions + budget
        most = max(1, MAX_CELLS // len(first.omniscient.numbers.cells))
        graph = PositionGraph()
        nodes = graph.nodes
        numbers = {first.hash: 0}
        queue = deque([started])
        complete = True
        place = 0
        while queue and complete:
            game, options = queue.popleft()
            node = nodes[place]
            if game.is_over:
                node.ends = True
            else:
                node.decision = asked(game)
                self._see(game, options)
                complete = len(options) < MAX_OPTIONS
            for option in options:
                if self.result.decisions >= end or len(nodes) >= most:
                    complete = False
                    break
                child = game.copy()
                listed, wrong = take(child, option)
                self._spend(wrong)
                if wrong is not None:
                    node.ends = True
                    self._note(wrong, game, [*graph.path(place), option], shortest=True)
                    continue
                there = numbers.setdefault(child.hash, len(nodes))
                if there == len(nodes):
                    nodes.append(Node(place, option))
                    queue.append((child, listed))
                node.successors.add(there)
                if _of_turns(option, self.endless):
                    node.turns.append((option, there))
            place += 1
        self._note_loop(first, graph)
        if complete:
            self.result.complete.append(seats)
            self._note_dead_end(first, graph)
        return complete

    def _note_loop(self, game: Game, graph: PositionGraph) -> None:
        loop = graph.first_loop()
        if loop is not None:
            start, turns = loop
            moves = [*graph.path(start), *turns]
            self._note(_endless(graph.decision(start), len(turns)), game, moves, len(turns), shortest=True)

    def _note_dead_end(self, game: Game, graph: PositionGraph) -> None:
        stuck = graph.first_dead_end()
        if stuck is not None:
            decision = graph.decision(stuck)
            message = f"no decisions after this `{decision.name}` lead to an end of the game"
            help_ = "change the rules so that an end can be reached from here"
            diagnostic = Diagnostic("RS714", Severity.ERROR, message, decision.span, help=help_)
            self._note(diagnostic, game, graph.path(stuck), shortest=True)

    # --- further on ------------------------------------------------------------------------

    def _playouts(self, seats: int, end: int, closely: int, defaults: bool) -> None:
        """Plays random games with some choices of settings, and with the defaults if `defaults` is true."""
        settings = self._settings(min(MAX_SETTINGS, (end - self.result.decisions) // SETTINGS_EVERY))
        settings = settings if defaults else settings[1:]
        number, until = 0, min(end, self.result.decisions + closely)
        while settings and self.result.decisions < until:
            chosen = settings[number % len(settings)]
            number += 1
            started = self._started(seats, chosen)
            if started is None or started[0].is_over:
                settings.remove(chosen)
                continue
            self.result.games += 1
            self._playout(*started, until)
        for left, chosen in zip(range(len(settings), 0, -1), settings, strict=True):
            decisions = (end - self.result.decisions) // left
            if decisions >= CAP and (started := self._started(seats, chosen)) is not None and not started[0].is_over:
                self._plainly(seats, chosen, decisions)

    def _started(self, seats: int, settings: Mapping[str, str]) -> tuple[Game, list[Option]] | None:
        """A game at its first decision, and its options; None if it reveals a mistake."""
        try:
            return self._begin(seats, settings)
        except DiagnosticsError as error:
            self.result.others += error.diagnostics
            return None

    def _plainly(self, seats: int, settings: Mapping[str, str], decisions: int) -> None:
        """Plays games without checks for loops and never-legal options."""
        plan = GamePlan.of(self.ruleset.reference, self.ruleset, [seats], 0, settings=settings)
        for taken, failed in plain_games(self.ruleset, plan, decisions):
            self.result.games += 1
            wrong = failed.failure.wrong if failed is not None and failed.failure is not None else None
            self._spend(wrong, taken)
            if failed is not None and wrong is not None:
                self._note(wrong, failed.game, failed.moves())

    def _settings(self, number: int) -> list[dict[str, str]]:
        """The default settings, and up to `number` random choices of settings."""
        settings = self.ruleset.settings.values()
        default = {s.name: s.default for s in settings}
        results = [default]
        for _ in range(number):
            chosen = {s.name: any_of(self.rng, values_to_try(s)) for s in settings}
            if chosen not in results:
                results.append(chosen)
        return results

    def _playout(self, game: Game, options: list[Option], end: int) -> None:
        seen = {game.hash: 0}
        while options and game.ply < CAP and self.result.decisions < end:
            self._see(game, options)
            option = self._choose(options)
            before = game.ply
            options, wrong = take(game, option)
            self._spend(wrong)
            if wrong is not None:
                self._note(wrong, game, game.history if game.ply > before else [*game.history, option])
                return
            if not _of_turns(option, self.endless):
                seen.clear()
            if game.hash in seen and not game.is_over:
                length = game.ply - seen[game.hash]
                self._note(_endless(asked(game), length), game, game.history, length)
            seen[game.hash] = game.ply

    def _choose(self, options: list[Option]) -> Option:
        """A random option; half of the time each name is equally likely, however many arguments it has."""
        own = [o for o in options if not o.interrupt]
        if len(own) < len(options) and self.rng.random() < INTERRUPT_RATE:
            own = [o for o in options if o.interrupt]
        if self.rng.random() < 1 / 2:
            name = any_of(self.rng, list(dict.fromkeys(o.name for o in own)))
            own = [o for o in own if o.name == name]
        return any_of(self.rng, own)

    # --- findings --------------------------------------------------------------------

    def _shorten(self, finding: Finding, budget: int) -> None:
        """Shortens a game, by leaving out decisions and by random short cuts that reveal the same mistake."""
        end = self.result.decisions + budget

        def again(fewer: list[Option]) -> list[Option] | None:
            return finding.moves if self.result.decisions < end and self._again(finding, fewer, 0) else None

        for setting in self.ruleset.settings.values():
            if finding.header.settings[setting.name] != setting.default and self.result.decisions < end:
                settings = {**finding.header.settings, setting.name: setting.default}
                self._again(finding, finding.moves, 0, replace(finding.header, settings=settings))
        while not finding.shortest and finding.moves and self.result.decisions < end:
            before = len(finding.moves)
            leave_out(finding.moves, again)
            for _ in range(SHORT_CUTS):
                at = int(self.rng.random() * len(finding.moves))
                more = len(finding.moves) - at - 1
                if self.result.decisions >= end or self._again(finding, finding.moves[:at], more):
                    break
            if len(finding.moves) == before:
                return

    def _again(self, finding: Finding, moves: list[Option], more: int, header: LogHeader | None = None) -> bool:
        """Replays decisions, skipping illegal ones, then takes `more` random ones.

        Returns whether the game reveals the same mistake sooner, or, with another header, no later; if so, updates
        `finding`.
        """
        most = len(finding.moves) - (header is None)
        header = header or finding.header
        self._spend()  # even if no decision follows
        try:
            game = Game(self.ruleset, header.seats, header.settings)
            game.omniscient.numbers.begin()
        except RulesetFaultError as fault:
            self._spend(fault.diagnostic)
            return False
        except DiagnosticsError:
            return False
        options, _ = look(game)
        seen = {game.hash: 0}
        source = iter(moves)
        while options and game.ply < most:
            option = next((o for m in source if (o := same_option(game, m)) is not None), None)
            if option is None:
                if more <= 0:
                    return False
                more -= 1
                option = self._choose(options)
            before = game.ply
            options, wrong = take(game, option)
            self._spend(wrong)
            if wrong is not None:
                if finding.loop or (wrong.code, wrong.span) != (finding.diagnostic.code, finding.diagnostic.span):
                    return False
                finding.moves = game.history if game.ply > before else [*game.history, option]
                finding.header = header
                return True
            if not _of_turns(option, self.endless):
                seen.clear()
            if finding.loop and game.hash in seen and options:
                finding.loop = game.ply - seen[game.hash]
                finding.moves = game.history
                finding.header = header
                finding.diagnostic = _endless(asked(game), finding.loop)
                return True
            seen[game.hash] = game.ply
        return False

    def _never(self) -> None:
        """Reports options that were never legal, in all positions or in very many."""
        low, high = self.ruleset.players
        everywhere = len(self.result.complete) == high - low + 1
        for span, (name, times) in self.open.items():
            if span in self.offered:
                continue
            self.result.unseen.append(name)
            if (everywhere and span in self.near) or times >= MIN_OPEN:
                message = f"the option `{name}` was legal in none of {times:,} positions"
                help_ = "remove it, or check whether its conditions can all hold at once"
                self.result.others.append(Diagnostic("RS715", Severity.WARNING, message, span, help=help_))


def _with_game(ruleset: typed.Ruleset, finding: Finding) -> Diagnostic:
    """The diagnostic, with the game that reveals it as text."""
    end = replayed(ruleset, finding.header, finding.moves)
    finding.scenario = failing_scenario(end.game, finding.header, end.fault, finding.diagnostic)
    text = example(ruleset, finding.header, finding.moves, () if finding.loop else end.changed)
    help_ = explained(end.game, finding.diagnostic).help
    return replace(finding.diagnostic, help=f"{help_}\n{text}" if help_ else text)


def _endless(asked: ir.Decision, length: int) -> Diagnostic:
    count = "one decision" if length == 1 else f"{length} decisions"
    message = f"endless turns: {count} after this `{asked.name}`, the position is the same"
    help_ = "count repetitions in the rules, or make each option change something permanently"
    return Diagnostic("RS713", Severity.WARNING, message, asked.span, help=help_)
