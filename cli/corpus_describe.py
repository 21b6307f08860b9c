"""`rulespec corpus describe`: the contents of a store, and its columns and measures in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulespec.cli import output

if TYPE_CHECKING:
    from rulespec.engine.corpus.store_description import Description

_MAX_TABLES = 40


@click.command("describe")
@click.argument("store", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def command(store: Path, format_: str) -> None:
    """Describe the store DIR: rulesets, players, settings and numbers of games; columns and measures with units.

    The metadata of the Parquet files also has the titles and units of the columns.

    Example: rulespec corpus describe store
    """
    from rulespec.engine.corpus.store_description import described

    result = described(store)
    if format_ == "json":
        output.echo_json(result.to_json())
    else:
        _show(result)


def _show(d: Description) -> None:
    """Prints tables, columns and measures."""
    words = ", ".join(f"{number:,} {verdict.replace('_', ' ')}" for verdict, number in d.verdicts.most_common())
    output.echo(f"{output.counted(d.verdicts.total(), 'game')} in {output.counted(d.parts, 'file')}: {words}")
    output.echo()
    rows = []
    for key, (table, games) in list(d.tables.items())[:_MAX_TABLES]:
        settings = " ".join(f"{name}={value}" for name, value in table.settings.items())
        rows.append((table.ruleset, table.title, table.players, f"{games.games:,}", f"{games.over:,}",
                     f"{games.decisions:,}", key, settings))  # fmt: skip
    head = ("ruleset", "title", "players", "games", "over", "decisions", "table", "settings")
    for line in output.table(rows, head, right=(2, 3, 4, 5)):
        output.echo(line)
    if len(d.tables) > _MAX_TABLES:
        output.echo(f"… and {len(d.tables) - _MAX_TABLES:,} more tables")
    output.echo()
    from rulespec.engine.corpus.game_codes import COLUMNS

    columns = [(name, column.unit or "-", column.title) for name, column in COLUMNS.items()]
    for line in output.table(columns, ("column", "unit", "content")):
        output.echo(line)
    for ref, measures in d.measures.items():
        if not measures:
            continue
        output.echo()
        lines = [(m.measure, m.unit or "-", m.of or "the game", m.title) for m in measures]
        for line in output.table(lines, (f"measure of {ref}", "unit", "of", "title")):
            output.echo(line)
