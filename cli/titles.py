"""`rulespec titles`: lists the languages of a ruleset, and the texts missing in each."""

from __future__ import annotations

import click

from rulespec.cli import output
from rulespec.engine.words.missing import missing
from rulespec.engine.words.titles import Key
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

_HEADS = {"each": "entities"}


@click.command("titles")
@click.argument("ref", metavar="REF")
@click.option("--language", metavar="LANGUAGE", help="List the missing texts of this language.")
@click.pass_context
def command(ctx: click.Context, ref: str, language: str | None) -> None:
    """List the languages of the ruleset REF, and the share of its texts that exist in each.

    With --language, list the missing texts: these are shown in the ruleset's own language or, if that lacks them too,
    by id. Exit code: 0 nothing is missing, 1 something is missing, 2 no such language.

    Example: rulespec titles imperial --language de
    """
    ruleset = load_ruleset(ref)
    names = Words(ruleset).languages if language is None else [language]
    results = {name: missing(ruleset, name) for name in names}
    for name, (lacking, wanted) in results.items():
        for section, key in lacking if language is not None else ():
            output.echo(f"{_HEADS.get(section, section)}: {key}")
        helps = _counted([key for key in wanted if key[0] == "help"], lacking)
        texts = _counted([key for key in wanted if key[0] != "help"], lacking)
        output.echo(f"{ruleset.ref}, {name}: {texts} texts{f', {helps} help texts' if helps else ''}")
    ctx.exit(output.PROBLEMS if language is not None and results[language][0] else output.OK)


def _counted(wanted: list[Key], lacking: list[Key]) -> str:
    """The number of existing texts out of the expected ones; "" if none is expected."""
    there = len(wanted) - len({*wanted} & {*lacking})
    return f"{there:,} of {len(wanted):,}" if wanted else ""
