"""Guarded execution of an option, which yields the part of its effects that the decider can predict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.secrets import GuardedState, HiddenError
from rulespec.engine.program import ir
from rulespec.engine.program.blanks import Unknown
from rulespec.engine.program.builder import apply_op
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.machine import Machine
from rulespec.engine.program.taint import Reads

_COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_NOWHERE = frozenset[int]()
_PART = 64
"""Cells compared per slice; most slices are unchanged."""


class Ahead(Struct, frozen=True):
    """The state reached by an option, computed up to the first read of a cell that is hidden from the seat.

    Attributes:
        before: the cells before the option.
        after: the cells after the option, or at the first read of a hidden cell.
        unseen: the cells hidden from the seat before the option; they contain the real values, which must not be shown.
        stored: the unseen cells that the option sets to a value known to the seat.
        whole: whether no hidden cell was read before the next decision.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    unseen: frozenset[int]
    stored: frozenset[int]
    whole: bool

    @property
    def written(self) -> frozenset[int]:
        """The cells that changed or may have changed."""
        old, new = self.before, self.after
        parts = [at for at in range(0, len(old), _PART) if old[at : at + _PART] != new[at : at + _PART]]
        cells = [at for of in parts for at in range(of, min(of + _PART, len(old)))]
        return self.stored.union([at for at in cells if old[at] != new[at]])


def ahead(game: Game, option: Option, seat: str) -> Ahead:
    """The effects of an option up to the next decision, or to the first read of a hidden cell.

    The result depends only on the seat's view and the arguments: hidden cells have no values during execution. If the
    rules read a hidden cell, execution is repeated step by step up to that read. Execution stops before chance.

    Args:
        game: a game whose open decision offers the option; it is not changed.
        option: a legal option whose arguments the seat sees.
        seat: the seat that looks ahead.

    Raises:
        RulesetFaultError: if the rules fault.
    """
    numbers, machine = game.omniscient.numbers, game.omniscient.visibility.machine
    number = game.seats.index(seat)
    guarded = game.omniscient.visibility.guarded(numbers.state, number)
    own = numbers.program.decisions[numbers.asked].held[number : number + 1]  # its choice of a round
    unseen = guarded.unseen.difference(own)
    unknown = Unknown(unseen, game.omniscient.visibility.hiding.places(guarded, number))
    done = machine.run_without(numbers.state, unknown, option.kind.block, option.args)
    if done is None:
        return _step_by_step(game, option, unknown)
    after, left = done
    return Ahead(tuple(numbers.state[: len(after)]), tuple(after), unseen, unseen - left, whole=True)


def _step_by_step(game: Game, option: Option, unknown: Unknown) -> Ahead:
    """The effects of an option, executed by guarded reads up to the first hidden cell."""
    before = tuple(game.omniscient.numbers.state[: len(game.omniscient.program.cells)])
    walker = _walker(game.omniscient.visibility.machine)
    unseen = unknown.cells - {*walker.p.arguments().get(option.kind.block, ())}
    state = _Known(before, unknown._replace(cells=unseen))
    whole = True
    try:
        walker.run(state, option.kind.block, option.args)
    except HiddenError:
        whole = False
    except ProgramFaultError as fault:
        raise game.omniscient.fault(fault, walker.p) from None
    return Ahead(before, tuple(state), unseen, unseen - state.unseen, whole)


def unseen_after(game: Game, of: Ahead, seat: str) -> tuple[frozenset[int], bool]:
    """The cells that a seat can neither predict nor see after an option, and whether the option reveals cells to it.

    Values first revealed by the option count as unseen. The result depends only on the seat's view.
    """
    bit, opens = 1 << game.seats.index(seat), False
    results = set(of.unseen - of.stored)
    for at, _, after in _seers(game, of):
        if after is None or not after & bit:
            results.add(at)
        elif at in results:
            opens = True
    return frozenset(results), opens


def shows_more(game: Game, of: Ahead) -> bool:
    """Whether an option reveals a cell to any seat; also True if the reader cannot know whether it does.

    As in `ahead`, the result depends only on the reader's view: the viewers of a cell are computed without hidden
    cells.
    """
    return any(before is None or after is None or after & ~before for _, before, after in _seers(game, of))


def _seers(game: Game, of: Ahead) -> Iterator[tuple[int, int | None, int | None]]:
    """Each private cell whose viewers an option may change, with the viewers (a set of seats) before and after.

    None means that the viewers depend on hidden cells.
    """
    machine = game.omniscient.visibility.machine
    walker, everybody = _walker(machine), (1 << len(game.seats)) - 1
    states = GuardedState(of.before, of.unseen), GuardedState(of.after, of.unseen - of.stored)
    room = [0] * (walker.p.slots + 1)

    def seers(secret: ir.Secret, entities: tuple[int, ...], state: GuardedState) -> int | None:
        try:
            if secret.open is not None and walker.evaluate(secret.open, state, [*entities, *room]):
                return everybody
            return walker.evaluate(secret.to, state, [*entities, *room])
        except HiddenError:
            return None

    try:
        for at, secret, entities in _touched(machine, of.written):
            before, after = (seers(secret, entities, state) for state in states)
            yield at, before, after
    except ProgramFaultError as fault:
        raise game.omniscient.fault(fault, walker.p) from None


def _touched(machine: Machine, written: frozenset[int]) -> Iterator[tuple[int, ir.Secret, tuple[int, ...]]]:
    """The private cells whose viewers may change when the given cells are written, each with its entities."""
    for secret, masks in _masks(machine):
        of_all = not masks.isdisjoint(written)
        if of_all or not written.isdisjoint(secret.cells):
            for at, entities in enumerate(product(*map(range, secret.sizes)), secret.cells.start):
                if of_all or at in written:
                    yield at, secret, entities


@lru_cache(16)
def _masks(machine: Machine) -> list[tuple[ir.Secret, frozenset[int]]]:
    """Private cells, with the other cells that determine their viewers."""
    reads = Reads(machine.p)
    return [
        (
            secret,
            (reads.of(secret.to) | (reads.of(secret.open) if secret.open is not None else set())) - {*secret.cells},
        )
        for secret in machine.p.secrets
    ]


class _Known(GuardedState):
    """A state whose hidden cells become known when a known value is stored in them.

    Args:
        state: the cells.
        unknown: the unknown ones.
    """

    def __init__(self, state: Iterable[int], unknown: Unknown) -> None:
        super().__init__(state, unknown.cells)
        self.within = unknown.within

    def store(self, cells: range) -> None:
        """Records that cells now hold known values."""
        if not self.unseen.isdisjoint(cells):
            self.unseen = self.unseen.difference(cells)


class _Walker(Interpreter):
    """An interpreter that marks written cells as known.

    A hidden token is in one of few places: what is the same for all of them is known.
    """

    def evaluate(self, e: ir.Expr, state: State, slots: State) -> int:
        """The value of an expression; see `Evaluator.evaluate`."""
        if isinstance(state, _Known):
            if type(e) is ir.Op and e.op in _COMPARISONS:
                one, other = e.args
                if places := self._hidden_token(one, state, slots):
                    value = self.evaluate(other, state, slots)
                    return _agreed(apply_op(e.op, (place, value)) for place in places)
                if places := self._hidden_token(other, state, slots):
                    value = self.evaluate(one, state, slots)
                    return _agreed(apply_op(e.op, (value, place)) for place in places)
            elif type(e) is ir.Row and (places := self._hidden_token(e.index, state, slots)):
                return _agreed(self.p.arrays[e.array][place] for place in places)
        return super().evaluate(e, state, slots)

    def _hidden_token(self, e: ir.Expr, state: _Known, slots: State) -> frozenset[int]:
        """The places where the hidden token with this place may be; empty if an expression is something else."""
        if type(e) is not ir.Cell or e.base not in state.within:
            return _NOWHERE
        at = e.base + self.evaluate(e.index, state, slots)
        return state.within.get(at, _NOWHERE) if at in state.unseen else _NOWHERE

    def execute(self, i: ir.Instruction, state: State, slots: State, journal: Journal) -> None:
        """Executes an instruction; a stored value is evaluated first, which ends the walk if it is hidden."""
        if isinstance(state, _Known) and isinstance(i, ir.Store):
            cell = i.target.base + self.evaluate(i.target.index, state, slots)
            if cell in state.unseen:
                self.evaluate(i.value, state, slots)
                state.store(range(cell, cell + 1))
        elif isinstance(state, _Known) and isinstance(i, ir.Clear):
            state.store(range(i.base, i.base + i.size))
        super().execute(i, state, slots, journal)


def _agreed(values: Iterable[int | None]) -> int:
    """The value on which all agree."""
    one, *others = {*values}
    if others or one is None:
        raise HiddenError
    return one


@lru_cache(16)
def _walker(machine: Machine) -> _Walker:
    """The memoised walker of a machine's program, which keeps its analysis of options."""
    return _Walker(machine.p)
