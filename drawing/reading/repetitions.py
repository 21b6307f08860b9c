"""Elements repeated by `use`, and the number of their occurrences."""

from __future__ import annotations

import re

from rulespec.drawing.reading.svg_tree import Document, Element

_MOVES = re.compile(r"transform|translate|rotate|scale")
"""Properties of a style that may move an element."""


def target_of(document: Document, element: Element) -> Element | None:
    """The element of the same drawing that a reference names, or None."""
    href = element.get("href") or element.get("xlink:href")
    return document.ids.get(href[1:]) if href.startswith("#") else None


def counted_places(document: Document) -> dict[int, int]:
    """The number of places where `use` repeats each element, by identity; a layer drawn twice counts once."""
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
