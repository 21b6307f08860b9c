"""A game in progress: its decisions, options, undo, copies, hash and result, by readable names.

Example::

    game = Game(load_ruleset("tutorial"), ["Ann", "Bob"])
    while not game.is_over:
        game.apply(random.choice(game.legal_options))
    print(game.result)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from rulespec.engine.game import measured
from rulespec.engine.game.drafted import shown_position
from rulespec.engine.game.events import Event, Events
from rulespec.engine.game.legal_options import LegalOptions, OptionsAtOnce, offers
from rulespec.engine.game.machines import Backend, Machines, machine
from rulespec.engine.game.named_state import path
from rulespec.engine.game.notation import among
from rulespec.engine.game.omniscient import OMNISCIENT, Omniscient, Session
from rulespec.engine.game.option import Decision, IllegalOptionError, Option, Refusal, Result
from rulespec.engine.game.position import Position, position_of
from rulespec.engine.game.refusal import refused, stood_for, why_not
from rulespec.engine.game.seat_names import shown_names
from rulespec.engine.game.seating import check_settings, seated
from rulespec.engine.game.secrets import NOT_YOURS, PUBLIC, guarded_refusal
from rulespec.engine.game.views import View, seen_option, shown_state
from rulespec.engine.game.visibility import digest
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.machine import Machine
from rulespec.errors import RulespecError
from rulespec.pictures import picture
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import teams


class Game:
    """A game of a ruleset.

    Args:
        ruleset: a checked ruleset.
        seats: the names of the players in clockwise order, which may be any texts, or a mapping from ids to names. If
            all names are valid ids, they serve as ids; otherwise the ids are the names in the rules, or `A`, `B`, …
        settings: the settings of the table, by name; omitted settings take their defaults.
        backend: the machine that runs the rules, by name or as a factory; all are equivalent.
        start: a procedure call, such as `turn(red)`, that replaces the usual start of the game.

    Raises:
        DiagnosticsError: if the seats, the settings or the start do not fit the ruleset.

    If the rules fault, the method or property that runs them raises RulesetFaultError and leaves the game unchanged.
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
        """Seat → display name."""
        self.seats = tuple(self.names)
        self.settings = check_settings(ruleset, settings or {})
        runs = machine(ruleset, len(self.seats), self.settings, backend)
        self._session = Session(ruleset, self.seats, self.settings, runs)
        self._words = self._session.words
        self._listed = LegalOptions if runs.listing is None else OptionsAtOnce
        self._position = Position(runs, None if start is None else lambda state: self.omniscient.enter(start, state))

    def copy(self) -> Game:
        """An independent copy, including the history."""
        twin = object.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin._position = self._position.copy()
        return twin

    @property
    def omniscient(self) -> Omniscient:
        """Unrestricted access to the game: values, invariants, set-up edits and the state as integers."""
        return Omniscient(self._session, self._position)

    @cached_property
    def shown_names(self) -> dict[str, str]:
        """The displayed name of each seat; see `rulespec.engine.game.seat_names`."""
        return shown_names(self.names)

    def _repr_svg_(self) -> str | None:
        """The board as SVG, for notebooks; None if it cannot be drawn."""
        try:
            return picture(self)
        except RulespecError:  # an invalid drawing file or a missing library: notebooks fall back to text
            return None

    def _repr_html_(self) -> str | None:
        """The board as HTML no wider than the page, for notebooks."""
        svg = self._repr_svg_()
        return None if svg is None else f'<div style="max-width: 100%; overflow-x: auto">{svg}</div>'

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
            how = f"the open decision is `{decision.name}`, by {who}"
        points = result.scores if result is not None else measured.points(self._position, self.seats)
        best = sorted(self.seats, key=lambda seat: -points.get(seat, 0))
        lines = [head + how, ", ".join(f"{names[seat]} {points[seat]}" for seat in best if seat in points)]
        return "\n".join(line for line in lines if line)

    # --- decisions and options -----------------------------------------------------------------

    @property
    def decision(self) -> Decision | None:
        """The open decision; None when the game is over."""
        number = self._position.asked
        if number < 0:
            return None
        d = self._position.program.decisions[number]
        return Decision(d.name, self._seat(self._position.decider()), d.doc, bool(d.held), self._deciders())

    @property
    def legal_options(self) -> LegalOptions:
        """The legal options of the decider; empty when the game is over."""
        position = self._position
        return self._listed(position, self._words)

    def drawn(self, number: Callable[[int, int], int], *, weighing: bool = False) -> Option | None:
        """A random legal option of the decider, drawn uniformly without listing sets and bags.

        Args:
            number: a function of the number of the attempt and a bound, which returns a random number from 0 up to, but
                excluding, the bound.
            weighing: whether to weight options as in playouts; chance options are always weighted.

        Returns:
            The option, or None if there is none.

        Raises:
            RulesetFaultError: if many draws yield no legal option.
        """
        if self._position.asked < 0:
            return None
        listed = self._position.drawn(number, weighing=weighing)
        if listed is None:
            return None
        choice, args, by = listed
        return Option(self._words.kinds[self._position.asked][choice], args, self._seat(by), self._position.stamp)

    @property
    def interrupts(self) -> LegalOptions:
        """The legal out-of-turn options, each with its seat."""
        return LegalOptions(self._position, self._words, True)

    def parse(self, text: str, by: str | None = None, decision: str = "") -> Option:
        """The option of the open decision that a text such as `take(harbour)` names, whether or not the option is
        legal.

        Args:
            text: the option's name, and its arguments in brackets.
            by: the acting seat, which is checked; by default the decider, or the first seat if several may decide.
            decision: if given, the expected name of the open decision.

        Raises:
            ValueError: if the decision has no such option, or an argument is unknown.
        """
        number = self._position.asked
        if number < 0:
            raise ValueError("the game is over")
        choice, args = self._words.reader.read(number, text, decision)
        kind = self._words.kinds[number][choice]
        actor = self._seat(self._position.actor(choice, args))
        if by is not None and actor != by:
            deciders = () if kind.interrupt else self._deciders()
            if by not in deciders:
                meant = " or ".join(deciders) or actor or "chance"
                raise ValueError(f"`{text}` is for {meant} to do, not for {by}")
            actor = by
        return Option(kind, args, actor)

    def is_legal(self, option: Option) -> bool:
        """Whether the option is currently legal."""
        if not offers(self._words.kinds[self._position.asked], option.kind):
            return False
        return self._position.is_legal(option.kind.choice, option.args)

    def why_not(self, option: Option, seat: str | None = OMNISCIENT) -> Refusal | None:
        """The reason why the option is illegal, which is its first failing condition; None if it is legal.

        Args:
            option: the illegal option.
            seat: the reader (None for the public), who gets only the visible part of the reason; by default, the reason
                is complete.
        """
        number = self._position.asked
        if number < 0:
            return refused("the game is over")
        program = self._position.program
        d = program.decisions[number]
        if not offers(self._words.kinds[self._position.asked], option.kind):
            return refused(f"the open decision is `{d.name}`, not `{option.decision}`", d.span)
        choice = d.choices[option.kind.choice]
        if seat != OMNISCIENT and not self._own(option, seat):
            return refused(NOT_YOURS)
        if self.is_legal(option):
            return None
        if instead := self._position.standing(option.kind.choice, option.args):
            return stood_for(Option(option.kind, instead, option.by), d.span)
        if seat is not None and seat != OMNISCIENT:
            state = self._session.visibility.guarded(self._position.state, self.seats.index(seat))
            return guarded_refusal(program, self._words.labels, choice, option.args, state)
        return why_not(self._position.value, self._words.labels, choice, option.args, program.slots + 1)

    def _own(self, option: Option, seat: str | None) -> bool:
        """Whether an option of the open decision, legal or not, belongs to a seat."""
        if seat is None:
            return False
        if option.interrupt:
            return self._seat(self._position.actor(option.kind.choice, option.args)) == seat
        return seat in (self._deciders() or (self._seat(self._position.decider()),))

    # --- moves -------------------------------------------------------------------------------------

    def apply(self, option: Option) -> Option:
        """Takes an option, and returns it.

        Raises:
            IllegalOptionError: if the option is illegal; the game is then unchanged.
        """
        position = self._position
        # Options listed at this very position are not tested again.
        if option.legal_at != position.stamp and not among(position.offered, option):
            if not self.is_legal(option) and (refusal := self.why_not(option)) is not None:
                raise IllegalOptionError(str(option), refusal)
            kind = self._words.kinds[position.asked][option.kind.choice]
            if kind is not option.kind:  # from another game of the same rules, whose program has other numbers
                option = Option(kind, option.args, option.by)
        position.take(option)
        return option

    def undo(self) -> Option:
        """Undoes the last decision, and returns it.

        Raises:
            IndexError: if there is no decision to undo.
        """
        return self._position.undo()

    @property
    def ply(self) -> int:
        """The number of decisions taken."""
        return self._position.ply

    @property
    def history(self) -> list[Option]:
        """The decisions taken, first to last."""
        return self._position.history

    # --- status -----------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._position.asked < 0

    @property
    def result(self) -> Result | None:
        """The result of the game; None until it ends."""
        return measured.result(self._position, self.seats, teams_of(self))

    @property
    def hash(self) -> str:
        """The hash of the state: 16 hex digits, which are the same on every machine and Python version."""
        return self._position.hash

    def view(self, seat: str | None, since: int = 0) -> View:
        """The view of a seat as a self-contained value; None gives the public view.

        Args:
            seat: the viewer.
            since: the number of decisions to omit from the start of the history, which bounds the cost in long games.

        Raises:
            ValueError: if there is no such seat.
            RulesetFaultError: if the rules fault while listing options.
        """
        if seat is not None and seat not in self.seats:
            raise ValueError(f"there is no seat `{seat[:80]}`")
        try:
            return view_of(self, seat, since)
        except ProgramFaultError as fault:
            raise self._position.fault(fault) from None

    def _deciders(self) -> tuple[str, ...]:
        """The seats that may take the open decision, if there are several; otherwise empty."""
        return tuple(
            self._words.labels.plain(f"set {self.ruleset.declarations.player_kind}", self._position.deciders())
        )

    def _seat(self, number: int) -> str | None:
        return self.seats[number] if number >= 0 else None


def take_named(game: Game, text: str, by: str | None, decision: str) -> Option:
    """Takes the named option, like `game.apply(game.parse(text, by, decision))`; faster if the option is legal."""
    position, words = game._position, game._words
    number = position.asked
    if number >= 0:
        choice, args = words.reader.read(number, text, decision)
        option = Option(words.kinds[number][choice], args, by)
        if position.take_legal(option, game.seats):
            return option
    return game.apply(game.parse(text, by, decision))


def renamed(game: Game, seat: str, name: str) -> Game:
    """A copy of the game at the same position, with one seat renamed."""
    twin = game.copy()
    twin.names = {**game.names, seat: name}
    twin.__dict__.pop("shown_names", None)
    return twin


def restarted(game: Game) -> Game:
    """A new game with the same rules, seats, settings and start."""
    return Game(game.ruleset, game.names, game.settings, lambda *_: game._position.machine)


def teams_of(game: Game) -> tuple[str, ...]:
    """The team of each seat; empty if the ruleset has no teams."""
    return teams(game.ruleset.declarations)[: len(game.seats)]


def game_at(game: Game, cells: Sequence[int], machine: Machine | None = None) -> Game:
    """A copy of a game at another state, without history.

    Args:
        game: a game with the same rules, seats and settings.
        cells: the state, as the cells of the program.
        machine: the machine of the copy; by default, the game's own.
    """
    twin = game.copy()
    twin._position = position_of(machine or game._position.machine, cells)
    return twin


def waiting(game: Game) -> tuple[str, ...]:
    """The seats that the game waits for, in order; empty at a chance decision."""
    decision, position = game.decision, game._position
    if decision is None or decision.by is None:
        return ()
    if not decision.together:
        return decision.among or (decision.by,)
    everybody = position.program.decisions[position.asked].all
    assert everybody is not None
    left = position.value(everybody, ()) & ~game.omniscient.visibility.chosen(position.state, position.asked)
    first = game.seats.index(decision.by)
    turns = [(first + i) % len(game.seats) for i in range(len(game.seats))]
    return tuple(game.seats[i] for i in turns if left >> i & 1)


def own_options(game: Game, seat: str) -> Sequence[Option]:
    """The current options of a seat; in a round, they are available even before the preceding seats have chosen."""
    if seat not in waiting(game):
        return []
    asked = asked_of(game, seat)
    return [option for option in seat_options(asked, seat) if not option.interrupt] if asked is not None else []


def seat_options(game: Game, seat: str) -> list[Option]:
    """The current options of a seat: its legal options if it may decide, and its interrupts.

    If there are too many legal options to list, only the interrupts are returned.
    """
    decision = game.decision
    may = decision is not None and seat in (decision.among or (decision.by,)) and not game.legal_options.unlisted
    own = [replace(option, by=seat) for option in game.legal_options] if may else []
    return own + [option for option in game.interrupts if option.by == seat]


def asked_of(game: Game, seat: str) -> Game | None:
    """The game, advanced to a seat's turn in the round; None if an earlier seat has no option.

    All seats of a round choose in the same state, so the other seats' choices make no difference.
    """
    assert game.decision is not None
    if not game.decision.together or game.decision.by == seat:
        return game
    asked = game.copy()
    while asked.decision is not None and asked.decision.by != seat:
        option = next(iter(asked.legal_options), None)
        if option is None:  # an earlier seat has no option, so the game cannot continue
            return None
        asked.apply(option)
    return asked


def view_of(game: Game, seat: str | None, since: int = 0) -> View:
    """The view of a seat; None gives the public view. See `Game.view` for `since`."""
    game = as_shown(game, seat)
    position, labels = game._position, game.omniscient.labels
    program, state = position.program, position.state
    viewer = PUBLIC if seat is None else game.seats.index(seat)
    unseen = game.omniscient.visibility.unseen(state, viewer)
    events = Events(game.omniscient.visibility, position, game.seats, viewer)
    history, memory, observation = events.history(since), events.memory(), game.omniscient.visibility.of(state, viewer)
    result = game.result
    if result is not None:
        memory = digest((memory, result))
    return View(
        seat,
        game.seats,
        dict(game.names),
        shown_state(program, labels, state, unseen),
        _paths(game, unseen),
        game.decision,
        waiting(game),
        tuple(seen_option(option, seat) for option in own_options(game, seat)) if seat is not None else (),
        tuple(seen_option(option, seat) for option in game.interrupts if option.by == seat) if seat is not None else (),
        history,
        position.ply,
        digest((observation.seen, observation.options)).hex(),
        memory.hex(),
        result,
    )


def seen_events(game: Game, seat: str | None, since: int) -> tuple[Event, ...]:
    """The `history` of a seat's view from index `since` on, without the rest of the view."""
    game = as_shown(game, seat)
    viewer = PUBLIC if seat is None else game.seats.index(seat)
    return Events(game.omniscient.visibility, game._position, game.seats, viewer).history(since)


def hidden_paths(game: Game, seat: str | None) -> tuple[str, ...]:
    """The `hidden` part of a seat's view, without the rest of the view."""
    game = as_shown(game, seat)
    viewer = PUBLIC if seat is None else game.seats.index(seat)
    return _paths(game, game.omniscient.visibility.unseen(game._position.state, viewer))


def _paths(game: Game, unseen: Mapping[int, ir.Secret]) -> tuple[str, ...]:
    """The names of hidden cells."""
    labels, cells = game.omniscient.labels, game._position.program.cells
    named = ((cells[at], secret) for at, secret in unseen.items() if cells[at].group != "rules")
    return tuple(dict.fromkeys(path(labels, cell, secret) for cell, secret in named))


def as_shown(game: Game, seat: str | None) -> Game:
    """The game as shown to a viewer, without withdrawn decisions and without another seat's open plan."""
    if seat == OMNISCIENT or not game._position.program.drafts:
        return game
    position = shown_position(game._position, PUBLIC if seat is None else game.seats.index(seat))
    shown = game.copy() if position is not game._position else game
    shown._position = position
    return shown


def seen_cells(game: Game, seat: str | None) -> tuple[int | None, ...]:
    """The numbers in the cells of `shown_cells`, in order; None for cells hidden from the seat.

    Nothing is hidden from `OMNISCIENT`.
    """
    position = as_shown(game, seat)._position
    state, declared = position.state, position.program.declared
    if seat == OMNISCIENT or not game.omniscient.secretive:
        return tuple([state[at] for at in declared])
    unseen = game.omniscient.visibility.unseen(state, PUBLIC if seat is None else game.seats.index(seat))
    return tuple([None if at in unseen else state[at] for at in declared])


def seen_state(game: Game, seat: str | None) -> dict[str, Any]:
    """The `state` of a seat's view, without the rest of the view, for bulk use."""
    game = as_shown(game, seat)
    position, viewer = game._position, PUBLIC if seat is None else game.seats.index(seat)
    unseen = game.omniscient.visibility.unseen(position.state, viewer)
    return shown_state(position.program, game.omniscient.labels, position.state, unseen)
