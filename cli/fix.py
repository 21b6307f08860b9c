"""Unambiguous fixes by `rulespec validate --fix`, such as renamed keys: shown as a diff, written after confirmation."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from rulespec.cli import output
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.carried_over import old_keys, old_paths
from rulespec.documents.folders import visible
from rulespec.documents.foreign_files import bytes_of
from rulespec.documents.text_files import MAX_BYTES, display
from rulespec.fixes import fixed, with_fixes
from rulespec.own_files import own_files
from rulespec.ruleset_files import MAX_FILES, Files

_TONES = {"+": "green", "-": "red", "@": "cyan"}


def apply_fixes(refs: Iterable[str], diagnostics: Iterable[Diagnostic], sources: dict[str, str], yes: bool) -> bool:
    """Shows the fixes as a diff; writes them after confirmation, or at once with `yes`.

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
        output.echo("there are no safe fixes")
        return False
    if not output.is_confirmed(len(changed), yes):
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


_KINDS = {
    "game.yaml": "game",
    "variants/*.yaml": "overlay",
    "scenarios/**/*.yaml": "scenarios",
    "dialects/*.yaml": "dialect",
}


def old_names(refs: Iterable[str]) -> list[Diagnostic]:
    """Diagnostics for former keys and paths in the writable files; skips unreadable files."""
    return [result for path, kind in dict.fromkeys(_own(refs)) for result in _old_names(path, kind)]


def _own(refs: Iterable[str]) -> Iterator[tuple[Path, str]]:
    for own in map(own_files, refs):
        for folder in own.folders:
            for pattern, kind in _KINDS.items():
                yield from ((path, kind) for path in islice(visible(folder, pattern), MAX_FILES))
        yield from ((path, "overlay") for path in own.overlays)


def _old_names(path: Path, kind: str) -> list[Diagnostic]:
    try:
        node = Files().yaml(path, display(path))
    except DiagnosticsError:
        return []
    return [*old_keys(node, kind), *(old_paths(node) if kind == "overlay" else ())]
