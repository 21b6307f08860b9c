"""`rulespec format`: reformats rules files in a uniform layout."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Span, escaped
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.text_files import files_inside, read_text, text_of
from rulespec.documents.versions import check_needs_of_text
from rulespec.documents.written_files import write_text
from rulespec.own_files import own_files
from rulespec.references import find_ruleset, is_path, parts_of
from rulespec.ruleset_files import MAX_RULES_BYTES, MAX_YAML
from rulespec.syntax.format import format_rules


@click.command("format")
@click.argument("targets", metavar="FILE|REF...", nargs=-1, required=True)
@click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
@click.option("--diff", is_flag=True, help="Write nothing; print the changes.")
@click.pass_context
def command(ctx: click.Context, targets: tuple[str, ...], check: bool, diff: bool) -> None:
    """Put rules files into one layout: four spaces per block, one blank line between items, spaces around operators.

    A target is a .rules file, or a ruleset with all .rules files of its folder and its overlays. For an overlay given
    by its path, only the files beside it count, not those of a base found by its id. `-` formats standard input.
    Comments, line breaks and aligned columns stay. A file is written only if its meaning stays the same. Exit code: 0
    done, 1 a file is not valid (or would change, with --check), 2 a file cannot be read.

    Example: rulespec format imperial --check
    """
    if "-" in targets:
        if targets != ("-",) or check or diff:
            raise click.UsageError("`-` must be the only target: it formats standard input")
        ctx.exit(_filter())
    codes, changed, seen = [output.OK], 0, 0
    for path in _files(targets):
        code, different = _format(path, write=not (check or diff), diff=diff)
        codes.append(output.PROBLEMS if check and different else code)
        changed, seen = changed + different, seen + 1
    word = "would change" if check or diff else "changed"
    output.echo(f"{output.counted(seen, 'file')}, {changed} {word}", err=True)
    ctx.exit(max(codes))


def _files(targets: tuple[str, ...]) -> list[Path]:
    """The rules files of the targets, without duplicates."""
    results: dict[Path, None] = {}
    for target in targets:
        path = Path(target)
        if path.suffix == ".rules":
            results[path] = None
        elif path.is_file():
            raise click.UsageError(f"`{target}` is not a .rules file")
        else:
            results |= dict.fromkeys(_rules_of(target))
    return list(results)


def _rules_of(ref: str) -> list[Path]:
    """The files to format for a reference: those in its folder, and those beside overlays given by path."""
    find_ruleset(parts_of(ref)[0])  # raises if there is none
    result, own, place = [], own_files(ref), Path.cwd()
    for folder in own.folders:
        _refuse_newer(folder / "game.yaml")
        shown = folder.relative_to(place) if folder.is_relative_to(place) else folder
        result += [*files_inside(shown, "rules/*.rules"), *files_inside(shown, "variants/*.rules")]
    return result + [p for p in (Path(o).with_suffix(".rules") for o in parts_of(ref)[1:] if is_path(o)) if p.is_file()]


def _refuse_newer(file: Path) -> None:
    """Rejects rules that require a newer version. Errors: RS160."""
    display = str(file.relative_to(Path.cwd())) if file.is_relative_to(Path.cwd()) else str(file)
    check_needs_of_text(read_text(file, display, MAX_YAML.size), display)


def _format(path: Path, *, write: bool, diff: bool) -> tuple[int, bool]:
    """Formats one file: the exit code, and whether it changes."""
    try:
        old = read_text(path, str(path), MAX_RULES_BYTES)
    except DiagnosticsError as error:
        output.show(error.diagnostics)
        return output.UNUSABLE, False
    try:
        new = format_rules(old, str(path))
    except DiagnosticsError as error:
        output.show(error.diagnostics, {str(path): old})
        return output.PROBLEMS, False
    if new == old:
        return output.OK, False
    if len(new.encode()) > MAX_RULES_BYTES:  # the unformatted file can be read
        message = f"formatted, the file would be larger than {MAX_RULES_BYTES:,} bytes"
        output.show(failure("RS103", message, Span(str(path), 1, 1, 1, 2), "split it into several files").diagnostics)
        return output.PROBLEMS, False
    if diff:
        name = escaped(str(path))
        for line in difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, f"{name} (formatted)"):
            output.echo(line.removesuffix("\n"))
    if write:
        try:
            write_text(path, new)
        except OSError as error:
            output.echo(output.unwritten(path, error).message, err=True)
            return output.UNUSABLE, False
        output.echo(f"formatted {path}", err=True)
    return output.OK, True


def _filter() -> int:
    data, text = sys.stdin.buffer.read(MAX_RULES_BYTES + 1), ""
    if len(data) > MAX_RULES_BYTES:
        raise click.UsageError(f"standard input has more than {MAX_RULES_BYTES:,} bytes, the limit of a rules file")
    try:
        text = text_of(data, "<stdin>")
        click.echo(format_rules(text, "<stdin>"), nl=False)
    except DiagnosticsError as error:
        output.show(error.diagnostics, {"<stdin>": text})
        return output.PROBLEMS
    return output.OK
