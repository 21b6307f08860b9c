"""The changes between two positions, and the state of a position, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.game.named_state import named_state, owner_of
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Labels
from rulespec.engine.game.query import type_of
from rulespec.engine.game.secrets import PUBLIC, UNKNOWN
from rulespec.engine.program import ir
from rulespec.engine.program.cells import CellName, State, differing
from rulespec.engine.words.importance import Importance
from rulespec.engine.words.narrator import Narrator, Taken
from rulespec.engine.words.words import Words
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Maybe, Num, SetOf

_PIECES = "pieces"
_GAME = "game"
_NOTHING = -1
"""The value of an empty field."""
_FEW = 2
"""Maximum number of members of a set that are named when it becomes empty."""


class Change(Brief, Struct, frozen=True):
    """A change to a field or a pile of pieces; a move between places is a single change.

    Attributes:
        text: the change for people: `Ann cash: 3 → 5`, `cart of Ann: supply → oak`, `oak owner: Ann`.
        of: the subject of the change: an entity's title and a field, or a pile.
        before: the old value, or the source of moved pieces.
        after: the new value, or the target of moved pieces.
        where: the source and target entities, as `kind.name`; "" if there is none, or if it is hidden.
        seat: the owner of the pieces, if it is a seat, since some boards have separate places for each seat.
    """

    text: str
    of: str
    before: str
    after: str
    where: tuple[str, str] = ("", "")
    seat: str = ""


class Snapshot(Brief, Struct, frozen=True):
    """A seat's view of a position: all cells, the set of hidden cells, and a guarded state from which only visible
    cells can be read.
    """

    state: tuple[int, ...]
    unseen: Collection[int]
    readable: State


class _Shown(Struct, frozen=True):
    """The displayed cells of a program.

    Attributes:
        program: the program.
        cells: all of them, in declaration order.
        ranks: the rank of each among changes.
        things: those of spaces of regular boards that hold an entity; a seat only if it is all that a space has.
        alone: those of them that are all that a space has.
    """

    program: ir.Program
    cells: tuple[int, ...]
    ranks: dict[int, int]
    things: frozenset[int]
    alone: frozenset[int]


_known: WeakKeyDictionary[Words, _Shown] = WeakKeyDictionary()
"""The displayed cells of each ruleset's last program, by its words."""


def _shown(words: Words, program: ir.Program) -> _Shown:
    known = _known.get(words)
    if known is None or known.program is not program:
        cells = ((at, program.cells[at]) for at in program.declared)
        shown = tuple([at for at, cell in cells if not words.internal(*_internal(cell))])
        declarations = words.ruleset.declarations
        on_boards = [at for at in shown if program.cells[at].group in declarations.boards]
        fields = {(program.cells[at].group, program.cells[at].name) for at in on_boards}
        lone = {kind for kind, number in Counter(kind for kind, _ in fields).items() if number == 1}
        held = [(at, of) for at in on_boards if isinstance(of := type_of(program.cells[at].type), Ent)]
        alone = frozenset(at for at, _ in held if program.cells[at].group in lone)
        things = alone | {at for at, of in held if of.kind != declarations.player_kind}
        importance = Importance(declarations)
        ordered = sorted(shown, key=lambda at: importance.of(program.cells[at]))
        ranks = {at: rank for rank, at in enumerate(ordered)}
        known = _known[words] = _Shown(program, shown, ranks, things, alone)
    return known


def _internal(cell: CellName) -> tuple[str, str]:
    """The owner and the name that tell whether only the rules use a cell."""
    return (cell.name, cell.place) if cell.group == _PIECES else (cell.group, cell.name)


class Changes:
    """Sentences about changes in a game, limited to the view of the narrator's seat."""

    def __init__(self, narrator: Narrator) -> None:
        self.narrator = narrator
        self._words = narrator.words
        self._labels = narrator.game.omniscient.labels
        program = narrator.game.omniscient.program
        self._cells = program.cells
        shown = _shown(self._words, program)
        self._shown, self._ranks, self._things, self._alone = shown.cells, shown.ranks, shown.things, shown.alone

    def snapshot(self) -> Snapshot:
        """A snapshot of the seat's view, for later comparison."""
        game, seat = self.narrator.game, self.narrator.seat
        state = game.omniscient.numbers.state
        if seat == OMNISCIENT or not game.omniscient.secretive:
            return Snapshot(tuple(state), (), state.copy())
        unseen = game.omniscient.visibility.unseen(state, PUBLIC if seat is None else game.seats.index(seat))
        return Snapshot(tuple(state), unseen, self.narrator.state)

    def since(self, before: Snapshot, by: Taken | None = None) -> list[Change]:
        """The differences between an earlier view of the seat and the current one; see `between`."""
        return self.between(before, self.snapshot(), None, by)

    def between(
        self, before: Snapshot, now: Snapshot, cells: Set[int] | None = None, by: Taken | None = None
    ) -> list[Change]:
        """The differences between two snapshots, the most important first.

        Changes that involve the most entities named by the option come first; ties are broken by `Importance`, then by
        declaration order. Entities have their names from the earlier snapshot.

        Args:
            before: the earlier snapshot.
            now: the later snapshot.
            cells: the cells to compare; None means all.
            by: the option that made the changes, as the seat sees it.
        """
        self.narrator.past = before.readable
        if cells is None and not (before.unseen or now.unseen):
            cells = set(differing(before.state, now.state))
        try:
            shown = self._ranks if cells is None else sorted(self._ranks.keys() & cells, key=self._ranks.__getitem__)
            results = self._between(before, now, shown)
        finally:
            self.narrator.past = None
        if by is not None and len(results) > 1 and (named := self.narrator.named(by)):
            results.sort(key=lambda each: -len(named.intersection(self._about(self._cells[each[0]], each[1]))))
        return [change for _, change in results]

    def _between(self, before: Snapshot, now: Snapshot, cells: Iterable[int]) -> list[tuple[int, Change]]:
        """The changes by their ranks, each with one of its cells."""
        old, new = before.state, now.state
        results: list[tuple[int, Change]] = []
        piles: dict[tuple[str, str], list[int]] = {}
        went = self._went(cells := list(cells), before, now) if self._things else {}
        sources = set(went.values())
        for at in cells:
            if at in self._things and old[at] != new[at] and at not in before.unseen and at not in now.unseen:
                was = _NOTHING if at in sources else old[at]
                results += [(at, change) for change in self._thing(at, was, new[at], went.get(at))]
                continue
            opened = at in before.unseen  # its whole content is then new to the seat, even if unchanged
            if at in now.unseen or (old[at] == new[at] and not opened):
                continue
            cell = self._cells[at]
            if cell.group == _PIECES and (new[at] or not opened):
                piles.setdefault((cell.name, cell.owner), []).append(at)
            elif cell.group != _PIECES:
                results.append((at, self._field(cell, None if opened else old[at], new[at])))
        for pile in piles.values():
            results += [(pile[0], change) for change in self._pile(pile, before, now)]
        return sorted(results, key=lambda each: self._ranks[each[0]]) if piles else results

    def _about(self, cell: CellName, change: Change) -> Iterator[str]:
        """The entities of a change, as `kind.name`: its owners with their components, and its places."""
        yield from change.where
        names, kinds = self._labels.names, self._words.ruleset.kinds
        if cell.group == _PIECES:
            yield from (f"{kind}.{names[kind][number]}" for kind, number in self._owners_of_pieces(cell))
        elif cell.group != _GAME:
            (number,) = self._owners(cell, (cell.group,))
            yield f"{cell.group}.{names[cell.group][number]}"
            for kind in reversed(kinds[cell.group].product):
                number, part = divmod(number, len(names[kind])) if kind in names else (number, 0)
                yield f"{kind}.{names[kind][part]}" if kind in names else ""

    def _field(self, cell: CellName, before: int | None, after: int) -> Change:
        """The change of a field; the value before is None if it was hidden."""
        of, unit = self._path(cell), _unit(self._words, cell)
        was = UNKNOWN if before is None else self._value(cell, before, unit)
        change = self._changed(of, was, self._value(cell, after, unit), self._named(cell, before, after))
        if before is None:
            return change
        if text := self._members(cell, before, after):
            return replace(change, text=f"{of}: {text}")
        none = self._words.word("none")
        if change.after == none != change.before:
            return replace(change, text=f"{of}: {self._emptied(cell, before, change.before)}")
        if unit and self._words.follows(unit) and none not in (change.before, change.after):
            return replace(change, text=f"{of}: {before} → {change.after}")
        return change

    def _went(self, cells: Sequence[int], before: Snapshot, now: Snapshot) -> dict[int, int]:
        """Spaces of regular boards to which a value has moved, each with the space that it has left empty.

        No other space has lost or gained the value.
        """
        ends: dict[tuple[str, str, int], tuple[list[int], list[int]]] = {}
        for at in cells:
            cell, old, new = self._cells[at], before.state[at], now.state[at]
            if old == new or at not in self._things or at in before.unseen or at in now.unseen:
                continue
            for value, end in ((old, 0), (new, 1)):
                if value >= 0:
                    ends.setdefault((cell.group, cell.name, value), ([], []))[end].append(at)
        pairs = [(left[0], got[0]) for left, got in ends.values() if len(left) == len(got) == 1]
        return {target: source for source, target in pairs if now.state[source] < 0}

    def _thing(self, at: int, old: int, new: int, source: int | None) -> Iterator[Change]:
        """The changes of a space of a regular board: what has come, from a source if it has one, and what has left."""
        cell = self._cells[at]
        if old >= 0 and new >= 0 and source is None:
            yield self._field(cell, old, new)
            return
        if source is not None:
            yield self._moved(source, at, new)
        elif new >= 0 and at in self._alone:
            what, place = self._held(cell, new), self._owner(cell)
            yield Change(f"{place}: {what}", place, self._words.word("none"), what, self._named(cell, _NOTHING, new))
        elif new >= 0:
            yield self._field(cell, _NOTHING, new)
        if old >= 0:
            what, place = self._held(cell, old), self._owner(cell)
            text = self._words.word("leaves", what=what, place=place)
            yield Change(text, what, place, self._words.word("none"), (self._space(cell), ""))

    def _moved(self, source: int, target: int, value: int) -> Change:
        """The change of a value that has moved from one space to another."""
        cells = self._cells[source], self._cells[target]
        of, before, after = self._held(cells[1], value), self._owner(cells[0]), self._owner(cells[1])
        where = self._space(cells[0]), self._space(cells[1])
        return Change(f"{of}: {before} → {after}", of, before, after, where)

    def _held(self, cell: CellName, value: int) -> str:
        """The content of a space of a regular board: an entity, or the piece of a seat, called like the field."""
        title, type_ = self._value(cell, value), type_of(cell.type)
        if not isinstance(type_, Ent) or type_.kind != self._words.ruleset.declarations.player_kind:
            return title
        return self._words.word("thing_of", thing=self._words.field(cell.group, cell.name), owner=title)

    def _space(self, cell: CellName) -> str:
        return f"{cell.group}.{owner_of(self._labels, cell)}"

    def _pile(self, cells: list[int], before: Snapshot, now: Snapshot) -> Iterator[Change]:
        """The changes of a pile; pieces move if one place has lost all that others have gained, or the reverse."""
        name, seat = self._name_of_pile(self._cells[cells[0]]), self._seat_of_pile(self._cells[cells[0]])
        gains = {at: now.state[at] - before.state[at] for at in cells if at not in before.unseen}
        lost, got = [at for at in gains if gains[at] < 0], [at for at in gains if gains[at] > 0]
        if len(cells) == len(lost) + len(got) and sum(gains.values()) == 0 and 1 in (len(lost), len(got)):
            for source, target in product(lost, got):
                moved = min(-gains[source], gains[target])
                from_, to = self._place(self._cells[source]), self._place(self._cells[target])
                ends = _index(self._labels, self._cells[source]), _index(self._labels, self._cells[target])
                number = f" ({moved})" if moved > 1 else ""
                yield Change(f"{name}: {from_} → {to}{number}", name, from_, to, ends, seat)
            return
        for at in cells:
            was = UNKNOWN if at in before.unseen else str(before.state[at])
            place = _index(self._labels, self._cells[at])
            where = ("", place) if gains.get(at, 1) > 0 else (place, "")
            yield self._changed(f"{name} ({self._place(self._cells[at])})", was, str(now.state[at]), where, seat)

    def _changed(self, of: str, before: str, after: str, where: tuple[str, str], seat: str = "") -> Change:
        """A change of a value; from none, or from a hidden value, only the other value is named.

        A value that begins with the title of its field, such as `round 2`, needs no title before it.
        """
        text = after if before in (self._words.word("none"), UNKNOWN) else f"{before} → {after}"
        is_named = all(part.startswith(f"{of} ") for part in text.split(" → "))
        return Change(text if is_named else f"{of}: {text}", of, before, after, where, seat)

    def _emptied(self, cell: CellName, before: int, was: str) -> str:
        """The change to none; the members of a set are named if they are few."""
        type_ = type_of(cell.type)
        is_seat = isinstance(type_, Ent | SetOf) and type_.kind == self._words.ruleset.declarations.player_kind
        none = self._words.word("nobody" if is_seat else "none")
        return none if isinstance(type_, SetOf) and before.bit_count() > _FEW else f"{was} → {none}"

    def _members(self, cell: CellName, before: int, after: int) -> str:
        """The members that a set has gained and lost; empty unless it keeps some."""
        type_ = type_of(cell.type)
        if not isinstance(type_, SetOf) or not before & after:
            return ""
        parts = (("also", after & ~before), ("no_longer", before & ~after))
        return ", ".join(self._words.word(word, what=self._value(cell, of)) for word, of in parts if of)

    # --- places ---------------------------------------------------------------------------------

    def _named(self, cell: CellName, before: int | None, after: int) -> tuple[str, str]:
        """The entities named by a field or a token's place before and after; otherwise the field's entity."""
        ends = (
            "" if value is None else _entity(self._labels, self._words.ruleset, cell.type, value)
            for value in (before, after)
        )
        source, target = ends
        if source or target or cell.group == _GAME:
            return source, target
        return "", f"{cell.group}.{owner_of(self._labels, cell)}"

    # --- names ----------------------------------------------------------------------------------

    def _path(self, cell: CellName) -> str:
        owner, kind = self._owner(cell), self._words.ruleset.kinds.get(cell.group)
        if kind is not None and kind.places and cell.type == f"{kind.name}.place":
            return owner
        field = self._words.field(cell.group, cell.name)
        return f"{owner} {field}" if owner else field

    def _owner(self, cell: CellName) -> str:
        """The title of the entity with the field; "" for a field of the game."""
        if cell.group == _GAME:
            return ""
        return self.narrator.entity(cell.group, self._owners(cell, (cell.group,))[0])

    def _owners(self, cell: CellName, kinds: Sequence[str]) -> list[int]:
        if cell.by_seat:
            return [number for _, number in cell.by_seat]
        return [self._labels.number(kind, name) for kind, name in zip(kinds, cell.owner.split("."), strict=True)]

    def _name_of_pile(self, cell: CellName) -> str:
        owners = [(kind, self.narrator.entity(kind, number)) for kind, number in self._owners_of_pieces(cell)]
        return self._words.pieces(cell.name, owners)

    def _owners_of_pieces(self, cell: CellName) -> list[tuple[str, int]]:
        each = self._words.ruleset.declarations.pieces[cell.name].each
        return list(zip(each, self._owners(cell, each) if each else [], strict=True))

    def _seat_of_pile(self, cell: CellName) -> str:
        """The seat that owns pieces, or ""."""
        kinds = self._words.ruleset.declarations.kinds
        seats = [number for kind, number in cell.by_seat if kind in kinds and kinds[kind].is_player]
        return self.narrator.game.seats[seats[0]] if seats else ""

    def _place(self, cell: CellName) -> str:
        if not cell.index_kind:
            return self._words.place(cell.name, cell.place)
        title = self.narrator.entity(cell.index_kind, cell.index)
        return self._words.place(cell.name, cell.place, title, cell.index_kind)

    def _value(self, cell: CellName, value: int, unit: str = "") -> str:
        type_ = type_of(cell.type)
        return self.narrator.show(type(type_)(unit) if isinstance(type_, Num | Maybe) else type_, value)

    # --- the whole state -------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """The state in the form of `state_json`, with titles instead of ids, and without purely technical fields."""
        if self._words.names == "id":
            game, now = self.narrator.game, self.snapshot()
            return named_state(game.omniscient.program, self._labels, now.state, now.unseen, null=False)
        declared = self._words.ruleset.declarations.pieces
        entities: dict[str, dict[str, dict[str, Any]]] = {}
        pieces: dict[str, dict[str, dict[str, int]]] = {}
        now = self.snapshot()
        for at in self._shown:
            cell, value = self._cells[at], now.state[at]
            if cell.group == _PIECES:
                if value and at not in now.unseen:
                    kinds = [(kind, self._words.kind(kind)) for kind in declared[cell.name].each]
                    pile = pieces.setdefault(self._words.pieces(cell.name, kinds), {})
                    pile.setdefault(self._owners_of_pile(cell), {})[self._place(cell)] = value
            elif at not in now.unseen:
                kind = _GAME if cell.group == _GAME else self._words.kind(cell.group)
                fields = entities.setdefault(kind, {}).setdefault(self._owner(cell), {})
                fields[self._words.field(cell.group, cell.name)] = self._plain(cell, value)
        return {"entities": entities, "pieces": pieces}

    def _owners_of_pile(self, cell: CellName) -> str:
        seats = self.narrator.game.shown_names
        titles = [self._words.title(kind, number, seats) for kind, number in self._owners_of_pieces(cell)]
        return ", ".join(titles) or "-"

    def _plain(self, cell: CellName, value: int) -> Any:
        """A value for a table; numbers and false are unchanged, so that empty ones can be omitted."""
        plain = self._labels.plain(cell.type, value)
        if plain is None or plain == [] or plain is False or (isinstance(plain, int) and not isinstance(plain, bool)):
            return plain
        return self.narrator.show(type_of(cell.type), value)


def _unit(words: Words, cell: CellName) -> str:
    """The unit of a number, unless the title of its field already names it."""
    declarations = words.ruleset.declarations
    fields = declarations.fields if cell.group == _GAME else declarations.kinds[cell.group].state
    declared = fields[cell.name].type if cell.name in fields else None
    unit = declared.unit if isinstance(declared, Num | Maybe) else ""
    return "" if words.names_unit(words.field(cell.group, cell.name), unit) else unit


def _entity(labels: Labels, ruleset: typed.Ruleset, type_: str, value: int) -> str:
    """The entity that is a value, or on which it stands; "" for none."""
    name = labels.plain(type_, value) if type_.removesuffix("?") in labels.names else None
    if not isinstance(name, str):
        return ""
    kind, _, is_place = type_.removesuffix("?").partition(".")
    if not is_place:
        return f"{kind}.{name}"
    place, _, index = name.partition("[")
    at = ruleset.kinds[kind].places.get(place) if kind in ruleset.kinds else None
    return f"{at.index}.{index[:-1]}" if at is not None and at.index else ""


def _index(labels: Labels, cell: CellName) -> str:
    """The entity on which pieces stand, or ""."""
    return f"{cell.index_kind}.{labels.names[cell.index_kind][cell.index]}" if cell.index_kind else ""
