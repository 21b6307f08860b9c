"""A game in progress, with names: the open decision, its legal options, apply, undo, copy, hash, result.

Example::

    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    while not game.is_over:
        game.apply(random.choice(game.legal_options))
    print(game.result)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.game import scoring
from rulespec.engine.game.guarded import NOT_YOURS, guarded_refusal
from rulespec.engine.game.inspected import TABLE, Inspected
from rulespec.engine.game.legal_options import LegalOptions, OptionsAtOnce, offers
from rulespec.engine.game.machines import Backend, Machines, machine
from rulespec.engine.game.notation import words
from rulespec.engine.game.option import Decision, IllegalOptionError, Option, OptionKind, Refusal, Result
from rulespec.engine.game.option_lists import among
from rulespec.engine.game.position import Position
from rulespec.engine.game.query import Queries
from rulespec.engine.game.refusal import refused, stood_for, why_never, why_not
from rulespec.engine.game.seating import check_settings, seated
from rulespec.engine.game.state_fields import Plain
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.typed import nodes as typed
from rulespec.typed.teams import teams

if TYPE_CHECKING:
    import random

    from rulespec.engine.game.views import View


class TakenBack(Struct, frozen=True):
    """Decisions taken back at once.

    A field is named as in rules: `card` if it is the game's, `player.points` if every player has it.

    Attributes:
        decisions: how many; 0 if only fields are set.
        keep: the state fields that are not taken back with them.
        set: fields of the game itself, and what they hold afterwards.
    """

    decisions: int
    keep: tuple[str, ...] = ()
    set: tuple[tuple[str, Plain], ...] = ()


class Game(Inspected):
    """A game of a ruleset.

    Args:
        ruleset: a checked ruleset.
        seats: names of the players in clockwise order, any texts; or their ids with the names. Names that can all
            be ids are the ids, too; with any other name, ids are those of the rules, or `A`, `B`, …
        settings: what the table switches, by name; the rest has its defaults.
        backend: how the rules are run, by its name or as a function that makes the machine; all do the same.
        start: a call of a procedure, such as `turn(red)`, with which the game begins instead of its own start.

    Raises:
        DiagnosticsError: if the seats, the settings or the start do not fit the ruleset.

    Every member that runs rules raises RulesetFaultError if they turn out to be at fault; nothing has changed then.
    """

    def __init__(
        self,
        ruleset: typed.Ruleset,
        seats: Sequence[str] | Mapping[str, str],
        settings: Mapping[str, str | int] | None = None,
        backend: Backend | Machines = "python",
        start: str | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.names = seated(ruleset, seats)
        """Seat → the name that people see."""
        self.seats = tuple(self.names)
        self.settings = check_settings(ruleset, settings or {})
        runs = machine(ruleset, len(self.seats), self.settings, backend)
        self._words = words(runs, ruleset, self.seats)
        self._queries = Queries(ruleset, self.seats, self.settings)
        self.position = Position(runs, None if start is None else lambda state: self._enter(start, state))
        """Low-level access: the state as integers."""
        self._listed = LegalOptions if runs.listing is None else OptionsAtOnce

    def copy(self) -> Game:
        """An independent copy, history included."""
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin.position = self.position.copy()
        return twin

    def anew(self) -> Game:
        """A new game at the same table, from the game's own start."""
        return Game(self.ruleset, self.names, self.settings, lambda *_: self.position.machine)

    def __repr__(self) -> str:
        played = f"<Game {self.ruleset.ref}, {', '.join(self.shown_names.values())}, {self.ply} decisions"
        result, decision = self.result, self.decision
        if result is not None:
            return f"{played}, over: {result.ending}>"
        assert decision is not None
        return f"{played}, {decision.name} by {decision.by or 'chance'}>"

    def __str__(self) -> str:
        """The status of the game: the open decision or the ending, and the points of each seat."""
        names = self.shown_names
        result, decision = self.result, self.decision
        head = f"{self.ruleset.title}, {self.ply} decision{'s' * (self.ply != 1)}; "
        if result is not None:
            how = f"over: {result.ending}, won by {', '.join(names[seat] for seat in result.winners) or 'nobody'}"
        else:
            assert decision is not None
            who = "chance" if decision.by is None else names[decision.by]
            how = f"`{decision.name}` is open, for {who}"
        points = result.scores if result is not None else scoring.points(self.position, self.seats)
        best = sorted(self.seats, key=lambda seat: -points.get(seat, 0))
        lines = [head + how, ", ".join(f"{names[seat]} {points[seat]}" for seat in best if seat in points)]
        return "\n".join(line for line in lines if line)

    # --- decisions and options -----------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """The open decision; None when the game is over."""
        number = self.position.asked
        if number < 0:
            return None
        d = self.position.program.decisions[number]
        return Decision(d.name, self._seat(self.position.decider()), d.doc, bool(d.held), self._deciders())

    @property
    def legal_options(self) -> LegalOptions:
        """The legal options of the decider; empty when the game is over."""
        position = self.position
        return self._listed(position, self._words)

    @property
    def interrupts(self) -> LegalOptions:
        """The legal options out of turn, each with a seat that may take it."""
        return LegalOptions(self.position, self._words, True)

    @property
    def option_kinds(self) -> tuple[OptionKind, ...]:
        """The kinds of options of the open decision, by the number of their choice; none when the game is over."""
        return self._words.kinds[self.position.asked]

    def options_of(self, seat: str) -> list[Option]:
        """The options of a seat now: the legal options if it may decide, and its interrupts."""
        decision = self.decision
        may = decision is not None and seat in (decision.among or (decision.by,))
        own = [replace(option, by=seat) for option in self.legal_options] if may else []
        return own + [option for option in self.interrupts if option.by == seat]

    def parse(self, text: str, by: str | None = None, decision: str = "") -> Option:
        """The option of the open decision that a text such as `take(harbour)` names, legal or not.

        Args:
            text: the option's name, and its arguments in brackets.
            by: who acts, which is checked; where several may, the one who leads if left out.
            decision: the decision's name; only checked against the open one if given.

        Raises:
            ValueError: if the decision has no such option, or its arguments name nothing; the message says which.
        """
        number = self.position.asked
        if number < 0:
            raise ValueError("the game is over")
        choice, args = self._words.reader.read(number, text, decision)
        kind = self._words.kinds[number][choice]
        actor = self._seat(self.position.actor(choice, args))
        if by is not None and actor != by:
            deciders = () if kind.interrupt else self._deciders()
            if by not in deciders:
                meant = " or ".join(deciders) or actor or "chance"
                raise ValueError(f"`{text}` is for {meant} to do, not for {by}")
            actor = by
        return Option(kind, args, actor)

    def is_legal(self, option: Option) -> bool:
        """Whether the option may be taken now."""
        if not offers(self.option_kinds, option.kind):
            return False
        return self.position.is_legal(option.kind.choice, option.args)

    def why_not(self, option: Option, seat: str | None = TABLE) -> Refusal | None:
        """The reason why the option is illegal: the first condition that fails. None if it is legal.

        Args:
            option: an option.
            seat: the reader, who gets the part it may know (None: the public part); left out, the whole reason.
        """
        number = self.position.asked
        if number < 0:
            return refused("the game is over")
        program = self.position.program
        d = program.decisions[number]
        if not offers(self.option_kinds, option.kind):
            return refused(f"the open decision is `{d.name}`, not `{option.decision}`", d.span)
        choice = d.choices[option.kind.choice]
        if seat != TABLE and not self._own(option, seat):
            return refused(NOT_YOURS)
        if self.is_legal(option):
            return None
        if instead := self.position.standing(option.kind.choice, option.args):
            return stood_for(Option(option.kind, instead, option.by), d.span)
        if seat is not None and seat != TABLE:
            state = self.watcher.guarded(self.position.state, self.seats.index(seat))
            return guarded_refusal(program, self.labels, choice, option.args, state)
        return why_not(self.position.value, self.labels, choice, option.args, program.slots + 1)

    def _own(self, option: Option, seat: str | None) -> bool:
        """Whether an option of the open decision, legal or not, is a seat's own."""
        if seat is None:
            return False
        if option.interrupt:
            return self._seat(self.position.actor(option.kind.choice, option.args)) == seat
        return seat in (self._deciders() or (self._seat(self.position.decider()),))

    # --- moves -------------------------------------------------------------------------------------

    def apply(self, option: Option) -> None:
        """Takes an option.

        Raises:
            IllegalOptionError: if it is not legal; nothing has changed then.
        """
        position = self.position
        # Nothing is tested again that has been listed in this very position.
        if option.legal_at != position.stamp and not among(position.offered, option):
            if not self.is_legal(option) and (refusal := self.why_not(option)) is not None:
                raise IllegalOptionError(str(option), refusal)
            kind = self._words.kinds[position.asked][option.kind.choice]
            if kind is not option.kind:  # of another game of the same rules, whose program has other numbers
                option = Option(kind, option.args, option.by)
        position.take(option)

    def apply_text(self, text: str, by: str | None = None, decision: str = "") -> Option:
        """Takes the option that a text names, and returns it. Arguments and errors are those of `parse` and `apply`."""
        option = self.parse(text, by, decision)
        position = self.position
        if not position.is_legal(option.kind.choice, option.args) and (refusal := self.why_not(option)) is not None:
            raise IllegalOptionError(str(option), refusal)
        position.take(option)
        return option

    def undo(self) -> Option:
        """Takes the last decision back, and returns it.

        Raises:
            IndexError: if there is none.
        """
        return self.position.undo()

    def take_back(self, back: TakenBack) -> None:
        """Takes several decisions back; the fields that `back` keeps hold what they hold now.

        Raises:
            IndexError: if there are not so many.
            ValueError: if something to keep is no state field, or a field to set does not hold that. Nothing has
                changed then.
        """
        if not (0 if back.set else 1) <= back.decisions <= self.ply:
            raise IndexError(f"there are not {back.decisions} decisions to take back")
        held = {at: self.position.state[at] for name in back.keep for at in self.fields.cells(name)}
        held.update(self.fields.filled(name, value) for name, value in back.set)
        for _ in range(back.decisions):
            self.position.undo()
        self.position.write(held)

    @property
    def ply(self) -> int:
        """The number of decisions taken."""
        return self.position.ply

    @property
    def history(self) -> list[Option]:
        """The decisions taken, first to last."""
        return self.position.history

    # --- where the game stands -------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.position.asked < 0

    @property
    def result(self) -> Result | None:
        """The result of the game; None while it goes on."""
        return scoring.result(self.position, self.seats, self.teams)

    @property
    def teams(self) -> tuple[str, ...]:
        """The team of each seat; empty if there are no teams."""
        return teams(self.ruleset.declarations)[: len(self.seats)]

    @property
    def hash(self) -> str:
        """16 hex digits that depend on the state alone: the same on every machine and Python version."""
        return self.position.hash

    def view(self, seat: str | None) -> View:
        """The view of a seat, as a value that holds nothing else; None: the public view.

        Raises:
            ValueError: if there is no such seat.
            RulesetFaultError: if the rules are at fault where options are looked at.
        """
        from rulespec.engine.game.views import view_of  # lazily: most games are not looked at

        if seat is not None and seat not in self.seats:
            raise ValueError(f"there is no seat `{seat[:80]}`")
        try:
            return view_of(self, seat)
        except ProgramFaultError as fault:
            raise self.position.fault(fault) from None

    def determinize(self, seat: str, rng: random.Random) -> Game:
        """A game that the seat cannot tell from this one; see `rulespec.engine.game.determinize`."""
        from rulespec.engine.game.determinize import determinize

        return determinize(self, seat, rng)

    def why_none(self) -> list[str]:
        """Why the open decision has no legal option: a line for each of its options and reasons."""
        program = self.position.program
        found = []
        for choice in program.decisions[self.position.asked].choices if self.position.asked >= 0 else ():
            if choice.by is None:
                found += why_never(self.position.value, self.labels, choice, program.slots + 1)
        return found

    def _deciders(self) -> tuple[str, ...]:
        """The seats any of which may take the open decision; empty if only its decider may."""
        return tuple(self.labels.plain(f"set {self.ruleset.declarations.player_kind}", self.position.deciders()))

    def _seat(self, number: int) -> str | None:
        return self.seats[number] if number >= 0 else None
