"""The layout of the state, which assigns cells to fields, accounts and piles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import TypeVar

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names, size, values
from rulespec.types import BagOf, Bool, Ent, Maybe, Num, Order, PathOf, SetOf, Type

MAX_CELLS = 200_000
NUMBERS = 1
"""The version of the numbering of cells, decisions, options and endings; in one version, equal hashes imply equal
numbers.
"""
T = TypeVar("T")
FEW = 64
"""Maximum number of possible values for which a machine may maintain, for each value, the set of its holders."""


def by_name(named: Mapping[str, T]) -> list[T]:
    """Declarations sorted by name; all numbering follows this order.

    Numbers are therefore independent of the order of files and overlays.
    """
    return [named[name] for name in sorted(named)]


class Layout:
    """The cells of fields, accounts and piles, in this order, with each group sorted by name.

    Attributes:
        field_at: the first cell of each field.
        place_at: the first cell of each place of a piece type.
        frames: private table of a procedure → scope with the variables of its frame.
    """

    def __init__(self, declarations: typed.Declarations, seats: int, program: ir.Program) -> None:
        self.d = declarations
        self.seats = seats
        self.p = program
        self.field_at: dict[typed.FieldDecl, int] = {}
        self.place_at: dict[typed.PlaceDecl, int] = {}
        self.frames: dict[typed.FieldDecl, Scope] = {}
        self._arrays: dict[tuple[int, ...], int] = {}
        self.p.sizes = {name: self.size(name) for name in declarations.kinds}
        for name in ("position", "ending", "winners"):
            self.add(ir.CellName("rules", "", name, "int"))
        self.p.start[ir.WINNERS] = -1
        for field_ in by_name(declarations.fields):
            self.field_at[field_] = self.add(ir.CellName("game", "game", field_.name, type_name(field_.type)))
        for kind in by_name(declarations.kinds):
            for field_ in by_name(kind.state):
                self.field_at[field_] = len(self.p.cells)
                self._room([kind.name])
                if kind.places and field_ is kind.state["place"]:
                    self.p.tokens[len(self.p.cells)] = len(self.p.arrays)
                    self.p.arrays.append(tuple(range(self.size(f"{kind.name}.place"))))
                elif isinstance(field_.type, Ent) and 0 < self.size(field_.type.kind) <= FEW:
                    self.p.few[len(self.p.cells)] = self._few(self.size(field_.type.kind))
                type_ = type_name(field_.type)
                for name, owner in self._owners((kind.name,)):
                    self._add(ir.CellName(kind.name, name, field_.name, type_, by_seat=owner))
        for piece in by_name(declarations.pieces):
            for place in by_name(piece.places):
                self.place_at[place] = len(self.p.cells)
                self._room([*piece.each, *([place.index] if place.index else [])])
                for pile, owner in self._owners(piece.each):
                    for index in range(self.size(place.index)) if place.index else [-1]:
                        of = pile or "-"
                        cell = ir.CellName(
                            "pieces", of, piece.name, "int", place.name, place.index, index, by_seat=owner
                        )
                        self._add(cell)

        self.p.declared = list(self._declared())

    def _declared(self) -> Iterator[int]:
        """The cells in declaration order."""
        for field_ in self.d.fields.values():
            yield self.field_at[field_]
        for kind in self.d.kinds.values():
            for field_ in kind.state.values():
                yield from range(self.field_at[field_], self.field_at[field_] + self.size(kind.name))
        for piece in self.d.pieces.values():
            for place in piece.places.values():
                number = prod(map(self.size, [*piece.each, *([place.index] if place.index else [])]))
                yield from range(self.place_at[place], self.place_at[place] + number)

    def _room(self, kinds: list[str]) -> None:
        """Checks that there is room for a cell per tuple of entities.

        Raises:
            DiagnosticsError: RS701 if the program would have more than `MAX_CELLS`.
        """
        needed = 1
        for kind in kinds:
            needed *= self.size(kind)
        if len(self.p.cells) + needed > MAX_CELLS:
            message = f"this game needs more than {MAX_CELLS:,} cells"
            help_ = "use smaller kinds: a place or field declared for a kind needs a cell for each entity"
            raise DiagnosticsError((Diagnostic("RS701", Severity.ERROR, message, None, help=help_),))

    def _few(self, size: int) -> int:
        """The number of the identity array for values below `size`; its last element maps Python's index -1 to none."""
        array = (*range(size), -1)
        if array not in self._arrays:
            self._arrays[array] = len(self.p.arrays)
            self.p.arrays.append(array)
        return self._arrays[array]

    def add(self, name: ir.CellName) -> int:
        """Adds a cell; returns its number."""
        self._room([])
        return self._add(name)

    def _add(self, name: ir.CellName) -> int:
        self.p.cells.append(name)
        self.p.start.append(0)
        return len(self.p.cells) - 1

    def size(self, kind: str) -> int:
        """The number of entities of a kind."""
        return size(self.d.kinds, kind, self.seats)

    def entities(self, e: typed.Op) -> ir.Const:
        """The number of entities of a bag's kind, for operators that take or return bags."""
        type_ = e.type if isinstance(e.type, BagOf) else e.args[0].type
        assert isinstance(type_, BagOf)
        return ir.Const(self.size(type_.kind))

    def names(self, kind: str) -> list[str]:
        """The names of the entities of a kind; seats appear by number."""
        return list(entity_names(self.d.kinds, kind, [str(i) for i in range(self.seats)]))

    def titles(self, kind: str) -> list[str]:
        """The names of the entities of a kind for messages, where a bare seat number would be unclear."""
        return list(entity_names(self.d.kinds, kind, [f"{self.d.player_kind} {i + 1}" for i in range(self.seats)]))

    def values(self, kind: str, fact: typed.FactDecl) -> tuple[int, ...]:
        """The values of a fact, one for each entity of a kind."""
        return values(self.d.kinds, kind, fact, self.seats)

    def _owners(self, kinds: tuple[str, ...]) -> Iterator[tuple[str, ir.Owner]]:
        """The name of each tuple of entities, with its kinds and numbers if the name depends on the seats."""
        if not any(self.d.kinds[kind].by_seat for kind in kinds):
            yield from ((".".join(names), ()) for names in product(*map(self.names, kinds)))
            return
        for result in product(*(enumerate(self.names(kind)) for kind in kinds)):
            yield ".".join(name for _, name in result), tuple([(k, i) for k, (i, _) in zip(kinds, result, strict=True)])

    def strides(self, kinds: list[str]) -> list[int]:
        """The strides of an array over tuples of entities, one per index, in cells."""
        strides = [1] * len(kinds)
        for i in range(len(kinds) - 2, -1, -1):
            strides[i] = strides[i + 1] * self.size(kinds[i + 1])
        return strides


def param_type(type_: Type) -> str:
    """The name of a parameter type in the form of `ir.Param`, in which optional types end in `?`."""
    return f"{type_.kind}?" if isinstance(type_, Ent) and type_.optional else type_name(type_)


def type_name(type_: Type) -> str:
    """The name of a type in the form of `ir.Shown`, `ir.Param` and `ir.CellName`."""
    if isinstance(type_, Bool):
        return "bool"
    if isinstance(type_, Num | Maybe):
        return "int" if isinstance(type_, Num) else "int?"
    if isinstance(type_, SetOf):
        return f"set {type_.kind}"
    if isinstance(type_, Order):
        return f"order {type_.kind}"
    if isinstance(type_, BagOf):
        return f"bag {type_.kind}"
    if isinstance(type_, PathOf):
        return f"path {type_.kind}"
    assert isinstance(type_, Ent)
    return type_.kind
