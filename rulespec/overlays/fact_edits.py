"""Edits of facts by an overlay: changes, additions and removals by path in the YAML tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.carried_over import old_paths
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, content_column, entries, get, words
from rulespec.overlays.overlay import Overlay, Source
from rulespec.records import Brief

Shared = Callable[[str], bool]
"""A function that tells whether overlays of other families in the reference touch a path or a path below it."""


class FactEdit(Brief, Struct, frozen=True):
    """A leaf that an overlay sets, or a path that it removes or empties.

    Attributes:
        path: the path of the leaf.
        span: its place in the overlay.
        written: its notation, such as "`changes`: `constants.toll`".
        value: the value; None for a removal.
    """

    path: str
    span: Span
    written: str
    value: Node | None


def fact_edits(overlay: Overlay) -> Iterator[FactEdit]:
    """An overlay's changes to facts, leaf by leaf."""
    for setting, place, value in entries(get(overlay.facts, "settings")):
        yield FactEdit(f"game.settings.{setting}.default", place.span, f"`settings`: `{setting}`", value)
    for section in ("replaces", "remove"):
        for word in words(get(overlay.facts, section)):
            yield FactEdit(word.text, word.span, f"`{section}`: `{word.text}`", None)
    for section in ("changes", "add"):
        for name, place, value in entries(get(overlay.facts, section)):
            for path, leaf in _leaves(name, value):
                yield FactEdit(path, place.span, f"`{section}`: `{name}`", leaf)


def _leaves(path: str, node: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(node, Mapping) and node.entries:
        for key, (_, value) in node.entries.items():
            yield from _leaves(f"{path}.{key}", value)
    else:
        yield path, node


def apply_facts(source: Source, overlay: Overlay, shared: Shared, report: Report) -> None:
    """Applies an overlay's facts to the tree; reports invalid paths (RS128, RS503, RS504, RS508)."""
    before = report.errors
    report.extend(old_paths(overlay.facts))
    if report.errors > before:
        return
    edits = _Edits(source, shared, report)
    for setting, place, value in entries(get(overlay.facts, "settings")):
        declared = entry(source.root, ["game", "settings", setting])
        edits.change(f"game.settings.{setting}.default", place, value)
        if declared is not None:
            source.over[content(place)] = source.over[place.span] = declared[0].span
    for path in words(get(overlay.facts, "replaces")):
        _lead(source, path)
        empty(source, path, report)
    for name, place, value in entries(get(overlay.facts, "changes")):
        _lead(source, place)
        edits.change(name, place, value)
    for name, place, value in entries(get(overlay.facts, "add")):
        _lead(source, place)
        edits.add(name, place, value)
    for path in words(get(overlay.facts, "remove")):
        _lead(source, path)
        edits.remove(path)


def _lead(source: Source, path: Scalar) -> None:
    """Records the key denoted by each step of a path; the last step may be a new key.

    A key that contains dots, such as `stone.supply`, is one step per name.
    """
    node: Node | None = source.root
    at, declared = content(path), path.span
    for key in keys_of(source.root, path.text):
        result = node.entries.get(key) if isinstance(node, Mapping) else None
        if result is None:
            _note(source, _part(at, 0, key), path.span)
            return
        declared, start = result[0].span, content(result[0])
        offset = 0
        for name in key.split("."):
            _note(source, _part(at, offset, name), _part(start, offset, name) if "." in key else declared)
            offset += len(name) + 1
        node, at = result[1], _part(at, offset, "")
    _note(source, path.span, declared)


def _part(at: Span, offset: int, name: str) -> Span:
    return Span(at.file, at.line, at.column + offset, at.line, at.column + offset + len(name))


def _note(source: Source, step: Span, declared: Span) -> None:
    if step != declared:
        source.over[step] = declared


class _Edits:
    """The edits of one overlay."""

    def __init__(self, source: Source, shared: Shared, report: Report) -> None:
        self._source = source
        self._shared = shared
        self._report = report

    def change(self, path: str, place: Scalar, value: Node) -> None:
        """Sets an existing value."""
        source = self._source
        old = find(source.root, path)
        if old is None:
            _missing(source, path, place.span, self._report, "put new values under `add`")
            return
        new = merge(old, value, source.over)
        if same(old, new):
            if not self._shared(path):  # else another overlay has the same edit
                notes = [Label(old.span, "the same value is set here")]
                self._report.error("RS504", f"this does not change `{path}`", value.span, notes=notes, help="remove it")
            return
        if isinstance(old, Sequence) and isinstance(new, Sequence):
            gone = {word.text for word in words(old)} - {word.text for word in words(new)}
            source.removed |= {f"{path}.{name}": value.span for name in sorted(gone)}
        self._put(path, place, new)

    def add(self, path: str, place: Scalar, value: Node) -> None:
        """Adds a new value, or members to a list."""
        source, report = self._source, self._report
        path, value = _by_place(source.root, path, place, value)
        old = find(source.root, path)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            self._add_entries(path, old, value)
            return
        if isinstance(old, Sequence) and isinstance(value, Sequence):
            present = {i.text for i in old.items if isinstance(i, Scalar)}
            twice = [i for i in value.items if isinstance(i, Scalar) and i.text in present]
            if twice and self._shared(path):
                return
            for item in twice:
                report.error("RS504", f"`{item.text}` is already in `{path}`", item.span, help="remove it")
            new: Node = Sequence([*old.items, *value.items], value.span)
        elif old is not None:
            if not self._shared(path):
                notes = [Label(old.span, "defined here")]
                report.error("RS508", f"`{path}` already exists", place.span, notes=notes, help="move it to `changes`")
                return
            new = merge(old, value, source.over)
        else:
            keys = keys_of(source.root, path)
            parent = find(source.root, ".".join(keys[:-1])) if len(keys) > 1 else source.root
            if parent is None and (len(keys) == 2 or keys[0] == "setup"):
                parent = self._opened(keys[:-1], place)  # creates a missing section; an unknown one is refused later
            if not isinstance(parent, Mapping):
                _missing(source, ".".join(keys[:-1]), place.span, report)
                return
            new = value
        self._put(path, place, new)

    def _opened(self, keys: list[str], place: Scalar) -> Mapping | None:
        """The mapping at a path, created if missing; None if the path has another value."""
        for length in range(1, len(keys) + 1):
            path = ".".join(keys[:length])
            if find(self._source.root, path) is None:
                self._put(path, place, Mapping({}, place.span))
        result = find(self._source.root, ".".join(keys))
        return result if isinstance(result, Mapping) else None

    def _add_entries(self, path: str, old: Mapping, value: Mapping) -> None:
        """Adds the entries of a mapping to an existing one."""
        for key, (place, new) in value.entries.items():
            if key not in old.entries:
                self._put(f"{path}.{key}", place, new)
            elif not self._shared(path):  # else another overlay has the same edit
                notes = [Label(old.entries[key][0].span, "defined here")]
                message = f"`{path}.{key}` already exists"
                self._report.error("RS508", message, place.span, notes=notes, help="move it to `changes`")

    def remove(self, path: Scalar) -> None:
        """Removes a node."""
        source = self._source
        if find(source.root, path.text) is not None:
            source.removed[path.text] = path.span
            source.root = _replaced(source.root, keys_of(source.root, path.text), None)
        elif not self._shared(path.text):  # else another overlay has removed it
            _missing(source, path.text, path.span, self._report)

    def _put(self, path: str, place: Scalar, value: Node) -> None:
        keys = keys_of(self._source.root, path)
        key = Scalar(keys[-1], keys[-1], place.span)
        self._source.root = _replaced(self._source.root, keys, (key, value))


def _by_place(root: Mapping, path: str, place: Scalar, value: Node) -> tuple[str, Node]:
    """An addition to a set-up in normal form, where `fort: {supply: 2}` becomes `fort.supply`."""
    keys = keys_of(root, path)
    if keys[:1] != ["setup"] or "pieces" not in keys[1:] or not isinstance(value, Mapping):
        return path, value
    if len(keys) > 1 and keys[-2] == "pieces" and "." not in keys[-1]:
        value = Mapping({keys[-1]: (place, value)}, value.span)
        path = path.rpartition(".")[0]
    elif keys[-1] != "pieces":
        return path, value
    entries: dict[str, tuple[Scalar, Node]] = {}
    for key, (at, inner) in value.entries.items():
        if "." in key or not isinstance(inner, Mapping):
            entries[key] = (at, inner)
        else:
            entries |= {f"{key}.{name}": entry for name, entry in inner.entries.items()}
    return path, Mapping(entries, value.span)


def merge(base: Node, over: Node, places: dict[Span, Span] | None = None) -> Node:
    """Merges `over` into `base`: mappings are merged, other values are replaced. Nodes keep their places.

    For each key that is in both, `places` maps its place in `over` to its place in `base`.
    """
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return over
    entries = dict(base.entries)
    for key, (place, value) in over.entries.items():
        if key in entries:
            if places is not None:
                places[place.span] = entries[key][0].span
            value = merge(entries[key][1], value, places)
        entries[key] = (place, value)
    return Mapping(entries, over.span)


_PARTS = 3  # maximum number of dotted names in a key


def keys_of(root: Mapping, path: str) -> list[str]:
    """Splits a dotted path into keys. A key may itself contain dots, such as the new key `share.stock` in a set-up."""
    keys: list[str] = []
    rest = path.split(".")
    node: Node | None = root
    while rest:
        known = node.entries if isinstance(node, Mapping) else {}
        length = next((n for n in range(1, _PARTS + 1) if ".".join(rest[:n]) in known), _names_in(keys, rest))
        key = ".".join(rest[:length])
        node = known[key][1] if key in known else None
        keys.append(key)
        rest = rest[length:]
    return keys


def _names_in(keys: list[str], rest: list[str]) -> int:
    """The number of dotted names in a new key at a place: in a set-up, `piece.place` and `kind.field` have several."""
    section = keys[-1] if keys[:1] == ["setup"] and len(keys) in (2, 4) else ""
    return min(len(rest), {"pieces": 2, "state": 3, "accounts": 3}.get(section, 1))


def content(word: Scalar) -> Span:
    """The place of a key or of a word on one line, without the quotes."""
    line, column = word.span.line, content_column(word)
    return Span(word.span.file, line, column, line, column + len(word.text))


def entry(root: Mapping, keys: Iterable[str]) -> tuple[Scalar, Node] | None:
    """The key and the value at a path of keys, or None if there are none."""
    result: tuple[Scalar, Node] | None = None
    node: Node = root
    for key in keys:
        result = node.entries.get(key) if isinstance(node, Mapping) else None
        if result is None:
            return None
        node = result[1]
    return result


def find(root: Mapping, path: str) -> Node | None:
    """The node at a dotted path, or None if there is none."""
    node: Node = root
    for key in keys_of(root, path):
        if not isinstance(node, Mapping) or key not in node.entries:
            return None
        node = node.entries[key][1]
    return node


def _replaced(root: Mapping, keys: list[str], value: tuple[Scalar, Node] | None) -> Mapping:
    """A copy of the tree with the entry at a path set, or removed if None. Its parents must exist."""
    entries = dict(root.entries)
    key = keys[0]
    if len(keys) == 1:
        if value is None:
            del entries[key]
        else:
            entries[key] = value
    else:
        place, inner = entries[key]
        assert isinstance(inner, Mapping)
        entries[key] = (place, _replaced(inner, keys[1:], value))
    return Mapping(entries, root.span)


def _nearest(root: Mapping, path: str) -> tuple[str, tuple[Label, ...]]:
    """A hint for a missing path: the nearest existing key at its end, with a note there."""
    node: Node = root
    walked: list[str] = []
    for key in keys_of(root, path):
        if isinstance(node, Mapping) and key in node.entries:
            node = node.entries[key][1]
            walked.append(key)
            continue
        if isinstance(node, Mapping):
            where = ".".join(walked)
            if walked and key in root.entries:
                there = Label(root.entries[key][0].span, "declared here")
                return f"remove `{where}.`: the path begins with `{key}`", (there,)
            guess, notes = nearest(key, {name: place.span for name, (place, _) in node.entries.items()})
            return guess or (f"correct the path: `{where}` has no `{key}`" if where else ""), notes
        return f"shorten the path: `{'.'.join(walked)}` is a single value", (Label(node.span, "written here"),)
    return "", ()


def empty(source: Source, path: Scalar, report: Report) -> None:
    """Empties the mapping or list at a path, or removes a scalar; reports a missing path (RS503)."""
    old = find(source.root, path.text)
    if old is None:
        _missing(source, path.text, path.span, report)
    else:
        for key in old.entries if isinstance(old, Mapping) else ():
            source.removed[f"{path.text}.{key}"] = path.span
        source.root = _emptied(source.root, keys_of(source.root, path.text))


def _emptied(root: Mapping, keys: list[str]) -> Mapping:
    entries = dict(root.entries)
    place, node = entries[keys[0]]
    if len(keys) > 1:
        assert isinstance(node, Mapping)
        entries[keys[0]] = (place, _emptied(node, keys[1:]))
    elif isinstance(node, Mapping):
        entries[keys[0]] = (place, Mapping({}, node.span))
    elif isinstance(node, Sequence):
        entries[keys[0]] = (place, Sequence([], node.span))
    else:
        del entries[keys[0]]
    return Mapping(entries, root.span)


def same(a: Node, b: Node) -> bool:
    """Whether two nodes are equal, ignoring their places."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.value == b.value and type(a.value) is type(b.value)
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return len(a.items) == len(b.items) and all(same(x, y) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a.entries) == list(b.entries) and all(same(a.entries[k][1], b.entries[k][1]) for k in a.entries)
    return False


def _missing(source: Source, path: str, span: Span, report: Report, else_: str = "") -> None:
    hint, notes = _nearest(source.root, path)
    hint = hint if hint.startswith("did you mean") else "; ".join(filter(None, (hint, else_)))
    report.error("RS503", f"there is no `{path}`", span, notes=notes, help=hint)
