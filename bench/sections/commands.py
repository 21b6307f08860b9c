"""Cold starts: each command as a whole process, compared with check-jsonschema on Imperial's YAML files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

from bench.figures import Bench, Figure, Target
from bench.pairs import Sample, Slice, Spread, alternate, cost
from bench.play import write_log
from bench.processes import ROOT, process
from rulespec.editor_schema import files_schema
from rulespec.load import load_ruleset
from rulespec.schemas import NAMES

FOREIGN = "games/imperial/logs/playimperial/c002-standard-4p.json"
DECISIONS = 1_000
MOST_RUNS = 3
"""The maximum number of runs per command, since all commands together take minutes."""
OWN = ("kinds", "map", "boards", "tracks", "tables", "setup")
"""The files that the ruleset's own schema covers."""


def commands(log: str) -> dict[str, list[str]]:
    """The commands by their names in the table, without slow ones."""
    return {
        "--help": ["--help"],
        "explain": ["explain", "RS301"],
        "validate imperial": ["validate", "imperial"],
        "validate tutorial": ["validate", "tutorial"],
        f"replay, native, {DECISIONS:,} decisions": ["replay", log],
        "replay, foreign, 302 decisions": ["replay", FOREIGN],
        "simulate tutorial, 1 game": ["simulate", "tutorial", "--players", "3", "--games", "1"],
        "perft tutorial, depth 1": ["perft", "tutorial", "--players", "3", "--depth", "1"],
        "play tutorial, 3 bots": ["play", "tutorial", "--players", "3", "--bots", "3"],
        "diff imperial imperial_2030": ["diff", "imperial", "imperial_2030"],
        "format --check imperial": ["format", "--check", "imperial"],
        "schema imperial": ["schema", "imperial"],
        "new --help": ["new", "--help"],
        "lsp --help": ["lsp", "--help"],
    }


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of whole processes, measured in pairs, with bytecode and caches already in place."""
    ruleset = load_ruleset("imperial")
    log = write_log(ruleset, 4, DECISIONS, bench.folder / f"{DECISIONS}.jsonl")
    schema = bench.folder / "imperial.schema.json"
    schema.write_text(json.dumps(files_schema(ruleset)), "utf-8")
    check = [str(schema), *(f"games/imperial/{name}.yaml" for name in OWN)]
    theirs = process("check_jsonschema", ["--schemafile", *check], [])
    targets = {"validate imperial": 1, f"replay, native, {DECISIONS:,} decisions": 2}
    chosen = commands(str(log))
    if bench.quick:
        chosen = {name: chosen[name] for name in ("--help", "explain", *targets)}
    runs = min(bench.runs, 2 if bench.quick else MOST_RUNS)
    for name, args in chosen.items():
        target = Target(targets[name], at_least=False) if name in targets else None
        yield _pair(bench, f"rulespec {name}", args, theirs, runs, target)
    if not bench.quick:
        yield _each(bench, theirs, runs)
        for args in (["test", "tutorial"], ["coverage", "nim"]):
            yield _pair(bench, f"rulespec {' '.join(args)}", args, theirs, 1, None)


def _pair(bench: Bench, name: str, args: list[str], theirs: Slice, runs: int, target: Target | None) -> Figure:
    walls: list[float] = []
    ours = process("rulespec.cli.main", args, walls)
    result = alternate([ours, theirs], runs, warm=runs > 1)
    figure = bench.figure(name, *result, unit="ms", beside="check-jsonschema", target=target)
    return replace(figure, more={"wall": f"{median(walls[-runs:]) * 1000:,.0f} ms"})


def _each(bench: Bench, theirs: Slice, runs: int) -> Figure:
    """The alternative way to check the same files: one process per file, with the schema of its kind."""
    pairs = [(f"rulespec/schemas/{name}.schema.json", f"games/imperial/{name}.yaml") for name in NAMES]
    slices = [process("check_jsonschema", ["--schemafile", *p], []) for p in pairs if (ROOT / p[1]).exists()]

    def run() -> Sample:
        return Sample(1, sum(part().seconds for part in slices))

    result = alternate([run, theirs], runs)
    value = Spread.of(sample.seconds * 1000 for sample in result[0])
    name = f"check-jsonschema, {len(slices)} processes, each its file"
    return Figure(bench.section, name, value, "ms", "check-jsonschema", cost(*result))
