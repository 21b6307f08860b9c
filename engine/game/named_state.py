"""The visible part of a game's state, with names."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any

from msgspec import Struct, field

from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import counted
from rulespec.engine.program import ir
from rulespec.engine.program.cells import differing
from rulespec.engine.program.taint import Count


def named_state(
    program: ir.Program, labels: Labels, state: Sequence[int], unseen: Container[int], *, null: bool
) -> dict[str, Any]:
    """The state as entities (kind → id → field → value) and pieces (type → owner → place → count), without empty piles.

    Args:
        program: the program, which gives the cells their meaning.
        labels: the displayed names.
        state: the cells.
        unseen: the hidden cells.
        null: whether hidden fields are null rather than omitted.
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


class _Owner(Struct):
    """The cells of one owner: pieces of a type, or the fields of an entity.

    Attributes:
        group: the type of the pieces, or the kind of the entity.
        name: the name of the owner.
        pieces: whether the cells hold pieces.
        first: the rank of the first non-empty cell among the declared cells.
        cells: the number, name and type of each cell.
        content: the owner's part of the named state.
    """

    group: str
    name: str
    pieces: bool
    first: int = 0
    cells: list[tuple[int, str, str]] = field(default_factory=list)
    content: dict[str, Any] = field(default_factory=dict)


class NamedStates:
    """An incremental form of `named_state` for successive, fully visible states of one table.

    Only changed cells are named again. Callers must not modify a named state, since successive ones share their
    unchanged parts.
    """

    def __init__(self, program: ir.Program, labels: Labels) -> None:
        self._labels = labels
        self._declared = program.declared
        self._ranks = {at: rank for rank, at in enumerate(program.declared)}
        self._owners: dict[tuple[bool, str, str], _Owner] = {}
        self._owner_of: dict[int, _Owner] = {}
        for at in program.declared:
            cell, pieces = program.cells[at], program.cells[at].group == "pieces"
            group, name = cell.name if pieces else cell.group, owner_of(labels, cell)
            owner = self._owners.setdefault((pieces, group, name), _Owner(group, name, pieces))
            owner.cells.append((at, place_of(labels, cell) if pieces else cell.name, cell.type))
            self._owner_of[at] = owner
        self._last: list[int] | None = None
        self._groups: dict[bool, dict[str, dict[str, dict[str, Any]]]] = {False: {}, True: {}}

    def of(self, state: Sequence[int]) -> dict[str, Any]:
        """The named state; see `named_state`."""
        now = list(state)
        changed = self._declared if self._last is None else differing(self._last, now)
        self._last = now
        owners = {id(owner): owner for at in changed if (owner := self._owner_of.get(at)) is not None}
        for owner in owners.values():
            if owner.pieces:
                standing = [(at, name) for at, name, _ in owner.cells if state[at]]
                owner.content = {name: state[at] for at, name in standing}
                owner.first = self._ranks[standing[0][0]] if standing else 0
            else:
                owner.content = {name: self._labels.plain(type_, state[at]) for at, name, type_ in owner.cells}
        if any(not owner.pieces for owner in owners.values()):
            self._groups[False] = _grouped(owner for owner in self._owners.values() if not owner.pieces)
        if any(owner.pieces for owner in owners.values()):
            self._groups[True] = _grouped(self._standing())
        return {"entities": self._groups[False], "pieces": self._groups[True]}

    def _standing(self) -> list[_Owner]:
        """The owners with pieces in any place, in the order of their first cells."""
        standing = (owner for owner in self._owners.values() if owner.pieces and owner.content)
        return sorted(standing, key=lambda owner: owner.first)


def _grouped(owners: Iterable[_Owner]) -> dict[str, dict[str, dict[str, Any]]]:
    results: dict[str, dict[str, dict[str, Any]]] = {}
    for owner in owners:
        results.setdefault(owner.group, {})[owner.name] = owner.content
    return results


def counts(program: ir.Program, labels: Labels, state: Sequence[int]) -> dict[str, int]:
    """The public counts of private pieces, tokens and orders, by name."""
    results: dict[str, int] = {}
    for one in counted(program, state):
        results[_count_name(labels, program.cells[one.first], one.secret, one.place)] = one.number
    return results


def count_path(labels: Labels, program: ir.Program, of: Count) -> str:
    """The name of a public count, as in `counts`."""
    return _count_name(labels, program.cells[of.cells[0]], of.secret, of.place)


def _count_name(labels: Labels, cell: ir.CellName, secret: ir.Secret, place: int) -> str:
    return f"{cell.group}.{labels.plain(cell.type, place)}" if place >= 0 else path(labels, cell, secret)


def path(labels: Labels, cell: ir.CellName, secret: ir.Secret) -> str:
    """The readable name of a private cell, such as `cash` (of the game), `player.bob.cash` or `hold.hand[bob]`."""
    if cell.group == "game":
        return cell.name
    if cell.group != "pieces":
        return f"{cell.group}.{owner_of(labels, cell)}.{cell.name}"
    owners = [labels.show(kind, n) for i, (kind, n) in enumerate(cell.by_seat) if i not in secret.alike]
    return ".".join([cell.name, *owners, place_of(labels, cell)])


def owner_of(labels: Labels, cell: ir.CellName) -> str:
    """The name of a cell's owner, with dots between the entities of a product."""
    return ".".join([labels.show(kind, number) for kind, number in cell.by_seat]) or cell.owner


def place_of(labels: Labels, cell: ir.CellName) -> str:
    """The place of the pieces in a cell, with its index."""
    return f"{cell.place}[{labels.names[cell.index_kind][cell.index]}]" if cell.index_kind else cell.place
