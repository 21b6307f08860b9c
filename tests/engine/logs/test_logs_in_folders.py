"""The logs in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs import samples


def test_folders_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DiagnosticsError, match="contains no log"):
        samples.logs_in(tmp_path)
    for number in range(3):
        (tmp_path / f"{number}.jsonl").write_text("{}", "utf-8")
    monkeypatch.setattr(samples, "MAX_LOGS", 2)
    with pytest.raises(DiagnosticsError, match="contains 3 logs; at most 2"):
        samples.logs_in(tmp_path)
