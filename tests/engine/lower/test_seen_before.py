"""A ruleset that has been seen before becomes the same program."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement import EVERY

from rulespec.engine.game.seating import check_settings
from rulespec.engine.lower.lowering import lower
from rulespec.load import load_ruleset


@pytest.mark.parametrize("folder", EVERY, ids=[f.name for f in EVERY])
@pytest.mark.sampled(1)
def test_what_is_known_of_a_ruleset_leaves_out_nothing_that_is_needed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    first, again = (load_ruleset(str(folder)) for _ in range(2))
    seats, settings = first.players[1], check_settings(first, {})
    assert lower(again, seats, settings) == lower(first, seats, settings)
