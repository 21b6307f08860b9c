"""Output of all commands: diagnostics with their sources, tables, JSON, files and exit codes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

import click

from rulespec.cli.audience import redacted
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, escaped, no_command
from rulespec.diagnostics.render import render_text, to_json
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.json_text import to_json_text

if TYPE_CHECKING:  # the engine takes long to import, and most commands load it late
    from rulespec.engine.game.option import Refusal
    from rulespec.typed import nodes as typed

OK, PROBLEMS, UNUSABLE = 0, 1, 2
"""Exit codes: success; problems found; unreadable input or wrong usage."""

MAX_SHOWN = 200  # maximum number of diagnostics printed; a hostile file may cause any number
_SOURCE_LIMIT = 2_000_000
_UNQUOTED = frozenset({"RS603"})
"""Codes printed without source lines, as the interrupted option may be a secret choice."""
_ESC = "\x1b["
_OWN = f"\x1b{os.urandom(12).hex()}["
"""A random prefix of styles until they are printed, which no text from outside can contain."""
_STYLE = re.compile(rf"({re.escape(_OWN)}[0-9;]*m)")
_CODES = "rulespec.cli.output.codes"  # context key of the printed codes


def use_color(stream: IO[str] | None = None) -> bool:
    """Whether to use colours: on a terminal, unless NO_COLOR is set (https://no-color.org)."""
    stream = stream or sys.stdout
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(getattr(stream, "isatty", lambda: False)())


def style(text: str, *, err: bool = False, **styles: Any) -> str:
    """The text in a click style, if the stream supports colours; `echo` recognises styles by a secret prefix."""
    if not use_color(sys.stderr if err else sys.stdout):
        return text
    begin, end = click.style("|", **styles).split("|")
    return f"{begin.replace(_ESC, _OWN)}{text}{end.replace(_ESC, _OWN)}"


def hashes(ruleset: typed.Ruleset | None) -> dict[str, str | None]:
    """The ruleset hash and the sources hash for JSON output; both are null if the ruleset is None."""
    if ruleset is None:
        return {"ruleset_hash": None, "sources_hash": None}
    return {"ruleset_hash": ruleset.hash, "sources_hash": ruleset.sources_hash}


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Prints one line; all text output passes through here.

    Escapes everything except the program's own styles, including line feeds, whatever the source of the text: names,
    titles, paths, values.
    """
    click.echo(_line(text), err=err, nl=nl, color=True)


def _line(text: str) -> str:
    if text.isprintable() and "::" not in text and "##[" not in text:
        return text
    parts = _STYLE.split(text)
    plain = no_command("".join(escaped(part) if i % 2 == 0 else part for i, part in enumerate(parts)))
    return plain.replace(_OWN, _ESC) if len(parts) > 1 else plain


def show(diagnostics: Sequence[Diagnostic], sources: Mapping[str, str] | None = None, *, err: bool = True) -> None:
    """Prints diagnostics with their source lines and a final empty line, redacted for the audience."""
    diagnostics = redacted(diagnostics)
    if not diagnostics:
        return
    shown = diagnostics[:MAX_SHOWN]
    stream = sys.stderr if err else sys.stdout
    texts = texts_of((d for d in shown if d.code not in _UNQUOTED), sources)
    # The text is escaped already, and colours depend on the stream, not on click.
    parts = [
        render_text(group, {} if bare else texts, use_color(stream), width(stream))
        for bare, group in groupby(shown, key=lambda d: d.code in _UNQUOTED)
    ]
    click.echo("\n".join(map(no_command, "\n\n".join(parts).split("\n"))), err=err, color=True)
    if len(diagnostics) > MAX_SHOWN:
        echo(err=err)
        echo(f"… and {len(diagnostics) - MAX_SHOWN} more", err=err)
    echo(err=err)
    _explain_later({d.code for d in shown})


def in_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
    """Diagnostics as plain data, redacted for the audience."""
    return [to_json(d) for d in redacted(diagnostics)]


def texts_of(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str] | None = None) -> dict[str, str]:
    """The texts of the files that diagnostics refer to, taken from `sources` if known, and otherwise from disk."""
    texts = dict(sources or {})
    for diagnostic in diagnostics:
        for span in [diagnostic.span, *(note.span for note in diagnostic.notes)]:
            if span is not None and span.file not in texts:
                texts[span.file] = _source(span.file)
    return {name: text for name, text in texts.items() if text}


def width(stream: IO[str] | None = None) -> int:
    """The number of columns of the terminal; 0 if the stream is not a terminal."""
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns
    except (OSError, ValueError):
        return 0


def _explain_later(codes: set[str]) -> None:
    """Prints the command that explains the codes, once at the end of the run, and only on a terminal."""
    context = click.get_current_context(silent=True)
    if context is None or not sys.stderr.isatty():
        return
    root = context.find_root()
    if _CODES not in root.meta:
        root.meta[_CODES] = set[str]()
        root.call_on_close(lambda: echo(f"rulespec explain {' '.join(sorted(root.meta[_CODES]))}", err=True))
    root.meta[_CODES] |= codes


def _source(name: str) -> str:
    """The text of a file referenced by a diagnostic; empty if unreadable."""
    from rulespec.documents.text_files import read_text

    try:
        return read_text(Path(name), name, _SOURCE_LIMIT)
    except DiagnosticsError:
        return ""


@contextmanager
def written(path: Path, *, secret: bool = False) -> Iterator[TextIO]:
    """Opens a file for writing; if `secret`, only its owner can read it. See `replaced`.

    Raises:
        click.ClickException: if it cannot be written. Exceptions from the block propagate.
    """
    from rulespec.documents.written_files import replaced  # most commands write nothing

    inside: BaseException | None = None
    try:
        with replaced(path, secret=secret) as file:
            try:
                yield file
            except BaseException as error:
                inside = error
                raise
    except (OSError, ValueError) as error:
        if error is inside:
            raise
        raise unwritten(path, error) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a binary file; see `written`."""
    with written(path) as file:
        file.buffer.write(data)


def unwritten(path: Path, error: OSError | ValueError) -> click.ClickException:
    """The error for a file that cannot be written."""
    reason = (isinstance(error, OSError) and error.strerror) or "its name is not valid"
    return click.ClickException(f"{path} cannot be written: {reason}")


def counted(number: int, word: str, words: str = "") -> str:
    """A number with its noun: `1 error`, `3 errors`, `2 entries`."""
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def problems(diagnostics: Iterable[Diagnostic]) -> str:
    """The number of errors and warnings: `3 errors, 1 warning`; "" if there are none."""
    results = list(diagnostics)
    errors = sum(d.severity is Severity.ERROR for d in results)
    parts = [counted(n, w) for n, w in ((errors, "error"), (len(results) - errors, "warning")) if n]
    return ", ".join(parts)


def wipe() -> None:
    """Clears the terminal and its scrollback."""
    click.echo(f"{_ESC}H{_ESC}2J{_ESC}3J", nl=False, color=True)


def echo_json(data: object) -> None:
    """Prints one line of JSON."""
    click.echo(to_json_text(data))


def table(rows: Sequence[Sequence[object]], head: Sequence[str] = (), right: Iterable[int] = ()) -> list[str]:
    """Lines with aligned columns, two spaces apart; columns in `right` are right-aligned."""
    cells = [[str(c) for c in row] for row in ([head, *rows] if head else rows)]
    if not cells:
        return []
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    flush = set(right)
    return [
        "  ".join(
            c.rjust(w) if i in flush else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def key_values(items: Iterable[str], flag: str = "--set") -> dict[str, str]:
    """Parses `--set key=value` arguments; `flag` is the name of the flag.

    Raises:
        click.BadParameter: if an item has no `=`.
    """
    results: dict[str, str] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals:
            raise click.BadParameter(f"`{item}` is not of the form key=value", param_hint=flag)
        results[key.strip()] = value.strip()
    return results


def refused(
    action: str, refusal: Refusal, decision: str | None, by: str | None, nearest: Sequence[str]
) -> list[tuple[str, str]]:
    """The rows of a table about an illegal action: the rule that refuses it, and legal options.

    Args:
        action: the refused action.
        refusal: the reason.
        decision: the open decision; None if the game is over.
        by: the deciding seat; None for chance.
        nearest: the most similar legal options.
    """
    rows = [("action", action), ("reason", refusal.reason)]
    if refusal.rules:
        rows.append(("rules", ", ".join(refusal.rules)))
    if refusal.condition:
        rows.append(("condition", refusal.condition))
    rows += [("values" if i == 0 else "", f"{k} = {v}") for i, (k, v) in enumerate(refusal.values.items())]
    if refusal.span is not None:
        rows.append(("written at", str(refusal.span)))
    if decision is not None:
        rows.append(("open", f"`{decision}` by {by or 'chance'}"))
    return rows + [("legal" if i == 0 else "", option) for i, option in enumerate(nearest)]


def is_confirmed(number: int, yes: bool) -> bool:
    """Asks for confirmation before `number` files are written, unless `yes` is set; returns whether it was given.

    If confirmation is refused, prints that nothing was written.
    """
    try:
        wanted = yes or click.confirm(f"write {counted(number, 'file')}?", default=False)
    except click.Abort:  # no input
        wanted = False
    if not wanted:
        echo("nothing was written")
    return wanted


def write_all(texts: Mapping[Path, str]) -> None:
    """Writes several files; map.yaml comes last, because files that only display the map are harmless without it."""
    paths = sorted(texts, key=lambda path: path.name == "map.yaml")
    for path in paths:
        with written(path) as file:
            file.buffer.write(texts[path].encode())
    for path in paths:  # only now: the output may be closed
        echo(f"written: {path}")
