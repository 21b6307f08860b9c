"""`rulespec rules`: a page with all rules of a game, for reading and printing."""

from __future__ import annotations

from pathlib import Path

import click

from rulespec.cli import output


@click.command("rules")
@click.argument("ref", metavar="REF")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", required=True, help="Write the page to this file."
)
@click.option("--language", metavar="LANGUAGE", help="The language of its words; default: the ruleset's own.")
def command(ref: str, out: Path, language: str | None) -> None:
    """Write a page with all rules of the ruleset REF, to read or print.

    The page has the house rules of REF with their changes, then the help texts of its word files, then the listed rules
    by id. Each rule has the docstrings and reasons that cite it, and is marked if a house rule changes it.

    Example: rulespec rules imperial+no_gifts --out rules.html
    """
    from rulespec.load import load_ruleset
    from rulespec.pages.rules_page import rules_page

    page = rules_page(load_ruleset(ref), language).encode(errors="replace")
    output.write_bytes(out, page)
    output.echo(f"written: {out} ({len(page) / 1000:,.0f} KB)")
