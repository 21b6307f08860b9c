"""The tokens of a position by slot: pieces, markers, and the fields of places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from rulespec.drawing.cards import UNKNOWN, card, entity_of
from rulespec.drawing.colours import BACK
from rulespec.drawing.drawn_tokens import DrawnToken, card_token, marker_token, owned_token, pile_token, unseen_token
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.shown import Entity, Pile, ShownState
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Maybe, Num, Order, SetOf

Slot = tuple[str, int]
"""A slot: the kind of its board, and its number there."""
Placed = tuple[Slot, DrawnToken, Entity | None]
"""A token in its slot, and the entity for which it is the place, if any."""
PlacedFields = dict[tuple[str, ...], tuple[list[object], list[tuple[Slot, DrawnToken]]]]
"""Cached tokens of fields and markers: for each field, the values in the last position and their tokens."""
_MOST_PLACED = 10_000


class PlacedPiles:
    """A cache for the tokens of piles, since most piles do not change from one position to the next."""

    def __init__(self, sheet: Sheet, plans: Mapping[str, Plan]) -> None:
        self._sheet, self._plans = sheet, plans
        self._groups: dict[int, tuple[list[Pile], list[Placed]]] = {}  # holds the group, so its id stays valid
        self._piles: dict[tuple[object, ...], Placed | None] = {}

    def of(self, piles: list[Pile]) -> list[Placed]:
        """The tokens of those piles in a group that are drawn on a board."""
        known = self._groups.get(id(piles))
        if known is None:
            if len(self._groups) >= _MOST_PLACED:
                self._groups.clear()
            placed = map(self._placed, piles)
            known = self._groups[id(piles)] = piles, [each for each in placed if each is not None]
        return known[1]

    def _placed(self, pile: Pile) -> Placed | None:
        """The token of a pile, cached for pieces without fields."""
        if pile.token:
            return self._drawn(pile)
        key = pile.type, pile.owners, pile.place, pile.index, pile.count, pile.unseen
        if key not in self._piles:
            if len(self._piles) >= _MOST_PLACED:
                self._piles.clear()
            self._piles[key] = self._drawn(pile)
        return self._piles[key]

    def _drawn(self, pile: Pile) -> Placed | None:
        placed = _pile(self._sheet, self._plans, pile)
        if placed is None:
            return None
        slot, token = placed
        if pile.unseen:
            return slot, token, None
        if self._plans[slot[0]].manners.get(slot[1]) != "cards":
            return slot, token, None
        token = card_token(token, *card(self._sheet, pile))
        return slot, token, entity_of(self._sheet, pile) if token.entity is None else None


def standing(
    sheet: Sheet, plans: Mapping[str, Plan], shown: ShownState, before: PlacedPiles, fields: PlacedFields
) -> dict[Slot, list[DrawnToken]]:
    """The tokens on all boards; `before` caches the tokens of piles, and `fields` caches the tokens of fields."""
    results: dict[Slot, list[DrawnToken]] = {}
    held: set[Entity] = set()
    for piles in shown.piles:
        for slot, token, of in before.of(piles):
            if of is not None and of not in held:
                held.add(of)  # only the first card of an entity is its place
                token = replace(token, entity=of)
            results.setdefault(slot, []).append(token)
    for kind, name in sheet.style.markers:
        values: list[object] = [
            shown.fields.get((kind, name)),
            shown.fields.get((kind, sheet.style.orders.get((kind, name), ""))),
        ]
        key: tuple[str, ...] = (kind, name)
        if key not in fields or fields[key][0] != values:
            fields[key] = values, list(_markers(sheet, plans, kind, name, shown))
        for slot, token in fields[key][1]:
            results.setdefault(slot, []).append(token)
    for kind, plan in plans.items():
        values = [shown.fields.get((kind, name)) for name in sheet.style.boards[kind].fields]
        key = (kind,)
        if key not in fields or fields[key][0] != values:
            fields[key] = values, list(_fields(sheet, kind, plan, shown))
        for slot, token in fields[key][1]:
            results.setdefault(slot, []).append(token)
    return results


def _pile(sheet: Sheet, plans: Mapping[str, Plan], pile: Pile) -> tuple[Slot, DrawnToken] | None:
    """The token of a pile, and its slot; None if no board draws it."""
    d, style = sheet.d, sheet.style.pieces[pile.type]
    places = d.pieces[pile.type].places if pile.type in d.pieces else d.kinds[pile.type].places
    index = places[pile.place].index if pile.place in places else ""
    if style.places is not None and pile.place not in style.places:
        return None
    owners = [(k, sheet.titles(k)[n]) for k, n in pile.owners]
    if index not in plans:
        yard = _in_yard(plans, pile)
        if yard is None:
            return None if pile.unseen else _owned(sheet, plans, pile, index)
        where = sheet.words.place(pile.type, pile.place)
        if pile.unseen:
            return yard, unseen_token(sheet, pile, pile.place, where)
        return yard, pile_token(sheet, pile, pile.place, where, sheet.words.pieces(pile.type, owners))
    title = sheet.words.pieces(pile.type, owners)
    key, where = sheet.names(index)[pile.index], sheet.titles(index)[pile.index]
    token = unseen_token(sheet, pile, key, where) if pile.unseen else pile_token(sheet, pile, key, where, title)
    return (index, plans[index].slot(pile, len(sheet.names(index)))), token


def _in_yard(plans: Mapping[str, Plan], pile: Pile) -> Slot | None:
    """The yard slot for an owner's pieces outside all spaces."""
    for kind, plan in plans.items():
        first = plan.held.get(f"{pile.type}.{pile.place}")
        owner = next((number for of, number in pile.owners if of == plan.holder), None)
        if first is not None and owner is not None:
            return kind, first + owner
    return None


def _owned(sheet: Sheet, plans: Mapping[str, Plan], pile: Pile, index: str) -> tuple[Slot, DrawnToken] | None:
    """The pile of an entity that is a place on a board of pairs, regardless of where the pile is."""
    kind = pile.owners[0][0] if len(pile.owners) == 1 else ""
    if kind not in plans or not plans[kind].owned or sheet.words.internal(pile.type, pile.place):
        return None
    number = pile.owners[0][1]
    where = sheet.titles(index)[pile.index] if index else sheet.words.place(pile.type, pile.place)
    title = f"{sheet.titles(kind)[number]}: {where}"
    return (kind, number), owned_token(sheet, pile, sheet.names(kind)[number], index, title)


def _markers(
    sheet: Sheet, plans: Mapping[str, Plan], kind: str, name: str, shown: ShownState
) -> Iterator[tuple[Slot, DrawnToken]]:
    fields = sheet.d.kinds[kind].state if kind else sheet.d.fields
    if name not in fields or sheet.words.internal(kind or "game", name):
        return
    ranks = shown.fields.get((kind, sheet.style.orders.get((kind, name), "")), {})
    for number, value in sorted(shown.fields.get((kind, name), {}).items(), key=lambda of: ranks.get(of[0], 0)):
        at = sheet.known.entity(fields[name].type, value)
        if at is not None and at[0] in plans:
            of: Entity | None = (kind, number) if kind else None
            whose = sheet.titles(kind)[number] if kind else ""
            title = f"{sheet.titles(at[0])[at[1]]}: {whose} {sheet.words.field(kind, name)}"
            key = f"{at[0]}" if kind else sheet.names(at[0])[at[1]]
            token = marker_token(sheet, of, name, key, title, sheet.style.boards[at[0]].plain)
            code = "" if kind else sheet.style.codes.get((kind, name), "")
            yield at, replace(token, symbol="circle", text=code) if code else token


def _hidden(
    sheet: Sheet, kind: str, plan: Plan, field: typed.FieldDecl, shown: ShownState
) -> Iterator[tuple[Slot, DrawnToken]]:
    """Marks for the hidden values of a field of places; a mark does not reveal whether there is a value."""
    for number, place in enumerate(sheet.names(kind)):
        slot = plan.slot_of(f"{kind}.{field.name}", number, len(sheet.names(kind)))
        if shown.is_hidden(field, number) and slot in plan.slots:
            title = f"{sheet.titles(kind)[number]}: {sheet.words.field(kind, field.name)} {UNKNOWN}"
            yield (kind, slot), DrawnToken(f"hidden.{place}.{field.name}", "card", BACK, UNKNOWN, title, back=True)


def _fields(sheet: Sheet, kind: str, plan: Plan, shown: ShownState) -> Iterator[tuple[Slot, DrawnToken]]:
    """The tokens of a field of places: the entity there, or a mark for a true flag."""
    plain = sheet.style.boards[kind].plain
    for name in sheet.style.boards[kind].fields:
        field = sheet.d.kinds[kind].state.get(name)
        if field is None or sheet.words.internal(kind, name):
            continue
        if field.private is not None:
            yield from _hidden(sheet, kind, plan, field, shown)
        for number, value in shown.fields.get((kind, name), {}).items():
            if value in (None, False, 0) or number not in plan.slots:
                continue
            place = sheet.names(kind)[number]
            text = f"{sheet.titles(kind)[number]}: {sheet.words.field(kind, name)}"
            id_ = f"field.{place}.{name}"
            of = sheet.known.entity(field.type, value)
            code = sheet.style.codes.get((kind, name), "")
            if isinstance(field.type, Ent) and of is not None:
                look, title = sheet.value_look(*of), sheet.titles(of[0])[of[1]]
                letter = "" if of[0] in plain else look.letter
                token = DrawnToken(id_, look.symbol or "circle", look.colour, letter, f"{text} {title}")
                slot = plan.slot_of(f"{kind}.{name}", number, len(sheet.names(kind)))
                yield (kind, slot), card_token(token, title, look) if plan.manners.get(slot) == "cards" else token
            elif isinstance(field.type, Bool | Num | Maybe):
                shows = code if value is True else f"{code}{value}"
                title = text if value is True else f"{text} {value}"
                yield (kind, number), DrawnToken(id_, "card" if shows else "diamond", "white", shows, title)
            elif isinstance(field.type, SetOf | Order):
                for name_of in value:
                    look = sheet.value_look(*(of := (field.type.kind, sheet.known.number(field.type.kind, name_of))))
                    title = f"{text} {sheet.titles(of[0])[of[1]]}"
                    letter = "" if of[0] in plain else look.letter
                    token = DrawnToken(f"{id_}.{sheet.names_of(of)}", "circle", look.colour, letter, title)
                    yield (kind, number), token
