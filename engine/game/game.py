"""A game in progress: the open decision, its legal options, apply, undo, clone, hash, result.

The interface is meant to feel like python-chess:

    game = Game(ruleset, ["Ann", "Bob"])
    while not game.is_over:
        game.apply(random.choice(list(game.options)))
    print(game.result)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, did_you_mean
from rulespec.engine.game.machines import Backend, Machines, check_seats, check_settings, machine
from rulespec.engine.game.notation import words
from rulespec.engine.game.option import (
    Decision,
    IllegalOptionError,
    Option,
    OptionKind,
    Refusal,
    Result,
    RulesetFaultError,
)
from rulespec.engine.game.position_hash import change, digits, weights, whole
from rulespec.engine.game.query import Asker
from rulespec.engine.game.refusal import refused, why_not
from rulespec.engine.program import ir
from rulespec.engine.program.interpreter import Journal, ProgramFaultError, restore
from rulespec.typed import nodes as typed

MAX_LISTED = 100_000


_stamps = count(1)
"""Numbers for positions: no two of any games have the same."""


class _Step(Struct, gc=False):
    """A decision that has been taken: what was written over, and the hash of the position before, if it is known."""

    journal: Journal
    option: Option
    before: int | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Decisions taken back at once: how many, and the state fields that are not taken back with them.

    A field is named as in rules: `card` if it is the game's, `player.points` if every player has it.
    """

    decisions: int
    keep: tuple[str, ...] = ()


class Game:
    """A game of a ruleset.

    Args:
        ruleset: a checked ruleset.
        seats: names of the players in clockwise order.
        settings: values for the ruleset's settings; those not named have their defaults.
        backend: how the rules are run, by its name or as what makes the machine; all do the same.
        start: a call of a procedure, such as `turn(red)`, with which the game begins instead of its own start.

    Raises:
        DiagnosticsError: if the seats, the settings or the start do not fit the ruleset.
    """

    def __init__(
        self,
        ruleset: typed.Ruleset,
        seats: Sequence[str],
        settings: Mapping[str, str | bool] | None = None,
        backend: Backend | Machines = "python",
        start: str | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.seats = tuple(seats)
        self.settings = check_settings(ruleset, settings or {})
        check_seats(ruleset, self.seats)
        self._machine = machine(ruleset, len(self.seats), self.settings, backend)
        self.program = self._machine.p
        self._cells = len(self.program.cells)
        found = words(self._machine, ruleset, self.seats)
        self.labels, self._kinds, self._reader = found.labels, found.kinds, found.reader
        self._asker = Asker(ruleset, self.seats, self.settings)
        self._start = start
        self._state: list[int] = self._machine.start()
        self._weights = weights(self._cells, len(self._state))
        self._begun = False
        self._asked = -1
        self._past: list[_Step] = []
        self._shared = False  # whether a clone has the same two lists, so that they must be copied before they change
        self._stamp = next(_stamps)
        self._sum: int | None = None  # that of the hash, if somebody has asked for it here
        self._held: int | None = None  # after how many decisions all invariants were seen to hold, if they were

    # --- where the game stands -------------------------------------------------------------

    def begin(self) -> None:
        """Runs to the first decision. Whatever asks the game where it stands does so by itself."""
        self._position()

    def _position(self) -> list[int]:
        """The state, after the game has begun."""
        if not self._begun:
            state = list(self._state)
            block = self.program.main
            if self._start is not None:
                try:
                    name, values = self._asker.call(self._start, state)
                except ProgramFaultError as fault:
                    raise RulesetFaultError(self._diagnostic(fault, self._asker.sites)) from None
                block, cells = self.program.entries[name]
                state[cells[0]] = ir.END
                for at, value in zip(cells[1:], values, strict=True):
                    state[at] = value
            try:
                self._machine.run(state, block)
            except ProgramFaultError as fault:
                raise RulesetFaultError(self._diagnostic(fault)) from None
            self._state = state
            self._asked = self._machine.asked.get(state[ir.PC], -1)
            self._begun = True
        return self._state

    def _diagnostic(self, fault: ProgramFaultError, sites: Sequence[tuple[Span, str]] | None = None) -> Diagnostic:
        if fault.site < 0:
            help_ = "bound loops and the ranges of parameters more tightly"
            return Diagnostic("RS704", Severity.ERROR, fault.detail, None, help=help_)
        span, message = (self.program.sites if sites is None else sites)[fault.site]
        detail = f" ({fault.detail})" if fault.detail else ""
        help_ = "guard it with a condition, so that it cannot happen"
        return Diagnostic("RS703", Severity.ERROR, message + detail, span, help=help_)

    def _value(self, e: ir.Expr, args: tuple[int, ...]) -> int:
        try:
            return self._machine.value(e, self._state, args)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None

    def _decider(self, decision: int) -> int:
        try:
            return self._machine.decider(self._state, decision)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._position()[ir.ENDING] != 0

    @property
    def asked(self) -> int:
        """The number of the open decision among those of the program; -1 when the game is over."""
        if not self._begun:
            self._position()
        return self._asked

    @property
    def decision(self) -> Decision | None:
        """The open decision; None when the game is over."""
        number = self.asked
        if number < 0:
            return None
        d = self.program.decisions[number]
        who = self._decider(number)
        return Decision(d.name, self.seats[who] if who >= 0 else None, d.doc, d.together)

    @property
    def own_options(self) -> list[Option]:
        """The decider's legal options, all at once: the first of `options`, up to what others may do meanwhile."""
        number = self.asked
        if number < 0:
            return []
        kinds, stamp = self._kinds[number], self._stamp
        who = self._decider(number)
        by = self.seats[who] if who >= 0 else None
        try:
            listed = islice(self._machine.own(self._state, number), MAX_LISTED + 1)
            found = [Option(kinds[k], args, by, stamp) for k, args, _ in listed]
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None
        if len(found) > MAX_LISTED:
            raise RulesetFaultError(self._diagnostic(ProgramFaultError(-1, f"more than {MAX_LISTED:,} options")))
        return found

    @property
    def options(self) -> Iterator[Option]:
        """The legal options, listed one by one: the decider's own first, then what others may do meanwhile."""
        number = self.asked
        return self.options_of(range(len(self._kinds[number])) if number >= 0 else ())

    def options_of(self, choices: Collection[int]) -> Iterator[Option]:
        """Those of `options` that are of some of the open decision's choices, by their numbers."""
        number = self.asked
        if number < 0:
            return
        kinds = self._kinds[number]
        state, seats, stamp = self._state, self.seats, self._stamp
        listed = 0
        try:
            if not all(kinds[k].interrupt for k in choices):
                who = self._machine.decider(state, number)
                by = seats[who] if who >= 0 else None
                for k, args, _ in self._machine.own(state, number):
                    listed += 1
                    if listed > MAX_LISTED:
                        raise ProgramFaultError(-1, f"more than {MAX_LISTED:,} options")
                    if k in choices:
                        yield Option(kinds[k], args, by, stamp)
            if any(kinds[k].interrupt for k in choices):
                for k, args, who in self._machine.interrupts(state, number):
                    listed += 1
                    if listed > MAX_LISTED:
                        raise ProgramFaultError(-1, f"more than {MAX_LISTED:,} options")
                    if k in choices:
                        yield Option(kinds[k], args, seats[who] if who >= 0 else None, stamp)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None

    def _offers(self, decision: int, kind: OptionKind) -> bool:
        """Whether an option of this kind belongs to a decision."""
        kinds = self._kinds[decision]
        if kind.choice >= len(kinds):
            return False
        here = kinds[kind.choice]
        return here is kind or (here.decision, here.name) == (kind.decision, kind.name)

    def _slots(self, choice: ir.Choice, args: tuple[int, ...]) -> tuple[int, ...]:
        slots = [0] * (self.program.slots + 1)
        for param, value in zip(choice.params, args, strict=True):
            slots[param.slot] = value
        return tuple(slots)

    def weight(self, option: Option) -> int:
        """How often a chance option comes up, against the others."""
        choice = self.program.decisions[self.asked].choices[option.kind.choice]
        if choice.weight is None:
            return 1
        return self._value(choice.weight, self._slots(choice, option.args))

    # --- single options --------------------------------------------------------------------

    def parse(self, text: str, by: str | None = None, decision: str = "") -> Option:
        """The option of the open decision that a text such as `take(harbour)` names, legal or not.

        Args:
            text: the option's name, and its arguments in brackets.
            by: who acts; only checked against the option if given.
            decision: the decision's name; only checked against the open one if given.

        Raises:
            ValueError: if the decision has no such option, or its arguments name nothing; the message says which.
        """
        return self._parsed(self.asked, text, by, decision)

    def _parsed(self, number: int, text: str, by: str | None, decision: str) -> Option:
        if number < 0:
            raise ValueError("the game is over")
        k, args = self._reader.read(number, text, decision)
        kind = self._kinds[number][k]
        actor = self._actor(number, kind, args)
        if by is not None and actor != by:
            raise ValueError(f"`{text}` is for {actor or 'chance'} to do, not for {by}")
        return Option(kind, args, actor)

    def option(self, choice: int, args: tuple[int, ...], by: str | None) -> Option:
        """An option of the open decision by its number and its arguments as numbers, legal or not."""
        return Option(self._kinds[self.asked][choice], args, by)

    def is_legal(self, option: Option) -> bool:
        """Whether the option may be taken now."""
        return self._legal(self.asked, option)

    def _legal(self, number: int, option: Option) -> bool:
        kind = option.kind
        if number < 0 or not self._offers(number, kind):
            return False
        try:
            return self._machine.is_legal(self._state, number, kind.choice, option.args)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None

    def legal(self, choice: int, args: tuple[int, ...]) -> Option | None:
        """The option of the open decision by its number and its arguments as numbers; None if it is not legal."""
        number = self.asked
        if number < 0:
            return None
        kind = self._kinds[number][choice]
        try:
            if not self._machine.is_legal(self._state, number, choice, args):
                return None
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None
        return Option(kind, args, self._actor(number, kind, args), self._stamp)

    def _actor(self, number: int, kind: OptionKind, args: tuple[int, ...]) -> str | None:
        """The seat that would take an option of a decision."""
        machine, state = self._machine, self._state
        try:
            who = machine.actor(state, number, kind.choice, args) if kind.interrupt else machine.decider(state, number)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None
        return self.seats[who] if who >= 0 else None

    def why_not(self, option: Option) -> Refusal | None:
        """Why the option may not be taken: the first condition that fails. None if it is legal."""
        number = self.asked
        if number < 0:
            return refused("the game is over")
        if self.is_legal(option):
            return None
        d = self.program.decisions[number]
        if not self._offers(number, option.kind):
            return refused(f"the open decision is `{d.name}`, not `{option.decision}`", d.span)
        return why_not(self._value, self.labels, d.choices[option.kind.choice], option.args, self.program.slots + 1)

    # --- moves -----------------------------------------------------------------------------

    def apply(self, option: Option) -> None:
        """Takes an option.

        Raises:
            IllegalOptionError: if it is not legal; nothing has changed then.
            RulesetFaultError: if the rules turn out to be at fault; nothing has changed then either.
        """
        number = self.asked
        listed = option.legal_at == self._stamp  # in this very position: then it is legal
        if not listed and not self._legal(number, option) and (refusal := self.why_not(option)) is not None:
            raise IllegalOptionError(str(option), refusal)
        self._take(self._kinds[number][option.kind.choice], option)

    def take(self, text: str, by: str | None = None, decision: str = "") -> Option:
        """Takes the option that a text names. Arguments and errors are those of `parse` and of `apply`."""
        number = self.asked
        option = self._parsed(number, text, by, decision)
        try:
            legal = self._machine.is_legal(self._state, number, option.kind.choice, option.args)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None
        if not legal and (refusal := self.why_not(option)) is not None:
            raise IllegalOptionError(str(option), refusal)
        self._take(option.kind, option)
        return option

    def _take(self, kind: OptionKind, option: Option) -> None:
        """Takes an option that is legal; `kind` is its kind at the open decision."""
        if self._shared:
            self._unshare()
        machine, state = self._machine, self._state
        try:
            journal = machine.run(state, kind.block, option.args)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None
        self._past.append(_Step(journal, option, self._sum))
        self._asked = machine.asked.get(state[ir.PC], -1)
        self._stamp = next(_stamps)
        self._sum = None

    def undo(self) -> Option:
        """Takes the last decision back, and returns it.

        Raises:
            IndexError: if there is none.
        """
        if not self._past:
            raise IndexError("there is no decision to take back")
        self._unshare()
        step = self._past.pop()
        restore(self._state, step.journal)
        self._asked = self._machine.asked.get(self._state[ir.PC], -1)
        self._stamp = next(_stamps)
        self._sum = step.before
        self._held = None
        return step.option

    def take_back(self, back: TakenBack) -> None:
        """Takes several decisions back; the fields that `back` keeps hold what they hold now.

        Raises:
            IndexError: if there are not so many.
            ValueError: if something to keep is no state field. Nothing has changed then.
        """
        if not 0 < back.decisions <= len(self._past):
            raise IndexError(f"there are not {back.decisions} decisions to take back")
        kept = {at: self._state[at] for name in back.keep for at in self._field_cells(name)}
        for _ in range(back.decisions):
            self.undo()
        self._set(kept)

    def _set(self, values: Mapping[int, int]) -> None:
        """Puts values into cells between two decisions: taking back the one before takes them back, too."""
        self._unshare()
        journal = self._machine.write(self._state, values)
        if self._past:
            step = self._past[-1]  # a clone may have the same
            self._past[-1] = _Step(step.journal + journal, step.option, step.before)
        self._stamp = next(_stamps)
        self._sum = self._held = None

    def _field_cells(self, name: str) -> list[int]:
        """Where the state vector holds a field."""
        if name not in self._fields:
            hint = did_you_mean(name, self._fields)
            raise ValueError(f"there is no state field `{name[:80]}`" + (f"; {hint}" if hint else ""))
        account, cells = self._fields[name]
        if account:
            raise ValueError(f"`{name}` is an account, and money is neither made nor lost")
        return cells

    @cached_property
    def _fields(self) -> dict[str, tuple[bool, list[int]]]:
        """Every field, whether it is an account, and its cells."""
        declarations = self.ruleset.declarations
        groups = [("game", "", declarations.fields)]
        groups += [(kind.name, f"{kind.name}.", kind.state) for kind in declarations.kinds.values()]
        found = {(group, f.name): (prefix + f.name, f.account) for group, prefix, of in groups for f in of.values()}
        fields: dict[str, tuple[bool, list[int]]] = {name: (account, []) for name, account in found.values()}
        for i, cell in enumerate(self.program.cells):
            if (cell.group, cell.name) in found:
                fields[found[cell.group, cell.name][0]][1].append(i)
        return fields

    @property
    def last(self) -> Option | None:
        """The last decision taken; None if there is none."""
        return self._past[-1].option if self._past else None

    @property
    def ply(self) -> int:
        """The number of decisions taken."""
        return len(self._past)

    @property
    def history(self) -> list[Option]:
        """The decisions taken, first to last."""
        return [step.option for step in self._past]

    def clone(self) -> Game:
        """An independent copy, history included. What both have in common is copied when one of them changes."""
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        self._shared = twin._shared = True
        return twin

    def go_to(self, other: Game) -> None:
        """Stands where another game of the same rules and players does, history included; that game stays its own."""
        other._shared = True
        self.__dict__.update(other.__dict__)

    def _unshare(self) -> None:
        """Takes lists of its own before they change."""
        if self._shared:
            self._state, self._past, self._shared = self._state.copy(), self._past.copy(), False

    @property
    def live(self) -> list[int]:
        """The state as numbers, not a copy: only to be looked at, and only until the next decision is taken.

        It begins with the cells of the program. Behind them the backend may have some of its own.
        """
        return self._position()

    @property
    def cells(self) -> tuple[int, ...]:
        """The whole state as numbers; `program.cells` says what they are."""
        return tuple(self._position()[: self._cells])

    @property
    def hash(self) -> str:
        """16 hex digits that depend on the state alone: the same on every machine and Python version."""
        if self._sum is None:
            if self._past:
                last = self._past[-1]
                grown = change(self._state, last.journal, self._weights)
                if last.before is None:  # noted, so that it is known for all other decisions of that position, too
                    last.before = whole(self._state, self._weights) - grown
                self._sum = last.before + grown
            else:
                self._sum = whole(self._position(), self._weights)
        return digits(self._sum)

    # --- outcome ---------------------------------------------------------------------------

    @property
    def result(self) -> Result | None:
        """How the game ended; None while it goes on."""
        if not self.is_over:
            return None
        state = self._state
        ranks = self._ranks()
        if state[ir.WINNERS] >= 0:
            winners = [s for i, s in enumerate(self.seats) if state[ir.WINNERS] >> i & 1]
        else:
            best = max(ranks, default=())
            winners = [s for s, rank in zip(self.seats, ranks, strict=True) if rank == best] if ranks else []
        scores = {s: rank[0] for s, rank in zip(self.seats, ranks, strict=True)} if ranks else {}
        return Result(self.program.endings[state[ir.ENDING] - 1], scores, winners)

    def scores(self) -> dict[str, int]:
        """The points of each seat as they stand; empty if the ruleset has no scoring."""
        self._position()
        ranks = self._ranks()
        return {s: rank[0] for s, rank in zip(self.seats, ranks, strict=True)} if ranks else {}

    def _ranks(self) -> list[tuple[int, ...]]:
        """For each seat its points and then what breaks ties."""
        scoring = self.program.scoring
        if scoring is None:
            return []
        value = self._value
        ranks = []
        for seat in range(len(self.seats)):
            rank = [value(scoring.score, (seat,))]
            for t in scoring.tiebreaks:
                if t.source is None or t.key is None:
                    rank.append(value(t.value, (seat,)))
                    continue
                mask = value(t.source, (seat,))
                found = [i for i in range(mask.bit_length()) if mask >> i & 1]
                keys = {i: value(t.key, (seat, i)) for i in found}
                found.sort(key=lambda i: (-keys[i], i))
                rank += [value(t.value, (seat, i)) for i in found]
            ranks.append(tuple(rank))
        return ranks

    def check_invariants(self) -> list[str]:
        """The invariants that do not hold, each as its name and text."""
        try:
            position = self._position()
            since = None if self._held is None else [step.journal for step in self._past[self._held :]]
            broken = self._machine.broken(position, since)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault)) from None
        self._held = None if broken else self.ply
        found = [self.program.invariants[i] for i in broken]
        return [f"{v.name}: {v.condition.reason}" if v.condition.reason != v.name else v.name for v in found]

    # --- looking at the state --------------------------------------------------------------

    def state(self, viewer: str | None = None) -> dict[str, Any]:
        """The state for JSON: entities (kind → id → field → value) and pieces (type → owner → place → count).

        Piles that are empty are left out. With a `viewer`, what is private to other seats is null.
        """
        entities: dict[str, dict[str, dict[str, Any]]] = {}
        pieces: dict[str, dict[str, dict[str, int]]] = {}
        player = self.ruleset.declarations.player_kind
        state = self._position()
        for cell, value in zip(self.program.cells, state, strict=False):
            if cell.group == "rules":
                continue
            if cell.group == "pieces":
                if value:
                    place = cell.place
                    if cell.index_kind:
                        place = f"{place}[{self.labels.names[cell.index_kind][cell.index]}]"
                    pieces.setdefault(cell.name, {}).setdefault(cell.owner, {})[place] = value
                continue
            owner = self.seats[int(cell.owner)] if cell.group == player else cell.owner
            hidden = viewer is not None and owner != viewer and self._private(cell.private)
            shown = None if hidden else self.labels.plain(cell.type, value)
            entities.setdefault(cell.group, {}).setdefault(owner, {})[cell.name] = shown
        return {"entities": entities, "pieces": pieces}

    def _private(self, private: str) -> bool:
        return private == "true" or self.settings.get(private) == "true"

    def value(self, text: str) -> str:
        """The value of an expression of the rules language in this state; seats may be written by their names.

        Raises:
            DiagnosticsError: if it is not a correct expression.
        """
        try:
            return self.labels.show(*self._asker.value(text, self._position()))
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault, self._asker.sites)) from None

    def set_value(self, target: str, value: str) -> None:
        """Puts a value into a state field, an account or a place of pieces, for set-ups that are given.

        Pieces come out of (go back to) the pile's first place, money out of (to) an unlimited account of its unit.

        Raises:
            DiagnosticsError: if the target or the value do not fit, or the pile does not hold so many pieces.
        """
        state = self._state.copy()
        try:
            self._asker.assign(target, value, state)
        except ProgramFaultError as fault:
            raise RulesetFaultError(self._diagnostic(fault, self._asker.sites)) from None
        self._set({at: new for at, (old, new) in enumerate(zip(self._state, state, strict=True)) if old != new})
