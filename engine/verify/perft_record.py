"""Perft records: positions of a ruleset with the counts below them, in a file for tests.

A record reveals unintended changes to legal options or their effects. The numbers depend only on the rules. The hash
also depends on the layout of states: if the layout changes and all numbers stay the same, rewrite the record (`rulespec
perft REF --record`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.schema_check import check_schema
from rulespec.documents.text_files import display, inside
from rulespec.documents.written_files import write_text
from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_nodes import locate, to_plain
from rulespec.documents.yaml_reader import read_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.option import RulesetFaultError, TakenBack
from rulespec.engine.game.seating import seat_names
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.engine.verify.perft import Perft, perft
from rulespec.engine.verify.suite import log_files
from rulespec.references import named
from rulespec.schemas import load_schema, modeline
from rulespec.typed import nodes as typed

BUDGET = 400
"""The maximum number of nodes below a position, which determines its depth."""
DEEPEST = 4
FROM_LOGS = 100
"""The default number of positions chosen from recorded games."""
COUNTED = ("nodes", "leaves", "ended", "distinct", "hash")


@dataclass(frozen=True, slots=True)
class PerftRow:
    """A position with the counts below it.

    Attributes:
        players: the number of players for the start of a game; 0 for a position in a log.
        log: a recorded game, as a path in the ruleset's folder; "" for the start of a game.
        at: the number of moves of the log before the position.
        depth: the depth of the counts; 0 if not yet counted.
        counted: the counts; empty if not yet counted.
        span: the place of the row in the record.
        spans: the places of the values in the row.
    """

    players: int
    log: str
    at: int
    depth: int
    counted: dict[str, int | str] = field(default_factory=dict)
    span: Span | None = None
    spans: dict[str, Span] = field(default_factory=dict)

    def __str__(self) -> str:
        where = f"{self.log} at {self.at}" if self.log else f"start with {self.players} players"
        return f"{where}, depth {self.depth}"

    def to_yaml(self) -> str:
        """The row as a line of the record."""
        position = f"log: {self.log}, at: {self.at}" if self.log else f"players: {self.players}"
        values = ", ".join(f'{k}: "{v}"' if k == "hash" else f"{k}: {v}" for k, v in self.counted.items())
        return f"  - {{{position}, depth: {self.depth}, {values}}}"


def record_file(ruleset: typed.Ruleset) -> Path:
    """The record of a ruleset: `perft/<id>+<overlays>.yaml` in its folder, or beside the last overlay referenced by
    path.
    """
    home = next((ruleset.homes[id_] for id_ in reversed(ruleset.overlays) if id_ in ruleset.homes), ruleset.folders[0])
    return home / "perft" / f"{'+'.join([ruleset.id, *ruleset.overlays])}.yaml"


# --- positions -----------------------------------------------------------------------------


def replay_own(path: Path, ruleset: typed.Ruleset) -> ReplayResult:
    """Replays a log under a loaded ruleset, up to the first illegal move.

    Raises:
        DiagnosticsError: if the log is unreadable, or does not fit the ruleset.
    """
    own = "+".join([named(ruleset.folders[0]), *ruleset.overlays])
    return ReplayRequest(path, rules=own, load=lambda _: ruleset, strict=False).replay()


def at_moves(
    result: ReplayResult, wanted: Iterable[int], backend: Backend, spans: Mapping[int, Span] | None = None
) -> Iterator[Game]:
    """Replays a game, and yields it at each of the wanted positions.

    A position is given as the number of moves before it, in ascending order; a move is a decision or an undo. `spans`
    gives the place of each number.

    Raises:
        DiagnosticsError: RS832 if the log has fewer legal moves.
    """
    replayed, moves = result.game, result.moves
    game = Game(replayed.ruleset, replayed.names, replayed.settings, backend)
    done = 0
    for at in wanted:
        if at > len(moves):
            legal = f"{result.log} has {len(moves):,}{' legal' if result.divergence else ''} moves"
            help_ = (
                f"the next move is illegal: {result.divergence.refusal.reason}"
                if result.divergence
                else "choose a smaller number"
            )
            span = (spans or {}).get(at, Span(result.log, 1, 1, 1, 2))
            message = f"there is no position after {at:,} moves: {legal}"
            raise DiagnosticsError([Diagnostic("RS832", Severity.ERROR, message, span, help=help_)])
        for move in moves[done:at]:
            if isinstance(move, TakenBack):
                game.omniscient.take_back(move)
            else:
                game.apply(move)
        done = at
        yield game


def positions(ruleset: typed.Ruleset, rows: Sequence[PerftRow], backend: Backend) -> Iterator[tuple[PerftRow, Game]]:
    """Each row with a game at its position; the caller must not change the game."""
    for log, of_log in groupby(rows, key=lambda row: row.log):
        group = list(of_log)
        if not log:
            for row in group:
                yield row, Game(ruleset, seat_names(row.players, ruleset.seats), backend=backend)
            continue
        result = replay_own(inside(ruleset.folders[0], log, group[0].spans.get("log")), ruleset)
        spans = {row.at: row.spans["at"] for row in group if row.spans}
        yield from zip(group, at_moves(result, [row.at for row in group], backend, spans), strict=True)


def choose(ruleset: typed.Ruleset, from_logs: int = FROM_LOGS) -> list[PerftRow]:
    """The positions to record: the start for every player count, and evenly spaced positions of the recorded games.

    The rows have depth 0 and no counts.
    """
    low, high = ruleset.players
    rows = [PerftRow(players, "", 0, 0) for players in range(low, high + 1)]
    moves: list[tuple[str, int]] = []
    for path in log_files(ruleset):
        legal = len(replay_own(path, ruleset).moves)
        moves += [(path.relative_to(ruleset.folders[0]).as_posix(), at) for at in range(1, legal)]
    number = min(from_logs, len(moves))
    rows += [PerftRow(0, *moves[i * len(moves) // number], 0) for i in range(number)]
    return rows


# --- the file ------------------------------------------------------------------------------


def read_record(path: Path) -> list[PerftRow]:
    """Reads a record.

    Raises:
        DiagnosticsError: if it is unreadable or violates its schema.
    """
    report = Report()
    node = read_yaml(path, display(path))
    check_schema(node, load_schema("perft_record"), report, what="perft record")
    report.raise_if_errors()
    rows = []
    for i, data in enumerate(to_plain(node)["positions"]):
        place = locate(node, ["positions", i])
        assert isinstance(place, YamlMapping)
        spans = {name: value.span for name, (_, value) in place.entries.items()}
        counted = {name: data[name] for name in COUNTED if name in data}
        players, log, at = data.get("players", 0), data.get("log", ""), data.get("at", 0)
        rows.append(PerftRow(players, log, at, data["depth"], counted, place.span, spans))
    return sorted(rows, key=lambda row: (row.log, row.at))


def count(ruleset: typed.Ruleset, rows: Sequence[PerftRow], backend: Backend = "python") -> Iterator[PerftRow]:
    """Computes the counts of rows; a depth of 0 is replaced by the largest depth within `BUDGET`.

    Raises:
        DiagnosticsError: if a log is unreadable, or too short for a position.
        RulesetFaultError: if the rules fault.
    """
    for row, game in positions(ruleset, rows, backend):
        result = perft(game, row.depth) if row.depth else _deepest(game)
        yield PerftRow(row.players, row.log, row.at, result.depth, counted(result))


def counted(count: Perft) -> dict[str, int | str]:
    """The counts that a record contains, from the result of a perft."""
    return {name: getattr(count, name) for name in COUNTED}


def _deepest(game: Game) -> Perft:
    best = perft(game, 1)
    for depth in range(2, DEEPEST + 1):
        result = perft(game, depth, limit=BUDGET)
        if not result.complete or not result.leaves:
            break
        best = result
    return best


def write_record(path: Path, ruleset: typed.Ruleset, rows: Sequence[PerftRow]) -> None:
    """Writes a record; see `games/*/perft`.

    Raises:
        OSError: if it cannot be written.
    """
    path.parent.mkdir(exist_ok=True)
    head = modeline(path.parent, "perft_record")
    head += [f"# Written by `rulespec perft {ruleset.ref} --record`; compared by `--check`.", "positions:"]
    write_text(path, "\n".join([*head, *(row.to_yaml() for row in rows)]) + "\n")


def compare(ruleset: typed.Ruleset, rows: Sequence[PerftRow], backend: Backend, report: Report) -> int:
    """Recounts the recorded positions; returns their number.

    Args:
        ruleset: the ruleset.
        rows: the recorded positions.
        backend: the backend for the rules.
        report: the report that receives each difference (RS831, at its place in the record), and errors at positions
            that cannot be counted.
    """
    done = 0
    for _, of_log in groupby(rows, key=lambda row: row.log):
        try:
            for row, game in positions(ruleset, list(of_log), backend):
                _compare(row, game, backend, report)
                done += 1
        except DiagnosticsError as error:
            report.extend(error.diagnostics)
    return done


def _compare(row: PerftRow, game: Game, backend: Backend, report: Report) -> None:
    ply = game.ply
    try:
        # One node more than recorded shows a difference, and bounds the work.
        result = perft(game, row.depth, limit=int(row.counted["nodes"]) + 1)
    except RulesetFaultError as fault:
        report.add(fault.diagnostic)
        while game.ply > ply:
            game.undo()
    else:
        _differences(row, result, backend, report)


def _differences(row: PerftRow, count: Perft, backend: Backend, report: Report) -> None:
    now: dict[str, Any] = counted(count)
    names = [name for name, value in row.counted.items() if now[name] != value]
    if not names:
        return
    if not count.complete:
        names = ["nodes"]
    texts = [f"{name} is {now[name]}, not {row.counted[name]} as recorded" for name in names]
    if not count.complete:
        texts = [f"there are more nodes than the {row.counted['nodes']} recorded"]
    help_ = "find the differing option with `rulespec perft --divide`"
    if names == ["hash"]:
        help_ = "if only the layout of states has changed, record the hashes again with `rulespec perft REF --record`"
    message = f"{row} (backend {backend}): {'; '.join(texts)}"
    report.error("RS831", message, row.spans.get(names[0], row.span), help=help_)
