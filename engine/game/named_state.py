"""The visible part of a game's state, with names."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import counted
from rulespec.engine.program import ir


def named_state(
    program: ir.Program, labels: Labels, state: Sequence[int], unseen: Container[int], *, null: bool
) -> dict[str, Any]:
    """Entities (kind → id → field → value) and pieces (type → owner → place → count); empty piles are left out.

    Args:
        program: the meaning of the cells.
        labels: the names that are shown.
        state: the cells.
        unseen: the cells that are not shown.
        null: whether fields that are not shown are null, or left out.
    """
    entities: dict[str, dict[str, dict[str, Any]]] = {}
    pieces: dict[str, dict[str, dict[str, int]]] = {}
    for at in program.declared:
        cell, value = program.cells[at], state[at]
        if cell.group == "pieces":
            if value and at not in unseen:
                pieces.setdefault(cell.name, {}).setdefault(owner_of(labels, cell), {})[place_of(labels, cell)] = value
            continue
        fields = entities.setdefault(cell.group, {}).setdefault(owner_of(labels, cell), {})
        if at not in unseen:
            fields[cell.name] = labels.plain(cell.type, value)
        elif null:
            fields[cell.name] = None
    return {"entities": entities, "pieces": pieces}


def counts(program: ir.Program, labels: Labels, state: Sequence[int]) -> dict[str, int]:
    """The public counts of private things, by their names."""
    results: dict[str, int] = {}
    for one in counted(program, state):
        cell = program.cells[one.first]
        if one.place >= 0:
            results[f"{cell.group}.{labels.plain(cell.type, one.place)}"] = one.number
        else:
            results[path(labels, cell, one.secret)] = one.number
    return results


def path(labels: Labels, cell: ir.CellName, secret: ir.Secret) -> str:
    """The name of something private, for people: `cash` of the game, `player.bob.cash`, `hold.hand[bob]`."""
    if cell.group == "game":
        return cell.name
    if cell.group != "pieces":
        return f"{cell.group}.{owner_of(labels, cell)}.{cell.name}"
    owners = [labels.show(kind, n) for i, (kind, n) in enumerate(cell.by_seat) if i not in secret.alike]
    return ".".join([cell.name, *owners, place_of(labels, cell)])


def owner_of(labels: Labels, cell: ir.CellName) -> str:
    """The owner of a cell, by its names."""
    return ".".join([labels.show(kind, number) for kind, number in cell.by_seat]) or cell.owner


def place_of(labels: Labels, cell: ir.CellName) -> str:
    """The place of the pieces in a cell, with its index."""
    return f"{cell.place}[{labels.names[cell.index_kind][cell.index]}]" if cell.index_kind else cell.place
