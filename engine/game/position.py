"""A position as numbers: the state vector, the open decision, and the undo history.

`Game` adds names. Low-level code, such as importers of foreign logs, uses the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from itertools import count, islice
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.engine.game.option import Option, RulesetFaultError, UnlistedOptionsError
from rulespec.engine.game.position_hash import change, digits, weights, whole
from rulespec.engine.program import ir
from rulespec.engine.program.cells import Changes, Journal, PackedJournal, State, journal_of, packed, restore
from rulespec.engine.program.domains import UnlistedError
from rulespec.engine.program.drawn import Number, drawn
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.machine import Listed, Listing, Machine
from rulespec.records import Brief

MAX_LISTED = 100_000
"""Maximum number of options listed per decision."""

Entry = Callable[[State], int]
"""A custom start: a function that prepares a state and returns the block to run."""

_P = ParamSpec("_P")
_T = TypeVar("_T")
stamps = count(1)
"""Source of position stamps, unique across all games."""


class Seen(Brief, Struct, gc=False):
    """The visibility of a decision to each seat, computed when a view is first requested.

    Attributes:
        seers: for each argument, the set of seats that see it.
        memories: seat → its memory after the decision; None until requested.
    """

    seers: tuple[int, ...]
    memories: dict[int, bytes] | None = None


class Step(Brief, Struct, gc=False):
    """A past decision, with its changes and, if known, the hash of the previous position.

    `salt` is the salt of its seal, if other seats saw the decision sealed (`rulespec.engine.logs.sealed`). `plan` is
    its number, from 1, in the current plan of a draft; 0 outside drafts.
    """

    noted: Journal | Changes | PackedJournal
    option: Option
    before: int | None
    seen: Seen | None = None
    salt: str = ""
    plan: int = 0

    @property
    def journal(self) -> Journal:
        """The undo journal of the decision."""
        return journal_of(self.noted)

    def pack(self) -> None:
        """Compresses the journal and drops the option's reference to the position that listed it."""
        self.noted = packed(self.noted)
        if self.option.legal_at:
            self.option = replace(self.option, legal_at=0)


def _guarded(
    method: Callable[Concatenate[Position, _P], _T],
) -> Callable[Concatenate[Position, _P], _T]:
    """Decorator that converts a fault of the program to one of the ruleset, with its place."""

    @wraps(method)
    def guarded(self: Position, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return method(self, *args, **kwargs)
        except ProgramFaultError as fault:
            raise self.fault(fault) from None

    return guarded


class Position:
    """The state of a game as a list of integers, with the decisions that led to it.

    Args:
        machine: the machine that runs the program.
        entry: a custom start that replaces the program's own start.

    If the rules fault, the method or property that runs them raises RulesetFaultError and leaves the position
    unchanged.
    """

    def __init__(self, machine: Machine, entry: Entry | None = None) -> None:
        self.machine = machine
        self.program = machine.p
        self.stamp = next(stamps)
        """A number unique to this position."""
        self.offered: Sequence[Option] = ()
        """The options listed at once at this position, if any."""
        self._listing, self._late = machine.listing, machine.late
        self._run = machine.run if self._late is None else self._late.run_late
        self._restore: Callable[[State, Any], None] = restore if self._late is None else self._late.take_back
        self._entry = entry
        self._state: State = machine.start()
        self._weights = weights(len(self.program.cells), len(self._state))
        self._begun, self._asked = False, -1
        self._drafts = bool(self.program.drafts)
        self.steps: list[Step] = []
        self._shared = False  # whether a copy shares the two lists, which must then be copied before a change
        self._sum: int | None = None  # of the hash, once computed
        self._sound: int | None = None  # the ply at which all invariants were last seen to hold

    def begin(self) -> None:
        """Runs the rules up to the first decision; reading the state does the same."""
        if not self._begun:
            self._run_to_first_decision()

    @_guarded
    def _run_to_first_decision(self) -> None:
        state = self._state.copy()
        block = self.program.main if self._entry is None else self._entry(state)
        self.machine.run(state, block)
        self._state = state
        self._asked = self.machine.asked.get(state[ir.PC], -1)
        self._begun = True

    @property
    def state(self) -> State:
        """The state itself, not a copy: read-only, and valid until the next decision.

        The program's cells come first; cells of the machine may follow.
        """
        if not self._begun:
            self.begin()
        if self._late is not None:
            self._late.catch_up(self._state)
        return self._state

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of the program; `program.cells` describes them."""
        return tuple(self.state[: len(self.program.cells)])

    @property
    def looked_up(self) -> Sequence[int]:
        """The cells of the state, to be passed only to `Machine.lookups` and similar functions."""
        return self.state if self._late is None or not self._begun else self._late.cells(self._state)

    @property
    def asked(self) -> int:
        """The number of the open decision in the program; -1 after the end."""
        if not self._begun:
            self.begin()
        return self._asked

    @property
    def hash(self) -> str:
        """The hash of the program's cells: 16 hex digits, which are the same on every machine."""
        if self._sum is None:
            if self.steps:
                last = self.steps[-1]
                grown = change(self.state, last.journal, self._weights)
                if last.before is None:  # stored for all other decisions at that position
                    last.before = whole(self.state, self._weights) - grown
                self._sum = last.before + grown
            else:
                self._sum = whole(self.state, self._weights)
        return digits(self._sum)

    def copy(self) -> Position:
        """An independent copy, made lazily at the first change."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        self._shared = twin._shared = True
        return twin

    def resume(self, earlier: Position) -> None:
        """Returns to an earlier copy of this position, with its history."""
        self.__dict__.update(earlier.copy().__dict__)

    def _unshare(self) -> None:
        """Copies shared lists before a change."""
        if self._shared:
            self._state, self.steps, self._shared = self._state.copy(), self.steps.copy(), False

    def own(self) -> tuple[int, list[Listed]]:
        """The deciding seat (-1 if chance decides) and its legal options, each as choice number, arguments and -1
        (which marks an option of the decider).
        """
        if self.asked < 0:
            return -1, []
        state, asked, machine = self._state, self._asked, self.machine
        try:  # `_guarded` inlined: a hot path of random games
            who = machine.decider(state, asked)
            results = list(islice(machine.own(state, asked), MAX_LISTED + 1))
        except ProgramFaultError as fault:
            raise self.fault(fault) from None
        if len(results) > MAX_LISTED:
            raise self.fault(_too_many(self.program.decisions[self.asked]))
        return who, results

    def listing(self) -> Listing | None:
        """All options of the decider, in the machine's own form; None if the machine can list them only one by one."""
        try:
            return None if self._listing is None else self._listing(self._state, self._asked)
        except ProgramFaultError as fault:
            raise self.fault(fault) from None

    def listed(self, *, interrupts: bool) -> Iterator[Listed]:
        """Lazily lists the decider's legal options, or the out-of-turn options, each as choice number, arguments and
        seat.
        """
        number = self.asked
        if number < 0:
            return
        machine, state = self.machine, self._state
        try:
            result = machine.interrupts(state, number) if interrupts else machine.own(state, number)
            for position, one in enumerate(result):
                if position >= MAX_LISTED:
                    raise _too_many(self.program.decisions[self.asked])
                yield one
        except ProgramFaultError as fault:
            raise self.fault(fault) from None

    @_guarded
    def drawn(self, number: Number, *, weighing: bool) -> Listed | None:
        """A random legal option of the decider, drawn without listing them; see `rulespec.engine.program.drawn`."""
        choice = drawn(self.program, self.state, self._asked, number, weighing=weighing)
        return None if choice is None else (*choice, self.machine.decider(self.state, self._asked))

    @_guarded
    def is_legal(self, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option of the open decision may be taken."""
        return self.machine.is_legal(self.state, self._asked, choice, args)

    @_guarded
    def standing(self, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments, with each token replaced by the listed token that represents it; None if nothing changes."""
        alike = any(param.alike for param in self.program.decisions[self.asked].choices[choice].params)
        return self.machine.standing(self.state, self._asked, choice, args) if alike else None

    @_guarded
    def decider(self) -> int:
        """The deciding seat; -1 if chance decides."""
        return self.machine.decider(self.state, self._asked)

    @_guarded
    def deciders(self) -> int:
        """The set of seats that may take the open decision, if there are several; otherwise empty."""
        among = self.program.decisions[self._asked].among
        return 0 if among is None else self.machine.value(among, self.state)

    @_guarded
    def actor(self, choice: int, args: tuple[int, ...]) -> int:
        """The seat that acts with an option of the open decision."""
        state = self.state
        if self.program.decisions[self._asked].choices[choice].by is None:
            return self.machine.decider(state, self._asked)
        return self.machine.actor(state, self._asked, choice, args)

    def weight(self, choice: int, args: tuple[int, ...]) -> int:
        """The relative weight of an option: its odds if chance decides, otherwise its weight in playouts."""
        taken = self.program.decisions[self.asked].choices[choice]
        if taken.weight is None:
            return taken.policy
        slots = [0] * (self.program.slots + 1)
        for param, value in zip(taken.params, args, strict=True):
            slots[param.slot] = value
        return self.value(taken.weight, tuple(slots))

    @_guarded
    def value(self, e: ir.Expr, args: tuple[int, ...]) -> int:
        """The value of an expression of the program, with `args` in its first slots."""
        return self.machine.value(e, self.state, args)

    # --- decisions -----------------------------------------------------------------------------

    def take(self, option: Option) -> None:
        """Takes a legal option."""
        if self._shared:
            self._unshare()
        state = self._state
        plan = self._next_of_plan() if self._drafts else 0
        try:
            noted = self._run(state, option.kind.block, option.args)
        except ProgramFaultError as fault:
            raise self.fault(fault) from None
        self.steps.append(Step(noted, option, self._sum, plan=plan) if plan else Step(noted, option, self._sum))
        self._asked = self.machine.asked.get(state[ir.PC], -1)
        self.stamp, self.offered = next(stamps), ()
        self._sum = None

    def _next_of_plan(self) -> int:
        """The number of the next decision in the plan of a draft; 0 outside drafts."""
        draft = self.program.decisions[self.asked].draft
        if not draft:
            return 0
        return self.steps[-1].plan + 1 if self.state[draft] and self.steps else 1

    def keep(self, steps: Sequence[Step]) -> None:
        """Reduces the history to the given steps, whose changes alone must lead to this position."""
        self._unshare()
        self.steps = [*steps]
        self._sum = self._sound = None

    @_guarded
    def take_legal(self, option: Option, seats: Sequence[str]) -> bool:
        """Takes an option of the open decision if it is legal and names the right actor; returns whether it did."""
        state, asked, choice, args = self.state, self._asked, option.kind.choice, option.args
        if self.program.decisions[asked].choices[choice].by is None:
            actor = self.machine.decider(state, asked)
        else:
            actor = self.machine.actor(state, asked, choice, args)
        if option.by != (seats[actor] if actor >= 0 else None):
            return False
        if not self.machine.is_legal(state, asked, choice, args):
            return False
        self.take(option)
        return True

    def undo(self) -> Option:
        """Undoes the last decision, and returns it.

        Raises:
            IndexError: if there is no decision to undo.
        """
        if not self.steps:
            raise IndexError("there is no decision to take back")
        self._unshare()
        step = self.steps.pop()
        self._restore(self._state, step.journal if isinstance(step.noted, PackedJournal) else step.noted)
        self._asked = self.machine.asked.get(self._state[ir.PC], -1)
        self.stamp, self.offered = next(stamps), ()
        self._sum = step.before
        self._sound = None
        return step.option

    def write(self, values: Mapping[int, int]) -> None:
        """Writes cells between two decisions; undoing the earlier decision undoes the writes too."""
        self._unshare()
        journal = self.machine.write(self.state if self._begun else self._state, values)
        try:
            journal = journal + self._settled()
        except RulesetFaultError:
            restore(self._state, journal)
            raise
        if self.steps:
            step = self.steps[-1]  # replaced, not mutated, as a copy may share it
            self.steps[-1] = Step(step.journal + journal, step.option, step.before, salt=step.salt, plan=step.plan)
        self.stamp, self.offered = next(stamps), ()
        self._sum = self._sound = None

    def _settled(self) -> Journal:
        """Continues past an optional decision without legal options; returns the journal."""
        block = self._state[ir.PC]
        exit_ = self.program.blocks[block].exit
        if not self._begun or not isinstance(exit_, ir.Ask) or exit_.otherwise is None:
            return []
        try:
            journal = self.machine.run(self._state, block)
        except ProgramFaultError as fault:
            raise self.fault(fault) from None
        self._asked = self.machine.asked.get(self._state[ir.PC], -1)
        return journal

    def edit(self, change: Callable[[State], Mapping[int, int]]) -> None:
        """Writes computed values to cells without starting the game; `change` returns the new value of each cell."""
        self.write(change(self._state))

    @_guarded
    def prepare(self, entry: Entry) -> str:
        """Runs a procedure before the usual start of the game.

        Returns:
            The reason why the position was left unchanged, such as a decision in the procedure; "" on success.
        """
        if self._begun:
            return "the game has begun"
        state = self._state.copy()
        before = [state[at] for at in (ir.PC, ir.ENDING, ir.WINNERS)]
        self.machine.run(state, entry(state))
        asked = self.machine.asked.get(state[ir.PC], -1)
        if asked >= 0:
            return f"it asks for the decision `{self.program.decisions[asked].name}`"
        if state[ir.PC] != ir.END:
            return "it ends the game"
        state[ir.PC], state[ir.ENDING], state[ir.WINNERS] = before
        self._state = state
        return ""

    @property
    def ply(self) -> int:
        """The number of decisions taken."""
        return len(self.steps)

    @property
    def history(self) -> list[Option]:
        """The decisions taken, first to last."""
        return [step.option for step in self.steps]

    @property
    def last(self) -> Option | None:
        """The last decision; None before the first."""
        return self.steps[-1].option if self.steps else None

    def seal(self, salt: str) -> None:
        """Records the salt of the last decision's seal."""
        self.steps[-1].salt = salt

    def broken_invariants(self) -> list[int]:
        """The numbers of the broken invariants; checks only the invariants affected since the last call."""
        state = self.state
        try:
            since = None if self._sound is None else [step.journal for step in self.steps[self._sound :]]
            broken = self.machine.broken(state, since)
        except ProgramFaultError as fault:
            raise self.fault(fault) from None
        self._sound = None if broken else len(self.steps)
        return broken

    def fault(self, fault: ProgramFaultError, program: ir.Program | None = None) -> RulesetFaultError:
        """A program fault as an error in the ruleset; `program` is the faulting program, by default this position's."""
        return _placed(fault, program or self.program)


def position_of(machine: Machine, cells: Sequence[int]) -> Position:
    """A position with the given state and no history.

    Args:
        machine: the machine that runs the program.
        cells: the values of the program's cells.
    """
    result = Position(machine)
    machine.write(result._state, dict(enumerate(cells)))
    result._asked = machine.asked.get(result._state[ir.PC], -1)
    result._begun = True
    return result


def _placed(fault: ProgramFaultError, program: ir.Program) -> RulesetFaultError:
    """A fault with its place in the rules."""
    if isinstance(fault, UnlistedError):
        help_ = "test a given option, or draw one; to list all options, choose fewer members, or use a smaller set"
        return UnlistedOptionsError(
            Diagnostic("RS418", Severity.ERROR, fault.detail, fault.span, help=help_), fault.number
        )
    if fault.site < 0:
        help_ = "bound loops and the ranges of parameters more tightly"
        if fault.span is None:  # the steps are anywhere between two decisions
            help_ = "bound loops, calls and searches for paths more tightly, wherever they run before the next decision"
        return RulesetFaultError(Diagnostic("RS704", Severity.ERROR, fault.detail, fault.span, help=help_))
    span, message = program.sites[fault.site]
    detail = f" ({note})" if (note := fault.culprits(program)) else ""
    help_ = "add a condition that prevents this"
    return RulesetFaultError(Diagnostic("RS703", Severity.ERROR, message + detail, span, help=help_))


def _too_many(asked: ir.Decision) -> ProgramFaultError:
    return ProgramFaultError(-1, f"`{asked.name}` has more than {MAX_LISTED:,} options", span=asked.span)
