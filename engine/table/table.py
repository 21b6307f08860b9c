"""A table: a game, its seats, and the view of each viewer, independent of the web."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import convert, to_builtins
from msgspec.structs import replace

from rulespec.engine.game.game import Game, as_shown, waiting
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Decision, IllegalOptionError, Option, RulesetFaultError
from rulespec.engine.game.state_json import ShownCells
from rulespec.engine.logs.sealed import pending
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.table.messages import STALE, Message, MessageRefusal
from rulespec.engine.table.played_game import PlayedGame
from rulespec.engine.table.preview import answer_about
from rulespec.engine.table.seats import Back, Request, Seat, Unlogged, clean_name
from rulespec.engine.table.table_sight import TAIL, TableSight
from rulespec.engine.table.taking_back import FreeSteps, undone
from rulespec.engine.table.telling import seen_moves
from rulespec.engine.table.time_limits import TimeLimits
from rulespec.engine.table.viewing import TableStanding, Viewing
from rulespec.engine.words.words import Words

RANDOM = "random"
"""The bot that needs no thinking time, and that a table lets play at once."""
AT_ONCE = 40
"""The maximum number of programs' decisions that a table takes in one call."""
_BACKS = 20
"""The number of undos in the history of a table."""


class Table:
    """A table of players and spectators around a game.

    A viewer is a seat; None stands for spectators, who have the public view.

    After an accepted message, and after `advance`, the caller saves `moves` and `aside`; then it calls `confirm`, or
    `revert` if saving fails. Viewers see nothing in between.

    Args:
        words: the words of the ruleset.
        game: the game, at its start or where it is continued.
        aside: the state that is not in the log.
        bots: the names of the bots available for seats.
        clock: a function that returns the time in seconds.
        cells: the cells of the state; None means that the table computes them.
        alone: whether one person plays all seats, in which case nobody else has to agree.

    Attributes:
        present: the connected seats; None means all.
    """

    present: Collection[str] | None = None

    def __init__(
        self,
        words: Words,
        game: Game,
        aside: Unlogged,
        bots: tuple[str, ...] = (RANDOM,),
        clock: Callable[[], float] = time.time,
        cells: ShownCells | None = None,
        alone: bool = False,
    ) -> None:
        self.words = words
        self.alone = alone
        self.played = PlayedGame(game)
        self.bots = bots
        self.fault = ""
        self._state = aside
        self._saved = to_builtins(aside)
        self._clock = clock
        self._draws = Draws(aside.seed)
        self.cells = cells or ShownCells(game)
        self._free = FreeSteps()
        self._viewing = Viewing(words)
        self._resume_time()
        self._name_seats()
        self.played.restore({seat: (text, salt) for seat, (text, salt) in aside.choices.items()})
        self.confirm()

    @property
    def game(self) -> Game:
        """The game played at the table."""
        return self.played.game

    @property
    def seats(self) -> Mapping[str, Seat]:
        """The seats, by id."""
        return self._state.seats

    @property
    def people(self) -> frozenset[str]:
        """The seats not played by bots."""
        return frozenset(seat for seat, of in self.seats.items() if of.kind != "bot")

    @property
    def reveals(self) -> bool:
        """Whether everything is revealed after the game; always False for a game without secrets."""
        return self._state.reveals and self.game.omniscient.secretive

    @property
    def is_revealed(self) -> bool:
        """Whether everything is public now."""
        return self.reveals and self.game.is_over

    def set_reveals(self, reveals: bool) -> MessageRefusal | None:
        """Sets whether everything is revealed after the game; rejected once people have decided."""
        if self.played.early.chosen or any(step.option.by for step in self.game.omniscient.numbers.steps):
            return MessageRefusal("the game has begun: its disclosure after the end can no longer be changed")
        self._state.reveals = reveals
        return None

    # --- saving ---------------------------------------------------------------------------------

    @property
    def aside(self) -> Unlogged:
        """The state of the table that is not in the log."""
        self._note_time()
        return replace(self._state, choices=self.played.early.texts)

    def confirm(self) -> None:
        """Marks all changes as saved, and therefore visible."""
        self.played.confirm()
        self._viewing.change()
        self._saved = to_builtins(self.aside)

    def revert(self) -> None:
        """Undoes unsaved changes."""
        self.played.revert()
        self.fault = ""
        self._state = convert(self._saved, Unlogged)
        self._name_seats()

    def _name_seats(self) -> None:
        for seat, of in self.seats.items():
            if self.game.names[seat] != (of.name or seat):
                self.played.rename(seat, of.name or seat)

    def _resume_time(self) -> None:
        """Leaves out the time since the table was saved, in which nobody could decide."""
        of, away = self._state, self._clock() - self._state.at
        of.since = {seat: since + away for seat, since in of.since.items()} if of.at else {}
        of.paused += away if of.paused and of.at else 0

    def _note_time(self) -> None:
        """Records when each seat was asked its open question, unless recorded."""
        self._state.at = self._clock()
        self._state.since = {seat: self._state.since.get(seat, self._state.at) for seat in self.asked()}

    def asked(self) -> tuple[str, ...]:
        """The seats that the table waits for, excluding early choosers."""
        chosen = self.played.early.choices
        try:
            return tuple(seat for seat in waiting(self.game) if seat not in chosen)
        except RulesetFaultError:
            return ()

    # --- programs -------------------------------------------------------------------------------

    def advance(self) -> bool:
        """Takes the next decision if it needs nobody (chance, early choices, random bots); returns whether it did."""
        for _ in range(AT_ONCE):
            try:
                if not self._step():
                    return False
            except RulesetFaultError as fault:
                self.fault = str(fault)
                return False
        return True

    def _step(self) -> bool:
        decision = self.game.decision
        if decision is None:
            return False
        due = self.played.due(decision, self.people)
        if due is not None:
            self._take(due[0], due[2])
            return True
        if self.thinker is not None or self._speaks(decision):
            return False
        option = choose(self.game, self._draws, self.game.ply + self.played.withdrawn, interrupt_rate=0.0)
        if option is None:
            self.fault = f"nothing is legal at the decision `{decision.name}`"
            return False
        self._take(option)
        return True

    def _speaks(self, decision: Decision) -> bool:
        """Whether a decision is up to a person."""
        return any(seat in self.people for seat in (decision.by, *decision.among))

    @property
    def _open(self) -> Decision | None:
        """The open decision; None also if the rules fault in determining its decider."""
        try:
            return self.game.decision
        except RulesetFaultError:
            return None

    @property
    def thinker(self) -> str | None:
        """The seat whose bot must think about the open decision; None if there is none."""
        decision = self._open
        if decision is None or decision.by is None or self.played.withdrawn or self._speaks(decision):
            return None
        return decision.by if self.seats[decision.by].bot != RANDOM else None

    def _take(self, option: Option, salt: str = "") -> None:
        before = self._open
        self.played.take(option, salt)
        self._state.request = self._state.undone = None
        if self.played.is_planning:
            return  # a plan is invisible to others, including the time it takes
        if option.by in self._state.since:
            self._state.note_taken(option.by, self._clock())
        since = self._state.since if self._still_asks(before, option) else {}
        self._state.since = {seat: at for seat, at in since.items() if seat != option.by}

    def _still_asks(self, before: Decision | None, option: Option) -> bool:
        """Whether the same decision is still open after an option: a round in progress, or an interrupted decision."""
        now = self._open
        if before is None or now is None or (now.name, now.together) != (before.name, before.together):
            return False
        return now.together or (option.interrupt and now.by == before.by)

    # --- messages -------------------------------------------------------------------------------

    def hear(self, viewer: str | None, message: Message) -> MessageRefusal | None:
        """Executes a viewer's message, or refuses it and changes nothing."""
        if viewer is None:
            return MessageRefusal("spectators can only watch")
        depends = message.do in ("take", "withdraw", "undo", "redo", "agree", "refuse")
        sight = self._sight(viewer)
        if depends and not sight.turn <= message.serial <= sight.serial:
            return STALE
        match message.do:
            case "take":
                return self.take(viewer, message.option)
            case "withdraw":
                return self._withdraw(viewer)
            case "undo":
                return self._ask_back(viewer, message.to)
            case "redo":
                return self._redo(viewer)
            case "agree" | "refuse":
                return self._answer(viewer, agrees=message.do == "agree")
            case "name":
                return self.sit_down(viewer, message.name)
            case "bot":
                return self._hand_over(viewer, message.seat or viewer, message.bot)
            case "person":
                return self._return(viewer)
        return MessageRefusal("only the server can do this")

    def take(self, seat: str, text: str) -> MessageRefusal | None:
        """Takes a seat's option, or records its choice in a round, even before the seat is asked."""
        if self.seats[seat].kind == "free":
            return MessageRefusal("sit down first: enter a name")
        if self.seats[seat].kind == "bot":
            return MessageRefusal("a bot plays this seat")
        return self.decide(seat, text)

    def decide(self, seat: str, text: str) -> MessageRefusal | None:
        """Takes a seat's option like `take`, without checking who plays the seat."""
        decision = self._open
        if decision is None:
            return MessageRefusal("the game is over" if self.game.is_over else "the rules are at fault here")
        try:
            option = self.game.parse(text)
            if decision.together and not option.interrupt:
                self.played.choose(seat, text)
                self._state.request = self._state.undone = None
                self._state.note_chosen(seat, self._clock())
                return None
            if (refusal := self.game.why_not(option, seat)) is not None:
                return MessageRefusal(refusal.reason, refusal.values)
            self._take(option if option.interrupt else replace(option, by=seat))
        except IllegalOptionError as error:
            return MessageRefusal(error.refusal.reason, error.refusal.values)
        except RulesetFaultError:
            return MessageRefusal("the rules are at fault here")
        except ValueError as error:
            return MessageRefusal(str(error))
        return None

    def _withdraw(self, seat: str) -> MessageRefusal | None:
        if seat not in self.played.early.chosen:
            return MessageRefusal("there is no choice to take back")
        self.played.withdraw(seat)
        return None

    def sit_down(self, seat: str, text: str) -> MessageRefusal | None:
        """Seats a person with a name; the person may replace a bot, unless the bot stands in for someone."""
        name = clean_name(text)
        if not name:
            return MessageRefusal("a name needs at least one letter")
        of = self.seats[seat]
        if of.kind == "free" or (of.kind == "bot" and not (of.stand_in and of.name)):
            of = of.returned()
            self._state.since.pop(seat, None)
        self.set_seat(seat, replace(of, name=name))
        return None

    # --- taking back ----------------------------------------------------------------------------

    def free(self, seat: str) -> int:
        """The number of most recent decisions that a seat can undo without asking."""
        if self.is_revealed or seat in self.played.early.chosen:
            return 0
        return self._free.count(self.game, seat, () if self._state.answers else self._programs)

    @property
    def _programs(self) -> list[str]:
        """The seats played by a bot from the start; decisions of a stand-in's seat may have been a person's."""
        return [seat for seat, of in self.seats.items() if of.kind == "bot" and not of.stand_in]

    def _ask_back(self, seat: str, to: int) -> MessageRefusal | None:
        if self.is_revealed:
            return MessageRefusal("everything has been shown: nothing can be taken back")
        if seat in self.played.early.chosen and to < 0 and not self.alone:
            return self._withdraw(seat)
        number = self.played.since_last_of(self.people if self.alone else {seat})
        if to >= 0:
            number = self.game.ply - to
            if not len(pending(self.game)) < number <= self.game.ply or self._by(to) not in self.people:
                return MessageRefusal("no person made that decision")
        if not number or (self.played.bars(seat, number) and not self.alone):
            open_plan = "a plan is open: earlier decisions cannot be taken back until it is committed"
            return MessageRefusal(open_plan if number else "there is nothing to take back")
        if self.alone or number <= self.free(seat):
            asked = self._state.note_back(seat, self._clock())
            self._go_back(seat, number)
            self._state.since = {seat: asked}
            return None
        request = self._state.request
        if request is None or (request.by, request.decisions) != (seat, number):
            self._state.request = Request(seat, number, [seat], self._clock())
        return self._answer(seat, agrees=True)

    def _by(self, number: int) -> str | None:
        """The seat of a move."""
        return self.game.omniscient.numbers.steps[number].option.by

    def _answer(self, seat: str, *, agrees: bool) -> MessageRefusal | None:
        request = self._state.request
        if request is None:
            return MessageRefusal("there is no request to take back")
        if not agrees:
            self._state.request = None
            return None
        if seat not in request.agreed:
            request.agreed.append(seat)
        self.settle()
        return None

    def settle(self) -> bool:
        """Executes the undo request if everybody whose consent it needs has agreed; returns whether it was executed."""
        request = self._state.request
        if request is None:
            return False
        left = [seat for seat, of in self.seats.items() if of.kind == "person" and seat not in request.agreed]
        is_late = self._state.absent and self._clock() >= request.at + self._state.absent
        away = [seat for seat in left if is_late and self.present is not None and seat not in self.present]
        if left != away:
            return False
        self._go_back(request.by, request.decisions, away)
        return True

    def _go_back(self, seat: str, number: int, unasked: Collection[str] = ()) -> None:
        others = () if self.alone else self.people - {seat}
        undo = undone(self.game, number, seat, others, self.played.early.texts)
        self.played.take_back(number)
        of, ply = self._state, self.game.ply
        of.undone, of.request, of.since = undo, None, {}
        of.backs = [*[back for back in of.backs if back.at < ply], Back(ply, seat, number, [*unasked])][-_BACKS:]
        self.fault = ""

    def _redo(self, seat: str) -> MessageRefusal | None:
        undo = self._state.undone
        if undo is None or (undo.by != seat and not self.alone):
            return MessageRefusal("there is nothing to redo")
        try:
            for by, text, salt in undo.options:
                self._take(self.game.parse(text, by or None), salt)
            self.played.restore(undo.sealed)
        except (ValueError, IllegalOptionError, RulesetFaultError):  # impossible: they were legal at this position
            self.revert()
            return MessageRefusal("this cannot be redone")
        self._state.undone = None
        self._state.backs = self._state.backs[:-1]
        return None

    # --- bots -----------------------------------------------------------------------------------

    def _hand_over(self, viewer: str, seat: str, bot: str) -> MessageRefusal | None:
        if bot not in self.bots:
            return MessageRefusal(f"there is no such bot; the bots are {', '.join(self.bots)}")
        if seat not in self.seats:
            return MessageRefusal("there is no such seat")
        of = self.seats[seat]
        if of.kind == "bot" and of.bot == bot:
            return None
        if seat != viewer and seat not in self.late():
            return MessageRefusal("this seat still has time")
        self.set_seat(seat, of.handed_to(bot))
        return None

    def _return(self, seat: str) -> MessageRefusal | None:
        of = self.seats[seat]
        if of.kind != "person" and not of.stand_in:
            return MessageRefusal("no bot replaces this seat")
        self.set_seat(seat, of.returned())
        return None

    def set_seat(self, seat: str, of: Seat) -> None:
        """Changes a seat's player; a bot agrees to a pending request at once."""
        self._state.seats[seat] = of
        self._name_seats()
        self.settle()

    def set_deadline(self, seconds: int) -> None:
        """Sets the seconds per decision; 0 means unlimited."""
        self._state.deadline = seconds

    def set_limits(self, limits: TimeLimits, *, pauses: bool) -> None:
        """Sets the time limits besides the deadline, and whether the clock is stopped."""
        self._state.resume(self._clock())
        self._state.limits, self._state.paused = limits, self._clock() if pauses else 0.0

    def set_undo(self, absent: int, answers: bool) -> None:
        """Sets the seconds until absent people are skipped (0: never), and whether bots' decisions count as seen."""
        self._state.absent, self._state.answers = absent, answers

    def allow_opinions(self, allowed: bool) -> None:
        """Sets whether bots give opinions in private copies during the game."""
        self._state.opinions = allowed

    @property
    def is_timed(self) -> bool:
        """Whether people have a deadline; False in a copy that one person plays."""
        return bool((self._state.deadline or self._state.limits.budget) and self.waited) and not self.alone

    @property
    def waited(self) -> tuple[str, ...]:
        """The people for whom the table waits."""
        return tuple(self._since_of_people())

    def _since_of_people(self) -> dict[str, float]:
        """The time of each person's open question; a seat's time keeps running while a bot plays it."""
        people = self.people
        return {seat: since for seat, since in self._state.since.items() if seat in people}

    def turn(self, last: str | None) -> str:
        """The seat that a lone person plays next: one for which the table waits, preferably the last one played."""
        waited = self.waited or (last or self.game.seats[0],)
        return last if last in waited else waited[0]

    def late(self) -> tuple[str, ...]:
        """The seats whose time has run out."""
        return tuple(seat for seat in self._since_of_people() if self._state.due(seat) <= self._clock())

    # --- viewers --------------------------------------------------------------------------------

    def say(self, viewer: str | None, since: int = 0) -> dict[str, Any]:
        """The changes for a viewer since a serial, or everything if the serial is 0, as in table_frame.schema.json."""
        return self._sight(viewer).frame(since, self.cells)

    def earlier(self, viewer: str | None, before: int) -> dict[str, Any]:
        """The moves before index `before`, at most as many as in a viewer's first message."""
        game = as_shown(self.game, eyes := OMNISCIENT if self.is_revealed else viewer)
        last = max(0, min(before, game.ply))
        first = max(0, last - TAIL)
        moves = seen_moves(self.words, game, eyes, first, last) if last > first else ()
        return {"earlier": {str(number): move.to_json() for number, move in enumerate(moves, first)}}

    def preview(self, viewer: str | None, message: Message) -> dict[str, Any]:
        """The answer to a question about an option or a place; empty if the question refers to an earlier position."""
        sight = self._sight(viewer)
        about = {"serial": message.serial, "option": message.option, "place": message.place}
        current = viewer is not None and sight.turn <= message.serial <= sight.serial
        if viewer is None or not current or self.seats[viewer].kind != "person" or self.game.is_over:
            return {message.do: about}
        return {message.do: about | answer_about(self.words, as_shown(self.game, viewer), viewer, message)}

    def _sight(self, viewer: str | None) -> TableSight:
        """The current view of a viewer."""
        of = self._state
        since = self._since_of_people()
        clock = of.clock(since, shown=not self.alone)
        more = of.request, clock, self.reveals, bool(self.fault), of.backs, of.undone, self.free
        return self._viewing.sight(viewer, TableStanding(self.played, of.seats, self.asked(), since, *more))
