"""Bounded exploration: games are tried out from the start positions on, in search of what the rules get wrong.

Near the start every option is tried, shortest games first; further on games are played at random. What is found comes
with the game that leads there, made as short as it could be. To find nothing proves nothing, unless all was tried.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import seat_names
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.position_check import MAX_OPTIONS, asked, look, same_option, take
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE
from rulespec.engine.simulate.playouts import CAP
from rulespec.engine.verify.shrink import last_changes, leave_out
from rulespec.typed import nodes as typed

MAX_CELLS = 10_000_000
"""Numbers that the positions near the start may hold together: a bound on memory."""
SETTINGS_EVERY = 2_000
"""Decisions with one number of players for each further choice of the ruleset's options that is tried."""
MAX_SETTINGS = 4
MAX_CIRCLES = 100
"""Positions from which a way back to them is looked for."""
MIN_OPEN = 5_000
"""How often an option must have been there to be taken before it is remarkable that it never could be."""
MAX_FOUND = 20
"""Findings; the rules are mended before more of them are of use."""
INTERRUPT_RATE = 1 / 20
SHORT_CUTS = 30
"""Other ways that are tried to where a game goes wrong, before it is taken to be as short as can be."""
_STEP = 100  # decisions from one sign of progress to the next
_SHOWN = 8  # decisions of a game that a message shows

_T = TypeVar("_T")


@dataclass(slots=True)
class Finding:
    """Something that the rules get wrong, and the decisions that lead there.

    `loop` counts the last of these decisions, which come back to where they began, if that is what is wrong; else it is
    0. `shortest`: no game of as many players, with the same options, is shorter.
    """

    diagnostic: Diagnostic
    header: LogHeader
    moves: list[Option]
    loop: int = 0
    shortest: bool = False

    def log(self) -> list[dict[str, Any]]:
        """The game as the lines of a native log."""
        return [self.header.to_json(), *(entry_json(move) for move in self.moves)]


@dataclass(slots=True)
class Exploration:
    """What came of it.

    `complete` are the numbers of players for which every position has been seen, with the default settings. `others` is
    what was found that no single game shows, `unseen` the names of options that were never legal so far.
    """

    decisions: int = 0
    games: int = 0
    complete: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    others: list[Diagnostic] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)

    def diagnostics(self) -> list[Diagnostic]:
        """Everything found, without the games."""
        return [f.diagnostic for f in self.findings] + self.others


def explore(ruleset: typed.Ruleset, decisions: int, progress: Callable[[int], object] | None = None) -> Exploration:
    """Tries a ruleset out. The same ruleset and bound give the same result.

    Args:
        ruleset: without errors.
        decisions: how many may be taken, all games and numbers of players together.
        progress: told now and then how many more decisions have been taken.

    Raises:
        DiagnosticsError: if a game cannot begin at all, such as with a start value out of its range.
    """
    return _Explorer(ruleset, decisions, progress or (lambda _: None)).run()


def _of_turns(option: Option) -> bool:
    """Whether an option may be part of a loop: chance may break it, and nobody has to wait for acts out of turn."""
    return option.by is not None and not option.interrupt


@dataclass(slots=True)
class _Node:
    """A position near the start: from where it was reached, and where it leads."""

    parent: int
    move: Option | None
    ends: bool = False
    leads: set[int] = field(default_factory=set)
    turns: list[tuple[Option, int]] = field(default_factory=list)
    asked: ir.Decision | None = None


def _way(nodes: list[_Node], here: int) -> list[Option]:
    """The decisions from the start to a position."""
    way: list[Option] = []
    while (move := nodes[here].move) is not None:
        way.append(move)
        here = nodes[here].parent
    return way[::-1]


class _Explorer:
    def __init__(self, ruleset: typed.Ruleset, decisions: int, progress: Callable[[int], object]) -> None:
        self.ruleset = ruleset
        self.limit = decisions
        self.progress = progress
        self.rng = random.Random(0)
        self.result = Exploration()
        self.found: dict[tuple[str, Span | None], Finding] = {}
        self.open: dict[Span, tuple[str, int]] = {}
        self.offered: set[Span] = set()
        self.near: set[Span] = set()

    def run(self) -> Exploration:
        low, high = self.ruleset.players
        share = max(4, self.limit * 4 // 5 // (high - low + 1))  # a fifth is for making games shorter
        for seats in range(low, high + 1):
            end = self.result.decisions + share
            if seen := self._breadth(seats, share // 4):
                self.near.update(self.open)
            self._playouts(seats, end, defaults=not seen)
        for finding in self.found.values():
            self._shorten(finding, (self.limit - self.result.decisions) // len(self.found))
            finding.diagnostic = self._with_game(finding)
        self.result.findings = list(self.found.values())
        self._never()
        self.progress(self.result.decisions % _STEP)
        return self.result

    def _spend(self) -> None:
        self.result.decisions += 1
        if self.result.decisions % _STEP == 0:
            self.progress(_STEP)

    def _begin(self, seats: int, settings: Mapping[str, str] | None = None) -> tuple[Game, list[Option]] | None:
        """A game at its first decision, with its settings; None if something is wrong there already."""
        game = Game(self.ruleset, seat_names(seats), settings)
        try:
            game.position.begin()
        except RulesetFaultError as fault:
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
        """Keeps a finding, unless it is known from a game as short. Of all loops only the shortest is kept."""
        key = (diagnostic.code, None if loop else diagnostic.span)
        known = self.found.get(key)
        if (known is None and len(self.found) < MAX_FOUND) or (known is not None and len(moves) < len(known.moves)):
            self.found[key] = Finding(diagnostic, LogHeader.of(game), moves, loop, shortest)

    def _see(self, game: Game, options: list[Option]) -> None:
        """Counts what was offered. What the ruleset's options switch off is not expected to be."""
        self.offered.update(asked(game).choices[o.kind.choice].span for o in options)
        if len(options) < MAX_OPTIONS:
            for choice in asked(game).choices:
                if all(r.expr != FALSE for r in choice.requires):
                    name, times = self.open.get(choice.span, (choice.name, 0))
                    self.open[choice.span] = (name, times + 1)

    # --- near the start --------------------------------------------------------------------

    def _breadth(self, seats: int, budget: int) -> bool:
        """Takes every option of every position, those near the start first. Returns whether that was all there is."""
        begun = self._begin(seats)
        if begun is None:
            return True
        first = begun[0]
        end = self.result.decisions + budget
        most = max(1, MAX_CELLS // len(first.position.cells))
        nodes = [_Node(-1, None)]
        numbers = {first.hash: 0}
        queue = deque([begun])
        complete = True
        here = 0
        while queue and complete:
            game, options = queue.popleft()
            node = nodes[here]
            if game.is_over:
                node.ends = True
            else:
                node.asked = asked(game)
                self._see(game, options)
                complete = len(options) < MAX_OPTIONS
            for option in options:
                if self.result.decisions >= end or len(nodes) >= most:
                    complete = False
                    break
                child = game.copy()
                listed, wrong = take(child, option)
                self._spend()
                if wrong is not None:
                    node.ends = True
                    self._note(wrong, game, [*_way(nodes, here), option], shortest=True)
                    continue
                there = numbers.setdefault(child.hash, len(nodes))
                if there == len(nodes):
                    nodes.append(_Node(here, option))
                    queue.append((child, listed))
                node.leads.add(there)
                if _of_turns(option):
                    node.turns.append((option, there))
            here += 1
        self._circles(first, nodes)
        if complete:
            self.result.complete.append(seats)
            self._dead_ends(first, nodes)
        return complete

    def _circles(self, game: Game, nodes: list[_Node]) -> None:
        """Looks for the way from a position back to it that begins nearest to the start."""
        inside = _core(nodes)
        for here in sorted(inside)[:MAX_CIRCLES]:
            came: dict[int, tuple[int, Option]] = {}
            queue = deque([here])
            while queue and here not in came:
                at = queue.popleft()
                for option, there in nodes[at].turns:
                    if there in inside and there not in came:
                        came[there] = (at, option)
                        queue.append(there)
            if here in came:
                circle: list[Option] = []
                at = here
                while not circle or at != here:
                    at, option = came[at]
                    circle.append(option)
                asked = nodes[here].asked
                assert asked is not None
                moves = [*_way(nodes, here), *reversed(circle)]
                self._note(_endless(asked, len(circle)), game, moves, len(circle), shortest=True)
                return

    def _dead_ends(self, game: Game, nodes: list[_Node]) -> None:
        """Looks for a position from which no decisions whatever lead to an end."""
        back: dict[int, list[int]] = {}
        for at, node in enumerate(nodes):
            for there in node.leads:
                back.setdefault(there, []).append(at)
        rest = [at for at, node in enumerate(nodes) if node.ends]
        ending = set(rest)
        while rest:
            new = [at for at in back.get(rest.pop(), ()) if at not in ending]
            ending.update(new)
            rest += new
        stuck = next((at for at in range(len(nodes)) if at not in ending), None)
        if stuck is not None:
            asked = nodes[stuck].asked
            assert asked is not None
            message = f"whatever is decided from this `{asked.name}` on, the game does not end"
            help_ = "let something end the game from here, too"
            diagnostic = Diagnostic("RS714", Severity.ERROR, message, asked.span, help=help_)
            self._note(diagnostic, game, _way(nodes, stuck), shortest=True)

    # --- further on ------------------------------------------------------------------------

    def _playouts(self, seats: int, end: int, defaults: bool) -> None:
        """Plays random games, with some choices of the ruleset's options, and with the defaults if asked for."""
        settings = self._settings(min(MAX_SETTINGS, (end - self.result.decisions) // SETTINGS_EVERY))
        settings = settings if defaults else settings[1:]
        number = 0
        while settings and self.result.decisions < end:
            chosen = settings[number % len(settings)]
            number += 1
            try:
                begun = self._begin(seats, chosen)
            except DiagnosticsError as error:
                self.result.others += error.diagnostics
                begun = None
            if begun is None or begun[0].is_over:
                settings.remove(chosen)
                continue
            self.result.games += 1
            self._playout(*begun, end)

    def _settings(self, number: int) -> list[dict[str, str]]:
        """The default options, and up to so many random choices of them."""
        settings = self.ruleset.settings.values()
        default = {o.name: o.default for o in settings}
        found = [default]
        for _ in range(number):
            chosen = {o.name: self._any(o.values or ("false", "true")) for o in settings}
            if chosen not in found:
                found.append(chosen)
        return found

    def _any(self, of: Sequence[_T]) -> _T:
        return of[int(self.rng.random() * len(of))]  # only `random()` gives the same in all versions of Python

    def _playout(self, game: Game, options: list[Option], end: int) -> None:
        seen = {game.hash: 0}
        while options and game.ply < CAP and self.result.decisions < end:
            self._see(game, options)
            option = self._choose(options)
            before = game.ply
            options, wrong = take(game, option)
            self._spend()
            if wrong is not None:
                self._note(wrong, game, game.history if game.ply > before else [*game.history, option])
                return
            if not _of_turns(option):
                seen.clear()
            if game.hash in seen and not game.is_over:
                length = game.ply - seen[game.hash]
                self._note(_endless(asked(game), length), game, game.history, length)
            seen[game.hash] = game.ply

    def _choose(self, options: list[Option]) -> Option:
        """A random option: half of the time each name is as likely as another, however many arguments it takes."""
        own = [o for o in options if not o.interrupt]
        if len(own) < len(options) and self.rng.random() < INTERRUPT_RATE:
            own = [o for o in options if o.interrupt]
        if self.rng.random() < 1 / 2:
            name = self._any(list(dict.fromkeys(o.name for o in own)))
            own = [o for o in own if o.name == name]
        return self._any(own)

    # --- what was found --------------------------------------------------------------------

    def _shorten(self, finding: Finding, budget: int) -> None:
        """Leaves decisions out, and tries other ways, as long as the same is wrong in the end."""
        end = self.result.decisions + budget

        def again(kept: list[Option]) -> list[Option] | None:
            return finding.moves if self.result.decisions < end and self._again(finding, kept, 0) else None

        for option in self.ruleset.settings.values():
            if finding.header.settings[option.name] != option.default and self.result.decisions < end:
                settings = {**finding.header.settings, option.name: option.default}
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
        """Takes decisions, but for those that are not legal, and then some at random.

        Whether the same is wrong sooner, or not later in the game of another header; then `finding` holds that game.
        """
        most = len(finding.moves) - (header is None)
        header = header or finding.header
        self._spend()  # also if no decision follows
        try:
            game = Game(self.ruleset, header.seats, header.settings)
            game.position.begin()
        except (RulesetFaultError, DiagnosticsError):
            return False
        options, _ = look(game)
        seen = {game.hash: 0}
        given = iter(moves)
        while options and game.ply < most:
            option = next((o for m in given if (o := same_option(game, m)) is not None), None)
            if option is None:
                if more <= 0:
                    return False
                more -= 1
                option = self._choose(options)
            before = game.ply
            options, wrong = take(game, option)
            self._spend()
            if wrong is not None:
                if finding.loop or (wrong.code, wrong.span) != (finding.diagnostic.code, finding.diagnostic.span):
                    return False
                finding.moves = game.history if game.ply > before else [*game.history, option]
                finding.header = header
                return True
            if not _of_turns(option):
                seen.clear()
            if finding.loop and game.hash in seen and options:
                finding.loop = game.ply - seen[game.hash]
                finding.moves = game.history
                finding.header = header
                finding.diagnostic = _endless(asked(game), finding.loop)
                return True
            seen[game.hash] = game.ply
        return False

    def _with_game(self, finding: Finding) -> Diagnostic:
        """The diagnostic with the game that shows it, in words."""
        header = finding.header
        defaults = {o.name: o.default for o in self.ruleset.settings.values()}
        chosen = [f"{k}={v}" for k, v in header.settings.items() if v != defaults[k]]
        text = f"with {len(header.seats)} players" + (f" and {', '.join(chosen)}" if chosen else "")
        moves = [f"{move.by or 'chance'}: {move}" for move in finding.moves]
        if not moves:
            text += ", before the first decision"
        elif len(moves) <= _SHOWN:
            text += f": {' · '.join(moves)}"
        else:
            text += f", after {len(moves)} decisions, the last of them: {' · '.join(moves[-_SHOWN:])}"
        changed = [] if finding.loop else list(last_changes(self.ruleset, header, finding.moves))
        if changed:
            more = f" · and {len(changed) - _SHOWN} more" if len(changed) > _SHOWN else ""
            text += f"\nthe last decision changes {' · '.join(changed[:_SHOWN])}{more}"
        help_ = finding.diagnostic.help
        return replace(finding.diagnostic, help=f"{help_}\n{text}" if help_ else text)

    def _never(self) -> None:
        """Options that were there to be taken, and never legal: in all positions there are, or in very many."""
        low, high = self.ruleset.players
        everywhere = len(self.result.complete) == high - low + 1
        for span, (name, times) in self.open.items():
            if span in self.offered:
                continue
            self.result.unseen.append(name)
            if (everywhere and span in self.near) or times >= MIN_OPEN:
                message = f"the option `{name}` was legal in none of {times:,} positions"
                help_ = "take it out, or see whether its conditions can hold together"
                self.result.others.append(Diagnostic("RS715", Severity.WARNING, message, span, help=help_))


def _endless(asked: ir.Decision, length: int) -> Diagnostic:
    what = "one decision" if length == 1 else f"{length} decisions"
    message = f"turns can go on for ever: {what} after this `{asked.name}` everything is as it was"
    help_ = "let the rules count what may go on, or let each option change something for good"
    return Diagnostic("RS713", Severity.WARNING, message, asked.span, help=help_)


def _core(nodes: list[_Node]) -> set[int]:
    """The positions that may lie on a circle of turns: what nothing leads to, or what leads nowhere, is taken away."""
    leads: list[set[int]] = [{there for _, there in node.turns} for node in nodes]
    came: list[set[int]] = [set() for _ in nodes]
    for at, found in enumerate(leads):
        for there in found:
            came[there].add(at)
    inside = set(range(len(nodes)))
    rest = [at for at in inside if not leads[at] or not came[at]]
    while rest:
        at = rest.pop()
        if at not in inside:
            continue
        inside.discard(at)
        for there in leads[at]:
            came[there].discard(at)
            if not came[there]:
                rest.append(there)
        for before in came[at]:
            leads[before].discard(at)
            if not leads[before]:
                rest.append(before)
    return inside
