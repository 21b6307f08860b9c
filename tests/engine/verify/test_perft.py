"""Perft: counts computed by hand, counts from independent code, and the records of the shipped rulesets.

RULESPEC_PERFT=1 compares all recorded positions under both backends instead of a sample.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from folders import RULESETS, SHIPPED, shipped_files
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import read_log
from rulespec.engine.verify import perft as module
from rulespec.engine.verify.perft import MAX_DEPTH, perft
from rulespec.engine.verify.perft_record import COUNTED, compare, read_record, record_file
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

STONES, MOST = 9, 3
BACKENDS: tuple[Backend, ...] = ("python", "interpreter")
RECORDS = shipped_files("perft/*.yaml")
ALL = "RULESPEC_PERFT" in os.environ


@cache
def ruleset(name: str) -> typed.Ruleset:
    return load_ruleset(str(RULESETS / name))


def game(name: str, players: int = 2, backend: Backend = "python", **options: str) -> Game:
    return Game(ruleset(name), seat_names(players), options, backend)


# --- counting ---------------------------------------------------------------------------------------------------------


def nim(depth: int) -> Iterator[tuple[int, ...]]:
    """The number of lines of Nim after the given number of moves, from an independent formula."""
    if depth == 0:
        yield ()
        return
    for line in nim(depth - 1):
        for n in range(1, MOST + 1):
            if sum(line) + n <= STONES:
                yield (*line, n)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("depth", range(STONES + 2))
def test_nim_is_counted_as_by_other_code(depth: int, players: int) -> None:
    result = perft(game("nim", players), depth)
    lines = list(nim(depth))
    held = {tuple(sum(line[p::players]) for p in range(players)) for line in lines}
    assert result.complete
    assert result.leaves == len(lines)
    if all(sum(line) < STONES for line in lines):
        assert result.distinct == len(held)
    assert result.nodes == sum(len(list(nim(d))) for d in range(1, depth + 1))
    assert result.ended == sum(sum(line) == STONES for d in range(depth) for line in nim(d))
    assert sum(result.divide.values()) == (result.leaves if depth else 0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_three_moves_of_nim_by_hand(backend: Backend) -> None:
    """Three moves of one to three stones; the first player then holds two to six stones, the second one to three."""
    result = perft(game("nim", 2, backend), 3)
    assert (result.nodes, result.leaves, result.ended, result.distinct) == (3 + 9 + 27, 27, 0, 5 * 3)
    assert result.divide == {"take(1)": 9, "take(2)": 9, "take(3)": 9}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("gifts, fourth", [("free", 120 + 160 + 220), ("off", 3 * 20)])
def test_chance_and_what_is_done_out_of_turn_count_like_all_else(backend: Backend, gifts: str, fourth: int) -> None:
    """Three faces, regardless of weights; five bids each. Of 25 pairs of bids, 5 are ties, followed by a die roll.

    After the other pairs the winner nods, or one of two gives some of their coins: 8 minus the bid (60 in all 20
    cases) plus the prize (0, 2, 5), so that there are 20 * (1 + 8 + prize) - 60 options.
    """
    counts = [perft(game("wager", 2, backend, gifts=gifts), depth).leaves for depth in range(5)]
    assert counts == [1, 3, 15, 75, fourth + 3 * 5 * 3]


def test_options_out_of_turn_say_whose_they_are() -> None:
    thanking = Game(ruleset("wager"), seat_names(2), start="thanks(A)")
    result = perft(thanking, 1)
    assert list(result.divide)[:3] == ["nod", "A: give(A, B, 1)", "A: give(A, B, 2)"]
    assert list(result.divide)[-1] == "B: give(B, A, 4)"


@pytest.mark.parametrize("name", ["nim", "wager"])
def test_the_hash_does_not_depend_on_the_order_of_options(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forth = perft(game(name), 4)
    monkeypatch.setattr(module, "every_option", lambda game: reversed(list(every_option(game))))
    back = perft(game(name), 4)
    assert back == forth
    assert list(back.divide) == list(forth.divide)[::-1]


def test_the_hash_depends_on_every_leaf_and_on_how_often_it_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = perft(game("nim"), 2)
    less = perft(game("nim"), 2, limit=whole.nodes - 1)
    monkeypatch.setattr(module, "every_option", lambda game: [o for o in every_option(game) for _ in range(2)])
    twice = perft(game("nim"), 2)
    assert (less.leaves, less.complete) == (whole.leaves - 1, False)
    assert (twice.leaves, twice.distinct) == (4 * whole.leaves, whole.distinct)
    assert len({whole.hash, less.hash, twice.hash}) == 3


def test_the_game_stands_where_it_stood() -> None:
    place = game("wager")
    place.apply(place.legal_options[0])
    before, ply = place.hash, place.ply
    assert perft(place, 3).complete
    assert not perft(place, 3, limit=10).complete
    assert (place.hash, place.ply) == (before, ply)


def test_counting_stops_at_the_limit() -> None:
    result = perft(game("nim"), 9, limit=100)
    assert (result.nodes, result.complete) == (100, False)
    exact = perft(game("nim"), 2, limit=3 + 9)
    assert (exact.nodes, exact.complete) == (12, True)


def test_nothing_comes_after_the_end() -> None:
    over = game("nim")
    for _ in range(3):
        over.apply(over.parse("take(3)"))
    place = perft(over, 0)
    assert (place.leaves, place.distinct, place.nodes, place.ended) == (1, 1, 0, 0)
    after = perft(over, 2)
    assert (after.leaves, after.distinct, after.nodes, after.ended) == (0, 0, 0, 1)


@pytest.mark.parametrize("depth", [-1, MAX_DEPTH + 1])
def test_a_depth_has_bounds(depth: int) -> None:
    with pytest.raises(ValueError, match="`depth` must be between 0 and 100"):
        perft(game("nim"), depth)


# --- the command ------------------------------------------------------------------------------------------------------


def invoke(*args: str | Path | int) -> tuple[int, str, str]:
    """Runs the command; returns exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["perft", *map(str, args)])
    return code, out.getvalue(), err.getvalue()


def as_json(*args: str | Path | int) -> tuple[int, dict[str, Any]]:
    code, out, _ = invoke(*args, "--format", "json")
    data: dict[str, Any] = json.loads(out)
    Draft202012Validator(load_schema("perft")).validate(data)
    return code, data


NIM = RULESETS / "nim"
SHORT = NIM / "logs" / "short.jsonl"


def test_it_prints_as_chess_engines_do() -> None:
    code, out, _ = invoke(NIM, "--players", 2, "--depth", 3, "--divide")
    assert code == 0
    assert out.split("\n")[:10] == [
        "nim 1.0 · 2 players · depth 3 · Python",
        "",
        "take(1)  9",
        "take(2)  9",
        "take(3)  9",
        "",
        "nodes                   39",
        "leaves                  27",
        "ended                    0",
        "distinct                15",
    ]
    assert "nodes/s)" in out
    assert "take(1)" not in invoke(NIM, "--players", 2, "--depth", 3)[1]


def test_both_backends_stand_side_by_side() -> None:
    code, out, _ = invoke(NIM, "--players", 2, "--depth", 3, "--backend", "both", "--divide")
    assert code == 0
    assert "         python  interpreter\ntake(1)       9            9\n" in out
    code, data = as_json(NIM, "--players", 2, "--depth", 3, "--backend", "both")
    assert code == 0
    assert data["backends"] == ["python", "interpreter"]
    assert data["perfts"]["python"] == data["perfts"]["interpreter"]


def test_json_has_the_game_and_the_numbers() -> None:
    code, data = as_json(NIM, "--players", 2, "--depth", 3, "--set", "misere=true", "--divide")
    assert code == 0
    assert (data["settings"], data["seats"], data["log"], data["at"]) == ({"misere": "true"}, ["A", "B"], None, 0)
    result = data["perfts"]["python"]
    assert (result["leaves"], result["distinct"], result["divide"]["take(1)"]) == (27, 15, 9)


def test_it_counts_from_a_recorded_game() -> None:
    """The log has taken three and two of nine stones, so four are left."""
    code, data = as_json(NIM, "--from", SHORT, "--at", 2, "--depth", 2)
    assert code == 0
    assert (data["at"], data["seats"]) == (2, ["Ann", "Bob"])
    assert [data["perfts"]["python"][key] for key in ("nodes", "leaves", "ended")] == [3 + 3 + 2 + 1, 3 + 2 + 1, 0]
    code, data = as_json(NIM, "--from", SHORT, "--depth", 1)
    assert code == 0
    assert data["at"] == 4
    assert data["perfts"]["python"]["ended"] == 1


def test_what_is_taken_back_is_a_move_of_the_log(tmp_path: Path) -> None:
    header, first, second = SHORT.read_text("utf-8").splitlines()[:3]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([header, first, second, '{"undo": 2}', first]) + "\n", "utf-8")
    leaves = {at: as_json(NIM, "--from", log, "--at", at, "--depth", 9)[1]["perfts"]["python"] for at in range(5)}
    assert leaves[3] == leaves[0]
    assert leaves[4] == leaves[1]
    assert leaves[2] != leaves[1]


def test_a_log_that_is_not_legal_can_be_counted_up_to_there(tmp_path: Path) -> None:
    header, first, second = SHORT.read_text("utf-8").splitlines()[:3]
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([header, first, second.replace("Bob", "Ann")]) + "\n", "utf-8")
    assert invoke(NIM, "--from", log, "--at", 1, "--depth", 1)[0] == 0


@pytest.mark.parametrize("limit, code", [(38, 1), (39, 0)])
def test_the_limit_is_told(limit: int, code: int) -> None:
    result, out, _ = invoke(NIM, "--players", 2, "--depth", 3, "--limit", limit)
    assert result == code
    assert (f"stopped after {limit} nodes (--limit)" in out) == bool(code)


@pytest.mark.parametrize(
    "args, message",
    [
        ([NIM], "give --depth D, and either --players N or --from LOG"),
        ([NIM, "--depth", "2"], "give --players N: `nim` is for 2 to 4 players"),
        ([NIM, "--depth", "1", "--players", "2", "--from", SHORT], "give --depth D, and either"),
        ([NIM, "--depth", "101", "--players", "2"], "101 is not in the range"),
        ([NIM, "--depth", "1", "--players", "2", "--at", "1"], "--at needs --from"),
        ([NIM, "--depth", "1", "--from", SHORT, "--set", "misere=true"], "--set needs --players"),
        ([NIM, "--check", "--record"], "combined only with REF, --backend and --format"),
        ([NIM, "--check", "--depth", "1"], "combined only with REF, --backend and --format"),
        ([NIM, "--check"], f"write it with `rulespec perft {NIM} --record`"),
    ],
)
def test_wrong_usage_is_told(args: list[str | Path], message: str) -> None:
    code, _, err = invoke(*args)
    assert code == 2
    assert message in err


def test_rules_at_fault_are_told_with_the_way_there(tmp_path: Path) -> None:
    broken = (RULESETS / "nim" / "rules" / "play.rules").read_text("utf-8").replace("require n <= stone.heap ", "#")
    folder = tmp_path / "nim"
    copy(NIM, folder)
    (folder / "rules" / "play.rules").write_text(broken, "utf-8")
    code, _, err = invoke(folder, "--players", 2, "--depth", 9)
    assert code == 1
    assert "RS703" in err
    assert "the last options before that: `take(1)`, `take(1)`, `take(1)`" in err
    with pytest.raises(RulesetFaultError):
        perft(Game(load_ruleset(str(folder)), seat_names(2)), 9)


# --- records ----------------------------------------------------------------------------------------------------------


def copy(source: Path, target: Path) -> None:
    for path in source.rglob("*"):
        if path.is_file():
            (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            (target / path.relative_to(source)).write_bytes(path.read_bytes())


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Nim with a perft record."""
    copy(NIM, tmp_path / "nim")
    assert invoke(tmp_path / "nim", "--record")[0] == 0
    return tmp_path / "nim"


def test_starts_and_recorded_games_are_chosen(own: Path) -> None:
    rows = read_record(own / "perft" / "nim.yaml")
    assert [(row.players, row.log, row.at) for row in rows] == [
        *((players, "", 0) for players in (2, 3, 4)),
        *((0, "logs/short.jsonl", at) for at in (1, 2, 3)),
    ]
    assert all(set(row.counted) == set(COUNTED) for row in rows)
    assert invoke(f"{own}+tall", "--record")[0] == 0
    assert (own / "perft" / "nim+tall.yaml").exists()
    assert invoke(f"{own}+tall", "--check")[0] == 0


def test_a_record_written_anew_is_the_same_and_keeps_its_positions(own: Path) -> None:
    path = own / "perft" / "nim.yaml"
    text = path.read_text("utf-8")
    assert invoke(own, "--record")[0] == 0
    assert path.read_text("utf-8") == text
    fewer = "\n".join(line for line in text.split("\n") if "players: 3" not in line)
    path.write_text(fewer, "utf-8")
    assert invoke(own, "--record")[0] == 0
    assert path.read_text("utf-8") == fewer


def test_a_record_that_holds_is_said_to(own: Path) -> None:
    code, out, _ = invoke(own, "--check", "--backend", "both")
    assert code == 0
    assert "12 positions counted, as recorded" in out
    code, data = as_json(own, "--check")
    assert code == 0
    assert (data["positions"], data["diagnostics"]) == (6, [])


def test_other_rules_differ_from_the_record_at_its_lines(own: Path) -> None:
    tables = own / "tables.yaml"
    tables.write_text(tables.read_text("utf-8").replace("most: 3", "most: 2"), "utf-8")
    code, data = as_json(own, "--check")
    assert code == 1
    result = data["diagnostics"]
    assert [d["code"] for d in result] == ["RS831"] * 3 + ["RS832"]
    first = "start with 2 players, depth 4 (backend python): nodes is 30, not 105 as recorded; "
    assert result[0]["message"].startswith(first)
    assert (result[3]["message"].partition(":")[0], result[3]["help"]) == (
        "there is no position after 1 moves",
        "the next move is illegal: NIM-03: one to three stones",
    )
    assert data["positions"] == 3


def test_a_change_of_the_layout_alone_is_seen_as_such(own: Path) -> None:
    kinds = own / "kinds.yaml"
    kinds.write_text(kinds.read_text("utf-8") + "state: {idle: {type: int 0..1}}\n", "utf-8")
    code, out, err = invoke(own, "--check")
    assert code == 1
    assert "hash is " in err and "nodes is" not in err
    assert "if only the layout of states has changed, record the hashes again with `rulespec perft REF --record`" in err
    assert "6 positions counted, 6 differ" in out
    assert invoke(own, "--record")[0] == 0
    assert invoke(own, "--check")[0] == 0


ROW = "{players: 2, depth: 2, nodes: 12, leaves: 9, ended: 0, distinct: 9}"


@pytest.mark.parametrize(
    "row, code, text",
    [
        (ROW, 0, ""),
        (ROW.replace("leaves: 9", "leaves: 8"), 1, "leaves is 9, not 8 as recorded"),
        (ROW.replace("nodes: 12", "nodes: 10"), 1, "there are more nodes than the 10 recorded"),
        (ROW.replace("depth: 2, nodes: 12", "depth: 100, nodes: 50"), 1, "there are more nodes than the 50 recorded"),
        (ROW.replace("depth: 2, ", ""), 2, "the key `depth` is missing"),
        (ROW.replace("depth: 2", "depth: 200"), 2, "write a number that is at most 100"),
        (ROW.replace("players: 2, ", ""), 2, "RS2"),
        (ROW.replace("players: 2", "players: 9"), 1, "for 2 to 4 players, not for 9"),
        (ROW.replace("players: 2", "log: logs/short.jsonl, at: 5"), 1, "there is no position after 5 moves"),
        (ROW.replace("players: 2", "log: logs/none.jsonl, at: 5"), 1, "there is no file"),
        (ROW.replace("players: 2", "log: ../nim/logs/short.jsonl, at: 1"), 1, "not a path inside this folder"),
    ],
)
def test_a_record_is_compared_and_a_bad_one_is_told_at_its_line(own: Path, row: str, code: int, text: str) -> None:
    path = own / "perft" / "nim.yaml"
    path.write_text(f"positions:\n  - {row}\n", "utf-8")
    result, _, err = invoke(own, "--check")
    assert result == code, err
    assert text in err


# --- what is recorded for the shipped rulesets ------------------------------------------------------------------------


PART: dict[Backend, slice] = {"python": slice(None, None, 32), "interpreter": slice(2)}
"""The recorded positions compared by `make test`; `make proof` compares all.

The interpreter is slow, also when replaying a log up to a position.
"""


@cache
def shipped(path: Path) -> typed.Ruleset:
    return load_ruleset(f"{path.parent.parent}{path.stem.removeprefix(path.parent.parent.name)}")


def test_every_shipped_ruleset_has_a_record() -> None:
    names = {path.stem for path in RECORDS}
    assert names >= {folder.name for folder in SHIPPED}
    assert {name.partition("+")[2] for name in names} >= {"first_edition", "pd", "no_investor_card", "playimperial"}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
@pytest.mark.sampled(7)
def test_all_starts_and_a_hundred_positions_of_games_are_recorded(path: Path) -> None:
    """Small games have fewer positions in their logs, so half of these suffice."""
    rows, ruleset = read_record(path), shipped(path)
    _, *overlays = path.stem.split("+")
    logs = [read_log(log) for log in path.parent.parent.joinpath("logs", *overlays).glob("*.jsonl*")]
    there = sum(len(log.entries) for log in logs)
    low, high = ruleset.players
    assert record_file(ruleset) == path
    assert {row.players for row in rows if not row.log} == set(range(low, high + 1))
    assert len({(row.log, row.at) for row in rows if row.log}) >= min(100, there // 2)
    assert all(set(row.counted) == set(COUNTED) for row in rows)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
@pytest.mark.sampled(2)
def test_shipped_rulesets_are_counted_as_recorded(path: Path, backend: Backend) -> None:
    rows = read_record(path)[slice(None) if ALL else PART[backend]]
    report = Report()
    assert compare(shipped(path), rows, backend, report) == len(rows)
    assert [str(d) for d in report.diagnostics] == []
