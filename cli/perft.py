"""`rulespec perft`: counts positions at a depth, and compares the counts with a record."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from msgspec import Struct

from rulespec.cli import output
from rulespec.cli.flags import MACHINES, BackendChoice, backend_errors, number_of_players, settings_flag
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.text_files import display, is_present
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.verify.perft import LIMIT, MAX_DEPTH, Perft, perft
from rulespec.engine.verify.perft_record import (
    at_moves,
    choose,
    compare,
    count,
    read_record,
    record_file,
    replay_own,
    write_record,
)
from rulespec.typed import nodes as typed

BACKENDS: dict[str, tuple[Backend, ...]] = {
    "auto": ("python",),
    "wasm": ("wasm",),
    "python": ("python",),
    "interpreter": ("interpreter",),
    "both": ("python", "interpreter"),
}

_FEW = 3_000
"""Number of nodes below which a wasm module does not pay off."""


class _Request(Struct, frozen=True):
    """The arguments and flags of the command."""

    ref: str
    players: int | None
    log: Path | None
    at: int | None
    depth: int | None
    divide: bool
    limit: int
    settings: tuple[str, ...]
    backend: str
    check: bool
    record: bool
    format_: str


@click.command("perft")
@click.argument("ref")
@click.option(
    "--players",
    type=click.IntRange(1, 100),
    metavar="N",
    help="Count from the start of a game of N players; optional if only one number is possible.",
)
@click.option("--from", "log", type=click.Path(path_type=Path), metavar="LOG", help="Count from a recorded game.")
@click.option(
    "--at",
    type=click.IntRange(0),
    metavar="K",
    help="With --from: count from the position after K moves; default: after all.",
)
@click.option("--depth", type=click.IntRange(0, MAX_DEPTH), metavar="D", help="The number of consecutive options.")
@click.option("--divide", is_flag=True, help="Print the number of leaves below each first option.")
@click.option("--limit", type=click.IntRange(1), default=LIMIT, show_default=True, help="Stop after this many nodes.")
@settings_flag
@click.option("--backend", type=BackendChoice(list(BACKENDS)), default="auto", show_default=True)
@click.option("--check", is_flag=True, help="Count the record of REF again, and compare.")
@click.option("--record", is_flag=True, help="Count the record of REF again, and write it.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", help="Output format.")
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Count the positions at depth D in a game of the ruleset REF.

    Every legal option counts once, including those of chance and out of turn. A leaf is a line of D options, or a
    shorter one that ends the game. The hash covers the states of all leaves, regardless of their order. Exit code: 0
    counted, 1 the limit was reached, the backends differ, or the rules are at fault, 2 wrong usage.

    With --check, the recorded positions in the ruleset's folder perft/ are counted again and compared: 0 they agree, 1
    they differ. With --record, the record is written again; if there is none, positions are chosen.

    Example: rulespec perft imperial --players 3 --depth 4 --divide
    """
    r = _Request(**values)
    at = r.at
    from rulespec.load import load_ruleset

    chosen = output.key_values(r.settings)
    if r.check or r.record:
        named = [value is not None for value in (r.players, r.log, at, r.depth)]
        if (r.check and r.record) or any(named) or chosen or r.divide:
            raise click.UsageError("--check and --record can be combined only with REF, --backend and --format")
        with backend_errors(r.backend):
            code = _check(load_ruleset(r.ref), r.backend, r.format_) if r.check else _record(load_ruleset(r.ref))
        ctx.exit(code)
    if r.depth is None or (r.players is not None and r.log is not None):
        raise click.UsageError("give --depth D, and either --players N or --from LOG")
    if at is not None and r.log is None:
        raise click.UsageError("--at needs --from")
    if chosen and r.log is not None:
        raise click.UsageError("--set needs --players; a log has its own settings")
    ruleset = load_ruleset(r.ref)
    with backend_errors(r.backend):
        if r.log is not None:
            at, games = _from_log(ruleset, r.log, at, BACKENDS[r.backend])
        else:
            seats = seat_names(number_of_players(ruleset, r.players), ruleset.seats)
            games = {b: Game(ruleset, seats, chosen, b) for b in BACKENDS[r.backend]}
        code = _count(_Position(ruleset, games, r.log, at or 0, r.backend), r.depth, r.limit, r.divide, r.format_)
    ctx.exit(code)


class _Position(Struct, frozen=True):
    """The root position of a count: a game for each backend, and the log and number of moves that lead to it."""

    ruleset: typed.Ruleset
    games: Mapping[Backend, Game]
    log: Path | None
    at: int
    backend: str

    def __str__(self) -> str:
        game = next(iter(self.games.values()))
        return f"{self.log} at {self.at}" if self.log is not None else output.counted(len(game.seats), "player")


def _count(position: _Position, depth: int, limit: int, divide: bool, format_: str) -> int:
    """Counts positions and prints the result; returns the exit code."""
    ruleset, started = position.ruleset, time.perf_counter()
    results: dict[str, Perft] = {}
    for name, game in position.games.items():
        try:
            if position.backend in ("auto", "wasm"):
                results |= _quickly(game, depth, limit, position.backend)
            else:
                results[name] = perft(game, depth, limit=limit)
        except RulesetFaultError as fault:
            output.show([fault.diagnostic])
            line = ", ".join(f"`{option}`" for option in game.history[-depth:])
            output.echo(f"the last options before that: {line or 'none'}", err=True)
            return output.PROBLEMS
    seconds = time.perf_counter() - started
    if format_ == "json":
        data: dict[str, Any] = {"ruleset": ruleset.ref, **output.hashes(ruleset), "backends": list(results)}
        data |= {
            "seats": list(game.seats),
            "settings": game.settings,
            "log": str(position.log) if position.log else None,
        }
        output.echo_json(data | {"at": position.at, "perfts": {name: _json(p, divide) for name, p in results.items()}})
    else:
        machines = " and ".join(MACHINES[name] for name in results)
        output.echo(f"{ruleset.ref} {ruleset.version} · {position} · depth {depth} · {machines}")
        output.echo()
        _show(results, divide, limit, seconds)
    first = next(iter(results.values()))
    return output.OK if first.complete and all(p == first for p in results.values()) else output.PROBLEMS


def _quickly(game: Game, depth: int, limit: int, backend: str) -> dict[str, Perft]:
    """Position counts, computed in Python for small trees or if wasm is impossible, otherwise in wasm.

    If wasm was requested but cannot count the tree as a whole, it plays each line of the tree.
    """
    from rulespec.engine.verify.wasm_perft import wasm_perft
    from rulespec.engine.wasm.engine import NoWasmtimeError

    if backend == "auto" and ((few := perft(game, depth, limit=min(limit, _FEW))).complete or limit <= _FEW):
        return {"python": few}
    result: Perft | None = None
    with nullcontext() if backend == "wasm" else suppress(NoWasmtimeError):
        result = wasm_perft(game, depth, limit=limit)
    if result is not None:
        return {"wasm": result}
    return {"wasm" if backend == "wasm" else "python": perft(game, depth, limit=limit)}


def _from_log(
    ruleset: typed.Ruleset, log: Path, at: int | None, backends: tuple[Backend, ...]
) -> tuple[int, dict[Backend, Game]]:
    """The number of moves of a log, and for each backend a game after these moves."""
    result = replay_own(log, ruleset)
    if at is None:
        if result.divergence is not None:
            outcome = result.divergence
            message = f"the log breaks a rule of `{ruleset.ref}` at {outcome.place}: {outcome.refusal.reason}"
            line = outcome.line or 1
            help_ = f"count an earlier position: --at K, with K up to {len(result.moves)}"
            raise DiagnosticsError(
                [Diagnostic("RS821", Severity.ERROR, message, Span(str(log), line, 1, line, 2), help=help_)]
            )
        at = len(result.moves)
    return at, {b: game for b in backends for game in at_moves(result, [at], b)}


def _json(perft: Perft, divide: bool) -> dict[str, Any]:
    data = asdict(perft)
    return data if divide else {k: v for k, v in data.items() if k != "divide"}


def _show(results: Mapping[str, Perft], divide: bool, limit: int, seconds: float) -> None:
    perfts = list(results.values())
    first = perfts[0]
    head = ("", *results) if len(results) > 1 else ()
    right = range(1, len(results) + 1)
    if divide:
        names = dict.fromkeys(name for p in perfts for name in p.divide)
        rows = [[name, *(f"{p.divide[name]:,}" if name in p.divide else "-" for p in perfts)] for name in names]
        for line in [*output.table(rows, head, right), ""]:
            output.echo(line)
    numbers = [[key, *(f"{getattr(p, key):,}" for p in perfts)] for key in ("nodes", "leaves", "ended", "distinct")]
    for line in output.table([*numbers, ["hash", *(p.hash for p in perfts)]], head, right):
        output.echo(line)
    output.echo()
    if not first.complete:
        text = f"stopped after {limit:,} nodes (--limit): the numbers are incomplete"
        output.echo(output.style(text, fg="yellow"))
    if any(p != first for p in perfts):
        output.echo(output.style("the backends differ, which is a bug in this program", fg="red"))
    total = sum(p.nodes for p in perfts)
    output.echo(f"{seconds:.1f} s ({total / max(seconds, 1e-9):,.0f} nodes/s)")


# --- the record ----------------------------------------------------------------------------


def _check(ruleset: typed.Ruleset, backend: str, format_: str) -> int:
    path, report, started = record_file(ruleset), Report(), time.perf_counter()
    if not is_present(path):
        raise click.UsageError(
            f"there is no {display(path)}: write it with `rulespec perft {ruleset.reference} --record`"
        )
    rows = read_record(path)
    counted = sum(compare(ruleset, rows, name, report) for name in BACKENDS[backend])
    if format_ == "json":
        data: dict[str, Any] = {"ruleset": ruleset.ref, **output.hashes(ruleset)}
        data |= {"backends": list(BACKENDS[backend]), "record": display(path), "positions": counted}
        output.echo_json(data | {"diagnostics": output.in_json(report.diagnostics)})
    else:
        output.show(report.diagnostics)
        verdict = output.style("as recorded", fg="green")
        if not report.ok:
            verdict = output.style(f"{report.errors} differ", fg="red")
        seconds = time.perf_counter() - started
        output.echo(f"{display(path)}: {output.counted(counted, 'position')} counted, {verdict} · {seconds:.1f} s")
    return output.OK if report.ok else output.PROBLEMS


def _record(ruleset: typed.Ruleset) -> int:
    path = record_file(ruleset)
    rows = read_record(path) if is_present(path) else choose(ruleset)
    try:
        counted = list(count(ruleset, rows))
    except RulesetFaultError as fault:
        output.show([fault.diagnostic])
        return output.PROBLEMS
    try:
        write_record(path, ruleset, counted)
    except OSError as error:
        raise output.unwritten(path, error) from None
    nodes = sum(int(row.counted["nodes"]) for row in counted)
    output.echo(f"{display(path)}: {output.counted(len(counted), 'position')}, {output.counted(nodes, 'node')}")
    return output.OK
