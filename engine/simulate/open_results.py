"""Opening of game results, in the format implied by the file name."""

from __future__ import annotations

from pathlib import Path

from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.game_sheet import GameSheet
from rulespec.engine.simulate.json_lines import JsonLinesResults
from rulespec.engine.simulate.result_rows import Results, ResultSheet, Row


def open_results(path: Path, plan: GamePlan) -> Results[Outcome]:
    """Opens results of simulated games; see `open_rows`."""
    return open_rows(path, GameSheet(plan))


def open_rows(path: Path, sheet: ResultSheet[Row]) -> Results[Row]:
    """Opens a file `….jsonl` or a folder `….parquet`, and creates it if it is missing.

    Raises:
        SaveError: if the name has another suffix, if the file cannot be written, if another program has it open, or
            if a library is missing.
    """
    if path.suffix == ".jsonl":
        return JsonLinesResults(path, sheet)
    if path.suffix == ".parquet":
        try:
            from rulespec.engine.simulate.parquet import ParquetResults  # lazily: it needs an extra
        except ModuleNotFoundError:
            raise SaveError("Parquet needs pyarrow: pip install 'rulespec[parquet]'") from None
        return ParquetResults(path, sheet)
    raise SaveError(f"{path} names no format: use a name that ends in .jsonl or .parquet")
