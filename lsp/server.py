"""The protocol layer: handles an editor's requests. Only this module and `icons` know the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.text_files import display, is_folder
from rulespec.documents.versions import RULESPEC
from rulespec.language.builtins import BUILTINS
from rulespec.lsp.complete import complete
from rulespec.lsp.coverage_lenses import coverage_lenses
from rulespec.lsp.describe import explanation, listed_rule, signature
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.icons import ICONS, SYMBOLS
from rulespec.lsp.index import NameIndex, name, place
from rulespec.lsp.open_calls import call_around
from rulespec.lsp.overviews import MAX_SYMBOLS, TOKEN_MODIFIERS, TOKEN_TYPES, encoded, folds, symbols, tokens
from rulespec.lsp.project import check, check_alone, reference
from rulespec.lsp.quick_fixes import each_fix
from rulespec.lsp.rename import RenameError, rename
from rulespec.lsp.title_keys import described_at, is_of_words
from rulespec.own_files import OwnFiles, own_files
from rulespec.rule_ids import ListedRule
from rulespec.ruleset_files import MAX_YAML
from rulespec.syntax.format import format_rules
from rulespec.typed import nodes as typed

DELAY = 0.05  # seconds without a keystroke before a check
MAX_SHOWN = 500  # maximum number of diagnostics per file


class RulespecServer(LanguageServer):
    """A language server: checks the rulesets of open documents after each change, and answers from the last check."""

    def __init__(self) -> None:
        super().__init__("rulespec", RULESPEC)
        self.files = EditorFiles()
        self.indexes: dict[str, NameIndex] = {}
        self._diagnostics: dict[str, dict[str, list[Diagnostic]]] = {}
        self._published: set[str] = set()
        self._versions: dict[Path, int | None] = {}
        self._waiting: asyncio.TimerHandle | None = None
        self._last: Path | None = None

    def report_server_error(self, error: Exception, source: object) -> None:
        """Logs in the editor why a notification had no effect; a failed request is answered with the error instead."""
        if source is not FeatureRequestError:
            message = f"a message had no effect: {type(error).__name__}: {error!s:.200}"
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))

    # --- checking ----------------------------------------------------------------------------------------------------

    def changed(self, uri: str) -> None:
        """Stores the new text of a document, and checks it `DELAY` seconds after the last change."""
        path = _path(uri)
        if path is None:
            return
        document = self.workspace.get_text_document(uri)
        self.files.open[path] = document.source
        self._versions[path] = document.version
        self._last = path
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = asyncio.get_running_loop().call_later(DELAY, self.check)

    def closed(self, uri: str) -> None:
        """Forgets an open document, so that the file on disk is used again."""
        path = _path(uri)
        if path is not None:
            self.files.open.pop(path, None)
            self._versions.pop(path, None)
            self.check()

    def settle(self) -> None:
        """Runs pending checks now."""
        if self._waiting is not None:
            self.check()

    def check(self) -> None:
        """Checks the open documents' rulesets, most recently changed first, and publishes the diagnostics."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
        names = sorted(self.files.open, key=lambda p: (p != self._last, p))
        refs = {path: reference(path, self.files) for path in names}
        wanted = dict.fromkeys(ref if ref is not None else str(path) for path, ref in refs.items())
        for gone in set(self._diagnostics) - set(wanted):
            del self._diagnostics[gone]
            self.indexes.pop(gone, None)
        alone = {str(path) for path, ref in refs.items() if ref is None}
        for key in wanted:
            try:
                self._check(key, key in alone)
            except Exception as error:  # the session survives a bug in the checker
                message = f"internal error of the checker on {key}: {error!r:.300}"
                self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, message))
            self._publish()
        if not wanted:
            self._publish()

    def _check(self, key: str, alone: bool) -> None:
        if alone:
            diagnostics = check_alone(Path(key), self.files)
        else:
            checked, diagnostics = check(key, self.files)
            if checked is not None:
                self.indexes[key] = NameIndex(checked)
        by_file: dict[str, list[Diagnostic]] = {}
        for d in diagnostics:
            file = d.span.file if d.span is not None else str(self._last or "")
            by_file.setdefault(str(_absolute(file)), []).append(d)
        self._diagnostics[key] = by_file

    def _publish(self) -> None:
        merged: dict[str, dict[tuple[str, str, Span | None], Diagnostic]] = {}
        for by_file in self._diagnostics.values():
            for file, diagnostics in by_file.items():
                merged.setdefault(file, {}).update({(d.code, d.message, d.span): d for d in diagnostics})
        for file in sorted(self._published | set(merged) | {str(p) for p in self.files.open}):
            shown = [self.to_lsp(d) for d in list(merged.get(file, {}).values())[:MAX_SHOWN]]
            uri = uris.from_fs_path(file)
            if uri is not None:
                note = lsp.PublishDiagnosticsParams(uri, shown, version=self._versions.get(Path(file)))
                self.text_document_publish_diagnostics(note)
        self._published = set(merged)

    def fixes_of(self, uri: str) -> list[tuple[Diagnostic, Fix]]:
        """The diagnostics of a document with their fixes, which are in files of the current ruleset."""
        path, result = _path(uri), []
        self.settle()
        for key, by_file in self._diagnostics.items():
            if path is None or str(path) not in by_file:
                continue
            diagnostics = [d for several in by_file.values() for d in several]
            own = own_files(key) if key in self.indexes or "+" in key or is_folder(Path(key)) else OwnFiles((path,))
            for d, fix in each_fix(diagnostics, self._texts(diagnostics)):
                if d.span is not None and _absolute(d.span.file) == path and _absolute(fix.span.file) in own:
                    result.append((d, fix))
        return result

    def _texts(self, diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
        """The texts of the files to which diagnostics and their notes refer."""
        spans = [span for d in diagnostics for span in (d.span, *(note.span for note in d.notes)) if span is not None]
        return {file: "\n".join(self._lines(file)) for file in dict.fromkeys(span.file for span in spans)}

    def to_lsp(self, d: Diagnostic) -> lsp.Diagnostic:
        """A diagnostic in protocol form."""
        nowhere = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
        severities = {Severity.ERROR: lsp.DiagnosticSeverity.Error, Severity.WARNING: lsp.DiagnosticSeverity.Warning}
        notes = [(self.location(note.span), note.text) for note in d.notes]
        return lsp.Diagnostic(
            range=self.range(d.span) if d.span is not None else nowhere,
            message="\n".join(t for t in (d.message, d.help) if t),
            severity=severities[d.severity],
            code=d.code,
            source="rulespec",
            related_information=[lsp.DiagnosticRelatedInformation(at, text) for at, text in notes if at is not None],
        )

    # --- places ------------------------------------------------------------------------------------------------------

    def index_of(self, uri: str) -> tuple[NameIndex, str] | None:
        """The index of a document's ruleset, and the document's name in spans; None if no ruleset has been checked."""
        self.settle()
        path = _path(uri)
        index = self.indexes.get(reference(path, self.files) or "") if path is not None else None
        if index is None:
            return None
        texts = [*index.checked.texts, *([display(path)] if path is not None and is_of_words(path) else [])]
        return next(((index, file) for file in texts if _absolute(file) == path), None)

    def place(self, uri: str, position: lsp.Position) -> tuple[int, int]:
        """The line and column of an editor's position, in characters and counted from 1."""
        document = self.workspace.get_text_document(uri)
        there = document.position_codec.position_from_client_units(document.lines, position)
        return there.line + 1, there.character + 1

    def lines(self, uri: str) -> list[str]:
        """The lines of an open document."""
        return self.workspace.get_text_document(uri).source.replace("\r\n", "\n").split("\n")

    def listed_rule(
        self, params: lsp.HoverParams | lsp.DefinitionParams, index: NameIndex, file: str
    ) -> tuple[Span, ListedRule] | None:
        """The rule in `rules.yaml` whose id is at a position, and the range of the id."""
        line, column = self.place(params.text_document.uri, params.position)
        lines = self.lines(params.text_document.uri)
        result = listed_rule(lines[line - 1], column, index) if line <= len(lines) else None
        if result is None:
            return None
        start, rule = result
        return Span(file, line, start, line, start + len(rule.id)), rule

    def described(self, params: lsp.HoverParams, index: NameIndex, file: str) -> lsp.Hover | None:
        """The hover for the built-in function called at a position, or for a key in a word file."""
        line, column = self.place(params.text_document.uri, params.position)
        if (result := described_at(self.lines(params.text_document.uri), line, column, file, index)) is None:
            return None
        start, end, text = result
        where = self.range(Span(file, line, start, line, end))
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), where)

    def scenario_hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """The hover that explains an option or value in a scenario."""
        path = _path(params.text_document.uri)
        if path is None or path not in self.files.open or path.suffix != ".yaml" or "scenarios" not in path.parts:
            return None
        from rulespec.lsp.scenario_reasons import scenario_reasons  # needs the engine, unlike other requests

        result = scenario_reasons(path, self.files, *self.place(params.text_document.uri, params.position))
        if result is None:
            return None
        span, reasons = result
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, f"```text\n{reasons}\n```"), self.range(span))

    def range(self, span: Span) -> lsp.Range:
        """A span as an editor's range, counted from 0 in code units."""
        lines = self._lines(span.file)

        def position(line: int, column: int) -> lsp.Position:
            text = lines[line - 1] if 0 < line <= len(lines) else ""
            units = self.workspace.position_codec.client_num_units(text[: column - 1])
            return lsp.Position(max(0, line - 1), units)

        return lsp.Range(position(span.line, span.column), position(span.end_line, span.end_column))

    def location(self, span: Span) -> lsp.Location | None:
        """A span with its file, as a location; None if the file has no URI."""
        uri = uris.from_fs_path(str(_absolute(span.file)))
        return lsp.Location(uri, self.range(span)) if uri is not None else None

    def workspace_edit(self, fixes: Iterable[Fix]) -> lsp.WorkspaceEdit:
        """Converts fixes to an edit of the protocol; omits fixes in files without a URI."""
        changes: dict[str, list[lsp.TextEdit]] = {}
        for fix in fixes:
            location = self.location(fix.span)
            if location is not None:
                changes.setdefault(location.uri, []).append(lsp.TextEdit(location.range, fix.text))
        return lsp.WorkspaceEdit(changes)

    def _lines(self, file: str) -> list[str]:
        try:
            return self.files.text(_absolute(file), file, MAX_YAML.size).split("\n")
        except DiagnosticsError:
            return []


def _path(uri: str) -> Path | None:
    """The file of a document; None if it is unsaved, or if its URI is no valid file name."""
    try:
        path = uris.to_fs_path(uri) if uri.startswith("file:") else None
        return Path(path).resolve() if path else None
    except (OSError, RuntimeError, ValueError):  # an invalid address, a NUL, a lone surrogate, or a cycle of links
        return None


def _absolute(file: str) -> Path:
    return (Path.cwd() / file).resolve()


def server() -> LanguageServer:
    """A configured server that has not been started yet."""
    it = RulespecServer()
    _add_documents(it)
    _add_questions(it)
    _add_overviews(it)
    _add_whole_documents(it)
    _add_edits(it)
    return it


def _add_documents(it: RulespecServer) -> None:
    """Registers notifications about documents."""

    @it.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        it.changed(params.text_document.uri)

    @it.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        it.changed(params.text_document.uri)

    @it.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        it.changed(params.text_document.uri)

    @it.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        it.closed(params.text_document.uri)

    @it.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def files_changed(params: lsp.DidChangeWatchedFilesParams) -> None:
        it.check()


def _add_questions(it: RulespecServer) -> None:
    """Registers requests about a position: hover, definition, completion."""

    @it.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        result = it.index_of(params.text_document.uri)
        if not result:
            return it.scenario_hover(params)
        index, file = result
        place = it.place(params.text_document.uri, params.position)
        if (option := index.option(file, *place)) is not None:
            text = f"```rulespec\n{option[1]}\n```"
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), it.range(option[0]))
        if (cited := it.listed_rule(params, index, file)) is not None:
            span, rule = cited
            text = " · ".join(t for t in (f"**{rule.id}**", rule.text, ", ".join(rule.editions)) if t)
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), it.range(span))
        at = index.at(file, *place)
        if at is None:
            return it.described(params, index, file)
        span, named = at
        text = f"```rulespec\n{signature(named, index)}\n```\n\n{explanation(named, index)}".strip()
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text), it.range(span))

    @it.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        result = it.index_of(params.text_document.uri)
        if result is None:
            return None
        index, file = result
        if (cited := it.listed_rule(params, index, file)) is not None:
            return it.location(cited[1].span)
        span = index.definition(file, *it.place(params.text_document.uri, params.position))
        return it.location(span) if span is not None else None

    @it.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["."]))
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        result = it.index_of(params.text_document.uri)
        if result is None:
            return []
        index, file = result
        line, column = it.place(params.text_document.uri, params.position)
        lines = it.lines(params.text_document.uri)
        before = lines[line - 1][: column - 1] if line <= len(lines) else ""
        return [_item(word, named, index) for word, named in complete(before, lines, line - 1, file, index)]

    @it.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(["(", ","]))
    def signature_help(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        result = it.index_of(params.text_document.uri)
        if result is None or not result[1].endswith(".rules"):
            return None
        line, column = it.place(params.text_document.uri, params.position)
        lines = it.lines(params.text_document.uri)[:line]
        before = "\n".join([*lines[:-1], lines[-1][: column - 1]])
        call = call_around(before, result[0])
        if call is None:
            return None
        shown = [lsp.ParameterInformation(param) for param in call.params]
        return lsp.SignatureHelp([lsp.SignatureInformation(call.label, call.doc or None, shown)], 0, call.active)


def _add_overviews(it: RulespecServer) -> None:
    """Registers lists of places: uses of a name, and declarations in a document."""

    @it.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        result = it.index_of(params.text_document.uri)
        at = result and result[0].at(result[1], *it.place(params.text_document.uri, params.position))
        if not result or not at:
            return []
        index, wanted = result[0], result[0].identity(at[1])
        declared = set() if params.context.include_declaration else {wanted, place(at[1])}
        size = len(name(at[1])) + len("''")  # longer: a whole path, whose steps have their own places
        listed = (s for s in index.places(wanted) - declared if s.end_column - s.column <= size)
        spans = sorted(span for span in listed if span.file in index.checked.texts)
        return [location for span in spans if (location := it.location(span)) is not None]

    @it.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def declared_here(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        result = it.index_of(params.text_document.uri)
        if result is None:
            return []
        declared = result[0].declared_in(result[1])
        return [lsp.DocumentSymbol(name(n), SYMBOLS[type(n)], it.range(s), it.range(s)) for s, n in declared]


def _add_whole_documents(it: RulespecServer) -> None:
    """Registers folding, code lenses, semantic tokens, and the search for names in the rulesets of open documents."""

    @it.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def folding(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        kinds = (None, lsp.FoldingRangeKind.Comment)
        listed = folds(it.lines(params.text_document.uri))
        return [lsp.FoldingRange(first, last, kind=kinds[comment]) for first, last, comment in listed]

    @it.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensLegend(TOKEN_TYPES, [*TOKEN_MODIFIERS]))
    def named(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        result = it.index_of(params.text_document.uri)
        if result is None:
            return lsp.SemanticTokens([])
        listed = tokens(*result)
        ranges = [it.range(token.span) for token in listed]
        places = [(r.start.line, r.start.character, r.end.character - r.start.character) for r in ranges]
        return lsp.SemanticTokens(encoded(places, listed))

    @it.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    def tested(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        uri = params.text_document.uri
        path, result = _path(uri), it.index_of(uri)
        if path is None or result is None:
            return []
        listed = coverage_lenses(result[0].checked.folders[0].resolve(), path, it.lines(uri))
        places = [(lsp.Position(lens.line - 1, 0), lens.text) for lens in listed]
        return [lsp.CodeLens(lsp.Range(at, at), lsp.Command(text, "")) for at, text in places]

    @it.feature(lsp.WORKSPACE_SYMBOL)
    def searched(params: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
        it.settle()
        results = []
        for index in it.indexes.values():
            for span, declared in islice(symbols(index, params.query), MAX_SYMBOLS):
                if span.file in index.checked.texts and (at := it.location(span)) is not None:
                    results.append(lsp.SymbolInformation(at, name(declared), SYMBOLS[type(declared)]))
        return results[:MAX_SYMBOLS]


def _add_edits(it: RulespecServer) -> None:
    """Registers requests for edits: renaming, formatting, quick fixes."""

    @it.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        result = it.index_of(params.text_document.uri)
        at = result and result[0].at(result[1], *it.place(params.text_document.uri, params.position))
        return lsp.PrepareRenamePlaceholder(it.range(at[0]), name(at[1])) if at else None

    @it.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        result = it.index_of(params.text_document.uri)
        if result is None:
            return None
        index, file = result
        at = (file, *it.place(params.text_document.uri, params.position))
        try:
            renaming = rename(index, at, params.new_name, it.files)
        except RenameError as reason:
            it.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, f"not renamed: {reason}"))
            return None
        for remark in renaming.remarks:
            it.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, remark))
        return it.workspace_edit(renaming.edits)

    @it.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        path = _path(params.text_document.uri)
        if path is None or path.suffix != ".rules" or path not in it.files.open:
            return []
        document = it.workspace.get_text_document(params.text_document.uri)
        try:
            new = format_rules(document.source, str(path))
        except DiagnosticsError:
            return []  # the editor already shows the error
        everything = lsp.Range(lsp.Position(0, 0), lsp.Position(len(document.lines) + 1, 0))
        return [lsp.TextEdit(everything, new)] if new != document.source else []

    @it.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        result = it.fixes_of(params.text_document.uri)
        return [a for d, fix in result if (a := _quick_fix(it, d, fix, params)) is not None]


def _quick_fix(it: RulespecServer, d: Diagnostic, fix: Fix, params: lsp.CodeActionParams) -> lsp.CodeAction | None:
    """The quick fix for a diagnostic on the requested lines, if any."""
    if d.span is None:
        return None
    where = it.range(d.span)
    if where.end.line < params.range.start.line or where.start.line > params.range.end.line:
        return None
    title = f"write `{fix.text.strip()[:60]}`" if fix.text.strip() else "remove it"
    edit = it.workspace_edit([fix])
    return lsp.CodeAction(title, kind=lsp.CodeActionKind.QuickFix, diagnostics=[it.to_lsp(d)], edit=edit)


def _item(word: str, named: typed.Named | None, index: NameIndex) -> lsp.CompletionItem:
    if named is None and word in BUILTINS:
        f = BUILTINS[word]
        return lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Function, detail=f.signature, documentation=f.help)
    if named is None:
        return lsp.CompletionItem(word, kind=lsp.CompletionItemKind.Keyword)
    return lsp.CompletionItem(
        word, kind=ICONS[type(named)], detail=signature(named, index), documentation=explanation(named, index) or None
    )
