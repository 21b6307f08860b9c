"""Results of random games, opened in the format that the name of the file says."""

from __future__ import annotations

from pathlib import Path

from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.json_lines import JsonLinesResults
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.engine.simulate.plan import Plan
from rulespec.engine.simulate.results import Results


def open_results(path: Path, plan: Plan) -> Results:
    """Opens a file `….jsonl` or a folder `….parquet`; creates it if there is none.

    Raises:
        SaveError: if it has another suffix, cannot be written, or another program has it open.
    """
    if path.suffix == ".jsonl":
        return JsonLinesResults(path, plan)
    if path.suffix == ".parquet":
        return ParquetResults(path, plan)
    raise SaveError(f"{path} names no format: results are written to a name that ends in .jsonl or .parquet")
