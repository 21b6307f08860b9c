"""A game state as text: tables of entities, piles of pieces, and what has changed between two states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cli.output import table

State = dict[str, Any]
_WIDTH = 100


def shown(value: Any) -> str:
    """A value for people: `–` for none and nothing, names of a set with commas between them."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def state_lines(state: State) -> Iterator[str]:
    """The state, compactly: what is empty is left out."""
    for kind, entities in state["entities"].items():
        lines = list(_global(entities) if kind == "game" else _kind(kind, entities))
        if lines:
            yield from lines
            yield ""
    for piece, piles in state["pieces"].items():
        yield piece
        rows = []
        for owner, places in piles.items():
            texts = (place if count == 1 else f"{place} {count}" for place, count in places.items())
            rows.append((owner, texts))
        width = max((len(owner) for owner, _ in rows), default=0)
        for owner, texts in rows:
            head = f"  {owner.ljust(width)}  " if width else "  "
            yield from _wrapped(head, texts)
        yield ""


def _wrapped(head: str, texts: Iterator[str]) -> Iterator[str]:
    line, first = head, True
    for text in texts:
        if not first and len(line) + len(text) + 3 > _WIDTH:
            yield line + " ·"
            line, first = " " * len(head), True
        line += text if first else f" · {text}"
        first = False
    yield line.rstrip()


def _global(entities: dict[str, dict[str, Any]]) -> Iterator[str]:
    for fields in entities.values():
        yield from table([(name, shown(value)) for name, value in fields.items() if not _empty(value)])


def _kind(kind: str, entities: dict[str, dict[str, Any]]) -> Iterator[str]:
    names = list(next(iter(entities.values()), {}))
    # A column that says nothing of any entity, and an entity of which nothing is said, only hide the rest.
    names = [n for n in names if any(not _empty(fields.get(n)) for fields in entities.values())]
    rows = [
        [entity, *(shown(fields.get(n)) for n in names)]
        for entity, fields in entities.items()
        if any(not _empty(fields.get(n)) for n in names)
    ]
    if not rows:
        return
    numeric = [
        i for i, n in enumerate(names, 1) if all(isinstance(f.get(n), int | None) for f in entities.values())
    ]
    yield from table(rows, (kind, *names), numeric)


def _empty(value: Any) -> bool:
    return value is None or value is False or value == 0 or value == []


def changes(before: State, after: State) -> Iterator[str]:
    """What differs between two states, a line each: `nation.italy.power: 3 → 5`."""
    for kind, entities in after["entities"].items():
        for entity, fields in entities.items():
            for name, value in fields.items():
                was = before["entities"].get(kind, {}).get(entity, {}).get(name)
                if was != value:
                    path = name if kind == "game" else f"{entity} {name}"
                    yield f"{path}: {shown(was)} → {shown(value)}"
    old, new = _piles(before), _piles(after)
    for key in sorted(old.keys() | new.keys()):
        if old.get(key, 0) != new.get(key, 0):
            piece, owner, place = key
            yield f"{piece} {owner} {place}: {old.get(key, 0)} → {new.get(key, 0)}".replace("  ", " ")


def _piles(state: State) -> dict[tuple[str, str, str], int]:
    return {
        (piece, owner, place): count
        for piece, piles in state["pieces"].items()
        for owner, places in piles.items()
        for place, count in places.items()
    }
