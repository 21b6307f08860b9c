"""The visible content of a position from a seat's view: piles, tokens and fields by entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names
from rulespec.types import Ent

Entity = tuple[str, int]
"""An entity as its kind and its index in that kind."""


class Pile(Brief, Struct, frozen=True):
    """A pile: the pieces of one type and owner in one place.

    Attributes:
        owners: the owning entities.
        index: the number of the entity that indexes the place, or -1.
        token: the name of the token, if the pile is a token.
        fields: the token's fields.
        unseen: whether only the number of pieces is public, while their identity, and usually their owner, is hidden.
    """

    type: str
    owners: tuple[Entity, ...]
    place: str
    index: int
    count: int
    token: str = ""
    fields: dict[str, Any] = {}
    unseen: bool = False


class Unseen(Struct, frozen=True):
    """A hidden order whose length is public."""

    length: int


class ShownState(Brief, Struct, frozen=True):
    """The visible content of a position.

    Attributes:
        fields: fields of entities: (kind, field) → number → value.
        piles: groups of piles of one type; an unchanged group is the same object as in the previous position.
        lengths: the public lengths of hidden orders, like `fields`.
    """

    fields: dict[tuple[str, str], dict[int, Any]]
    piles: list[list[Pile]]
    lengths: dict[tuple[str, str], dict[int, int]] = {}

    def held(self, field: typed.FieldDecl, number: int) -> Any:
        """The value of an entity's field; `Unseen` or `...` if it is hidden."""
        value = self.value(field, number)
        length = self.lengths.get((field.kind, field.name), {}).get(number) if value is ... else None
        return value if length is None else Unseen(length)

    def is_hidden(self, field: typed.FieldDecl, number: int) -> bool:
        """Whether the value of an entity's field is hidden."""
        return self.value(field, number) is ...

    def value(self, field: typed.FieldDecl, number: int) -> Any:
        """The value of an entity's field; `...` if it is hidden."""
        hidden = ... if field.private is not None else None
        return self.fields.get((field.kind, field.name), {}).get(number, hidden)


class Names:
    """The names and numbers of the entities at a table."""

    def __init__(self, d: typed.Declarations, seats: Sequence[str]) -> None:
        self.d = d
        self.seats = tuple(seats)
        self._names: dict[str, tuple[str, ...]] = {}
        self._numbers: dict[str, dict[str, int]] = {}
        self._parts: dict[Entity, tuple[Entity, ...]] = {}
        self._owners: dict[str, dict[str, tuple[Entity, ...]]] = {}
        self._piles: dict[tuple[str, str], tuple[dict[str, int], list[Pile]]] = {}
        self._entities: dict[str, tuple[dict[str, dict[str, Any]], ShownState]] = {}
        self._counted: dict[str, Pile | None] = {}
        self._unseen: list[Pile] = []

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of the entities of a kind."""
        if kind not in self._names:
            self._names[kind] = entity_names(self.d.kinds, kind, self.seats)
        return self._names[kind]

    def number(self, kind: str, name: Any) -> int:
        """The number of an entity; -1 if it does not exist."""
        if kind not in self._numbers:
            self._numbers[kind] = {n: i for i, n in enumerate(self.names(kind))}
        return self._numbers[kind].get(name, -1)

    def parts(self, kind: str, number: int) -> tuple[Entity, ...]:
        """The components of an entity, or the entity itself if it has none."""
        if (kind, number) not in self._parts:
            results, rest = [], number
            for part in reversed(self.d.kinds[kind].product):
                count = len(self.names(part))
                results.append((part, rest % count))
                rest //= count
            self._parts[kind, number] = tuple(reversed(results)) or ((kind, number),)
        return self._parts[kind, number]

    def token_owners(self, kind: str, number: int) -> tuple[Entity, ...]:
        """The owners of a token, which are its components."""
        return tuple(part for part in self.parts(kind, number) if "." not in part[0] and part[0] != kind)

    def owners(self, pile: str, text: str) -> tuple[Entity, ...]:
        """The owners of pieces, from their dotted names."""
        if pile not in self._owners:
            each = self.d.pieces[pile].each
            numbered = [list(enumerate(self.names(kind))) for kind in each]
            self._owners[pile] = {
                ".".join(name for _, name in group): tuple((k, i) for k, (i, _) in zip(each, group, strict=True))
                for group in product(*numbered)
            }
        return self._owners[pile].get(text, ())

    def read(self, state: dict[str, Any]) -> ShownState:
        """The content of a state in the format of `state_json` and views; unchanged parts are reused from the previous
        call.
        """
        piles: list[list[Pile]] = []
        for name, of in state["pieces"].items():
            for owner, at in of.items():
                last = self._piles.get((name, owner))
                if last is None or last[0] != at:
                    last = dict(at), [self._pile(name, owner, place, n) for place, n in at.items()]
                    self._piles[name, owner] = last
                piles.append(last[1])
        fields: dict[tuple[str, str], dict[int, Any]] = {}
        for kind, entities in state["entities"].items():
            known = self._entities.get(kind)
            if known is None or known[0] != entities:
                copy = {name: dict(values) for name, values in entities.items()}
                known = self._entities[kind] = copy, self._read(kind, entities)
            piles += known[1].piles
            fields |= known[1].fields
        if unseen := list(self._hidden(state.get("counts", {}), piles)):
            if unseen != self._unseen:
                self._unseen = unseen
            piles.append(self._unseen)
        return ShownState(fields, piles, self._lengths(state.get("counts", {})))

    def _lengths(self, counts: dict[str, int]) -> dict[tuple[str, str], dict[int, int]]:
        """The public lengths of private orders, such as `deck` or `heap.left.cards`."""
        results: dict[tuple[str, str], dict[int, int]] = {}
        for name, count in counts.items():
            *owner, field = name.split(".")
            kind = owner[0] if owner else ""
            if "[" not in name and field in (self.d.kinds[kind].state if kind in self.d.kinds else self.d.fields):
                number = self.number(kind, "_".join(owner[1:])) if kind else 0
                results.setdefault((kind, field), {})[number] = count
        return results

    def _hidden(self, counts: dict[str, int], piles: list[list[Pile]]) -> Iterator[Pile]:
        """Piles of unseen pieces: the public counts of private places, less the pieces visible there."""
        for name, count in counts.items():
            if name not in self._counted:
                self._counted[name] = self._place_of(name)
            if count and (at := self._counted[name]) is not None:
                where, whose = (at.type, at.place, at.index), set(at.owners)
                alike = (of for group in piles if group and group[0].type == at.type for of in group)
                open_ = (of for of in alike if (of.type, of.place, of.index) == where and whose <= set(of.owners))
                if (rest := count - sum(of.count for of in open_)) > 0:
                    yield replace(at, count=rest)

    def _place_of(self, name: str) -> Pile | None:
        """The private place behind a public count, such as `card.hand[Ann]`, as a pile; None for a field."""
        path, _, index = name.partition("[")
        if "." not in path:
            return None
        type_, *owners, place = path.split(".")
        decl = self.d.pieces.get(type_) or self.d.kinds.get(type_)
        if decl is None or place not in decl.places:
            return None
        each, whose = list(decl.each if isinstance(decl, typed.PieceDecl) else ()), list[Entity]()
        for owner in owners:
            kind = next((kind for kind in each if self.number(kind, owner) >= 0), "")
            if not kind:
                return None
            each = each[each.index(kind) + 1 :]
            whose.append((kind, self.number(kind, owner)))
        of = decl.places[place].index
        return Pile(type_, tuple(whose), place, self.number(of, index[:-1]) if of else -1, 0, unseen=True)

    def _read(self, kind: str, entities: dict[str, dict[str, Any]]) -> ShownState:
        """The fields of a kind's entities, and the piles among them."""
        tokens = kind in self.d.kinds and bool(self.d.kinds[kind].places)
        read, of_kind = ShownState({}, []), list[Pile]()
        for name, values in entities.items():
            number = self.number(kind, name) if kind != "game" else 0
            if tokens:
                of_kind += self._token(kind, name, number, values)
            for field, value in values.items():
                read.fields.setdefault(("" if kind == "game" else kind, field), {})[number] = value
        if of_kind:
            read.piles.append(of_kind)
        return read

    def _pile(self, name: str, owner: str, place: str, count: int) -> Pile:
        at, _, index = place.partition("[")
        kind = self.d.pieces[name].places[at].index
        return Pile(name, self.owners(name, owner), at, self.number(kind, index[:-1]) if kind else -1, count)

    def _token(self, kind: str, name: str, number: int, values: dict[str, Any]) -> list[Pile]:
        place = values.get("place")
        if not isinstance(place, str):  # hidden
            return []
        at, _, index = place.partition("[")
        decl = self.d.kinds[kind]
        into = decl.places[at].index if at in decl.places else ""
        rest = {k: v for k, v in values.items() if k != "place"}
        return [
            Pile(
                kind, self.token_owners(kind, number), at, self.number(into, index[:-1]) if into else -1, 1, name, rest
            )
        ]

    def entity(self, type_: object, value: Any) -> Entity | None:
        """The entity that a field names; None if it names none."""
        if isinstance(type_, Ent) and isinstance(value, str):
            number = self.number(type_.kind, value)
            return (type_.kind, number) if number >= 0 else None
        return None
