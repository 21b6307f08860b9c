"""Replay of a log, native or foreign, up to the result or the first illegal decision."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.bundles.place import is_carried
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.dialects.dialect_files import dialects
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines, for_log, quick_machine
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError, TakenBack
from rulespec.engine.game.refusal import refused
from rulespec.engine.game.state_json import scores, state_json
from rulespec.engine.logs.end_line import OtherEnd, end_json
from rulespec.engine.logs.log_text import MAX_FOREIGN_BYTES, MAX_NATIVE_BYTES, fail, log_bytes, log_text, read_log_text
from rulespec.engine.logs.native import LogHeader, NativeLog, entry_json, is_native, parse_log
from rulespec.engine.logs.notes import LogNotes
from rulespec.engine.logs.recorded import apply_recorded
from rulespec.engine.logs.samples import sample
from rulespec.engine.program.budget import SpentError
from rulespec.engine.replay.divergence import Divergence, check_end, of_entry, of_line, of_unread, warn_of_other_rules
from rulespec.engine.replay.positions import columns, game_after
from rulespec.engine.replay.whole_log import taken_whole
from rulespec.load import load_ruleset
from rulespec.records import Brief
from rulespec.references import parts_of
from rulespec.typed import nodes as typed

if TYPE_CHECKING:  # most logs are native, and need no dialect
    from rulespec.engine.dialects.foreign_log import ForeignLog
    from rulespec.engine.dialects.importer import Ignored
    from rulespec.engine.dialects.known_faults import PassedFault

MAX_ONCE = 3_000
"""Break-even: the number of entries in a log up to which a machine for a single game is faster, since it is set up
sooner.
"""

Trace = Callable[[dict[str, Any]], None]
Load = Callable[[str], typed.Ruleset]


class ReplayResult(Brief, Struct):
    """The result of a replay.

    Attributes:
        log: the name of the log.
        game: the game at the end of the log, or of its legal part.
        divergence: the first illegal entry of the log; None if all are legal.
        moves: the undos and all decisions, even those undone; decisions in force are also in the game's history.
        places: for each move, its line number, or the number of its entry in a foreign log.
        ignored: the illegal entries of a foreign log that its system ignored.
        foreign: whether the log is foreign.
        passed: entries of a foreign log that were replayed despite known faults of its system.
        system: the title of the dialect; empty for a native log.
        native: the native log; None for a foreign one.
        random: the random number generator of a simulated game; empty for other games.
        other_end: the discrepancy between the ends of the replay and the log; None if they agree.
        said: the notes of a foreign log.
        lines: the line of each entry in a text of moves, such as PGN; empty for other logs.
    """

    log: str
    game: Game
    divergence: Divergence | None
    moves: Sequence[Option | TakenBack] = []
    places: list[int] = []
    ignored: list[Ignored] = []
    foreign: bool = False
    passed: list[PassedFault] = []
    system: str = ""
    native: NativeLog | None = None
    random: str = ""
    other_end: OtherEnd | None = None
    said: LogNotes = LogNotes()
    lines: Sequence[int] = ()

    def line_of(self, entry: int) -> int | None:
        """The line number of an entry in a text of moves; None in other foreign logs."""
        return self.lines[entry] if entry < len(self.lines) else None

    def _end(self) -> dict[str, Any] | None:
        """The end in the log, and its differences from the replayed one; None if the log has no end line."""
        if self.native is None or self.native.end is None:
            return None
        end = self.native.end
        differs = self.other_end.differs if self.other_end is not None else []
        return {"line": end.line, **end.end.to_json()["end"], "differs": differs}

    def _open(self) -> dict[str, Any] | None:
        """The open decision after the legal part, and its seat; None if there is none."""
        try:
            decision = self.game.decision
        except RulesetFaultError:  # already stated by the divergence
            return None
        return {"decision": decision.name, "by": decision.by} if decision is not None else None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data, as printed by `replay --format json`; see replay.schema.json."""
        game = self.game
        result = game.result
        return {
            "log": self.log,
            "ruleset": game.ruleset.ref,
            "ruleset_hash": game.ruleset.hash,
            "sources_hash": game.ruleset.sources_hash,
            **({"rules_in_log": True} if is_carried(game.ruleset) else {}),
            "decisions": game.ply,
            "ended": result.ending if result else None,
            "hash": game.hash,
            "scores": result.scores if result else scores(game),
            "winners": result.winners if result else [],
            "state": state_json(game),
            "end": self._end(),
            "notes": dict(self.notes.header),
            "ignored": [entry.to_json() for entry in self.ignored],
            **({"known_faults": [entry.to_json() for entry in self.passed]} if self.passed else {}),
            "divergence": self.divergence.to_json() | {"open": self._open()} if self.divergence else None,
        }

    @property
    def notes(self) -> LogNotes:
        """The notes of the log, native or foreign, by line or entry."""
        native = self.native
        return self.said if native is None else LogNotes(native.header.notes, native.notes, native.remarks())

    def at(self, move: int) -> Game:
        """A copy of the game after a number of moves, counting undone ones.

        Raises:
            IndexError: if there are fewer moves.
        """
        return game_after(self.game, self.moves, move)

    def frame(self) -> dict[str, list[Any]]:
        """The game as columns of equal length, with a row for the start and one after each move.

        The columns are `move`, `decision`, `by` and `option` (None at the start, and for undos), then measures such as
        `power` of the game or `cash.Ann` of a player. `pandas.DataFrame(replay.frame())` makes a data frame of them.
        """
        return columns(self.game, self.moves)

    def write_native(self, path: Path | str) -> None:
        """Writes the game as a native log, with undone decisions and notes."""
        from rulespec.engine.logs.log_file import write_log  # lazily: few replays write anything

        said = self.said if self.foreign else None
        write_log(path, self.game, self.moves, self.native, self.places, self.random, said)


class ReplayRequest(Struct, frozen=True):
    """The parameters of a replay.

    Attributes:
        path: the log.
        rules: the ruleset reference; by default, the rules in the log, or the reference in the log or its dialect.
        dialect: the id of the dialect, for a foreign log; by default, the log is recognised.
        until: the number of decisions (entries of a foreign log) after which to stop.
        backend: the machine for the rules, as in `Game`.
        trace: a function called with a record after every decision (every entry of a foreign log).
        report: the report that receives warnings, such as one about a truncated last line.
        load: a function that loads a ruleset; pass a cached one for many logs.
        strict: whether an illegal entry of a foreign log is a divergence even if its system ignores such entries; by
            default True if `rules` is set.
        single_use: whether this is the only log, in which case a machine for one game suffices unless the log is long.
        lenient: whether a malformed line of a native log is a divergence instead of an error.
        past_known_faults: whether to replay a foreign log despite known faults of its system, under the overlays that
            its dialect names for them; must not be combined with `rules`.
        carried: whether to prefer the embedded rules of a native log to the rules that it names.
        data: the bytes of the log, if already read.
        remarks: whether remarks in a foreign log keep people's names.
        skipped: the number of lines before `data` in its file.
        warns: whether to look for warnings about the dialect of a foreign log and the fields that it does not read.
    """

    path: Path
    rules: str | None = None
    dialect: str | None = None
    until: int | None = None
    backend: Backend | Machines = "auto"
    trace: Trace | None = None
    report: Report = field(default_factory=Report)
    load: Load = load_ruleset
    strict: bool | None = None
    single_use: bool = False
    lenient: bool = False
    past_known_faults: bool = False
    carried: bool = True
    data: bytes | None = None
    remarks: bool = False
    skipped: int = 0
    warns: bool = True

    def replay(self) -> ReplayResult:
        """Replays the log; raises the same errors as `replay_log`."""
        path = self.path
        data, skipped = log_bytes(path, str(path), MAX_NATIVE_BYTES) if self.data is None else (self.data, self.skipped)
        text, whole = log_text(data, str(path), MAX_NATIVE_BYTES, lenient=self.lenient)
        if self.dialect is None and is_native(text):
            if self.past_known_faults:
                help_ = "replay it without `--past-known-faults`"
                message = f"`--past-known-faults` is for foreign logs, and {path} is a native one"
                fail("RS630", message, Span(str(path), 1, 1, 1, 2), help=help_)
            native = parse_log(text, str(path), whole, lenient=self.lenient)
            rules, runs = self.rules, self.machine(native.entries)
            ruleset = self.load(rules) if rules is not None else named_ruleset(native, self.load, carried=self.carried)
            return replay_native(native, ruleset, until=self.until, backend=runs, trace=self.trace, report=self.report)
        if len(text) > MAX_FOREIGN_BYTES:
            fail("RS602", f"the log has more than {MAX_FOREIGN_BYTES:,} bytes", Span(str(path), 1, 1, 1, 2))
        from rulespec.engine.dialects.foreign_log import parse_foreign

        return _replay_foreign(parse_foreign(text, str(path), dialects(self.rules), skipped), self)

    def machine(self, entries: Sized) -> Backend | Machines:
        """The machine for a log with these entries; for a short log, a machine meant for a single game."""
        if self.backend not in ("auto", "python"):
            return self.backend
        if self.single_use:
            return quick_machine if len(entries) <= MAX_ONCE else self.backend
        return for_log(self.backend, len(entries))


def replay_log(
    path: Path | str,
    *,
    rules: str | None = None,
    dialect: str | None = None,
    until: int | None = None,
    backend: Backend | Machines = "auto",
    report: Report | None = None,
    lenient: bool = False,
    carried: bool = True,
) -> ReplayResult:
    """Replays a log; the parameters are the attributes of `ReplayRequest`.

    `path` may be the name of a sample log, as listed by `rulespec games`.

    Raises:
        DiagnosticsError: if the log or the ruleset is unreadable, or they do not match.
        RulesetFaultError: if the rules fault before the first decision of a native log.
    """
    report = Report() if report is None else report
    return ReplayRequest(
        sample(str(path)) or Path(path), rules, dialect, until, backend, report=report, lenient=lenient, carried=carried
    ).replay()


def as_native(
    path: Path, *, dialect: str | None = None, report: Report | None = None, load: Load = load_ruleset
) -> NativeLog:
    """A log in native form; a foreign log is converted by a replay under the rules of its dialect.

    Args:
        path: the log.
        dialect: the id of the dialect; by default, a foreign log is recognised.
        report: the report that receives warnings.
        load: a function that loads a ruleset.

    Raises:
        DiagnosticsError: see `replay_log`; RS821 if a foreign log is illegal.
    """
    report = Report() if report is None else report
    text, whole = read_log_text(path, str(path), MAX_NATIVE_BYTES)
    if dialect is None and is_native(text):
        log = parse_log(text, str(path), whole)
        report.extend(log.warnings)
        return log
    result = ReplayRequest(path, dialect=dialect, report=report, load=load).replay()
    if result.divergence is not None:
        at, reason = result.divergence.place, result.divergence.refusal.reason
        message = f"the log breaks its own rules at {at}: {reason}"
        fail("RS821", message, Span(str(path), 1, 1, 1, 2), help="run `rulespec replay` to see where")
    lines = [LogHeader.of(result.game).to_json(), *map(entry_json, result.moves), *end_json(result.game)]
    return parse_log("".join(json.dumps(line) + "\n" for line in lines), str(path))


# --- native logs ---------------------------------------------------------------------------


def replay_native(
    log: NativeLog,
    ruleset: typed.Ruleset,
    *,
    until: int | None = None,
    backend: Backend | Machines = "auto",
    trace: Trace | None = None,
    report: Report | None = None,
) -> ReplayResult:
    """Replays a parsed native log; the arguments, the result and the errors are those of `replay_log`."""
    report = Report() if report is None else report
    report.extend(log.warnings)
    game = game_of(log, ruleset, backend, report)
    game.omniscient.numbers.begin()  # raises if the rules fault before the first decision
    result = ReplayResult(log.file, game, None, native=log, random=log.header.random)
    if until is None and trace is None and (moves := taken_whole(game, log)) is not None:
        result.moves, result.places = moves, [entry.line for entry in log.entries]
        result.other_end = check_end(game, log, len(moves), report)
        return result
    taken: list[Option | TakenBack] = []
    result.moves = taken
    end = log.end.entries if log.end is not None else -1
    for number, entry in enumerate(log.entries):
        if until is not None and game.ply >= until:
            break
        if number == end:
            result.other_end = check_end(game, log, number, report) or result.other_end
        move = apply_recorded(game, entry) if entry.back is None else _take_back(game, entry.back)
        if isinstance(move, Refusal):
            result.divergence = of_line(game, move, entry)
            break
        taken.append(move)
        result.places.append(entry.line)
        if trace is not None and entry.back is None:
            trace(_record(game, number, None))
    else:
        if log.unread is not None and (until is None or game.ply < until):
            result.divergence = of_unread(game, log.unread)
        result.other_end = check_end(game, log, len(log.entries), report) or result.other_end
    return result


def named_ruleset(
    log: NativeLog, load: Load = load_ruleset, *, overlays: bool = True, carried: bool = True
) -> typed.Ruleset:
    """The ruleset that a native log embeds (if `carried`) or names; without `overlays`, only the base ruleset that it
    names.

    Raises:
        DiagnosticsError: RS617 if the named ruleset is not found, or for errors in the rules.
    """
    if overlays and carried:
        from rulespec.engine.logs.carried import carried_ruleset  # lazily: foreign logs carry no rules

        if (ruleset := carried_ruleset(log)) is not None:
            return ruleset
    try:
        return load(log.header.ruleset if overlays else parts_of(log.header.ruleset)[0])
    except DiagnosticsError as error:
        first = error.diagnostics[0]
        if first.code not in ("RS501", "RS502"):
            raise
        message = f"the log names the ruleset `{log.header.ruleset}`: {first.message}"
        hint = f"{first.help}\n" if first.help.startswith("did you mean") else ""
        help_ = f"{hint}if it is your own folder or file, give its path: --rules PATH, --rules REF+./overlay.yaml"
        fail("RS617", message, Span(log.file, 1, 1, 1, 2), help=help_)


def game_of(log: NativeLog, ruleset: typed.Ruleset, backend: Backend | Machines, report: Report) -> Game:
    """The game of a native log before its first decision; warns if the rules have changed in meaning."""
    header = log.header
    warn_of_other_rules(log, ruleset, report)
    return _placed(lambda: Game(ruleset, header.seats, header.settings, backend), log.file)


def _placed(make: Callable[[], Game], file: str) -> Game:
    """A game from `make`, with errors in its seats and settings located at the first line of the log."""
    try:
        return make()
    except DiagnosticsError as error:
        start = Span(file, 1, 1, 1, 2)
        raise DiagnosticsError(d if d.span else replace(d, span=start) for d in error.diagnostics) from None


def _take_back(game: Game, back: TakenBack) -> TakenBack | Refusal:
    """Undoes decisions; returns a refusal if that is impossible."""
    try:
        game.omniscient.take_back(back)
    except (IndexError, ValueError) as error:
        return refused(str(error))
    return back


def _record(game: Game, index: int, foreign: int | None) -> dict[str, Any]:
    return {"index": index, "foreign_index": foreign, "hash": game.hash, "state": state_json(game)}


# --- foreign logs --------------------------------------------------------------------------


def _replay_foreign(log: ForeignLog, request: ReplayRequest) -> ReplayResult:
    from rulespec.engine.dialects.first_entry import by_seat, cut_at, optional_rules, seats_and_settings
    from rulespec.engine.dialects.foreign_log import shaped
    from rulespec.engine.dialects.importer import Importer
    from rulespec.engine.dialects.known import unknown
    from rulespec.engine.dialects.known_faults import check_options, fault_title, passed_faults, past_faults
    from rulespec.engine.dialects.recognised import check_game, dialect_of, mostly_ignored, rules_for
    from rulespec.engine.dialects.recorded_end import check_recorded_end, with_result
    from rulespec.engine.dialects.said import said_in
    from rulespec.engine.dialects.text_variations import with_variations
    from rulespec.engine.dialects.unread_fields import uneven_forms, unread_fields

    rules, report, trace = request.rules, request.report, request.trace
    strict = rules is not None if request.strict is None else request.strict
    dialect = dialect_of(log, dialects(rules), request.dialect, report)
    written, log = log, shaped(log, dialect)
    ref = rules or rules_for(dialect, log)
    ruleset = request.load(past_faults(dialect, ref) if request.past_known_faults else ref)
    check_game(dialect, log, ruleset)
    names, settings = seats_and_settings(dialect, log, ruleset)
    seats, machine = by_seat(dialect, names, ruleset), request.machine(log.entries)
    game = _placed(lambda: Game(ruleset, seats, settings, machine), log.file)
    if request.past_known_faults:
        check_options(dialect, game)
    log = shaped(written, dialect, cut_at(dialect, game)) if dialect.shape.cut else log
    importer = Importer(game, dialect, log, strict, request.past_known_faults)
    report.extend(written.game.warnings if written.game is not None else ())
    if request.warns:
        warnings = [*optional_rules(dialect, log, ruleset), *unknown(dialect, game), *uneven_forms(dialect)]
        report.extend([*warnings, *unread_fields(dialect, log, importer.log)])
    numbers = iter(range(len(log.entries) + 1))

    def step(entry: int) -> None:
        if trace is not None:
            trace(_record(game, next(numbers), entry))

    said, moves = said_in(dialect, log, importer.log, game, named=request.remarks), importer.moves
    result = ReplayResult(log.file, game, None, moves, importer.entries, importer.ignored, True, said=said)
    result.system, result.lines = dialect.title, log.lines
    try:
        stop = importer.run(request.until, step if trace is not None else None)
    except (RulesetFaultError, SpentError) as error:
        note = error.diagnostic if isinstance(error, RulesetFaultError) else importer.too_long()[0]
        why = f"the ruleset is at fault: {error}" if isinstance(error, RulesetFaultError) else note.message
        report.add(note)
        result.divergence = Divergence(game.ply, None, None, refused(why, note.span), ())
        return result
    if dialect.notation is not None:
        result.said = with_variations(said, game, dialect.notation, moves, importer.entries)
    if request.past_known_faults:
        result.passed = passed_faults(dialect, importer.moves, importer.entries)
    if stop is not None:
        fault = fault_title(dialect, stop.refusal.rules)
        result.divergence = of_entry(stop, result.line_of(stop.foreign_index), fault)
    elif request.until is None:
        result.other_end = check_recorded_end(game, dialect, importer.log, log.file, report)
        result.said = with_result(result.said, game, dialect, importer.log)
    report.extend(mostly_ignored(log, len(result.ignored), ruleset.reference))
    return result
