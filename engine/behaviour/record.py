"""Recording of situations: near the start, in walks, and with non-default settings."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.behaviour.situations import RecordedSituation, ended, options_of
from rulespec.engine.behaviour.walks import Curiosity, Effort
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.replay.correspondence import declared_cells
from rulespec.engine.verify.combinations import Combination, combinations
from rulespec.typed import nodes as typed

SITUATIONS = 4_000
SECONDS = 45.0
"""The limit of CPU time for a recording, in seconds."""
MAX_TEXT = 8_000_000
"""The approximate maximum length of values and options in all situations, in characters."""
MAX_CELLS = 2_000_000
"""The maximum total number of fields in positions near the start of a table, a bound on memory."""
_WALK = 60
"""The number of decisions in a walk before it continues elsewhere."""
_LONG = 400
"""The number of decisions in a walk after unsuccessful ones."""
_IDLE = 20
"""The number of consecutive unsuccessful walks after which recording ends."""
_LOOKED = 2_000
"""The maximum number of options of a position from which a walk chooses."""


def record(
    ruleset: typed.Ruleset, situations: int = SITUATIONS, seconds: float | None = SECONDS
) -> list[RecordedSituation]:
    """Records situations of a ruleset; unless time runs out, they depend only on the ruleset.

    Args:
        ruleset: a ruleset without errors.
        situations: the maximum number of situations.
        seconds: the maximum CPU time; None means unlimited.
    """
    return _Recorder(ruleset, Effort(situations, seconds)).run()


class _Recorder:
    """The state of a recording; its effort counts situations."""

    def __init__(self, ruleset: typed.Ruleset, effort: Effort) -> None:
        self.ruleset, self.effort = ruleset, effort
        self.curiosity = Curiosity()
        self.results: list[RecordedSituation] = []
        self._text = 0

    def run(self) -> list[RecordedSituation]:
        """Records a quarter of the situations near the start, a quarter with other settings, and half in walks."""
        every = combinations(self.ruleset)
        usual, others = ([c for c in every if bool(c.settings) == other] for other in (False, True))
        most, quarter = self.effort.limit, self.effort.limit // 4
        self._each(usual, quarter, self._near)
        self._each(others, 2 * quarter, self._walks)
        self._each(usual, most, self._walks)
        return self.results

    def _each(self, tables: Sequence[Combination], until: int, work: Callable[[_Table, int], None]) -> None:
        """Does some work at each table, up to a total number of situations."""
        begun = len(self.results)
        for number, table in enumerate(tables):
            end = begun + (until - begun) * (number + 1) // len(tables)
            if not self._is_left(end):
                continue
            try:
                game = Game(self.ruleset, seat_names(table.seats, self.ruleset.seats), table.settings)
                start = _Table(game)
                self._add(start.situation())
                work(start, end)
            except (DiagnosticsError, RulesetFaultError):  # `validate` reports the fault of such a game
                continue

    def _is_left(self, until: int) -> bool:
        return self.effort.is_left() and len(self.results) < until and self._text < MAX_TEXT

    def _add(self, situation: RecordedSituation) -> int:
        """Adds a situation; returns its number."""
        self.results.append(situation)
        self.effort.spend()
        self._text += sum(map(len, situation.options)) + 20 * (len(situation.set) + len(situation.state))
        return len(self.results) - 1

    def _near(self, table: _Table, until: int) -> None:
        """Records positions near the start, breadth first."""
        queue, seen = deque([(table, len(self.results) - 1)]), {table.game.hash}
        until = min(until, len(self.results) + max(1, MAX_CELLS // len(table.cells or (0,))))
        while queue:
            place, number = queue.popleft()
            for option in _listed(place.game):
                if not self._is_left(until):
                    return
                there = place.copy()
                there.game.apply(option)
                if there.game.hash not in seen:
                    seen.add(there.game.hash)
                    queue.append((there, self._add(there.situation(number, option))))

    def _walks(self, table: _Table, until: int) -> None:
        """Records the positions of walks."""
        start, known, idle = len(self.results) - 1, dict[tuple[int, Option], int](), 0
        while self._is_left(until) and idle < _IDLE:
            place, number, before = table.copy(), start, len(self.results)
            for _ in range(_LONG if idle % 4 == 3 else _WALK):
                options = _listed(place.game)
                if not options or not self._is_left(until):
                    break
                option = self.curiosity.among(options, lambda each: each)
                place.game.apply(option)
                situation = place.situation(number, option)
                if (number, option) not in known:
                    known[number, option] = self._add(situation)
                number = known[number, option]
            idle = idle + 1 if len(self.results) == before else 0


class _Table:
    """A game, and the values of its fields in the last written situation.

    Args:
        game: the game, at its start.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cells = declared_cells(game)
        self._types = [game.omniscient.program.cells[at].type for at in self.cells.values()]
        self._at = list(self.cells.values())
        self._last: list[int] = []

    def copy(self) -> _Table:
        """An independent copy."""
        twin = object.__new__(_Table)
        twin.__dict__.update(self.__dict__)
        twin.game = self.game.copy()
        return twin

    def situation(self, after: int = -1, option: Option | None = None) -> RecordedSituation:
        """The situation at the game's position. Raises RulesetFaultError if the rules fault."""
        game, state = self.game, self.game.omniscient.numbers.state
        values, labels = [state[at] for at in self._at], game.omniscient.labels
        before, self._last = self._last, values
        options, decision = options_of(game), game.decision
        asked, by = (decision.name, decision.by) if decision is not None else ("", None)
        if option is None:
            plain = [labels.plain(type_, value) for type_, value in zip(self._types, values, strict=True)]
            names = [(*name[:5],) for name in self.cells]
            return RecordedSituation(
                asked=asked,
                by=by,
                options=options.texts,
                more=options.digest,
                ended=ended(game),
                players=len(game.seats),
                settings=dict(game.settings),
                cells=names,  # type: ignore[arg-type]
                state=plain,
            )
        pairs = zip(before, values, strict=True)
        changed = [(at, labels.plain(self._types[at], now)) for at, (was, now) in enumerate(pairs) if was != now]
        return RecordedSituation(
            after, str(option), option.by, changed, asked, by, options.texts, options.digest, ended(game)
        )


def _listed(game: Game) -> list[Option]:
    """The options of a position, up to a limit."""
    return [option for option, _ in zip(every_option(game), range(_LOOKED), strict=False)]
