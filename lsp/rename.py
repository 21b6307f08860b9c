"""Renaming: all places of a name in a ruleset, its extensions and overlays; checked before it is offered."""

from __future__ import annotations

import re
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.folders import visible
from rulespec.errors import RulespecError
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import Identity, Index, name
from rulespec.lsp.project import BESIDE, Checked, check, family
from rulespec.ruleset_files import MAX_YAML

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


class RenameError(RulespecError):
    """Renaming is refused; the text says why."""


def rename(index: Index, at: tuple[str, int, int], new: str, files: EditorFiles) -> list[Span]:
    """The places whose text changes to the new name, sorted.

    Args:
        index: the ruleset.
        at: file, line and column of one place of the old name.
        new: the new name.
        files: the files as they are now.

    Raises:
        RenameError: there is no name at the place, or the ruleset would not be valid or would change its meaning.
    """
    found = index.at(*at)
    if found is None:
        raise RenameError("there is no name of the ruleset here")
    old = name(found[1])
    if not _NAME.fullmatch(new):
        raise RenameError(f"{shown(new)} is no name: small letters, digits and `_`, a letter first, at most 64")
    identity = index.identity(found[1])
    refs = [index.checked.ref] if identity[0] == "var" else family(index.checked, files, old)
    indexes: list[Index] = []
    errors: list[int] = []
    for ref in refs:
        checked, diagnostics = check(ref, files)
        if checked is None or files.broken:
            wrong = min(files.broken, default=ref)
            raise RenameError(f"{wrong} is not valid: fix it before you rename")
        indexes.append(Index(checked))
        errors.append(len(_errors(diagnostics)))
    spans = {span for i in indexes for span in i.places(identity)}
    spans |= {w for i in indexes for f in i.checked.texts for w, key in i.path_keys(f, files) if key in spans}
    texts = {file: text for i in indexes for file, text in i.checked.texts.items()}
    places = sorted(s for s in spans if _written(texts.get(s.file, ""), s) == old)
    changed: dict[Path, str] = {}
    for file in {s.file for s in places}:
        changed[Path(file).resolve()] = _replaced(texts[file], [s for s in places if s.file == file], new)
    renamed = (*identity[:-1], _moved(identity[-1], places, len(new) - len(old)) if identity[0] == "var" else new)
    after = files.instead(changed)
    for i, known in zip(indexes, errors, strict=True):
        _verify(i, identity, renamed, after, known)
    return places


def _moved(declared: object, places: list[Span], longer: int) -> Span:
    """The declaration of a variable after renaming: names before it on its line have another length."""
    assert isinstance(declared, Span)
    before = longer * sum((s.file, s.line) == (declared.file, declared.line) and s < declared for s in places)
    end = declared.end_column + before + longer
    return Span(declared.file, declared.line, declared.column + before, declared.end_line, end)


def _verify(index: Index, identity: Identity, renamed: Identity, after: EditorFiles, errors: int) -> None:
    """Refuses a renaming that adds errors to a ruleset, or changes the meaning of a name."""
    ref = index.checked.ref
    checked, found = check(ref, after)
    wrong = _errors(found)
    if checked is None or len(wrong) > errors:
        raise RenameError(f"{ref} would not be valid: {wrong[0].span}: {wrong[0].message}")
    if len(Index(checked).places(renamed)) != len(index.places(identity)):
        raise RenameError(f"in {ref} the new name would hide something, or mean something else")


def _errors(diagnostics: tuple[Diagnostic, ...]) -> list[Diagnostic]:
    return [d for d in diagnostics if d.severity is Severity.ERROR]


def _written(text: str, span: Span) -> str:
    lines = text.split("\n")
    return lines[span.line - 1][span.column - 1 : span.end_column - 1] if span.line <= len(lines) else ""


def _replaced(text: str, spans: list[Span], new: str) -> str:
    lines = text.split("\n")
    for span in sorted(spans, reverse=True):
        line = lines[span.line - 1]
        lines[span.line - 1] = line[: span.column - 1] + new + line[span.end_column - 1 :]
    return "\n".join(lines)


def also_written_in(checked: Checked, word: str, files: EditorFiles) -> list[Path]:
    """Files beside the rules that hold a word; whether they mean the same thing only shows when they run."""
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    result = []
    for folder in checked.folders:
        for beside in BESIDE:
            for path in sorted(visible(folder / beside, "**/*.yaml")):
                try:
                    if pattern.search(files.text(path, str(path), MAX_YAML.size)):
                        result.append(path)
                except DiagnosticsError:
                    continue
    return result
