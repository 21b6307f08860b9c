"""`rulespec explore`: bounded exploration of rules, and games that reveal errors in them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import Struct
from msgspec.structs import replace

from rulespec.cli import output
from rulespec.cli.failing_game import MAX_SHOWN, write_into
from rulespec.cli.validate import checked, finish, format_option
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.json_text import to_json_text
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.verify.explore import Exploration, Finding


@click.command("explore")
@click.argument("refs", metavar="REF...", nargs=-1, required=True)
@click.option(
    "--decisions",
    type=click.IntRange(1, 1_000_000_000),
    default=100_000,
    show_default=True,
    metavar="N",
    help="The number of decisions to try.",
)
@click.option(
    "--failures",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write the games that show mistakes to this folder.",
)
@click.option("--record", is_flag=True, help="Write situations into the folder tests/ of each ruleset without errors.")
@format_option
@click.pass_context
def command(
    ctx: click.Context, refs: tuple[str, ...], decisions: int, failures: Path | None, record: bool, format_: str
) -> None:
    """Explore the rulesets REF…: all positions near the start, then random games; report mistakes with their shortest
    games.

    The checks of `rulespec validate` come first. With --record, `rulespec test` can later find recorded situations that
    a change of the rules affects. Exit code: 0 sound (there may be warnings), 1 problems, 2 no such ruleset.

    Example: rulespec explore imperial --decisions 20000
    """
    run = ExplorationRun(decisions, failures, record)
    finish(ctx, [checked(ref, run.explore) for ref in refs], format_)


class ExplorationRun(Struct, frozen=True):
    """The settings of an exploration: the maximum number of decisions, the folder for failing games (None if there is
    none), and whether to record situations.
    """

    decisions: int
    folder: Path | None
    record: bool = False

    def explore(self, ruleset: typed.Ruleset, report: Report) -> None:
        """Explores a valid ruleset; adds findings to the report, and writes their games into the folder.

        Raises:
            click.ClickException: if a game cannot be written.
        """
        try:
            result = self._explore(ruleset)
        except DiagnosticsError as error:
            report.extend(error.diagnostics)
            return
        report.extend(result.others)
        for number, finding in enumerate(result.findings, 1):
            report.add(self._write(ruleset, finding, number) if self.folder is not None else _diagnostic(finding))
        output.echo(_summary(ruleset, result), err=True)
        if self.record and report.ok:
            from rulespec.cli.recorded_situations import write_situations

            write_situations(ruleset)

    def _explore(self, ruleset: typed.Ruleset) -> Exploration:
        from rulespec.engine.verify.explore import explore

        decisions = self.decisions
        if not sys.stderr.isatty():
            return explore(ruleset, decisions)
        from tqdm import tqdm

        with tqdm(total=decisions, unit="decision", file=sys.stderr, leave=False, dynamic_ncols=True) as bar:
            return explore(ruleset, decisions, bar.update)

    def _write(self, ruleset: typed.Ruleset, finding: Finding, number: int) -> Diagnostic:
        """Writes the game and a scenario of a finding; returns its diagnostic with the paths of the files."""
        assert self.folder is not None
        name = f"{ruleset.ref.replace('+', '_')}-{finding.diagnostic.code}-{number}"
        lines = "".join(to_json_text(line, plain=True) + "\n" for line in finding.log(ruleset))
        help_ = f"{finding.diagnostic.help}\nthe game is in {write_into(self.folder, f'{name}.jsonl', lines)}"
        if finding.scenario:
            help_ += f", and a scenario of it is in {write_into(self.folder, f'{name}.yaml', finding.scenario)}"
        return replace(finding.diagnostic, help=help_)


def _diagnostic(finding: Finding) -> Diagnostic:
    """The diagnostic of a finding with its scenario, or with the command that writes a long one."""
    d, scenario = finding.diagnostic, finding.scenario.rstrip()
    if scenario and len(finding.moves) > MAX_SHOWN:
        return replace(d, help=f"{d.help}\nadd --failures FOLDER to save the game and a scenario of it")
    return replace(d, help=f"{d.help}\nas a scenario:\n{scenario}") if scenario else d


def _summary(ruleset: typed.Ruleset, exploration: Exploration) -> str:
    parts = [output.counted(exploration.decisions, "decision"), output.counted(exploration.games, "random game")]
    low, high = ruleset.players
    if len(exploration.complete) == high - low + 1:
        parts.append("every position seen")
    elif exploration.complete:
        parts.append(f"every position seen with {', '.join(map(str, exploration.complete))} players")
    if exploration.unseen:
        parts.append(f"never legal so far: {', '.join(sorted(set(exploration.unseen)))}")
    return f"{ruleset.ref}: explored {' · '.join(parts)}"
