"""Comparison by play: compares two rulesets at positions near the start, in walks and in recorded games.

Both games take the same options, with the same shared state. An option after which they differ is recorded and undone,
so that the walk continues from a position where they agree. If they differ after every option, the other game gets the
shared state of the first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import itemgetter

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.behaviour.attribution import Attribution
from rulespec.engine.behaviour.comparison_report import Comparison, Group
from rulespec.engine.behaviour.findings import Findings, PlayDifference, of_effect, of_options
from rulespec.engine.behaviour.pair import Listed, Pair
from rulespec.engine.behaviour.walks import CAPS, Curiosity, Distinct, Effort
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.replay.judge import transferred_settings
from rulespec.engine.verify.combinations import Combination, combinations
from rulespec.engine.verify.shrink import leave_out
from rulespec.typed import nodes as typed

DECISIONS = 60_000
SECONDS = 45.0
"""The default limit of CPU time, in seconds."""
MAX_CELLS = 2_000_000
"""The maximum total number of cells in positions near the start, a bound on memory."""
_NEAR = 1 / 8
"""The share of decisions spent near the start."""
_RECORDED = 1 / 4
"""The share of decisions spent in recorded games."""
_SETTINGS = 1 / 4
"""The share of decisions spent with other settings."""
_OPENING = 400
"""The cost of opening a table, in decisions: two programs are compiled."""
_USUAL = 5 / 8
"""The share of decisions spent before other settings are tried."""
_SHORTER = 1 / 8
"""The share of decisions spent in addition on shortening games."""
_FRESH = 40
"""The number of times that an option of each name is tried wherever it is legal."""
_TRIED = 12
"""The number of options tried at a position where the games differ."""
_POINTS = 8
"""The number of decisions between comparisons of points."""

_Both = tuple[Option, Option]
_first: Callable[[_Both], Option] = itemgetter(0)
_NOTHING = Listed([], [], [])


def compare(
    old: typed.Ruleset,
    new: typed.Ruleset,
    effort: Effort | None = None,
    recorded: Sequence[tuple[Game, Sequence[Option]]] = (),
) -> Comparison:
    """Compares the behaviour of two rulesets; equal rulesets and equal limits on decisions give equal results.

    Args:
        old: the first ruleset.
        new: the other ruleset.
        effort: the limit; by default, `DECISIONS` within `SECONDS`.
        recorded: recorded games of the first ruleset, each at its start, with its decisions.
    """
    if old.hash == new.hash:
        return Comparison(same=True)
    return _Comparer(old, new, effort or Effort(DECISIONS, SECONDS)).run(recorded)


class _Comparer:
    """The state of a comparison."""

    def __init__(self, old: typed.Ruleset, new: typed.Ruleset, effort: Effort) -> None:
        self.old, self.new, self.effort = old, new, effort
        self.curiosity, self.positions = Curiosity(), Distinct()
        self.findings = Findings(Attribution(old, new))
        self.result = Comparison(complete=[], groups=[], left_out=[])

    def run(self, recorded: Sequence[tuple[Game, Sequence[Option]]]) -> Comparison:
        """Compares the rulesets near the start, in recorded games and in walks; then shortens the example games."""
        (low, high), (new_low, new_high) = self.old.players, self.new.players
        numbers = range(max(low, new_low), min(high, new_high) + 1)
        if (low, high) != (new_low, new_high):
            self._leave_out(f"{low} to {high} players before, {new_low} to {new_high} now")
        usual = [pair for number in numbers if (pair := self._begun(Combination(number, {}))) is not None]
        self._near(usual)
        for game, moves in recorded:
            if self.effort.is_left(int(self.effort.limit * (_NEAR + _RECORDED))):
                self._replay(game, moves)
        self._walks(usual, int(self.effort.limit * _USUAL))
        self._settings(_with_settings(self.old, numbers))
        self._walks(usual, self.effort.limit)
        self.result.decisions = self.effort.spent
        self._shorten()
        self.result.stopped = self.effort.stopped
        self.result.at_least = self.positions.full or self.findings.positions.full
        if self.findings.groups:  # positions after a differing option were not compared
            self.result.complete.clear()
        self.result.groups = sorted(self.findings.groups.values(), key=lambda g: -g.positions)
        return self.result

    # --- games ---------------------------------------------------------------------------------

    def _begun(self, table: Combination) -> Pair | None:
        """Both games at their first decision, with the same shared state; None if that is impossible."""
        try:
            return self._pair(Game(self.old, seat_names(table.seats, self.old.seats), table.settings))
        except DiagnosticsError as error:
            self._leave_out(f"{table.seats} players: {error.diagnostics[0].message}")
        except RulesetFaultError as fault:
            self._leave_out(f"{table.seats} players: {fault.diagnostic.message}")
        return None

    def _walks(self, usual: Sequence[Pair], until: int) -> None:
        """Compares the positions of random games with the default settings."""
        number = 0
        while usual and self.effort.is_left(until):
            before = self.effort.spent
            self._walk(usual[number % len(usual)].copy(), CAPS[number // len(usual) % len(CAPS)])
            self.effort.spend(self.effort.spent == before)
            number += 1

    def _settings(self, tables: Sequence[Combination]) -> None:
        """Compares the positions of some games with each non-default value of each setting, one table at a time."""
        begun, share = self.effort.spent, int(self.effort.limit * _SETTINGS)
        for number, table in enumerate(tables):
            if not self.effort.is_left(begun + share):
                return
            self.effort.spend(_OPENING)
            pair, end = self._begun(table), begun + share * (number + 1) // len(tables)
            for cap in CAPS[:2]:
                if pair is not None and self.effort.is_left(max(end, self.effort.spent + 1)):
                    self._walk(pair.copy(), cap)

    def _pair(self, one: Game) -> Pair | None:
        """A game and its counterpart under the other rules, both at the start.

        Raises:
            DiagnosticsError: if the other rules do not support these seats.
            RulesetFaultError: if the rules fault.
        """
        settings, dropped = transferred_settings(one, self.new)
        if dropped:
            self._leave_out(dropped[0])
            return None
        one.omniscient.numbers.begin()
        other = Game(self.new, one.names, settings)
        try:
            other.omniscient.numbers.begin()
        except RulesetFaultError as fault:
            self.findings.note_start(one, f"the rules are at fault now: {fault.diagnostic.message}")
            return None
        pair = Pair(one, other)
        if (effect := pair.compared()) is not None:
            self.findings.note(pair, PlayDifference("start", sort=effect.sort, effect=effect), pair.position)
            if not pair.align():
                return None
        return pair

    def _leave_out(self, text: str) -> None:
        if text not in self.result.left_out:
            self.result.left_out.append(text)

    def _near(self, every: Sequence[Pair]) -> None:
        """Compares all positions near the start, breadth first."""
        for number, pair in enumerate(every):
            end = int(self.effort.limit * _NEAR * (number + 1) / len(every))
            most = max(1, MAX_CELLS // len(pair.one.omniscient.numbers.cells))
            seen, queue, complete = {pair.one.hash}, deque([pair.copy()]), True
            while queue and complete:
                place = queue.popleft()
                for both in self._listed(place).both:
                    if not self.effort.is_left(end) or len(seen) > most:
                        complete = False
                        break
                    there = place.copy()
                    if self._taken(there, both) and there.one.hash not in seen:
                        seen.add(there.one.hash)
                        queue.append(there)
                if place.one.is_over:
                    self._points(place)
            if complete:
                self.result.complete.append(len(pair.one.seats))

    def _replay(self, game: Game, moves: Sequence[Option]) -> None:
        """Compares the positions of a recorded game."""
        try:
            pair = self._pair(game)
        except (DiagnosticsError, RulesetFaultError):
            return
        if pair is None:
            return
        self.result.games += 1
        for move in moves:
            if not self.effort.is_left():
                return
            both = next((each for each in self._listed(pair).both if each[0] == move), None)
            if both is None or (not self._taken(pair, both, stay=True) and not self._aligned(pair)):
                return
        self._points(pair)

    @staticmethod
    def _aligned(pair: Pair) -> bool:
        """Whether the other game could be given the first game's shared state."""
        try:
            return pair.align()
        except RulesetFaultError:
            return False

    def _walk(self, pair: Pair, cap: int) -> None:
        """Compares the positions of a random game."""
        self.result.games += 1
        while pair.one.ply < cap and self.effort.is_left():
            both = self._listed(pair).both
            if not both:
                break
            for each in list(self.curiosity.fresh(both, _first, _FRESH)):
                if self._taken(pair, each):
                    pair.undo()
            if not self._step(pair, both):
                break
            if pair.one.ply % _POINTS == 0:
                self._points(pair)
        self._points(pair)

    def _step(self, pair: Pair, both: Sequence[_Both]) -> bool:
        """Takes an option after which both games agree, or aligns them after one; False if neither is possible."""
        left = list(both)
        for _ in range(min(_TRIED, len(left))):
            each = self.curiosity.among(left, _first)
            if self._taken(pair, each):
                return True
            left.remove(each)
        return self._taken(pair, both[0], stay=True) or (pair.one.ply > 0 and self._aligned(pair))

    # --- differences ---------------------------------------------------------------------------

    def _listed(self, pair: Pair) -> Listed:
        """The options of a position; records the differing ones."""
        self.result.positions += self.positions.is_new(pair.position)
        try:
            listed = pair.listed()
        except RulesetFaultError:
            return _NOTHING
        for difference in of_options(listed):
            self.findings.note(pair, difference, pair.position)
        return listed

    def _taken(self, pair: Pair, both: _Both, *, stay: bool = False) -> bool:
        """Takes an option; if both games differ after it, records this, undoes it unless `stay`, and returns False."""
        self.effort.spend()
        position = pair.position
        try:
            effect = pair.take(*both)
        except RulesetFaultError:
            return False
        if effect is None:
            return True
        with suppress(RulesetFaultError):  # during the search for its rule
            self.findings.note(pair, of_effect(both[0], effect), position)
        if effect.stands and not stay:
            pair.undo()
        return False

    def _points(self, pair: Pair) -> None:
        """Compares the points."""
        with suppress(RulesetFaultError):
            if (effect := pair.points()) is not None:
                self.findings.note(pair, PlayDifference("points", effect=effect), pair.position)

    # --- shorter games -------------------------------------------------------------------------

    def _shorten(self) -> None:
        """Shortens the game of each group, within a share of the effort."""
        share = int(self.effort.limit * _SHORTER)
        for group in self.findings.groups.values():
            self.effort.limit = self.effort.spent + max(400, share // len(self.findings.groups))
            if (start := self._start(group)) is None:
                continue
            option = self.findings.shortest(group).option
            moves = [*group.example.moves, *([option] if group.kind == "effect" and option is not None else [])]
            if len(group.example.moves) and self.effort.is_left():
                leave_out(moves, lambda fewer, group=group, start=start: self._again(group, start, fewer))  # type: ignore[misc]

    def _start(self, group: Group) -> Pair | None:
        """Both games at the start of a group's example."""
        example = group.example
        try:
            return self._pair(Game(self.old, example.seats, example.settings))
        except (DiagnosticsError, RulesetFaultError):
            return None

    def _again(self, group: Group, start: Pair, moves: Sequence[Option]) -> list[Option] | None:
        """Replays fewer decisions up to a difference of the same sort, which becomes the example; None without one."""
        sought = self.findings.shortest(group).key
        pair, longest = start.copy(), len(group.example.moves)
        try:
            for move in [*moves, None]:
                if not self.effort.is_left() or pair.one.ply >= longest:
                    return None
                shown = _shown(pair, sought)
                if shown is not None:
                    self.findings.shorter(group, pair, shown)
                    return pair.one.history
                if move is None or (there := pair.counterpart(move)) is None or not pair.one.is_legal(move):
                    continue
                self.effort.spend()
                effect = pair.take(move, there)
                if effect is None:
                    continue
                after = of_effect(move, effect)
                if after.key != sought:
                    return None
                self.findings.shorter(group, pair, after)
                return [*pair.one.history, *([] if effect.stands else [move])]
        except RulesetFaultError:
            return None
        return None


def _shown(pair: Pair, sought: tuple[str, ...]) -> PlayDifference | None:
    """The sought difference of options, odds or points at the current position; None if there is none."""
    kind, decision = sought[:2]
    if kind == "points":
        effect = pair.points()
        return PlayDifference("points", effect=effect) if effect is not None else None
    asked = pair.one.omniscient.asked
    if kind == "effect" or asked is None or (kind != "legal" and asked.name != decision):
        return None
    return next((each for each in of_options(pair.listed()) if each.key == sought), None)


def _with_settings(ruleset: typed.Ruleset, numbers: Sequence[int]) -> list[Combination]:
    """Each non-default value of each setting with each number of players; all values precede any repetition."""
    values = [each.settings for each in combinations(ruleset, numbers) if each.settings] if numbers else []
    return [
        Combination(numbers[(at + turn) % len(numbers)], value)
        for turn in range(len(numbers))
        for at, value in enumerate(values)
    ]
