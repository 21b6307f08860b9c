"""The random games that `validate` plays with every combination of player count and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.position_check import asked, meant
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.simulate.checked_playouts import Playout
from rulespec.engine.simulate.wasm import ROUND
from rulespec.engine.verify.combinations import CAP, SEED, Combination, CombinationGames, Ended, combinations
from rulespec.engine.verify.played import DepthReached, PlayReport, most_games
from rulespec.engine.verify.ran_out import DepthsReached, LoopBounds
from rulespec.engine.verify.random_games import shorter_playout
from rulespec.engine.verify.shrink import example
from rulespec.engine.verify.step_weights import BLOCK, Weights, weighed
from rulespec.typed import nodes as typed

STEPS = 900_000_000
"""The total steps of all games, weighted; about three seconds for a shipped ruleset."""
MINUTE = 20 * STEPS
"""The number of steps in about a minute."""
LEAST = 5
"""The minimum number of games per combination while any steps are left, even if that exceeds its share."""
FAILING = 20
"""The number of failing or unfinished games after which a combination is abandoned, since each of them takes long."""
GIVEN_UP = 20 * MAX_STEPS
"""The steps charged to a game that exceeds the step limit: it takes `MAX_STEPS` steps of the slow interpreter."""
MAX_FOUND = 10
"""The maximum number of reported mistakes."""
EFFORT = 300_000_000
"""The total steps for shortening the games that reveal mistakes."""
LOOKED = 20
"""The number of games per number of players that are checked for whether a limit in the rules ended them."""
MANY = 1 / 5
"""The minimum share of games ended by a limit for which the limit is reported."""
_SCENARIO = 20  # the maximum length of a game printed as a scenario
_NUMBERS = 1 / 2  # the share of steps for numbers of players; the rest is for settings


@dataclass(slots=True)
class _Mistake:
    """A mistake: its games by combination, and the shortest of them."""

    shortest: Playout
    games: dict[int, int] = field(default_factory=dict)


def play_check(
    ruleset: typed.Ruleset, progress: Callable[[int], object] | None = None, minutes: int | None = None
) -> PlayReport:
    """Plays a ruleset without errors for `STEPS` steps, but at least until a game has been finished with each player
    count.

    If those games take another `STEPS` steps, or reveal a mistake, the remaining player counts are skipped. The games
    depend only on the ruleset, not on the machine.

    Args:
        ruleset: the ruleset.
        progress: a function called with the number of newly finished combinations.
        minutes: the approximate playing time; None means `STEPS` steps.
    """
    return _PlayCheck(ruleset, progress or (lambda _: None), minutes).run()


class _PlayCheck:
    """The state of a play check: the number of ended games by combination, and the mistakes."""

    def __init__(self, ruleset: typed.Ruleset, progress: Callable[[int], object], minutes: int | None) -> None:
        self.ruleset = ruleset
        self.progress = progress
        self.all = combinations(ruleset)
        self.ended: dict[int, int] = {}
        self.capped: dict[int, int] = {}
        self.endless: Span | None = None
        self.mistakes: dict[tuple[str, Span | None], _Mistake] = {}
        self.others: list[Diagnostic] = []
        self.looked: dict[int, int] = {}
        self.ran_out: dict[Span, dict[int, int]] = {}
        self.depths: dict[str, int] = {}
        self.weights = Weights(0, 1)
        self.steps = STEPS if minutes is None else MINUTE * minutes
        self.most = most_games(minutes)
        self.spent = 0

    def run(self) -> PlayReport:
        numbers = sum(not c.settings for c in self.all)
        settings_from = int(self.steps * _NUMBERS) if numbers < len(self.all) else self.steps
        for at, combination in enumerate(self.all):
            if self.spent > self.steps and (combination.settings or self.mistakes or self.spent > 2 * self.steps):
                break
            until, left = (settings_from, numbers - at) if at < numbers else (self.steps, len(self.all) - at)
            self._combination(at, combination, self.spent + max(0, until - self.spent) // left)
            self.progress(1)
        diagnostics = [*self.others, *self._mistakes(), *self._endless(), *self._bounded()]
        played = [number for number in self.ended.values() if number]
        return PlayReport(sum(played), len(played), len(self.all), tuple(diagnostics), self._depths())

    def _combination(self, at: int, combination: Combination, until: int) -> None:
        """Plays games of a combination until its share of the steps is used up."""
        try:
            if not at:
                self.weights = weighed(self.ruleset, self.ruleset.players)
            games = CombinationGames(self.ruleset, combination)
        except DiagnosticsError as error:
            self.others += [_with(d, combination) for d in error.diagnostics]
            return
        self.spent += games.blocks * BLOCK
        bounds = None if combination.settings else LoopBounds(self.ruleset, combination.seats, games.settings)
        if bounds is not None:
            self._reach(combination, games, self.spent)
        number, failing, begun = 0, 0, self.spent
        while number < self.most and failing < FAILING:
            end = until if number >= LEAST else self.steps
            if self.spent > end and number:
                break
            each = (self.spent - begun) // number + 1 if number else 0
            size = min(number or 1, ROUND, self.most - number, max(1, (end - self.spent) // each if each else 1))
            most = self.weights.decisions(2 * self.steps - self.spent)
            played = list(games.play(range(number, number + size), most))
            failing += sum([self._count(at, games, each) for each in played])
            if bounds is not None:
                self._look(at, bounds, games, played)
            self.spent += sum([self.weights.steps(each.decisions) + _given_up(each) for each in played])
            if len(played) < size:
                self.spent += self.weights.steps(most)
                break
            number += size

    def _count(self, at: int, games: CombinationGames, ended: Ended) -> bool:
        """Counts a game; returns whether it reveals a mistake or does not end."""
        self.ended[at] = self.ended.get(at, 0) + 1
        if ended.capped:
            self.capped[at] = self.capped.get(at, 0) + 1
            if self.endless is None:
                self.endless = asked(games.again(ended.number).game).span
            return True
        playout = ended.failed
        if playout is None or playout.failure is None or meant(playout.game, playout.failure.wrong):
            return False
        wrong = playout.failure.wrong
        result = self.mistakes.setdefault((wrong.code, wrong.span or _asked(playout.game)[0]), _Mistake(playout))
        result.games[at] = result.games.get(at, 0) + 1
        if len(playout.moves()) < len(result.shortest.moves()):
            result.shortest = playout
        return True

    def _look(self, at: int, bounds: LoopBounds, games: CombinationGames, played: list[Ended]) -> None:
        """Counts the first games of a combination that ended by a limit in the rules."""
        for ended in played[: LOOKED - self.looked.get(at, 0)]:
            self.looked[at] = self.looked.get(at, 0) + 1
            if ended.returned and (span := bounds.ended(games, ended.number, ended.decisions)) is not None:
                counts = self.ran_out.setdefault(span, {})
                counts[at] = counts.get(at, 0) + 1

    def _reach(self, combination: Combination, games: CombinationGames, begun: int) -> None:
        """Records the recursion depths of procedures in the first games with a number of players."""
        if all(p.deep is None for p in self.ruleset.rules.procedures.values()):
            return
        depths = DepthsReached(self.ruleset, combination.seats, games.settings)
        for number in range(LOOKED):
            most = self.weights.decisions(self.steps // 10 - (self.spent - begun))
            if not most:
                break
            self.spent += self.weights.steps(depths.look(number, min(CAP, most)))
        for name, most in depths.most.items():
            self.depths[name] = max(self.depths.get(name, 0), most)

    # --- what is said --------------------------------------------------------------------

    def _mistakes(self) -> list[Diagnostic]:
        result = list(self.mistakes.values())[:MAX_FOUND]
        return [self._diagnostic(each, EFFORT // len(result)) for each in result]

    def _diagnostic(self, mistake: _Mistake, steps: int) -> Diagnostic:
        """The diagnostic of a mistake: its share of games, by combination, and the shortest game found."""
        failing = shorter_playout(mistake.shortest, steps, self.weights.decision)
        wrong = _placed(failing.wrong, mistake.shortest)
        share, which = self._share(mistake.games)
        lines = [wrong.help] if wrong.help else []
        shown = example(self.ruleset, failing.header, failing.moves, failing.changed)
        lines.append(f"{which}; the shortest game found: {shown}")
        if failing.scenario and len(failing.moves) <= _SCENARIO:
            lines.append(f"as a scenario:\n{failing.scenario.rstrip()}")
        else:
            how = _simulated(self.all[next(iter(mistake.games))])
            lines.append(f"play such games and save them: `rulespec simulate` with `{how} --failures FOLDER`")
        message = f"{wrong.message}, {share}"
        return replace(wrong, message=message, help="\n".join(lines))

    def _depths(self) -> tuple[DepthReached, ...]:
        """The depths reached, for procedures with a declared depth."""
        deep = {name: p.deep for name, p in self.ruleset.rules.procedures.items()}
        known = [(name, reached, deep[name]) for name, reached in self.depths.items()]
        return tuple([DepthReached(name, reached, most) for name, reached, most in known if most is not None])

    def _endless(self) -> Iterable[Diagnostic]:
        """RS721 for abandoned games."""
        if self.capped:
            share, which = self._share(self.capped)
            message = f"a game can go on for more than {CAP:,} decisions, {share}"
            help_ = (
                f"{which}: make sure that every game ends\nthis decision was open when the first of them was abandoned"
            )
            yield Diagnostic("RS721", Severity.WARNING, message, self.endless, help=help_)
        elif not self.ended and not self.others:
            message = f"no game ended within the {self.steps:,} steps played"
            start = self.ruleset.rules.procedures[self.ruleset.start]
            help_ = "make sure that every game ends, or do less between decisions"
            yield Diagnostic("RS721", Severity.WARNING, message, start.span, help=help_)

    def _bounded(self) -> Iterable[Diagnostic]:
        """RS730 for limits that ended many games."""
        of = sum(self.looked.values())
        for span, games in self.ran_out.items():
            number = sum(games.values())
            if number < of * MANY:
                continue
            message = f"this loop reached its bound and so ended the game, {_in(number, of)}"
            which = _players([self.all[at].seats for at in self.looked])
            help_ = f"{which}: end the game earlier, raise the bound, or write `end game as …` after the loop"
            yield Diagnostic("RS730", Severity.WARNING, message, span, help=help_)

    def _share(self, games: dict[int, int]) -> tuple[str, str]:
        """The share of games, and their players and settings, preferring the defaults."""
        shown = [at for at in games if not self.all[at].settings] or list(games)
        number, of = sum(games[at] for at in shown), sum(self.ended[at] for at in shown)
        which = [self.all[at] for at in shown]
        if which[0].settings:
            return _in(number, of), "with " + ", ".join(dict.fromkeys(map(_setting, which)))
        return _in(number, of), _players([c.seats for c in which])


def _given_up(ended: Ended) -> int:
    """The steps charged to a game, besides its decisions, if the rules exceeded a limit."""
    failure = ended.failed.failure if ended.failed is not None else None
    return GIVEN_UP if failure is not None and failure.wrong.code == "RS704" else 0


def _placed(wrong: Diagnostic, playout: Playout) -> Diagnostic:
    """A mistake, with its decision added unless that is its place."""
    taken = playout.failure is not None and playout.failure.option is not None
    place, name = _asked(playout.game)
    if wrong.code == "RS712" and playout.game.history:
        name = playout.game.history[-1].decision
        place, taken = next(d.span for d in playout.game.omniscient.program.decisions if d.name == name), True
    if place is None or place == wrong.span:
        return wrong
    text = f"in the decision `{name}`" if taken else f"at the decision `{name}`"
    return (
        replace(wrong, notes=(*wrong.notes, Label(place, text)))
        if wrong.span
        else replace(wrong, span=place, label=text)
    )


def _asked(game: Game) -> tuple[Span | None, str]:
    """The place and the name of the open decision, or none."""
    try:
        return (None, "") if game.is_over else (asked(game).span, asked(game).name)
    except RulesetFaultError:
        return None, ""


def _in(number: int, of: int) -> str:
    return f"in {number:,} of {of:,} games" if of > 1 else "in the only game played"


def _players(seats: list[int]) -> str:
    """Numbers of players as text: `with 2-4, 6 players`."""
    parts: list[list[int]] = []
    for number in seats:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    names = [f"{part[0]}-{part[-1]}" if len(part) > 1 else f"{part[0]}" for part in parts]
    return f"with {', '.join(names)} player{'s' if seats != [1] else ''}"


def _setting(combination: Combination) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in combination.settings.items())


def _simulated(combination: Combination) -> str:
    """The arguments that make `simulate` play a combination."""
    chosen = [f"--set {name}={value}" for name, value in combination.settings.items()]
    return " ".join([f"--players {combination.seats}", *chosen, f"--seed {SEED}"])


def _with(d: Diagnostic, combination: Combination) -> Diagnostic:
    with_ = f"with {combination.seats} players and {_setting(combination)}" if combination.settings else ""
    return replace(d, help=f"{d.help}\n{with_}".strip())
