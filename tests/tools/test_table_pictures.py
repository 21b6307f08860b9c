"""Pictures of a game at a table, played by clicks and taps."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from tools.table_pictures import pictures


@pytest.mark.proof
@pytest.mark.parametrize(
    "ref, players, bots",
    [
        *(("connect_four", 2, 0), ("tetrarchia", 2, 0), ("shadow_of_the_emperor", 3, 1)),
        *(("backgammon", 2, 0), ("chess", 2, 0), ("imperial", 4, 2)),
    ],
)
def test_a_game_is_played_to_its_end_and_pictured_at_both_sizes(
    ref: str, players: int, bots: int, browser: Any, tmp_path: Path
) -> None:
    args = Namespace(players=players, bots=bots, count=1, share=0.5, seed=1, whole=True, out=tmp_path)
    counts = pictures(browser, ref, args)
    assert counts["clicks"] >= 7 and counts["pictures"] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{ref}-1360-01.png", f"{ref}-393-01.png"]
