"""`rulespec simulate --codes`: random games stored as codes."""

from __future__ import annotations

from pathlib import Path

from rulespec.bundles.rules import bundle_of
from rulespec.cli import output
from rulespec.cli.workers_flags import with_progress
from rulespec.engine.corpus.code_tables import Tables
from rulespec.engine.corpus.game_codes import CodeSheet, simulated, store_folder, tables_of
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.game_sheet import header
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.typed import nodes as typed


def write_codes(plan: GamePlan, ruleset: typed.Ruleset, games: int, folder: Path) -> None:
    """Writes the missing games of a plan as codes.

    Raises:
        SaveError, DiagnosticsError: if the folder contains other games or damaged ones, or writing fails.
    """
    tables, rules = Tables(folder), bundle_of(ruleset)
    with ParquetResults(store_folder(folder), CodeSheet(header(plan), tables)) as results:
        for table in tables_of(plan, ruleset):
            tables.add(table, rules)
        done, last = 0, None
        for game in results.recorded():
            done, last = done + 1, game
        if done > games:
            raise SaveError(f"{folder} already has more than {output.counted(games, 'game')}: name another folder")
        if last is not None and not last.same(next(simulated(plan, ruleset, range(done - 1, done)))):
            raise SaveError(
                f"the last game in {folder} has different decisions when it is played again: name another folder"
            )
        for each in with_progress(simulated(plan, ruleset, range(done, games)), games, done):
            results.add(each)
