"""A developer's tool: RULESPEC_CPU=DEPTH prints seconds of the processor by folder, those of child processes included.

RULESPEC_CPU=2 .venv/bin/pytest -n 2 --dist worksteal -q     tests/engine, tests/cli, …
RULESPEC_CPU=9 .venv/bin/pytest -q tests/lsp                 each test function
"""

from __future__ import annotations

import resource
from collections import defaultdict

import pytest


def seconds() -> float:
    """Seconds of the processor that this process and its ended children have taken."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class CpuSeconds:
    """A plugin: each report of a test carries its seconds, and the process that prints adds them up."""

    def __init__(self, depth: int) -> None:
        self.depth, self.before = depth, 0.0
        self.sums: defaultdict[str, float] = defaultdict(float)
        self.counts: defaultdict[str, int] = defaultdict(int)

    def pytest_collection_finish(self) -> None:
        self.before = seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> object:
        report = yield
        now = seconds()
        report.user_properties.append(("cpu seconds", now - self.before))  # type: ignore[attr-defined]
        self.before = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        names = report.nodeid.partition("[")[0].replace("::", "/").split("/")
        place = "/".join(names[: self.depth])
        taken = dict(report.user_properties)["cpu seconds"]  # the last: each report has those of the phases before it
        assert isinstance(taken, float)
        self.sums[place] += taken
        self.counts[place] += report.when == "setup"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("seconds of the processor, tests")
        for place in sorted(self.sums, key=self.sums.__getitem__, reverse=True):
            terminalreporter.write_line(f"{self.sums[place]:8.1f} {self.counts[place]:6}  {place}")
        terminalreporter.write_line(f"{sum(self.sums.values()):8.1f} {sum(self.counts.values()):6}  in all")
