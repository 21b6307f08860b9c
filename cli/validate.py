"""`rulespec validate`: everything that is wrong with rulesets."""

from __future__ import annotations

from typing import Any

import click

from cli import output
from rulespec import typed
from rulespec.diagnostics import Report, RulespecError
from rulespec.render import to_json


@click.command("validate")
@click.argument("refs", metavar="REF...", nargs=-1, required=True)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="How to print.")
@click.pass_context
def command(ctx: click.Context, refs: tuple[str, ...], format_: str) -> None:
    """Check the rulesets REF…: files, names, types, resources, flow, scenarios and dialects.

    All problems of a ruleset are reported in one run. Exit code: 0 sound (there may be warnings), 1 problems,
    2 there is no such ruleset.

    Example: rulespec validate imperial
    """
    codes = []
    results: list[dict[str, Any]] = []
    for ref in refs:
        report, ruleset = Report(), None
        code = output.OK
        try:
            ruleset = check(ref, report)
        except RulespecError as error:
            report.extend(error.diagnostics)
        if not report.ok:
            # A reference that leads nowhere is wrong usage; what it leads to can only be wrong in itself.
            missing = any(d.span is None and d.code in {"RS501", "RS502"} for d in report.diagnostics)
            code = output.UNUSABLE if missing else output.PROBLEMS
        codes.append(code)
        results.append(
            {
                "ref": ref,
                "ruleset_hash": ruleset.hash if ruleset is not None else None,
                "sound": report.ok,
                "diagnostics": [to_json(d) for d in report.diagnostics],
            }
        )
        if format_ == "text":
            output.show(report.diagnostics, ruleset.sources if ruleset is not None else None)
            click.echo(_summary(ref, ruleset, report))
    if format_ == "json":
        output.echo_json({"rulesets": results})
    ctx.exit(max(codes))


def check(ref: str, report: Report) -> typed.Ruleset | None:
    """Checks a ruleset and the files that come with it.

    Returns:
        The ruleset; None if it has errors.
    """
    from rulespec.load import load_ruleset

    try:
        ruleset = load_ruleset(ref, report)
    except RulespecError as error:
        report.extend(error.diagnostics)
        return None
    _lowers(ruleset, report)
    _beside(ruleset, report)
    return ruleset


def _lowers(ruleset: typed.Ruleset, report: Report) -> None:
    """Tries the program, and the set-up of every number of players, which is only looked at here."""
    from engine.game import check_options
    from engine.interpreter import ProgramFault
    from engine.lower import lower, set_up
    from engine.option import Fault

    options = check_options(ruleset, {})
    low, high = ruleset.players
    for seats in range(low, high + 1):
        try:
            (lower if seats == high else set_up)(ruleset, seats, options)
        except RulespecError as error:
            report.extend(error.diagnostics)
        except Fault as fault:
            report.add(fault.diagnostic)
        except ProgramFault as fault:
            message = f"the set-up for {seats} players has no value: {fault.detail or 'a look-up without a row'}"
            report.error("RS703", message, None, help="see setup.yaml and the tables it looks up")


def _beside(ruleset: typed.Ruleset, report: Report) -> None:
    """Checks the files beside the rules: overlays on offer, and dialects. Scenarios are for `rulespec test`."""
    from engine.dialect import read_dialect

    for name in ruleset.offered:
        if not any((folder / "variants" / f"{name}.yaml").is_file() for folder in ruleset.folders):
            place = _offer(ruleset, name)
            help_ = f"write variants/{name}.yaml, or take it off the list"
            report.error("RS502", f"there is no file for the overlay `{name}`", place, help=help_)
    for folder in ruleset.folders:
        for path in sorted((folder / "dialects").glob("*.yaml")):
            try:
                read_dialect(path)
            except RulespecError as error:
                report.extend(error.diagnostics)


def _offer(ruleset: typed.Ruleset, name: str) -> Any:
    """Where game.yaml offers an overlay."""
    from engine.suite import display
    from rulespec.check.nodes import get, words
    from rulespec.source import Mapping, read_yaml

    for folder in ruleset.folders:
        path = folder / "game.yaml"
        node = read_yaml(path, display(path))
        for word in words(get(node, "overlays")) if isinstance(node, Mapping) else []:
            if word.text == name:
                return word.span
    return None


def _summary(ref: str, ruleset: typed.Ruleset | None, report: Report) -> str:
    found = output.problems(report.diagnostics)
    if ruleset is None:
        return f"{ref}: {output.style(found, fg='red')}"
    name = f"{ruleset.ref} {ruleset.version}"
    if not report.ok:
        return f"{name}: {output.style(found, fg='red')}"
    low, high = ruleset.players
    declarations, rules = ruleset.declarations, ruleset.rules
    parts = [
        f"{low} players" if low == high else f"{low}-{high} players",
        output.counted(_decisions(ruleset), "decision"),
        output.counted(len(rules.procedures), "procedure"),
        output.counted(len(rules.definitions), "definition"),
        output.counted(len(rules.invariants), "invariant"),
        output.counted(len(declarations.options), "option"),
    ]
    sound = output.style("sound", fg="green") + (f" ({found})" if found else "")
    return f"{name}: {sound} · {' · '.join(parts)}"


def _decisions(ruleset: typed.Ruleset) -> int:
    """How many decisions the rules hold, whatever options are chosen."""
    from engine.game import check_options
    from engine.lower import lower

    return len({d.name for d in lower(ruleset, ruleset.players[0], check_options(ruleset, {})).decisions})
