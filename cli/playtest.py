"""`rulespec playtest`: verdicts on house rules, from paired bot games."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct
from msgspec.structs import replace

from rulespec.cli import output
from rulespec.cli.flags import YEAR, Finite, number_of_players
from rulespec.cli.playtest_games import recorded, recorded_paths, write_logs
from rulespec.cli.playtest_target import GAMES, Aim, Wanted, aim, wanted_of
from rulespec.cli.playtest_target import MOST as MOST_SWEPT
from rulespec.cli.playtest_text import show
from rulespec.cli.program_seats import bot_names, say_silent
from rulespec.cli.sweep import Sweep, change, sweeps_of
from rulespec.cli.without import Without, overlay, without_of
from rulespec.cli.workers_flags import OUT_HELP, anywhere, check_workers, folder, resume_hint, workers_flags
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.engine.simulate.game_plans import GamePlan

if TYPE_CHECKING:  # bots need an extra
    from rulespec.engine.playtest.playtest import ComparedRule, Playtest
    from rulespec.engine.playtest.rule_trial import RuleTrial

BESIDE = ("random", "greedy")
"""Weaker bots, whose results are listed beside those of the main bots."""
MINUTES = 10.0


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    base: str
    rules: tuple[str, ...]
    settings: tuple[str, ...]
    sweeps: tuple[Sweep, ...]
    without: tuple[Without, ...]
    target: Wanted | None
    target_games: int
    both: tuple[str, ...]
    players: int | None
    bots: tuple[str, ...]
    beside: tuple[str, ...] | None
    pairs: tuple[int, ...]
    ladder: tuple[int, ...]
    minutes: float | None
    seed: int
    cap: int
    jobs: int
    cluster: str
    out: Path | None
    page: Path | None
    logs: Path | None
    recorded: tuple[Path, ...]
    format_: str


def _numbers(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[int, ...]:
    """Parses a list of numbers such as `200,1000`."""
    words = value.split(",") if value is not None else []
    least = 1 if option.name == "pairs" else 0
    if not all(word.isascii() and word.isdecimal() and len(word) < 9 and int(word) >= least for word in words):
        bounds = f"from {least} to 99,999,999"
        raise click.BadParameter(f"`{(value or '')[:80]}` is not a list of numbers {bounds}, such as 200 or 200,1000")
    return tuple(map(int, words))


def _beside(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else bot_names(ctx, option, value) if value else ()


@click.command("playtest")
@click.argument("base", metavar="BASE")
@click.argument("rules", nargs=-1, metavar="RULE…")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A rule to judge: BASE with this setting.")
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    callback=sweeps_of,
    metavar="PATH=A..B",
    help="Rules to judge: BASE with each value of a number.",
)
@click.option(
    "--without",
    multiple=True,
    callback=without_of,
    metavar="OPTION[:SEAT]",
    help="A rule to judge: BASE without an option, for all seats or for one.",
)
@click.option(
    "--target",
    callback=wanted_of,
    metavar="NUMBER=VALUE",
    help="Find the swept value that comes nearest to this result.",
)
@click.option(
    "--target-games",
    type=click.IntRange(8, 1_000_000),
    default=GAMES,
    show_default=True,
    metavar="N",
    help="With --target: number of games for each of the last two values.",
)
@click.option("--both", multiple=True, metavar="KEY=VALUE", help="A setting for all games, with and without the rule.")
@click.option("--players", type=click.IntRange(1, 100), metavar="N", help="Number of players.")
@click.option(
    "--bots",
    callback=bot_names,
    default="flat:32",
    show_default=True,
    metavar="BOTS",
    help="Bots that play, each seat in turn.",
)
@click.option(
    "--beside",
    callback=_beside,
    metavar="BOTS",
    help="Bots whose results are shown for comparison.  [default: random,greedy]",
)
@click.option(
    "--pairs",
    callback=_numbers,
    metavar="N",
    help="Maximum number of pairs of games; to give the other bots numbers as well: 200,500,500.",
)
@click.option(
    "--ladder",
    callback=_numbers,
    default="100",
    metavar="N",
    help="Maximum number of games in each match between the bots.",
)
@click.option(
    "--minutes",
    type=Finite(0, YEAR, min_open=True),
    help="Time limit in minutes.  [default: 10; none with --pairs]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same games.")
@click.option(
    "--cap", type=click.IntRange(1), default=CAP, show_default=True, help="Decisions after which a game is abandoned."
)
@workers_flags
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER", help=OUT_HELP)
@click.option("--page", type=click.Path(path_type=Path), metavar="FILE", help="Write a page with all figures.")
@click.option(
    "--logs",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the first 10 games as logs, and with --page also as pages.",
)
@click.option(
    "--recorded",
    multiple=True,
    callback=recorded_paths,
    metavar="LOG",
    help="Recorded games to compare with the bots: a log or a folder.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Judge the effect of each RULE on BASE: more, less, no difference that matters, undecided, equal, or without
    effect.

    A RULE is a reference, an overlay on BASE (+short, +./my_rule.yaml), --set KEY=VALUE, or --without OPTION. Bots play
    the same seeds and deals with and without it, until the questions of the ruleset are answered or the time is up.
    Exit code: 0 the games were played, 1 the rules were at fault, 2 wrong usage.

    Example: rulespec playtest imperial +./my_rule.yaml --players 3 --bots flat:32 --minutes 10 --page verdict.html
    """
    r = _Request(**values)
    check_workers(r.jobs, r.cluster)
    _check(r)
    with TemporaryDirectory() as scratch:
        result, stopped = _played(r, Path(scratch))
    if r.format_ == "json":
        output.echo_json(result)
    else:
        show(result)
    failed = any(each["failed"] for rule in result["rules"] for each in rule["strengths"])
    if stopped:
        output.echo("stopped: these are the results so far", err=True)
        raise KeyboardInterrupt
    ctx.exit(output.PROBLEMS if failed else output.OK)


def _played(r: _Request, scratch: Path) -> tuple[dict[str, Any], bool]:
    """The report, with its files written, and whether Ctrl-C stopped it; `scratch` is for the overlays of a sweep."""
    from rulespec.engine.playtest.playtest import Playtest, PlaytestLimits
    from rulespec.engine.playtest.playtest_report import report

    games, figures = _Games(r, scratch), recorded(r.recorded)
    target = games.target()
    base, rules = games.base, games.rules() if target is None else [games.at(target["tried"][0]["values"])]
    minutes = r.minutes if r.minutes is not None or r.pairs else MINUTES
    out = None if r.out is None else folder(r.out)
    same = target is not None and games.is_base(rules[0])  # the base game is nearest to the target: nothing to compare
    pairs, ladder = ((1,), (0,)) if same else (r.pairs, r.ladder or (0,))
    limits = PlaytestLimits(pairs, None if minutes is None else 60 * minutes, ladder, r.jobs, r.cluster, out)
    beside = [name for name in (_beside_of(r.bots) if r.beside is None else r.beside) if (name,) != r.bots]
    strengths = [r.bots, *((name,) for name in reversed(beside))]
    progress = _Progress()
    playtest = Playtest(base, rules, strengths, limits, progress, _said_once())
    output.echo(_forecast(playtest, r.bots, limits.pairs, minutes, r.jobs), err=True)
    with closing(progress), resume_hint(r.out, whole=True):
        result = report(playtest, playtest.play(), playtest.ladder())
    result = {"command": _again(r, result)} | result
    if target is not None:
        result["target"] = target
    elif r.sweeps:
        (sweep,) = r.sweeps
        own, _ = sweep.own(base.ruleset)
        result["sweep"] = {"path": sweep.path, "values": list(sweep.values), "base": own}
    if figures is not None:
        result["recorded"] = figures
    if r.logs is not None:
        written = write_logs(playtest, result["pairs"][0], r.logs, r.page)
        result |= {"games": written} if written else {}
    if r.page is not None:
        from rulespec.pages.playtest_page import page

        with output.written(r.page) as file:
            file.write(page(result))
    return result, playtest.stopped


def _check(r: _Request) -> None:
    """Rejects incompatible flags.

    Raises:
        click.UsageError: if flags are incompatible.
    """
    check_workers(r.jobs, r.cluster)
    if r.cluster and (r.sweeps or r.without) and r.out is None:
        flag = "--sweep" if r.sweeps else "--without"
        raise click.UsageError(f"{flag} on a cluster needs --out FOLDER, at a path that all its machines share")
    if r.target is None:
        if not r.rules and not r.settings and not r.sweeps and not r.without:
            base, plus, rule = r.base.rpartition("+")
            way = f"; if `+{rule}` is the rule, write `rulespec playtest {base} +{rule}`" if plus else ""
            forms = "a reference, +OVERLAY, --set KEY=VALUE, --without OPTION, or --sweep"
            raise click.UsageError(f"name a rule: {forms}{way}")
        if len(r.sweeps) > 1:
            raise click.UsageError(
                "only one number can be swept at a time, unless --target searches for the best values of several"
            )
    elif r.rules or r.settings or r.without or not 0 < len(r.sweeps) <= MOST_SWEPT:
        message = f"--target searches the values of 1 to {MOST_SWEPT} numbers (--sweep), and takes no other rules"
        raise click.UsageError(message)


class _Games:
    """The compared games.

    Args:
        r: the request.
        scratch: a temporary folder for files that are not requested.

    Attributes:
        base: the game without any rule.
    """

    def __init__(self, r: _Request, scratch: Path) -> None:
        from rulespec.load import load_ruleset

        self._r = r
        self._folder = scratch if r.out is None else folder(r.out)
        if r.players is None:
            number_of_players(load_ruleset(r.base), None)
        self._both = output.key_values(r.both, "--both")
        self.base = self._game(r.base, self._both)

    def rules(self) -> list[ComparedRule]:
        """The rules to compare with the base game, including one for each swept value other than the current one.

        Raises:
            click.UsageError: if a question uses a measure that the base game lacks.
        """
        from rulespec.check.questions import ENDING, GAME_NUMBERS, USES
        from rulespec.engine.playtest.playtest import ComparedRule

        r, results = self._r, []
        for text in r.rules:
            rule = self._game(r.base + text if text.startswith("+") else text, self._both)
            added = rule.name.removeprefix(self.base.name)
            results.append(ComparedRule(added, rule.ruleset, rule.plan) if added.startswith("+") else rule)
        settings = [output.key_values(text.split(","), "--set") for text in r.settings]
        results += [self._game(r.base, self._both | each, t) for t, each in zip(r.settings, settings, strict=True)]
        results += [self._without(each) for each in r.without]
        for sweep in r.sweeps:
            own, _ = sweep.own(self.base.ruleset)
            results += [self.at([value]) for value in sweep.values if value != own]
        known = {*GAME_NUMBERS, ENDING, USES, *self.base.ruleset.declarations.measures}
        for question in (q for rule in results for q in rule.ruleset.declarations.questions.values()):
            if question.asks not in known:
                raise click.UsageError(
                    f"the question `{question.name}` asks for the measure `{question.asks}`, which {r.base} does not "
                    f"have; declare it in a separate overlay, and play {r.base}+THAT_OVERLAY against the rule"
                )
        return results

    def at(self, values: Sequence[int]) -> ComparedRule:
        """The game with the given value for each swept number."""
        r = self._r
        name, overlay, settings = change(r.sweeps, values, self.base.ruleset, self._folder / "overlays")
        ref = r.base if overlay is None else f"{r.base}+{overlay}"
        return self._game(ref, self._both | settings, name)

    def _without(self, without: Without) -> ComparedRule:
        """The game without an option."""
        base = self.base
        path = overlay(without, base.ruleset, base.plan.seats(0), self._folder / "overlays")
        rule = self._game(f"{self._r.base}+{path}", self._both, f"without {without.text}")
        return replace(rule, seat=without.seat)

    def is_base(self, rule: ComparedRule) -> bool:
        """Whether a game is the same as the base game."""
        one, other = rule.plan, self.base.plan
        return (one.ruleset_hash, one.settings) == (other.ruleset_hash, other.settings)

    def target(self) -> dict[str, Any] | None:
        """The points tried, nearest to the target first; None if there is no target."""
        r = self._r
        if r.target is None:
            return None
        how = Aim(r.target, r.sweeps, r.target_games, r.bots, self._folder / "target", r.jobs, r.cluster)
        with resume_hint(r.out, whole=True):
            return aim(how, self.base, self.at)

    def _game(self, ref: str, settings: dict[str, str], name: str = "") -> ComparedRule:
        from rulespec.engine.playtest.playtest import ComparedRule
        from rulespec.load import load_ruleset

        r, ruleset = self._r, load_ruleset(ref)
        ref = anywhere(ref) if r.cluster else ref
        plan = GamePlan.of(ref, ruleset, [number_of_players(ruleset, r.players)], r.seed, settings=settings, cap=r.cap)
        return ComparedRule(name or ruleset.ref, ruleset, plan)


def _said_once() -> Callable[[str], None]:
    """A function that prints each message once, as many games of many bots may cause the same one."""
    said: set[str] = set()

    def say(message: str) -> None:
        if message not in said:
            said.add(message)
            say_silent(message)

    return say


def _beside_of(bots: tuple[str, ...]) -> tuple[str, ...]:
    """The default weaker bots."""
    return () if bots == (BESIDE[0],) else BESIDE


class _Progress:
    """A progress bar of pairs of games on a terminal."""

    def __init__(self) -> None:
        from tqdm import tqdm

        self._bar = tqdm(unit=" pairs", file=sys.stderr, leave=False, dynamic_ncols=True, disable=None, delay=1)

    def __call__(self, bots: tuple[str, ...], trials: list[RuleTrial]) -> None:
        """Updates the bar after a pair of games."""
        if self._bar.disable:
            return
        answers = [each.answer for trial in trials for each in trial.answers()]
        answered = sum(answer.settled for answer in answers)
        text = f"{', '.join(bots)}: {answered} of {len(answers)} numbers answered"
        self._bar.set_description(text, refresh=False)
        self._bar.update(trials[0].pairs - self._bar.n)

    def close(self) -> None:
        """Removes the progress bar."""
        self._bar.close()


def _forecast(
    playtest: Playtest, bots: tuple[str, ...], pairs: tuple[int, ...], minutes: float | None, jobs: int
) -> str:
    """The estimated duration, from the times of the first pairs of games."""
    cores = os.cpu_count() or 1
    workers = min(jobs, cores) if jobs > 0 else cores
    times = [seconds / workers for seconds in playtest.times(bots)]
    each = sum(times) / len(times)
    takes = f"a pair of games of {', '.join(bots)} takes about {_short(each)}"
    low, high = _short(min(times)), _short(max(times))
    takes += f" ({low} to {high})" if low != high else " (only one was played)" if len(times) == 1 else ""
    if pairs:
        takes += f", and {pairs[0]:,} of them at most about {_time(pairs[0] * each)}"
    return f"{takes}; " + ("no time limit" if minutes is None else f"finished in about {_time(60 * minutes)}")


def _short(seconds: float) -> str:
    """A short time with at least two digits."""
    number, unit = (seconds, "s") if seconds >= 0.1 else (1_000 * seconds, "ms")
    return f"{number:.0f} {unit}" if number >= 10 else f"{number:.2g} {unit}"


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:,.0f} min"


def _again(r: _Request, result: dict[str, Any]) -> str:
    """The command that reproduces the same figures."""
    words = [r.base, *r.rules]
    words += [w for each in r.settings for w in ("--set", each)] + [w for each in r.both for w in ("--both", each)]
    words += [w for sweep in r.sweeps for w in ("--sweep", str(sweep))]
    words += [w for each in r.without for w in ("--without", each.text)]
    words += [] if r.target is None else ["--target", str(r.target), "--target-games", str(r.target_games)]
    words += ["--players", str(result["players"]), "--bots", ",".join(r.bots)]
    beside = [each["name"] for each in result["rules"][0]["strengths"][1:]]
    words += ["--beside", ",".join(reversed(beside))]
    words += ["--pairs", ",".join(map(str, result["pairs"]))]
    words += ["--ladder", ",".join(str(each["games"]) for each in result["ladder"]) or "0"]
    words += ["--seed", str(r.seed)] + ([] if r.cap == CAP else ["--cap", str(r.cap)])
    return shlex.join(["rulespec", "playtest", *words])
