"""`rulespec facts`: the facts of a ruleset whose values belong to one kind, such as certainty."""

from __future__ import annotations

from collections import Counter
from typing import Any

import click

from rulespec.cli import output
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_name
from rulespec.types import Ent


@click.command("facts")
@click.argument("ref", metavar="REF")
@click.argument("kind", metavar="[KIND]", required=False)
@click.option("--only", multiple=True, metavar="VALUE", help="List only facts with this value; repeatable.")
@click.option("--not", "unwanted", multiple=True, metavar="VALUE", help="Omit facts with this value; repeatable.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
def command(ref: str, kind: str | None, only: tuple[str, ...], unwanted: tuple[str, ...], format_: str) -> None:
    """List the facts of the ruleset REF whose values are of the kind KIND, each with its place.

    If a ruleset records the certainty of its facts, this lists the uncertain ones. Without KIND, it lists the kinds of
    facts.

    Example: rulespec facts tetrarchia certainty --not seed --not public
    """
    ruleset = load_ruleset(ref)
    if kind is None:
        if only or unwanted or format_ == "json":
            raise click.UsageError("--only, --not and --format json need KIND")
        _show_kinds(ruleset)
        return
    if kind not in ruleset.kinds:
        hint = did_you_mean(kind, ruleset.kinds)
        raise click.UsageError(
            f"{ref} has no kind `{kind}`; {hint or f'list the kinds of its facts with `rulespec facts {ref}`'}"
        )
    values = {entity.name: entity.title for entity in ruleset.kinds[kind].entities}
    for value in (*only, *unwanted):
        if value not in values:
            hint = did_you_mean(value, values) or f"the values are {', '.join(values)}"
            raise click.UsageError(f"no `{kind}` is called `{value}`; {hint}")
    result = _facts(ruleset, kind)
    totals = Counter(fact["value"] for fact in result)
    shown = [fact for fact in result if fact["value"] not in unwanted and (not only or fact["value"] in only)]
    if format_ == "json":
        counted = {value: totals[value] for value in values}
        output.echo_json({"ruleset": ref, **output.hashes(ruleset), "kind": kind, "totals": counted, "facts": shown})
        return
    rows = [(f"{f['file']}:{f['line']}", f"{f['kind']}.{f['entity']}", f["fact"], f["value"]) for f in shown]
    for line in output.table(rows):
        output.echo(line)
    if rows:
        output.echo()
    parts = ", ".join(f"{totals[value]:,} {title}" for value, title in values.items())
    output.echo(f"{output.counted(len(shown), 'fact')} of {len(result):,}; all: {parts}")


def _facts(ruleset: typed.Ruleset, kind: str) -> list[dict[str, Any]]:
    """The facts from files with values of a kind, in the order of their kinds and entities."""
    results: list[dict[str, Any]] = []
    names = ruleset.kinds[kind].entities
    for owner in ruleset.kinds.values():
        facts = [f for f in owner.facts.values() if isinstance(f.type, Ent) and f.type.kind == kind]
        for number in range(max((len(f.values) for f in facts), default=0)):
            entity = entity_name(owner, number)
            for fact in facts:
                place = fact.places.get(number)  # generated facts have none, such as the parts of a product
                if fact.values[number] >= 0 and place is not None:
                    of = {"kind": owner.name, "entity": entity, "fact": fact.name}
                    results.append(
                        of | {"value": names[fact.values[number]].name, "file": place.file, "line": place.line}
                    )
    return results


def _show_kinds(ruleset: typed.Ruleset) -> None:
    rows = []
    for kind in ruleset.kinds.values():
        if facts := [] if kind.by_seat else _facts(ruleset, kind.name):
            names = dict.fromkeys(f"{fact['kind']}.{fact['fact']}" for fact in facts)
            rows.append((kind.name, f"{len(facts):,}", ", ".join(names)))
    for line in output.table(rows, ("kind", "facts", "which"), right=[1]):
        output.echo(line)
