"""Editor requests for a ruleset whose files change meanwhile, handled as in the language server's process."""

from __future__ import annotations

from pathlib import Path

from fuzz.session import Session, Wrong
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.lsp.complete import complete
from rulespec.lsp.describe import explanation, signature
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.index import NameIndex
from rulespec.lsp.project import check, check_alone, reference
from rulespec.lsp.rename import RenameError, rename

_PLACES = 6


def edit(folder: Path, session: Session) -> None:
    """Opens all files in turn, changes each, and requests information about places in it.

    Raises:
        Wrong: if an answer depends on earlier requests.
    """
    files = EditorFiles()
    paths = [p.resolve() for p in sorted(folder.rglob("*")) if p.suffix in (".yaml", ".rules")]
    for path in paths:
        data = path.read_bytes()
        try:
            text = data.decode("utf-8", "surrogatepass")  # JSON may contain lone surrogates
        except UnicodeDecodeError:
            text = data.decode("utf-8", "replace")
        half = session.rng.randrange(len(text) + 1)
        for version in (text[:half], text[:half] + text[half:][:1], text):
            files.open[path] = version
            _ask(path, files, session)
    fresh = EditorFiles()
    fresh.open = dict(files.open)
    for path in paths:
        if (rest := _diagnostics(path, files)) != (new := _diagnostics(path, fresh)):
            raise Wrong(f"{path.name}: the diagnostics depend on earlier requests: {rest[:3]} and {new[:3]}")


def _diagnostics(path: Path, files: EditorFiles) -> list[Diagnostic]:
    ref = reference(path, files)
    if ref is None:
        return sorted(check_alone(path, files), key=str)
    result = check(ref, files)[1]
    # An invalid file is replaced by its last valid version, so follow-on diagnostics may differ.
    return [] if files.broken else sorted(result, key=str)


def _ask(path: Path, files: EditorFiles, session: Session) -> None:
    ref = reference(path, files)
    if ref is None:
        check_alone(path, files)
        return
    checked, diagnostics = check(ref, files)
    session.said.update([d.code for d in diagnostics] or ["checked 0"])
    if checked is None:
        return
    index = NameIndex(checked)
    lines = files.open[path].split("\n")
    file = next((f for f in checked.texts if Path(f).resolve() == path), "")
    for _ in range(_PLACES):
        line = session.rng.randrange(len(lines))
        column = session.rng.randrange(len(lines[line]) + 1)
        for _, named in complete(lines[line][:column], lines, line, file, index)[:50]:
            if named is not None:
                signature(named, index), explanation(named, index)
        index.definition(file, line + 1, column + 1)
    _rename(index, file, files, session)


def _rename(index: NameIndex, file: str, files: EditorFiles, session: Session) -> None:
    places = [(span, named) for span, named in index.names.items() if span.file == file]
    if places:
        span, named = session.rng.choice(places)
        signature(named, index), explanation(named, index)
        try:
            rename(index, (file, span.line, span.column), session.rng.choice(("other", "p", "x" * 64, "é")), files)
            session.said.add("renamed")
        except RenameError:
            session.said.add("not renamed")
