"""The board of a game over time: static items, and the items that each move changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import is_not
from typing import Any

from rulespec.drawing.scene import LAYERS, SceneItem, document
from rulespec.drawing.svg import element, group


class BoardChanges:
    """A collector for the items in a game's pictures, position by position.

    Args:
        static: the items common to all positions.
    """

    def __init__(self, static: Iterable[SceneItem]) -> None:
        self._static = tuple(static)
        self._order: dict[str, list[str]] = {layer: [] for layer in LAYERS}
        self._rank: dict[tuple[str, str], int] = {}  # by the order in its layer
        self._shown: dict[tuple[str, str], str] = {}
        self._items: list[SceneItem] = []  # those of the last position
        self._changes: list[dict[tuple[str, str], str | None]] = []

    def note(self, items: Iterable[SceneItem]) -> None:
        """Records the next position: its items and their places.

        The comparison skips leading and trailing items that are the same objects as in the previous position.
        """
        items = list(items)
        if len(self._shown) == len(self._items) and self._note_between(items):
            self._items = items
            return
        shown = {(item.layer, item.id): None for item in self._items}
        self._items = items
        now: dict[tuple[str, str], str] = {}
        before = dict.fromkeys(LAYERS, -1)
        for item in items:
            key = item.layer, item.id
            now[key] = item.svg
            if key not in self._rank:  # above the items that are below it in this position
                order = self._order[item.layer]
                order.insert(before[item.layer] + 1, item.id)
                self._rank |= {(item.layer, id_): rank for rank, id_ in enumerate(order)}
            before[item.layer] = self._rank[key]
        gone: dict[tuple[str, str], str | None] = {key: None for key in shown if key not in now}
        self._changes.append(gone | {key: svg for key, svg in now.items() if self._shown.get(key) != svg})
        self._shown = now

    def _note_between(self, items: Sequence[SceneItem]) -> bool:
        """Records a position by the range that differs from the last; False if it needs a full comparison."""
        last = self._items
        first = next(compress(count(), map(is_not, last, items)), min(len(last), len(items)))
        rest = min(len(last), len(items)) - first
        end = next(compress(count(), map(is_not, reversed(last), reversed(items))), rest)
        end = min(end, rest)
        old = {(item.layer, item.id): item.svg for item in last[first : len(last) - end]}
        new = {(item.layer, item.id): item.svg for item in items[first : len(items) - end]}
        if len(new) < len(items) - end - first or any(key not in old and key in self._shown for key in new):
            return False  # a duplicate item
        if not self._rank.keys() >= new.keys():
            return False
        gone: dict[tuple[str, str], str | None] = {key: None for key in old if key not in new}
        self._changes.append(gone | {key: svg for key, svg in new.items() if old.get(key) != svg})
        for key in gone:
            del self._shown[key]
        self._shown |= new
        return True

    def svg(self, width: float, height: float, title: str, description: str) -> str:
        """The static picture, with an empty group for each changing item, in order."""
        layers = []
        for layer in LAYERS:
            static = "".join(item.svg for item in self._static if item.layer == layer)
            places = "".join(element("g", data_item=id_) for id_ in self._order[layer])
            layers += [group([inner], class_=layer) for inner in (static, places) if inner]
        return document(width, height, title, description, "".join(layers))

    def to_json(self) -> dict[str, Any]:
        """The distinct drawings, and the changes at each position as pairs of an item and a drawing (-1 for none)."""
        numbers = {key: number for number, key in enumerate((layer, i) for layer in LAYERS for i in self._order[layer])}
        drawings: dict[str, int] = {}
        changes = [
            [
                n
                for key, svg in of.items()
                for n in (numbers[key], -1 if svg is None else drawings.setdefault(svg, len(drawings)))
            ]
            for of in self._changes
        ]
        return {"items": len(numbers), "drawings": list(drawings), "changes": changes}
