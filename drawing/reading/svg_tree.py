"""The elements of an SVG drawing as a tree, with repetitions, read within limits; no referenced file is opened."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.text_files import NoTextError, decoded, read_bytes

MAX_BYTES = 8_000_000
MAX_DEPTH = 64
MAX_ELEMENTS = 50_000
_ENTITY, _ENTITIES, _DECLARED, _GROWN = 200, 100, 20_000, 8_000_000
"""Limits on entities: characters of one, their number, characters of one used only in the document type, and characters
of all after expansion."""
_COMMENT = 200  # characters of a comment that may be a name
_SIGNS = (("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"))
_COMPRESSED, _GZIP = b"\x1f\x8b", 31
_SEPARATOR = "\x01"
_SVG = "http://www.w3.org/2000/svg"
_PREFIXES = {
    "http://www.inkscape.org/namespaces/inkscape": "inkscape:",
    "http://www.w3.org/1999/xlink": "xlink:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
    "http://www.serif.com/": "serif:",
}
"""The namespaces whose attributes are read."""


class Element(Struct, eq=False):
    """An element: its tag ("" outside SVG, with `foreign` set), its attributes, and its line.

    `number`: its index among its siblings; `of_tag`: its index among the siblings with the same tag.
    `content`: the texts and elements in it.
    `comment`: the words of a comment directly before it, unescaped as in a text element.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    parent: Element | None = None
    number: int = 0
    of_tag: int = 0
    content: list[Element | str] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)
    foreign: str = ""
    comment: str = ""

    def text(self) -> str:
        """The direct text content."""
        return "".join(part for part in self.content if isinstance(part, str))

    def get(self, name: str) -> str:
        """The value of an attribute, stripped of surrounding blanks; "" if it is missing."""
        return self.attributes.get(name, "").strip()


class Document(Struct, frozen=True):
    """A drawing: its root, its elements by id, and its references to external style sheets."""

    file: str
    root: Element
    ids: dict[str, Element]
    sheets: list[int]
    """The lines with references to external style sheets."""

    def elements(self) -> Iterator[Element]:
        """All elements, in document order."""
        todo = [self.root]
        while todo:
            element = todo.pop()
            yield element
            todo += reversed(element.elements)

    def place(self, line: int) -> Span:
        """The span of a line in the file."""
        return Span(self.file, line, 1, line, 2)


def refused(file: str, line: int, reason: str, help_: str) -> DiagnosticsError:
    """The error for an unreadable drawing (RS561)."""
    return failure("RS561", f"this drawing cannot be read: {reason}", Span(file, line, 1, line, 2), help=help_)


def read_tree(path: Path) -> Document:
    """The elements of a drawing.

    Raises:
        DiagnosticsError: RS561 if it is unreadable.
    """
    file = str(path)
    try:
        data = read_bytes(path, file, MAX_BYTES)
    except DiagnosticsError as error:
        (result,) = error.diagnostics
        if result.code == "RS103":
            help_ = "remove pictures and hidden parts from it"
            raise refused(file, 1, "it has more than 8 MB", help_) from None
        raise failure("RS561", result.message, result.span, result.help) from None
    return tree_of(_expanded(data, file) if data.startswith(_COMPRESSED) else data, file)


def _expanded(data: bytes, file: str) -> bytes:
    """The text of a compressed drawing (`.svgz`).

    Raises:
        DiagnosticsError: RS561 if it is damaged, or larger than a map needs.
    """
    expander = zlib.decompressobj(_GZIP)
    try:
        result = expander.decompress(data, MAX_BYTES + 1)
    except zlib.error:
        raise refused(file, 1, "its compressed data is damaged", "export it again, as plain SVG") from None
    if len(result) > MAX_BYTES:
        raise refused(file, 1, "it has more than 8 MB", "remove pictures and hidden parts from it")
    return result


def tree_of(data: bytes, file: str) -> Document:
    """The elements of a drawing in memory; `file` is its name in messages. Raises the same errors as `read_tree`."""
    return _Builder(file, data).read()


class _Entities:
    """The entities declared by a document type: short texts without nested entities, as some programs write them.

    Parameter entities may be longer: only the document type can refer to them, so they are as safe.
    """

    def __init__(self, data: bytes) -> None:
        self._uses, self._uses_declared = data.count(b"&"), data.count(b"%")
        self._count = 0

    def takes(self, parameter: bool, value: str | None) -> bool:
        """Whether an entity is accepted; `value` is None for an external entity."""
        self._count += 1
        if value is None or self._count > _ENTITIES:
            return False
        if parameter:
            fits = len(value) <= _DECLARED and self._uses_declared * len(value) <= _GROWN
            return fits and not {"&", "%"} & {*value}
        return len(value) <= _ENTITY and not {"&", "%", "<"} & {*value} and self._uses * _ENTITY <= _GROWN


class _Builder:
    def __init__(self, file: str, data: bytes) -> None:
        self._file, self._data = file, data
        self._parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        self._parser.buffer_text = True
        self._stack: list[Element] = []
        self._tags: list[Counter[str]] = []
        self._count = 0
        self._root: Element | None = None
        self._ids: dict[str, Element] = {}
        self._sheets: list[int] = []
        self._comment = ""

    def read(self) -> Document:
        """Parses the tree."""
        parser, entities = self._parser, _Entities(self._data)

        def entity(name: str, parameter: bool, value: str | None, *_: object) -> None:
            if not entities.takes(parameter, value):
                help_ = "save it as plain SVG, because its declarations could name files, or grow without bound"
                raise self._refused(f"it declares the entity `{name[:80]}`", help_)

        def instruction(target: str, _: str) -> None:
            if target == "xml-stylesheet":
                self._sheets.append(parser.CurrentLineNumber)

        parser.EntityDeclHandler = entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = lambda text: self._stack[-1].content.append(text)
        parser.CommentHandler = self._say
        parser.ProcessingInstructionHandler = instruction
        try:
            parser.Parse(self._data, True)
        except expat.ExpatError as error:
            self._check_text(error.lineno)
            reason = f"it is not XML: {expat.ErrorString(error.code)}"
            raise refused(self._file, error.lineno, reason, "export it again") from None
        except (LookupError, ValueError) as error:  # in the encoding declared in the first line
            raise self._refused("its first line names an unknown encoding", "save it as UTF-8") from error
        assert self._root is not None  # expat refuses files without elements
        return Document(self._file, self._root, self._ids, self._sheets)

    def _say(self, comment: str) -> None:
        self._comment = " ".join(comment.split()) if len(comment) <= _COMMENT else ""
        for sign, written in _SIGNS:
            self._comment = self._comment.replace(written, sign)

    def _end(self, _: str) -> None:
        self._comment = ""
        self._stack.pop()
        self._tags.pop()

    def _refused(self, reason: str, help_: str) -> DiagnosticsError:
        return refused(self._file, self._parser.CurrentLineNumber, reason, help_)

    def _check_text(self, line: int) -> None:
        """Refuses a file that is not text at all."""
        try:
            decoded(self._data)
        except NoTextError as error:
            raise refused(self._file, error.line, f"it {error.cause}", error.help) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise self._refused(f"it has more than {MAX_ELEMENTS:,} elements", "keep only the outlines of regions")
        if len(self._stack) >= MAX_DEPTH:
            raise self._refused(f"it is nested more than {MAX_DEPTH} deep", "ungroup it")
        space, _, tag = name.rpartition(_SEPARATOR)
        known = {}
        for key, value in attributes.items():
            of, _, local = key.rpartition(_SEPARATOR)
            if not of or of in _PREFIXES:
                known[_PREFIXES.get(of, "") + local] = value
        parent = self._stack[-1] if self._stack else None
        element = Element(tag if space in ("", _SVG) else "", known, self._parser.CurrentLineNumber, parent)
        element.foreign = "" if element.tag else tag
        element.comment, self._comment = self._comment, ""
        if parent is not None:
            element.number, element.of_tag = len(parent.elements), self._tags[-1][tag]
            self._tags[-1][tag] += 1
            parent.content.append(element)
            parent.elements.append(element)
        else:
            self._root = element
        if id_ := element.get("id"):
            self._ids.setdefault(id_, element)
        self._stack.append(element)
        self._tags.append(Counter())


_MOVES = re.compile(r"transform|translate|rotate|scale")
"""Properties of a style that may move an element."""


def target_of(document: Document, element: Element) -> Element | None:
    """The element that a reference names; None if there is no such element in the same drawing."""
    href = element.get("href") or element.get("xlink:href")
    return document.ids.get(href[1:]) if href.startswith("#") else None


def counted_places(document: Document) -> dict[int, int]:
    """Maps an element's identity to the number of places where `use` repeats it; a layer drawn twice counts once."""
    places: dict[int, set[tuple[str, ...]]] = {}
    todo: list[tuple[Element, tuple[str, ...]]] = [(document.root, ())]
    while todo:
        element, moved = todo.pop()
        own = [element.get("transform"), element.get("width"), element.get("height")]
        own += [style] if _MOVES.search(style := element.get("style")) else []
        moved = (*moved, *own) if any(own) else moved
        todo += [(each, moved) for each in element.elements]
        if element.tag == "use" and (target := target_of(document, element)) is not None:
            place = (*moved, *(element.get(name) or "0" for name in ("x", "y")))
            places.setdefault(id(target), set()).add(place)
    return {target: len(each) for target, each in places.items()}
