"""The hall of a server: all tables with their viewers. Every change is saved before it is shown."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import ruleset_in
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, shown
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Refusal
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.logs.native import entry_json, parse_log
from rulespec.engine.logs.recorded import apply_recorded
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.table.messages import Message, MessageRefusal
from rulespec.engine.table.seats import Seat, Unlogged, clean_name
from rulespec.engine.table.table import RANDOM, Table
from rulespec.serve import store as stored
from rulespec.serve.live import Live, Looker
from rulespec.serve.past_process import log_of, reason_of
from rulespec.serve.published import MAX_PUBLISHED, Published, lines_of_log, published_in, standing_of
from rulespec.serve.socket_parts import hashed, new_key
from rulespec.serve.store import Statement, TableStore
from rulespec.serve.stored_rows import LogChain, StoredGame
from rulespec.serve.table_rules import TableRules
from rulespec.serve.thinking import BotQuestion, Thinking, answer

SPECTATOR, OWNER, ALONE = "spectator", "owner", "alone"
"""Roles of keys, besides `seat:` with the id of a seat; `alone` plays all seats of a copy."""
_SEAT = "seat:"
NOTED = 30.0
"""The interval between records of the time used by players, in seconds."""


class Hall:
    """All tables of a server.

    Args:
        store: the store for the tables.
        offers: the rules offered for new tables, by reference.
        language: the language of texts; None for the language of each ruleset.
        bots: the names of the bots that can play seats.
        hook: the callback for turns, which receives a table, a seat and a serial number.
        clock: the function that returns the time in seconds.

    Attributes:
        games: the tables, by id.
        faults: maps the id of a table to the reason why it could not be resumed.
        notes: messages about the store for its owner.
        working: the process for long computations.
        agents: the function that answers agents' tool calls; None if agents cannot play.
    """

    def __init__(
        self,
        store: TableStore,
        offers: Mapping[str, TableRules] | None = None,
        language: str | None = None,
        bots: tuple[str, ...] = (RANDOM,),
        hook: Callable[[str, str, int], None] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.offers = dict(offers or {})
        self.language = language
        self.bots = bots
        self.games: dict[str, Live] = {}
        self.faults: dict[str, str] = {}
        self.notes: list[Diagnostic] = [*store.notes]
        self.owners: set[Looker] = set()
        self.agents: Callable[..., Any] | None = None
        self._hook = hook
        self._clock = clock
        self._thinking = Thinking()
        self.working = Thinking()
        self._keys = store.keys()
        self._rules: dict[str, TableRules] = {rules.bundle.sources: rules for rules in self.offers.values()}

    # --- keys -----------------------------------------------------------------------------------

    def role(self, key: str) -> tuple[str, str] | None:
        """The table and role to which a key belongs; None for an unknown key."""
        return self._keys.get(hashed(key))

    @property
    def has_owner(self) -> bool:
        """Whether the owner has a key."""
        return any(role == OWNER for _, role in self._keys.values())

    def seat_of(self, role: str) -> str | None:
        """The seat in a role such as `seat:A`; None for spectators."""
        return role.removeprefix(_SEAT) if role.startswith(_SEAT) else None

    async def renew(self, game: str, role: str) -> str:
        """Creates a new key for a role; it replaces the old key, whose connections end.

        Raises:
            KeyError: if there is no such table or seat.
            SaveError: if saving fails.
        """
        live = self.table(game) if game else None
        viewer = self.seat_of(role)
        if role not in ([OWNER] if live is None else roles(live.table.game)):
            raise KeyError(role)
        key = new_key()
        await self._save(stored.key(hashed(key), game, role))
        self._keys = {h: of for h, of in self._keys.items() if of != (game, role)} | {hashed(key): (game, role)}
        lookers = self.owners if live is None else live.lookers.get(viewer, set())
        for looker in [*lookers]:
            looker.leave("this link has been renewed")
        return key

    # --- tables ---------------------------------------------------------------------------------

    def table(self, game: str) -> Live:
        """The table with a given id.

        Raises:
            KeyError: if there is no such table; copies are accessible only to their holder.
        """
        if (live := self.games[game]).table.alone:
            raise KeyError(game)
        return live

    async def new(
        self,
        rules: TableRules,
        game: Game,
        bots: Mapping[str, str] | None = None,
        deadline: int = 0,
        reveals: bool = False,
        variations: Sequence[Published] = (),
    ) -> tuple[Live, dict[str, str]]:
        """Creates a table, with a key for each of its roles.

        Args:
            rules: the rules.
            game: the game at its start or at the position where it continues; seat names that are not ids are player
                names.
            bots: maps a seat to the name of its bot.
            deadline: seconds per decision; 0 means unlimited.
            reveals: whether everything is revealed after the game.
            variations: the variations in the log of the game.

        Raises:
            SaveError: if saving fails.
        """
        try:
            await asyncio.to_thread(rules.board, game.seats)  # up to half a second the first time
        except RuntimeError:  # no thread can be started
            raise SaveError("there is not enough memory for another table") from None
        named = {seat: clean_name(name) if name != seat else "" for seat, name in game.names.items()}
        seats = {
            seat: Seat("bot", named[seat], bots[seat]) if bots and seat in bots else Seat("free", named[seat])
            for seat in game.seats
        }
        aside = Unlogged(seats, secrets.randbits(62), deadline, reveals=reveals)
        live = self._live(rules, game, aside, LogChain(secrets.token_hex(8)), time.time())
        live.published = standing_of(variations, game, None, whole=True)[:MAX_PUBLISHED]
        notes = [note for each in live.published for note in lines_of_log([each])]
        entries = [*map(entry_json, game.omniscient.numbers.steps), *notes]
        first = [to_json_text(entry, plain=True) for entry in entries]
        keys = {role: new_key() for role in roles(game)}
        bundle = msgspec.json.encode(rules.bundle).decode()
        statements, chain = stored.new_game(replace(live.entry(), lines=tuple(first)), bundle)
        await self._save([*statements, *[s for r, k in keys.items() for s in stored.key(hashed(k), live.id, r)]])
        live.chain = chain
        self.games[live.id] = live
        self._keys |= {hashed(key): (live.id, role) for role, key in keys.items()}
        async with live.lock:
            await self._proceed(live)
        self.tell_owners()
        return live, keys

    def _live(self, rules: TableRules, game: Game, aside: Unlogged, chain: LogChain, begun: float) -> Live:
        table = Table(rules.words, game, aside, self.bots, self._clock, rules.cells(game)[0])
        return Live(chain.game, rules, table, chain, begun)

    def resume(self) -> None:
        """Resumes all stored tables, each under its original rules."""
        bundles = self.store.rules()
        for entry in self.store.games():
            try:
                self.games[entry.id] = self._resumed(entry, bundles.get(entry.rules, ""))
            except Exception as error:  # a damaged table must not stop the others
                self._note_fault(entry.id, str(error), len(entry.lines))
        values = [*self._keys.values()]
        for game in sorted({game for game, _ in values if game} - {*self.games, *self.faults}):
            if sum(one == game for one, _ in values) > 1:  # only some tables may be damaged
                self._note_fault(game, "its entry is missing", 0)
        for live in self.games.values():
            for role in roles(live.table.game):
                if (live.id, role) not in values:
                    message = f"the link for {role.removeprefix(_SEAT)} at the table {live.id} is void: it is damaged"
                    help_ = "get a new link from the owner's page"
                    self.notes.append(Diagnostic("RS683", Severity.WARNING, message, None, help=help_))

    def _note_fault(self, game: str, why: str, lines: int) -> None:
        """Records a table that cannot be resumed, with instructions for saving its log."""
        self.faults[game] = why
        message = f"the table {shown(game)} of {self.store.path} cannot be resumed: {why}"
        store = self.store.path
        help_ = (
            f"save the intact part of its log ({lines + 1} lines) with"
            f" `rulespec log {store} --table {game} --out game.jsonl`, and continue it under new links with"
            f" `rulespec serve game.jsonl --store {store}`; or restore a backup of the store"
        )
        self.notes.append(Diagnostic("RS682", Severity.ERROR, message, None, help=help_))

    def _resumed(self, entry: StoredGame, bundle: str) -> Live:
        if entry.fault:
            raise SaveError(entry.fault)
        if entry.rules not in self._rules:
            if not bundle:
                raise SaveError(
                    "its rules are damaged in the store; start the server with the same ruleset, if it is installed"
                )
            carried = msgspec.json.decode(bundle, type=Bundle)
            self._rules[entry.rules] = TableRules(ruleset_in(carried), self.language, carried)
        rules = self._rules[entry.rules]
        log = parse_log("\n".join([entry.header, *entry.lines, ""]), entry.id)
        game = Game(rules.ruleset, log.header.seats, log.header.settings)
        game.omniscient.numbers.begin()
        for line in log.entries:
            if line.back is not None:
                game.omniscient.take_back(line.back)
            elif isinstance(refusal := apply_recorded(game, line), Refusal):
                raise SaveError(f"line {line.line} is not legal: {refusal}")
        aside = msgspec.json.decode(entry.aside, type=Unlogged)
        self.offers.setdefault(rules.ruleset.ref, rules)
        live = self._live(rules, game, aside, entry.chain, entry.begun)
        live.published = published_in(log)
        return live

    async def start(self) -> None:
        """Lets bots play at all tables, then records times while the server runs."""
        for live in [*self.games.values()]:
            async with live.lock:
                with suppress(SaveError):
                    await self._proceed(live)
        while True:
            await asyncio.sleep(NOTED)
            with suppress(SaveError):
                await self.note_time()
            await self.settle()

    async def settle(self) -> None:
        """Undoes moves once all players have consented."""
        for live in [live for live in self.games.values() if live.table.aside.request is not None]:
            async with live.lock:
                live.table.present = live.present
                if live.table.settle():
                    with suppress(SaveError):
                        await self._proceed(live)

    async def note_time(self) -> None:
        """Saves the waiting times of players, so that clocks stop while no server runs, even after a crash.

        Raises:
            SaveError: if saving fails.
        """
        if statements := self._times():
            await self._save(statements)

    def _times(self) -> list[Statement]:
        """The times at tables with a time limit; a change being saved, or at a game's end, includes them itself."""
        return [
            stored.changed(live.entry(), live.chain)
            for live in self.games.values()
            if live.table.is_timed and not live.lock.locked() and not live.table.played.moves
        ]

    async def delete(self, game: str) -> None:
        """Deletes a table. Raises the errors of `renew`."""
        live = self.table(game)
        async with live.lock:
            await self._save(stored.gone(game, "" if self.faults else live.rules.bundle.sources))
            del self.games[game]
        self._keys = {h: of for h, of in self._keys.items() if of[0] != game}
        live.send_away("this table has been deleted")
        for copy in [id_ for id_ in self.games if id_.startswith(f"{game} ")]:
            self.drop(copy)
        self.tell_owners()

    async def set_seat(self, game: str, seat: str, change: Callable[[Seat], Seat]) -> None:
        """Applies `change` to the player at a seat. Raises the errors of `renew`."""
        live = self.table(game)
        async with live.lock:
            live.table.set_seat(seat, change(live.table.seats[seat]))
            await self._proceed(live)
        self.tell_owners()

    async def change(self, game: str, change: Callable[[Table], None]) -> None:
        """Applies `change` to a table, for example to its time limits or undo rules. Raises the errors of `renew`."""
        async with (live := self.table(game)).lock:
            change(live.table)
            await self._proceed(live)
        self.tell_owners()

    async def set_reveals(self, game: str, reveals: bool) -> MessageRefusal | None:
        """Sets whether everything is revealed after the game. Raises the errors of `renew`."""
        live = self.table(game)
        async with live.lock:
            refusal = live.table.set_reveals(reveals)
            if refusal is None:
                await self._proceed(live)
        self.tell_owners()
        return refusal

    # --- messages -------------------------------------------------------------------------------

    async def hear(self, live: Live, viewer: str | None, message: Message) -> MessageRefusal | None:
        """Executes a message and saves its effects; returns the reason for a refusal."""
        async with live.lock:
            live.table.present = live.present
            refusal = live.table.hear(viewer, message)
            if refusal is None:
                try:
                    await self._proceed(live)
                except SaveError as error:
                    return MessageRefusal(f"not carried out, because it could not be saved: {error}")
        if refusal is None and message.do in ("name", "bot", "person"):
            self.tell_owners()
        return refusal

    async def _proceed(self, live: Live) -> None:
        """Saves changes, lets bots play, and shows the result.

        Raises:
            SaveError: if it cannot be saved; nothing has then changed.
        """
        more = live.table.advance()
        await self.keep(live)
        live.wake()
        while more:
            more = live.table.advance()
            try:
                await self.keep(live)
            except SaveError:  # the person's decision is saved; bots continue after the next message
                break
            live.wake()
        if live.table.thinker is not None and live.thought is None:
            live.thought = asyncio.create_task(self._think(live))

    async def keep(self, live: Live, notes: Sequence[str] = ()) -> None:
        """Saves the changes to a table together with the new lines of its log, and confirms them.

        Raises:
            SaveError: if saving fails; nothing has then changed.
        """
        table, before = live.table, set(live.table.waited)
        try:
            texts = [to_json_text(entry_json(move), plain=True) for move in table.played.moves]
            entry = live.entry()
            statements, chain = stored.added(live.chain, [*texts, *notes])
            if not table.alone:
                await self._save([*statements, stored.changed(entry, chain)])
        except (SaveError, MemoryError) as error:
            table.revert()
            raise SaveError(str(error) or "there is not enough memory") from None
        table.confirm()
        live.header, live.chain = entry.header, chain
        for seat in table.waited:
            if self._hook is not None and not table.alone and (texts or seat not in before):
                with suppress(Exception):  # the decision is committed even if the notice fails
                    self._hook(live.id, seat, table.game.ply)

    async def _save(self, statements: list[Statement]) -> None:
        await asyncio.wrap_future(self.store.save(statements))

    # --- bots -----------------------------------------------------------------------------------

    async def _think(self, live: Live) -> None:
        """Asks the deciding bot, and plays its choice unless the position has changed meanwhile."""
        table, seat = live.table, live.table.thinker
        if seat is None:
            live.thought = None
            return
        past = live.past()
        question = BotQuestion(past, seat, table.seats[seat].bot, table.aside.seed)
        try:
            text = await asyncio.wrap_future(self._thinking.ask(answer, question))
        except Exception:  # the bot failed: from here on it plays at random
            text = ""
        async with live.lock:
            live.thought = None
            if live.id not in self.games:
                return
            same = table.thinker == seat and table.game.ply == len(past.decisions)
            if same and (not text or table.decide(seat, text) is not None):
                table.set_seat(seat, replace(table.seats[seat], bot=RANDOM))
            with suppress(SaveError):
                await self._proceed(live)

    # --- whole games -----------------------------------------------------------------------------

    async def ask(self, function: Callable[..., Any], *args: object) -> Any:
        """The result of a function, computed in a worker process."""
        return await asyncio.wrap_future(self.working.ask(function, *args))

    async def log(self, live: Live, viewer: str | None, owner: bool = False) -> str:
        """The log as a viewer sees it, or the whole log for the owner once it can no longer spoil the game."""
        async with live.lock:
            game = live.table.game
            if not game.omniscient.secretive or live.table.is_revealed or (owner and game.is_over):
                return live.log(viewer)
            past, notes = live.past(viewer), lines_of_log(live.notes(viewer, whole=False))
        return str(await self.ask(log_of, past, viewer, notes))

    async def reason(self, live: Live, viewer: str | None, message: Message) -> list[str]:
        """The explanation of a move, or of a place without options, based only on what the viewer knows."""
        async with live.lock:
            eyes = OMNISCIENT if live.table.is_revealed else viewer
            past = live.past(eyes)
        return list(await self.ask(reason_of, past, eyes, min(message.to, len(past.decisions) - 1), message.place))

    async def rematch(self, live: Live, viewer: str | None) -> str:
        """A viewer's key for a rematch: another table with the same players, bots, rules and settings.

        Raises:
            NotFoundError: before the end of the game, and for spectators until a player has asked for a rematch.
            SaveError: if saving fails.
        """
        async with live.lock:
            table, of = live.table, live.table.aside
            if table.alone or not table.game.is_over or (viewer is None and not live.again):
                raise NotFoundError("a rematch needs a finished game, and a player who wants it")
            if not live.again:
                game = Game(live.rules.ruleset, table.game.names, table.game.settings)
                game.omniscient.numbers.begin()
                bots = {s: each.bot for s, each in of.seats.items() if each.kind == "bot" and not each.stand_in}
                new, live.again = await self.new(live.rules, game, bots, of.deadline, of.reveals)
                new.table.set_undo(of.absent, of.answers)
                new.table.set_limits(of.limits, pauses=False)
        live.wake()
        return live.again[SPECTATOR if viewer is None else f"{_SEAT}{viewer}"]

    def open_copy(self, copy: Live, role: str) -> str:
        """Opens a copy, which replaces the previous copy with the same id, and returns its key."""
        self.drop(copy.id)
        self.games[copy.id] = copy
        key = new_key()
        self._keys[hashed(key)] = copy.id, role
        return key

    def drop(self, game: str) -> None:
        """Ends a copy, if it exists."""
        if (old := self.games.pop(game, None)) is not None:
            self._keys = {h: of for h, of in self._keys.items() if of[0] != game}
            old.send_away("this copy no longer exists")

    # --- lookers --------------------------------------------------------------------------------

    def tell_owners(self) -> None:
        """Wakes the owner's pages."""
        for looker in self.owners:
            looker.wake()

    def close(self) -> None:
        """Ends the bot process, records the times, and closes the store."""
        self._thinking.close()
        self.working.close()
        if statements := self._times():
            self.store.save(statements)
        self.store.close()


def roles(game: Game) -> list[str]:
    """The roles at a table: its seats and the spectators."""
    return [*(f"{_SEAT}{seat}" for seat in game.seats), SPECTATOR]
