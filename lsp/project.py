"""The ruleset that a file belongs to, and the checker's diagnostics for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rulespec.check.accepted import accept
from rulespec.check.passes import check_source, unused_in
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import MAX_ERRORS, DiagnosticsError, Report
from rulespec.documents.folders import is_hidden, visible
from rulespec.documents.text_files import is_file
from rulespec.documents.yaml_nodes import Scalar, Sequence, entries, get, text, words
from rulespec.load import assembled, load_source
from rulespec.lsp.files import EditorFiles
from rulespec.overlays.orphans import blamed
from rulespec.overlays.overlay import Source
from rulespec.own_files import own_files
from rulespec.records import Brief
from rulespec.references import is_path, named, parts_of
from rulespec.ruleset_files import MAX_RULES_BYTES, MAX_YAML, SECTION_FILES, drawing_files
from rulespec.typed import nodes as typed

BESIDE = {"dialects": "dialect", "scenarios": "scenarios"}
"""Folder beside the rules → the schema of its files."""


BESIDE_RULES = ("titles", "drawing", "outlines")
"""Files and folders for displaying a game, beside a ruleset's files or beside folders of overlays."""


@dataclass(frozen=True, slots=True, repr=False)
class Checked(Brief):
    """The checker's results for a ruleset.

    Attributes:
        ref: its reference.
        source: the merged tree and rules.
        declarations: its declarations.
        rules: its typed rules.
        texts: the text of each file, by its name in spans.
        folders: its own folder, followed by those of its bases.
        ruleset: the ruleset, which may have errors.
    """

    ref: str
    source: Source
    declarations: typed.Declarations
    rules: typed.Rules
    texts: dict[str, str]
    folders: tuple[Path, ...]
    ruleset: typed.Ruleset


def reference(path: Path, files: EditorFiles) -> str | None:
    """The ruleset reference under which a file is checked; None if it belongs to no ruleset.

    An overlay is checked on top of its ruleset: the ruleset in its folder or, for a standalone file, the one under
    `for`.
    """
    if is_hidden(path.name):
        return None
    folder = home(path)
    if folder is None:
        overlay = path.with_suffix(".yaml")
        base = _overlay_base(overlay, files)
        return f"{base}+{overlay}" if base else None
    if path.parent == folder / "variants":
        return f"{named(folder)}+{path.stem}"
    stem = path.stem.partition(".")[0]  # `titles.de.yaml` becomes `titles`
    if path.parent.parent == folder / "variants" and path.parent.name in BESIDE_RULES:
        return f"{named(folder)}+{stem}"
    if path.parent == folder and stem in BESIDE_RULES:
        return named(folder)
    if path.parent == folder / "rules" or (path.parent == folder and path.stem in (*SECTION_FILES, "game")):
        return named(folder)
    return None


def home(path: Path) -> Path | None:
    """The folder of the ruleset that contains a file, or None."""
    return next((folder for folder in path.parents if is_file(folder / "game.yaml")), None)


def _overlay_base(overlay: Path, files: EditorFiles) -> str:
    if overlay.resolve() not in files.open and not is_file(overlay):
        return ""
    try:
        return text(get(files.yaml(overlay, str(overlay)), "for"))
    except DiagnosticsError:  # stays an overlay while being edited
        written = re.search(r"^for: *([\w./]+) *$", files.open.get(overlay.resolve(), ""), re.MULTILINE)
        return written[1] if written is not None else ""


def check(ref: str, files: EditorFiles, most: int = MAX_ERRORS) -> tuple[Checked | None, tuple[Diagnostic, ...]]:
    """Checks a ruleset; returns the result (None if it cannot be merged) and all diagnostics, at most `most` errors."""
    report = Report()
    files.broken.clear()
    files.stale.clear()
    try:
        merged = load_source(ref, report, files)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
        return None, (*report.diagnostics, *_syntax(files))
    result = Report(most)
    try:
        declarations, rules = check_source(merged.source, result)
    except DiagnosticsError as error:  # too many errors: the checker stopped
        return None, (*report.diagnostics, *blamed(error.diagnostics, merged.source, unused_in))
    except RecursionError:
        report.error("RS135", "the rules are nested too deep", None, help="shorten the chain of calls")
        return None, report.diagnostics
    ruleset = assembled(ref, merged, declarations, rules)
    if not files.stale:  # otherwise a part of the rules is missing, with many follow-on errors
        rest = blamed(result.diagnostics, merged.source, unused_in)
        report.extend(d for d in rest if d.span is None or d.span.file not in files.broken)
        if report.ok:
            from rulespec.engine.verify.verified_facts import (
                failed_checks,  # imported lazily: while typing, most files have an error
            )

            report.extend(failed_checks(declarations, merged.source.layers))
        if report.ok and any(path.parent.name in BESIDE_RULES or _names_beside(path) for path in files.open):
            _check_beside(ruleset, files, report)
        report = accept(report, ruleset.sources, ruleset.layers)
    checked = Checked(ref, merged.source, declarations, rules, merged.texts, merged.folders, ruleset)
    return checked, (*report.diagnostics, *_syntax(files))


def _names_beside(path: Path) -> bool:
    return path.stem.partition(".")[0] in BESIDE_RULES


def _check_beside(ruleset: typed.Ruleset, files: EditorFiles, report: Report) -> None:
    """Checks words and drawings, but only while one of their files is open, because this is slow."""
    from rulespec.drawing.drawing_file import read_files
    from rulespec.engine.words.valid_words import check_words

    check_words(ruleset, report, files)
    read_files(ruleset.declarations, list(drawing_files(ruleset.titled)), report, files)


def _syntax(files: EditorFiles) -> Iterator[Diagnostic]:
    """The diagnostics of invalid rules files."""
    for diagnostics in files.broken.values():
        yield from diagnostics


def check_alone(path: Path, files: EditorFiles) -> tuple[Diagnostic, ...]:
    """The diagnostics for a file outside any ruleset: its syntax and, if it has a schema, its form."""
    display = str(path)
    try:
        if path.suffix == ".rules":
            files.rules(files.text(path, display, MAX_RULES_BYTES), display)
            return files.broken.get(display, ())
        node = files.yaml(path, display)
        folder = home(path)
        schema = BESIDE.get(path.relative_to(folder).parts[0]) if folder is not None else None
        return files.findings(node, schema) if schema is not None else ()
    except DiagnosticsError as error:
        return error.diagnostics


def _split(ref: str) -> tuple[str, str]:
    """The ruleset and the overlay of a reference, or nothing."""
    base, *overlays = parts_of(ref)
    return base, "+".join(overlays)


def references_at_hand(ref: str, files: EditorFiles, word: str) -> list[str]:
    """The references under which the current ruleset's files are checked: its folder, alone and with each overlay.

    Overlays that do not contain the word are skipped, unless they include one that does. For a standalone overlay, only
    its own reference is added.
    """
    base, overlay = _split(ref)
    if is_path(overlay):
        return [ref]
    folder = Path(base)
    included: dict[str, list[str]] = {}
    having: set[str] = set()
    for path in sorted(visible(folder, "variants/*.yaml")):
        beside = [*visible(folder, f"variants/*/{path.stem}.*"), *visible(folder, f"scenarios/{path.stem}/*.yaml")]
        included[path.stem] = _includes(path, files)
        if any(_holds(p, word, files) for p in (path, path.with_suffix(".rules"), *beside)):
            having.add(path.stem)
    while more := {name for name, inner in included.items() if not having.isdisjoint(inner)} - having:
        having |= more
    alone = [f"{named(folder)}+{name}" for name in included if name in having]
    return [named(folder), *alone, *_past_known_faults(folder, files, having)]


def _past_known_faults(folder: Path, files: EditorFiles, having: set[str]) -> Iterator[str]:
    """The references with overlays that dialects use to get past known faults."""
    for path in sorted(visible(folder, "dialects/*.yaml")):
        try:
            dialect = files.yaml(path, str(path))
        except DiagnosticsError:
            continue
        faults = get(dialect, "known_faults")
        laid = {text(get(fault, "overlay")) for fault in faults.items} if isinstance(faults, Sequence) else set()
        if laid.isdisjoint(having):
            continue
        rules = get(dialect, "rules")
        for ref in [rules] if isinstance(rules, Scalar) else [ref for _, _, ref in entries(get(rules, "values"))]:
            base, *overlays = parts_of(text(ref))
            if base == folder.name:
                yield "+".join([named(folder), *overlays, *sorted(laid)])


def _includes(overlay: Path, files: EditorFiles) -> list[str]:
    try:
        return [word.text for word in words(get(files.yaml(overlay, str(overlay)), "includes"))]
    except DiagnosticsError:
        return []


def files_beside(ref: str) -> list[Path]:
    """The files of the current ruleset that the checker does not read: drawings, words, scenarios, dialects."""
    base, overlay = _split(ref)
    root, own = (Path(overlay).parent if is_path(overlay) else Path(base)), own_files(ref)
    places = [*BESIDE_RULES, "variants/titles", "variants/drawing", *BESIDE]
    results = [*visible(root, "*.yaml"), *(p for place in places for p in visible(root / place, "**/*.yaml"))]
    parts = (*BESIDE_RULES, *BESIDE)
    return sorted(p for p in results if p in own and (_names_beside(p) or any(part in p.parts for part in parts)))


def extensions(ref: str, files: EditorFiles, word: str) -> list[str]:
    """The names of sibling rulesets that extend the current ruleset and contain the word."""
    folder = Path(parts_of(ref)[0])
    results = []
    for game in sorted(visible(folder.parent, "*/game.yaml")):
        if game.parent != folder and _extends(game, files) == folder.name:
            own = [p for pattern in ("*.yaml", "*/*.yaml", "*/*.rules") for p in visible(game.parent, pattern)]
            if any(_holds(p, word, files) for p in own):
                results.append(game.parent.name)
    return results


def _extends(game: Path, files: EditorFiles) -> str:
    """The name of the folder of the ruleset that another one extends."""
    try:
        return Path(parts_of(text(get(files.yaml(game, str(game)), "extends")))[0]).name
    except DiagnosticsError:
        return ""


def _holds(path: Path, word: str, files: EditorFiles) -> bool:
    try:
        return word in files.text(path, str(path), MAX_YAML.size)
    except DiagnosticsError:
        return False
