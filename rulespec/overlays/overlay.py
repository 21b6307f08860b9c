"""Laying one source over another: `extends`, and overlays that change facts by path and rules by name."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean, nearest
from rulespec.documents.nodes import Mapping, Node, Scalar, Sequence, words
from rulespec.overlays.extension import Extender, Repeated
from rulespec.syntax import ast


class Source(Struct, eq=False):
    """A ruleset before it is checked: one YAML tree, and the rules.

    Attributes:
        root: the tree.
        items: the rules, by kind and name.
        originals: kind and name of a wrapping rule → name of the rule that its `original(…)` calls.
        touched: path that an overlay changes → the overlay and the place.
        touched_below: path → the touched paths below it.
        displaced: rules that overlays replace or remove, each with the overlay and the place.
        removed: path that an overlay removes, of members of lists, too → the place.
        layers: file → the layer that it belongs to; what lies over another has a greater number.
        repeated: counts the options that extensions add; None before the first one.
    """

    root: Mapping
    items: dict[tuple[str, str], ast.Item] = field(default_factory=dict)
    originals: dict[tuple[str, str], str] = field(default_factory=dict)
    touched: dict[str, tuple[str, Span]] = field(default_factory=dict)
    touched_below: dict[str, dict[str, None]] = field(default_factory=dict)
    displaced: list[Displaced] = field(default_factory=list)
    removed: dict[str, Span] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    repeated: Repeated | None = None

    def lay(self, files: Iterable[str]) -> None:
        """Notes that files belong to one layer, which lies over all so far."""
        layer = 1 + max(self.layers.values(), default=-1)
        self.layers |= dict.fromkeys(files, layer)


class Displaced(Struct, frozen=True):
    """A rule that an overlay, or a ruleset over its base, replaces or removes.

    Attributes:
        what: the rule, such as "the procedure `turn`".
        item: its syntax tree.
        by: the overlay, or "" for a ruleset over its base.
        span: the place where that is said.
        before: the source without the change, and without all that the same overlay changes.
    """

    what: str
    item: ast.Item
    by: str
    span: Span
    before: Source


_KINDS: dict[type[ast.Item], str] = {
    ast.Def: "def",
    ast.Procedure: "procedure",
    ast.Invariant: "invariant",
    ast.OptionGroup: "options",
    ast.Scoring: "scoring",
}


def _called(kind: str, name: str) -> str:
    """How messages call a rule: "the procedure `turn`", "the scoring". The rules that it wraps are called the same."""
    return "the scoring" if kind == "scoring" else f"the {kind} `{name.partition(' ')[0]}`"


def _as_it_was(source: Source) -> Source:
    """A copy of what the checker needs of a source, which is about to be changed."""
    return Source(source.root, dict(source.items), dict(source.originals))


def merge(base: Node, over: Node) -> Node:
    """`over` laid over `base`: mappings are merged, anything else is replaced. Both keep their places."""
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return over
    entries = dict(base.entries)
    for key, (place, value) in over.entries.items():
        entries[key] = (place, merge(entries[key][1], value)) if key in entries else (place, value)
    return Mapping(entries, over.span)


_PARTS = 3  # most parts of a key with dots in it


def keys_of(root: Mapping, path: str) -> list[str]:
    """The keys of a dotted path. Keys may contain dots themselves, as in `setup.pieces`."""
    keys: list[str] = []
    rest = path.split(".")
    node: Node | None = root
    while rest:
        known = node.entries if isinstance(node, Mapping) else {}
        length = next((n for n in range(1, _PARTS + 1) if ".".join(rest[:n]) in known), 1)
        key = ".".join(rest[:length])
        node = known[key][1] if key in known else None
        keys.append(key)
        rest = rest[length:]
    return keys


def find(root: Mapping, path: str) -> Node | None:
    """The node at a dotted path."""
    node: Node = root
    for key in keys_of(root, path):
        if not isinstance(node, Mapping) or key not in node.entries:
            return None
        node = node.entries[key][1]
    return node


def _replaced(root: Mapping, keys: list[str], value: tuple[Scalar, Node] | None) -> Mapping:
    """A copy of the tree with the entry at a path set, or removed (None). The parents exist."""
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
    """A hint for a path that does not exist: the nearest key where it ends; and a note at that key."""
    node: Node = root
    walked: list[str] = []
    for key in keys_of(root, path):
        if isinstance(node, Mapping) and key in node.entries:
            node = node.entries[key][1]
            walked.append(key)
            continue
        if isinstance(node, Mapping):
            where = ".".join(walked)
            guess, notes = nearest(key, {name: place.span for name, (place, _) in node.entries.items()})
            return guess or (f"`{where}` has no `{key}`" if where else ""), notes
        return f"`{'.'.join(walked)}` is a single value", ()
    return "", ()


def empty(source: Source, path: Scalar, report: Report) -> None:
    """Empties the mapping or list at a path, or removes the single value there; reports RS503."""
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


def _same(a: Node, b: Node) -> bool:
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.value == b.value and type(a.value) is type(b.value)
    if isinstance(a, Sequence) and isinstance(b, Sequence):
        return len(a.items) == len(b.items) and all(_same(x, y) for x, y in zip(a.items, b.items, strict=True))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a.entries) == list(b.entries) and all(_same(a.entries[k][1], b.entries[k][1]) for k in a.entries)
    return False


def _touch(source: Source, overlay: str, path: str, span: Span, report: Report, what: str = "") -> None:
    """Notes that an overlay changes a path, or a rule that messages call `what`; reports what another has changed."""
    if not overlay:  # a ruleset's own rules, over those of its base
        return
    parts = path.split(".")
    above = [".".join(parts[:n]) for n in range(1, len(parts))]
    for other in [*above, path, *source.touched_below.get(path, ())]:
        name, place = source.touched.get(other, (overlay, span))
        if name != overlay:
            changed = f"`{path if len(path) > len(other) else other}`"
            report.error(
                "RS505",
                f"the overlays `{name}` and `{overlay}` both change {what or changed}",
                span,
                notes=[Label(place, "changed here already")],
                help="use one of them, or write a third overlay that includes both and says what holds",
            )
    source.touched[path] = (overlay, span)
    for each in above:
        source.touched_below.setdefault(each, {})[path] = None


def apply_overlay(source: Source, overlay: Mapping, rules: tuple[ast.Item, ...], name: str, report: Report) -> None:
    """Applies an overlay to the source; reports paths and rules that do not fit (RS503 … RS511)."""
    before = _as_it_was(source)
    for option, (place, value) in _entries(overlay, "options"):
        _change(source, name, f"game.options.{option}.default", place, value, report)
    for emptied in _list(overlay, "replaces"):
        empty(source, emptied, report)
        _touch(source, name, emptied.text, emptied.span, report)
    for path, (place, value) in _entries(overlay, "changes"):
        _change(source, name, path, place, value, report)
    for path, (place, value) in _entries(overlay, "add"):
        _add(source, name, path, place, value, report)
    for item in _list(overlay, "remove"):
        _remove(source, name, item, report)
    apply_rules(source, rules, name, report, before)


def _entries(overlay: Mapping, key: str) -> list[tuple[str, tuple[Scalar, Node]]]:
    node = overlay.entries.get(key)
    return list(node[1].entries.items()) if node is not None and isinstance(node[1], Mapping) else []


def _list(overlay: Mapping, key: str) -> list[Scalar]:
    node = overlay.entries.get(key)
    return words(node[1]) if node is not None else []


def _missing(source: Source, path: str, span: Span, report: Report) -> None:
    hint, notes = _nearest(source.root, path)
    report.error("RS503", f"there is no `{path}`", span, notes=notes, help=hint)


def _change(source: Source, name: str, path: str, place: Scalar, value: Node, report: Report) -> None:
    old = find(source.root, path)
    if old is None:
        _missing(source, path, place.span, report)
        return
    new = merge(old, value)
    if _same(old, new):
        notes = [Label(old.span, "it says so already")]
        report.error("RS504", f"`{path}` does not change", value.span, notes=notes, help="leave it out")
        return
    _touch(source, name, path, place.span, report)
    if isinstance(old, Sequence) and isinstance(new, Sequence):
        gone = {word.text for word in words(old)} - {word.text for word in words(new)}
        source.removed |= {f"{path}.{name}": value.span for name in sorted(gone)}
    keys = keys_of(source.root, path)
    key = Scalar(keys[-1], keys[-1], place.span)
    source.root = _replaced(source.root, keys, (key, new))


def _add(source: Source, name: str, path: str, place: Scalar, value: Node, report: Report) -> None:
    keys = keys_of(source.root, path)
    old = find(source.root, path)
    if isinstance(old, Sequence) and isinstance(value, Sequence):
        present = {i.text for i in old.items if isinstance(i, Scalar)}
        for item in value.items:
            if isinstance(item, Scalar) and item.text in present:
                report.error("RS504", f"`{item.text}` is in `{path}` already", item.span, help="leave it out")
        new: Node = Sequence([*old.items, *value.items], value.span)
    elif old is not None:
        notes = [Label(old.span, "it stands here")]
        report.error("RS508", f"`{path}` exists already", place.span, notes=notes, help="put it under `changes`")
        return
    else:
        parent = find(source.root, ".".join(keys[:-1])) if len(keys) > 1 else source.root
        if not isinstance(parent, Mapping):
            _missing(source, ".".join(keys[:-1]), place.span, report)
            return
        new = value
    _touch(source, name, path, place.span, report)
    source.root = _replaced(source.root, keys, (Scalar(keys[-1], keys[-1], place.span), new))


def _remove(source: Source, name: str, item: Scalar, report: Report) -> None:
    if find(source.root, item.text) is None:
        _missing(source, item.text, item.span, report)
        return
    _touch(source, name, item.text, item.span, report)
    source.removed[item.text] = item.span
    source.root = _replaced(source.root, keys_of(source.root, item.text), None)


def apply_rules(
    source: Source, rules: tuple[ast.Item, ...], name: str, report: Report, before: Source | None = None
) -> None:
    """Adds, replaces, wraps and removes rules.

    Args:
        source: takes them.
        rules: the items of the files.
        name: the overlay's, or "" for a ruleset's own rules.
        report: takes what does not fit.
        before: the source without any change of the overlay; by default as it is now.
    """
    before = before or _as_it_was(source)
    for item in rules:
        if isinstance(item, ast.Extend):
            _extend(source, item, name, report)
            continue
        if isinstance(item, ast.Remove):
            _remove_rule(source, item, name, report, before)
            continue
        kind = _KINDS[type(item)]
        key = (kind, "" if kind == "scoring" else item.name.text)
        old = source.items.get(key)
        if item.modifier == "":
            if old is not None:
                notes = [Label(old.name.span, "the first one")]
                help_ = f"write `replace {kind} …` to put this one in its place" if name else ""
                report.error(
                    "RS223", f"the {kind} `{item.name.text}` exists already", item.name.span, notes=notes, help=help_
                )
            else:
                source.items[key] = item
            continue
        if old is None:
            _no_rule(source, kind, item.name, report)
            continue
        called = _called(kind, item.name.text)
        _touch(source, name, f"{kind} {item.name.text}", item.name.span, report, called)
        if item.modifier == "wrap":
            if not isinstance(item, ast.Def | ast.Procedure):
                report.error("RS229", f"only definitions and procedures are wrapped, not {kind}", item.name.span)
                continue
            inner = f"{item.name.text} (before {name or 'this'})"
            if (kind, inner) in source.items:  # wrapped by the same overlay, or along `extends`, more than once
                inner += f" {len(source.items)}"
            source.items[(kind, inner)] = old
            if key in source.originals:  # the old one wraps another itself
                source.originals[(kind, inner)] = source.originals[key]
            source.originals[key] = inner
        if _signature(item) != _signature(old):
            what = "its parameters and its type" if isinstance(item, ast.Def) else "its parameters"
            notes = [Label(old.name.span, "the one in whose place it stands")]
            report.error("RS511", f"`{item.name.text}` must keep {what}", item.name.span, notes=notes)
        if item.modifier == "replace":
            source.displaced.append(Displaced(called, old, name, item.name.span, before))
            _drop_originals(source, key)
        source.items[key] = item


def _remove_rule(source: Source, item: ast.Remove, name: str, report: Report, before: Source) -> None:
    key = (item.kind, "" if item.kind == "scoring" else item.name.text)
    if key not in source.items:
        _no_rule(source, item.kind, item.name, report)
        return
    what = _called(item.kind, item.name.text)
    _touch(source, name, f"{item.kind} {item.name.text}", item.name.span, report, what)
    source.displaced.append(Displaced(what, source.items[key], name, item.name.span, before))
    source.removed[f"rules.{item.name.text}"] = item.name.span
    _drop_originals(source, key)
    del source.items[key]


def _extend(source: Source, extension: ast.Extend, name: str, report: Report) -> None:
    """Adds options to a decision, in each rule with that decision."""
    source.repeated = source.repeated or Repeated(report)
    extender = Extender(extension, source.repeated)
    for key, item in list(source.items.items()):
        new: ast.Item = item
        if isinstance(item, ast.Procedure):
            new = replace(item, body=extender.block(item.body))
        elif isinstance(item, ast.OptionGroup):
            new = replace(item, options=extender.options(item.options))
        if new != item:
            what = f"{_called(*key)}, where the decision `{extension.name.text}` is taken"
            _touch(source, name, f"{key[0]} {key[1]}", extension.name.span, report, what)
            source.items[key] = new
    if extension.name.text not in extender.known:
        hint = did_you_mean(extension.name.text, extender.known)
        if extension.name.text in extender.drawn:
            hint = "a `roll` or a `choose` has one option: put a `chance` or a `decide` in its place"
        report.error("RS509", f"there is no decision `{extension.name.text}`", extension.name.span, help=hint)


def _signature(rule: ast.Item) -> list[tuple[str, str]]:
    types = [p.type for p in rule.params] if isinstance(rule, ast.Def | ast.Procedure) else []
    types += [rule.result] if isinstance(rule, ast.Def) else []
    return [(t.form, t.name.text) for t in types]


def _drop_originals(source: Source, key: tuple[str, str]) -> None:
    """Removes the rules that a rule wraps, when it is itself removed or replaced."""
    inner = source.originals.pop(key, None)
    while inner is not None:
        del source.items[key[0], inner]
        inner = source.originals.pop((key[0], inner), None)


def _no_rule(source: Source, kind: str, name: ast.Name, report: Report) -> None:
    hint, notes = nearest(name.text, {n: item.name.span for (k, n), item in source.items.items() if k == kind})
    report.error("RS509", f"there is no {kind} `{name.text}`", name.span, notes=notes, help=hint)
