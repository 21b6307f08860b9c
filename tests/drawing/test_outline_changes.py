"""Changes of outlines: all regions at a point change together, borders stay closed, and nothing crosses."""

from __future__ import annotations

import random
from functools import cache

import pytest
import yaml
from folders import GAMES

from rulespec.drawing import crossings
from rulespec.drawing.crossings import Meeting, meeting
from rulespec.drawing.outline_changes import OutlineError, Outlines, Part, drawn, followed, inserted, moved, removed
from rulespec.drawing.outline_checks import overlaps
from rulespec.drawing.outlines import Dot, Frame, Stroke, area, holds, rings_of, shared
from rulespec.drawing.pointing import snapped

FRAME = Frame(0, 0, 40, 20)
A, B, C, ISLE = (("outlines", name) for name in ("a", "b", "c", "isle"))
BOARD: Outlines = {
    A: rings_of("M0 0l20 0 0 10 0 10-20 0z"),
    B: rings_of("M20 0l20 0 0 10-20 0z"),
    C: rings_of("M20 10l20 0 0 10-20 0zM26 14l4 0 0 3-4 0z"),
    ISLE: rings_of("M26 14l4 0 0 3-4 0z"),
}
"""A left half and two quarters on the right, the lower one with an island."""


def dots(outlines: Outlines) -> set[Dot]:
    return {dot for rings in outlines.values() for ring in rings for dot in ring}


def opened(outlines: Outlines, frame: Frame) -> set[Stroke]:
    """The edges in only one outline that are not at the frame."""
    return {e for e, sides in shared([*outlines.values()]).items() if len(sides) == 1 and not frame.side(*e)}


def signs(outlines: Outlines) -> dict[tuple[Part, int], int]:
    """The sign of each ring's area: negative for a hole or a reversed ring, but not for both."""
    results: dict[tuple[Part, int], int] = {}
    for part, rings in outlines.items():
        for i, ring in enumerate(rings):
            middle = (ring[0][0] + ring[1][0]) / 2, (ring[0][1] + ring[1][1]) / 2
            hole = holds([other for other in rings if other is not ring], *middle)
            results[part, i] = (-1 if hole else 1) * (1 if area(ring) > 0 else -1)
    return results


def size(outlines: Outlines, signs: dict[tuple[Part, int], int]) -> float:
    """The total area."""
    return sum(area(ring) * signs[part, i] for part, rings in outlines.items() for i, ring in enumerate(rings))


@cache
def europe() -> Outlines:
    board = yaml.safe_load((GAMES / "imperial" / "outlines.yaml").read_text("utf-8"))["drawing"]["boards"]["region"]
    return {
        (section, name): rings_of(how["outline"])
        for section in ("outlines", "scenery")
        for name, how in board.get(section, {}).items()
    }


EUROPE = Frame(0, 0, 1240, 1052)


def test_a_point_moves_in_all_outlines_that_have_it() -> None:
    changed = moved(BOARD, FRAME, (20, 10), (18, 11))
    assert changed == {
        A: rings_of("M0 0l20 0-2 11 2 9-20 0z"),
        B: rings_of("M20 0l20 0 0 10-22 1z"),
        C: rings_of("M18 11l22-1 0 10-20 0zM26 14l4 0 0 3-4 0z"),
    }
    assert moved(BOARD, FRAME, (26, 14), (25, 13)).keys() == {C, ISLE}
    assert moved(BOARD, FRAME, (20, 10), (20, 10)) == {}


def test_a_point_of_the_frame_moves_along_it() -> None:
    assert moved(BOARD, FRAME, (20, 0), (23, 0)).keys() == {A, B}
    for at, to, said in [
        ((20, 0), (20, 1), "20,0 is a point of the frame: it can move only along the frame"),
        ((0, 0), (1, 0), "0,0 is a corner of the frame: it cannot move"),
        ((20, 10), (20, -1), "20,-1 is outside the frame"),
    ]:
        with pytest.raises(OutlineError, match=said):
            moved(BOARD, FRAME, at, to)
    assert moved(BOARD, None, (0, 0), (-5, 1)), "without a frame, the outlines say where the board ends"


def test_points_go_before_edges_and_edges_before_the_frame() -> None:
    rings = [ring for rings in BOARD.values() for ring in rings]
    assert snapped(rings, FRAME, (21, 12), 3) == ((20, 10), None)
    assert snapped(rings, FRAME, (31, 11), 3) == ((31, 10), ((20, 10), (40, 10)))
    assert snapped(rings, FRAME, (31, 11), 0) == ((31, 11), None)
    assert snapped(rings, FRAME, (31, 10), 0) == ((31, 10), ((20, 10), (40, 10))), "it lies on it"
    assert snapped([], FRAME, (38, 1), 3) == ((40, 0), None)
    assert snapped(rings, FRAME, (21, 12), 3, moving=(20, 10)) == ((21, 12), None), "neither the point nor its edges"


def test_a_point_that_comes_to_an_edge_is_one_of_it() -> None:
    changed = moved(BOARD, FRAME, (26, 14), (26, 11), snap=2)
    assert changed[B] == rings_of("M20 0l20 0 0 10-14 0-6 0z")
    assert (26, 10) in changed[C][0] and (26, 10) in changed[C][1] and changed[ISLE][0][0] == (26, 10)
    board = {**BOARD, **changed}
    assert not opened(board, FRAME) and size(board, signs(BOARD)) == 800


def test_points_that_come_together_are_one() -> None:
    board = {**BOARD, **inserted(BOARD, FRAME, ((20, 10), (40, 10)), (30, 11))}
    changed = moved(board, FRAME, (30, 11), (21, 10), snap=2)
    assert changed[B] == BOARD[B] and changed[C] == BOARD[C]
    board = {A: rings_of("M0 0l9 0 0 9z")}
    with pytest.raises(OutlineError, match="no area"):
        moved(board, None, (9, 9), (9, 0))


def test_a_detached_point_is_that_of_one_region() -> None:
    changed = moved(BOARD, FRAME, (20, 10), (23, 8), only=B)
    assert changed == {B: rings_of("M20 0l20 0 0 10-17-2z")}
    assert len(opened({**BOARD, **changed}, FRAME)) == 4
    again = moved({**BOARD, **changed}, FRAME, (23, 8), (20, 10))
    assert {**BOARD, **again} == BOARD
    with pytest.raises(OutlineError, match="`isle` has no point at 20,10"):
        moved(BOARD, FRAME, (20, 10), (23, 8), only=ISLE)


def test_a_point_is_inserted_in_both_and_removed_from_both() -> None:
    changed = inserted(BOARD, FRAME, ((20, 10), (40, 10)), (30, 12))
    assert changed.keys() == {B, C} and not opened({**BOARD, **changed}, FRAME)
    back = removed({**BOARD, **changed}, FRAME, (30, 12))
    assert {**BOARD, **back} == BOARD
    assert inserted(BOARD, FRAME, ((20, 0), (40, 0)), (30, 0)).keys() == {B}


@pytest.mark.parametrize(
    "edit, said",
    [
        (lambda: removed(BOARD, FRAME, (20, 10)), "borders meet at 20,10, and would come apart without this point"),
        (lambda: removed(BOARD, FRAME, (0, 0)), "the border reaches the frame at 0,0"),
        (lambda: removed(BOARD, FRAME, (21, 10)), "no outline has a point at 21,10; the nearest is 20,10"),
        (lambda: moved(BOARD, FRAME, (21, 10), (1, 1)), "the nearest is 20,10"),
        (lambda: moved({}, FRAME, (21, 10), (1, 1)), "there are no outlines"),
        (lambda: inserted(BOARD, FRAME, ((0, 0), (40, 10)), (1, 1)), "no outline has an edge from 0,0 to 40,10"),
        (lambda: inserted(BOARD, FRAME, ((20, 0), (40, 0)), (30, 1)), "the edge is on the frame"),
        (lambda: inserted(BOARD, FRAME, ((20, 0), (40, 0)), (40, 0)), "already has a point at 40,0"),
        (lambda: inserted(BOARD, FRAME, ((20, 10), (40, 10)), (30, 18)), "cross|pass over"),
        (lambda: moved(BOARD, FRAME, (26, 14), (26, 19)), "turned inside out|cross"),
        (lambda: moved(BOARD, FRAME, (26, 14), (26, 8)), "borders would cross"),
        (lambda: moved(BOARD, FRAME, (26, 14), (2_000_000, 8)), "has a coordinate beyond a million"),
        (lambda: drawn(BOARD, FRAME, ("outlines", "d"), [(1, 1), (5, 1)]), "three points that are not collinear"),
        (lambda: drawn(BOARD, FRAME, ("outlines", "d"), [(1, 1), (5, 1), (9, 1)]), "three points"),
        (lambda: drawn(BOARD, FRAME, ("outlines", "d"), [(1, 1), (5, 5), (5, 1), (1, 5)]), "crosses itself"),
        (lambda: drawn(BOARD, FRAME, ISLE, [(26, 14), (30, 14), (30, 17), (26, 17)]), "already has this ring|crosses"),
        (lambda: followed(BOARD, A, ISLE, (20, 0), (20, 20)), "do not share the points 20,0 and 20,20"),
        (lambda: followed(BOARD, A, B, (20, 0), (20, 0)), "do not share"),
    ],
)
def test_what_would_be_no_board_is_refused(edit: object, said: str) -> None:
    assert callable(edit)
    with pytest.raises(OutlineError, match=said):
        edit()


def test_a_border_that_passes_over_an_island_is_refused() -> None:
    """No edges cross, but the whole island is between the old border and the new one."""
    sea = rings_of("M0 0l20 0 0 20-20 0zM12 9l2 0 0 2-2 0z")
    land, isle = rings_of("M20 0l20 0 0 20-20 0z"), rings_of("M12 9l2 0 0 2-2 0z")
    board: Outlines = {A: sea, B: land, ISLE: isle}
    board = {**board, **inserted(board, FRAME, ((20, 0), (20, 20)), (20, 10))}
    with pytest.raises(OutlineError, match="the border of `a` would cross another part of it"):
        moved(board, FRAME, (20, 10), (4, 10))
    assert moved(board, FRAME, (20, 10), (18, 10))


def test_borders_that_cross_already_can_be_mended() -> None:
    board: Outlines = {A: rings_of("M0 0l20 0 5 10-5 10-20 0z"), B: rings_of("M20 0l20 0 0 20-20 0 0-9z")}
    step = moved(board, FRAME, (25, 10), (23, 10))
    assert step.keys() == {A}, "it still lies on the other one"
    done = moved({**board, **step}, FRAME, (23, 10), (21, 11), snap=1)
    assert not opened({**board, **done}, FRAME)


def test_a_drawn_outline_shares_points_with_those_beside_it() -> None:
    board: Outlines = {A: BOARD[A], B: BOARD[B]}
    changed = drawn(board, FRAME, C, [(21, 11), (39, 9), (39, 19), (21, 19)], snap=2)
    assert {**board, **changed} == {A: BOARD[A], B: BOARD[B], C: rings_of("M20 10l20 0 0 10-20 0z")}
    board = {A: rings_of("M0 0l20 0 0 20-20 0z")}
    changed = drawn(board, FRAME, B, [(19, 5), (39, 5), (39, 15), (19, 15)], snap=1)
    assert changed[A] == rings_of("M0 0l20 0 0 5 0 10 0 5-20 0z"), "its points are points of the edge that they lie on"
    board = {A: BOARD[A]}
    changed = drawn(board, FRAME, B, [(20, 0), (40, 0), (40, 20), (20, 20)])
    assert (20, 10) in changed[B][0], "what lies on its edge is a point of it"


def test_another_ring_is_an_island_or_a_hole() -> None:
    changed = drawn(BOARD, FRAME, A, [(4, 4), (8, 4), (8, 8)])
    assert changed == {A: [*BOARD[A], [(4, 4), (8, 4), (8, 8)]]}
    with pytest.raises(OutlineError, match="crosses itself"):
        drawn(BOARD, FRAME, A, [(4, 4), (28, 4), (8, 8)])
    with pytest.raises(OutlineError, match="already has 64 rings"):
        drawn({A: BOARD[A] * 64}, FRAME, A, [(4, 4), (8, 4), (8, 8)])


def test_a_border_is_followed() -> None:
    other = rings_of("M20 0l20 0 0 20-20 0 2-6-3-5 2-4z")
    board: Outlines = {A: rings_of("M0 0l20 0 1 9-1 11-20 0z"), B: other}
    changed = followed(board, A, B, (20, 0), (20, 20))
    assert changed.keys() == {A}
    assert {*changed[A][0]} == {(0, 0), (20, 0), (21, 5), (19, 9), (22, 14), (20, 20), (0, 20)}
    assert not opened({**board, **changed}, FRAME) and area(changed[A][0]) > 0
    assert followed({**board, **changed}, A, B, (20, 20), (20, 0)).keys() == {A}


@pytest.mark.parametrize(
    "e, f, expected",
    [
        (((0, 0), (4, 4)), ((0, 4), (4, 0)), Meeting.CROSSING),
        (((0, 0), (4, 4)), ((2, 2), (4, 0)), Meeting.TOUCHING),
        (((0, 0), (4, 4)), ((4, 4), (8, 0)), Meeting.APART),
        (((0, 0), (4, 4)), ((0, 0), (2, 2)), Meeting.TOUCHING),
        (((0, 0), (4, 4)), ((4, 4), (6, 6)), Meeting.APART),
        (((0, 0), (4, 4)), ((1, 1), (2, 2)), Meeting.TOUCHING),
        (((0, 0), (4, 4)), ((5, 5), (6, 6)), Meeting.APART),
        (((0, 0), (4, 4)), ((1, 0), (4, 3)), Meeting.APART),
    ],
)
def test_edges_meet_or_not(e: Stroke, f: Stroke, expected: Meeting) -> None:
    assert meeting(e, f) == meeting(f, e) == expected


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Stroke]:
    """An edge for each compared pair of edges."""
    edges: list[Stroke] = []

    def noted(e: Stroke, f: Stroke) -> Meeting:
        edges.append(e)
        return meeting(e, f)

    monkeypatch.setattr(crossings, "meeting", noted)
    return edges


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("count", [40, pytest.param(500, marks=pytest.mark.proof)])
def test_random_moves_of_shared_points_open_no_border(count: int, compared: list[Stroke]) -> None:
    """On Imperial's board: each move changes all regions at the point, the total area stays, few edges are compared."""
    choose, board = random.Random(count), europe()
    turned, before = signs(board), overlaps([*board.values()])[1].keys()
    shared_dots = sorted(dot for dot in dots(board) if 0 < dot[0] < 1240 and 0 < dot[1] < 1052)
    done, numbers = 0, []
    while done < count:
        at = choose.choice(shared_dots)
        to = (at[0] + choose.randint(-6, 6), at[1] + choose.randint(-6, 6))
        owners = {part for part, rings in board.items() if any(at in ring for ring in rings)}
        compared.clear()
        try:
            changed = moved(board, EUROPE, at, to)
        except OutlineError:
            continue
        finally:
            numbers.append(len(compared))
        assert at == to or (owners <= changed.keys() and len(owners) > 1)
        board = {**board, **changed}
        assert at == to or at not in dots(board)
        shared_dots[shared_dots.index(at)] = to
        done += 1
        if done % 20 == 0:
            assert not opened(board, EUROPE) and size(board, turned) == 1240 * 1052
    assert overlaps([*board.values()])[1].keys() <= before, "what lay on one another was there before"
    assert 0 < max(numbers) < 300, "of 4,528 edges, those near the point"


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.proof)])
def test_random_points_are_inserted_and_removed(count: int) -> None:
    choose, board = random.Random(count), europe()
    turned = signs(board)
    for _ in range(count):
        (px, py), (qx, qy) = edge = choose.choice(sorted(shared([*board.values()])))
        to = (round((px + qx) / 2), round((py + qy) / 2))
        try:
            changed = inserted(board, EUROPE, edge, to)
        except OutlineError:
            continue
        after = {**board, **changed}
        assert not opened(after, EUROPE) and size(after, turned) == 1240 * 1052
        assert len(changed) >= 2 or EUROPE.side(*edge)
        if to not in dots(board):
            assert {**after, **removed(after, EUROPE, to)} == board
        if choose.random() < 0.5:
            board = after
    for at in choose.sample(sorted(dots(board)), count):
        try:
            board = {**board, **removed(board, EUROPE, at)}
        except OutlineError:
            continue
        assert at not in dots(board)
    assert not opened(board, EUROPE) and size(board, turned) == 1240 * 1052


def test_what_would_take_long_is_refused(compared: list[Stroke]) -> None:
    fan: Outlines = {("outlines", f"r{i}"): [[(0, 0), (1_000, i), (1_000, i + 1)]] for i in range(3_000)}
    with pytest.raises(OutlineError, match="too many borders would change"):
        moved(fan, None, (0, 0), (1, 1))
    assert not compared
    assert moved(fan, None, (1_000, 7), (1_003, 7)).keys() == {("outlines", "r6"), ("outlines", "r7")}
    assert len(compared) < 20_000, "of nine million pairs of edges"
