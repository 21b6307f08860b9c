"""A development plugin: RULESPEC_CPU=DEPTH prints CPU seconds by folder, including those of child processes.

RULESPEC_CPU=2 .venv/bin/pytest -n 2 --dist worksteal -q     tests/engine, tests/cli, …
RULESPEC_CPU=9 .venv/bin/pytest -q tests/lsp                 each test function
"""

from __future__ import annotations

import resource
from collections import defaultdict

import pytest


def seconds() -> float:
    """The CPU seconds used so far by this process and its finished children."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class CpuSeconds:
    """A plugin that attaches CPU seconds to test reports, and adds them up in the printing process."""

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
        taken = dict(report.user_properties)["cpu seconds"]  # reports also have those of earlier phases
        assert isinstance(taken, float)
        self.sums[place] += taken
        self.counts[place] += report.when == "setup"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("seconds of the processor, tests")
        for place in sorted(self.sums, key=self.sums.__getitem__, reverse=True):
            terminalreporter.write_line(f"{self.sums[place]:8.1f} {self.counts[place]:6}  {place}")
        terminalreporter.write_line(f"{sum(self.sums.values()):8.1f} {sum(self.counts.values()):6}  in all")
