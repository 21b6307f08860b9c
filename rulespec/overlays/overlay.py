"""Unchecked rulesets with their declared disclosures, and the overlays applied to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents import yaml_nodes
from rulespec.documents.yaml_nodes import Mapping, Node, bits, get, text
from rulespec.overlays.extension import Repeated
from rulespec.records import Brief
from rulespec.syntax import ast


class Disclosure(Brief, Struct, frozen=True):
    """A deliberate disclosure: the file, a string that occurs on the disclosing line, and the reason."""

    at: str
    text: str
    reason: str
    span: Span


def listed_disclosures(node: Node | None) -> Iterator[Disclosure]:
    """The entries under `told`."""
    result = get(node, "told")
    for item in result.items if isinstance(result, yaml_nodes.Sequence) else ():
        at, line, reason = (text(get(item, key)) for key in ("at", "text", "reason"))
        yield Disclosure(at, line, reason, item.span)


Key = tuple[str, str]
"""The kind and name of a rule, such as ("procedure", "turn"); the scoring has no name."""


class Source(Brief, Struct, eq=False):
    """A ruleset before checking: one YAML tree, and the rules.

    Attributes:
        root: the tree.
        items: the rules, by kind and name.
        originals: for each wrapping rule, the name of the rule called by its `original(…)`.
        changed: the changes that overlays make within rules, sorted by overlay id.
        displaced: the rules replaced or removed by overlays.
        removed: the place of removal for each path removed by an overlay, including list members.
        layers: the number of each file's layer, ascending.
        disclosures: places in rules files that deliberately disclose private values, from `rules.yaml`.
        texts: the text of each file.
        repeated: the counter of options added by extensions; None before the first extension.
        titled: for each layer, lowest first, a folder and the relative path of its word file, without extension.
        over: maps the place of a key, or of a step in an overlay's path, to the place of the key that it overrides or
            denotes.
    """

    root: Mapping
    items: dict[Key, ast.Item] = field(default_factory=dict)
    originals: dict[Key, str] = field(default_factory=dict)
    displaced: list[Displaced] = field(default_factory=list)
    changed: list[ChangedPlace] = field(default_factory=list)
    removed: dict[str, Span] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    disclosures: list[Disclosure] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    repeated: Repeated | None = None
    titled: list[tuple[Path, str]] = field(default_factory=list)
    over: dict[Span, Span] = field(default_factory=dict)

    def lay(self, files: Iterable[str]) -> None:
        """Records files as one layer above all existing layers."""
        layer = 1 + max(self.layers.values(), default=-1)
        self.layers |= dict.fromkeys(files, layer)

    def as_it_is(self) -> Source:
        """A copy of the source for the checker, which later changes to the source do not affect."""
        return Source(self.root, dict(self.items), dict(self.originals))


class ChangedPlace(Brief, Struct, frozen=True):
    """A node of a rule that an overlay changed: the rule, the overlay, the edit, and the original node."""

    key: Key
    by: str
    edit: ast.Edit
    node: Struct


class Displaced(Brief, Struct, frozen=True):
    """A rule, or a part of one, that an overlay or an extending ruleset replaced or removed.

    Attributes:
        what: the rule in messages, such as "the procedure `turn`".
        done: "replaced", "removed" or, for a part, "changed".
        item: the syntax tree of the rule or the part.
        by: the id of the overlay, or "" for an extending ruleset.
        span: the place of the edit.
        before: the source without the reference's overlays.
    """

    what: str
    done: str
    item: Struct
    by: str
    span: Span
    before: Source


class Overlay(Brief, Struct, eq=False):
    """An overlay that is named in a reference or included by another overlay, or the rules of an extending ruleset.

    Attributes:
        id: its id; "" for an extending ruleset.
        within: the id shown in messages: the id of the including overlay in the reference, or its own.
        facts: its YAML tree.
        rules: its rules.
        files: the names of its files.
        includes: a bit mask with its own number and those of the overlays that it includes, directly or indirectly.
    """

    id: str
    within: str
    facts: Mapping
    rules: tuple[ast.Item, ...]
    files: tuple[str, ...] = ()
    includes: int = 0


def families(overlays: Sequence[Overlay]) -> list[int]:
    """For each overlay, a bit mask of the overlays that may refine its changes.

    They are the overlays that some overlay includes together with this one; the including overlay defines their order.
    """
    results = [1 << number for number in range(len(overlays))]
    for overlay in overlays:
        for number in bits(overlay.includes):
            results[number] |= overlay.includes
    return results


_KINDS: dict[type[ast.Item], str] = {
    ast.Def: "def",
    ast.Procedure: "procedure",
    ast.Guard: "guard",
    ast.Invariant: "invariant",
    ast.OptionGroup: "options",
    ast.Scoring: "scoring",
}


def key_of(item: ast.Item) -> Key:
    """The kind and name of the rule that an item declares or changes; undefined for `extend`."""
    kind = item.kind if isinstance(item, ast.Remove) else _KINDS[type(item)]
    return kind, "" if kind == "scoring" else item.name.text


_NOUNS = {"def": "definition", "options": "group of options"}


def noun_of(kind: str) -> str:
    """The word for a kind of rule in messages, such as "definition" for `def`."""
    return _NOUNS.get(kind, kind)


def called(key: Key) -> str:
    """The name of a rule in messages, such as "the procedure `turn`" or "the scoring"; wrapping does not change it."""
    kind, name = key
    return "the scoring" if kind == "scoring" else f"the {noun_of(kind)} `{name.partition(' ')[0]}`"
