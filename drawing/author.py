"""The author's view of a ruleset: the parts that can be read, and its mistakes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.check.accepted import unaccepted
from rulespec.check.context import Context
from rulespec.check.lints.map import check_map
from rulespec.check.passes import PASSES
from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.yaml_nodes import get, text
from rulespec.drawing.board import Board, drawn_kinds
from rulespec.drawing.doubts import certain_failures
from rulespec.drawing.drawing_file import read_drawing, read_files
from rulespec.drawing.marked_board import BoardFault, faults_of, faulty_scene
from rulespec.drawing.mended import MendedFiles
from rulespec.drawing.picture_words import PlainWords
from rulespec.drawing.scene import Scene
from rulespec.drawing.style import Style
from rulespec.engine.verify.verified_facts import failed_checks
from rulespec.load import Merged, load_ruleset, load_source
from rulespec.records import Brief
from rulespec.ruleset_files import drawing_files
from rulespec.typed import nodes as typed

FACTS = frozenset({"RS221", "RS223", "RS225", "RS226", "RS227", "RS228", "RS230"})
"""Mistakes in facts and links that leave a map checkable, since each fact still has a value."""


_OF_FACTS = FACTS - {"RS230"} | {"RS301"}
"""Mistakes reported even in partially readable files."""


class Draft(Brief, Struct, frozen=True):
    """A ruleset that is still being written: its diagnostics and, if it is sound, the ruleset itself.

    Attributes:
        ruleset: the ruleset, or None if it has errors.
        scene: the board with its mistakes marked; None if marks were not requested, or if nothing can be read.
        diagnostics: all mistakes.
        sources: the texts of its files.
    """

    ruleset: typed.Ruleset | None
    scene: Scene | None
    diagnostics: tuple[Diagnostic, ...]
    sources: dict[str, str]


def draft(ref: str, *, marks: bool = True) -> Draft:
    """Reads a ruleset that may have mistakes.

    Args:
        ref: the ruleset.
        marks: whether to mark mistakes on the board, and list them next to it.

    Raises:
        DiagnosticsError: if there is no such ruleset.
    """
    report = Report()
    try:
        ruleset = load_ruleset(ref, report)
    except DiagnosticsError as error:
        if any(e.code in ("RS501", "RS502") and e.span is None for e in error.diagnostics):
            raise
        return _with_mistakes(ref, error, marks)
    report.extend(failed_checks(ruleset.declarations, ruleset.layers))
    style = read_drawing(ruleset, report)
    sources = dict(ruleset.sources)
    result = unaccepted(report.diagnostics, sources)
    if not result:
        return Draft(ruleset, None, (), sources)
    faults = _faults(ruleset, style, result)
    scene = None
    if (marks and any(fault.kind for fault in faults)) or not report.ok:  # otherwise, a position is drawn
        scene = _scene(_board(ruleset, style, marks), faults, marks)
    return Draft(ruleset if report.ok else None, scene, result, sources)


def with_mistakes(ruleset: typed.Ruleset, diagnostics: Sequence[Diagnostic]) -> Scene:
    """The board of a ruleset whose faults appear only when a game starts."""
    style = read_drawing(ruleset, Report())
    return faulty_scene(_board(ruleset, style, True), _faults(ruleset, style, diagnostics))


def _board(ruleset: typed.Ruleset, style: Style, tables: bool) -> Board:
    return Board(ruleset.declarations, style, {}, PlainWords(ruleset.declarations, ruleset.title), tables=tables)


def _faults(ruleset: typed.Ruleset, style: Style, diagnostics: Sequence[Diagnostic]) -> list[BoardFault]:
    kinds = drawn_kinds(ruleset.declarations, style)
    return faults_of(ruleset.declarations, kinds, diagnostics, ruleset.sources)


def _scene(board: Board, faults: list[BoardFault], marks: bool) -> Scene:
    return faulty_scene(board, faults) if marks else board.scene(None)


def _with_mistakes(ref: str, error: DiagnosticsError, marks: bool) -> Draft:
    files = MendedFiles()
    try:
        merged = load_source(ref, Report(), files)
    except DiagnosticsError:  # too little is readable
        return Draft(None, None, error.diagnostics, {})
    report = Report()
    report.extend(error.diagnostics)
    known = {(one.code, one.span) for one in error.diagnostics}
    more = Report()
    more.extend(files.problems)
    note = Report()
    d = _declared(merged, note, mended=files.mended)
    style = read_files(d, list(drawing_files(merged.source.titled)), note)
    more.extend(one for one in note.diagnostics if not (files.mended and files.causes(one)))
    for one in more.diagnostics:
        if (one.code, one.span) not in known:
            known.add((one.code, one.span))
            report.add(one)
    words = PlainWords(d, text(get(merged.source.root, "game", "title"), ref))
    board = Board(d, style, {}, words, tables=marks)
    results = sorted(report.diagnostics, key=lambda one: one.severity is not Severity.ERROR)
    faults = faults_of(d, drawn_kinds(d, style), results, merged.texts)
    return Draft(None, _scene(board, faults, marks), tuple(results), merged.texts)


def _declared(merged: Merged, report: Report, *, mended: bool) -> typed.Declarations:
    """The declarations of a possibly unfinished map; also reports faults that a sound ruleset cannot have.

    If a part of a file has been left out, only the checker's errors in facts count: the others may follow from that.
    """
    own = Report()
    context = Context(merged.source, own)
    try:
        for each in PASSES:
            if each.only_if(context):
                each.run(context)
    except DiagnosticsError:  # too many errors, or too large: draw the declarations alone
        return context.declarations
    errors = [one for one in own.diagnostics if one.severity is Severity.ERROR]
    if mended:
        report.extend(one for one in errors if one.code in _OF_FACTS)
        return context.declarations
    if all(one.code in FACTS for one in errors):
        check_map(context)
        report.extend(one for one in own.diagnostics if one.severity is not Severity.ERROR)
        notes = {(one.span.file, one.span.line) for one in errors if one.span is not None and one.code != "RS230"}
        checks = certain_failures(context.declarations, merged.source.layers, errors)
        report.extend(one for one in checks if one.span is None or (one.span.file, one.span.line) not in notes)
    return context.declarations
