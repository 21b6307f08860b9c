"""Renaming: changes every place of a name in a ruleset's files, after checking the result."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import visible
from rulespec.documents.text_files import display
from rulespec.engine.words.asked import Decisions
from rulespec.errors import RulespecError
from rulespec.fixes import fixed
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import NameIndex, name
from rulespec.lsp.mentions import Mentions
from rulespec.lsp.project import check, extensions, files_beside, references_at_hand
from rulespec.lsp.renamed_names import derived_names, kept_foreign_names
from rulespec.own_files import own_files
from rulespec.references import parts_of
from rulespec.ruleset_files import MAX_YAML
from rulespec.typed import nodes as typed

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LISTED = 8


class RenameError(RulespecError):
    """A refused renaming; the text gives the reason."""


class Renaming(Struct, frozen=True):
    """The sorted edits of a renaming, and sentences about places that were left unchanged."""

    edits: list[Fix]
    remarks: list[str]


class _Meant(Struct, frozen=True):
    """A checked reference: its names, their meanings in files beside its rules, and its errors."""

    index: NameIndex
    beside: dict[Span, typed.Named]
    errors: list[Diagnostic]
    paths: list[Path]

    def changes(self, wanted: Span, old: str, new: str) -> dict[Span, tuple[str, str]]:
        """The places where a name must change, with the old and the new name."""
        derived = derived_names(self.index, wanted, new)
        result = dict.fromkeys(self.index.places(wanted), (old, new))
        for span, named in (*self.index.names.items(), *self.beside.items()):
            if id(named) in derived:
                result[span] = derived[id(named)]
            elif span in self.beside and self.index.identity(named) == wanted:
                result[span] = old, new
        return result


def rename(index: NameIndex, at: tuple[str, int, int], new: str, files: EditorFiles) -> Renaming:
    """The edits that rename a thing in all files of a ruleset.

    Args:
        index: the ruleset.
        at: file, line and column of an occurrence of the old name.
        new: the new name.
        files: the current files.

    Raises:
        RenameError: if there is no name at the place, if the name is declared elsewhere, or if the ruleset would become
            invalid or change its meaning.
    """
    named = _named(index, at, new)
    ref, wanted, old = index.checked.ref, index.identity(named), name(named)
    local = isinstance(named, typed.Var)
    _own(ref, wanted, old, "declared")
    paths = [] if local else files_beside(ref)
    olds = {old} | {was for was, _ in derived_names(index, wanted, new).values()}
    before = _all_meant([ref] if local else references_at_hand(ref, files, old), files, olds, paths)
    changes = {span: names for m in before for span, names in m.changes(wanted, old, new).items()}
    for under in (m.index for m in before):  # names that an overlay changes or removes still exist without it
        changes |= {step: changes[to] for step in under.over if (to := under.root(step)) in changes}
    texts = {file: text for m in before for file, text in m.index.checked.texts.items()}
    texts |= {s.file: files.text(Path(s.file), s.file, MAX_YAML.size) for m in before for s in m.beside}
    written: dict[Span, str] = {}
    for span, (was, becomes) in sorted(changes.items()):
        if (exact := _written(texts, span, was)) is not None:
            _own(ref, span, was, "also named")
            written[exact] = becomes
    edits = [Fix(span, becomes) for span, becomes in sorted(written.items())]
    after = files.instead({Path(f).resolve(): text for f, text in fixed(texts, edits).items()})
    for meant in before:
        news = {becomes for _, becomes in changes.values()}
        already = _meant_beside(meant.index, files, news, meant.paths)
        _verify(meant, _meant(meant.index.checked.ref, after, news, meant.paths), already, edits)
    if local:
        return Renaming(edits, [])
    more = kept_foreign_names(index.checked.ruleset, named, old, new, paths, files)
    return Renaming(sorted([*edits, *more], key=lambda e: e.span), _remarks(ref, named, edits, before, paths, files))


def _named(index: NameIndex, at: tuple[str, int, int], new: str) -> typed.Named:
    """The renamed thing."""
    result = index.at(*at)
    if result is None:
        raise RenameError(_nameless(index, *at))
    if not _NAME.fullmatch(new):
        raise RenameError(
            f"{shown(new)} is not a name: use up to 64 lower-case letters, digits and `_`, starting with a letter"
        )
    owner = index.checked.declarations.kinds.get(index.owners.get(id(result[1]), ""))
    if isinstance(result[1], typed.Entity) and (owner is None or owner.product):
        raise RenameError(f"`{name(result[1])}` is composed of other names: rename those")
    return result[1]


def _nameless(index: NameIndex, file: str, line: int, column: int) -> str:
    """The reason why there is nothing to rename at a place."""
    lines = index.checked.texts.get(file, "").split("\n")
    text = lines[line - 1] if line <= len(lines) else ""
    word = next((m[0] for m in re.finditer(r"\w+", text) if m.start() < column <= m.end() + 1), "")
    decisions = Decisions(index.checked.ruleset).options
    if word in decisions or any(word in options for options in decisions.values()):
        return f"`{word}` is a decision or an option, which recorded games name, so it cannot be renamed"
    return "there is no name of the ruleset here"


def _own(ref: str, span: Span, old: str, how: str) -> None:
    """Refuses to rename anything declared outside the ruleset."""
    own = own_files(ref)
    if Path(span.file) not in own:
        where = f"{span.file}:{span.line}"
        raise RenameError(f"`{old}` is {how} in {where}, but only files of the current ruleset can be changed ({own})")


def _all_meant(refs: list[str], files: EditorFiles, words: Collection[str], paths: list[Path]) -> list[_Meant]:
    """The meanings of names under several references, including the overlays that an overlay needs.

    Files beside the rules are read under the first reference, and again under those that add occurrences.
    """
    result, parts, read = [], [], set[Span]()
    for ref in refs:
        meant = _meant(ref, files, words, paths)
        if meant is not None:
            result.append(meant)
            read |= meant.beside.keys()
            paths = [path for path in paths if _left(path, words, read, files)]
        else:
            parts.append((ref, min(files.broken, default=ref)))
    known = {file for meant in result for file in meant.index.checked.texts}
    for ref, wrong in parts:
        folder, *overlays = parts_of(ref)
        if display(Path(folder, "variants", f"{'+'.join(overlays)}.yaml")) not in known:
            raise RenameError(f"{wrong} is not valid: fix it before renaming")
    return result


def _meant(ref: str, files: EditorFiles, words: Collection[str], paths: list[Path]) -> _Meant | None:
    """The meanings of a reference's names, including words beside the rules; None if it cannot be checked."""
    checked, diagnostics = check(ref, files)
    if checked is None or files.broken:
        return None
    index = NameIndex(checked)
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    return _Meant(index, _meant_beside(index, files, words, paths), errors, paths)


def _meant_beside(
    index: NameIndex, files: EditorFiles, words: Collection[str], paths: Iterable[Path]
) -> dict[Span, typed.Named]:
    mentions = Mentions(index.checked.ruleset, files, words)
    mentions.read(paths)
    return mentions.places


def _verify(before: _Meant, after: _Meant | None, already: Mapping[Span, typed.Named], edits: list[Fix]) -> None:
    """Refuses a renaming that adds errors to a ruleset, or changes the meaning of a name."""
    ref = before.index.checked.ref
    if after is None:
        raise RenameError(f"{ref} would not be valid")
    wrong = after.errors
    if len(wrong) > len(before.errors):
        raise RenameError(f"{ref} would not be valid: {wrong[0].span}: {wrong[0].message}")
    moved, changed = _Moved(edits), {edit.span for edit in edits}
    same = {moved.span(s): moved.span(m) for s, m in before.index.meanings().items()} == after.index.meanings()
    beside = {**{s: n for s, n in before.beside.items() if s in changed}, **already}
    wanted = {moved.span(s): moved.span(before.index.identity(n)) for s, n in beside.items()}
    if not same or wanted != {s: after.index.identity(n) for s, n in after.beside.items()}:
        raise RenameError(f"in {ref} the new name would hide something, or mean something else")


class _Moved:
    """A mapping of places to their positions after edits within lines."""

    def __init__(self, edits: Iterable[Fix]) -> None:
        self._edits: dict[tuple[str, int], list[Fix]] = {}
        for edit in edits:
            self._edits.setdefault((edit.span.file, edit.span.line), []).append(edit)

    def span(self, span: Span) -> Span:
        """A place after the edits; an edited place covers the new text."""
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
    """The place of a name as spelled there, without quotes; None if something else is written there."""
    lines = texts.get(span.file, "").split("\n")
    line = lines[span.line - 1] if span.line <= len(lines) else ""
    for start, end in ((span.column, span.end_column), (span.column + 1, span.end_column - 1)):
        if line[start - 1 : end - 1] == name and span.line == span.end_line:
            return Span(span.file, span.line, start, span.line, end)
    return None


def _remarks(
    ref: str, named: typed.Named, edits: list[Fix], before: list[_Meant], paths: list[Path], files: EditorFiles
) -> list[str]:
    """Remarks on unchanged files that contain the old name."""
    old = name(named)
    known = {edit.span for edit in edits} | {span for meant in before for span in meant.beside}
    remarks = []
    left = [path for path in paths if _left(path, [old], known, files)]
    if left:
        names = ", ".join(f"{p.parent.name}/{p.name}" for p in left[:_LISTED]) + (" …" if len(left) > _LISTED else "")
        remarks.append(f"`{old}` also occurs in {names}: check these files")
    if others := extensions(ref, files, old):
        remarks.append(
            f"`{old}` also occurs in rulesets that extend this one, which are not changed: {', '.join(others)}"
        )
    folder = Path(parts_of(ref)[0])
    if isinstance(named, typed.Entity | typed.SettingDecl) and any(visible(folder, "logs/**/*.json*")):
        remarks.append("recorded games in logs/ are not changed: those with the old name no longer replay")
    return remarks


def _left(path: Path, words: Collection[str], known: set[Span], files: EditorFiles) -> bool:
    """Whether any of some words occurs in a file outside known places."""
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    try:
        text = files.text(path, str(path), MAX_YAML.size)
    except DiagnosticsError:
        return False
    place = {(s.line, s.column) for s in known if Path(s.file).resolve() == path.resolve()}
    return any(
        (number, m.start() + 1) not in place
        for number, line in enumerate(text.split("\n"), 1)
        for m in word.finditer(line)
    )
