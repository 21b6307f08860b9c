"""Elements that `use` repeats, and the number of places at which it does."""

from __future__ import annotations

import re

from rulespec.drawing.reading.svg_tree import Document, Element

_MOVES = re.compile(r"transform|translate|rotate|scale")
"""A style that may say where an element is."""


def target_of(document: Document, element: Element) -> Element | None:
    """The element of the same drawing that another one refers to; None if there is none."""
    href = element.get("href") or element.get("xlink:href")
    return document.ids.get(href[1:]) if href.startswith("#") else None


def counted_places(document: Document) -> dict[int, int]:
    """The number of places at which `use` repeats each element, by identity: a layer drawn twice has one."""
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
