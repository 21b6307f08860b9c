"""The scenarios of `fault_runs.py`: work confirmed step by step, and checks of what must survive a restart."""

from __future__ import annotations

import asyncio
import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from folders import RULESETS, TESTS
from stores import changed, move, new_store, new_table, resumed, sit

from rulespec import signing
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.written_files import ChangedError, Content, replace_together, write_text
from rulespec.engine.corpus.log_rows import LogRow, RowSheet
from rulespec.engine.game.game import Game
from rulespec.engine.logs.native import LogHeader, read_log
from rulespec.engine.logs.saved_game import SavedGame, SaveError
from rulespec.engine.simulate.json_lines import JsonLinesResults
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.engine.simulate.result_rows import Results
from rulespec.load import load_ruleset
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.store import TableStore
from rulespec.serve.table_rules import TableRules

NIM = str(RULESETS / "nim")


class Report:
    """The report of a process, as lines in a pipe, so that it is unaffected by file faults.

    Args:
        descriptor: the pipe.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def confirmed(self, step: str) -> None:
        """Reports a confirmed step."""
        self._write("confirmed", step)

    def message(self, text: object) -> None:
        """Reports a message shown to users."""
        self._write("message", str(text).splitlines()[0] if str(text) else "")

    def after(self, text: str) -> None:
        """Reports the outcome of a restart."""
        self._write("after", text)

    def _write(self, word: str, text: str) -> None:
        os.write(self._descriptor, f"{word} {text}\n".encode("utf-8", "replace"))


class Scenario(ABC):
    """A unit of work in a folder.

    Attributes:
        name: the name of the scenario.
    """

    name = ""

    def load(self) -> None:  # noqa: B027 - most share nothing
        """Loads data shared by all runs."""

    def prepare(self, folder: Path) -> None:  # noqa: B027 - most have nothing before
        """Creates the initial files."""

    @abstractmethod
    def run(self, folder: Path, report: Report) -> None:
        """Does the work while a call fails."""

    @abstractmethod
    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """Restarts the work; raises AssertionError if anything is lost."""

    def too_much(self, messages: list[str]) -> list[str]:
        """The complaint about more than one message for a fault, if any."""
        return [f"{len(messages)} messages"] if len(messages) > 1 else []


class StoreScenario(Scenario):
    """A new table in a store, and decisions at it."""

    name = "store"
    begun, moves = 2, 4
    """The number of decisions per table made in advance, and tried under faults."""

    def load(self) -> None:
        """See `Scenario`."""
        self.rules = TableRules(load_ruleset(NIM))
        self.rules.board(("A", "B"))

    def prepare(self, folder: Path) -> None:
        """See `Scenario`."""
        new_store(folder / "t.db", tables=1, moves=self.begun, ref=NIM)

    def run(self, folder: Path, report: Report) -> None:
        """See `Scenario`."""
        try:
            hall = Hall(TableStore(folder / "t.db"), {NIM: self.rules})
        except SaveError as error:
            report.message(error)
            return
        hall.resume()
        for game, live in hall.games.items():
            report.confirmed(f"{game} {live.table.game.ply}")
        for why in hall.faults.values():
            report.message(why)
        asyncio.run(self._played(hall, report))
        hall.close()

    async def _played(self, hall: Hall, report: Report) -> None:
        lives = [*hall.games.values()]
        try:
            lives.append(live := await new_table(hall, self.rules))
            report.confirmed(f"{live.id} 0")
            for refusal in await sit(hall, live):
                report.message(refusal.text)
        except SaveError as error:
            report.message(error)
        for _ in range(self.moves):
            for live in lives:
                if _all_sit(live):
                    await self._move(hall, live, report)

    async def _move(self, hall: Hall, live: Live, report: Report) -> None:
        before = live.table.game.ply
        refusal = await move(hall, live)
        if refusal is None:
            report.confirmed(f"{live.id} {live.table.game.ply}")
        else:
            report.message(refusal.text)
            assert live.table.game.ply == before, "it is refused, and so not done"

    def too_much(self, messages: list[str]) -> list[str]:
        """See `Scenario`. On a disk that stays full, every decision is refused with its own message."""
        known = ("cannot be written", "there is not enough memory")
        return [f"no message of a store: {text}" for text in messages if not any(each in text for each in known)]

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        least: dict[str, int] = {}
        for step in confirmed:
            game, _, number = step.partition(" ")
            least[game] = max(least.get(game, 0), int(number))
        for _ in range(2):
            standing = resumed(folder / "t.db")
            assert not standing.faults, standing.faults
            for game, least_of in least.items():
                assert len(standing.games[game]) >= least_of, f"{game}: {least_of} confirmed, {standing.games[game]}"
                assert {(game, role) for role in ("seat:A", "seat:B", "spectator")} <= standing.keys
            most = {len(texts) for texts in standing.games.values()}
            assert max(most, default=0) <= self.begun + self.moves
        report.after(f"{len(standing.games)} tables, {sum(map(len, standing.games.values()))} decisions")
        asyncio.run(_goes_on(folder / "t.db", self.rules))


async def _goes_on(path: Path, rules: TableRules) -> None:
    """Checks that a store can be written again."""
    hall = Hall(TableStore(path), {NIM: rules})
    hall.resume()
    for live in hall.games.values():
        assert not _all_sit(live) or await move(hall, live) is None
    hall.close()


def _all_sit(live: Live) -> bool:
    """Whether both players are seated, as seating may have been refused."""
    return all(seat.kind == "person" for seat in live.table.seats.values())


class NewStore(StoreScenario):
    """The creation of a store."""

    name = "new_store"

    def prepare(self, folder: Path) -> None:
        """See `Scenario`."""


class FirstStore(StoreScenario):
    """The conversion of a store of version 1."""

    name = "store_of_version_1"
    begun, moves = 3, 1

    def load(self) -> None:
        """See `Scenario`."""
        os.environ["RULESPEC_PATH"] = str(TESTS / "fixtures" / "formats")
        super().load()

    def prepare(self, folder: Path) -> None:
        """See `Scenario`."""
        shutil.copy(TESTS / "fixtures" / "formats" / "old" / "tables_1.db", folder / "t.db")

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        old = [f"{game} 3" for game in ("30948f32b6f1aebc", "fe462e94e277905b")]
        super().check(folder, [*confirmed, *old], killed, report)


class DamagedStore(StoreScenario):
    """The recovery of a store with a damaged index into a new file."""

    name = "damaged_store"
    moves = 1

    def prepare(self, folder: Path) -> None:
        """See `Scenario`."""
        ids = new_store(folder / "t.db", tables=2, moves=2, ref=NIM)
        changed(folder / "t.db", "PRAGMA writable_schema=1", _ROOT_OF_INDEX)
        (folder / "ids").write_text("\n".join(ids), "utf-8")

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        before = [f"{game} 2" for game in (folder / "ids").read_text("utf-8").split()]
        super().check(folder, [*confirmed, *before], killed, report)


_ROOT_OF_INDEX = (
    "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_rules_1')"
    " WHERE name = 'sqlite_autoindex_key_1'"
)


class Replaced(Scenario):
    """The replacement of a file."""

    name = "replaced"

    def prepare(self, folder: Path) -> None:
        """See `Scenario`."""
        (folder / "f.txt").write_text("old\n" * 5_000, "utf-8")

    def run(self, folder: Path, report: Report) -> None:
        """See `Scenario`."""
        try:
            write_text(folder / "f.txt", "new\n" * 5_000)
        except OSError as error:
            report.message(error)
        else:
            report.confirmed("new")

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        text = (folder / "f.txt").read_text("utf-8")
        assert text in ("old\n" * 5_000, "new\n" * 5_000)
        assert not confirmed or text.startswith("new")
        assert killed or [path.name for path in folder.iterdir()] == ["f.txt"]
        report.after(text[:3])
        write_text(folder / "f.txt", "newer")


class Together(Scenario):
    """A joint change of files: one changed, one new, one deleted."""

    name = "replace_together"
    before: ClassVar[dict[str, Content]] = {"a": b"old\n" * 3_000, "b": None, "c": b"old c", "d": b"old d"}
    after: ClassVar[dict[str, Content]] = {"a": b"new\n" * 4_000, "b": b"new b", "c": None, "d": b"new d"}

    def prepare(self, folder: Path) -> None:
        """See `Scenario`."""
        for name, data in self.before.items():
            if data is not None:
                (folder / name).write_bytes(data)

    def run(self, folder: Path, report: Report) -> None:
        """See `Scenario`."""
        try:
            replace_together(_in(folder, self.after), _in(folder, self.before))
        except (OSError, ChangedError) as error:
            report.message(error)
        else:
            report.confirmed("all")

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        now = {name: path.read_bytes() if (path := folder / name).exists() else None for name in self.before}
        state = "old" if now == self.before else "new" if now == self.after else "mixed"
        assert all(now[name] in (self.before[name], self.after[name]) for name in now)
        if killed:  # each file is complete
            assert not confirmed or state == "new"
        else:
            assert state == ("new" if confirmed else "old"), state
            assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]
        report.after(state)
        replace_together(_in(folder, self.after), _in(folder, now))


def _in(folder: Path, files: dict[str, Content]) -> dict[Path, Content]:
    return {folder / name: data for name, data in files.items()}


class _Sheet(RowSheet):
    most = 2


class Parts(Scenario):
    """Parts of a corpus with two games each."""

    name = "corpus_parts"
    games = 6

    def load(self) -> None:
        """See `Scenario`."""
        _Sheet({}).schema()
        import_module("pyarrow.parquet")  # once for all runs

    def opened(self, folder: Path) -> Results[LogRow]:
        """The results file."""
        return ParquetResults(folder / "games", _Sheet({}))

    def run(self, folder: Path, report: Report) -> None:
        """See `Scenario`."""
        results: Results[LogRow] | None = None
        try:
            results = self.opened(folder)
            have = sum(1 for _ in results.recorded())
            for number in range(have, self.games):
                results.add(_row(number))
                if number % 2:
                    report.confirmed(str(number + 1))
        except (SaveError, OSError) as error:  # a command reports either
            report.message(error)
        finally:
            if results is not None:
                with suppress(SaveError):  # reported by `add`
                    results.close()

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        with self.opened(folder) as results:
            have = [row.game for row in results.recorded()]
            assert have == [*range(len(have))] and len(have) >= max(map(int, confirmed), default=0), have
            for number in range(len(have), self.games):
                results.add(_row(number))
        with self.opened(folder) as results:
            assert sum(1 for _ in results.recorded()) == self.games
        report.after(f"{len(have)} games")


def _row(number: int) -> LogRow:
    return LogRow(number, f"{number}.jsonl", "0" * 64, "legal", ruleset="nim", scores={"A": number}, measures=())


class Lines(Parts):
    """Results as lines, confirmed on closing."""

    name = "lines_of_results"

    def opened(self, folder: Path) -> Results[LogRow]:
        """The results file."""
        return JsonLinesResults(folder / "games.jsonl", _Sheet({}))


class Played(Scenario):
    """A game saved after each decision."""

    name = "saved_game"

    def load(self) -> None:
        """See `Scenario`."""
        self.ruleset = load_ruleset(NIM)

    def run(self, folder: Path, report: Report) -> None:
        """See `Scenario`."""
        game = Game(self.ruleset, ["Ann", "Bob"])
        try:
            with SavedGame(folder / "game.jsonl") as file:
                file.begin(LogHeader.of(game))
                for number in range(4):
                    option = next(iter(game.legal_options))
                    file.add(option)
                    game.apply(option)
                    report.confirmed(str(number + 1))
                file.leave(game)
        except (SaveError, DiagnosticsError, OSError) as error:
            report.message(error)

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        path = folder / "game.jsonl"
        count = 0
        if path.exists() and b"\n" in path.read_bytes():
            count = len(read_log(path, lenient=True).entries)
        assert count >= len(confirmed), count
        report.after(f"{count} decisions")


class Key(Scenario):
    """The key that signs cache entries."""

    name = "signing_key"

    def run(self, folder: Path, report: Report) -> None:
        """See `Scenario`."""
        if text := self._signature(folder):
            report.confirmed(text)

    def _signature(self, folder: Path) -> str:
        os.environ["XDG_STATE_HOME"] = str(folder)
        signing._key.cache_clear()
        return signing.signature(b"data")

    def check(self, folder: Path, confirmed: list[str], killed: bool, report: Report) -> None:
        """See `Scenario`."""
        text = self._signature(folder)
        assert text and confirmed in ([], [text])
        report.after("the same key" if confirmed else "a key")


SCENARIOS: dict[str, Callable[[], Any]] = {
    each.name: each
    for each in (StoreScenario, NewStore, FirstStore, DamagedStore, Replaced, Together, Parts, Lines, Played, Key)
}
