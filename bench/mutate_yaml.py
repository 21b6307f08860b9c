"""Mutants of YAML files, generated from a file's tree according to the roles of its keys and values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.mutate import FREE, Mutant, Sheet
from bench.yaml_roles import CLOSED, REQUIRED, fits, roles
from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, content_column, get, words
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.overlays.fact_edits import keys_of
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Num

_OF_EACH = {"game.id", "game.title", "game.version", "overlay.id", "overlay.title", "overlay.for", "overlay.version"}
_OF_LANGUAGE = {"int", "bool", "set", "none", "true", "false", "if", "else", "min", "max"}


@dataclass(frozen=True, slots=True)
class _Spot:
    """A value with its path, and its key unless it is a list item."""

    path: str
    key: Scalar | None
    value: Node
    parent: Mapping | Sequence
    adds: bool = False
    """Whether it is part of what an overlay adds, or puts in place of an emptied section."""

    @property
    def start(self) -> Span:
        """The start of the entry or the item."""
        return self.key.span if self.key is not None else self.value.span


class YamlMutator:
    """A generator of the mutants of one YAML file."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.symbols = sheet.symbols
        tree = parse_yaml(sheet.text, sheet.file)
        assert isinstance(tree, Mapping)
        folder = Path(sheet.file).parent
        section = "game" if Path(sheet.file).stem == "game" else ""
        self.top = {"variants": "overlay", "dialects": "dialect"}.get(folder.name, section)
        self.over = self.top == "overlay"
        """Whether the file is layered over others, whose content it may omit."""
        self.emptied = [w.text for w in words(get(tree, "replaces"))]
        if (folder / "game.yaml").exists():
            game = parse_yaml((folder / "game.yaml").read_text("utf-8"), "")
            self.over = get(game, "extends") is not None
            self.emptied = [w.text for w in words(get(game, "replaces"))]
        self.spots = list(self._spots(tree, self.top, False))

    def _spots(self, node: Node, path: str, adds: bool) -> Iterator[_Spot]:
        if isinstance(node, Mapping):
            for key, (place, value) in node.entries.items():
                inner = self._below(path, key)
                own = adds or path == "overlay.add" or any(inner.startswith(f"{p}.") for p in self.emptied)
                yield _Spot(inner, place, value, node, own)
                yield from self._spots(value, inner, own)
        elif isinstance(node, Sequence):
            for item in node.items:
                yield _Spot(f"{path}.#", None, item, node, adds)
                yield from self._spots(item, f"{path}.#", adds)

    def _below(self, path: str, key: str) -> str:
        """The path of an entry, with no dots in its keys; a change in an overlay has the path of the changed entry."""
        if path in ("overlay.changes", "overlay.add"):
            return ".".join(k.replace(".", ":") for k in keys_of(self.symbols.checked.source.root, key))
        if path == "overlay.settings":
            return f"game.settings.{key}.default"
        key = key.replace(".", ":")
        return f"{path}.{key}" if path else key

    def mutants(self) -> Iterator[Mutant]:
        """All mutants of the file."""
        results: list[Mutant | None] = []
        for spot in self.spots:
            key, value = roles(spot.path)
            if spot.key is not None:
                results += self._keys(spot, spot.key, key)
                results += self._drop_entry(spot, spot.key, key)
                results += self._duplicate(spot, spot.key)
                results += self._indent(spot, spot.key)
            else:
                results += self._items(spot)
            results += self._names(spot, value)
            results += self._retype(spot, value)
            results += self._units(spot, value)
            results += self._change(spot)
            results += self._mangle(spot)
            results += self._insert(spot)
        results += self._swaps()
        yield from (m for m in results if m is not None)

    # --- names ---------------------------------------------------------------------------------

    def _declares(self, spot: _Spot, span: Span) -> str:
        """The class of a mutant that loses a declared name: `name`, if the name is used elsewhere.

        In a layered file, a changed name makes an override a new declaration, and the lower one remains. So only
        declarations without a lower one are missed.
        """
        if not self.symbols.users(span):
            return FREE
        return "name" if spot.adds or not self.over else FREE

    def _keys(self, spot: _Spot, key: Scalar, role: str) -> Iterator[Mutant | None]:
        sheet, parent = self.sheet, spot.path.rpartition(".")[0]
        if key.text.isdigit():  # a number cannot be misspelt
            return
        column, line = content_column(key), key.span.line
        start = column
        parts = key.text.split(".") if self.top != "dialect" else [key.text]
        for n, part in enumerate(parts):
            span = Span(sheet.file, line, start, line, start + len(part))
            start += len(part) + 1
            if part.isdigit():
                continue
            if n < len(parts) - 1 or role in ("path", "name"):
                yield sheet.misspelt(span, "name")
            elif role == "decl":
                yield sheet.misspelt(span, self._declares(spot, key.span))
            else:
                closed = fits(parent, CLOSED) or len(parts) > 1
                yield sheet.misspelt(span, "shape" if closed else FREE)

    def _names(self, spot: _Spot, role: str) -> Iterator[Mutant | None]:
        """Words in a value misspelt, or replaced by a name of another sort."""
        value, sheet = spot.value, self.sheet
        if not isinstance(value, Scalar) or not isinstance(value.value, str) or role in ("-", "text", "bool"):
            return
        for m in re.finditer(r"[a-z][a-z0-9_]*", value.text):
            column = content_column(value) + m.start()
            span = Span(sheet.file, value.span.line, column, value.span.line, column + len(m.group()))
            if m.group() in _OF_LANGUAGE or value.style in ("literal", "folded"):
                continue
            breaks = self._declares(spot, value.span) if role == "decl" else "name"
            yield sheet.misspelt(span, breaks)
            if role in ("name", "type", "expr", "fact"):
                other = self._other_sort(span)
                if other:
                    yield sheet.on("repoint", "reference", span, other)

    def _other_sort(self, span: Span) -> str:
        """A name of another sort, which is invalid at a use; "" if the expected sort is unknown."""
        named, d = self.symbols.named(span), self.symbols.checked.declarations
        match named:
            case typed.Entity():
                kind = self.symbols.index.owners.get(id(named))
                others = [e.name for k in d.kinds.values() if k.name != kind for e in k.entities]
            case typed.Kind() | typed.Unit():
                others = [e for e in d.entities if e[0].isalpha()]
            case typed.ConstantDecl() | typed.FactDecl():
                others = list(d.tables)
            case _:
                return ""
        result = self.symbols.only(others)
        return result[span.line % len(result)] if result else ""

    # --- what is taken out, or stands twice ----------------------------------------------------

    def _extent(self, spot: _Spot) -> tuple[int, int]:
        """The offsets of an entry or an item with its separator; whole lines if it starts one."""
        sheet, start = self.sheet, spot.start
        begin, end = sheet.at(start.line, start.column), self._end(spot.value)
        line_start = sheet.at(start.line, 1)
        before = sheet.text[line_start:begin]
        if not self._flow(spot.parent):
            if before.strip(" -"):
                return begin, begin  # something precedes it on the line
            last = sheet.line(end)
            return line_start, line_start + len(sheet.lines(start.line, last))
        rest = re.match(r"\s*,\s*", sheet.text[end:])
        if rest:
            return begin, end + rest.end()
        ahead = re.search(r",\s*$", sheet.text[:begin])
        return (ahead.start() if ahead else begin), end

    def _end(self, node: Node) -> int:
        return self.sheet.at(node.span.end_line, node.span.end_column)

    def _flow(self, node: Node) -> bool:
        return self.sheet.text[self.sheet.at(node.span.line, node.span.column)] in "[{"

    def _drop_entry(self, spot: _Spot, key: Scalar, role: str) -> Iterator[Mutant | None]:
        sheet = self.sheet
        start, end = self._extent(spot)
        if start == end or len(self._members(spot.parent)) < 2:
            return
        first, last = sheet.line(start), sheet.line(end - 1)
        breaks, sites = FREE, set[tuple[str, int]]()
        named = self.symbols.named(key.span)
        if role == "decl":
            sites = sheet.uses_within(first, last) if self._begins_line(spot) else self._used(key.span)
            if sites and self._declares(spot, key.span) == "name":
                breaks = "reference"
        elif fits(spot.path, REQUIRED) and (not self.over or self._of_each(spot)):
            breaks = "shape"
        elif isinstance(named, typed.FactDecl) and not self.over:
            must = isinstance(named.type, Num) or (isinstance(named.type, Ent) and not named.type.optional)
            breaks = "shape" if must else FREE
        elif isinstance(named, typed.Entity) and spot.path.startswith("tables."):
            breaks = "shape"
        # A missing entry is reported at the start of its parent.
        head = spot.parent.span.line
        owner = next((s.start.line for s in self.spots if s.value is spot.parent), head)
        yield sheet.edit("drop", breaks, start, end, "", {*sites, (sheet.file, head), (sheet.file, owner)})

    def _of_each(self, spot: _Spot) -> bool:
        return spot.path in _OF_EACH and spot.path.startswith(f"{self.top}.")

    def _used(self, span: Span) -> set[tuple[str, int]]:
        return {(s.file, s.line) for s in self.symbols.users(span)}

    def _begins_line(self, spot: _Spot) -> bool:
        line = self.sheet.at(spot.start.line, 1)
        return not self.sheet.text[line : self.sheet.at(spot.start.line, spot.start.column)].strip()

    @staticmethod
    def _members(node: Mapping | Sequence) -> list[Node]:
        return node.items if isinstance(node, Sequence) else [value for _, value in node.entries.values()]

    def _duplicate(self, spot: _Spot, key: Scalar) -> Iterator[Mutant | None]:
        start, end = self._extent(spot)
        text = self.sheet.text[start:end]
        if start == end:
            return
        if self._flow(spot.parent):
            text = f"{self.sheet.text[self.sheet.at(key.span.line, key.span.column) : self._end(spot.value)]}, "
            start = self.sheet.at(key.span.line, key.span.column)
        yield self.sheet.edit("duplicate", "shape", start, start, text if text.endswith((" ", "\n")) else text + "\n")

    def _items(self, spot: _Spot) -> Iterator[Mutant | None]:
        """A list item removed or duplicated."""
        start, end = self._extent(spot)
        if start == end or len(self._members(spot.parent)) < 2:
            return
        yield self.sheet.edit("drop", FREE, start, end, "")
        if not self._flow(spot.parent):
            yield self.sheet.edit("duplicate", FREE, start, start, self.sheet.text[start:end])
        elif isinstance(spot.value, Scalar):
            begin = self.sheet.at(spot.start.line, spot.start.column)
            yield self.sheet.edit("duplicate", FREE, begin, begin, f"{self.sheet.cut(spot.value.span)}, ")

    # --- types, units, shapes ------------------------------------------------------------------

    def _retype(self, spot: _Spot, role: str) -> Iterator[Mutant | None]:
        value, sheet = spot.value, self.sheet
        if isinstance(value, Mapping):
            if role == "-" and self.top != "dialect" and value.entries:
                keys = ", ".join(f'"{k}"' for k in value.entries)
                yield self._instead(value, f"[{keys}]", "shape")
                for_all = re.match(r"setup\.(players\.\w+\.)?pieces\.\w", spot.path)  # one number for each
                yield self._instead(value, "7", FREE if for_all else "shape")
        elif isinstance(value, Sequence):
            fact = roles(f"{spot.path}.#")[1]
            if fact != "-" and value.items:
                yield self._instead(value, "7", "type")
                yield self._instead(value, "{a: 1}", "type")
        elif role == "text":
            yield sheet.on("retype", "type", value.span, "[a, b]") if value.style not in ("literal", "folded") else None
            yield sheet.on("retype", "type", value.span, "7") if value.style not in ("literal", "folded") else None
        elif isinstance(value.value, bool):
            if self.top == "dialect" and ".settings." in spot.path:
                return  # only a log tells to which ruleset the setting belongs
            yield sheet.on("retype", "type", value.span, "7")
        elif isinstance(value.value, int) and role in ("fact", "expr"):
            yield sheet.on("retype", "type", value.span, "true")
            yield sheet.on("retype", "type", value.span, "a word")
        elif role in ("name", "type", "fact", "value", "decl", "expr", "path") and value.value is not None:
            yield sheet.on("retype", "type", value.span, "{a: 1}")
            if role != "expr":
                yield sheet.on("retype", "type", value.span, "7")
            if role == "type":
                yield from self._other_type(spot, value)

    def _instead(self, value: Node, text: str, breaks: str) -> Mutant | None:
        """A mapping or a list replaced by a value of another shape."""
        start = self.sheet.at(value.span.line, value.span.column)
        if not self._flow(value):  # the replacement of a block is on the line of its key
            start = len(self.sheet.text[:start].rstrip())
            if self.sheet.text[start - 1] != ":":
                return None  # after a comment or a dash
            text = f" {text}"
        return self.sheet.edit("retype", breaks, start, self._end(value), text)

    def _other_type(self, spot: _Spot, value: Scalar) -> Iterator[Mutant | None]:
        """Another type for a declaration, if its values or rules depend on the type."""
        if "account" in spot.path.rpartition(".")[2] or spot.path.endswith(".unit") or spot.key is None:
            return
        declared = spot.key
        if spot.path.endswith((".type", ".value", ".key")):
            owner = next((s.key for s in self.spots if s.value is spot.parent), None)
            if owner is None:  # an overlay changes it by path
                return
            declared = owner
        if self.symbols.users(declared.span) and not spot.path.endswith(".key"):
            yield self.sheet.on("retype", "type", value.span, "int" if value.text == "bool" else "bool")

    def _units(self, spot: _Spot, role: str) -> Iterator[Mutant | None]:
        """Another unit for an amount, an account or a type."""
        value = spot.value
        if role not in ("expr", "type") or not isinstance(value, Scalar):
            return
        units = list(self.symbols.checked.declarations.units)
        for m in re.finditer(r"[a-z_]+", value.text):
            if m.group() in units:
                other = units[units.index(m.group()) - 1]
                text = value.text[: m.start()] + other + value.text[m.end() :]
                yield self.sheet.on("reunit", "unit", value.span, text)
                if spot.path.startswith("constants."):
                    yield self.sheet.on("reunit", "unit", value.span, value.text[: m.start()].strip())
        if units and spot.path.startswith("constants.") and isinstance(value.value, int):
            yield self.sheet.on("reunit", "unit", value.span, f"{value.text} {units[0]}")

    def _mangle(self, spot: _Spot) -> Iterator[Mutant | None]:
        """A bracket, a colon or a quote removed."""
        sheet, value = self.sheet, spot.value
        if isinstance(value, Mapping | Sequence) and self._flow(value):
            start, end = sheet.at(value.span.line, value.span.column), self._end(value)
            inside = range(value.span.line, value.span.end_line + 1)
            sites = {(sheet.file, n) for n in inside}
            yield sheet.edit("mangle", "shape", start, start + 1, "", sites)
            yield sheet.edit("mangle", "shape", end - 1, end, "", sites)
        if isinstance(value, Scalar) and value.style == "double":
            yield sheet.edit("mangle", "shape", self._end(value) - 1, self._end(value), "")
        if spot.key is not None and not self._flow(spot.parent) and len(self._members(spot.parent)) > 1:
            colon = sheet.text.index(":", sheet.at(spot.key.span.end_line, spot.key.span.end_column))
            yield sheet.edit("mangle", "shape", colon, colon + 1, "")

    def _indent(self, spot: _Spot, key: Scalar) -> Iterator[Mutant | None]:
        """An entry indented differently from its siblings."""
        if self._flow(spot.parent) or not self._begins_line(spot) or key.span.column == 1:
            return
        keys = [k for k, _ in spot.parent.entries.values()] if isinstance(spot.parent, Mapping) else []
        if len(keys) > 1 and keys[0] is not key and isinstance(spot.value, Scalar):
            line = self.sheet.at(key.span.line, 1)
            yield self.sheet.edit("shift", "shape", line, line, " ")
            yield self.sheet.edit("shift", "shape", line, line + 1, "")

    def _insert(self, spot: _Spot) -> Iterator[Mutant | None]:
        """An unknown key inserted."""
        value = spot.value
        if isinstance(value, Mapping) and value.entries and fits(spot.path, CLOSED):
            start = self.sheet.at(value.span.line, value.span.column)
            if self._flow(value):
                yield self.sheet.edit("insert", "shape", start + 1, start + 1, "quux: 1, ")
            else:
                indent = " " * (value.span.column - 1)
                yield self.sheet.edit("insert", "shape", start, start, f"quux: 1\n{indent}")

    # --- what may be legal ---------------------------------------------------------------------

    def _change(self, spot: _Spot) -> Iterator[Mutant | None]:
        value = spot.value
        if not isinstance(value, Scalar):
            return
        if isinstance(value.value, bool):
            yield self.sheet.on("negate", FREE, value.span, "false" if value.value else "true")
        elif isinstance(value.value, int):
            yield self.sheet.on("shift", FREE, value.span, str(value.value + 1))
            yield self.sheet.on("shift", FREE, value.span, str(value.value - 1))
        elif result := re.fullmatch(r"(\d+)( [a-z]+)", value.text):
            yield self.sheet.on("shift", FREE, value.span, f"{int(result[1]) + 1}{result[2]}")
        if spot.key is not None and spot.key.text.isdigit() and spot.key.style == "plain":
            yield self.sheet.on("shift", FREE, spot.key.span, str(int(spot.key.text) + 1))

    def _swaps(self) -> Iterator[Mutant | None]:
        """Two adjacent entries swapped."""
        for one, other in pairwise(self.spots):
            a, b = one.value, other.value
            if one.parent is not other.parent or not isinstance(a, Scalar) or not isinstance(b, Scalar):
                continue
            if "folded" in (a.style, b.style) or "literal" in (a.style, b.style):
                continue
            first, second = self.sheet.cut(a.span), self.sheet.cut(b.span)
            between = self.sheet.text[self._end(a) : self.sheet.at(b.span.line, b.span.column)]
            start = self.sheet.at(a.span.line, a.span.column)
            yield self.sheet.edit("swap", FREE, start, self._end(b), second + between + first)
