"""`rulespec validate --fix`: automatic fixes, shown as a diff and written after confirmation."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

from rulespec.cli import output
from rulespec.cli.confirmed import is_confirmed
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.documents.foreign_files import bytes_of
from rulespec.documents.text_files import MAX_BYTES
from rulespec.fixes import fixed, with_fixes
from rulespec.own_files import own_files

_TONES = {"+": "green", "-": "red", "@": "cyan"}


def apply_fixes(refs: Iterable[str], diagnostics: Iterable[Diagnostic], sources: dict[str, str], yes: bool) -> bool:
    """Shows the fixes as a diff, and writes them after confirmation or with `yes`.

    Writes only files of the given rulesets, as returned by `own_files`.

    Args:
        refs: the validated references.
        diagnostics: all their diagnostics.
        sources: the known texts, by file name in spans.
        yes: whether to write without asking.

    Returns:
        Whether anything was written.
    """
    results = list(diagnostics)
    texts = output.texts_of(results, sources)
    homes = [own_files(ref) for ref in refs]
    line_ends = {n: _line_end(Path(n), text) for n, text in texts.items() if any(Path(n) in home for home in homes)}
    own = {name: texts[name] for name, line_end in line_ends.items() if line_end}
    changed = {
        name: text
        for name, text in fixed(own, [d.fix for d in with_fixes(results, texts) if d.fix is not None]).items()
        if text != own[name]
    }
    for name, text in changed.items():
        plain = "".join(c if c.isprintable() else "?" for c in name)
        for line in difflib.unified_diff(_lines(own[name]), _lines(text), f"a/{plain}", f"b/{plain}", lineterm=""):
            output.echo(output.style(line, fg=_TONES.get(line[:1])))
    if not changed:
        output.echo("there is no certain fix")
        return False
    if not is_confirmed(len(changed), yes):
        return False
    for name, text in changed.items():
        with output.written(Path(name)) as file:
            file.write(text.replace("\n", line_ends[name]))
    return True


def _line_end(path: Path, text: str) -> str:
    """The line ending of a file with this text; empty if the file has changed in the meantime, or has mixed line
    endings.
    """
    try:
        data = bytes_of(path, MAX_BYTES)
    except (OSError, ValueError):
        return ""
    return next((end for end in ("\n", "\r\n") if data == text.replace("\n", end).encode()), "")


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")
