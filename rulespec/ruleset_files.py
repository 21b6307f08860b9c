"""Files of one ruleset reference: read within limits, checked against schemas, and hashed together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NoReturn

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.csv_tables import UnreadableCsvError, with_csv
from rulespec.documents.file_places import FilePlace
from rulespec.documents.kept_trees import parse_kept, read_kept
from rulespec.documents.versions import check_needs, check_needs_of_text
from rulespec.documents.yaml_nodes import FileLimits, Mapping, Node, Scalar, count_values, report_repeated
from rulespec.records import Brief
from rulespec.references import DISK
from rulespec.rule_ids import ListedRule
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules

SECTION_FILES = ("kinds", "map", "boards", "tracks", "tables", "setup", "measures")
_FIRST = ("game", "overlay")
"""Schemas of the files that declare the required version of this program, for themselves and the files beside them."""
DRAWING, OUTLINES = "drawing.yaml", "outlines.yaml"
SETUP = "setup.yaml"
"""The file names of a ruleset's drawing, in one format; the outlines of regions may have a separate file."""
MAX_RULES_BYTES = 50_000
"""Maximum size of a rules file in bytes: nearly twice the largest shipped one, and less than a second of parsing."""
MAX_YAML = FileLimits(size=1_000_000)
MAX_FILES = 300
MAX_TOTAL = 4_000_000
MAX_TOTAL_RULES = 120_000
MAX_ITEMS = 2_000
MAX_TOTAL_VALUES = MAX_YAML.events
"""Limits on everything that one reference reads (its own files, its base, its overlays): number of files, characters,
characters of rules, rules (definitions, procedures …), and YAML values.
"""


class Files:
    """A reader and parser of files that keeps nothing in memory; the language server has a subclass with a memo.

    Attributes:
        cached: whether to use the on-disk cache; False for files that change with every keystroke.
        place: the source of the files.
    """

    cached = True
    place: FilePlace = DISK

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file; `display` is its name in diagnostics. Raises the same errors as `read_text`."""
        return self.place.text(path, display, limit)

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file. Raises the same errors as `read_yaml`."""
        return read_kept(path, display, MAX_YAML)

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file. Raises the same errors as `parse_rules`."""
        return parse_rules(text, display, cached=True)

    def findings(self, node: Node, schema: str, partial: bool = False) -> tuple[Diagnostic, ...]:
        """The schema violations in a YAML tree; a `partial` file may omit parts of its base."""
        from rulespec.documents.schema_check import check_schema
        from rulespec.schemas import load_schema

        result = Report()
        what = f"{schema} file"
        check_schema(node, load_schema(schema), result, what=what, partial=partial, cached=self.cached)
        report_repeated(node, schema, result)
        return result.diagnostics


def title_files(titled: Iterable[tuple[Path, str]], place: FilePlace) -> Iterator[tuple[Path, str]]:
    """The folder and name of every possible word file, in all languages, lowest layer first."""
    for folder, stem in titled:
        yield folder, f"{stem}.yaml"
        path = folder / stem
        for file in place.matches(path.parent, f"{path.name}.*.yaml"):
            yield folder, str(Path(stem).parent / file.name)


def drawing_files(titled: Iterable[tuple[Path, str]]) -> Iterator[tuple[Path, str]]:
    """The folder and name of every possible drawing file, lowest layer first; the files are placed like word files."""
    for folder, stem in titled:
        words = Path(stem)  # `titles` for a ruleset, `variants/titles/NAME` for an overlay
        if words.parent.name == "titles":
            yield folder, str(words.parents[1] / "drawing" / f"{words.name}.yaml")
        else:
            yield from ((folder, OUTLINES), (folder, DRAWING))


class TooMuchError(DiagnosticsError):
    """The files of a reference exceed a size limit, so nothing more is read."""


class _PlacedFiles(Files):
    """Reader and parser of files from another place than the disk."""

    def __init__(self, place: FilePlace) -> None:
        self.place = place

    def yaml(self, path: Path, display: str) -> Node:
        """Parses a YAML file from this place."""
        return parse_kept(self.text(path, display, MAX_YAML.size), display, MAX_YAML)


def files_at(place: FilePlace) -> Files:
    """The reader of files from a place."""
    return Files() if place is DISK else _PlacedFiles(place)


class SameFiles(Files):
    """A reader that reads and parses each file once, for runs with many references to the same files."""

    def __init__(self) -> None:
        self._texts: dict[tuple[Path, int], str] = {}
        self._trees: dict[tuple[Path, str], Node] = {}
        self._items: dict[tuple[str, str], tuple[ast.Item, ...]] = {}
        self._findings: dict[tuple[int, str, bool], tuple[Node, tuple[Diagnostic, ...]]] = {}

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file, read on first use."""
        if (path, limit) not in self._texts:
            self._texts[path, limit] = super().text(path, display, limit)
        return self._texts[path, limit]

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file, parsed on first use."""
        if (path, display) not in self._trees:
            self._trees[path, display] = super().yaml(path, display)
        return self._trees[path, display]

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file, parsed on first use."""
        if (text, display) not in self._items:
            self._items[text, display] = super().rules(text, display)
        return self._items[text, display]

    def findings(self, node: Node, schema: str, partial: bool = False) -> tuple[Diagnostic, ...]:
        """The schema violations in a YAML tree, computed on first use."""
        key = (id(node), schema, partial)
        if key not in self._findings:  # keeps the tree alive, so that its id is not reused
            self._findings[key] = (node, super().findings(node, schema, partial))
        return self._findings[key][1]


class RulesetReader(Brief, Struct):
    """A reader of the files of one reference that counts and hashes them, and retains their texts for messages.

    `located`: the folder and relative name of each file in `sources`.
    """

    report: Report
    files: Files = field(default_factory=Files)
    sources: dict[str, str] = field(default_factory=dict)
    located: dict[str, tuple[Path, str]] = field(default_factory=dict)
    digest: hashlib._Hash = field(default_factory=hashlib.sha256)
    counts: Counter[str] = field(default_factory=Counter)
    listed: dict[str, ListedRule] = field(default_factory=dict)

    def yaml(self, folder: Path, name: str, schema: str, *, partial: bool = False) -> Mapping | None:
        """The tree of a YAML file in a folder, or None if it violates its schema; violations are reported.

        Args:
            folder: the folder.
            name: the file's relative path.
            schema: the name of its schema.
            partial: whether the file is merged over another file, whose keys it may omit.

        Raises:
            DiagnosticsError: RS160 if the file needs a newer version of this program, RS107 if a total is too large.
        """
        file, content, is_first = self.files.place.display(folder / name), "", schema in _FIRST
        try:
            path, content = self._read(folder, name, MAX_YAML.size)
            node = self.files.yaml(path, file)
        except TooMuchError:
            raise
        except DiagnosticsError as error:
            self._tell(error.diagnostics, check_needs_of_text(content, file) if is_first else None)
            return None
        wrong = check_needs(node) if is_first else None
        before = len(self.report.diagnostics)
        node = with_csv(node, schema, lambda beside: self._beside(folder, beside), self.report)
        if len(self.report.diagnostics) > before:
            return None
        self._count(file, values=count_values(node))
        if not self._fits(node, schema, partial, wrong):
            return None
        if isinstance(node, Scalar) and node.value is None:
            return Mapping({}, node.span)
        return node if isinstance(node, Mapping) else None

    def _beside(self, folder: Path, name: str) -> tuple[str, str]:
        """The display name and the content of a CSV file in a folder.

        Raises:
            UnreadableCsvError: if it cannot be read.
            DiagnosticsError: RS107 if a total is too large.
        """
        try:
            return self.files.place.display(folder / name), self._read(folder, name, MAX_YAML.size)[1]
        except TooMuchError:
            raise
        except DiagnosticsError as error:
            raise UnreadableCsvError(error.diagnostics) from None

    def _fits(self, node: Node, schema: str, partial: bool, wrong: Diagnostic | None) -> bool:
        nothing = isinstance(node, Scalar) and node.value is None and schema != "game"
        result = () if nothing else self.files.findings(node, schema, partial)
        self._tell(result, wrong)
        return not result and wrong is None

    def _tell(self, diagnostics: Iterable[Diagnostic], wrong: Diagnostic | None) -> None:
        """Reports the diagnostics of a file; on the line of `wrong`, which is more specific, only `wrong`."""
        if wrong is not None and wrong.span is not None:
            line = wrong.span.line
            diagnostics = [d for d in diagnostics if d.span is None or d.span.line != line]
            self.report.add(wrong)
        self.report.extend(diagnostics)

    def rules_of(self, folder: Path) -> tuple[ast.Item, ...]:
        """The items of all rules files in a ruleset's folder, sorted by file name.

        Raises:
            DiagnosticsError: RS107 if there are too many files, before any is read.
        """
        names = [
            f"rules/{path.name}" for path in islice(self.files.place.matches(folder, "rules/*.rules"), MAX_FILES + 1)
        ]
        if len(names) + self.counts["files"] > MAX_FILES:
            self._refuse("files", self.files.place.display(folder / min(names)))
        return tuple([item for name in sorted(names) for item in self.rules(folder, name)])

    def rules(self, folder: Path, name: str) -> tuple[ast.Item, ...]:
        """The items of a rules file in a folder; reports an invalid file and returns no items for it."""
        file = self.files.place.display(folder / name)
        try:
            _, content = self._read(folder, name, MAX_RULES_BYTES)
        except TooMuchError:
            raise
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return ()
        self._count(file, rules=len(content))
        try:
            items = self.files.rules(content, file)
        except DiagnosticsError as error:
            self.report.extend(error.diagnostics)
            return ()
        self._count(file, items=len(items))
        return items

    def _read(self, folder: Path, name: str, limit: int) -> tuple[Path, str]:
        """The path and the content of a file in a folder."""
        path, display = self.files.place.inside(folder, name), self.files.place.display(folder / name)
        content = self.files.text(path, display, limit)
        self._count(display, files=1, characters=len(content))
        self.sources[display] = content
        self.located[display] = (folder, name)
        self.digest.update(path.name.encode("utf-8", "surrogateescape") + b"\0%d\0" % len(content))
        self.digest.update(content.encode("utf-8", "surrogatepass"))  # an editor can send half of a character
        return path, content

    def _count(self, display: str, **more: int) -> None:
        """Adds to the totals of the input read, and checks their limits.

        Raises:
            DiagnosticsError: RS107 if a total exceeds its limit.
        """
        self.counts.update(more)
        for what, (most, _) in _TOTALS.items():
            if self.counts[what] > most:
                self._refuse(what, display)

    def _refuse(self, what: str, display: str) -> NoReturn:
        most, unit = _TOTALS[what]
        help_ = "remove unneeded parts, or combine fewer rulesets and overlays"
        message = f"this ruleset has more than {most:,} {unit} in total"
        self.report.error("RS107", message, Span(display, 1, 1, 1, 1), help=help_)
        raise TooMuchError(self.report.diagnostics)


_TOTALS = {
    "files": (MAX_FILES, "files"),
    "characters": (MAX_TOTAL, "characters"),
    "rules": (MAX_TOTAL_RULES, "characters of rules"),
    "items": (MAX_ITEMS, "definitions, procedures and other rules"),
    "values": (MAX_TOTAL_VALUES, "YAML values"),
}
