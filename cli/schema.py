"""`rulespec schema`: the JSON Schema of a ruleset's own files, for editors."""

from __future__ import annotations

import click

from rulespec.diagnostics.report import Report
from rulespec.documents.json_text import to_json_text
from rulespec.editor_schema import files_schema, overlay_schema
from rulespec.load import load_ruleset, load_source


@click.command("schema")
@click.argument("ref", metavar="REF")
@click.option("--overlay", is_flag=True, help="Print the schema of an overlay for REF.")
def command(ref: str, overlay: bool) -> None:
    """Print the JSON Schema of the files of the ruleset REF: kinds, map, boards, tracks, tables and set-up.

    It contains the ruleset's kinds, facts, entities, tables and places, so that an editor completes them and marks
    unknown ones. Refer to it in the first line of a file: # yaml-language-server: $schema=../my_game.schema.json

    Example: rulespec schema imperial > imperial.schema.json
    """
    ruleset = load_ruleset(ref)
    schema = overlay_schema(ruleset, load_source(ref, Report()).source.root) if overlay else files_schema(ruleset)
    click.echo(to_json_text(schema, indent=1))
