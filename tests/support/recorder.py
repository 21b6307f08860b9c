"""A recorder of foreign logs: entries in the dialect `courier`, replayed under the rules of `errands`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from folders import RULESETS

from rulespec.diagnostics.report import Report
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset

FOLDER = RULESETS / "errands"
COURIER = FOLDER / "dialects" / "courier.yaml"
Entry = dict[str, Any]


@pytest.fixture(scope="module")
def errands() -> Ruleset:
    return load_ruleset(str(FOLDER))


@pytest.fixture(scope="module")
def courier() -> Dialect:
    return read_dialect(COURIER)


def begin(*people: str, **data: Any) -> Entry:
    return {"kind": "begin", "data": {"game": "errands", "people": [{"name": p} for p in people], **data}}


def go(to: str, **data: Any) -> Entry:
    return {"kind": "go", "data": {"to": to, **data}}


def cargo(*what: str) -> Entry:
    return {"kind": "cargo", "data": {"crates": [{"what": w} for w in what]}}


def gift(giver: str, to: str, amount: int) -> Entry:
    return {"kind": "gift", "data": {"from": giver, "to": {"name": to}, "amount": amount}}


def plain(kind: str) -> Entry:
    return {"kind": kind}


REST = [plain("rest"), cargo(), plain("close"), plain("keep")]
"""A turn without any effect."""


class Recorder:
    """A replayer of entries that keeps the trace."""

    def __init__(self, ruleset: Ruleset, folder: Path) -> None:
        self.ruleset, self.path = ruleset, folder / "game.json"
        self.trace: list[dict[str, Any]] = []
        self.report = Report()

    def __call__(self, *entries: Any, until: int | None = None) -> ReplayResult:
        return self.text(json.dumps(entries), until)

    def text(self, text: str, until: int | None = None) -> ReplayResult:
        self.path.write_text(text, encoding="utf-8")
        return self.file(self.path, until)

    def file(self, path: Path, until: int | None = None) -> ReplayResult:
        self.trace = []
        return ReplayRequest(
            path,
            rules=str(FOLDER),
            until=until,
            trace=self.trace.append,
            report=self.report,
            load=lambda _: self.ruleset,
            strict=False,
        ).replay()


@pytest.fixture
def replay(errands: Ruleset, tmp_path: Path) -> Recorder:
    return Recorder(errands, tmp_path)


def taken(result: ReplayResult) -> list[str]:
    assert result.divergence is None, result.divergence
    return [f"{o.decision}.{o}" for o in result.game.history]


HOSTILE: list[Any] = [None, True, 3, 1.5, "x" * 10_000, [], {}, [[[]]], {"a": {"b": []}}, "__class__", "\ud800"]


def changed(tmp_path: Path, old: str, new: str, file: Path = COURIER) -> Path:
    text = file.read_text("utf-8")
    assert old in text
    path = tmp_path / file.name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path
