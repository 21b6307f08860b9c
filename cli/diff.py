"""`rulespec diff`: the differences between two rulesets."""

from __future__ import annotations

import difflib
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

import click

from rulespec.cli import output
from rulespec.cli.flags import RefOrLog
from rulespec.diagnostics.report import Report
from rulespec.diff import ORDER, RULES, Difference, collection, diff
from rulespec.documents.text_files import is_file
from rulespec.documents.yaml_nodes import get, text
from rulespec.engine.logs.carried import carried_source
from rulespec.engine.logs.native import read_log
from rulespec.load import Merged, load_source

_MARKS = {"changed": " ", "added": "+", "removed": "-"}
_COLORS = {" ": None, "+": "green", "-": "red"}
_BARE = ("title", "type")  # values that need no name
_NOTHING = "-"
_REPLACED = 4  # minimum number of members added and removed to treat a map or table as replaced
_TABLE_ROWS = 30
_ALIKE = 8  # minimum number of members with the same new fact to share a line
_FEW = 4  # maximum number of changes of one member on one line
_LONG = 300  # maximum length of a value in characters
_CONTEXT = 2
_COMPARED = 200_000  # maximum of old lines times new lines of a rule for a diff; above it, all lines are printed


@click.command("diff")
@click.argument("old", metavar="REF|LOG", type=RefOrLog())
@click.argument("new", metavar="REF")
@click.option("--play", is_flag=True, help="Also play positions from the first ruleset under the second.")
@click.option(
    "--decisions",
    type=click.IntRange(1, 1_000_000_000),
    metavar="N",
    help="With --play: the number of decisions to try.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.pass_context
def command(ctx: click.Context, old: str, new: str, play: bool, decisions: int | None, format_: str) -> None:
    """List the differences between two rulesets: facts, entities, tables and rules.

    For a LOG, the rules that the log carries are compared, so the list shows the changes since the game was played.

    Order, comments, docs and positions on a drawing do not count. With --play, positions near the start, of random
    games and of recorded games are compared under both rulesets, to list options that became legal or illegal, or have
    a different effect, by rule, each with the shortest game found.

    Exit code: 0 no difference (with --play: none in play), 1 differences, 2 a ruleset cannot be read.

    Example: rulespec diff imperial imperial+first_edition --play
    """
    if decisions is not None and not play:
        raise click.UsageError("--decisions needs --play")
    a, b = _source(old), load_source(new, Report())
    result = diff(a, b)
    comparison = None
    if play:
        from rulespec.cli.diff_play import compared, lines

        comparison = compared(old, new, decisions)
    if format_ == "json":
        differences = [d.to_json() for d in result]
        output.echo_json(
            differences if comparison is None else {"differences": differences, "play": comparison.to_json()}
        )
    else:
        output.echo(output.style(f"{_name(old, a)} → {_name(new, b)}", bold=True))
        for line in _overlays(a, b):
            output.echo(line)
        for line in _lines(result, _width()):
            output.echo(line)
        if result:
            output.echo()
        output.echo(output.counted(len(result), "difference") if result else "no difference")
        for line in lines(comparison) if comparison is not None else ():
            output.echo(line)
    different = bool(result) if comparison is None else bool(comparison.groups)
    ctx.exit(output.PROBLEMS if different else output.OK)


def _source(ref: str) -> Merged:
    """The merged source of a reference, or of the rules embedded in a log."""
    path = Path(ref)
    return carried_source(read_log(path, lenient=True)) if is_file(path) else load_source(ref, Report())


def _name(ref: str, merged: Merged) -> str:
    game = get(merged.source.root, "game")
    return f"{ref} ({text(get(game, 'title'))} {text(get(game, 'version'))})"


def _overlays(a: Merged, b: Merged) -> Iterator[str]:
    """The titles of the overlays found on one side only."""
    old, new = dict(zip(a.overlays, a.titles, strict=True)), dict(zip(b.overlays, b.titles, strict=True))
    for mark, one, other in (("-", old, new), ("+", new, old)):
        yield from (f"  {mark} {id_}: {title}" for id_, title in one.items() if id_ not in other)


def _width() -> int:
    return min(max(shutil.get_terminal_size((120, 40)).columns, 60), 160)


def _lines(differences: Sequence[Difference], width: int) -> Iterator[str]:
    for section, of_section in groupby(differences, lambda d: d.section):
        yield ""
        yield output.style(section.capitalize(), bold=True)
        if section == RULES:
            for d in of_section:
                yield from _rule(d, width)
            continue
        for path, group in groupby(of_section, _collection):
            members = list(group)
            if path is not None and len(members) > 1:
                yield from _members(path, members, width)
            else:
                for d in members:
                    yield from _wrapped(_MARKS[d.kind], f"{d.path}: {_change(d)}", width, d.note)


def _collection(d: Difference) -> tuple[str, ...] | None:
    """The path of the group that contains a difference: one collection, or the pieces of one place."""
    path = d.keys[:3] if d.keys[:2] == ("setup", "pieces") else collection(d.section, d.keys)
    return path if path is not None and len(d.keys) > len(path) else None


# --- members of a collection ----------------------------------------------------------------------------------------


def _members(path: tuple[str, ...], differences: list[Difference], width: int) -> Iterator[str]:
    at = len(path)
    order = [d for d in differences if d.keys[at] == ORDER]
    whole = {d.keys[at]: d for d in differences if len(d.keys) == at + 1 and d not in order}
    parts = [d for d in differences if len(d.keys) > at + 1]
    added = {k: d.new for k, d in whole.items() if d.kind == "added"}
    removed = {k: d.old for k, d in whole.items() if d.kind == "removed"}
    replaced = bool(added) and bool(removed) and len(added) + len(removed) >= _REPLACED
    names = dict.fromkeys(d.keys[at] for d in [*parts, *whole.values()] if d.keys[at] not in {**added, **removed})
    counts = [f"{n:,} {w}" for n, w in ((len(removed), "removed"), (len(added), "added"), (len(names), "changed")) if n]
    yield f"  {'.'.join(path)}: {', '.join(counts)}" if counts else f"  {'.'.join(path)}"
    if replaced:
        summary = list(_replaced(removed, added, width))
        yield from summary or _named(removed, added, names, width)
        parts = parts if summary else []
    else:
        shared = _shared(parts, at)
        for (mark, fact), values in shared.items():
            yield from _wrapped(mark, f"  {fact}: " + ", ".join(f"{k} {_shown(v)}" for k, v in values.items()), width)
        parts = [d for d in parts if (_MARKS[d.kind], _fact(d, at)) not in shared]
    shown = names if replaced else dict.fromkeys(d.keys[at] for d in [*parts, *whole.values()])
    pad = min(max((len(k) for k in shown), default=0), 30)
    for name, d in whole.items():
        if d.kind == "changed" or not replaced:
            yield from _wrapped(_MARKS[d.kind], f"  {name.ljust(pad)}  {_change(d)}", width, d.note)
    for name, group in groupby(parts, lambda d: d.keys[at]):
        yield from _member(name.ljust(pad), list(group), at, width)
    for d in order:
        if len(d.new) <= _TABLE_ROWS or not replaced:  # the order of a replaced map is irrelevant
            yield from _wrapped(" ", f"  order: {', '.join(d.new)}", width)


def _member(name: str, differences: list[Difference], at: int, width: int) -> Iterator[str]:
    """The lines for the changes of one member: a single line, or separate ones for old and new if there are many."""
    line = ", ".join(f"{_fact(d, at)} {_change(d)}" for d in differences)
    if len(differences) <= _FEW and len(line) <= 2 * width:
        yield from _wrapped(" ", f"  {name}  {line}", width, differences[0].note if len(differences) == 1 else "")
        return
    for mark in "-+":
        sides = [(d, d.old if mark == "-" else d.new) for d in differences]
        texts = [f"{_fact(d, at)}: {_shown(value)}" for d, value in sides if value is not None]
        if texts:
            yield from _wrapped(mark, f"  {name}  " + "; ".join(texts), width)


def _fact(d: Difference, at: int) -> str:
    return ".".join(d.keys[at + 1 :])


def _shared(parts: list[Difference], at: int) -> dict[tuple[str, str], dict[str, Any]]:
    """The values by member, for each (mark, fact) gained or lost by many members."""
    results: dict[tuple[str, str], dict[str, Any]] = {}
    for d in parts:
        if d.kind != "changed":
            side = d.new if d.kind == "added" else d.old
            results.setdefault((_MARKS[d.kind], _fact(d, at)), {})[d.keys[at]] = side
    return {key: values for key, values in results.items() if len(values) >= _ALIKE}


def _replaced(removed: dict[str, Any], added: dict[str, Any], width: int) -> Iterator[str]:
    """The old and the new members, as lists or as adjacent tables; empty if they are too large."""
    both = [*removed.values(), *added.values()]
    if not any(isinstance(v, dict | list) for v in both):
        for mark, side in (("-", removed), ("+", added)):
            yield from _wrapped(mark, "  " + ", ".join(f"{k} {_shown(v)}" for k, v in side.items()), width)
    elif max(len(removed), len(added)) <= _TABLE_ROWS and all(_flat(v) for v in both):
        left, right = _table("-", removed), _table("+", added)
        edge = max(map(len, left))
        if edge + max(map(len, right)) + 12 <= width:
            for old, new in zip_longest(left, right, fillvalue=""):
                yield f"    {_paint('-', old.ljust(edge))}      {_paint('+', new)}".rstrip()
        else:
            yield from (f"    {_paint('-', line)}" for line in left)
            yield from (f"    {_paint('+', line)}" for line in right)


def _flat(value: Any) -> bool:
    return isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values())


def _table(mark: str, members: dict[str, dict[str, Any]]) -> list[str]:
    columns = list(dict.fromkeys(k for facts in members.values() for k in facts))
    numbers = [i for i, c in enumerate(columns, 1) if all(isinstance(f.get(c, 0), int) for f in members.values())]
    rows = [
        [f"{mark} {name}", *(_shown(facts[c]) if c in facts else "" for c in columns)]
        for name, facts in members.items()
    ]
    return output.table(rows, ["", *columns], numbers)


def _named(removed: dict[str, Any], added: dict[str, Any], names: dict[str, None], width: int) -> Iterator[str]:
    for mark, side in (("-", removed), ("+", added), (" ", names)):
        if side:
            yield from _wrapped(mark, "  " + ("" if mark != " " else "changed: ") + ", ".join(side), width)


# --- rules ----------------------------------------------------------------------------------------------------------


def _rule(d: Difference, width: int) -> Iterator[str]:
    mark = _MARKS.get(d.kind, " ")
    yield f"  {_paint(mark, d.kind.ljust(8))} {output.style(d.path, bold=True)}"
    for line in textwrap.wrap(d.note, width - 6):
        yield "      " + output.style(line, dim=True)
    if d.kind != "removed":  # a removed rule is printed by name only
        for line in _compared(d):
            yield "        " + line
        yield ""


def _compared(d: Difference) -> Iterator[str]:
    old = d.old.split("\n") if d.old is not None and d.kind == "changed" else []
    new = d.new.split("\n")
    if not old:
        yield from (_paint("+", f"+ {line}") for line in new)
        return
    if len(old) * len(new) > _COMPARED:
        yield from (_paint(mark, f"{mark} {line}") for mark, lines in (("-", old), ("+", new)) for line in lines)
        return
    for i, line in enumerate(difflib.unified_diff(old, new, n=_CONTEXT, lineterm="")):
        if i < 2 or (i == 2 and line.startswith("@@ -1,")):  # the names of two files; the start
            continue
        yield "…" if line.startswith("@@") else _paint(line[0], f"{line[0]} {line[1:]}".rstrip())


# --- values ---------------------------------------------------------------------------------------------------------


def _change(d: Difference) -> str:
    if d.kind != "changed":
        whole = _shown(d.new if d.kind == "added" else d.old)
        if len(d.keys) > 1 and d.keys[-1] != ORDER and _is_part(d):
            return f"{_NOTHING} → {whole}" if d.kind == "added" else f"{whole} → {_NOTHING}"
        return whole
    if isinstance(d.old, list) and isinstance(d.new, list) and set(d.old) != set(d.new):
        more, less = [x for x in d.new if x not in d.old], [x for x in d.old if x not in d.new]
        return " ".join(f"{m} {', '.join(map(str, xs))}" for m, xs in (("+", more), ("-", less)) if xs)
    return f"{_shown(d.old)} → {_shown(d.new)}"


def _is_part(d: Difference) -> bool:
    """Whether a difference concerns a fact of a member, and is printed on the member's line."""
    path = _collection(d)
    return path is not None and len(d.keys) > len(path) + 1


def _shown(value: Any) -> str:
    shown = _compact(value)
    return shown if len(shown) <= _LONG else shown[: _LONG - 1] + "…"


def _compact(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(str(v) if k in _BARE else f"{k} {_inner(v)}".rstrip() for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(_inner, value)) or "{}"
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


def _inner(value: Any) -> str:
    if isinstance(value, dict):
        return f"({_compact(value)})" if value else ""
    return f"{{{_compact(value)}}}" if isinstance(value, list) and value else _compact(value)


# --- lines ----------------------------------------------------------------------------------------------------------


def _paint(mark: str, line: str) -> str:
    color = _COLORS.get(mark)
    return output.style(line, fg=color) if color else line


def _wrapped(mark: str, line: str, width: int, note: str = "") -> Iterator[str]:
    """A marked line, wrapped to the width, with its note after or below it."""
    indent = len(line) - len(line.lstrip()) + 4
    lines = textwrap.wrap(line, width - 2, subsequent_indent=" " * indent, break_on_hyphens=False) or [""]
    tail = f"  # {note}" if note else ""
    if tail and len(lines[-1]) + len(tail) + 2 > width:
        lead = " " * indent + "# "
        notes = textwrap.wrap(note, width - 2, initial_indent=lead, subsequent_indent=lead, break_on_hyphens=False)
        tail = ""
    else:
        notes = []
    for i, text_ in enumerate(lines):
        end = output.style(tail, dim=True) if tail and i == len(lines) - 1 else ""
        yield _paint(mark, f"{mark if i == 0 else ' '} {text_}") + end
    yield from (output.style(f"  {n}", dim=True) for n in notes)
