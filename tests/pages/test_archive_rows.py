"""Options taken in an archive, beside a recorded game: at each position, for who may see everything."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

import pytest
from commands import invoke
from folders import GAMES

from rulespec.engine.corpus.archive import OPENING, shelves
from rulespec.engine.corpus.position_moves import counted, moves_at
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.replay.replay import replay_log
from rulespec.pages.archive_page import archive_page
from rulespec.pages.archive_rows import SHOWN, positions_of
from rulespec.pages.replay_data import told_replay

pytest.importorskip("pyarrow")

LOG = GAMES / "gallery" / "nim" / "logs" / "random-2.jsonl"
POKER = GAMES / "gallery" / "kuhn_poker" / "logs" / "random-2-1.jsonl"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("store")
    for ref, args in (("nim", ("--set", "misere=true")), ("kuhn_poker", ())):
        command = ("simulate", ref, "--players", 2, "--games", 60, "--seed", 2, "--codes", folder / ref)
        assert invoke(*command, *args)[0] == 0
    return folder


@pytest.mark.proof  # 0.3 s
def test_each_position_has_its_options(store: Path) -> None:
    result = replay_log(LOG)
    positions = [int(each.hash, 16) for each in positions_of(result.game, result.moves)]
    counts = counted(store / "nim", result.game, positions)
    rows = told_replay(result, OMNISCIENT, counts=counts).data["archive"]
    assert len(rows) == len(result.moves) + 1
    assert rows[0]["times"] == "60"
    assert rows[-1] is None
    for position, row in zip(positions_of(result.game, result.moves), rows, strict=True):
        taken = [move.tally.times for move in moves_at(position, counts) if move.tally.times]
        assert (row is None) == (taken == [])
        if row is not None:
            assert [int(each[1]) for each in row["options"]][:SHOWN] == taken[:SHOWN]
            assert sum(each[3] for each in row["options"]) <= 1
    assert rows[0]["options"][0][0].startswith("A takes ")


def test_the_page_of_a_store_tells_openings_and_endings_in_words(store: Path) -> None:
    (shelf,) = shelves(store / "nim")
    moves = [move for opening, _ in shelf.frequent for move in opening]
    assert len(moves) == OPENING * len(shelf.frequent) > OPENING
    assert moves == [move for move in moves if re.fullmatch(r"[AB] takes \d+ match(es)? from heap .+", move)]
    page = archive_page("store", [shelf])
    assert escape(" · ".join(shelf.frequent[0][0])) in page
    assert (page.count("the last match is taken"), page.count("take(")) == (1, 0)


def test_a_seat_gets_nothing_of_it(store: Path) -> None:
    result = replay_log(POKER)
    counts = counted(store / "kuhn_poker", result.game, [int(result.game.hash, 16)])
    assert "archive" not in told_replay(result, None, counts=counts).data
    assert "archive" not in told_replay(result, result.game.seats[0], counts=counts).data
    assert "archive" in told_replay(result, OMNISCIENT, counts=counts).data
    assert "archive" not in told_replay(result, OMNISCIENT).data


def test_the_command_refuses_what_could_tell(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "game.html"
    code, _, err = invoke("view", POKER, "--store", store / "kuhn_poker", "--out", out)
    assert (code, "--store needs --omniscient in a game with secrets" in err, out.exists()) == (2, True, False)
    code, _, err = invoke("view", LOG, "--until", 3, "--store", store / "nim", "--out", out)
    assert (code, "--store is for finished games" in err, out.exists()) == (2, True, False)
    assert invoke("view", POKER, "--omniscient", "--store", store / "kuhn_poker", "--out", out)[0] == 0
    assert '"archive":' in out.read_text("utf-8")
    assert invoke("view", LOG, "--store", store / "nim", "--out", out)[0] == 0
    assert '"archive":' in out.read_text("utf-8")
