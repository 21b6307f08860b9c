"""Random expressions about a board: steps, rays, and facts of spaces."""

from __future__ import annotations

from collections.abc import Callable

BOARD = """
--- boards.yaml
boards:
  spot:
    grid: {columns: r..t, rows: 1..4}
    direction: course
    directions: {ahead: [0, 1], aside: [-1, 0], aslant: [1, -1]}
    links: {leap: [[1, 2], [-1, 1], aslant]}
    facts: {home: town?}
    spaces: {r1: {home: oak}, s3: {home: ash}, t4: {home: oak}}
  yard:
    grid: {columns: h..j, rows: 1..2}
    direction: heading
    directions: {fore: [0, 1], larboard: [-1, 0], rear: [0, -1], starboard: [1, 0]}
    sides: hedge
    corners: stake
  comb:
    hexes: [2, 3]
    direction: turn
    corners: joint
"""


def number(pick: Callable[..., str], expr: Callable[[str], str], fresh: Callable[[], str]) -> str:
    """A numeric expression about a board; `expr` writes an expression of a type, `fresh` returns a new name."""
    x, y = fresh(), fresh()
    course = pick("ahead", "aside", "aslant")
    stops = f"{{{y} in spot where {y}.{pick('row', 'column')} == {expr('int')} or {y}.home == {expr('town?')}}}"
    space = pick("r1", "s2", f"({pick('s3', 't2')}.to({course}, {expr('int')}) ?? s2)", "next(r4)")
    heading = pick("fore", "larboard", f"heading.ahead(rear, {expr('int')})", "heading.back(starboard)")
    about = pick("sides", "corners", "steps", "rays")
    if about == "corners":
        beside = pick("spaces", "sides", "corners")
        return pick(
            f"count(union({x}.corners for {x} in yard where {x}.row < {expr('int')}))",
            f"sum({y}.index for {y} in union({x}.{beside} for {x} in stake where {x}.index > {expr('int')}))",
            f"count({x} in hedge where all({y} in {x}.corners: {x} in {y}.sides and {y}.index != {expr('int')}))",
            f"count(reach({x} from {{joint.a1_n}}: {{{y} in {x}.corners where {y}.index < {expr('int')}}}))",
            f"count({x} in joint where count({x}.spaces) == {expr('int')})",
        )
    if about == "sides":
        return pick(
            f"h1.side({heading}).index",
            f"count(union({x}.side({heading}).spaces for {x} in yard where {x}.row < {expr('int')}))",
            f"heading.steps({heading}, larboard)",
            f"sum({y}.index for {y} in {{{x}.side({heading}) for {x} in yard}})",
        )
    return pick(
        f"({space}.to({course}) ?? t1).index",
        f"({space}.to({course}, {expr('int')}) ?? t1).row",
        f"count({{{space}.to({y}) for {y} in course}})",
        f"sum({x}.index for {x} in ray({space}, {course}))",
        f"sum({x}.index for {x} in ray({space}, {course} until {stops}))",
        f"count(union(ray({space}, {x} until {stops}) for {x} in course) & {space}.leap)",
        f"count({x} in spot where {x}.to({course}) is some and {x}.to({course}).row > {expr('int')})",
    )
