"""Replays of recorded games: native logs, and logs of another system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from bench.figures import Bench, Figure, Target
from bench.pairs import timed
from bench.play import write_log
from bench.processes import ROOT
from rulespec.engine.dialects.dialect import read_dialect
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.logs.native import parse_log
from rulespec.engine.replay.replay import ReplayRequest, replay_native
from rulespec.load import load_ruleset

RECORDED = ROOT / "games/imperial/logs/playimperial"
DIALECT = ROOT / "games/imperial/dialects/playimperial.yaml"
DECISIONS = 1_000


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of decisions per second, for logs in memory, and for whole files with the dialect loaded each time."""
    ruleset = load_ruleset("imperial")
    path = write_log(ruleset, 4, DECISIONS, bench.folder / f"{DECISIONS}.jsonl")
    text = path.read_text("utf-8")
    log = parse_log(text, "log")

    def native() -> int:
        return replay_native(parse_log(text, "log"), ruleset).game.ply

    def parse() -> int:
        return len(parse_log(text, "log").entries)

    def apply() -> int:
        return replay_native(log, ruleset).game.ply

    least = Target(4, at_least=True)
    yield bench.beside_chess("native log: parse and replay", timed(native, bench.seconds), "decisions", target=least)
    yield bench.beside_chess("native log: parse", timed(parse, bench.seconds), "decisions")
    yield bench.beside_chess("native log: replay", timed(apply, bench.seconds), "decisions")
    logs = sorted(RECORDED.glob("*.json"))[: 1 if bench.quick else None]
    more = {"logs": str(len(logs))}
    target = Target(1, at_least=True)
    backends: tuple[Backend, ...] = ("python", "wasm") if find_spec("wasmtime") else ("python",)
    for backend in backends:
        how = ", in wasm" if backend == "wasm" else ""
        imports, files = (timed(work(logs, backend), bench.seconds) for work in (_imports, _files))
        yield bench.beside_chess(f"foreign logs: parse and import{how}", imports, "decisions", target=target, more=more)
        yield bench.beside_chess(f"foreign logs: files, dialect too{how}", files, "decisions", more=more)


def _imports(logs: list[Path], backend: Backend) -> Callable[[], int]:
    dialect = read_dialect(DIALECT)
    load = cache(load_ruleset)
    texts = [path.read_text("utf-8") for path in logs]

    def work() -> int:
        decisions = 0
        for text in texts:
            log = parse_foreign(text, "log")
            ref = dialect.ruleset_for(log.entries[0])
            assert ref is not None
            ruleset = load(ref)
            game = Game(ruleset, *seats_and_settings(dialect, log, ruleset), backend)
            importer = Importer(game, dialect, log, False)
            importer.run(None, None)
            decisions += len(importer.moves)
        return decisions

    return work


def _files(logs: list[Path], backend: Backend) -> Callable[[], int]:
    load = cache(load_ruleset)
    return lambda: sum(len(ReplayRequest(path, load=load, backend=backend).replay().moves) for path in logs)
