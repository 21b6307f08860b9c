"""Figures from playtests of the shipped variants, for the page of verdicts in the documentation.

rulespec playtest imperial +one_million … --format json > one.json     # the page lists the commands
python bench/library.py one.json two.json                              # to docs/explanation/verdicts.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

OUT = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "verdicts.json"
_PARTS = ("name", "pairs", "equal", "failed", "capped", "answers")


def compact(report: dict[str, Any]) -> dict[str, Any]:
    """A report without curves, and without figures that have no verdict."""
    rules = [
        {key: rule[key] for key in ("name", "ruleset", "ruleset_hash", "settings", "sentence")}
        | {"strengths": [{key: each[key] for key in _PARTS} for each in rule["strengths"]]}
        for rule in report["rules"]
    ]
    return {key: report[key] for key in ("command", "base", "players", "seed", "cap", "pairs")} | {"rules": rules}


def text(reports: list[dict[str, Any]]) -> str:
    """Compact reports as JSON, one line per variant."""
    parts = []
    for report in reports:
        head = json.dumps({key: value for key, value in report.items() if key != "rules"}).removesuffix("}")
        rows = ",\n".join(json.dumps(rule) for rule in report["rules"])
        parts.append(f'{head}, "rules": [\n{rows}\n]}}')
    return "[\n" + ",\n".join(parts) + "\n]\n"


if __name__ == "__main__":
    reports = [compact(json.loads(Path(path).read_text("utf-8"))) for path in sys.argv[1:]]
    OUT.write_text(text(reports), "utf-8")
