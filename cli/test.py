"""`rulespec test`: tests a ruleset with its scenarios and recorded games."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.flags import BackendChoice, check_used, wasm_errors
from rulespec.cli.recorded_situations import recorded_situations, show_altered, summary
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import Report
from rulespec.documents.text_files import is_folder
from rulespec.engine.game.machines import Backend
from rulespec.engine.program.long_values import counting
from rulespec.engine.verify.suite import Case, run_suite
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.cli.test_random import RandomRun


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    ref: str
    format_: str
    backends: tuple[Backend, ...]
    outside: tuple[Path, ...]
    only: str
    games: int
    players: str | None
    seed: int
    failures: Path | None


@click.command("test")
@click.argument("ref")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.option(
    "--backend",
    "backends",
    type=BackendChoice(["python", "interpreter", "wasm"]),
    multiple=True,
    help="Run everything on this backend only; default: scenarios on python and interpreter.",
)
@click.option(
    "--scenarios",
    "outside",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    metavar="DIR",
    help="Run only the scenarios of this folder or file.",
)
@click.option("--only", metavar="TEXT", default="", help="Only cases whose id or file contains this text.")
@click.option("--random", "games", type=click.IntRange(0, 100_000), metavar="N", default=0, help="Play N random games.")
@click.option(
    "--players", metavar="N", help="Numbers of players in random games, such as 4 or 2-6; default: all that REF allows."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same random games.")
@click.option(
    "--failures", type=click.Path(path_type=Path), help="Folder for the native logs of random games that fail."
)
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Run the scenarios, recorded games and recorded situations of the ruleset REF.

    Scenarios are in scenarios/*.yaml, recorded games in logs/, and situations recorded by `rulespec explore --record`
    in tests/; these check that the rules still behave the same. The tests of an overlay are in subfolders with its
    name, and run if REF has the overlay; so do scenarios that name it under `also`. With --scenarios, only the
    scenarios of another folder run: DIR/*.yaml, and DIR/OVERLAY/*.yaml for the overlays of REF. With --random, random
    games check invariants, undo, clones, logs, saved games, and the agreement of all backends; a failure is printed
    with the shortest game found. Exit code: 0 all pass, 1 some fail, 2 the ruleset cannot be read, or nothing was
    tested.

    Example: rulespec test imperial --random 20
    """
    r = _Request(**values)
    from rulespec.load import load_ruleset

    started = time.perf_counter()
    report = Report()
    ruleset = load_ruleset(r.ref, report)
    numbers = _numbers(r.players, ruleset)
    failed: list[Case] = []
    counts = {"scenario": [0, 0], "log": [0, 0]}  # passed, failed
    with counting() as handed:
        for case in _cases(ruleset, r.backends, report, r.only, r.outside):
            counts[case.kind][not case.passed] += 1
            if not case.passed:
                failed.append(case)
                if r.format_ == "text":
                    output.show(case.diagnostics, err=False)
    checked = None if r.outside else recorded_situations(ruleset, r.only, report)
    if checked is not None and r.format_ == "text":
        show_altered(checked)
    run = _random_games(ruleset, numbers, r.games, r.seed, r.failures) if r.games else None
    if run is not None and r.format_ == "text":
        run.show()
    passed = not failed and (checked is None or checked.is_clean) and report.ok and (run is None or not run.failures)
    nothing = passed and run is None and checked is None and not any(map(sum, counts.values()))
    shown = _unaccepted(report, ruleset)
    if r.format_ == "json":
        data = _json(ruleset, counts, failed, shown)
        data |= {"situations": checked.to_json()} if checked is not None else {}
        output.echo_json(data | ({"random": run.to_json()} if run is not None else {}))
    else:
        output.show(shown)
        parts = [_count(counts["scenario"], "scenario"), _count(counts["log"], "recorded game")]
        parts += [summary(checked)] if checked is not None else []
        parts += [_count([run.games - run.failed, run.failed], "random game")] if run is not None else []
        errors = f" · {output.problems(shown)}" if shown else ""
        verdict = output.style("passed", fg="green") if passed else output.style("failed", fg="red")
        verdict = output.style("nothing to test", fg="yellow") if nothing else verdict
        seconds = f"{time.perf_counter() - started:.1f} s"
        output.echo(f"{ruleset.ref} {ruleset.version}: {verdict} · {' · '.join(parts)}{errors} · {seconds}")
    if nothing:
        output.echo(_way_to_tests(r.only, ruleset), err=True)
        ctx.exit(output.UNUSABLE)
    check_used("wasm" if "wasm" in r.backends else "".join(r.backends[:1]), handed)
    ctx.exit(output.OK if passed else output.PROBLEMS)


def _cases(
    ruleset: typed.Ruleset, backends: tuple[Backend, ...], report: Report, only: str, outside: tuple[Path, ...]
) -> Iterator[Case]:
    """The cases of the suite, run one by one."""
    with wasm_errors() if "wasm" in backends else nullcontext():
        yield from run_suite(ruleset, backends or ("python", "interpreter"), report, only, outside)


def _numbers(players: str | None, ruleset: typed.Ruleset) -> list[int]:
    """The numbers of players of random games."""
    if players is None:
        low, high = ruleset.players
        return list(range(low, high + 1))
    from rulespec.cli.simulate import seat_counts

    return seat_counts(players)


def _random_games(
    ruleset: typed.Ruleset, numbers: list[int], games: int, seed: int, failures: Path | None
) -> RandomRun:
    from rulespec.cli.test_random import play_random_games  # lazily: the import takes longer than many a suite

    return play_random_games(ruleset, numbers, games, seed, failures)


def _way_to_tests(only: str, ruleset: typed.Ruleset) -> str:
    """The help if there is nothing to test."""
    if only:
        return f"give --only part of the id or file of a test: no scenario and no recorded game contains `{only[:80]}`"
    if ruleset.overlays and is_folder(cases := ruleset.folders[0] / "scenarios"):
        return f"to list the scenarios that the overlays change, run those of the ruleset: --scenarios {cases}"
    return "write scenarios into scenarios/*.yaml, put recorded games into logs/, or play random games: --random 20"


def _count(numbers: list[int], word: str) -> str:
    passed, failed = numbers
    text = output.counted(passed + failed, word)
    return f"{text}, {failed} failed" if failed else text


def _unaccepted(report: Report, ruleset: typed.Ruleset) -> tuple[Diagnostic, ...]:
    """The findings without the warnings accepted in the ruleset."""
    if not report.diagnostics:
        return ()
    from rulespec.check.accepted import unaccepted  # lazily: most rulesets have no warnings

    return unaccepted(report.diagnostics, ruleset.sources)


def _json(
    ruleset: typed.Ruleset, counts: dict[str, list[int]], failed: list[Case], shown: Sequence[Diagnostic]
) -> dict[str, Any]:
    return {
        "ruleset": ruleset.ref,
        **output.hashes(ruleset),
        "scenarios": {"passed": counts["scenario"][0], "failed": counts["scenario"][1]},
        "logs": {"passed": counts["log"][0], "failed": counts["log"][1]},
        "failures": [
            {
                "kind": case.kind,
                "id": case.id,
                "file": case.file,
                "backends": list(case.backends),
                "diagnostics": output.in_json(case.diagnostics),
            }
            for case in failed
        ],
        "diagnostics": output.in_json(shown),
    }
