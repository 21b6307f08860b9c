"""Measured figures, compared with a yardstick, as data and as tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.pairs import Sample, Slice, Spread, alternate, cost, speed
from bench.yardstick import Yardstick

_SECONDS = {"s": 1.0, "ms": 1e3, "µs": 1e6}


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a figure: a lower or an upper bound on its ratio or its value."""

    bound: float
    at_least: bool
    of_ratio: bool = True

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}{'x' if self.of_ratio else ''}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A value, and its ratio to the yardstick. `more` has additional numbers."""

    section: str
    name: str
    value: Spread
    unit: str
    beside: str = ""
    ratio: Spread | None = None
    target: Target | None = None
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the median meets the target; None if there is no target."""
        if self.target is None:
            return None
        spread = self.ratio if self.target.of_ratio else self.value
        if spread is None:
            return None
        return spread.median >= self.target.bound if self.target.at_least else spread.median <= self.target.bound

    def to_json(self) -> dict[str, Any]:
        """The figure as plain data."""
        return {**asdict(self), "target": str(self.target) if self.target else None, "met": self.met}

    def row(self) -> tuple[str, ...]:
        """The figure as the cells of a table row."""
        value = f"{number(self.value.median)} {self.unit}"
        spread = f"{number(self.value.low)} to {number(self.value.high)}" if self.value.runs > 1 else ""
        ratio = f"{number(self.ratio.median)}x" if self.ratio else ""
        around = f"{number(self.ratio.low)} to {number(self.ratio.high)}" if self.ratio and self.ratio.runs > 1 else ""
        met = {None: "", True: "yes", False: "no"}[self.met]
        more = ", ".join(f"{key} {number(v) if isinstance(v, float) else v}" for key, v in self.more.items())
        return (self.name, value, spread, ratio, around, self.beside, str(self.target or ""), met, more)


HEADS = ("", "median", "quartiles", "ratio", "quartiles", "beside", "target", "met", "")


def number(value: float) -> str:
    """A number with three significant digits."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}" if abs(value) >= 0.1 or not value else f"{value:.3f}"


def table(figures: Sequence[Figure]) -> str:
    """A Markdown table of figures."""
    rows = [HEADS, *(figure.row() for figure in figures)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


@dataclass(slots=True)
class Bench:
    """The parameters of a measurement: runs, turns and seconds, and the yardstick.

    `folder` is the folder for generated files, `quick` states whether to skip long measurements, and `games` is the
    number of playouts for the comparison of processes.
    """

    yardstick: Yardstick
    folder: Path
    runs: int = 5
    turns: int = 4
    seconds: float = 0.1
    quick: bool = False
    games: int = 100
    section: str = ""

    def beside_chess(
        self,
        name: str,
        ours: Slice,
        unit: str,
        task: str = "playouts",
        *,
        target: Target | None = None,
        more: dict[str, Any] | None = None,
    ) -> Figure:
        """The figure of a slice, measured in alternation with a slice of the yardstick.

        Args:
            name: the name of the figure.
            ours: the slice to measure.
            unit: a unit of time, `s`, `ms` or `µs`, or the thing counted per second.
            task: the task of the yardstick.
            target: the target of the figure.
            more: additional numbers, which `ours` may fill in while it runs.
        """
        _progress(f"{self.section}: {name}")
        result = alternate([ours, self.yardstick.slice(task, self.seconds)], self.runs, turns=self.turns)
        beside = {
            "playouts": "chess move",
            "push_pop": "chess push, pop",
            "legal_moves": "chess legal_moves",
            "same_games": "chess, the same games",
            "same_games_bare": "the same games, `is_game_over()` not asked",
            "same_positions": "chess, the same positions",
        }
        label = beside.get(task, f"chess {task}")
        return self.figure(name, *result, unit=unit, beside=label, target=target, more=more)

    def figure(
        self,
        name: str,
        ours: Sequence[Sample],
        theirs: Sequence[Sample] | None = None,
        *,
        unit: str,
        beside: str = "",
        target: Target | None = None,
        more: dict[str, Any] | None = None,
    ) -> Figure:
        """The figure of some samples; its ratio compares times if `unit` is a unit of time, and otherwise speeds."""
        if unit in _SECONDS:
            value = Spread.of(sample.each * _SECONDS[unit] for sample in ours)
            ratio = cost(ours, theirs) if theirs else None
        else:
            value = Spread.of(1 / sample.each for sample in ours)
            ratio = speed(ours, theirs) if theirs else None
            unit = f"{unit}/s"
        return Figure(self.section, name, value, unit, beside, ratio, target, more or {})


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
