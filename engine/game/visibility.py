"""The numeric form of a seat's view of a position, on which views, histories and memories are based."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b

from msgspec import Struct

from rulespec.engine.game.hiding_places import HidingPlaces
from rulespec.engine.game.option import Option
from rulespec.engine.game.secrets import PUBLIC, GuardedState, counted, hidden
from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.domains import UnlistedError
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.machine import Listed, Machine
from rulespec.engine.program.taint import Taint, choice_expressions


def digest(value: object) -> bytes:
    """A 128-bit digest of a value, which reveals only whether two values are equal.

    The digest is independent of the names of classes and fields, since seat logs contain it.
    """
    return blake2b(repr(_plain(value)).encode(), digest_size=16).digest()


_FLAT = {int, bool, str, bytes, type(None)}
"""Types of atomic values."""


def _plain(value: object) -> object:
    """A value with records, lists and mappings converted to tuples."""
    if isinstance(value, tuple | list) and _FLAT.issuperset(map(type, value)):
        return tuple(value)  # fast path for the cells of a position, often more than a thousand
    if isinstance(value, Struct):
        return tuple(_plain(getattr(value, name)) for name in value.__struct_fields__)
    if isinstance(value, tuple | list):
        return tuple(map(_plain, value))
    if isinstance(value, Mapping):
        return tuple((key, _plain(each)) for key, each in value.items())
    return value


class Observation(Struct, frozen=True):
    """A seat's information about a position, including the state of an incomplete round.

    Attributes:
        asked: the number of the open decision; -1 when the game is over.
        chosen: in a simultaneous decision, the set of seats that have chosen.
        seen: a digest of the visible cells, the open decision and its decider.
        options: a digest of the seat's own options if they may reveal private information; otherwise empty.
    """

    asked: int
    chosen: int
    seen: bytes
    options: bytes


class Visibility:
    """The rules of visibility of a program: the part of a state that each seat sees.

    Args:
        machine: the machine that runs the program.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.p = machine.p

    @cached_property
    def taint(self) -> Taint:
        """The taint analysis of private cells."""
        return Taint(self.p)

    @cached_property
    def hiding(self) -> HidingPlaces:
        """The places in which tokens may be hidden from seats."""
        return HidingPlaces(self.p)

    @cached_property
    def _shown(self) -> dict[int, int]:
        """Cell → index among the named cells, which exclude the variables of the rules."""
        shown = [at for at, cell in enumerate(self.p.cells) if cell.group != "rules"]
        return {at: number for number, at in enumerate(shown)}

    @property
    def secretive(self) -> bool:
        """Whether anything is hidden from anyone."""
        return bool(self.taint.cells)

    def tells(self, asked: int) -> bool:
        """Whether the options of a decision may reveal private information."""
        return asked >= 0 and self._telling[asked]

    @cached_property
    def _telling(self) -> list[bool]:
        """For each decision, whether its options may reveal private information."""
        return [any(self.taint.told_by(e) for c in d.choices for e in choice_expressions(c)) for d in self.p.decisions]

    def unseen(self, state: State, seat: int) -> dict[int, ir.Secret]:
        """The cells hidden from a seat."""
        evaluator, room = Evaluator(self.p), [0] * (self.p.slots + 1)

        def value(e: ir.Expr, slots: tuple[int, ...]) -> int:
            return evaluator.evaluate(e, state, [*slots, *room])

        return evaluator.alone(lambda: hidden(self.p, value, seat), "who sees what is private")

    def of(self, state: State, seat: int) -> Observation:
        """The observation of a seat (or `PUBLIC`) in a state."""
        asked = self.machine.asked.get(state[ir.PC], -1)
        unseen = self.unseen(state, seat)
        question = (self.p.decisions[asked].name, self.p.decisions[asked].doc) if asked >= 0 else ()
        cells: list[int | None] = [state[at] for at in self._shown]
        for at in unseen:
            if (number := self._shown.get(at)) is not None:
                cells[number] = None
        known = [one.number for one in counted(self.p, state)]
        who = self.machine.decider(state, asked) if asked >= 0 else state[ir.ENDING]
        seen = digest((cells, known, question, who, self.chosen(state, asked), self._among(state, asked)))
        options = b""
        if self.tells(asked):
            options = digest(self._listed(state, asked, seat))
        return Observation(asked, self.chosen(state, asked), seen, options)

    def guarded(self, state: State, seat: int) -> GuardedState:
        """The state without the cells that the seat neither sees nor can deduce.

        The variable that holds the decider stays visible even if it derives from secrets, since everybody can see who
        is to decide.
        """
        decider = self._deciders.get(self.machine.asked.get(state[ir.PC], -1), -1)
        notes = (at for at in self.taint.notes if at != decider)
        return GuardedState(state, [*self.unseen(state, seat), *notes])

    @cached_property
    def _deciders(self) -> dict[int, int]:
        """Decision → cell of the rules' variable that holds its decider; without simultaneous decisions."""
        by = {number: d.by for number, d in enumerate(self.p.decisions) if not d.held}
        return {
            number: e.base + e.index.value
            for number, e in by.items()
            if isinstance(e, ir.Cell) and isinstance(e.index, ir.Const) and self.p.cells[e.base].group == "rules"
        }

    def seers(self, state: State, actor: int, option: Option) -> tuple[int, ...]:
        """For each argument of an option, the set of seats that see it if `actor` takes the option in a state."""
        everybody = (1 << self.p.seats) - 1
        own = 1 << actor if actor >= 0 else 0
        choice = self.p.decisions[self.machine.asked[state[ir.PC]]].choices[option.kind.choice]
        slots = [0] * (self.p.slots + 1)
        results = []
        for param, value in zip(choice.params, option.args, strict=True):
            slots[param.slot] = value
            note = own | (self.machine.value(param.to, state, tuple(slots)) if param.to is not None else 0)
            results.append(note if param.private else everybody)
        return tuple(results)

    def chosen(self, state: Sequence[int], asked: int) -> int:
        """The set of seats that have chosen in a simultaneous decision."""
        held = self.p.decisions[asked].held if asked >= 0 else ()
        return sum(1 << seat for seat, at in enumerate(held) if state[at])

    def _among(self, state: State, asked: int) -> int:
        among = self.p.decisions[asked].among if asked >= 0 else None
        return 0 if among is None else self.machine.value(among, state)

    def options(self, state: State, asked: int, seat: int) -> Iterator[Listed]:
        """The options of a seat: the options of its decision, and its out-of-turn options."""
        if seat == PUBLIC:
            return
        if self.machine.decider(state, asked) == seat or self._among(state, asked) >> seat & 1:
            yield from self.machine.own(state, asked)
        elif self.p.decisions[asked].held and (own := self._asked_later(state, asked, seat)) is not None:
            yield from self.machine.own(own, asked)
        yield from (one for one in self.machine.interrupts(state, asked) if one[2] == seat)

    def _listed(self, state: State, asked: int, seat: int) -> list[object]:
        """The options of a seat; or, if a parameter has too many sets or bags to list, that parameter and number."""
        try:
            return list(self.options(state, asked, seat))
        except UnlistedError as unlisted:
            return [unlisted.at, unlisted.number]

    def _asked_later(self, state: State, asked: int, seat: int) -> State | None:
        """The state at a seat's turn in a round, so that it sees its options early; None if it is not asked."""
        everybody = self.p.decisions[asked].all
        assert everybody is not None
        left = self.machine.value(everybody, state) & ~self.chosen(state, asked)
        if not left >> seat & 1:
            return None
        state = list(state)
        while self.machine.decider(state, asked) != seat:  # all seats of a round choose in the same state
            first = next(iter(self.machine.own(state, asked)), None)
            if first is None:
                return None
            self.machine.run(state, self.p.decisions[asked].choices[first[0]].block, first[1])
        return state


@lru_cache(16)
def visibility_of(machine: Machine) -> Visibility:
    """The visibility of a machine's states; all games of the machine share it, because its tables are large."""
    return Visibility(machine)
