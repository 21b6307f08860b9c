"""The entry points under test: each takes the bytes of one input, and must end with an exit code and a message."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

from fuzz.parts import split, write
from fuzz.session import DETAIL, Session, Wrong
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, RulesetFaultError
from rulespec.engine.game.state_json import scores
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.program.machine import Machine
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.engine.wasm.program import WasmProgram
from rulespec.load import load_ruleset

HOME = "home"
"""The folder for an input's files; relative paths keep names of this machine out of messages."""

OVERLAYS = ("o", "p", "q")
"""The names of the overlays in an input."""

_OFFERED = 0.3  # probability of checking all sets of the offered overlays
_IN_WASM = 0.3  # probability of playing in wasm instead of generated Python
_PLIES = 8
_PLAYING = 15  # time limit in seconds if `validate` plays: a decision of millions of steps is not interrupted
_EDITING = 30  # time limit in seconds of an editing session, which checks a ruleset three times per file
_LONG = 0.1  # seconds of the fast backend: the interpreter, the reference, would take at least twenty times as long


@dataclass(frozen=True, slots=True)
class Target:
    """An entry point.

    `first`: the name of the only file in an input without marks; `mutable`: a pattern of the files to mutate;
    `try_out`: uses the files in the folder `home` as a person would.
    """

    name: str
    first: str
    mutable: re.Pattern[str]
    try_out: Callable[[Session], None]
    seconds: int | None = None
    """The limit of processor time for one input; None for the default."""
    binary: bool = False
    """Whether an input is a single file of bytes, without marks."""

    def run(self, data: bytes, folder: Path) -> set[str]:
        """Tries an input, and returns its messages. `folder` must be empty, and the current folder."""
        write({self.first: data} if self.binary else split(data, self.first), folder / HOME)
        session = Session(data)
        self.try_out(session)
        return session.said


# --- the readers ------------------------------------------------------------------------------------------------------


def _yaml(session: Session) -> None:
    try:
        to_plain(read_yaml(Path(HOME, "any.yaml"), "any.yaml"))
        session.said.add("read 0")
    except DiagnosticsError as error:
        session.said.update(d.code + DETAIL.sub("_", d.message) for d in error.diagnostics)


def _validate(session: Session) -> None:
    how = session.rng.choice(("text", "json", "github", "sarif"))
    code, _ = session.command("validate", HOME, "--format", how)
    if code == 0:
        _play(session, HOME)


def _rules(session: Session) -> None:
    _validate(session)
    _format(session)


def _overlay(session: Session) -> None:
    """Applies the overlays of an input to a ruleset; offered ones are also checked in combination."""
    names = [name for name in OVERLAYS if Path(HOME, f"variants/{name}.yaml").exists()]
    ref = "+".join([HOME, *(names or OVERLAYS[:1])])
    code, _ = session.command("validate", ref, "--format", session.rng.choice(("text", "json")))
    if code == 0:
        _play(session, ref)
    if len(names) > 1 and session.rng.random() < _OFFERED:
        session.command("validate", HOME, "--overlays")
    session.command("diff", HOME, ref, "--format", session.rng.choice(("text", "json")))


def _fix(session: Session) -> None:
    """Fixes a ruleset; a sound one must stay sound. Overlays are fixed together with the layers below them."""
    ref = f"{HOME}+o" if Path(HOME, "variants/o.yaml").exists() else HOME
    before, _ = session.command("validate", ref)
    code, _ = session.command("validate", "--fix", "--yes", ref)
    if before == 0 and code != 0:
        raise Wrong("a sound ruleset is not sound after --fix")
    session.command("validate", "--fix", "--yes", ref)


def _format(session: Session) -> None:
    """Formats a file; a second run must change nothing."""
    path = Path(HOME, "rules/play.rules")
    if not path.is_file():
        return
    single, _ = session.command("format", str(path))
    if single == 0 and session.command("format", str(path), "--check")[0] != 0:
        raise Wrong("format changes what it has formatted")


def _work(session: Session) -> None:
    """Validates, and plays with a low bound on steps; both backends must stop at the same place."""
    ref = f"{HOME}+o" if Path(HOME, "variants/o.yaml").exists() else HOME
    code, _ = session.command("validate", ref)
    if code == 0:
        _play(session, ref, session.rng.choice((300, 3_000, 30_000)))


def _play(session: Session, ref: str, steps: int = MAX_STEPS) -> None:
    """Plays a few random decisions with a fast backend and the interpreter, which must agree in all observations."""
    ruleset = load_ruleset(ref, Report())
    low, high = ruleset.players
    seats = [f"P{i}" for i in range(session.rng.randint(low, min(high, low + 2)))]

    quick = _wasm if session.rng.random() < _IN_WASM else _python
    try:
        fast = Game(ruleset, seats, backend=lambda r, n, o: quick(lower(r, n, o), steps))
        plain = Game(ruleset, seats, backend=lambda r, n, o: Interpreter(lower(r, n, o), steps=steps))
    except DiagnosticsError as error:
        session.said.update(d.code for d in error.diagnostics)
        return
    for _ in range(_PLIES):
        listed: object = None
        for ask in (_standing, _broken, scores, _listed):
            begun_at = time.process_time()
            listed = _outcome(ask, fast)
            if time.process_time() - begun_at > _LONG:
                session.said.add("plays long")
                return
            if listed != (other := _outcome(ask, plain)):
                raise Wrong(f"the backends do not agree: {str(listed)[:500]} and {str(other)[:500]}")
            if time.process_time() - begun_at > 5 * _LONG:
                session.said.add("plays long")
                return
            if isinstance(listed, str):
                session.said.add(DETAIL.sub("_", listed))
                return
        if not isinstance(listed, list) or not listed:
            session.said.add("plays to its end")
            return
        option: Option = session.rng.choice(listed)
        applied, other = (_outcome(partial(_applied, option), game) for game in (fast, plain))
        if applied != other:
            raise Wrong(f"the backends do not agree on {option}: {applied} and {other}")
        if applied is not None:
            session.said.add(DETAIL.sub("_", str(applied)))
            return
    session.said.add("plays on")


def _python(p: ir.Program, steps: int) -> Machine:
    return PythonBackend(p, steps=steps)


def _wasm(p: ir.Program, steps: int) -> Machine:
    try:
        return WasmBackend(WasmProgram(p, steps=steps), lambda: PythonBackend(p, steps=steps))
    except (NoWasmtimeError, NoWasmError):
        return _python(p, steps)


def _broken(game: Game) -> list[str]:
    return game.omniscient.broken_invariants()


def _standing(game: Game) -> object:
    return game.is_over or (game.hash, game.decision)


def _listed(game: Game) -> object:
    return [option for option, _ in zip(every_option(game), range(300), strict=False)]


def _applied(option: Option, game: Game) -> None:
    game.apply(option)


def _outcome(ask: Callable[[Game], object], game: Game) -> object:
    try:
        return ask(game)
    except RulesetFaultError as fault:
        return f"{fault.diagnostic.code} {fault.diagnostic.span} {fault}"


def _play_check(session: Session) -> None:
    from fuzz.played import play

    play(Path(HOME), session)


# --- logs, and what is beside a ruleset -------------------------------------------------------------------------------


def _log(session: Session) -> None:
    """Replays a log, writes its legal part as a log, and replays that; the results must agree."""
    log, out = f"{HOME}/log", "out.jsonl"
    more = ["--rules", HOME] if Path(HOME, "game.yaml").exists() else []
    session.command("replay", log, *more, "--trace", "trace.jsonl")
    code, printed = session.command("replay", log, *more, "--format", "json", "--out", out)
    if code == 2:
        return
    first = json.loads(printed)
    again, printed = session.command("replay", out, *more, "--format", "json")
    if again != 0 or json.loads(printed)["hash"] != first["hash"]:
        raise Wrong(f"written and replayed it ends with {again}: {printed[:1000]}")


def _under(session: Session) -> None:
    """Replays a native log under other rules, and searches for the rules it was played under."""
    how = session.rng.choice(("text", "json"))
    other = session.rng.choice(("+tall", "nim", "wager"))
    session.command("replay", f"{HOME}/log.jsonl", "--under", other, "--format", how)
    session.command("identify", f"{HOME}/log.jsonl", "--format", how)


def _dialect(session: Session) -> None:
    how = session.rng.choice(("text", "json"))
    session.command("validate", HOME, "--format", how)
    more = session.rng.choice((["--rules", HOME, "--dialect", "d"], ["--rules", HOME]))
    session.command("replay", f"{HOME}/log.json", *more, "--format", how)
    with mock.patch.dict(os.environ, RULESPEC_PATH=str(Path.cwd())):  # for the dialect's own rules
        session.command("replay", f"{HOME}/log.json", "--past-known-faults", "--format", how)


def _flags_for(seat: str) -> list[str]:
    return ["--public"] if seat == "public" else ["--for", seat]


def _seat(session: Session) -> None:
    """Compares a seat's log with the full log; its own must agree, and another one may contain anything."""
    log, source = f"{HOME}/log.jsonl", f"{HOME}/given.jsonl"
    for seat in ("Ann", "Bob", "public"):
        code, _ = session.command("log", log, *_flags_for(seat), "--out", "own.jsonl")
        if code == 0 and session.command("log", log, *_flags_for(seat), "--check", "own.jsonl")[0] != 0:
            raise Wrong(f"what is given to {seat} does not agree with the log that it is made of")
        session.command("log", log, *_flags_for(seat), "--check", source)
        session.command("log", source, *_flags_for(seat), "--check", session.rng.choice((source, "own.jsonl")))
        session.command("replay", session.rng.choice((log, source)), "--moves", *_flags_for(seat))


def _scenario(session: Session) -> None:
    session.command("test", HOME, "--format", session.rng.choice(("text", "json")))


# --- what lies on the disk, and what comes to the terminal ------------------------------------------------------------


def _cache(session: Session) -> None:
    """Checks a ruleset with a forged cache entry, which must be refused, or equal the parsed tree."""
    from fuzz.kept import forge

    if forge(Path(HOME), session):
        _validate(session)


def _terminal(session: Session) -> None:
    from fuzz.strangers import tell

    tell(Path(HOME), session)


# --- pictures and pages ----------------------------------------------------------------------------------------------


def _draw(session: Session) -> None:
    from fuzz.shown import draw

    draw(Path(HOME), session)


def _titles(session: Session) -> None:
    from fuzz.shown import tell_titles

    tell_titles(Path(HOME), session)


def _import(session: Session) -> None:
    from fuzz.shown import import_drawing

    import_drawing(Path(HOME), session)


def _view(session: Session) -> None:
    from fuzz.shown import view

    view(Path(HOME), session)


# --- the editor -------------------------------------------------------------------------------------------------------


def _editor(session: Session) -> None:
    from fuzz.editor import edit

    edit(Path(HOME), session)


# --- binary files -----------------------------------------------------------------------------------------------------


def _tar(session: Session) -> None:
    from fuzz.foreign import read_archive

    read_archive(Path(HOME), session)


def _zip(session: Session) -> None:
    from fuzz.foreign import read_archive

    read_archive(Path(HOME), session, "a.zip")


def _parquet(session: Session) -> None:
    from fuzz.foreign import read_part

    read_part(Path(HOME), session)


def _store(session: Session) -> None:
    from fuzz.foreign import open_store

    open_store(Path(HOME), session)


_ANY = re.compile(r".*")
_ALL = (
    Target("yaml", "any.yaml", _ANY, _yaml),
    Target("sections", "game.yaml", re.compile(r"\w+\.yaml"), _validate),
    Target("rules", "rules/play.rules", re.compile(r"rules/.*"), _rules),
    Target("overlay", "variants/o.yaml", re.compile(r"variants/.*"), _overlay),
    Target("work", "rules/play.rules", re.compile(r"rules/.*|tables\.yaml|kinds\.yaml|variants/.*"), _work),
    Target("play", "game.yaml", re.compile(r"rules/.*|\w+\.yaml"), _play_check, _PLAYING),
    Target("fix", "game.yaml", re.compile(r"\w+\.yaml|variants/.*"), _fix),
    Target("log", "log", re.compile(r"log"), _log),
    Target("under", "log.jsonl", _ANY, _under),
    Target("seat", "given.jsonl", _ANY, _seat),
    Target("dialect", "dialects/d.yaml", re.compile(r"dialects/.*"), _dialect),
    Target("scenario", "scenarios/s.yaml", re.compile(r"scenarios/.*"), _scenario),
    Target("cache", "entry.json", re.compile(r"(entry|section)\.json"), _cache),
    Target("terminal", "texts.json", _ANY, _terminal),
    Target("draw", "drawing.yaml", re.compile(r"\w+(\.\w+)?\.yaml"), _draw),
    Target("titles", "titles.yaml", re.compile(r"titles(\.\w+)?\.yaml"), _titles),
    Target("import", "x.svg", re.compile(r"x\.svg"), _import),
    Target("view", "log", re.compile(r"log|\w+(\.\w+)?\.yaml"), _view),
    Target("editor", "rules/play.rules", _ANY, _editor, _EDITING),
    Target("tar", "file", _ANY, _tar, binary=True),
    Target("zip", "file", _ANY, _zip, binary=True),
    Target("store", "t.db", _ANY, _store, binary=True),
    Target("parquet", "file", _ANY, _parquet, binary=True),
    Target("svg", "x.svg", _ANY, _import, binary=True),
)
TARGETS = {target.name: target for target in _ALL}
