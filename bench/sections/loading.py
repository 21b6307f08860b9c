"""Loading of games in stages: reading, checking, lowering, and generating Python; lowering is reused for large maps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from bench.figures import Bench, Figure
from bench.pairs import once
from rulespec.diagnostics.report import Report
from rulespec.engine.game.seating import check_settings
from rulespec.engine.lower.lowering import lower
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset, load_source
from rulespec.typed import nodes as typed

MOST_RUNS = 3
RULESETS = ("imperial", "imperial_2030", "imperial_asia", "tutorial")


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of each ruleset in a process with all imports done; nothing is cached between runs."""
    few = replace(bench, runs=min(bench.runs, MOST_RUNS))
    for ref in RULESETS[:1] if bench.quick else RULESETS:
        ruleset = load_ruleset(ref)
        yield few.beside_chess(f"{ref}: read and merge", once(partial(_read, ref)), "ms")
        yield few.beside_chess(f"{ref}: read, merge and check", once(partial(load_ruleset, ref)), "ms")
        yield from lowering(bench, ref, ruleset)


def lowering(bench: Bench, name: str, ruleset: typed.Ruleset) -> Iterator[Figure]:
    """Figures of lowering, and of generating and compiling Python, for up to four players."""
    bench = replace(bench, runs=min(bench.runs, MOST_RUNS))
    seats = min(4, ruleset.players[1])
    options = check_settings(ruleset, {})
    program = lower(ruleset, seats, options)
    yield bench.beside_chess(f"{name}: lower", once(partial(lower, ruleset, seats, options)), "ms")
    source = len(PythonBackend(program).source.splitlines())
    more = {"seats": str(seats), "cells": str(len(program.start)), "lines": str(source)}
    yield bench.beside_chess(f"{name}: generate and compile", once(partial(PythonBackend, program)), "ms", more=more)


def _read(ref: str) -> None:
    load_source(ref, Report())
