"""`rulespec explain`: the pages of diagnostic codes, with their causes and fixes."""

from __future__ import annotations

import click

from rulespec.cli import output
from rulespec.diagnostics.codes import CODES
from rulespec.diagnostics.pages import families, read_page
from rulespec.diagnostics.suggestions import did_you_mean


@click.command("explain")
@click.argument("codes", metavar="[CODE]...", nargs=-1)
def command(codes: tuple[str, ...]) -> None:
    """Explain diagnostic codes such as RS221: the meaning, the reason, a bad and a good example.

    Without a code, list all codes.

    Example: rulespec explain RS221
    """
    if not codes:
        _print(_list())
    for position, code in enumerate(codes):
        if position:
            output.echo()
        _print(_page(code.upper()))


def _print(lines: list[str]) -> None:
    for line in lines:
        output.echo(line)


def _list() -> list[str]:
    lines: list[str] = []
    for name, titles in families().items():
        lines += [output.style(name, bold=True), *(f"  {code}  {title}" for code, title in titles.items()), ""]
    return lines[:-1]


def _page(code: str) -> list[str]:
    page = read_page(code)
    if page is None:
        hint = did_you_mean(code, CODES) or "`rulespec explain` lists them all"
        raise click.UsageError(f"there is no code `{code[:20]}`; {hint}")
    return [output.style(line, bold=True) if line.startswith("#") else line for line in page.text.rstrip().split("\n")]
