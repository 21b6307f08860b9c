"""Renaming: all places of a name in the files of the ruleset at hand, and nowhere else; checked before it is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.errors import RulespecError
from rulespec.fixes import fixed
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.foreign_names import kept_foreign_names
from rulespec.lsp.index import Index, name
from rulespec.lsp.mentions import Mentions
from rulespec.lsp.project import check, extensions, files_beside, references_at_hand
from rulespec.own_files import own_files
from rulespec.ruleset_files import MAX_YAML
from rulespec.typed import nodes as typed

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LISTED = 8


class RenameError(RulespecError):
    """Renaming is refused; the text says why."""


class Renaming(Struct, frozen=True):
    """The edits of a renaming, sorted, and what it does not change, in sentences."""

    edits: list[Fix]
    remarks: list[str]


class _Meant(Struct, frozen=True):
    """A checked reference: what its names stand for, those beside the rules apart; and the number of its errors."""

    index: Index
    beside: dict[Span, Span]
    errors: list[Diagnostic]

    def places(self, wanted: Span) -> set[Span]:
        """All places of a thing's name, a path in an overlay that declares it included."""
        return self.index.places(wanted) | {span for span, meant in self.beside.items() if meant == wanted}


def rename(index: Index, at: tuple[str, int, int], new: str, files: EditorFiles) -> Renaming:
    """The edits that give a thing another name in all files of the ruleset at hand.

    Args:
        index: the ruleset.
        at: file, line and column of one place of the old name.
        new: the new name.
        files: the files as they are now.

    Raises:
        RenameError: there is no name at the place, it is declared elsewhere, or the ruleset would not be valid or
            would change its meaning.
    """
    found = index.at(*at)
    if found is None:
        raise RenameError("there is no name of the ruleset here")
    old = name(found[1])
    if not _NAME.fullmatch(new):
        raise RenameError(f"{shown(new)} is no name: small letters, digits and `_`, a letter first, at most 64")
    ref, wanted = index.checked.ref, index.identity(found[1])
    local = isinstance(found[1], typed.Var)
    _own(ref, wanted, old, "declared")
    paths = [] if local else files_beside(ref)
    before = [_meant(r, files, old, paths) for r in ([ref] if local else references_at_hand(ref, files, old))]
    texts = {file: text for m in before for file, text in m.index.checked.texts.items()}
    texts |= {s.file: files.text(Path(s.file), s.file, MAX_YAML.size) for m in before for s in m.beside}
    spans = {written for m in before for s in m.places(wanted) if (written := _written(texts, s, old)) is not None}
    for span in sorted(spans):
        _own(ref, span, old, "also named")
    edits = [Fix(span, new) for span in sorted(spans)]
    after = files.instead({Path(f).resolve(): text for f, text in fixed(texts, edits).items()})
    for meant in before:
        already = _beside(meant.index, files, new, paths)
        _verify(meant, _meant(meant.index.checked.ref, after, new, paths), already, edits)
    if local:
        return Renaming(edits, [])
    more = kept_foreign_names(index.checked.ruleset, found[1], old, new, paths, files)
    return Renaming(sorted([*edits, *more], key=lambda e: e.span), _remarks(ref, found[1], spans, before, paths, files))


def _own(ref: str, span: Span, old: str, how: str) -> None:
    """Refuses to rename what stands in a file that is not of the ruleset at hand."""
    own = own_files(ref)
    if Path(span.file) not in own:
        where = f"{span.file}:{span.line}"
        raise RenameError(f"`{old}` is {how} in {where}, and only files of the ruleset at hand are changed ({own})")


def _meant(ref: str, files: EditorFiles, word: str, paths: Iterable[Path]) -> _Meant:
    """What the names of a reference stand for; of the files beside its rules, those that are a certain word."""
    checked, diagnostics = check(ref, files)
    if checked is None or files.broken:
        wrong = min(files.broken, default=ref)
        raise RenameError(f"{wrong} is not valid: fix it before you rename")
    index = Index(checked)
    return _Meant(index, _beside(index, files, word, paths), [d for d in diagnostics if d.severity is Severity.ERROR])


def _beside(index: Index, files: EditorFiles, word: str, paths: Iterable[Path]) -> dict[Span, Span]:
    mentions = Mentions(index.checked.ruleset, files, word)
    mentions.read(paths)
    return {span: index.identity(named) for span, named in mentions.found.items()}


def _verify(before: _Meant, after: _Meant, already: Mapping[Span, Span], edits: list[Fix]) -> None:
    """Refuses a renaming that adds errors to a ruleset, or changes what a name stands for."""
    ref, wrong = before.index.checked.ref, after.errors
    if len(wrong) > len(before.errors):
        raise RenameError(f"{ref} would not be valid: {wrong[0].span}: {wrong[0].message}")
    moved = _Moved(edits)
    same = {moved.span(s): moved.span(m) for s, m in before.index.meanings().items()} == after.index.meanings()
    wanted = {moved.span(s): moved.span(m) for s, m in {**already, **before.beside}.items()}
    changed = {edit.span for edit in edits}
    kept = {moved.span(s) for s in before.beside if s in changed} | {moved.span(s) for s in already}
    if not same or {s: m for s, m in wanted.items() if s in kept} != after.beside:
        raise RenameError(f"in {ref} the new name would hide something, or mean something else")


class _Moved:
    """Where places are after edits, each within a line."""

    def __init__(self, edits: Iterable[Fix]) -> None:
        self._edits: dict[tuple[str, int], list[Fix]] = {}
        for edit in edits:
            self._edits.setdefault((edit.span.file, edit.span.line), []).append(edit)

    def span(self, span: Span) -> Span:
        """A place after the edits; one that is edited covers the new text."""
        start = span.column + sum(
            _longer(e) for e in self._edits.get((span.file, span.line), ()) if e.span.column < span.column
        )
        end = span.end_column + sum(
            _longer(e) for e in self._edits.get((span.file, span.end_line), ()) if e.span.end_column <= span.end_column
        )
        return Span(span.file, span.line, start, span.end_line, end)


def _longer(edit: Fix) -> int:
    return len(edit.text) - (edit.span.end_column - edit.span.column)


def _written(texts: Mapping[str, str], span: Span, name: str) -> Span | None:
    """The place of a name as it is written there, without quotes; None if something else is written."""
    lines = texts.get(span.file, "").split("\n")
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    for start, end in ((span.column, span.end_column), (span.column + 1, span.end_column - 1)):
        if line[start - 1 : end - 1] == name and span.line == span.end_line:
            return Span(span.file, span.line, start, span.line, end)
    return None


def _remarks(
    ref: str, named: typed.Named, spans: set[Span], before: list[_Meant], paths: list[Path], files: EditorFiles
) -> list[str]:
    """What a renaming does not change, though the old name stands there."""
    old = name(named)
    known = spans | {span for meant in before for span in meant.beside}
    word = re.compile(rf"\b{re.escape(old)}\b")
    remarks = []
    left = [path for path in paths if _left(path, word, known, files)]
    if left:
        names = ", ".join(f"{p.parent.name}/{p.name}" for p in left[:_LISTED]) + (" …" if len(left) > _LISTED else "")
        remarks.append(f"`{old}` also occurs in {names}: check these files")
    if others := extensions(ref, files, old):
        remarks.append(f"`{old}` also occurs in {', '.join(others)}, which extends this ruleset and is not changed")
    folder = Path(ref.partition("+")[0])
    if isinstance(named, typed.Entity | typed.SettingDecl) and any(folder.glob("logs/**/*.json*")):
        remarks.append("recorded games in logs/ are not changed: those that have the old name do not replay any more")
    return remarks


def _left(path: Path, word: re.Pattern[str], known: set[Span], files: EditorFiles) -> bool:
    """Whether a word stands in a file, elsewhere than at known places."""
    try:
        text = files.text(path, str(path), MAX_YAML.size)
    except DiagnosticsError:
        return False
    here = {(s.line, s.column) for s in known if Path(s.file).resolve() == path.resolve()}
    return any(
        (number, m.start() + 1) not in here
        for number, line in enumerate(text.split("\n"), 1)
        for m in word.finditer(line)
    )
