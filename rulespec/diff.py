"""Differences between two rulesets, as records: facts by path, rules by kind and name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence, get, text
from rulespec.load import Merged
from rulespec.overlays.written import item_lines
from rulespec.rule_ids import cited
from rulespec.syntax import ast

Kind = Literal["changed", "added", "removed", "wrapped"]

SECTIONS = {
    "game": ("game",),
    "kinds": ("kinds", "state", "accounts", "pieces", "capacities"),
    "map": ("map",),
    "boards": ("boards",),
    "tracks": ("tracks",),
    "tables": ("constants", "tables"),
    "setup": ("setup",),
}
"""The keys of the merged tree in each section of the differences."""

RULES = "rules"
"""The section of the rules, after all others."""

ORDER = "(order)"
"""The last key in the path of a difference that concerns the order of members; both sides then list all members."""

COLLECTIONS = {"kinds": (2, "entities"), "map": (1, "regions"), "tracks": (2, "spaces"), "tables": (2, "rows")}
"""For each section with collections: the position of the collection's key in a path, and that key."""

# Keys of game.yaml that identify the ruleset.
_OWN = {"id", "title", "version", "needs", "extends", "replaces", "overlays"}
_ORDERED_LISTS = {"ends", "key", "each", "product", "columns", "rows"}
"""Keys of lists whose order matters, as does the order of lists of numbers. All other lists are sets."""
_NAMES = {  # their keys are names of the ruleset, where `doc` is a name like any other
    *("kinds", "boards", "tracks", "tables", "constants", "settings", "entities", "spaces", "regions", "rows"),
    *("facts", "links", "of", "directions", "state", "accounts", "pieces", "places", "capacities"),
}
_EMPTY = Mapping({}, Span("", 1, 1, 1, 1))
_COMMENT = re.compile(r"\s+#\s*(.*\S)")


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two rulesets.

    Attributes:
        kind: the type of change; `wrapped` only for rules.
        section: one of `SECTIONS`, or `RULES`.
        keys: the path of a fact, key by key; for a rule, its kind and name.
        old: a fact as plain data, without human-readable texts; for a rule, its text without comments or docstrings;
            None if it was added.
        new: the same for the second ruleset; for a wrapped rule, the text around the old one; None if it was removed.
        note: the comment beside the new fact, or the fact's `doc`; the docstring of a rule.
    """

    kind: Kind
    section: str
    keys: tuple[str, ...]
    old: Any
    new: Any
    note: str = ""

    @property
    def path(self) -> str:
        """The path of a fact in overlay notation; for a rule, its kind and name."""
        return (" " if self.section == RULES else ".").join(k for k in self.keys if k)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rule ids cited in the note, then those cited only in a rule's new text, without repetition."""
        result = cited(self.note)
        if self.section == RULES and self.kind != "removed":
            before = cited(self.old or "")
            result += tuple(name for name in cited(self.new) if name not in before)
        return tuple(dict.fromkeys(result))

    def to_json(self) -> dict[str, Any]:
        """The difference as plain data, described by the schema `diff`."""
        where = "rule" if self.section == RULES else "path"
        return {
            "kind": self.kind,
            "section": self.section,
            where: self.path,
            "old": self.old,
            "new": self.new,
            "note": self.note,
            "rules": list(self.rules),
        }


def diff(a: Merged, b: Merged) -> list[Difference]:
    """The differences between two rulesets: facts in the order of `SECTIONS` and of the files, then rules.

    Moved text does not count as a difference, nor do changes to `doc`, `position`, comments and docstrings.
    """
    results: list[Difference] = []
    for section, keys in SECTIONS.items():
        compare = _Facts(section, a, b)
        for key in keys:
            results += compare.nodes((key,), get(a.source.root, key), get(b.source.root, key))
    return results + list(_rules(a, b))


def collection(section: str, keys: tuple[str, ...]) -> tuple[str, ...] | None:
    """The path of the collection (such as all entities of a kind) that contains a path; None if there is none."""
    at, word = COLLECTIONS.get(section, (0, ""))
    return keys[: at + 1] if keys[at : at + 1] == (word,) else None


# --- facts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Facts:
    section: str
    a: Merged
    b: Merged

    def nodes(self, keys: tuple[str, ...], old: Node | None, new: Node | None) -> Iterator[Difference]:
        """The differences at a path; a single one if the path exists on one side only."""
        if old is None and new is None:
            return
        if _holds_sections(keys):
            old, new = old or _EMPTY, new or _EMPTY
        if old is None or new is None:
            kind: Kind = "added" if old is None else "removed"
            yield Difference(
                kind, self.section, keys, _plain(old, keys[-1]), _plain(new, keys[-1]), self._note(keys, old, new)
            )
            return
        if _is_mapping(old) and _is_mapping(new):
            before, after = _entries(old, keys), _entries(new, keys)
            for key in [*before, *(k for k in after if k not in before)]:
                yield from self.nodes((*keys, key), before.get(key), after.get(key))
            if collection(self.section, keys) == keys and self.section != "tables":
                yield from self._order(keys, before, after)
        elif not _same(keys[-1], old, new):
            yield Difference(
                "changed", self.section, keys, _plain(old, keys[-1]), _plain(new, keys[-1]), self._note(keys, old, new)
            )

    def _order(self, keys: tuple[str, ...], before: dict[str, Node], after: dict[str, Node]) -> Iterator[Difference]:
        """A difference if existing members are reordered, or new ones precede old ones: the order of a kind matters."""
        expected = [*(k for k in before if k in after), *(k for k in after if k not in before)]
        if list(after) != expected:
            yield Difference("changed", self.section, (*keys, ORDER), list(before), list(after))

    def _note(self, keys: tuple[str, ...], old: Node | None, new: Node | None) -> str:
        """The comment beside the new fact or beside the removal of the old one; otherwise the fact's `doc`."""
        if new is not None:
            said = text(get(new, "doc")) or _comment(new.span, self.b)
        else:
            place = self.b.source.removed.get(".".join(keys))
            said = _comment(place, self.b) if place is not None else ""
            said = said or text(get(old, "doc"))
        return " ".join(said.split())


def _holds_sections(keys: tuple[str, ...]) -> bool:
    """Whether entries at this path are reported separately even if the other side has none."""
    return len(keys) == 1 or keys == ("game", "settings") or (keys[0] == "setup" and len(keys) == 2)


def _is_mapping(node: Node) -> bool:
    return isinstance(node, Mapping) or (isinstance(node, Scalar) and node.value is None)


def _entries(node: Node, keys: tuple[str, ...]) -> dict[str, Node]:
    if not isinstance(node, Mapping):
        return {}
    own = _OWN if keys == ("game",) else set()
    return {k: v for k, (_, v) in node.entries.items() if k not in own and not _for_people(keys[-1], k, v)}


def _for_people(parent: str, key: str, value: Node) -> bool:
    """Whether an entry is irrelevant to play: a `doc`, the `position` on a drawing, or the `checks` of facts."""
    if parent in _NAMES:
        return False
    return isinstance(value, {"doc": Scalar, "position": Sequence, "checks": Mapping}.get(key, ()))


def _same(key: str, old: Node, new: Node) -> bool:
    if isinstance(old, Sequence) and isinstance(new, Sequence):
        one, other = _plain(old), _plain(new)
        ordered = key in _ORDERED_LISTS or any(isinstance(item, int) for item in one)
        return bool(one == other if ordered else sorted(map(str, one)) == sorted(map(str, other)))
    if isinstance(old, Scalar) and isinstance(new, Scalar):
        return old.text.split() == new.text.split()
    return False


def _plain(node: Node | None, key: str = "") -> Any:
    """A fact as plain data, without texts for people; `key` is the fact's key."""
    if isinstance(node, Mapping):
        return {k: _plain(v, k) for k, (_, v) in node.entries.items() if not _for_people(key, k, v)}
    if isinstance(node, Sequence):
        return [_plain(item) for item in node.items]
    if isinstance(node, Scalar):
        return " ".join(node.value.split()) if isinstance(node.value, str) else node.value
    return None


def _comment(span: Span, merged: Merged) -> str:
    """The comment after a single-line value; a comment after a longer value belongs to the value's last part."""
    lines = merged.texts.get(span.file, "").split("\n")
    if span.line != span.end_line or span.line > len(lines):
        return ""
    result = _COMMENT.fullmatch(lines[span.line - 1][span.end_column - 1 :])
    return result[1] if result else ""


# --- rules ----------------------------------------------------------------------------------------------------------


def _rules(a: Merged, b: Merged) -> Iterator[Difference]:
    """The differences between rules: rules of `a` in file order, then those found only in `b`."""
    old, new = _chains(a), _chains(b)
    for key in [*old, *(k for k in new if k not in old)]:
        before, after = old.get(key, ()), new.get(key, ())
        shapes = [_shape(item) for item in before], [_shape(item) for item in after]
        if shapes[0] == shapes[1]:
            continue
        texts: list[str | None] = [_text(before, a) or None, _text(after, b) or None]
        kind: Kind = "changed" if before and after else "added" if after else "removed"
        if before and len(after) > len(before) and shapes[1][: len(before)] == shapes[0]:
            kind = "wrapped"
            texts[1] = _text(after[len(before) :], b)
        note = (after or before)[-1].doc.text
        yield Difference(kind, RULES, key, texts[0], texts[1], note)


def _chains(merged: Merged) -> dict[tuple[str, str], tuple[ast.Item, ...]]:
    """Each rule with the rules that it wraps, innermost first."""
    source = merged.source
    inner = {(kind, name) for (kind, _), name in source.originals.items()}
    results: dict[tuple[str, str], tuple[ast.Item, ...]] = {}
    for key, item in source.items.items():
        if key in inner:
            continue
        chain, at = [item], key
        while at in source.originals:
            at = (at[0], source.originals[at])
            chain.insert(0, source.items[at])
        results[key] = tuple(chain)
    return results


def _shape(node: object) -> object:
    """The content of a rule, ignoring spans, docstrings and the word `replace`."""
    if isinstance(node, tuple):
        return tuple([_shape(part) for part in node if not isinstance(part, ast.Remark)])
    if isinstance(node, Struct):
        parts = [getattr(node, name) for name in node.__struct_fields__ if name not in ("span", "doc", "modifier")]
        return (type(node).__name__, *[_shape(part) for part in parts])
    return node


def _text(items: tuple[ast.Item, ...], merged: Merged) -> str:
    """The text of rules without comments, docstrings and the word `replace`."""
    return "\n".join(line for item in items for line in item_lines(item, merged.source))
