"""Replaying a log, native or foreign: to the result, or to the place where it breaks a rule."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from engine.dialect import Dialect, ForeignLog, follow, read_dialect, read_foreign
from engine.game import Backend, Fault, Game, IllegalOption, Refusal
from engine.importer import Importer, seats_and_options
from engine.log import MAX_BYTES, Log, is_native, new_game, parse_log, write_log
from rulespec.diagnostics import Diagnostic, Report, RulespecError, Severity, Span, did_you_mean
from rulespec.load import game_folders, load_ruleset

Trace = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where a log is not legal.

    `index` is the number of decisions that were legal; `foreign_index` the entry of a foreign log (None for a native
    one); `action` what the log says there; `nearest` the legal options most like it.
    """

    index: int
    foreign_index: int | None
    action: Any
    refusal: Refusal
    nearest: tuple[str, ...]
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that `replay --format json` prints."""
        return {
            "index": self.index,
            "foreign_index": self.foreign_index,
            "action": self.action,
            "reason": self.refusal.reason,
            "rule": list(self.refusal.rules),
            "values": self.refusal.values,
            "nearest": list(self.nearest),
        }


@dataclass(slots=True)
class ReplayResult:
    """What a replay came to. The game stands where the log, or its legal part, ends."""

    log: str
    game: Game
    divergence: Divergence | None

    def to_json(self) -> dict[str, Any]:
        """The object that `replay --format json` prints; see replay.schema.json."""
        game = self.game
        result = game.result
        return {
            "log": self.log,
            "ruleset": game.ruleset.ref,
            "ruleset_hash": game.ruleset.hash,
            "decisions": game.ply,
            "ended": result.ending if result else None,
            "hash": game.hash,
            "scores": result.scores if result else game.scores(),
            "winners": result.winners if result else [],
            "state": game.state(),
            "divergence": self.divergence.to_json() if self.divergence else None,
        }

    def write_native(self, path: Path) -> None:
        """Writes the game as a native log."""
        write_log(path, self.game)


def replay_file(
    path: Path,
    *,
    rules: str | None = None,
    dialect: str | None = None,
    until: int | None = None,
    backend: Backend = "python",
    trace: Trace | None = None,
    report: Report | None = None,
) -> ReplayResult:
    """Replays a log.

    Args:
        path: the log.
        rules: the ruleset reference; if not given, the one that the log or its dialect names.
        dialect: the id of the dialect, for a foreign log; if not given, the log is recognised.
        until: stop after so many decisions (entries of a foreign log).
        backend: how the rules are run.
        trace: called with a record after every decision (every entry of a foreign log).
        report: takes warnings, such as that of a torn last line.

    Raises:
        RulespecError: if the log or the ruleset cannot be read, or do not go together.
    """
    report = Report() if report is None else report
    data = _bytes(path)
    text = data[:200].decode("utf-8", errors="ignore")
    if dialect is None and is_native(text):
        return _replay_native(path, data, rules, until, backend, trace, report)
    return _replay_foreign(path, data, rules, dialect, until, backend, trace, report)


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            what = "is no file" if path.exists() else "does not exist"
            _fail("RS610", f"the log `{path}` {what}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        _fail("RS610", f"the log `{path}` cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > MAX_BYTES:
        _fail("RS614", f"the log `{path}` is larger than {MAX_BYTES:,} bytes")
    return data


def _fail(code: str, message: str, hint: str = "", span: Span | None = None) -> NoReturn:
    raise RulespecError((Diagnostic(code, Severity.ERROR, message, span, help=hint),)) from None


# --- native logs ---------------------------------------------------------------------------


def _replay_native(
    path: Path, data: bytes, rules: str | None, until: int | None, backend: Backend, trace: Trace | None, report: Report
) -> ReplayResult:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
    log = parse_log(text, str(path), report)
    try:
        ruleset = load_ruleset(rules or log.ruleset)
    except RulespecError as error:
        if rules is None and any(d.code == "RS501" for d in error.diagnostics):
            first = error.diagnostics[0]
            _fail("RS607", f"the log names the ruleset `{log.ruleset}`: {first.message}", first.help, _line(log, 1))
        raise
    game = new_game(log, ruleset, report, backend=backend)
    for number, entry in enumerate(log.entries if until is None else log.entries[:until]):
        refusal, option = _refusal(game, entry.option, entry.by, entry.decision)
        if refusal is not None or option is None:
            action = {"decision": entry.decision, "by": entry.by, "option": entry.option}
            assert refusal is not None
            return ReplayResult(
                str(path), game, Divergence(number, None, action, refusal, _nearest(game, entry.option), entry.line)
            )
        if trace is not None:
            trace(_record(game, number, None))
    return ReplayResult(str(path), game, None)


def _line(log: Log, number: int) -> Span:
    return Span(log.file, number, 1, number, 2)


def _refusal(game: Game, text: str, by: str | None, decision: str) -> tuple[Refusal | None, object]:
    """Takes the option if it is legal; else says why it is not."""
    now = game.decision
    if now is None:
        return Refusal("the game is over", (), "", {}, None), None
    if decision and now.name != decision:
        return Refusal(f"the open decision is `{now.name}`, not `{decision}`", (), "", {}, None), None
    try:
        option = game.parse(text, by) if by is not None else game.parse(text)
        game.apply(option)
    except IllegalOption as error:
        return error.refusal, None
    except Fault as error:
        return Refusal(f"the ruleset is at fault: {error}", (), "", {}, error.diagnostic.span), None
    except ValueError as error:
        return Refusal(str(error), (), "", {}, None), None
    return None, option


def _nearest(game: Game, text: str) -> tuple[str, ...]:
    legal = [str(o) for o, _ in zip(game.options, range(2000), strict=False) if not o.interrupt]
    return tuple(sorted(legal, key=lambda o: -difflib.SequenceMatcher(None, o, text).ratio())[:5])


def _record(game: Game, index: int, foreign: int | None) -> dict[str, Any]:
    return {"index": index, "foreign_index": foreign, "hash": game.hash, "state": game.state()}


# --- foreign logs --------------------------------------------------------------------------


def dialects(rules: str | None = None) -> list[Path]:
    """The dialect files of all rulesets that are known, or of the folder that a reference names."""
    found: list[Path] = []
    base = Path(rules.split("+")[0]) if rules else None
    if base is not None and base.is_dir():
        found += sorted((base / "dialects").glob("*.yaml"))
    for folder in game_folders():
        found += sorted(folder.glob("*/dialects/*.yaml"))
    seen: dict[Path, Path] = {p.resolve(): p for p in reversed(found)}
    return [seen[p.resolve()] for p in found if seen.get(p.resolve()) is p]


def _replay_foreign(
    path: Path,
    data: bytes,
    rules: str | None,
    dialect_id: str | None,
    until: int | None,
    backend: Backend,
    trace: Trace | None,
    report: Report,
) -> ReplayResult:
    log = read_foreign(path, data)
    dialect = _dialect(log, rules, dialect_id)
    ruleset = load_ruleset(rules or dialect.rules)
    seats, options = seats_and_options(dialect, log, ruleset)
    game = Game(ruleset, seats, options, backend)
    importer = Importer(game, dialect, log)
    numbers = iter(range(len(log.entries) + 1))

    def step(entry: int) -> None:
        if trace is not None:
            trace(_record(game, next(numbers), entry))

    try:
        stop = importer.run(until, step)
    except Fault as error:
        stop = None
        report.add(error.diagnostic)
        refusal = Refusal(f"the ruleset is at fault: {error}", (), "", {}, error.diagnostic.span)
        return ReplayResult(str(path), game, Divergence(game.ply, None, None, refusal, ()))
    if stop is None:
        return ReplayResult(str(path), game, None)
    divergence = Divergence(stop.ply, stop.foreign_index, stop.action, stop.refusal, stop.nearest)
    return ReplayResult(str(path), game, divergence)


def _dialect(log: ForeignLog, rules: str | None, dialect_id: str | None) -> Dialect:
    """The dialect that is named, or the one that knows the log."""
    files = dialects(rules)
    if dialect_id is not None:
        for file in files:
            if file.stem == dialect_id:
                return read_dialect(file)
        names = sorted({f.stem for f in files})
        hint = did_you_mean(dialect_id, names) or ("known are " + ", ".join(f"`{n}`" for n in names) if names else "")
        _fail("RS615", f"there is no dialect `{dialect_id[:80]}`", hint)
    close: list[Dialect] = []
    for file in files:
        dialect = read_dialect(file)
        if dialect.automatic and dialect.knows(log.entries[0]):
            return dialect
        if follow(log.entries[0], dialect.type_path) == dialect.start["type"]:
            close.append(dialect)
    hint = ""
    if close:
        wanted = ", ".join(f"{k}: {v}" for k, v in close[0].start.get("when", {}).items())
        hint = f"`{close[0].id}` reads logs whose first entry says {wanted}"
    _fail("RS616", "nothing here knows this kind of log", hint or "name it: --dialect ID", Span(log.file, 1, 1, 1, 2))
