"""Which forms of the language a program contains, and in how many of the random programs each of them is.

PYTHONPATH=tests/support python -m program_forms 300
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from programs import Writer

from rulespec.diagnostics.diagnostic import Span
from rulespec.language.builtins import BUILTINS
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules

_SAID = {"op", "word", "form", "order", "modifier"}
"""Fields that tell forms of one class of nodes apart."""
_FRESH = re.compile(r"v\d+")
"""Names that a writer makes up."""
_CALLED = (ast.CallExpr, ast.TrackCall)
BUILT_IN = {*BUILTINS, "to", "at", "ahead", "steps", "space", "side"}
"""Functions that are built in, and called without being declared."""


def forms(text: str) -> set[str]:
    """The forms in a rules file: classes of nodes, with what tells them apart, and their parts that may be left out."""
    results: set[str] = set()
    for node in _nodes(parse_rules(text, "rules")):
        if isinstance(node, ast.Name | ast.Text):
            continue
        name = type(node).__name__
        words = [str(getattr(node, f)) for f in node.__struct_fields__ if f in _SAID and getattr(node, f)]
        form = " ".join([name, *words])
        results.add(form)
        for field in node.__struct_fields__:
            value = getattr(node, field)
            absent = value is None or value == () or value is False or (isinstance(value, ast.Text) and not value.text)
            if field not in _SAID and field not in ("span", "depth") and not absent:
                results.add(f"{form}: {field}")
            if field == "by" and isinstance(value, ast.AnyOf):
                results.add(f"{name}: by any of")
        if isinstance(node, _CALLED) and node.name.text in BUILT_IN:
            results.add(f"{name} {node.name.text}")
        if isinstance(node, ast.Attribute) and node.name.text in ATTRIBUTES:
            results.add(f"Attribute {node.name.text}")
        if isinstance(node, ast.Index) and isinstance(node.target, ast.Ref):
            fresh = _FRESH.fullmatch(node.target.name)  # a table of a procedure
            results.add("Index of a table" if fresh else f"Index {node.target.name}")
        if isinstance(node, ast.Ref) and node.name in NAMES:
            results.add(f"Ref {node.name}")
    return results


ATTRIBUTES = {
    *("place", "players", "ends", "source", "target", "index", "row", "column", "number"),
    *("worn", "miles", "stall", "last", "open", "size", "cash", "mark", "share", "home", "camp", "height", "dues"),
    *("player", "good", "near", "twin", "tax", "road", "inn", "load", "shelf"),
}
"""Attributes of entities, tokens, links, spaces and players in the world of the programs."""
NAMES = {
    *("queue", "shed", "shelf", "stall", "road", "inn", "porter", "crate", "north", "south", "size", "tilt", "mode"),
    *("open", "tide", "high", "store", "town", "players"),
}
"""Names of the world: an order, places of tokens, seats, settings, optional numbers, capacities."""


def _nodes(items: tuple[ast.Item, ...]) -> Iterator[Struct]:
    stack: list[object] = list(items)
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack += node
        elif isinstance(node, Struct) and not isinstance(node, Span):
            yield node
            stack += [getattr(node, field) for field in node.__struct_fields__]


def shares(count: int, first: int = 0) -> dict[str, float]:
    """Of so many random programs, the share that has each form."""
    results: Counter[str] = Counter()
    for seed in range(first, first + count):
        results.update(forms(Writer(random.Random(seed).randrange).program()))
    return {form: number / count for form, number in sorted(results.items())}


if __name__ == "__main__":
    for form, share in sorted(shares(int(sys.argv[1])).items(), key=lambda pair: pair[1]):
        sys.stdout.write(f"{share:7.1%}  {form}\n")
