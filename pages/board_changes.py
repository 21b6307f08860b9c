"""The board of a game over time: static items, and the items that each move changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, count
from operator import is_not
from typing import Any

from rulespec.drawing.scene import LAYERS, SceneItem, document
from rulespec.drawing.svg import element, group

_Home = tuple[str, str]
"""The panel and the layer of an item."""


def _key(item: SceneItem) -> tuple[_Home, str]:
    """The identity of an item among all positions."""
    return (item.panel, item.layer), item.id


class BoardChanges:
    """A collector for the items in a game's pictures, position by position.

    Args:
        static: the items common to all positions.
        panels: the ids of the separate pictures, in the order of the page.
    """

    def __init__(self, static: Iterable[SceneItem], panels: Sequence[str] = ()) -> None:
        self._static = tuple(static)
        self._order: dict[_Home, list[str]] = {(panel, layer): [] for panel in ("", *panels) for layer in LAYERS}
        self._rank: dict[tuple[_Home, str], int] = {}  # by the order in its layer
        self._shown: dict[tuple[_Home, str], str] = {}
        self._items: list[SceneItem] = []  # those of the last position
        self._changes: list[dict[tuple[_Home, str], str | None]] = []

    def note(self, items: Iterable[SceneItem]) -> None:
        """Records the next position: its items and their places.

        The comparison skips leading and trailing items that are the same objects as in the previous position.
        """
        items = list(items)
        if len(self._shown) == len(self._items) and self._note_between(items):
            self._items = items
            return
        shown = dict.fromkeys(map(_key, self._items))
        self._items = items
        now: dict[tuple[_Home, str], str] = {}
        before = dict.fromkeys(self._order, -1)
        for item in items:
            key = home, _ = _key(item)
            now[key] = item.svg
            if key not in self._rank:  # above the items that are below it in this position
                order = self._order[home]
                order.insert(before[home] + 1, item.id)
                self._rank |= {(home, id_): rank for rank, id_ in enumerate(order)}
            before[home] = self._rank[key]
        gone: dict[tuple[_Home, str], str | None] = {key: None for key in shown if key not in now}
        self._changes.append(gone | {key: svg for key, svg in now.items() if self._shown.get(key) != svg})
        self._shown = now

    def _note_between(self, items: Sequence[SceneItem]) -> bool:
        """Records a position by the range that differs from the last; False if it needs a full comparison."""
        last = self._items
        first = next(compress(count(), map(is_not, last, items)), min(len(last), len(items)))
        rest = min(len(last), len(items)) - first
        end = next(compress(count(), map(is_not, reversed(last), reversed(items))), rest)
        end = min(end, rest)
        old = {_key(item): item.svg for item in last[first : len(last) - end]}
        new = {_key(item): item.svg for item in items[first : len(items) - end]}
        if len(new) < len(items) - end - first or any(key not in old and key in self._shown for key in new):
            return False  # a duplicate item
        if not self._rank.keys() >= new.keys():
            return False
        gone: dict[tuple[_Home, str], str | None] = {key: None for key in old if key not in new}
        self._changes.append(gone | {key: svg for key, svg in new.items() if old.get(key) != svg})
        for key in gone:
            del self._shown[key]
        self._shown |= new
        return True

    def svg(self, width: float, height: float, title: str, description: str) -> str:
        """The static picture, with an empty group for each changing item, in order."""
        return document(width, height, title, description, self.layers("", self._static))

    def layers(self, panel: str, static: Iterable[SceneItem]) -> str:
        """The contents of a picture: static items, and an empty group for each item that changes in it."""
        layers, items = [], tuple(static)
        for layer in LAYERS:
            under = "".join(item.svg for item in items if item.layer == layer)
            places = "".join(element("g", data_item=id_) for id_ in self._order[panel, layer])
            layers += [group([inner], class_=layer) for inner in (under, places) if inner]
        return "".join(layers)

    def to_json(self) -> dict[str, Any]:
        """The distinct drawings, and the changes at each position as pairs of an item and a drawing (-1 for none)."""
        numbers = {key: number for number, key in enumerate((home, i) for home, of in self._order.items() for i in of)}
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
